//! The weights of the evaluation, in centi-men, and the areas they are for,
//! on a board whose men walk upwards.

use crate::board::{Bitboard, Square};

/// A man.
pub(super) const MAN: i32 = 100;
/// A king.
pub(super) const KING: i32 = 230;
/// The first king, beside its worth as a king.
pub(super) const FIRST_KING: i32 = 60;
/// The right to move.
pub(super) const TO_MOVE: i32 = 3;

/// A man whose two squares behind are held by own men.
pub(super) const SUPPORTED_TWICE: i32 = 4;
/// A man with one own man behind.
pub(super) const SUPPORTED_ONCE: i32 = 2;
/// A man that cannot step.
pub(super) const STUCK: i32 = -3;
/// A man on its own back row while the enemy has no king.
pub(super) const AT_HOME: i32 = 3;
/// Each man by which one wing outweighs the other.
pub(super) const UNBALANCE: i32 = -2;

/// A man no enemy stands before, by its row; row 0 is the far one.
pub(super) const RUNAWAY: [i32; 10] = [0, 150, 120, 95, 70, 50, 30, 20, 10, 5];
/// The same when an enemy king may hunt it.
pub(super) const RUNAWAY_AGAINST_KING: [i32; 10] = [0, 70, 45, 30, 20, 10, 5, 0, 0, 0];

/// Each square the kings can fly to.
pub(super) const KING_MOBILITY: i32 = 2;
/// Kings that can fly to one square at most.
pub(super) const TRAPPED: i32 = -120;
/// A king on the main road.
pub(super) const ON_MAIN_ROAD: i32 = 20;

/// What is left of an advantage of three pieces or fewer against a king, or of
/// four against a king on the main road.
pub(super) const DRAWISH: i32 = 8;
/// What is left of an advantage of four pieces against a king elsewhere.
pub(super) const DIFFICULT: i32 = 2;

/// The diagonal from 46 to 5.
pub(super) const MAIN_ROAD: Bitboard = area(&[5, 10, 14, 19, 23, 28, 32, 37, 41, 46]);

/// The columns at White's left.
pub(super) const LEFT_WING: Bitboard = area(&[
    1, 6, 7, 11, 16, 17, 21, 26, 27, 31, 36, 37, 41, 46, 47, 2, 12, 22, 32, 42,
]);
/// The columns at White's right, as many.
pub(super) const RIGHT_WING: Bitboard = LEFT_WING.reversed();

/// What a man is worth more or less on an area; areas add up.
pub(super) const AREAS: [(Bitboard, i32); 7] = [
    // The centre, and the heart of it.
    (area(&[17, 18, 19, 22, 23, 24, 27, 28, 29, 32, 33, 34]), 3),
    (area(&[22, 23, 24, 28, 33]), 2),
    // The edges.
    (area(&[6, 15, 16, 25, 26, 35, 36, 45]), -3),
    // Men that have come far.
    (area(&[21, 22, 23, 24, 25, 16, 17, 18, 19, 20]), 2),
    (area(&[11, 12, 13, 14, 15]), 8),
    (area(&[6, 7, 8, 9, 10]), 20),
    // Men that have not come out, but for the good defenders of the back row.
    (area(&[46, 47, 49, 50, 41, 45]), -2),
];

const fn area(numbers: &[u8]) -> Bitboard {
    let mut bits = 0;
    let mut i = 0;
    while i < numbers.len() {
        if let Some(square) = Square::from_number(numbers[i]) {
            bits |= Bitboard::of(square).bits();
        }
        i += 1;
    }
    Bitboard::from_bits(bits)
}
