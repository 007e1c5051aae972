//! Games as text: Portable Draughts Notation 3.0, game type 20.
//!
//! [`Reader`] takes a file apart game by game in bounded memory, [`write()`] puts
//! a [`PdnGame`] on paper. Reading is lenient about form and strict about
//! content: every move is one of the legal ones, or the game ends there with a
//! [`PdnError`] and the next one is read. What is not known here: whether a
//! result agrees with the last position, what a comment or a NAG means, and
//! where the text comes from.

mod builder;
mod characters;
mod lexer;
mod reader;
mod writer;

pub use reader::Reader;
pub use writer::write;

use super::{FenError, MoveTextError};
use crate::{
    board::{Move, Position, Side},
    rules::Game,
};

/// What of a text the value of a tag can hold: reading it back gives the same.
pub fn tag_value(text: &str) -> String {
    let mut value = lexer::tidy(text);
    let end = (0..=lexer::LONGEST_TAG)
        .rev()
        .find(|&end| value.is_char_boundary(end));
    value.truncate(end.unwrap_or(0));
    lexer::tidy(&value)
}

/// A game with everything its text says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdnGame {
    /// Names and values of the tags in their order, all of them as the text
    /// has them, also those that the other fields stand for.
    pub tags: Vec<(String, String)>,
    /// The position the game starts from.
    pub start: Position,
    /// What was played, with comments and variations.
    pub main_line: PdnLine,
    /// Who won.
    pub result: PdnResult,
    /// What could not be read. The moves before it are there.
    pub problem: Option<PdnError>,
}

/// Moves in a row: a game or a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdnLine {
    /// The comments before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub plies: Vec<PdnPly>,
}

/// A move with what was written about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdnPly {
    /// The move, legal in its position.
    pub mv: Move,
    /// Numeric glyphs, `$1` to `$255`; `!` and its like are among them.
    pub nags: Vec<u8>,
    /// The comments behind the move, with single spaces.
    pub comments: Vec<String>,
    /// What could have been played instead of this move.
    pub variations: Vec<PdnLine>,
}

/// How a game ended, as its text claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PdnResult {
    /// `2-0` or `1-0`.
    WhiteWins,
    /// `1-1` or `1/2-1/2`.
    Draw,
    /// `0-2` or `0-1`.
    BlackWins,
    /// `0-0`: both lose, or nobody played.
    BothLose,
    /// `*`, or nothing at all.
    #[default]
    Unknown,
}

/// A move's number as texts show it: `12.` for White, `12...` for Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveNumber {
    /// Counted from 1 at the start of the game, whatever the text says.
    pub number: usize,
    /// Whose move it is.
    pub side: Side,
}

/// What is wrong with a game, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game}, line {line}, {}'{text}': {reason}", before_text(*.move_number))]
pub struct PdnError {
    /// Which game of the file, counted from 1.
    pub game: u64,
    /// Which line of the file, counted from 1.
    pub line: u64,
    /// The number of the move that was to come; none for an error in a tag.
    pub move_number: Option<MoveNumber>,
    /// The beginning of the text at fault.
    pub text: String,
    /// What is wrong with it.
    pub reason: PdnErrorReason,
}

/// Why a game could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdnErrorReason {
    /// A move is not one, or not legal.
    #[error(transparent)]
    Move(#[from] MoveTextError),
    /// The set-up is no position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The game is not international draughts.
    #[error("the game type is not 20, international draughts")]
    GameType,
    /// There are more moves, variations included, than are read.
    #[error("there are more than {} moves", builder::MOST_PLIES)]
    TooManyMoves,
    /// A comment is still open at the end of the text.
    #[error("the comment is never closed")]
    UnclosedComment,
    /// A variation is still open at the end of the game.
    #[error("a variation is never closed")]
    UnclosedVariation,
}

fn before_text(number: Option<MoveNumber>) -> String {
    number.map_or_else(String::new, |number| format!("move {number} "))
}

impl PdnGame {
    /// A game without moves, tags and result.
    pub fn new(start: Position) -> PdnGame {
        PdnGame {
            tags: Vec::new(),
            start,
            main_line: PdnLine::default(),
            result: PdnResult::Unknown,
            problem: None,
        }
    }

    /// The value of a tag, whatever the case of its name; the first if it
    /// occurs several times.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        tags.find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The moves that were played.
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.main_line.plies.iter().map(|ply| ply.mv)
    }

    /// The game as the rules see it, after its last move; a move that is not
    /// legal, which no reader makes, ends it.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        for mv in self.moves() {
            if game.play(mv).is_err() {
                break;
            }
        }
        game
    }
}

impl From<&Game> for PdnGame {
    fn from(game: &Game) -> PdnGame {
        let plies = game.moves().iter().map(|&mv| PdnPly::from(mv));
        PdnGame {
            main_line: PdnLine {
                comments: Vec::new(),
                plies: plies.collect(),
            },
            ..PdnGame::new(*game.start())
        }
    }
}

impl From<Move> for PdnPly {
    fn from(mv: Move) -> PdnPly {
        PdnPly {
            mv,
            nags: Vec::new(),
            comments: Vec::new(),
            variations: Vec::new(),
        }
    }
}

impl PdnResult {
    /// Reads a result of either family, with a hyphen for every dash.
    fn read(text: &str) -> Option<PdnResult> {
        match text {
            "2-0" | "1-0" => Some(PdnResult::WhiteWins),
            "1-1" | "1/2-1/2" | "½-½" => Some(PdnResult::Draw),
            "0-2" | "0-1" => Some(PdnResult::BlackWins),
            "0-0" => Some(PdnResult::BothLose),
            "*" => Some(PdnResult::Unknown),
            _ => None,
        }
    }
}

/// As game type 20 has it: `2-0`, `1-1`, `0-2`, `0-0`, `*`.
impl std::fmt::Display for PdnResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PdnResult::WhiteWins => "2-0",
            PdnResult::Draw => "1-1",
            PdnResult::BlackWins => "0-2",
            PdnResult::BothLose => "0-0",
            PdnResult::Unknown => "*",
        })
    }
}

impl std::fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dots = match self.side {
            Side::White => ".",
            Side::Black => "...",
        };
        write!(f, "{}{dots}", self.number)
    }
}

/// A place in a game, between two moves.
#[derive(Clone, Copy)]
struct Place {
    position: Position,
    number: MoveNumber,
}

impl Place {
    fn start(position: Position) -> Place {
        let number = MoveNumber {
            number: 1,
            side: position.side(),
        };
        Place { position, number }
    }

    /// The place after `mv`, which must be legal here.
    fn after(&self, mv: Move) -> Place {
        let MoveNumber { number, side } = self.number;
        let number = MoveNumber {
            number: number + usize::from(side == Side::Black),
            side: side.opponent(),
        };
        let position = self.position.play(mv);
        Place { position, number }
    }
}
