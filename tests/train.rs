//! `manoury selfplay` and `manoury train` as their users see them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use assert_cmd::Command;
use manoury::{eval::network::Weights, train::record::Reader};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("train")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn manoury(folder: &Path, call: &str) -> Command {
    let mut command = Command::cargo_bin("manoury").unwrap();
    command.args(call.split_whitespace()).current_dir(folder);
    command
}

/// What a call that ends with `code` says on stderr, at the end of it.
fn refused(code: i32, folder: &Path, call: &str) -> String {
    let output = manoury(folder, call)
        .assert()
        .code(code)
        .get_output()
        .clone();
    String::from_utf8(output.stderr).unwrap()
}

fn games(file: &Path) -> usize {
    let bytes = fs::read(file).unwrap();
    Reader::new(bytes.as_slice()).map(Result::unwrap).count()
}

#[test]
fn games_are_added_to_those_that_are_there_and_a_cut_block_is_removed() {
    let folder = folder("selfplay");
    let file = folder.join("games.mgb");
    let call = "selfplay games.mgb --games 6 --nodes 200 --threads 2";
    manoury(&folder, call).assert().success();
    assert_eq!(games(&file), 6);
    let first = fs::read(&file).unwrap();
    manoury(&folder, call).assert().success();
    assert_eq!(games(&file), 12);
    let both = fs::read(&file).unwrap();
    assert!(both.starts_with(&first));
    assert_ne!(both[first.len()..], first, "the same games again");

    fs::write(&file, &both[..both.len() - 3]).unwrap();
    manoury(&folder, call).assert().success();
    assert_eq!(games(&file), 12);

    fs::write(&file, "something else, by a person").unwrap();
    let error = refused(2, &folder, call);
    assert!(
        error.contains("games.mgb: the block at byte 0 is damaged"),
        "{error}"
    );
    assert_eq!(fs::read(&file).unwrap(), b"something else, by a person");
}

#[test]
fn weights_are_learned_from_games_the_same_each_time() {
    let folder = folder("train");
    manoury(
        &folder,
        "selfplay games.mgb --games 60 --nodes 100 --seed 5",
    )
    .assert()
    .success();
    let call = "train games.mgb --passes 2 --batch 256 --out";
    let output = manoury(&folder, &format!("{call} a.bin"))
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("positions to learn from") && text.contains("pass 2: loss 0."),
        "{text}"
    );
    assert!(text.contains("phase "), "{text}");
    manoury(&folder, &format!("{call} b.bin"))
        .assert()
        .success();
    let bytes = fs::read(folder.join("a.bin")).unwrap();
    assert_eq!(bytes, fs::read(folder.join("b.bin")).unwrap());
    let weights = Weights::from_bytes(&bytes).unwrap();
    assert!(
        weights.description.contains("seed 1"),
        "{}",
        weights.description
    );
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let folder = folder("wrong");
    fs::write(folder.join("empty.mgb"), "").unwrap();
    fs::write(folder.join("other.mgb"), "MGB2").unwrap();
    for (code, call, reason) in [
        (2, "train none.mgb --out w.bin", "none.mgb: No such file"),
        (2, "train empty.mgb --out w.bin", "there are too few games"),
        (
            2,
            "train other.mgb --out w.bin",
            "other.mgb: the block at byte 0 is damaged",
        ),
        (
            1,
            "train empty.mgb --out no/such/w.bin",
            "cannot write no/such/w.bin",
        ),
        (
            2,
            "train empty.mgb --out w.bin --lambda 2",
            "not between 0 and 1",
        ),
        (1, "selfplay no/such/g.mgb", "cannot write no/such/g.mgb"),
        (2, "selfplay g.mgb --endings 2", "not between 0 and 1"),
        (2, "selfplay g.mgb --balance nan", "not a number of men"),
    ] {
        let error = refused(code, &folder, call);
        assert!(error.contains(reason), "{error}");
    }
    let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
