//! Endgame tables: what every ending of a few pieces is worth.
//!
//! Reading order: [`material`] (which endings there are), [`placement`] and
//! [`index`] (where an ending stands in its table), [`solve`] (win, draw or
//! loss), [`distance`] (how long), [`mod@file`] and [`tables`] (what is kept), [`build`]. What a search does
//! with a value is not known here.

pub mod build;
pub mod distance;
pub mod file;
pub mod index;
pub mod material;
pub mod placement;
pub mod solve;
pub mod tables;
pub mod verify;

pub use tables::Tables;

use std::ops::Neg;

/// The theoretical value to the side to move, as if no count ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Lost.
    Loss,
    /// Drawn.
    Draw,
    /// Won.
    Win,
}

impl Neg for Value {
    type Output = Value;

    #[inline(always)]
    fn neg(self) -> Value {
        match self {
            Value::Loss => Value::Win,
            Value::Draw => Value::Draw,
            Value::Win => Value::Loss,
        }
    }
}
