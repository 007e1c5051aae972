//! Who has how many points, and what that proves.

use std::{collections::BTreeMap, fmt, time::Duration};

use super::{
    game::Record,
    schedule::Fixture,
    stats::{Estimate, GameResult, Pairs, Sprt, Verdict},
};
use crate::board::Side;

/// The results of the games of each two engines.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    names: Vec<String>,
    meetings: BTreeMap<(usize, usize), Meeting>,
    /// By engine.
    conduct: Vec<Conduct>,
    /// What the games took beside the engines' thinking, and the moves in them.
    overhead: Duration,
    overhead_moves: u64,
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
            overhead: Duration::ZERO,
            overhead_moves: 0,
        }
    }

    /// Counts the result of game `number`, from 0, as White sees it.
    fn add_result(&mut self, number: usize, fixture: Fixture, white: GameResult) {
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

    /// Counts game `number`, from 0, with its times and faults.
    pub fn add(&mut self, number: usize, fixture: Fixture, record: &Record) {
        self.add_result(number, fixture, whites_result(record.winner));
        if let Some(overhead) = record.overhead {
            self.overhead += overhead;
            self.overhead_moves += record.moves.len() as u64;
        }
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

    /// Each engine's name, points and games, the most successful first.
    pub fn ranking(&self) -> Vec<(&str, f64, u64)> {
        let mut ranking: Vec<_> = self
            .names
            .iter()
            .map(|name| (name.as_str(), 0.0, 0))
            .collect();
        for (&(first, other), meeting) in &self.meetings {
            let games = meeting.games();
            for (index, points) in [
                (first, meeting.points()),
                (other, games as f64 - meeting.points()),
            ] {
                if let Some(entry) = ranking.get_mut(index) {
                    entry.1 += points;
                    entry.2 += games;
                }
            }
        }
        let share = |&(_, points, games): &(&str, f64, u64)| points / games.max(1) as f64;
        ranking.sort_by(|a, b| share(b).total_cmp(&share(a)));
        ranking
    }

    /// The engines that met, as indices, with wins, draws and losses of the
    /// first and its pairs.
    pub fn meetings(&self) -> impl Iterator<Item = ((usize, usize), (u64, u64, u64), Pairs)> {
        let meetings = self.meetings.iter();
        meetings.map(|(&engines, one)| (engines, (one.wins, one.draws, one.losses), one.pairs))
    }

    /// What an engine did, by its index: faults, moves, the time of all and of
    /// the slowest.
    pub fn conduct(&self, engine: usize) -> Option<(u64, u64, Duration, Duration)> {
        let one = self.conduct.get(engine)?;
        Some((one.faults, one.moves, one.time, one.slowest))
    }

    /// The mean time that a move took beside the engine's thinking, if it was measured.
    pub fn overhead(&self) -> Option<Duration> {
        let moves = u32::try_from(self.overhead_moves).ok()?;
        self.overhead.checked_div(moves)
    }

    /// One line for while the match goes on.
    pub fn progress(&self, sprt: Option<&Sprt>) -> String {
        let mut line = if self.names.len() == 2 {
            self.score_of_two()
        } else {
            let ranking = self.ranking().into_iter();
            let points = ranking.map(|(name, points, games)| format!("{name} {points}/{games}"));
            points.collect::<Vec<_>>().join(", ")
        };
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

impl Standings {
    fn score_of_two(&self) -> String {
        let (wins, draws, losses) = self.tally();
        let score = format!("+{wins} ={draws} -{losses}");
        match self.pairs().elo() {
            Some(Estimate { value, low, high }) if (high - low).is_finite() => {
                format!("{score}, Elo {value:+.1} ± {:.1}", (high - low) / 2.0)
            }
            Some(elo) => format!("{score}, Elo {:+.1}", elo.value),
            None => score,
        }
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
        if self.names.len() > 2 {
            self.write_ranking(f)?;
        }
        for (&(first, other), meeting) in &self.meetings {
            writeln!(f, "{} against {}", self.names[first], self.names[other])?;
            write!(f, "{meeting}")?;
        }
        for (name, conduct) in self.names.iter().zip(&self.conduct) {
            writeln!(f, "{name}: {conduct}")?;
        }
        if self.faults() > 0 {
            let (faults, games) = (self.faults(), self.games());
            writeln!(
                f,
                "{faults} of {games} games ended by a fault: the result is theirs too"
            )?;
        }
        if let Some(overhead) = self.overhead() {
            let milliseconds = 1000.0 * overhead.as_secs_f64();
            writeln!(
                f,
                "beside the engines' thinking {milliseconds:.3} ms a move"
            )?;
        }
        Ok(())
    }
}

impl Standings {
    fn write_ranking(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, points, games)) in (1..).zip(self.ranking()) {
            let share = 100.0 * points / games.max(1) as f64;
            writeln!(
                f,
                "{place}. {name}: {points:.1} points of {games}, {share:.1} %"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.games();
        let (wins, draws, losses) = (self.wins, self.draws, self.losses);
        let share = |part: f64| 100.0 * part / games.max(1) as f64;
        writeln!(
            f,
            "  {games} games: {wins} won, {draws} drawn, {losses} lost; {:.1} points, {:.1} %",
            self.points(),
            share(self.points())
        )?;
        let draw_ratio = share(draws as f64);
        writeln!(f, "  draws {draw_ratio:.1} %, wins:losses {wins}:{losses}")?;
        let [ll, ld, wl, dd, wd, ww] = self.pairs.counts();
        writeln!(
            f,
            "  pairs LL {ll}, LD {ld}, WL {wl}, DD {dd}, WD {wd}, WW {ww}"
        )?;
        write_estimate(f, "Elo", self.pairs.elo())?;
        write_estimate(f, "normalized Elo", self.pairs.normalized_elo())
    }
}

fn write_estimate(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    estimate: Option<Estimate>,
) -> fmt::Result {
    match estimate {
        Some(Estimate { value, low, high }) => {
            writeln!(
                f,
                "  {name} {value:+.1}, 95 % within {low:+.1} and {high:+.1}"
            )
        }
        None => writeln!(f, "  {name} unknown, since all pairs score the same"),
    }
}

impl fmt::Display for Conduct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = self.time.as_secs_f64() / self.moves.max(1) as f64;
        write!(
            f,
            "{} faults, {} moves, {:.1} ms a move, {:.1} ms at most",
            self.faults,
            self.moves,
            1000.0 * mean,
            1000.0 * self.slowest.as_secs_f64()
        )
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

    #[test]
    fn three_engines_are_ranked_by_their_share_of_the_points() {
        let mut standings = Standings::new(["A", "B", "C"].map(str::to_owned).to_vec());
        let game = |white, black| Fixture {
            white,
            black,
            opening: 0,
            first_is_white: true,
        };
        standings.add_result(0, game(0, 1), GameResult::Loss);
        standings.add_result(2, game(0, 2), GameResult::Draw);
        standings.add_result(4, game(1, 2), GameResult::Win);
        let ranking = [("B", 2.0, 2), ("A", 0.5, 2), ("C", 0.5, 2)];
        assert_eq!(standings.ranking(), ranking);
        assert_eq!(standings.progress(None), "B 2/2, A 0.5/2, C 0.5/2");
        let table = standings.to_string();
        assert!(table.starts_with("1. B: 2.0 points of 2, 100.0 %\n"));
        assert_eq!(table.matches(" against ").count(), 3);
    }
}
