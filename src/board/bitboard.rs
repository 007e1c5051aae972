//! Sets of squares, and the four diagonal directions.
//!
//! ```text
//!       0   1   2   3   4
//!     5   6   7   8   9   (10)
//!      11  12  13  14  15
//!    16  17  18  19  20   (21)
//!      22  ...
//! ```
//!
//! Two rows of five squares and one ghost take eleven bits, so that a step
//! down is 5 bits to the left and 6 bits to the right from every square, and a
//! step over the border ends on a ghost or outside. One AND with a set of real
//! squares removes such strays; nothing needs to test for a border.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign};

use super::square::Square;

/// A set of squares.
///
/// Only [`Bitboard::step`] and its kin may put bits on ghosts or outside the
/// board; their result is to be met with a set of real squares.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(u64);

/// A diagonal direction as a type, so that each is compiled on its own.
pub trait Direction {
    /// How far a step moves a bit.
    const STEP: i32;
    /// 0 to 3: an index into arrays that hold a value a direction.
    const INDEX: usize;
    /// The way back.
    type Opposite: Direction;
    /// One of the two directions across.
    type Left: Direction;
    /// The other direction across.
    type Right: Direction;
}

macro_rules! direction {
    ($(#[$doc:meta])* $name:ident, $index:literal, $step:literal, $opposite:ident, $left:ident, $right:ident) => {
        $(#[$doc])*
        pub struct $name;

        impl Direction for $name {
            const STEP: i32 = $step;
            const INDEX: usize = $index;
            type Opposite = $opposite;
            type Left = $left;
            type Right = $right;
        }
    };
}

direction!(
    /// Up and left as White sees it.
    NorthWest, 0, -6, SouthEast, SouthWest, NorthEast
);
direction!(
    /// Up and right.
    NorthEast, 1, -5, SouthWest, NorthWest, SouthEast
);
direction!(
    /// Down and left.
    SouthWest, 2, 5, NorthEast, SouthEast, NorthWest
);
direction!(
    /// Down and right.
    SouthEast, 3, 6, NorthWest, NorthEast, SouthWest
);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// All fifty squares.
    pub const BOARD: Bitboard = {
        let ghosts = 1 << 10 | 1 << 21 | 1 << 32 | 1 << 43;
        Bitboard(((1 << Square::BITS) - 1) & !ghosts)
    };

    /// Squares 1 to 5, where white men become kings.
    pub const TOP_ROW: Bitboard = Bitboard(0b11111);

    /// Squares 46 to 50, where black men become kings.
    pub const BOTTOM_ROW: Bitboard = Self::TOP_ROW.reversed();

    /// The set whose bits are those of `bits`; bits outside the board are dropped.
    pub const fn from_bits(bits: u64) -> Bitboard {
        Bitboard(bits & Self::BOARD.0)
    }

    /// The bits, in the layout of this module.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set of one square.
    #[inline(always)]
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.bit())
    }

    /// Whether no square is in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether any square is in the set.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// How many squares are in the set.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has more than one square.
    #[inline(always)]
    pub const fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Whether `square` is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & (1 << square.bit()) != 0
    }

    /// Whether the sets share a square.
    #[inline(always)]
    pub const fn meets(self, other: Bitboard) -> bool {
        self.0 & other.0 != 0
    }

    /// The squares that are in this set and not in `other`.
    #[inline(always)]
    pub const fn without(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }

    /// The square with the lowest number.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::from_bit(self.0.trailing_zeros() as u8))
        }
    }

    /// The squares as sets of one, in ascending order.
    #[inline(always)]
    pub fn singles(self) -> impl Iterator<Item = Bitboard> {
        self.into_iter().map(Bitboard::of)
    }

    /// The set after half a turn of the board.
    #[inline(always)]
    pub const fn reversed(self) -> Bitboard {
        Bitboard(self.0.reverse_bits() >> (64 - Square::BITS))
    }

    /// All squares moved one step in direction `D`; steps over the border
    /// leave strays on ghosts, see the type.
    #[inline(always)]
    pub const fn step<D: Direction>(self) -> Bitboard {
        self.shift(D::STEP)
    }

    /// All squares moved two steps in direction `D`, strays as with [`Bitboard::step`].
    ///
    /// Two steps may cross a ghost and come back to a real square, so the
    /// square between must have been tested.
    #[inline(always)]
    pub const fn leap<D: Direction>(self) -> Bitboard {
        self.shift(2 * D::STEP)
    }

    /// These squares and all that a king on them reaches in direction `D`
    /// through `empty`, without those on which it stands being empty.
    #[inline(always)]
    pub const fn slide<D: Direction>(self, empty: Bitboard) -> Bitboard {
        // Doubling: after each line the set has slid up to 1, 3, 7 and 9 steps.
        let one = empty;
        let two = one.0 & one.shift(D::STEP).0;
        let four = two & Bitboard(two).shift(2 * D::STEP).0;
        let mut reached = self;
        reached.0 |= one.0 & reached.shift(D::STEP).0;
        reached.0 |= two & reached.shift(2 * D::STEP).0;
        reached.0 |= four & reached.shift(4 * D::STEP).0;
        reached.0 |= two & reached.shift(2 * D::STEP).0;
        reached
    }

    #[inline(always)]
    const fn shift(self, distance: i32) -> Bitboard {
        if distance > 0 {
            Bitboard(self.0 << distance)
        } else {
            Bitboard(self.0 >> -distance)
        }
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Bitboard) {
        self.0 ^= other.0;
    }
}

/// The squares of a set in ascending order.
#[derive(Clone)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares
            .into_iter()
            .fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
    }
}

impl std::fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(*self & Bitboard::BOARD).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u8]) -> Bitboard {
        numbers
            .iter()
            .filter_map(|&n| Square::from_number(n))
            .collect()
    }

    fn neighbours<D: Direction>(number: u8) -> Bitboard {
        set(&[number]).step::<D>() & Bitboard::BOARD
    }

    #[test]
    fn a_step_is_diagonal_everywhere_and_ends_at_the_border() {
        for square in Square::all() {
            let check = |found: Bitboard, row: isize, column: isize| {
                let target = Square::all().find(|to| {
                    to.row() as isize == square.row() as isize + row
                        && to.column() as isize == square.column() as isize + column
                });
                assert_eq!(found.first(), target, "from {square}");
                assert!(!found.has_several());
            };
            check(neighbours::<NorthWest>(square.number()), -1, -1);
            check(neighbours::<NorthEast>(square.number()), -1, 1);
            check(neighbours::<SouthWest>(square.number()), 1, -1);
            check(neighbours::<SouthEast>(square.number()), 1, 1);
        }
    }

    #[test]
    fn a_slide_crosses_the_whole_board_and_stops_before_a_piece() {
        let diagonal = set(&[46, 41, 37, 32, 28, 23, 19, 14, 10, 5]);
        assert_eq!(set(&[46]).slide::<NorthEast>(Bitboard::BOARD), diagonal);
        assert_eq!(set(&[5]).slide::<SouthWest>(Bitboard::BOARD), diagonal);
        let blocked = Bitboard::BOARD.without(set(&[19]));
        assert_eq!(
            set(&[46]).slide::<NorthEast>(blocked),
            set(&[46, 41, 37, 32, 28, 23])
        );
    }

    #[test]
    fn half_a_turn_maps_each_square_to_its_counterpart() {
        assert_eq!(set(&[1, 7, 50]).reversed(), set(&[50, 44, 1]));
        assert_eq!(Bitboard::BOARD.reversed(), Bitboard::BOARD);
        assert_eq!(Bitboard::BOARD.count(), 50);
    }
}
