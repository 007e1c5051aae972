//! Counting moves without listing them.
//!
//! Where no man jumps more than three times and no king more than once, whole
//! sets of pieces jump together, wave by wave, and the counts are popcounts.
//! This is exact: two paths that take the same pieces from the same square to
//! the same square take four at least, and so does the first that could use
//! its own origin. Longer captures are followed one by one.
//!
//! Which moves were counted is not known here.

use std::{cmp::Ordering, marker::PhantomData};

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
    match (
        count_longest_by_men(view, jumps),
        count_longest_by_kings(view, rays),
    ) {
        (Some(men), Some(kings)) => men.or_longer(kings).count,
        _ => count_captures_one_by_one(view),
    }
}

/// The longest captures, of which there may be none.
#[derive(Clone, Copy)]
struct Longest {
    length: u32,
    count: u32,
}

impl Longest {
    const NONE: Longest = Longest {
        length: 0,
        count: 0,
    };

    #[inline(always)]
    fn or_longer(self, other: Longest) -> Longest {
        match self.length.cmp(&other.length) {
            Ordering::Less => other,
            Ordering::Greater => self,
            Ordering::Equal => Longest {
                count: self.count + other.count,
                ..self
            },
        }
    }
}

/// The longest captures of men, if they take at most three.
#[inline(always)]
fn count_longest_by_men(view: &View, jumps: &JumpSquares) -> Option<Longest> {
    if !jumps.start(view.men) {
        return Some(Longest::NONE);
    }
    let mut count = Count(0);
    let length = jumps.visit_longest(view, &mut count)?;
    Some(Longest {
        length,
        count: count.0,
    })
}

/// The longest captures of kings, if they take at most two.
#[inline(always)]
fn count_longest_by_kings(view: &View, rays: &KingRays) -> Option<Longest> {
    let sight = KingSight::of(view);
    let first = [
        sight.land::<NorthWest>(rays.0[0]),
        sight.land::<NorthEast>(rays.0[1]),
        sight.land::<SouthWest>(rays.0[2]),
        sight.land::<SouthEast>(rays.0[3]),
    ];
    let further = sight.going_on::<NorthWest>(first[0])
        | sight.going_on::<NorthEast>(first[1])
        | sight.going_on::<SouthWest>(first[2])
        | sight.going_on::<SouthEast>(first[3]);
    if further.is_empty() {
        let count = first.iter().map(|landings| landings.count()).sum();
        let length = u32::from(count > 0);
        return Some(Longest { length, count });
    }
    let mut count = 0;
    for king in (view.kings & sight.anywhere()).singles() {
        count += sight.count_double::<NorthWest>(king)?
            + sight.count_double::<NorthEast>(king)?
            + sight.count_double::<SouthWest>(king)?
            + sight.count_double::<SouthEast>(king)?;
    }
    Some(Longest { length: 2, count })
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

    /// The squares from which a man would capture in direction `D`.
    #[inline(always)]
    pub fn towards<D: Direction>(&self) -> Bitboard {
        self.0[D::INDEX]
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
        if self.any_going_on::<D>(second).is_empty() {
            return Bitboard::EMPTY;
        }
        let straight = self.next::<D>(second[0]);
        let left = self.next::<D::Left>(second[1]);
        let right = self.next::<D::Right>(second[2]);
        self.any_going_on::<D>(&straight)
            | self.any_going_on::<D::Left>(&left)
            | self.any_going_on::<D::Right>(&right)
            | self.closing::<D>(view, second[1])
    }

    /// Men that jumped in direction `D`, then left, and can jump back against
    /// both to their origins, which still look taken.
    ///
    /// Such a square can be gone round both ways, so turns to the right need
    /// no look.
    #[inline(always)]
    fn closing<D: Direction>(&self, view: &View, second: Bitboard) -> Bitboard {
        let third = self.jump::<D::Opposite>(second);
        third.step::<<D::Left as Direction>::Opposite>() & view.enemies
    }

    #[inline(always)]
    fn visit_third<D: Direction, V: Arrivals>(&self, second: &[Bitboard; 3], visitor: &mut V) {
        if self.any_going_on::<D>(second).is_empty() {
            return;
        }
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

/// What kings can take, and from where, in each direction.
struct KingSight {
    takeable: [Bitboard; 4],
    /// The squares, empty or not, from which a king would take something.
    from: [Bitboard; 4],
    empty: Bitboard,
}

impl KingSight {
    #[inline(always)]
    fn of(view: &View) -> KingSight {
        KingSight {
            takeable: [
                view.takeable::<NorthWest>(),
                view.takeable::<NorthEast>(),
                view.takeable::<SouthWest>(),
                view.takeable::<SouthEast>(),
            ],
            from: [
                view.king_jump_squares::<NorthWest>(),
                view.king_jump_squares::<NorthEast>(),
                view.king_jump_squares::<SouthWest>(),
                view.king_jump_squares::<SouthEast>(),
            ],
            empty: view.empty,
        }
    }

    /// The squares from which a king would take something.
    #[inline(always)]
    fn anywhere(&self) -> Bitboard {
        self.from[0] | self.from[1] | self.from[2] | self.from[3]
    }

    /// Where kings land that take the pieces at the ends of `rays` in direction `D`.
    #[inline(always)]
    fn land<D: Direction>(&self, rays: Bitboard) -> Bitboard {
        let over = rays.step::<D>() & self.takeable[D::INDEX];
        over.step::<D>().slide::<D>(self.empty)
    }

    /// Where kings land that take something in direction `D`.
    #[inline(always)]
    fn jump<D: Direction>(&self, kings: Bitboard) -> Bitboard {
        let kings = kings & self.from[D::INDEX];
        self.land::<D>(kings.slide::<D>(self.empty))
    }

    /// From which of `landings`, reached in direction `D`, a king takes more.
    #[inline(always)]
    fn going_on<D: Direction>(&self, landings: Bitboard) -> Bitboard {
        landings & (self.from[D::INDEX] | self.from[D::Left::INDEX] | self.from[D::Right::INDEX])
    }

    /// The captures of two pieces by one king, the first in direction `D`; none
    /// if it can take three.
    ///
    /// All landings of the first jump are on one line, so those of a second jump
    /// across it are on lines of their own and none is counted twice.
    #[inline(always)]
    fn count_double<D: Direction>(&self, king: Bitboard) -> Option<u32> {
        if !king.meets(self.from[D::INDEX]) {
            return Some(0);
        }
        let landings = self.jump::<D>(king);
        let straight = self.jump::<D>(landings);
        let left = self.jump::<D::Left>(landings);
        let right = self.jump::<D::Right>(landings);
        let further = self.going_on::<D>(straight)
            | self.going_on::<D::Left>(left)
            | self.going_on::<D::Right>(right);
        further
            .is_empty()
            .then(|| straight.count() + left.count() + right.count())
    }
}
