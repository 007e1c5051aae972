//! The routes of a capture: over which squares it leads.
//!
//! A move knows where it starts and ends and what it takes, not how it got
//! there, which only texts ask. This follows captures jump by jump, slowly and
//! plainly; the legal moves come from the generator alone.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::collections::HashSet;

use crate::board::{Bitboard, Move, Position, Square};

/// Which routes are looked for.
struct Search<'a> {
    is_king: bool,
    /// The squares that are empty during the capture, its origin among them.
    empty: Bitboard,
    /// What may be jumped.
    enemies: Bitboard,
    /// Whether a route that is on this square and has taken these may end.
    is_end: &'a dyn Fn(Square, Bitboard) -> bool,
    /// Where no end was found: a square, what was taken on the way to it, and
    /// how many squares were still to be visited.
    failed: HashSet<(Square, Bitboard, usize)>,
}

/// A route of `capture`, which must be legal in `position`, that lands on the
/// squares of `via` in this order, perhaps on others between them: the origin
/// and every square landed on. The same is found every time.
pub(super) fn route_of(position: &Position, capture: Move, via: &[Square]) -> Option<Vec<Square>> {
    let captured = position.captured(capture);
    let destination = position.destination(capture);
    let is_end = |at, taken| at == destination && taken == captured;
    let mut search = Search::new(position, capture.origin(), captured, &is_end);
    let mut route = vec![capture.origin()];
    search
        .go_on(&mut route, Bitboard::EMPTY, via)
        .then_some(route)
}

/// Whether the piece on `origin` can get to `destination` by jumping anything
/// at all, be it fewer pieces than the rules demand.
pub(super) fn can_jump_to(position: &Position, origin: Square, destination: Square) -> bool {
    let enemies = position.pieces(position.side().opponent());
    let is_end = |at, taken: Bitboard| at == destination && taken.any();
    let mut search = Search::new(position, origin, enemies, &is_end);
    search.go_on(&mut vec![origin], Bitboard::EMPTY, &[])
}

impl<'a> Search<'a> {
    fn new(
        position: &Position,
        origin: Square,
        enemies: Bitboard,
        is_end: &'a dyn Fn(Square, Bitboard) -> bool,
    ) -> Search<'a> {
        Search {
            is_king: position.kings(position.side()).contains(origin),
            empty: position.empty() | Bitboard::of(origin),
            enemies,
            is_end,
            failed: HashSet::new(),
        }
    }

    /// Extends `route`, which has taken `taken`, to one that visits `via` and
    /// may end; otherwise leaves it as it was.
    fn go_on(&mut self, route: &mut Vec<Square>, taken: Bitboard, via: &[Square]) -> bool {
        let Some(&at) = route.last() else {
            return false;
        };
        if via.is_empty() && (self.is_end)(at, taken) {
            return true;
        }
        if !self.failed.insert((at, taken, via.len())) {
            return false;
        }
        for (over, landing) in self.jumps(at, taken) {
            let rest = match via.split_first() {
                Some((&next, rest)) if next == landing => rest,
                _ => via,
            };
            route.push(landing);
            if self.go_on(route, taken | Bitboard::of(over), rest) {
                return true;
            }
            route.pop();
        }
        false
    }

    /// Every jump from `at`: the piece jumped over and the square landed on.
    fn jumps(&self, at: Square, taken: Bitboard) -> Vec<(Square, Square)> {
        let reach = if self.is_king { usize::MAX } else { 1 };
        let mut jumps = Vec::new();
        for diagonal in diagonals(at) {
            let is_empty = |square: &Square| self.empty.contains(*square);
            let approach = diagonal
                .iter()
                .take_while(|square| is_empty(square))
                .count();
            let Some((&over, behind)) = diagonal.get(approach..).and_then(<[_]>::split_first)
            else {
                continue;
            };
            if approach < reach && self.enemies.without(taken).contains(over) {
                let landings = behind
                    .iter()
                    .take(reach)
                    .take_while(|square| is_empty(square));
                jumps.extend(landings.map(|&landing| (over, landing)));
            }
        }
        jumps
    }
}

/// The squares from `from` to the border in the four directions, nearest first.
pub(super) fn diagonals(from: Square) -> [Vec<Square>; 4] {
    let (row, column) = (from.row() as isize, from.column() as isize);
    [(-1, -1), (-1, 1), (1, -1), (1, 1)].map(|(down, right)| {
        (1..)
            .map_while(|steps| square_at(row + steps * down, column + steps * right))
            .collect()
    })
}

fn square_at(row: isize, column: isize) -> Option<Square> {
    let inside = 0..10;
    if !inside.contains(&row) || !inside.contains(&column) {
        return None;
    }
    Square::from_number((5 * row + column / 2 + 1) as u8)
}
