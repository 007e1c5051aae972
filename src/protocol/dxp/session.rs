//! The course of games on one connection.
//!
//! [`Session`] is told what happened and when, and answers with what to do.
//! It owns no socket, no thread and no clock, so tests need not wait. Our
//! [`Game`] is the judge: it knows the draw rules, most peers do not.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use super::{
    clock::PlayingClock,
    link::{Incoming, LinkError},
    message::{
        Answer, BackAnswer, GameRequest, Message, MessageError, MoveMessage, NAME_WIDTH, Reason,
    },
};
use crate::{
    board::{Move, Position, Side},
    notation::{excerpt, move_text},
    rules::{Game, State},
    search::{Clock, Purpose},
};

/// How long an acknowledgement is waited for.
pub const ACKNOWLEDGEMENT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long an answer to a request for a game is waited for.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a peer that has lost may take to say so.
pub const CONCESSION_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a peer may say nothing while no game is on.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(600);
/// How long a peer may say nothing while it is to move.
pub const MOVE_TIMEOUT: Duration = Duration::from_secs(3600);

/// How many messages in a row may bring a session no further.
const MOST_IDLE_MESSAGES: u32 = 200;

/// How we play.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Our name.
    pub name: String,
    /// The time for every move, before what the clock would allow.
    pub move_time: Option<Duration>,
    /// Whether we think on the peer's time.
    pub ponder: bool,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// Something came from the peer.
    Incoming(Incoming),
    /// A search ended.
    Found(Found),
    /// The user wants an end.
    Interrupted,
    /// Nothing, but time goes by. Told at least a few times a second.
    Tick,
}

/// What a search found.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The number of its order.
    pub id: u64,
    /// The best move; none if the search failed.
    pub best: Option<Move>,
    /// The reply that is expected.
    pub ponder: Option<Move>,
}

/// What is to be done, in this order.
#[derive(Clone)]
pub enum Action {
    /// Send a message.
    Send(Message),
    /// Forget what was learned in earlier games.
    ForgetGame,
    /// Search, and tell what was found; a search that is on is given up.
    Search(Box<Order>),
    /// Tell the search that its position came about.
    PonderHit,
    /// Give up the search that is on, if any.
    StopSearch,
    /// Tell the user how a game ended.
    Report(GameReport),
    /// The session is over; with what went wrong, if anything did.
    Finish(Result<(), SessionError>),
}

/// A search to be made.
#[derive(Clone)]
pub struct Order {
    /// Its number, to be told with what it finds.
    pub id: u64,
    /// The game, at the position to search.
    pub game: Game,
    /// The time it has.
    pub clock: Clock,
    /// To play at once, or to ponder.
    pub purpose: Purpose,
}

/// Why a session ended before its time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// Nothing can be read from the peer.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The peer closed the connection before all games were played.
    #[error("the peer closed the connection with {0} games still to play")]
    Closed(usize),
    /// The peer refused a game.
    #[error("the peer {peer} refused the game: {answer}")]
    Refused {
        /// Its name.
        peer: String,
        /// Its answer.
        answer: Answer,
    },
    /// The peer did not answer a request.
    #[error("the peer did not answer '{0}' within 30 s")]
    NoAnswer(String),
    /// The peer wants no further game.
    #[error("the peer ended the series with {0} games still to play")]
    Stopped(usize),
    /// The peer says nothing.
    #[error("the peer has said nothing for {} minutes", .0.as_secs() / 60)]
    Silent(Duration),
    /// The peer sends and sends, and nothing comes of it.
    #[error("the peer sent {MOST_IDLE_MESSAGES} messages to no purpose, the last '{0}'")]
    Flood(String),
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameReport {
    /// The number of the game on this connection, from 1.
    pub number: usize,
    /// Our colour.
    pub ours: Side,
    /// Our name.
    pub name: String,
    /// The peer's name.
    pub peer: String,
    /// What came of it, to us.
    pub result: GameResult,
    /// How it came about, for people.
    pub how: String,
    /// How many moves were played, both sides' together.
    pub plies: usize,
}

/// The result of a game, to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// We won.
    Won,
    /// Nobody won.
    Drawn,
    /// We lost.
    Lost,
    /// It has none.
    Unfinished,
}

impl GameResult {
    /// The result that the peer sees as `reason`.
    fn from_peer(reason: Reason) -> GameResult {
        match reason {
            Reason::Unknown => GameResult::Unfinished,
            Reason::Lost => GameResult::Won,
            Reason::Draw => GameResult::Drawn,
            Reason::Won => GameResult::Lost,
        }
    }

    /// The result by the rules, if they give one.
    fn by_rules(state: State, ours: Side) -> GameResult {
        match state {
            State::InPlay => GameResult::Unfinished,
            State::Draw(_) => GameResult::Drawn,
            State::Won { winner } if winner == ours => GameResult::Won,
            State::Won { .. } => GameResult::Lost,
        }
    }

    /// What we tell the peer.
    fn reason(self) -> Reason {
        match self {
            GameResult::Won => Reason::Won,
            GameResult::Drawn => Reason::Draw,
            GameResult::Lost => Reason::Lost,
            GameResult::Unfinished => Reason::Unknown,
        }
    }
}

impl std::fmt::Display for GameReport {
    /// `game 1: white Scan, black Manoury: 0-2 (white has no move, 84 moves)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let peer = excerpt(&self.peer);
        let (white, black) = match self.ours {
            Side::White => (self.name.as_str(), peer.as_str()),
            Side::Black => (peer.as_str(), self.name.as_str()),
        };
        let result = match (self.result, self.ours) {
            (GameResult::Unfinished, _) => "*",
            (GameResult::Drawn, _) => "1-1",
            (GameResult::Won, Side::White) | (GameResult::Lost, Side::Black) => "2-0",
            (GameResult::Won, Side::Black) | (GameResult::Lost, Side::White) => "0-2",
        };
        let (number, how, plies) = (self.number, &self.how, self.plies);
        write!(
            f,
            "game {number}: white {white}, black {black}: {result} ({how}, {plies} plies)"
        )
    }
}

/// The two sides of a connection, and the games on it.
pub struct Session {
    settings: Settings,
    /// The games we are still to ask for.
    plan: VecDeque<GameRequest>,
    is_initiator: bool,
    phase: Phase,
    peer: String,
    games: usize,
    searches: u64,
    idle_messages: u32,
    /// When the peer was last heard, or the connection made.
    heard: Option<Instant>,
    actions: Vec<Action>,
}

/// Where a session stands.
enum Phase {
    /// No game is on.
    Idle,
    /// We asked for a game.
    Asked {
        request: GameRequest,
        since: Instant,
    },
    /// A game is on.
    Playing(Box<Play>),
    /// We said that the game is over and wait for the acknowledgement.
    Ending { since: Instant, is_last: bool },
    /// The session is over.
    Finished,
}

/// A game that is on.
struct Play {
    game: Game,
    ours: Side,
    clock: PlayingClock,
    /// Since when the side to move is to move.
    since: Instant,
    search: SearchState,
}

/// What our search is doing.
enum SearchState {
    None,
    Thinking {
        id: u64,
    },
    /// It searches the position after `reply`, and may already have found a move.
    Pondering {
        id: u64,
        reply: Move,
        found: Option<Found>,
    },
}

impl Session {
    /// A session that answers requests.
    pub fn follower(settings: Settings) -> Session {
        Session::new(settings, VecDeque::new(), false)
    }

    /// A session that asks for these games, one after the other.
    pub fn initiator(settings: Settings, plan: Vec<GameRequest>) -> Session {
        Session::new(settings, plan.into(), true)
    }

    fn new(settings: Settings, plan: VecDeque<GameRequest>, is_initiator: bool) -> Session {
        Session {
            settings,
            plan,
            is_initiator,
            phase: Phase::Idle,
            peer: "unknown".to_owned(),
            games: 0,
            searches: 0,
            idle_messages: 0,
            heard: None,
            actions: Vec::new(),
        }
    }

    /// The connection stands: what to do first.
    pub fn begin(&mut self, now: Instant) -> Vec<Action> {
        self.heard = Some(now);
        self.go_on(now);
        std::mem::take(&mut self.actions)
    }

    /// What to do about `event`. Nothing is done after [`Action::Finish`].
    pub fn handle(&mut self, event: Event, now: Instant) -> Vec<Action> {
        if matches!(event, Event::Incoming(_)) {
            self.heard = Some(now);
        }
        match (&self.phase, event) {
            (Phase::Finished, _) => {}
            (_, Event::Incoming(Incoming::Message(Ok(message)))) => self.receive(message, now),
            (_, Event::Incoming(Incoming::Message(Err(error)))) => self.refuse(&error, now),
            (_, Event::Incoming(Incoming::Closed(error))) => self.peer_is_gone(error),
            (_, Event::Found(found)) => self.found(found, now),
            (_, Event::Interrupted) => self.interrupt(now),
            (_, Event::Tick) => self.tick(now),
        }
        std::mem::take(&mut self.actions)
    }

    fn receive(&mut self, message: Message, now: Instant) {
        self.count_idle(&message.to_string());
        match message {
            Message::GameRequest(request) => self.answer(request, now),
            Message::GameAnswer { name, answer } => self.answered(name, answer, now),
            Message::Move(message) => self.peer_moved(&message, now),
            Message::GameEnd { reason, stop } => self.peer_ended(reason, stop, now),
            Message::Chat(text) => log::info!("{} says: {}", excerpt(&self.peer), excerpt(&text)),
            Message::BackRequest { .. } => self.send(Message::BackAnswer(BackAnswer::Refused)),
            Message::BackAnswer(_) => log::warn!("the peer answers a request we did not make"),
        }
    }

    /// What cannot be read is answered where an answer is due, and ends a game
    /// only if it was a move.
    fn refuse(&mut self, error: &MessageError, now: Instant) {
        log::warn!("from the peer: {error}");
        self.count_idle(&error.to_string());
        if let Some(answer) = error.answer() {
            let answer = if self.is_busy() { Answer::Busy } else { answer };
            self.send_answer(answer);
        } else if error.is_move() && matches!(self.phase, Phase::Playing(_)) {
            let how = format!("unreadable move of the peer: {error}");
            self.end_game(GameResult::Unfinished, how, now);
        }
    }

    /// Ends the session if the peer brings it no further.
    fn count_idle(&mut self, message: &str) {
        self.idle_messages += 1;
        if self.idle_messages > MOST_IDLE_MESSAGES {
            self.give_up(SessionError::Flood(excerpt(message)));
        }
    }

    // Before a game.

    /// Asks for the next game, if that is for us to do.
    fn go_on(&mut self, now: Instant) {
        self.phase = Phase::Idle;
        if let Some(request) = self.plan.pop_front() {
            self.send(Message::GameRequest(request.clone()));
            self.phase = Phase::Asked {
                request,
                since: now,
            };
        } else if self.is_initiator {
            self.finish(Ok(()));
        }
    }

    fn is_busy(&self) -> bool {
        self.is_initiator || matches!(self.phase, Phase::Playing(_))
    }

    fn answer(&mut self, request: GameRequest, now: Instant) {
        if matches!(self.phase, Phase::Finished) {
            return;
        }
        if self.is_busy() {
            return self.send_answer(Answer::Busy);
        }
        self.peer = named(&request.name);
        self.send_answer(Answer::Accepted);
        self.start_game(&request, request.follower, now);
    }

    fn answered(&mut self, name: String, answer: Answer, now: Instant) {
        let phase = std::mem::replace(&mut self.phase, Phase::Idle);
        let Phase::Asked { request, .. } = phase else {
            self.phase = phase;
            return log::warn!("the peer answers a request we did not make");
        };
        self.peer = named(&name);
        if answer == Answer::Accepted {
            self.start_game(&request, request.follower.opponent(), now);
        } else {
            let peer = excerpt(&self.peer);
            self.give_up(SessionError::Refused { peer, answer });
        }
    }

    fn start_game(&mut self, request: &GameRequest, ours: Side, now: Instant) {
        self.games += 1;
        self.idle_messages = 0;
        self.actions.push(Action::ForgetGame);
        self.phase = Phase::Playing(Box::new(Play {
            game: Game::new(request.start),
            ours,
            clock: PlayingClock::new(request, self.settings.move_time),
            since: now,
            search: SearchState::None,
        }));
        self.move_if_it_is_our_turn(now);
    }

    // During a game.

    fn playing(&mut self) -> Option<&mut Play> {
        match &mut self.phase {
            Phase::Playing(play) => Some(play),
            _ => None,
        }
    }

    /// Thinks, or says that the game is over.
    fn move_if_it_is_our_turn(&mut self, now: Instant) {
        let id = self.searches + 1;
        let Some(play) = self.playing() else { return };
        if !play.is_our_turn() {
            return;
        }
        if play.game.state() != State::InPlay {
            return self.end_by_rules(now);
        }
        play.search = SearchState::Thinking { id };
        let order = play.order(id, Purpose::Play);
        self.searches = id;
        self.actions.push(Action::Search(Box::new(order)));
    }

    fn found(&mut self, found: Found, now: Instant) {
        let Some(play) = self.playing() else { return };
        match &mut play.search {
            SearchState::Thinking { id } if *id == found.id => self.play_found(found, now),
            SearchState::Pondering {
                id, found: kept, ..
            } if *id == found.id => {
                *kept = Some(found);
            }
            _ => {}
        }
    }

    fn play_found(&mut self, found: Found, now: Instant) {
        let Some(play) = self.playing() else { return };
        play.search = SearchState::None;
        let position = *play.game.position();
        let best = found.best.filter(|&mv| play.game.play(mv).is_ok());
        let Some(mv) = best.or_else(|| play.play_anything()) else {
            return log::error!("the search is over, and there is no move");
        };
        let time = now.saturating_duration_since(play.since);
        play.clock.spend(time);
        play.since = now;
        self.send(Message::Move(MoveMessage::of(&position, mv, time)));
        if let (true, Some(reply)) = (self.settings.ponder, found.ponder) {
            self.ponder(reply);
        }
    }

    fn ponder(&mut self, reply: Move) {
        let id = self.searches + 1;
        let Some(play) = self.playing() else { return };
        let mut order = play.order(id, Purpose::Ponder);
        if order.game.play(reply).is_err() || order.game.state() != State::InPlay {
            return;
        }
        play.search = SearchState::Pondering {
            id,
            reply,
            found: None,
        };
        self.searches = id;
        self.actions.push(Action::Search(Box::new(order)));
    }

    fn peer_moved(&mut self, message: &MoveMessage, now: Instant) {
        let text = Message::Move(*message).to_string();
        let Some(play) = self.playing() else {
            return log::warn!("a move without a game: '{text}'");
        };
        if play.is_our_turn() {
            let how = format!("the peer moved out of turn: '{text}'");
            return self.end_game(GameResult::Unfinished, how, now);
        }
        let Some(mv) = message.find(play.game.position()) else {
            let how = format!(
                "illegal move of the peer: '{text}'{}",
                why_illegal(message, play.game.position())
            );
            return self.end_game(GameResult::Unfinished, how, now);
        };
        // It was found among the legal moves.
        let _ = play.game.play(mv);
        play.since = now;
        let search = std::mem::replace(&mut play.search, SearchState::None);
        self.idle_messages = 0;
        self.reply(mv, search, now);
    }

    /// Goes on with what was pondered if the peer moved as expected.
    fn reply(&mut self, mv: Move, search: SearchState, now: Instant) {
        let Some(play) = self.playing() else { return };
        let is_over = play.game.state() != State::InPlay;
        match search {
            SearchState::Pondering { id, reply, found } if reply == mv && !is_over => {
                play.search = SearchState::Thinking { id };
                match found {
                    Some(found) => self.play_found(found, now),
                    None => self.actions.push(Action::PonderHit),
                }
            }
            _ => self.move_if_it_is_our_turn(now),
        }
    }

    // The end of a game.

    /// Says how the game ended, by the rules.
    fn end_by_rules(&mut self, now: Instant) {
        let Some(play) = self.playing() else { return };
        let state = play.game.state();
        let result = GameResult::by_rules(state, play.ours);
        self.end_game(result, state.to_string(), now);
    }

    /// Ends the game from our side.
    fn end_game(&mut self, result: GameResult, how: String, now: Instant) {
        let is_last = self.is_initiator && self.plan.is_empty();
        if result == GameResult::Unfinished {
            log::warn!("game {}: {how}", self.games);
        }
        self.report(result, how);
        self.send(Message::GameEnd {
            reason: result.reason(),
            stop: is_last,
        });
        self.phase = Phase::Ending {
            since: now,
            is_last,
        };
    }

    fn peer_ended(&mut self, reason: Reason, stop: bool, now: Instant) {
        match &self.phase {
            Phase::Playing(_) => self.acknowledge(reason, stop, now),
            Phase::Ending { is_last, .. } => {
                let is_last = *is_last;
                self.ended(is_last, now);
            }
            _ => log::debug!("the end of a game that is over"),
        }
    }

    fn acknowledge(&mut self, reason: Reason, stop: bool, now: Instant) {
        let Some(play) = self.playing() else { return };
        let ours = GameResult::by_rules(play.game.state(), play.ours);
        let theirs = GameResult::from_peer(reason);
        let (result, how) = match (ours, theirs) {
            (GameResult::Unfinished, _) => (theirs, said(reason)),
            _ => (ours, play.game.state().to_string()),
        };
        if result != theirs {
            log::warn!("{how}, but {}", said(reason));
        }
        self.report(result, how);
        self.send(Message::GameEnd {
            reason: Reason::Unknown,
            stop,
        });
        match self.plan.len() {
            unplayed @ 1.. if stop => self.finish(Err(SessionError::Stopped(unplayed))),
            _ => self.go_on(now),
        }
    }

    /// The game is over for both sides.
    fn ended(&mut self, is_last: bool, now: Instant) {
        match is_last {
            true => self.finish(Ok(())),
            false => self.go_on(now),
        }
    }

    fn report(&mut self, result: GameResult, how: String) {
        let (number, name, peer) = (self.games, self.settings.name.clone(), self.peer.clone());
        let Some(play) = self.playing() else { return };
        let report = GameReport {
            number,
            ours: play.ours,
            name,
            peer,
            result,
            how,
            plies: play.game.plies(),
        };
        self.actions.push(Action::StopSearch);
        self.actions.push(Action::Report(report));
    }

    // The end of the session.

    fn tick(&mut self, now: Instant) {
        let after = |since: Instant, limit| now.saturating_duration_since(since) >= limit;
        match &self.phase {
            Phase::Asked { request, since } if after(*since, ANSWER_TIMEOUT) => {
                let request = Message::GameRequest(request.clone()).to_string();
                self.give_up(SessionError::NoAnswer(request));
            }
            Phase::Ending { since, is_last } if after(*since, ACKNOWLEDGEMENT_TIMEOUT) => {
                log::debug!("the peer does not acknowledge the end of the game");
                let is_last = *is_last;
                self.ended(is_last, now);
            }
            Phase::Playing(play) if play.has_won() && after(play.since, CONCESSION_TIMEOUT) => {
                self.end_by_rules(now);
            }
            phase => {
                let limit = match phase {
                    Phase::Playing(play) if play.is_our_turn() => return,
                    Phase::Playing(_) => MOVE_TIMEOUT,
                    _ => IDLE_TIMEOUT,
                };
                if self.heard.is_some_and(|heard| after(heard, limit)) {
                    self.give_up(SessionError::Silent(limit));
                }
            }
        }
    }

    /// Says goodbye, or goes at once where that was done or nobody plays.
    fn interrupt(&mut self, now: Instant) {
        self.plan.clear();
        if self.playing().is_none() {
            return self.finish(Ok(()));
        }
        self.report(GameResult::Unfinished, "interrupted".to_owned());
        self.send(Message::GameEnd {
            reason: Reason::Unknown,
            stop: true,
        });
        self.phase = Phase::Ending {
            since: now,
            is_last: true,
        };
    }

    fn peer_is_gone(&mut self, error: Option<LinkError>) {
        let unplayed = self.plan.len() + usize::from(matches!(self.phase, Phase::Asked { .. }));
        let was_playing = matches!(self.phase, Phase::Playing(_));
        match error {
            Some(error) => self.give_up(error.into()),
            None if was_playing => {
                self.report_gone("the peer closed the connection".to_owned());
                let unplayed = unplayed + usize::from(self.is_initiator);
                self.finish(match unplayed {
                    0 => Ok(()),
                    _ => Err(SessionError::Closed(unplayed)),
                });
            }
            None if unplayed > 0 => self.finish(Err(SessionError::Closed(unplayed))),
            None => self.finish(Ok(())),
        }
    }

    /// Ends the session, and the game that is on, because of an error.
    fn give_up(&mut self, error: SessionError) {
        self.report_gone(error.to_string());
        self.finish(Err(error));
    }

    /// A game whose peer left stands as the rules say, if they say anything.
    fn report_gone(&mut self, why: String) {
        let Some(play) = self.playing() else { return };
        let state = play.game.state();
        match GameResult::by_rules(state, play.ours) {
            GameResult::Unfinished => self.report(GameResult::Unfinished, why),
            result => self.report(result, state.to_string()),
        }
    }

    fn finish(&mut self, result: Result<(), SessionError>) {
        if !matches!(self.phase, Phase::Finished) {
            self.phase = Phase::Finished;
            self.actions.push(Action::StopSearch);
            self.actions.push(Action::Finish(result));
        }
    }

    fn send(&mut self, message: Message) {
        if !matches!(self.phase, Phase::Finished) {
            self.actions.push(Action::Send(message));
        }
    }

    fn send_answer(&mut self, answer: Answer) {
        let name = self.settings.name.chars().take(NAME_WIDTH).collect();
        self.send(Message::GameAnswer { name, answer });
    }
}

impl Play {
    fn is_our_turn(&self) -> bool {
        self.game.position().side() == self.ours
    }

    /// Whether the peer has lost and only has to say so.
    fn has_won(&self) -> bool {
        self.game.state() == State::Won { winner: self.ours }
    }

    fn order(&self, id: u64, purpose: Purpose) -> Order {
        Order {
            id,
            game: self.game.clone(),
            clock: self.clock.for_search(),
            purpose,
        }
    }

    /// A search that failed does not cost the game.
    fn play_anything(&mut self) -> Option<Move> {
        let first = move_text::sorted_legal_moves(self.game.position())
            .into_iter()
            .next();
        first.filter(|&mv| self.game.play(mv).is_ok())
    }
}

/// Why a message names no legal move, as far as that can be told.
fn why_illegal(message: &MoveMessage, position: &Position) -> String {
    let mark = if message.captured.any() { 'x' } else { '-' };
    let mut text = format!("{}{mark}{}", message.from, message.to);
    for square in message.captured {
        text.push_str(&format!("x{square}"));
    }
    match move_text::read(position, &text) {
        Ok(_) => String::new(),
        Err(error) => format!(", {text}: {error}"),
    }
}

/// How the peer says that a game ended.
fn said(reason: Reason) -> String {
    let words = match reason {
        Reason::Unknown => "the peer ended the game",
        Reason::Lost => "the peer says it lost",
        Reason::Draw => "the peer says it is a draw",
        Reason::Won => "the peer says it won",
    };
    words.to_owned()
}

fn named(name: &str) -> String {
    let name = if name.is_empty() { "unknown" } else { name };
    name.to_owned()
}
