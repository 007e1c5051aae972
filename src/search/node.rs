//! The inner node of the search.

use crate::{
    board::Move,
    eval,
    rules::Line,
    score::{Bound, Score, Window},
};

use super::{
    ordering::fingerprint,
    quiescence::{Freedom, is_threatened},
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
        mut depth: i32,
        ply: usize,
        frames: &mut [Frame],
    ) -> Result<Score, Stopped> {
        let params = self.params();
        // 1. At the horizon only forced play goes on.
        if depth <= 0 {
            return self.quiescence(line, window, ply, params.freedom(), frames);
        }
        let position = line.position();
        if frames.len() < 2 {
            return self.quiescence(line, window, ply, Freedom::NONE, frames);
        }
        self.enter_node()?;
        frames[0].pv.clear();
        let excluded = frames[0].excluded.take();

        // 2. Draws by the rules; once in the tree is repetition enough. A side
        //    without a move has lost all the same.
        if (line.is_repetition() || line.draw().is_some()) && position.has_move() {
            return Ok(Score::DRAW);
        }

        // 3. No line from here ends sooner than the best that is known.
        let window = window.within_distances(ply);
        if window.alpha >= window.beta {
            return Ok(window.alpha);
        }

        // 4. The transposition table. The principal variation is searched all
        //    the same, so that its line is whole and no draw is overlooked.
        let is_open = window.is_open();
        let key = position.key() ^ line.counts().signature();
        let entry = match excluded {
            None => self.shared.table.probe(key),
            Some(_) => None,
        };
        if let Some(entry) = entry
            && !is_open
            && i32::from(entry.depth) >= depth
            && let Some(score) = cut_off(entry, window, ply)
        {
            return Ok(score);
        }

        let captures = position.has_capture();
        let is_quiet = !captures && !is_threatened(position);
        if !is_open && !captures && excluded.is_none() && !window.beta.is_decisive() {
            let value = eval::evaluate(position);
            // 5. A node so good or so bad that a shallow depth will not change it.
            if is_quiet {
                let margin = params.futility_margin() * depth;
                if depth <= params.futility_depth() && value >= window.beta.plus(margin) {
                    return Ok(value);
                }
                let margin = params.razor_margin() * depth;
                if depth <= params.razor_depth() && value.plus(margin) <= window.alpha {
                    let score = self.quiescence(line, window, ply, params.freedom(), frames)?;
                    if score <= window.alpha {
                        return Ok(score);
                    }
                }
            }
            // 6. A shallow search that is far above the window stands for a deep
            //    one ("ProbCut", Buro, 1995).
            if depth >= params.probcut_depth() && value >= window.beta {
                let beta = window.beta.plus(params.probcut_margin());
                let probe = Window {
                    alpha: beta.plus(-1),
                    beta,
                };
                let score =
                    self.node(line, probe, depth - params.probcut_reduction(), ply, frames)?;
                if score >= beta {
                    return Ok(score);
                }
            }
        }

        // 7. Without a known move the node is searched less deep, to learn one.
        let known = entry.map_or(0, |entry| entry.best);
        if known == 0 && depth >= params.internal_depth() && !captures {
            depth -= 1;
        }

        // 8. The moves. Without any the game is lost; a single reply costs no depth.
        frames[0].picker.fill(position, Some(known), self.history);
        let forced = match frames[0].picker.len() {
            0 => return Ok(Score::loss_in(ply)),
            count => count == 1,
        };

        // 9. A known move that is far better than all others is searched deeper
        //    ("singular extensions", Anantharaman, Campbell and Hsu, 1990).
        let mut singular = Move::NONE;
        if depth >= params.singular_depth()
            && !forced
            && let Some(entry) = entry
            && entry.best != 0
            && entry.bound != Bound::Upper
            && i32::from(entry.depth) >= depth - 3
            && !entry.score.is_decisive()
            && let Some(best) = frames[0].picker.first()
            && fingerprint(best) == entry.best
        {
            let beta = entry.score.plus(-params.singular_margin() * depth);
            let probe = Window {
                alpha: beta.plus(-1),
                beta,
            };
            frames[0].excluded = Some(best);
            let score = self.node(line, probe, (depth - 1) / 2, ply, frames)?;
            if score < beta {
                singular = best;
            } else if !is_open && score >= window.beta {
                // Several moves are good enough ("multi-cut", Björnsson and Marsland, 2001).
                return Ok(score);
            }
            frames[0].picker.fill(position, Some(known), self.history);
        }

        // 10. The first move is searched with the whole window, the others with
        //    a scout that asks whether they are better.
        let Some((frame, below)) = frames.split_first_mut() else {
            return Ok(window.alpha);
        };
        let is_free = forced || captures && frame.picker.len() as i32 <= params.free_captures();
        let child_depth = if is_free { depth } else { depth - 1 };
        let mut alpha = window.alpha;
        let (mut best, mut best_move) = (Score::loss_in(ply), None);
        let mut number = 0;
        while let Some(mv) = frame.picker.pick() {
            if excluded == Some(mv) {
                continue;
            }
            let child = line.play(mv);
            let open = Window { alpha, ..window };
            let forcing = captures || child.position().has_capture();
            let score = if number == 0 {
                let depth = child_depth + i32::from(mv == singular);
                -self.node(&child, open.reversed(), depth, ply + 1, below)?
            } else {
                // 11. Late quiet moves are left out near the horizon.
                if depth <= params.late_depth()
                    && !is_open
                    && !forcing
                    && is_quiet
                    && !best.is_loss()
                    && number as i32
                        >= params.late_base() + params.late_slope() * depth * depth / 100
                {
                    number += 1;
                    continue;
                }
                // 12. Late moves are searched less deep, unless they force a
                //    capture: shots begin with giving men away.
                let reduction = match captures {
                    true => 0,
                    false => {
                        self.reduction(depth, number, frame.picker.last_promise(), forcing, is_open)
                    }
                };
                self.scout(&child, open, child_depth, reduction, ply + 1, below)?
            };
            number += 1;

            // 13. A better move; one too good ends the node.
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if is_open {
                        extend_line(&mut frame.pv, mv, below);
                    }
                    if score >= window.beta {
                        break;
                    }
                }
            }
        }
        if excluded.is_some() {
            return Ok(best);
        }

        // 14. What was learned is kept.
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
            let bonus = (params.history_bonus() * depth * depth).min(params.history_most());
            self.history.update(position, good, tried, bonus);
        }
        self.shared.table.store(
            key,
            Entry {
                best: best_move.map_or(0, fingerprint),
                score: best.from_node(ply),
                depth: depth.min(255) as u8,
                bound,
            },
        );
        Ok(best)
    }

    /// By how many plies the quiet move `number`, which history promises so
    /// much, is searched less deep.
    #[inline]
    pub(super) fn reduction(
        &self,
        depth: i32,
        number: usize,
        promise: i32,
        is_forcing: bool,
        is_open: bool,
    ) -> i32 {
        let params = self.params();
        if depth < params.reduced_from_depth() || (number as i32) < params.reduced_from_move() {
            return 0;
        }
        let mut hundredths = self.shared.reductions.of(depth, number);
        hundredths -= 100 * promise / params.reduction_history();
        if is_forcing {
            hundredths -= params.reduction_forcing();
        }
        if is_open {
            hundredths -= params.reduction_open();
        }
        (hundredths / 100).clamp(0, depth - 1)
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
