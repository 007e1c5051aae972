//! The benchmark: a fixed list of positions searched to a fixed depth.
//!
//! On one thread with the usual depth and table the number of nodes is the
//! *signature* of the search: the same on every machine, and another one as
//! soon as a change affects how the engine plays. It stands in a test and in
//! the message of every commit that changes it.

pub mod conversion;
mod positions;
pub mod tactics;

use std::time::{Duration, Instant};

use crate::{
    notation::fen,
    rules::Game,
    search::{Engine, Limits, Purpose, Silent, TableError},
};

pub use positions::POSITIONS;

/// The depth to which every position is searched, in plies.
pub const DEPTH: u32 = 11;

/// The logarithm of the number of the table's entries.
pub const TABLE_LOG2: u32 = 18;

/// How the positions are searched. The default gives the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The depth, in plies.
    pub depth: u32,
    /// How many threads search, at least one; with several the number of nodes
    /// is another one each time.
    pub threads: usize,
    /// The table has 2^`table_log2` entries and is empty before each position.
    pub table_log2: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            depth: DEPTH,
            threads: 1,
            table_log2: TABLE_LOG2,
        }
    }
}

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

/// Searches every position, calling `visit` with each position's FEN and cost,
/// and returns the cost of all.
pub fn run(settings: Settings, mut visit: impl FnMut(&str, Cost)) -> Result<Cost, TableError> {
    let mut engine = Engine::new(settings.threads, settings.table_log2)?;
    let mut search = |text: &'static str| {
        let cost = search(&mut engine, text, settings.depth);
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
