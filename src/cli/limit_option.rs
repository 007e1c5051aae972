//! Texts of times and values on the command line.

use std::time::Duration;

use crate::{arena::clock::TimeControl, notation::excerpt};

/// The longest time that is accepted, in seconds: some months.
const LONGEST: f64 = 1e7;

/// The shortest, a microsecond.
const SHORTEST: f64 = 1e-6;

/// A number of seconds above 0.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    let seconds = seconds.filter(|seconds| (SHORTEST..=LONGEST).contains(seconds));
    let time = seconds.map(Duration::from_secs_f64);
    time.ok_or_else(|| "not a number of seconds above 0, at most ten million".to_owned())
}

/// A number of milliseconds, 0 or more.
pub(super) fn milliseconds(text: &str) -> Result<Duration, String> {
    let milliseconds = text.parse().ok();
    let milliseconds = milliseconds.filter(|ms| (0.0..=1000.0 * LONGEST).contains(ms));
    let time = milliseconds.map(|ms| Duration::from_secs_f64(ms / 1000.0));
    time.ok_or_else(|| "not a number of milliseconds".to_owned())
}

/// A number of men, 0 to 100.
pub(super) fn men(text: &str) -> Result<f64, String> {
    let men = text.parse().ok().filter(|men| (0.0..=100.0).contains(men));
    men.ok_or_else(|| "not a number of men between 0 and 100".to_owned())
}

/// `60`, `60+0.5`, `40/60`, `40/60+0.5`.
pub(super) fn clock(text: &str) -> Result<TimeControl, String> {
    let (moves, time) = match text.split_once('/') {
        Some((moves, time)) => (Some(moves), time),
        None => (None, text),
    };
    let moves = moves.map(|moves| {
        let number = moves.parse().ok().filter(|moves| *moves > 0);
        number.ok_or_else(|| format!("{} is not a number of moves", excerpt(moves)))
    });
    let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
    let increment = match increment.parse() {
        Ok(0.0) => Duration::ZERO,
        _ => seconds(increment)?,
    };
    Ok(TimeControl::Clock {
        base: seconds(base)?,
        increment,
        moves: moves.transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_in_every_form() {
        for (text, expected) in [
            ("60", "clock 60+0"),
            ("60+0.5", "clock 60+0.5"),
            ("40/60", "clock 40/60+0"),
            ("40/60+0", "clock 40/60+0"),
        ] {
            assert_eq!(clock(text).unwrap().to_string(), expected);
        }
        for text in [
            "", "x", "0", "-1", "60+", "60+-1", "0/60", "40/", "nan", "inf", "1e30",
        ] {
            assert!(clock(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_have_their_bounds() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(milliseconds("1.5"), Ok(Duration::from_micros(1500)));
        assert_eq!(men("2.5"), Ok(2.5));
        for text in ["nan", "-1", "1e300", ""] {
            assert!(seconds(text).is_err() && milliseconds(text).is_err() && men(text).is_err());
        }
    }
}
