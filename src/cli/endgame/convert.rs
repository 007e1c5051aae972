//! `manoury endgame convert`: won endings played out.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use rayon::prelude::*;

use super::{print, tables};
use crate::{
    bench::conversion::{self, Ending, Players},
    cli::{Failure, limit_option::seconds, progress::Gauge},
    endgame::{Tables, material::MAX_PIECES},
    notation::fen,
    rules::{Game, State},
    search::{Clock, Limits},
};

/// Have the engine play won endings out against itself.
///
/// Each ending that is not won is told with what became of it; the last line is
/// the sum. Ctrl-C ends it with the sum of what was played.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  manoury endgame convert --pieces 4 --positions 2000 --threads 2
  manoury endgame convert --pieces 5 --positions 500 --dir tables\n")]
pub(super) struct Arguments {
    /// How many pieces the endings have
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(2..=MAX_PIECES as i64))]
    pieces: u8,
    /// How many endings are played
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// A folder of tables beside those that are built in
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Seconds a move
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "0.02")]
    move_time: Duration,
    /// How many endings at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// What all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = Arc::new(tables(arguments.dir.as_ref())?);
    let (pieces, count) = (usize::from(arguments.pieces), arguments.positions as usize);
    if tables.pieces() < pieces {
        let known = tables.pieces();
        return Err(Failure::Usage(format!(
            "--pieces {pieces}: the tables are complete to {known} pieces"
        )));
    }
    let endings = conversion::endings(&tables, pieces, count, arguments.seed);
    let limits = Limits {
        clock: Clock::MoveTime(arguments.move_time),
        ..Limits::default()
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.into())
        .build()
        .map_err(|error| Failure::Job(format!("cannot start the threads: {error}")))?;
    let stop = crate::cli::interrupted_by_ctrl_c()?;
    let score = Mutex::new(Score::new(endings.len() as u64));
    pool.install(|| play_all(&tables, &endings, &limits, stop, &score))?;
    let score = score.into_inner().unwrap_or_else(PoisonError::into_inner);
    drop(score.gauge);
    print(&format!(
        "{} of {} converted, the longest in {} plies",
        score.converted, score.played, score.longest
    ))?;
    match score.played - score.converted {
        0 => Ok(()),
        left => Err(Failure::Job(format!("{left} endings were not won"))),
    }
}

fn play_all(
    tables: &Arc<Tables>,
    endings: &[Ending],
    limits: &Limits,
    stop: &AtomicBool,
    score: &Mutex<Score>,
) -> Result<(), Failure> {
    endings.par_iter().try_for_each_init(
        || Players::new(tables),
        |players, ending| {
            if stop.load(Relaxed) {
                return Ok(());
            }
            let failed = |error: &dyn std::fmt::Display| Failure::Job(error.to_string());
            let players = players.as_mut().map_err(|error| failed(error))?;
            let game = players.play(ending, limits);
            let game = game.ok_or_else(|| failed(&"a search found no move"))?;
            let mut score = score.lock().unwrap_or_else(PoisonError::into_inner);
            score.add(ending, &game)
        },
    )
}

/// What became of the endings so far.
struct Score {
    played: u64,
    converted: u64,
    /// The most plies that a win took.
    longest: usize,
    gauge: Gauge,
}

impl Score {
    /// The time between two lines of progress.
    const INTERVAL: Duration = Duration::from_secs(30);

    fn new(endings: u64) -> Score {
        Score {
            played: 0,
            converted: 0,
            longest: 0,
            gauge: Gauge::new("ending", Some(endings), Self::INTERVAL),
        }
    }

    fn add(&mut self, ending: &Ending, game: &Game) -> Result<(), Failure> {
        self.played += 1;
        if ending.is_converted(game) {
            self.converted += 1;
            self.longest = self.longest.max(game.moves().len());
        } else {
            let line = missed(ending, game);
            self.gauge.suspend(|| print(&line))?;
        }
        let left = self.gauge.time_left(0, self.played);
        let converted = self.converted;
        self.gauge
            .show(self.played, || format!("{converted} converted{left}"));
        Ok(())
    }
}

/// `W:WK1:BK50 should be won by white: draw (repetition) after 80 plies`.
fn missed(ending: &Ending, game: &Game) -> String {
    let end = match game.state() {
        State::Draw(rule) => format!("draw ({rule})"),
        State::InPlay | State::Won { .. } => "lost".to_owned(),
    };
    format!(
        "{} should be won by {}: {end} after {} plies",
        fen::write(&ending.position),
        ending.winner,
        game.moves().len()
    )
}
