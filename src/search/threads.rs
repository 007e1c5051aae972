//! Starting, stopping and joining a search.
//!
//! Threads search the same position side by side and help each other through
//! the transposition table alone (lazy SMP). The first leads: it looks at the
//! clock, reports, and its result counts. The others deepen until it is done,
//! each with its own history, so that they differ by what they find in the
//! table and when.
//!
//! What they share on their hot paths is read, not written: the table's buckets,
//! whose entries are written without locks, and the stop flag. Each counts its
//! nodes for itself and tells them every few thousand, on a cache line of its
//! own, which the leader alone sums up when it looks at the clock. So at 16 or
//! 64 threads the nodes per second are bound by the memory, which a node from
//! depth 3 on reads once, ahead of time, and by the number of sockets, since
//! the table is not divided between them. What more threads find is bound
//! earlier: already the second repeats much of the first one's work. Measured
//! figures are in `CHANGELOG.md`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::*},
    },
    thread::{self, JoinHandle},
};

use crate::{
    endgame::Tables,
    eval,
    rules::{Game, State},
};

use super::{
    Limits, Outcome, Purpose, Reporter,
    endgame::Endgame,
    params::{Params, Reductions},
    root::Leader,
    table::{Table, TableError},
    time::Stopwatch,
    worker::{NodeCount, Search, Shared, Worker},
};

/// The searching side of the program. Its owner starts, stops and joins it;
/// several engines in one process do not know of each other.
pub struct Engine {
    table: Arc<Table>,
    endgame: Option<Endgame>,
    stop: Arc<AtomicBool>,
    watch: Arc<Stopwatch>,
    threads: usize,
    params: Params,
    /// What follows from them.
    reductions: Arc<Reductions>,
    /// The threads' memory, while no search has it.
    workers: Vec<Worker>,
    running: Option<JoinHandle<(Vec<Worker>, Option<Outcome>)>>,
}

impl Engine {
    /// A recursion of [`super::worker::MAX_PLY`] nodes fits well.
    const STACK: usize = 16 << 20;

    /// An engine that searches on `threads` threads, at least one, with a table
    /// of 2^`table_log2` entries of 16 bytes.
    pub fn new(threads: usize, table_log2: u32) -> Result<Engine, TableError> {
        eval::prepare();
        Ok(Engine {
            table: Arc::new(Table::new(table_log2)?),
            endgame: None,
            stop: Arc::default(),
            watch: Arc::new(Stopwatch::new(false)),
            threads: threads.max(1),
            params: Params::default(),
            reductions: Reductions::new(&Params::default()),
            workers: Vec::new(),
            running: None,
        })
    }

    /// Exchanges the table for an empty one of 2^`log2` entries, after the
    /// search that is on. On an error the old table stays.
    pub fn resize_table(&mut self, log2: u32) -> Result<(), TableError> {
        self.wait();
        self.table = Arc::new(Table::new(log2)?);
        Ok(())
    }

    /// Asks these endgame tables about positions of up to `pieces` pieces from
    /// the next search on; a new engine has none.
    pub fn set_endgame(&mut self, tables: &Arc<Tables>, pieces: u32) {
        let tables = Arc::clone(tables);
        self.endgame = Some(Endgame { tables, pieces });
    }

    /// Uses `threads` threads, at least one, from the next search on.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Uses these constants from the next search on.
    pub fn set_params(&mut self, params: Params) {
        self.reductions = Reductions::new(&params);
        self.params = params;
    }

    /// Forgets what was learned, after the search that is on.
    pub fn new_game(&mut self) {
        self.wait();
        self.table.clear();
        for worker in &mut self.workers {
            worker.forget();
        }
    }

    /// Starts a search of the game's last position and returns at once; a
    /// search that is on is stopped and joined first.
    pub fn start(&mut self, game: &Game, limits: Limits, mut reporter: Box<dyn Reporter>) {
        self.stop();
        self.wait();
        self.stop.store(false, Release);
        self.watch = Arc::new(Stopwatch::new(limits.purpose == Purpose::Ponder));
        self.workers.resize_with(self.threads, Worker::new);
        let shared = Shared {
            table: Arc::clone(&self.table),
            endgame: self.endgame.clone(),
            stop: Arc::clone(&self.stop),
            watch: Arc::clone(&self.watch),
            params: self.params.clone(),
            reductions: Arc::clone(&self.reductions),
            nodes: (0..self.threads).map(|_| NodeCount::default()).collect(),
        };
        let game = undrawn(game);
        let workers = std::mem::take(&mut self.workers);
        let search = move || search(&shared, &game, limits, &mut *reporter, workers);
        let spawned = thread::Builder::new()
            .name("search".into())
            .stack_size(Self::STACK)
            .spawn(search);
        match spawned {
            Ok(handle) => self.running = Some(handle),
            Err(error) => log::error!("no thread for the search: {error}"),
        }
    }

    /// Searches the game's last position and returns what was found; none if
    /// the search panicked or got no thread.
    pub fn search(
        &mut self,
        game: &Game,
        limits: Limits,
        reporter: Box<dyn Reporter>,
    ) -> Option<Outcome> {
        self.start(game, limits, reporter);
        self.wait()
    }

    /// Tells the search to end; its outcome is reported soon after.
    pub fn stop(&self) {
        self.stop.store(true, Release);
    }

    /// Tells a pondering search that its position came about: its clock starts.
    pub fn ponder_hit(&self) {
        self.watch.ponder_hit();
    }

    /// Returns when no search is on, with the outcome of the one that was. It
    /// does not stop one.
    pub fn wait(&mut self) -> Option<Outcome> {
        // A search that panicked takes its memory with it.
        let (workers, outcome) = self.running.take()?.join().unwrap_or_default();
        self.workers = workers;
        outcome
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

/// The game to search. After a draw it may be analysed further: then it begins
/// anew with its last position, or else every move would be a draw.
fn undrawn(game: &Game) -> Game {
    match game.state() {
        State::Draw(_) => Game::new(*game.position()),
        State::InPlay | State::Won { .. } => game.clone(),
    }
}

/// One search on all threads, the first of which leads; gives their memory back.
fn search(
    shared: &Shared,
    game: &Game,
    limits: Limits,
    reporter: &mut dyn Reporter,
    mut workers: Vec<Worker>,
) -> (Vec<Worker>, Option<Outcome>) {
    shared.table.begin_search();
    let outcome = thread::scope(|scope| {
        let (first, helpers) = workers.split_first_mut()?;
        for (thread, helper) in (1..).zip(helpers) {
            let help = move || {
                let mut search = Search::new(shared, &mut helper.history, thread, None);
                search.deepen(&game.line(), &mut helper.frames);
            };
            let builder = thread::Builder::new().stack_size(Engine::STACK);
            if let Err(error) = builder.spawn_scoped(scope, help) {
                log::warn!("the search has one helper less: {error}");
            }
        }
        let _helpers_end = StopOnDrop(shared);
        let leader = Leader::new(limits, reporter);
        let mut search = Search::new(shared, &mut first.history, 0, Some(leader));
        Some(search.deepen(&game.line(), &mut first.frames))
    });
    if let Some(outcome) = &outcome {
        reporter.finished(outcome);
    }
    (workers, outcome)
}

/// Ends the helpers with the leader, even if it panics, since the scope waits for them.
struct StopOnDrop<'a>(&'a Shared);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop.store(true, Release);
    }
}
