//! One game between two engines, with our rules as the judge.

use std::{sync::atomic::AtomicBool, time::Duration};

use super::{clock::Clock, openings::Opening};
use crate::{
    board::{Move, Side},
    notation::{excerpt, fen, hub, move_text},
    protocol::engine_process::{EngineProcess, Fault, Info},
    rules::{DrawRule, Game, State},
};

/// What a finished game has to tell.
#[derive(Clone, Debug)]
pub struct Record {
    /// How it began.
    pub opening: Opening,
    /// What the engines played after the opening.
    pub moves: Vec<PlayedMove>,
    /// Who won; none if the game was drawn.
    pub winner: Option<Side>,
    /// Why it ended.
    pub end: End,
}

/// A move of an engine.
#[derive(Clone, Debug)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// What the engine said of it.
    pub info: Info,
    /// How long it took, measured outside the engine.
    pub time: Duration,
}

/// Why a game ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum End {
    /// The loser had no move.
    #[error("no move")]
    NoMove,
    /// A rule of the game drew it.
    #[error("{0}")]
    Draw(DrawRule),
    /// The loser played a move that is not legal, or none.
    #[error(
        "{loser} played {}, which is not legal in {position}: {reason}",
        excerpt(text)
    )]
    Illegal {
        /// Who.
        loser: Side,
        /// The move.
        text: String,
        /// Where, as FEN.
        position: String,
        /// Why not.
        reason: String,
    },
    /// The loser's program failed.
    #[error("{loser}'s engine failed: {fault}")]
    Fault {
        /// Whose.
        loser: Side,
        /// How.
        fault: Fault,
    },
    /// The loser's time was up.
    #[error("{loser} exceeded the time by {:.3} s", by.as_secs_f64())]
    Time {
        /// Who.
        loser: Side,
        /// By how much.
        by: Duration,
    },
    /// The engines agreed on the result.
    #[error("adjudicated, since the engines agree")]
    Agreed,
}

impl End {
    /// Whether an engine did something that it must not do.
    pub fn is_fault(&self) -> bool {
        match self {
            End::NoMove | End::Draw(_) | End::Agreed => false,
            End::Illegal { .. } | End::Fault { .. } | End::Time { .. } => true,
        }
    }
}

/// When a game ends because the engines' scores agree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Adjudication {
    /// A win, once both put one side this many men ahead.
    pub win: Option<Agreement>,
    /// A draw, once both see less than this many men between the sides.
    pub draw: Option<Agreement>,
}

/// A bound on scores that has to hold for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// In men.
    pub score: f64,
    /// For this many plies in a row, both sides' together.
    pub plies: usize,
    /// Not before this many plies of the game, the opening included.
    pub from_ply: usize,
}

impl Adjudication {
    /// The result on which the engines agree, as White's points: 1, ½ as none.
    fn result(
        &self,
        first_mover: Side,
        moves: &[PlayedMove],
        opening_plies: usize,
    ) -> Option<Option<Side>> {
        let ply = moves.len() + opening_plies;
        let whites = |index: usize| -> Option<f64> {
            let mover = if index.is_multiple_of(2) {
                first_mover
            } else {
                first_mover.opponent()
            };
            let score = moves[index].info.score?;
            Some(if mover == Side::White { score } else { -score })
        };
        let holds = |agreement: Agreement, holds: &dyn Fn(f64) -> bool| {
            ply >= agreement.from_ply
                && moves.len() >= agreement.plies.max(2)
                && (moves.len() - agreement.plies.max(2)..moves.len())
                    .all(|index| whites(index).is_some_and(holds))
        };
        if let Some(win) = self.win {
            if holds(win, &|score| score >= win.score) {
                return Some(Some(Side::White));
            }
            if holds(win, &|score| score <= -win.score) {
                return Some(Some(Side::Black));
            }
        }
        let draw = self.draw?;
        holds(draw, &|score| score.abs() <= draw.score).then_some(None)
    }
}

/// A side of a game: its engine and its clock.
pub struct Seat<'a> {
    /// The running engine.
    pub engine: &'a mut EngineProcess,
    /// The clock, at the start of a game.
    pub clock: Clock,
}

/// Plays a game from `opening` to its end, White's seat first. None if
/// `interrupted` was set meanwhile.
pub fn play(
    mut seats: [Seat; 2],
    opening: &Opening,
    adjudication: &Adjudication,
    interrupted: &AtomicBool,
) -> Option<Record> {
    let mut game = opening.game();
    let mut course = Course::new(opening);
    let first_mover = game.position().side();
    for (side, seat) in Side::BOTH.into_iter().zip(&mut seats) {
        if let Err(fault) = seat.engine.new_game() {
            return Some(course.lost(side, End::Fault { loser: side, fault }));
        }
    }
    loop {
        match game.state() {
            State::InPlay => {}
            State::Won { winner } => return Some(course.ended(Some(winner), End::NoMove)),
            State::Draw(rule) => return Some(course.ended(None, End::Draw(rule))),
        }
        let agreed = adjudication.result(first_mover, &course.moves, opening.moves.len());
        if let Some(winner) = agreed {
            return Some(course.ended(winner, End::Agreed));
        }
        let side = game.position().side();
        match course.play_move(&mut game, &mut seats[side.index()], interrupted) {
            Ok(()) => {}
            Err(End::Fault {
                fault: Fault::Interrupted,
                ..
            }) => return None,
            Err(end) => return Some(course.lost(side, end)),
        }
    }
}

/// A game in progress.
struct Course {
    opening: Opening,
    /// The set-up as the protocol writes it.
    start: String,
    /// All moves as the protocol writes them.
    texts: Vec<String>,
    moves: Vec<PlayedMove>,
}

impl Course {
    fn new(opening: &Opening) -> Course {
        let mut position = opening.start;
        let mut texts = Vec::new();
        for &mv in &opening.moves {
            texts.push(move_text::hub(&position, mv));
            position = position.play(mv);
        }
        Course {
            opening: opening.clone(),
            start: hub::write_position(&opening.start),
            texts,
            moves: Vec::new(),
        }
    }

    /// Has the side to move play.
    fn play_move(
        &mut self,
        game: &mut Game,
        seat: &mut Seat,
        interrupted: &AtomicBool,
    ) -> Result<(), End> {
        let position = *game.position();
        let loser = position.side();
        let clock = &mut seat.clock;
        let (level, patience) = (clock.level(), clock.patience());
        let answer = seat
            .engine
            .think(&self.start, &self.texts, &level, patience, interrupted)
            .map_err(|fault| End::Fault { loser, fault })?;
        clock.spend(answer.time).map_err(|overstep| End::Time {
            loser,
            by: overstep.by,
        })?;
        let text = answer.text.unwrap_or_default();
        let mv = move_text::read(&position, &text).map_err(|error| End::Illegal {
            loser,
            text,
            position: fen::write(&position),
            reason: error.to_string(),
        })?;
        // The move was found among the legal ones.
        let _ = game.play(mv);
        self.texts.push(move_text::hub(&position, mv));
        self.moves.push(PlayedMove {
            mv,
            info: answer.info,
            time: answer.time,
        });
        Ok(())
    }

    fn lost(self, loser: Side, end: End) -> Record {
        self.ended(Some(loser.opponent()), end)
    }

    fn ended(self, winner: Option<Side>, end: End) -> Record {
        Record {
            opening: self.opening,
            moves: self.moves,
            winner,
            end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Position, Square};

    fn scored(scores: &[f64]) -> Vec<PlayedMove> {
        let square = |number| Square::from_number(number).unwrap();
        let mv = Move::quiet(square(32), square(28));
        let played = |&score: &f64| PlayedMove {
            mv,
            info: Info {
                score: Some(score),
                ..Info::default()
            },
            time: Duration::ZERO,
        };
        scores.iter().map(played).collect()
    }

    #[test]
    fn engines_agree_only_when_both_say_so_long_enough() {
        let agreement = |score| Agreement {
            score,
            plies: 4,
            from_ply: 6,
        };
        let adjudication = Adjudication {
            win: Some(agreement(3.0)),
            draw: Some(agreement(0.1)),
        };
        let result =
            |scores: &[f64], opening| adjudication.result(Side::White, &scored(scores), opening);
        assert_eq!(result(&[4.0, -4.0, 4.0, -3.0], 2), Some(Some(Side::White)));
        assert_eq!(result(&[-4.0, 4.0, -4.0, 3.0], 2), Some(Some(Side::Black)));
        assert_eq!(result(&[4.0, -4.0, 4.0, -3.0], 1), None);
        assert_eq!(result(&[4.0, 4.0, 4.0, 4.0], 2), None);
        assert_eq!(result(&[4.0, -4.0, 4.0], 9), None);
        assert_eq!(result(&[0.05, 0.1, -0.1, 0.0], 2), Some(None));
        assert_eq!(result(&[0.05, 0.2, -0.1, 0.0], 2), None);
    }

    #[test]
    fn an_opening_is_told_with_all_its_moves() {
        let opening = &crate::arena::openings::two_ply_ballots()[0];
        let course = Course::new(opening);
        assert_eq!(course.start, hub::write_position(&Position::initial()));
        assert_eq!(course.texts.len(), 2);
    }
}
