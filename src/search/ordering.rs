//! The order in which the moves of a node are tried.

use crate::{
    board::{Move, MoveList, Position},
    rules::Line,
};

use super::history::History;

/// What is known of the moves of a node before it is searched.
pub(super) struct Hints<'a> {
    /// The fingerprint of the table's move, 0 without one.
    pub(super) best: u16,
    /// The fingerprints of the killers, the latest first.
    pub(super) killers: [u16; 2],
    /// By how much the first of them promises more than its history; the second by half.
    pub(super) killer_bonus: i32,
    pub(super) history: &'a History,
}

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

    /// Starts anew with all legal moves at the end of `line`; the table's
    /// comes first, and the rest by history, killers promoted.
    #[inline]
    pub(super) fn fill(&mut self, line: &Line, hints: &Hints) {
        let position = line.position();
        position.legal_moves(&mut self.moves);
        self.next = 0;
        let promises = hints.history.promises(line);
        for (&mv, promise) in self.moves.iter().zip(&mut self.promises) {
            let fingerprint = fingerprint(mv);
            if fingerprint == hints.best {
                *promise = i32::MAX;
                continue;
            }
            *promise = promises.of(mv.origin(), position.destination(mv));
            if fingerprint == hints.killers[0] {
                *promise += hints.killer_bonus;
            } else if fingerprint == hints.killers[1] {
                *promise += hints.killer_bonus / 2;
            }
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

    /// What was promised of the move that was picked last.
    #[inline(always)]
    pub(super) fn last_promise(&self) -> i32 {
        self.promises[self.next.saturating_sub(1)].min(super::params::HISTORY_LIMIT)
    }

    /// The most promising move that has not been picked.
    #[inline]
    pub(super) fn pick(&mut self) -> Option<Move> {
        let (start, end) = (self.next, self.moves.len());
        if start >= end {
            return None;
        }
        let mut best = start;
        let mut most = self.promises[start];
        for (index, &promise) in self.promises[..end].iter().enumerate().skip(start + 1) {
            let better = promise > most;
            best = std::hint::select_unpredictable(better, index, best);
            most = most.max(promise);
        }
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
    use crate::rules::Game;

    #[test]
    fn every_move_is_picked_once_the_tables_first_then_the_killers() {
        let game = Game::new(Position::initial());
        let mut list = MoveList::new();
        game.position().legal_moves(&mut list);
        let mut picker = Picker::new();
        let hints = Hints {
            best: fingerprint(list[6]),
            killers: [fingerprint(list[8]), fingerprint(list[3])],
            killer_bonus: 100,
            history: &History::new(),
        };
        picker.fill(&game.line(), &hints);
        let picked: Vec<Move> = std::iter::from_fn(|| picker.pick()).collect();
        assert_eq!(picked[..3], [list[6], list[8], list[3]]);
        assert_eq!(picked.len(), list.len());
        assert!(list.iter().all(|mv| picked.contains(mv)));
    }
}
