//! Lists of positions with the moves that solve them.
//!
//! A row is `FEN | moves | remark`: the moves in any notation, separated by
//! spaces, each of which counts as solved; the remark, for people, may be left
//! out. Empty lines and lines that begin with `#` say nothing. Files are not
//! opened here.

use crate::{
    board::{Move, Position},
    notation::{FenError, MoveTextError, excerpt, fen, move_text},
    rules::Game,
    search::{Engine, Limits, Outcome, Silent},
};

/// A position and what solves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The position.
    pub position: Position,
    /// The moves that solve it, at least one.
    pub solutions: Vec<Move>,
}

/// Why a text is no list of tasks: which line, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TasksError {
    /// The line's number, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not two or three fields, or no move.
    #[error("'{0}' is not a row 'FEN | moves | remark'")]
    Fields(String),
    /// The position cannot be read.
    #[error("'{fen}': {error}")]
    Position {
        /// The text.
        fen: String,
        /// What is wrong with it.
        error: FenError,
    },
    /// A move cannot be read, or is not possible there.
    #[error("'{text}': {error}")]
    Move {
        /// The text.
        text: String,
        /// What is wrong with it.
        error: MoveTextError,
    },
}

/// Reads a list of tasks.
pub fn read(text: &str) -> Result<Vec<Task>, TasksError> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(line, text)| read_row(text).map_err(|problem| TasksError { line, problem }))
        .collect()
}

fn read_row(text: &str) -> Result<Task, Problem> {
    let fields: Vec<&str> = text.split('|').map(str::trim).collect();
    let ([position, moves] | [position, moves, _]) = fields[..] else {
        return Err(Problem::Fields(excerpt(text)));
    };
    let position = fen::read(position).map_err(|error| Problem::Position {
        fen: excerpt(position),
        error,
    })?;
    let read_move = |text| {
        move_text::read(&position, text).map_err(|error| Problem::Move {
            text: excerpt(text),
            error,
        })
    };
    let solutions: Vec<Move> = moves
        .split_whitespace()
        .map(read_move)
        .collect::<Result<_, _>>()?;
    if solutions.is_empty() {
        return Err(Problem::Fields(excerpt(text)));
    }
    Ok(Task {
        position,
        solutions,
    })
}

impl Task {
    /// Searches the position within the limits, from an empty table; none if
    /// the search got no thread.
    pub fn attempt(&self, engine: &mut Engine, limits: Limits) -> Option<Outcome> {
        engine.new_game();
        engine.search(&Game::new(self.position), limits, Box::new(Silent))
    }

    /// Whether this move solves it.
    pub fn is_solved_by(&self, mv: Move) -> bool {
        self.solutions.contains(&mv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "W:W29,33,34,37,38,44,47:B2,6,8,18,21,22,27 | 34-30 | +2.49";

    #[test]
    fn a_row_is_read_and_comments_are_not() {
        let tasks = read(&format!("# FEN | move\n\n{ROW}\n")).unwrap();
        let [task] = &tasks[..] else {
            panic!("{tasks:?}");
        };
        let solution = move_text::read(&task.position, "34-30").unwrap();
        assert!(task.is_solved_by(solution));
        let other = move_text::read(&task.position, "38-32").unwrap();
        assert!(!task.is_solved_by(other));
    }

    #[test]
    fn several_moves_may_solve_a_task() {
        let tasks = read("W:W31-50:B1-20 | 32-28 33-28").unwrap();
        assert_eq!(tasks[0].solutions.len(), 2);
    }

    #[test]
    fn what_is_no_row_is_refused_with_its_line_and_text() {
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            refused("# fine\nW:W31-50:B1-20\n"),
            "line 2: 'W:W31-50:B1-20' is not a row 'FEN | moves | remark'"
        );
        assert_eq!(
            refused("W:W31-50:B1-20 | | nothing"),
            "line 1: 'W:W31-50:B1-20 | | nothing' is not a row 'FEN | moves | remark'"
        );
        assert!(refused("W:W51:B1 | 1-6").starts_with("line 1: 'W:W51:B1': "));
        assert!(refused("W:W31-50:B1-20 | 32-27 1-6").starts_with("line 1: '1-6': "));
    }

    #[test]
    fn an_easy_task_is_solved() {
        let tasks = read(ROW).unwrap();
        let mut engine = Engine::new(1, 16).unwrap();
        let limits = Limits {
            depth: Some(13),
            ..Limits::default()
        };
        let outcome = tasks[0].attempt(&mut engine, limits).unwrap();
        assert!(outcome.best.is_some_and(|mv| tasks[0].is_solved_by(mv)));
    }
}
