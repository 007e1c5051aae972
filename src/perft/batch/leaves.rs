//! The last two plies.

use super::{
    board::{Boards, Jumps},
    lanes::{Lanes, Mask},
    level::{Level, each_first},
};
use crate::board::{
    Bitboard,
    bitboard::{Direction, NorthEast, NorthWest, SouthEast, SouthWest},
    count,
    movegen::Mover,
};

/// How many moves there are in the new positions of a level.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
pub(super) fn count<M: Mover>(level: &mut Level) -> u64 {
    let mut sum = Lanes::splat(Bitboard::EMPTY);
    for eight in level.new.eights() {
        let boards = Boards::load(eight);
        let (moves, more) = count_short::<M>(&boards);
        sum = sum + moves;
        level.more.push(boards.own, boards.enemy, more);
    }
    for eight in level.more.eights() {
        let boards = Boards::load(eight);
        let (captures, long) = count_two_jumps(&boards);
        sum = sum + captures;
        level.long.push(boards.own, boards.enemy, long);
    }
    for eight in level.long.eights() {
        let boards = Boards::load(eight);
        let (captures, longer) = count_three_jumps(&boards);
        sum = sum + captures;
        level.longer.push(boards.own, boards.enemy, longer);
    }
    let longer = level.longer.nodes();
    let longer = longer.map(|node| u64::from(count::count_captures(&node.view())));
    sum.total() + longer.sum::<u64>()
}

/// The number of moves, where no man can jump twice; and where one can.
#[inline(always)]
fn count_short<M: Mover>(boards: &Boards) -> (Lanes, Mask) {
    let jumps = Jumps::of(boards);
    let captures = jumps.start(boards.own);
    let first = jumps.first(boards.own);
    let more = jumps.second_starts(&first);
    let steps = boards.steps::<M::Left>().count() + boards.steps::<M::Right>().count();
    let one = (first[0].count() + first[1].count()) + (first[2].count() + first[3].count());
    (
        steps.only(captures.others()) + one.only(more.others()),
        more,
    )
}

/// The number of captures, where no man can jump three times; and where one can.
#[inline(always)]
fn count_two_jumps(boards: &Boards) -> (Lanes, Mask) {
    let jumps = Jumps::of(boards);
    let second = jumps.second(&jumps.first(boards.own));
    let long = jumps.third_starts(&second);
    let by_first =
        second.map(|[straight, left, right]| straight.count() + left.count() + right.count());
    let captures = (by_first[0] + by_first[1]) + (by_first[2] + by_first[3]);
    (captures.only(long.others()), long)
}

/// The number of captures, where no man can jump four times; and where one can.
#[inline(always)]
fn count_three_jumps(boards: &Boards) -> (Lanes, Mask) {
    let jumps = Jumps::of(boards);
    let second = jumps.second(&jumps.first(boards.own));
    let longer = jumps.fourth_starts(boards, &second);
    let captures = (count_third(jumps.third::<NorthWest>(&second[0]))
        + count_third(jumps.third::<NorthEast>(&second[1])))
        + (count_third(jumps.third::<SouthWest>(&second[2]))
            + count_third(jumps.third::<SouthEast>(&second[3])));
    (captures.only(longer.others()), longer)
}

#[inline(always)]
fn count_third(third: [[Lanes; 3]; 3]) -> Lanes {
    let [straight, left, right] = third.map(|[a, b, c]| a.count() + b.count() + c.count());
    straight + left + right
}

/// The number of pairs of a harmless move and a reply on boards where neither
/// side could capture; pushes what follows after a harmful move.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
pub(super) fn push_harmful<M: Mover>(boards: &Boards, below: &mut Level) -> u64 {
    let replies = boards.passed();
    let count = replies.steps::<<M::Opponent as Mover>::Left>().count()
        + replies.steps::<<M::Opponent as Mover>::Right>().count();
    let opens = opens_landing::<NorthWest>(boards)
        | opens_landing::<NorthEast>(boards)
        | opens_landing::<SouthWest>(boards)
        | opens_landing::<SouthEast>(boards);
    let (left, more) = push_steps::<M::Left, M::Right>(boards, opens, below);
    let (right, more_still) = push_steps::<M::Right, M::Left>(boards, opens, below);
    (count * (left + right) + more + more_still).total()
}

/// The squares on which a capture in direction `D` could land if they were vacated.
#[inline(always)]
fn opens_landing<D: Direction>(boards: &Boards) -> Lanes {
    (boards.enemy.step::<D>() & boards.own).step::<D>()
}

/// The number of harmless steps, and how many more replies they allow in all.
#[inline(always)]
fn push_steps<D: Direction, Other: Direction>(
    boards: &Boards,
    opens: Lanes,
    below: &mut Level,
) -> (Lanes, Lanes) {
    let Boards { own, enemy, empty } = *boards;
    let harmful = opens.step::<D>()
        | enemy.step::<D::Opposite>()
        | (enemy.step::<D::Left>() & empty.step::<D::Right>())
        | (enemy.step::<D::Right>() & empty.step::<D::Left>());
    let targets = boards.steps::<D>();
    each_first(targets & harmful, |to, live| {
        below
            .new
            .push(enemy, own ^ to ^ to.step::<D::Opposite>(), live);
    });
    let harmless = targets.without(harmful);
    let vacated = harmless.step::<D::Opposite>();
    let men = enemy.step::<Other::Opposite>();
    (
        harmless.count(),
        (vacated & men).count() - (harmless & men).count(),
    )
}
