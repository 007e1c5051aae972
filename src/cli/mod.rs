//! The command line: one file a subcommand.
//!
//! What a subcommand prints goes through a writer, so that a closed pipe is an
//! error to end on and not a panic.

mod bench;
mod dxp;
mod legal;

use std::{ffi::OsString, io, process::ExitCode};

use clap::{Parser, Subcommand};

/// An engine for international draughts.
#[derive(Parser)]
#[command(name = "manoury", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Bench(bench::Arguments),
    Dxp(dxp::Arguments),
    Legal(legal::Arguments),
}

/// Why a subcommand did not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The call was wrong: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The job failed: exit code 1.
    #[error("{0}")]
    Job(String),
    /// Reading or writing failed: exit code 1, or silence if the reader of our
    /// output went away.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Runs the program with these arguments, the first being its name.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let done: Result<(), Failure> = match cli.command {
        None => Ok(()),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Dxp(arguments)) => dxp::run(&arguments),
        Some(Command::Legal(arguments)) => legal::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("manoury: {failure}");
            ExitCode::from(match failure {
                Failure::Usage(_) => 2,
                Failure::Job(_) | Failure::Io(_) => 1,
            })
        }
    }
}
