//! How long to think: the `level` command.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::time::Duration;

use super::parse::{Argument, ParseError};
use crate::search::{Clock, Limits, Purpose};

/// What `level` lines have said since the last `go`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Level {
    infinite: bool,
    depth: Option<u32>,
    nodes: Option<u64>,
    move_time: Option<f64>,
    time: Option<f64>,
    increment: Option<f64>,
    moves: Option<u32>,
}

impl Level {
    /// For a `go` that no level came before.
    const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(2);

    /// The most that is spent on a move when the client says that the clock,
    /// but for the increment, has run out.
    const AT_ONCE: Duration = Duration::from_millis(100);

    /// Reads the arguments of a line; unknown ones are passed over.
    pub(super) fn parse<'a>(
        arguments: impl Iterator<Item = Argument<'a>>,
    ) -> Result<Level, ParseError> {
        let mut level = Level::default();
        for argument in arguments {
            match argument.key {
                "infinite" => level.infinite = true,
                "depth" => level.depth = Some(argument.whole_number(1)?),
                "nodes" => level.nodes = Some(argument.whole_number(0)?),
                "move-time" => level.move_time = Some(argument.seconds()?),
                "time" => level.time = Some(argument.seconds()?),
                "inc" => level.increment = Some(argument.seconds()?),
                "moves" => level.moves = Some(argument.whole_number(0)?),
                _ => {}
            }
        }
        Ok(level)
    }

    /// Adds a later line: what it sets replaces what was set, and `infinite`
    /// takes all earlier limits away.
    pub(super) fn add(&mut self, later: Level) {
        let earlier = if later.infinite {
            Level::default()
        } else {
            std::mem::take(self)
        };
        *self = Level {
            infinite: later.infinite || earlier.infinite,
            depth: later.depth.or(earlier.depth),
            nodes: later.nodes.or(earlier.nodes),
            move_time: later.move_time.or(earlier.move_time),
            time: later.time.or(earlier.time),
            increment: later.increment.or(earlier.increment),
            moves: later.moves.or(earlier.moves),
        };
    }

    /// The limits of a search with this level.
    pub(super) fn limits(&self, purpose: Purpose, multi_pv: usize) -> Limits {
        let says_nothing = !self.infinite && self.depth.is_none() && self.nodes.is_none();
        let clock = match self.clock() {
            Clock::Infinite if says_nothing => Clock::MoveTime(Self::DEFAULT_MOVE_TIME),
            clock => clock,
        };
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            clock,
            purpose,
            multi_pv,
        }
    }

    fn clock(&self) -> Clock {
        let move_time = self.move_time.map(duration);
        match (move_time, self.game_clock()) {
            (Some(time), Some(Clock::Game { remaining, .. })) => {
                Clock::MoveTime(time.min(remaining))
            }
            (Some(time), Some(Clock::MoveTime(at_once))) => Clock::MoveTime(time.min(at_once)),
            (Some(time), _) => Clock::MoveTime(time),
            (None, clock) => clock.unwrap_or(Clock::Infinite),
        }
    }

    /// The clock of a game, whose `time` includes this move's increment unless
    /// it is negative: then the client has subtracted it.
    fn game_clock(&self) -> Option<Clock> {
        let time = self.time?;
        let increment = self.increment.unwrap_or(0.0);
        if time < 0.0 {
            let left = duration(time + increment);
            return Some(Clock::MoveTime(Self::AT_ONCE.min(left / 10)));
        }
        Some(Clock::Game {
            remaining: duration(time),
            increment: duration(increment),
            moves_to_go: self.moves.filter(|&moves| moves > 0),
        })
    }
}

/// A time that may be negative, which is as good as none, or beyond all bounds.
fn duration(seconds: f64) -> Duration {
    const A_CENTURY: f64 = 3.2e9;
    Duration::from_secs_f64(seconds.clamp(0.0, A_CENTURY))
}

#[cfg(test)]
mod tests {
    use super::{super::parse::arguments, *};

    fn level(lines: &[&str]) -> Limits {
        let mut level = Level::default();
        for line in lines {
            let line = format!("level {line}");
            level.add(Level::parse(arguments(&line).unwrap().into_iter()).unwrap());
        }
        level.limits(Purpose::Play, 1)
    }

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_go_without_a_level_is_not_endless() {
        for lines in [&[][..], &["moves=40"], &["inc=1"], &["colour=red"]] {
            let limits = level(lines);
            assert_eq!(limits.clock, Clock::MoveTime(Level::DEFAULT_MOVE_TIME));
        }
        assert_eq!(level(&["infinite"]).clock, Clock::Infinite);
    }

    #[test]
    fn lines_add_up() {
        let limits = level(&["depth=3", "nodes=7 move-time=0.5", "depth=9"]);
        assert_eq!((limits.depth, limits.nodes), (Some(9), Some(7)));
        assert_eq!(limits.clock, Clock::MoveTime(seconds(0.5)));
        let limits = level(&["time=60", "inc=1", "moves=10"]);
        assert_eq!(
            limits.clock,
            Clock::Game {
                remaining: seconds(60.0),
                increment: seconds(1.0),
                moves_to_go: Some(10)
            }
        );
    }

    #[test]
    fn infinite_takes_earlier_limits_away_and_leaves_room_for_later_ones() {
        assert_eq!(level(&["depth=3", "infinite"]).depth, None);
        let limits = level(&["infinite", "depth=3"]);
        assert_eq!((limits.depth, limits.clock), (Some(3), Clock::Infinite));
    }

    #[test]
    fn a_negative_time_moves_at_once_and_never_uses_more_than_is_left() {
        let spent = |line| match level(&[line]).clock {
            Clock::MoveTime(time) => time,
            other => panic!("{other:?}"),
        };
        assert_eq!(spent("time=-1.5 inc=2"), seconds(0.05));
        assert_eq!(spent("time=-0.1 inc=60"), Level::AT_ONCE);
        assert_eq!(spent("time=-5 inc=2"), Duration::ZERO);
        assert_eq!(spent("time=-1"), Duration::ZERO);
        assert_eq!(spent("move-time=-1"), Duration::ZERO);
        assert_eq!(spent("move-time=1 time=-1"), Duration::ZERO);
    }

    #[test]
    fn a_move_time_and_a_clock_both_hold() {
        assert_eq!(
            level(&["time=3 move-time=5"]).clock,
            Clock::MoveTime(seconds(3.0))
        );
        assert_eq!(
            level(&["time=60 move-time=5"]).clock,
            Clock::MoveTime(seconds(5.0))
        );
    }

    #[test]
    fn huge_times_are_long_times() {
        let Clock::MoveTime(time) = level(&["move-time=1e300"]).clock else {
            panic!();
        };
        assert!(time > seconds(1e9));
    }
}
