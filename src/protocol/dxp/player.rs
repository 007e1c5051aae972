//! Sockets, clock and search around a [`Session`]: one connection from its
//! beginning to its end.
//!
//! Everything that happens comes through one channel, so that nothing needs a
//! lock. What to say and when is the session's affair.

use std::{
    io,
    net::TcpStream,
    sync::{
        atomic::{AtomicUsize, Ordering::*},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use super::{
    link::{Incoming, Link},
    session::{Action, Event, Found, GameReport, Order, Session, SessionError},
};
use crate::search::{Engine, Limits, Outcome, Progress, Reporter};

/// How often the session is told that time goes by.
const TICK: Duration = Duration::from_millis(50);

/// Why a connection ended badly.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// What the peer did.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The connection could not be set up.
    #[error("the connection cannot be used: {0}")]
    Connection(io::Error),
    /// The user cannot be told.
    #[error(transparent)]
    Report(io::Error),
}

/// Plays all games of a connection. `interrupts` counts how often the user
/// asked for an end; every game that ends is given to `report`.
pub fn play(
    stream: TcpStream,
    mut session: Session,
    engine: &mut Engine,
    interrupts: &AtomicUsize,
    report: &mut dyn FnMut(&GameReport) -> io::Result<()>,
) -> Result<(), PlayError> {
    let (events, inbox) = channel();
    let from_peer = events.clone();
    let deliver = move |incoming| from_peer.send(Event::Incoming(incoming)).is_ok();
    let link = Link::new(stream, deliver).map_err(PlayError::Connection)?;
    let mut hands = Hands {
        link,
        engine,
        events,
        report,
    };
    let mut heeded = 0;
    let mut actions = session.begin(Instant::now());
    loop {
        if let Some(result) = hands.act(actions)? {
            return Ok(result?);
        }
        let event = match inbox.recv_timeout(TICK) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Event::Tick,
        };
        if matches!(event, Event::Incoming(Incoming::Message(_))) {
            hands.link.handled();
        }
        log::trace!("{event:?}");
        actions = session.handle(event, Instant::now());
        // A busy peer does not stop the time.
        actions.extend(session.handle(Event::Tick, Instant::now()));
        if interrupts.load(Relaxed) > heeded {
            heeded += 1;
            actions.extend(session.handle(Event::Interrupted, Instant::now()));
        }
    }
}

/// What carries out a session's actions.
struct Hands<'a> {
    link: Link,
    engine: &'a mut Engine,
    events: Sender<Event>,
    report: &'a mut dyn FnMut(&GameReport) -> io::Result<()>,
}

impl Hands<'_> {
    /// Carries out actions; returns how the session ended, once it has.
    fn act(&mut self, actions: Vec<Action>) -> Result<Option<Result<(), SessionError>>, PlayError> {
        for action in actions {
            match action {
                Action::Send(message) => self.send(&message),
                Action::ForgetGame => self.engine.new_game(),
                Action::Search(order) => self.search(*order),
                Action::PonderHit => self.engine.ponder_hit(),
                Action::StopSearch => {
                    self.engine.stop();
                    self.engine.wait();
                }
                Action::Report(report) => (self.report)(&report).map_err(PlayError::Report)?,
                Action::Finish(result) => return Ok(Some(result)),
            }
        }
        Ok(None)
    }

    /// A peer that is gone is noticed by the reading side too, which may still
    /// have its last words to deliver.
    fn send(&mut self, message: &super::message::Message) {
        if let Err(error) = self.link.send(message) {
            log::warn!("'{message}' could not be sent: {error}");
            self.link.close();
        }
    }

    fn search(&mut self, order: Order) {
        let limits = Limits {
            clock: order.clock,
            purpose: order.purpose,
            ..Limits::default()
        };
        let messenger = Messenger {
            id: order.id,
            events: self.events.clone(),
            has_reported: false,
        };
        self.engine.start(&order.game, limits, Box::new(messenger));
    }
}

/// Tells the session what a search found, also when the search dies.
struct Messenger {
    id: u64,
    events: Sender<Event>,
    has_reported: bool,
}

impl Messenger {
    fn tell(&mut self, outcome: Option<&Outcome>) {
        self.has_reported = true;
        let found = Found {
            id: self.id,
            best: outcome.and_then(|outcome| outcome.best),
            ponder: outcome.and_then(|outcome| outcome.ponder),
        };
        // The session may be over.
        let _ = self.events.send(Event::Found(found));
    }
}

impl Reporter for Messenger {
    fn progress(&mut self, progress: &Progress) {
        log::debug!("depth {} score {}", progress.depth, progress.score);
    }

    fn finished(&mut self, outcome: &Outcome) {
        self.tell(Some(outcome));
    }
}

impl Drop for Messenger {
    fn drop(&mut self) {
        if !self.has_reported {
            self.tell(None);
        }
    }
}
