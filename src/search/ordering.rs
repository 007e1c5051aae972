//! The order in which the moves of a node are tried.

use crate::board::{Move, MoveList, Position};

use super::history::History;

/// The moves of a node with what each promises; the best that is left comes next.
pub(super) struct Picker {
    moves: MoveList,
    promises: [i32; MoveList::CAPACITY],
    next: usize,
}

impl Picker {
    pub(super) fn new() -> Picker {
        Picker {
            moves: MoveList::new(),
            promises: [0; MoveList::CAPACITY],
            next: 0,
        }
    }

    /// Starts anew with all legal moves of `position`; the one with the
    /// fingerprint `first`, the table's, comes first, and the rest by history.
    #[inline]
    pub(super) fn fill(&mut self, position: &Position, first: u16, history: &History) {
        position.legal_moves(&mut self.moves);
        self.next = 0;
        for (&mv, promise) in self.moves.iter().zip(&mut self.promises) {
            *promise = if fingerprint(mv) == first {
                i32::MAX
            } else {
                history.value(position, mv)
            };
        }
    }

    /// Starts anew with all legal moves of `position`, to be taken by
    /// [`Picker::take_next`].
    #[inline]
    pub(super) fn fill_unordered(&mut self, position: &Position) {
        position.legal_moves(&mut self.moves);
        self.next = 0;
    }

    /// The next move as the generator lists them.
    #[inline(always)]
    pub(super) fn take_next(&mut self) -> Option<Move> {
        let mv = self.moves.get(self.next).copied();
        self.next += 1;
        mv
    }

    /// How many moves there are in all.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// The moves that have been picked, in that order.
    #[inline(always)]
    pub(super) fn picked(&self) -> &[Move] {
        &self.moves[..self.next]
    }

    /// What history promised of the move that was picked last.
    #[inline(always)]
    pub(super) fn last_promise(&self) -> i32 {
        self.promises[self.next.saturating_sub(1)].min(super::params::HISTORY_LIMIT)
    }

    /// The most promising move that has not been picked.
    #[inline]
    pub(super) fn pick(&mut self) -> Option<Move> {
        let (start, end) = (self.next, self.moves.len());
        let best = (start..end).reduce(|best, index| {
            if self.promises[index] > self.promises[best] {
                index
            } else {
                best
            }
        })?;
        self.moves.as_mut_slice().swap(start, best);
        self.promises.swap(start, best);
        self.next += 1;
        Some(self.moves[start])
    }
}

/// A move in sixteen bits, for the table. Two moves may share one: it is to be
/// looked up among the legal moves, and the wrong one costs time only.
#[inline(always)]
pub(super) fn fingerprint(mv: Move) -> u16 {
    (mv.bits().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_is_picked_once_and_the_tables_first() {
        let position = Position::initial();
        let mut list = MoveList::new();
        position.legal_moves(&mut list);
        let mut picker = Picker::new();
        picker.fill(&position, fingerprint(list[6]), &History::new());
        let picked: Vec<Move> = std::iter::from_fn(|| picker.pick()).collect();
        assert_eq!(picked[0], list[6]);
        assert_eq!(picked.len(), list.len());
        assert!(list.iter().all(|mv| picked.contains(mv)));
    }
}
