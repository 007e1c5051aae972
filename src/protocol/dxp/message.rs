//! The seven messages of DamExchange, from bytes to values and back.
//!
//! Reading takes one message without its final NUL. What a peer writes is
//! never trusted: every error is typed and shows what was found. What is not
//! known here: how messages follow each other, and whether a move is legal.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::time::Duration;

use crate::{
    board::{Bitboard, Move, MoveList, Position, PositionError, Side, Square},
    notation::excerpt,
};

/// The longest message, its NUL not counted.
pub const LONGEST: usize = 127;

/// How wide the field of a name is.
pub const NAME_WIDTH: usize = 32;

/// The most pieces that one move takes.
const MOST_CAPTURED: u32 = 20;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// `R`: shall we play?
    GameRequest(GameRequest),
    /// `A`: the answer to a request.
    GameAnswer {
        /// The name of who answers.
        name: String,
        /// What is answered.
        answer: Answer,
    },
    /// `M`: a move.
    Move(MoveMessage),
    /// `E`: the game is over.
    GameEnd {
        /// How it ended, as its sender sees it.
        reason: Reason,
        /// Whether the sender wants no further game.
        stop: bool,
    },
    /// `C`: a text for people.
    Chat(String),
    /// `B`: the wish to go back to a move.
    BackRequest {
        /// The number of a move, from 1.
        number: u16,
        /// Whose move it is.
        side: Side,
    },
    /// `K`: the answer to such a wish.
    BackAnswer(BackAnswer),
}

/// What a game is asked to be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRequest {
    /// The name of who asks.
    pub name: String,
    /// The colour of who is asked.
    pub follower: Side,
    /// What each side's clock shows; none for a game without clocks.
    pub time: Option<GameTime>,
    /// For how many moves of a side the time is; none for the whole game.
    pub moves: Option<u16>,
    /// Where the game starts.
    pub start: Position,
}

/// The time of a game: a number of minutes that three characters can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameTime {
    hundredths: u32,
}

/// The answer to a request for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// 0: the game starts.
    Accepted,
    /// 1: this version of the protocol is not understood.
    WrongVersion,
    /// 2: a game is on.
    Busy,
    /// 3: refused for another reason.
    Refused,
}

/// A move as it is sent. It becomes one of the game with [`MoveMessage::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveMessage {
    /// How many seconds the sender thought.
    pub seconds: u16,
    /// The square the piece leaves.
    pub from: Square,
    /// The square on which it ends.
    pub to: Square,
    /// The pieces it takes.
    pub captured: Bitboard,
}

/// How a game ended for the side that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// 0: nothing is said.
    Unknown,
    /// 1: the sender lost.
    Lost,
    /// 2: a draw.
    Draw,
    /// 3: the sender won.
    Won,
}

/// The answer to the wish to go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackAnswer {
    /// 0: granted.
    Accepted,
    /// 1: not supported, or not allowed.
    Refused,
    /// 2: let us go on.
    GoOn,
}

/// Why bytes are no message. Each shows what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// The first letter is none of `R A M E C B K`.
    #[error("'{0}' begins like no message of DamExchange")]
    Kind(String),
    /// There are more than [`LONGEST`] bytes.
    #[error("'{text}' has {found} characters instead of at most {LONGEST}")]
    TooLong {
        /// Its beginning.
        text: String,
        /// How many there are.
        found: usize,
    },
    /// A request in another version of the protocol.
    #[error("the request '{text}' is in version '{version}' instead of 01")]
    Version {
        /// The message.
        text: String,
        /// The version.
        version: String,
    },
    /// A field is missing or says nothing.
    #[error("'{text}' has no {field}: there is '{found}'")]
    Field {
        /// The message.
        text: String,
        /// What should be there.
        field: &'static str,
        /// What is there instead.
        found: String,
    },
    /// Something stands behind the end.
    #[error("'{text}' goes on behind its end with '{found}'")]
    Trailing {
        /// The message.
        text: String,
        /// What stands there.
        found: String,
    },
    /// The pieces of a request make no position.
    #[error("'{text}' asks for a game from no position: {cause}")]
    Position {
        /// The message.
        text: String,
        /// What is wrong.
        cause: PositionError,
    },
}

impl MessageError {
    /// The answer to this, if it was meant as a request for a game.
    pub fn answer(&self) -> Option<Answer> {
        match self {
            MessageError::Version { .. } => Some(Answer::WrongVersion),
            _ => self.begins_with('R').then_some(Answer::Refused),
        }
    }

    /// Whether this was meant as a move.
    pub fn is_move(&self) -> bool {
        self.begins_with('M')
    }

    fn begins_with(&self, letter: char) -> bool {
        match self {
            MessageError::Kind(text)
            | MessageError::TooLong { text, .. }
            | MessageError::Version { text, .. }
            | MessageError::Field { text, .. }
            | MessageError::Trailing { text, .. }
            | MessageError::Position { text, .. } => text.starts_with(letter),
        }
    }
}

impl Message {
    /// Reads a message, without its final NUL.
    pub fn read(bytes: &[u8]) -> Result<Message, MessageError> {
        if bytes.len() > LONGEST {
            return Err(MessageError::TooLong {
                text: shown(bytes),
                found: bytes.len(),
            });
        }
        let Some((letter, rest)) = bytes.split_first() else {
            return Err(MessageError::Kind(String::new()));
        };
        let mut fields = Fields { all: bytes, rest };
        let message = match letter {
            b'R' => Message::GameRequest(fields.game_request()?),
            b'A' => fields.game_answer()?,
            b'M' => Message::Move(fields.move_message()?),
            b'E' => fields.game_end()?,
            b'C' => return Ok(Message::Chat(latin(rest))),
            b'B' => fields.back_request()?,
            b'K' => Message::BackAnswer(fields.back_answer()?),
            _ => return Err(MessageError::Kind(shown(bytes))),
        };
        fields.end()?;
        Ok(message)
    }

    /// Writes the message with its final NUL.
    pub fn write(&self) -> Vec<u8> {
        let mut text = match self {
            Message::GameRequest(request) => request.write(),
            Message::GameAnswer { name, answer } => format!("A{}{}", padded(name), answer.code()),
            Message::Move(message) => message.write(),
            Message::GameEnd { reason, stop } => format!("E{}{}", reason.code(), u8::from(*stop)),
            Message::Chat(text) => format!("C{}", plain(text, LONGEST - 1)),
            Message::BackRequest { number, side } => {
                format!("B{:03}{}", number.min(&999), side_letter(*side))
            }
            Message::BackAnswer(answer) => format!("K{}", answer.code()),
        };
        text.push('\0');
        text.into_bytes()
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.write();
        let (_, text) = bytes.split_last().unwrap_or((&0, &[]));
        f.write_str(&latin(text))
    }
}

impl GameRequest {
    fn write(&self) -> String {
        let time = self.time.map_or("000".to_owned(), |time| time.to_string());
        let moves = self.moves.unwrap_or(0).min(999);
        let follower = side_letter(self.follower);
        let start = match self.start == Position::initial() {
            true => "A".to_owned(),
            false => format!("B{}", position_text(&self.start)),
        };
        format!("R01{}{follower}{time}{moves:03}{start}", padded(&self.name))
    }
}

impl GameTime {
    /// The time that three characters can say and that is this long, if there is one.
    ///
    /// These are whole minutes to 999, tenths to 9.9, and hundredths to 0.99.
    pub fn new(time: Duration) -> Option<GameTime> {
        let exact = time.as_millis().is_multiple_of(600);
        let hundredths = u32::try_from(time.as_millis() / 600).ok()?;
        let can_be_said = match hundredths {
            0 => false,
            1..100 => true,
            100..1000 => hundredths.is_multiple_of(10),
            _ => hundredths.is_multiple_of(100) && hundredths <= 99_900,
        };
        (exact && time.subsec_nanos().is_multiple_of(1_000_000) && can_be_said)
            .then_some(GameTime { hundredths })
    }

    /// How long it is.
    pub fn duration(self) -> Duration {
        Duration::from_millis(600 * u64::from(self.hundredths))
    }

    /// Reads minutes; nothing but zeros is no time.
    fn read(text: &str) -> Option<Option<GameTime>> {
        let text = text.trim().replace(',', ".");
        let is_number = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let minutes = text.parse::<f64>().ok().filter(|_| is_number)?;
        let hundredths = (minutes * 100.0).round() as u32;
        Some((hundredths > 0).then_some(GameTime { hundredths }))
    }
}

impl std::fmt::Display for GameTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (minutes, part) = (self.hundredths / 100, self.hundredths % 100);
        match part {
            0 => write!(f, "{minutes:03}"),
            _ if part % 10 == 0 => write!(f, "{minutes}.{}", part / 10),
            _ => write!(f, ".{part:02}"),
        }
    }
}

impl MoveMessage {
    /// The message of a move that is legal in `position`. The time is rounded
    /// to the nearest second.
    pub fn of(position: &Position, mv: Move, time: Duration) -> MoveMessage {
        let seconds = time.saturating_add(Duration::from_millis(500)).as_secs();
        MoveMessage {
            seconds: seconds.min(9999) as u16,
            from: mv.origin(),
            to: position.destination(mv),
            captured: position.captured(mv),
        }
    }

    /// The legal move that is meant, if there is one.
    pub fn find(&self, position: &Position) -> Option<Move> {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        legal.into_iter().find(|&mv| {
            mv.origin() == self.from
                && position.destination(mv) == self.to
                && position.captured(mv) == self.captured
        })
    }

    fn write(&self) -> String {
        let mut text = format!(
            "M{:04}{:02}{:02}{:02}",
            self.seconds.min(9999),
            self.from.number(),
            self.to.number(),
            self.captured.count()
        );
        for square in self.captured {
            text.push_str(&format!("{:02}", square.number()));
        }
        text
    }
}

impl Answer {
    const ALL: [Answer; 4] = [
        Answer::Accepted,
        Answer::WrongVersion,
        Answer::Busy,
        Answer::Refused,
    ];

    fn code(self) -> u8 {
        self as u8
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Answer::Accepted => "accepted",
            Answer::WrongVersion => "wrong version of the protocol",
            Answer::Busy => "busy",
            Answer::Refused => "refused",
        })
    }
}

impl Reason {
    const ALL: [Reason; 4] = [Reason::Unknown, Reason::Lost, Reason::Draw, Reason::Won];

    fn code(self) -> u8 {
        self as u8
    }
}

impl BackAnswer {
    const ALL: [BackAnswer; 3] = [BackAnswer::Accepted, BackAnswer::Refused, BackAnswer::GoOn];

    fn code(self) -> u8 {
        self as u8
    }
}

/// What is left to read of a message.
struct Fields<'a> {
    all: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn game_request(&mut self) -> Result<GameRequest, MessageError> {
        let version = self.take(2, "version")?;
        if version != b"01" {
            return Err(MessageError::Version {
                text: shown(self.all),
                version: shown(version),
            });
        }
        let name = self.name()?;
        let follower = self.side("colour W or Z")?;
        let time = self.parsed(3, "number of minutes", GameTime::read)?;
        let moves = self.number(3, "number of moves")?;
        Ok(GameRequest {
            name,
            follower,
            time,
            moves: Some(moves).filter(|&moves| moves > 0),
            start: self.start()?,
        })
    }

    fn start(&mut self) -> Result<Position, MessageError> {
        let field = "letter A or B for the position";
        match self.take(1, field)? {
            b"A" => Ok(Position::initial()),
            b"B" => self.set_up(),
            found => Err(self.wrong(field, found)),
        }
    }

    fn set_up(&mut self) -> Result<Position, MessageError> {
        let side = self.side("side to move W or Z")?;
        let field = "fifty squares of e, w, z, W, Z";
        let letters = self.take(50, field)?;
        let (mut men, mut kings) = ([Bitboard::EMPTY; 2], [Bitboard::EMPTY; 2]);
        let [white_men, black_men] = &mut men;
        let [white_kings, black_kings] = &mut kings;
        for (square, letter) in Square::all().zip(letters) {
            let set = match letter {
                b'w' => &mut *white_men,
                b'z' => &mut *black_men,
                b'W' => &mut *white_kings,
                b'Z' => &mut *black_kings,
                b'e' => continue,
                _ => return Err(self.wrong(field, letters)),
            };
            *set |= Bitboard::of(square);
        }
        Position::new(men, kings, side).map_err(|cause| MessageError::Position {
            text: shown(self.all),
            cause,
        })
    }

    fn game_answer(&mut self) -> Result<Message, MessageError> {
        Ok(Message::GameAnswer {
            name: self.name()?,
            answer: self.code("answer 0 to 3", &Answer::ALL)?,
        })
    }

    fn move_message(&mut self) -> Result<MoveMessage, MessageError> {
        let seconds = self.number(4, "number of seconds")?;
        let from = self.square("square to move from")?;
        let to = self.square("square to move to")?;
        let count = self.parsed(2, "number of captures up to 20", |text| {
            number(text).filter(|&count| u32::from(count) <= MOST_CAPTURED)
        })?;
        let listed = self.rest;
        let mut captured = Bitboard::EMPTY;
        for _ in 0..count {
            captured |= Bitboard::of(self.square("captured square")?);
        }
        if captured.count() != u32::from(count) {
            return Err(self.wrong("list of different captured squares", listed));
        }
        Ok(MoveMessage {
            seconds,
            from,
            to,
            captured,
        })
    }

    fn game_end(&mut self) -> Result<Message, MessageError> {
        Ok(Message::GameEnd {
            reason: self.code("reason 0 to 3", &Reason::ALL)?,
            stop: self.code("stop code 0 or 1", &[false, true])?,
        })
    }

    fn back_request(&mut self) -> Result<Message, MessageError> {
        Ok(Message::BackRequest {
            number: self.number(3, "number of a move")?,
            side: self.side("colour W or Z")?,
        })
    }

    fn back_answer(&mut self) -> Result<BackAnswer, MessageError> {
        self.code("answer 0 to 2", &BackAnswer::ALL)
    }

    fn name(&mut self) -> Result<String, MessageError> {
        let name = latin(self.take(NAME_WIDTH, "name of 32 characters")?);
        Ok(name.trim_matches(['\0', ' ']).to_owned())
    }

    fn side(&mut self, field: &'static str) -> Result<Side, MessageError> {
        match self.take(1, field)? {
            b"W" => Ok(Side::White),
            b"Z" => Ok(Side::Black),
            found => Err(self.wrong(field, found)),
        }
    }

    fn square(&mut self, field: &'static str) -> Result<Square, MessageError> {
        self.parsed(2, field, |text| {
            let number = number(text).and_then(|number| u8::try_from(number).ok());
            number.and_then(Square::from_number)
        })
    }

    fn number(&mut self, width: usize, field: &'static str) -> Result<u16, MessageError> {
        self.parsed(width, field, number)
    }

    /// A digit that chooses one of `all`.
    fn code<T: Copy>(&mut self, field: &'static str, all: &[T]) -> Result<T, MessageError> {
        self.parsed(1, field, |text| {
            let index = usize::from(number(text)?);
            all.get(index).copied()
        })
    }

    fn parsed<T>(
        &mut self,
        width: usize,
        field: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, MessageError> {
        let found = self.take(width, field)?;
        let parsed = std::str::from_utf8(found).ok().and_then(parse);
        parsed.ok_or_else(|| self.wrong(field, found))
    }

    fn take(&mut self, width: usize, field: &'static str) -> Result<&'a [u8], MessageError> {
        let Some((found, rest)) = self.rest.split_at_checked(width) else {
            return Err(self.wrong(field, self.rest));
        };
        self.rest = rest;
        Ok(found)
    }

    /// Nothing but blanks and line ends may follow.
    fn end(&self) -> Result<(), MessageError> {
        match self.rest.iter().all(u8::is_ascii_whitespace) {
            true => Ok(()),
            false => Err(MessageError::Trailing {
                text: shown(self.all),
                found: shown(self.rest),
            }),
        }
    }

    fn wrong(&self, field: &'static str, found: &[u8]) -> MessageError {
        MessageError::Field {
            text: shown(self.all),
            field,
            found: shown(found),
        }
    }
}

/// A number that is padded with zeros or blanks.
fn number(text: &str) -> Option<u16> {
    let text = text.trim();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn side_letter(side: Side) -> char {
    match side {
        Side::White => 'W',
        Side::Black => 'Z',
    }
}

/// The side to move and the fifty squares.
fn position_text(position: &Position) -> String {
    let letter = |square| {
        let sets = [
            ('w', position.men(Side::White)),
            ('z', position.men(Side::Black)),
            ('W', position.kings(Side::White)),
            ('Z', position.kings(Side::Black)),
        ];
        let mut holding = sets.into_iter().filter(|(_, set)| set.contains(square));
        holding.next().map_or('e', |(letter, _)| letter)
    };
    std::iter::once(side_letter(position.side()))
        .chain(Square::all().map(letter))
        .collect()
}

/// A name as wide as its field.
fn padded(name: &str) -> String {
    format!("{:<NAME_WIDTH$}", plain(name, NAME_WIDTH))
}

/// A text cut to `width` characters, those that are not printable ASCII replaced.
fn plain(text: &str, width: usize) -> String {
    let printable = |c| if matches!(c, ' '..='~') { c } else { '?' };
    text.chars().take(width).map(printable).collect()
}

/// Old programs write letters beyond ASCII as one byte each.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

fn shown(bytes: &[u8]) -> String {
    excerpt(&latin(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side() -> impl Strategy<Value = Side> {
        prop::sample::select(Side::BOTH.to_vec())
    }

    fn square() -> impl Strategy<Value = Square> {
        (1..=50_u8).prop_map(|number| Square::from_number(number).unwrap())
    }

    fn squares(most: usize) -> impl Strategy<Value = Bitboard> {
        prop::collection::vec(square(), 0..=most).prop_map(|all| all.into_iter().collect())
    }

    /// A name as it comes back: without blanks at its ends.
    fn name() -> impl Strategy<Value = String> {
        "([!-~]([ -~]{0,30}[!-~])?)?"
    }

    fn time() -> impl Strategy<Value = Option<GameTime>> {
        prop_oneof![
            Just(0),
            1..100_u32,
            (10..100_u32).prop_map(|tenths| 10 * tenths),
            (1..1000_u32).prop_map(|minutes| 100 * minutes),
        ]
        .prop_map(|hundredths| GameTime::new(Duration::from_millis(600 * u64::from(hundredths))))
    }

    fn position() -> impl Strategy<Value = Position> {
        let parts = (squares(50), squares(50), squares(50), side());
        parts.prop_filter_map("no position", |(white, black, kings, side)| {
            let black = black.without(white);
            let men = [white.without(kings), black.without(kings)];
            Position::new(men, [white & kings, black & kings], side).ok()
        })
    }

    fn message() -> impl Strategy<Value = Message> {
        let start = prop_oneof![Just(Position::initial()), position()];
        let moves = prop_oneof![Just(None), (1..1000_u16).prop_map(Some)];
        let request = (name(), side(), time(), moves, start).prop_map(
            |(name, follower, time, moves, start)| {
                Message::GameRequest(GameRequest {
                    name,
                    follower,
                    time,
                    moves,
                    start,
                })
            },
        );
        let a_move = (0..10_000_u16, square(), square(), squares(20)).prop_map(
            |(seconds, from, to, captured)| {
                Message::Move(MoveMessage {
                    seconds,
                    from,
                    to,
                    captured,
                })
            },
        );
        prop_oneof![
            request,
            a_move,
            (name(), prop::sample::select(Answer::ALL.to_vec()))
                .prop_map(|(name, answer)| Message::GameAnswer { name, answer }),
            (prop::sample::select(Reason::ALL.to_vec()), prop::bool::ANY)
                .prop_map(|(reason, stop)| Message::GameEnd { reason, stop }),
            "[ -~]{0,126}".prop_map(Message::Chat),
            (0..1000_u16, side()).prop_map(|(number, side)| Message::BackRequest { number, side }),
            prop::sample::select(BackAnswer::ALL.to_vec()).prop_map(Message::BackAnswer),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(message in message()) {
            let bytes = message.write();
            let (last, text) = bytes.split_last().unwrap();
            prop_assert_eq!(*last, 0);
            prop_assert!(text.len() <= LONGEST && !text.contains(&0));
            prop_assert_eq!(Message::read(text), Ok(message));
        }

        #[test]
        fn any_bytes_are_a_message_or_an_error_with_an_excerpt(
            letter in prop::sample::select(b"RAMECBK?".to_vec()),
            rest in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let bytes: Vec<u8> = std::iter::once(letter).chain(rest).collect();
            if let Err(error) = Message::read(&bytes) {
                let text = error.to_string();
                prop_assert!(text.len() < 1000 && !text.contains(char::is_control), "{}", text);
            }
        }

        #[test]
        fn a_damaged_message_does_not_panic(
            message in message(),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut bytes = message.write();
            bytes.pop();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = Message::read(&bytes);
            let _ = Message::read(&bytes[..at]);
        }
    }

    #[test]
    fn an_error_shows_the_message_and_what_is_wrong_with_it() {
        for (text, expected) in [
            ("", "'' begins like no message of DamExchange"),
            ("X12", "'X12' begins like no message of DamExchange"),
            ("E40", "'E40' has no reason 0 to 3: there is '4'"),
            ("E1", "'E1' has no stop code 0 or 1: there is ''"),
            (
                "M0001325100",
                "'M0001325100' has no square to move to: there is '51'",
            ),
            (
                "M00013221022727",
                "'M00013221022727' has no list of different captured squares: there is '2727'",
            ),
            (
                "M000132281",
                "'M000132281' has no number of captures up to 20: there is '1'",
            ),
            ("E10E10", "'E10E10' goes on behind its end with 'E10'"),
        ] {
            let error = Message::read(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn a_position_that_is_none_names_the_square() {
        let text = format!("R01{:32}W000000BW{}z", "X", "e".repeat(49));
        let error = Message::read(text.as_bytes()).unwrap_err();
        assert_eq!(error.answer(), Some(Answer::Refused));
        assert!(error.to_string().contains("square 50"), "{error}");
    }

    #[test]
    fn another_version_is_answered_as_such() {
        let text = format!("R02{:32}W000000A", "X");
        let error = Message::read(text.as_bytes()).unwrap_err();
        assert_eq!(error.answer(), Some(Answer::WrongVersion));
    }

    #[test]
    fn minutes_have_three_characters() {
        for (text, milliseconds) in [
            ("060", 3_600_000),
            ("0.5", 30_000),
            (".05", 3_000),
            ("0,5", 30_000),
            (" 5 ", 300_000),
            ("2.5", 150_000),
        ] {
            let time = GameTime::read(text).unwrap().unwrap();
            assert_eq!(time.duration(), Duration::from_millis(milliseconds));
        }
        assert_eq!(GameTime::read("000"), Some(None));
        assert_eq!(GameTime::read("0.0"), Some(None));
        for text in ["", "   ", "abc", "1e2", "-01", "inf", "NaN", "..."] {
            assert_eq!(GameTime::read(text), None, "{text}");
        }
        assert_eq!(GameTime::new(Duration::from_secs(75)), None);
        assert_eq!(GameTime::new(Duration::from_millis(1)), None);
        assert_eq!(GameTime::new(Duration::from_secs(60_000)), None);
    }

    #[test]
    fn seconds_are_rounded_to_the_nearest() {
        let position = Position::initial();
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let seconds = |milliseconds| {
            MoveMessage::of(&position, legal[0], Duration::from_millis(milliseconds)).seconds
        };
        assert_eq!([0, 499, 500, 1499].map(seconds), [0, 0, 1, 1]);
        assert_eq!(seconds(u64::MAX), 9999);
    }
}
