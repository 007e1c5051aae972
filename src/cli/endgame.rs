//! `manoury endgame`: making endgame tables and asking them.

mod build;
mod convert;

use std::{
    io::{self, Write},
    path::PathBuf,
};

use super::Failure;
use crate::{
    endgame::{
        Tables, Value,
        distance::{self, Ruled},
        placement::Placement,
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
  manoury endgame convert --pieces 4 --positions 2000
  manoury endgame info --dir tables\n")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Build(build::Arguments),
    Verify(Verify),
    Probe(Probe),
    Info(Info),
    Convert(convert::Arguments),
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
        Command::Build(arguments) => build::run(arguments),
        Command::Verify(arguments) => run_verify(arguments),
        Command::Probe(arguments) => run_probe(arguments),
        Command::Info(arguments) => run_info(arguments),
        Command::Convert(arguments) => convert::run(arguments),
    }
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
