//! Where the pieces stand as the side to move sees them: the mover is always
//! White, and the board is turned if it was Black.
//!
//! So colours are gone before anything is looked up, and each ending exists
//! once. Keys and draw rules are not known here.

use super::material::Material;
use crate::board::{
    Bitboard, Move, MoveList, Position, Side,
    movegen::{self, View},
    position::promotion_row,
};

/// Men and kings, the mover's first; the mover's men walk up, to square 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The men of the mover and of the other side.
    pub men: [Bitboard; 2],
    /// The kings of the mover and of the other side.
    pub kings: [Bitboard; 2],
}

impl Placement {
    /// The pieces of `position` as its side to move sees them.
    #[inline]
    pub fn of(position: &Position) -> Placement {
        let placement = Placement {
            men: Side::BOTH.map(|side| position.men(side)),
            kings: Side::BOTH.map(|side| position.kings(side)),
        };
        match position.side() {
            Side::White => placement,
            Side::Black => placement.turned(),
        }
    }

    /// The position with White to move.
    pub fn position(&self) -> Option<Position> {
        Position::new(self.men, self.kings, Side::White).ok()
    }

    /// The same pieces as the other side sees them.
    #[inline(always)]
    pub const fn turned(&self) -> Placement {
        Placement {
            men: [self.men[1].reversed(), self.men[0].reversed()],
            kings: [self.kings[1].reversed(), self.kings[0].reversed()],
        }
    }

    /// How many pieces of each kind there are.
    #[inline(always)]
    pub const fn material(&self) -> Material {
        Material {
            men: [self.men[0].count() as u8, self.men[1].count() as u8],
            kings: [self.kings[0].count() as u8, self.kings[1].count() as u8],
        }
    }

    /// All pieces of the mover.
    #[inline(always)]
    pub fn own(&self) -> Bitboard {
        self.men[0] | self.kings[0]
    }

    /// All pieces of the other side.
    #[inline(always)]
    pub fn enemies(&self) -> Bitboard {
        self.men[1] | self.kings[1]
    }

    /// The squares without a piece.
    #[inline(always)]
    pub fn empty(&self) -> Bitboard {
        Bitboard::BOARD.without(self.own() | self.enemies())
    }

    /// What the move generator sees.
    #[inline(always)]
    pub fn view(&self) -> View {
        View {
            men: self.men[0],
            kings: self.kings[0],
            enemies: self.enemies(),
            empty: self.empty(),
        }
    }

    /// Whether the mover must capture.
    #[inline(always)]
    pub fn has_capture(&self) -> bool {
        self.view().has_capture()
    }

    /// Whether the mover has any move; without one it has lost.
    #[inline(always)]
    pub fn has_move(&self) -> bool {
        movegen::has_move(&self.view(), Side::White)
    }

    /// Puts all legal moves into `list`.
    #[inline]
    pub fn legal_moves(&self, list: &mut MoveList) {
        movegen::legal_moves(&self.view(), Side::White, list);
    }

    /// What the other side sees after `mv`, which must be legal here.
    #[inline]
    pub fn after(&self, mv: Move) -> Placement {
        let from = Bitboard::of(mv.origin());
        let captured = mv.changed() & self.enemies();
        let to = mv.changed() ^ captured ^ from;
        let becomes_king = self.kings[0].meets(from) || to.meets(promotion_row(Side::White));
        let mut next = Placement {
            men: [self.men[0].without(from), self.men[1].without(captured)],
            kings: [self.kings[0].without(from), self.kings[1].without(captured)],
        };
        if becomes_king {
            next.kings[0] |= to;
        } else {
            next.men[0] |= to;
        }
        next.turned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{board::Square, notation::fen};

    #[test]
    fn a_move_on_placements_is_the_move_on_positions() {
        for text in [
            "W:WK46,7,30:B9,K28,41",
            "B:WK46,7,30:B9,K28,41",
            "W:WK2,K3,K30,K50:B11,19,21,22,23,33,39,41,42",
            "B:W6,K50:B41,12",
            "W:W7,K50:BK41,K12",
        ] {
            let position = fen::read(text).unwrap();
            let placement = Placement::of(&position);
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let mut expected: Vec<Placement> = moves
                .into_iter()
                .map(|mv| Placement::of(&position.play(mv)))
                .collect();
            placement.legal_moves(&mut moves);
            let mut found: Vec<Placement> =
                moves.into_iter().map(|mv| placement.after(mv)).collect();
            let order = |p: &Placement| [p.men, p.kings].map(|sets| sets.map(Bitboard::bits));
            expected.sort_by_key(order);
            found.sort_by_key(order);
            assert_eq!(found, expected, "{text}");
            assert!(!found.is_empty());
        }
    }

    #[test]
    fn turning_twice_changes_nothing() {
        let placement = Placement::of(&fen::read("B:WK46,7,30:B9,K28,41").unwrap());
        assert_eq!(placement.turned().turned(), placement);
        let ten = Square::from_number(10).map(Bitboard::of);
        assert_eq!(Some(placement.men[0] & ten.unwrap()), ten);
    }
}
