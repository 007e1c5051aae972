//! Our own playing clock. DamExchange has no referee, so each side measures
//! its time itself; the peer's clock is not known here.

use std::time::Duration;

use super::message::GameRequest;
use crate::search::Clock;

/// How long a move takes where nobody says.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(5);

/// What is left to us in a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayingClock {
    period: Option<Period>,
    move_time: Option<Duration>,
}

/// Time for the whole game, or for a number of moves and then again as much.
#[derive(Clone, Copy, Debug)]
struct Period {
    time: Duration,
    remaining: Duration,
    moves: Option<u32>,
    moves_to_go: Option<u32>,
}

impl PlayingClock {
    /// The clock of a game that is about to begin; `move_time` goes before its
    /// time, as long as there is that much.
    pub(super) fn new(request: &GameRequest, move_time: Option<Duration>) -> PlayingClock {
        let moves = request.moves.map(u32::from);
        let period = request.time.map(|time| Period {
            time: time.duration(),
            remaining: time.duration(),
            moves,
            moves_to_go: moves,
        });
        PlayingClock { period, move_time }
    }

    /// What the next move may take.
    pub(super) fn for_search(&self) -> Clock {
        match (self.period, self.move_time) {
            (None, time) => Clock::MoveTime(time.unwrap_or(DEFAULT_MOVE_TIME)),
            (Some(period), Some(time)) => Clock::MoveTime(time.min(period.remaining / 2)),
            (Some(period), None) => Clock::Game {
                remaining: period.remaining,
                increment: Duration::ZERO,
                moves_to_go: period.moves_to_go,
            },
        }
    }

    /// Takes the time of a move off; a new period begins when its moves are made.
    pub(super) fn spend(&mut self, time: Duration) {
        let Some(period) = &mut self.period else {
            return;
        };
        period.remaining = period.remaining.saturating_sub(time);
        match &mut period.moves_to_go {
            Some(moves) if *moves <= 1 => {
                period.moves_to_go = period.moves;
                period.remaining = period.remaining.saturating_add(period.time);
            }
            Some(moves) => *moves -= 1,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::GameTime;
    use super::*;
    use crate::board::{Position, Side};

    fn clock(minutes: u64, moves: u16, move_time: Option<Duration>) -> PlayingClock {
        let request = GameRequest {
            name: String::new(),
            follower: Side::White,
            time: GameTime::new(Duration::from_secs(60 * minutes)),
            moves: Some(moves).filter(|&moves| moves > 0),
            start: Position::initial(),
        };
        PlayingClock::new(&request, move_time)
    }

    fn left(clock: &PlayingClock) -> (u64, Option<u32>) {
        match clock.for_search() {
            Clock::Game {
                remaining,
                moves_to_go,
                ..
            } => (remaining.as_secs(), moves_to_go),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_time_is_for_a_number_of_moves_and_then_comes_again() {
        let mut clock = clock(1, 2, None);
        assert_eq!(left(&clock), (60, Some(2)));
        clock.spend(Duration::from_secs(20));
        assert_eq!(left(&clock), (40, Some(1)));
        clock.spend(Duration::from_secs(50));
        assert_eq!(left(&clock), (60, Some(2)));
    }

    #[test]
    fn without_a_number_of_moves_the_time_is_for_the_game() {
        let mut clock = clock(1, 0, None);
        for spent in 1..=60 {
            clock.spend(Duration::from_secs(1));
            assert_eq!(left(&clock), (60 - spent, None));
        }
    }

    #[test]
    fn a_move_time_is_kept_unless_the_clock_runs_out() {
        let second = Duration::from_secs(1);
        let mut clock = clock(1, 0, Some(second));
        assert_eq!(clock.for_search(), Clock::MoveTime(second));
        clock.spend(59 * second);
        assert_eq!(clock.for_search(), Clock::MoveTime(second / 2));
    }

    #[test]
    fn a_game_without_clocks_still_has_a_time_a_move() {
        assert_eq!(
            clock(0, 75, None).for_search(),
            Clock::MoveTime(DEFAULT_MOVE_TIME)
        );
    }
}
