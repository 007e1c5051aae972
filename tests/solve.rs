//! `manoury solve`, as its users see it.

use std::{io::Write, path::Path};

use assert_cmd::Command;
use tempfile::NamedTempFile;

const EASY: &str = "W:W29,33,34,37,38,44,47:B2,6,8,18,21,22,27 | 34-30 | +2.49";

fn solve(file: &Path) -> Command {
    let mut command = Command::cargo_bin("manoury").unwrap();
    command.args(["solve", "--nodes", "20000"]).arg(file);
    command
}

fn file_with(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// What a call with such a file says on stderr, with exit code 2.
fn refused(text: &str) -> String {
    let output = solve(file_with(text).path()).assert().code(2).stdout("");
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

#[test]
fn what_is_found_is_counted_and_what_is_not_is_told() {
    let rows = format!("# two tasks\n{EASY}\nW:W31-50:B1-20 | 31-26 | not the best\n");
    let output = solve(file_with(&rows).path()).assert().success().stderr("");
    let printed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 2, "{printed}");
    assert!(lines[0].starts_with("    2 missed: "), "{printed}");
    assert!(lines[0].contains("instead of 31-26"), "{printed}");
    assert_eq!(lines[1], "solved 1 of 2, 50.0 %");
}

#[test]
fn a_wrong_file_is_one_clear_line() {
    let message = refused("W:W31-50:B1-20 | 1-6\n");
    assert!(message.contains("line 1: '1-6': "), "{message}");
    assert_eq!(message.matches('\n').count(), 1, "{message}");
    let message = refused("# nothing\n");
    assert!(message.contains("no positions"), "{message}");
    solve(Path::new("no/such/file")).assert().code(2).stdout("");
}
