//! Engine matches.

pub mod archive;
pub mod clock;
pub mod game;
pub mod openings;
pub mod report;
pub mod schedule;
pub mod standings;
pub mod stats;
pub mod tournament;
