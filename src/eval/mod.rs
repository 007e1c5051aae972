//! What a quiet position is worth: a hand-written evaluation.
//!
//! Each side is valued on its own, on a board turned so that its men walk
//! upwards, and the difference is the result; so exchanging the colours and
//! turning the board changes the sign of White's value and nothing else. The
//! weights stand in `weights` and were set by judgement, not fitted.
//!
//! The evaluation knows neither the search nor the draw rules, and it is wrong
//! where a capture is pending: ask it about positions without one.

mod weights;

use crate::{
    board::{
        Bitboard, Position, Side,
        bitboard::{Direction, NorthEast, NorthWest, SouthEast, SouthWest},
    },
    score::Score,
};

/// The value of a position to the side to move, in centi-men.
pub fn evaluate(position: &Position) -> Score {
    let own = Army::new(position, position.side());
    let enemy = Army::new(position, position.side().opponent());
    let difference = own.value() - enemy.value() + weights::TO_MOVE;
    Score::heuristic(scaled(position, difference))
}

/// A side's pieces and what it needs to know of the other's, the board turned
/// so that its men walk upwards.
struct Army {
    men: Bitboard,
    kings: Bitboard,
    enemies: Bitboard,
    enemy_kings: Bitboard,
    empty: Bitboard,
}

impl Army {
    fn new(position: &Position, side: Side) -> Army {
        let turned = |set: Bitboard| match side {
            Side::White => set,
            Side::Black => set.reversed(),
        };
        Army {
            men: turned(position.men(side)),
            kings: turned(position.kings(side)),
            enemies: turned(position.pieces(side.opponent())),
            enemy_kings: turned(position.kings(side.opponent())),
            empty: turned(position.empty()),
        }
    }

    fn value(&self) -> i32 {
        self.material() + self.placement() + self.balance() + self.runaways() + self.king_freedom()
    }

    fn material(&self) -> i32 {
        let kings = self.kings.count() as i32;
        self.men.count() as i32 * weights::MAN
            + kings * weights::KING
            + kings.min(1) * weights::FIRST_KING
    }

    /// Where the men stand, what protects them and what they can still do.
    fn placement(&self) -> i32 {
        let by_area: i32 = weights::AREAS
            .iter()
            .map(|&(area, weight)| (self.men & area).count() as i32 * weight)
            .sum();
        let left = self.men.step::<NorthWest>();
        let right = self.men.step::<NorthEast>();
        let supported = self.men & left & right;
        let behind_one = self.men & (left ^ right);
        let steps = (left | right) & self.empty;
        let able = steps.step::<SouthEast>() | steps.step::<SouthWest>();
        let stuck = self.men.without(able);
        by_area
            + supported.count() as i32 * weights::SUPPORTED_TWICE
            + behind_one.count() as i32 * weights::SUPPORTED_ONCE
            + stuck.count() as i32 * weights::STUCK
            + self.back_row()
    }

    /// The men at home, which keep the enemy from promoting.
    fn back_row(&self) -> i32 {
        if self.enemy_kings.any() {
            return 0;
        }
        let home = self.men & Bitboard::BOTTOM_ROW;
        home.count() as i32 * weights::AT_HOME
    }

    /// Men should not crowd on one wing.
    fn balance(&self) -> i32 {
        let left = (self.men & weights::LEFT_WING).count() as i32;
        let right = (self.men & weights::RIGHT_WING).count() as i32;
        (left - right).abs() * weights::UNBALANCE
    }

    /// Men that no enemy stands before.
    fn runaways(&self) -> i32 {
        let free = self.men.without(shadow(self.enemies));
        if free.is_empty() {
            return 0;
        }
        let weights = if self.enemy_kings.any() {
            &weights::RUNAWAY_AGAINST_KING
        } else {
            &weights::RUNAWAY
        };
        free.into_iter().map(|man| weights[man.row()]).sum()
    }

    /// What the kings can reach; one that can reach next to nothing is lost.
    fn king_freedom(&self) -> i32 {
        if self.kings.is_empty() {
            return 0;
        }
        let reached = self.flown::<NorthWest>()
            | self.flown::<NorthEast>()
            | self.flown::<SouthWest>()
            | self.flown::<SouthEast>();
        let mobility = reached.without(self.kings).count() as i32;
        let main_road = (self.kings & weights::MAIN_ROAD).count() as i32;
        let trapped = if mobility <= 1 { weights::TRAPPED } else { 0 };
        mobility * weights::KING_MOBILITY + main_road.min(1) * weights::ON_MAIN_ROAD + trapped
    }

    fn flown<D: Direction>(&self) -> Bitboard {
        self.kings.slide::<D>(self.empty)
    }
}

/// The squares below a piece: all from which a man walking up could meet it.
fn shadow(pieces: Bitboard) -> Bitboard {
    let mut shadow = pieces;
    let mut row = pieces;
    for _ in 0..8 {
        row = (row.step::<SouthWest>() | row.step::<SouthEast>()) & Bitboard::BOARD;
        row |= pieces;
        shadow |= row;
    }
    shadow
}

/// The value, nearer to a draw where a few kings cannot force a win.
fn scaled(position: &Position, value: i32) -> i32 {
    let stronger = if value >= 0 {
        position.side()
    } else {
        position.side().opponent()
    };
    let weaker = stronger.opponent();
    let defended = position.kings(weaker).any();
    if !defended || position.pieces(stronger).count() > 4 {
        return value;
    }
    let (king, road) = (position.kings(weaker), weights::MAIN_ROAD);
    if position.pieces(stronger).count() <= 3 || king.meets(road) {
        value / weights::DRAWISH
    } else {
        value / weights::DIFFICULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{MoveList, Square};

    /// Calls `visit` at every leaf of the move tree.
    fn leaves(position: &Position, depth: u32, visit: &mut impl FnMut(&Position)) {
        if depth == 0 {
            return visit(position);
        }
        let mut list = MoveList::new();
        position.legal_moves(&mut list);
        for mv in &list {
            leaves(&position.play(mv), depth - 1, visit);
        }
    }

    fn set(numbers: &[u8]) -> Bitboard {
        numbers
            .iter()
            .filter_map(|&n| Square::from_number(n))
            .collect()
    }

    fn position(men: [&[u8]; 2], kings: [&[u8]; 2]) -> Position {
        Position::new(men.map(set), kings.map(set), Side::White).unwrap()
    }

    #[test]
    fn the_colour_reversed_position_is_worth_the_same_to_its_mover() {
        let endings = [
            position([&[31, 32, 27], &[]], [&[1, 20], &[48, 50]]),
            position([&[7, 12, 45, 40], &[44, 39, 6]], [&[22], &[]]),
            position([&[26, 31, 36], &[21]], [&[46], &[5, 2]]),
        ];
        for (root, depth) in std::iter::once((Position::initial(), 5))
            .chain(endings.into_iter().map(|ending| (ending, 3)))
        {
            leaves(&root, depth, &mut |leaf| {
                assert_eq!(evaluate(leaf), evaluate(&leaf.reversed()), "{leaf:?}");
            });
        }
    }

    #[test]
    fn a_man_more_is_worth_about_a_man() {
        let more = position([&[31, 32, 33, 34, 38], &[12, 13, 17, 18]], [&[], &[]]);
        assert!((70..=140).contains(&evaluate(&more).centimen()));
    }

    #[test]
    fn a_man_that_nothing_can_stop_is_worth_more_than_one_that_is_met() {
        let free = position([&[16, 48], &[15, 20]], [&[], &[]]);
        let met = position([&[16, 48], &[2, 7]], [&[], &[]]);
        assert!(evaluate(&free) > evaluate(&met));
    }

    #[test]
    fn two_kings_against_one_are_close_to_a_draw() {
        let two_to_one = position([&[], &[]], [&[10, 44], &[47]]);
        assert!(evaluate(&two_to_one).centimen() < 60);
    }
}
