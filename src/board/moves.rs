//! Moves, and lists of them that never allocate.

use super::{bitboard::Bitboard, square::Square};

/// A move: the squares that it changes, and the square it starts from.
///
/// The changed squares are the origin, the destination and every captured
/// piece; a capture that ends where it began changes only the captured ones.
/// Since two kings may circle over the same pieces, the origin stands in the
/// ten spare bits. Two moves of one position are equal exactly if they have the
/// same origin, destination and captured pieces, whatever the path.
///
/// What was captured and where the move ends can only be told with the
/// position it was made for: [`Position::captured`](super::Position::captured)
/// and [`Position::destination`](super::Position::destination).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u64);

impl Move {
    /// No move: it changes no square.
    pub const NONE: Move = Move(0);

    const ORIGIN_SHIFT: u32 = Square::BITS as u32;

    /// A step or a king's flight to an empty square.
    #[inline(always)]
    pub const fn quiet(origin: Square, destination: Square) -> Move {
        let changed = 1 << origin.bit() | 1 << destination.bit();
        Move(changed | (origin.bit() as u64) << Self::ORIGIN_SHIFT)
    }

    /// A capture of the pieces on `captured`; it may end where it began.
    #[inline(always)]
    pub const fn capture(origin: Square, destination: Square, captured: Bitboard) -> Move {
        let moved = 1 << origin.bit() ^ 1 << destination.bit();
        Move(moved | captured.bits() | (origin.bit() as u64) << Self::ORIGIN_SHIFT)
    }

    /// The squares whose content differs after the move.
    #[inline(always)]
    pub const fn changed(self) -> Bitboard {
        Bitboard::from_bits(self.0)
    }

    /// The square the moving piece leaves.
    #[inline(always)]
    pub const fn origin(self) -> Square {
        Square::from_bit((self.0 >> Self::ORIGIN_SHIFT) as u8)
    }

    /// Whether something is captured: a quiet move changes two squares, a
    /// capture at least three.
    #[inline(always)]
    pub const fn is_capture(self) -> bool {
        self.changed().count() > 2
    }

    /// The whole move as a number, for tables.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }
}

/// Up to 512 moves; 407 are the most distinct captures anyone has constructed.
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    moves: [Move; Self::CAPACITY],
}

impl MoveList {
    /// The most moves a list holds.
    pub const CAPACITY: usize = 512;

    /// An empty list. It clears four kilobytes: keep one where speed counts.
    pub const fn new() -> MoveList {
        MoveList {
            len: 0,
            moves: [Move::NONE; Self::CAPACITY],
        }
    }

    /// Empties the list.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends a move; on a full list, which no known position reaches, it is dropped.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }

    /// The moves.
    #[inline(always)]
    pub fn as_slice(&self) -> &[Move] {
        self.moves.get(..self.len).unwrap_or(&self.moves)
    }

    /// The moves, to be put in another order.
    #[inline(always)]
    pub fn as_mut_slice(&mut self) -> &mut [Move] {
        &mut self.moves[..self.len]
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    #[inline(always)]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Move>>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied()
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{:?}", self.origin(), self.changed())
    }
}

impl std::fmt::Debug for MoveList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_list_drops_what_is_pushed() {
        let mut list = MoveList::new();
        let square = |n| Square::from_number(n).unwrap();
        for _ in 0..600 {
            list.push(Move::quiet(square(32), square(28)));
        }
        assert_eq!(list.len(), MoveList::CAPACITY);
    }

    #[test]
    fn kings_that_circle_over_the_same_pieces_make_different_moves() {
        let square = |n| Square::from_number(n).unwrap();
        let captured: Bitboard = [11, 19, 21].into_iter().map(square).collect();
        let circle = |n| Move::capture(square(n), square(n), captured);
        assert_ne!(circle(2), circle(3));
        assert_eq!(circle(2).changed(), captured);
        assert_eq!(circle(3).origin(), square(3));
        assert!(circle(3).is_capture());
        assert!(!Move::quiet(square(32), square(28)).is_capture());
    }
}
