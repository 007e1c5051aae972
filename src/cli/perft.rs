//! `manoury perft`: counting the move tree, and suites of known counts.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::{Duration, Instant},
};

use super::{
    Failure,
    progress::{self, Gauge},
};
use crate::{
    board::Position,
    notation::{excerpt, fen, move_text},
    perft::{
        CountError, Counter, MAX_DEPTH, Monitor, Options, Progress,
        suite::{self, Mismatch, Row},
    },
};

/// Count the ways to play so many plies, or check suites of known counts.
///
/// Moves that take the same pieces from the same square to the same square
/// count once, whatever their path.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  manoury perft 9
  manoury perft 6 --divide --fen 'W:W27,28,K30:B8,16,K4'
  manoury perft --suite perft/*.txt --max-nodes 300000000 --threads 2\n")]
pub(super) struct Arguments {
    /// How many plies; the lesser depths are counted first
    #[arg(
        required_unless_present = "suite",
        conflicts_with = "suite",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH))
    )]
    depth: Option<u32>,
    /// The position, as FEN or in the 51 characters of Hub [default: the initial position]
    #[arg(long, value_name = "FEN", conflicts_with = "suite")]
    fen: Option<String>,
    /// Print the count for each move
    #[arg(long, conflicts_with = "suite")]
    divide: bool,
    /// How many threads count
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    threads: u16,
    /// Remember counts in a table of this size in MiB
    #[arg(long, value_name = "MIB")]
    hash: Option<u64>,
    /// Play every move instead of counting the last plies
    #[arg(long)]
    no_bulk: bool,
    /// Check every row of these files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    suite: Vec<PathBuf>,
    /// Leave out known counts larger than this
    #[arg(long, value_name = "N", requires = "suite")]
    max_nodes: Option<u64>,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = Options {
        bulk: !arguments.no_bulk,
        threads: arguments.threads.into(),
        hash_mib: arguments.hash,
    };
    let counter = Counter::new(&options).map_err(|error| Failure::Usage(error.to_string()))?;
    let job = Job {
        counter: &counter,
        monitor: stopped_by_ctrl_c()?,
    };
    match arguments.depth {
        Some(depth) => {
            let position = start(arguments.fen.as_deref())?;
            if arguments.divide {
                job.divide(&position, depth)
            } else {
                job.count(&position, depth)
            }
        }
        None => job.check_suites(&arguments.suite, arguments.max_nodes.unwrap_or(u64::MAX)),
    }
}

fn start(text: Option<&str>) -> Result<Position, Failure> {
    let Some(text) = text else {
        return Ok(Position::initial());
    };
    fen::read(text).map_err(|error| Failure::Usage(format!("--fen {}: {error}", excerpt(text))))
}

/// A monitor that lives as long as the program, since the signal may come at any time.
fn stopped_by_ctrl_c() -> Result<&'static Monitor, Failure> {
    let monitor: &Monitor = Box::leak(Box::default());
    ctrlc::set_handler(|| monitor.stop())
        .map_err(|error| Failure::Job(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(monitor)
}

struct Job<'a> {
    counter: &'a Counter,
    monitor: &'static Monitor,
}

impl Job<'_> {
    /// A line a depth.
    fn count(&self, position: &Position, depth: u32) -> Result<(), Failure> {
        for depth in 1..=depth {
            let name = format!("perft({depth})");
            let begin = Instant::now();
            let nodes = watched(&name, self.monitor, || {
                self.counter.count(position, depth, self.monitor)
            })
            .map_err(|error| self.failure(&name, error))?;
            print(&line(&name, nodes, begin.elapsed()))?;
        }
        Ok(())
    }

    /// A line a move, then the total.
    fn divide(&self, position: &Position, depth: u32) -> Result<(), Failure> {
        let name = format!("perft({depth})");
        let begin = Instant::now();
        let counts = watched(&name, self.monitor, || {
            self.counter.divide(position, depth, self.monitor)
        });
        let elapsed = begin.elapsed();

        let mut total = Ok(0_u64);
        for (mv, count) in counts {
            if let Ok(count) = count {
                print(&format!("{} {count}", move_text::pdn(position, mv)))?;
            }
            total = total.and_then(|total| Ok(total.saturating_add(count?)));
        }
        let total = total.map_err(|error| self.failure(&name, error))?;
        print(&line(&name, total, elapsed))
    }

    fn check_suites(&self, files: &[PathBuf], max_nodes: u64) -> Result<(), Failure> {
        let rows = read_suites(files)?;
        let begin = Instant::now();
        let (mut failed, mut nodes) = (0, 0_u64);
        for row in &rows {
            let checked = watched(&row.id, self.monitor, || {
                row.check(self.counter, max_nodes, self.monitor)
            })
            .map_err(|error| self.failure(&row.id, error))?;
            nodes = nodes.saturating_add(checked.nodes);
            match checked.mismatch {
                None => print(&format!(
                    "ok {}: {} of {} depths, {} nodes",
                    row.id,
                    checked.depths,
                    row.counts.len(),
                    checked.nodes
                ))?,
                Some(Mismatch {
                    depth,
                    expected,
                    got,
                }) => {
                    failed += 1;
                    print(&format!(
                        "FAILED {}: depth {depth}, expected {expected}, got {got}",
                        row.id
                    ))?;
                }
            }
        }
        let passed = rows.len() - failed;
        print(&line(
            &format!("{passed} of {} rows passed:", rows.len()),
            nodes,
            begin.elapsed(),
        ))?;
        match failed {
            0 => Ok(()),
            1 => Err(Failure::Job("1 row failed".to_owned())),
            _ => Err(Failure::Job(format!("{failed} rows failed"))),
        }
    }

    fn failure(&self, what: &str, error: CountError) -> Failure {
        Failure::Job(match error {
            CountError::TooLarge => format!("{what}: {error}"),
            CountError::Stopped => format!("{what} {}", stopped_at(self.monitor.progress())),
        })
    }
}

fn stopped_at(progress: Progress) -> String {
    format!(
        "stopped with {} of {} parts done, {} nodes",
        progress.tasks_done, progress.tasks, progress.nodes
    )
}

fn read_suites(files: &[PathBuf]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for file in files {
        let wrong =
            |error: &dyn std::fmt::Display| Failure::Usage(format!("{}: {error}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
        let more = suite::read(&text).map_err(|error| wrong(&error))?;
        if more.is_empty() {
            return Err(wrong(&"there is no row"));
        }
        rows.extend(more);
    }
    Ok(rows)
}

fn print(line: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{line}")?)
}

/// `perft(9) 41022423 nodes 0.183 s 224.2 Mnps`
fn line(name: &str, nodes: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let rate = nodes as f64 / seconds.max(1e-9) / 1e6;
    format!("{name} {nodes} nodes {seconds:.3} s {rate:.1} Mnps")
}

/// Work that is done sooner shows no progress.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs `work` and, if it takes long, shows on stderr how far it is.
fn watched<T>(name: &str, monitor: &Monitor, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let mut gauge = None;
    progress::alongside(work, || {
        if begin.elapsed() < PATIENCE {
            return;
        }
        let progress = monitor.progress();
        let (done, tasks) = (progress.tasks_done as u64, progress.tasks as u64);
        let gauge = gauge.get_or_insert_with(|| Gauge::new(name, Some(tasks), PATIENCE));
        gauge.show(done, || report(progress, begin.elapsed()));
    })
}

/// `41 % done, 512.3 Mnps, about 14 s left`
fn report(progress: Progress, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let done = progress.tasks_done as f64 / progress.tasks.max(1) as f64;
    let rate = progress.nodes as f64 / seconds / 1e6;
    let left = seconds * (1.0 - done) / done.max(1e-9);
    format!(
        "{:.0} % done, {rate:.1} Mnps, about {left:.0} s left",
        100.0 * done
    )
}
