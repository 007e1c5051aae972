//! `manoury hub`: the Hub protocol on stdin and stdout.

use std::{ffi::OsString, io};

use super::Failure;
use crate::{config, protocol};

/// Speak the Hub protocol, version 2, on stdin and stdout (the default)
#[derive(clap::Args)]
#[command(after_help = help())]
pub(super) struct Arguments {
    /// GUIs start engines with all sorts of arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _ignored: Vec<OsString>,
}

fn help() -> String {
    format!(
        "Parameters, to be set by set-param name=NAME value=VALUE:\n{}
Example:
  printf 'init\\nlevel move-time=1\\ngo think\\n' | (cat; sleep 2) | manoury hub\n",
        config::help()
    )
}

/// Runs the subcommand.
pub(super) fn run() -> Result<(), Failure> {
    Ok(protocol::hub::run(io::stdin(), io::stdout())?)
}
