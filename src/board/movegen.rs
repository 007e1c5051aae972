//! The move generator.
//!
//! It works on sets: a question about all men in one direction is a few shifts
//! and ANDs. Only captures are followed piece by piece, depth first, since the
//! longest must be found; each *(origin, destination, captured)* is listed
//! once. Directions are types, so that every loop over them is unrolled.
//!
//! It knows neither history nor draws, and does not count for its own sake:
//! set-wise counting is in [`count`](super::count).

use super::{
    bitboard::{Bitboard, Direction, NorthEast, NorthWest, SouthEast, SouthWest},
    moves::{Move, MoveList},
    position::promotion_row,
    side::Side,
    square::Square,
};

/// The board as the side to move sees it.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Its men.
    pub men: Bitboard,
    /// Its kings.
    pub kings: Bitboard,
    /// All pieces of the opponent.
    pub enemies: Bitboard,
    /// The squares without a piece.
    pub empty: Bitboard,
}

/// A side as a type: the directions in which its men walk.
pub trait Mover {
    /// The side.
    const SIDE: Side;
    /// Where its men become kings.
    const PROMOTION: Bitboard = promotion_row(Self::SIDE);
    /// One way a man walks.
    type Left: Direction;
    /// The other way.
    type Right: Direction;
    /// The other side.
    type Opponent: Mover;
}

/// White to move.
pub struct White;

/// Black to move.
pub struct Black;

impl Mover for White {
    const SIDE: Side = Side::White;
    type Left = NorthWest;
    type Right = NorthEast;
    type Opponent = Black;
}

impl Mover for Black {
    const SIDE: Side = Side::Black;
    type Left = SouthWest;
    type Right = SouthEast;
    type Opponent = White;
}

impl View {
    /// The enemies with an empty square behind them in direction `D`.
    #[inline(always)]
    pub fn takeable<D: Direction>(&self) -> Bitboard {
        self.enemies & self.empty.step::<D::Opposite>()
    }

    /// The squares from which a man would capture in direction `D`.
    #[inline(always)]
    pub fn jump_squares<D: Direction>(&self) -> Bitboard {
        self.takeable::<D>().step::<D::Opposite>()
    }

    /// The men that can capture.
    #[inline(always)]
    pub fn capturing_men(&self) -> Bitboard {
        self.men
            & (self.jump_squares::<NorthWest>()
                | self.jump_squares::<NorthEast>()
                | self.jump_squares::<SouthWest>()
                | self.jump_squares::<SouthEast>())
    }

    /// The kings that can capture.
    #[inline(always)]
    pub fn capturing_kings(&self) -> Bitboard {
        self.kings
            & (self.king_jump_squares::<NorthWest>()
                | self.king_jump_squares::<NorthEast>()
                | self.king_jump_squares::<SouthWest>()
                | self.king_jump_squares::<SouthEast>())
    }

    /// The squares, empty or not, from which a king would capture in direction `D`.
    #[inline(always)]
    pub fn king_jump_squares<D: Direction>(&self) -> Bitboard {
        self.takeable::<D>()
            .slide::<D::Opposite>(self.empty)
            .step::<D::Opposite>()
    }

    /// Whether the side to move must capture.
    #[inline(always)]
    pub fn has_capture(&self) -> bool {
        self.capturing_men().any() || (self.kings.any() && self.capturing_kings().any())
    }

    /// Where the men can step in direction `D`.
    #[inline(always)]
    pub fn steps<D: Direction>(&self) -> Bitboard {
        self.men.step::<D>() & self.empty
    }
}

/// Whether `side`, to move, has any move.
#[inline(always)]
pub fn has_move(view: &View, side: Side) -> bool {
    has_quiet_move(view, side) || view.has_capture()
}

/// Whether a man can step or a king fly, should nothing be captured.
#[inline(always)]
fn has_quiet_move(view: &View, side: Side) -> bool {
    let steps = match side {
        Side::White => view.steps::<NorthWest>() | view.steps::<NorthEast>(),
        Side::Black => view.steps::<SouthWest>() | view.steps::<SouthEast>(),
    };
    let around = view.kings.step::<NorthWest>()
        | view.kings.step::<NorthEast>()
        | view.kings.step::<SouthWest>()
        | view.kings.step::<SouthEast>();
    (steps | (around & view.empty)).any()
}

/// Puts all legal moves of `side` into `list`, each once.
#[inline]
pub fn legal_moves(view: &View, side: Side, list: &mut MoveList) {
    captures(view, list);
    if list.is_empty() {
        match side {
            Side::White => quiet_moves::<White>(view, list),
            Side::Black => quiet_moves::<Black>(view, list),
        }
    }
}

/// Puts the longest captures into `list`, each once, whatever it held before.
#[inline]
pub fn captures(view: &View, list: &mut MoveList) {
    list.clear();
    Captures::new(view, list).by_all(view);
}

/// How many captures [`captures`] would list.
#[inline(never)]
pub(super) fn count_captures_one_by_one(view: &View) -> u32 {
    let mut tally = Tally::new();
    Captures::new(view, &mut tally).by_all(view);
    if tally.count <= Tally::CAPACITY {
        return tally.count as u32;
    }
    let mut list = MoveList::new();
    captures(view, &mut list);
    list.len() as u32
}

/// Appends the moves without capture, which are legal if there is no capture.
#[inline(always)]
pub fn quiet_moves<M: Mover>(view: &View, list: &mut MoveList) {
    steps::<M::Left>(view, list);
    steps::<M::Right>(view, list);
    for king in view.kings {
        flights(view, king, list);
    }
}

#[inline(always)]
fn steps<D: Direction>(view: &View, list: &mut MoveList) {
    let movers = view.men & view.empty.step::<D::Opposite>();
    for (origin, destination) in movers.into_iter().zip(movers.step::<D>()) {
        list.push(Move::quiet(origin, destination));
    }
}

#[inline(always)]
fn flights(view: &View, king: Square, list: &mut MoveList) {
    for destination in king_targets(king, view.empty) {
        list.push(Move::quiet(king, destination));
    }
}

/// Where a king flies without capturing.
#[inline(always)]
pub fn king_targets(king: Square, empty: Bitboard) -> Bitboard {
    let king = Bitboard::of(king);
    let reached = king.slide::<NorthWest>(empty)
        | king.slide::<NorthEast>(empty)
        | king.slide::<SouthWest>(empty)
        | king.slide::<SouthEast>(empty);
    reached.without(king)
}

/// Two paths of fewer captures never take the same pieces from the same square
/// to the same square.
///
/// A man needs a closed square of four for it; that the same holds for kings
/// was shown by cases and is fuzzed in `tests/movegen.rs`.
const SHORTEST_DUPLICATE: u32 = 4;

/// Gathers the longest captures.
trait Harvest {
    /// Drops what was gathered, since a longer capture was found.
    fn restart(&mut self);

    /// Adds captures of `taken`, one for each square on which they end.
    fn add(&mut self, origin: Square, landings: Bitboard, taken: Bitboard);
}

impl Harvest for MoveList {
    #[inline(always)]
    fn restart(&mut self) {
        self.clear();
    }

    #[inline(always)]
    fn add(&mut self, origin: Square, landings: Bitboard, taken: Bitboard) {
        let may_repeat = taken.count() >= SHORTEST_DUPLICATE;
        for landing in landings {
            let mv = Move::capture(origin, landing, taken);
            if !may_repeat || !self.contains(&mv) {
                self.push(mv);
            }
        }
    }
}

/// Counts captures, and keeps a few to recognise repeated ones: a list is
/// dear to make. Above [`Tally::CAPACITY`] the count says only that it is above.
struct Tally {
    count: usize,
    moves: [Move; Self::CAPACITY],
}

impl Tally {
    const CAPACITY: usize = 16;

    #[inline(always)]
    fn new() -> Tally {
        Tally {
            count: 0,
            moves: [Move::NONE; Self::CAPACITY],
        }
    }
}

impl Harvest for Tally {
    #[inline(always)]
    fn restart(&mut self) {
        self.count = 0;
    }

    #[inline(always)]
    fn add(&mut self, origin: Square, landings: Bitboard, taken: Bitboard) {
        for landing in landings {
            let mv = Move::capture(origin, landing, taken);
            let known = self.moves.get(..self.count).unwrap_or(&self.moves);
            if !known.contains(&mv) {
                if let Some(slot) = self.moves.get_mut(self.count) {
                    *slot = mv;
                }
                self.count += 1;
            }
        }
    }
}

/// The captures of one piece after another, followed depth first into a
/// harvest of the longest.
struct Captures<'a, H> {
    harvest: &'a mut H,
    /// Where the piece started.
    origin: Square,
    /// The board with the piece lifted: its origin is empty.
    board: View,
    /// For each direction the squares from which a king sees a piece to take,
    /// be it taken already or not.
    sees: [Bitboard; 4],
    /// The largest number taken by a capture in the harvest.
    longest: u32,
}

impl<'a, H: Harvest> Captures<'a, H> {
    #[inline(always)]
    fn new(view: &View, harvest: &'a mut H) -> Captures<'a, H> {
        Captures {
            harvest,
            origin: Square::FIRST,
            board: *view,
            sees: [Bitboard::EMPTY; 4],
            longest: 0,
        }
    }

    /// Follows all pieces.
    #[inline(always)]
    fn by_all(mut self, view: &View) {
        for man in view.capturing_men() {
            self.lift(view, man);
            self.man_goes_on(Bitboard::of(man), Bitboard::EMPTY);
        }
        if view.kings.any() {
            for king in view.capturing_kings() {
                self.lift(view, king);
                self.by_king();
            }
        }
    }

    /// Takes a piece into the hand: its square is empty now.
    #[inline(always)]
    fn lift(&mut self, view: &View, origin: Square) {
        self.origin = origin;
        self.board.empty = view.empty | Bitboard::of(origin);
    }

    /// Every way on for a man on the square `at` that has taken `taken`.
    fn man_goes_on(&mut self, at: Bitboard, taken: Bitboard) {
        let further = self.man_jumps::<NorthWest>(at, taken)
            | self.man_jumps::<NorthEast>(at, taken)
            | self.man_jumps::<SouthWest>(at, taken)
            | self.man_jumps::<SouthEast>(at, taken);
        if !further {
            self.record(at, taken);
        }
    }

    #[inline(always)]
    fn man_jumps<D: Direction>(&mut self, at: Bitboard, taken: Bitboard) -> bool {
        let over = at.step::<D>() & self.board.enemies.without(taken);
        let landing = over.step::<D>() & self.board.empty;
        if landing.any() {
            self.man_goes_on(landing, taken | over);
        }
        landing.any()
    }

    fn by_king(&mut self) {
        self.sees = [
            self.board.king_jump_squares::<NorthWest>(),
            self.board.king_jump_squares::<NorthEast>(),
            self.board.king_jump_squares::<SouthWest>(),
            self.board.king_jump_squares::<SouthEast>(),
        ];
        let at = Bitboard::of(self.origin);
        self.king_jumps::<NorthWest>(at, Bitboard::EMPTY);
        self.king_jumps::<NorthEast>(at, Bitboard::EMPTY);
        self.king_jumps::<SouthWest>(at, Bitboard::EMPTY);
        self.king_jumps::<SouthEast>(at, Bitboard::EMPTY);
    }

    /// Jumps over the first piece that a king on `at` meets in direction `D`,
    /// if it can be taken, and goes on from every landing square.
    ///
    /// `at` may be several squares of one free line: they meet the same piece.
    fn king_jumps<D: Direction>(&mut self, at: Bitboard, taken: Bitboard) -> bool {
        let at = at & self.sees[D::INDEX];
        if at.is_empty() {
            return false;
        }
        let over = at.slide::<D>(self.board.empty).step::<D>() & self.board.enemies.without(taken);
        if over.is_empty() {
            return false;
        }
        let landings = over.step::<D>().slide::<D>(self.board.empty);
        let taken = taken | over;
        let mut further = self.king_jumps::<D>(landings, taken);
        for square in landings & (self.sees[D::Left::INDEX] | self.sees[D::Right::INDEX]) {
            let square = Bitboard::of(square);
            further |= self.king_jumps::<D::Left>(square, taken);
            further |= self.king_jumps::<D::Right>(square, taken);
        }
        if !further {
            self.record(landings, taken);
        }
        true
    }

    /// Harvests the captures of `taken` that end on `landings`, unless longer
    /// ones are known.
    #[inline(always)]
    fn record(&mut self, landings: Bitboard, taken: Bitboard) {
        let length = taken.count();
        if length < self.longest {
            return;
        }
        if length > self.longest {
            self.longest = length;
            self.harvest.restart();
        }
        self.harvest.add(self.origin, landings, taken);
    }
}
