//! Tests of the course of games, without sockets and without waiting.

use std::time::{Duration, Instant};

use super::{
    link::{Incoming, LinkError},
    message::{Answer, BackAnswer, GameRequest, GameTime, Message, MoveMessage},
    session::*,
};
use crate::{
    board::{Move, Position, Side},
    notation::{fen, move_text},
    search::{Clock, Purpose},
};

/// A session, its time, and what it did that no test has looked at yet.
struct Bench {
    session: Session,
    now: Instant,
    sent: Vec<String>,
    orders: Vec<Order>,
    reports: Vec<GameReport>,
    hits: usize,
    end: Option<Result<(), SessionError>>,
}

impl Bench {
    fn new(session: Session) -> Bench {
        Bench {
            session,
            now: Instant::now(),
            sent: Vec::new(),
            orders: Vec::new(),
            reports: Vec::new(),
            hits: 0,
            end: None,
        }
    }

    fn follower() -> Bench {
        let mut bench = Bench::new(Session::follower(settings()));
        let actions = bench.session.begin(bench.now);
        bench.note(actions);
        bench
    }

    fn initiator(games: Vec<GameRequest>) -> Bench {
        let mut bench = Bench::new(Session::initiator(settings(), games));
        let actions = bench.session.begin(bench.now);
        bench.note(actions);
        bench
    }

    /// A follower in a game from `fen`.
    fn in_game(fen: &str, ours: Side) -> Bench {
        let mut bench = Bench::follower();
        bench.message(Message::GameRequest(request(fen, ours)));
        assert!(bench.sent()[0].ends_with('0'));
        bench
    }

    fn note(&mut self, actions: Vec<Action>) {
        for action in actions {
            assert!(self.end.is_none(), "an action after the end");
            match action {
                Action::Send(message) => self.sent.push(message.to_string()),
                Action::Search(order) => self.orders.push(*order),
                Action::Report(report) => self.reports.push(report),
                Action::PonderHit => self.hits += 1,
                Action::Finish(result) => self.end = Some(result),
                Action::ForgetGame | Action::StopSearch => {}
            }
        }
    }

    fn event(&mut self, event: Event) {
        let actions = self.session.handle(event, self.now);
        self.note(actions);
    }

    fn message(&mut self, message: Message) {
        self.event(Event::Incoming(Incoming::Message(Ok(message))));
    }

    /// Bytes come from the peer.
    fn raw(&mut self, text: &str) {
        let message = Message::read(text.as_bytes());
        self.event(Event::Incoming(Incoming::Message(message)));
    }

    /// The search finds `text`, and expects `reply`.
    fn found(&mut self, text: &str, reply: Option<&str>) {
        let order = self.orders.pop().expect("no search is on");
        let mv = move_text::read(order.game.position(), text).unwrap();
        let after = order.game.position().play(mv);
        let ponder = reply.map(|reply| move_text::read(&after, reply).unwrap());
        self.event(Event::Found(Found {
            id: order.id,
            best: Some(mv),
            ponder,
        }));
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.event(Event::Tick);
    }

    fn sent(&mut self) -> Vec<String> {
        std::mem::take(&mut self.sent)
    }

    fn report(&self) -> (GameResult, &str) {
        let report = self.reports.last().expect("no game has ended");
        (report.result, &report.how)
    }
}

fn settings() -> Settings {
    Settings {
        name: "Us".to_owned(),
        move_time: None,
        ponder: true,
    }
}

const INITIAL: &str = "W:W31-50:B1-20";
/// White has won after 32x21.
const LAST_CAPTURE: &str = "W:W32:B27";
/// Five moves, and both sides know it.
const KINGS: &str = "W:WK5:BK3";
const SECOND: Duration = Duration::from_secs(1);

fn request(fen: &str, follower: Side) -> GameRequest {
    GameRequest {
        name: "Them".to_owned(),
        follower,
        time: GameTime::new(300 * SECOND),
        moves: Some(75),
        start: fen::read(fen).unwrap(),
    }
}

fn accepted() -> Message {
    Message::GameAnswer {
        name: "Them".to_owned(),
        answer: Answer::Accepted,
    }
}

/// The message of a move, which took no time.
fn sent_move(position: &Position, text: &str) -> Message {
    let mv: Move = move_text::read(position, text).unwrap();
    Message::Move(MoveMessage::of(position, mv, Duration::ZERO))
}

#[test]
fn a_follower_accepts_and_moves_if_it_is_white() {
    let mut bench = Bench::in_game(INITIAL, Side::White);
    let order = &bench.orders[0];
    assert_eq!(order.purpose, Purpose::Play);
    let clock = Clock::Game {
        remaining: 300 * SECOND,
        increment: Duration::ZERO,
        moves_to_go: Some(75),
    };
    assert_eq!(order.clock, clock);
    bench.now += 2 * SECOND;
    bench.found("32-28", None);
    assert_eq!(bench.sent(), ["M0002322800"]);
    // Our own clock went down by what we measured, not by what anybody says.
    bench.raw("M0099192300");
    let Clock::Game { remaining, .. } = bench.orders[0].clock else {
        panic!()
    };
    assert_eq!(remaining, 298 * SECOND);
}

#[test]
fn a_follower_that_is_black_waits_for_a_move() {
    let mut bench = Bench::in_game(INITIAL, Side::Black);
    assert!(bench.orders.is_empty());
    bench.raw("M0001322800");
    assert_eq!(bench.orders.len(), 1);
}

#[test]
fn a_request_in_mid_game_is_answered_busy_and_the_game_goes_on() {
    let mut bench = Bench::in_game(INITIAL, Side::Black);
    bench.message(Message::GameRequest(request(INITIAL, Side::White)));
    bench.raw("R01broken");
    let busy = format!("A{:32}2", "Us");
    assert_eq!(bench.sent(), [busy.clone(), busy]);
    bench.raw("M0001322800");
    assert_eq!(bench.orders.len(), 1);
}

#[test]
fn what_is_no_request_is_refused_and_the_link_kept() {
    let mut bench = Bench::follower();
    bench.raw(&format!("R02{:32}W000000A", "X"));
    bench.raw("R01broken");
    assert_eq!(
        bench.sent(),
        [format!("A{:32}1", "Us"), format!("A{:32}3", "Us")]
    );
    bench.message(Message::GameRequest(request(INITIAL, Side::White)));
    assert_eq!(bench.orders.len(), 1);
}

#[test]
fn taking_back_is_refused_and_chat_is_not_answered() {
    let mut bench = Bench::in_game(INITIAL, Side::Black);
    bench.raw("B001W");
    bench.raw("CHello");
    assert_eq!(
        bench.sent(),
        [Message::BackAnswer(BackAnswer::Refused).to_string()]
    );
    assert!(bench.reports.is_empty());
}

#[test]
fn an_illegal_move_ends_the_game_with_its_reason_and_not_the_session() {
    for (text, why) in [
        (
            "M0000322700",
            "illegal move of the peer: 'M0000322700', 32-27: ",
        ),
        ("M0000990100", "unreadable move of the peer: 'M0000990100'"),
        ("M00", "unreadable move of the peer"),
    ] {
        let mut bench = Bench::in_game("W:W32,31:B1,27", Side::Black);
        bench.raw(text);
        assert_eq!(bench.sent(), ["E00"]);
        let (result, how) = bench.report();
        assert_eq!(result, GameResult::Unfinished);
        assert!(how.starts_with(why), "{how}");
        bench.raw("E00");
        bench.message(Message::GameRequest(request(INITIAL, Side::White)));
        assert_eq!(bench.sent().len(), 1);
        assert_eq!(bench.orders.len(), 1);
    }
}

#[test]
fn a_move_out_of_turn_ends_the_game() {
    let mut bench = Bench::in_game(INITIAL, Side::White);
    bench.raw("M0000192300");
    assert_eq!(bench.sent(), ["E00"]);
    assert!(bench.report().1.contains("out of turn: 'M0000192300'"));
    // The search that was on is of no use any more.
    bench.found("32-28", None);
    assert!(bench.sent().is_empty());
}

#[test]
fn captures_are_compared_as_a_set() {
    let fen = "W:W32:B28,18,9,1";
    let start = fen::read(fen).unwrap();
    let legal = move_text::sorted_legal_moves(&start);
    let message = MoveMessage::of(&start, legal[0], Duration::ZERO);
    let numbers = message.captured.into_iter().map(|square| square.number());
    let ascending: Vec<String> = numbers.map(|number| format!("{number:02}")).collect();
    assert!(ascending.len() > 1);
    let (from, to, count) = (message.from, message.to, ascending.len());
    let descending: String = ascending.into_iter().rev().collect();
    let mut bench = Bench::in_game(fen, Side::Black);
    bench.raw(&format!(
        "M0001{:02}{:02}{count:02}{descending}",
        from.number(),
        to.number()
    ));
    assert!(bench.reports.is_empty());
    assert_eq!(bench.orders.len(), 1);
}

#[test]
fn captures_with_the_same_ends_differ_by_what_they_take() {
    let fen = "W:WK4:B13,20,32,37";
    for (captured, is_legal) in [("132032", true), ("132037", true), ("133237", false)] {
        let mut bench = Bench::in_game(fen, Side::Black);
        bench.raw(&format!("M0000041503{captured}"));
        assert_eq!(bench.orders.len(), usize::from(is_legal), "{captured}");
        assert_eq!(bench.reports.len(), usize::from(!is_legal), "{captured}");
        if is_legal {
            let last: u8 = captured[4..].parse().unwrap();
            let black = bench.orders[0].game.position().pieces(Side::Black);
            assert!(black.into_iter().all(|square| square.number() != last));
        }
    }
}

#[test]
fn the_side_that_has_no_move_says_that_it_lost() {
    let mut bench = Bench::in_game(LAST_CAPTURE, Side::Black);
    bench.message(sent_move(&fen::read(LAST_CAPTURE).unwrap(), "32x21"));
    assert_eq!(bench.sent(), ["E10"]);
    assert_eq!(bench.report(), (GameResult::Lost, "white wins (no move)"));
    assert_eq!(
        bench.reports[0].to_string(),
        "game 1: white Them, black Us: 2-0 (white wins (no move), 1 plies)"
    );
}

#[test]
fn a_peer_that_has_lost_is_left_to_say_so_for_a_while() {
    let mut bench = Bench::in_game(LAST_CAPTURE, Side::White);
    bench.found("32x21", None);
    bench.sent();
    bench.pass(CONCESSION_TIMEOUT - Duration::from_millis(1));
    assert!(bench.reports.is_empty());
    bench.pass(Duration::from_millis(1));
    assert_eq!(bench.sent(), ["E30"]);
    assert_eq!(bench.report().0, GameResult::Won);
}

/// Plays the five moves each from [`KINGS`]; White moves first.
fn five_moves(bench: &mut Bench, ours: Side) {
    let mut position = fen::read(KINGS).unwrap();
    for text in "5-10 3-8 10-4 8-2 4-15 2-7 15-20 7-1 20-14 1-6".split(' ') {
        if position.side() == ours {
            bench.found(text, None);
        } else {
            bench.message(sent_move(&position, text));
        }
        let mv = move_text::read(&position, text).unwrap();
        position = position.play(mv);
    }
}

#[test]
fn a_draw_by_moves_is_claimed_when_we_are_to_move() {
    let mut bench = Bench::in_game(KINGS, Side::White);
    five_moves(&mut bench, Side::White);
    assert_eq!(bench.sent().last().unwrap(), "E20");
    assert_eq!(bench.report(), (GameResult::Drawn, "draw (5-move rule)"));
}

#[test]
fn a_draw_that_we_make_is_claimed_after_the_peer_played_on() {
    let mut bench = Bench::in_game(KINGS, Side::Black);
    five_moves(&mut bench, Side::Black);
    assert!(bench.reports.is_empty());
    bench.pass(60 * SECOND);
    assert!(bench.reports.is_empty(), "the peer may think");
    bench.sent();
    bench.raw("M0000141900");
    assert_eq!(bench.sent(), ["E20"]);
    assert_eq!(bench.report(), (GameResult::Drawn, "draw (5-move rule)"));
}

#[test]
fn repetition_is_claimed() {
    let fen = "W:WK1,31:B20,K50";
    let mut bench = Bench::in_game(fen, Side::White);
    let mut position = fen::read(fen).unwrap();
    for text in "1-6 50-45 6-1 45-50 1-6 50-45 6-1 45-50".split(' ') {
        match position.side() {
            Side::White => bench.found(text, None),
            Side::Black => bench.message(sent_move(&position, text)),
        }
        position = position.play(move_text::read(&position, text).unwrap());
    }
    assert_eq!(bench.sent().last().unwrap(), "E20");
    assert_eq!(bench.report().1, "draw (repetition)");
}

#[test]
fn the_end_of_a_game_is_acknowledged_once_with_reason_0() {
    let mut bench = Bench::in_game(INITIAL, Side::White);
    bench.raw("E10");
    bench.raw("E10");
    assert_eq!(bench.sent(), ["E00"]);
    assert_eq!(bench.report(), (GameResult::Won, "the peer says it lost"));
    let mut bench = Bench::in_game(INITIAL, Side::White);
    bench.raw("E01");
    assert_eq!(bench.sent(), ["E01"]);
    assert_eq!(bench.report().0, GameResult::Unfinished);
}

#[test]
fn the_rules_go_before_what_the_peer_says() {
    let mut bench = Bench::in_game(LAST_CAPTURE, Side::White);
    bench.found("32x21", None);
    bench.raw("E30");
    assert_eq!(bench.report(), (GameResult::Won, "white wins (no move)"));
}

#[test]
fn an_acknowledgement_is_waited_for_three_seconds() {
    let games = vec![
        request(LAST_CAPTURE, Side::White),
        request(LAST_CAPTURE, Side::Black),
    ];
    let mut bench = Bench::initiator(games);
    bench.sent();
    bench.message(accepted());
    bench.message(sent_move(&fen::read(LAST_CAPTURE).unwrap(), "32x21"));
    assert_eq!(bench.sent(), ["E10"]);
    bench.pass(ACKNOWLEDGEMENT_TIMEOUT - Duration::from_millis(1));
    assert!(bench.sent().is_empty());
    bench.pass(Duration::from_millis(1));
    assert!(bench.sent()[0].starts_with('R'));
    // The acknowledgement that comes late is not one of the next game.
    bench.raw("E00");
    assert!(bench.sent().is_empty() && bench.end.is_none());
}

#[test]
fn a_peer_that_never_acknowledges_may_ask_for_the_next_game() {
    let mut bench = Bench::in_game(LAST_CAPTURE, Side::Black);
    bench.message(sent_move(&fen::read(LAST_CAPTURE).unwrap(), "32x21"));
    bench.sent();
    bench.message(Message::GameRequest(request(INITIAL, Side::White)));
    assert!(bench.sent()[0].ends_with('0'));
    bench.found("32-28", None);
    assert_eq!(bench.sent(), ["M0000322800"]);
}

#[test]
fn a_series_is_asked_for_game_by_game_and_ends_with_a_stop() {
    let games = vec![
        request(LAST_CAPTURE, Side::Black),
        request(LAST_CAPTURE, Side::White),
    ];
    let mut bench = Bench::initiator(games.clone());
    assert_eq!(
        bench.sent(),
        [Message::GameRequest(games[0].clone()).to_string()]
    );
    bench.message(accepted());
    bench.found("32x21", None);
    bench.sent();
    bench.raw("E10");
    let second = Message::GameRequest(games[1].clone()).to_string();
    assert_eq!(bench.sent(), ["E00".to_owned(), second]);
    bench.message(accepted());
    bench.message(sent_move(&fen::read(LAST_CAPTURE).unwrap(), "32x21"));
    assert_eq!(bench.sent(), ["E11"]);
    assert_eq!(bench.end, None);
    bench.raw("E01");
    assert_eq!(bench.end, Some(Ok(())));
    let ours: Vec<Side> = bench.reports.iter().map(|report| report.ours).collect();
    assert_eq!(ours, [Side::White, Side::Black]);
}

#[test]
fn a_refusal_and_silence_end_a_series() {
    let games = vec![request(INITIAL, Side::Black)];
    let mut bench = Bench::initiator(games.clone());
    bench.raw(&format!("A{:32}2", "Them"));
    let error = bench.end.unwrap().unwrap_err().to_string();
    assert_eq!(error, "the peer Them refused the game: busy");
    let mut bench = Bench::initiator(games);
    bench.raw("AGWD");
    assert_eq!(bench.end, None);
    bench.pass(ANSWER_TIMEOUT);
    let error = bench.end.unwrap().unwrap_err().to_string();
    assert!(error.contains("did not answer 'R01Them"), "{error}");
}

#[test]
fn a_pondered_reply_is_a_hit_and_another_is_searched_afresh() {
    for (reply, hits, ours) in [("M0001192300", 1, "28x19"), ("M0001182300", 0, "31-27")] {
        let mut bench = Bench::in_game(INITIAL, Side::White);
        bench.found("32-28", Some("19-23"));
        assert_eq!(bench.orders[0].purpose, Purpose::Ponder);
        assert_eq!(bench.orders[0].game.plies(), 2);
        bench.raw(reply);
        assert_eq!(bench.hits, hits);
        assert_eq!(bench.orders.len(), 2 - hits);
        bench.sent();
        bench.now += SECOND;
        bench.found(ours, None);
        assert!(bench.sent()[0].starts_with("M0001"));
    }
}

#[test]
fn what_pondering_found_too_early_is_played_when_its_time_comes() {
    let mut bench = Bench::in_game(INITIAL, Side::White);
    bench.found("32-28", Some("19-23"));
    bench.sent();
    bench.found("28x19", None);
    assert!(bench.sent().is_empty());
    bench.raw("M0001192300");
    assert_eq!(bench.sent(), ["M000028190123"]);
}

#[test]
fn a_stale_search_says_nothing() {
    let mut bench = Bench::in_game(INITIAL, Side::White);
    bench.found("32-28", Some("19-23"));
    let stale = bench.orders.pop().unwrap();
    bench.raw("M0001182300");
    bench.sent();
    bench.event(Event::Found(Found {
        id: stale.id,
        best: None,
        ponder: None,
    }));
    assert!(bench.sent().is_empty());
}

#[test]
fn a_search_that_failed_does_not_cost_the_game() {
    let mut bench = Bench::in_game(INITIAL, Side::White);
    let id = bench.orders[0].id;
    bench.event(Event::Found(Found {
        id,
        best: None,
        ponder: None,
    }));
    assert_eq!(bench.sent(), ["M0000312600"]);
}

#[test]
fn a_closed_socket_ends_the_session() {
    let mut bench = Bench::in_game(INITIAL, Side::White);
    bench.event(Event::Incoming(Incoming::Closed(None)));
    assert_eq!(bench.end, Some(Ok(())));
    assert_eq!(
        bench.report(),
        (GameResult::Unfinished, "the peer closed the connection")
    );
    let mut bench = Bench::initiator(vec![request(INITIAL, Side::White); 3]);
    bench.message(accepted());
    bench.event(Event::Incoming(Incoming::Closed(None)));
    assert_eq!(bench.end, Some(Err(SessionError::Closed(3))));
}

#[test]
fn an_error_of_the_link_is_handed_on() {
    let mut bench = Bench::in_game(INITIAL, Side::White);
    let error = LinkError::Endless {
        text: "GET /".to_owned(),
        found: 2000,
    };
    bench.event(Event::Incoming(Incoming::Closed(Some(error.clone()))));
    assert_eq!(bench.end, Some(Err(error.into())));
}

#[test]
fn a_flood_is_an_error_that_names_it() {
    for flood in ["CHello", "garbage", "B001W", "R01broken"] {
        let mut bench = Bench::in_game(INITIAL, Side::Black);
        for _ in 0..1000 {
            bench.raw(flood);
        }
        let error = bench.end.unwrap().unwrap_err().to_string();
        assert!(error.contains(flood), "{error}");
    }
}

#[test]
fn an_interrupt_says_goodbye_and_a_second_one_does_not_wait() {
    let mut bench = Bench::in_game(INITIAL, Side::Black);
    bench.event(Event::Interrupted);
    assert_eq!(bench.sent(), ["E01"]);
    assert_eq!(bench.report(), (GameResult::Unfinished, "interrupted"));
    bench.event(Event::Interrupted);
    assert_eq!(bench.end, Some(Ok(())));
    let mut bench = Bench::in_game(INITIAL, Side::Black);
    bench.event(Event::Interrupted);
    bench.pass(ACKNOWLEDGEMENT_TIMEOUT);
    assert_eq!(bench.end, Some(Ok(())));
}

#[test]
fn a_game_that_is_over_at_its_start_is_ended_by_who_is_to_move() {
    let mut bench = Bench::follower();
    bench.message(Message::GameRequest(request("W:W:B1", Side::White)));
    assert_eq!(bench.sent()[1..], ["E10"]);
    assert_eq!(bench.report(), (GameResult::Lost, "black wins (no move)"));
}
