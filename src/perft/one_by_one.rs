//! Counting by playing every move down to the leaves, as the search plays them.
//!
//! No trick is known here; this is what the tricks are tested against.

use super::{Context, node::Node, table::Key};
use crate::board::{MoveList, Position};

/// The least depth at which the table and the stop flag are asked.
const SHALLOWEST_CHECK: u32 = 3;

/// Counts the leaves `depth` plies below `position`; the result means nothing
/// if the monitor is stopped. `lists` holds a list for each ply.
pub(super) fn count(
    position: &Position,
    depth: u32,
    context: Context,
    lists: &mut [MoveList],
) -> u64 {
    if depth < SHALLOWEST_CHECK {
        return count_children(position, depth, context, lists);
    }
    if context.monitor.is_stopped() {
        return 0;
    }
    context.look_up_or(
        || Key::new(&Node::of(position), position.side(), depth),
        || count_children(position, depth, context, lists),
    )
}

fn count_children(
    position: &Position,
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
    position.legal_moves(list);
    list.into_iter().fold(0_u64, |sum, mv| {
        sum.saturating_add(count(&position.play(mv), depth - 1, context, lists))
    })
}
