//! Two plies at once.

use super::node::Node;
use crate::board::{
    Bitboard, MoveList,
    bitboard::{Direction, NorthEast, NorthWest, SouthEast, SouthWest},
    count::{count_captures, count_moves, count_quiet_moves},
    movegen::{self, Mover, View},
};

/// How many pairs of a move and a reply there are.
pub(super) fn count_two_plies<M: Mover>(node: &Node, list: &mut MoveList) -> u64 {
    let view = node.view();
    let mut sum = 0;
    if view.has_capture() {
        node.each_capture::<M>(&view, list, |child| {
            sum += u64::from(count_moves::<M::Opponent>(&child.view()));
        });
        return sum;
    }
    let replies = node.passed().view();
    if replies.has_capture() {
        node.each_quiet::<M>(&view, |child| {
            sum += u64::from(count_moves::<M::Opponent>(&child.view()));
        });
        return sum;
    }
    if node.kings.is_empty() {
        let reach = Reach::of_men(&replies);
        return QuietPairs::<M>::new(&view, &replies, &reach).by_men();
    }
    count_with_kings::<M>(&view, &replies)
}

fn count_with_kings<M: Mover>(view: &View, replies: &View) -> u64 {
    let reach = Reach::of(replies);
    let mut sum = QuietPairs::<M>::new(view, replies, &reach).by_men();
    for king in view.kings.singles() {
        sum += count_with_king_moves::<M>(king, replies);
    }
    sum
}

/// The opponent's view after a piece of the mover went from one square to another.
#[inline(always)]
fn after(replies: &View, from: Bitboard, to: Bitboard) -> View {
    View {
        enemies: replies.enemies ^ from ^ to,
        empty: replies.empty ^ from ^ to,
        ..*replies
    }
}

/// Where the opponent's pieces reach, direction by direction: its men, its
/// kings and the empty squares they see.
struct Reach {
    kings: [Bitboard; 4],
    all: [Bitboard; 4],
}

impl Reach {
    #[inline(always)]
    fn of_men(replies: &View) -> Reach {
        Reach {
            kings: [Bitboard::EMPTY; 4],
            all: [replies.men; 4],
        }
    }

    #[inline(always)]
    fn of(replies: &View) -> Reach {
        let kings = [
            replies.kings.slide::<NorthWest>(replies.empty),
            replies.kings.slide::<NorthEast>(replies.empty),
            replies.kings.slide::<SouthWest>(replies.empty),
            replies.kings.slide::<SouthEast>(replies.empty),
        ];
        Reach {
            kings,
            all: kings.map(|ray| ray | replies.men),
        }
    }

    /// The squares on which a piece would be the first that is met in direction `D`.
    #[inline(always)]
    fn met<D: Direction>(&self) -> Bitboard {
        self.all[D::INDEX].step::<D>()
    }

    #[inline(always)]
    fn met_by_kings<D: Direction>(&self) -> Bitboard {
        self.kings[D::INDEX].step::<D>()
    }
}

struct QuietPairs<'a, M> {
    view: &'a View,
    replies: &'a View,
    reach: &'a Reach,
    count: u64,
    mover: std::marker::PhantomData<M>,
}

impl<'a, M: Mover> QuietPairs<'a, M> {
    #[inline(always)]
    fn new(view: &'a View, replies: &'a View, reach: &'a Reach) -> Self {
        QuietPairs {
            view,
            replies,
            reach,
            count: u64::from(count_quiet_moves::<M::Opponent>(replies)),
            mover: std::marker::PhantomData,
        }
    }

    #[inline(always)]
    fn by_men(&self) -> u64 {
        let opens = self.opens_landing::<NorthWest>()
            | self.opens_landing::<NorthEast>()
            | self.opens_landing::<SouthWest>()
            | self.opens_landing::<SouthEast>();
        self.steps::<M::Left, M::Right>(opens) + self.steps::<M::Right, M::Left>(opens)
    }

    /// The squares on which a capture in direction `D` could land if they were vacated.
    #[inline(always)]
    fn opens_landing<D: Direction>(&self) -> Bitboard {
        (self.reach.met::<D>() & self.replies.enemies).step::<D>()
    }

    /// The squares that, vacated, let a king see something to take in direction `D`.
    #[inline(always)]
    fn opens_line<D: Direction>(&self) -> Bitboard {
        let sees = self
            .replies
            .takeable::<D>()
            .slide::<D::Opposite>(self.replies.empty);
        self.reach.met_by_kings::<D>() & sees.step::<D::Opposite>()
    }

    #[inline(always)]
    fn steps<D: Direction, Other: Direction>(&self, opens: Bitboard) -> u64 {
        let empty = self.replies.empty;
        let movers = self.view.men & empty.step::<D::Opposite>();
        let mut harmful = opens.step::<D>()
            | self.reach.met::<D::Opposite>()
            | (self.reach.met::<D::Left>() & empty.step::<D::Right>())
            | (self.reach.met::<D::Right>() & empty.step::<D::Left>());
        if self.replies.kings.any() {
            harmful |= (self.opens_line::<D::Left>() | self.opens_line::<D::Right>()).step::<D>();
            harmful |= self.reach.met_by_kings::<D>().step::<D>() & empty.step::<D::Opposite>();
        }
        let targets = movers.step::<D>();
        let harmless = targets.without(harmful);
        let vacated = harmless.step::<D::Opposite>();

        let men = self.replies.men.step::<Other::Opposite>();
        let mut sum = self.count * u64::from(harmless.count()) + u64::from((vacated & men).count())
            - u64::from((harmless & men).count());
        if self.replies.kings.any() {
            sum += u64::from((vacated & self.reach.met_by_kings::<D>()).count());
            sum += self.opened::<D::Left>(vacated) + self.opened::<D::Right>(vacated);
            sum -= self.cut_off::<D::Left>(harmless) + self.cut_off::<D::Right>(harmless);
        }
        for to in (targets & harmful).singles() {
            let child = after(self.replies, to.step::<D::Opposite>(), to);
            sum += u64::from(count_captures(&child));
        }
        sum
    }

    #[inline(always)]
    fn opened<D: Direction>(&self, vacated: Bitboard) -> u64 {
        let seen = vacated & self.reach.met_by_kings::<D>();
        seen.slide::<D>(self.replies.empty).count().into()
    }

    #[inline(always)]
    fn cut_off<D: Direction>(&self, targets: Bitboard) -> u64 {
        run_lengths::<D>(targets & self.reach.kings[D::INDEX], self.replies.empty)
    }
}

/// The sum over `squares` of how many squares a king has from each of them on
/// in direction `D`, that square among them.
#[inline(always)]
fn run_lengths<D: Direction>(squares: Bitboard, empty: Bitboard) -> u64 {
    let mut rest = squares;
    let mut sum = 0;
    while rest.any() {
        sum += u64::from(rest.count());
        rest = rest.step::<D>() & empty;
    }
    sum
}

/// The pairs that begin with a quiet move of `king`.
fn count_with_king_moves<M: Mover>(king: Bitboard, replies: &View) -> u64 {
    let lifted = View {
        enemies: replies.enemies ^ king,
        empty: replies.empty ^ king,
        ..*replies
    };
    let Some(square) = king.first() else { return 0 };
    let targets = movegen::king_targets(square, replies.empty);
    let mut sum = 0;
    if lifted.has_capture() {
        for to in targets.singles() {
            sum += u64::from(count_moves::<M::Opponent>(&after(replies, king, to)));
        }
        return sum;
    }
    let reach = Reach::of(&lifted);
    let harmful = attacked::<NorthWest>(&reach, &lifted)
        | attacked::<NorthEast>(&reach, &lifted)
        | attacked::<SouthWest>(&reach, &lifted)
        | attacked::<SouthEast>(&reach, &lifted);
    let harmless = targets.without(harmful);
    sum += u64::from(harmless.count()) * u64::from(count_quiet_moves::<M::Opponent>(&lifted));
    sum -= u64::from((harmless & lifted.men.step::<<M::Opponent as Mover>::Left>()).count());
    sum -= u64::from((harmless & lifted.men.step::<<M::Opponent as Mover>::Right>()).count());
    if lifted.kings.any() {
        sum -= run_lengths::<NorthWest>(harmless & reach.kings[0], lifted.empty)
            + run_lengths::<NorthEast>(harmless & reach.kings[1], lifted.empty)
            + run_lengths::<SouthWest>(harmless & reach.kings[2], lifted.empty)
            + run_lengths::<SouthEast>(harmless & reach.kings[3], lifted.empty);
    }
    for to in (targets & harmful).singles() {
        sum += u64::from(count_captures(&after(replies, king, to)));
    }
    sum
}

#[inline(always)]
fn attacked<D: Direction>(reach: &Reach, view: &View) -> Bitboard {
    reach.met::<D>() & view.empty.step::<D::Opposite>()
}
