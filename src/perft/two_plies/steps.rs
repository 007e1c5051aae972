//! Steps of men and the replies to them.
//!
//! Sets of steps in a direction `D` are given by the squares on which they end,
//! their *targets*; the *origin* of a step is one square back.

use super::{
    count_captures_after, count_moves_after,
    reach::{Reach, run_lengths},
};
use crate::board::{
    Bitboard,
    bitboard::Direction,
    count::{JumpSquares, count_quiet_moves},
    movegen::{Mover, View},
};

/// How many pairs begin with a step of one of `men`.
#[inline(always)]
pub(super) fn count<M: Mover>(men: Bitboard, replies: &View) -> u64 {
    if replies.has_capture() {
        play_all::<M>(men, replies)
    } else if replies.kings.any() {
        count_against_kings::<M>(men, replies)
    } else {
        count_against_men::<M>(men, replies)
    }
}

/// The squares on which steps in direction `D` end.
#[inline(always)]
fn targets<D: Direction>(men: Bitboard, replies: &View) -> Bitboard {
    men.step::<D>() & replies.empty
}

/// Origins and targets.
#[inline(always)]
fn steps<D: Direction>(targets: Bitboard) -> impl Iterator<Item = (Bitboard, Bitboard)> {
    targets.singles().map(|to| (to.step::<D::Opposite>(), to))
}

/// The ways in which a step in direction `D` can let the opponent capture, as
/// the targets of the steps that do. They lie in different places, so a step
/// that is in several gives several first jumps.
struct Exposed {
    /// The stepped man is met in the direction `D::Left` and has an empty
    /// square behind.
    from_right: Bitboard,
    /// The same in the direction `D::Right`.
    from_left: Bitboard,
    /// The stepped man is met head-on; behind it is its origin.
    head_on: Bitboard,
    /// A piece behind the origin is met in direction `D`; the origin becomes
    /// the empty square behind it.
    onto_origin_ahead: Bitboard,
    /// The same beside the origin, in direction `D::Left`.
    onto_origin_left: Bitboard,
    /// The same in direction `D::Right`.
    onto_origin_right: Bitboard,
}

impl Exposed {
    #[inline(always)]
    fn new<D: Direction>(targets: Bitboard, replies: &View, reach: &Reach) -> Exposed {
        Exposed {
            from_right: targets & reach.met::<D::Left>() & replies.empty.step::<D::Right>(),
            from_left: targets & reach.met::<D::Right>() & replies.empty.step::<D::Left>(),
            head_on: targets & reach.met::<D::Opposite>(),
            onto_origin_ahead: targets & opens_landing::<D>(replies, reach).step::<D>(),
            onto_origin_left: targets & opens_landing::<D::Left>(replies, reach).step::<D>(),
            onto_origin_right: targets & opens_landing::<D::Right>(replies, reach).step::<D>(),
        }
    }

    #[inline(always)]
    fn any(&self) -> Bitboard {
        self.from_right
            | self.from_left
            | self.head_on
            | self.onto_origin_ahead
            | self.onto_origin_left
            | self.onto_origin_right
    }

    /// The first jumps of men that steps with `targets` allow.
    #[inline(always)]
    fn count_jumps(&self, targets: Bitboard) -> u64 {
        let jumps = [
            self.from_right,
            self.from_left,
            self.head_on,
            self.onto_origin_ahead,
            self.onto_origin_left,
            self.onto_origin_right,
        ];
        jumps
            .iter()
            .map(|way| u64::from((*way & targets).count()))
            .sum()
    }

    /// The steps after which a man goes on from its first jump.
    ///
    /// Second jumps have nothing to do with the step, and so are those that
    /// `jumps` has, but for one: from the origin over the stepped man.
    #[inline(always)]
    fn going_on<D: Direction>(&self, replies: &View, jumps: &JumpSquares) -> Bitboard {
        let ahead = jumps.towards::<D>();
        let left = jumps.towards::<D::Left>();
        let right = jumps.towards::<D::Right>();
        let back = jumps.towards::<D::Opposite>();
        let over_stepped_man = replies.empty.step::<D::Opposite>();

        (self.from_right & (left | ahead | back).step::<D::Right>())
            | (self.from_left & (right | ahead | back).step::<D::Left>())
            | (self.head_on & (back | left | right).step::<D>())
            | (self.onto_origin_ahead & ((left | right).step::<D>() | over_stepped_man))
            | (self.onto_origin_left & ((left | back).step::<D>() | over_stepped_man))
            | (self.onto_origin_right & ((right | back).step::<D>() | over_stepped_man))
    }
}

/// The squares that, vacated, become the landing of a capture in direction `D`.
#[inline(always)]
fn opens_landing<D: Direction>(replies: &View, reach: &Reach) -> Bitboard {
    (reach.met::<D>() & replies.enemies).step::<D>()
}

/// The opponent has no kings and nothing to capture.
#[inline(always)]
fn count_against_men<M: Mover>(men: Bitboard, replies: &View) -> u64 {
    let jumps = JumpSquares::of(replies);
    let reach = Reach::of_men(replies.men);
    let quiet = u64::from(count_quiet_moves::<M::Opponent>(replies));
    count_steps_against_men::<M::Left, M::Right>(men, replies, &jumps, &reach, quiet)
        + count_steps_against_men::<M::Right, M::Left>(men, replies, &jumps, &reach, quiet)
}

/// Steps in direction `D`, the mover's other direction being `Other`.
#[inline(always)]
fn count_steps_against_men<D: Direction, Other: Direction>(
    men: Bitboard,
    replies: &View,
    jumps: &JumpSquares,
    reach: &Reach,
    quiet: u64,
) -> u64 {
    let targets = targets::<D>(men, replies);
    let exposed = Exposed::new::<D>(targets, replies, reach);
    let going_on = exposed.going_on::<D>(replies, jumps);
    let harmless = targets.without(exposed.any());
    quiet * u64::from(harmless.count()) + gained_by_men::<D, Other>(harmless, replies)
        - lost_by_men::<Other>(harmless, replies)
        + exposed.count_jumps(targets.without(going_on))
        + count_captures_after(replies, steps::<D>(going_on))
}

/// The replies of men that step onto the origins of harmless steps; they come
/// against `Other`, since against `D` comes nobody through the stepped man.
#[inline(always)]
fn gained_by_men<D: Direction, Other: Direction>(harmless: Bitboard, replies: &View) -> u64 {
    let origins = harmless.step::<D::Opposite>();
    (origins & replies.men.step::<Other::Opposite>())
        .count()
        .into()
}

/// The replies of men that a piece on the targets of harmless steps prevents.
/// Nobody comes head-on, for that is no harmless step.
#[inline(always)]
fn lost_by_men<Other: Direction>(harmless: Bitboard, replies: &View) -> u64 {
    (harmless & replies.men.step::<Other::Opposite>())
        .count()
        .into()
}

/// The opponent has kings and nothing to capture.
#[inline(never)]
fn count_against_kings<M: Mover>(men: Bitboard, replies: &View) -> u64 {
    let reach = Reach::of(replies);
    let quiet = u64::from(count_quiet_moves::<M::Opponent>(replies));
    count_steps_against_kings::<M::Left, M::Right>(men, replies, &reach, quiet)
        + count_steps_against_kings::<M::Right, M::Left>(men, replies, &reach, quiet)
}

/// Steps in direction `D`, the mover's other direction being `Other`. No king is
/// behind an origin: there it could take the man.
#[inline(always)]
fn count_steps_against_kings<D: Direction, Other: Direction>(
    men: Bitboard,
    replies: &View,
    reach: &Reach,
    quiet: u64,
) -> u64 {
    let empty = replies.empty;
    let targets = targets::<D>(men, replies);
    let opened_lines =
        opens_line::<D::Left>(replies, reach) | opens_line::<D::Right>(replies, reach);
    let harmful = Exposed::new::<D>(targets, replies, reach).any() | opened_lines.step::<D>();
    let harmless = targets.without(harmful);
    let origins = harmless.step::<D::Opposite>();

    quiet * u64::from(harmless.count()) + gained_by_men::<D, Other>(harmless, replies)
        - lost_by_men::<Other>(harmless, replies)
        + gained_across::<D::Left>(origins, empty, reach)
        + gained_across::<D::Right>(origins, empty, reach)
        - run_lengths::<D::Left>(harmless & reach.kings::<D::Left>(), empty)
        - run_lengths::<D::Right>(harmless & reach.kings::<D::Right>(), empty)
        + count_captures_after(replies, steps::<D>(targets & harmful))
}

/// The squares that, vacated, let a king see something to take in direction `D`.
#[inline(always)]
fn opens_line<D: Direction>(replies: &View, reach: &Reach) -> Bitboard {
    reach.met_by_kings::<D>() & replies.king_jump_squares::<D>()
}

/// The squares that kings gain in direction `D` if `origins` are vacated: each
/// is on a line of its own, since a king sees only the first piece.
#[inline(always)]
fn gained_across<D: Direction>(origins: Bitboard, empty: Bitboard, reach: &Reach) -> u64 {
    let seen = origins & reach.met_by_kings::<D>();
    seen.slide::<D>(empty).count().into()
}

/// Plays all steps.
#[inline(never)]
fn play_all<M: Mover>(men: Bitboard, replies: &View) -> u64 {
    count_moves_after::<M>(replies, steps::<M::Left>(targets::<M::Left>(men, replies)))
        + count_moves_after::<M>(
            replies,
            steps::<M::Right>(targets::<M::Right>(men, replies)),
        )
}
