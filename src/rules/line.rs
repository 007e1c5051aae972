//! A line of play as the search sees it, and repetition.
//!
//! A [`Line`] is made at every node, so it allocates nothing: it holds its own
//! position and counts and refers to its parent's, which live in the caller's
//! frames, and behind the root to the history of a game.

use super::{Counts, DrawRule, State, game::Ply};
use crate::board::{Move, Position, Square};

/// A position with the way it came about.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    position: Position,
    counts: Counts,
    arrival: Option<Square>,
    past: Past<'a>,
}

/// What came before a position, without it.
#[derive(Clone, Copy)]
enum Past<'a> {
    Game(&'a [Ply]),
    Line(&'a Line<'a>),
}

impl<'a> Line<'a> {
    /// Plies between a position and its first possible return: each side has
    /// to move a king away and back.
    const SHORTEST_CYCLE: usize = 4;

    pub(super) fn root(position: Position, counts: Counts, past: &'a [Ply]) -> Line<'a> {
        Line {
            position,
            counts,
            arrival: None,
            past: Past::Game(past),
        }
    }

    /// The position.
    #[inline(always)]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The counts of the 25-, 16- and 5-move rules.
    #[inline(always)]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Where the last move ended; none where the line begins.
    #[inline(always)]
    pub fn arrival(&self) -> Option<Square> {
        self.arrival
    }

    /// The line after `mv`, which must be legal here: this is not checked.
    #[inline]
    pub fn play(&self, mv: Move) -> Line<'_> {
        let position = self.position.play(mv);
        Line {
            position,
            counts: self.counts.after(&self.position, mv, &position),
            arrival: Some(self.position.destination(mv)),
            past: Past::Line(self),
        }
    }

    /// Whether the position occurred before, be it only once.
    ///
    /// A search may call this a draw already: whoever can repeat once can
    /// repeat again.
    #[inline]
    pub fn is_repetition(&self) -> bool {
        self.occurred_before(1)
    }

    /// The rule by which the position is a draw, the first if several apply.
    ///
    /// A side to move that has no move has lost whatever this says, so ask
    /// [`Position::has_move`] first.
    #[inline]
    pub fn draw(&self) -> Option<DrawRule> {
        if self.occurred_before(2) {
            return Some(DrawRule::Repetition);
        }
        self.counts.draw()
    }

    /// What the rules say of the position.
    pub fn state(&self) -> State {
        if !self.position.has_move() {
            let winner = self.position.side().opponent();
            return State::Won { winner };
        }
        self.draw().map_or(State::InPlay, State::Draw)
    }

    /// Whether the position occurred at least `times` times before.
    #[inline]
    fn occurred_before(&self, times: usize) -> bool {
        let reach = self.counts.reversible_plies();
        if reach < Self::SHORTEST_CYCLE * times {
            return false;
        }
        // With the same side to move are only the positions an even number of
        // plies ago; the first of `Earlier` is one ply ago.
        Earlier(self.past)
            .take(reach)
            .skip(Self::SHORTEST_CYCLE - 1)
            .step_by(2)
            .filter(|&earlier| *earlier == self.position)
            .nth(times - 1)
            .is_some()
    }
}

/// The positions before one, the latest first.
struct Earlier<'a>(Past<'a>);

impl<'a> Iterator for Earlier<'a> {
    type Item = &'a Position;

    #[inline]
    fn next(&mut self) -> Option<&'a Position> {
        match self.0 {
            Past::Line(line) => {
                self.0 = line.past;
                Some(&line.position)
            }
            Past::Game(plies) => {
                let (last, before) = plies.split_last()?;
                self.0 = Past::Game(before);
                Some(&last.position)
            }
        }
    }
}
