//! The generator against a second one that shares nothing with it: squares in
//! an array, every path followed, and a set that takes each move once.
//!
//! It shows among other things that captures of fewer than four pieces never
//! repeat, on which the generator relies.

use std::collections::BTreeSet;

use manoury::{
    board::{Bitboard, MoveList, Position, Side, Square},
    perft::{Counter, Monitor, Options},
};

/// Origin, destination and the captured squares.
type PlainMove = (usize, usize, BTreeSet<usize>);

#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Empty,
    Own { king: bool },
    Enemy,
}

struct PlainBoard {
    side: Side,
    /// By number; 0 is not used.
    cells: [Cell; 51],
    best: BTreeSet<PlainMove>,
    longest: usize,
}

const DIAGONALS: [(isize, isize); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

/// The square next to `number`, if the board has one there.
fn next(number: usize, (down, right): (isize, isize)) -> Option<usize> {
    let row = (number as isize - 1) / 5;
    let column = (number as isize - 1) % 5 * 2 + (row + 1) % 2;
    let (row, column) = (row + down, column + right);
    let on_board = (0..10).contains(&row) && (0..10).contains(&column);
    on_board.then_some((row * 5 + column / 2 + 1) as usize)
}

impl PlainBoard {
    fn of(position: &Position) -> PlainBoard {
        let side = position.side();
        let mut cells = [Cell::Empty; 51];
        for square in Square::all() {
            let kings = position.kings(side) | position.kings(side.opponent());
            let king = kings.contains(square);
            if position.pieces(side).contains(square) {
                cells[usize::from(square.number())] = Cell::Own { king };
            } else if position.pieces(side.opponent()).contains(square) {
                cells[usize::from(square.number())] = Cell::Enemy;
            }
        }
        PlainBoard {
            side,
            cells,
            best: BTreeSet::new(),
            longest: 0,
        }
    }

    /// The legal moves.
    fn moves(mut self) -> BTreeSet<PlainMove> {
        for from in 1..=50 {
            if let Cell::Own { king } = self.cells[from] {
                self.cells[from] = Cell::Empty;
                self.follow(from, from, king, &BTreeSet::new());
                self.cells[from] = Cell::Own { king };
            }
        }
        self.best
    }

    /// Follows a piece that has taken `taken` and stands on `at`.
    fn follow(&mut self, from: usize, at: usize, king: bool, taken: &BTreeSet<usize>) {
        if taken.len() > self.longest {
            self.longest = taken.len();
            self.best.clear();
        }
        if taken.len() == self.longest && !taken.is_empty() {
            self.best.insert((from, at, taken.clone()));
        }
        for diagonal in DIAGONALS {
            let forward = match self.side {
                Side::White => diagonal.0 < 0,
                Side::Black => diagonal.0 > 0,
            };
            let mut square = next(at, diagonal);
            while let Some(to) = square.filter(|&to| self.cells[to] == Cell::Empty) {
                if self.longest == 0 && (king || forward) {
                    self.best.insert((from, to, BTreeSet::new()));
                }
                square = if king { next(to, diagonal) } else { None };
            }
            let Some(over) = square.filter(|&over| self.cells[over] == Cell::Enemy) else {
                continue;
            };
            if taken.contains(&over) {
                continue;
            }
            let mut with_over = taken.clone();
            with_over.insert(over);
            let mut landing = next(over, diagonal);
            while let Some(to) = landing.filter(|&to| self.cells[to] == Cell::Empty) {
                self.follow(from, to, king, &with_over);
                landing = if king { next(to, diagonal) } else { None };
            }
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as usize % bound
    }

    /// Pieces of random kinds on random squares, more or less densely.
    fn position(&mut self) -> Position {
        let (pieces, kings) = (1 + self.below(20), self.below(5));
        let mut men_of = [Bitboard::EMPTY; 2];
        let mut kings_of = [Bitboard::EMPTY; 2];
        for square in Square::all() {
            if self.below(25) >= pieces {
                continue;
            }
            let side = self.below(2);
            let is_last_row = match side {
                0 => square.row() == 0,
                _ => square.row() == 9,
            };
            if self.below(5) < kings {
                kings_of[side] |= Bitboard::of(square);
            } else if !is_last_row {
                men_of[side] |= Bitboard::of(square);
            }
        }
        let side = Side::BOTH[self.below(2)];
        Position::new(men_of, kings_of, side).unwrap()
    }

    fn play(&mut self, position: &Position) -> Option<Position> {
        let mut list = MoveList::new();
        position.legal_moves(&mut list);
        (!list.is_empty()).then(|| position.play(list[self.below(list.len())]))
    }

    /// Half of the positions are random placements, a quarter come from play
    /// after them and a quarter from games.
    fn positions(mut self, count: usize) -> impl Iterator<Item = Position> {
        let mut game = Position::initial();
        (0..count).map(move |number| match number % 4 {
            0 => {
                game = self.play(&game).unwrap_or(Position::initial());
                game
            }
            1 => {
                let start = self.position();
                let plies = 1 + self.below(6);
                let line = std::iter::successors(Some(start), |last| self.play(last));
                line.take(plies).last().unwrap_or(start)
            }
            _ => self.position(),
        })
    }
}

fn plain(position: &Position, list: &MoveList) -> BTreeSet<PlainMove> {
    let number = |square: Square| usize::from(square.number());
    list.into_iter()
        .map(|mv| {
            let captured = position.captured(mv).into_iter().map(number).collect();
            let destination = position.destination(mv);
            (number(mv.origin()), number(destination), captured)
        })
        .collect()
}

#[test]
fn moves_are_those_of_a_generator_that_follows_every_path() {
    let mut list = MoveList::new();
    for position in Random(1787).positions(100_000) {
        let expected = PlainBoard::of(&position).moves();
        position.legal_moves(&mut list);
        assert_eq!(plain(&position, &list), expected, "{position:?}");
        assert_eq!(list.len(), expected.len(), "repeated moves in {position:?}");
        assert_eq!(
            position.count_moves() as usize,
            expected.len(),
            "{position:?}"
        );
        let has_capture = expected.iter().any(|(_, _, taken)| !taken.is_empty());
        assert_eq!(position.has_capture(), has_capture, "{position:?}");
        assert_eq!(position.has_move(), !expected.is_empty(), "{position:?}");
        assert_eq!(
            position.reversed().count_moves(),
            position.count_moves(),
            "{position:?}"
        );
    }
}

#[test]
fn counts_in_bulk_are_those_of_playing_every_move() {
    let counter = |bulk| {
        Counter::new(&Options {
            bulk,
            ..Options::default()
        })
        .unwrap()
    };
    let (bulk, one_by_one) = (counter(true), counter(false));
    let monitor = Monitor::default();
    for (number, position) in (0..).zip(Random(1747).positions(100_000)) {
        let count = |counter: &Counter, position: &Position, depth| {
            counter.count(position, depth, &monitor).unwrap()
        };
        let pairs = count(&bulk, &position, 2);
        assert_eq!(count(&bulk, &position.reversed(), 2), pairs, "{position:?}");
        if pairs <= 5000 {
            assert_eq!(count(&one_by_one, &position, 2), pairs, "{position:?}");
        }
        if number % 8 < 2 && pairs <= 1000 {
            assert_eq!(
                count(&bulk, &position, 3),
                count(&one_by_one, &position, 3),
                "{position:?}"
            );
        }
    }
}
