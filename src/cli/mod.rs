//! The command line: one file a subcommand.
//!
//! What a subcommand prints goes through a writer, so that a closed pipe is an
//! error to end on and not a panic.

mod append_file;
mod bench;
mod dxp;
mod endgame;
mod engine_match;
mod hub;
mod legal;
mod limit_option;
mod opening_file;
mod output_file;
mod perft;
mod progress;
mod selfplay;
mod solve;
mod train;

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use clap::{Parser, Subcommand};

/// An engine for international draughts.
#[derive(Parser)]
#[command(name = "manoury", version, about, max_term_width = 100)]
#[command(
    after_help = "Without a subcommand the Hub loop starts, as GUIs expect.

Example:
  manoury legal --fen 'W:W31-50:B1-20' --moves '32-28 19-23'\n"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Bench(bench::Arguments),
    Dxp(dxp::Arguments),
    Endgame(endgame::Arguments),
    Hub(hub::Arguments),
    Legal(legal::Arguments),
    Match(engine_match::Arguments),
    Perft(perft::Arguments),
    Selfplay(selfplay::Arguments),
    Solve(solve::Arguments),
    Train(train::Arguments),
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
    let arguments: Vec<OsString> = arguments.collect();
    if starts_the_loop(&arguments) {
        return finish(hub::run());
    }
    match Cli::try_parse_from(arguments) {
        Ok(cli) => finish(cli.command.map_or_else(hub::run, obey)),
        Err(error) if error.use_stderr() => finish(Err(Failure::Usage(one_line(&error)))),
        // Not an error, but what `--help` and `--version` print.
        Err(text) => finish(text.print().map_err(Failure::Io)),
    }
}

/// Whether the Hub loop is meant: GUIs start engines without a subcommand, and
/// with options that are not ours.
fn starts_the_loop(arguments: &[OsString]) -> bool {
    let ours = ["-h", "--help", "-V", "--version"];
    arguments.get(1).is_none_or(|first| {
        first.as_encoded_bytes().starts_with(b"-") && !ours.iter().any(|&option| first == option)
    })
}

fn obey(command: Command) -> Result<(), Failure> {
    match command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Dxp(arguments) => dxp::run(&arguments),
        Command::Endgame(arguments) => endgame::run(&arguments),
        Command::Hub(_) => hub::run(),
        Command::Legal(arguments) => legal::run(&arguments),
        Command::Match(arguments) => engine_match::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Selfplay(arguments) => selfplay::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
    }
}

fn finish(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&format!("manoury: {failure}"));
            ExitCode::from(match failure {
                Failure::Usage(_) => 2,
                Failure::Job(_) | Failure::Io(_) => 1,
            })
        }
    }
}

/// Writes a line to stderr, if it can be written.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// What is wrong with a call, without the lines of advice behind it.
fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let complaint = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = complaint.split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

/// Logs to stderr what RUST_LOG asks for, or else `level` and what is worse.
fn start_log(level: &str) {
    let settings = env_logger::Env::default().default_filter_or(level);
    // It fails only where a log is kept already.
    let _ = env_logger::Builder::from_env(settings).try_init();
}

/// A flag that Ctrl-C sets. It lives as long as the program, since the signal
/// may come at any time.
fn interrupted_by_ctrl_c() -> Result<&'static AtomicBool, Failure> {
    let flag: &AtomicBool = Box::leak(Box::default());
    ctrlc::set_handler(|| flag.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::Job(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(flag)
}
