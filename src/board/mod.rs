//! Squares, positions, moves and their generator: pure values.
//!
//! Nothing here allocates, and nothing here knows draw rules, text, scores or
//! evaluation. Read [`bitboard`] first for the layout, then [`position`] and
//! [`movegen`].

pub mod bitboard;
pub mod count;
pub mod movegen;
pub mod moves;
pub mod position;
pub mod side;
pub mod square;
mod zobrist;

pub use bitboard::Bitboard;
pub use moves::{Move, MoveList};
pub use position::{Position, PositionError};
pub use side::Side;
pub use square::Square;
