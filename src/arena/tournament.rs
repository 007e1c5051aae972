//! Playing the games of a schedule, several at a time.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use super::{
    clock::{Clock, TimeControl},
    game::{self, Adjudication, End, Record, Seat},
    openings::Opening,
    schedule::{Fixture, Schedule},
};
use crate::{
    board::Side,
    protocol::engine_process::{EngineProcess, EngineSpec, Fault},
};

/// An engine and what it is given.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// How to start it.
    pub engine: EngineSpec,
    /// How long it may think.
    pub control: TimeControl,
}

/// A match or tournament.
pub struct Tournament<'a> {
    /// The engines.
    pub contestants: &'a [Contestant],
    /// The openings that the schedule refers to.
    pub openings: &'a [Opening],
    /// The games.
    pub schedule: &'a Schedule,
    /// When games end by agreement.
    pub adjudication: Adjudication,
    /// By how much a move may be late.
    pub margin: Duration,
    /// How many games are played at a time, at least one.
    pub concurrency: usize,
}

impl Tournament<'_> {
    /// How often a wait looks whether it is interrupted.
    const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

    /// Starts each engine and ends it again; the name of the first that cannot
    /// be started, and why. So a wrong call is found out before the first game.
    pub fn check_engines(&self, interrupted: &AtomicBool) -> Result<(), (String, Fault)> {
        for contestant in self.contestants {
            EngineProcess::start(&contestant.engine, interrupted)
                .map_err(|fault| (contestant.engine.name.clone(), fault))?;
        }
        Ok(())
    }

    /// Plays all games but those whose numbers are `done`, and calls `visit`
    /// with the number and record of each as it ends, until it breaks or
    /// `interrupted` is set. Games that are not finished then are dropped.
    pub fn run(
        &self,
        done: &HashSet<usize>,
        interrupted: &AtomicBool,
        mut visit: impl FnMut(usize, Fixture, Record) -> ControlFlow<()>,
    ) {
        let next = AtomicUsize::new(0);
        let over = AtomicBool::new(false);
        let (sender, ended) = channel();
        thread::scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                let (sender, next, over) = (sender.clone(), &next, &over);
                scope.spawn(move || self.play_games(done, next, over, &sender));
            }
            drop(sender);
            loop {
                match ended.recv_timeout(Self::INTERRUPT_INTERVAL) {
                    Ok((number, fixture, record)) => {
                        if visit(number, fixture, record).is_break() {
                            break;
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if interrupted.load(Relaxed) {
                    over.store(true, Relaxed);
                }
            }
            over.store(true, Relaxed);
        });
    }

    /// Plays one game after another, keeping the engines running between them.
    fn play_games(
        &self,
        done: &HashSet<usize>,
        next: &AtomicUsize,
        over: &AtomicBool,
        ended: &Sender<(usize, Fixture, Record)>,
    ) {
        let mut running = HashMap::new();
        while !over.load(Relaxed) {
            let number = next.fetch_add(1, Relaxed);
            let Some(fixture) = self.schedule.fixture(number) else {
                return;
            };
            if done.contains(&number) {
                continue;
            }
            let Some(record) = self.play_game(&fixture, &mut running, over) else {
                return;
            };
            if ended.send((number, fixture, record)).is_err() {
                return;
            }
        }
    }

    /// Plays a game; an engine that failed is ended, to be started afresh.
    fn play_game(
        &self,
        fixture: &Fixture,
        running: &mut HashMap<usize, EngineProcess>,
        over: &AtomicBool,
    ) -> Option<Record> {
        let opening = self.openings.get(fixture.opening)?;
        let mut white = match self.take(fixture.white, running, over) {
            Ok(engine) => engine,
            Err(fault) => return not_started(opening, Side::White, fault),
        };
        let mut black = match self.take(fixture.black, running, over) {
            Ok(engine) => engine,
            Err(fault) => {
                running.insert(fixture.white, white);
                return not_started(opening, Side::Black, fault);
            }
        };
        let seats = [
            self.seat(fixture.white, &mut white)?,
            self.seat(fixture.black, &mut black)?,
        ];
        let record = game::play(seats, opening, &self.adjudication, over)?;
        let failed = record.end.is_fault().then_some(record.winner).flatten();
        if failed != Some(Side::Black) {
            running.insert(fixture.white, white);
        }
        if failed != Some(Side::White) {
            running.insert(fixture.black, black);
        }
        Some(record)
    }

    fn take(
        &self,
        index: usize,
        running: &mut HashMap<usize, EngineProcess>,
        over: &AtomicBool,
    ) -> Result<EngineProcess, Fault> {
        match (running.remove(&index), self.contestants.get(index)) {
            // One that has ended after its last game is started again.
            (Some(engine), _) if engine.is_running() => Ok(engine),
            (_, Some(contestant)) => EngineProcess::start(&contestant.engine, over),
            (_, None) => Err(Fault::Interrupted),
        }
    }

    fn seat<'e>(&self, index: usize, engine: &'e mut EngineProcess) -> Option<Seat<'e>> {
        let control = self.contestants.get(index)?.control;
        let clock = Clock::new(control, self.margin);
        Some(Seat { engine, clock })
    }
}

/// The game that an engine lost before it began; none if nothing was wrong.
fn not_started(opening: &Opening, loser: Side, fault: Fault) -> Option<Record> {
    (fault != Fault::Interrupted).then(|| Record {
        opening: opening.clone(),
        moves: Vec::new(),
        winner: Some(loser.opponent()),
        end: End::Fault { loser, fault },
        overhead: None,
    })
}
