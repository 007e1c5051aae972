//! `manoury legal`: the legal moves of a position and the state of the game.

use std::io::{self, Write};

use super::Failure;
use crate::{
    board::Position,
    notation::{excerpt, fen, move_text},
    rules::Game,
};

/// List the legal moves and say whether the game is over.
///
/// A line a move, in PDN and in Hub notation, then the state of the game. After
/// a draw moves are still listed and taken; the state stays what came first.
#[derive(clap::Args)]
#[command(after_help = "Example:
  manoury legal --fen 'W:W31-50:B1-20' --moves '32-28 19-23 28x19'\n")]
pub(super) struct Arguments {
    /// The position, as FEN or in the 51 characters of Hub [default: the initial position]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Moves to play first, in PDN or Hub notation, separated by spaces
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    moves: String,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let start = match &arguments.fen {
        Some(text) => fen::read(text).map_err(|error| wrong("--fen", text, error))?,
        None => Position::initial(),
    };
    let mut game = Game::new(start);
    for (number, text) in (1..).zip(arguments.moves.split_whitespace()) {
        play(&mut game, text).map_err(|error| wrong(&format!("move {number},"), text, error))?;
    }
    print(&game, &mut io::BufWriter::new(io::stdout().lock()))
}

fn play(game: &mut Game, text: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mv = move_text::read(game.position(), text)?;
    Ok(game.play(mv)?)
}

fn wrong(what: &str, text: &str, error: impl std::fmt::Display) -> Failure {
    Failure::Usage(format!("{what} {}: {error}", excerpt(text)))
}

fn print(game: &Game, output: &mut impl Write) -> Result<(), Failure> {
    let position = game.position();
    for mv in move_text::sorted_legal_moves(position) {
        let pdn = move_text::pdn(position, mv);
        let hub = move_text::hub(position, mv);
        writeln!(output, "{pdn} {hub}")?;
    }
    writeln!(output, "state: {}", game.state())?;
    Ok(output.flush()?)
}
