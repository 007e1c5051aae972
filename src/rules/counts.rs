//! The rules that count moves: 25, 16 and 5.
//!
//! A [`Counts`] is carried from position to position and knows of the past
//! only these few numbers; repetition, which needs the positions themselves,
//! is elsewhere.

use super::DrawRule;
use crate::board::{Bitboard, Move, Position, Side};

/// How many plies the three rules have counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Plies since the last capture or man's move, or since the set-up.
    kings_only: u8,
    /// Plies since three pieces came to stand against a lone king, as long as
    /// these three, or what the king left of them, still do.
    sixteen: Option<u8>,
    /// Plies since one or two pieces came to stand against a lone king.
    five: Option<u8>,
}

/// A balance of pieces for which moves are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Balance {
    /// Three pieces, at least one a king, against a lone king.
    Three,
    /// One or two pieces, at least one a king, against a lone king.
    OneOrTwo,
    /// Anything else.
    Other,
}

/// The limits in plies: so many moves by each side, twice.
const TWENTY_FIVE_MOVES: u8 = 50;
const SIXTEEN_MOVES: u8 = 32;
const FIVE_MOVES: u8 = 10;

/// So many plies of the twenty-five moves are too far from the limit to matter.
const FAR: u8 = 18;

impl Counts {
    /// The counts of a position that is set up: what it is in, starts at zero.
    pub fn at_set_up(position: &Position) -> Counts {
        let balance = Balance::of(position);
        Counts {
            kings_only: 0,
            sixteen: (balance == Balance::Three).then_some(0),
            five: (balance == Balance::OneOrTwo).then_some(0),
        }
    }

    /// The counts after `mv`, which leads from `before` to `after`.
    #[inline]
    pub fn after(self, before: &Position, mv: Move, after: &Position) -> Counts {
        let is_reversible = !mv.is_capture() && !before.men(before.side()).contains(mv.origin());
        let (sixteen, five) = match Balance::of(after) {
            Balance::Other => (None, None),
            Balance::Three => (one_more_or_start(self.sixteen), None),
            // The three may have lost one: their count goes on beside the new one.
            Balance::OneOrTwo => (
                self.sixteen.map(|plies| plies.saturating_add(1)),
                one_more_or_start(self.five),
            ),
        };
        Counts {
            kings_only: if is_reversible {
                self.kings_only.saturating_add(1)
            } else {
                0
            },
            sixteen,
            five,
        }
    }

    /// The rule whose limit is reached, if one is; whether the side to move
    /// has a move at all must be asked first.
    #[inline]
    pub fn draw(self) -> Option<DrawRule> {
        [
            DrawRule::TwentyFiveMoves,
            DrawRule::SixteenMoves,
            DrawRule::FiveMoves,
        ]
        .into_iter()
        .find(|&rule| self.plies_left(rule) == Some(0))
    }

    /// After how many more plies `rule` ends the game if nothing stops its
    /// count; `None` if it does not count now, as repetition never does.
    #[inline]
    pub fn plies_left(self, rule: DrawRule) -> Option<u8> {
        let (limit, plies) = match rule {
            DrawRule::Repetition => return None,
            DrawRule::TwentyFiveMoves => (TWENTY_FIVE_MOVES, Some(self.kings_only)),
            DrawRule::SixteenMoves => (SIXTEEN_MOVES, self.sixteen),
            DrawRule::FiveMoves => (FIVE_MOVES, self.five),
        };
        plies.map(|plies| limit.saturating_sub(plies))
    }

    /// A number that differs between counts as far as a search can feel them:
    /// a table of positions must not take for equal what the rules part. It is
    /// 0 as long as no limit is near.
    #[inline]
    pub fn signature(self) -> u64 {
        let kings_only = self.kings_only.saturating_sub(FAR);
        let plies = |count: Option<u8>| count.map_or(0, |plies| u64::from(plies) + 1);
        let all = u64::from(kings_only) | plies(self.sixteen) << 8 | plies(self.five) << 16;
        // Spread over all bits, as keys are (Steele, Lea and Flood, 2014).
        all.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ all << 32
    }

    /// For how many plies back nothing irreversible has been played: only so
    /// far can an equal position lie.
    #[inline(always)]
    pub(super) fn reversible_plies(self) -> usize {
        self.kings_only.into()
    }
}

/// The move that creates a balance is not counted, every later one is.
#[inline(always)]
fn one_more_or_start(plies: Option<u8>) -> Option<u8> {
    Some(plies.map_or(0, |plies| plies.saturating_add(1)))
}

impl Balance {
    #[inline(always)]
    fn of(position: &Position) -> Balance {
        if position.piece_count() > 4 {
            return Balance::Other;
        }
        let [white, black] = Side::BOTH.map(|side| (position.pieces(side), position.kings(side)));
        if is_lone_king(black) {
            Balance::against_lone_king(white)
        } else if is_lone_king(white) {
            Balance::against_lone_king(black)
        } else {
            Balance::Other
        }
    }

    fn against_lone_king((pieces, kings): (Bitboard, Bitboard)) -> Balance {
        match pieces.count() {
            1 | 2 if kings.any() => Balance::OneOrTwo,
            3 if kings.any() => Balance::Three,
            _ => Balance::Other,
        }
    }
}

fn is_lone_king((pieces, kings): (Bitboard, Bitboard)) -> bool {
    pieces == kings && pieces.count() == 1
}
