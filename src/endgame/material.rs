//! What stands on the board, without where: the names of the slices.
//!
//! A [`Material`] counts the pieces as the side to move sees them, so an ending
//! and its mirror with the other side to move are two materials, a *family*
//! that is solved together; where both sides have the same pieces they are one.

use std::fmt;

/// The largest number of pieces that tables can have.
pub const MAX_PIECES: usize = 6;

/// How many men and kings the mover and the other side have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Material {
    /// The men of the mover and of the other side.
    pub men: [u8; 2],
    /// The kings of the mover and of the other side.
    pub kings: [u8; 2],
}

impl Material {
    /// How many pieces there are in all.
    pub const fn pieces(self) -> usize {
        (self.men[0] + self.men[1] + self.kings[0] + self.kings[1]) as usize
    }

    /// How many pieces the mover and the other side have.
    pub const fn sides(self) -> [u8; 2] {
        [self.men[0] + self.kings[0], self.men[1] + self.kings[1]]
    }

    /// The same pieces with the other side to move.
    pub const fn turned(self) -> Material {
        Material {
            men: [self.men[1], self.men[0]],
            kings: [self.kings[1], self.kings[0]],
        }
    }

    /// Whether both sides have the same pieces.
    pub fn is_symmetric(self) -> bool {
        self == self.turned()
    }

    /// A dense number for materials of up to [`MAX_PIECES`] pieces, below [`Material::NUMBERS`].
    #[inline(always)]
    pub const fn number(self) -> usize {
        const BASE: usize = MAX_PIECES + 1;
        let [a, b] = self.men;
        let [c, d] = self.kings;
        ((a as usize * BASE + b as usize) * BASE + c as usize) * BASE + d as usize
    }

    /// How many [numbers](Material::number) there are.
    pub const NUMBERS: usize = (MAX_PIECES + 1).pow(4);

    /// The families of exactly `pieces` pieces, each by the member whose mover
    /// is the stronger side, in the order in which they must be solved: a
    /// promotion leads from a later one to an earlier one.
    pub fn families(pieces: usize) -> Vec<Material> {
        let count = pieces as u8;
        let mut families = Vec::new();
        for own_men in 0..=count {
            for own_kings in 0..=count - own_men {
                for men in 0..=count - own_men - own_kings {
                    let material = Material {
                        men: [own_men, men],
                        kings: [own_kings, count - own_men - own_kings - men],
                    };
                    let is_stronger = material.strength() >= material.turned().strength();
                    if material.sides().iter().all(|&side| side > 0) && is_stronger {
                        families.push(material);
                    }
                }
            }
        }
        families.sort_by_key(|material| (material.men[0] + material.men[1], *material));
        families
    }

    /// One or two materials: this one, and its mirror if that is another.
    pub fn family(self) -> impl Iterator<Item = Material> {
        let mirror = (!self.is_symmetric()).then_some(self.turned());
        std::iter::once(self).chain(mirror)
    }

    fn strength(self) -> (u8, u8) {
        (self.men[0] + self.kings[0], self.kings[0])
    }
}

/// `1210`: men and kings of the mover, then of the other side.
impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, c], [b, d]) = (self.men, self.kings);
        write!(f, "{a}{b}{c}{d}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ending_is_in_one_family_and_follows_those_it_promotes_to() {
        for pieces in 2..=MAX_PIECES {
            let families = Material::families(pieces);
            let place = |material: Material| {
                let is_in = |family: &Material| family.family().any(|member| member == material);
                let mut places = (0..families.len()).filter(|&place| is_in(&families[place]));
                (places.next(), places.next())
            };
            for (at, &family) in families.iter().enumerate() {
                assert_eq!(family.pieces(), pieces);
                assert_eq!(place(family), (Some(at), None));
                for side in 0..2 {
                    let mut promoted = family;
                    if promoted.men[side] > 0 {
                        promoted.men[side] -= 1;
                        promoted.kings[side] += 1;
                        assert!(place(promoted).0.unwrap() < at);
                    }
                }
            }
        }
        assert_eq!(Material::families(2).len(), 3);
        assert_eq!(Material::families(4).len(), 4 * 2 + 3 * 4 / 2);
    }
}
