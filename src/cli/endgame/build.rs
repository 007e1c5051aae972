//! `manoury endgame build`: making tables.

use std::{
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use super::print;
use crate::{
    cli::{
        Failure,
        progress::{self, Gauge},
    },
    endgame::{
        Tables,
        build::{self, BuildError},
        file::{self, Table},
        index::Index,
        material::{MAX_PIECES, Material},
        placement::Placement,
        solve::Monitor,
    },
    notation::fen,
};

/// Make the tables of all endings of up to so many pieces.
///
/// What is done already is kept, so that a build that was stopped goes on
/// where it was.
#[derive(clap::Args)]
#[command(after_help = "Example:
  manoury endgame build --pieces 5 --dir tables --threads 2 --memory 4000\n")]
pub(super) struct Arguments {
    /// The largest number of pieces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=MAX_PIECES as i64))]
    pieces: u8,
    /// The folder of the tables
    #[arg(long, value_name = "FOLDER")]
    dir: PathBuf,
    /// How many threads work
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// The most memory that may be used, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4000)]
    memory: u64,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let dir = &arguments.dir;
    let cannot = |what: &Path, error: &io::Error| {
        Failure::Job(format!("cannot write {}: {error}", what.display()))
    };
    std::fs::create_dir_all(dir).map_err(|error| cannot(dir, &error))?;
    let trial = dir.join("trial.part");
    let tried = std::fs::File::create(&trial).and_then(|_| std::fs::remove_file(&trial));
    tried.map_err(|error| cannot(dir, &error))?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.into())
        .build()
        .map_err(|error| Failure::Job(format!("cannot start the threads: {error}")))?;

    let families: Vec<Material> = (2..=usize::from(arguments.pieces))
        .flat_map(Material::families)
        .collect();
    let total = families.iter().copied().map(placements).sum();
    let mut course = Course::new(total, crate::cli::interrupted_by_ctrl_c()?);
    let mut tables = Tables::none();
    for family in families {
        if build::is_done(dir, family) {
            course.keep(placements(family));
            tables.add(read(&build::path(dir, family))?);
            continue;
        }
        let begin = Instant::now();
        course.watch(&family.to_string(), |monitor| {
            pool.install(|| build::build(dir, family, arguments.memory, &mut tables, monitor))
        })?;
        let size = std::fs::metadata(build::path(dir, family))?.len();
        let (len, seconds) = (placements(family), begin.elapsed().as_secs_f64());
        course.print(&format!(
            "{family} {len} placements {size} bytes {seconds:.1} s"
        ))?;
    }
    if arguments.pieces >= 4 {
        build_distances(dir, &tables, &mut course)?;
    }
    Ok(())
}

/// The distances, with a line for the longest win of each material.
fn build_distances(dir: &Path, tables: &Tables, course: &mut Course) -> Result<(), Failure> {
    let mut lines = Vec::new();
    let begin = Instant::now();
    let tell = |material, longest: Option<(u8, Placement)>| {
        if let Some((plies, placement)) = longest
            && let Some(position) = placement.position()
        {
            let fen = fen::write(&position);
            lines.push(format!("distance {material} longest {plies} plies {fen}"));
        }
    };
    course.watch("distances", |monitor| {
        build::build_distances(dir, tables, monitor, tell)
    })?;
    for line in lines {
        course.print(&line)?;
    }
    course.print(&format!("distances {:.1} s", begin.elapsed().as_secs_f64()))
}

/// How many placements a family has.
fn placements(family: Material) -> u64 {
    family.family().map(|member| Index::new(member).len()).sum()
}

fn read(path: &Path) -> Result<Vec<Table>, Failure> {
    let wrong = |error| Failure::Job(format!("cannot read {}: {error}", path.display()));
    file::read_file(path).map_err(wrong)
}

/// A build on its way.
struct Course {
    monitor: Monitor,
    interrupted: &'static AtomicBool,
    gauge: Gauge,
    /// Placements that an earlier build solved.
    kept: u64,
}

impl Course {
    /// The time between two lines of progress.
    const INTERVAL: Duration = Duration::from_secs(30);

    const MILLION: u64 = 1_000_000;

    fn new(total: u64, interrupted: &'static AtomicBool) -> Course {
        let total = total.div_ceil(Self::MILLION);
        Course {
            monitor: Monitor::default(),
            interrupted,
            gauge: Gauge::new("million placements", Some(total), Self::INTERVAL),
            kept: 0,
        }
    }

    fn keep(&mut self, placements: u64) {
        self.kept += placements;
    }

    /// Does a part of the work, shows how far it is, and passes Ctrl-C on.
    fn watch(
        &mut self,
        part: &str,
        work: impl FnOnce(&Monitor) -> Result<(), BuildError>,
    ) -> Result<(), Failure> {
        let (monitor, gauge, kept) = (&self.monitor, &mut self.gauge, self.kept);
        let done = progress::alongside(
            || work(monitor),
            || {
                if self.interrupted.load(Ordering::Relaxed) {
                    monitor.stop();
                }
                let [before, done] = [kept, kept + monitor.done()].map(|n| n / Self::MILLION);
                let left = gauge.time_left(before, done);
                let rate = (done - before) as f64 / gauge.elapsed().as_secs_f64();
                gauge.show(done, || format!("{part}, {rate:.1} a second{left}"));
            },
        );
        done.map_err(|error| Failure::Job(format!("{part}: {error}")))
    }

    fn print(&self, line: &str) -> Result<(), Failure> {
        self.gauge.suspend(|| print(line))
    }
}
