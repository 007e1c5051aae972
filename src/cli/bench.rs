//! `manoury bench`: the speed of the search, and its signature.

use std::io::{self, Write};

use super::Failure;
use crate::bench;

/// Search a fixed list of positions at a fixed depth
///
/// The last line is `N nodes M nps`; without options N is the search's
/// signature, the same on every machine. With several threads it differs each
/// time, and the time is what counts: the line before tells it.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  manoury bench\n  manoury bench 20 --threads 2 --tt-size 24")]
pub(super) struct Arguments {
    /// The depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(1..=40), default_value_t = bench::DEPTH)]
    depth: u32,

    /// How many threads search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), default_value_t = 1)]
    threads: u16,

    /// The table's size: 2^N entries of 16 bytes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=34), default_value_t = bench::TABLE_LOG2)]
    tt_size: u32,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let settings = bench::Settings {
        depth: arguments.depth,
        threads: arguments.threads.into(),
        table_log2: arguments.tt_size,
    };
    let total = bench::run(settings, |fen, cost| {
        if written.is_ok() {
            let seconds = cost.time.as_secs_f64();
            written = writeln!(out, "{:>9} {seconds:>6.3} s  {fen}", cost.nodes);
        }
    })
    .map_err(|error| Failure::Job(error.to_string()))?;
    written?;
    writeln!(out, "{:.3} s", total.time.as_secs_f64())?;
    writeln!(
        out,
        "{} nodes {} nps",
        total.nodes,
        total.nodes_per_second()
    )?;
    Ok(())
}
