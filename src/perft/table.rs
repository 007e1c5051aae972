//! A table of counts, shared by all threads without locks.
//!
//! An entry is two words, the count and a check that is XORed with it; a pair
//! that two threads wrote half and half fails the check. Check and index are
//! separate hashes of the whole position and the depth, so that the check has
//! all of its 64 bits: among 10^12 lookups a wrong count is expected in one
//! run of ten million.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{OptionsError, node::Node};
use crate::{board::Side, memory};

/// What stands for a node and a depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    index: u64,
    check: u64,
}

impl Key {
    /// The key of a node with `side` to move and `depth` plies to count.
    #[inline(always)]
    pub fn new(node: &Node, side: Side, depth: u32) -> Key {
        // Squares take 54 bits; the side and the depth fit above them.
        let above = (u64::from(depth) << 1 | side.index() as u64) << 54;
        let first = multiply_fold(
            node.own.bits() ^ 0x9E37_79B9_7F4A_7C15,
            node.enemy.bits() ^ 0xD1B5_4A32_D192_ED03,
        );
        let second = (node.kings.bits() | above) ^ 0x8CB9_2BA7_2F3D_8DD7;
        Key {
            index: multiply_fold(first ^ 0x1BB6_7AE8_584C_AA73, second),
            check: multiply_fold(first, second ^ 0xA54F_F53A_5F1D_36F1),
        }
    }
}

/// Both halves of the product, XORed: every bit depends on all bits of both.
#[inline(always)]
fn multiply_fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

struct Entry {
    count: AtomicU64,
    check: AtomicU64,
}

impl Entry {
    #[inline(always)]
    fn get(&self, key: Key) -> Option<u64> {
        let count = self.count.load(Ordering::Relaxed);
        let check = self.check.load(Ordering::Relaxed);
        (check ^ count == key.check).then_some(count)
    }

    #[inline(always)]
    fn put(&self, key: Key, count: u64) {
        self.count.store(count, Ordering::Relaxed);
        self.check.store(key.check ^ count, Ordering::Relaxed);
    }

    #[inline(always)]
    fn value(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

/// How many entries a key may be in.
const BUCKET: usize = 4;

/// The table.
pub(super) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// An empty table of `mib` MiB, if so much memory is free.
    pub fn new(mib: u64) -> Result<Table, OptionsError> {
        if mib == 0 {
            return Err(OptionsError::EmptyTable);
        }
        let len = mib.saturating_mul((1 << 20) / size_of::<Entry>() as u64);
        let entries = memory::zeroed(len)?.into_iter();
        // The map costs nothing, since it is the identity on the same memory.
        let entries = entries.map(|[count, check]| Entry {
            count: AtomicU64::new(count),
            check: AtomicU64::new(check),
        });
        Ok(Table {
            entries: entries.collect(),
        })
    }

    /// The bucket of a key: its index scaled to the number of buckets.
    #[inline(always)]
    fn bucket(&self, key: Key) -> &[Entry; BUCKET] {
        let (buckets, _) = self.entries.as_chunks();
        let scaled = u128::from(key.index) * buckets.len() as u128;
        &buckets[(scaled >> 64) as usize]
    }

    /// The count stored for a key.
    #[inline(always)]
    pub fn get(&self, key: Key) -> Option<u64> {
        self.bucket(key).iter().find_map(|entry| entry.get(key))
    }

    /// Stores a count. Larger counts cost more to find, so the smallest makes
    /// way, and the last entry if there is none smaller.
    #[inline(always)]
    pub fn put(&self, key: Key, count: u64) {
        let [kept @ .., last] = self.bucket(key);
        let smallest = kept.iter().min_by_key(|entry| entry.value());
        smallest
            .filter(|entry| entry.value() < count)
            .unwrap_or(last)
            .put(key, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Bitboard, Position};

    fn key(depth: u32) -> Key {
        Key::new(&Node::of(&Position::initial()), Side::White, depth)
    }

    #[test]
    fn every_part_of_a_node_changes_both_hashes() {
        let node = Node::of(&Position::initial());
        let square = Bitboard::TOP_ROW.singles().next().unwrap();
        let others = [
            Key::new(
                &Node {
                    own: node.own ^ square,
                    ..node
                },
                Side::White,
                5,
            ),
            Key::new(
                &Node {
                    enemy: node.enemy ^ square,
                    ..node
                },
                Side::White,
                5,
            ),
            Key::new(
                &Node {
                    kings: node.kings ^ square,
                    ..node
                },
                Side::White,
                5,
            ),
            Key::new(&node, Side::Black, 5),
            key(6),
        ];
        for other in others {
            assert_ne!(other.index, key(5).index);
            assert_ne!(other.check, key(5).check);
        }
    }

    #[test]
    fn what_was_stored_is_found_and_nothing_else() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.get(key(5)), None);
        table.put(key(5), 27117);
        assert_eq!(table.get(key(5)), Some(27117));
        assert_eq!(table.get(key(6)), None);
    }

    #[test]
    fn an_entry_written_half_by_each_of_two_threads_is_not_found() {
        let entry = Entry {
            count: AtomicU64::new(0),
            check: AtomicU64::new(0),
        };
        entry.put(key(5), 27117);
        entry.count.store(167140, Ordering::Relaxed);
        assert_eq!(entry.get(key(5)), None);
        assert_eq!(entry.get(key(6)), None);
    }

    #[test]
    fn no_table_is_made_of_nothing_or_of_more_than_there_is() {
        assert!(matches!(Table::new(0), Err(OptionsError::EmptyTable)));
        assert!(matches!(Table::new(u64::MAX), Err(OptionsError::Table(_))));
    }
}
