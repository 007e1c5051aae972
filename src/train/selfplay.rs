//! Games of the engine against itself, to learn from.
//!
//! Each begins with random moves, or with a random position of few pieces, that
//! a search finds balanced, and is played at a fixed number of nodes a move to
//! its end by the rules, or to an ending that the tables know. A game depends on the settings and its number alone,
//! whatever the threads. Where the games go is not known here.

use std::{
    ops::RangeInclusive,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc::{RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use super::record::{Record, ScoredMove};
use crate::{
    arena::{game::Adjudication, openings::Dice},
    board::{Bitboard, MoveList, Position, Side, Square, position::promotion_row},
    endgame::Tables,
    rules::{Game, State},
    search::{Engine, Limits, Outcome, Silent, TableError},
};

/// How the games are played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Nodes a move.
    pub nodes: u64,
    /// What all chance comes from.
    pub seed: u64,
    /// How many random moves a game begins with.
    pub random_plies: RangeInclusive<usize>,
    /// The share of games that begin with few pieces instead, 0 to 1.
    pub endings: f64,
    /// The most that a search may find a beginning to be decided by, in centi-men.
    pub balance: i32,
}

/// Plays one game after another.
struct Player<'a> {
    settings: &'a Settings,
    engine: Engine,
    adjudication: &'a Adjudication,
    stop: &'a AtomicBool,
}

impl Settings {
    /// How often a wait looks whether it is interrupted.
    const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

    /// The table of one player: small, so that it stays in the cache.
    const TABLE_LOG2: u32 = 16;

    /// Plays the games with these numbers on `threads` threads and gives each
    /// to `keep` as it ends, until that fails or `stop` is set. Games that are
    /// not finished then are dropped.
    pub fn play<E>(
        &self,
        numbers: std::ops::Range<u64>,
        threads: usize,
        stop: &AtomicBool,
        mut keep: impl FnMut(Record) -> Result<(), E>,
    ) -> Result<Result<(), E>, TableError> {
        let adjudication = Adjudication {
            tables: Some(Arc::new(Tables::built_in())),
            ..Adjudication::default()
        };
        let players: Result<Vec<_>, _> = (0..threads.max(1))
            .map(|_| Player::new(self, &adjudication, stop))
            .collect();
        let next = AtomicU64::new(numbers.start);
        let (sender, ended) = sync_channel(64);
        thread::scope(|scope| {
            for player in players? {
                let (sender, next, end) = (sender.clone(), &next, numbers.end);
                scope.spawn(move || player.run(next, end, &sender));
            }
            drop(sender);
            loop {
                match ended.recv_timeout(Self::INTERRUPT_INTERVAL) {
                    Ok(record) => {
                        if let Err(error) = keep(record) {
                            stop.store(true, Relaxed);
                            drop(ended);
                            return Ok(Err(error));
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(Ok(())),
                }
            }
        })
    }
}

impl<'a> Player<'a> {
    fn new(
        settings: &'a Settings,
        adjudication: &'a Adjudication,
        stop: &'a AtomicBool,
    ) -> Result<Player<'a>, TableError> {
        let mut engine = Engine::new(1, Settings::TABLE_LOG2)?;
        if let Some(tables) = &adjudication.tables {
            engine.set_endgame(tables, tables.pieces() as u32);
        }
        Ok(Player {
            settings,
            engine,
            adjudication,
            stop,
        })
    }

    fn run(mut self, next: &AtomicU64, end: u64, ended: &SyncSender<Record>) {
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= end {
                return;
            }
            let Some(record) = self.game(number) else {
                return;
            };
            if ended.send(record).is_err() {
                return;
            }
        }
    }

    /// The game with this number; none if it was interrupted.
    fn game(&mut self, number: u64) -> Option<Record> {
        let mut dice = Dice::new(self.settings.seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut game = self.beginning(&mut dice)?;
        let opening = game.moves().to_vec();
        let mut moves = Vec::new();
        self.engine.new_game();
        loop {
            let winner = match game.state() {
                State::InPlay => self.adjudication.known(&game),
                State::Won { winner } => Some(Some(winner)),
                State::Draw(_) => Some(None),
            };
            if let Some(winner) = winner {
                return Some(Record {
                    start: *game.start(),
                    opening,
                    moves,
                    winner,
                });
            }
            let outcome = self.search(&game)?;
            let mv = outcome.best?;
            let score = outcome.score.centimen() as i16;
            moves.push(ScoredMove { mv, score });
            game.play(mv).ok()?;
        }
    }

    /// A game that is worth to be played on.
    fn beginning(&mut self, dice: &mut Dice) -> Option<Game> {
        let settings = self.settings;
        let is_ending = (dice.below(1 << 20) as f64) < settings.endings * f64::from(1 << 20);
        loop {
            let game = match is_ending {
                true => random_ending(dice).map(Game::new),
                false => random_opening(&settings.random_plies, dice),
            };
            let is_open = |game: &Game| {
                game.state() == State::InPlay && self.adjudication.known(game).is_none()
            };
            let Some(game) = game.filter(is_open) else {
                continue;
            };
            self.engine.new_game();
            let score = self.search(&game)?.score;
            if !score.is_decisive() && score.centimen().abs() <= settings.balance {
                return Some(game);
            }
        }
    }

    fn search(&mut self, game: &Game) -> Option<Outcome> {
        if self.stop.load(Relaxed) {
            return None;
        }
        let limits = Limits {
            nodes: Some(self.settings.nodes),
            ..Limits::default()
        };
        self.engine.search(game, limits, Box::new(Silent))
    }
}

/// The initial position and some random moves; none if the game ended by them.
fn random_opening(plies: &RangeInclusive<usize>, dice: &mut Dice) -> Option<Game> {
    let (least, most) = (*plies.start(), *plies.end());
    let plies = least + dice.below(most.saturating_sub(least) + 1);
    let mut game = Game::new(Position::initial());
    for _ in 0..plies {
        let mut legal = MoveList::new();
        game.position().legal_moves(&mut legal);
        let moves = legal.as_slice();
        if moves.is_empty() {
            return None;
        }
        game.play(moves[dice.below(moves.len())]).ok()?;
    }
    Some(game)
}

/// A quiet position with 2 to 9 pieces a side, now and then a king among them.
fn random_ending(dice: &mut Dice) -> Option<Position> {
    let count = 2 + dice.below(8);
    let mut men = [Bitboard::EMPTY; 2];
    let mut kings = men;
    let mut taken = Bitboard::EMPTY;
    for side in Side::BOTH {
        let more = dice.below(3).saturating_sub(1);
        for _ in 0..count + more {
            let square = Square::from_number(1 + dice.below(Square::COUNT) as u8)?;
            if taken.contains(square) {
                continue;
            }
            let piece = Bitboard::of(square);
            taken |= piece;
            if promotion_row(side).contains(square) || dice.below(16) == 0 {
                kings[side.index()] |= piece;
            } else {
                men[side.index()] |= piece;
            }
        }
    }
    let side = Side::BOTH[dice.below(2)];
    let position = Position::new(men, kings, side).ok()?;
    (!position.has_capture()).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            nodes: 200,
            seed: 3,
            random_plies: 4..=9,
            endings: 0.3,
            balance: 150,
        }
    }

    fn played(settings: &Settings, threads: usize) -> Vec<Record> {
        let mut records = Vec::new();
        let stop = AtomicBool::new(false);
        let keep = |record| -> Result<(), ()> {
            records.push(record);
            Ok(())
        };
        settings.play(0..12, threads, &stop, keep).unwrap().unwrap();
        records.sort_by_key(|record| (record.moves.len(), record.start.key()));
        records
    }

    #[test]
    fn a_game_depends_on_settings_and_number_alone() {
        let once = played(&settings(), 1);
        assert_eq!(once.len(), 12);
        assert_eq!(once, played(&settings(), 2));
        assert_ne!(
            once,
            played(
                &Settings {
                    seed: 4,
                    ..settings()
                },
                2
            )
        );
    }

    #[test]
    fn games_end_by_the_rules_and_begin_as_is_wished() {
        let adjudication = Adjudication {
            tables: Some(Arc::new(Tables::built_in())),
            ..Adjudication::default()
        };
        let records = played(&settings(), 2);
        let initial = Position::initial();
        let openings = records.iter().filter(|record| record.start == initial);
        assert!((4..12).contains(&openings.clone().count()));
        assert!(
            openings
                .into_iter()
                .all(|record| (4..=9).contains(&record.opening.len()))
        );
        for record in &records {
            let mut game = Game::new(record.start);
            let moves = record.moves.iter().map(|scored| scored.mv);
            for mv in record.opening.iter().copied().chain(moves) {
                assert_eq!(game.state(), State::InPlay);
                game.play(mv).unwrap();
            }
            match game.state() {
                State::Won { winner } => assert_eq!(record.winner, Some(winner)),
                State::Draw(_) => assert_eq!(record.winner, None),
                State::InPlay => {
                    assert_eq!(adjudication.known(&game), Some(record.winner), "{record:?}");
                }
            }
        }
    }

    #[test]
    fn a_failure_to_keep_a_game_ends_it() {
        let stop = AtomicBool::new(false);
        let kept = settings().play(0..u64::MAX, 2, &stop, |_| Err("full"));
        assert_eq!(kept.unwrap(), Err("full"));
    }
}
