//! The benchmark: a fixed list of positions searched to a fixed depth on one
//! thread.
//!
//! The number of nodes is the *signature* of the search: the same on every
//! machine, and another one as soon as a change affects how the engine plays.
//! It stands in a test and in the message of every commit that changes it.

mod positions;

use std::time::{Duration, Instant};

use crate::{
    notation::fen,
    rules::Game,
    search::{Engine, Limits, Outcome, Progress, Purpose, Reporter, TableError},
};

pub use positions::POSITIONS;

/// The depth to which every position is searched, in plies.
pub const DEPTH: u32 = 11;

/// The table has 2^`TABLE_LOG2` entries and is empty before each position.
pub const TABLE_LOG2: u32 = 18;

/// What one position or the whole list took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// The moves played in the search.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

impl Cost {
    /// Nodes a second; 0 if no time has passed.
    pub fn nodes_per_second(&self) -> u64 {
        let seconds = self.time.as_secs_f64();
        if seconds > 0.0 {
            (self.nodes as f64 / seconds) as u64
        } else {
            0
        }
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), |sum, cost| Cost {
            nodes: sum.nodes + cost.nodes,
            time: sum.time + cost.time,
        })
    }
}

/// Searches every position to `depth`, calling `visit` with each position's
/// FEN and cost, and returns the cost of all.
pub fn run(depth: u32, mut visit: impl FnMut(&str, Cost)) -> Result<Cost, TableError> {
    let mut engine = Engine::new(1, TABLE_LOG2)?;
    let mut search = |text: &'static str| {
        let cost = search(&mut engine, text, depth);
        visit(text, cost);
        cost
    };
    Ok(POSITIONS.into_iter().map(&mut search).sum())
}

fn search(engine: &mut Engine, text: &str, depth: u32) -> Cost {
    let Ok(position) = fen::read(text) else {
        return Cost::default();
    };
    let limits = Limits {
        depth: Some(depth),
        purpose: Purpose::Analyse,
        ..Limits::default()
    };
    engine.new_game();
    let start = Instant::now();
    let outcome = engine.search(&Game::new(position), limits, Box::new(Silent));
    Cost {
        nodes: outcome.map_or(0, |outcome| outcome.nodes),
        time: start.elapsed(),
    }
}

/// Hears nothing.
struct Silent;

impl Reporter for Silent {
    fn progress(&mut self, _: &Progress) {}
    fn finished(&mut self, _: &Outcome) {}
}
