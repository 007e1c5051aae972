//! How long to think.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::*},
    time::{Duration, Instant},
};

use super::Clock;

/// What passes between the clock and the other side's ear, kept in reserve.
const LAG: Duration = Duration::from_millis(10);

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

    /// An even share of what is left and most of the increment; three times as
    /// much at the most, and never the last of the clock.
    fn for_game(remaining: Duration, increment: Duration, moves_to_go: Option<u32>) -> Deadlines {
        let moves = moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
        let usable = remaining.saturating_sub(LAG.max(remaining / 50).min(remaining / 2));
        let bank = usable.saturating_sub(increment);
        let share = (bank / moves).saturating_add(increment.mul_f64(0.8));
        let most = if moves == 1 { usable } else { usable / 3 };
        Deadlines {
            soft: share.mul_f64(0.6).min(most),
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
                    if remaining >= 1000 {
                        let spare = Duration::from_millis(remaining) - deadlines.hard;
                        assert!(spare >= LAG, "{remaining} {increment} {moves:?}");
                    }
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
}
