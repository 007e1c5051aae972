//! The positions that are as many plies from the leaves.
//!
//! A level is emptied when it is full or when the one above has no more to
//! give: its positions are sorted by what is to be done with them, and each
//! sort goes through the lanes by itself. What they give fills the level below.

use super::{
    board::{Boards, Jumps, Path, Standing, Then},
    lanes::{Lanes, Mask},
    leaves,
    list::List,
};
use crate::{
    board::{
        Bitboard, MoveList,
        bitboard::{Direction, NorthEast, NorthWest, SouthEast, SouthWest},
        movegen::Mover,
    },
    perft::{Context, bulk, node::Node},
};

/// The least depth at which the stop flag is read.
const SHALLOWEST_STOP: u32 = 4;

/// Positions of one depth, all with the same side to move.
pub(super) struct Level {
    depth: u32,
    /// Positions of which nothing is known.
    pub new: List,
    /// Positions without a capture; at depth 2 only those in which the opponent
    /// threatens one.
    quiet: List,
    /// Positions of depth 2 in which neither side could capture.
    calm: List,
    /// Positions in which the longest capture takes one man.
    one: List,
    /// Positions in which the longest capture takes two or more.
    pub more: List,
    /// Positions in which the longest capture takes three or more.
    pub long: List,
    /// Positions in which the longest capture takes at least four.
    pub longer: List,
    /// Positions with a king.
    kings: Vec<Node>,
}

impl Level {
    /// The empty level `depth` plies above the leaves.
    pub fn new(depth: u32) -> Level {
        Level {
            depth,
            new: List::new(),
            quiet: List::new(),
            calm: List::new(),
            one: List::new(),
            more: List::new(),
            long: List::new(),
            longer: List::new(),
            kings: Vec::new(),
        }
    }

    /// Adds a position.
    pub fn push_node(&mut self, node: &Node) {
        if node.kings.any() && self.depth > 1 {
            self.kings.push(*node);
        } else {
            self.new.push_node(node);
        }
    }

    /// The squares on which a man of `M` may arrive before the position goes
    /// into the lanes: not on the last row, unless at depth 1, where only the
    /// mover's kings matter and not those of the opponent, who made the last move.
    fn stays_in_lanes<M: Mover>(&self) -> Bitboard {
        if self.depth == 1 {
            Bitboard::BOARD
        } else {
            Bitboard::BOARD.without(M::PROMOTION)
        }
    }

    fn is_full(&self) -> bool {
        self.new.is_full() || self.kings.len() >= List::FULL
    }

    fn clear(&mut self) {
        self.new.clear();
        self.quiet.clear();
        self.calm.clear();
        self.one.clear();
        self.more.clear();
        self.long.clear();
        self.longer.clear();
        self.kings.clear();
    }
}

/// Counts all positions of the first of `levels` into `sum` and empties it.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
pub(super) fn drain<M: Mover>(
    levels: &mut [Level],
    context: Context,
    lists: &mut [MoveList],
    sum: &mut u64,
) {
    let Some((level, below)) = levels.split_first_mut() else {
        return;
    };
    let Some(next) = below.first_mut() else {
        return;
    };
    if level.depth >= SHALLOWEST_STOP && context.monitor.is_stopped() {
        level.clear();
        return;
    }
    if level.depth == 1 {
        *sum = sum.saturating_add(leaves::count::<M>(level));
        level.clear();
        return;
    }
    sort::<M>(level);
    let kept = Lanes::splat(next.stays_in_lanes::<M>());

    for eight in level.quiet.eights() {
        let boards = Boards::load(eight);
        push_quiet::<M>(&boards, kept, &mut below[0]);
        if below[0].is_full() {
            drain::<M::Opponent>(below, context, lists, sum);
        }
    }
    for eight in level.one.eights() {
        let boards = Boards::load(eight);
        push_one_jump(&boards, kept, &mut below[0]);
        if below[0].is_full() {
            drain::<M::Opponent>(below, context, lists, sum);
        }
    }
    for eight in level.more.eights() {
        let boards = Boards::load(eight);
        let long = push_two_jumps(&boards, kept, &mut below[0]);
        level.long.push(boards.own, boards.enemy, long);
        if below[0].is_full() {
            drain::<M::Opponent>(below, context, lists, sum);
        }
    }
    for eight in level.long.eights() {
        let boards = Boards::load(eight);
        let longer = push_three_jumps(&boards, kept, &mut below[0]);
        level.longer.push(boards.own, boards.enemy, longer);
        if below[0].is_full() {
            drain::<M::Opponent>(below, context, lists, sum);
        }
    }
    for eight in level.calm.eights() {
        let boards = Boards::load(eight);
        let harmless = leaves::push_harmful::<M>(&boards, &mut below[0]);
        *sum = sum.saturating_add(harmless);
        if below[0].is_full() {
            drain::<M::Opponent>(below, context, lists, sum);
        }
    }
    if let Some(list) = lists.last_mut() {
        for node in level.longer.nodes() {
            node.each_capture::<M>(&node.view(), list, |child| below[0].push_node(&child));
        }
    }
    let depth = level.depth;
    for node in &level.kings {
        *sum = sum.saturating_add(bulk::count_node::<M>(node, depth, context, lists));
    }
    level.clear();
    drain::<M::Opponent>(below, context, lists, sum);
}

/// Moves the new positions to the lists for their sorts.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn sort<M: Mover>(level: &mut Level) {
    for eight in level.new.eights() {
        let boards = Boards::load(eight);
        let Boards { own, enemy, .. } = boards;
        let live = own.any();
        let jumps = Jumps::of(&boards);
        let captures = jumps.start(own);
        let further = jumps.second_starts(&jumps.first(own));
        let quiet = live.and(captures.others());
        level.one.push(own, enemy, captures.and(further.others()));
        level.more.push(own, enemy, further);
        if level.depth == 2 {
            let threats = Jumps::of(&boards.passed()).start(enemy);
            level.quiet.push(own, enemy, quiet.and(threats));
            level.calm.push(own, enemy, quiet.and(threats.others()));
        } else {
            level.quiet.push(own, enemy, quiet);
        }
    }
}

/// Calls `f` with the first square of each set, then the second, and so on, and
/// with the lanes that have so many.
#[inline(always)]
pub(super) fn each_first(mut sets: Lanes, mut f: impl FnMut(Lanes, Mask)) {
    loop {
        let live = sets.any();
        if live.is_empty() {
            return;
        }
        let first = sets.first();
        f(first, live);
        sets = sets ^ first;
    }
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn push_quiet<M: Mover>(boards: &Boards, kept: Lanes, below: &mut Level) {
    push_steps::<M::Left>(boards, kept, below);
    push_steps::<M::Right>(boards, kept, below);
}

#[inline(always)]
fn push_steps<D: Direction>(boards: &Boards, kept: Lanes, below: &mut Level) {
    push_arrivals(boards.steps::<D>(), kept, below, |to| {
        (boards.enemy, boards.own ^ to ^ to.step::<D::Opposite>())
    });
}

/// Pushes what follows after one jump, the longest on these boards.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn push_one_jump(boards: &Boards, kept: Lanes, below: &mut Level) {
    let first = Jumps::of(boards).first(boards.own);
    push_captures::<Then<Standing, NorthWest>>(boards, first[0], kept, below);
    push_captures::<Then<Standing, NorthEast>>(boards, first[1], kept, below);
    push_captures::<Then<Standing, SouthWest>>(boards, first[2], kept, below);
    push_captures::<Then<Standing, SouthEast>>(boards, first[3], kept, below);
}

/// Pushes what follows after two jumps, and returns the boards with longer
/// captures, of which nothing is pushed.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn push_two_jumps(boards: &Boards, kept: Lanes, below: &mut Level) -> Mask {
    let jumps = Jumps::of(boards);
    let second = jumps.second(&jumps.first(boards.own));
    let long = jumps.third_starts(&second);
    let second = second.map(|sets| sets.map(|set| set.only(long.others())));
    push_next::<Then<Standing, NorthWest>, NorthWest>(boards, &second[0], kept, below);
    push_next::<Then<Standing, NorthEast>, NorthEast>(boards, &second[1], kept, below);
    push_next::<Then<Standing, SouthWest>, SouthWest>(boards, &second[2], kept, below);
    push_next::<Then<Standing, SouthEast>, SouthEast>(boards, &second[3], kept, below);
    long
}

/// Pushes what follows after three jumps, and returns the boards with longer
/// captures, of which nothing is pushed.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn push_three_jumps(boards: &Boards, kept: Lanes, below: &mut Level) -> Mask {
    let jumps = Jumps::of(boards);
    let second = jumps.second(&jumps.first(boards.own));
    let longer = jumps.fourth_starts(boards, &second);
    let second = second.map(|sets| sets.map(|set| set.only(longer.others())));
    push_third::<NorthWest>(boards, &jumps, &second[0], kept, below);
    push_third::<NorthEast>(boards, &jumps, &second[1], kept, below);
    push_third::<SouthWest>(boards, &jumps, &second[2], kept, below);
    push_third::<SouthEast>(boards, &jumps, &second[3], kept, below);
    longer
}

#[inline(always)]
fn push_third<D: Direction>(
    boards: &Boards,
    jumps: &Jumps,
    second: &[Lanes; 3],
    kept: Lanes,
    below: &mut Level,
) {
    let [straight, left, right] = jumps.third::<D>(second);
    push_next::<Then<Then<Standing, D>, D>, D>(boards, &straight, kept, below);
    push_next::<Then<Then<Standing, D>, D::Left>, D::Left>(boards, &left, kept, below);
    push_next::<Then<Then<Standing, D>, D::Right>, D::Right>(boards, &right, kept, below);
}

/// Pushes captures by the path `P`, which ended in direction `D`, and one more jump.
#[inline(always)]
fn push_next<P: Path, D: Direction>(
    boards: &Boards,
    landings: &[Lanes; 3],
    kept: Lanes,
    below: &mut Level,
) {
    push_captures::<Then<P, D>>(boards, landings[0], kept, below);
    push_captures::<Then<P, D::Left>>(boards, landings[1], kept, below);
    push_captures::<Then<P, D::Right>>(boards, landings[2], kept, below);
}

#[inline(always)]
fn push_captures<P: Path>(boards: &Boards, landings: Lanes, kept: Lanes, below: &mut Level) {
    push_arrivals(landings, kept, below, |to| {
        (
            P::taken_from(boards.enemy, to),
            boards.own ^ to ^ P::origin(to),
        )
    });
}

/// Pushes a position for each of `landings`: what `after` makes of it.
#[inline(always)]
fn push_arrivals(
    landings: Lanes,
    kept: Lanes,
    below: &mut Level,
    after: impl Fn(Lanes) -> (Lanes, Lanes),
) {
    each_first(landings & kept, |to, live| {
        let (own, enemy) = after(to);
        below.new.push(own, enemy, live);
    });
    each_first(landings.without(kept), |to, _| {
        let (own, enemy) = after(to);
        push_promotions(own, enemy, to, below);
    });
}

#[cold]
#[inline(never)]
fn push_promotions(own: Lanes, enemy: Lanes, kings: Lanes, below: &mut Level) {
    let mut sets = [[0; 8]; 3];
    own.store(&mut sets[0]);
    enemy.store(&mut sets[1]);
    kings.store(&mut sets[2]);
    for lane in 0..8 {
        let [own, enemy, kings] = sets.map(|set| Bitboard::from_bits(set[lane]));
        if kings.any() {
            below.push_node(&Node { own, enemy, kings });
        }
    }
}
