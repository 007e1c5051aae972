//! Random numbers that hash a position: the key is the XOR of the numbers of
//! its pieces, and of one more if Black is to move.

use super::{bitboard::Bitboard, side::Side, square::Square};

/// Combined into the key when Black is to move.
pub(super) const BLACK_TO_MOVE: u64 = split_mix(0xD1A6_0000);

const PIECES: [[[u64; Square::BITS]; 2]; 2] = {
    let mut table = [[[0; Square::BITS]; 2]; 2];
    let mut i = 0;
    while i < 4 * Square::BITS {
        table[i % 2][i / 2 % 2][i / 4] = split_mix(1787 + i as u64);
        i += 1;
    }
    table
};

/// The number of a man or king of `side` on `square`.
#[inline(always)]
pub(super) const fn piece(side: Side, is_king: bool, square: Square) -> u64 {
    PIECES[side.index()][is_king as usize][square.bit()]
}

/// The numbers of all pieces of a kind together.
pub(super) fn pieces(side: Side, is_king: bool, squares: Bitboard) -> u64 {
    squares
        .into_iter()
        .fold(0, |key, square| key ^ piece(side, is_king, square))
}

/// The SplitMix64 generator's output for the state `seed` (Steele, Lea and
/// Flood, 2014).
const fn split_mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
