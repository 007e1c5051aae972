//! `manoury legal`, as its users see it.

use assert_cmd::Command;

fn legal(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("manoury").unwrap();
    command.arg("legal").args(arguments);
    command
}

/// What a successful call prints.
fn printed(arguments: &[&str]) -> String {
    let output = legal(arguments)
        .assert()
        .success()
        .stderr("")
        .get_output()
        .clone();
    String::from_utf8(output.stdout).unwrap()
}

/// What a wrong call says: a line on stderr, exit code 2 and nothing else.
fn refused(arguments: &[&str]) -> String {
    let output = legal(arguments)
        .assert()
        .code(2)
        .stdout("")
        .get_output()
        .clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.matches('\n').count(), 1, "{message}");
    message
}

#[test]
fn the_initial_position_is_the_default() {
    let initial = "31-26 31-26\n31-27 31-27\n32-27 32-27\n32-28 32-28\n33-28 33-28\n\
                   33-29 33-29\n34-29 34-29\n34-30 34-30\n35-30 35-30\nstate: in play\n";
    assert_eq!(printed(&[]), initial);
    assert_eq!(
        printed(&["--fen", "W:W31-50:B1-20", "--moves", ""]),
        initial
    );
}

#[test]
fn a_line_is_pdn_then_hub_and_pdn_has_the_route_where_it_must() {
    assert_eq!(
        printed(&["--fen", "W:W32:B27"]),
        "32x21 32x21x27\nstate: in play\n"
    );
    assert_eq!(
        printed(&["--fen", "W:WK4:B13,20,32,37"]),
        "4x27x38x15 4x15x13x20x32\n4x31x42x15 4x15x13x20x37\nstate: in play\n"
    );
}

#[test]
fn moves_are_taken_in_both_notations_and_the_hub_form_as_a_fen() {
    let hub = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww";
    let moves = ["--moves", "32-28 19-23 28x19x23 14:23"];
    let expected = printed(&moves);
    assert!(expected.ends_with("state: in play\n"));
    assert_eq!(printed(&["--fen", hub, moves[0], moves[1]]), expected);
}

#[test]
fn every_end_of_a_game_has_its_name() {
    let repetition = "1-6 50-45 6-1 45-50 1-6 50-45 6-1 45-50";
    let five = "5-10 3-8 10-4 8-2 4-15 2-7 15-20 7-1 20-14 1-6";
    for (fen, moves, state) in [
        ("B:W50:B", "", "white wins (no move)"),
        ("W:W:B1", "", "black wins (no move)"),
        ("W:WK1,31:B20,K50", repetition, "draw (repetition)"),
        ("W:WK5:BK3", five, "draw (5-move rule)"),
    ] {
        let output = printed(&["--fen", fen, "--moves", moves]);
        assert_eq!(
            output.lines().last(),
            Some(format!("state: {state}").as_str())
        );
    }
}

#[test]
fn after_a_draw_moves_are_listed_and_taken_but_the_state_stays() {
    let five = "5-10 3-8 10-4 8-2 4-15 2-7 15-20 7-1 20-14 1-6";
    let further = format!("{five} 14-19 6-1 19-14 1-6 14-19 6-1 19-14 1-6");
    let output = printed(&["--fen", "W:WK5:BK3", "--moves", &further]);
    assert!(output.lines().count() > 1);
    assert!(output.ends_with("\nstate: draw (5-move rule)\n"));
}

#[test]
fn an_illegal_move_is_refused_with_its_number_and_reason() {
    assert_eq!(
        refused(&["--moves", "32-28 19-23 37-32"]),
        "manoury: move 3, 37-32: a capture is mandatory: 28x19 takes 1\n"
    );
    let twice = ["--fen", "W:WK2,25:B14,15,16", "--moves", "25-20 25-20"];
    assert!(refused(&twice).contains("move 2, 25-20: there is no piece on square 25"));
}

#[test]
fn a_bad_fen_is_named_with_what_is_wrong() {
    assert_eq!(
        refused(&["--fen", "W:W50-31:B1"]),
        "manoury: --fen W:W50-31:B1: the range '50-31' runs backward\n"
    );
    let long = "W:W".to_owned() + &"1,".repeat(10_000);
    assert!(refused(&["--fen", &long]).len() < 200);
    assert!(refused(&["--fen", "W:W1\n:B2"]).contains("\\n"));
}

#[test]
fn help_shows_an_example() {
    assert!(printed(&["--help"]).contains("manoury legal --fen 'W:W31-50:B1-20'"));
}
