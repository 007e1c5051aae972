//! The inner node of the search.

use crate::{
    board::Move,
    eval,
    rules::Line,
    score::{Bound, Score, Window},
};

use super::{
    ordering::{Hints, fingerprint},
    quiescence::is_threatened,
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
            return self.quiescence(line, window, ply, frames);
        }
        let position = line.position();
        let Some(frame) = frames.first_mut() else {
            return self.quiescence(line, window, ply, frames);
        };
        frame.pv.clear();
        self.enter_node()?;

        // 2. Draws by the rules; once in the tree is repetition enough. A side
        //    without a move has lost all the same.
        if (line.is_repetition() || line.draw().is_some()) && position.has_move() {
            return Ok(Score::DRAW);
        }

        // 3. The endgame tables; a win whose length they do not know is a floor.
        if let Some((score, bound)) = self.probe(line, ply)
            && (bound == Bound::Exact || score >= window.beta)
        {
            return Ok(score);
        }

        // 4. No line from here ends sooner than the best that is known.
        let window = window.within_distances(ply);
        if window.alpha >= window.beta {
            return Ok(window.alpha);
        }

        // 5. A quiet node is evaluated. If it is so good or so bad that a shallow
        //    depth will not change it, it is cut by its value ("futility", Heinz,
        //    1998), or only played out ("razoring", Birmingham and Kent, 1977).
        let is_open = window.is_open();
        let captures = position.has_capture();
        let is_quiet =
            !is_open && !captures && !window.beta.is_decisive() && !is_threatened(position);
        let value = is_quiet.then(|| eval::evaluate(position));
        if let Some(value) = value {
            let margin = params.futility_margin() * depth;
            if depth <= params.futility_depth() && value >= window.beta.plus(margin) {
                return Ok(value);
            }
            let margin = params.razor_margin() * depth;
            if depth <= params.razor_depth() && value.plus(margin) <= window.alpha {
                let score = self.quiescence(line, window, ply, frames)?;
                if score <= window.alpha {
                    return Ok(score);
                }
            }
        }

        // 6. The transposition table, where its line arrives sooner than the node
        //    is searched. The principal variation is searched all the same, so
        //    that its own line is whole and no draw is overlooked.
        let is_kept = depth >= params.table_depth();
        let key = table_key(line);
        let entry = is_kept.then(|| self.shared.table.probe(key)).flatten();
        if let Some(entry) = entry
            && !is_open
            && i32::from(entry.depth) >= depth
            && let Some(score) = cut_off(entry, window, ply)
        {
            return Ok(score);
        }

        // 7. Without a known move the node is searched less deep, to learn one
        //    ("internal iterative reductions", Schröder, 2020).
        let known = entry.map_or(0, |entry| entry.best);
        if known == 0 && depth >= params.internal_depth() && !captures {
            depth -= 1;
        }

        // 8. The moves. Without any the game is lost; a single reply costs no depth.
        let Some((frame, below)) = frames.split_first_mut() else {
            return Ok(window.alpha);
        };
        let hints = Hints {
            best: known,
            killers: frame.killers,
            killer_bonus: params.killer_bonus(),
            history: self.history,
        };
        frame.picker.fill(line, &hints);
        let child_depth = match frame.picker.len() {
            0 => return Ok(Score::loss_in(ply)),
            1 => depth,
            _ => depth - 1,
        };

        // 9. The first move is searched with the whole window, the others with
        //    a scout that asks whether they are better.
        let mut alpha = window.alpha;
        let (mut best, mut best_move) = (Score::loss_in(ply), None);
        while let Some(mv) = frame.picker.pick() {
            let child = line.play(mv);
            if child_depth >= params.table_depth() {
                self.shared.table.prefetch(table_key(&child));
            }
            let open = Window { alpha, ..window };
            let number = frame.picker.picked().len() - 1;
            let score = if number == 0 {
                -self.node(&child, open.reversed(), child_depth, ply + 1, below)?
            } else {
                // 10. Late quiet moves are left out or searched less deep, those that
                //    force a capture by less: shots begin with giving men away.
                let is_forcing = captures || child.position().has_capture();
                if !is_forcing
                    && !best.is_decisive()
                    && value.is_some_and(|value| self.is_left_out(value, alpha, depth, number))
                {
                    continue;
                }
                let reduction = match captures {
                    true => 0,
                    false => self.reduction(depth, number, frame.picker.last_promise(), is_forcing),
                };
                self.scout(&child, open, child_depth, reduction, ply + 1, below)?
            };

            // 11. A better move; one too good ends the node.
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
        // 12. What was learned is kept.
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
            self.history.update(line, good, tried, bonus);
            let good = fingerprint(good);
            if frame.killers[0] != good {
                frame.killers = [good, frame.killers[0]];
            }
        }
        if is_kept {
            let entry = Entry {
                best: best_move.map_or(0, fingerprint),
                score: best.from_node(ply),
                depth: depth.min(255) as u8,
                bound,
            };
            self.shared.table.store(key, entry);
        }
        Ok(best)
    }

    /// Whether the quiet move `number` is not searched at all in a shallow node
    /// of this value: it comes late ("late move pruning"), or the node is
    /// hopeless ("futility pruning", Heinz, 1998).
    #[inline]
    fn is_left_out(&self, value: Score, alpha: Score, depth: i32, number: usize) -> bool {
        let params = self.params();
        let is_late = depth <= params.late_depth()
            && number as i32 >= params.late_from_move() + depth * depth;
        let margin = params.hopeless_margin() * depth;
        is_late || depth <= params.hopeless_depth() && value.plus(margin) <= alpha
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

/// What the table knows the last position of `line` by: the position, and the
/// counts as far as they matter.
#[inline(always)]
fn table_key(line: &Line) -> u64 {
    line.position().key() ^ line.counts().signature()
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
