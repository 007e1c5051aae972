//! The number of a placement among all of its material, and back.
//!
//! The numbering has no holes, so that a table is an array, and it is exact, so
//! that another program can read one. A set of `k` squares among `n` free ones,
//! which are numbered 0 to n - 1 in ascending order of their squares, has the
//! rank C(a1, 1) + C(a2, 2) + ... + C(ak, k) for its members a1 < a2 < ... < ak
//! (the combinatorial number system).
//!
//! With the mover as White, its men on squares 6 to 50, the other side's on 1
//! to 45, a placement with `b` of the mover's `m` men on its back row, 46 to 50, is
//!
//! ```text
//! base[b] + (((back * C(40, m - b) + front) * C(45 - (m - b), m') + men') * C(e, k) + kings) * C(e - k, k') + kings'
//! ```
//!
//! where `back` is the rank of the mover's men on 46 to 50, `front` that of the
//! others on 6 to 45, men' that of the other side's m' men on what is left of 1
//! to 45, kings that of the mover's `k` kings on the e = 50 - m - m' squares
//! without a man, kings' that of the other side's k' kings on what is left
//! then. `base[b]` is the number of placements with fewer men on the back row.

use super::{
    material::{MAX_PIECES, Material},
    placement::Placement,
};
use crate::board::{Bitboard, Square};

/// The mover's back row.
const BACK: Bitboard = Bitboard::BOTTOM_ROW;

/// Where men of both sides may stand.
const FRONT: Bitboard = {
    let rows = Bitboard::BOARD.bits() & !Bitboard::TOP_ROW.bits() & !Bitboard::BOTTOM_ROW.bits();
    Bitboard::from_bits(rows)
};

/// Where the other side's men may stand.
const THEIRS: Bitboard = Bitboard::from_bits(Bitboard::BOARD.bits() & !Bitboard::BOTTOM_ROW.bits());

/// `BINOMIAL[k][n]`: how many sets of `k` there are among `n`.
const BINOMIAL: [[u64; Square::COUNT + 1]; MAX_PIECES + 1] = {
    let mut table = [[0; Square::COUNT + 1]; MAX_PIECES + 1];
    let mut n = 0;
    while n <= Square::COUNT {
        table[0][n] = 1;
        let mut k = 1;
        while k <= MAX_PIECES && n > 0 {
            table[k][n] = table[k][n - 1] + table[k - 1][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The numbering of one material.
#[derive(Clone, Debug)]
pub struct Index {
    material: Material,
    len: u64,
    /// The ways to place the kings once the men stand.
    kings: u64,
    /// The ways to place the other side's kings once all others stand.
    their_kings: u64,
    /// The same for each number of the mover's men on its back row.
    groups: Vec<Group>,
}

/// The placements with so many of the mover's men on its back row.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// The number of the first.
    base: u64,
    /// How many men there are, on the back row and before it.
    back: u8,
    front: u8,
    /// The ways to place those before it.
    fronts: u64,
    /// The ways to place the other side's men then.
    their_men: u64,
}

impl Index {
    /// The numbering of `material`, which has at most [`MAX_PIECES`] pieces.
    pub fn new(material: Material) -> Index {
        let [men, their_men] = material.men.map(usize::from);
        let [kings, their_kings] = material.kings.map(usize::from);
        let free = Square::COUNT - men - their_men;
        let their_kings = BINOMIAL[their_kings][free - kings];
        let kings = BINOMIAL[kings][free] * their_kings;
        let (mut base, mut groups) = (0, Vec::new());
        for (back, backs) in (0..=men.min(5)).zip(BINOMIAL.map(|row| row[5])) {
            let front = men - back;
            let group = Group {
                base,
                back: back as u8,
                front: front as u8,
                fronts: BINOMIAL[front][40],
                their_men: BINOMIAL[their_men][45 - front],
            };
            base += backs * group.fronts * group.their_men * kings;
            groups.push(group);
        }
        Index {
            material,
            len: base,
            kings,
            their_kings,
            groups,
        }
    }

    /// The material.
    pub fn material(&self) -> Material {
        self.material
    }

    /// How many placements there are.
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// How many placements in a row differ only in the other side's kings, or
    /// in the mover's if it has none.
    pub fn row(&self) -> u64 {
        match self.material.kings {
            [_, theirs] if theirs > 0 => self.their_kings,
            [own, _] if own > 0 => self.kings,
            _ => self.groups.last().map_or(1, |group| group.their_men),
        }
    }

    /// The number of `placement`, which must be of this material.
    #[inline]
    pub fn rank(&self, placement: &Placement) -> u64 {
        let [men, their_men] = placement.men;
        let [kings, their_kings] = placement.kings;
        let back = men & BACK;
        let front = men.without(BACK);
        let group = &self.groups[back.count() as usize];
        let free = Bitboard::BOARD.without(men | their_men);
        let mut number = rank(back, BACK) * group.fronts + rank(front, FRONT);
        number = number * group.their_men + rank(their_men, THEIRS.without(front));
        number = number * self.kings + rank(kings, free) * self.their_kings;
        group.base + number + rank(their_kings, free.without(kings))
    }

    /// The placement with this number, which must be less than [`Index::len`].
    #[inline]
    pub fn unrank(&self, number: u64) -> Placement {
        let after = self
            .groups
            .partition_point(|group| group.base <= number)
            .max(1);
        let group = &self.groups[after - 1];
        let (men_number, kings_number) = split(number - group.base, self.kings);
        let (own, theirs) = split(men_number, group.their_men);
        let (back, front) = split(own, group.fronts);
        let back = unrank(back, group.back, BACK);
        let front = unrank(front, group.front, FRONT);
        let their_men = unrank(theirs, self.material.men[1], THEIRS.without(front));
        let free = Bitboard::BOARD.without(back | front | their_men);
        let (own, theirs) = split(kings_number, self.their_kings);
        let kings = unrank(own, self.material.kings[0], free);
        Placement {
            men: [back | front, their_men],
            kings: [
                kings,
                unrank(theirs, self.material.kings[1], free.without(kings)),
            ],
        }
    }
}

/// Quotient and remainder.
#[inline(always)]
fn split(number: u64, by: u64) -> (u64, u64) {
    if by == 1 {
        return (number, 0);
    }
    (number / by, number % by)
}

/// The rank of a set among the squares of `among`, which holds it.
#[inline(always)]
fn rank(set: Bitboard, among: Bitboard) -> u64 {
    let mut number = 0;
    for (square, binomial) in set.into_iter().zip(&BINOMIAL[1..]) {
        let below = among.bits() & (Bitboard::of(square).bits() - 1);
        number += binomial[below.count_ones() as usize];
    }
    number
}

/// The set of `count` squares of `among` with this rank.
#[inline(always)]
fn unrank(mut number: u64, count: u8, among: Bitboard) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut below = among.count() as usize;
    for members in (1..=count as usize).rev() {
        let member = if members == 1 {
            number as usize
        } else {
            let mut member = below - 1;
            while BINOMIAL[members][member] > number {
                member -= 1;
            }
            member
        };
        number -= BINOMIAL[members][member];
        below = member;
        set |= nth(among, member);
    }
    set
}

/// The set of the one square of `among` that has `n` others below it.
#[inline(always)]
fn nth(among: Bitboard, n: usize) -> Bitboard {
    let (mut bits, mut n, mut shift) = (among.bits(), n as u32, 0);
    for width in [32, 16, 8, 4, 2, 1] {
        let low = bits & ((1 << width) - 1);
        let count = low.count_ones();
        if n >= count {
            n -= count;
            bits >>= width;
            shift += width;
        } else {
            bits = low;
        }
    }
    Bitboard::from_bits(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: usize) -> impl Iterator<Item = Material> {
        let families = Material::families(pieces).into_iter();
        families.flat_map(Material::family)
    }

    #[test]
    fn every_number_up_to_three_pieces_is_one_placement_and_every_placement_one_number() {
        for material in all(2).chain(all(3)) {
            let index = Index::new(material);
            for number in 0..index.len() {
                let placement = index.unrank(number);
                assert_eq!(placement.material(), material);
                assert!(placement.position().is_some());
                assert_eq!(index.rank(&placement), number);
            }
        }
    }

    #[test]
    fn numbers_and_placements_agree_with_more_pieces_too() {
        for material in (4..=MAX_PIECES).flat_map(all) {
            let index = Index::new(material);
            let step = index.len() / 500;
            for number in (0..index.len())
                .step_by(step as usize)
                .chain([index.len() - 1])
            {
                let placement = index.unrank(number);
                assert_eq!(placement.material(), material);
                assert!(placement.position().is_some());
                assert_eq!(index.rank(&placement), number);
            }
        }
    }

    #[test]
    fn there_are_as_many_numbers_as_placements() {
        let total = |pieces| -> u64 {
            let families = Material::families(pieces).into_iter();
            families.map(|family| Index::new(family).len()).sum()
        };
        assert_eq!([2, 3].map(total), [6640, 403_150]);
        assert_eq!(
            [4, 5, 6].map(total),
            [24_367_300, 785_300_375, 25_435_566_575]
        );
    }
}
