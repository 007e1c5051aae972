//! Counting moves without listing them.
//!
//! Where no man jumps more than three times and no king more than once, whole
//! sets of pieces jump together, wave by wave, and the counts are popcounts.
//! This is exact: two paths that take the same pieces from the same square to
//! the same square take four at least, and so does the first that could use
//! its own origin. Longer captures are followed one by one.
//!
//! Which moves were counted is not known here.

use std::marker::PhantomData;

use super::{
    bitboard::{Bitboard, Direction, NorthEast, NorthWest, SouthEast, SouthWest},
    movegen::{Mover, View, count_captures_one_by_one},
};

/// How many legal moves the side to move has.
#[inline(always)]
pub fn count_moves<M: Mover>(view: &View) -> u32 {
    let jumps = JumpSquares::of(view);
    if view.kings.any() {
        return count_with_kings::<M>(view, &jumps);
    }
    if jumps.start(view.men) {
        count_man_captures(view, &jumps)
    } else {
        count_steps::<M>(view)
    }
}

/// How many captures the side to move, which has one, can choose from.
#[inline(always)]
pub fn count_captures(view: &View) -> u32 {
    let jumps = JumpSquares::of(view);
    if view.kings.any() {
        let rays = KingRays::of(view);
        return count_captures_with_kings(view, &jumps, &rays);
    }
    count_man_captures(view, &jumps)
}

/// How many moves without capture there are, whether or not they are legal.
#[inline(always)]
pub fn count_quiet_moves<M: Mover>(view: &View) -> u32 {
    let mut count = count_steps::<M>(view);
    if view.kings.any() {
        count += KingRays::of(view).count_flights(view);
    }
    count
}

#[inline(always)]
fn count_steps<M: Mover>(view: &View) -> u32 {
    view.steps::<M::Left>().count() + view.steps::<M::Right>().count()
}

#[inline(never)]
fn count_with_kings<M: Mover>(view: &View, jumps: &JumpSquares) -> u32 {
    let rays = KingRays::of(view);
    if rays.capture(view) || jumps.start(view.men) {
        count_captures_with_kings(view, jumps, &rays)
    } else {
        count_steps::<M>(view) + rays.count_flights(view)
    }
}

/// The captures of men alone, of which there must be one.
#[inline(always)]
fn count_man_captures(view: &View, jumps: &JumpSquares) -> u32 {
    let mut count = Count(0);
    match jumps.visit_longest(view, &mut count) {
        Some(_) => count.0,
        None => count_captures_one_by_one(view),
    }
}

fn count_captures_with_kings(view: &View, jumps: &JumpSquares, rays: &KingRays) -> u32 {
    let landings = KingLandings::of(view, rays);
    if landings.go_on(view) {
        return count_captures_one_by_one(view);
    }
    if !jumps.start(view.men) {
        return landings.count();
    }
    let mut count = Count(0);
    match jumps.visit_longest(view, &mut count) {
        Some(1) => count.0 + landings.count(),
        Some(_) => count.0,
        None => count_captures_one_by_one(view),
    }
}

/// Counts arrivals.
struct Count(u32);

impl Arrivals for Count {
    #[inline(always)]
    fn arrive<P: Path>(&mut self, landings: Bitboard) {
        self.0 += landings.count();
    }
}

/// The jumps of a man as a type, so that where they began and what they took
/// are constant distances from where they end.
pub trait Path {
    /// How many jumps there are.
    const LENGTH: u32;
    /// The square on which the jumps begin that end on `landing`.
    fn origin(landing: Bitboard) -> Bitboard;
    /// The squares that are jumped over.
    fn taken(landing: Bitboard) -> Bitboard;
}

/// The path without a jump.
pub struct Standing;

/// The path `P` and one more jump in direction `D`.
pub struct Then<P: Path, D: Direction>(PhantomData<(P, D)>);

impl Path for Standing {
    const LENGTH: u32 = 0;

    #[inline(always)]
    fn origin(landing: Bitboard) -> Bitboard {
        landing
    }

    #[inline(always)]
    fn taken(_: Bitboard) -> Bitboard {
        Bitboard::EMPTY
    }
}

impl<P: Path, D: Direction> Path for Then<P, D> {
    const LENGTH: u32 = P::LENGTH + 1;

    #[inline(always)]
    fn origin(landing: Bitboard) -> Bitboard {
        P::origin(landing.leap::<D::Opposite>())
    }

    #[inline(always)]
    fn taken(landing: Bitboard) -> Bitboard {
        landing.step::<D::Opposite>() | P::taken(landing.leap::<D::Opposite>())
    }
}

/// What is told of the longest captures of men.
pub trait Arrivals {
    /// One man arrives on each of `landings` by the path `P`.
    fn arrive<P: Path>(&mut self, landings: Bitboard);
}

/// For each direction the squares from which a man would capture, be there
/// one or not.
pub struct JumpSquares([Bitboard; 4]);

impl JumpSquares {
    /// The jump squares of the side to move.
    #[inline(always)]
    pub fn of(view: &View) -> JumpSquares {
        JumpSquares([
            view.jump_squares::<NorthWest>(),
            view.jump_squares::<NorthEast>(),
            view.jump_squares::<SouthWest>(),
            view.jump_squares::<SouthEast>(),
        ])
    }

    /// Whether one of `men` can capture.
    #[inline(always)]
    pub fn start(&self, men: Bitboard) -> bool {
        men.meets(self.0[0] | self.0[1] | self.0[2] | self.0[3])
    }

    #[inline(always)]
    fn jump<D: Direction>(&self, men: Bitboard) -> Bitboard {
        (men & self.0[D::INDEX]).leap::<D>()
    }

    /// Where `men` that came in direction `D` land next: straight on, left, right.
    #[inline(always)]
    fn next<D: Direction>(&self, men: Bitboard) -> [Bitboard; 3] {
        [
            self.jump::<D>(men),
            self.jump::<D::Left>(men),
            self.jump::<D::Right>(men),
        ]
    }

    /// Which of `men` that came in direction `D` can jump again.
    #[inline(always)]
    fn going_on<D: Direction>(&self, men: Bitboard) -> Bitboard {
        men & (self.0[D::INDEX] | self.0[D::Left::INDEX] | self.0[D::Right::INDEX])
    }

    /// As [`JumpSquares::going_on`] for all of [`JumpSquares::next`].
    #[inline(always)]
    fn any_going_on<D: Direction>(&self, men: &[Bitboard; 3]) -> Bitboard {
        self.going_on::<D>(men[0])
            | self.going_on::<D::Left>(men[1])
            | self.going_on::<D::Right>(men[2])
    }

    /// Tells `visitor` of the longest captures by the men and returns their
    /// length, if it is at most three; nothing is told otherwise.
    #[inline(always)]
    pub fn visit_longest<V: Arrivals>(&self, view: &View, visitor: &mut V) -> Option<u32> {
        let first = [
            self.jump::<NorthWest>(view.men),
            self.jump::<NorthEast>(view.men),
            self.jump::<SouthWest>(view.men),
            self.jump::<SouthEast>(view.men),
        ];
        let further = self.going_on::<NorthWest>(first[0])
            | self.going_on::<NorthEast>(first[1])
            | self.going_on::<SouthWest>(first[2])
            | self.going_on::<SouthEast>(first[3]);
        if further.is_empty() {
            visitor.arrive::<Then<Standing, NorthWest>>(first[0]);
            visitor.arrive::<Then<Standing, NorthEast>>(first[1]);
            visitor.arrive::<Then<Standing, SouthWest>>(first[2]);
            visitor.arrive::<Then<Standing, SouthEast>>(first[3]);
            return Some(1);
        }
        self.visit_after_one_jump(view, &first, visitor)
    }

    #[inline(always)]
    fn visit_after_one_jump<V: Arrivals>(
        &self,
        view: &View,
        first: &[Bitboard; 4],
        visitor: &mut V,
    ) -> Option<u32> {
        let second = [
            self.next::<NorthWest>(first[0]),
            self.next::<NorthEast>(first[1]),
            self.next::<SouthWest>(first[2]),
            self.next::<SouthEast>(first[3]),
        ];
        let further = self.any_going_on::<NorthWest>(&second[0])
            | self.any_going_on::<NorthEast>(&second[1])
            | self.any_going_on::<SouthWest>(&second[2])
            | self.any_going_on::<SouthEast>(&second[3]);
        if further.is_empty() {
            visit_next::<Then<Standing, NorthWest>, NorthWest, V>(&second[0], visitor);
            visit_next::<Then<Standing, NorthEast>, NorthEast, V>(&second[1], visitor);
            visit_next::<Then<Standing, SouthWest>, SouthWest, V>(&second[2], visitor);
            visit_next::<Then<Standing, SouthEast>, SouthEast, V>(&second[3], visitor);
            return Some(2);
        }
        let fourth = self.after_third::<NorthWest>(view, &second[0])
            | self.after_third::<NorthEast>(view, &second[1])
            | self.after_third::<SouthWest>(view, &second[2])
            | self.after_third::<SouthEast>(view, &second[3]);
        if fourth.any() {
            return None;
        }
        self.visit_third::<NorthWest, V>(&second[0], visitor);
        self.visit_third::<NorthEast, V>(&second[1], visitor);
        self.visit_third::<SouthWest, V>(&second[2], visitor);
        self.visit_third::<SouthEast, V>(&second[3], visitor);
        Some(3)
    }

    #[inline(always)]
    fn after_third<D: Direction>(&self, view: &View, second: &[Bitboard; 3]) -> Bitboard {
        let straight = self.next::<D>(second[0]);
        let left = self.next::<D::Left>(second[1]);
        let right = self.next::<D::Right>(second[2]);
        self.any_going_on::<D>(&straight)
            | self.any_going_on::<D::Left>(&left)
            | self.any_going_on::<D::Right>(&right)
            | self.closing::<D, D::Left>(view, second[1])
            | self.closing::<D, D::Right>(view, second[2])
    }

    /// Whether men that jumped in direction `D`, then `E`, can jump back
    /// against `D` and then against `E` to their origins, which still look
    /// taken.
    #[inline(always)]
    fn closing<D: Direction, E: Direction>(&self, view: &View, second: Bitboard) -> Bitboard {
        self.jump::<D::Opposite>(second).step::<E::Opposite>() & view.enemies
    }

    #[inline(always)]
    fn visit_third<D: Direction, V: Arrivals>(&self, second: &[Bitboard; 3], visitor: &mut V) {
        let straight = self.next::<D>(second[0]);
        let left = self.next::<D::Left>(second[1]);
        let right = self.next::<D::Right>(second[2]);
        visit_next::<Then<Then<Standing, D>, D>, D, V>(&straight, visitor);
        visit_next::<Then<Then<Standing, D>, D::Left>, D::Left, V>(&left, visitor);
        visit_next::<Then<Then<Standing, D>, D::Right>, D::Right, V>(&right, visitor);
    }
}

/// Tells of arrivals by the path `P`, which ended in direction `D`, and one more jump.
#[inline(always)]
fn visit_next<P: Path, D: Direction, V: Arrivals>(landings: &[Bitboard; 3], visitor: &mut V) {
    visitor.arrive::<Then<P, D>>(landings[0]);
    visitor.arrive::<Then<P, D::Left>>(landings[1]);
    visitor.arrive::<Then<P, D::Right>>(landings[2]);
}

/// For each direction the kings and the empty squares that they see.
struct KingRays([Bitboard; 4]);

impl KingRays {
    #[inline(always)]
    fn of(view: &View) -> KingRays {
        KingRays([
            view.kings.slide::<NorthWest>(view.empty),
            view.kings.slide::<NorthEast>(view.empty),
            view.kings.slide::<SouthWest>(view.empty),
            view.kings.slide::<SouthEast>(view.empty),
        ])
    }

    #[inline(always)]
    fn count_flights(&self, view: &View) -> u32 {
        self.0
            .iter()
            .map(|ray| ray.without(view.kings).count())
            .sum()
    }

    #[inline(always)]
    fn hits<D: Direction>(&self, view: &View) -> Bitboard {
        self.0[D::INDEX].step::<D>() & view.takeable::<D>()
    }

    #[inline(always)]
    fn capture(&self, view: &View) -> bool {
        (self.hits::<NorthWest>(view)
            | self.hits::<NorthEast>(view)
            | self.hits::<SouthWest>(view)
            | self.hits::<SouthEast>(view))
        .any()
    }
}

/// For each direction where kings land that take one piece.
struct KingLandings([Bitboard; 4]);

impl KingLandings {
    #[inline(always)]
    fn of(view: &View, rays: &KingRays) -> KingLandings {
        KingLandings([
            Self::behind::<NorthWest>(view, rays),
            Self::behind::<NorthEast>(view, rays),
            Self::behind::<SouthWest>(view, rays),
            Self::behind::<SouthEast>(view, rays),
        ])
    }

    #[inline(always)]
    fn behind<D: Direction>(view: &View, rays: &KingRays) -> Bitboard {
        rays.hits::<D>(view).step::<D>().slide::<D>(view.empty)
    }

    /// Whether a king can take a second piece.
    #[inline(always)]
    fn go_on(&self, view: &View) -> bool {
        let sees = [
            sees_a_capture::<NorthWest>(view),
            sees_a_capture::<NorthEast>(view),
            sees_a_capture::<SouthWest>(view),
            sees_a_capture::<SouthEast>(view),
        ];
        (self.going_on::<NorthWest>(&sees)
            | self.going_on::<NorthEast>(&sees)
            | self.going_on::<SouthWest>(&sees)
            | self.going_on::<SouthEast>(&sees))
        .any()
    }

    #[inline(always)]
    fn going_on<D: Direction>(&self, sees: &[Bitboard; 4]) -> Bitboard {
        self.0[D::INDEX] & (sees[D::INDEX] | sees[D::Left::INDEX] | sees[D::Right::INDEX])
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.0.iter().map(|landings| landings.count()).sum()
    }
}

/// The empty squares from which a king would capture in direction `D`.
#[inline(always)]
fn sees_a_capture<D: Direction>(view: &View) -> Bitboard {
    (view.jump_squares::<D>() & view.empty).slide::<D::Opposite>(view.empty)
}
