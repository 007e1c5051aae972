//! Checks of tables that do not use what made them: values against those of
//! the successors, and how long a look takes.

use std::{fmt, time::Instant};

use super::{
    Tables, Value,
    file::{Kind, Table},
    material::Material,
    placement::Placement,
};

/// What a check found.
#[derive(Debug)]
pub struct Checked {
    /// The table.
    pub material: Material,
    /// How many placements were looked at.
    pub count: u64,
    /// The first wrong ones.
    pub wrong: Vec<Placement>,
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (material, count) = (self.material, self.count);
        match self.wrong.first() {
            None => write!(f, "ok {material}: {count} positions"),
            Some(wrong) => write!(f, "FAILED {material}: {wrong:?}"),
        }
    }
}

/// Checks up to `samples` placements of a table, evenly spread: each value is
/// what the values of the successors make it.
pub fn table(tables: &Tables, table: &Table, samples: u64) -> Checked {
    let index = table.index();
    let mut checked = Checked {
        material: index.material(),
        count: 0,
        wrong: Vec::new(),
    };
    let step = (index.len() / samples).max(1);
    for number in (0..index.len()).step_by(step as usize) {
        checked.count += 1;
        let placement = index.unrank(number);
        if !is_right(tables, table.kind(), &placement) && checked.wrong.len() < 10 {
            checked.wrong.push(placement);
        }
    }
    checked
}

fn is_right(tables: &Tables, kind: Kind, placement: &Placement) -> bool {
    match kind {
        Kind::Value => {
            let expected = tables.value_by_moves(placement);
            expected.is_some() && tables.value(placement) == expected
        }
        Kind::Distance => tables.number(placement) == tables.number_from_moves(placement),
    }
}

/// How long the first look into a block and a later one take, in nanoseconds,
/// on average over all blocks; not a number if there are none.
pub fn lookup_times(tables: &Tables) -> (f64, f64) {
    let values = || tables.iter().filter(|table| table.kind() == Kind::Value);
    let placements: Vec<(&Table, Placement)> = values()
        .flat_map(|table| {
            let numbers = (0..table.index().len()).step_by(4 * 4096);
            numbers.map(move |number| (table, table.index().unrank(number)))
        })
        .collect();
    let look = || {
        let begin = Instant::now();
        let sum: u64 = placements
            .iter()
            .map(|(_, placement)| {
                tables
                    .quiet_value(placement)
                    .map_or(0, |value: Value| value as u64)
            })
            .sum();
        std::hint::black_box(sum);
        begin.elapsed().as_nanos() as f64 / placements.len() as f64
    };
    (look(), look())
}
