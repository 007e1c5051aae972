//! Eight boards without kings: the sets of [`count`](crate::board::count) in lanes.
//!
//! Captures are followed for two or three jumps; what is longer is left to
//! others. Nothing is counted or played here.

use std::marker::PhantomData;

use super::lanes::{Lanes, Mask};
use crate::board::{
    Bitboard,
    bitboard::{Direction, NorthEast, NorthWest, SouthEast, SouthWest},
};

/// Eight boards as the side to move sees them.
#[derive(Clone, Copy)]
pub(super) struct Boards {
    /// The men of the side to move.
    pub own: Lanes,
    /// The men of the opponent.
    pub enemy: Lanes,
    /// The squares without a man.
    pub empty: Lanes,
}

impl Boards {
    /// The boards with these men.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
    pub fn load((own, enemy): (&[u64; 8], &[u64; 8])) -> Boards {
        let (own, enemy) = (Lanes::load(own), Lanes::load(enemy));
        Boards {
            own,
            enemy,
            empty: Lanes::splat(Bitboard::BOARD).without(own | enemy),
        }
    }

    /// As if the opponent were to move.
    #[inline(always)]
    pub fn passed(&self) -> Boards {
        Boards {
            own: self.enemy,
            enemy: self.own,
            empty: self.empty,
        }
    }

    /// The squares to which men can step in direction `D`.
    #[inline(always)]
    pub fn steps<D: Direction>(&self) -> Lanes {
        self.own.step::<D>() & self.empty
    }

    #[inline(always)]
    fn jump_squares<D: Direction>(&self) -> Lanes {
        (self.enemy & self.empty.step::<D::Opposite>()).step::<D::Opposite>()
    }
}

/// For each direction the squares from which a man would capture.
#[derive(Clone, Copy)]
pub(super) struct Jumps([Lanes; 4]);

impl Jumps {
    /// The jumps of the side to move.
    #[inline(always)]
    pub fn of(boards: &Boards) -> Jumps {
        Jumps([
            boards.jump_squares::<NorthWest>(),
            boards.jump_squares::<NorthEast>(),
            boards.jump_squares::<SouthWest>(),
            boards.jump_squares::<SouthEast>(),
        ])
    }

    /// The boards on which one of `men` can capture.
    #[inline(always)]
    pub fn start(&self, men: Lanes) -> Mask {
        men.meeting(self.0[0] | self.0[1] | self.0[2] | self.0[3])
    }

    /// Where `men` land that jump in direction `D`.
    #[inline(always)]
    pub fn jump<D: Direction>(&self, men: Lanes) -> Lanes {
        (men & self.0[D::INDEX]).leap::<D>()
    }

    /// Where `men` land after one jump, for each direction.
    #[inline(always)]
    pub fn first(&self, men: Lanes) -> [Lanes; 4] {
        [
            self.jump::<NorthWest>(men),
            self.jump::<NorthEast>(men),
            self.jump::<SouthWest>(men),
            self.jump::<SouthEast>(men),
        ]
    }

    /// The boards on which a man can jump again after its first jump.
    #[inline(always)]
    pub fn second_starts(&self, first: &[Lanes; 4]) -> Mask {
        (self.going_on::<NorthWest>(first[0])
            | self.going_on::<NorthEast>(first[1])
            | self.going_on::<SouthWest>(first[2])
            | self.going_on::<SouthEast>(first[3]))
        .any()
    }

    /// Where men land after two jumps, for each direction of the first and then
    /// straight on, left, right.
    #[inline(always)]
    pub fn second(&self, first: &[Lanes; 4]) -> [[Lanes; 3]; 4] {
        [
            self.next::<NorthWest>(first[0]),
            self.next::<NorthEast>(first[1]),
            self.next::<SouthWest>(first[2]),
            self.next::<SouthEast>(first[3]),
        ]
    }

    /// The boards on which a man can jump again after its second jump.
    #[inline(always)]
    pub fn third_starts(&self, second: &[[Lanes; 3]; 4]) -> Mask {
        (self.any_going_on::<NorthWest>(&second[0])
            | self.any_going_on::<NorthEast>(&second[1])
            | self.any_going_on::<SouthWest>(&second[2])
            | self.any_going_on::<SouthEast>(&second[3]))
        .any()
    }

    /// The boards on which a man can jump again after its third jump, for which
    /// its origin counts as empty.
    #[inline(always)]
    pub fn fourth_starts(&self, boards: &Boards, second: &[[Lanes; 3]; 4]) -> Mask {
        (self.after_third::<NorthWest>(boards, &second[0])
            | self.after_third::<NorthEast>(boards, &second[1])
            | self.after_third::<SouthWest>(boards, &second[2])
            | self.after_third::<SouthEast>(boards, &second[3]))
        .any()
    }

    #[inline(always)]
    fn after_third<D: Direction>(&self, boards: &Boards, second: &[Lanes; 3]) -> Lanes {
        let [straight, left, right] = self.third::<D>(second);
        self.any_going_on::<D>(&straight)
            | self.any_going_on::<D::Left>(&left)
            | self.any_going_on::<D::Right>(&right)
            | self.closing::<D, D::Left>(boards, second[1])
            | self.closing::<D, D::Right>(boards, second[2])
    }

    /// Whether men that jumped in direction `D`, then `E`, can jump back
    /// against `D` and then against `E` to their origins, which still look
    /// taken.
    #[inline(always)]
    fn closing<D: Direction, E: Direction>(&self, boards: &Boards, second: Lanes) -> Lanes {
        self.jump::<D::Opposite>(second).step::<E::Opposite>() & boards.enemy
    }

    /// Where men land after three jumps of which the first was in direction
    /// `D`: for each set of `second` straight on, left, right.
    #[inline(always)]
    pub fn third<D: Direction>(&self, second: &[Lanes; 3]) -> [[Lanes; 3]; 3] {
        [
            self.next::<D>(second[0]),
            self.next::<D::Left>(second[1]),
            self.next::<D::Right>(second[2]),
        ]
    }

    /// Where `men` that came in direction `D` land next: straight on, left, right.
    #[inline(always)]
    fn next<D: Direction>(&self, men: Lanes) -> [Lanes; 3] {
        [
            self.jump::<D>(men),
            self.jump::<D::Left>(men),
            self.jump::<D::Right>(men),
        ]
    }

    #[inline(always)]
    fn going_on<D: Direction>(&self, men: Lanes) -> Lanes {
        men & (self.0[D::INDEX] | self.0[D::Left::INDEX] | self.0[D::Right::INDEX])
    }

    /// Which of the men of [`Jumps::next`] can jump again.
    #[inline(always)]
    fn any_going_on<D: Direction>(&self, men: &[Lanes; 3]) -> Lanes {
        self.going_on::<D>(men[0])
            | self.going_on::<D::Left>(men[1])
            | self.going_on::<D::Right>(men[2])
    }
}

/// The jumps of a man as a type, as [`count::Path`](crate::board::count::Path).
pub(super) trait Path {
    /// The squares on which the jumps begin that end on `landings`.
    fn origin(landings: Lanes) -> Lanes;
    /// What is left of `enemies` after the jumps that end on `landings`.
    fn taken_from(enemies: Lanes, landings: Lanes) -> Lanes;
}

/// The path without a jump.
pub(super) struct Standing;

/// The path `P` and one more jump in direction `D`.
pub(super) struct Then<P: Path, D: Direction>(PhantomData<(P, D)>);

impl Path for Standing {
    #[inline(always)]
    fn origin(landings: Lanes) -> Lanes {
        landings
    }

    #[inline(always)]
    fn taken_from(enemies: Lanes, _: Lanes) -> Lanes {
        enemies
    }
}

impl<P: Path, D: Direction> Path for Then<P, D> {
    #[inline(always)]
    fn origin(landings: Lanes) -> Lanes {
        P::origin(landings.leap::<D::Opposite>())
    }

    #[inline(always)]
    fn taken_from(enemies: Lanes, landings: Lanes) -> Lanes {
        P::taken_from(
            enemies ^ landings.step::<D::Opposite>(),
            landings.leap::<D::Opposite>(),
        )
    }
}
