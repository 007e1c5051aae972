//! `manoury endgame`: making endgame tables and asking them.

use std::{
    io::{self, Write},
    path::PathBuf,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use super::Failure;
use crate::{
    endgame::{
        Tables, Value, build,
        distance::{self, Ruled},
        index::Index,
        material::{MAX_PIECES, Material},
        placement::Placement,
        solve::Monitor,
        verify,
    },
    notation::{excerpt, fen, move_text},
};

/// Make endgame tables, check them, and ask them about positions.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  manoury endgame build --pieces 5 --dir tables --threads 2
  manoury endgame probe --fen 'W:WK10,K44,K7:BK47'
  manoury endgame verify --samples 100000
  manoury endgame info --dir tables\n")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Build(Build),
    Verify(Verify),
    Probe(Probe),
    Info(Info),
}

/// Make the tables of all endings of up to so many pieces.
///
/// What is done already is kept, so that a build that was stopped goes on
/// where it was.
#[derive(clap::Args)]
#[command(after_help = "Example:
  manoury endgame build --pieces 5 --dir tables --threads 2 --memory 4000\n")]
struct Build {
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

/// Check values against those of their successors and of mirrored positions.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  manoury endgame verify --samples 1000
  manoury endgame verify --dir tables --full\n")]
struct Verify {
    /// A folder of tables beside those that are built in
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// How many positions of each table are checked
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    samples: u64,
    /// Check every position
    #[arg(long, conflicts_with = "samples")]
    full: bool,
}

/// The value of a position and of each of its moves.
#[derive(clap::Args)]
#[command(after_help = "Example:
  manoury endgame probe --fen 'W:WK10,K44,K7:BK47'\n")]
struct Probe {
    /// The position, as FEN or in the 51 characters of Hub
    #[arg(long, value_name = "FEN")]
    fen: String,
    /// A folder of tables beside those that are built in
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// What tables there are, with sizes and checksums.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  manoury endgame info --dir tables
  manoury endgame info --benchmark\n")]
struct Info {
    /// A folder of tables beside those that are built in
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Measure how long it takes to look a position up
    #[arg(long)]
    benchmark: bool,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Build(arguments) => run_build(arguments),
        Command::Verify(arguments) => run_verify(arguments),
        Command::Probe(arguments) => run_probe(arguments),
        Command::Info(arguments) => run_info(arguments),
    }
}

fn run_build(arguments: &Build) -> Result<(), Failure> {
    let dir = &arguments.dir;
    let cannot = |what: &std::path::Path, error: &io::Error| {
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

    let monitor = Monitor::default();
    let interrupted = super::interrupted_by_ctrl_c()?;
    let mut tables = Tables::none();
    for pieces in 2..=usize::from(arguments.pieces) {
        for family in Material::families(pieces) {
            let path = build::path(dir, family);
            if build::is_done(dir, family) {
                let read = crate::endgame::file::read_file(&path);
                tables.add(read.map_err(|error| {
                    Failure::Job(format!("cannot read {}: {error}", path.display()))
                })?);
                continue;
            }
            let begin = Instant::now();
            watched(family, &monitor, interrupted, || {
                pool.install(|| build::build(dir, family, arguments.memory, &mut tables, &monitor))
            })
            .map_err(|error| Failure::Job(format!("{family}: {error}")))?;
            let size = std::fs::metadata(&path)?.len();
            let len = Index::new(family).len();
            let seconds = begin.elapsed().as_secs_f64();
            print(&format!(
                "{family} {len} placements {size} bytes {seconds:.1} s"
            ))?;
        }
    }
    if arguments.pieces >= 4 {
        build_distances(arguments, &tables, &monitor, interrupted)?;
    }
    Ok(())
}

/// The distances, with a line for the longest win of each material.
fn build_distances(
    arguments: &Build,
    tables: &Tables,
    monitor: &Monitor,
    interrupted: &AtomicBool,
) -> Result<(), Failure> {
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
    let built = std::thread::scope(|scope| {
        let (finished, watch) = mpsc::channel::<()>();
        scope.spawn(move || {
            while watch.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                if interrupted.load(Ordering::Relaxed) {
                    monitor.stop();
                }
            }
        });
        let built = build::build_distances(&arguments.dir, tables, monitor, tell);
        drop(finished);
        built
    });
    built.map_err(|error| Failure::Job(format!("distances: {error}")))?;
    for line in lines {
        print(&line)?;
    }
    print(&format!("distances {:.1} s", begin.elapsed().as_secs_f64()))
}

/// Runs `work`, shows now and then how far it is, and passes Ctrl-C on.
fn watched<T: Send>(
    family: Material,
    monitor: &Monitor,
    interrupted: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> T {
    std::thread::scope(|scope| {
        let (finished, watch) = mpsc::channel::<()>();
        scope.spawn(move || {
            let total: u64 = family.family().map(|member| Index::new(member).len()).sum();
            let (begin, before) = (Instant::now(), monitor.done());
            let mut next = Duration::from_secs(10);
            while watch.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                if interrupted.load(Ordering::Relaxed) {
                    monitor.stop();
                }
                let elapsed = begin.elapsed();
                if elapsed > next {
                    next = elapsed + Duration::from_secs(30);
                    let done = (monitor.done() - before) as f64;
                    let (share, seconds) = (done / total as f64, elapsed.as_secs_f64());
                    let left = seconds * (1.0 - share) / share.max(1e-9);
                    // Nobody listens if this fails, and the work goes on.
                    let _ = writeln!(
                        io::stderr(),
                        "{family}: {:.0} % seen, {:.2} million a second, about {left:.0} s left",
                        100.0 * share,
                        done / seconds / 1e6
                    );
                }
            }
        });
        let result = work();
        drop(finished);
        result
    })
}

/// The built-in tables and those of a folder, of which nothing may be unusable.
fn tables(dir: Option<&PathBuf>) -> Result<Tables, Failure> {
    let mut tables = Tables::built_in();
    if let Some(dir) = dir
        && let Some(unusable) = tables.add_folder(dir).first()
    {
        return Err(Failure::Job(unusable.to_string()));
    }
    Ok(tables)
}

fn run_verify(arguments: &Verify) -> Result<(), Failure> {
    let tables = tables(arguments.dir.as_ref())?;
    let samples = if arguments.full {
        u64::MAX
    } else {
        arguments.samples
    };
    let mut wrong = 0;
    for table in tables.iter() {
        let checked = verify::table(&tables, table, samples);
        wrong += checked.wrong.len();
        print(&checked.to_string())?;
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::Job(format!("{wrong} positions are wrong"))),
    }
}

fn run_probe(arguments: &Probe) -> Result<(), Failure> {
    let text = &arguments.fen;
    let position = fen::read(text)
        .map_err(|error| Failure::Usage(format!("--fen {}: {error}", excerpt(text))))?;
    let tables = tables(arguments.dir.as_ref())?;
    let placement = Placement::of(&position);
    print(&format!("position: {}", said(&tables, &placement)))?;
    for mv in move_text::sorted_legal_moves(&position) {
        let after = Placement::of(&position.play(mv));
        let said = said(&tables, &after);
        print(&format!(
            "{}: {said} for the opponent",
            move_text::pdn(&position, mv)
        ))?;
    }
    Ok(())
}

/// `win`, or with the rules that count moves `win, by the rules won in 7 plies`.
fn said(tables: &Tables, placement: &Placement) -> String {
    let value = name(tables.value(placement));
    match tables.ruled(placement, distance::limit(placement.material())) {
        None => value.to_owned(),
        Some(Ruled::Draw) => format!("{value}, by the rules drawn"),
        Some(Ruled::Win(plies)) => format!("{value}, by the rules won in {plies} plies"),
        Some(Ruled::Loss(plies)) => format!("{value}, by the rules lost in {plies} plies"),
    }
}

fn name(value: Option<Value>) -> &'static str {
    match value {
        Some(Value::Win) => "win",
        Some(Value::Draw) => "draw",
        Some(Value::Loss) => "loss",
        None => "unknown",
    }
}

fn run_info(arguments: &Info) -> Result<(), Failure> {
    let tables = tables(arguments.dir.as_ref())?;
    let mut total = 0;
    for table in tables.iter() {
        total += table.size();
        print(&format!(
            "{:?} {} {} placements {} bytes checksum {:08x}",
            table.kind(),
            table.index().material(),
            table.index().len(),
            table.size(),
            table.checksum()
        ))?;
    }
    print(&format!(
        "complete to {} pieces, {total} bytes",
        tables.pieces()
    ))?;
    if arguments.benchmark {
        let (cold, cached) = verify::lookup_times(&tables);
        print(&format!(
            "a cold block {cold:.0} ns, a cached one {cached:.0} ns"
        ))?;
    }
    Ok(())
}

fn print(line: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{line}")?)
}
