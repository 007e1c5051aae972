//! A position: who stands where, and who is to move.

use super::{
    bitboard::Bitboard,
    count,
    movegen::{self, Black, View, White},
    moves::{Move, MoveList},
    side::Side,
    square::Square,
    zobrist,
};

/// A legal position, 32 bytes, copied when a move is played.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    pieces: [Bitboard; 2],
    kings: Bitboard,
    side: Side,
    key: u64,
}

/// Why a set-up is no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// Two pieces were put on one square.
    #[error("two pieces on square {0}")]
    TwoPieces(Square),
    /// A man stands where it would have become a king.
    #[error("a {0} man on square {1}, where it would be a king")]
    ManOnPromotionRow(Side, Square),
}

impl Position {
    /// A position from its men and kings, each White's then Black's.
    ///
    /// Either side may be without pieces; without any, the side to move has lost.
    pub fn new(
        men: [Bitboard; 2],
        kings: [Bitboard; 2],
        side: Side,
    ) -> Result<Position, PositionError> {
        let mut seen = Bitboard::EMPTY;
        for set in men.into_iter().chain(kings) {
            if let Some(square) = (seen & set).first() {
                return Err(PositionError::TwoPieces(square));
            }
            seen |= set;
        }
        for colour in Side::BOTH {
            if let Some(square) = (men[colour.index()] & promotion_row(colour)).first() {
                return Err(PositionError::ManOnPromotionRow(colour, square));
            }
        }
        let mut position = Position {
            pieces: [men[0] | kings[0], men[1] | kings[1]],
            kings: kings[0] | kings[1],
            side,
            key: 0,
        };
        position.key = position.key_from_scratch();
        Ok(position)
    }

    /// The initial position: twenty men each, White to move.
    pub fn initial() -> Position {
        let rows = Square::all()
            .filter(|square| square.row() < 4)
            .collect::<Bitboard>();
        let mut position = Position {
            pieces: [rows.reversed(), rows],
            kings: Bitboard::EMPTY,
            side: Side::White,
            key: 0,
        };
        position.key = position.key_from_scratch();
        position
    }

    /// The side to move.
    #[inline(always)]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// All pieces of a side.
    #[inline(always)]
    pub const fn pieces(&self, side: Side) -> Bitboard {
        self.pieces[side.index()]
    }

    /// The men of a side.
    #[inline(always)]
    pub const fn men(&self, side: Side) -> Bitboard {
        self.pieces(side).without(self.kings)
    }

    /// The kings of a side.
    #[inline(always)]
    pub fn kings(&self, side: Side) -> Bitboard {
        self.pieces(side) & self.kings
    }

    /// The squares without a piece.
    #[inline(always)]
    pub fn empty(&self) -> Bitboard {
        Bitboard::BOARD.without(self.pieces[0] | self.pieces[1])
    }

    /// How many pieces stand on the board.
    #[inline(always)]
    pub fn piece_count(&self) -> u32 {
        (self.pieces[0] | self.pieces[1]).count()
    }

    /// The Zobrist key: equal for equal positions with the same side to move.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// What the move generator sees.
    #[inline(always)]
    pub fn view(&self) -> View {
        self.view_of(self.side)
    }

    /// What the move generator would see with `side` to move.
    #[inline(always)]
    pub fn view_of(&self, side: Side) -> View {
        View {
            men: self.men(side),
            kings: self.kings(side),
            enemies: self.pieces(side.opponent()),
            empty: self.empty(),
        }
    }

    /// Puts all legal moves into `list`, each once; the order is fixed.
    #[inline]
    pub fn legal_moves(&self, list: &mut MoveList) {
        movegen::legal_moves(&self.view(), self.side, list);
    }

    /// How many legal moves there are.
    #[inline]
    pub fn count_moves(&self) -> u32 {
        match self.side {
            Side::White => count::count_moves::<White>(&self.view()),
            Side::Black => count::count_moves::<Black>(&self.view()),
        }
    }

    /// Whether the side to move must capture.
    #[inline(always)]
    pub fn has_capture(&self) -> bool {
        self.view().has_capture()
    }

    /// Whether the side to move has any move; without one it has lost.
    #[inline(always)]
    pub fn has_move(&self) -> bool {
        movegen::has_move(&self.view(), self.side)
    }

    /// The pieces that `mv`, a legal move, captures.
    #[inline(always)]
    pub fn captured(&self, mv: Move) -> Bitboard {
        mv.changed() & self.pieces(self.side.opponent())
    }

    /// The square on which `mv`, a legal move, ends.
    #[inline(always)]
    pub fn destination(&self, mv: Move) -> Square {
        self.landing(mv).first().unwrap_or(mv.origin())
    }

    /// The set of the square on which `mv` ends; a circular capture has no
    /// origin among its changed squares, so this puts it back.
    #[inline(always)]
    fn landing(&self, mv: Move) -> Bitboard {
        mv.changed() ^ self.captured(mv) ^ Bitboard::of(mv.origin())
    }

    /// The position after `mv`, which must be legal here.
    #[inline(always)]
    pub fn play(&self, mv: Move) -> Position {
        let (side, enemy) = (self.side, self.side.opponent());
        let (from, to) = (Bitboard::of(mv.origin()), self.landing(mv));
        let captured = self.captured(mv);
        let was_king = self.kings.meets(from);
        let is_king = was_king || to.meets(promotion_row(side));

        let mut next = *self;
        next.pieces[side.index()] ^= from ^ to;
        next.kings = next.kings.without(from | captured);
        if is_king {
            next.kings |= to;
        }
        next.key ^= zobrist::BLACK_TO_MOVE
            ^ zobrist::piece(side, was_king, mv.origin())
            ^ zobrist::piece(side, is_king, self.destination(mv));
        if captured.any() {
            next.pieces[enemy.index()] ^= captured;
            for square in captured {
                next.key ^= zobrist::piece(enemy, self.kings.contains(square), square);
            }
        }
        next.side = enemy;
        next
    }

    /// The same position with colours exchanged and the board turned.
    pub fn reversed(&self) -> Position {
        let mut position = Position {
            pieces: [self.pieces[1].reversed(), self.pieces[0].reversed()],
            kings: self.kings.reversed(),
            side: self.side.opponent(),
            key: 0,
        };
        position.key = position.key_from_scratch();
        position
    }

    fn key_from_scratch(&self) -> u64 {
        let mut key = match self.side {
            Side::White => 0,
            Side::Black => zobrist::BLACK_TO_MOVE,
        };
        for side in Side::BOTH {
            key ^= zobrist::pieces(side, false, self.men(side));
            key ^= zobrist::pieces(side, true, self.kings(side));
        }
        key
    }
}

/// The squares on which men of `side` become kings.
#[inline(always)]
pub const fn promotion_row(side: Side) -> Bitboard {
    match side {
        Side::White => Bitboard::TOP_ROW,
        Side::Black => Bitboard::BOTTOM_ROW,
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Position")
            .field("side", &self.side)
            .field("white", &self.pieces[0])
            .field("black", &self.pieces[1])
            .field("kings", &self.kings)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_kept_by_moves_is_the_key_from_scratch() {
        let mut state = 7_u64;
        let mut list = MoveList::new();
        for _ in 0..200 {
            let mut position = Position::initial();
            for _ in 0..120 {
                position.legal_moves(&mut list);
                if list.is_empty() {
                    break;
                }
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                position = position.play(list[(state >> 33) as usize % list.len()]);
                assert_eq!(position.key, position.key_from_scratch());
                let men = Side::BOTH.map(|side| position.men(side));
                let kings = Side::BOTH.map(|side| position.kings(side));
                assert_eq!(Position::new(men, kings, position.side), Ok(position));
            }
        }
    }

    #[test]
    fn a_set_up_with_two_pieces_on_a_square_is_refused() {
        let square = |n| Square::from_number(n).unwrap();
        let one = |n| Bitboard::of(square(n));
        let none = [Bitboard::EMPTY; 2];
        assert_eq!(
            Position::new([one(28), one(28)], none, Side::White),
            Err(PositionError::TwoPieces(square(28)))
        );
        assert_eq!(
            Position::new([one(4), one(49)], none, Side::White),
            Err(PositionError::ManOnPromotionRow(Side::White, square(4)))
        );
        assert!(Position::new(none, [one(4), one(49)], Side::White).is_ok());
    }
}
