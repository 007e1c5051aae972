//! Passes over the games: what is learned when, and when to stop.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant},
};

use super::{
    dataset::{self, FileError, Part, Pool, Sample},
    fit::{Model, PhaseLosses},
};
use crate::eval::network::Weights;

/// What to learn from, and how.
#[derive(Clone, Debug)]
pub struct Course {
    /// The files of games.
    pub files: Vec<PathBuf>,
    /// The share of the search's score in what is learned, 0 to 1; the rest is
    /// the result of the game.
    pub lambda: f32,
    /// How often the games are gone through at the most.
    pub passes: u32,
    /// The first step, which shrinks to a hundredth along half a cosine.
    pub rate: f32,
    /// Positions a batch.
    pub batch: usize,
    /// Positions that are mixed at a time.
    pub pool: usize,
    /// What all chance comes from.
    pub seed: u64,
}

/// What a pass has led to.
#[derive(Clone, Debug)]
pub struct Report {
    /// Which it was, from 1.
    pub pass: u32,
    /// The mean loss on what was learned from, while it was.
    pub learned: f64,
    /// The mean loss on what was kept back, after the pass.
    pub kept_back: f64,
    /// The same by phase.
    pub phases: PhaseLosses,
    /// How long it took.
    pub time: Duration,
}

/// Why nothing was learned.
#[derive(Debug, thiserror::Error)]
pub enum CourseError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is nothing to learn from, or nothing to measure with.
    #[error("there are too few games: {learned} positions to learn from, {kept_back} kept back")]
    TooFew {
        /// Positions to learn from.
        learned: u64,
        /// Positions to measure with.
        kept_back: usize,
    },
}

/// A course that is on.
pub struct Training<'a> {
    course: &'a Course,
    model: Model,
    kept_back: Vec<Sample>,
    /// How many positions a pass learns from.
    positions: u64,
    /// The centi-men whose odds are e to 1, by the results of the games.
    scale: f32,
    steps: u64,
    best: Option<(f64, Weights)>,
}

impl Course {
    /// Reads the games once, to know what is there.
    pub fn begin(&self) -> Result<Training<'_>, CourseError> {
        let mut kept_back = Vec::new();
        dataset::for_each(&self.files, Part::Validation, |sample| {
            kept_back.push(sample);
        })?;
        let mut positions = 0;
        dataset::for_each(&self.files, Part::Training, |_| positions += 1)?;
        if kept_back.is_empty() || positions < self.batch as u64 {
            return Err(CourseError::TooFew {
                learned: positions,
                kept_back: kept_back.len(),
            });
        }
        let scale = fitted_scale(&kept_back);
        Ok(Training {
            course: self,
            model: Model::new(self.lambda, scale, self.seed),
            kept_back,
            positions,
            scale,
            steps: 0,
            best: None,
        })
    }
}

impl Training<'_> {
    /// So many passes without a gain end it.
    const PATIENCE: u32 = 2;

    /// What there is to learn from, for people.
    pub fn summary(&self) -> String {
        format!(
            "{} positions to learn from, {} kept back; odds of e to 1 are {:.2} men",
            self.positions,
            self.kept_back.len(),
            self.scale / 100.0
        )
    }

    /// Learns until the last pass, until what was kept back gains no more, or
    /// until `stop` is set; returns the best weights, if a pass was finished.
    pub fn run(
        mut self,
        stop: &AtomicBool,
        mut report: impl FnMut(&Report),
    ) -> Result<Option<Weights>, CourseError> {
        let mut without_gain = 0;
        for pass in 1..=self.course.passes {
            let begin = Instant::now();
            let Some(learned) = self.pass(pass, stop)? else {
                break;
            };
            let (kept_back, phases) = self.model.losses(&self.kept_back);
            report(&Report {
                pass,
                learned,
                kept_back,
                phases,
                time: begin.elapsed(),
            });
            if self
                .best
                .as_ref()
                .is_none_or(|(least, _)| kept_back < *least)
            {
                without_gain = 0;
                let description = self.description(pass, kept_back);
                self.best = Some((kept_back, self.model.quantised(description)));
            } else {
                without_gain += 1;
                if without_gain == Self::PATIENCE {
                    break;
                }
            }
        }
        Ok(self.best.map(|(_, weights)| weights))
    }

    /// Goes through the games once; the mean loss, or none if it was stopped.
    fn pass(&mut self, pass: u32, stop: &AtomicBool) -> Result<Option<f64>, FileError> {
        let course = self.course;
        let mut pool = Pool::new(course.pool, course.seed.wrapping_add(pass.into()));
        let mut batch = Vec::with_capacity(course.batch);
        let (mut loss, mut batches) = (0.0, 0_u32);
        let mut learn = |sample: Sample| {
            batch.push(sample);
            if batch.len() == course.batch && !stop.load(Relaxed) {
                loss += self.learn(&batch);
                batches += 1;
                batch.clear();
            } else if batch.len() == course.batch {
                batch.clear();
            }
        };
        dataset::for_each(&course.files, Part::Training, |sample| {
            if let Some(sample) = pool.exchange(sample) {
                learn(sample);
            }
        })?;
        pool.drain().into_iter().for_each(&mut learn);
        let is_whole = !stop.load(Relaxed);
        Ok(is_whole.then(|| loss / f64::from(batches.max(1))))
    }

    fn learn(&mut self, batch: &[Sample]) -> f64 {
        let all = self.positions / self.course.batch as u64 * u64::from(self.course.passes);
        let share = (self.steps as f64 / all.max(1) as f64).min(1.0);
        self.steps += 1;
        let part = 0.505 + 0.495 * (share * std::f64::consts::PI).cos();
        self.model.learn(batch, self.course.rate * part as f32)
    }

    fn description(&self, pass: u32, loss: f64) -> String {
        let Course { lambda, seed, .. } = self.course;
        format!(
            "{} positions, pass {pass}, lambda {lambda}, scale {:.0}, seed {seed}, loss {loss:.5}",
            self.positions, self.scale
        )
    }
}

/// The number of centi-men for which scores predict the results best.
fn fitted_scale(samples: &[Sample]) -> f32 {
    let loss = |scale: f64| -> f64 {
        let of = |sample: &Sample| {
            let expected = 1.0 / (1.0 + (-f64::from(sample.score) / scale).exp());
            let expected = expected.clamp(1e-6, 1.0 - 1e-6);
            let result = f64::from(sample.result) / 2.0;
            -result * expected.ln() - (1.0 - result) * (1.0 - expected).ln()
        };
        samples.iter().map(of).sum()
    };
    let scales = (2..=60).map(|tens| f64::from(10 * tens));
    let best = scales.min_by(|&a, &b| loss(a).total_cmp(&loss(b)));
    best.unwrap_or(100.0) as f32
}
