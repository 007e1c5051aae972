//! Which quiet moves have been good, wherever they were played.

use crate::board::{Move, Position, Side, Square};

use super::params::HISTORY_LIMIT;

/// A number for each side's quiet moves by origin and destination, within
/// ±`HISTORY_LIMIT` ("history heuristic", Schaeffer 1983; with gravity,
/// so that old merits fade).
pub(super) struct History {
    values: [[[i16; Square::BITS]; Square::BITS]; 2],
}

impl History {
    pub(super) fn new() -> Box<History> {
        Box::new(History {
            values: [[[0; Square::BITS]; Square::BITS]; 2],
        })
    }

    pub(super) fn clear(&mut self) {
        self.values = [[[0; Square::BITS]; Square::BITS]; 2];
    }

    #[inline(always)]
    pub(super) fn value(&self, position: &Position, mv: Move) -> i32 {
        let destination = position.destination(mv);
        i32::from(self.values[position.side().index()][mv.origin().bit()][destination.bit()])
    }

    /// Credits `best`, which caused a cut-off, with `bonus` and debits the quiet
    /// moves that were tried before it.
    pub(super) fn update(&mut self, position: &Position, best: Move, tried: &[Move], bonus: i32) {
        for &mv in tried {
            self.add(
                position.side(),
                mv.origin(),
                position.destination(mv),
                -bonus,
            );
        }
        self.add(
            position.side(),
            best.origin(),
            position.destination(best),
            bonus,
        );
    }

    fn add(&mut self, side: Side, origin: Square, destination: Square, bonus: i32) {
        let value = &mut self.values[side.index()][origin.bit()][destination.bit()];
        let old = i32::from(*value);
        *value = (old + bonus - old * bonus.abs() / HISTORY_LIMIT) as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::MoveList;

    #[test]
    fn a_value_rises_with_each_cut_off_and_stays_in_its_range() {
        let mut history = History::new();
        let position = Position::initial();
        let mut list = MoveList::new();
        position.legal_moves(&mut list);
        let mut last = 0;
        for _ in 0..1000 {
            history.update(&position, list[1], &list[..1], 1200);
            let value = history.value(&position, list[1]);
            assert!(value >= last && value <= HISTORY_LIMIT);
            last = value;
        }
        assert!(last > HISTORY_LIMIT / 2);
        assert!(history.value(&position, list[0]) < -HISTORY_LIMIT / 2);
    }
}
