//! Fitting the weights of the evaluation to games.
//!
//! The model: each row of [`features`](crate::eval::features) is a vector; the
//! vectors of a position are summed, the sums clipped to 0..1 and weighted by
//! the phase, and the result is the logarithm of the odds of the expected
//! score. A block's row is the sum of its own vector and those of its single
//! men, which are learned with it, so that states which are hardly ever seen
//! fall back to their men.
//!
//! Learning is by mini-batches and Adam (Kingma and Ba, 2015) on the
//! cross-entropy. First the gradients of a batch are computed, in parallel by
//! position, then each group of rows is updated by one thread, in the order of
//! the positions: the result does not depend on the threads.

use rayon::prelude::*;

use super::dataset::Sample;
use crate::{
    arena::openings::Dice,
    board::Square,
    eval::{
        features::{BLOCKS, PHASES, STATES, View, blocks_with},
        network::{self, WIDTH, Weights},
    },
};

/// The vector of a row, or what is summed of them.
pub type Row = [f32; WIDTH];

/// A table of rows with what Adam remembers of each.
struct Table {
    rows: Vec<Row>,
    gradients: Vec<Row>,
    means: Vec<Row>,
    squares: Vec<Row>,
    /// Which rows the batch has touched.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

/// The weights while they are learned.
pub struct Model {
    /// A table a block.
    blocks: Vec<Table>,
    /// Own and enemy men, then own and enemy kings, by square.
    pieces: Table,
    /// The bias before clipping, as a table of one row.
    bias: Table,
    /// The weights behind the clipping by phase, and a constant in `constants`.
    heads: Table,
    constants: Table,
    steps: i32,
    /// The share of the search's score in what is learned.
    lambda: f32,
    /// The score, in centi-men, whose odds are e to 1.
    scale: f32,
}

/// The losses and the number of positions by phase.
pub type PhaseLosses = [(f64, usize); PHASES];

/// What the first pass over a batch finds for a position.
struct Pass {
    states: [u16; BLOCKS],
    /// The squares of the pieces as rows of [`Model::pieces`].
    pieces: Vec<u8>,
    phase: usize,
    /// The gradient of each sum.
    sums: Row,
    /// The clipped sums times the gradient of the result.
    head: Row,
    /// The gradient of the result.
    result: f32,
    loss: f64,
}

impl Table {
    fn new(rows: usize, mut value: impl FnMut() -> f32) -> Table {
        let rows: Vec<Row> = (0..rows)
            .map(|_| std::array::from_fn(|_| value()))
            .collect();
        let count = rows.len();
        let zeros = || vec![[0.0; WIDTH]; count];
        Table {
            gradients: zeros(),
            means: zeros(),
            squares: zeros(),
            touched: Vec::new(),
            is_touched: vec![false; count],
            rows,
        }
    }

    fn add(&mut self, row: usize, gradient: &Row) {
        if !std::mem::replace(&mut self.is_touched[row], true) {
            self.touched.push(row as u32);
        }
        for (sum, part) in self.gradients[row].iter_mut().zip(gradient) {
            *sum += part;
        }
    }

    /// One step of Adam on the rows that were touched, with weights that decay.
    fn step(&mut self, rate: f32, decay: f32, correction: (f32, f32)) {
        const MEAN: f32 = 0.9;
        const SQUARE: f32 = 0.999;
        for row in self.touched.drain(..) {
            let row = row as usize;
            self.is_touched[row] = false;
            let gradients = &mut self.gradients[row];
            let (means, squares) = (&mut self.means[row], &mut self.squares[row]);
            let weights = &mut self.rows[row];
            for index in 0..WIDTH {
                let gradient = gradients[index];
                gradients[index] = 0.0;
                means[index] = MEAN * means[index] + (1.0 - MEAN) * gradient;
                squares[index] = SQUARE * squares[index] + (1.0 - SQUARE) * gradient * gradient;
                let mean = means[index] * correction.0;
                let square = squares[index] * correction.1;
                weights[index] -= rate * (mean / (square.sqrt() + 1e-8) + decay * weights[index]);
            }
        }
    }
}

impl Model {
    /// Weights that know nothing, to learn from scores (a share of `lambda`, 0 to
    /// 1; `scale` centi-men are odds of e to 1) and results.
    pub fn new(lambda: f32, scale: f32, seed: u64) -> Model {
        let mut dice = Dice::new(seed);
        let mut random = |most: f32| most * (dice.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0);
        let pieces = Table::new(4 * Square::COUNT, || random(0.05));
        let heads = Table::new(PHASES, || random(0.3));
        Model {
            blocks: (0..BLOCKS).map(|_| Table::new(STATES, || 0.0)).collect(),
            pieces,
            bias: Table::new(1, || 0.3),
            heads,
            constants: Table::new(PHASES, || 0.0),
            steps: 0,
            lambda,
            scale,
        }
    }

    /// Learns from a batch by a step of the size `rate`; returns its mean loss before.
    pub fn learn(&mut self, batch: &[Sample], rate: f32) -> f64 {
        let passes: Vec<Pass> = batch.par_iter().map(|sample| self.pass(sample)).collect();
        let scale = 1.0 / batch.len().max(1) as f32;
        self.steps += 1;
        let correction = (
            1.0 / (1.0 - 0.9_f32.powi(self.steps)),
            1.0 / (1.0 - 0.999_f32.powi(self.steps)),
        );
        let update = |table: &mut Table, decay: f32, add: &(dyn Fn(&mut Table, &Pass) + Sync)| {
            for pass in &passes {
                add(table, pass);
            }
            for &row in &table.touched {
                for gradient in &mut table.gradients[row as usize] {
                    *gradient *= scale;
                }
            }
            table.step(rate, decay, correction);
        };
        let (blocks, others) = (
            &mut self.blocks,
            [
                &mut self.pieces,
                &mut self.bias,
                &mut self.heads,
                &mut self.constants,
            ],
        );
        let [pieces, bias, heads, constants] = others;
        rayon::join(
            || {
                blocks
                    .par_iter_mut()
                    .enumerate()
                    .for_each(|(block, table)| {
                        update(table, 1e-3, &|table, pass| {
                            table.add(usize::from(pass.states[block]), &pass.sums);
                        });
                    });
            },
            || {
                update(pieces, 0.0, &|table, pass| {
                    for &piece in &pass.pieces {
                        table.add(usize::from(piece), &pass.sums);
                    }
                });
                update(bias, 0.0, &|table, pass| table.add(0, &pass.sums));
                update(heads, 0.0, &|table, pass| table.add(pass.phase, &pass.head));
                update(constants, 0.0, &|table, pass| {
                    let mut row = [0.0; WIDTH];
                    row[0] = pass.result;
                    table.add(pass.phase, &row);
                });
            },
        );
        passes.iter().map(|pass| pass.loss).sum::<f64>() / batch.len().max(1) as f64
    }

    /// The mean loss of a batch, and of each phase with its number of positions.
    pub fn losses(&self, batch: &[Sample]) -> (f64, PhaseLosses) {
        let passes: Vec<(usize, f64)> = batch
            .par_iter()
            .map(|sample| {
                let pass = self.pass(sample);
                (pass.phase, pass.loss)
            })
            .collect();
        let mut phases = [(0.0, 0); PHASES];
        for (phase, loss) in &passes {
            phases[*phase].0 += loss;
            phases[*phase].1 += 1;
        }
        let total: f64 = passes.iter().map(|pass| pass.1).sum();
        (total / passes.len().max(1) as f64, phases)
    }

    fn pass(&self, sample: &Sample) -> Pass {
        let states = sample.view.states();
        let pieces = pieces(&sample.view);
        let phase = sample.view.phase();
        let mut sums = self.bias.rows[0];
        let mut sum = |row: &Row| {
            for (sum, part) in sums.iter_mut().zip(row) {
                *sum += part;
            }
        };
        for (table, &state) in self.blocks.iter().zip(&states) {
            sum(&table.rows[usize::from(state)]);
        }
        for &piece in &pieces {
            sum(&self.pieces.rows[usize::from(piece)]);
        }
        let head = &self.heads.rows[phase];
        let clipped = sums.map(|sum| sum.clamp(0.0, 1.0));
        let linear: f32 = clipped.iter().zip(head).map(|(a, b)| a * b).sum();
        let odds = linear + self.constants.rows[phase][0];
        let expected = 1.0 / (1.0 + (-odds).exp());
        let target = self.target(sample);
        let result = expected - target;
        let is_between = sums.map(|sum| f32::from(u8::from(sum > 0.0 && sum < 1.0)));
        Pass {
            states,
            pieces,
            phase,
            sums: std::array::from_fn(|index| result * head[index] * is_between[index]),
            head: clipped.map(|value| result * value),
            result,
            loss: cross_entropy(target, expected),
        }
    }

    /// What a position is worth, 0 to 1.
    fn target(&self, sample: &Sample) -> f32 {
        let searched = 1.0 / (1.0 + (-f32::from(sample.score) / self.scale).exp());
        let played = f32::from(sample.result) / 2.0;
        self.lambda * searched + (1.0 - self.lambda) * played
    }

    /// The weights in integers, with a description.
    pub fn quantised(&self, description: String) -> Weights {
        let row = |row: &Row, scale: f32| row.map(|weight| quantised(weight * scale));
        let one = f32::from(network::ONE);
        let head_one = network::HEAD_ONE as f32 * network::SCALE;
        let squares = || Square::all().chain(Square::all());
        let (men, kings) = self.pieces.rows.split_at(2 * Square::COUNT);
        let men = men
            .iter()
            .zip(squares())
            .map(|(man, square)| row(man, one / blocks_with(square) as f32));
        let constants = self.constants.rows.iter();
        Weights {
            description,
            blocks: self
                .blocks
                .iter()
                .flat_map(|table| &table.rows)
                .map(|one_| row(one_, one))
                .collect(),
            men: men.collect(),
            kings: kings.iter().map(|king| row(king, one)).collect(),
            bias: row(&self.bias.rows[0], one),
            heads: self
                .heads
                .rows
                .iter()
                .map(|head| row(head, head_one))
                .collect(),
            constants: constants
                .map(|row| quantised(row[0] * network::SCALE))
                .collect(),
        }
    }
}

/// The pieces of a view as rows of [`Model::pieces`].
fn pieces(view: &View) -> Vec<u8> {
    let sets = [view.men[0], view.men[1], view.kings[0], view.kings[1]];
    let sets = sets.into_iter().enumerate();
    sets.flat_map(|(kind, set)| {
        set.into_iter()
            .map(move |square| (kind * Square::COUNT + square.index()) as u8)
    })
    .collect()
}

fn quantised(number: f32) -> i16 {
    number
        .round()
        .clamp(-f32::from(i16::MAX), f32::from(i16::MAX)) as i16
}

fn cross_entropy(target: f32, expected: f32) -> f64 {
    let (target, expected) = (
        f64::from(target),
        f64::from(expected).clamp(1e-9, 1.0 - 1e-9),
    );
    -target * expected.ln() - (1.0 - target) * (1.0 - expected).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        board::{MoveList, Position},
        eval::network::Network,
    };

    /// Positions of random games, in which more men are a win.
    fn samples(count: usize) -> Vec<Sample> {
        let mut dice = Dice::new(5);
        let mut samples = Vec::new();
        let mut position = Position::initial();
        while samples.len() < count {
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            if legal.as_slice().is_empty() || position.piece_count() < 10 {
                position = Position::initial();
                continue;
            }
            position = position.play(legal.as_slice()[dice.below(legal.as_slice().len())]);
            let view = View::new(&position);
            let own = (view.men[0] | view.kings[0]).count() as i16;
            let balance = own - (view.men[1] | view.kings[1]).count() as i16;
            samples.push(Sample {
                view,
                score: 100 * balance,
                result: (1 + balance.signum()) as u8,
            });
        }
        samples
    }

    fn model() -> Model {
        Model::new(0.5, 120.0, 1)
    }

    fn learned(samples: &[Sample]) -> Model {
        let mut model = model();
        for batch in samples.chunks(500) {
            model.learn(batch, 0.01);
        }
        model
    }

    #[test]
    fn it_learns_that_men_count() {
        let samples = samples(20_000);
        let (training, validation) = samples.split_at(18_000);
        let before = model().losses(validation).0;
        let after = learned(training).losses(validation).0;
        assert!(after < 0.75 * before, "{before} to {after}");
    }

    #[test]
    fn what_is_learned_does_not_depend_on_the_threads() {
        let samples = samples(3000);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap()
                .install(|| learned(&samples).quantised(String::new()))
        };
        assert!(with(1) == with(3));
    }

    #[test]
    fn integers_say_about_the_same() {
        let samples = samples(4000);
        let model = learned(&samples);
        let network = Network::new(&model.quantised(String::new()));
        for sample in &samples[..300] {
            let pass = model.pass(sample);
            let expected = pass.result + model.target(sample);
            let odds = (expected / (1.0 - expected)).ln() * network::SCALE;
            let value = network.evaluate(&sample.view) as f32;
            assert!((odds - value).abs() < 8.0, "{odds} and {value}");
        }
    }
}
