//! Win, draw or loss of every placement of a family, backwards from the ends.
//!
//! A first pass looks at each placement once: captures and promotions lead to
//! endings that are solved already, and of the other moves only the number is
//! kept. Then each result is handed to the placements before it: one that can
//! move to a lost placement is won, one whose last open move turns out to lead
//! to a won placement is lost. What is open in the end is drawn.
//!
//! Threads share the arrays through relaxed atomics: every hand-over is one
//! atomic exchange of a byte, so no order of work changes the result.
//! Move-count rules and repetition are not known here.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::*};

use rayon::prelude::*;

use super::{Value, index::Index, material::Material, placement::Placement};
use crate::board::{
    Bitboard, MoveList, Side,
    bitboard::{NorthEast, NorthWest, SouthEast, SouthWest},
    count::count_quiet_moves,
    movegen::{View, White, king_targets, quiet_moves},
    position::promotion_row,
};

/// What a byte of the working array says: up to [`MOST_OPEN`] is the number of
/// moves not yet known to lose, 0 of them a loss.
const LOSS: u8 = 0;
const MOST_OPEN: u8 = 247;
/// Undecided, but some move leads to a draw.
const HOLDS: u8 = 248;
const DRAW: u8 = 249;
const WIN: u8 = 250;
/// The same three where the mover must capture.
const CAPTURE: [u8; 3] = [251, 252, 253];

/// How many words of 64 placements a task takes.
const CHUNK: usize = 64;

/// Watches a solution from another thread, and stops it.
#[derive(Debug, Default)]
pub struct Monitor {
    stopped: AtomicBool,
    /// Placements looked at since the start of the work.
    done: AtomicU64,
}

impl Monitor {
    /// Ends the work soon.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Whether [`Monitor::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// How many placements were looked at.
    pub fn done(&self) -> u64 {
        self.done.load(Relaxed)
    }

    /// Counts placements that were looked at.
    pub fn add(&self, placements: u64) {
        self.done.fetch_add(placements, Relaxed);
    }
}

/// The work was told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

/// The values of one material while and after they are found.
pub struct Working {
    index: Index,
    states: Vec<AtomicU8>,
    /// A bit for each placement whose result was not yet handed on.
    pending: Vec<AtomicU64>,
}

impl Working {
    fn new(material: Material) -> Working {
        let index = Index::new(material);
        let len = index.len() as usize;
        Working {
            index,
            states: (0..len).map(|_| AtomicU8::new(LOSS)).collect(),
            pending: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// The bytes that solving a family takes.
    pub fn bytes(family: Material) -> u64 {
        let members = family.family().map(|member| Index::new(member).len());
        members.map(|len| len + len / 8).sum()
    }

    /// The numbering.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The values by number; none where the mover must capture.
    pub fn values(&self) -> impl Iterator<Item = Option<Value>> {
        self.states.iter().map(|state| match state.load(Relaxed) {
            LOSS => Some(Value::Loss),
            WIN => Some(Value::Win),
            state if CAPTURE.contains(&state) => None,
            _ => Some(Value::Draw),
        })
    }

    /// Puts a state in place of an undecided one and has it handed on.
    fn settle(&self, number: u64, state: u8) {
        self.states[number as usize].store(state, Relaxed);
        self.mark(number);
    }

    fn mark(&self, number: u64) {
        self.pending[(number / 64) as usize].fetch_or(1 << (number % 64), Relaxed);
    }

    /// A move from here leads to a lost placement.
    fn can_win(&self, number: u64) {
        let open = |state| (1..=HOLDS).contains(&state).then_some(WIN);
        if (self.states[number as usize].fetch_update(Relaxed, Relaxed, open)).is_ok() {
            self.mark(number);
        }
    }

    /// A move from here leads to a won placement.
    fn has_one_less(&self, number: u64) {
        let less = |state| (1..=MOST_OPEN).contains(&state).then(|| state - 1);
        if self.states[number as usize].fetch_update(Relaxed, Relaxed, less) == Ok(1) {
            self.mark(number);
        }
    }
}

/// Solves a family; `known` gives the value of any placement with fewer pieces
/// or fewer men. The first is the family's first member, the second its mirror
/// if that is another.
pub fn solve(
    family: Material,
    known: &(impl Fn(&Placement) -> Value + Sync),
    monitor: &Monitor,
) -> Result<Vec<Working>, Stopped> {
    let members: Vec<Working> = family.family().map(Working::new).collect();
    for member in &members {
        begin(member, known, monitor)?;
    }
    while hand_on(&members, monitor)? {}
    Ok(members)
}

/// The first look at every placement.
fn begin(
    member: &Working,
    known: &(impl Fn(&Placement) -> Value + Sync),
    monitor: &Monitor,
) -> Result<(), Stopped> {
    let size = 64 * CHUNK;
    let chunks = member.states.par_chunks(size).enumerate();
    chunks.try_for_each_init(MoveList::new, |list, (chunk, states)| {
        if monitor.is_stopped() {
            return Err(Stopped);
        }
        for (number, _) in ((chunk * size) as u64..).zip(states) {
            let placement = member.index.unrank(number);
            let state = first_look(&placement, known, list);
            member.states[number as usize].store(state, Relaxed);
            if matches!(state, LOSS | WIN) || state == CAPTURE[0] || state == CAPTURE[2] {
                member.settle(number, state);
            }
        }
        monitor.add(states.len() as u64);
        Ok(())
    })
}

/// The state of a placement by its captures and promotions alone.
fn first_look(
    placement: &Placement,
    known: &impl Fn(&Placement) -> Value,
    list: &mut MoveList,
) -> u8 {
    let view = placement.view();
    if view.has_capture() {
        placement.legal_moves(list);
        let values = list.into_iter().map(|mv| -known(&placement.after(mv)));
        return CAPTURE[values.max().unwrap_or(Value::Loss) as usize];
    }
    let (promotions, promoted) = by_promotion(placement, known, list);
    let open = count_quiet_moves::<White>(&view) - promoted;
    match promotions {
        Value::Win => WIN,
        Value::Draw if open == 0 => DRAW,
        Value::Draw => HOLDS,
        Value::Loss => open as u8,
    }
}

/// The best value that a promotion leads to, and how many promotions there are.
fn by_promotion(
    placement: &Placement,
    known: &impl Fn(&Placement) -> Value,
    list: &mut MoveList,
) -> (Value, u32) {
    let row = promotion_row(Side::White);
    let view = View {
        men: placement.men[0] & (row.step::<SouthEast>() | row.step::<SouthWest>()),
        kings: Bitboard::EMPTY,
        ..placement.view()
    };
    list.clear();
    quiet_moves::<White>(&view, list);
    let values = list.into_iter().map(|mv| -known(&placement.after(mv)));
    let best = values.max().unwrap_or(Value::Loss);
    (best, list.len() as u32)
}

/// Hands all pending results on, once through all placements; whether there were any.
fn hand_on(members: &[Working], monitor: &Monitor) -> Result<bool, Stopped> {
    let mut any = false;
    for (at, member) in members.iter().enumerate() {
        let mirror = &members[members.len() - 1 - at];
        let chunks = member.pending.par_chunks(CHUNK).enumerate();
        let found = chunks.map(|(chunk, words)| {
            if monitor.is_stopped() {
                return Err(Stopped);
            }
            let mut any = false;
            for (word, bits) in (chunk * CHUNK..).zip(words) {
                let mut pending = bits.swap(0, Relaxed);
                any |= pending != 0;
                while pending != 0 {
                    let number = 64 * word as u64 + u64::from(pending.trailing_zeros());
                    pending &= pending - 1;
                    hand_on_one(member, mirror, number);
                }
            }
            Ok(any)
        });
        any |= found.try_reduce(|| false, |a, b| Ok(a | b))?;
    }
    Ok(any)
}

/// Hands one result on to the placements from which a quiet move leads here.
fn hand_on_one(member: &Working, mirror: &Working, number: u64) {
    let state = member.states[number as usize].load(Relaxed);
    let is_loss = state == LOSS || state == CAPTURE[0];
    before(&member.index.unrank(number), |earlier| {
        let earlier = mirror.index.rank(&earlier);
        if is_loss {
            mirror.can_win(earlier);
        } else {
            mirror.has_one_less(earlier);
        }
    });
}

/// Calls `visit` with every placement from which a step or flight without
/// promotion leads to `placement`, be it that a capture forbids it there.
pub(super) fn before(placement: &Placement, mut visit: impl FnMut(Placement)) {
    let empty = placement.empty();
    for king in placement.kings[1] {
        for origin in king_targets(king, empty) {
            let mut earlier = *placement;
            earlier.kings[1] = earlier.kings[1] ^ Bitboard::of(king) ^ Bitboard::of(origin);
            visit(earlier.turned());
        }
    }
    for man in placement.men[1].singles() {
        for origin in ((man.step::<NorthWest>() | man.step::<NorthEast>()) & empty).singles() {
            let mut earlier = *placement;
            earlier.men[1] = earlier.men[1] ^ man ^ origin;
            visit(earlier.turned());
        }
    }
}
