//! Learning from games of the engine against itself.

pub mod course;
pub mod dataset;
pub mod fit;
pub mod record;
pub mod selfplay;
