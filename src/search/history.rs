//! Which quiet moves have been good.

use crate::{
    board::{Move, Square},
    rules::Line,
};

use super::params::HISTORY_LIMIT;

/// Numbers by origin and destination of a move, within ±`HISTORY_LIMIT`.
type ByMove = [[i16; Square::BITS]; Square::BITS];

const NOTHING: ByMove = [[0; Square::BITS]; Square::BITS];

/// For each side a number for each of its quiet moves: one wherever it was
/// played ("history heuristic", Schaeffer, 1983; with gravity, so that old
/// merits fade), and one as a reply to a move that ended on a certain square
/// ("countermove history", after Uiterwijk, 1992).
pub(super) struct History {
    /// By side.
    anywhere: Vec<ByMove>,
    /// By side and the square where the move before ended.
    replies: Vec<ByMove>,
}

/// What a [`History`] knows of the moves in one position.
#[derive(Clone, Copy)]
pub(super) struct Promises<'a> {
    anywhere: &'a ByMove,
    replies: &'a ByMove,
}

impl Promises<'_> {
    /// How good the quiet move from `origin` to `destination` has been, within
    /// ±`HISTORY_LIMIT`.
    #[inline(always)]
    pub(super) fn of(self, origin: Square, destination: Square) -> i32 {
        let value = |table: &ByMove| i32::from(table[origin.bit()][destination.bit()]);
        (value(self.anywhere) + value(self.replies)) / 2
    }
}

impl History {
    pub(super) fn new() -> History {
        History {
            anywhere: vec![NOTHING; 2],
            replies: vec![NOTHING; 2 * Square::BITS],
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.anywhere.fill(NOTHING);
        self.replies.fill(NOTHING);
    }

    /// What is known of the moves in the last position of `line`.
    #[inline(always)]
    pub(super) fn promises(&self, line: &Line) -> Promises<'_> {
        let (side, reply) = places(line);
        Promises {
            anywhere: &self.anywhere[side],
            replies: &self.replies[reply],
        }
    }

    /// Credits `best`, which caused a cut-off at the end of `line`, with `bonus`
    /// and debits the quiet moves that were tried before it.
    pub(super) fn update(&mut self, line: &Line, best: Move, tried: &[Move], bonus: i32) {
        let (side, reply) = places(line);
        let (anywhere, replies) = (&mut self.anywhere[side], &mut self.replies[reply]);
        let mut add = |mv: Move, bonus: i32| {
            let destination = line.position().destination(mv);
            for table in [&mut *anywhere, &mut *replies] {
                let value = &mut table[mv.origin().bit()][destination.bit()];
                let old = i32::from(*value);
                *value = (old + bonus - old * bonus.abs() / HISTORY_LIMIT) as i16;
            }
        };
        for &mv in tried {
            add(mv, -bonus);
        }
        add(best, bonus);
    }
}

/// Where a [`History`] keeps what it knows of the moves at the end of `line`.
#[inline(always)]
fn places(line: &Line) -> (usize, usize) {
    /// A bit that belongs to no square, for a line without a move.
    const GHOST: usize = 10;
    let side = line.position().side().index();
    let square = line.arrival().map_or(GHOST, Square::bit);
    (side, side * Square::BITS + square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        board::{MoveList, Position},
        rules::Game,
    };

    #[test]
    fn a_value_rises_with_each_cut_off_and_stays_in_its_range() {
        let mut history = History::new();
        let game = Game::new(Position::initial());
        let line = game.line();
        let mut list = MoveList::new();
        line.position().legal_moves(&mut list);
        let value = |history: &History, mv: Move| {
            let destination = line.position().destination(mv);
            history.promises(&line).of(mv.origin(), destination)
        };
        let mut last = 0;
        for _ in 0..1000 {
            history.update(&line, list[1], &list[..1], 1200);
            let value = value(&history, list[1]);
            assert!(value >= last && value <= HISTORY_LIMIT);
            last = value;
        }
        assert!(last > HISTORY_LIMIT / 2);
        assert!(value(&history, list[0]) < -HISTORY_LIMIT / 2);
    }

    #[test]
    fn a_reply_promises_more_where_it_was_good() {
        let mut history = History::new();
        let game = Game::new(Position::initial());
        let root = game.line();
        let mut list = MoveList::new();
        root.position().legal_moves(&mut list);
        let lines = [root.play(list[0]), root.play(list[8])];
        lines[0].position().legal_moves(&mut list);
        let (origin, destination) = (list[3].origin(), lines[0].position().destination(list[3]));
        history.update(&lines[0], list[3], &[], 1200);
        let [here, there] = lines
            .each_ref()
            .map(|line| history.promises(line).of(origin, destination));
        assert!(here > there && there > 0, "{here} {there}");
    }
}
