//! The last two plies counted together: a quiet move and its replies.
//!
//! Most quiet moves change little for the opponent. If it could capture nothing
//! before and a move lets it capture nothing after, its replies are those it had
//! before, more where the mover left and fewer where the mover arrived: so whole
//! sets of moves are counted by popcounts. Moves that do let it capture are
//! recognised exactly, also set by set, and counted with it if these captures
//! are of one piece; only the rest is played.
//!
//! [`steps`] has the moves of men, [`flights`] those of kings, and [`reach`] what
//! both ask of the opponent's pieces.

mod flights;
mod reach;
mod steps;

use super::node::Node;
use crate::board::{
    Bitboard, MoveList,
    count::{count_captures, count_moves},
    movegen::{Mover, View},
};

/// How many pairs of a move and a reply there are.
pub(super) fn count_two_plies<M: Mover>(node: &Node, list: &mut MoveList) -> u64 {
    let view = node.view();
    let mut sum = 0;
    if view.has_capture() {
        node.each_capture::<M>(&view, list, |child| {
            sum += u64::from(count_moves::<M::Opponent>(&child.view()));
        });
        return sum;
    }
    let replies = node.passed().view();
    sum += steps::count::<M>(view.men, &replies);
    for king in view.kings.singles() {
        sum += flights::count::<M>(king, &replies);
    }
    sum
}

/// The opponent's view after a piece of the mover went from one square to another.
#[inline(always)]
fn after(replies: &View, from: Bitboard, to: Bitboard) -> View {
    View {
        enemies: replies.enemies ^ from ^ to,
        empty: replies.empty ^ from ^ to,
        ..*replies
    }
}

/// The replies to moves, one after another, each of which lets the opponent capture.
#[inline(always)]
fn count_captures_after(replies: &View, moves: impl Iterator<Item = (Bitboard, Bitboard)>) -> u64 {
    moves
        .map(|(from, to)| u64::from(count_captures(&after(replies, from, to))))
        .sum()
}

/// The replies to moves, one after another.
#[inline(always)]
fn count_moves_after<M: Mover>(
    replies: &View,
    moves: impl Iterator<Item = (Bitboard, Bitboard)>,
) -> u64 {
    moves
        .map(|(from, to)| u64::from(count_moves::<M::Opponent>(&after(replies, from, to))))
        .sum()
}
