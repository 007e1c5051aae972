//! Counting in bulk: the last two plies are counted together.
//!
//! Down to there every move is played on [`Node`]s, which carry no key. The
//! table is asked from depth 3 on: below, counting is cheaper.

use super::{Context, node::Node, table::Key, two_plies::count_two_plies};
use crate::board::{
    MoveList, Position, Side, count,
    movegen::{Black, Mover, White},
};

/// The least depth at which the stop flag is read: a node of it takes well
/// under a millisecond.
const SHALLOWEST_STOP: u32 = 4;

/// Counts the leaves `depth` plies below `position`; the result means nothing
/// if the monitor is stopped. `lists` holds a list for each ply.
pub(super) fn count(
    position: &Position,
    depth: u32,
    context: Context,
    lists: &mut [MoveList],
) -> u64 {
    let node = Node::of(position);
    match position.side() {
        Side::White => count_node::<White>(&node, depth, context, lists),
        Side::Black => count_node::<Black>(&node, depth, context, lists),
    }
}

pub(super) fn count_node<M: Mover>(
    node: &Node,
    depth: u32,
    context: Context,
    lists: &mut [MoveList],
) -> u64 {
    if depth == 0 {
        return 1;
    }
    let Some((list, lists)) = lists.split_first_mut() else {
        return 0;
    };
    match depth {
        1 => count::count_moves::<M>(&node.view()).into(),
        2 => count_two_plies::<M>(node, list),
        _ if depth >= SHALLOWEST_STOP && context.monitor.is_stopped() => 0,
        _ => context.look_up_or(
            || Key::new(node, M::SIDE, depth),
            || count_children::<M>(node, depth, context, list, lists),
        ),
    }
}

fn count_children<M: Mover>(
    node: &Node,
    depth: u32,
    context: Context,
    list: &mut MoveList,
    lists: &mut [MoveList],
) -> u64 {
    let mut sum = 0_u64;
    node.each_child::<M>(list, |child| {
        let count = count_node::<M::Opponent>(&child, depth - 1, context, lists);
        sum = sum.saturating_add(count);
    });
    sum
}
