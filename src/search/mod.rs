//! The search: iterative deepening, principal variation search, a
//! transposition table that all threads share.
//!
//! [`Engine`] is the only way in. It is told a game and [`Limits`], works on
//! threads of its own, tells a [`Reporter`] what it finds, and ends with an
//! [`Outcome`]. The search never prints, reads or sleeps, and knows nothing of
//! any protocol.
//!
//! State is grouped by how long it lives: `Shared` by all threads, a `Worker`'s
//! own from search to search, and a `Search` that is gone with its result.
//!
//! Reading order: `threads` (start, stop, join), `root` (deepening), `node`,
//! `quiescence`, then what they use.

mod endgame;
mod history;
mod node;
mod ordering;
mod params;
mod quiescence;
mod root;
mod table;
mod threads;
mod time;
mod worker;

use std::time::Duration;

use crate::{board::Move, score::Score};

pub use params::{CONSTANTS, Constant, Params};
pub use table::TableError;
pub use threads::Engine;

/// The deepest nominal depth, in plies.
pub const MAX_DEPTH: u32 = 120;

/// When a search ends, whichever comes first.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The largest nominal depth in plies, at least 1.
    pub depth: Option<u32>,
    /// How many moves may be played in all. At least depth 1 is completed all the same.
    pub nodes: Option<u64>,
    /// The time.
    pub clock: Clock,
    /// What the search is for.
    pub purpose: Purpose,
    /// How many of the best moves get a line of their own, at least 1.
    pub multi_pv: usize,
}

impl Default for Limits {
    /// No limit at all: the search ends at [`MAX_DEPTH`] or when it is stopped.
    fn default() -> Limits {
        Limits {
            depth: None,
            nodes: None,
            clock: Clock::Infinite,
            purpose: Purpose::Play,
            multi_pv: 1,
        }
    }
}

/// How much time a search has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// All there is.
    Infinite,
    /// This much for the move.
    MoveTime(Duration),
    /// What is left on a playing clock; nothing left means to move at once.
    Game {
        /// Until the flag falls, this move's increment included.
        remaining: Duration,
        /// Added with every move.
        increment: Duration,
        /// How many moves `remaining` is for; none if it is for the rest of the game.
        moves_to_go: Option<u32>,
    },
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To play: a forced move is answered at once.
    Play,
    /// To think on the opponent's time: the clock starts with [`Engine::ponder_hit`].
    Ponder,
    /// To learn about the position: all limits are used up.
    Analyse,
}

/// What a search has found so far.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Which of the best lines this is, from 1.
    pub line: usize,
    /// The nominal depth, in plies.
    pub depth: u32,
    /// The mean depth of the leaves, in plies.
    pub mean_depth: f64,
    /// The value to the side to move.
    pub score: Score,
    /// The moves played by all threads.
    pub nodes: u64,
    /// Since the start of the search.
    pub time: Duration,
    /// The best line, with at least one move.
    pub pv: Vec<Move>,
}

/// What a search has found in the end.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best move; none if there is no legal one.
    pub best: Option<Move>,
    /// The reply that is expected, if one is known.
    pub ponder: Option<Move>,
    /// The value to the side to move.
    pub score: Score,
    /// The last depth that was completed, in plies.
    pub depth: u32,
    /// The moves played by all threads.
    pub nodes: u64,
    /// The best line, which begins with `best`.
    pub pv: Vec<Move>,
}

/// Hears what a search finds. It is called on the search's thread, so it must be quick.
pub trait Reporter: Send {
    /// A line was found or deepened, or a second has gone by. Every search of
    /// a position with a legal move makes this call at least once.
    fn progress(&mut self, progress: &Progress);

    /// The search is over. Nothing is reported after it.
    fn finished(&mut self, outcome: &Outcome);
}

/// Hears nothing.
pub struct Silent;

impl Reporter for Silent {
    fn progress(&mut self, _: &Progress) {}
    fn finished(&mut self, _: &Outcome) {}
}
