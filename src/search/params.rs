//! The constants of the search, each with what it is for.
//!
//! They are constants: the compiler knows their values. With the feature `tune`
//! they are fields that can be set by name, so that a tuner can play matches
//! with other values.

use std::sync::Arc;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// The value that is used.
    pub default: i32,
    /// The least value that makes sense.
    pub least: i32,
    /// The largest value that makes sense.
    pub most: i32,
}

macro_rules! constants {
    ($($(#[doc = $doc:literal])+ $name:ident: $default:literal in $least:literal..=$most:literal;)+) => {
        /// All constants.
        pub const CONSTANTS: &[Constant] = &[$(Constant {
            name: stringify!($name),
            doc: concat!($($doc,)+),
            default: $default,
            least: $least,
            most: $most,
        },)+];

        /// The constants of a search.
        #[derive(Clone, Debug)]
        pub struct Params {
            $(#[cfg(feature = "tune")] $name: i32,)+
        }

        impl Default for Params {
            fn default() -> Params {
                Params {
                    $(#[cfg(feature = "tune")] $name: $default,)+
                }
            }
        }

        impl Params {
            /// Those that can be set.
            pub const fn tunable() -> &'static [Constant] {
                if cfg!(feature = "tune") { CONSTANTS } else { &[] }
            }

            $($(#[doc = $doc])+
            #[inline(always)]
            pub(super) fn $name(&self) -> i32 {
                #[cfg(feature = "tune")]
                return self.$name;
                #[cfg(not(feature = "tune"))]
                $default
            })+

            /// Sets the constant of this name; says whether there is one that
            /// can be set and takes this value.
            pub fn set(&mut self, name: &str, value: i32) -> bool {
                match name {
                    $(#[cfg(feature = "tune")]
                    stringify!($name) if ($least..=$most).contains(&value) => {
                        self.$name = value;
                        true
                    })+
                    _ => {
                        let _ = value;
                        false
                    }
                }
            }
        }
    };
}

constants! {
    /// Half the first aspiration window, in centi-men.
    aspiration: 12 in 1..=200;
    /// Aspiration starts at this depth.
    aspiration_depth: 4 in 1..=20;

    /// The smallest depth at which nodes are kept in the table.
    table_depth: 3 in 1..=10;

    /// The largest depth at which a node is cut by its evaluation alone.
    futility_depth: 6 in 0..=10;
    /// By how much the evaluation must be above the window for that, a ply of depth.
    futility_margin: 50 in 0..=400;
    /// The largest depth at which a hopeless node is only played out.
    razor_depth: 2 in 0..=10;
    /// By how much the evaluation must be below the window for that, a ply of depth.
    razor_margin: 80 in 0..=400;

    /// The smallest depth at which a node without a known move is searched less deep.
    internal_depth: 4 in 2..=99;

    /// The first move that may be reduced, from 0.
    reduced_from_move: 2 in 1..=10;
    /// The smallest depth at which moves are reduced.
    reduced_from_depth: 3 in 1..=10;
    /// The reduction before depth and number count, in hundredths of a ply.
    reduction_base: 40 in -200..=300;
    /// What the product of the logarithms of depth and number adds, in
    /// hundredths of a ply.
    reduction_slope: 60 in 0..=300;
    /// How many units of history take a ply off the reduction.
    reduction_history: 8000 in 500..=100000;
    /// What a move that forces a capture is reduced less, in hundredths of a ply.
    reduction_forcing: 100 in 0..=1000;

    /// The largest depth at which quiet moves are left out where the evaluation
    /// is far below the window.
    hopeless_depth: 3 in 0..=20;
    /// How far that is, a ply of depth.
    hopeless_margin: 60 in 0..=1000;
    /// The largest depth at which late quiet moves are left out.
    late_depth: 4 in 0..=20;
    /// How many moves come before those, beside the square of the depth.
    late_from_move: 4 in 1..=40;

    /// By how much a killer promises more than its history.
    killer_bonus: 4000 in 0..=20000;
    /// What a cut-off adds to its move's history, by the square of the depth.
    history_bonus: 16 in 1..=200;
    /// The most that it adds.
    history_most: 1200 in 100..=8000;
}

/// The largest value of a history entry.
pub(super) const HISTORY_LIMIT: i32 = 8192;

/// Depths and numbers of moves beyond these are reduced as much.
const TABLE: usize = 64;

/// Reductions by depth and number of a move, in hundredths of a ply ("late move
/// reductions"; the logarithms are those of Romstad, 2006).
pub(super) struct Reductions([[i16; TABLE]; TABLE]);

impl Reductions {
    pub(super) fn new(params: &Params) -> Arc<Reductions> {
        let mut table = [[0; TABLE]; TABLE];
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, reduction) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (number as f64).ln();
                let slope = f64::from(params.reduction_slope());
                *reduction = (f64::from(params.reduction_base()) + slope * product) as i16;
            }
        }
        Arc::new(Reductions(table))
    }

    #[inline(always)]
    pub(super) fn of(&self, depth: i32, number: usize) -> i32 {
        let depth = (depth.max(0) as usize).min(TABLE - 1);
        i32::from(self.0[depth][number.min(TABLE - 1)])
    }
}
