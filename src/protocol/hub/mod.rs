//! The Hub protocol, version 2, from the engine's side.
//!
//! Three threads keep each other from waiting. `input` turns stdin into lines;
//! `session` owns the engine and everything that can be set, and is told of
//! lines and of the search's progress through one channel; `output` owns
//! stdout and puts a pause between lines. `parse` and `level` read what clients
//! write, `report` writes what they read. How to play is not known here.

mod input;
mod level;
mod output;
mod parse;
mod report;
mod session;

pub use session::run;
