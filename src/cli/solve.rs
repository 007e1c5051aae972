//! `manoury solve`: test positions with known best moves.

use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

use super::{Failure, limit_option::seconds};
use crate::{
    bench::tactics::{self, Task},
    notation::{fen, move_text},
    search::{Clock, Engine, Limits, Purpose},
};

/// Search positions with known best moves and count those that are found
///
/// A row of FILE is `FEN | moves | remark`, each of the moves being right. A
/// position that is missed is told with what was played instead; the last line
/// is the sum.
#[derive(clap::Args)]
#[command(after_help = "Example:
  manoury solve tests/cases/tactics.txt --move-time 0.3\n")]
pub(super) struct Arguments {
    /// The positions
    file: PathBuf,

    /// Seconds a position
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "0.3")]
    move_time: Duration,

    /// Nodes a position, however long they take
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "move_time")]
    nodes: Option<u64>,

    /// How many threads search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), default_value_t = 1)]
    threads: u16,

    /// The table's size: 2^N entries of 16 bytes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=34), default_value_t = 20)]
    tt_size: u32,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = arguments.file.display();
    let text = fs::read_to_string(&arguments.file)
        .map_err(|error| Failure::Usage(format!("{file}: {error}")))?;
    let tasks = tactics::read(&text).map_err(|error| Failure::Usage(format!("{file}: {error}")))?;
    if tasks.is_empty() {
        return Err(Failure::Usage(format!("{file}: no positions")));
    }
    let mut engine = Engine::new(arguments.threads.into(), arguments.tt_size)
        .map_err(|error| Failure::Job(error.to_string()))?;
    let limits = Limits {
        nodes: arguments.nodes,
        clock: match arguments.nodes {
            Some(_) => Clock::Infinite,
            None => Clock::MoveTime(arguments.move_time),
        },
        purpose: Purpose::Analyse,
        ..Limits::default()
    };
    solve(&tasks, &mut engine, &limits, &mut io::stdout().lock())
}

fn solve(
    tasks: &[Task],
    engine: &mut Engine,
    limits: &Limits,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut solved = 0;
    for (number, task) in (1..).zip(tasks) {
        let outcome = task
            .attempt(engine, limits.clone())
            .ok_or_else(|| Failure::Job("the search got no thread".to_owned()))?;
        if outcome.best.is_some_and(|mv| task.is_solved_by(mv)) {
            solved += 1;
            continue;
        }
        let text = |&mv| move_text::hub(&task.position, mv);
        let played = outcome.best.as_ref().map_or_else(|| "-".to_owned(), text);
        let solutions: Vec<String> = task.solutions.iter().map(text).collect();
        writeln!(
            out,
            "{number:>5} missed: {played} ({}, depth {}) instead of {}  {}",
            outcome.score,
            outcome.depth,
            solutions.join(" or "),
            fen::write(&task.position),
        )?;
    }
    let share = 100.0 * f64::from(solved) / tasks.len() as f64;
    writeln!(out, "solved {solved} of {}, {share:.1} %", tasks.len())?;
    Ok(())
}
