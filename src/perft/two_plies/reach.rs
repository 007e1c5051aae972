//! What the opponent's pieces reach before a move of the mover.

use crate::board::{
    Bitboard,
    bitboard::{Direction, NorthEast, NorthWest, SouthEast, SouthWest},
    movegen::View,
};

/// For each direction the opponent's pieces and the empty squares its kings see.
pub(super) struct Reach {
    kings: [Bitboard; 4],
    all: [Bitboard; 4],
}

impl Reach {
    /// The reach of men on `men`, without kings.
    #[inline(always)]
    pub fn of_men(men: Bitboard) -> Reach {
        Reach {
            kings: [Bitboard::EMPTY; 4],
            all: [men; 4],
        }
    }

    /// The reach of all pieces of the side to move in `replies`.
    #[inline(always)]
    pub fn of(replies: &View) -> Reach {
        if replies.kings.is_empty() {
            return Reach::of_men(replies.men);
        }
        let kings = [
            replies.kings.slide::<NorthWest>(replies.empty),
            replies.kings.slide::<NorthEast>(replies.empty),
            replies.kings.slide::<SouthWest>(replies.empty),
            replies.kings.slide::<SouthEast>(replies.empty),
        ];
        Reach {
            kings,
            all: kings.map(|ray| ray | replies.men),
        }
    }

    /// The kings and the empty squares they see in direction `D`.
    #[inline(always)]
    pub fn kings<D: Direction>(&self) -> Bitboard {
        self.kings[D::INDEX]
    }

    /// The squares that are met in direction `D`: the square next to a man, and
    /// all that a king sees with the first piece behind.
    #[inline(always)]
    pub fn met<D: Direction>(&self) -> Bitboard {
        self.all[D::INDEX].step::<D>()
    }

    /// The squares that kings meet in direction `D`.
    #[inline(always)]
    pub fn met_by_kings<D: Direction>(&self) -> Bitboard {
        self.kings[D::INDEX].step::<D>()
    }
}

/// The sum over `squares` of how far a king goes in direction `D` that enters
/// there, the first square counted too.
#[inline(always)]
pub(super) fn run_lengths<D: Direction>(squares: Bitboard, empty: Bitboard) -> u64 {
    let mut rest = squares;
    let mut sum = 0;
    while rest.any() {
        sum += u64::from(rest.count());
        rest = rest.step::<D>() & empty;
    }
    sum
}
