//! Won endings played out: whether the engine turns what the endgame tables
//! know into wins under the rules.
//!
//! The endings are random: every material of so many pieces alike, and in each
//! the placements where the mover need not capture and one side wins, under the
//! rules that count moves where they apply. The engine plays both sides, each
//! with a transposition table of its own.

use std::sync::Arc;

use crate::{
    arena::openings::Dice,
    board::{Position, Side},
    endgame::{
        Tables, Value,
        distance::{self, Ruled},
        index::Index,
        material::Material,
        placement::Placement,
    },
    rules::{Game, State},
    search::{Engine, Limits, Silent, TableError},
};

/// A won ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The position.
    pub position: Position,
    /// Who wins it.
    pub winner: Side,
}

/// `count` endings of `pieces` pieces, the same for the same seed; nothing if
/// the tables do not know all of these, or there are none.
pub fn endings(tables: &Tables, pieces: usize, count: usize, seed: u64) -> Vec<Ending> {
    let families = Material::families(pieces).into_iter();
    let materials: Vec<Material> = families.flat_map(Material::family).collect();
    if materials.is_empty() || tables.pieces() < pieces {
        return Vec::new();
    }
    let mut dice = Dice::new(seed);
    let draw = || random_ending(tables, &materials, &mut dice);
    std::iter::repeat_with(draw).flatten().take(count).collect()
}

/// A random ending, if one side wins it.
fn random_ending(tables: &Tables, materials: &[Material], dice: &mut Dice) -> Option<Ending> {
    let index = Index::new(*materials.get(dice.below(materials.len()))?);
    let placement = index.unrank(dice.below(index.len() as usize) as u64);
    let is_turned = dice.below(2) == 1;
    if placement.has_capture() || !placement.has_move() {
        return None;
    }
    let winner = match winner_is_mover(tables, &placement)? {
        true => Side::White,
        false => Side::Black,
    };
    let position = placement.position()?;
    Some(match is_turned {
        true => Ending {
            position: position.reversed(),
            winner: winner.opponent(),
        },
        false => Ending { position, winner },
    })
}

/// Whether it is the mover who wins; none if nobody does.
fn winner_is_mover(tables: &Tables, placement: &Placement) -> Option<bool> {
    match tables.ruled(placement, distance::limit(placement.material())) {
        Some(Ruled::Win(_)) => Some(true),
        Some(Ruled::Loss(_)) => Some(false),
        Some(Ruled::Draw) => None,
        None => match tables.value(placement)? {
            Value::Win => Some(true),
            Value::Loss => Some(false),
            Value::Draw => None,
        },
    }
}

/// The engine on both sides of the board.
pub struct Players {
    engines: [Engine; 2],
}

impl Players {
    /// The logarithm of the number of entries of each transposition table.
    const TABLE_LOG2: u32 = 18;

    /// Two engines with these endgame tables.
    pub fn new(tables: &Arc<Tables>) -> Result<Players, TableError> {
        let engine = || {
            let mut engine = Engine::new(1, Self::TABLE_LOG2)?;
            engine.set_endgame(tables, tables.pieces() as u32);
            Ok(engine)
        };
        Ok(Players {
            engines: [engine()?, engine()?],
        })
    }

    /// Plays the ending out, `limits` holding for each move; none if a search
    /// found no move or got no thread.
    pub fn play(&mut self, ending: &Ending, limits: &Limits) -> Option<Game> {
        let mut game = Game::new(ending.position);
        self.engines.iter_mut().for_each(Engine::new_game);
        while game.state() == State::InPlay {
            let engine = &mut self.engines[game.position().side() as usize];
            let outcome = engine.search(&game, limits.clone(), Box::new(Silent))?;
            game.play(outcome.best?).ok()?;
        }
        Some(game)
    }
}

impl Ending {
    /// Whether the side that should win has won this game.
    pub fn is_converted(&self, game: &Game) -> bool {
        let winner = self.winner;
        game.state() == State::Won { winner }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_won_quiet_and_repeatable() {
        let tables = Tables::built_in();
        let drawn = endings(&tables, 4, 50, 7);
        assert_eq!(drawn, endings(&tables, 4, 50, 7));
        assert_ne!(drawn, endings(&tables, 4, 50, 8));
        for ending in &drawn {
            assert_eq!(ending.position.piece_count(), 4);
            assert!(!ending.position.has_capture());
            let value = tables.value(&Placement::of(&ending.position)).unwrap();
            let expected = match ending.position.side() == ending.winner {
                true => Value::Win,
                false => Value::Loss,
            };
            assert_eq!(value, expected);
        }
        assert!(drawn.iter().any(|ending| ending.winner == Side::Black));
    }

    #[test]
    fn what_no_table_knows_is_not_drawn() {
        assert!(endings(&Tables::built_in(), 5, 1, 7).is_empty());
        assert!(endings(&Tables::built_in(), 1, 1, 7).is_empty());
    }

    #[test]
    fn an_ending_is_converted_by_whom_the_tables_say() {
        let tables = Arc::new(Tables::built_in());
        let mut players = Players::new(&tables).unwrap();
        let limits = Limits {
            nodes: Some(5_000),
            ..Limits::default()
        };
        for ending in endings(&tables, 3, 5, 7) {
            let game = players.play(&ending, &limits).unwrap();
            assert!(ending.is_converted(&game));
            let other = Ending {
                winner: ending.winner.opponent(),
                ..ending
            };
            assert!(!other.is_converted(&game));
        }
    }
}
