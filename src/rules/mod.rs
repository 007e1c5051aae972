//! The course of a game: its history, repetition, the move-count rules and the
//! result.
//!
//! [`Game`] owns a history and checks what is played; [`Line`] is the search's
//! light twin, a value that links to its parent. Both ask the same code, which
//! is in `line.rs` for repetition and in `counts.rs` for the rules that count
//! moves. What is not known here: any text but the names of the results, and
//! which of two lawful results would be better.

mod counts;
mod game;
mod line;

pub use counts::Counts;
pub use game::{Game, IllegalMove};
pub use line::Line;

use crate::board::Side;

/// What has become of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The side to move has a move, and no draw rule applies.
    InPlay,
    /// The opponent of `winner` is to move and has no move, blocked or bare.
    Won {
        /// The side that made the last move.
        winner: Side,
    },
    /// The game is drawn by this rule.
    Draw(DrawRule),
}

/// A rule that ends the game in a draw, in the order in which they are named
/// if several come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawRule {
    /// The same position with the same side to move for the third time.
    Repetition,
    /// Twenty-five moves by each side with kings only and nothing captured.
    TwentyFiveMoves,
    /// Sixteen moves by each side with three pieces, one of them a king,
    /// against a lone king.
    SixteenMoves,
    /// Five moves by each side with one or two pieces, one of them a king,
    /// against a lone king.
    FiveMoves,
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            State::InPlay => f.write_str("in play"),
            State::Won { winner } => write!(f, "{winner} wins (no move)"),
            State::Draw(rule) => write!(f, "draw ({rule})"),
        }
    }
}

impl std::fmt::Display for DrawRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DrawRule::Repetition => "repetition",
            DrawRule::TwentyFiveMoves => "25-move rule",
            DrawRule::SixteenMoves => "16-move rule",
            DrawRule::FiveMoves => "5-move rule",
        })
    }
}
