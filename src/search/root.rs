//! Iterative deepening at the root, and what only the leading thread does:
//! looking at the clock and reporting.

use std::{sync::atomic::Ordering::*, time::Duration};

use crate::{
    board::{Move, MoveList},
    rules::Line,
    score::{Score, Window},
};

use super::{
    Limits, MAX_DEPTH, Outcome, Progress, Purpose, Reporter,
    node::extend_line,
    quiescence::stand_pat,
    time::{Deadlines, Verdict},
    worker::{Frame, Search, Stopped},
};

/// What the leading thread needs beside its part in the search.
pub(super) struct Leader<'a> {
    pub(super) limits: Limits,
    reporter: &'a mut dyn Reporter,
    deadlines: Deadlines,
    verdict: Verdict,
    last_best: Option<Move>,
    /// In centi-men.
    last_score: i32,
    /// Whether depth 1 is complete.
    has_searched: bool,
    /// The last report of each line, without its time and nodes.
    last: Vec<Progress>,
    last_time: Duration,
}

impl<'a> Leader<'a> {
    /// How long a search may stay silent.
    const SILENCE: Duration = Duration::from_millis(900);

    /// Depth 1 is completed whatever the limits, unless it takes more nodes
    /// than this, as where crowds of kings can capture each other.
    const FIRST_DEPTH_NODES: u64 = 20_000;

    pub(super) fn new(limits: Limits, reporter: &'a mut dyn Reporter) -> Leader<'a> {
        Leader {
            deadlines: Deadlines::new(limits.clock),
            limits,
            reporter,
            verdict: Verdict {
                agreeing: 0,
                effort: 0.5,
                fall: 0.0,
            },
            last_best: None,
            last_score: 0,
            has_searched: false,
            last: Vec::new(),
            last_time: Duration::ZERO,
        }
    }
}

/// A move at the root and what is known of it.
struct RootMove {
    mv: Move,
    score: Score,
    /// The depth of the iteration that found score and line.
    depth: u32,
    /// The nodes it took in the last iteration.
    nodes: u64,
    /// The best line, which begins with the move.
    pv: Vec<Move>,
}

impl Search<'_> {
    /// Searches deeper and deeper until something ends it.
    pub(super) fn deepen(&mut self, line: &Line, frames: &mut [Frame]) -> Outcome {
        let mut moves = root_moves(line);
        self.keep_what_tables_prefer(line, &mut moves);
        self.prepare_reports(&moves);
        let mut completed = 0;
        for depth in 1..=self.deepest(&moves) {
            let nodes = self.nodes;
            for root_move in &mut moves {
                root_move.nodes = 0;
            }
            if self.iterate(line, depth, &mut moves, frames).is_err() {
                break;
            }
            completed = depth;
            self.judge(&moves, self.nodes - nodes);
            if let Some(leader) = &mut self.leader {
                leader.has_searched = true;
            }
            if self.is_enough(depth, &moves) {
                break;
            }
        }
        self.publish_nodes();
        self.report_late(completed, &moves);
        self.outcome(completed, moves)
    }

    /// To play, only moves that lose nothing by the endgame tables are looked at.
    fn keep_what_tables_prefer(&self, line: &Line, moves: &mut Vec<RootMove>) {
        let limits = self.leader.as_ref().map(|leader| &leader.limits);
        if limits.is_none_or(|limits| limits.purpose == Purpose::Analyse || limits.multi_pv > 1) {
            return;
        }
        let rank = |root_move: &RootMove| self.rank_by_tables(line, root_move.mv);
        let Some(ranks) = moves.iter().map(rank).collect::<Option<Vec<i32>>>() else {
            return;
        };
        let best = ranks.iter().max().copied();
        let mut ranks = ranks.into_iter();
        moves.retain(|_| ranks.next() == best);
    }

    /// How many of the moves get a line of their own.
    fn lines(&self, moves: &[RootMove]) -> usize {
        let wanted = self.leader.as_ref();
        let wanted = wanted.map_or(1, |leader| leader.limits.multi_pv);
        wanted.max(1).min(moves.len())
    }

    /// Has something to say should the first depth take long.
    fn prepare_reports(&mut self, moves: &[RootMove]) {
        let reports = self.line_reports(moves);
        if let Some(leader) = &mut self.leader {
            leader.last = reports;
        }
    }

    /// Reports the lines if an iteration that was broken off changed the best,
    /// or if nothing was reported at all.
    fn report_late(&mut self, completed: u32, moves: &[RootMove]) {
        let Some((leader, best)) = self.leader.as_ref().zip(moves.first()) else {
            return;
        };
        let reported = leader.last.first().map(|progress| &progress.pv);
        if completed == 0 || reported != Some(&best.pv) {
            self.report_lines(moves);
        }
    }

    /// The depth to go to at the most.
    fn deepest(&self, moves: &[RootMove]) -> u32 {
        let limits = self.leader.as_ref().map(|leader| &leader.limits);
        match limits {
            _ if moves.is_empty() => 0,
            Some(limits) if limits.purpose == Purpose::Play && moves.len() == 1 => 1,
            Some(limits) => limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH),
            None => MAX_DEPTH,
        }
    }

    /// One depth: the best moves one after the other, each among those that are left.
    fn iterate(
        &mut self,
        line: &Line,
        depth: u32,
        moves: &mut [RootMove],
        frames: &mut [Frame],
    ) -> Result<(), Stopped> {
        let lines = self.lines(moves);
        for index in 0..lines {
            self.aspire(line, depth, index, moves, frames)?;
        }
        // Lines may have overtaken each other.
        moves[..lines].sort_by_key(|root_move| std::cmp::Reverse(root_move.score));
        self.report_lines(moves);
        Ok(())
    }

    /// The best of the moves from `first` on, by a window around the last
    /// score that is opened where it fails ("aspiration").
    fn aspire(
        &mut self,
        line: &Line,
        depth: u32,
        first: usize,
        moves: &mut [RootMove],
        frames: &mut [Frame],
    ) -> Result<(), Stopped> {
        let guess = moves[first].score;
        let mut margin = self.params().aspiration();
        let mut window = if (depth as i32) < self.params().aspiration_depth() || guess.is_decisive()
        {
            Window::FULL
        } else {
            Window {
                alpha: guess.plus(-margin),
                beta: guess.plus(margin),
            }
        };
        loop {
            let score = self.root(line, window, depth, first, moves, frames)?;
            margin *= 4;
            let wide = margin > 500 || score.is_decisive();
            if score <= window.alpha {
                window.alpha = if wide {
                    Window::FULL.alpha
                } else {
                    score.plus(-margin)
                };
            } else if score >= window.beta {
                window.beta = if wide {
                    Window::FULL.beta
                } else {
                    score.plus(margin)
                };
            } else {
                return Ok(());
            }
        }
    }

    /// Searches the moves from `first` on; a better one moves to that place as
    /// soon as it is found, so that a stop loses nothing.
    fn root(
        &mut self,
        line: &Line,
        window: Window,
        depth: u32,
        first: usize,
        moves: &mut [RootMove],
        frames: &mut [Frame],
    ) -> Result<Score, Stopped> {
        let Some((frame, below)) = frames.split_first_mut() else {
            return Ok(window.alpha);
        };
        let depth = depth as i32;
        let captures = line.position().has_capture();
        let mut alpha = window.alpha;
        let mut best = Window::FULL.alpha;
        for index in first..moves.len() {
            let mv = moves[index].mv;
            let child = line.play(mv);
            let open = Window { alpha, ..window };
            let nodes = self.nodes;
            let score = if index == first {
                -self.node(&child, open.reversed(), depth - 1, 1, below)?
            } else {
                let forcing = captures || child.position().has_capture();
                let reduction = match captures {
                    true => 0,
                    false => self.reduction(depth, index - first, 0, forcing),
                };
                self.scout(&child, open, depth - 1, reduction, 1, below)?
            };
            moves[index].nodes += self.nodes - nodes;
            best = best.max(score);
            if score > alpha {
                alpha = score;
                extend_line(&mut frame.pv, mv, below);
                moves[index].score = score;
                moves[index].depth = depth as u32;
                moves[index].pv.clone_from(&frame.pv);
                moves[first..=index].rotate_right(1);
                if score >= window.beta {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Whether a deeper iteration is not worth beginning.
    fn is_enough(&self, depth: u32, moves: &[RootMove]) -> bool {
        let Some(leader) = &self.leader else {
            return false;
        };
        let decided = leader.limits.purpose == Purpose::Play
            && leader.limits.multi_pv == 1
            && moves
                .first()
                .and_then(|root_move| root_move.score.distance())
                .is_some_and(|distance| distance <= depth);
        decided
            || leader
                .deadlines
                .is_enough(self.shared.watch.on_the_clock(), leader.verdict)
    }

    /// Notes what an iteration says about the ones to come.
    fn judge(&mut self, moves: &[RootMove], nodes: u64) {
        let Some((leader, best)) = self.leader.as_mut().zip(moves.first()) else {
            return;
        };
        let agrees = leader.last_best == Some(best.mv);
        let fall =
            i32::from(leader.last_best.is_some()) * (leader.last_score - best.score.centimen());
        leader.verdict = Verdict {
            agreeing: if agrees {
                leader.verdict.agreeing + 1
            } else {
                1
            },
            effort: best.nodes as f64 / nodes.max(1) as f64,
            fall: f64::from(fall) / 100.0,
        };
        leader.last_best = Some(best.mv);
        leader.last_score = best.score.centimen();
    }

    fn outcome(&self, depth: u32, moves: Vec<RootMove>) -> Outcome {
        let best = moves.into_iter().next();
        let (score, pv) = best.map_or((Score::loss_in(0), Vec::new()), |root_move| {
            (root_move.score, root_move.pv)
        });
        Outcome {
            best: pv.first().copied(),
            ponder: pv.get(1).copied(),
            score,
            depth,
            nodes: self.shared.total_nodes(),
            pv,
        }
    }

    /// Tells the reporter of the best lines.
    fn report_lines(&mut self, moves: &[RootMove]) {
        self.publish_nodes();
        let reports = self.line_reports(moves);
        let Some(leader) = &mut self.leader else {
            return;
        };
        for progress in &reports {
            leader.reporter.progress(progress);
            leader.last_time = progress.time;
        }
        leader.last = reports;
    }

    /// What there is to tell of the best lines.
    fn line_reports(&self, moves: &[RootMove]) -> Vec<Progress> {
        let best = &moves[..self.lines(moves)];
        let report = |(index, root_move): (usize, &RootMove)| Progress {
            line: index + 1,
            depth: root_move.depth,
            mean_depth: self.leaf_plies as f64 / self.leaves.max(1) as f64,
            score: root_move.score,
            nodes: self.shared.total_nodes(),
            time: self.shared.watch.elapsed(),
            pv: root_move.pv.clone(),
        };
        best.iter().enumerate().map(report).collect()
    }

    /// Ends the search if a limit is reached, and breaks a long silence.
    pub(super) fn poll_as_leader(&mut self) -> Result<(), Stopped> {
        let shared = self.shared;
        let Some(leader) = &mut self.leader else {
            return Ok(());
        };
        let nodes = shared.total_nodes();
        if !leader.has_searched && nodes < Leader::FIRST_DEPTH_NODES {
            return Ok(());
        }
        let out_of_nodes = leader.limits.nodes.is_some_and(|limit| nodes >= limit);
        let out_of_time = shared.watch.on_the_clock() >= leader.deadlines.hard;
        if out_of_nodes || out_of_time || shared.stop.load(Relaxed) {
            return Err(Stopped);
        }
        let time = shared.watch.elapsed();
        if time.saturating_sub(leader.last_time) >= Leader::SILENCE {
            leader.last_time = time;
            for progress in &mut leader.last {
                (progress.nodes, progress.time) = (nodes, time);
                leader.reporter.progress(progress);
            }
        }
        Ok(())
    }
}

/// The legal moves with a first guess, the value of the position behind each,
/// the best first.
fn root_moves(line: &Line) -> Vec<RootMove> {
    let mut list = MoveList::new();
    line.position().legal_moves(&mut list);
    let guessed = |mv| RootMove {
        mv,
        score: -stand_pat(line.play(mv).position(), 1),
        depth: 1,
        nodes: 0,
        pv: vec![mv],
    };
    let mut moves: Vec<RootMove> = list.into_iter().map(guessed).collect();
    moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.score));
    moves
}
