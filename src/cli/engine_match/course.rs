//! A match while it is played: what is counted, kept and shown.

use std::{
    collections::HashSet,
    io::{self, Write},
    ops::ControlFlow,
    time::Duration,
};

use serde_json::Value;

use super::game_file::GameFile;
use crate::{
    arena::{
        game::Record,
        report,
        standings::{Standings, verdict_text},
        stats::{Sprt, Verdict},
        tournament::Tournament,
    },
    cli::{Failure, complain, progress::Gauge},
};

/// A match and how it stands.
pub(super) struct Course<'a> {
    tournament: &'a Tournament<'a>,
    names: Vec<String>,
    standings: Standings,
    sprt: Option<Sprt>,
    /// What the JSON report tells of each game, if there is to be one.
    games: Option<Vec<Value>>,
    file: Option<GameFile>,
    /// Why the file could not be written.
    failure: Option<Failure>,
    /// How many games were over when the match began.
    before: u64,
    gauge: Gauge,
}

impl<'a> Course<'a> {
    /// The time between two lines of progress.
    const INTERVAL: Duration = Duration::from_secs(10);

    /// A match in which the games `played` are over already; those to come go
    /// into `file`.
    pub(super) fn new(
        tournament: &'a Tournament,
        sprt: Option<Sprt>,
        file: Option<GameFile>,
        played: &[(usize, Record)],
        shown_games: Option<usize>,
        is_reported: bool,
    ) -> Course<'a> {
        let names = tournament.contestants.iter();
        let names: Vec<String> = names.map(|one| one.engine.name.clone()).collect();
        let mut course = Course {
            tournament,
            standings: Standings::new(names.clone()),
            names,
            sprt,
            games: is_reported.then(Vec::new),
            file,
            failure: None,
            before: played.len() as u64,
            gauge: Gauge::new(
                "game",
                shown_games.map(|games| games as u64),
                Self::INTERVAL,
            ),
        };
        for (number, record) in played {
            course.count(*number, record);
        }
        course
    }

    /// Plays on to the end of the match or of its test, or until `interrupted` is set.
    pub(super) fn run(
        &mut self,
        played: &HashSet<usize>,
        interrupted: &std::sync::atomic::AtomicBool,
    ) {
        if !self.is_decided() {
            let tournament = self.tournament;
            tournament.run(played, interrupted, |number, _, record| {
                self.note(number, &record)
            });
        }
    }

    /// Notes the end of a game, and says whether the match goes on.
    fn note(&mut self, number: usize, record: &Record) -> ControlFlow<()> {
        if let Some(file) = &mut self.file
            && let Err(failure) = file.add(self.tournament, number, record)
        {
            self.failure = Some(failure);
            return ControlFlow::Break(());
        }
        self.count(number, record);
        if record.end.is_fault() {
            let line = format!("game {}: {}", number + 1, record.end);
            self.gauge.suspend(|| complain(&line));
        }
        self.show();
        match self.is_decided() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn show(&mut self) {
        let played = self.standings.games();
        let left = self.gauge.time_left(self.before, played);
        let (standings, sprt) = (&self.standings, self.sprt.as_ref());
        let line = || standings.progress(sprt) + &left;
        self.gauge.show(played, line);
    }

    fn count(&mut self, number: usize, record: &Record) {
        if let Some(fixture) = self.tournament.schedule.fixture(number) {
            self.standings.add(number, fixture, record);
            if let Some(games) = &mut self.games {
                games.push(report::game(number, fixture, record, &self.names));
            }
        }
    }

    fn is_decided(&self) -> bool {
        let pairs = self.standings.pairs();
        let verdict = self.sprt.map(|sprt| sprt.verdict(&pairs));
        matches!(verdict, Some(Verdict::H0 | Verdict::H1))
    }

    /// Whether there is nothing left to play.
    pub(super) fn is_complete(&self) -> bool {
        self.is_decided() || self.standings.games() >= self.tournament.schedule.len() as u64
    }

    /// How many games were counted.
    pub(super) fn games(&self) -> u64 {
        self.standings.games()
    }

    /// The table at the end.
    pub(super) fn print_result(&self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        write!(out, "{}", self.standings)?;
        if let Some(sprt) = &self.sprt {
            writeln!(out, "{}", verdict_text(sprt, &self.standings.pairs()))?;
        }
        Ok(())
    }

    /// The report for other programs.
    pub(super) fn json(&self, settings: Value) -> Vec<u8> {
        let contestants = self.tournament.contestants;
        let mut report = report::summary(&self.standings, contestants, self.sprt.as_ref());
        report["settings"] = settings;
        report["complete"] = Value::from(self.is_complete());
        report["results"] = Value::from(self.games.clone());
        format!("{report:#}\n").into_bytes()
    }

    /// Why the games could not be kept, if so.
    pub(super) fn into_failure(self) -> Option<Failure> {
        self.failure
    }
}
