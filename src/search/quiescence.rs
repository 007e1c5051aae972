//! Below the horizon: captures are played out until nothing is pending.

use crate::{
    board::Position,
    eval,
    rules::Line,
    score::{Score, Window},
};

use super::worker::{Frame, Search, Stopped};

/// For how many more plies a line of forced play may leave what is forced.
#[derive(Clone, Copy)]
pub(super) struct Freedom {
    /// A threatened side may look for a defence.
    pub(super) defence: i32,
    /// A side may give men away that the other must capture.
    pub(super) shots: i32,
}

impl Freedom {
    pub(super) const NONE: Freedom = Freedom {
        defence: 0,
        shots: 0,
    };
}

impl Search<'_> {
    /// The value of a position of which only forced play is followed.
    ///
    /// A side that must capture has no other choice, so all its captures are
    /// searched. One that is threatened may look for a defence among all its
    /// moves, since passing does not exist and its evaluation would mislead.
    /// Any other stands pat, or gives men away for a shot.
    pub(super) fn quiescence(
        &mut self,
        line: &Line,
        window: Window,
        ply: usize,
        freedom: Freedom,
        frames: &mut [Frame],
    ) -> Result<Score, Stopped> {
        self.enter_node()?;
        let position = line.position();
        let Some((frame, below)) = frames.split_first_mut() else {
            return Ok(eval::evaluate(position));
        };
        frame.pv.clear();
        let (mut window, mut best) = (window, Score::loss_in(ply));
        let mut freedom = freedom;
        let mut only_forcing = false;
        if !position.has_capture() {
            if freedom.defence > 0 && is_threatened(position) {
                freedom.defence -= 1;
            } else {
                self.count_leaf(ply);
                best = stand_pat(position, ply);
                if best >= window.beta || freedom.shots == 0 || best.is_loss() {
                    return Ok(best);
                }
                window.alpha = window.alpha.max(best);
                freedom.shots -= 1;
                only_forcing = true;
            }
        }
        frame.picker.fill_unordered(position);
        while let Some(mv) = frame.picker.take_next() {
            let child = line.play(mv);
            if only_forcing && !child.position().has_capture() {
                continue;
            }
            let score = -self.quiescence(&child, window.reversed(), ply + 1, freedom, below)?;
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
