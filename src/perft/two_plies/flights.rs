//! Flights of kings and the replies to them.
//!
//! The king is lifted from the board first, so that what vacating its square
//! opens is known before it is put down on the squares it can reach.

use super::{
    count_captures_after, count_moves_after,
    reach::{Reach, run_lengths},
};
use crate::board::{
    Bitboard,
    bitboard::{Direction, NorthEast, NorthWest, SouthEast, SouthWest},
    count::count_quiet_moves,
    movegen::{self, Mover, View},
};

/// How many pairs begin with a flight of `king`.
pub(super) fn count<M: Mover>(king: Bitboard, replies: &View) -> u64 {
    let Some(square) = king.first() else {
        return 0;
    };
    let targets = movegen::king_targets(square, replies.empty);
    let flights = |targets: Bitboard| targets.singles().map(move |to| (king, to));
    let lifted = View {
        enemies: replies.enemies ^ king,
        empty: replies.empty ^ king,
        ..*replies
    };
    if lifted.has_capture() {
        return count_moves_after::<M>(replies, flights(targets));
    }
    let landed = Landed {
        targets,
        lifted: &lifted,
        reach: Reach::of(&lifted),
        sight: Sight::of(&lifted),
    };
    let exposed = landed.exposed::<NorthWest>()
        | landed.exposed::<NorthEast>()
        | landed.exposed::<SouthWest>()
        | landed.exposed::<SouthEast>();
    let going_on = landed.going_on::<NorthWest>()
        | landed.going_on::<NorthEast>()
        | landed.going_on::<SouthWest>()
        | landed.going_on::<SouthEast>();
    let taken_alone = exposed.without(going_on);
    landed.count_quiet::<M>(targets.without(exposed))
        + landed.count_captures::<NorthWest>(taken_alone)
        + landed.count_captures::<NorthEast>(taken_alone)
        + landed.count_captures::<SouthWest>(taken_alone)
        + landed.count_captures::<SouthEast>(taken_alone)
        + count_captures_after(replies, flights(going_on))
}

/// From where the opponent's men and kings would capture, in each direction.
struct Sight {
    men: [Bitboard; 4],
    kings: [Bitboard; 4],
}

impl Sight {
    #[inline(always)]
    fn of(lifted: &View) -> Sight {
        let kings = if lifted.kings.any() {
            [
                lifted.king_jump_squares::<NorthWest>(),
                lifted.king_jump_squares::<NorthEast>(),
                lifted.king_jump_squares::<SouthWest>(),
                lifted.king_jump_squares::<SouthEast>(),
            ]
        } else {
            [Bitboard::EMPTY; 4]
        };
        Sight {
            men: [
                lifted.jump_squares::<NorthWest>(),
                lifted.jump_squares::<NorthEast>(),
                lifted.jump_squares::<SouthWest>(),
                lifted.jump_squares::<SouthEast>(),
            ],
            kings,
        }
    }
}

/// A king that is put down, on any of `targets`, before an opponent that could
/// capture nothing: all it can capture first is that king.
struct Landed<'a> {
    targets: Bitboard,
    lifted: &'a View,
    reach: Reach,
    sight: Sight,
}

impl Landed<'_> {
    /// The targets on which the king can be taken in direction `D`.
    #[inline(always)]
    fn exposed<D: Direction>(&self) -> Bitboard {
        self.targets & self.reach.met::<D>() & self.lifted.empty.step::<D::Opposite>()
    }

    /// The targets on which it can be taken in direction `D` by a king.
    #[inline(always)]
    fn exposed_to_kings<D: Direction>(&self) -> Bitboard {
        self.exposed::<D>() & self.reach.met_by_kings::<D>()
    }

    /// The targets on which it can be taken in direction `D` by a man.
    #[inline(always)]
    fn exposed_to_men<D: Direction>(&self) -> Bitboard {
        self.exposed::<D>() & self.lifted.men.step::<D>()
    }

    /// The targets on which something that takes it in direction `D` takes more.
    #[inline(always)]
    fn going_on<D: Direction>(&self) -> Bitboard {
        let onward = |sight: &[Bitboard; 4]| {
            sight[D::INDEX] | sight[D::Left::INDEX] | sight[D::Right::INDEX]
        };
        let men = onward(&self.sight.men).step::<D::Opposite>();
        if self.lifted.kings.is_empty() {
            return self.exposed::<D>() & men;
        }
        let empty = self.lifted.empty;
        let kings = (onward(&self.sight.kings) & empty).slide::<D::Opposite>(empty);
        (self.exposed_to_men::<D>() & men)
            | (self.exposed_to_kings::<D>() & kings.step::<D::Opposite>())
    }

    /// The captures in direction `D` of the king alone.
    #[inline(always)]
    fn count_captures<D: Direction>(&self, targets: Bitboard) -> u64 {
        let by_men = u64::from((targets & self.exposed_to_men::<D>()).count());
        let taken_by_kings = targets & self.exposed_to_kings::<D>();
        by_men + run_lengths::<D>(taken_by_kings.step::<D>(), self.lifted.empty)
    }

    /// The replies if nothing can be captured: those with the king lifted, less
    /// what it blocks.
    #[inline(always)]
    fn count_quiet<M: Mover>(&self, targets: Bitboard) -> u64 {
        let all =
            u64::from(targets.count()) * u64::from(count_quiet_moves::<M::Opponent>(self.lifted));
        all - self.blocked_men::<<M::Opponent as Mover>::Left>(targets)
            - self.blocked_men::<<M::Opponent as Mover>::Right>(targets)
            - self.blocked_kings::<NorthWest>(targets)
            - self.blocked_kings::<NorthEast>(targets)
            - self.blocked_kings::<SouthWest>(targets)
            - self.blocked_kings::<SouthEast>(targets)
    }

    #[inline(always)]
    fn blocked_men<D: Direction>(&self, targets: Bitboard) -> u64 {
        (targets & self.lifted.men.step::<D>()).count().into()
    }

    #[inline(always)]
    fn blocked_kings<D: Direction>(&self, targets: Bitboard) -> u64 {
        run_lengths::<D>(targets & self.reach.kings::<D>(), self.lifted.empty)
    }
}
