//! The endgame tables that are part of the program, against the rules and a
//! plain search.

use std::sync::{Arc, LazyLock};

use assert_cmd::Command;
use manoury::{
    board::{MoveList, Position},
    endgame::{
        Tables, Value,
        distance::{self, Ruled, left},
        file::Kind,
        material::Material,
        placement::Placement,
        verify,
    },
    notation::fen,
    rules::{Game, State},
    search::{Engine, Limits, Silent},
};

static ARC: LazyLock<Arc<Tables>> = LazyLock::new(|| Arc::new(Tables::built_in()));
static TABLES: LazyLock<&Tables> = LazyLock::new(|| &ARC);

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Random positions from the tables of `kind`.
fn positions(kind: Kind, count: usize) -> impl Iterator<Item = Position> {
    let tables: Vec<_> = TABLES.iter().filter(|table| table.kind() == kind).collect();
    let mut state = 1787;
    let draw = move || {
        let index = tables[random(&mut state) as usize % tables.len()].index();
        index.unrank(random(&mut state) % index.len()).position()
    };
    std::iter::repeat_with(draw).flatten().take(count)
}

/// Whether the mover wins or loses within `plies`, by plain search.
fn searched(position: &Position, plies: u32) -> Value {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    if list.is_empty() {
        return Value::Loss;
    }
    if plies == 0 {
        return Value::Draw;
    }
    let values = list
        .into_iter()
        .map(|mv| -searched(&position.play(mv), plies - 1));
    values.max().unwrap_or(Value::Draw)
}

#[test]
fn all_endings_of_four_pieces_are_built_in() {
    assert_eq!(TABLES.pieces(), 4);
    for material in distance::families() {
        assert!(TABLES.table(Kind::Distance, material).is_some());
    }
}

#[test]
fn every_value_and_distance_is_what_its_successors_make_it() {
    for table in TABLES.iter() {
        let checked = verify::table(&TABLES, table, 500);
        assert!(checked.wrong.is_empty(), "{checked}");
        assert!(checked.count >= 400);
    }
}

#[test]
fn what_a_plain_search_finds_is_in_the_tables() {
    let mut decided = 0;
    for position in positions(Kind::Value, 3000) {
        let found = searched(&position, 3);
        if found != Value::Draw {
            decided += 1;
            assert_eq!(TABLES.value(&Placement::of(&position)), Some(found));
        }
    }
    assert!(decided > 300, "{decided}");
}

#[test]
fn the_colour_reversed_position_has_the_same_value() {
    for position in positions(Kind::Value, 3000) {
        let [here, there] =
            [position, position.reversed()].map(|p| TABLES.value(&Placement::of(&p)));
        assert!(here.is_some() && here == there);
    }
}

/// Plays both sides by the numbers alone, from a game with its counts.
fn play_on(mut game: Game) -> State {
    let mut list = MoveList::new();
    while game.state() == State::InPlay {
        game.position().legal_moves(&mut list);
        let worth = |mv| {
            let line = game.line();
            let next = line.play(mv);
            let placement = Placement::of(next.position());
            match TABLES.ruled(&placement, left(next.counts())).unwrap() {
                Ruled::Loss(plies) => 1000 - i32::from(plies),
                Ruled::Draw => 0,
                Ruled::Win(plies) => i32::from(plies) - 1000,
            }
        };
        let best = list.into_iter().max_by_key(|&mv| worth(mv)).unwrap();
        game.play(best).unwrap();
    }
    game.state()
}

#[test]
fn who_wins_by_the_tables_wins_under_the_rules_from_any_count() {
    let (mut won, mut state) = (0, 1);
    for position in positions(Kind::Distance, 4000) {
        let mut game = Game::new(position);
        // Wasted plies, so that counts begin anywhere.
        for _ in 0..random(&mut state) % 8 {
            let mut list = MoveList::new();
            game.position().legal_moves(&mut list);
            if list.is_empty() || game.state() != State::InPlay {
                break;
            }
            let mv = list[random(&mut state) as usize % list.len()];
            game.play(mv).unwrap();
        }
        if game.state() != State::InPlay {
            continue;
        }
        let placement = Placement::of(game.position());
        let Some(ruled) = TABLES.ruled(&placement, left(game.counts())) else {
            continue;
        };
        let side = game.position().side();
        let expected = match ruled {
            Ruled::Win(_) => Some(State::Won { winner: side }),
            Ruled::Loss(_) => Some(State::Won {
                winner: side.opponent(),
            }),
            Ruled::Draw => None,
        };
        let found = play_on(game);
        match expected {
            Some(expected) => assert_eq!(found, expected, "{}", fen::write(&position)),
            None => assert!(matches!(found, State::Draw(_)), "{}", fen::write(&position)),
        }
        won += u32::from(expected.is_some());
    }
    assert!(won > 500, "{won}");
}

#[test]
fn a_capture_is_resolved_before_the_table_is_asked() {
    let position = fen::read("W:WK46:B41,32").unwrap();
    let placement = Placement::of(&position);
    assert!(placement.has_capture());
    assert_eq!(TABLES.value(&placement), TABLES.value_by_moves(&placement));
    assert_eq!(
        placement.material(),
        Material {
            men: [0, 2],
            kings: [1, 0]
        }
    );
}

/// What both sides make of a game with the tables and this clock.
fn engine_plays(position: Position, limits: &Limits) -> State {
    let mut engine = Engine::new(1, 16).unwrap();
    engine.set_endgame(&ARC, 6);
    let mut game = Game::new(position);
    while game.state() == State::InPlay {
        let outcome = engine.search(&game, limits.clone(), Box::new(Silent));
        game.play(outcome.unwrap().best.unwrap()).unwrap();
    }
    game.state()
}

/// How many of `count` random won positions of four pieces the engine wins
/// against itself; those that it does not win are printed.
fn conversions(count: usize, limits: &Limits) -> usize {
    let is_won = |position: &Position| {
        let placement = Placement::of(position);
        let limit = distance::limit(placement.material());
        position.piece_count() == 4
            && match TABLES.ruled(&placement, limit) {
                Some(ruled) => matches!(ruled, Ruled::Win(_)),
                None => TABLES.value(&placement) == Some(Value::Win),
            }
    };
    let won = positions(Kind::Value, 20 * count)
        .filter(is_won)
        .take(count);
    won.filter(|&position| {
        let expected = State::Won {
            winner: position.side(),
        };
        let found = engine_plays(position, limits);
        if found != expected {
            println!("{} {found}", fen::write(&position));
        }
        found == expected
    })
    .count()
}

#[test]
fn the_engine_wins_two_thousand_endings_that_are_won() {
    let limits = Limits {
        nodes: Some(3000),
        ..Limits::default()
    };
    assert_eq!(conversions(2000, &limits), 2000);
}

fn endgame(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("manoury").unwrap();
    let output = command.arg("endgame").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_probe_names_the_value_of_the_position_and_of_each_move() {
    let (code, out, _) = endgame(&["probe", "--fen", "W:WK41:BK46"]);
    assert_eq!(code, Some(0));
    let mut lines = out.lines();
    let first = "position: win, by the rules won in 3 plies";
    assert_eq!(lines.next(), Some(first));
    assert!(lines.count() > 5);
}

#[test]
fn a_wrong_call_is_one_line_and_exit_code_2() {
    for arguments in [
        &["probe", "--fen", "W:X"][..],
        &["build", "--pieces", "9", "--dir", "x"],
    ] {
        let (code, _, err) = endgame(arguments);
        assert_eq!((code, err.lines().count()), (Some(2), 1), "{err}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told_before_the_work() {
    let (code, out, err) = endgame(&["build", "--pieces", "5", "--dir", "/dev/null/tables"]);
    assert_eq!(
        (code, out.as_str(), err.lines().count()),
        (Some(1), "", 1),
        "{err}"
    );
}

#[test]
fn a_build_that_is_repeated_finds_its_work_done_and_mends_what_is_damaged() {
    let dir = std::env::temp_dir().join(format!("manoury-endgame-{}", std::process::id()));
    let call = ["build", "--pieces", "3", "--dir", dir.to_str().unwrap()];
    let built = endgame(&call);
    assert_eq!(
        (built.0, built.1.lines().count()),
        (Some(0), 9),
        "{built:?}"
    );
    assert_eq!(endgame(&call).1, "");
    let file = dir.join("value-2001.endgame");
    let mut bytes = std::fs::read(&file).unwrap();
    let good = bytes.clone();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(endgame(&call).1.lines().count(), 1);
    assert_eq!(std::fs::read(&file).unwrap(), good);
    std::fs::remove_dir_all(&dir).unwrap();
}
