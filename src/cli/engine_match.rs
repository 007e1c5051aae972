//! `manoury match`: matches and tournaments between engines.

mod engine_option;

use std::{
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    path::PathBuf,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::{Failure, complain, output_file::OutputFile};
use crate::{
    arena::{
        clock::TimeControl,
        game::{Adjudication, Agreement, Record},
        openings::{self, Opening},
        report,
        schedule::{Fixture, Format, Schedule},
        standings::{Standings, verdict_text},
        stats::{Model, Sprt, Verdict},
        tournament::{Contestant, Tournament},
    },
    notation::{excerpt, fen},
};
use engine_option::EngineOption;

/// Play engines against each other, with our rules as the judge.
///
/// Two engines play a match, more a round robin or a gauntlet. Games come in
/// pairs: the same opening with exchanged colours. An engine that dies, hangs,
/// oversteps its time or plays an illegal move loses that game and is started
/// afresh; the match goes on.
///
/// An engine is described as `name=Old cmd='./old hub' threads=1 tt-size=22`:
/// `name` and `cmd` (this program, if left out), `dir` (the folder it runs in),
/// `time-scale` (0.125 gives it an eighth of the time); all else are
/// parameters that are set with the Hub protocol's set-param.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  manoury match --engine name=New --engine \"name=Old cmd='./old hub'\" \\
      --move-time 0.1 --openings 3-ply --sprt elo0=0 elo1=10
  manoury match --engine name=A --engine 'name=B time-scale=0.5' --nodes 1000 --games 158\n")]
pub(super) struct Arguments {
    /// An engine: `name=N cmd='PROGRAM ARGUMENTS' PARAMETER=VALUE…`; at least twice
    #[arg(long = "engine", value_name = "SPEC", required = true)]
    engines: Vec<EngineOption>,
    /// Who meets whom, if there are more than two
    #[arg(long, value_enum, default_value_t = FormatOption::RoundRobin)]
    format: FormatOption,

    /// Seconds a move
    #[arg(long, value_name = "S", group = "limit", value_parser = positive_seconds)]
    move_time: Option<Duration>,
    /// Plies a move
    #[arg(long, value_name = "D", group = "limit", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Nodes a move
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// A clock: seconds for the game, or for MOVES moves, and the increment
    #[arg(long, value_name = "[MOVES/]S[+INC]", group = "limit", value_parser = clock)]
    clock: Option<TimeControl>,
    /// By how many milliseconds a move may be late
    #[arg(long, value_name = "MS", default_value_t = 20)]
    margin: u64,

    /// `2-ply` or `3-ply` ballots, `random:PLIES`, or a file of FENs
    #[arg(long, value_name = "KIND|FILE", default_value = "2-ply")]
    openings: String,
    /// The most that a search may find an opening to be decided by, in men (3-ply, random)
    #[arg(long, value_name = "MEN", default_value_t = 0.5)]
    balance: f64,
    /// How many games each two engines play, an even number [default: every
    /// opening twice; with --sprt, as many as the test needs]
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// The order of the openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many games at a time; each needs a core for every thread of an engine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,

    /// End as soon as a test is decided: `elo0=0 elo1=10 alpha=0.05 beta=0.05
    /// model=normalized` (or logistic)
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..=5)]
    sprt: Vec<String>,
    /// Give a game to a side that both engines put this many men ahead, 6 plies in a row
    #[arg(long, value_name = "MEN")]
    adjudicate_win: Option<f64>,
    /// Draw a game after 80 plies if both engines see less than this, 20 plies in a row
    #[arg(long, value_name = "MEN")]
    adjudicate_draw: Option<f64>,

    /// Write the results as JSON when the match ends
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FormatOption {
    /// Everybody meets everybody
    RoundRobin,
    /// The first engine meets everybody else
    Gauntlet,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let contestants = arguments.contestants(arguments.control())?;
    let sprt = arguments.sprt()?;
    if sprt.is_some() && contestants.len() != 2 {
        return usage("--sprt compares two engines, no more");
    }
    let openings = arguments.openings()?;
    let schedule = arguments.schedule(openings.len(), sprt.is_some())?;
    let json = arguments.json.as_deref().map(OutputFile::create);
    let json = json.transpose()?;
    let tournament = Tournament {
        contestants: &contestants,
        openings: &openings,
        schedule: &schedule,
        adjudication: arguments.adjudication(),
        margin: Duration::from_millis(arguments.margin),
        concurrency: arguments.concurrency.into(),
    };
    let mut course = Course::new(&contestants, sprt, schedule.len());
    let interrupted = super::interrupted_by_ctrl_c()?;
    tournament.run(&[], interrupted, |number, fixture, record| {
        course.note(number, fixture, &record)
    });
    course.display.finish();
    course.print_result()?;
    match json {
        Some(file) => file.finish(&course.json()),
        None => Ok(()),
    }
}

/// A match while it is played.
struct Course {
    names: Vec<String>,
    standings: Standings,
    sprt: Option<Sprt>,
    /// What the JSON report tells of each game.
    games: Vec<Value>,
    display: Display,
}

impl Course {
    fn new(contestants: &[Contestant], sprt: Option<Sprt>, games: usize) -> Course {
        let names = contestants.iter().map(|one| one.engine.name.clone());
        let names: Vec<String> = names.collect();
        Course {
            standings: Standings::new(names.clone()),
            names,
            sprt,
            games: Vec::new(),
            display: Display::new(games),
        }
    }

    /// Notes the end of a game, and says whether the match goes on.
    fn note(&mut self, number: usize, fixture: Fixture, record: &Record) -> ControlFlow<()> {
        self.standings.add(number, fixture, record);
        let game = report::game(number, fixture, record, &self.names);
        self.games.push(game);
        if record.end.is_fault() {
            self.display.report_fault(number, record);
        }
        self.display.update(&self.standings, self.sprt.as_ref());
        let pairs = self.standings.pairs();
        match self.sprt.map(|sprt| sprt.verdict(&pairs)) {
            Some(Verdict::H0 | Verdict::H1) => ControlFlow::Break(()),
            Some(Verdict::Undecided) | None => ControlFlow::Continue(()),
        }
    }

    fn print_result(&self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        write!(out, "{}", self.standings)?;
        if let Some(sprt) = &self.sprt {
            writeln!(out, "{}", verdict_text(sprt, &self.standings.pairs()))?;
        }
        Ok(())
    }

    fn json(&self) -> Vec<u8> {
        let mut report = report::summary(&self.standings, self.sprt.as_ref());
        report["engines"] = Value::from(self.names.clone());
        report["results"] = Value::from(self.games.clone());
        format!("{report:#}\n").into_bytes()
    }
}

impl Arguments {
    fn control(&self) -> TimeControl {
        let by_time = self.move_time.map(TimeControl::MoveTime);
        let by_depth = self.depth.map(TimeControl::Depth);
        let by_nodes = self.nodes.map(TimeControl::Nodes);
        let limit = by_time.or(by_depth).or(by_nodes).or(self.clock);
        limit.unwrap_or(TimeControl::MoveTime(Duration::from_millis(100)))
    }

    fn contestants(&self, control: TimeControl) -> Result<Vec<Contestant>, Failure> {
        if self.engines.len() < 2 {
            return usage("a match needs --engine twice");
        }
        let mut contestants: Vec<Contestant> = Vec::new();
        for option in &self.engines {
            let contestant = option.contestant(control)?;
            let name = &contestant.engine.name;
            if contestants.iter().any(|other| other.engine.name == *name) {
                return usage(format!("two engines have the name {}", excerpt(name)));
            }
            contestants.push(contestant);
        }
        Ok(contestants)
    }

    fn openings(&self) -> Result<Vec<Opening>, Failure> {
        let margin = (self.balance * 100.0) as i32;
        let job = |error: crate::search::TableError| Failure::Job(error.to_string());
        let openings = match self.openings.as_str() {
            "2-ply" => openings::two_ply_ballots(),
            "3-ply" => openings::three_ply_ballots(margin).map_err(job)?,
            kind => match kind.strip_prefix("random:") {
                Some(plies) => {
                    let plies = plies.parse().ok().filter(|plies| (1..=60).contains(plies));
                    let Some(plies) = plies else {
                        return usage(format!("--openings {}: 1 to 60 plies", excerpt(kind)));
                    };
                    let count = self.games.unwrap_or(1000).div_ceil(2).min(5000);
                    openings::random(count, plies, margin, self.seed).map_err(job)?
                }
                None => read_openings(kind)?,
            },
        };
        if openings.is_empty() {
            return usage(format!(
                "--openings {}: there are none",
                excerpt(&self.openings)
            ));
        }
        Ok(openings)
    }

    fn schedule(&self, openings: usize, has_test: bool) -> Result<Schedule, Failure> {
        let pairs = match self.games {
            Some(games) if games == 0 || games % 2 == 1 => {
                return usage(format!("--games {games}: games are played in pairs"));
            }
            Some(games) => games / 2,
            None if has_test => 1_000_000,
            None => openings,
        };
        let format = match self.format {
            FormatOption::RoundRobin => Format::RoundRobin,
            FormatOption::Gauntlet => Format::Gauntlet,
        };
        let engines = self.engines.len();
        Ok(Schedule::new(format, engines, openings, pairs, self.seed))
    }

    fn adjudication(&self) -> Adjudication {
        let agreement = |plies, from_ply| {
            move |score| Agreement {
                score,
                plies,
                from_ply,
            }
        };
        Adjudication {
            win: self.adjudicate_win.map(agreement(6, 0)),
            draw: self.adjudicate_draw.map(agreement(20, 80)),
        }
    }

    fn sprt(&self) -> Result<Option<Sprt>, Failure> {
        if self.sprt.is_empty() {
            return Ok(None);
        }
        let mut sprt = Sprt {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Normalized,
        };
        for item in self.sprt.iter().flat_map(|items| items.split_whitespace()) {
            set_sprt(&mut sprt, item)
                .map_err(|reason| Failure::Usage(format!("--sprt {}: {reason}", excerpt(item))))?;
        }
        if sprt.elo0 >= sprt.elo1 {
            return usage("--sprt: elo1 must be above elo0");
        }
        Ok(Some(sprt))
    }
}

fn usage<T>(text: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Usage(text.into()))
}

/// One `key=value` of a test.
fn set_sprt(sprt: &mut Sprt, item: &str) -> Result<(), &'static str> {
    let (key, value) = item.split_once('=').ok_or("it is no key=value")?;
    let number = || value.parse().ok().filter(|number: &f64| number.is_finite());
    let elo = || number().ok_or("the value is no number");
    let chance = || {
        let chance = number().filter(|chance| *chance > 0.0 && *chance < 0.5);
        chance.ok_or("the value must lie between 0 and 0.5")
    };
    match key {
        "elo0" => sprt.elo0 = elo()?,
        "elo1" => sprt.elo1 = elo()?,
        "alpha" => sprt.alpha = chance()?,
        "beta" => sprt.beta = chance()?,
        "model" => {
            sprt.model = match value {
                "normalized" => Model::Normalized,
                "logistic" => Model::Logistic,
                _ => return Err("the model is normalized or logistic"),
            }
        }
        _ => return Err("known are elo0, elo1, alpha, beta and model"),
    }
    Ok(())
}

/// A file with a FEN a line; `#` begins a comment, `|` ends the FEN.
fn read_openings(file: &str) -> Result<Vec<Opening>, Failure> {
    let path = PathBuf::from(file);
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::Usage(format!("--openings {}: {error}", excerpt(file))))?;
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let fen_text = line.split(['#', '|']).next().unwrap_or_default().trim();
        if fen_text.is_empty() {
            continue;
        }
        let position = fen::read(fen_text).map_err(|error| {
            Failure::Usage(format!("{}, line {number}: {error}", path.display()))
        })?;
        openings.push(Opening::set_up(position));
    }
    Ok(openings)
}

fn positive_seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| !time.is_zero());
    time.ok_or_else(|| "not a number of seconds above 0".to_owned())
}

/// `60`, `60+0.5`, `40/60`, `40/60+0.5`.
fn clock(text: &str) -> Result<TimeControl, String> {
    let (moves, time) = match text.split_once('/') {
        Some((moves, time)) => (Some(moves), time),
        None => (None, text),
    };
    let moves = moves.map(|moves| {
        let number = moves.parse().ok().filter(|moves| *moves > 0);
        number.ok_or_else(|| format!("{} is not a number of moves", excerpt(moves)))
    });
    let (base, increment) = time.split_once('+').unwrap_or((time, ""));
    let increment = match increment {
        "" | "0" => Duration::ZERO,
        text => positive_seconds(text)?,
    };
    Ok(TimeControl::Clock {
        base: positive_seconds(base)?,
        increment,
        moves: moves.transpose()?,
    })
}

/// Shows on stderr how the match stands: a bar on a terminal, else a line now and then.
struct Display {
    bar: Option<ProgressBar>,
    begin: Instant,
    last: std::cell::Cell<Instant>,
    games: usize,
}

impl Display {
    /// The time between two lines.
    const INTERVAL: Duration = Duration::from_secs(10);

    fn new(games: usize) -> Display {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(games as u64);
            let template = "game {pos} of {len} [{bar:20}] {msg}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Display {
            bar,
            begin: Instant::now(),
            last: std::cell::Cell::new(Instant::now()),
            games,
        }
    }

    fn update(&self, standings: &Standings, sprt: Option<&Sprt>) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(standings.games());
                bar.set_message(standings.progress(sprt));
            }
            None if self.last.get().elapsed() >= Self::INTERVAL => {
                self.last.set(Instant::now());
                let played = standings.games();
                let left = self.begin.elapsed().as_secs_f64() / played.max(1) as f64
                    * (self.games as f64 - played as f64);
                let score = standings.progress(sprt);
                complain(&format!(
                    "game {played} of {}: {score}, about {left:.0} s left",
                    self.games
                ));
            }
            None => {}
        }
    }

    fn report_fault(&self, number: usize, record: &Record) {
        let line = format!("game {}: {}", number + 1, record.end);
        match &self.bar {
            Some(bar) => bar.println(line),
            None => complain(&line),
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
