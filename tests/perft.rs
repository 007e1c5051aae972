//! `manoury perft` as its users see it, and the suites in every mode.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use manoury::perft::{Counter, Monitor, Options, suite};

fn perft(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("manoury").unwrap();
    command.arg("perft").args(arguments);
    command
}

fn printed(arguments: &[&str]) -> String {
    let output = perft(arguments)
        .assert()
        .success()
        .stderr("")
        .get_output()
        .clone();
    String::from_utf8(output.stdout).unwrap()
}

/// What a call that ends with `code` says on stderr: one line.
fn refused(code: i32, arguments: &[&str]) -> String {
    let output = perft(arguments).assert().code(code).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.matches('\n').count(), 1, "{message}");
    message
}

/// A file of this test, written anew.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn suites() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("perft");
    let files = std::fs::read_dir(folder).unwrap();
    files.map(|file| file.unwrap().path()).collect()
}

#[test]
fn a_line_a_depth_is_printed_in_every_mode() {
    for mode in [
        &[][..],
        &["--no-bulk"],
        &["--threads", "2"],
        &["--hash", "1"],
    ] {
        let lines = printed(&[&["5"], mode].concat());
        let counts = lines.lines().map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(
                (words.len(), words[2], words[4], words[6]),
                (7, "nodes", "s", "Mnps")
            );
            format!("{} {}", words[0], words[1])
        });
        assert!(counts.eq([
            "perft(1) 9",
            "perft(2) 81",
            "perft(3) 658",
            "perft(4) 4265",
            "perft(5) 27117",
        ]));
    }
}

#[test]
fn divide_prints_a_line_a_move_then_the_total() {
    let lines = printed(&["3", "--divide", "--fen", "W:WK4:B13,20,32,37"]);
    let lines: Vec<&str> = lines.lines().collect();
    let total = lines[2].split(' ').nth(1).unwrap();
    let counts = lines[..2].iter().map(|line| line.rsplit_once(' ').unwrap());
    let (moves, counts): (Vec<&str>, Vec<u64>) = counts
        .map(|(mv, count)| (mv, count.parse::<u64>().unwrap()))
        .unzip();
    assert_eq!(moves, ["4x27x38x15", "4x31x42x15"]);
    assert_eq!(counts.iter().sum::<u64>().to_string(), total);
}

#[test]
fn a_wrong_call_is_refused_in_one_line_that_names_the_mistake() {
    assert_eq!(
        refused(2, &["5", "--hash", "0"]),
        "manoury: a table of 0 MiB holds nothing\n"
    );
    assert!(refused(2, &["5", "--hash", "99999999999"]).contains("MiB are free"));
    assert!(refused(2, &["5", "--fen", "W:W51"]).contains("W:W51"));
    for wrong in [&["0"][..], &["41"], &["x"], &["5", "--threads", "0"], &[]] {
        perft(wrong).assert().code(2).stdout("");
    }
}

#[test]
fn a_count_that_does_not_fit_is_an_error_and_not_a_wrong_count() {
    let kings = ["20", "--fen", "W:WK1:BK50", "--hash", "16"];
    assert!(refused(1, &kings).contains("perft(20): the count does not fit into 64 bits"));
}

#[test]
fn suites_report_each_row_and_fail_if_one_fails() {
    let right = "start | W:W31-50:B1-20 | 9 81 658 4265 | table\n";
    let wrong = "wrong | W:W31-50:B1-20 | 9 81 659 | table\n";
    let lines = printed(&["--suite", &file("right", right), "--max-nodes", "1000"]);
    assert!(lines.starts_with("ok start: 3 of 4 depths, 748 nodes\n1 of 1 rows passed"));

    let both = file("both", &format!("{right}{wrong}"));
    let output = perft(&["--suite", &both])
        .assert()
        .code(1)
        .get_output()
        .clone();
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(lines.contains("\nFAILED wrong: depth 3, expected 659, got 658\n1 of 2 rows passed"));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "manoury: 1 row failed\n"
    );
}

#[test]
fn a_bad_suite_is_refused_with_file_line_and_text() {
    let bad = file("bad", "# comment\nstart | W:W31-50:B1-20 | 9 8l | table\n");
    assert_eq!(
        refused(2, &["--suite", &bad]),
        format!("manoury: {bad}: line 2: '8l' is not a count\n")
    );
    assert!(refused(2, &["--suite", "no-such-file"]).starts_with("manoury: no-such-file: "));
}

#[test]
fn the_suites_hold_in_every_mode() {
    let modes = [
        (true, 1, None, 3_000_000),
        (true, 3, None, 300_000),
        (true, 2, Some(16), 3_000_000),
        // So small that entries are replaced all the time.
        (true, 3, Some(1), 3_000_000),
        (false, 1, None, 300_000),
        (false, 2, Some(16), 300_000),
    ];
    let counters = modes.map(|(bulk, threads, hash_mib, max_nodes)| {
        let options = Options {
            bulk,
            threads,
            hash_mib,
        };
        (options, Counter::new(&options).unwrap(), max_nodes)
    });
    for file in suites() {
        let rows = suite::read(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert!(!rows.is_empty());
        for (row, (options, counter, max_nodes)) in rows
            .iter()
            .flat_map(|row| counters.iter().map(move |way| (row, way)))
        {
            let checked = row.check(counter, *max_nodes, &Monitor::default()).unwrap();
            assert_eq!(checked.mismatch, None, "{} with {options:?}", row.id);
            assert!(checked.depths > 0, "{} is not checked", row.id);
        }
    }
}

#[test]
fn a_stopped_count_gives_no_number() {
    let counter = Counter::new(&Options::default()).unwrap();
    let monitor = Monitor::default();
    monitor.stop();
    let position = manoury::board::Position::initial();
    assert!(counter.count(&position, 8, &monitor).is_err());
    let divided = counter.divide(&position, 8, &monitor);
    assert_eq!(divided.len(), 9);
    assert!(divided.iter().all(|(_, count)| count.is_err()));
}
