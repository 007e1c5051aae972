//! How long to think.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::*},
    time::{Duration, Instant},
};

use super::Clock;

/// What passes between the clock and the other side's ear, kept in reserve.
const LAG: Duration = Duration::from_millis(10);

/// What of the clock is not planned for, since a busy machine may hold us up:
/// this much, or [`RESERVED_SHARE`] of what is left if that is less.
const RESERVE: Duration = Duration::from_millis(250);
const RESERVED_SHARE: f64 = 0.75;

/// Without another word the rest of the game is taken to be this long.
const MOVES_LEFT: u32 = 28;

/// When a search ends by its clock, counted from when the clock started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deadlines {
    /// No iteration begins after this.
    pub(super) soft: Duration,
    /// The search ends here.
    pub(super) hard: Duration,
}

/// What an iteration says about the ones to come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    /// How many iterations in a row have found the same best move.
    pub(super) agreeing: u32,
    /// The share of the nodes that the best move took, 0 to 1.
    pub(super) effort: f64,
    /// By how much the score fell since the iteration before, in men.
    pub(super) fall: f64,
}

impl Verdict {
    /// How much of the planned time is worth to be spent: less when the move is
    /// clear, more when it has just changed or the score falls.
    fn worth(self) -> f64 {
        let by_agreement = match self.agreeing {
            0 | 1 => 1.5,
            2 => 1.25,
            3 => 1.1,
            4 | 5 => 1.0,
            _ => 0.85,
        };
        let by_effort = 1.5 - self.effort.clamp(0.0, 1.0);
        let by_fall = 1.0 + self.fall.clamp(0.0, 1.0);
        by_agreement * by_effort * by_fall
    }
}

impl Deadlines {
    pub(super) fn new(clock: Clock) -> Deadlines {
        match clock {
            Clock::Infinite => Deadlines {
                soft: Duration::MAX,
                hard: Duration::MAX,
            },
            Clock::MoveTime(time) => {
                let hard = time.saturating_sub(LAG.min(time / 20));
                Deadlines { soft: hard, hard }
            }
            Clock::Game {
                remaining,
                increment,
                moves_to_go,
            } => Self::for_game(remaining, increment, moves_to_go),
        }
    }

    /// Whether another iteration is not worth to be begun after `spent`.
    pub(super) fn is_enough(&self, spent: Duration, verdict: Verdict) -> bool {
        let planned = match self.soft < self.hard {
            true => self.soft.mul_f64(verdict.worth()).min(self.hard),
            false => self.soft,
        };
        spent >= planned
    }

    /// An even share of what is left and most of the increment; three times as
    /// much at the most, and never the last of the clock.
    fn for_game(remaining: Duration, increment: Duration, moves_to_go: Option<u32>) -> Deadlines {
        let moves = moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
        let reserve = RESERVE.max(remaining / 50);
        let usable = remaining.saturating_sub(reserve.min(remaining.mul_f64(RESERVED_SHARE)));
        let bank = usable.saturating_sub(increment);
        let share = (bank / moves).saturating_add(increment.mul_f64(0.8));
        let most = if moves == 1 { usable } else { usable / 3 };
        Deadlines {
            soft: share.min(most),
            hard: share.saturating_mul(3).min(most),
        }
    }
}

/// The clock of one search, which its owner may start later than the search.
#[derive(Debug)]
pub(super) struct Stopwatch {
    start: Instant,
    pondering: AtomicBool,
    /// When the clock started, in microseconds after `start`.
    clock_started: AtomicU64,
}

impl Stopwatch {
    /// Starts now; while `pondering` the clock stands still.
    pub(super) fn new(pondering: bool) -> Stopwatch {
        Stopwatch {
            start: Instant::now(),
            pondering: AtomicBool::new(pondering),
            clock_started: AtomicU64::new(0),
        }
    }

    /// The opponent has played the move that was pondered on.
    pub(super) fn ponder_hit(&self) {
        if self.pondering.load(Relaxed) {
            let now = self.elapsed().as_micros() as u64;
            self.clock_started.store(now, Relaxed);
            self.pondering.store(false, Release);
        }
    }

    /// Since the search started.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Since the clock started; nothing while pondering.
    pub(super) fn on_the_clock(&self) -> Duration {
        if self.pondering.load(Acquire) {
            return Duration::ZERO;
        }
        let started = Duration::from_micros(self.clock_started.load(Relaxed));
        self.elapsed().saturating_sub(started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Deadlines {
        Deadlines::new(Clock::Game {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
        })
    }

    #[test]
    fn no_clock_is_ever_used_up() {
        for remaining in [0, 1, 5, 20, 100, 1000, 60_000, 86_400_000] {
            for increment in [0, 10, 2000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let deadlines = game(remaining, increment, moves);
                    assert!(deadlines.hard <= Duration::from_millis(remaining));
                    assert!(deadlines.soft <= deadlines.hard);
                    let remaining = Duration::from_millis(remaining);
                    let spare = RESERVE.min(remaining.mul_f64(RESERVED_SHARE));
                    assert!(
                        remaining - deadlines.hard >= spare,
                        "{remaining:?} {increment} {moves:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_clock_that_shows_nothing_leaves_nothing_to_think() {
        assert_eq!(game(0, 0, None).hard, Duration::ZERO);
        assert_eq!(
            Deadlines::new(Clock::MoveTime(Duration::ZERO)).hard,
            Duration::ZERO
        );
    }

    #[test]
    fn a_huge_clock_does_not_overflow() {
        let huge = Clock::Game {
            remaining: Duration::MAX,
            increment: Duration::from_secs(u32::MAX.into()),
            moves_to_go: None,
        };
        assert!(Deadlines::new(huge).hard > Duration::from_secs(1_000_000));
    }

    #[test]
    fn the_clock_stands_still_while_pondering() {
        let watch = Stopwatch::new(true);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(watch.on_the_clock(), Duration::ZERO);
        watch.ponder_hit();
        assert!(watch.on_the_clock() < watch.elapsed());
        assert!(watch.elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn a_clear_move_takes_less_of_the_clock_than_one_that_changed_or_falls() {
        let deadlines = game(60_000, 0, None);
        let clear = Verdict {
            agreeing: 8,
            effort: 0.9,
            fall: 0.0,
        };
        let changed = Verdict {
            agreeing: 1,
            effort: 0.4,
            ..clear
        };
        let falls = Verdict { fall: 0.8, ..clear };
        let enough =
            |part: f64, verdict| deadlines.is_enough(deadlines.soft.mul_f64(part), verdict);
        assert!(enough(0.6, clear) && !enough(0.6, falls) && !enough(1.5, changed));
        assert!(deadlines.is_enough(deadlines.hard, changed));
        let fixed = Deadlines::new(Clock::MoveTime(Duration::from_secs(1)));
        assert!(!fixed.is_enough(fixed.soft.mul_f64(0.9), clear));
        assert!(fixed.is_enough(fixed.soft, changed));
    }
}
