//! The constants of the search, each with what it is for.

/// Plies below the horizon in which a threatened side may look for a defence
/// before it stands pat.
pub(super) const DEFENCE_PLIES: u32 = 2;

/// Half the first aspiration window, in centi-men.
pub(super) const ASPIRATION: i32 = 12;

/// Aspiration starts at this depth.
pub(super) const ASPIRATION_DEPTH: u32 = 4;

/// The largest value of a history entry.
pub(super) const HISTORY_LIMIT: i32 = 8192;

/// The first move that may be reduced, from 0.
const REDUCED_FROM_MOVE: usize = 2;

/// The smallest depth at which moves are reduced.
const REDUCED_FROM_DEPTH: i32 = 3;

/// What a cut-off at `depth` adds to its move's history.
pub(super) fn history_bonus(depth: i32) -> i32 {
    (16 * depth * depth).min(1200)
}

/// By how many plies a late quiet move is searched less deep ("late move
/// reductions", as in Levy and others, The SEX algorithm, 1989).
pub(super) fn late_move_reduction(depth: i32, move_number: usize) -> i32 {
    if depth < REDUCED_FROM_DEPTH || move_number < REDUCED_FROM_MOVE {
        return 0;
    }
    let by_depth = i32::from(depth >= 6) + i32::from(depth >= 12);
    let by_move = 1 + i32::from(move_number >= 6) + i32::from(move_number >= 12);
    (by_depth + by_move).min(depth - 1)
}
