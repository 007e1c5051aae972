//! Positions as the Hub protocol writes them: `W` or `B` for the side to move,
//! then a letter for each of the fifty squares.
//!
//! Moves, Hub's among them, are in [`move_text`](super::move_text); the
//! protocol itself is not known here.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use super::excerpt;
use crate::board::{Bitboard, Position, PositionError, Side, Square};

/// Why a text is no Hub position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HubPositionError {
    /// It has not one character for the side and fifty for the squares.
    #[error("'{text}' has {found} characters instead of 51")]
    Length {
        /// The beginning of the text.
        text: String,
        /// How many characters it has.
        found: usize,
    },
    /// The first character is neither `W` nor `B`.
    #[error("the side to move is W or B, not '{0}'")]
    Side(String),
    /// A square's character is none of `w b W B e`.
    #[error("square {square} is one of w, b, W, B, e, not '{found}'")]
    Square {
        /// The square.
        square: Square,
        /// Its character.
        found: String,
    },
    /// The pieces make no position.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// Reads a Hub position.
pub fn read_position(text: &str) -> Result<Position, HubPositionError> {
    let found = text.chars().count();
    let mut characters = text.chars();
    let (Some(first), 51) = (characters.next(), found) else {
        let text = excerpt(text);
        return Err(HubPositionError::Length { text, found });
    };
    let side = match first {
        'W' => Side::White,
        'B' => Side::Black,
        other => return Err(HubPositionError::Side(shown(other))),
    };
    let (mut men, mut kings) = ([Bitboard::EMPTY; 2], [Bitboard::EMPTY; 2]);
    let [white_men, black_men] = &mut men;
    let [white_kings, black_kings] = &mut kings;
    for (square, character) in Square::all().zip(characters) {
        let set = match character {
            'w' => &mut *white_men,
            'b' => &mut *black_men,
            'W' => &mut *white_kings,
            'B' => &mut *black_kings,
            'e' => continue,
            other => {
                let found = shown(other);
                return Err(HubPositionError::Square { square, found });
            }
        };
        *set |= Bitboard::of(square);
    }
    Ok(Position::new(men, kings, side)?)
}

/// Writes a position in 51 characters.
pub fn write_position(position: &Position) -> String {
    let side = match position.side() {
        Side::White => 'W',
        Side::Black => 'B',
    };
    std::iter::once(side)
        .chain(Square::all().map(|square| letter(position, square)))
        .collect()
}

fn letter(position: &Position, square: Square) -> char {
    let sets = [
        ('w', position.men(Side::White)),
        ('b', position.men(Side::Black)),
        ('W', position.kings(Side::White)),
        ('B', position.kings(Side::Black)),
    ];
    sets.into_iter()
        .find(|(_, set)| set.contains(square))
        .map_or('e', |(letter, _)| letter)
}

fn shown(character: char) -> String {
    excerpt(character.encode_utf8(&mut [0; 4]))
}
