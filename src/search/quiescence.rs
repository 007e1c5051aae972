//! Below the horizon: captures are played out until nothing is pending.

use crate::{
    board::Position,
    eval,
    rules::Line,
    score::{Score, Window},
};

use super::worker::{Frame, Search, Stopped};

impl Search<'_> {
    /// The value of a position of which only captures are followed: a side that
    /// must capture has no other choice, so all of them are searched, and any
    /// other side stands pat. Looking for a defence where captures are
    /// threatened, or for men to give away, costs more depth than it is worth.
    pub(super) fn quiescence(
        &mut self,
        line: &Line,
        mut window: Window,
        ply: usize,
        frames: &mut [Frame],
    ) -> Result<Score, Stopped> {
        self.enter_node()?;
        let position = line.position();
        let Some((frame, below)) = frames.split_first_mut() else {
            return Ok(eval::evaluate(position));
        };
        frame.pv.clear();
        if let Some((score, _)) = self.probe(line, ply) {
            self.count_leaf(ply);
            return Ok(score);
        }
        if !position.has_capture() {
            self.count_leaf(ply);
            return Ok(stand_pat(position, ply));
        }

        let mut best = Score::loss_in(ply);
        frame.picker.fill_unordered(position);
        while let Some(mv) = frame.picker.take_next() {
            let child = line.play(mv);
            let score = -self.quiescence(&child, window.reversed(), ply + 1, below)?;
            best = best.max(score);
            window.alpha = window.alpha.max(score);
            if window.alpha >= window.beta {
                break;
            }
        }
        Ok(best)
    }
}

/// The value of a position in which nothing is played out, `ply` plies below the root.
pub(super) fn stand_pat(position: &Position, ply: usize) -> Score {
    if position.has_move() {
        eval::evaluate(position)
    } else {
        Score::loss_in(ply)
    }
}

/// Whether the opponent could capture if it were to move.
#[inline(always)]
pub(super) fn is_threatened(position: &Position) -> bool {
    position.view_of(position.side().opponent()).has_capture()
}
