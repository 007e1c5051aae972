//! `manoury match` as its users see it: engines that fail in every way, games
//! that are kept and gone on with, calls that are wrong.

#![cfg(unix)]

use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use manoury::notation::pdn::{PdnGame, Reader};
use serde_json::Value;

const OURS: &str = env!("CARGO_BIN_EXE_manoury");

/// A folder of this test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("match")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(OURS);
    command.arg("match").args(arguments).current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a match says that comes to its end.
fn table(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// What a call that ends with `code` says on stderr: one line.
fn refused(code: i32, folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    assert!(output.stdout.is_empty());
    text
}

/// A name for a text.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The description of an engine that is told to think and does `this` instead.
fn fake(folder: &Path, this: &str) -> String {
    let script = format!(
        "while read -r line; do case \"$line\" in \
         hub) echo 'id name=Fake'; echo wait;; init) echo ready;; \
         'go think') {this};; quit) exit 0;; esac; done\n"
    );
    let name = format!("fake-{:x}.sh", hash(this));
    fs::write(folder.join(&name), script).unwrap();
    format!("name=Fake cmd='sh {name}'")
}

fn games(file: &Path) -> Vec<PdnGame> {
    let text = fs::read(file).unwrap();
    Reader::new(text.as_slice()).map(Result::unwrap).collect()
}

/// How two games against our engine end for one that does `this`.
fn ends_of(this: &str) -> Vec<String> {
    let folder = folder(&format!("fault-{:x}", hash(this)));
    let fake = fake(&folder, this);
    let table = table(
        &folder,
        &[
            "--engine",
            "name=Ours",
            "--engine",
            &fake,
            "--move-time",
            "0.05",
            "--margin",
            "500",
            "--games",
            "2",
            "--json",
            "result.json",
        ],
    );
    assert!(table.contains("2 games: 2 won, 0 drawn, 0 lost"), "{table}");
    assert!(table.contains("Fake: 2 faults"), "{table}");
    let report = fs::read_to_string(folder.join("result.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let results = report["results"].as_array().unwrap().iter();
    results
        .map(|game| game["end"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_failing_engine_loses_each_game_for_its_reason_and_the_match_goes_on() {
    for (this, reason) in [
        ("exit 3", "engine failed: it died (exit status: 3)"),
        ("kill -9 $$", "engine failed: it died (signal: 9"),
        (
            "exec >&-; sleep 3",
            "engine failed: it died (its output is closed)",
        ),
        ("exec yes info", "engine failed: it floods"),
        (
            "echo 'error message=\"no memory\"'",
            "engine failed: it reports an error: no memory",
        ),
        ("echo done move=banana", "played banana: not a move"),
        ("echo done move=33-22", "played 33-22: "),
        ("echo done", "played no move: there are some in "),
        ("sleep 0.9; echo done move=32-28", "exceeded the time by 0."),
        (
            "head -c 300000 /dev/zero; echo; echo done move=\\\"",
            "played no move",
        ),
    ] {
        let ends = ends_of(this);
        assert_eq!(ends.len(), 2);
        for end in ends {
            assert!(end.contains(reason), "{this}: {end}");
        }
    }
}

#[test]
fn a_silent_engine_is_waited_for_and_then_loses() {
    for end in ends_of("sleep 60") {
        assert!(end.contains("no answer to `go think` within 5."), "{end}");
    }
}

#[test]
fn an_illegal_move_is_shown_with_its_position() {
    for end in ends_of("echo done move=1-2") {
        assert!(
            end.contains("played 1-2: ") && end.contains(" in "),
            "{end}"
        );
        assert!(end.contains(":W") && end.contains(":B"), "{end}");
    }
}

#[test]
fn what_is_wrong_with_an_engine_is_said_before_the_first_game() {
    let folder = folder("start");
    fs::write(folder.join("dead.sh"), "exit 3\n").unwrap();
    fs::write(folder.join("mute.sh"), "echo hello\n").unwrap();
    for (engine, reason) in [
        (
            "name=B cmd=/no/such/engine",
            "engine B: cannot start /no/such/engine: No such file",
        ),
        ("name=B dir=/no/such/folder", "engine B: cannot start"),
        (
            "name=B cmd='sh dead.sh'",
            "engine B: it died (exit status: 3)",
        ),
        (
            "name=B cmd='sh mute.sh'",
            "engine B: it died (exit status: 0)",
        ),
        ("name=B thread=2", "engine B: it has no parameter thread"),
        (
            "name=B threads=none",
            "engine B: it reports an error: threads cannot be",
        ),
    ] {
        let text = refused(
            1,
            &folder,
            &["--engine", "name=A", "--engine", engine, "--pdn", "x.pdn"],
        );
        assert!(text.contains(reason), "{text}");
    }
}

const QUICK: [&str; 8] = [
    "--engine",
    "name=A",
    "--engine",
    "name=B",
    "--depth",
    "1",
    "--pdn",
    "games.pdn",
];

fn quick(more: &[&'static str]) -> Vec<&'static str> {
    [&QUICK[..], more].concat()
}

#[test]
fn a_match_goes_on_from_its_games_and_plays_a_cut_one_again() {
    let folder = folder("resume");
    let file = folder.join("games.pdn");
    let whole = table(&folder, &quick(&["--games", "6"]));
    let text = fs::read(&file).unwrap();
    assert_eq!(games(&file).len(), 6);
    let result = |table: &str| table.lines().nth(1).unwrap().to_owned();

    for cut in [
        text.len() - 1,
        text.len() - 2,
        text.len() - 100,
        text.len() / 2,
        700,
        30,
        5,
        0,
    ] {
        fs::write(&file, &text[..cut]).unwrap();
        let again = table(&folder, &quick(&["--games", "6"]));
        assert_eq!(result(&again), result(&whole), "{cut}");
        let rounds: Vec<_> = games(&file)
            .iter()
            .map(|game| game.tag("Round").unwrap().to_owned())
            .collect();
        assert_eq!(rounds, ["1", "2", "3", "4", "5", "6"], "{cut}");
    }

    let longer = table(&folder, &quick(&["--games", "8"]));
    assert!(longer.contains("8 games"), "{longer}");
    let before = fs::read(&file).unwrap();
    let report = table(&folder, &quick(&["--games", "8", "--json", "r.json"]));
    assert!(report.contains("8 games"));
    assert_eq!(fs::read(&file).unwrap(), before, "nothing is left to play");
    let json = fs::read_to_string(folder.join("r.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["results"].as_array().unwrap().len(), 8);
    assert_eq!(json["complete"], Value::from(true));
    assert_eq!(json["settings"]["games"], Value::from(8));
    assert_eq!(json["engines"][1]["time_control"], Value::from("depth 1"));
}

#[test]
fn the_games_of_something_else_are_left_alone() {
    let folder = folder("foreign");
    let file = folder.join("games.pdn");
    table(&folder, &quick(&["--games", "2"]));
    let text = fs::read_to_string(&file).unwrap();
    let broken = text.replacen("1. ", "1. 50-1 ", 1);
    let foreign = format!("{text}[Event \"Mine\"]\n[Result \"*\"]\n\n1. 32-28 {{precious}} *\n\n");
    for (content, more, reason) in [
        (
            &foreign,
            &["--games", "4"][..],
            "game 3: the match has no game of round",
        ),
        (
            &text,
            &["--games", "4", "--seed", "2"][..],
            "game 1: its opening is not that of this match",
        ),
        (
            &text,
            &["--games", "4", "--openings", "3-ply"],
            "game 1: its opening",
        ),
        (
            &broken,
            &["--games", "4"],
            "game 1, line 16, move 1. '50-1': ",
        ),
        (
            &format!("{text}{text}"),
            &["--games", "4"],
            "game 3: round 1 is there twice",
        ),
        (
            &"1. 32-28 19-23 2-0\n".to_owned(),
            &["--games", "4"],
            "game 1: the match has no game of round",
        ),
        (
            &text.replace("[White \"A\"]", "[White \"C\"]"),
            &["--games", "4"],
            "game 1: White is C, and not A",
        ),
        (
            &text.replace("depth 1", "depth 2"),
            &["--games", "4"],
            "game 1: WhiteTimeControl is depth 2, and not depth 1",
        ),
        (
            &text.replace("manoury hub\"", "manoury hub threads=2\""),
            &["--games", "4"],
            "game 1: WhiteProgram is ",
        ),
    ] {
        fs::write(&file, content).unwrap();
        let message = refused(2, &folder, &quick(more));
        assert!(message.contains(reason), "{message}");
        assert_eq!(fs::read_to_string(&file).unwrap(), *content);
    }
}

#[test]
fn outputs_that_cannot_be_written_are_named_before_the_first_game() {
    let folder = folder("unwritable");
    fs::create_dir(folder.join("sub")).unwrap();
    let engines = ["--engine", "name=A", "--engine", "name=B", "--depth", "1"];
    for (option, path, code) in [
        ("--pdn", "/no/such/folder/x.pdn", 1),
        ("--pdn", "sub", 1),
        ("--pdn", "/dev/full", 2),
        ("--json", "/no/such/folder/x.json", 1),
        ("--json", "sub", 2),
    ] {
        let text = refused(code, &folder, &[&engines[..], &[option, path]].concat());
        assert!(text.contains(path), "{text}");
    }
}

#[test]
fn no_output_destroys_another() {
    let folder = folder("outputs");
    let engines = [
        "--engine", "name=A", "--engine", "name=B", "--depth", "1", "--games", "2",
    ];
    let outputs = |pdn, json| [&engines[..], &["--pdn", pdn, "--json", json]].concat();
    for (pdn, json) in [("one", "one"), ("one", "./one")] {
        let text = refused(2, &folder, &outputs(pdn, json));
        assert!(text.contains("name the same file"), "{text}");
    }
    fs::write(folder.join("b.json.part"), "precious").unwrap();
    table(&folder, &outputs("a.pdn", "b.json"));
    let part = fs::read_to_string(folder.join("b.json.part")).unwrap();
    assert_eq!(part, "precious");
    let names = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["a.pdn", "b.json", "b.json.part", "one"]);
}

#[test]
fn the_report_is_written_even_if_nobody_reads_the_table() {
    let folder = folder("unread");
    let call = format!(
        "'{OURS}' match --engine name=A --engine name=B --depth 1 --games 2 --json r.json | true"
    );
    let status = Command::new("sh")
        .args(["-c", &call])
        .current_dir(&folder)
        .status();
    assert!(status.unwrap().success());
    assert!(folder.join("r.json").exists());
}

#[test]
fn games_that_are_removed_meanwhile_are_missed() {
    let folder = folder("removed");
    let mut running = Running::start(&folder, &quick(&["--games", "2000"]));
    wait_until("a game", || finished(&folder.join("games.pdn")) >= 1);
    fs::remove_file(folder.join("games.pdn")).unwrap();
    let (code, text) = running.end();
    assert_eq!(code, Some(1));
    assert!(
        text.contains("games.pdn was removed while it was written"),
        "{text}"
    );
}

#[test]
fn a_full_disk_ends_the_match_and_keeps_its_games() {
    let folder = folder("full");
    // Files may have 8 or, as some shells count, 4 KiB.
    let call = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{OURS}' match {}",
        QUICK.join(" ")
    );
    let output = Command::new("sh")
        .args(["-c", &call])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("manoury: cannot write games.pdn: "),
        "{}",
        stderr(&output)
    );
    let kept = games(&folder.join("games.pdn"));
    assert!((1..6).contains(&kept.len()), "{}", kept.len());
    assert!(kept.iter().all(|game| game.problem.is_none()));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        stdout.contains(&format!("{} games", kept.len())),
        "{stdout}"
    );
    let text = table(&folder, &quick(&["--games", "8"]));
    assert!(text.contains("8 games"), "{text}");
}

/// A match that runs until it is ended, or the test is.
struct Running(Child);

impl Running {
    fn start(folder: &Path, arguments: &[&str]) -> Running {
        let mut command = command(folder, arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(command.spawn().unwrap())
    }

    fn signal(&self, signal: &str) {
        let id = self.0.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    /// The exit code and what was written to stderr.
    fn end(&mut self) -> (Option<i32>, String) {
        let mut text = String::new();
        self.0
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        (self.0.wait().unwrap().code(), text)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn finished(file: &Path) -> usize {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.matches("[Round ").count()
}

#[test]
fn an_interrupted_match_keeps_its_games_and_goes_on() {
    let folder = folder("interrupt");
    let file = folder.join("games.pdn");
    let mut running = Running::start(&folder, &quick(&["--games", "2000"]));
    wait_until("three games", || finished(&file) >= 3);
    running.signal("-INT");
    let (code, text) = running.end();
    assert_eq!(code, Some(1));
    let kept = games(&file);
    let message = format!(
        "interrupted after {} games; the same call goes on",
        kept.len()
    );
    assert!(text.contains(&message), "{text}");
    assert!(
        kept.iter()
            .all(|game| game.tag("Termination") == Some("normal"))
    );

    let mut running = Running::start(&folder, &quick(&["--games", "2000"]));
    wait_until("three games more", || finished(&file) >= kept.len() + 3);
    running.signal("-KILL");
    let _ = running.end();
    let killed = fs::read(&file).unwrap();
    let mut running = Running::start(&folder, &quick(&["--games", "2000"]));
    wait_until("two games more", || {
        fs::metadata(&file).unwrap().len() > killed.len() as u64 + 2000
    });
    running.signal("-INT");
    let (_, text) = running.end();
    assert!(text.starts_with("going on after "), "{text}");
    assert_eq!(games(&file)[..kept.len()], kept);
}

#[test]
fn an_ended_match_leaves_no_engine_behind() {
    let folder = folder("terminated");
    let fake = fake(&folder, "echo $$ >id; sleep 60");
    for signal in ["-TERM", "-HUP", "-INT"] {
        let _ = fs::remove_file(folder.join("id"));
        let engines = ["--engine", "name=A", "--engine", &fake, "--depth", "1"];
        let mut running = Running::start(&folder, &engines);
        let id = || fs::read_to_string(folder.join("id")).unwrap_or_default();
        wait_until("an engine", || id().ends_with('\n'));
        running.signal(signal);
        assert_eq!(running.end().0, Some(1), "{signal}");
        let stat = fs::read_to_string(format!("/proc/{}/stat", id().trim()));
        assert!(stat.is_err(), "{signal}");
    }
}

#[test]
fn names_with_odd_spaces_are_found_again() {
    let folder = folder("names");
    let call = [
        "--engine",
        "name='A  B\u{a0}'",
        "--engine",
        "name=\u{200b}C",
        "--depth",
        "1",
        "--games",
        "2",
        "--pdn",
        "g.pdn",
    ];
    let first = table(&folder, &call);
    assert_eq!(first.lines().nth(1), table(&folder, &call).lines().nth(1));
}

#[test]
fn two_matches_do_not_write_to_one_file() {
    let folder = folder("lock");
    let running = Running::start(&folder, &quick(&["--games", "2000"]));
    wait_until("a game", || finished(&folder.join("games.pdn")) >= 1);
    let text = refused(2, &folder, &quick(&["--games", "2000"]));
    assert!(text.contains("another match writes to it"), "{text}");
    drop(running);
}

#[test]
fn the_tables_end_games_whose_result_they_know() {
    let folder = folder("tables");
    fs::write(folder.join("won.txt"), "W:WK29,K45:BK6\n").unwrap();
    let call = quick(&["--openings", "won.txt", "--adjudicate-tables"]);
    let table = table(&folder, &call);
    assert!(table.contains("2 games: 1 won, 0 drawn, 1 lost"), "{table}");
    for game in games(&folder.join("games.pdn")) {
        assert_eq!(game.tag("Termination"), Some("adjudication"));
        let details = game.tag("TerminationDetails");
        assert_eq!(details, Some("adjudicated by the endgame tables"));
    }
}

#[test]
fn a_test_ends_by_itself() {
    let folder = folder("sprt");
    let fake = fake(&folder, "echo done");
    let text = table(
        &folder,
        &[
            "--engine", "name=A", "--engine", &fake, "--depth", "1", "--sprt", "elo0=0", "elo1=100",
        ],
    );
    assert!(text.contains("H1 accepted"), "{text}");
    assert!(text.contains("A: 0 faults"), "{text}");
}

#[test]
fn three_engines_meet_each_other_or_the_first() {
    let folder = folder("three");
    let engines = [
        "--engine", "name=A", "--engine", "name=B", "--engine", "name=C",
    ];
    let limits = ["--depth", "1", "--games", "2", "--concurrency", "2"];
    let everybody = table(&folder, &[&engines[..], &limits].concat());
    assert_eq!(everybody.matches(" against ").count(), 3, "{everybody}");
    assert!(everybody.starts_with("1. "), "{everybody}");
    let gauntlet = table(
        &folder,
        &[&engines[..], &limits, &["--format", "gauntlet"]].concat(),
    );
    assert_eq!(gauntlet.matches("A against ").count(), 2, "{gauntlet}");
    assert_eq!(gauntlet.matches(" against ").count(), 2, "{gauntlet}");
}

#[test]
fn openings_come_from_files_of_either_kind() {
    let folder = folder("openings");
    fs::write(
        folder.join("a.txt"),
        "# two\nW:W31-50:B1-20\nB:W31-50:B1-20\n",
    )
    .unwrap();
    fs::write(
        folder.join("b.pdn"),
        "1. 32-28 19-23 2. 28x19 14x23 *\n\n1. 34-29 *\n",
    )
    .unwrap();
    let engines = ["--engine", "name=A", "--engine", "name=B", "--depth", "1"];
    for (openings, pdn) in [
        (&["--openings", "a.txt"][..], "a1.pdn"),
        (&["--openings", "b.pdn", "--opening-plies", "2"], "b1.pdn"),
    ] {
        table(&folder, &[&engines[..], openings, &["--pdn", pdn]].concat());
        assert_eq!(games(&folder.join(pdn)).len(), 4);
    }
    let played = games(&folder.join("b1.pdn"));
    let long = played
        .iter()
        .find(|game| game.main_line.plies[1].comments.is_empty())
        .unwrap();
    assert!(!long.main_line.plies[2].comments.is_empty());
    for (openings, reason) in [
        ("none.pdn", "--openings none.pdn: there is no such file"),
        ("", "--openings : there is no such file"),
        ("random:0", "--openings random:0: 1 to 60 plies"),
        ("/dev/null", "--openings /dev/null: there is no opening"),
    ] {
        let text = refused(
            2,
            &folder,
            &[&engines[..], &["--openings", openings]].concat(),
        );
        assert!(text.contains(reason), "{text}");
    }
}

#[test]
fn a_wrong_call_says_what_is_wrong() {
    let folder = folder("usage");
    let two = ["--engine", "name=A", "--engine", "name=B"];
    for (more, reason) in [
        (
            &["--games", "3"][..],
            "--games 3: games are played in pairs",
        ),
        (&["--games", "0"], "--games 0: games are played in pairs"),
        (&["--engine", "name=A"], "two engines have the name A"),
        (
            &["--engine", "name=C", "--sprt", "elo1=5"],
            "--sprt compares two engines",
        ),
        (&["--sprt", "elo0=20"], "elo1 must be above elo0"),
        (&["--move-time", "nan"], "not a number of seconds"),
        (&["--move-time", "1e300"], "not a number of seconds"),
        (&["--clock", "0+1"], "not a number of seconds"),
        (&["--margin=-1"], "not a number of milliseconds"),
        (&["--balance", "inf"], "not a number of men"),
        (&["--depth", "1", "--nodes", "5"], "cannot be used with"),
        (&["--concurrency", "0"], "--concurrency"),
    ] {
        let text = refused(2, &folder, &[&two[..], more].concat());
        assert!(text.contains(reason), "{text}");
    }
    let text = refused(2, &folder, &["--engine", "name=A"]);
    assert!(text.contains("a match needs --engine twice"), "{text}");
}

#[test]
fn the_packages_that_people_use_read_the_games_of_a_match() {
    let folder = folder("packages");
    let fake = fake(&folder, "echo done move=1-2");
    let engines = [
        "--engine",
        "name='Our \"own\"'",
        "--engine",
        "name=B",
        "--engine",
        &fake,
    ];
    table(
        &folder,
        &[
            &engines[..],
            &["--depth", "3", "--games", "4", "--pdn", "g.pdn"],
        ]
        .concat(),
    );
    let games = games(&folder.join("g.pdn"));
    assert_eq!(games.len(), 12);
    let root = env!("CARGO_MANIFEST_DIR");
    for package in ["pydraughts", "py-draughts"] {
        let python = format!("{root}/target/venv/{package}/bin/python");
        if !Path::new(&python).exists() {
            eprintln!("{package} is not installed: not tested");
            continue;
        }
        let script = format!("{root}/tests/clients/read_pdn.py");
        let output = Command::new(python)
            .args([script.as_str(), package, "g.pdn"])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{package}: {}", stderr(&output));
        let found = String::from_utf8(output.stdout).unwrap();
        assert_eq!(found.lines().count(), games.len());
        for (line, game) in found.lines().zip(&games) {
            let (moves, rest) = line.split_once('|').unwrap();
            assert_eq!(
                moves.split_whitespace().count(),
                game.main_line.plies.len(),
                "{package}"
            );
            assert!(
                rest.starts_with(&game.result.to_string()),
                "{package}: {rest}"
            );
        }
    }
}

#[test]
fn help_tells_of_everything() {
    let text = table(&folder("help"), &["--help"]);
    for word in [
        "--sprt",
        "--pdn",
        "time-scale",
        "Examples:",
        "random:PLIES",
        "normalized Elo",
    ] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn no_handle_is_left_open_by_engines_that_die() {
    let folder = folder("handles");
    let fake = fake(&folder, "exit 3");
    let running = Running::start(
        &folder,
        &[
            "--engine", "name=A", "--engine", &fake, "--depth", "1", "--games", "2000", "--pdn",
            "g.pdn",
        ],
    );
    let open = || {
        let path = format!("/proc/{}/fd", running.0.id());
        fs::read_dir(path).map_or(0, Iterator::count)
    };
    if File::open("/proc/self/fd").is_err() {
        return;
    }
    wait_until("ten games", || finished(&folder.join("g.pdn")) >= 10);
    let early = open();
    wait_until("sixty games", || finished(&folder.join("g.pdn")) >= 60);
    assert!(open() <= early + 6, "{early} then {}", open());
}
