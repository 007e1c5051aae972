//! The rules and the notation, by cases in `tests/cases` and by named traps.

use std::collections::BTreeSet;

use manoury::{
    board::{Move, MoveList, Position, Side},
    notation::{MoveTextError, fen, move_text},
    rules::{DrawRule, Game, Line, State},
};
use serde_json::Value;

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn position(fen: &str) -> Position {
    fen::read(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The game after these moves, with the state after every ply from the start on.
fn played(fen: &str, moves: &str) -> (Game, Vec<State>) {
    let mut game = Game::new(position(fen));
    let mut states = vec![game.state()];
    for text in moves.split_whitespace() {
        let mv = move_text::read(game.position(), text);
        let mv = mv.unwrap_or_else(|error| panic!("{fen}: {text}: {error}"));
        game.play(mv).unwrap();
        states.push(game.state());
    }
    (game, states)
}

fn left(game: &Game) -> [Option<u8>; 3] {
    [
        DrawRule::TwentyFiveMoves,
        DrawRule::SixteenMoves,
        DrawRule::FiveMoves,
    ]
    .map(|rule| game.counts().plies_left(rule))
}

fn why_illegal(fen: &str, text: &str) -> String {
    match move_text::read(&position(fen), text) {
        Ok(mv) => panic!("{fen}: {text} was read as {mv:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_draw_case_ends_at_its_ply_and_stays_ended() {
    for case in cases("draw.jsonl") {
        let (fen, moves) = (&case["input"]["fen"], &case["input"]["moves"]);
        let (_, states) = played(fen.as_str().unwrap(), moves.as_str().unwrap());
        let end = case["expected"]["after_ply"].as_u64().unwrap_or(0) as usize;
        let state = case["expected"]["state"].as_str().unwrap();
        for (ply, found) in states.iter().enumerate() {
            let expected = if ply < end { "in play" } else { state };
            assert_eq!(
                found.to_string(),
                expected,
                "{} after ply {ply}",
                case["id"]
            );
        }
        assert!(end < states.len(), "{} ends too early", case["id"]);
    }
}

#[test]
fn every_generator_case_has_its_moves() {
    for case in cases("movegen.jsonl") {
        let position = position(case["input"]["fen"].as_str().unwrap());
        let moves = move_text::sorted_legal_moves(&position);
        let expected = &case["expected"];
        assert_eq!(expected["count"], moves.len(), "{}", case["id"]);
        let found: BTreeSet<String> = moves
            .iter()
            .map(|&mv| move_text::hub(&position, mv))
            .collect();
        let wanted = expected["moves_hub"].as_array().unwrap();
        let wanted: BTreeSet<String> = wanted.iter().map(|v| v.as_str().unwrap().into()).collect();
        assert_eq!(found, wanted, "{}", case["id"]);
    }
}

#[test]
fn every_fen_case_is_read_or_refused_with_the_piece_at_fault() {
    for case in cases("fen.jsonl") {
        let read = fen::read(case["input"]["fen"].as_str().unwrap());
        match (
            read,
            case["expected"]["fen"].as_str(),
            case["expected"]["error"].as_str(),
        ) {
            (Ok(position), Some(fen), None) => {
                assert_eq!(fen::write(&position), fen, "{}", case["id"])
            }
            (Err(error), None, Some(part)) => {
                assert!(error.to_string().contains(part), "{}: {error}", case["id"])
            }
            (read, ..) => panic!("{}: {read:?}", case["id"]),
        }
    }
}

// The traps of international draughts, one by one.

#[test]
fn captures_of_the_same_pieces_between_the_same_squares_are_one_move() {
    let mut list = MoveList::new();
    position("W:W28:B22,23,13,12,32,33").legal_moves(&mut list);
    assert_eq!(list.len(), 2);
    // Two kings that circle over the same pieces make two moves.
    let circles = position("W:WK2,K3,K30,K50:B11,19,21,22,23,33,39,41,42");
    circles.legal_moves(&mut list);
    assert_eq!(list.len(), 9);
    for &mv in list.iter() {
        let text = move_text::hub(&circles, mv);
        assert_eq!(move_text::read(&circles, &text), Ok(mv), "{text}");
        let text = move_text::pdn(&circles, mv);
        assert_eq!(move_text::read(&circles, &text), Ok(mv), "{text}");
    }
}

#[test]
fn captured_pieces_stay_until_the_move_ends_and_empty_squares_may_be_crossed_twice() {
    // The king stops before 38: the man behind it, on 42, is taken but still stands.
    let (game, _) = played("B:W27,28,38,39,42:BK25", "25x33");
    assert_eq!(fen::write(game.position()), "W:W38:BK33");
    // The man crosses an empty square twice: it comes back to 28 and jumps on.
    let (game, _) = played("W:W28:B22,23,13,12,32,33", "28x37");
    assert_eq!(fen::write(game.position()), "B:W37:B33");
}

#[test]
fn the_majority_counts_a_king_as_a_man() {
    assert_eq!(
        why_illegal("W:W28,50:B22,11,44", "50x39"),
        "more can be taken: 28x6 takes 2"
    );
    let free = position("W:W26:B12,K21,31,32");
    assert!(move_text::read(&free, "26x28").is_ok());
    assert!(move_text::read(&free, "26x8").is_ok());
}

#[test]
fn a_man_that_only_passes_the_last_row_stays_a_man() {
    let (game, _) = played("W:W15:B9,10,26", "15x13");
    assert_eq!(fen::write(game.position()), "B:W13:B26");
    let (game, _) = played("W:W15:B8,19,20,26", "15x2");
    assert_eq!(fen::write(game.position()), "B:WK2:B26");
}

#[test]
fn a_king_lands_only_where_the_longest_capture_goes_on() {
    assert_eq!(
        why_illegal("W:WK46:BK28,19,10", "46-14"),
        "more can be taken: 46x5 takes 3"
    );
}

#[test]
fn no_move_is_a_loss_blocked_or_bare() {
    let lost = State::Won {
        winner: Side::White,
    };
    assert_eq!(Game::new(position("B:W50:B")).state(), lost);
    assert_eq!(Game::new(position("B:W40,44:B35")).state(), lost);
    assert_eq!(Game::new(position("B:W40:B35")).state(), State::InPlay);
    assert_eq!(Game::new(position("B:WK41,37:BK46")).state(), lost);
}

#[test]
fn a_short_capture_text_that_fits_two_moves_is_ambiguous() {
    let fen = "W:WK4:B13,20,32,37";
    assert_eq!(
        why_illegal(fen, "4x15"),
        "ambiguous: it may be 4x27x38x15 or 4x31x42x15"
    );
    let position = position(fen);
    let takes = |text: &str| {
        let mv = move_text::read(&position, text);
        mv.map(|mv| move_text::hub(&position, mv))
    };
    assert_eq!(takes("4x31x42x15").unwrap(), "4x15x13x20x37");
    assert_eq!(takes("4x27x15").unwrap(), "4x15x13x20x32");
    assert_eq!(takes("4x15x37").unwrap(), "4x15x13x20x37");
    assert!(matches!(
        takes("4x15x20x13"),
        Err(MoveTextError::Ambiguous { .. })
    ));
}

// The rules that count moves.

#[test]
fn a_set_up_in_a_class_starts_at_zero() {
    let left_at = |fen: &str| left(&Game::new(position(fen)));
    assert_eq!(left_at("W:WK1,K2,K3:BK50"), [Some(50), Some(32), None]);
    assert_eq!(left_at("W:WK1:B28,K34,35"), [Some(50), Some(32), None]);
    assert_eq!(left_at("W:WK1,31:BK50"), [Some(50), None, Some(10)]);
    assert_eq!(left_at("W:WK1:BK50"), [Some(50), None, Some(10)]);
    for in_no_class in [
        "W:W31,32:BK50",
        "W:W31,32,33:BK50",
        "W:WK1,K2,K3,K4:BK50",
        "W:WK1,K2:B20",
        "W:WK1,K2:BK50,K49",
        "W:WK1:B20,21",
        "W:WK1,K2,K3:BK50,20",
        "W:WK1,K2,K3:B",
    ] {
        assert_eq!(
            left_at(in_no_class),
            [Some(50), None, None],
            "{in_no_class}"
        );
    }
}

#[test]
fn the_limits_count_down_and_from_three_pieces_to_two_both_run() {
    let (mut game, _) = played("W:WK46,K47,K48:BK3", "47-38 3-9");
    assert_eq!(left(&game), [Some(48), Some(30), None]);
    game.undo();
    assert_eq!(left(&game), [Some(49), Some(31), None]);
    let cases = cases("draw.jsonl");
    let case = cases.iter().find(|case| case["id"] == "draw-16-then-5");
    let input = &case.unwrap()["input"];
    let (fen, moves) = (
        input["fen"].as_str().unwrap(),
        input["moves"].as_str().unwrap(),
    );
    let (mut game, _) = played(fen, moves);
    for (plies, counts) in [
        (36, [Some(40), Some(0), Some(0)]),
        (32, [Some(44), Some(0), Some(4)]),
        (26, [Some(50), Some(6), Some(10)]),
        (25, [Some(25), Some(7), None]),
    ] {
        while game.plies() > plies {
            game.undo();
        }
        assert_eq!(left(&game), counts, "after ply {plies}");
    }
}

#[test]
fn a_game_is_taken_back_to_its_start_and_played_again() {
    let moves = "1-6 50-45 6-1 45-50 1-6 50-45 6-1 45-50 1-6";
    let (mut game, states) = played("W:WK1,31:BK50,20", moves);
    assert_eq!(game.plies(), 9);
    assert_eq!(game.positions().count(), 10);
    assert_eq!(states.last(), Some(&State::Draw(DrawRule::Repetition)));
    for state in states.iter().rev() {
        assert_eq!(game.state(), *state);
        game.undo();
    }
    assert_eq!(game.undo(), None);
    assert_eq!(game.position(), game.start());
    assert_eq!(fen::write(game.position()), "W:WK1,31:B20,K50");
}

#[test]
fn a_move_that_is_not_legal_changes_nothing() {
    let mut game = Game::new(Position::initial());
    let mut list = MoveList::new();
    game.position().legal_moves(&mut list);
    let first = list[0];
    game.play(first).unwrap();
    let before = *game.position();
    assert!(game.play(first).is_err());
    assert_eq!((game.plies(), *game.position()), (1, before));
}

#[test]
fn a_line_sees_repetitions_in_the_game_and_in_itself() {
    let (game, _) = played("W:WK1,31:BK50,20", "1-6 50-45 6-1");
    let root = game.line();
    // The set-up position for the second time, then for the third.
    let second = go(&root, "45-50");
    assert!(!root.is_repetition());
    assert!(second.is_repetition());
    assert_eq!(second.state(), State::InPlay);
    let away = go(&second, "1-6");
    let away = go(&away, "50-45");
    let back = go(&away, "6-1");
    let third = go(&back, "45-50");
    assert_eq!(third.draw(), Some(DrawRule::Repetition));
    // A man's move, and nothing before it can come again.
    let fresh = go(&third, "31-26");
    assert!(!fresh.is_repetition());
    assert_eq!(fresh.draw(), None);
}

#[test]
fn a_line_agrees_with_the_game_at_every_ply() {
    for case in cases("draw.jsonl") {
        let (fen, moves) = (&case["input"]["fen"], &case["input"]["moves"]);
        let (game, states) = played(fen.as_str().unwrap(), moves.as_str().unwrap());
        let start = Game::new(*game.start());
        follow(&start.line(), game.moves(), &states);
    }
}

fn go<'a>(line: &'a Line, text: &str) -> Line<'a> {
    let mv = move_text::read(line.position(), text);
    line.play(mv.unwrap())
}

/// Plays `moves` on a line and compares the states up to the end of the game.
fn follow(line: &Line, moves: &[Move], states: &[State]) {
    assert_eq!(line.state(), states[0]);
    if let (State::InPlay, Some((&mv, rest))) = (states[0], moves.split_first()) {
        follow(&line.play(mv), rest, &states[1..]);
    }
}

// Reading moves.

#[test]
fn a_move_is_read_in_every_usual_form() {
    let read = |fen: &str, text: &str| {
        let position = position(fen);
        move_text::read(&position, text).map(|mv| move_text::hub(&position, mv))
    };
    let initial = "W:W31-50:B1-20";
    for text in [
        "32-28",
        "3228",
        " 32-28 ",
        "32 - 28",
        "32 28",
        "032-028",
        "32–28",
        "32—28",
        "32−28",
        "32\u{2011}28",
    ] {
        assert_eq!(read(initial, text).as_deref(), Ok("32-28"), "{text}");
    }
    let one = "W:W28:B23";
    for text in [
        "28x19", "28:19", "28X19", "28×19", "28-19", "2819", "28 x 19", "28x19x23",
    ] {
        assert_eq!(read(one, text).as_deref(), Ok("28x19x23"), "{text}");
    }
    let three = "W:W15:B8,19,20";
    for text in [
        "15x2",
        "15x24x13x2",
        "15x13x2",
        "15x24 24x13 13x2",
        "15:24 24:13 13:2",
        "15x24x13 13x2",
        "15241302",
        "15x2x8x19x20",
        "15x2x20x8",
        "15x02x19",
    ] {
        assert_eq!(read(three, text).as_deref(), Ok("15x2x8x19x20"), "{text}");
    }
    assert_eq!(read("B:W40:B5", "5-10").as_deref(), Ok("5-10"));
    assert_eq!(read("B:W40:B5", "0510").as_deref(), Ok("5-10"));
    let partial = "B:W22,24,27,31,34,40,45,48:BK2,7,15,25";
    assert_eq!(read(partial, "2x30x17").as_deref(), Ok("2x17x22x24x34"));
    let round = "W:W28:B22,23,13,12,32,33";
    for text in ["28x37", "28x17x19x37", "28x19x17x37", "28x8x28x37"] {
        assert_eq!(read(round, text).as_deref(), Ok("28x37x12x13x22x23x32"));
    }
    let hub = "WWeeeeeeeeeebbeeeeebbeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
    assert_eq!(read(hub, "1x25x20x12x19"), read(hub, "1x25x12x19x20"));
}

#[test]
fn an_illegal_move_is_refused_with_its_reason() {
    let initial = "W:W31-50:B1-20";
    let captures = "W:W28,37:B23,3";
    let three = "W:W15:B8,19,20";
    for (fen, text, reason) in [
        (
            initial,
            "20-24",
            "not your piece: black stands on square 20, and white is to move",
        ),
        (initial, "28-23", "there is no piece on square 28"),
        (initial, "36-31", "blocked by the piece on square 31"),
        (initial, "31-36", "a man does not move backward"),
        (
            initial,
            "32-23",
            "too far: a man moves one square at a time",
        ),
        (
            initial,
            "35-29",
            "squares 35 and 29 are not on one diagonal",
        ),
        (initial, "32x28", "there is nothing to capture"),
        (initial, "32-28-23", "there is nothing to capture"),
        (initial, "32-51", "there is no square 51"),
        (initial, "0-5", "there is no square 0"),
        (initial, "32-", "not a move; moves look like 32-28 or 28x19"),
        ("W:WK1,7:B26", "1-12", "blocked by the piece on square 7"),
        (
            "W:WK1,31:B20",
            "1-5",
            "squares 1 and 5 are not on one diagonal",
        ),
        (captures, "37-32", "a capture is mandatory: 28x19 takes 1"),
        (captures, "28x17", "there is no such capture: 28x19 takes 1"),
        (three, "15x24", "more can be taken: 15x2 takes 3"),
        (three, "15x24 24x13", "more can be taken: 15x2 takes 3"),
        (three, "15-10", "a capture is mandatory: 15x2 takes 3"),
        (three, "15x2x8x8", "there is no such capture: 15x2 takes 3"),
        (three, "15x2x18", "there is no such capture: 15x2 takes 3"),
        (
            "W:W35:B30,K40",
            "35-29",
            "a capture is mandatory: 35x24 or 35x44 takes 1",
        ),
    ] {
        assert_eq!(why_illegal(fen, text), reason, "{fen}: {text}");
    }
    for text in [
        "",
        " ",
        "x",
        "32",
        "32--28",
        "32-28x",
        "-28",
        "e4",
        "328",
        "32-28 19-23",
        "32-28*",
        "٣٢-٢٨",
        "32.28",
    ] {
        let read = move_text::read(&Position::initial(), text);
        assert_eq!(read, Err(MoveTextError::NotAMove), "{text}");
    }
}

#[test]
fn a_text_of_any_length_is_refused_in_a_short_message() {
    for text in [
        "1".repeat(1 << 20),
        "1x".repeat(1 << 20),
        "1x2".repeat(1 << 18),
        "é".repeat(1 << 20),
    ] {
        assert!(
            move_text::read(&Position::initial(), &text)
                .unwrap_err()
                .to_string()
                .len()
                < 200
        );
        assert!(fen::read(&text).unwrap_err().to_string().len() < 200);
        assert!(
            fen::read(&format!("W:W{text}"))
                .unwrap_err()
                .to_string()
                .len()
                < 200
        );
    }
}
