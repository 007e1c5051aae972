//! What a quiet position is worth, as learned from games of the engine against
//! itself.
//!
//! `features` says what is seen in a position, `network` what is made of it;
//! the weights are a file that is compiled in. The evaluation knows neither the
//! search nor the draw rules, and it is wrong where a capture is pending: ask it
//! about positions without one.
//!
//! # Generations
//!
//! Each generation of weights is learned from the games of those before it.
//!
//! | generation | games | played by | nodes a move | loss kept back | against the one before |
//! |---|---|---|---|---|---|
//! | 1 | 36,536 | hand-written evaluation | 3000 | 0.60146 | +75 =58 -19 (0.02 s a move): Elo +134 ± 39, broken off at 152 of 200 games |
//! | 2 | 56,320 | 42,931 by the same, and 13,389 by generation 1 | 3000 | 0.58340 | +60 =40 -2 (0.02 s a move): Elo +224 ± 49 |
//! | 3 | 93,423 | these, and 37,103 by generation 2 | 3000 | 0.56415 | +45 =96 -3 (0.02 s a move): Elo +104 ± 29 |
//! | 4 | 142,074 | these, and 48,651 by generation 3 | 3000 | 0.54853 | +74 =125 -21 (10,000 nodes a move): Elo +85 ± 27 |
//!
//! The loss of different games cannot be compared. These matches were played
//! while the machine did other things too. The first games are by searches from
//! before the one that is here, so only the way of the last generation can be
//! gone again, not the numbers:
//!
//! ```text
//! manoury selfplay a.mgb --seed 1 --games 15712     # the hand-written evaluation
//! manoury selfplay b.mgb --seed 2 --games 23093     # the same, a stronger search
//! manoury selfplay c.mgb --seed 3 --games 4126      # the same, a stronger search
//! manoury selfplay d.mgb --seed 11 --games 13389    # generation 1
//! manoury selfplay e.mgb --seed 21 --games 37103    # generation 2
//! manoury selfplay f.mgb --seed 1001 --games 48651  # generation 3
//! manoury train a.mgb b.mgb c.mgb d.mgb e.mgb f.mgb --out src/eval/weights.bin
//! ```

pub mod features;
pub mod network;

use std::sync::LazyLock;

use crate::{board::Position, score::Score};
use features::View;
use network::{Network, Weights};

static NETWORK: LazyLock<Network> = LazyLock::new(|| {
    let weights = Weights::from_bytes(include_bytes!("weights.bin"));
    Network::new(&weights.expect("a test has read these weights"))
});

/// Reads the weights, which takes some milliseconds, if that was not done.
pub fn prepare() {
    LazyLock::force(&NETWORK);
}

/// The value of a position to the side to move, in centi-men: about 120 of
/// them are odds of e to 1.
#[inline]
pub fn evaluate(position: &Position) -> Score {
    Score::heuristic(NETWORK.evaluate(&View::new(position)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{board::MoveList, notation::fen};

    /// Calls `visit` at every leaf of the move tree.
    fn leaves(position: &Position, depth: u32, visit: &mut impl FnMut(&Position)) {
        if depth == 0 {
            return visit(position);
        }
        let mut list = MoveList::new();
        position.legal_moves(&mut list);
        for mv in &list {
            leaves(&position.play(mv), depth - 1, visit);
        }
    }

    #[test]
    fn the_colour_reversed_position_is_worth_the_same_to_its_mover() {
        for (root, depth) in [
            ("W:W31-50:B1-20", 5),
            ("W:W31,32,27,K1,K20:BK48,K50", 3),
            ("W:W7,12,45,40,K22:B44,39,6", 3),
            ("W:W26,31,36,K46:B21,K5,K2", 3),
        ] {
            leaves(&fen::read(root).unwrap(), depth, &mut |leaf| {
                assert_eq!(evaluate(leaf), evaluate(&leaf.reversed()), "{leaf:?}");
            });
        }
    }

    #[test]
    fn a_man_more_is_worth_something_and_a_king_more() {
        let value = |text: &str| evaluate(&fen::read(text).unwrap()).centimen();
        let even = value("W:W31,32,33,34,38,39,42:B12,13,17,18,8,9,3");
        let man = value("W:W31,32,33,34,38,39,42,43:B12,13,17,18,8,9,3");
        let king = value("W:W31,32,33,34,38,39,42,43,K48:B12,13,17,18,8,9,3");
        assert!(even.abs() < 60, "{even}");
        assert!((40..300).contains(&(man - even)), "{man}");
        assert!(king > man + 50, "{king}");
    }

    #[test]
    fn the_weights_say_where_they_come_from() {
        let weights = Weights::from_bytes(include_bytes!("weights.bin")).unwrap();
        assert!(
            weights.description.contains("positions"),
            "{}",
            weights.description
        );
    }
}
