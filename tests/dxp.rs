//! `manoury dxp` over real sockets: two of ours, and peers written by hand.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, ChildStderr, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use manoury::{
    board::{Position, Side},
    notation::{fen, move_text},
    protocol::dxp::{
        link::Splitter,
        message::{Answer, Message, MoveMessage, Reason},
    },
};

/// How long anything may take that should happen at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// One of ours that listens on a port of its own.
struct Server {
    child: Child,
    stderr: BufReader<ChildStderr>,
    address: String,
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manoury"));
    command
        .args(["dxp", "--tt-size", "12", "--move-time", "0.01"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

impl Drop for Server {
    /// Nothing outlives a test that fails.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut child = command(&["--listen", "127.0.0.1:0"])
            .args(arguments)
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap();
        Server {
            child,
            address: address.to_owned(),
            stderr,
        }
    }

    fn peer(&self) -> Peer {
        Peer::new(TcpStream::connect(&self.address).unwrap())
    }

    /// Exit code, stdout and stderr, when the program has ended.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut output, mut errors) = (String::new(), String::new());
        self.stderr.read_to_string(&mut errors).unwrap();
        let mut stdout = self.child.stdout.take().unwrap();
        stdout.read_to_string(&mut output).unwrap();
        (self.child.wait().unwrap().code(), output, errors)
    }

    /// What Ctrl-C does.
    fn interrupt(&self) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.unwrap().success());
    }
}

/// A peer written by hand.
struct Peer {
    stream: TcpStream,
    splitter: Splitter,
}

impl Peer {
    fn new(stream: TcpStream) -> Peer {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Peer {
            stream,
            splitter: Splitter::default(),
        }
    }

    fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    /// The next message; none if the connection was closed.
    fn receive(&mut self) -> Option<Message> {
        let mut buffer = [0; 512];
        loop {
            if let Some(message) = self.splitter.next_message().unwrap() {
                return Some(message.unwrap());
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(count) => self.splitter.push(&buffer[..count]),
                Err(error) => panic!("no message: {error}"),
            }
        }
    }

    fn expect(&mut self, expected: &str) {
        assert_eq!(self.receive().unwrap().to_string(), expected);
    }

    /// Receives an answer to a request.
    fn expect_answer(&mut self, expected: Answer) {
        match self.receive() {
            Some(Message::GameAnswer { name, answer }) => {
                assert_eq!((name.as_str(), answer), ("Manoury", expected));
            }
            other => panic!("{other:?}"),
        }
    }

    /// Receives a move that is legal in `position` and returns what follows.
    fn expect_move(&mut self, position: &Position) -> Position {
        match self.receive() {
            Some(Message::Move(message)) => position.play(message.find(position).unwrap()),
            other => panic!("{other:?}"),
        }
    }
}

/// A request in which nothing is special.
fn request(follower: char, start: &str) -> String {
    format!("R01{:32}{follower}005000{start}\0", "Peer")
}

/// A case's input.
fn case(id: &str) -> String {
    let cases = include_str!("cases/dxp.jsonl").lines();
    let found = cases
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .find(|case| case["id"] == id);
    let input = found.unwrap()["input"][0].as_str().unwrap().to_owned();
    input.replace("\\0", "\0")
}

fn read_one(text: &str) -> Message {
    Message::read(text.strip_suffix('\0').unwrap().as_bytes()).unwrap()
}

// The cases.

#[test]
fn case_16_captures() {
    assert!(case("dxp-16-captures").contains("23x15"));
    let text = "W:WK23:B8,9,10,11,17,18,19,20,27,28,29,30,31,38,39,42,44";
    let position = fen::read(text).unwrap();
    let mv = move_text::read(&position, "23x15").unwrap();
    let message = Message::Move(MoveMessage::of(&position, mv, Duration::from_secs(4)));
    let bytes = message.write();
    assert_eq!(bytes.len(), 43 + 1);
    assert!(bytes.starts_with(b"M0004231516"));
    assert_eq!(read_one(std::str::from_utf8(&bytes).unwrap()), message);
    let twenty: String = (1..=20).map(|number| format!("{number:02}")).collect();
    let most = format!("M0001502120{twenty}\0");
    assert_eq!(most.len(), 51 + 1);
    assert_eq!(most.as_bytes(), read_one(&most).write());
}

#[test]
fn case_b_setup_startpos() {
    let Message::GameRequest(request) = read_one(&case("dxp-b-setup-startpos")) else {
        panic!()
    };
    assert_eq!(request.start, Position::initial());
    let time = request.time.unwrap().duration();
    assert_eq!(time, Duration::from_secs(300));
    let server = Server::start(&["--once"]);
    let mut peer = server.peer();
    peer.send(case("dxp-b-setup-startpos"));
    peer.expect_answer(Answer::Accepted);
    peer.send("M0000322800\0");
    let after = Position::initial();
    let after = after.play(move_text::read(&after, "32-28").unwrap());
    peer.expect_move(&after);
}

#[test]
fn case_captures_any_order() {
    let Message::Move(message) = read_one(&case("dxp-captures-any-order")) else {
        panic!()
    };
    let numbers: Vec<u8> = message.captured.into_iter().map(|s| s.number()).collect();
    assert_eq!((message.from.number(), message.to.number()), (5, 25));
    assert_eq!(numbers, [12, 20, 22, 23]);
}

#[test]
fn case_coalesced() {
    let stream = case("dxp-coalesced");
    for cut in 0..stream.len() {
        let mut splitter = Splitter::default();
        let mut found = Vec::new();
        for part in [&stream[..cut], &stream[cut..]] {
            splitter.push(part.as_bytes());
            while let Some(message) = splitter.next_message().unwrap() {
                found.push(message.unwrap().to_string());
            }
        }
        assert_eq!(found, ["M0012061100", "CHello"]);
    }
}

#[test]
fn case_field_width() {
    let Message::GameRequest(request) = read_one(&case("dxp-field-width")) else {
        panic!()
    };
    assert_eq!(request.name, "Tornado voor Windows 4.0");
    assert_eq!(request.follower, Side::White);
    assert_eq!(request.time.unwrap().duration(), Duration::from_secs(3600));
    assert_eq!(request.moves, Some(65));
    assert_eq!(request.start, Position::initial());
}

#[test]
fn case_fraction_minutes() {
    let Message::GameRequest(request) = read_one(&case("dxp-fraction-minutes")) else {
        panic!()
    };
    assert_eq!(request.time.unwrap().duration(), Duration::from_secs(30));
    assert_eq!(request.moves, None);
}

#[test]
fn case_gameend_ack() {
    let server = Server::start(&["--once"]);
    let mut peer = server.peer();
    peer.send(request('Z', "A"));
    peer.expect_answer(Answer::Accepted);
    peer.send(case("dxp-gameend-ack"));
    peer.expect("E00");
    drop(peer);
    let (code, output, _) = server.end();
    assert_eq!(code, Some(0));
    assert!(output.contains("the peer says it lost"), "{output}");
    assert!(output.ends_with("total 1: won 1, drawn 0, lost 0, unfinished 0\n"));
}

#[test]
fn case_lone_nul_name() {
    assert!(case("dxp-lone-nul-name").contains("29 NULs"));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let arguments = ["--connect", &address, "--initiator", "--games", "1"];
    let child = command(&arguments).spawn().unwrap();
    let mut peer = Peer::new(listener.accept().unwrap().0);
    peer.receive().unwrap();
    // Too short, and nothing follows for a while: the link is kept.
    peer.send("AGWD\0");
    thread::sleep(Duration::from_millis(700));
    peer.send([b"AGWD".as_slice(), &[0; 29], b"0\0"].concat());
    peer.expect_move(&Position::initial());
    peer.send("E10\0");
    peer.expect("E00");
    drop(peer);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("game 1: white Manoury, black GWD: 2-0"),
        "{text}"
    );
    assert!(output.status.success());
}

// Whole games.

#[test]
fn two_of_ours_play_a_series_with_colours_changed() {
    let server = Server::start(&["--once", "--name", "Follower", "--ponder"]);
    let openings = [
        "--opening",
        "W:W31-50:B1-20",
        "--opening",
        "W:WK5,31,32:BK46,11,12",
    ];
    let played = command(&["--connect", &server.address, "--initiator"])
        .args(["--minutes", "0.5", "--games", "3"])
        .args(openings)
        .output()
        .unwrap();
    let text = String::from_utf8(played.stdout).unwrap();
    assert!(played.status.success(), "{text}");
    let (code, theirs, errors) = server.end();
    assert_eq!(code, Some(0), "{errors}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    for (line, players) in lines.iter().zip([
        "game 1: white Manoury, black Follower: ",
        "game 2: white Follower, black Manoury: ",
        "game 3: white Manoury, black Follower: ",
    ]) {
        assert!(line.starts_with(players), "{text}");
        assert!(theirs.contains(line), "{line} is not in {theirs}");
        assert!(!line.contains(": * "), "{line}");
    }
    assert!(lines[3].starts_with("total 3: ") && lines[3].ends_with(" unfinished 0"));
}

#[test]
fn the_initiator_may_listen_and_the_follower_connect() {
    let server = Server::start(&["--initiator", "--opening", "W:W32:B27"]);
    let played = command(&["--connect", &server.address]).output().unwrap();
    assert!(played.status.success());
    let text = String::from_utf8(played.stdout).unwrap();
    let (code, ours, _) = server.end();
    assert_eq!(code, Some(0));
    let totals = "total 2: won 1, drawn 0, lost 1, unfinished 0\n";
    assert!(
        text.ends_with(totals) && ours.ends_with(totals),
        "{text}{ours}"
    );
    assert_eq!(text.matches("white wins (no move), 1 plies").count(), 2);
}

#[test]
fn a_draw_by_the_rules_is_claimed_from_a_peer_that_plays_on() {
    let server = Server::start(&["--once"]);
    let mut peer = server.peer();
    let start = "W:WK46:BK3";
    let mut position = fen::read(start).unwrap();
    let mut squares = vec!['e'; 50];
    (squares[45], squares[2]) = ('W', 'Z');
    let squares: String = squares.into_iter().collect();
    peer.send(request('Z', &format!("BW{squares}")));
    peer.expect_answer(Answer::Accepted);
    let mut plies = 0;
    loop {
        // From one end of the long diagonal to the other, where nobody is caught.
        let ends = ["46-5", "5-46"];
        let mv = ends
            .iter()
            .find_map(|text| move_text::read(&position, text).ok());
        let mv = mv.unwrap();
        peer.send(Message::Move(MoveMessage::of(&position, mv, Duration::ZERO)).write());
        position = position.play(mv);
        plies += 1;
        match peer.receive().unwrap() {
            Message::Move(message) => position = position.play(message.find(&position).unwrap()),
            Message::GameEnd { reason, stop } => {
                assert_eq!((reason, stop), (Reason::Draw, false));
                break;
            }
            other => panic!("{other:?}"),
        }
        plies += 1;
        assert!(plies < 12);
    }
    drop(peer);
    let (_, output, _) = server.end();
    assert!(output.contains(": 1-1 (draw ("), "{output}");
}

// Peers that behave badly.

#[test]
fn several_games_on_one_connection_and_several_connections() {
    let server = Server::start(&[]);
    for _ in 0..2 {
        let mut peer = server.peer();
        for _ in 0..2 {
            peer.send(request('W', "A"));
            peer.expect_answer(Answer::Accepted);
            peer.expect_move(&Position::initial());
            peer.send("E00\0");
            peer.expect("E00");
        }
    }
    // The second connection is seen to end before the program is told to.
    thread::sleep(Duration::from_millis(300));
    server.interrupt();
    let (code, output, _) = server.end();
    assert_eq!(code, Some(0));
    assert!(
        output.ends_with("total 4: won 0, drawn 0, lost 0, unfinished 4\n"),
        "{output}"
    );
}

#[test]
fn a_move_leaves_the_acceptance_100_ms() {
    let server = Server::start(&["--once"]);
    let mut peer = server.peer();
    peer.send(request('W', "A"));
    peer.expect_answer(Answer::Accepted);
    let accepted = Instant::now();
    peer.expect_move(&Position::initial());
    assert!(accepted.elapsed() >= Duration::from_millis(90));
}

#[test]
fn messages_come_through_in_any_segments() {
    let server = Server::start(&["--once"]);
    let mut peer = server.peer();
    for byte in request('Z', "A").bytes() {
        peer.send([byte]);
    }
    peer.expect_answer(Answer::Accepted);
    peer.send("CHello\0B001W\0\0R01\0M00");
    peer.expect("K1");
    peer.expect_answer(Answer::Busy);
    thread::sleep(Duration::from_millis(50));
    peer.send("00322800\0");
    let start = Position::initial();
    peer.expect_move(&start.play(move_text::read(&start, "32-28").unwrap()));
}

#[test]
fn an_illegal_move_ends_the_game_and_not_the_program() {
    let server = Server::start(&["--once"]);
    let mut peer = server.peer();
    peer.send(request('Z', "A"));
    peer.expect_answer(Answer::Accepted);
    peer.send("M0000322300\0");
    peer.expect("E00");
    peer.send("E00\0");
    peer.send(request('W', "A"));
    peer.expect_answer(Answer::Accepted);
    peer.expect_move(&Position::initial());
    drop(peer);
    let (code, output, errors) = server.end();
    assert_eq!(code, Some(0));
    let why = "illegal move of the peer: 'M0000322300', 32-23: too far";
    assert!(output.contains(why), "{output}");
    assert!(errors.contains(why), "{errors}");
    assert!(output.contains("game 2: white Manoury, black Peer: * (the peer closed"));
}

#[test]
fn a_peer_that_floods_or_sends_garbage_is_named() {
    let garbage = "GET / HTTP/1.1\r\n".repeat(1000);
    let chat = "CHello\0".repeat(10_000);
    for (flood, named) in [(garbage, "GET / HTTP"), (chat, "CHello")] {
        let server = Server::start(&["--once"]);
        let mut peer = server.peer();
        // The program may close before everything is sent.
        let _ = peer.stream.write_all(flood.as_bytes());
        let (code, _, errors) = server.end();
        assert_eq!(code, Some(1));
        assert!(errors.contains(named), "{errors}");
    }
}

#[test]
fn a_peer_that_dies_ends_a_series() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let arguments = ["--connect", &address, "--initiator", "--games", "4"];
    let child = command(&arguments).spawn().unwrap();
    let mut peer = Peer::new(listener.accept().unwrap().0);
    peer.receive().unwrap();
    peer.send(format!("A{:32}0\0", "Peer"));
    peer.expect_move(&Position::initial());
    drop(peer);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("with 4 games still to play"), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with("total 1: won 0, drawn 0, lost 0, unfinished 1\n"));
}

#[test]
fn an_end_that_nobody_acknowledges_is_waited_for_three_seconds() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let arguments = ["--connect", &address, "--initiator", "--opening", "W:W:B1"];
    let mut child = command(&arguments).spawn().unwrap();
    let mut peer = Peer::new(listener.accept().unwrap().0);
    peer.receive().unwrap();
    peer.send(format!("A{:32}0\0", "Peer"));
    peer.expect("E10");
    let ended = Instant::now();
    assert!(matches!(peer.receive(), Some(Message::GameRequest(_))));
    let waited = ended.elapsed().as_millis();
    assert!((2900..4000).contains(&waited), "{waited} ms");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_interrupt_ends_the_game_with_a_goodbye() {
    let server = Server::start(&[]);
    let mut peer = server.peer();
    peer.send(request('W', "A"));
    peer.expect_answer(Answer::Accepted);
    peer.expect_move(&Position::initial());
    server.interrupt();
    peer.expect("E01");
    peer.send("E01\0");
    assert_eq!(peer.receive(), None);
    let (code, output, _) = server.end();
    assert_eq!(code, Some(0));
    assert!(output.contains("* (interrupted, 1 plies)"), "{output}");
}

// The call.

#[test]
fn a_wrong_call_says_what_is_wrong() {
    for (arguments, code, why) in [
        (
            &["--connect", "127.0.0.1:1"][..],
            1,
            "--connect 127.0.0.1:1: ",
        ),
        (
            &["--listen", "127.0.0.1:0", "--games", "2"],
            2,
            "--initiator",
        ),
        (
            &[
                "--listen",
                "127.0.0.1:0",
                "--initiator",
                "--minutes",
                "1.25",
            ],
            2,
            "three characters",
        ),
        (
            &[
                "--listen",
                "127.0.0.1:0",
                "--initiator",
                "--opening",
                "W:W1:B51",
            ],
            2,
            "no square 51",
        ),
        (&[], 2, "--listen"),
    ] {
        let output = command(arguments).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert!(errors.contains(why), "{errors}");
    }
}

#[test]
fn help_shows_an_example() {
    let output = command(&["--help"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("manoury dxp --listen 127.0.0.1:27531"));
}
