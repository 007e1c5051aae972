//! Moves as PDN and Hub write them, and the reason why a text is no move.
//!
//! Both write a step as `32-28`. For a capture PDN gives origin and
//! destination, `32x21`, or the whole route, `4x31x42x15`; Hub gives origin,
//! destination and captured squares, `28x39x12x13x22`. One reader serves both,
//! since no text can mean both: a route lands on empty squares, and captured
//! squares are not empty. It does not interpret, it asks which of the legal
//! moves the text names.
//!
//! Games, comments and results are not known here; a text is one move.

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
    route::{can_jump_to, diagonals, route_of},
};
use crate::board::{Bitboard, Move, MoveList, Position, Side, Square};

/// Why a text names no legal move, in words for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveTextError {
    /// It is not made of squares.
    #[error("not a move; moves look like 32-28 or 28x19")]
    NotAMove,
    /// A number is not one of 1 to 50.
    #[error("there is no square {0}")]
    NoSuchSquare(String),
    /// The origin is empty.
    #[error("there is no piece on square {0}")]
    NoPiece(Square),
    /// The origin holds a piece of the opponent.
    #[error("not your piece: {owner} stands on square {square}, and {} is to move", owner.opponent())]
    NotYourPiece {
        /// The origin.
        square: Square,
        /// Whose piece it is.
        owner: Side,
    },
    /// A piece stands on the way or on the destination.
    #[error("blocked by the piece on square {0}")]
    Blocked(Square),
    /// A man would step backward or sideways.
    #[error("a man does not move backward")]
    Backward,
    /// A man would step over more than one row.
    #[error("too far: a man moves one square at a time")]
    TooFar,
    /// No diagonal joins the squares.
    #[error("squares {0} and {1} are not on one diagonal")]
    NotDiagonal(Square, Square),
    /// Something must be captured.
    #[error("a capture is mandatory: {captures} takes {pieces}")]
    CaptureMandatory {
        /// The captures that are legal, the first few if there are many.
        captures: String,
        /// How many pieces each takes.
        pieces: u32,
    },
    /// The capture exists, but another takes more.
    #[error("more can be taken: {captures} takes {pieces}")]
    MoreCanBeTaken {
        /// The captures that are legal, the first few if there are many.
        captures: String,
        /// How many pieces each takes.
        pieces: u32,
    },
    /// There are captures, but this is none of them.
    #[error("there is no such capture: {captures} takes {pieces}")]
    NoSuchCapture {
        /// The captures that are legal, the first few if there are many.
        captures: String,
        /// How many pieces each takes.
        pieces: u32,
    },
    /// A capture is written where there is none.
    #[error("there is nothing to capture")]
    NothingToCapture,
    /// Several captures go by this name.
    #[error("ambiguous: it may be {captures}")]
    Ambiguous {
        /// Their whole routes, the first few if there are many.
        captures: String,
    },
}

/// The squares that a text names, in its order.
struct Squares {
    origin: Square,
    /// The second: the destination, unless this is a route.
    second: Square,
    /// All after the origin.
    later: Vec<Square>,
    /// Whether the text calls itself a capture.
    says_capture: bool,
}

/// The most squares a text may name: more than any route has.
const MOST_SQUARES: usize = 100;

/// How many moves an error lists.
const MOST_LISTED: usize = 4;

/// Finds the legal move that a text names, in any form of PDN or Hub.
///
/// Captured squares may come in any order or be left out, a route may be
/// complete, partial or written jump by jump (`15x24 24x13 13x2`), as long as
/// one move only fits. `x`, `:` and every kind of dash are understood, also
/// with spaces, leading zeros, or none of them between two digits a square.
pub fn read(position: &Position, text: &str) -> Result<Move, MoveTextError> {
    let squares = Squares::read(text)?;
    let legal = sorted_legal_moves(position);
    let mut named = legal.iter().filter(|&&mv| squares.name(position, mv));
    match (named.next(), named.next()) {
        (None, _) => Err(squares.why_illegal(position, &legal)),
        (Some(&mv), None) => Ok(mv),
        (Some(&first), Some(&second)) => {
            let all = [first, second].into_iter().chain(named.copied());
            Err(MoveTextError::Ambiguous {
                captures: list(all.map(|mv| route_text(position, mv))),
            })
        }
    }
}

/// Writes a legal move as Hub does, captured squares ascending: `28x39x12x13x22`.
pub fn hub(position: &Position, mv: Move) -> String {
    let mut text = short_text(position, mv);
    for square in position.captured(mv) {
        text.push_str(&format!("x{square}"));
    }
    text
}

/// Writes a legal move as PDN does: `32-28`, `32x21`, and the whole route only
/// where two captures share origin and destination.
pub fn pdn(position: &Position, mv: Move) -> String {
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    pdn_among(position, mv, &legal)
}

/// The legal moves by origin, destination and captured squares: an order that
/// does not depend on how they are generated.
pub fn sorted_legal_moves(position: &Position) -> Vec<Move> {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    let mut moves = list.to_vec();
    moves.sort_by_cached_key(|&mv| {
        let captured = position.captured(mv).into_iter().collect::<Vec<_>>();
        (mv.origin(), position.destination(mv), captured)
    });
    moves
}

fn pdn_among(position: &Position, mv: Move, legal: &[Move]) -> String {
    let mine = ends(position, mv);
    let namesakes = legal.iter().filter(|&&other| ends(position, other) == mine);
    match namesakes.count() {
        0 | 1 => short_text(position, mv),
        _ => route_text(position, mv),
    }
}

fn ends(position: &Position, mv: Move) -> (Square, Square) {
    (mv.origin(), position.destination(mv))
}

fn short_text(position: &Position, mv: Move) -> String {
    let mark = if mv.is_capture() { 'x' } else { '-' };
    format!("{}{mark}{}", mv.origin(), position.destination(mv))
}

/// A capture with every square it lands on; all captures of a position take
/// equally many pieces, so this names one move only.
fn route_text(position: &Position, capture: Move) -> String {
    match route_of(position, capture, &[]) {
        Some(route) => {
            let squares = route.iter().map(Square::to_string).collect::<Vec<_>>();
            squares.join("x")
        }
        None => short_text(position, capture),
    }
}

/// `a`, `a or b`, `a, b or c`, `a, b, c, …`.
fn list(texts: impl Iterator<Item = String>) -> String {
    let mut texts = texts.collect::<Vec<_>>();
    if texts.len() > MOST_LISTED {
        texts.truncate(MOST_LISTED);
        return texts.join(", ") + ", …";
    }
    match texts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => texts.concat(),
    }
}

impl Squares {
    fn read(text: &str) -> Result<Squares, MoveTextError> {
        let text = text.trim();
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let (squares, says_capture) = if is_digits {
            (squares_of_two_digits(text)?, false)
        } else {
            squares_with_marks(text)?
        };
        match squares.split_first() {
            Some((&origin, [second, ..])) if squares.len() <= MOST_SQUARES => Ok(Squares {
                origin,
                second: *second,
                later: squares.iter().skip(1).copied().collect(),
                says_capture,
            }),
            _ => Err(MoveTextError::NotAMove),
        }
    }

    /// Whether the text names `mv`, one of the legal moves.
    fn name(&self, position: &Position, mv: Move) -> bool {
        if mv.origin() != self.origin {
            return false;
        }
        if !mv.is_capture() {
            let is_step = self.later.len() == 1 && !self.says_capture;
            return is_step && position.destination(mv) == self.second;
        }
        self.name_captured(position, mv) || self.name_route(position, mv)
    }

    /// As Hub writes: the destination, then captured squares.
    fn name_captured(&self, position: &Position, capture: Move) -> bool {
        let named = self.later.iter().skip(1).copied().collect::<Bitboard>();
        position.destination(capture) == self.second
            && named.count() as usize == self.later.len() - 1
            && named.without(position.captured(capture)).is_empty()
    }

    /// As PDN writes: squares that the piece lands on, the destination last.
    fn name_route(&self, position: &Position, capture: Move) -> bool {
        self.later.split_last().is_some_and(|(&last, via)| {
            position.destination(capture) == last && route_of(position, capture, via).is_some()
        })
    }

    /// Why the text names none of `legal`, the legal moves.
    fn why_illegal(&self, position: &Position, legal: &[Move]) -> MoveTextError {
        let side = position.side();
        let (square, owner) = (self.origin, side.opponent());
        if position.pieces(owner).contains(square) {
            return MoveTextError::NotYourPiece { square, owner };
        }
        if !position.pieces(side).contains(square) {
            return MoveTextError::NoPiece(square);
        }
        match legal.first() {
            Some(first) if first.is_capture() => {
                let pieces = position.captured(*first).count();
                self.why_no_capture(position, legal, pieces)
            }
            _ if self.says_capture || self.later.len() > 1 => MoveTextError::NothingToCapture,
            _ if position.kings(side).contains(square) => self.why_no_flight(position),
            _ => self.why_no_step(position),
        }
    }

    fn why_no_capture(&self, position: &Position, legal: &[Move], pieces: u32) -> MoveTextError {
        let captures = list(legal.iter().map(|&mv| pdn_among(position, mv, legal)));
        if self.is_too_short(position, legal) {
            MoveTextError::MoreCanBeTaken { captures, pieces }
        } else if self.says_capture {
            MoveTextError::NoSuchCapture { captures, pieces }
        } else {
            MoveTextError::CaptureMandatory { captures, pieces }
        }
    }

    /// Whether the piece could jump to where the text sends it, but not by any
    /// of the longest captures, `legal`.
    fn is_too_short(&self, position: &Position, legal: &[Move]) -> bool {
        let is_too_short = |end| {
            let mut ends = legal.iter().map(|&mv| ends(position, mv));
            can_jump_to(position, self.origin, end) && !ends.any(|ends| ends == (self.origin, end))
        };
        self.later.last().is_some_and(|&last| is_too_short(last)) || is_too_short(self.second)
    }

    fn why_no_flight(&self, position: &Position) -> MoveTextError {
        let diagonals = diagonals(self.origin);
        let Some(diagonal) = diagonals.iter().find(|line| line.contains(&self.second)) else {
            return MoveTextError::NotDiagonal(self.origin, self.second);
        };
        let mut way = diagonal.iter().copied();
        let obstacle = way.find(|&square| !position.empty().contains(square));
        MoveTextError::Blocked(obstacle.unwrap_or(self.second))
    }

    fn why_no_step(&self, position: &Position) -> MoveTextError {
        let (from, to) = (self.origin.row(), self.second.row());
        let (ahead, behind) = match position.side() {
            Side::White => (from.saturating_sub(to), to.saturating_sub(from)),
            Side::Black => (to.saturating_sub(from), from.saturating_sub(to)),
        };
        let is_beside = self.origin.column().abs_diff(self.second.column()) == 1;
        match (ahead, behind) {
            (_, 1..) => MoveTextError::Backward,
            (2.., _) => MoveTextError::TooFar,
            (1, _) if is_beside => MoveTextError::Blocked(self.second),
            _ => MoveTextError::NotDiagonal(self.origin, self.second),
        }
    }
}

/// `3228`: two digits a square and nothing between.
fn squares_of_two_digits(digits: &str) -> Result<Vec<Square>, MoveTextError> {
    let mut squares = Vec::new();
    let mut rest = digits;
    while !rest.is_empty() && squares.len() <= MOST_SQUARES {
        let (number, after) = rest.split_at_checked(2).ok_or(MoveTextError::NotAMove)?;
        squares.push(square(number)?);
        rest = after;
    }
    Ok(squares)
}

/// Numbers with marks between them, and whether a mark is a capture's.
fn squares_with_marks(text: &str) -> Result<(Vec<Square>, bool), MoveTextError> {
    let (number, mut rest) = split_while(text, |character| character.is_ascii_digit());
    let mut squares = vec![square(number)?];
    let mut says_capture = false;
    let mut has_gap = false;
    while !rest.is_empty() {
        let (mark, after) = split_while(rest, |character| !character.is_ascii_digit());
        let (number, after) = split_while(after, |character| character.is_ascii_digit());
        let (mark, next) = (Mark::read(mark)?, square(number)?);
        says_capture |= mark == Mark::Capture;
        if mark != Mark::Space {
            squares.push(next);
        } else if squares.last() != Some(&next) {
            squares.push(next);
            has_gap = true;
        }
        if squares.len() > MOST_SQUARES {
            return Err(MoveTextError::NotAMove);
        }
        rest = after;
    }
    // `32 28` is a move, `32-28 19-23` is two; a space otherwise only parts
    // jumps, each of which starts where the last one ended.
    match has_gap && squares.len() > 2 {
        true => Err(MoveTextError::NotAMove),
        false => Ok((squares, says_capture)),
    }
}

/// What stands between two numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Step,
    Capture,
    Space,
}

impl Mark {
    fn read(text: &str) -> Result<Mark, MoveTextError> {
        let mut characters = text.trim().chars();
        match (characters.next(), characters.next()) {
            (None, _) => Ok(Mark::Space),
            (Some(mark), None) if is_capture_mark(mark) => Ok(Mark::Capture),
            (Some(mark), None) if is_dash(mark) => Ok(Mark::Step),
            _ => Err(MoveTextError::NotAMove),
        }
    }
}

/// What stands between the squares of a capture.
pub(super) fn is_capture_mark(character: char) -> bool {
    matches!(character, 'x' | 'X' | ':' | '×')
}

/// What stands between the squares of a step: hyphens (plain, soft, short,
/// non-breaking), figure, en and em dash, bar, minus, and their small and wide
/// forms.
pub(super) fn is_dash(character: char) -> bool {
    matches!(
        character,
        '-' | '\u{ad}' | '\u{2010}'
            ..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// The longest beginning whose characters all are `wanted`, and the rest.
fn split_while(text: &str, wanted: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|character| !wanted(character));
    text.split_at(end.unwrap_or(text.len()))
}

fn square(number: &str) -> Result<Square, MoveTextError> {
    if number.is_empty() {
        return Err(MoveTextError::NotAMove);
    }
    let square = number.parse().ok().and_then(Square::from_number);
    square.ok_or_else(|| MoveTextError::NoSuchSquare(excerpt(number)))
}
