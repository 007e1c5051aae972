//! What a match proves: Elo with an interval, and the sequential probability
//! ratio test, all on *pairs* of games.
//!
//! The two games of a pair begin with the same opening and exchanged colours,
//! so their results are not independent of each other, while pairs are. Every
//! figure is therefore computed from the distribution of pair scores
//! ("pentanomial"). These are pure functions of counts; who played what is not
//! known here.
//!
//! The test is the generalised one of Van den Bergh, *A Practical Introduction
//! to the GSPRT*: the likelihoods are those of the distributions that fit the
//! counts best among all with the hypothetical strength.

/// How many pairs ended in each way, as the first engine sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// LL, LD, WL, DD, WD, WW.
    counts: [u64; 6],
}

/// The result of a game, as the first engine sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// 0 points.
    Loss,
    /// Half a point.
    Draw,
    /// 1 point.
    Win,
}

impl GameResult {
    /// The same result as the opponent sees it.
    pub fn reversed(self) -> GameResult {
        match self {
            GameResult::Loss => GameResult::Win,
            GameResult::Draw => GameResult::Draw,
            GameResult::Win => GameResult::Loss,
        }
    }
}

/// The unit in which the hypotheses of a test are stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Elo divided by the standard deviation of a game's score: the effort to
    /// prove a difference, whatever the share of draws.
    Normalized,
    /// Elo of the logistic curve.
    Logistic,
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Model::Normalized => "normalized",
            Model::Logistic => "logistic",
        })
    }
}

/// A sequential test of "the difference is `elo1`" against "it is `elo0`".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The null hypothesis.
    pub elo0: f64,
    /// The alternative, above `elo0`.
    pub elo1: f64,
    /// The chance to accept `elo1` where `elo0` is true, between 0 and 0.5.
    pub alpha: f64,
    /// The chance to accept `elo0` where `elo1` is true, between 0 and 0.5.
    pub beta: f64,
    /// The unit of both.
    pub model: Model,
}

/// What a test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Play on.
    Undecided,
    /// `elo0` is accepted.
    H0,
    /// `elo1` is accepted.
    H1,
}

/// An estimate with the ends of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// One standard deviation of skill difference in units of Elo.
const ELO_SCALE: f64 = 800.0 / std::f64::consts::LN_10;

/// What a pair may score, in points a game.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// A probability for each of [`SCORES`].
type Distribution = [f64; 5];

impl Pairs {
    /// Pairs with these counts, in the order LL, LD, WL, DD, WD, WW.
    pub const fn new(counts: [u64; 6]) -> Pairs {
        Pairs { counts }
    }

    /// The counts, in the order LL, LD, WL, DD, WD, WW.
    pub const fn counts(&self) -> [u64; 6] {
        self.counts
    }

    /// Counts one more pair.
    pub fn add(&mut self, first: GameResult, second: GameResult) {
        use GameResult::{Draw, Loss, Win};
        let index = match (first, second) {
            (Loss, Loss) => 0,
            (Loss, Draw) | (Draw, Loss) => 1,
            (Win, Loss) | (Loss, Win) => 2,
            (Draw, Draw) => 3,
            (Win, Draw) | (Draw, Win) => 4,
            (Win, Win) => 5,
        };
        self.counts[index] += 1;
    }

    /// How many pairs there are.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The points a game of the first engine, 0 to 1; one half without games.
    pub fn score(&self) -> f64 {
        if self.total() == 0 {
            return 0.5;
        }
        let (distribution, _) = self.distribution(0.0);
        mean(&distribution)
    }

    /// The difference in Elo on the logistic curve; none as long as all pairs
    /// score the same. An end of its interval may be infinite.
    pub fn elo(&self) -> Option<Estimate> {
        let (distribution, total) = self.distribution(0.0);
        let score = mean(&distribution);
        let deviation = variance(&distribution, score).sqrt();
        let margin = 1.959964 * deviation / total.sqrt();
        Estimate {
            value: elo_of_score(score),
            low: elo_of_score(score - margin),
            high: elo_of_score(score + margin),
        }
        .meaningful()
    }

    /// The difference in normalized Elo; none as long as all pairs score the same.
    pub fn normalized_elo(&self) -> Option<Estimate> {
        let (distribution, total) = self.distribution(0.0);
        let score = mean(&distribution);
        let deviation = (2.0 * variance(&distribution, score)).sqrt();
        let elo = |score: f64| (score - 0.5) / deviation * ELO_SCALE;
        let margin = 1.959964 * deviation / (2.0 * total).sqrt();
        Estimate {
            value: elo(score),
            low: elo(score - margin),
            high: elo(score + margin),
        }
        .meaningful()
    }

    /// The frequency of each pair score and the number of pairs, an empty
    /// class counted as `least`.
    fn distribution(&self, least: f64) -> (Distribution, f64) {
        let [ll, ld, wl, dd, wd, ww] = self.counts;
        let counts = [ll, ld, wl + dd, wd, ww].map(|count| (count as f64).max(least));
        let total: f64 = counts.iter().sum();
        (counts.map(|count| count / total), total)
    }
}

impl Estimate {
    /// The estimate, if it has an interval; an end of it may be infinite.
    fn meaningful(self) -> Option<Estimate> {
        let is_known = self.value.is_finite() && self.low < self.high;
        // Adding nothing turns a negative zero into a positive one.
        let value = self.value + 0.0;
        is_known.then_some(Estimate { value, ..self })
    }
}

impl Sprt {
    /// An empty class counts as this many pairs, so that no likelihood is zero.
    const EMPTY: f64 = 1e-3;

    /// The logarithm of the likelihood ratio of `elo1` against `elo0`.
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        if pairs.total() == 0 {
            return 0.0;
        }
        let (observed, total) = pairs.distribution(Self::EMPTY);
        let fit = |elo: f64| match self.model {
            Model::Normalized => {
                // A pair's deviation is a game's divided by the root of two.
                fit_with_ratio(&observed, std::f64::consts::SQRT_2 * elo / ELO_SCALE)
            }
            Model::Logistic => fit_with_mean(&SCORES, &observed, score_of_elo(elo)),
        };
        let (null, alternative) = (fit(self.elo0), fit(self.elo1));
        let ratio = |index: usize| (alternative[index] / null[index]).ln();
        let gain: f64 = (0..5).map(|index| observed[index] * ratio(index)).sum();
        total * gain
    }

    /// The ratios below and above which the test ends.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// What the test says of these pairs.
    pub fn verdict(&self, pairs: &Pairs) -> Verdict {
        let (llr, (low, high)) = (self.llr(pairs), self.bounds());
        if llr <= low {
            Verdict::H0
        } else if llr >= high {
            Verdict::H1
        } else {
            Verdict::Undecided
        }
    }
}

/// The expected points a game of a player `elo` stronger on the logistic curve.
fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The inverse; scores beyond the ends are infinitely far.
fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    -400.0 * (1.0 / score - 1.0).log10()
}

fn mean(distribution: &Distribution) -> f64 {
    SCORES
        .iter()
        .zip(distribution)
        .map(|(score, p)| score * p)
        .sum()
}

fn variance(distribution: &Distribution, mean: f64) -> f64 {
    let square = |score: &f64| (score - mean).powi(2);
    SCORES
        .iter()
        .zip(distribution)
        .map(|(score, p)| square(score) * p)
        .sum()
}

/// The most likely distribution over `values` that gives `observed`, among all
/// with the mean `target`.
///
/// It is observed / (1 + t (value - target)) for the t that makes the mean
/// right, which falls as t grows: found by halving.
fn fit_with_mean(values: &[f64; 5], observed: &Distribution, target: f64) -> Distribution {
    let offsets = values.map(|value| value - target);
    let largest = offsets.iter().copied().fold(f64::MIN, f64::max);
    let smallest = offsets.iter().copied().fold(f64::MAX, f64::min);
    let excess = |t: f64| -> f64 {
        let terms = offsets.iter().zip(observed);
        terms
            .map(|(offset, p)| p * offset / (1.0 + t * offset))
            .sum()
    };
    let (mut low, mut high) = (-1.0 / largest, -1.0 / smallest);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = 0.5 * (low + high);
    std::array::from_fn(|index| observed[index] / (1.0 + t * offsets[index]))
}

/// The most likely distribution that gives `observed`, among all whose mean
/// lies `ratio` standard deviations above one half.
///
/// The condition is not linear in the probabilities; it is made so at the last
/// fit, and the fit repeated until it rests.
fn fit_with_ratio(observed: &Distribution, ratio: f64) -> Distribution {
    let mut fit = [0.2; 5];
    for _ in 0..50 {
        let mean = mean(&fit);
        let deviation = variance(&fit, mean).sqrt();
        let tangent = SCORES.map(|score| {
            let square = ((score - mean) / deviation).powi(2);
            score - 0.5 - 0.5 * ratio * deviation * (1.0 + square)
        });
        let next = fit_with_mean(&tangent, observed, 0.0);
        let change = fit
            .iter()
            .zip(&next)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        fit = next;
        if change < 1e-12 {
            break;
        }
    }
    fit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn llr(counts: [u64; 6], elo0: f64, elo1: f64, model: Model) -> f64 {
        let (alpha, beta) = (0.05, 0.05);
        let sprt = Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        };
        sprt.llr(&Pairs::new(counts))
    }

    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() < tolerance,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn published_tests_give_their_published_ratios() {
        let normalized = [
            ([365, 16618, 36029, 200, 16974, 390], 0.0, 2.0, 2.25),
            ([127, 4883, 10311, 401, 5150, 104], -1.75, 0.25, 3.01),
        ];
        for (counts, elo0, elo1, expected) in normalized {
            assert_near(llr(counts, elo0, elo1, Model::Normalized), expected, 0.005);
        }
        let logistic = [
            ([223, 9863, 20279, 1000, 10037, 246], 0.5, 2.5, -3.07),
            ([871, 26175, 55003, 980, 26678, 821], 0.0, 2.0, -4.98),
        ];
        for (counts, elo0, elo1, expected) in logistic {
            assert_near(llr(counts, elo0, elo1, Model::Logistic), expected, 0.005);
        }
    }

    #[test]
    fn a_test_ends_at_its_bounds() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Normalized,
        };
        let (low, high) = sprt.bounds();
        assert_near(low, -2.944, 0.001);
        assert_near(high, 2.944, 0.001);
        let verdict = |counts| sprt.verdict(&Pairs::new(counts));
        assert_eq!(verdict([0; 6]), Verdict::Undecided);
        assert_eq!(verdict([0, 0, 0, 10, 0, 0]), Verdict::Undecided);
        assert_eq!(verdict([0, 100, 0, 500, 300, 20]), Verdict::H1);
        assert_eq!(verdict([20, 300, 0, 500, 100, 0]), Verdict::H0);
    }

    #[test]
    fn elo_is_that_of_the_score_and_its_interval_holds_it() {
        let pairs = Pairs::new([5, 20, 10, 40, 40, 10]);
        assert_near(pairs.score(), 0.56, 0.0001);
        let elo = pairs.elo().unwrap();
        assert_near(elo.value, 41.9, 0.1);
        assert!(elo.low < elo.value && elo.value < elo.high);
        assert_near(elo.high - elo.value, elo.value - elo.low, 2.0);
        assert_eq!(Pairs::default().elo(), None);
        assert_eq!(Pairs::new([0, 0, 0, 0, 0, 3]).elo(), None);
        assert_eq!(Pairs::new([0, 0, 5, 5, 0, 0]).elo(), None);
    }

    #[test]
    fn a_pair_is_counted_whichever_game_came_first() {
        use GameResult::{Draw, Loss, Win};
        let mut pairs = Pairs::default();
        for (first, second) in [
            (Win, Draw),
            (Draw, Win),
            (Loss, Win),
            (Draw, Draw),
            (Loss, Loss),
        ] {
            pairs.add(first, second);
        }
        assert_eq!(pairs.counts(), [1, 0, 1, 1, 2, 0]);
        assert_eq!(pairs.total(), 5);
    }
}
