//! Positions to learn from, out of recorded games.
//!
//! Files are read over and over, a game at a time; of each game the quiet
//! positions are taken, those in which neither side can capture. A pool mixes
//! the positions of many games, so that memory is bounded whatever the files'
//! size. Games are parted into training and validation by their place.

use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

use super::record::{Reader, Record, RecordError};
use crate::{
    arena::openings::Dice,
    board::{Position, Side},
    eval::features::View,
};

/// A position with what became of it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The board as the side to move sees it.
    pub view: View,
    /// The score of a search, in centi-men to the side to move.
    pub score: i16,
    /// The result of the game to the side to move: 0, 1 or 2 for loss, draw, win.
    pub result: u8,
}

/// Which of the games are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Those to learn from.
    Training,
    /// One in twenty, to measure with.
    Validation,
}

/// An error of a file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct FileError {
    path: PathBuf,
    error: RecordError,
}

/// One game in so many is for validation.
const VALIDATION: u64 = 20;

/// Calls `visit` with each sample of a part of the games, in their order.
pub fn for_each(
    files: &[PathBuf],
    part: Part,
    mut visit: impl FnMut(Sample),
) -> Result<(), FileError> {
    let mut number = 0_u64;
    for path in files {
        let wrong = |error| FileError {
            path: path.clone(),
            error,
        };
        for game in open(path).map_err(wrong)? {
            let game = game.map_err(wrong)?;
            let is_validation =
                number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 < (1 << 32) / VALIDATION;
            number += 1;
            if is_validation == (part == Part::Validation) {
                samples(&game, &mut visit);
            }
        }
    }
    Ok(())
}

fn open(path: &Path) -> Result<Reader<BufReader<File>>, RecordError> {
    Ok(Reader::new(BufReader::new(File::open(path)?)))
}

fn samples(game: &Record, visit: &mut impl FnMut(Sample)) {
    let mut position = game.start;
    for &mv in &game.opening {
        position = position.play(mv);
    }
    for scored in &game.moves {
        if is_quiet(&position) {
            visit(Sample {
                view: View::new(&position),
                score: scored.score,
                result: result(game.winner, position.side()),
            });
        }
        position = position.play(scored.mv);
    }
}

fn is_quiet(position: &Position) -> bool {
    !position.has_capture() && !position.view_of(position.side().opponent()).has_capture()
}

fn result(winner: Option<Side>, side: Side) -> u8 {
    match winner {
        Some(winner) if winner == side => 2,
        Some(_) => 0,
        None => 1,
    }
}

/// Mixes samples: what goes in comes out in batches, in another order.
pub struct Pool {
    samples: Vec<Sample>,
    size: usize,
    dice: Dice,
}

impl Pool {
    /// A pool that holds at most `size` samples.
    pub fn new(size: usize, seed: u64) -> Pool {
        Pool {
            samples: Vec::with_capacity(size),
            size,
            dice: Dice::new(seed),
        }
    }

    /// Puts a sample in, and takes one out if the pool is full.
    pub fn exchange(&mut self, sample: Sample) -> Option<Sample> {
        if self.samples.len() < self.size {
            self.samples.push(sample);
            return None;
        }
        let place = self.dice.below(self.size);
        Some(std::mem::replace(&mut self.samples[place], sample))
    }

    /// Takes everything out, mixed.
    pub fn drain(&mut self) -> Vec<Sample> {
        let mut samples = std::mem::take(&mut self.samples);
        self.dice.shuffle(&mut samples);
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        board::MoveList,
        train::record::{ScoredMove, Writer},
    };

    /// A file with games of random moves, the number of each as its scores.
    fn file(name: &str, games: i16) -> PathBuf {
        let mut dice = Dice::new(2);
        let mut writer = Writer::new(Vec::new());
        for number in 0..games {
            let mut position = Position::initial();
            let mut moves = Vec::new();
            while moves.len() < 30 {
                let mut legal = MoveList::new();
                position.legal_moves(&mut legal);
                let mv = legal.as_slice()[dice.below(legal.as_slice().len())];
                position = position.play(mv);
                moves.push(ScoredMove { mv, score: number });
            }
            let record = Record {
                start: Position::initial(),
                opening: Vec::new(),
                moves,
                winner: Some(Side::White),
            };
            writer.add(&record).unwrap();
        }
        writer.flush().unwrap();
        let path = std::env::temp_dir().join(format!("manoury-{name}-{}", std::process::id()));
        std::fs::write(&path, writer.output()).unwrap();
        path
    }

    fn samples(path: &Path, part: Part) -> Vec<Sample> {
        let mut samples = Vec::new();
        for_each(&[path.to_owned()], part, |sample| samples.push(sample)).unwrap();
        samples
    }

    #[test]
    fn games_are_parted_and_their_quiet_positions_taken() {
        let path = file("parts", 400);
        let (training, validation) = (
            samples(&path, Part::Training),
            samples(&path, Part::Validation),
        );
        std::fs::remove_file(path).unwrap();
        let games = |samples: &[Sample]| {
            let mut games: Vec<i16> = samples.iter().map(|sample| sample.score).collect();
            games.dedup();
            games
        };
        let (training_games, validation_games) = (games(&training), games(&validation));
        assert_eq!(training_games.len() + validation_games.len(), 400);
        assert!((8..40).contains(&validation_games.len()));
        assert!(
            validation_games
                .iter()
                .all(|game| !training_games.contains(game))
        );
        // From the initial position White is to move and will win, then Black.
        assert_eq!((training[0].result, training[1].result), (2, 0));
        assert!(training.len() < 30 * training_games.len());
    }

    #[test]
    fn a_pool_gives_back_what_was_put_in_in_another_order() {
        let path = file("pool", 30);
        let samples = samples(&path, Part::Training);
        std::fs::remove_file(path).unwrap();
        let mut pool = Pool::new(100, 1);
        let mut mixed: Vec<i16> = samples
            .iter()
            .filter_map(|&sample| pool.exchange(sample))
            .map(|sample| sample.score)
            .collect();
        mixed.extend(pool.drain().iter().map(|sample| sample.score));
        let mut scores: Vec<i16> = samples.iter().map(|sample| sample.score).collect();
        assert_ne!(mixed, scores);
        mixed.sort_unstable();
        scores.sort_unstable();
        assert_eq!(mixed, scores);
    }

    #[test]
    fn an_error_names_its_file() {
        let error = for_each(&["/no/such/file".into()], Part::Training, |_| {}).unwrap_err();
        assert!(error.to_string().starts_with("/no/such/file: No such file"));
    }
}
