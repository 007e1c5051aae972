//! The learned evaluation: what its weights are and how they are used.
//!
//! Each row of [`features`](super::features) that a position has is a vector of
//! [`WIDTH`] numbers. The vectors are summed, the sums clipped, and weighted by
//! the phase; the result is the expected score, as centi-men: [`SCALE`] of them
//! are odds of e to 1. All numbers are integers, so that every machine finds
//! the same.
//!
//! A file of weights is
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `MEV1` |
//! | 4 | length of the description, little-endian as all numbers |
//! | … | the description: where the weights come from, UTF-8 |
//! | 4 | CRC-32 of the numbers before they were compressed |
//! | … | the numbers, each two bytes, compressed by zstd |
//!
//! The numbers are: a row for each state of each block; a row for own and one
//! for enemy men by square, which belongs to every state with such a man; a row
//! for own and enemy kings by square; the bias of the sums; a row of weights
//! for each phase; a constant for each phase.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use super::features::{BLOCKS, PHASES, ROWS, STATES, View, men_of};
use crate::board::Square;

/// How many numbers a row has.
pub const WIDTH: usize = 32;

/// The centi-men whose odds are e to 1.
pub const SCALE: f32 = 120.0;

/// What stands for 1 in rows and bias; sums are clipped to 0..=ONE.
pub const ONE: i16 = 256;

/// What stands for a centi-man in the weights behind the clipping, times [`ONE`].
pub const HEAD_ONE: i32 = 32;

/// The numbers of a row.
pub type Row = [i16; WIDTH];

/// Weights as they are in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Where they come from.
    pub description: String,
    /// For each state of each block, without its men.
    pub blocks: Vec<Row>,
    /// For own and enemy men by square.
    pub men: Vec<Row>,
    /// For own and enemy kings by square.
    pub kings: Vec<Row>,
    /// Added to every sum.
    pub bias: Row,
    /// By phase.
    pub heads: Vec<Row>,
    /// By phase, in centi-men.
    pub constants: Vec<i16>,
}

/// What is wrong with a file of weights.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// It is something else, or of another version.
    #[error("these are no weights of this version")]
    Kind,
    /// It is damaged.
    #[error("the weights are damaged: {0}")]
    Damaged(&'static str),
}

const MAGIC: [u8; 4] = *b"MEV1";

/// The most numbers that a file may hold.
const NUMBERS: usize = WIDTH * (BLOCKS * STATES + 4 * Square::COUNT + 1 + PHASES) + PHASES;

impl Weights {
    /// The content of a file with these weights.
    pub fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let rows = self.blocks.iter().chain(&self.men).chain(&self.kings);
        let rows = rows.chain([&self.bias]).chain(&self.heads).flatten();
        let numbers = rows.chain(&self.constants);
        let numbers: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.description.len() as u32).to_le_bytes());
        bytes.extend(self.description.as_bytes());
        bytes.extend(crc32fast::hash(&numbers).to_le_bytes());
        bytes.extend(zstd::bulk::compress(&numbers, 19)?);
        Ok(bytes)
    }

    /// The weights in a file with this content.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightsError> {
        let cut = WeightsError::Damaged("they are cut off");
        let rest = bytes.strip_prefix(&MAGIC).ok_or(WeightsError::Kind)?;
        let (length, rest) = rest.split_first_chunk().ok_or(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let cut = WeightsError::Damaged("they are cut off");
        let (description, rest) = rest.split_at_checked(length).ok_or(cut)?;
        let cut = WeightsError::Damaged("they are cut off");
        let (checksum, rest) = rest.split_first_chunk().ok_or(cut)?;
        let numbers = zstd::bulk::decompress(rest, 2 * NUMBERS)
            .map_err(|_| WeightsError::Damaged("they cannot be decompressed"))?;
        if numbers.len() != 2 * NUMBERS {
            return Err(WeightsError::Damaged("there are too few numbers"));
        }
        if crc32fast::hash(&numbers) != u32::from_le_bytes(*checksum) {
            return Err(WeightsError::Damaged("the checksum is wrong"));
        }
        let mut numbers = numbers
            .chunks_exact(2)
            .map(|two| i16::from_le_bytes(two.try_into().unwrap_or_default()));
        let mut number = || numbers.next().unwrap_or_default();
        let mut row = || -> Row { std::array::from_fn(|_| number()) };
        let mut rows = |count: usize| -> Vec<Row> { (0..count).map(|_| row()).collect() };
        let blocks = rows(BLOCKS * STATES);
        let (men, kings) = (rows(2 * Square::COUNT), rows(2 * Square::COUNT));
        let (bias, heads) = (rows(1), rows(PHASES));
        Ok(Weights {
            description: String::from_utf8_lossy(description).into_owned(),
            blocks,
            men,
            kings,
            bias: bias.first().copied().unwrap_or([0; WIDTH]),
            heads,
            constants: (0..PHASES).map(|_| number()).collect(),
        })
    }
}

/// Weights in the form in which they are used.
pub struct Network {
    /// By row, men included.
    rows: Vec<Row>,
    bias: Row,
    heads: [Row; PHASES],
    constants: [i16; PHASES],
}

impl Network {
    /// Prepares weights for use.
    pub fn new(weights: &Weights) -> Network {
        let mut rows = Vec::with_capacity(ROWS);
        crate::memory::use_large_pages(rows.spare_capacity_mut());
        rows.extend_from_slice(&weights.blocks);
        for (index, row) in rows.iter_mut().enumerate() {
            for (side, square) in men_of(index / STATES, index % STATES) {
                if let Some(man) = weights.men.get(side * Square::COUNT + square.index()) {
                    add(row, man);
                }
            }
        }
        rows.extend(&weights.kings);
        rows.resize(ROWS, [0; WIDTH]);
        let phase = |index: usize| weights.heads.get(index).copied().unwrap_or([0; WIDTH]);
        let constant = |index: usize| weights.constants.get(index).copied().unwrap_or(0);
        Network {
            rows,
            bias: weights.bias,
            heads: std::array::from_fn(phase),
            constants: std::array::from_fn(constant),
        }
    }

    /// The value of a view to the side to move, in centi-men.
    #[inline]
    pub fn evaluate(&self, view: &View) -> i32 {
        let mut sums = self.bias;
        view.rows(|row| {
            if let Some(row) = self.rows.get(row) {
                add(&mut sums, row);
            }
        });
        let phase = view.phase();
        let (Some(head), Some(&constant)) = (self.heads.get(phase), self.constants.get(phase))
        else {
            return 0;
        };
        let mut value = 0;
        for (&sum, &weight) in sums.iter().zip(head) {
            value += i32::from(sum.clamp(0, ONE)) * i32::from(weight);
        }
        value / (i32::from(ONE) * HEAD_ONE) + i32::from(constant)
    }
}

#[inline(always)]
fn add(sums: &mut Row, row: &Row) {
    for (sum, part) in sums.iter_mut().zip(row) {
        *sum = sum.wrapping_add(*part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    /// Weights that are all different enough.
    fn weights() -> Weights {
        let mut random = 1_u32;
        let mut number = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) as i16 % 60
        };
        let mut row = || -> Row { std::array::from_fn(|_| number()) };
        let mut rows = |count: usize| -> Vec<Row> { (0..count).map(|_| row()).collect() };
        Weights {
            description: "made up".to_owned(),
            blocks: rows(BLOCKS * STATES),
            men: rows(2 * Square::COUNT),
            kings: rows(2 * Square::COUNT),
            bias: rows(1)[0],
            heads: rows(PHASES),
            constants: (0..PHASES as i16).collect(),
        }
    }

    #[test]
    fn weights_that_are_written_are_read_back() {
        let weights = weights();
        let bytes = weights.to_bytes().unwrap();
        assert_eq!(Weights::from_bytes(&bytes).unwrap(), weights);
    }

    #[test]
    fn damaged_weights_are_an_error() {
        let bytes = weights().to_bytes().unwrap();
        assert_eq!(Weights::from_bytes(b"MEV0"), Err(WeightsError::Kind));
        for length in [4, 10, 20, bytes.len() / 2, bytes.len() - 1] {
            assert!(matches!(
                Weights::from_bytes(&bytes[..length]),
                Err(WeightsError::Damaged(_))
            ));
        }
        for place in [16, 20, 100, bytes.len() / 2, bytes.len() - 5] {
            let mut wrong = bytes.clone();
            wrong[place] ^= 4;
            assert!(Weights::from_bytes(&wrong).is_err(), "{place}");
        }
    }

    #[test]
    fn a_value_is_what_the_description_says() {
        let weights = weights();
        let network = Network::new(&weights);
        let position = fen::read("W:W31,32,K3:B7,12,K45").unwrap();
        let view = View::new(&position);
        let mut sums: Vec<i32> = weights.bias.iter().map(|&number| number.into()).collect();
        let mut add = |row: &Row| {
            for (sum, &part) in sums.iter_mut().zip(row) {
                *sum += i32::from(part);
            }
        };
        for (block, state) in view.states().into_iter().enumerate() {
            add(&weights.blocks[block * STATES + usize::from(state)]);
            for (side, square) in men_of(block, state.into()) {
                add(&weights.men[side * Square::COUNT + square.index()]);
            }
        }
        add(&weights.kings[3 - 1]);
        add(&weights.kings[Square::COUNT + 45 - 1]);
        let head = weights.heads[view.phase()];
        let value: i32 = sums
            .iter()
            .zip(head)
            .map(|(&sum, weight)| sum.clamp(0, 256) * i32::from(weight))
            .sum();
        assert_eq!(
            network.evaluate(&view),
            value / (256 * 32) + view.phase() as i32
        );
    }
}
