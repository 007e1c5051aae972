//! Texts to values and back: positions as FEN and as Hub writes them, moves as
//! PDN and Hub write them, games as PDN.
//!
//! Foreign text is never trusted: a position passes through
//! [`Position::new`](crate::board::Position::new), a move is found among the
//! legal ones, and what cannot be read is a typed error that shows the piece
//! of text at fault. Nothing here knows files or protocols.

pub mod fen;
pub mod hub;
pub mod move_text;
pub mod pdn;
#[cfg(test)]
mod round_trips;
mod route;

pub use fen::FenError;
pub use hub::HubPositionError;
pub use move_text::MoveTextError;
pub use pdn::{PdnError, PdnGame};

/// How many characters of a text an error message shows.
const LONGEST_EXCERPT: usize = 40;

/// A text that came from outside, fit to stand in a one-line message: cut to a
/// sensible length, with control characters and quotes escaped.
pub fn excerpt(text: &str) -> String {
    let mut characters = text.chars();
    let mut excerpt: String = characters
        .by_ref()
        .take(LONGEST_EXCERPT)
        .flat_map(char::escape_debug)
        .collect();
    if characters.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}
