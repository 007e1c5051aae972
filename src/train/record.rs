//! Games of the engine against itself, in few bytes.
//!
//! A file is a sequence of blocks, so that files simply concatenate. A block is
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `MGB1` |
//! | 4 | how many bytes the games have, little-endian as all numbers |
//! | 4 | CRC-32 of these bytes |
//! | … | the games |
//!
//! and a game is
//!
//! | bytes | content |
//! |---|---|
//! | 1 | bits 0 and 1: 0 White won, 1 drawn, 2 Black won; bit 2: a set-up follows; bit 3: Black begins |
//! | 25, with a set-up | the squares 1 to 50, two a byte, the first in the low half: 0 empty, 1 and 2 man and king of White, 3 and 4 of Black |
//! | varint | how many moves the opening has, which nobody chose |
//! | varint | how many moves the engine chose |
//! | … | the moves |
//!
//! A move that has an alternative is its place among the legal moves in
//! ascending order of their bits, in a byte, or 255 and two bytes. A move that
//! the engine chose is followed by its score, in centi-men to the mover: the
//! sum of it and the last mover's score, as a zigzag varint. What the games are
//! for is not known here.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::io::{self, Read, Write};

use crate::board::{Bitboard, Move, MoveList, Position, Side, Square};

/// A game of the engine against itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where it begins.
    pub start: Position,
    /// What was played before the engine took over.
    pub opening: Vec<Move>,
    /// What the engine played.
    pub moves: Vec<ScoredMove>,
    /// Who won; none if the game was drawn.
    pub winner: Option<Side>,
}

/// A move and what the engine thought of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// In centi-men, to the mover.
    pub score: i16,
}

/// What is wrong with a file of games.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It holds something that no writer makes.
    #[error("the block at byte {offset} is damaged: {reason}")]
    Damaged {
        /// Where the block begins, from 0.
        offset: u64,
        /// What was seen.
        reason: &'static str,
    },
}

/// What is wrong with a block whose writer was killed.
pub const CUT_OFF: &str = "it is cut off";

const MAGIC: [u8; 4] = *b"MGB1";

/// The bytes before the games of a block.
const HEADER: usize = 12;

/// A block is written when its games have this many bytes.
const BLOCK: usize = 1 << 16;

/// No block of ours is longer.
const LONGEST_BLOCK: usize = 1 << 24;

/// The most moves that a game may have: more than the rules allow.
const MOST_MOVES: u32 = 100_000;

/// Collects games and writes them a block at a time.
pub struct Writer<W: Write> {
    output: W,
    games: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Writes to the end of `output`.
    pub fn new(output: W) -> Writer<W> {
        Writer {
            output,
            games: Vec::new(),
        }
    }

    /// Adds a game; says whether a block was written, by which all games so
    /// far are in `output`.
    pub fn add(&mut self, record: &Record) -> io::Result<bool> {
        encode(record, &mut self.games);
        let is_full = self.games.len() >= BLOCK;
        if is_full {
            self.flush()?;
        }
        Ok(is_full)
    }

    /// Writes what is collected as one block.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.games.is_empty() {
            return Ok(());
        }
        let length = self.games.len() as u32;
        let mut block = Vec::with_capacity(HEADER + self.games.len());
        block.extend(MAGIC);
        block.extend(length.to_le_bytes());
        block.extend(crc32fast::hash(&self.games).to_le_bytes());
        block.append(&mut self.games);
        // One write a block: what is interrupted is one block at most.
        self.output.write_all(&block)?;
        self.output.flush()
    }

    /// What the blocks are written to.
    pub fn output(&self) -> &W {
        &self.output
    }
}

/// The games of a file, one block in memory at a time. After an error it ends.
pub struct Reader<R> {
    input: R,
    /// Where the next block begins.
    offset: u64,
    games: Vec<u8>,
    /// How much of `games` is read.
    read: usize,
    has_failed: bool,
}

impl<R: Read> Reader<R> {
    /// Reads from where `input` stands, which is the beginning of a block.
    pub fn new(input: R) -> Reader<R> {
        Reader {
            input,
            offset: 0,
            games: Vec::new(),
            read: 0,
            has_failed: false,
        }
    }

    fn game(&mut self) -> Result<Option<Record>, RecordError> {
        let begin = self.offset;
        if self.read == self.games.len() && !self.block()? {
            return Ok(None);
        }
        let mut bytes = self.games.get(self.read..).unwrap_or_default();
        let record = decode(&mut bytes).ok_or(RecordError::Damaged {
            offset: begin,
            reason: "a game is none",
        })?;
        self.read = self.games.len() - bytes.len();
        Ok(Some(record))
    }

    /// Reads a block; says whether there was one.
    fn block(&mut self) -> Result<bool, RecordError> {
        let offset = self.offset;
        let damaged = |reason| RecordError::Damaged { offset, reason };
        let mut header = Vec::new();
        (&mut self.input)
            .take(HEADER as u64)
            .read_to_end(&mut header)?;
        let Some((magic, rest)) = header.split_first_chunk::<4>() else {
            return match header.is_empty() {
                true => Ok(false),
                false => Err(damaged(CUT_OFF)),
            };
        };
        if *magic != MAGIC {
            return Err(damaged("it does not begin with MGB1"));
        }
        let mut numbers = rest.chunks_exact(4).map(|four| {
            let four = four.try_into().unwrap_or_default();
            u32::from_le_bytes(four)
        });
        let (Some(length), Some(checksum)) = (numbers.next(), numbers.next()) else {
            return Err(damaged(CUT_OFF));
        };
        if length == 0 || length as usize > LONGEST_BLOCK {
            return Err(damaged("no block has this length"));
        }
        self.games.clear();
        self.read = 0;
        (&mut self.input)
            .take(u64::from(length))
            .read_to_end(&mut self.games)?;
        if self.games.len() < length as usize {
            self.games.clear();
            return Err(damaged(CUT_OFF));
        }
        if crc32fast::hash(&self.games) != checksum {
            self.games.clear();
            return Err(damaged("its checksum is wrong"));
        }
        self.offset += HEADER as u64 + u64::from(length);
        Ok(true)
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let game = self.game().transpose();
        self.has_failed = matches!(game, Some(Err(_)));
        game
    }
}

fn encode(record: &Record, bytes: &mut Vec<u8>) {
    let result = match record.winner {
        Some(Side::White) => 0,
        None => 1,
        Some(Side::Black) => 2,
    };
    let is_set_up = record.start != Position::initial();
    let black_begins = record.start.side() == Side::Black;
    bytes.push(result | u8::from(is_set_up) << 2 | u8::from(black_begins) << 3);
    if is_set_up {
        encode_set_up(&record.start, bytes);
    }
    encode_number(record.opening.len() as u32, bytes);
    encode_number(record.moves.len() as u32, bytes);
    let mut position = record.start;
    for &mv in &record.opening {
        encode_move(&position, mv, bytes);
        position = position.play(mv);
    }
    let mut last = 0;
    for &ScoredMove { mv, score } in &record.moves {
        encode_move(&position, mv, bytes);
        position = position.play(mv);
        encode_number(zigzag(i32::from(score) + last), bytes);
        last = i32::from(score);
    }
}

/// The game at the beginning of `bytes`, which are those behind it afterwards.
fn decode(bytes: &mut &[u8]) -> Option<Record> {
    let flags = decode_byte(bytes)?;
    let winner = match flags & 3 {
        0 => Some(Side::White),
        1 => None,
        2 => Some(Side::Black),
        _ => return None,
    };
    let first = if flags & 8 == 0 {
        Side::White
    } else {
        Side::Black
    };
    let start = match flags & 4 {
        0 => Position::initial(),
        _ => decode_set_up(bytes, first)?,
    };
    let opening_length = decode_number(bytes).filter(|&length| length <= MOST_MOVES)?;
    let length = decode_number(bytes).filter(|&length| length <= MOST_MOVES)?;
    let mut position = start;
    let mut opening = Vec::new();
    for _ in 0..opening_length {
        let mv = decode_move(&position, bytes)?;
        position = position.play(mv);
        opening.push(mv);
    }
    let mut moves = Vec::new();
    let mut last = 0;
    for _ in 0..length {
        let mv = decode_move(&position, bytes)?;
        position = position.play(mv);
        last = unzigzag(decode_number(bytes)?).checked_sub(last)?;
        let score = i16::try_from(last).ok()?;
        moves.push(ScoredMove { mv, score });
    }
    Some(Record {
        start,
        opening,
        moves,
        winner,
    })
}

fn encode_set_up(position: &Position, bytes: &mut Vec<u8>) {
    let squares: Vec<u8> = Square::all()
        .map(|square| content(position, square))
        .collect();
    let pairs = squares.chunks(2);
    bytes.extend(pairs.map(|pair| pair.iter().rev().fold(0, |byte, half| byte << 4 | half)));
}

fn content(position: &Position, square: Square) -> u8 {
    let side = |side, man| match () {
        () if position.men(side).contains(square) => man,
        () if position.kings(side).contains(square) => man + 1,
        () => 0,
    };
    side(Side::White, 1) + side(Side::Black, 3)
}

fn decode_set_up(bytes: &mut &[u8], first: Side) -> Option<Position> {
    let (halves, rest) = bytes.split_at_checked(25)?;
    *bytes = rest;
    let halves = halves.iter().flat_map(|byte| [byte & 15, byte >> 4]);
    let mut men = [Bitboard::default(); 2];
    let mut kings = men;
    for (square, half) in Square::all().zip(halves) {
        let set = match half {
            0 => continue,
            1 => men.first_mut(),
            2 => kings.first_mut(),
            3 => men.last_mut(),
            4 => kings.last_mut(),
            _ => return None,
        }?;
        *set |= Bitboard::of(square);
    }
    Position::new(men, kings, first).ok()
}

/// The legal moves in the order in which they are numbered.
fn numbered(position: &Position) -> MoveList {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    list.as_mut_slice().sort_unstable_by_key(|mv| mv.bits());
    list
}

fn encode_move(position: &Position, mv: Move, bytes: &mut Vec<u8>) {
    let list = numbered(position);
    let place = list.as_slice().iter().position(|&legal| legal == mv);
    match (list.as_slice().len(), place.unwrap_or(0)) {
        (1, _) => {}
        (_, place @ 0..255) => bytes.push(place as u8),
        (_, place) => {
            bytes.push(255);
            bytes.extend((place as u16).to_le_bytes());
        }
    }
}

fn decode_move(position: &Position, bytes: &mut &[u8]) -> Option<Move> {
    let list = numbered(position);
    let place = match list.as_slice().len() {
        1 => 0,
        _ => match decode_byte(bytes)? {
            255 => usize::from(u16::from_le_bytes([
                decode_byte(bytes)?,
                decode_byte(bytes)?,
            ])),
            place => usize::from(place),
        },
    };
    list.as_slice().get(place).copied()
}

fn decode_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

/// Seven bits a byte, the lowest first; all bytes but the last have the eighth.
fn encode_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn decode_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let byte = decode_byte(bytes)?;
        number |= u32::from(byte & 127).checked_shl(shift)?;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

fn zigzag(number: i32) -> u32 {
    (number << 1 ^ number >> 31) as u32
}

fn unzigzag(number: u32) -> i32 {
    (number >> 1) as i32 ^ -((number & 1) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arena::openings::Dice, notation::fen};

    /// A game of random moves from `start`.
    fn game(start: Position, seed: u64) -> Record {
        let mut dice = Dice::new(seed);
        let mut position = start;
        let mut moves = Vec::new();
        while moves.len() < 60 && position.has_move() {
            let list = numbered(&position);
            let mv = list.as_slice()[dice.below(list.as_slice().len())];
            position = position.play(mv);
            let score = dice.below(20_001) as i16 - 10_000;
            moves.push(ScoredMove { mv, score });
        }
        let opening = moves
            .drain(..moves.len().min(6))
            .map(|one| one.mv)
            .collect();
        let winner = [Some(Side::White), Some(Side::Black), None][dice.below(3)];
        Record {
            start,
            opening,
            moves,
            winner,
        }
    }

    fn games() -> Vec<Record> {
        let crowd = "W:WK4,K5,K15,K16,K24,K26,K36,K46:B7,8,11,13,19,20,21,29,30,31,33,35,38,41,42";
        let starts = ["W:W31-50:B1-20", "B:W31,K7:B2,K48", crowd, "B:W31-50:B1-20"];
        let starts = starts.map(|text| fen::read(text).unwrap());
        (0..200)
            .map(|seed| game(starts[seed as usize % 4], seed))
            .collect()
    }

    fn written(games: &[Record]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new());
        for game in games {
            writer.add(game).unwrap();
        }
        writer.flush().unwrap();
        writer.output
    }

    #[test]
    fn what_is_written_is_read_back_and_files_concatenate() {
        let games = games();
        let mut bytes = written(&games[..120]);
        bytes.extend(written(&games[120..]));
        let read: Vec<Record> = Reader::new(bytes.as_slice()).map(Result::unwrap).collect();
        assert_eq!(read, games);
    }

    #[test]
    fn a_ply_takes_few_bytes() {
        let mut games = games();
        for game in &mut games {
            // Scores that mostly agree, as an engine's do.
            for (index, scored) in game.moves.iter_mut().enumerate() {
                scored.score = [20, -15, 24, -30][index % 4];
            }
        }
        let plies: usize = games
            .iter()
            .map(|game| game.opening.len() + game.moves.len())
            .sum();
        let bytes = written(&games).len();
        assert!(bytes < 3 * plies, "{bytes} for {plies}");
    }

    #[test]
    fn damage_is_named_with_its_place_and_what_came_before_is_kept() {
        let games = games();
        let first = written(&games[..10]);
        let bytes = [first.clone(), written(&games[10..20])].concat();
        let read = |bytes: &[u8]| -> (usize, String) {
            let mut error = String::new();
            let mut count = 0;
            for game in Reader::new(bytes) {
                match game {
                    Ok(_) => count += 1,
                    Err(damage) => error = damage.to_string(),
                }
            }
            (count, error)
        };
        let place = format!("the block at byte {} is damaged: ", first.len());
        let (count, error) = read(&bytes[..bytes.len() - 1]);
        assert_eq!((count, error), (10, format!("{place}it is cut off")));
        let mut wrong = bytes.clone();
        *wrong.last_mut().unwrap() ^= 1;
        assert_eq!(read(&wrong), (10, format!("{place}its checksum is wrong")));
        wrong[first.len()] = 0;
        assert_eq!(
            read(&wrong),
            (10, format!("{place}it does not begin with MGB1"))
        );
    }

    #[test]
    fn no_bytes_are_a_panic() {
        let mut games = Vec::new();
        for game in self::games().iter().take(8) {
            encode(game, &mut games);
        }
        let mut dice = Dice::new(1);
        for _ in 0..20_000 {
            let mut bytes = games.clone();
            for _ in 0..1 + dice.below(4) {
                let place = dice.below(bytes.len());
                bytes[place] = dice.below(256) as u8;
            }
            let mut rest = bytes.as_slice();
            while decode(&mut rest).is_some() {}
        }
    }
}
