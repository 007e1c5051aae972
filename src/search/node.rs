//! The inner node of the search.

use crate::{
    board::Move,
    rules::Line,
    score::{Bound, Score, Window},
};

use super::{
    ordering::fingerprint,
    params,
    table::Entry,
    worker::{Frame, Search, Stopped},
};

impl Search<'_> {
    /// The value of the last position of `line`, `ply` plies below the root, by
    /// a principal variation search (Marsland and Campbell, 1982) to `depth`.
    ///
    /// The result may lie outside `window` and is then a bound. The best line
    /// stands in the first of `frames` if the window is open.
    pub(super) fn node(
        &mut self,
        line: &Line,
        window: Window,
        depth: i32,
        ply: usize,
        frames: &mut [Frame],
    ) -> Result<Score, Stopped> {
        // 1. At the horizon only forced play goes on.
        if depth <= 0 {
            return self.quiescence(line, window, ply, params::DEFENCE_PLIES, frames);
        }
        let position = line.position();
        let Some((frame, below)) = frames.split_first_mut() else {
            return self.quiescence(line, window, ply, 0, frames);
        };
        self.enter_node()?;
        frame.pv.clear();

        // 2. Draws by the rules; once in the tree is repetition enough. A side
        //    without a move has lost all the same.
        if (line.is_repetition() || line.draw().is_some()) && position.has_move() {
            return Ok(Score::DRAW);
        }

        // 2a. The endgame tables; a win whose length they do not know is a floor.
        if let Some((score, bound)) = self.probe(line, ply)
            && (bound == Bound::Exact || score >= window.beta)
        {
            return Ok(score);
        }

        // 3. No line from here ends sooner than the best that is known.
        let window = window.within_distances(ply);
        if window.alpha >= window.beta {
            return Ok(window.alpha);
        }

        // 4. The transposition table. The principal variation is searched all
        //    the same, so that its line is whole and no draw is overlooked.
        let entry = self.shared.table.probe(position.key());
        if let Some(entry) = entry
            && !window.is_open()
            && i32::from(entry.depth) >= depth
            && let Some(score) = cut_off(entry, window, ply)
        {
            return Ok(score);
        }

        // 5. The moves. Without any the game is lost; a single reply costs no depth.
        frame
            .picker
            .fill(position, entry.map(|entry| entry.best), self.history);
        let forced = match frame.picker.len() {
            0 => return Ok(Score::loss_in(ply)),
            count => count == 1,
        };
        let child_depth = if forced { depth } else { depth - 1 };
        let captures = position.has_capture();

        // 6. The first move is searched with the whole window, the others with
        //    a scout that asks whether they are better.
        let mut alpha = window.alpha;
        let (mut best, mut best_move) = (Score::loss_in(ply), None);
        while let Some(mv) = frame.picker.pick() {
            let child = line.play(mv);
            let open = Window { alpha, ..window };
            let number = frame.picker.picked().len() - 1;
            let score = if number == 0 {
                -self.node(&child, open.reversed(), child_depth, ply + 1, below)?
            } else {
                // 7. Late quiet moves are searched less deep, unless they
                //    force a capture: shots begin with giving men away.
                let forcing = captures || child.position().has_capture();
                let reduction = if forcing {
                    0
                } else {
                    params::late_move_reduction(depth, number)
                };
                self.scout(&child, open, child_depth, reduction, ply + 1, below)?
            };

            // 8. A better move; one too good ends the node.
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if window.is_open() {
                        extend_line(&mut frame.pv, mv, below);
                    }
                    if score >= window.beta {
                        break;
                    }
                }
            }
        }

        // 9. What was learned is kept.
        let bound = if best >= window.beta {
            Bound::Lower
        } else if best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if bound == Bound::Lower
            && !captures
            && let Some((&good, tried)) = frame.picker.picked().split_last()
        {
            self.history.update(position, good, tried, depth);
        }
        self.shared.table.store(
            position.key(),
            Entry {
                best: best_move.map_or(0, fingerprint),
                score: best.from_node(ply),
                depth: depth.min(255) as u8,
                bound,
            },
        );
        Ok(best)
    }

    /// Whether the move to `child` is better than `window.alpha`: first reduced
    /// and with the narrowest window, then with more as long as it seems so.
    pub(super) fn scout(
        &mut self,
        child: &Line,
        window: Window,
        depth: i32,
        reduction: i32,
        ply: usize,
        frames: &mut [Frame],
    ) -> Result<Score, Stopped> {
        let narrow = window.scout().reversed();
        let mut score = -self.node(child, narrow, depth - reduction, ply, frames)?;
        if score > window.alpha && reduction > 0 {
            score = -self.node(child, narrow, depth, ply, frames)?;
        }
        if window.contains(score) {
            score = -self.node(child, window.reversed(), depth, ply, frames)?;
        }
        Ok(score)
    }
}

/// What an entry that is deep enough says of a node with this window, if it is enough.
fn cut_off(entry: Entry, window: Window, ply: usize) -> Option<Score> {
    let score = entry.score.from_root(ply);
    let enough = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= window.beta,
        Bound::Upper => score <= window.alpha,
    };
    enough.then_some(score)
}

/// Puts `mv` and the line found below it into `pv`.
pub(super) fn extend_line(pv: &mut Vec<Move>, mv: Move, below: &[Frame]) {
    pv.clear();
    pv.push(mv);
    if let Some(child) = below.first() {
        pv.extend_from_slice(&child.pv);
    }
}
