//! What a thread keeps from search to search, and what one search adds to it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering::*},
};

use crate::board::Move;

use super::{
    endgame::Endgame,
    history::History,
    ordering::Picker,
    params::{Params, Reductions},
    root::Leader,
    table::Table,
    time::Stopwatch,
};

/// The longest line that is searched, in plies.
pub(super) const MAX_PLY: usize = 250;

/// What all threads of a search share.
pub(super) struct Shared {
    pub(super) table: Arc<Table>,
    pub(super) endgame: Option<Endgame>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) watch: Arc<Stopwatch>,
    pub(super) params: Params,
    pub(super) reductions: Arc<Reductions>,
    /// The nodes of each thread, as of its last poll.
    pub(super) nodes: Vec<NodeCount>,
}

impl Shared {
    /// The nodes of all threads, as of their last polls.
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|count| count.0.load(Relaxed)).sum()
    }
}

/// A counter on a cache line of its own, so that threads do not disturb each other.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct NodeCount(AtomicU64);

/// A thread's own memory, kept from search to search.
pub(super) struct Worker {
    pub(super) history: History,
    pub(super) frames: Vec<Frame>,
}

impl Worker {
    pub(super) fn new() -> Worker {
        Worker {
            history: History::new(),
            frames: (0..MAX_PLY).map(|_| Frame::new()).collect(),
        }
    }

    /// Forgets what earlier games taught.
    pub(super) fn forget(&mut self) {
        self.history.clear();
        for frame in &mut self.frames {
            frame.killers = [0; 2];
        }
    }
}

/// The memory of a node, one a ply.
pub(super) struct Frame {
    pub(super) picker: Picker,
    pub(super) pv: Vec<Move>,
    /// The fingerprints of the quiet moves that last caused a cut-off at this
    /// ply, the latest first ("killers", Huberman, 1968).
    pub(super) killers: [u16; 2],
}

impl Frame {
    fn new() -> Frame {
        Frame {
            picker: Picker::new(),
            pv: Vec::with_capacity(MAX_PLY),
            killers: [0; 2],
        }
    }
}

/// The search was told to end, or its limits were reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

/// One thread's part in one search.
pub(super) struct Search<'a> {
    pub(super) shared: &'a Shared,
    pub(super) history: &'a mut History,
    /// Which thread this is; 0 leads.
    thread: usize,
    /// What only the leading thread does.
    pub(super) leader: Option<Leader<'a>>,
    pub(super) nodes: u64,
    /// At this number of nodes the world outside is looked at.
    next_poll: u64,
    /// How many leaves were evaluated, and the sum of their distances from the root.
    pub(super) leaves: u64,
    pub(super) leaf_plies: u64,
}

impl<'s> Search<'s> {
    /// How many nodes a thread plays between two looks at the world outside:
    /// less than a millisecond.
    const POLL_INTERVAL: u64 = 1024;

    pub(super) fn new(
        shared: &'s Shared,
        history: &'s mut History,
        thread: usize,
        leader: Option<Leader<'s>>,
    ) -> Search<'s> {
        let mut search = Search {
            shared,
            history,
            thread,
            leader,
            nodes: 0,
            next_poll: 0,
            leaves: 0,
            leaf_plies: 0,
        };
        search.schedule_poll();
        search
    }

    /// Counts a node, and now and then looks whether the search should end.
    #[inline(always)]
    pub(super) fn enter_node(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.poll()
        } else {
            Ok(())
        }
    }

    #[inline(always)]
    pub(super) fn params(&self) -> &'s Params {
        &self.shared.params
    }

    #[inline(always)]
    pub(super) fn count_leaf(&mut self, ply: usize) {
        self.leaves += 1;
        self.leaf_plies += ply as u64;
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        self.publish_nodes();
        self.schedule_poll();
        if self.leader.is_some() {
            self.poll_as_leader()
        } else if self.shared.stop.load(Relaxed) {
            Err(Stopped)
        } else {
            Ok(())
        }
    }

    pub(super) fn publish_nodes(&self) {
        if let Some(count) = self.shared.nodes.get(self.thread) {
            count.0.store(self.nodes, Relaxed);
        }
    }

    fn schedule_poll(&mut self) {
        let limit = self.leader.as_ref().and_then(|leader| leader.limits.nodes);
        let exact = limit
            .filter(|&limit| limit > self.nodes)
            .unwrap_or(u64::MAX);
        self.next_poll = (self.nodes + Self::POLL_INTERVAL).min(exact);
    }
}
