//! Counting in batches: eight positions at a time, one in each lane of a register.

mod board;
mod lanes;
mod leaves;
mod level;
mod list;

use super::{Context, bulk, node::Node};
use crate::board::{
    MoveList, Position, Side,
    movegen::{Black, Mover, White},
};
use level::Level;

/// The lists of positions at each depth; they exist only on a processor that
/// has the instructions for them.
pub(super) struct Batches {
    levels: Vec<Level>,
}

impl Batches {
    /// The least depth that is counted in batches.
    const SHALLOWEST: u32 = 3;

    /// Lists for counts of up to `depth` plies, if the processor can use them.
    pub fn new(depth: u32) -> Option<Batches> {
        lanes::are_available().then(|| Batches {
            levels: (0..=depth).rev().map(Level::new).collect(),
        })
    }

    /// Counts the leaves `depth` plies below `position`; the result means
    /// nothing if the monitor is stopped. `lists` holds a list for each ply.
    pub fn count(
        &mut self,
        position: &Position,
        depth: u32,
        context: Context,
        lists: &mut [MoveList],
    ) -> u64 {
        let node = Node::of(position);
        if depth < Self::SHALLOWEST || node.kings.any() {
            return bulk::count(position, depth, context, lists);
        }
        match position.side() {
            Side::White => self.count_node::<White>(&node, depth, context, lists),
            Side::Black => self.count_node::<Black>(&node, depth, context, lists),
        }
    }

    #[allow(unsafe_code)]
    fn count_node<M: Mover>(
        &mut self,
        node: &Node,
        depth: u32,
        context: Context,
        lists: &mut [MoveList],
    ) -> u64 {
        let above = self.levels.len() - 1 - depth as usize;
        let levels = &mut self.levels[above..];
        levels[0].push_node(node);
        let mut sum = 0;
        // SAFETY: `new` made this value only after it had seen that the
        // processor has these features.
        unsafe { level::drain::<M>(levels, context, lists, &mut sum) };
        sum
    }
}
