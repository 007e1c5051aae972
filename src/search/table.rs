//! The transposition table: what the search found out about positions, shared
//! by all threads without locks.
//!
//! An entry is two words, the data and the key XOR the data (Hyatt and Mann,
//! 2002): one that two threads wrote at once does not match any key and is as
//! good as empty. All accesses are relaxed, which costs nothing on x86-64.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::{
    memory::{self, MemoryError},
    score::{Bound, Score},
};

/// A table of this size cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no room for a table of 2^{log2} entries: {cause}")]
pub struct TableError {
    /// The logarithm of the number of entries.
    pub log2: u32,
    /// Why not.
    pub cause: MemoryError,
}

/// What is stored of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The fingerprint of the best move; 0 if none is known.
    pub(super) best: u16,
    /// The value, distances counted from the position itself.
    pub(super) score: Score,
    /// The depth of the search that found it, 0 to 255 plies.
    pub(super) depth: u8,
    /// What the value is to the true one.
    pub(super) bound: Bound,
}

/// Entries that share a cache line; a key belongs to one bucket.
const BUCKET: usize = 4;

/// A table of 2^n entries of 16 bytes.
pub(super) struct Table {
    /// For each entry the key XOR the data, then the data.
    words: Vec<[AtomicU64; 2]>,
    /// The search that is on, so that entries of earlier ones are replaced first.
    generation: AtomicU32,
    /// The first search that is not forgotten: entries of earlier ones are
    /// empty, and an entry that was never written is one of search 0.
    oldest: AtomicU32,
}

impl Table {
    /// The smallest table's logarithm: one bucket.
    const SMALLEST: u32 = BUCKET.trailing_zeros();

    /// An empty table of 2^`log2` entries, of one bucket at least.
    pub(super) fn new(log2: u32) -> Result<Table, TableError> {
        let log2 = log2.max(Self::SMALLEST);
        let len = 1_u64.checked_shl(log2).unwrap_or(u64::MAX);
        let mut words = memory::zeroed(len).map_err(|cause| TableError { log2, cause })?;
        memory::touch(&mut words);
        // The map costs nothing, since it is the identity on the same memory.
        let words = words
            .into_iter()
            .map(|[check, data]| [AtomicU64::new(check), AtomicU64::new(data)])
            .collect();
        Ok(Table {
            words,
            generation: AtomicU32::new(1),
            oldest: AtomicU32::new(1),
        })
    }

    /// Forgets everything, at once: a game may begin with little time.
    pub(super) fn clear(&self) {
        self.begin_search();
        self.oldest.store(self.generation.load(Relaxed), Relaxed);
    }

    /// Begins a new search: what is stored stays, but is the first to be replaced.
    pub(super) fn begin_search(&self) {
        let mut next = self.generation.load(Relaxed) + 1;
        if next == packed::GENERATIONS {
            for word in self.words.iter().flatten() {
                word.store(0, Relaxed);
            }
            next = 1;
            self.oldest.store(next, Relaxed);
        }
        self.generation.store(next, Relaxed);
    }

    /// Has what is known of the position with this key at hand when it is
    /// probed, which takes longer than a node if it is not.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) {
        memory::prefetch(&self.bucket(key)[0]);
    }

    /// What is known of the position with this key.
    #[inline(always)]
    pub(super) fn probe(&self, key: u64) -> Option<Entry> {
        let oldest = self.oldest.load(Relaxed);
        self.bucket(key).iter().find_map(|[check, data]| {
            let data = data.load(Relaxed);
            let is_found = check.load(Relaxed) ^ data == key && packed::generation(data) >= oldest;
            is_found.then(|| packed::entry(data))
        })
    }

    /// Stores `entry`, in the place of the same position's or of the least
    /// useful one of the bucket.
    #[inline]
    pub(super) fn store(&self, key: u64, mut entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let oldest = self.oldest.load(Relaxed);
        let mut place = &self.bucket(key)[0];
        let mut lowest = i32::MAX;
        for candidate in self.bucket(key) {
            let data = candidate[1].load(Relaxed);
            let is_known = packed::generation(data) >= oldest;
            if is_known && candidate[0].load(Relaxed) ^ data == key {
                if entry.best == 0 {
                    entry.best = packed::entry(data).best;
                }
                place = candidate;
                break;
            }
            let usefulness = match is_known {
                true => usefulness(data, generation),
                false => i32::MIN,
            };
            if usefulness < lowest {
                lowest = usefulness;
                place = candidate;
            }
        }
        let data = packed::data(entry, generation);
        place[0].store(key ^ data, Relaxed);
        place[1].store(data, Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &[[AtomicU64; 2]] {
        let first = key as usize & (self.words.len() - 1) & !(BUCKET - 1);
        &self.words[first..first + BUCKET]
    }
}

/// Deep and recent entries are kept.
#[inline(always)]
fn usefulness(data: u64, generation: u32) -> i32 {
    let age = generation
        .wrapping_sub(packed::generation(data))
        .cast_signed();
    i32::from(packed::entry(data).depth) - 4 * age
}

/// How an entry lies in a word, from the low bits: 16 best, 16 score, 8 depth,
/// 2 bound, 22 generation.
mod packed {
    use super::{Bound, Entry, Score};

    /// One more than the last generation.
    pub(super) const GENERATIONS: u32 = 1 << 22;

    #[inline(always)]
    pub(super) fn data(entry: Entry, generation: u32) -> u64 {
        let bound = match entry.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        u64::from(entry.best)
            | u64::from(entry.score.centimen() as i16 as u16) << 16
            | u64::from(entry.depth) << 32
            | bound << 40
            | u64::from(generation) << 42
    }

    #[inline(always)]
    pub(super) fn entry(data: u64) -> Entry {
        Entry {
            best: data as u16,
            score: Score::from_centimen(i32::from((data >> 16) as u16 as i16)),
            depth: (data >> 32) as u8,
            bound: match data >> 40 & 3 {
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
        }
    }

    #[inline(always)]
    pub(super) fn generation(data: u64) -> u32 {
        (data >> 42) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64) -> Entry {
        Entry {
            best: number as u16,
            score: Score::from_centimen(number as i32 % 20_001 - 10_000),
            depth: number as u8,
            bound: [Bound::Upper, Bound::Lower, Bound::Exact][number as usize % 3],
        }
    }

    #[test]
    fn what_is_stored_is_found_until_it_is_replaced() {
        let table = Table::new(10).unwrap();
        for number in 1..=1000_u64 {
            let key = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            table.store(key, entry(number));
            assert_eq!(table.probe(key), Some(entry(number)));
            assert_eq!(table.probe(key ^ 1 << 40), None);
        }
    }

    #[test]
    fn a_search_without_a_move_keeps_the_one_that_is_known() {
        let table = Table::new(4).unwrap();
        table.store(9, entry(77));
        table.store(
            9,
            Entry {
                best: 0,
                ..entry(30)
            },
        );
        assert_eq!(
            table.probe(9).map(|entry| (entry.best, entry.depth)),
            Some((77, 30))
        );
    }

    #[test]
    fn a_deep_entry_of_this_search_outlives_shallow_ones() {
        let table = Table::new(2).unwrap();
        let deep = Entry {
            depth: 30,
            ..entry(5)
        };
        table.store(1, deep);
        for key in 2..100 {
            table.store(
                key,
                Entry {
                    depth: 3,
                    ..entry(key)
                },
            );
        }
        assert_eq!(table.probe(1), Some(deep));
    }

    #[test]
    fn nothing_is_known_after_a_clear_however_many_searches_later() {
        let table = Table::new(2).unwrap();
        let shallow = Entry {
            depth: 1,
            ..entry(5)
        };
        for key in 1..5 {
            table.store(key, entry(200));
        }
        table.clear();
        assert!((1..5).all(|key| table.probe(key).is_none()));
        for key in 11..15 {
            table.store(key, shallow);
        }
        assert!((11..15).all(|key| table.probe(key) == Some(shallow)));
        table.clear();
        for _ in 0..packed::GENERATIONS {
            table.begin_search();
            assert_eq!(table.probe(1).or_else(|| table.probe(11)), None);
        }
    }

    #[test]
    fn threads_that_write_at_once_never_make_an_entry_that_none_wrote() {
        let table = Table::new(4).unwrap();
        // The data is a function of the key, so a mixture is recognised.
        let expected = |key: u64| entry(key % 50_021 + 1);
        std::thread::scope(|scope| {
            for thread in 0..2_u64 {
                let table = &table;
                scope.spawn(move || {
                    let mut key = thread + 1;
                    for _ in 0..400_000 {
                        key = key
                            .wrapping_mul(6364136223846793005)
                            .wrapping_add(1442695040888963407);
                        let key = key >> 52;
                        if let Some(found) = table.probe(key) {
                            assert_eq!(found, expected(key));
                        }
                        table.store(key, expected(key));
                    }
                });
            }
        });
    }

    #[test]
    fn a_table_that_no_memory_holds_is_refused() {
        for log2 in [45, 60, 64, 1000] {
            assert!(Table::new(log2).is_err_and(|error| error.log2 == log2));
        }
    }
}
