//! The fifty playing squares.

/// A playing square, numbered 1 to 50 as Manoury did.
///
/// Inside it is the square's bit in a [`Bitboard`](super::Bitboard): two rows
/// of five squares and one ghost make eleven bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// How many playing squares there are.
    pub const COUNT: usize = 50;

    /// One more than the highest bit of a square: the length of an array that
    /// is indexed by [`Square::bit`].
    pub const BITS: usize = 54;

    /// Square 1.
    pub const FIRST: Square = Square(0);

    /// The square with this number, if it is one of 1 to 50.
    pub const fn from_number(number: u8) -> Option<Square> {
        match number {
            1..=50 => Some(Square((number - 1) + (number - 1) / 10)),
            _ => None,
        }
    }

    /// The square of a bit that is known to be a playing square's.
    #[inline(always)]
    pub(super) const fn from_bit(bit: u8) -> Square {
        debug_assert!(bit < Self::BITS as u8 && bit % 11 != 10);
        Square(bit)
    }

    /// All squares in ascending order.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> {
        (1..=50).filter_map(Square::from_number)
    }

    /// The square's number, 1 to 50.
    #[inline(always)]
    pub const fn number(self) -> u8 {
        self.index() as u8 + 1
    }

    /// The square's number less one, 0 to 49.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 - self.0 / 11) as usize
    }

    /// The square's bit in a bitboard, 0 to 53, of which 10, 21, 32 and 43 are ghosts.
    #[inline(always)]
    pub const fn bit(self) -> usize {
        self.0 as usize
    }

    /// The row, 0 for squares 1 to 5 up to 9 for squares 46 to 50.
    pub const fn row(self) -> usize {
        self.index() / 5
    }

    /// The column, 0 at White's left to 9 at White's right.
    pub const fn column(self) -> usize {
        2 * (self.index() % 5) + (self.row() + 1) % 2
    }

    /// The square after half a turn of the board: 51 less the number.
    #[inline(always)]
    pub const fn reversed(self) -> Square {
        Square(Self::BITS as u8 - 1 - self.0)
    }
}

impl std::fmt::Display for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.number().fmt(f)
    }
}

impl std::fmt::Debug for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.number().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bits_are_two_names_of_fifty_squares() {
        let bits: Vec<usize> = Square::all().map(Square::bit).collect();
        assert_eq!(bits.len(), Square::COUNT);
        assert!(bits.is_sorted());
        assert_eq!((bits[0], bits[9], bits[10], bits[49]), (0, 9, 11, 53));
        for (number, square) in (1..).zip(Square::all()) {
            assert_eq!(square.number(), number);
            assert_eq!(square.reversed().number(), 51 - number);
        }
        assert_eq!(Square::from_number(0), None);
        assert_eq!(Square::from_number(51), None);
    }

    #[test]
    fn the_long_diagonal_runs_from_46_to_5() {
        let corner = |number| {
            let square = Square::from_number(number).unwrap();
            (square.row(), square.column())
        };
        assert_eq!(corner(46), (9, 0));
        assert_eq!(corner(5), (0, 9));
        assert_eq!(corner(28), (5, 4));
    }
}
