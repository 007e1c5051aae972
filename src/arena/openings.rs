//! The positions that games begin with.
//!
//! Engines that start every game from the same position play the same game;
//! ballots, random moves or a file give each pair of games another beginning.
//! Who plays them is not known here.

use crate::{
    board::{Move, MoveList, Position, Side},
    notation::move_text,
    rules::Game,
    search::{Engine, Limits, Silent, TableError},
};

/// A set-up and the moves that were played before the engines take over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The set-up.
    pub start: Position,
    /// The moves from there.
    pub moves: Vec<Move>,
}

impl Opening {
    /// The opening that is only a set-up.
    pub fn set_up(start: Position) -> Opening {
        Opening {
            start,
            moves: Vec::new(),
        }
    }

    /// The game so far.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        for &mv in &self.moves {
            // Moves are legal by construction; one that is not ends the opening.
            if game.play(mv).is_err() {
                break;
            }
        }
        game
    }

    /// The moves as PDN, with spaces between.
    pub fn text(&self) -> String {
        let mut position = self.start;
        let mut texts = Vec::new();
        for &mv in &self.moves {
            texts.push(move_text::pdn(&position, mv));
            position = position.play(mv);
        }
        texts.join(" ")
    }
}

/// All ways to play the first two plies but those that lose a man at once: 79.
pub fn two_ply_ballots() -> Vec<Opening> {
    let mut ballots = lines(2);
    ballots.retain(|ballot| !loses_a_man(ballot.game().position()));
    ballots
}

/// All positions after three plies, each once, without those that a search
/// finds decided by more than `margin` centi-men.
pub fn three_ply_ballots(margin: i32) -> Result<Vec<Opening>, TableError> {
    let mut seen = Vec::new();
    let mut ballots = lines(3);
    ballots.retain(|ballot| {
        let position = *ballot.game().position();
        let is_new = !seen.contains(&position);
        seen.push(position);
        is_new
    });
    let mut judge = Judge::new(margin)?;
    ballots.retain(|ballot| judge.is_playable(&ballot.game()));
    Ok(ballots)
}

/// `count` different openings of `plies` random moves, none decided by more
/// than `margin` centi-men; fewer if there are not as many.
pub fn random(
    count: usize,
    plies: usize,
    margin: i32,
    seed: u64,
) -> Result<Vec<Opening>, TableError> {
    let mut judge = Judge::new(margin)?;
    let mut dice = Dice::new(seed);
    let mut openings: Vec<Opening> = Vec::new();
    // Short openings run out; then the search for new ones must end.
    for _ in 0..count.saturating_mul(20) {
        if openings.len() == count {
            break;
        }
        let opening = random_line(plies, &mut dice);
        let is_new = !openings.contains(&opening);
        if is_new && judge.is_playable(&opening.game()) {
            openings.push(opening);
        }
    }
    Ok(openings)
}

/// Every line of `plies` moves from the initial position.
fn lines(plies: usize) -> Vec<Opening> {
    let mut lines = vec![Opening::set_up(Position::initial())];
    for _ in 0..plies {
        let longer = lines.iter().flat_map(|line| {
            let mut legal = MoveList::new();
            line.game().position().legal_moves(&mut legal);
            let extended = |&mv: &Move| Opening {
                start: line.start,
                moves: [line.moves.as_slice(), &[mv]].concat(),
            };
            legal.iter().map(extended).collect::<Vec<_>>()
        });
        lines = longer.collect();
    }
    lines
}

fn random_line(plies: usize, dice: &mut Dice) -> Opening {
    let mut opening = Opening::set_up(Position::initial());
    let mut position = opening.start;
    let mut legal = MoveList::new();
    for _ in 0..plies {
        position.legal_moves(&mut legal);
        if legal.is_empty() {
            break;
        }
        let mv = legal[dice.below(legal.len())];
        opening.moves.push(mv);
        position = position.play(mv);
    }
    opening
}

/// Whether captures alone, the best on both sides, change the balance of men.
fn loses_a_man(position: &Position) -> bool {
    let balance = |position: &Position| {
        let count = |side: Side| position.pieces(side).count() as i32;
        count(position.side()) - count(position.side().opponent())
    };
    fn settled(position: &Position, balance: &impl Fn(&Position) -> i32) -> i32 {
        if !position.has_capture() {
            return balance(position);
        }
        let mut captures = MoveList::new();
        position.legal_moves(&mut captures);
        let values = captures
            .into_iter()
            .map(|mv| -settled(&position.play(mv), balance));
        values.max().unwrap_or(0)
    }
    settled(position, &balance) != balance(position)
}

/// Says which openings can still be played for a win by both sides.
struct Judge {
    engine: Engine,
    margin: i32,
}

impl Judge {
    const DEPTH: u32 = 9;
    const TABLE_LOG2: u32 = 16;

    fn new(margin: i32) -> Result<Judge, TableError> {
        let engine = Engine::new(1, Self::TABLE_LOG2)?;
        Ok(Judge { engine, margin })
    }

    fn is_playable(&mut self, game: &Game) -> bool {
        let limits = Limits {
            depth: Some(Self::DEPTH),
            ..Limits::default()
        };
        self.engine.new_game();
        let outcome = self.engine.search(game, limits, Box::new(Silent));
        outcome.is_some_and(|outcome| {
            outcome.best.is_some() && outcome.score.centimen().abs() <= self.margin
        })
    }
}

/// Random numbers that are the same for the same seed on every machine
/// (SplitMix64; Steele, Lea and Flood, 2014).
pub struct Dice(u64);

impl Dice {
    /// The numbers of this seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * end as u128) >> 64) as usize
    }

    /// Puts `items` into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_seventy_nine_ballots_of_two_plies() {
        let ballots = two_ply_ballots();
        assert_eq!(ballots.len(), 79);
        assert!(ballots.iter().all(|ballot| ballot.moves.len() == 2));
    }

    #[test]
    fn ballots_of_three_plies_are_different_and_not_hopeless() {
        let ballots = three_ply_ballots(50).unwrap();
        let positions: Vec<Position> = ballots.iter().map(|b| *b.game().position()).collect();
        assert!((300..600).contains(&ballots.len()), "{}", ballots.len());
        for (index, position) in positions.iter().enumerate() {
            assert!(!positions[..index].contains(position));
        }
    }

    #[test]
    fn random_openings_are_as_many_and_as_long_as_wished_and_repeatable() {
        let openings = random(20, 6, 60, 7).unwrap();
        assert_eq!(openings.len(), 20);
        assert!(openings.iter().all(|opening| opening.moves.len() == 6));
        assert_eq!(openings, random(20, 6, 60, 7).unwrap());
        assert_ne!(openings, random(20, 6, 60, 8).unwrap());
    }
}
