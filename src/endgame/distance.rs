//! How long a won ending takes under the 16- and 5-move rules.
//!
//! The *number* of a won or lost placement is
//!
//! * where no count runs, the plies to the end, the winner hastening and the
//!   loser delaying, each count that begins on the way being kept to;
//! * where a count runs, how many plies must be left of it for the win: the
//!   plies to the end, or to the capture that ends the count and leaves a won
//!   ending in which none runs.
//!
//! A placement that is won in theory and not within the limit has no number: it
//! is drawn. With less left of the count than the number it is drawn as well,
//! so one number serves every starting count, the shorter one if both rules
//! count. The number of a side with no move is 0.
//!
//! From the three of the 16-move rule the lone king may come into the 5-move
//! rule, where a fresh limit of ten plies runs beside the old one. From
//! neither is there a way back, so numbers fall until the game is over.

use std::sync::LazyLock;

use super::{
    Tables, Value,
    file::Kind,
    index::Index,
    material::Material,
    placement::Placement,
    solve::{Monitor, Stopped, before},
};
use crate::{
    board::{Bitboard, MoveList},
    rules::{Counts, DrawRule},
};

/// Written where there is no number.
pub const NONE: u8 = 255;

/// What the rules make of an ending, with plies as in this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruled {
    /// The mover wins.
    Win(u8),
    /// Nobody does.
    Draw,
    /// The mover loses.
    Loss(u8),
}

/// Whether distances are kept for a material: up to three pieces, and three
/// against a lone king.
#[inline]
pub fn is_covered(material: Material) -> bool {
    let is_lone_king = |side: usize| material.kings[side] == 1 && material.men[side] == 0;
    match material.pieces() {
        0..=3 => true,
        4 => material.sides() != [2, 2] && (is_lone_king(0) || is_lone_king(1)),
        _ => false,
    }
}

/// The families with distances, in the order in which they must be solved.
pub fn families() -> impl Iterator<Item = Material> {
    let all = (2..=4).flat_map(Material::families);
    all.filter(|&family| is_covered(family))
}

/// The limit in plies of the count that runs in a material.
#[inline]
pub fn limit(material: Material) -> Option<u8> {
    static LIMITS: LazyLock<Vec<Option<u8>>> = LazyLock::new(limits);
    LIMITS.get(material.number()).copied().flatten()
}

fn limits() -> Vec<Option<u8>> {
    let mut limits = vec![None; Material::NUMBERS];
    for material in families().flat_map(Material::family) {
        let any = Index::new(material).unrank(0).position();
        limits[material.number()] = any.and_then(|any| left(Counts::at_set_up(&any)));
    }
    limits
}

/// How many plies are left of the shortest count that runs.
pub fn left(counts: Counts) -> Option<u8> {
    let rules = [DrawRule::SixteenMoves, DrawRule::FiveMoves];
    let left = rules.into_iter().filter_map(|rule| counts.plies_left(rule));
    left.min()
}

/// The number of a placement by those of its successors; `value` and `number`
/// say what is known of them.
pub fn number_by_moves(
    placement: &Placement,
    value: impl Fn(&Placement) -> Option<Value>,
    number: impl Fn(&Placement) -> Option<u8>,
) -> Option<u8> {
    let mut list = MoveList::new();
    placement.legal_moves(&mut list);
    let own_limit = limit(placement.material());
    let children = list.into_iter().map(|mv| placement.after(mv));
    let found = match value(placement)? {
        Value::Draw => None,
        Value::Win => children
            .filter(|child| value(child) == Some(Value::Loss))
            .filter_map(|child| share(own_limit, &child, &number))
            .min(),
        Value::Loss if list.is_empty() => return Some(0),
        Value::Loss => children
            .map(|child| share(own_limit, &child, &number))
            .try_fold(0, |most, share| share.map(|share| share.max(most))),
    };
    let found = found?.saturating_add(1);
    (found < NONE && found <= own_limit.unwrap_or(NONE)).then_some(found)
}

/// What a successor's number adds to that of a placement with this limit.
fn share(
    limit_before: Option<u8>,
    child: &Placement,
    number: &impl Fn(&Placement) -> Option<u8>,
) -> Option<u8> {
    let number = number(child)?;
    match limit(child.material()) {
        // The count is over.
        None if limit_before.is_some() => Some(0),
        None => Some(number),
        Some(limit) => (number <= limit).then_some(number),
    }
}

/// The numbers of all families, as far as they are found.
pub struct Numbers<'a> {
    tables: &'a Tables,
    /// By the number of the material; [`NONE`] where there is none.
    found: Vec<Vec<u8>>,
}

impl<'a> Numbers<'a> {
    /// None yet; `tables` has the values of all endings of up to four pieces.
    pub fn new(tables: &'a Tables) -> Numbers<'a> {
        Numbers {
            tables,
            found: vec![Vec::new(); Material::NUMBERS],
        }
    }

    /// Finds those of a family; those of all before it must be found.
    pub fn solve(&mut self, family: Material, monitor: &Monitor) -> Result<(), Stopped> {
        let mut waiting: Vec<Vec<(Material, u64)>> = vec![Vec::new(); 256];
        let members: Vec<Index> = family.family().map(Index::new).collect();
        for index in &members {
            self.found[index.material().number()] = vec![NONE; index.len() as usize];
        }
        for index in &members {
            self.begin(index, &mut waiting);
        }
        for distance in 0..NONE {
            let mut at = 0;
            while let Some(&(material, number)) = waiting[usize::from(distance)].get(at) {
                at += 1;
                if monitor.is_stopped() {
                    return Err(Stopped);
                }
                let mirror = members.len() - 1 - usize::from(members[0].material() != material);
                let member = members.len() - 1 - mirror;
                self.visit(
                    distance,
                    &members[member],
                    &members[mirror],
                    number,
                    &mut waiting,
                );
            }
            waiting[usize::from(distance)] = Vec::new();
        }
        Ok(())
    }

    /// Has the placements wait whose number may come from other families, or is 0.
    fn begin(&self, index: &Index, waiting: &mut [Vec<(Material, u64)>]) {
        const BEFORE_LAST: Bitboard = Bitboard::from_bits(Bitboard::TOP_ROW.bits() << 5);
        for number in 0..index.len() {
            let placement = index.unrank(number);
            let leaves = placement.has_capture() || placement.men[0].meets(BEFORE_LAST);
            if leaves || !placement.has_move() {
                waiting[0].push((index.material(), number));
            }
        }
    }

    /// Sets a number that is `distance`, or has its placement wait for its time.
    fn visit(
        &mut self,
        distance: u8,
        index: &Index,
        mirror: &Index,
        number: u64,
        waiting: &mut [Vec<(Material, u64)>],
    ) {
        if self.found[index.material().number()][number as usize] != NONE {
            return;
        }
        let placement = index.unrank(number);
        let found = number_by_moves(
            &placement,
            |placement| self.tables.value(placement),
            |placement| self.get(placement),
        );
        match found {
            Some(found) if found > distance => {
                waiting[usize::from(found)].push((index.material(), number));
            }
            Some(found) => {
                self.found[index.material().number()][number as usize] = found;
                before(&placement, |earlier| {
                    let earlier = mirror.rank(&earlier);
                    if self.found[mirror.material().number()][earlier as usize] == NONE {
                        waiting[usize::from(found) + 1].push((mirror.material(), earlier));
                    }
                });
            }
            None => {}
        }
    }

    /// The number of a placement, if it has one that is found.
    fn get(&self, placement: &Placement) -> Option<u8> {
        if !placement.has_move() {
            return Some(0);
        }
        let material = placement.material();
        let number = Index::new(material).rank(placement);
        let found = *self.found[material.number()].get(number as usize)?;
        (found != NONE).then_some(found)
    }

    /// What is written for a material: nothing where the mover must capture or
    /// the ending is drawn in theory.
    pub fn symbols(&self, material: Material) -> impl Iterator<Item = Option<u8>> {
        let index = Index::new(material);
        (0..index.len()).map(move |number| {
            let placement = index.unrank(number);
            let is_drawn = self.tables.value(&placement) == Some(Value::Draw);
            let found = self.found[material.number()][number as usize];
            (!is_drawn && !placement.has_capture()).then_some(found)
        })
    }

    /// The largest number of a material, with a placement that has it.
    pub fn longest(&self, material: Material) -> Option<(u8, Placement)> {
        let found = self.found[material.number()].iter().zip(0..);
        let found = found.filter(|&(&found, _)| found != NONE);
        let (&longest, number) = found.max_by_key(|&(&found, _)| found)?;
        Some((longest, Index::new(material).unrank(number)))
    }
}

impl Tables {
    /// What the rules make of a placement of which so many plies are left of a
    /// count; none if that is not in the tables.
    pub fn ruled(&self, placement: &Placement, left: Option<u8>) -> Option<Ruled> {
        if !is_covered(placement.material()) {
            return None;
        }
        if !placement.has_move() {
            return Some(Ruled::Loss(0));
        }
        // Whether there are distances at all shows in any of them.
        self.table(Kind::Distance, KING_AND_KING)?;
        let (value, number) = (self.value(placement)?, self.number(placement));
        Some(match number {
            Some(number) if left.is_none_or(|left| number <= left) => match value {
                Value::Win => Ruled::Win(number),
                Value::Draw => Ruled::Draw,
                Value::Loss => Ruled::Loss(number),
            },
            _ => Ruled::Draw,
        })
    }

    /// The number of a placement, if it is won or lost in theory and by the rules.
    pub(super) fn number(&self, placement: &Placement) -> Option<u8> {
        if self.value(placement)? == Value::Draw {
            return None;
        }
        let stored = self
            .table(Kind::Distance, placement.material())
            .filter(|_| !placement.has_capture());
        match stored {
            Some(table) => {
                let number = table.get(table.index().rank(placement))?;
                (number != NONE).then_some(number)
            }
            None => self.number_from_moves(placement),
        }
    }

    /// The same by the numbers of the successors.
    pub(super) fn number_from_moves(&self, placement: &Placement) -> Option<u8> {
        number_by_moves(
            placement,
            |placement| self.value(placement),
            |placement| self.number(placement),
        )
    }
}

const KING_AND_KING: Material = Material {
    men: [0, 0],
    kings: [1, 1],
};
