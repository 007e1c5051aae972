//! How long the engines may think, and the clocks that measure it.

use std::{fmt, time::Duration};

/// The limits of a game for one engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeControl {
    /// This many plies a move.
    Depth(u32),
    /// This many nodes a move.
    Nodes(u64),
    /// This much time a move.
    MoveTime(Duration),
    /// A clock for the whole game or for a number of moves.
    Clock {
        /// What the clock shows at first, and what every `moves` moves add.
        base: Duration,
        /// Added before each move.
        increment: Duration,
        /// After how many moves `base` is added again; never if none is given.
        moves: Option<u32>,
    },
}

impl TimeControl {
    /// The same limits with all times multiplied by `factor`.
    pub fn scaled(self, factor: f64) -> TimeControl {
        match self {
            TimeControl::MoveTime(time) => TimeControl::MoveTime(time.mul_f64(factor)),
            TimeControl::Clock {
                base,
                increment,
                moves,
            } => TimeControl::Clock {
                base: base.mul_f64(factor),
                increment: increment.mul_f64(factor),
                moves,
            },
            other => other,
        }
    }
}

/// As the command line has it: `depth 9`, `nodes 1000`, `move-time 0.1`,
/// `clock 40/60+0.5`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Depth(depth) => write!(f, "depth {depth}"),
            TimeControl::Nodes(nodes) => write!(f, "nodes {nodes}"),
            TimeControl::MoveTime(time) => write!(f, "move-time {}", time.as_secs_f64()),
            TimeControl::Clock {
                base,
                increment,
                moves,
            } => {
                let moves = moves.map_or_else(String::new, |moves| format!("{moves}/"));
                let (base, increment) = (base.as_secs_f64(), increment.as_secs_f64());
                write!(f, "clock {moves}{base}+{increment}")
            }
        }
    }
}

/// One engine's clock in one game.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    /// What is left, the increment of the move to come included.
    left: Duration,
    moves_made: u32,
    /// By how much a move may be late.
    margin: Duration,
}

/// The time for a move was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overstep {
    /// By how much, the margin not counted in.
    pub by: Duration,
}

impl Clock {
    /// How long is waited for an engine whose moves are not limited by time.
    const PATIENCE: Duration = Duration::from_secs(300);

    /// How much longer than allowed is waited before an engine is taken to hang.
    const GRACE: Duration = Duration::from_secs(5);

    /// A clock at the start of a game; a move may be late by `margin`.
    pub fn new(control: TimeControl, margin: Duration) -> Clock {
        let left = match control {
            TimeControl::MoveTime(time) => time,
            TimeControl::Clock {
                base, increment, ..
            } => base + increment,
            TimeControl::Depth(_) | TimeControl::Nodes(_) => Duration::MAX,
        };
        Clock {
            control,
            left,
            moves_made: 0,
            margin,
        }
    }

    /// The arguments of the Hub protocol's `level` for the next move.
    pub fn level(&self) -> String {
        match self.control {
            TimeControl::Depth(depth) => format!("depth={depth}"),
            TimeControl::Nodes(nodes) => format!("nodes={nodes}"),
            TimeControl::MoveTime(time) => format!("move-time={}", seconds(time)),
            TimeControl::Clock {
                increment, moves, ..
            } => {
                let moves = moves.map(|moves| moves - self.moves_made % moves);
                let moves = moves.map_or(String::new(), |moves| format!("moves={moves} "));
                let (left, increment) = (seconds(self.left), seconds(increment));
                format!("{moves}time={left} inc={increment}")
            }
        }
    }

    /// How long to wait for the next move.
    pub fn patience(&self) -> Duration {
        match self.control {
            TimeControl::Depth(_) | TimeControl::Nodes(_) => Self::PATIENCE,
            TimeControl::MoveTime(_) | TimeControl::Clock { .. } => {
                self.left + self.margin + Self::GRACE
            }
        }
    }

    /// Notes a move that took `used`.
    pub fn spend(&mut self, used: Duration) -> Result<(), Overstep> {
        let late = used.saturating_sub(self.left);
        self.moves_made += 1;
        if let TimeControl::Clock {
            base,
            increment,
            moves,
        } = self.control
        {
            self.left = self.left.saturating_sub(used) + increment;
            if moves.is_some_and(|moves| self.moves_made.is_multiple_of(moves)) {
                self.left += base;
            }
        }
        if late > self.margin {
            return Err(Overstep { by: late });
        }
        Ok(())
    }
}

/// A time as the protocol writes it, in seconds; short ones to the microsecond.
fn seconds(time: Duration) -> String {
    let is_short = !time.is_zero() && time < Duration::from_millis(10);
    let digits = if is_short { 6 } else { 3 };
    format!("{:.digits$}", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_clock_shows_the_increment_of_the_move_to_come() {
        let control = TimeControl::Clock {
            base: ms(1000),
            increment: ms(100),
            moves: None,
        };
        let mut clock = Clock::new(control, ms(0));
        assert_eq!(clock.level(), "time=1.100 inc=0.100");
        assert_eq!(clock.spend(ms(500)), Ok(()));
        assert_eq!(clock.level(), "time=0.700 inc=0.100");
        assert_eq!(clock.spend(ms(750)), Err(Overstep { by: ms(50) }));
    }

    #[test]
    fn the_base_comes_again_after_its_moves() {
        let control = TimeControl::Clock {
            base: ms(1000),
            increment: ms(0),
            moves: Some(2),
        };
        let mut clock = Clock::new(control, ms(0));
        assert_eq!(clock.level(), "moves=2 time=1.000 inc=0.000");
        clock.spend(ms(400)).unwrap();
        assert_eq!(clock.level(), "moves=1 time=0.600 inc=0.000");
        clock.spend(ms(500)).unwrap();
        assert_eq!(clock.level(), "moves=2 time=1.100 inc=0.000");
    }

    #[test]
    fn a_move_may_be_late_by_the_margin() {
        let mut clock = Clock::new(TimeControl::MoveTime(ms(100)), ms(20));
        assert_eq!(clock.level(), "move-time=0.100");
        assert_eq!(clock.spend(ms(120)), Ok(()));
        assert_eq!(clock.spend(ms(121)), Err(Overstep { by: ms(21) }));
        assert!(clock.patience() > ms(5000));
        let short = Clock::new(TimeControl::MoveTime(ms(1) / 2), ms(20));
        assert_eq!(short.level(), "move-time=0.000500");
    }

    #[test]
    fn limits_are_shown_as_they_are_given() {
        let clock = TimeControl::Clock {
            base: ms(60_000),
            increment: ms(500),
            moves: Some(40),
        };
        assert_eq!(clock.to_string(), "clock 40/60+0.5");
        assert_eq!(TimeControl::MoveTime(ms(100)).to_string(), "move-time 0.1");
        assert_eq!(TimeControl::Nodes(7).to_string(), "nodes 7");
        assert_eq!(TimeControl::Depth(7).to_string(), "depth 7");
    }

    #[test]
    fn a_factor_scales_times_and_nothing_else() {
        let control = TimeControl::MoveTime(ms(800)).scaled(0.125);
        assert_eq!(control, TimeControl::MoveTime(ms(100)));
        assert_eq!(TimeControl::Nodes(5).scaled(0.5), TimeControl::Nodes(5));
    }
}
