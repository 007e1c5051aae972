//! `manoury train`: fitting the evaluation to games.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use super::{Failure, complain, output_file::OutputFile};
use crate::train::course::{Course, Report};

/// Fit the weights of the evaluation to games of self-play
///
/// One game in twenty is kept back. After each pass over the others the losses
/// on both are printed, at the end that on what was kept back by phase; when it
/// falls no more, it is enough. The weights that were best on what was kept
/// back are written in the end, or at Ctrl-C.
#[derive(clap::Args)]
#[command(after_help = "Example:
  manoury train games.mgb --out weights.bin --passes 12 --lambda 0.6\n")]
pub(super) struct Arguments {
    /// Files that selfplay made
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Where the weights go
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The share of the search's score in what is learned; the rest is the result
    #[arg(long, value_name = "SHARE", default_value = "0.6", value_parser = share)]
    lambda: f32,
    /// The most passes over the games
    #[arg(long, value_name = "N", default_value_t = 10)]
    passes: u32,
    /// The first step; it shrinks to a hundredth
    #[arg(long, value_name = "RATE", default_value = "0.002", value_parser = rate)]
    rate: f32,
    /// Positions a batch
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Positions that are mixed, 40 bytes each
    #[arg(long, value_name = "N", default_value_t = 4_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    pool: u32,
    /// What all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let out = OutputFile::create(&arguments.out)?;
    let stop = super::interrupted_by_ctrl_c()?;
    let course = Course {
        files: arguments.files.clone(),
        lambda: arguments.lambda,
        passes: arguments.passes,
        rate: arguments.rate,
        batch: arguments.batch as usize,
        pool: arguments.pool as usize,
        seed: arguments.seed,
    };
    let training = course
        .begin()
        .map_err(|error| Failure::Usage(error.to_string()))?;
    say(&training.summary())?;
    let mut last = None;
    let weights = training
        .run(stop, |report| {
            // Nobody listens if this fails, and learning goes on.
            let _ = say(&pass_line(report));
            last = Some(report.clone());
        })
        .map_err(|error| Failure::Usage(error.to_string()))?;
    if let Some(report) = last {
        print_phases(&report)?;
    }
    match weights {
        Some(weights) => out.finish(&weights.to_bytes()?),
        None => {
            complain("no pass was finished: nothing is written");
            Ok(())
        }
    }
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

fn pass_line(report: &Report) -> String {
    let Report {
        pass,
        learned,
        kept_back,
        time,
        ..
    } = report;
    let seconds = time.as_secs_f64();
    format!("pass {pass}: loss {learned:.5}, kept back {kept_back:.5}, {seconds:.1} s")
}

fn print_phases(report: &Report) -> io::Result<()> {
    let phases = report.phases.iter().enumerate();
    for (phase, &(loss, count)) in phases.filter(|(_, phase)| phase.1 > 0) {
        let loss = loss / count as f64;
        say(&format!(
            "phase {phase}: {count} positions kept back, loss {loss:.5}"
        ))?;
    }
    Ok(())
}

fn share(text: &str) -> Result<f32, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "not between 0 and 1".to_owned())
}

fn rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| (1e-6..=1.0).contains(rate));
    rate.ok_or_else(|| "not between 0.000001 and 1".to_owned())
}
