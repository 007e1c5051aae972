//! A match while it is played: what is counted, kept and shown.

use std::{
    collections::HashSet,
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
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
    cli::{Failure, complain},
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
    display: Display,
}

impl<'a> Course<'a> {
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
            display: Display::new(played.len() as u64, shown_games),
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
        self.display.finish();
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
            self.display.report_fault(number, record);
        }
        self.display.update(&self.standings, self.sprt.as_ref());
        match self.is_decided() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
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

/// Shows on stderr how the match stands: a bar on a terminal, else a line now and then.
struct Display {
    bar: Option<ProgressBar>,
    begin: Instant,
    last: Instant,
    /// The games that were over when the match began.
    before: u64,
    /// How many there are; unknown if a test decides.
    games: Option<usize>,
}

impl Display {
    /// The time between two lines.
    const INTERVAL: Duration = Duration::from_secs(10);

    fn new(before: u64, games: Option<usize>) -> Display {
        let now = Instant::now();
        Display {
            bar: io::stderr().is_terminal().then(|| bar(games)),
            begin: now,
            last: now,
            before,
            games,
        }
    }

    fn update(&mut self, standings: &Standings, sprt: Option<&Sprt>) {
        let is_due = self.bar.is_some() || self.last.elapsed() >= Self::INTERVAL;
        if !is_due {
            return;
        }
        self.last = Instant::now();
        let played = standings.games();
        let mut line = standings.progress(sprt);
        if let Some(left) = self.time_left(played) {
            line += &format!(", about {} left", indicatif::HumanDuration(left));
        }
        match (&self.bar, self.games) {
            (Some(bar), _) => {
                bar.set_position(played);
                bar.set_message(line);
            }
            (None, Some(games)) => complain(&format!("game {played} of {games}: {line}")),
            (None, None) => complain(&format!("game {played}: {line}")),
        }
    }

    fn time_left(&self, played: u64) -> Option<Duration> {
        let left = (self.games? as u64).saturating_sub(played) as f64;
        let each = self.begin.elapsed().as_secs_f64() / (played - self.before).max(1) as f64;
        Duration::try_from_secs_f64((left * each).round()).ok()
    }

    fn report_fault(&self, number: usize, record: &Record) {
        let line = format!("game {}: {}", number + 1, record.end);
        match &self.bar {
            Some(bar) => bar.suspend(|| complain(&line)),
            None => complain(&line),
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(games: Option<usize>) -> ProgressBar {
    let (bar, template) = match games {
        Some(games) => (
            ProgressBar::new(games as u64),
            "game {pos} of {len} [{bar:20}] {wide_msg}",
        ),
        None => (ProgressBar::no_length(), "game {pos} {spinner} {wide_msg}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
