//! A game: a set-up and what was played from it.

use super::{Counts, Line, State};
use crate::board::{Move, MoveList, Position};

/// A game, at its latest position.
///
/// Moves may be played on after a draw, as clients do; the [state](Game::state)
/// stays what ended the game first.
#[derive(Clone)]
pub struct Game {
    /// Everything before the latest position, the set-up first.
    past: Vec<Ply>,
    latest: Ply,
    moves: Vec<Move>,
}

/// A position of a game and what the rules said then.
#[derive(Clone, Copy)]
pub(super) struct Ply {
    pub(super) position: Position,
    counts: Counts,
    state: State,
}

/// A move that the position does not allow; nothing was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the move is not legal in this position")]
pub struct IllegalMove;

impl Game {
    /// A game that starts from `start`, be it the initial position or a set-up.
    pub fn new(start: Position) -> Game {
        let counts = Counts::at_set_up(&start);
        Game {
            past: Vec::new(),
            latest: Ply {
                position: start,
                counts,
                state: Line::root(start, counts, &[]).state(),
            },
            moves: Vec::new(),
        }
    }

    /// The position the game started from.
    pub fn start(&self) -> &Position {
        &self.past.first().unwrap_or(&self.latest).position
    }

    /// The latest position.
    pub fn position(&self) -> &Position {
        &self.latest.position
    }

    /// All positions, from the start to the latest: one more than the moves.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        let plies = self.past.iter().chain([&self.latest]);
        plies.map(|ply| &ply.position)
    }

    /// The moves that were played; each belongs to one of [`Game::positions`].
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// How many moves were played, both sides' together.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The counts of the 25-, 16- and 5-move rules.
    pub fn counts(&self) -> Counts {
        self.latest.counts
    }

    /// Whether the game is over, and what ended it first.
    pub fn state(&self) -> State {
        self.latest.state
    }

    /// The line that a search starts from.
    pub fn line(&self) -> Line<'_> {
        Line::root(self.latest.position, self.latest.counts, &self.past)
    }

    /// Plays `mv`; a move that is not legal changes nothing.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let mut legal = MoveList::new();
        self.position().legal_moves(&mut legal);
        if !legal.contains(&mv) {
            return Err(IllegalMove);
        }
        let line = self.line();
        let next = line.play(mv);
        let ply = Ply {
            position: *next.position(),
            counts: next.counts(),
            state: match self.state() {
                State::InPlay => next.state(),
                ended => ended,
            },
        };
        self.past.push(std::mem::replace(&mut self.latest, ply));
        self.moves.push(mv);
        Ok(())
    }

    /// Takes the last move back and returns it; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        self.latest = self.past.pop()?;
        self.moves.pop()
    }
}
