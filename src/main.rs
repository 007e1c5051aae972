//! The `manoury` program: all it does is to turn an error into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    manoury::cli::run(std::env::args_os())
}
