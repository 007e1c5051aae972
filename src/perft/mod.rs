//! Counting the move tree: how many ways there are to play so many plies.
//!
//! A [`Counter`] splits the tree into a queue of positions that its threads
//! share, and adds up what they count. Counting in bulk does not play the last
//! plies but counts them, one or two at a time (`bulk`), where the processor can
//! for eight positions at once (`batch`); counting one by one plays every move
//! and is the oracle of all that (`one_by_one`). A table of
//! counts helps both. [`suite`] reads lists of known counts.
//!
//! Draw rules are not known here, nor how results are shown.
//!
//! # What was tried
//!
//! Instructions a leaf, one thread, no table, built for x86-64-v3, counted by
//! callgrind at depths 8, 13 and 6; each row adds to the one before:
//!
//! | | initial | Woldouby | Random178 |
//! |---|---|---|---|
//! | the last ply listed | 64.6 | 89.0 | 54.1 |
//! | the last ply counted set-wise | 30.9 | 61.3 | 33.3 |
//! | two plies at once, moves that expose something played | 19.6 | 49.8 | 22.3 |
//! | captures of one exposed piece counted set-wise | 18.1 | 49.1 | 20.2 |
//!
//! | detail | effect |
//! |---|---|
//! | one exposed piece, as above | a quarter faster: it saves branches that cannot be foreseen |
//! | kings follow captures only from squares that see a piece to take | Woldouby +25 %, only kings +160 % |
//! | third jumps looked at only where a second has one | initial -9 % instructions |
//! | two pieces taken by a king, without following each path | Woldouby -5 % instructions |
//! | a few moves kept beside the count instead of a list | Woldouby -4 % instructions |
//! | steps that do not touch a threat share its count | nothing, removed |

#[cfg(target_arch = "x86_64")]
mod batch;
mod bulk;
mod node;
mod one_by_one;
mod queue;
pub mod suite;
mod table;
mod two_plies;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    board::{Move, MoveList, Position},
    memory::MemoryError,
};
#[cfg(target_arch = "x86_64")]
use batch::Batches;
use queue::{Queue, Task};
use table::Table;

/// The greatest depth that can be asked for.
pub const MAX_DEPTH: u32 = 40;

/// How to count. The counts are the same in every way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether the last plies are counted rather than played.
    pub bulk: bool,
    /// How many threads count, at least one.
    pub threads: usize,
    /// The size of the table of counts in MiB; none if absent.
    pub hash_mib: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            bulk: true,
            threads: 1,
            hash_mib: None,
        }
    }
}

/// Why there is no counter with these options.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// A table of no size.
    #[error("a table of 0 MiB holds nothing")]
    EmptyTable,
    /// The table cannot be had.
    #[error("no room for the table: {0}")]
    Table(#[from] MemoryError),
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Why there is no count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// [`Monitor::stop`] was called.
    #[error("stopped")]
    Stopped,
    /// The count exceeds 64 bits.
    #[error("the count does not fit into 64 bits")]
    TooLarge,
}

/// Watches counts from another thread, and stops them.
#[derive(Debug, Default)]
pub struct Monitor {
    stopped: AtomicBool,
    tasks: AtomicUsize,
    tasks_done: AtomicUsize,
    nodes: AtomicU64,
}

/// How far a count is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The parts into which the work was split; they are not of one size.
    pub tasks: usize,
    /// The parts that are done.
    pub tasks_done: usize,
    /// The leaves in the parts that are done.
    pub nodes: u64,
}

impl Monitor {
    /// Ends the running count soon, and all later ones at once.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether [`Monitor::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// How far the running count is.
    pub fn progress(&self) -> Progress {
        Progress {
            tasks: self.tasks.load(Ordering::Relaxed),
            tasks_done: self.tasks_done.load(Ordering::Relaxed),
            nodes: self.nodes.load(Ordering::Relaxed),
        }
    }

    fn begin(&self, tasks: usize) {
        self.tasks.store(tasks, Ordering::Relaxed);
        self.tasks_done.store(0, Ordering::Relaxed);
        self.nodes.store(0, Ordering::Relaxed);
    }

    fn finish_task(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
        self.tasks_done.fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts move trees; owns the threads and the table for it.
pub struct Counter {
    bulk: bool,
    pool: ThreadPool,
    table: Option<Table>,
}

/// What a count needs at every node beside the position.
#[derive(Clone, Copy)]
struct Context<'a> {
    table: Option<&'a Table>,
    monitor: &'a Monitor,
}

impl Context<'_> {
    /// The count of a node from the table, or else from `count`.
    #[inline(always)]
    fn look_up_or(&self, key: impl FnOnce() -> table::Key, count: impl FnOnce() -> u64) -> u64 {
        let Some(table) = self.table else {
            return count();
        };
        let key = key();
        table.get(key).unwrap_or_else(|| {
            let found = count();
            // What was cut short is no count.
            if !self.monitor.is_stopped() {
                table.put(key, found);
            }
            found
        })
    }
}

impl Counter {
    /// A counter with these options; its table is empty.
    pub fn new(options: &Options) -> Result<Counter, OptionsError> {
        Ok(Counter {
            bulk: options.bulk,
            pool: ThreadPoolBuilder::new()
                .num_threads(options.threads)
                .build()?,
            table: options.hash_mib.map(Table::new).transpose()?,
        })
    }

    /// How many ways there are to play `depth` plies.
    pub fn count(
        &self,
        position: &Position,
        depth: u32,
        monitor: &Monitor,
    ) -> Result<u64, CountError> {
        let task = Task {
            position: *position,
            depth,
            group: 0,
        };
        self.run(vec![task], 1, monitor)[0]
            .ok_or(CountError::Stopped)
            .and_then(in_range)
    }

    /// The count for each legal move, with `depth` including that move and at
    /// least 1; none for moves that were not finished before a stop.
    pub fn divide(
        &self,
        position: &Position,
        depth: u32,
        monitor: &Monitor,
    ) -> Vec<(Move, Result<u64, CountError>)> {
        let mut list = MoveList::new();
        position.legal_moves(&mut list);
        let tasks = (0..).zip(&list).map(|(group, mv)| Task {
            position: position.play(mv),
            depth: depth.saturating_sub(1),
            group,
        });
        let counts = self.run(tasks.collect(), list.len(), monitor);
        let counts = counts
            .into_iter()
            .map(|count| count.ok_or(CountError::Stopped).and_then(in_range));
        list.into_iter().zip(counts).collect()
    }

    /// The sums of each of `groups` groups of tasks; none if not all were done.
    fn run(&self, tasks: Vec<Task>, groups: usize, monitor: &Monitor) -> Vec<Option<u64>> {
        let queue = Queue::split(tasks);
        monitor.begin(queue.len());
        let done = self.pool.broadcast(|_| self.work(&queue, monitor)).concat();

        let mut open = vec![0_usize; groups];
        for task in queue.tasks() {
            open[task.group] += 1;
        }
        let mut sums = vec![0_u64; groups];
        for (group, count) in done {
            open[group] -= 1;
            sums[group] = sums[group].saturating_add(count);
        }
        let finished = |(sum, open)| (open == 0).then_some(sum);
        sums.into_iter().zip(open).map(finished).collect()
    }

    /// Takes tasks from the queue until it is empty; returns their groups and counts.
    fn work(&self, queue: &Queue, monitor: &Monitor) -> Vec<(usize, u64)> {
        let deepest = queue.tasks().iter().map(|task| task.depth).max();
        let mut lists = vec![MoveList::new(); deepest.unwrap_or(0) as usize];
        let context = Context {
            table: self.table.as_ref(),
            monitor,
        };
        let mut method = Method::new(self.bulk, deepest.unwrap_or(0));
        let mut done = Vec::new();
        while let Some(task) = queue.pop() {
            let found = method.count(task, context, &mut lists);
            if monitor.is_stopped() {
                break;
            }
            monitor.finish_task(found);
            done.push((task.group, found));
        }
        done
    }
}

/// How a thread counts a task.
enum Method {
    /// By playing every move.
    OneByOne,
    /// By counting the last plies of one position at a time.
    Bulk,
    /// By counting the last plies of eight positions at a time.
    #[cfg(target_arch = "x86_64")]
    Batches(Batches),
}

impl Method {
    /// The fastest method of this processor for up to `depth` plies, in bulk or not.
    fn new(bulk: bool, depth: u32) -> Method {
        if !bulk {
            return Method::OneByOne;
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(batches) = Batches::new(depth) {
            return Method::Batches(batches);
        }
        Method::Bulk
    }

    fn count(&mut self, task: &Task, context: Context, lists: &mut [MoveList]) -> u64 {
        let (position, depth) = (&task.position, task.depth);
        match self {
            Method::OneByOne => one_by_one::count(position, depth, context, lists),
            Method::Bulk => bulk::count(position, depth, context, lists),
            #[cfg(target_arch = "x86_64")]
            Method::Batches(batches) => batches.count(position, depth, context, lists),
        }
    }
}

/// Counts are added with saturation, so that the greatest number means too many.
fn in_range(count: u64) -> Result<u64, CountError> {
    if count == u64::MAX {
        Err(CountError::TooLarge)
    } else {
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    #[test]
    fn a_sum_that_does_not_fit_stays_at_the_greatest_number() {
        let position = fen::read("W:WK1:BK50").unwrap();
        for count in [bulk::count, one_by_one::count] {
            let table = Table::new(16).unwrap();
            let context = Context {
                table: Some(&table),
                monitor: &Monitor::default(),
            };
            let mut lists = vec![MoveList::new(); 40];
            assert_eq!(count(&position, 40, context, &mut lists), u64::MAX);
        }
    }
}
