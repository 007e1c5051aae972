//! Below the horizon: captures are played out until nothing is pending.

use crate::{
    board::Position,
    eval,
    rules::Line,
    score::{Score, Window},
};

use super::worker::{Frame, Search, Stopped};

impl Search<'_> {
    /// The value of a position of which only forced play is followed.
    ///
    /// A side that must capture has no other choice, so all its captures are
    /// searched. One that is threatened may look for a defence among all its
    /// moves for `defence` more plies, since passing does not exist and its
    /// evaluation would mislead. Any other stands pat.
    pub(super) fn quiescence(
        &mut self,
        line: &Line,
        window: Window,
        ply: usize,
        defence: u32,
        frames: &mut [Frame],
    ) -> Result<Score, Stopped> {
        self.enter_node()?;
        let position = line.position();
        let Some((frame, below)) = frames.split_first_mut() else {
            return Ok(eval::evaluate(position));
        };
        frame.pv.clear();
        let must_capture = position.has_capture();
        if let Some((score, _)) = self.probe(line, ply) {
            self.count_leaf(ply);
            return Ok(score);
        }
        let defends = !must_capture && defence > 0 && is_threatened(position);
        if !must_capture && !defends {
            self.count_leaf(ply);
            return Ok(stand_pat(position, ply));
        }

        let defence = defence - u32::from(defends);
        let (mut window, mut best) = (window, Score::loss_in(ply));
        frame.picker.fill_unordered(position);
        while let Some(mv) = frame.picker.pick() {
            let child = line.play(mv);
            let score = -self.quiescence(&child, window.reversed(), ply + 1, defence, below)?;
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
fn is_threatened(position: &Position) -> bool {
    position.view_of(position.side().opponent()).has_capture()
}
