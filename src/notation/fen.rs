//! Positions as FEN: `W:W31-50:B1-20`.
//!
//! What people paste is read in all its forms: lists and ranges, `K` for
//! kings, either colour first, lower case, spaces, leading zeros, a full stop
//! at the end, the whole `[FEN "…"]` tag, the move counters that some sites
//! append (`:H0:F1`), and the 51 characters of the Hub protocol. Counters say
//! nothing about the position and are dropped.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use super::{
    excerpt,
    hub::{self, HubPositionError},
};
use crate::board::{Bitboard, Position, PositionError, Side, Square};

/// Why a text is no FEN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// It does not begin with the side to move and a colon.
    #[error("'{0}' does not begin with the side to move, as in 'W:W28:B19'")]
    SideToMove(String),
    /// Something between colons is not a colour and its pieces.
    #[error("'{0}' is not a colour, W or B, with its pieces")]
    Field(String),
    /// A colour is missing. An empty side is written too, so that a text that
    /// was cut short is not read as another position.
    #[error("the {0} pieces are missing; without any, the field is the letter alone")]
    MissingField(Side),
    /// A colour occurs twice.
    #[error("the {0} pieces are given twice")]
    RepeatedField(Side),
    /// An item of a list is no square, no king and no range.
    #[error("'{0}' is not a square, a king or a range, as in '28', 'K28' or '1-20'")]
    Item(String),
    /// A square's number is not one of 1 to 50.
    #[error("there is no square {number} (in '{item}')")]
    NoSuchSquare {
        /// The number.
        number: String,
        /// The item that has it.
        item: String,
    },
    /// A range runs backward.
    #[error("the range '{0}' runs backward")]
    ReversedRange(String),
    /// The pieces make no position.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The text looks like a Hub position but is none.
    #[error(transparent)]
    Hub(#[from] HubPositionError),
}

/// The pieces of one colour.
#[derive(Default)]
struct Army {
    men: Bitboard,
    kings: Bitboard,
}

/// Reads a position in any of the forms of this module.
pub fn read(text: &str) -> Result<Position, FenError> {
    let fen = without_wrapper(text);
    if is_hub_position(fen) {
        return Ok(hub::read_position(fen)?);
    }
    let refused = || FenError::SideToMove(excerpt(fen));
    let (side, fields) = fen.split_once(':').ok_or_else(refused)?;
    let side = colour(side.trim()).ok_or_else(refused)?;

    let (mut white, mut black) = (None, None);
    for field in fields.split(':').map(str::trim) {
        if is_counter(field) {
            continue;
        }
        let (colour, list) = split_field(field)?;
        let army = match colour {
            Side::White => &mut white,
            Side::Black => &mut black,
        };
        if army.replace(read_army(list)?).is_some() {
            return Err(FenError::RepeatedField(colour));
        }
    }
    let white = white.ok_or(FenError::MissingField(Side::White))?;
    let black = black.ok_or(FenError::MissingField(Side::Black))?;
    let (men, kings) = ([white.men, black.men], [white.kings, black.kings]);
    Ok(Position::new(men, kings, side)?)
}

/// Writes a position: White first, squares ascending, `K` before each king.
pub fn write(position: &Position) -> String {
    let side = letter(position.side());
    let [white, black] = Side::BOTH.map(|side| {
        let squares = position.pieces(side).into_iter();
        let items = squares.map(|square| match position.kings(side).contains(square) {
            true => format!("K{square}"),
            false => square.to_string(),
        });
        items.collect::<Vec<_>>().join(",")
    });
    format!("{side}:W{white}:B{black}")
}

/// The text without the tag or quotes around it and the full stop behind it.
fn without_wrapper(text: &str) -> &str {
    let mut text = text.trim();
    if let Some(tag) = enclosed(text, '[', ']') {
        let name = tag.get(..3).filter(|name| name.eq_ignore_ascii_case("fen"));
        text = match (name, tag.get(3..)) {
            (Some(_), Some(value)) => value.trim(),
            _ => text,
        };
    }
    text = enclosed(text, '"', '"').unwrap_or(text);
    text.strip_suffix('.').unwrap_or(text).trim()
}

fn enclosed(text: &str, open: char, close: char) -> Option<&str> {
    let inner = text.strip_prefix(open)?.strip_suffix(close)?;
    Some(inner.trim())
}

/// Only in the Hub form do letters of pieces stand in a row, without a colon.
fn is_hub_position(text: &str) -> bool {
    text.len() > 1 && text.chars().all(|character| "wbWBe".contains(character))
}

/// Whether a field counts moves (`H0`, `F1`) instead of placing pieces.
fn is_counter(field: &str) -> bool {
    field.strip_prefix(['H', 'F']).is_some_and(is_number)
}

fn split_field(field: &str) -> Result<(Side, &str), FenError> {
    let mut characters = field.chars();
    let first = characters.next();
    let found = first.and_then(|first| colour(first.encode_utf8(&mut [0; 4])));
    match found {
        Some(colour) => Ok((colour, characters.as_str().trim())),
        None => Err(FenError::Field(excerpt(field))),
    }
}

fn colour(text: &str) -> Option<Side> {
    match text {
        "W" | "w" => Some(Side::White),
        "B" | "b" => Some(Side::Black),
        _ => None,
    }
}

fn letter(side: Side) -> char {
    match side {
        Side::White => 'W',
        Side::Black => 'B',
    }
}

fn read_army(list: &str) -> Result<Army, FenError> {
    let mut army = Army::default();
    if list.is_empty() {
        return Ok(army);
    }
    for item in list.split(',').map(str::trim) {
        let (is_king, range) = match item.strip_prefix(['K', 'k']) {
            Some(range) => (true, range.trim()),
            None => (false, item),
        };
        for square in read_range(range, item)? {
            if (army.men | army.kings).contains(square) {
                return Err(PositionError::TwoPieces(square).into());
            }
            let set = match is_king {
                true => &mut army.kings,
                false => &mut army.men,
            };
            *set |= Bitboard::of(square);
        }
    }
    Ok(army)
}

/// The squares of `range`, which may be a single one; `item` is what an error shows.
fn read_range(range: &str, item: &str) -> Result<Bitboard, FenError> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (read_square(first, item)?, read_square(last, item)?);
    if first > last {
        return Err(FenError::ReversedRange(excerpt(item)));
    }
    let squares = Square::all().filter(|square| (first..=last).contains(square));
    Ok(squares.collect())
}

fn read_square(number: &str, item: &str) -> Result<Square, FenError> {
    let number = number.trim();
    if !is_number(number) {
        return Err(FenError::Item(excerpt(item)));
    }
    let square = number.parse().ok().and_then(Square::from_number);
    square.ok_or_else(|| FenError::NoSuchSquare {
        number: excerpt(number),
        item: excerpt(item),
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
