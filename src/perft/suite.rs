//! Lists of positions with known counts.
//!
//! A row is `id | FEN | counts from depth 1 | source`; empty lines and lines
//! that begin with `#` say nothing. Files are not opened here.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use super::{CountError, Counter, MAX_DEPTH, Monitor};
use crate::{
    board::Position,
    notation::{FenError, excerpt, fen},
};

/// A position with known counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub id: String,
    /// The position.
    pub position: Position,
    /// The counts from depth 1 on.
    pub counts: Vec<u64>,
}

/// Why a text is no suite: which line, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct SuiteError {
    /// The line's number, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not three or four fields.
    #[error("'{0}' is not a row 'id | FEN | counts | source'")]
    Fields(String),
    /// The position cannot be read.
    #[error("'{fen}': {error}")]
    Position {
        /// The text.
        fen: String,
        /// What is wrong with it.
        error: FenError,
    },
    /// A count is no number.
    #[error("'{0}' is not a count")]
    Count(String),
    /// No counts, or more than [`MAX_DEPTH`].
    #[error("{0} counts, and 1 to {MAX_DEPTH} are possible")]
    Depth(usize),
}

/// Reads the rows of a suite.
pub fn read(text: &str) -> Result<Vec<Row>, SuiteError> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(line, text)| read_row(text).map_err(|problem| SuiteError { line, problem }))
        .collect()
}

fn read_row(text: &str) -> Result<Row, Problem> {
    let fields: Vec<&str> = text.split('|').map(str::trim).collect();
    // The source, for people, may be left out.
    let ([id, position, counts] | [id, position, counts, _]) = fields[..] else {
        return Err(Problem::Fields(excerpt(text)));
    };
    let position = fen::read(position).map_err(|error| Problem::Position {
        fen: excerpt(position),
        error,
    })?;
    let counts: Vec<u64> = counts
        .split_whitespace()
        .map(|count| count.parse().map_err(|_| Problem::Count(excerpt(count))))
        .collect::<Result<_, _>>()?;
    if counts.is_empty() || counts.len() > MAX_DEPTH as usize {
        return Err(Problem::Depth(counts.len()));
    }
    Ok(Row {
        id: id.to_owned(),
        position,
        counts,
    })
}

/// What came of checking a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// How many depths were right.
    pub depths: u32,
    /// The leaves at these depths together.
    pub nodes: u64,
    /// The first depth that was wrong.
    pub mismatch: Option<Mismatch>,
}

/// A wrong count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The depth.
    pub depth: u32,
    /// What the suite says.
    pub expected: u64,
    /// What was counted.
    pub got: u64,
}

impl Row {
    /// Counts every depth whose known count is at most `max_nodes`, up to the
    /// first that differs.
    pub fn check(
        &self,
        counter: &Counter,
        max_nodes: u64,
        monitor: &Monitor,
    ) -> Result<Checked, CountError> {
        let mut checked = Checked {
            depths: 0,
            nodes: 0,
            mismatch: None,
        };
        for (depth, &expected) in (1..).zip(&self.counts) {
            if expected > max_nodes {
                continue;
            }
            let got = counter.count(&self.position, depth, monitor)?;
            if got != expected {
                checked.mismatch = Some(Mismatch {
                    depth,
                    expected,
                    got,
                });
                break;
            }
            checked.depths += 1;
            checked.nodes = checked.nodes.saturating_add(got);
        }
        Ok(checked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::Options;

    #[test]
    fn a_row_is_read_and_comments_are_not() {
        let rows = read("# id | FEN | counts\n\n start | W:W31-50:B1-20 | 9 81 | known\n").unwrap();
        assert_eq!(
            rows,
            [Row {
                id: "start".to_owned(),
                position: Position::initial(),
                counts: vec![9, 81],
            }]
        );
    }

    #[test]
    fn what_is_no_row_is_refused_with_its_line_and_text() {
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            refused("# fine\nstart | W:W31-50:B1-20\n"),
            "line 2: 'start | W:W31-50:B1-20' is not a row 'id | FEN | counts | source'"
        );
        assert_eq!(
            refused("a | W:W31-50:B1-20 | 9 8i | b"),
            "line 1: '8i' is not a count"
        );
        assert_eq!(
            refused("a | W:W31-50:B1-20 | 9 -1 | b"),
            "line 1: '-1' is not a count"
        );
        assert_eq!(
            refused("a | W:W31-50:B1-20 | | b"),
            "line 1: 0 counts, and 1 to 40 are possible"
        );
        assert!(refused("a | W:W51:B1 | 9 | b").starts_with("line 1: 'W:W51:B1': "));
    }

    #[test]
    fn a_wrong_count_is_found_and_counts_beyond_the_cap_are_not_made() {
        let counter = Counter::new(&Options::default()).unwrap();
        let row = |counts| Row {
            id: String::new(),
            position: Position::initial(),
            counts,
        };
        let check = |counts, cap| {
            row(counts)
                .check(&counter, cap, &Monitor::default())
                .unwrap()
        };
        assert_eq!(
            check(vec![9, 81, 658], 100),
            Checked {
                depths: 2,
                nodes: 90,
                mismatch: None
            }
        );
        assert_eq!(
            check(vec![9, 82, 658], 1000).mismatch,
            Some(Mismatch {
                depth: 2,
                expected: 82,
                got: 81
            })
        );
    }
}
