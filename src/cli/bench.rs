//! `manoury bench`: the speed of the search, and its signature.

use std::io::{self, Write};

use super::Failure;
use crate::bench;

/// Search a fixed list of positions at a fixed depth on one thread
///
/// The last line is `N nodes M nps`; N is the same on every machine.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  manoury bench")]
pub(super) struct Arguments {
    /// The depth in plies; the signature is that of the default
    #[arg(value_parser = clap::value_parser!(u32).range(1..=30), default_value_t = bench::DEPTH)]
    depth: u32,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let total = bench::run(arguments.depth, |fen, cost| {
        if written.is_ok() {
            let seconds = cost.time.as_secs_f64();
            written = writeln!(out, "{:>9} {seconds:>6.3} s  {fen}", cost.nodes);
        }
    })
    .map_err(|error| Failure::Job(error.to_string()))?;
    written?;
    writeln!(
        out,
        "{} nodes {} nps",
        total.nodes,
        total.nodes_per_second()
    )?;
    Ok(())
}
