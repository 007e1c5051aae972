//! `manoury match`: matches and tournaments between engines.

mod course;
mod engine_option;
mod game_file;
mod test_option;

use std::{
    collections::HashSet,
    num::NonZero,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    Failure, complain,
    limit_option::{clock, men, milliseconds, seconds},
    opening_file,
    output_file::OutputFile,
};
use crate::{
    arena::{
        clock::TimeControl,
        game::{Adjudication, Agreement},
        openings::{self, Opening},
        schedule::{Format, Schedule},
        stats::Sprt,
        tournament::{Contestant, Tournament},
    },
    endgame::Tables,
    notation::excerpt,
    search::TableError,
};
use course::Course;
use engine_option::EngineOption;
use game_file::GameFile;

/// Play engines against each other, with our rules as the judge
///
/// Two engines play a match, more a round robin or a gauntlet. Games come in
/// pairs: the same opening with exchanged colours. An engine that dies, hangs,
/// oversteps its time or plays an illegal move loses that game and is started
/// afresh; the match goes on.
///
/// An engine is described as `name=Old cmd='./old hub' threads=1 tt-size=22`:
/// `name` and `cmd` (this program, if left out), `dir` (the folder it runs in),
/// `time-scale` (0.125 gives it an eighth of the time); all else are
/// parameters that are set with the Hub protocol's set-param. Without a limit
/// an engine has 0.1 seconds a move.
///
/// While it plays, a line on stderr shows the score of the first engine, Elo,
/// the test's log-likelihood ratio (LLR) with its bounds, faults and the time
/// left; at the end a table is printed. With --pdn the games are kept, and the
/// same call goes on where a match was broken off.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  manoury match --engine name=New --engine \"name=Old cmd='./old hub'\" \\
      --move-time 0.1 --openings 3-ply --sprt elo0=0 elo1=10
  manoury match --engine name=A --engine 'name=B time-scale=0.5' \\
      --clock 10+0.1 --games 158 --concurrency 2 --pdn games.pdn --json result.json

The end of the table reads, for two engines:
  pairs LL 1, LD 9, …: how many pairs of games the first lost both of, lost and drew, …
  Elo: of the logistic curve; normalized Elo: in units of a game's standard deviation
  beside the engines' thinking: what the match itself took, start of engines not counted

A match goes on from --pdn if engines, limits, openings and seed are the same; that a
program was built anew is not seen. Ended by Ctrl-C it exits with code 1.

RUST_LOG=trace shows every line to and from the engines.\n")]
pub(super) struct Arguments {
    /// An engine: `name=N cmd='PROGRAM ARGUMENTS' PARAMETER=VALUE…`; at least twice
    #[arg(long = "engine", value_name = "SPEC", required = true)]
    engines: Vec<EngineOption>,
    /// Who meets whom, if there are more than two
    #[arg(long, value_enum, default_value_t = FormatOption::RoundRobin)]
    format: FormatOption,

    /// Seconds a move
    #[arg(long, value_name = "S", group = "limit", value_parser = seconds)]
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
    /// By how many milliseconds a move may be late before it loses the game;
    /// a machine that does other things too needs more
    #[arg(long, value_name = "MS", default_value = "20", value_parser = milliseconds)]
    margin: Duration,

    /// `2-ply` or `3-ply` ballots, `random:PLIES`, or a file: PDN, or a FEN a line
    #[arg(long, value_name = "KIND|FILE", default_value = "2-ply")]
    openings: String,
    /// How many plies of each game of a PDN file are the opening [default: all]
    #[arg(long, value_name = "N")]
    opening_plies: Option<usize>,
    /// The most that a search may find an opening to be decided by, in men (3-ply, random)
    #[arg(long, value_name = "MEN", default_value = "0.5", value_parser = men)]
    balance: f64,
    /// How many games each two engines play, an even number [default: every
    /// opening twice; with --sprt, as many as the test needs]
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// The order of the openings, and the moves of random ones
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
    #[arg(long, value_name = "MEN", value_parser = men)]
    adjudicate_win: Option<f64>,
    /// Draw a game after 80 plies if both engines see less than this, 20 plies in a row
    #[arg(long, value_name = "MEN", value_parser = men)]
    adjudicate_draw: Option<f64>,

    /// End a game whose result the built-in endgame tables know: up to 4 pieces
    #[arg(long)]
    adjudicate_tables: bool,

    /// Keep the games as PDN, each complete on disk when it ends, with score,
    /// depth and time of each move; go on with a match whose games are there
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
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

/// How many games two engines may play.
const MOST_GAMES: usize = 1_000_000_000;

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    super::start_log("warn");
    let contestants = arguments.contestants(arguments.control())?;
    let sprt = arguments.sprt(contestants.len())?;
    arguments.check_games()?;
    let interrupted = super::interrupted_by_ctrl_c()?;
    let openings = arguments.openings()?;
    let json = arguments.json.as_deref().map(OutputFile::create);
    let json = json.transpose()?;
    let schedule = arguments.schedule(openings.len());
    let tournament = Tournament {
        contestants: &contestants,
        openings: &openings,
        schedule: &schedule,
        adjudication: arguments.adjudication(),
        margin: arguments.margin,
        concurrency: arguments.concurrency.into(),
    };
    let file = arguments
        .pdn
        .as_deref()
        .map(|path| GameFile::open(path, &tournament));
    let (file, played) = file.transpose()?.unzip();
    if let (Some(file), Some(json)) = (&file, &json)
        && file.is_at(json.path())
    {
        return usage("--pdn and --json name the same file");
    }
    let played = played.unwrap_or_default();
    if !played.is_empty() {
        complain(&format!("going on after {} games", played.len()));
    }

    tournament
        .check_engines(interrupted)
        .map_err(|(name, fault)| Failure::Job(format!("engine {}: {fault}", excerpt(&name))))?;
    arguments.warn_of_few_cores();
    let shown_games = arguments.is_counted().then_some(schedule.len());
    let mut course = Course::new(
        &tournament,
        sprt,
        file,
        &played,
        shown_games,
        json.is_some(),
    );
    let numbers: HashSet<usize> = played.iter().map(|(number, _)| *number).collect();
    course.run(&numbers, interrupted);
    let reported = json.map_or(Ok(()), |file| {
        file.finish(&course.json(arguments.settings()))
    });
    let printed = course.print_result();
    reported.and(printed)?;
    arguments.end(course)
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

    fn check_games(&self) -> Result<(), Failure> {
        match self.games {
            Some(games) if games == 0 || games % 2 == 1 => {
                usage(format!("--games {games}: games are played in pairs"))
            }
            Some(games) if games > MOST_GAMES => {
                usage(format!("--games {games}: {MOST_GAMES} at the most"))
            }
            _ => Ok(()),
        }
    }

    fn openings(&self) -> Result<Vec<Opening>, Failure> {
        let margin = (self.balance * 100.0) as i32;
        let job = |error: TableError| Failure::Job(error.to_string());
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
                None => self.openings_of_file(kind)?,
            },
        };
        match openings.is_empty() {
            true => usage(format!(
                "--openings {}: none is left within --balance {}",
                excerpt(&self.openings),
                self.balance
            )),
            false => Ok(openings),
        }
    }

    fn openings_of_file(&self, file: &str) -> Result<Vec<Opening>, Failure> {
        if !Path::new(file).exists() {
            let file = excerpt(file);
            return usage(format!(
                "--openings {file}: there is no such file, and no kind but 2-ply, 3-ply and random:PLIES"
            ));
        }
        opening_file::read(file.as_ref(), self.opening_plies.unwrap_or(usize::MAX))
            .map_err(|reason| Failure::Usage(format!("--openings {reason}")))
    }

    fn schedule(&self, openings: usize) -> Schedule {
        let pairs = match self.games {
            Some(games) => games / 2,
            None if self.is_counted() => openings,
            None => MOST_GAMES / 2,
        };
        let format = match self.format {
            FormatOption::RoundRobin => Format::RoundRobin,
            FormatOption::Gauntlet => Format::Gauntlet,
        };
        Schedule::new(format, self.engines.len(), openings, pairs, self.seed)
    }

    /// Whether it is known how many games there are at the most.
    fn is_counted(&self) -> bool {
        self.games.is_some() || self.sprt.is_empty()
    }

    /// Games that share a core are slower than their clocks are meant for.
    fn warn_of_few_cores(&self) {
        let threads = self
            .engines
            .iter()
            .map(EngineOption::threads)
            .max()
            .unwrap_or(1);
        let wanted = usize::from(self.concurrency).saturating_mul(threads);
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        if wanted > cores {
            complain(&format!(
                "{wanted} threads are to think at a time on {cores} cores"
            ));
        }
    }

    /// What is to be said if the match did not come to its end.
    fn end(&self, course: Course) -> Result<(), Failure> {
        let (games, is_complete) = (course.games(), course.is_complete());
        if let Some(failure) = course.into_failure() {
            return Err(failure);
        }
        if is_complete {
            return Ok(());
        }
        let again = match self.pdn {
            Some(_) => "; the same call goes on with the match",
            None => "",
        };
        Err(Failure::Job(format!(
            "interrupted after {games} games{again}"
        )))
    }

    /// What the JSON report tells of the call.
    fn settings(&self) -> Value {
        json!({
            "manoury": env!("CARGO_PKG_VERSION"),
            "openings": self.openings,
            "opening_plies": self.opening_plies,
            "balance": self.balance,
            "seed": self.seed,
            "games": self.games,
            "margin": self.margin.as_secs_f64(),
            "concurrency": self.concurrency,
            "adjudicate_win": self.adjudicate_win,
            "adjudicate_draw": self.adjudicate_draw,
            "adjudicate_tables": self.adjudicate_tables,
        })
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
            tables: self.adjudicate_tables.then(|| Arc::new(Tables::built_in())),
        }
    }

    fn sprt(&self, engines: usize) -> Result<Option<Sprt>, Failure> {
        match (self.sprt.is_empty(), engines) {
            (true, _) => Ok(None),
            (false, 2) => test_option::read(&self.sprt).map(Some),
            (false, _) => usage("--sprt compares two engines, no more"),
        }
    }
}

fn usage<T>(text: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Usage(text.into()))
}
