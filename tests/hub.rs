//! `manoury hub` as its clients see it: the program itself, through pipes.
//!
//! The cases of `tests/cases/hub.jsonl` and `process.jsonl` were each seen with
//! a real client; [`every_case_has_a_test`] holds the two lists together.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

const START: &str = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww";

/// White to move can play 32-28 only to be forced: one legal move, a capture.
const FORCED: &str = "Weeeeeeeeeeeeeeeeeeeeeeebeeeewbeeeeeeeeeeeeeeeeeeee";

/// Two kings that take pieces on two ways with the same ends.
const TWO_WAYS: &str = "WWeeeeeeeeeebbeeeeebbeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/// Long enough for the slowest machine; no test waits so long when it passes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running engine and what it writes.
struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Engine {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manoury"));
        Engine::spawn(command.args(arguments))
    }

    fn spawn(command: &mut Command) -> Engine {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines() {
                let _ = sender.send((Instant::now(), line.unwrap()));
            }
        });
        Engine {
            input: process.stdin.take(),
            process,
            lines,
        }
    }

    /// An engine that is ready, with a table so small that a test starts quickly.
    fn ready() -> Engine {
        let mut engine = Engine::start(&[]);
        engine.send("set-param name=tt-size value=16\ninit");
        assert_eq!(engine.read(), "ready");
        engine
    }

    fn send(&mut self, lines: &str) {
        self.send_bytes(format!("{lines}\n").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// The next line.
    fn read(&self) -> String {
        match self.lines.recv_timeout(PATIENCE) {
            Ok((_, line)) => line,
            Err(error) => panic!("no line: {error}"),
        }
    }

    /// All lines up to the next `done`, which is the last.
    fn read_to_done(&self) -> Vec<String> {
        self.read_to(|line| line.starts_with("done"))
    }

    fn read_to(&self, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let start = Instant::now();
        let mut lines = vec![self.read()];
        while !is_last(&lines[lines.len() - 1]) {
            assert!(start.elapsed() < PATIENCE, "still no end: {lines:?}");
            lines.push(self.read());
        }
        lines
    }

    /// What comes before the answer to a `ping`: all that earlier commands made it say.
    fn said(&mut self) -> Vec<String> {
        self.send("ping");
        let mut lines = self.read_to(|line| line == "pong");
        lines.pop();
        lines
    }

    /// The only line that earlier commands made it say: an error that names `what`.
    fn refused(&mut self, what: &str) {
        let lines = self.said();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_lawful(&lines[0]);
        assert!(lines[0].starts_with("error message=\""), "{}", lines[0]);
        assert!(lines[0].contains(what), "{} does not name {what}", lines[0]);
    }

    /// Closes its input and returns how long it lived on, its exit code and what it still said.
    fn close(mut self) -> (Duration, Option<i32>, Vec<String>) {
        self.input = None;
        self.leave()
    }

    fn leave(mut self) -> (Duration, Option<i32>, Vec<String>) {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.process.try_wait().unwrap() {
                let lived_on = start.elapsed();
                let said = self.lines.iter().map(|(_, line)| line).collect();
                let mut complaints = String::new();
                let mut stderr = self.process.stderr.take().unwrap();
                stderr.read_to_string(&mut complaints).unwrap();
                assert_eq!(complaints, "", "stderr is to be silent");
                return (lived_on, status.code(), said);
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("it does not leave");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A position with these pieces.
fn position(side: char, pieces: &[(usize, char)]) -> String {
    let piece_on = |square| {
        let found = pieces.iter().find(|piece| piece.0 == square);
        found.map_or('e', |piece| piece.1)
    };
    std::iter::once(side)
        .chain((1..=50).map(piece_on))
        .collect()
}

/// Checks a line as the pickiest clients would read it.
fn assert_lawful(line: &str) {
    assert!(!line.trim().is_empty() && line == line.trim(), "{line:?}");
    assert!(!line.contains("  "), "two spaces: {line}");
    for (key, value) in pairs(line) {
        assert!(!key.contains('"'), "{line}");
        assert!(!value.contains('='), "an = in a value: {line}");
        let words = value.trim_matches('"').split(' ').count();
        assert_eq!(value.starts_with('"'), words > 1, "quotes: {line}");
    }
}

/// Everything behind the first word, all of it `key=value`.
fn pairs(line: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = line.split_once(' ').map_or("", |(_, rest)| rest);
    while !rest.is_empty() {
        let (key, behind) = rest.split_once('=').expect(line);
        let end = match behind.strip_prefix('"') {
            Some(quoted) => quoted.find('"').expect(line) + 2,
            None => behind.find(' ').unwrap_or(behind.len()),
        };
        pairs.push((key, &behind[..end]));
        rest = behind[end..].trim_start_matches(' ');
    }
    pairs
}

fn value<'a>(line: &'a str, key: &str) -> &'a str {
    let pairs = pairs(line);
    let pair = pairs.iter().find(|pair| pair.0 == key);
    pair.unwrap_or_else(|| panic!("no {key} in {line}")).1
}

fn keys(line: &str) -> Vec<&str> {
    pairs(line).into_iter().map(|pair| pair.0).collect()
}

/// Checks the lines of a search that found a move, and returns that move.
fn played(lines: &[String]) -> String {
    let (done, infos) = lines.split_last().unwrap();
    assert!(!infos.is_empty(), "{done} without an info before it");
    for info in infos {
        assert_lawful(info);
        let fields = ["depth", "mean-depth", "score", "nodes", "time", "nps", "pv"];
        assert_eq!(keys(info), fields, "{info}");
        assert!(info.starts_with("info depth="), "{info}");
        value(info, "depth").parse::<u32>().unwrap();
        value(info, "nodes").parse::<u64>().unwrap();
        for real in ["mean-depth", "score", "time", "nps"] {
            value(info, real).parse::<f64>().unwrap();
            assert!(value(info, real).contains('.'), "{info}");
        }
        let decimals = value(info, "score").rsplit('.').next().unwrap();
        assert_eq!(decimals.len(), 2, "{info}");
    }
    assert_lawful(done);
    match keys(done).as_slice() {
        ["move"] | ["move", "ponder"] => value(done, "move").to_owned(),
        _ => panic!("{done}"),
    }
}

/// The moves that are legal after `moves` from `START`, by our own `legal`.
fn legal(moves: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_manoury"))
        .args(["legal", "--fen", START, "--moves", moves])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("state"));
    lines
        .map(|line| line.split(' ').nth(1).unwrap().to_owned())
        .collect()
}

// The handshake.

#[test]
fn it_introduces_itself_in_lawful_lines() {
    let mut engine = Engine::start(&["hub"]);
    engine.send("hub");
    let lines = engine.read_to(|line| line == "wait");
    assert!(
        lines[0].starts_with("id name=Manoury version="),
        "{lines:?}"
    );
    assert_eq!(keys(&lines[0]), ["name", "version", "author", "country"]);
    for line in &lines {
        assert_lawful(line);
    }
    let params: Vec<&str> = lines[1..lines.len() - 1]
        .iter()
        .map(|line| value(line, "name"))
        .collect();
    let expected = [
        "variant",
        "book",
        "book-ply",
        "book-margin",
        "ponder",
        "threads",
        "tt-size",
        "bb-size",
        "endgame-dir",
        "multi-pv",
    ];
    assert_eq!(params, expected);
    assert!(lines.contains(
        &"param name=variant value=normal type=enum values=\"normal standard\"".to_owned()
    ));
}

#[test]
fn a_second_init_is_answered_too() {
    let mut engine = Engine::start(&[]);
    engine.send("hub\nset-param name=tt-size value=22\ninit\ninit");
    let lines = engine.read_to(|line| line == "ready");
    assert!(lines.iter().all(|line| !line.starts_with("error")));
    assert_eq!(engine.read(), "ready");
}

#[test]
fn any_extra_arguments_start_the_loop_from_any_folder() {
    for arguments in [
        &[][..],
        &["hub"],
        &["hub", "scan.ini", "--x"],
        &["--k=v"],
        &["-x", "hub"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manoury"));
        let mut engine = Engine::spawn(command.args(arguments).current_dir("/"));
        engine.send("ping");
        assert_eq!(engine.read(), "pong", "{arguments:?}");
        let (_, code, _) = engine.close();
        assert_eq!(code, Some(0));
    }
}

#[test]
fn a_mistyped_subcommand_is_named_in_one_line() {
    let output = Command::new(env!("CARGO_BIN_EXE_manoury"))
        .arg("prft")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(complaint, "manoury: unrecognized subcommand 'prft'\n");
}

#[test]
fn help_and_version_are_not_the_loop() {
    for (arguments, word) in [
        (&["--help"][..], "Example:"),
        (&["hub", "--help"], "Example:"),
        (&["hub", "--help"], "tt-size"),
        (&["--version"], "manoury "),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_manoury"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(word), "{arguments:?}: {text}");
    }
}

// Searching.

#[test]
fn a_search_reports_and_plays_a_legal_move() {
    let mut engine = Engine::ready();
    for (purpose, moves) in [("think", ""), ("analyze", "32-28 19-23")] {
        engine.send(&format!(
            "pos pos={START} moves=\"{moves}\"\nlevel depth=7\ngo {purpose}"
        ));
        let lines = engine.read_to_done();
        let best = played(&lines);
        assert!(legal(moves).contains(&best), "{best} after {moves}");
        let last = &lines[lines.len() - 2];
        assert_eq!(value(last, "depth"), "7");
        let done = &lines[lines.len() - 1];
        let reply = value(done, "ponder");
        assert!(
            legal(&format!("{moves} {best}")).contains(&reply.to_owned()),
            "{done}"
        );
    }
    let (_, code, said) = engine.close();
    assert_eq!((code, said.len()), (Some(0), 0));
}

#[test]
fn a_forced_move_has_its_info_and_a_pv_of_one_move_has_no_quotes() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={FORCED}\nlevel move-time=5\ngo think"));
    let lines = engine.read_to_done();
    assert_eq!(
        played(&lines),
        value(&lines[0], "pv")
            .trim_matches('"')
            .split(' ')
            .next()
            .unwrap()
    );
    engine.send(&format!("pos pos={START}\nlevel depth=1\ngo think"));
    let lines = engine.read_to_done();
    played(&lines);
    assert!(!value(&lines[0], "pv").starts_with('"') || value(&lines[0], "pv").contains(' '));
}

#[test]
fn a_finished_position_is_done_at_once_and_bare() {
    let mut engine = Engine::ready();
    // White's king on 6 is shut in, and White is to move.
    let blocked = "Wbeeeeweeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
    for purpose in ["analyze", "think"] {
        engine.send(&format!("pos pos={blocked}\nlevel depth=5\ngo {purpose}"));
        assert_eq!(engine.read(), "done");
    }
    assert_eq!(engine.said(), [""; 0]);
}

#[test]
fn a_drawn_game_still_gets_a_move() {
    let mut engine = Engine::ready();
    let dance = "1-6 50-45 6-1 45-50 ".repeat(4);
    let kings = format!("WW{}B", "e".repeat(48));
    engine.send(&format!(
        "pos pos={kings} moves=\"{dance}\"\nlevel depth=4\ngo think"
    ));
    played(&engine.read_to_done());
}

#[test]
fn a_win_is_a_hundred_men_less_a_hundredth_a_ply() {
    let mut engine = Engine::ready();
    // 32-28 23x32 38x27, and Black has nothing left.
    let win = position('W', &[(32, 'w'), (38, 'w'), (23, 'b')]);
    engine.send(&format!("pos pos={win}\nlevel depth=9\ngo analyze"));
    let lines = engine.read_to_done();
    played(&lines);
    assert_eq!(value(&lines[lines.len() - 2], "score"), "99.97");
    // 46-41 is forced and lost.
    let loss = position('W', &[(46, 'w'), (32, 'B')]);
    engine.send(&format!("pos pos={loss}\nlevel depth=9\ngo analyze"));
    let lines = engine.read_to_done();
    assert_eq!(value(&lines[lines.len() - 2], "score"), "-99.98");
}

#[test]
fn several_lines_come_in_order_with_their_number_first() {
    let mut engine = Engine::ready();
    engine.send(&format!(
        "set-param name=multi-pv value=3\npos pos={START}\nlevel depth=6\ngo analyze"
    ));
    let lines = engine.read_to_done();
    let (done, infos) = lines.split_last().unwrap();
    assert_eq!(infos.len() % 3, 0);
    for (index, info) in infos.iter().enumerate() {
        assert_lawful(info);
        let number = index % 3 + 1;
        assert!(
            info.starts_with(&format!("info multi-pv={number} depth=")),
            "{info}"
        );
    }
    let last = &infos[infos.len() - 3..];
    let first_moves: Vec<&str> = last
        .iter()
        .map(|info| {
            value(info, "pv")
                .trim_matches('"')
                .split(' ')
                .next()
                .unwrap()
        })
        .collect();
    assert!(first_moves[0] != first_moves[1] && first_moves[1] != first_moves[2]);
    assert_eq!(value(done, "move"), first_moves[0]);
    let scores = last
        .iter()
        .map(|info| value(info, "score").parse::<f64>().unwrap());
    assert!(scores.collect::<Vec<_>>().is_sorted_by(|a, b| a >= b));
}

#[test]
fn an_info_comes_at_least_once_a_second() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={START}\nlevel move-time=4\ngo think"));
    let mut last = Instant::now();
    loop {
        let (time, line) = engine.lines.recv_timeout(PATIENCE).unwrap();
        assert!(
            time - last < Duration::from_millis(1100),
            "silence before {line}"
        );
        last = time;
        if line.starts_with("done") {
            break;
        }
    }
}

#[test]
fn a_flood_of_lines_is_thinned_and_does_not_delay_done() {
    let mut engine = Engine::ready();
    // The game is over after 46-41 32x46, so that every depth takes no time.
    let forced = position('W', &[(46, 'w'), (32, 'B')]);
    engine.send(&format!("pos pos={forced}\nlevel infinite\ngo analyze"));
    let lines = engine.read_to_done();
    played(&lines);
    assert!(lines.len() < 100, "{} lines", lines.len());
    let last: u32 = value(&lines[lines.len() - 2], "depth").parse().unwrap();
    assert!(last > 100, "depth {last} is not the last");
}

// Levels.

#[test]
fn levels_add_up_until_go_and_may_stand_before_pos() {
    let mut engine = Engine::ready();
    engine.send("level depth=3 unknown=1\nlevel move-time=10");
    engine.send(&format!("level colour=red\npos pos={START}\ngo think"));
    let lines = engine.read_to_done();
    played(&lines);
    assert_eq!(value(&lines[lines.len() - 2], "depth"), "3");
}

#[test]
fn a_go_without_a_level_ends_by_itself_even_after_an_endless_one() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={START}\nlevel infinite\ngo think\nstop"));
    played(&engine.read_to_done());
    for purpose in ["think", "analyze"] {
        engine.send(&format!("go {purpose}"));
        played(&engine.read_to_done());
    }
}

#[test]
fn hardly_any_time_is_answered_at_once() {
    let mut engine = Engine::ready();
    for level in [
        "time=-1.5 inc=2",
        "time=-1",
        "time=0",
        "move-time=0",
        "move-time=-3",
        "nodes=0",
        "moves=0 time=0 inc=0",
    ] {
        let start = Instant::now();
        engine.send(&format!("pos pos={START}\nlevel {level}\ngo think"));
        played(&engine.read_to_done());
        assert!(start.elapsed() < Duration::from_millis(400), "{level}");
    }
}

#[test]
fn a_move_time_and_a_game_clock_are_kept() {
    let mut engine = Engine::ready();
    for (level, most) in [
        ("move-time=0.3", 0.3),
        ("time=2", 1.0),
        ("moves=1 time=0.5", 0.5),
        ("time=0.3 inc=0.1 moves=5", 0.3),
    ] {
        let start = Instant::now();
        engine.send(&format!("pos pos={START}\nlevel {level}\ngo think"));
        played(&engine.read_to_done());
        let late = start.elapsed().as_secs_f64() - most;
        assert!(late < 0.2, "{level} is {late} s late");
    }
}

#[test]
fn nodes_are_kept() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={START}\nlevel nodes=20000\ngo think"));
    let lines = engine.read_to_done();
    played(&lines);
    let nodes: u64 = value(&lines[lines.len() - 2], "nodes").parse().unwrap();
    assert!(nodes <= 20_000, "{nodes}");
}

// Starting and stopping.

#[test]
fn a_stop_right_after_go_is_never_lost() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={START}"));
    for _ in 0..300 {
        engine.send("level infinite\ngo think\nstop");
        played(&engine.read_to_done());
    }
    assert_eq!(engine.said(), [""; 0]);
}

#[test]
fn stop_and_ponder_hit_say_nothing_when_no_search_is_on() {
    let mut engine = Engine::ready();
    engine.send("stop\nponder-hit\nstop");
    assert_eq!(engine.said(), [""; 0]);
    engine.send(&format!("pos pos={START}\nlevel depth=2\ngo think"));
    played(&engine.read_to_done());
    engine.send("stop");
    assert_eq!(engine.said(), [""; 0]);
}

#[test]
fn a_ping_is_answered_during_a_search() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={START}\nlevel infinite\ngo analyze"));
    for _ in 0..20 {
        for line in engine.said() {
            assert!(line.starts_with("info"), "{line}");
        }
    }
    engine.send("stop");
    let lines = engine.read_to_done();
    assert!(value(&lines[lines.len() - 1], "move").contains('-'));
}

#[test]
fn any_other_command_ends_the_search_first_and_is_then_obeyed() {
    let mut engine = Engine::ready();
    for (command, answer) in [
        ("init", Some("ready")),
        ("hub", Some("wait")),
        ("level depth=abc", Some("error")),
        ("pos pos=", Some("error")),
        ("set-param name=threads value=x", Some("error")),
        ("set-param name=threads value=2", None),
        ("new-game", None),
        ("level depth=3", None),
    ] {
        engine.send(&format!("pos pos={START}\nlevel infinite\ngo think"));
        assert!(engine.read().starts_with("info"));
        engine.send(command);
        let lines = engine.read_to_done();
        assert!(
            lines.iter().all(|line| !line.starts_with("error")),
            "{command}"
        );
        let said = engine.said();
        let last = said.last().map_or("", String::as_str);
        assert!(
            last.starts_with(answer.unwrap_or("")),
            "{command}: {said:?}"
        );
        assert_eq!(said.is_empty(), answer.is_none(), "{command}: {said:?}");
    }
}

#[test]
fn what_is_unknown_does_not_disturb_a_search() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={START}\nlevel infinite\ngo think"));
    engine.send("\nfoo bar=1\n = \n\"");
    for line in engine.said() {
        assert!(line.starts_with("info"), "{line}");
    }
    engine.send("stop");
    engine.read_to_done();
}

#[test]
fn a_second_go_ends_the_first_search_and_every_go_has_its_done() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={START}"));
    for _ in 0..10 {
        engine.send("level infinite\ngo think");
    }
    engine.send("stop");
    for _ in 0..10 {
        played(&engine.read_to_done());
    }
    assert_eq!(engine.said(), [""; 0]);
}

#[test]
fn while_pondering_done_waits_for_ponder_hit_or_stop() {
    let mut engine = Engine::ready();
    for (position, level) in [
        (FORCED, "depth=1"),
        (START, "depth=2"),
        (START, "move-time=0.01"),
    ] {
        for word in ["ponder-hit", "stop"] {
            engine.send(&format!("pos pos={position}\nlevel {level}\ngo ponder"));
            thread::sleep(Duration::from_millis(100));
            let before = engine.said();
            assert!(
                before.iter().all(|line| line.starts_with("info")),
                "{before:?}"
            );
            engine.send(word);
            let lines: Vec<String> = before.into_iter().chain(engine.read_to_done()).collect();
            played(&lines);
        }
    }
    assert_eq!(engine.said(), [""; 0]);
}

#[test]
fn the_clock_of_a_pondering_search_starts_with_ponder_hit() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={START}\nlevel move-time=0.3\ngo ponder"));
    thread::sleep(Duration::from_millis(600));
    engine.send("ponder-hit");
    let start = Instant::now();
    engine.read_to_done();
    let spent = start.elapsed();
    assert!(
        spent > Duration::from_millis(150) && spent < Duration::from_millis(500),
        "{spent:?}"
    );
}

// Input of all kinds.

#[test]
fn parameters_may_be_set_at_any_time() {
    let mut engine = Engine::ready();
    engine.send(&format!("init\npos pos={START}"));
    assert_eq!(engine.read(), "ready");
    engine.send("set-param name=book-ply value=0\nset-param name=eval value=pattern");
    engine.send("set-param name=variant value=standard\nset-param name=variant value=normal");
    engine.send("set-param name=initial-time value=180\nset-param name=bb-size value=6");
    engine.send("set-param name=ponder value=true\nset-param name=threads value=2");
    engine.send("set-param name=tt-size value=18");
    assert_eq!(engine.said(), [""; 0]);
    engine.send("level depth=4\ngo analyze");
    assert!(legal("").contains(&played(&engine.read_to_done())));
    engine.send("hub");
    let lines = engine.read_to(|line| line == "wait");
    for line in [
        "name=threads value=2 ",
        "name=tt-size value=18 ",
        "name=book-ply value=0 ",
    ] {
        assert!(lines.iter().any(|found| found.contains(line)), "{line}");
    }
}

#[test]
fn a_bad_value_is_named_and_changes_nothing() {
    let mut engine = Engine::ready();
    engine.send("hub");
    let before = engine.read_to(|line| line == "wait");
    for (name, value) in [
        ("threads", "0"),
        ("threads", "257"),
        ("threads", "many"),
        ("tt-size", "-1"),
        ("tt-size", "99"),
        ("tt-size", "40"),
        ("bb-size", "auto"),
        ("book", "2"),
        ("variant", "frisian"),
        ("multi-pv", "1.5"),
    ] {
        engine.send(&format!("set-param name={name} value={value}"));
        engine.refused(name);
    }
    for (line, what) in [
        ("set-param name=threads value=\"open", "open quote"),
        ("set-param name=threads", "threads"),
        ("set-param", "name"),
    ] {
        engine.send(line);
        engine.refused(what);
    }
    engine.send("hub");
    assert_eq!(engine.read_to(|line| line == "wait"), before);
}

#[test]
fn a_table_that_does_not_fit_is_refused_before_and_after_init() {
    let mut engine = Engine::start(&[]);
    engine.send("set-param name=tt-size value=40");
    engine.refused("tt-size cannot be '40'");
    engine.send("init");
    assert_eq!(engine.read(), "ready");
    engine.send("set-param name=tt-size value=40");
    engine.refused("tt-size cannot be '40'");
    engine.send("level depth=5\ngo think");
    played(&engine.read_to_done());
}

#[test]
fn a_bad_level_is_named_and_changes_nothing() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={START}\nlevel depth=3"));
    for (level, what) in [
        ("depth=abc", "abc"),
        ("depth=9 nodes=x", "nodes"),
        ("depth=", "depth"),
        ("depth", "depth"),
        ("time=soon", "soon"),
        ("time=nan", "nan"),
        ("move-time=inf", "inf"),
        ("moves=-1 time=1", "moves"),
        ("depth=\"3", "open quote"),
    ] {
        engine.send(&format!("level {level}"));
        engine.refused(what);
    }
    engine.send("go think");
    let lines = engine.read_to_done();
    assert_eq!(value(&lines[lines.len() - 2], "depth"), "3");
}

#[test]
fn a_bad_position_is_named_and_the_old_one_stays() {
    let mut engine = Engine::ready();
    engine.send(&format!("pos pos={FORCED}"));
    let man_on_last_row = format!("Ww{}", "e".repeat(49));
    for (arguments, what) in [
        ("", "pos"),
        ("pos=", "pos"),
        ("pos=X", "pos"),
        ("pos=\"W", "open quote"),
        (&format!("pos={}", START.replace('W', "X")), "X"),
        (&format!("pos={}", START.replace('w', "q")), "q"),
        (&format!("pos={man_on_last_row}"), "king"),
        (&format!("pos={START} moves=32-27x"), "32-27x"),
        (&format!("pos={START} moves=\"32-28 19-23 37-32\""), "37-32"),
        (&format!("pos={START} moves=\"32-28 18-23 99-1\""), "99"),
        (&format!("pos={START} moves=\"32-28"), "open quote"),
    ] {
        engine.send(&format!("pos {arguments}"));
        engine.refused(what);
    }
    engine.send("level depth=1\ngo think");
    let lines = engine.read_to_done();
    assert!(played(&lines).contains('x'), "{lines:?}");
}

#[test]
fn moves_are_understood_as_clients_write_them() {
    let mut engine = Engine::ready();
    let white_to_move_after = |moves: &str, engine: &mut Engine| {
        engine.send(&format!(
            "pos pos={TWO_WAYS} moves={moves}\nlevel depth=1\ngo analyze"
        ));
        let lines = engine.read_to_done();
        assert!(!lines[0].starts_with("error"), "{moves}: {lines:?}");
        lines
    };
    // Black's man on 13 is left, or that on 19.
    let left = white_to_move_after("1x25x12x19x20", &mut engine);
    for moves in ["1x25x20x12x19", "1x25x19", "01x25x12x19x20", "1x23x14x25"] {
        let lines = white_to_move_after(moves, &mut engine);
        assert_eq!(lines.last(), left.last(), "{moves}");
    }
    let other = white_to_move_after("1x25x13", &mut engine);
    assert_ne!(other.last(), left.last());
    engine.send(&format!("pos pos={TWO_WAYS} moves=1x25"));
    engine.refused("1x25");
    for moves in ["", "\"\"", "32-28", "\"32-28 19-23 28x19\""] {
        engine.send(&format!("pos pos={START} moves={moves}"));
    }
    let padded = position('B', &[(5, 'b'), (46, 'w')]);
    engine.send(&format!("pos pos={padded} moves=\"05-10 46-41\""));
    assert_eq!(engine.said(), [""; 0]);
}

#[test]
fn no_input_harms_it() {
    let mut engine = Engine::ready();
    let mut huge = b"pos pos=".to_vec();
    huge.resize(3 << 20, b'w');
    for bytes in [
        &b"\xff\xfe\x00\x80\n"[..],
        b"\0\0\0\n\n\n\r\n   \n",
        b"level depth=\xff\n",
        b"pos pos=\xff\xff\n",
        b"set-param name=\0 value=\xf0\n",
        b"=\n==\n\"\n\" \"\nfoo=\"\n",
        b"id name=x\nparam\nwait\nready\ndone\nerror message=\"x\"\n",
        &huge,
        b"\n",
        &vec![b'z'; 2 << 20],
        b"\nhubs\nHUB\ngoo\n",
    ] {
        engine.send_bytes(bytes);
    }
    let errors = engine.said();
    assert_eq!(errors.len(), 3, "{errors:?}");
    for (error, what) in errors.iter().zip(["depth", "pos", "too long"]) {
        assert_lawful(error);
        assert!(error.contains(what), "{error}");
    }
    engine.send("level depth=2\ngo think");
    played(&engine.read_to_done());
    let (_, code, _) = engine.close();
    assert_eq!(code, Some(0));
}

#[test]
fn lines_may_end_with_cr_lf() {
    let mut engine = Engine::start(&[]);
    engine.send("hub\r\ninit\r");
    let lines = engine.read_to(|line| line == "ready");
    assert!(lines[0].starts_with("id "));
    engine.send(&format!(
        "pos pos={START} moves=\"32-28\"\r\nlevel depth=2\r\ngo think\r"
    ));
    played(&engine.read_to_done());
}

#[test]
fn a_new_game_forgets_and_keeps_what_was_set() {
    let mut engine = Engine::ready();
    let search = format!("pos pos={START}\nlevel depth=9\ngo think");
    engine.send(&search);
    let first = engine.read_to_done();
    engine.send(&search);
    let nodes = |lines: &[String]| value(&lines[lines.len() - 2], "nodes").to_owned();
    assert_ne!(nodes(&engine.read_to_done()), nodes(&first));
    engine.send("new-game");
    engine.send(&search);
    assert_eq!(nodes(&engine.read_to_done()), nodes(&first));
}

// Leaving.

/// The states in which the input may end, as the commands that lead there.
fn stages() -> Vec<String> {
    vec![
        String::new(),
        "hub\n".into(),
        "hub\ninit\n".into(),
        format!("hub\ninit\npos pos={START}\n"),
        format!("init\npos pos={START}\nlevel depth=3\n"),
        format!("init\npos pos={START}\nlevel infinite\ngo think\n"),
        format!("init\npos pos={START}\nlevel infinite\ngo ponder\n"),
        format!("init\npos pos={START}\nlevel depth=2\ngo ponder\n"),
        format!("init\npos pos={START}\nlevel infinite\ngo analyze\npos pos={FORCED}\n"),
        format!("set-param name=threads value=4\nlevel infinite\ngo think\ngo think\ngo think\n"),
        "level infinite\ngo think".into(),
    ]
}

#[test]
fn the_end_of_the_input_ends_it_at_every_stage() {
    for stage in stages() {
        for wait in [0, 30] {
            let mut engine = Engine::start(&[]);
            engine.send_bytes(stage.as_bytes());
            thread::sleep(Duration::from_millis(wait));
            let (lived_on, code, said) = engine.close();
            assert_eq!(code, Some(0), "{stage}");
            // A start in parallel with other tests takes its time as well.
            assert!(
                lived_on < Duration::from_millis(400),
                "{stage}: {lived_on:?}"
            );
            let goes = stage.matches("go ").count();
            let dones = said.iter().filter(|line| line.starts_with("done")).count();
            assert_eq!(dones, goes, "{stage}: {said:?}");
        }
    }
}

#[test]
fn quit_ends_it_at_every_stage() {
    for stage in stages() {
        let mut engine = Engine::start(&[]);
        engine.send_bytes(stage.as_bytes());
        engine.send("\nquit\nping");
        let (lived_on, code, said) = engine.leave();
        assert_eq!(code, Some(0), "{stage}");
        assert!(
            lived_on < Duration::from_millis(400),
            "{stage}: {lived_on:?}"
        );
        assert!(!said.contains(&"pong".to_owned()));
    }
}

#[test]
fn what_was_asked_before_the_end_of_the_input_is_answered() {
    let mut engine = Engine::start(&[]);
    engine.send(&"ping\n".repeat(2000));
    let (_, code, said) = engine.close();
    assert_eq!((code, said.len()), (Some(0), 2000));
}

/// An engine whose stdout nobody reads, and its exit after `commands`.
fn unread(close: bool, commands: &str) -> (Duration, Option<i32>, String) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_manoury"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = process.stdout.take();
    let output = if close { None } else { output };
    let mut input = process.stdin.take().unwrap();
    // An engine that is gone cannot be written to.
    let _ = input.write_all(commands.as_bytes());
    thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    drop(input);
    let status = loop {
        match process.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => panic!("it does not leave"),
            None => thread::sleep(Duration::from_millis(1)),
        }
    };
    let lived_on = start.elapsed();
    drop(output);
    let mut complaints = String::new();
    let mut stderr = process.stderr.take().unwrap();
    stderr.read_to_string(&mut complaints).unwrap();
    (lived_on, status.code(), complaints)
}

#[test]
fn a_reader_that_stalls_or_goes_does_not_keep_it_and_makes_no_noise() {
    let search = "hub\ninit\nlevel infinite\ngo think\n".to_owned();
    // The hub's answers fill a pipe of 64 KiB.
    let flood = format!("{}level infinite\ngo think\n", "hub\n".repeat(200));
    for commands in [search, flood] {
        for close in [true, false] {
            let (lived_on, code, complaints) = unread(close, &commands);
            assert_eq!((code, complaints.as_str()), (Some(0), ""));
            assert!(lived_on < Duration::from_millis(400), "{lived_on:?}");
        }
    }
}

#[test]
fn a_reader_that_goes_ends_it_though_the_input_stays_open() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_manoury"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(process.stdout.take());
    let mut input = process.stdin.take().unwrap();
    input.write_all(b"level infinite\ngo think\n").unwrap();
    let start = Instant::now();
    let status = loop {
        match process.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                process.kill().unwrap();
                panic!("it does not leave");
            }
            None => thread::sleep(Duration::from_millis(1)),
        }
    };
    assert_eq!(status.code(), Some(0));
}

// The cases.

#[test]
fn every_case_has_a_test() {
    let tested = [
        ("hub-bad-number", "a_bad_level_is_named_and_changes_nothing"),
        (
            "hub-captures-any-order",
            "moves_are_understood_as_clients_write_them",
        ),
        (
            "hub-ceval-pv-quote",
            "a_forced_move_has_its_info_and_a_pv_of_one_move_has_no_quotes",
        ),
        ("hub-ceval-regex", "a_search_reports_and_plays_a_legal_move"),
        ("hub-done-order", "a_search_reports_and_plays_a_legal_move"),
        (
            "hub-info-depth-int",
            "a_search_reports_and_plays_a_legal_move",
        ),
        (
            "hub-mate-distance",
            "a_win_is_a_hundred_men_less_a_hundredth_a_ply",
        ),
        (
            "hub-multiple-lines-id",
            "it_introduces_itself_in_lawful_lines",
        ),
        ("hub-negative-time", "hardly_any_time_is_answered_at_once"),
        (
            "hub-quoted-single-word",
            "it_introduces_itself_in_lawful_lines",
        ),
        ("hub-second-init", "a_second_init_is_answered_too"),
        (
            "hub-select-buffer",
            "each_line_is_a_write_of_its_own_with_a_pause_behind_it",
        ),
        (
            "hub-set-param-after-init",
            "parameters_may_be_set_at_any_time",
        ),
        (
            "hub-stop-idle",
            "stop_and_ponder_hit_say_nothing_when_no_search_is_on",
        ),
        (
            "hub-terminal-pos",
            "a_finished_position_is_done_at_once_and_bare",
        ),
        ("hub-unknown-param", "parameters_may_be_set_at_any_time"),
        ("proc-crlf-eof", "lines_may_end_with_cr_lf"),
        (
            "time-stderr-full",
            "a_reader_that_stalls_or_goes_does_not_keep_it_and_makes_no_noise",
        ),
    ];
    let folder = env!("CARGO_MANIFEST_DIR");
    let read = |path| fs::read_to_string(format!("{folder}/{path}")).unwrap();
    let tests = read("tests/hub.rs") + &read("src/protocol/hub/output.rs");
    for (case, test) in tested {
        assert!(
            tests.contains(&format!("fn {test}()")),
            "{case}: no test {test}"
        );
    }
    let ids = (read("tests/cases/hub.jsonl") + &read("tests/cases/process.jsonl"))
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].to_string())
        .collect::<Vec<_>>();
    let tested = tested.map(|(case, _)| format!("\"{case}\""));
    assert_eq!(ids, tested);
}
