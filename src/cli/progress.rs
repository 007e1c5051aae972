//! Showing on stderr how far a job is: a bar on a terminal, elsewhere a line
//! now and then. What the job is, and what is said of it, is not known here.

use std::{
    io::{self, IsTerminal},
    sync::mpsc::{self, RecvTimeoutError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

use super::complain;

/// Tells how far a job is. Dropping it removes the bar.
pub(super) struct Gauge {
    /// What is counted, in front of the numbers.
    name: String,
    /// How much there is to do, if that is known.
    total: Option<u64>,
    bar: Option<ProgressBar>,
    begin: Instant,
    last: Instant,
    /// The time between two lines.
    interval: Duration,
}

impl Gauge {
    /// A job that is `total` long, if that is known; without a terminal there is
    /// a line every `interval`.
    pub(super) fn new(name: &str, total: Option<u64>, interval: Duration) -> Gauge {
        let now = Instant::now();
        Gauge {
            name: name.to_owned(),
            total,
            bar: io::stderr().is_terminal().then(|| bar(name, total)),
            begin: now,
            last: now,
            interval,
        }
    }

    /// Tells that `done` is done, and `message` of it, if it is time to.
    pub(super) fn show(&mut self, done: u64, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(message());
        } else if self.last.elapsed() >= self.interval {
            self.last = Instant::now();
            complain(&self.line(done, &message()));
        }
    }

    /// Writes to stdout or stderr by `write` without disturbing the bar.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// How long the job has taken so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// `, about 3 minutes left`, of a job that was at `before` when it began;
    /// nothing if that cannot be said.
    pub(super) fn time_left(&self, before: u64, done: u64) -> String {
        let each = self.elapsed().as_secs_f64() / done.saturating_sub(before) as f64;
        let left = self.total.map(|total| total.saturating_sub(done) as f64);
        left.map(|left| (left * each).round())
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .map_or_else(String::new, |left| {
                format!(", about {} left", indicatif::HumanDuration(left))
            })
    }

    /// `game 3 of 10: MESSAGE`.
    fn line(&self, done: u64, message: &str) -> String {
        let name = &self.name;
        match self.total {
            Some(total) => format!("{name} {done} of {total}: {message}"),
            None => format!("{name} {done}: {message}"),
        }
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(name: &str, total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::new(total),
            "{prefix} {pos} of {len} [{bar:20}] {wide_msg}",
        ),
        None => (
            ProgressBar::no_length(),
            "{prefix} {pos} {spinner} {wide_msg}",
        ),
    };
    bar.set_prefix(name.to_owned());
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Runs `work`, and beside it `look` every 100 ms until it is done.
pub(super) fn alongside<T>(work: impl FnOnce() -> T, mut look: impl FnMut() + Send) -> T {
    const PAUSE: Duration = Duration::from_millis(100);
    std::thread::scope(|scope| {
        let (finished, watch) = mpsc::channel::<()>();
        scope.spawn(move || {
            while watch.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                look();
            }
        });
        let result = work();
        drop(finished);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge(total: Option<u64>) -> Gauge {
        let mut gauge = Gauge::new("game", total, Duration::ZERO);
        gauge.bar = None;
        gauge
    }

    #[test]
    fn a_line_says_how_much_there_is_if_that_is_known() {
        assert_eq!(
            gauge(Some(10)).line(3, "+2 =1 -0"),
            "game 3 of 10: +2 =1 -0"
        );
        assert_eq!(gauge(None).line(3, "fine"), "game 3: fine");
    }

    #[test]
    fn the_time_left_follows_from_what_was_done_here() {
        let mut gauge = gauge(Some(100));
        gauge.begin -= Duration::from_secs(60);
        assert_eq!(gauge.time_left(40, 50), ", about 5 minutes left");
        assert_eq!(gauge.time_left(50, 50), "");
        assert_eq!(gauge.time_left(40, 200), ", about 0 seconds left");
        gauge.total = None;
        assert_eq!(gauge.time_left(40, 50), "");
    }

    #[test]
    fn what_looks_on_ends_with_the_work() {
        let mut looks = 0;
        let work = || {
            std::thread::sleep(Duration::from_millis(350));
            7
        };
        assert_eq!(alongside(work, || looks += 1), 7);
        assert!(looks > 0);
    }
}
