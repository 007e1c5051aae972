//! What the endgame tables say at the root and below it.
//!
//! Where the rules that count moves can apply, the tables know how long an
//! ending takes and whether the count allows it: that is the end of a line.
//! Elsewhere they know the theoretical value; a win of that kind is only a
//! floor, and the search goes on to one that it can see.

use std::sync::Arc;

use crate::{
    board::Move,
    endgame::{
        Tables, Value,
        distance::{Ruled, left},
        placement::Placement,
    },
    eval,
    rules::Line,
    score::{Bound, Score},
};

use super::worker::Search;

/// The tables, and the largest number of pieces that they are asked about.
#[derive(Clone)]
pub(super) struct Endgame {
    pub(super) tables: Arc<Tables>,
    pub(super) pieces: u32,
}

impl Search<'_> {
    /// What the tables say of the last position of `line`, `ply` plies below
    /// the root: a value, or a lower bound of it. Nothing where something is to
    /// be captured or the mover has no move.
    pub(super) fn probe(&self, line: &Line, ply: usize) -> Option<(Score, Bound)> {
        let position = line.position();
        let endgame = self.shared.endgame.as_ref()?;
        if position.piece_count() > endgame.pieces || position.has_capture() || !position.has_move()
        {
            return None;
        }
        let placement = Placement::of(position);
        if let Some(ruled) = endgame.tables.ruled(&placement, left(line.counts())) {
            let plies = |number: u8| ply + usize::from(number);
            let score = match ruled {
                Ruled::Win(number) => Score::win_in(plies(number)),
                Ruled::Draw => Score::DRAW,
                Ruled::Loss(number) => Score::loss_in(plies(number)),
            };
            return Some((score, Bound::Exact));
        }
        let eval = eval::evaluate(position).centimen();
        Some(match endgame.tables.quiet_value(&placement)? {
            Value::Win => (Score::table_win(eval, ply), Bound::Lower),
            Value::Draw => (Score::DRAW, Bound::Exact),
            Value::Loss => (-Score::table_win(-eval, ply), Bound::Exact),
        })
    }

    /// How good `mv` is by the tables, the more the better; nothing if they do
    /// not know.
    pub(super) fn rank_by_tables(&self, line: &Line, mv: Move) -> Option<i32> {
        const UNKNOWN_LENGTH: i32 = 500;
        const LONGEST: i32 = 1000;
        let endgame = self.shared.endgame.as_ref()?;
        if line.position().piece_count() > endgame.pieces {
            return None;
        }
        let next = line.play(mv);
        let placement = Placement::of(next.position());
        if let Some(ruled) = endgame.tables.ruled(&placement, left(next.counts())) {
            return Some(match ruled {
                Ruled::Loss(plies) => LONGEST - i32::from(plies),
                Ruled::Draw => 0,
                Ruled::Win(plies) => i32::from(plies) - LONGEST,
            });
        }
        Some(match endgame.tables.value(&placement)? {
            Value::Loss => UNKNOWN_LENGTH,
            Value::Draw => 0,
            Value::Win => -UNKNOWN_LENGTH,
        })
    }
}
