//! Manoury, an engine for international draughts (10x10).
//!
//! The modules in reading order; each uses only what stands before it, which
//! `tests/layers.rs` checks:
//!
//! * `cpu`: whether the processor has what the program was built for.
//! * [`memory`]: whether a table fits.
//! * [`board`]: squares, positions, moves and their generator.
//! * [`rules`]: a game's history, repetition, the move-count rules and the result.
//! * [`notation`]: FEN, Hub and PDN texts to values and back.
//! * [`perft`]: counting the move tree, and lists of known counts.
//! * [`score`]: values, proven and guessed.
//! * [`eval`]: what a quiet position is worth.
//! * [`endgame`]: tables of endings with few pieces, and their making.
//! * [`config`]: what a user can set.
//! * [`search`]: what to play.
//! * [`protocol`]: the languages of clients and servers.
//! * [`arena`]: matches between engines.
//! * [`mod@bench`]: how fast the search is, and its signature.
//! * [`train`]: learning from games of the engine against itself.
//! * [`cli`]: the subcommands.
//!
//! # Invariants
//!
//! 1. `board` knows no draw rules, text, score or evaluation, and never allocates.
//! 2. `eval` does not know `search`; what is incremental is carried by the
//!    position's owner, not called from `board`.
//! 3. `search` never prints, reads, sleeps, exits or looks at the environment.
//! 4. An `Engine` has one owner, who starts, stops and joins it; only the owner
//!    clears the stop flag. Only a session writes to stdout; logs go to stderr.
//! 5. `arena` plays programs through the Hub client, so it plays other engines,
//!    old versions and ourselves alike.
//! 6. Only `main` exits the process, but for a processor that cannot run it.

pub mod arena;
pub mod bench;
pub mod board;
pub mod cli;
pub mod config;
mod cpu;
pub mod endgame;
pub mod eval;
pub mod memory;
pub mod notation;
pub mod perft;
pub mod protocol;
pub mod rules;
pub mod score;
pub mod search;
pub mod train;
