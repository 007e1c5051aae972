//! Engine matches.

pub mod clock;
pub mod game;
pub mod openings;
pub mod stats;
