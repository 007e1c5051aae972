//! What a position is worth, to the side that is to move.

use std::fmt;

/// A value in hundredths of a man, from the side to move's view.
///
/// Three ranges never overlap, so that a guess cannot be read as a proof:
///
/// | values | meaning |
/// |---|---|
/// | within ±[`Score::HEURISTIC_LIMIT`] | an evaluation |
/// | ±(9000 - n) | won or lost by the endgame tables, the tables being n plies away |
/// | ±(10000 - n) | won or lost in n plies |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i16);

/// Where a score stands to the value it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The value is at most the score.
    Upper,
    /// The value is at least the score.
    Lower,
    /// The value is the score.
    Exact,
}

impl Score {
    /// A drawn game.
    pub const DRAW: Score = Score(0);

    /// Above every score.
    pub const INFINITE: Score = Score(10_001);

    /// No evaluation is larger than this, either way.
    pub const HEURISTIC_LIMIT: i32 = 7_999;

    /// The most plies a distance may have.
    pub const MAX_DISTANCE: i32 = 999;

    const WIN: i16 = 10_000;

    /// An evaluation in hundredths of a man, cut to the heuristic range.
    #[inline(always)]
    pub const fn heuristic(centimen: i32) -> Score {
        let limit = Self::HEURISTIC_LIMIT;
        Score(if centimen > limit {
            limit as i16
        } else if centimen < -limit {
            -limit as i16
        } else {
            centimen as i16
        })
    }

    /// The side to move has lost in `plies` plies; 0 if it has no move now.
    #[inline(always)]
    pub const fn loss_in(plies: usize) -> Score {
        Score(plies as i16 - Self::WIN)
    }

    /// The side to move wins in `plies` plies.
    #[inline(always)]
    pub const fn win_in(plies: usize) -> Score {
        Score(Self::WIN - plies as i16)
    }

    /// The side to move, `ply` plies below the root, wins by tables that do not
    /// say how soon; `eval`, in hundredths of a man, tells such wins apart.
    #[inline(always)]
    pub fn table_win(eval: i32, ply: usize) -> Score {
        Score((8_400 + (eval / 8).clamp(-100, 100)) as i16 - ply as i16)
    }

    /// The score in hundredths of a man.
    #[inline(always)]
    pub const fn centimen(self) -> i32 {
        self.0 as i32
    }

    /// The score with these hundredths of a man, for values that came from
    /// [`Score::centimen`] and arithmetic on them.
    #[inline(always)]
    pub const fn from_centimen(centimen: i32) -> Score {
        Score(centimen as i16)
    }

    /// Whether the game is proven won, by whatever side.
    #[inline(always)]
    pub const fn is_decisive(self) -> bool {
        self.0 > Self::HEURISTIC_LIMIT as i16 || self.0 < -(Self::HEURISTIC_LIMIT as i16)
    }

    /// Whether the side to move is proven to win.
    #[inline(always)]
    pub const fn is_win(self) -> bool {
        self.0 > Self::HEURISTIC_LIMIT as i16
    }

    /// Whether the side to move is proven to lose.
    #[inline(always)]
    pub const fn is_loss(self) -> bool {
        self.0 < -(Self::HEURISTIC_LIMIT as i16)
    }

    /// The score `by` hundredths higher, within the heuristic range if it was there.
    #[inline(always)]
    pub const fn plus(self, by: i32) -> Score {
        if self.is_decisive() {
            self
        } else {
            Score::heuristic(self.0 as i32 + by)
        }
    }

    /// A distance that counts from the root, counted from `ply` plies below it instead.
    #[inline(always)]
    pub const fn from_node(self, ply: usize) -> Score {
        if self.is_win() {
            Score(self.0 + ply as i16)
        } else if self.is_loss() {
            Score(self.0 - ply as i16)
        } else {
            self
        }
    }

    /// A distance that counts from `ply` plies below the root, counted from the root instead.
    #[inline(always)]
    pub const fn from_root(self, ply: usize) -> Score {
        if self.is_win() {
            Score(self.0 - ply as i16)
        } else if self.is_loss() {
            Score(self.0 + ply as i16)
        } else {
            self
        }
    }

    /// In how many plies the game is over, if that is proven.
    pub const fn distance(self) -> Option<u32> {
        let distance = Self::WIN.abs_diff(self.0.saturating_abs()) as i32;
        if distance <= Self::MAX_DISTANCE {
            Some(distance as u32)
        } else {
            None
        }
    }
}

/// The scores that matter at a node: above `alpha`, which the side to move has
/// elsewhere, and below `beta`, which the opponent need not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The lower end, excluded.
    pub alpha: Score,
    /// The upper end, excluded.
    pub beta: Score,
}

impl Window {
    /// Every score.
    pub const FULL: Window = Window {
        alpha: Score(-Score::INFINITE.0),
        beta: Score::INFINITE,
    };

    /// The same window as the opponent sees it.
    #[inline(always)]
    pub const fn reversed(self) -> Window {
        Window {
            alpha: Score(-self.beta.0),
            beta: Score(-self.alpha.0),
        }
    }

    /// The narrowest window above `alpha`, which only tells whether a score is higher.
    #[inline(always)]
    pub const fn scout(self) -> Window {
        Window {
            alpha: self.alpha,
            beta: Score(self.alpha.0 + 1),
        }
    }

    /// Whether a score fits between the ends, as it does on the principal variation.
    #[inline(always)]
    pub const fn is_open(self) -> bool {
        self.beta.0 - self.alpha.0 > 1
    }

    /// Whether a score lies within.
    #[inline(always)]
    pub const fn contains(self, score: Score) -> bool {
        self.alpha.0 < score.0 && score.0 < self.beta.0
    }

    /// The window without what distances rule out `ply` plies below the root: the
    /// mover cannot lose before now nor win before its next move.
    #[inline(always)]
    pub fn within_distances(self, ply: usize) -> Window {
        Window {
            alpha: self.alpha.max(Score::loss_in(ply)),
            beta: self.beta.min(Score::win_in(ply + 1)),
        }
    }
}

impl std::ops::Neg for Score {
    type Output = Score;

    #[inline(always)]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

/// In men, with two decimals, as the Hub protocol writes it: `-0.07`, `99.95`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", size / 100, size % 100)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_a_hundred_men_less_a_hundredth_a_ply() {
        assert_eq!(Score::win_in(5).to_string(), "99.95");
        assert_eq!(Score::loss_in(0).to_string(), "-100.00");
        assert_eq!(Score::heuristic(-7).to_string(), "-0.07");
        assert_eq!(Score::heuristic(123).to_string(), "1.23");
    }

    #[test]
    fn no_evaluation_can_be_read_as_a_win() {
        for centimen in [i32::MIN, -8000, 8000, i32::MAX] {
            assert!(!Score::heuristic(centimen).is_decisive());
        }
        assert!(Score::win_in(999).is_win());
        assert!(Score::loss_in(999).is_loss());
    }

    #[test]
    fn a_distance_survives_the_table() {
        let seen_from_root = Score::win_in(12);
        let stored = seen_from_root.from_node(4);
        assert_eq!(stored, Score::win_in(8));
        assert_eq!(stored.from_root(4), seen_from_root);
        assert_eq!(Score::loss_in(9).distance(), Some(9));
        assert_eq!(Score::DRAW.distance(), None);
    }
}
