//! Who has how many points, and what that proves.

use std::{collections::BTreeMap, fmt, time::Duration};

use super::{
    game::Record,
    schedule::Fixture,
    stats::{GameResult, Pairs, Sprt, Verdict},
};
use crate::board::Side;

/// The results of the games of each two engines.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    names: Vec<String>,
    meetings: BTreeMap<(usize, usize), Meeting>,
    /// By engine.
    conduct: Vec<Conduct>,
}

/// The games of two engines, as the first of them sees it.
#[derive(Clone, Debug, Default)]
struct Meeting {
    wins: u64,
    draws: u64,
    losses: u64,
    pairs: Pairs,
    /// Results of games whose partner is still missing, by the pair's number.
    halves: BTreeMap<usize, GameResult>,
}

/// What an engine did that has nothing to do with points.
#[derive(Clone, Copy, Debug, Default)]
struct Conduct {
    faults: u64,
    moves: u64,
    time: Duration,
    slowest: Duration,
}

/// The result of a game as White sees it.
pub fn whites_result(winner: Option<Side>) -> GameResult {
    match winner {
        Some(Side::White) => GameResult::Win,
        Some(Side::Black) => GameResult::Loss,
        None => GameResult::Draw,
    }
}

impl Standings {
    /// No games yet, between engines with these names.
    pub fn new(names: Vec<String>) -> Standings {
        Standings {
            conduct: vec![Conduct::default(); names.len()],
            names,
            meetings: BTreeMap::new(),
        }
    }

    /// Counts the result of game `number`, from 0, as White sees it.
    pub fn add_result(&mut self, number: usize, fixture: Fixture, white: GameResult) {
        let (first, other, result) = if fixture.first_is_white {
            (fixture.white, fixture.black, white)
        } else {
            (fixture.black, fixture.white, white.reversed())
        };
        let meeting = self.meetings.entry((first, other)).or_default();
        match result {
            GameResult::Win => meeting.wins += 1,
            GameResult::Draw => meeting.draws += 1,
            GameResult::Loss => meeting.losses += 1,
        }
        match meeting.halves.remove(&(number / 2)) {
            Some(partner) => meeting.pairs.add(partner, result),
            None => {
                meeting.halves.insert(number / 2, result);
            }
        }
    }

    /// Counts a game that was played now, with its times and faults.
    pub fn add(&mut self, number: usize, fixture: Fixture, record: &Record) {
        self.add_result(number, fixture, whites_result(record.winner));
        let first_mover = record.opening.game().position().side();
        for (index, played) in record.moves.iter().enumerate() {
            let by_white = (first_mover == Side::White) == index.is_multiple_of(2);
            let engine = if by_white {
                fixture.white
            } else {
                fixture.black
            };
            if let Some(conduct) = self.conduct.get_mut(engine) {
                conduct.moves += 1;
                conduct.time += played.time;
                conduct.slowest = conduct.slowest.max(played.time);
            }
        }
        if record.end.is_fault() {
            let loser = match record.winner {
                Some(Side::Black) => fixture.white,
                _ => fixture.black,
            };
            if let Some(conduct) = self.conduct.get_mut(loser) {
                conduct.faults += 1;
            }
        }
    }

    /// How many games were counted.
    pub fn games(&self) -> u64 {
        self.meetings.values().map(Meeting::games).sum()
    }

    /// How often an engine failed, all engines together.
    pub fn faults(&self) -> u64 {
        self.conduct.iter().map(|conduct| conduct.faults).sum()
    }

    /// The pairs of the first two engines, as the first sees them.
    pub fn pairs(&self) -> Pairs {
        let meeting = self.meetings.get(&(0, 1));
        meeting.map(|meeting| meeting.pairs).unwrap_or_default()
    }

    /// Wins, draws and losses of the first engine against the second.
    pub fn tally(&self) -> (u64, u64, u64) {
        let meeting = self.meetings.get(&(0, 1)).cloned().unwrap_or_default();
        (meeting.wins, meeting.draws, meeting.losses)
    }

    /// One line on the first two engines, for while the match goes on.
    pub fn progress(&self, sprt: Option<&Sprt>) -> String {
        let (wins, draws, losses) = self.tally();
        let mut line = format!("+{wins} ={draws} -{losses}");
        if let Some(elo) = self.pairs().elo() {
            line += &format!(
                ", Elo {:+.1} ± {:.1}",
                elo.value,
                (elo.high - elo.low) / 2.0
            );
        }
        if let Some(sprt) = sprt {
            let (low, high) = sprt.bounds();
            line += &format!(", LLR {:.2} ({low:.2}, {high:.2})", sprt.llr(&self.pairs()));
        }
        if self.faults() > 0 {
            line += &format!(", {} faults", self.faults());
        }
        line
    }
}

impl Meeting {
    fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }
}

/// The final table.
impl fmt::Display for Standings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (&(first, other), meeting) in &self.meetings {
            let games = meeting.games().max(1) as f64;
            writeln!(f, "{} against {}", self.names[first], self.names[other])?;
            writeln!(
                f,
                "  {} games: {} won, {} drawn, {} lost; {:.1} points, {:.1} %",
                meeting.games(),
                meeting.wins,
                meeting.draws,
                meeting.losses,
                meeting.points(),
                100.0 * meeting.points() / games
            )?;
            writeln!(
                f,
                "  draws {:.1} %, wins:losses {}:{}",
                100.0 * meeting.draws as f64 / games,
                meeting.wins,
                meeting.losses
            )?;
            let [ll, ld, wl, dd, wd, ww] = meeting.pairs.counts();
            writeln!(
                f,
                "  pairs LL {ll}, LD {ld}, WL {wl}, DD {dd}, WD {wd}, WW {ww}"
            )?;
            for (name, elo) in [
                ("Elo", meeting.pairs.elo()),
                ("normalized Elo", meeting.pairs.normalized_elo()),
            ] {
                match elo {
                    Some(elo) => writeln!(
                        f,
                        "  {name} {:+.1}, 95 % within {:+.1} and {:+.1}",
                        elo.value, elo.low, elo.high
                    )?,
                    None => writeln!(f, "  {name} unknown: too few pairs, or all alike")?,
                }
            }
        }
        for (name, conduct) in self.names.iter().zip(&self.conduct) {
            let mean = conduct.time.as_secs_f64() / conduct.moves.max(1) as f64;
            writeln!(
                f,
                "{name}: {} faults, {} moves, {:.1} ms a move, {:.1} ms at most",
                conduct.faults,
                conduct.moves,
                1000.0 * mean,
                1000.0 * conduct.slowest.as_secs_f64()
            )?;
        }
        Ok(())
    }
}

/// What a test says, for people.
pub fn verdict_text(sprt: &Sprt, pairs: &Pairs) -> String {
    let (low, high) = sprt.bounds();
    let verdict = match sprt.verdict(pairs) {
        Verdict::Undecided => "undecided",
        Verdict::H0 => "H0 accepted",
        Verdict::H1 => "H1 accepted",
    };
    format!(
        "SPRT {} {}..{}: LLR {:.2} ({low:.2}, {high:.2}), {verdict}",
        sprt.model,
        sprt.elo0,
        sprt.elo1,
        sprt.llr(pairs)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted_for_the_engine_named_first() {
        let mut standings = Standings::new(vec!["A".to_owned(), "B".to_owned()]);
        let game = |first_is_white: bool| Fixture {
            white: usize::from(!first_is_white),
            black: usize::from(first_is_white),
            opening: 0,
            first_is_white,
        };
        standings.add_result(0, game(true), GameResult::Win);
        // The partner of a later pair may end before that of an earlier one.
        standings.add_result(3, game(false), GameResult::Win);
        standings.add_result(1, game(false), GameResult::Draw);
        assert_eq!(standings.tally(), (1, 1, 1));
        assert_eq!(standings.pairs().counts(), [0, 0, 0, 0, 1, 0]);
        standings.add_result(2, game(true), GameResult::Loss);
        assert_eq!(standings.pairs().counts(), [1, 0, 0, 0, 1, 0]);
        assert!(standings.progress(None).starts_with("+1 =1 -2"));
        assert!(standings.to_string().contains("1.5 points, 37.5 %"));
    }
}
