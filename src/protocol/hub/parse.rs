//! Lines to commands.
//!
//! Any bytes may come in: what is not understood is passed over in silence,
//! and what is understood but malformed is a typed error that names it. What a
//! command does is not known here.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::{ops::RangeFrom, str::FromStr};

use super::level::Level;
use crate::{
    board::Position,
    notation::{HubPositionError, MoveTextError, excerpt, hub, move_text},
    rules::Game,
    search::Purpose,
};

/// What a client wants.
pub(super) enum Command {
    /// `hub`: say who you are and what can be set.
    Hub,
    /// `init`: get ready.
    Init,
    /// `ping`: answer.
    Ping,
    /// `set-param`: set a parameter, whose name may be unknown.
    SetParameter {
        /// Its name.
        name: String,
        /// Its value, not yet looked at.
        value: String,
    },
    /// `pos`: this is the game.
    Position(Box<Game>),
    /// `level`: this long.
    Level(Level),
    /// `go`: search.
    Go(Purpose),
    /// `stop`: end the search.
    Stop,
    /// `ponder-hit`: the move that was pondered on was played.
    PonderHit,
    /// `new-game`: what was learned is of no more use.
    NewGame,
    /// `quit`.
    Quit,
}

/// Why a line that begins with a known command is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParseError {
    /// A quote is opened and never closed.
    #[error("an open quote: {0}")]
    OpenQuote(String),
    /// A value is not what its key asks for.
    #[error("{key} cannot be '{value}': it is {expected}")]
    BadValue {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What is allowed, in words.
        expected: &'static str,
    },
    /// An argument is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// The position is none.
    #[error("pos: {0}")]
    Position(#[from] HubPositionError),
    /// A move of the list is none.
    #[error("move {number}, {text}: {cause}")]
    Move {
        /// Which it is, from 1.
        number: usize,
        /// How it is written.
        text: String,
        /// What is wrong with it.
        cause: MoveTextError,
    },
    /// The line is longer than any sensible one.
    #[error("the line is too long")]
    TooLong,
}

/// A `key=value`, or a key alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Argument<'a> {
    /// What stands before the first `=`.
    pub(super) key: &'a str,
    /// What stands behind it, without quotes.
    value: Option<&'a str>,
}

/// Reads a line; `None` if it holds no command that is known.
///
/// Of a line that is `cut`, only the beginning is at hand.
pub(super) fn parse(line: &str, cut: bool) -> Result<Option<Command>, ParseError> {
    let name = line.split_whitespace().next().unwrap_or_default();
    let read: fn(&[Argument]) -> Result<Command, ParseError> = match name {
        "hub" => |_| Ok(Command::Hub),
        "init" => |_| Ok(Command::Init),
        "ping" => |_| Ok(Command::Ping),
        "set-param" => set_parameter,
        "pos" => position,
        "level" => |arguments| Ok(Command::Level(Level::parse(arguments.iter().copied())?)),
        "go" => |arguments| Ok(Command::Go(purpose(arguments))),
        "stop" => |_| Ok(Command::Stop),
        "ponder-hit" => |_| Ok(Command::PonderHit),
        "new-game" => |_| Ok(Command::NewGame),
        "quit" => |_| Ok(Command::Quit),
        _ => return Ok(None),
    };
    if cut {
        return Err(ParseError::TooLong);
    }
    read(&arguments(line)?).map(Some)
}

/// The arguments behind the command's name.
pub(super) fn arguments(line: &str) -> Result<Vec<Argument<'_>>, ParseError> {
    let mut rest = line
        .trim_start()
        .split_once(char::is_whitespace)
        .map_or("", |(_, rest)| rest);
    let mut arguments = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(arguments);
        }
        let (argument, behind) = first_argument(rest)?;
        arguments.push(argument);
        rest = behind;
    }
}

/// The argument at the beginning of `text`, and what comes behind it.
fn first_argument(text: &str) -> Result<(Argument<'_>, &str), ParseError> {
    let end = text
        .find(|c: char| c == '=' || c.is_whitespace())
        .unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    let Some(rest) = rest.strip_prefix('=') else {
        return Ok((Argument { key, value: None }, rest));
    };
    let (value, rest) = match rest.strip_prefix('"') {
        Some(quoted) => quoted
            .split_once('"')
            .ok_or_else(|| ParseError::OpenQuote(excerpt(text)))?,
        None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
    };
    let value = Some(value);
    Ok((Argument { key, value }, rest))
}

impl<'a> Argument<'a> {
    /// The value; a key alone has an empty one.
    fn text(self) -> &'a str {
        self.value.unwrap_or_default()
    }

    /// A whole number in `range`.
    pub(super) fn whole_number<N: FromStr + From<u8> + PartialOrd>(
        self,
        smallest: u8,
    ) -> Result<N, ParseError> {
        let range: RangeFrom<N> = N::from(smallest)..;
        let expected = match smallest {
            0 => "a whole number",
            _ => "a whole number of at least 1",
        };
        let number = self.text().parse().ok();
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| self.bad_value(expected))
    }

    /// A number of seconds, which may be negative.
    pub(super) fn seconds(self) -> Result<f64, ParseError> {
        let seconds = self.text().parse().ok();
        seconds
            .filter(|seconds: &f64| seconds.is_finite())
            .ok_or_else(|| self.bad_value("a number of seconds"))
    }

    fn bad_value(self, expected: &'static str) -> ParseError {
        ParseError::BadValue {
            key: excerpt(self.key),
            value: excerpt(self.text()),
            expected,
        }
    }
}

/// The last value of a key.
fn value_of<'a>(arguments: &[Argument<'a>], key: &str) -> Option<&'a str> {
    let named = arguments.iter().rfind(|argument| argument.key == key)?;
    named.value
}

fn set_parameter(arguments: &[Argument]) -> Result<Command, ParseError> {
    let name = value_of(arguments, "name").ok_or(ParseError::Missing("set-param name"))?;
    let value = value_of(arguments, "value").unwrap_or_default();
    Ok(Command::SetParameter {
        name: name.to_owned(),
        value: value.to_owned(),
    })
}

/// The game of a `pos` command: a position, or the flag `start`, and moves.
fn position(arguments: &[Argument]) -> Result<Command, ParseError> {
    let start = match value_of(arguments, "pos") {
        Some(text) => hub::read_position(text)?,
        None if arguments.iter().any(|argument| argument.key == "start") => Position::initial(),
        None => return Err(ParseError::Missing("pos pos")),
    };
    let mut game = Game::new(start);
    let moves = value_of(arguments, "moves").unwrap_or_default();
    for (number, text) in (1..).zip(moves.split_whitespace()) {
        play(&mut game, text).map_err(|cause| ParseError::Move {
            number,
            text: excerpt(text),
            cause,
        })?;
    }
    Ok(Command::Position(Box::new(game)))
}

fn play(game: &mut Game, text: &str) -> Result<(), MoveTextError> {
    let mv = move_text::read(game.position(), text)?;
    game.play(mv).map_err(|_| MoveTextError::NotAMove)
}

/// What `go` is for; without a word about it, to play.
fn purpose(arguments: &[Argument]) -> Purpose {
    let says = |word| arguments.iter().any(|argument| argument.key == word);
    if says("ponder") {
        Purpose::Ponder
    } else if says("analyze") {
        Purpose::Analyse
    } else {
        Purpose::Play
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: &str = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww";

    fn pairs(line: &str) -> Vec<(&str, Option<&str>)> {
        let arguments = arguments(line).unwrap().into_iter();
        arguments.map(|a| (a.key, a.value)).collect()
    }

    fn error(line: &str) -> String {
        match parse(line, false) {
            Ok(_) => panic!("{line} is no error"),
            Err(error) => error.to_string(),
        }
    }

    fn game(line: &str) -> Game {
        match parse(line, false) {
            Ok(Some(Command::Position(game))) => *game,
            Ok(_) => panic!("{line} is no position"),
            Err(error) => panic!("{line}: {error}"),
        }
    }

    #[test]
    fn arguments_are_keys_with_or_without_a_value() {
        assert_eq!(
            pairs("x a=1 flag  b=\"two words\"\tc=\"\" d= e==f=g =h\r"),
            [
                ("a", Some("1")),
                ("flag", None),
                ("b", Some("two words")),
                ("c", Some("")),
                ("d", Some("")),
                ("e", Some("=f=g")),
                ("", Some("h")),
            ]
        );
        assert_eq!(pairs("x a=\"b\"c=d"), [("a", Some("b")), ("c", Some("d"))]);
        assert_eq!(pairs("x"), []);
        assert_eq!(pairs("  x  "), []);
    }

    #[test]
    fn what_is_unknown_is_no_command_and_no_error() {
        for line in ["", " \r", "Hub", "hubs", "= = =", "x=\"open", "\0\u{fffd}"] {
            assert!(matches!(parse(line, false), Ok(None)), "{line}");
            assert!(matches!(parse(line, true), Ok(None)), "{line}");
        }
        assert!(matches!(
            parse("ping x=1 \"", false),
            Ok(Some(Command::Ping))
        ));
        assert!(matches!(parse("\tping\r", false), Ok(Some(Command::Ping))));
        assert!(matches!(
            parse("level fish=1 depth=2", false),
            Ok(Some(Command::Level(_)))
        ));
    }

    #[test]
    fn what_is_malformed_is_named() {
        assert_eq!(
            error("level depth=abc"),
            "depth cannot be 'abc': it is a whole number of at least 1"
        );
        for line in [
            "level depth=0",
            "level depth=-1",
            "level depth=1.5",
            "level depth",
            "level depth=99999999999",
            "level nodes=x",
            "level move-time=nan",
            "level time=inf",
            "level inc=1,5",
            "level moves=-1",
            "pos",
            "pos pos=",
            "pos pos=X",
            "pos moves=32-28",
            "set-param value=1",
        ] {
            assert!(!error(line).is_empty());
        }
        assert_eq!(error("pos pos=\"W"), "an open quote: pos=\\\"W");
        assert_eq!(
            error(&format!("pos pos={START} moves=\"32-28 19-23 37-32\"")),
            "move 3, 37-32: a capture is mandatory: 28x19 takes 1"
        );
        assert_eq!(parse("pos pos=", true).err(), Some(ParseError::TooLong));
    }

    #[test]
    fn moves_are_understood_in_all_their_forms() {
        let both = ["pos start", &format!("pos pos={START} moves=\"\"")].map(game);
        assert_eq!(both[0].position(), both[1].position());
        let moves = [
            "32-28 19-23 28x19",
            "32-28 19-23 28x19x23",
            "32-28 19-23 28X19",
        ]
        .map(|moves| *game(&format!("pos pos={START} moves=\"{moves}\"")).position());
        assert_eq!(moves[0], moves[1]);
        let two = "WWeeeeeeeeeebbeeeeebbeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
        let orders = ["1x25x20x12x19", "1x25x12x19x20", "1x25x19"]
            .map(|mv| *game(&format!("pos pos={two} moves={mv}")).position());
        assert_eq!(orders[0], orders[1]);
        assert_eq!(orders[0], orders[2]);
    }

    #[test]
    fn go_says_what_for() {
        let purpose = |line| match parse(line, false) {
            Ok(Some(Command::Go(purpose))) => purpose,
            _ => panic!("{line}"),
        };
        assert_eq!(purpose("go"), Purpose::Play);
        assert_eq!(purpose("go think"), Purpose::Play);
        assert_eq!(purpose("go ponder"), Purpose::Ponder);
        assert_eq!(purpose("go analyze"), Purpose::Analyse);
    }

    proptest! {
        #[test]
        fn no_line_panics(
            command in "(hub|init|set-param|pos|level|go|stop|ponder-hit|new-game)",
            rest in "([ =\"a-z0-9.x-]|[WwBbe]|name=|value=|pos=|moves=|time=|depth=|\\PC){0,80}",
            cut: bool,
        ) {
            let _ = parse(&format!("{command} {rest}"), cut);
            let _ = parse(&rest, cut);
        }
    }
}
