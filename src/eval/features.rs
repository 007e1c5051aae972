//! What the evaluation sees in a position: patterns of men on blocks of the
//! board, kings, and the phase of the game.
//!
//! The board is turned so that the side to move walks upwards; then it is
//! "own" and "enemy", and no colour is known any more. A block is a square of
//! four by four cells with eight playing squares; sixteen of them, two cells
//! apart, cover the board. A block's state is a number in base three with a
//! digit a square, lowest square first: 0 for none or a king, 1 for an own man,
//! 2 for an enemy's.

use crate::board::{Bitboard, Position, Square};

/// How many blocks there are.
pub const BLOCKS: usize = 16;

/// How many states a block has.
pub const STATES: usize = 6561;

/// How many rows of weights there are: a block's states one after the other,
/// block by block, then own and enemy kings by square.
pub const ROWS: usize = BLOCKS * STATES + 2 * Square::COUNT;

/// How many phases are told apart.
pub const PHASES: usize = 16;

/// The board as the side to move sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Own and enemy men.
    pub men: [Bitboard; 2],
    /// Own and enemy kings.
    pub kings: [Bitboard; 2],
}

/// The contribution of a man on a square to the states of all blocks.
type Digits = [u16; BLOCKS];

/// By square's bit, for an own man; an enemy's counts twice.
static DIGITS: [Digits; Square::BITS] = digits();

const fn digits() -> [Digits; Square::BITS] {
    let mut digits = [[0; BLOCKS]; Square::BITS];
    let mut block = 0;
    while block < BLOCKS {
        let (top, left) = (2 * (block / 4), 2 * (block % 4));
        let mut value = 1;
        let mut number = 1;
        while number <= 50 {
            if let Some(square) = Square::from_number(number) {
                let (row, column) = (square.row(), square.column());
                if row >= top && row < top + 4 && column >= left && column < left + 4 {
                    digits[square.bit()][block] = value;
                    value *= 3;
                }
            }
            number += 1;
        }
        block += 1;
    }
    digits
}

/// Bits of a bitboard that are looked up at once.
const CHUNK: usize = 6;

/// The sums of the digits of the own men on a chunk's squares, by chunk and the
/// chunk's bits; all together fit the fastest cache.
static SUMS: [[Digits; 1 << CHUNK]; Square::BITS.div_ceil(CHUNK)] = sums();

const fn sums() -> [[Digits; 1 << CHUNK]; Square::BITS.div_ceil(CHUNK)] {
    let mut sums = [[[0; BLOCKS]; 1 << CHUNK]; Square::BITS.div_ceil(CHUNK)];
    let mut bit = 0;
    while bit < Square::BITS {
        let (chunk, place) = (bit / CHUNK, bit % CHUNK);
        let mut men = 0;
        while men < 1 << CHUNK {
            let mut block = 0;
            while block < BLOCKS {
                sums[chunk][men][block] += DIGITS[bit][block] * (men >> place & 1) as u16;
                block += 1;
            }
            men += 1;
        }
        bit += 1;
    }
    sums
}

/// The states of all blocks with these own men and nothing else.
#[inline(always)]
fn states_of(men: Bitboard) -> Digits {
    let mut states = [0; BLOCKS];
    let mut bits = men.bits();
    for sums in &SUMS {
        let digits = &sums[bits as usize % sums.len()];
        for (state, digit) in states.iter_mut().zip(digits) {
            *state += digit;
        }
        bits >>= CHUNK;
        if bits == 0 {
            break;
        }
    }
    states
}

/// The men that a block's state stands for: 0 for own or 1 for enemy, and where.
pub fn men_of(block: usize, state: usize) -> impl Iterator<Item = (usize, Square)> {
    Square::all().filter_map(move |square| {
        let value = usize::from(DIGITS[square.bit()][block]);
        let digit = state.checked_div(value).unwrap_or(0) % 3;
        digit.checked_sub(1).map(|side| (side, square))
    })
}

/// How many blocks a square belongs to.
pub fn blocks_with(square: Square) -> usize {
    DIGITS[square.bit()]
        .iter()
        .filter(|&&digit| digit > 0)
        .count()
}

impl View {
    /// The view of the side to move.
    #[inline(always)]
    pub fn new(position: &Position) -> View {
        let (own, enemy) = (position.side(), position.side().opponent());
        let men = [position.men(own), position.men(enemy)];
        let kings = [position.kings(own), position.kings(enemy)];
        match own {
            crate::board::Side::White => View { men, kings },
            crate::board::Side::Black => View {
                men: men.map(Bitboard::reversed),
                kings: kings.map(Bitboard::reversed),
            },
        }
    }

    /// The states of all blocks.
    #[inline(always)]
    pub fn states(&self) -> [u16; BLOCKS] {
        let mut states = states_of(self.men[0]);
        for (state, enemy) in states.iter_mut().zip(states_of(self.men[1])) {
            *state += 2 * enemy;
        }
        states
    }

    /// Calls `visit` with each row that belongs to the position.
    #[inline(always)]
    pub fn rows(&self, mut visit: impl FnMut(usize)) {
        for (block, state) in self.states().into_iter().enumerate() {
            visit(block * STATES + usize::from(state));
        }
        for (side, kings) in self.kings.into_iter().enumerate() {
            for king in kings {
                visit(BLOCKS * STATES + side * Square::COUNT + king.index());
            }
        }
    }

    /// The phase, by the number of pieces and who has kings.
    #[inline(always)]
    pub fn phase(&self) -> usize {
        let pieces = (self.men[0] | self.men[1] | self.kings[0] | self.kings[1]).count() as usize;
        match (self.kings[0].any(), self.kings[1].any()) {
            (false, false) => match pieces {
                0..=8 => 0,
                9..=12 => 1,
                13..=16 => 2,
                17..=20 => 3,
                21..=25 => 4,
                26..=31 => 5,
                _ => 6,
            },
            (own, enemy) => {
                let who = 2 * usize::from(own) + usize::from(enemy);
                let few = match pieces {
                    0..=5 => 0,
                    6..=9 => 1,
                    _ => 2,
                };
                4 + 3 * who + few
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    fn view(text: &str) -> View {
        View::new(&fen::read(text).unwrap())
    }

    #[test]
    fn every_block_has_eight_squares_and_every_square_a_block() {
        for block in 0..BLOCKS {
            let values: Vec<u16> = DIGITS
                .iter()
                .map(|digits| digits[block])
                .filter(|&d| d > 0)
                .collect();
            assert_eq!(values, [1, 3, 9, 27, 81, 243, 729, 2187]);
        }
        for square in Square::all() {
            assert!(DIGITS[square.bit()].iter().any(|&digit| digit > 0));
        }
    }

    #[test]
    fn a_state_is_the_sum_of_its_digits() {
        // Block 0 has the squares 1, 2, 6, 7, 11, 12, 16 and 17.
        let states = view("W:W6,12,K2:B1,17,K7").states();
        assert_eq!(states[0], 9 + 243 + 2 + 2 * 2187);
    }

    #[test]
    fn the_colour_reversed_position_looks_the_same() {
        let position = fen::read("B:W22,24,27,31,34,K40,45:BK2,7,15,25").unwrap();
        assert_eq!(View::new(&position), View::new(&position.reversed()));
    }

    #[test]
    fn all_phases_are_in_range() {
        let mut seen = [false; PHASES];
        for text in [
            "W:W31:B1",
            "W:W31-36:B1-6",
            "W:W31-38:B1-8",
            "W:W31-40:B1-10",
            "W:W31-42:B1-12",
            "W:W31-45:B1-15",
            "W:W31-50:B1-20",
            "W:W31:BK1",
            "W:W31-33:BK1,2,3",
            "W:W31-38:BK1,2-8",
            "W:WK31:B1",
            "W:WK31,32,33:B1,2,3",
            "W:WK31,32-38:B1-8",
            "W:WK31:BK1",
            "W:WK31,32,33:BK1,2,3",
            "W:WK31,32-38:BK1,2-8",
        ] {
            seen[view(text).phase()] = true;
        }
        assert!(seen.iter().all(|&seen| seen), "{seen:?}");
    }
}
