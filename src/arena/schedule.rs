//! Which games are played, in which order.
//!
//! Games come in pairs: the same engines and the same opening with exchanged
//! colours. The order depends on the seed alone, so an interrupted match finds
//! its place again.

use super::openings::Dice;

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody; with two engines this is a match.
    RoundRobin,
    /// The first engine meets everybody else.
    Gauntlet,
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// White's engine.
    pub white: usize,
    /// Black's engine.
    pub black: usize,
    /// The opening.
    pub opening: usize,
    /// Whether the engine that is named first in this pairing plays White.
    pub first_is_white: bool,
}

/// All games of a match or tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    /// The openings in the order in which they are used.
    openings: Vec<usize>,
    pairs: usize,
}

impl Schedule {
    /// A schedule of `pairs` pairs of games for each two engines that meet,
    /// over `openings` openings in an order that `seed` gives; when they are
    /// used up they are used again.
    pub fn new(
        format: Format,
        engines: usize,
        openings: usize,
        pairs: usize,
        seed: u64,
    ) -> Schedule {
        let meets = |first: usize| match format {
            Format::Gauntlet if first > 0 => 0..0,
            Format::RoundRobin | Format::Gauntlet => first + 1..engines,
        };
        let pairings = (0..engines).flat_map(|first| meets(first).map(move |other| (first, other)));
        let mut order: Vec<usize> = (0..openings).collect();
        Dice::new(seed).shuffle(&mut order);
        Schedule {
            pairings: pairings.collect(),
            openings: order,
            pairs,
        }
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        if self.openings.is_empty() {
            return 0;
        }
        2 * self.pairs * self.pairings.len()
    }

    /// Whether there is no game at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The engines that meet, the one named first in each pair before the other.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// A game by its number, from 0; numbers 2n and 2n + 1 are a pair.
    pub fn fixture(&self, number: usize) -> Option<Fixture> {
        if number >= self.len() {
            return None;
        }
        let pair = number / 2;
        let (first, other) = self.pairings[pair % self.pairings.len()];
        let round = pair / self.pairings.len();
        let first_is_white = number.is_multiple_of(2);
        let (white, black) = if first_is_white {
            (first, other)
        } else {
            (other, first)
        };
        Some(Fixture {
            white,
            black,
            opening: self.openings[round % self.openings.len()],
            first_is_white,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixtures(schedule: &Schedule) -> Vec<Fixture> {
        (0..).map_while(|number| schedule.fixture(number)).collect()
    }

    #[test]
    fn every_opening_is_played_with_both_colours() {
        let schedule = Schedule::new(Format::RoundRobin, 2, 79, 79, 5);
        let games = fixtures(&schedule);
        assert_eq!(games.len(), 158);
        for pair in games.chunks(2) {
            assert_eq!(pair[0].opening, pair[1].opening);
            assert_eq!(
                (pair[0].white, pair[0].black),
                (pair[1].black, pair[1].white)
            );
        }
        let mut used: Vec<usize> = games.iter().map(|game| game.opening).collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), 79);
    }

    #[test]
    fn the_order_is_the_seeds() {
        let order = |seed| fixtures(&Schedule::new(Format::RoundRobin, 2, 79, 79, seed));
        assert_eq!(order(5), order(5));
        assert_ne!(order(5), order(6));
    }

    #[test]
    fn in_a_gauntlet_the_first_meets_all_others() {
        let gauntlet = Schedule::new(Format::Gauntlet, 4, 1, 1, 0);
        assert_eq!(gauntlet.pairings(), [(0, 1), (0, 2), (0, 3)]);
        let all = Schedule::new(Format::RoundRobin, 4, 1, 1, 0);
        assert_eq!(all.pairings().len(), 6);
        assert_eq!(all.len(), 12);
    }
}
