//! Positions without kings, eight in a row for the lanes.

use super::lanes::{self, Lanes, Mask};
use crate::{board::Bitboard, perft::node::Node};

/// A list of positions, of which it is known elsewhere who is to move. It
/// grows as needed.
pub(super) struct List {
    own: Vec<u64>,
    enemy: Vec<u64>,
    len: usize,
}

impl List {
    /// From this length on a list should be emptied.
    pub const FULL: usize = 512;

    /// An empty list.
    pub fn new() -> List {
        List {
            own: vec![0; 2 * Self::FULL],
            enemy: vec![0; 2 * Self::FULL],
            len: 0,
        }
    }

    /// Whether the list should be emptied.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.len >= Self::FULL
    }

    /// Empties the list.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends the positions in the lanes of `mask`.
    #[inline(always)]
    pub fn push(&mut self, own: Lanes, enemy: Lanes, mask: Mask) {
        let at = self.len;
        let Some(own_slots) = self.own[at..].first_chunk_mut() else {
            return self.grow_and_push(own, enemy, mask);
        };
        let Some(enemy_slots) = self.enemy[at..].first_chunk_mut() else {
            return self.grow_and_push(own, enemy, mask);
        };
        own.compressed(mask).store(own_slots);
        enemy.compressed(mask).store(enemy_slots);
        self.len = at + mask.count();
    }

    #[cold]
    #[inline(never)]
    fn grow_and_push(&mut self, own: Lanes, enemy: Lanes, mask: Mask) {
        let doubled = 2 * self.own.len();
        self.own.resize(doubled, 0);
        self.enemy.resize(doubled, 0);
        self.push(own, enemy, mask);
    }

    /// Appends one position; its kings are forgotten.
    pub fn push_node(&mut self, node: &Node) {
        let at = self.len;
        if at + lanes::COUNT > self.own.len() {
            let doubled = 2 * self.own.len();
            self.own.resize(doubled, 0);
            self.enemy.resize(doubled, 0);
        }
        self.own[at] = node.own.bits();
        self.enemy[at] = node.enemy.bits();
        self.len = at + 1;
    }

    /// The positions one by one.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        let pairs = self.own.iter().zip(&self.enemy).take(self.len);
        pairs.map(|(&own, &enemy)| Node {
            own: Bitboard::from_bits(own),
            enemy: Bitboard::from_bits(enemy),
            kings: Bitboard::EMPTY,
        })
    }

    /// The positions by eights, to be loaded into lanes. The last are filled up
    /// with boards on which the side to move has no piece, and so no move.
    #[inline(always)]
    pub fn eights(&mut self) -> impl Iterator<Item = (&[u64; lanes::COUNT], &[u64; lanes::COUNT])> {
        let end = self.len.next_multiple_of(lanes::COUNT);
        self.own[self.len..end].fill(0);
        let own = self.own[..end].as_chunks().0;
        let enemy = self.enemy[..end].as_chunks().0;
        own.iter().zip(enemy)
    }
}
