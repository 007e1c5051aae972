//! One game between two engines, with our rules as the judge.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use super::{clock::Clock, openings::Opening};
use crate::{
    board::{Move, Side},
    endgame::{
        Tables, Value,
        distance::{Ruled, left},
        placement::Placement,
    },
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
    /// How long the game took beside the engines' thinking, if that was measured.
    pub overhead: Option<Duration>,
}

/// A move of an engine.
#[derive(Clone, Debug, PartialEq)]
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
    #[error("{loser} played {}: {reason} in {position}", played(text))]
    Illegal {
        /// Who.
        loser: Side,
        /// The move, empty if there was none.
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
    /// The endgame tables know the result.
    #[error("adjudicated by the endgame tables")]
    Tables,
    /// What an earlier part of the match wrote down.
    #[error("{reason}")]
    Recorded {
        /// The kind.
        termination: Termination,
        /// The text of what it was then.
        reason: String,
    },
}

/// The kinds of ends, as the PDN tag of this name has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// By the rules of the game.
    Normal,
    /// By agreement.
    Adjudication,
    /// By a move that is not legal.
    RulesInfraction,
    /// By the clock.
    TimeForfeit,
    /// By the failure of an engine.
    Abandoned,
}

impl Termination {
    const ALL: [Termination; 5] = [
        Termination::Normal,
        Termination::Adjudication,
        Termination::RulesInfraction,
        Termination::TimeForfeit,
        Termination::Abandoned,
    ];

    /// The value of the tag.
    pub fn text(self) -> &'static str {
        match self {
            Termination::Normal => "normal",
            Termination::Adjudication => "adjudication",
            Termination::RulesInfraction => "rules infraction",
            Termination::TimeForfeit => "time forfeit",
            Termination::Abandoned => "abandoned",
        }
    }

    /// The kind with this value, if there is one.
    pub fn read(text: &str) -> Option<Termination> {
        Self::ALL.into_iter().find(|one| one.text() == text)
    }
}

fn played(text: &str) -> String {
    match text {
        "" => "no move".to_owned(),
        text => excerpt(text),
    }
}

impl End {
    /// Of what kind this end is.
    pub fn termination(&self) -> Termination {
        match self {
            End::NoMove | End::Draw(_) => Termination::Normal,
            End::Agreed | End::Tables => Termination::Adjudication,
            End::Illegal { .. } => Termination::RulesInfraction,
            End::Time { .. } => Termination::TimeForfeit,
            End::Fault { .. } => Termination::Abandoned,
            End::Recorded { termination, .. } => *termination,
        }
    }

    /// Whether an engine did something that it must not do.
    pub fn is_fault(&self) -> bool {
        match self.termination() {
            Termination::Normal | Termination::Adjudication => false,
            Termination::RulesInfraction | Termination::TimeForfeit | Termination::Abandoned => {
                true
            }
        }
    }
}

/// When a game ends before the rules end it.
#[derive(Clone, Default)]
pub struct Adjudication {
    /// A win, once both put one side this many men ahead.
    pub win: Option<Agreement>,
    /// A draw, once both see less than this many men between the sides.
    pub draw: Option<Agreement>,
    /// The result that these tables know, once nothing is to be captured.
    pub tables: Option<Arc<Tables>>,
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
    /// The winner that the tables know, or none where they know a draw: by the
    /// rules and what is left of their counts where the tables know that, or
    /// else the theoretical value.
    pub fn known(&self, game: &Game) -> Option<Option<Side>> {
        let tables = self.tables.as_ref()?;
        let position = game.position();
        if position.piece_count() as usize > tables.pieces() || position.has_capture() {
            return None;
        }
        let placement = Placement::of(position);
        let value = match tables.ruled(&placement, left(game.counts())) {
            Some(Ruled::Win(_)) => Value::Win,
            Some(Ruled::Draw) => Value::Draw,
            Some(Ruled::Loss(_)) => Value::Loss,
            None => tables.value(&placement)?,
        };
        let mover = position.side();
        Some(match value {
            Value::Win => Some(mover),
            Value::Draw => None,
            Value::Loss => Some(mover.opponent()),
        })
    }

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
        if let Some(winner) = adjudication.known(&game) {
            return Some(course.ended(winner, End::Tables));
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
    begin: Instant,
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
            begin: Instant::now(),
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
        let in_time = clock.spend(answer.time).map_err(|overstep| End::Time {
            loser,
            by: overstep.by,
        });
        let text = answer.text.unwrap_or_default();
        let read = move_text::read(&position, &text).map_err(|error| End::Illegal {
            loser,
            position: fen::write(&position),
            reason: match text.as_str() {
                "" => "there are some".to_owned(),
                _ => error.to_string(),
            },
            text,
        });
        // A move that comes too late is kept all the same, for its time.
        if let Ok(mv) = read {
            // It was found among the legal ones.
            let _ = game.play(mv);
            self.texts.push(move_text::hub(&position, mv));
            self.moves.push(PlayedMove {
                mv,
                info: answer.info,
                time: answer.time,
            });
        }
        in_time.and(read.map(drop))
    }

    fn lost(self, loser: Side, end: End) -> Record {
        self.ended(Some(loser.opponent()), end)
    }

    fn ended(self, winner: Option<Side>, end: End) -> Record {
        let thought = self.moves.iter().map(|played| played.time).sum();
        let overhead = self.begin.elapsed().saturating_sub(thought);
        Record {
            opening: self.opening,
            moves: self.moves,
            // A fault is waited for, and that is not our work.
            overhead: (!end.is_fault()).then_some(overhead),
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
    fn tables_know_results_by_the_rules_and_by_theory() {
        let adjudication = Adjudication {
            tables: Some(Arc::new(Tables::built_in())),
            ..Adjudication::default()
        };
        let known = |fen_text: &str, moves: &str| {
            let mut game = Game::new(fen::read(fen_text).unwrap());
            for text in moves.split_whitespace() {
                let mv = move_text::read(game.position(), text).unwrap();
                game.play(mv).unwrap();
            }
            adjudication.known(&game)
        };
        assert_eq!(known("W:WK29,K45:BK6", ""), Some(Some(Side::White)));
        // The same position with too little left of the five moves.
        let late = "9-18 44-11 18-29 11-22 34-45 22-6";
        assert_eq!(known("W:WK9,K34:BK44", late), Some(None));
        assert_eq!(known("W:W27:B22,K50", ""), None, "a capture is pending");
        assert_eq!(known("W:W31-50:B1-20", ""), None);
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
            tables: None,
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
