//! Games as text: the cases in `tests/cases`, named traps, properties, and what
//! other programs make of our files.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::Path,
    process::Command,
};

use manoury::{
    board::{Move, Position},
    notation::{
        fen, move_text,
        pdn::{self, PdnErrorReason, PdnGame, PdnLine, PdnPly, PdnResult},
    },
    rules::Game,
};
use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::Value;

fn read(text: impl AsRef<[u8]>) -> Vec<PdnGame> {
    pdn::Reader::new(text.as_ref())
        .map(Result::unwrap)
        .collect()
}

fn read_one(text: impl AsRef<[u8]>) -> PdnGame {
    let mut games = read(text.as_ref());
    assert_eq!(games.len(), 1, "{}", String::from_utf8_lossy(text.as_ref()));
    games.remove(0)
}

fn written(game: &PdnGame) -> String {
    let mut text = Vec::new();
    pdn::write(&mut text, game).unwrap();
    String::from_utf8(text).unwrap()
}

/// The moves of the main line, each as PDN has it.
fn moves(game: &PdnGame) -> Vec<String> {
    texts(game.start, &game.main_line)
}

fn texts(mut position: Position, line: &PdnLine) -> Vec<String> {
    let mut texts = Vec::new();
    for ply in &line.plies {
        texts.push(move_text::pdn(&position, ply.mv));
        position = position.play(ply.mv);
    }
    texts
}

/// A text whose moves are all read, and these they are.
fn assert_moves(text: impl AsRef<[u8]>, expected: &str) {
    let game = read_one(text);
    assert_eq!(game.problem, None);
    assert_eq!(moves(&game).join(" "), expected);
}

fn problem(text: &str) -> String {
    let game = read_one(text);
    game.problem.expect("a problem").to_string()
}

/// What the cases say in words about the moves, each of which they describe.
fn described(case: &Value) -> Vec<Move> {
    let game = read_one(case["input"]["pdn"].as_str().unwrap());
    let set_up = game.start;
    let text = match case["id"].as_str().unwrap() {
        "pdn-partial-path" => "2x17x22x24x34",
        "pdn-split-multi-jump" => "15x2x8x19x20",
        id => panic!("{id} is not known"),
    };
    vec![move_text::read(&set_up, text).unwrap()]
}

#[test]
fn every_case_has_its_moves() {
    let path = format!("{}/tests/cases/pdn.jsonl", env!("CARGO_MANIFEST_DIR"));
    let cases = std::fs::read_to_string(path).unwrap();
    assert_eq!(cases.lines().count(), 11);
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let game = read_one(case["input"]["pdn"].as_str().unwrap());
        assert_eq!(game.problem, None, "{id}");
        let expected = &case["expected"];
        match id {
            "pdn-partial-path" | "pdn-split-multi-jump" => {
                assert_eq!(game.moves().collect::<Vec<_>>(), described(&case), "{id}");
            }
            "pdn-zero-padded" => {
                assert_eq!(expected, "9-14 accepted");
                assert_eq!(moves(&game).last().unwrap(), "9-14");
            }
            _ => assert_eq!(expected, &Value::from(moves(&game)), "{id}"),
        }
        let result = game.tag("Result").unwrap_or("*");
        assert_eq!(game.result.to_string(), result, "{id}");
    }
}

#[test]
fn moves_are_read_in_every_form() {
    let expected = "32-28 19-23 28x19 14x23";
    for text in [
        "1. 32-28 19-23 2. 28x19 14x23",
        "1.32-28 19-23 2.28x19 14x23",
        "1. 32-28 1... 19-23 2. 28x19 2. ... 14x23 *",
        "1 32-28 19-23 2 28x19 14x23 *",
        "1 {a} 32-28 19-23 2 {b}\n28x19 14x23 *",
        "1. 32-28 19-23 2.\n28x19 14x23 *",
        "1. 3228 1923 2. 2819 1423 *",
        "1. 32 28 19 23 2. 28 19 14 23 *",
        "1. 32 - 28 19- 23 2. 28 x19 14x 23 *",
        "1. 32 - 28 19 -\r\n23 2. 28 : 19 14 X 23 *",
        "1. 32—28 19−23 2. 28×19 14:23 *",
        "1. 32‐28 19‑23 2. 28x19! 14x23?? *",
        "1. 32\u{2012}28! 19\u{2015}23+ 2. 28x19# 14x23, 1/2-1/2",
        "1. 32-28(!) 19-23 (?!) 2. 28x19 $1 14x23$2$3 2–0",
        "32-28{a}19-23;b\n28x19(2. 28x19!)14x23*",
        "1. 032-028 19-23 2. 28x19 14x23",
        "1.\u{a0}32-28\u{200b}19-23\u{feff} 2.\u{0}28x19\t14x23 1 - 1",
        "% 1. 34-29 *\n1. 32-28 19-23\n%{\n2. 28x19 14x23 0-0",
        "1. 32-28 { 2-0 } 19-23 ( 19-24 0-2 ) 2. 28x19 14x23 2-0",
        "1. 32-28 19-23 2. 28x19 14x23 2-0 *",
    ] {
        assert_moves(text, expected);
    }
    assert_moves(b"1. 32\x9628 19\x9723 2. 28\xd719 14x23 *", expected);
}

#[test]
fn captures_are_read_with_and_without_their_path() {
    let text = |moves: &str| format!("[FEN \"W:WK42:B19,20,23,24,38\"]\n\n1. {moves} *");
    let short = read_one(text("42x15"));
    if short.problem.is_none() {
        assert_eq!(moves(&short), ["42x15"]);
    }
    let ambiguous = "B:W22,24,27,31,34,40,45,48:BK2,7,15,25";
    let text = |moves: &str| format!("[FEN \"{ambiguous}\"]\n\n1... {moves} *");
    assert!(problem(&text("2x17")).contains("ambiguous: it may be 2x"));
    for path in [
        "2x30x17",
        "2x30 30x17",
        "2 x 30 x 17",
        "2x17x22x24x34",
        "02x30 x17",
    ] {
        let game = read_one(text(path));
        assert_eq!(game.problem, None, "{path}");
        assert_eq!(game.moves().count(), 1);
    }
}

#[test]
fn both_families_of_results_are_read() {
    for (text, expected) in [
        ("2-0", PdnResult::WhiteWins),
        ("1-0", PdnResult::WhiteWins),
        ("0-2", PdnResult::BlackWins),
        ("0 - 1", PdnResult::BlackWins),
        ("1-1", PdnResult::Draw),
        ("1/2-1/2", PdnResult::Draw),
        ("1/2 – 1/2", PdnResult::Draw),
        ("½-½", PdnResult::Draw),
        ("0-0", PdnResult::BothLose),
        ("*", PdnResult::Unknown),
        ("", PdnResult::Unknown),
    ] {
        let game = read_one(format!("1. 32-28 {text}\n"));
        assert_eq!((game.result, game.problem), (expected, None), "{text}");
        let game = read_one(format!("[result \"{text}\"]\n1. 32-28"));
        assert_eq!((game.result, game.problem), (expected, None), "{text}");
    }
}

#[test]
fn the_result_behind_the_moves_counts_and_the_tag_where_it_is_unknown() {
    let result = |tag: &str, end: &str| read_one(format!("[Result \"{tag}\"]\n32-28 {end}")).result;
    assert_eq!(result("2-0", "0-2"), PdnResult::BlackWins);
    assert_eq!(result("*", "1-1"), PdnResult::Draw);
    assert_eq!(result("2-0", "*"), PdnResult::WhiteWins);
    assert_eq!(result("nonsense", ""), PdnResult::Unknown);
}

#[test]
fn tags_are_kept_whatever_they_are() {
    let game = read_one(
        b"[EVENT \"The \\\"Salou\\\" \\\\ Open\"][site  \"x]\"]\n[White \"Andr\xe9\"]\n\
          [Black \"a \"quoted\" name\"]\n[X-Y \"1\"]\n[Open \"never closed]\n[Bare]\n[gametype \"20,W,10,10,N2,0\"]\n1. 32-28 *",
    );
    assert_eq!(game.problem, None);
    let expected = [
        ("EVENT", "The \"Salou\" \\ Open"),
        ("site", "x]"),
        ("White", "André"),
        ("Black", "a \"quoted\" name"),
        ("X-Y", "1"),
        ("Open", "never closed"),
        ("gametype", "20,W,10,10,N2,0"),
    ];
    let found = game.tags.iter().map(|(name, value)| (&**name, &**value));
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(game.tag("Event"), Some("The \"Salou\" \\ Open"));
    assert_eq!(moves(&game), ["32-28"]);
}

#[test]
fn comments_nags_and_variations_stay_where_they_are() {
    let game = read_one(
        "[Event \"x\"] {before\n  the } {game} 1. 32-28!? {one} $10 ; two }\n\
         (1. 34-29 {in} 19-23 (19-24) 2. 40-34) (?) ({empty}) 19-23* {after} 2-0 {end}",
    );
    assert_eq!(game.problem, None);
    assert_eq!(game.main_line.comments, ["before the", "game"]);
    let [first, second] = &game.main_line.plies[..] else {
        panic!("two moves");
    };
    assert_eq!(first.nags, [5, 10, 2]);
    assert_eq!(first.comments, ["one", "two }", "empty"]);
    assert_eq!(second.nags, [7]);
    assert_eq!(second.comments, ["after", "end"]);
    let [variation] = &first.variations[..] else {
        panic!("one variation");
    };
    assert_eq!(texts(game.start, variation), ["34-29", "19-23", "40-34"]);
    assert_eq!(variation.plies[0].comments, ["in"]);
    let after = game.start.play(variation.plies[0].mv);
    let nested = &variation.plies[1].variations[0];
    assert_eq!(texts(after, nested), ["19-24"]);
}

#[test]
fn an_error_names_its_place_and_the_next_game_is_read() {
    let text = "[Event \"a\"]\n1. 32-28 19-23 2. 37-32 { no } 14x23 3. 38-32 (1-1) 2-0\n\
                [Event \"b\"]\n1. 32-28 19-\n[Event \"c\"]\n1. 32-2\n[Event \"d\"]\n1. 32-28 2. 28\n\
                [Event \"e\"]\n[GameType \"25\"]\n1. c3-d4 1-0\n[Event \"f\"]\n[FEN \"W:W51:B1\"]\n1. 51-46\n\
                [Event \"g\"]\n1. 32-28 (1. 28-23) 19-23 forfeit *\n\
                [Event \"h\"]\n1. 32-28 (1. 99-98 (x) 1-1) 19-23 2-0\n\
                [Event \"i\"]\n1. 32-28 19-23 *";
    let games = read(text);
    let problems = games.iter().map(|game| {
        game.problem
            .as_ref()
            .map_or(String::new(), |p| p.to_string())
    });
    let expected = [
        "game 1, line 2, move 2. '37-32': a capture is mandatory: 28x19 takes 1",
        "game 2, line 4, move 1... '19-': not a move; moves look like 32-28 or 28x19",
        "game 3, line 6, move 1. '32-2': too far: a man moves one square at a time",
        "game 4, line 8, move 1... '28': not a move; moves look like 32-28 or 28x19",
        "game 5, line 9, '25': the game type is not 20, international draughts",
        "game 6, line 12, 'W:W51:B1': there is no square 51 (in '51')",
        "game 7, line 16, move 2. 'forfeit': not a move; moves look like 32-28 or 28x19",
        "game 8, line 18, move 1. '99-98': there is no square 99",
        "",
    ];
    assert_eq!(problems.collect::<Vec<_>>(), expected);
    let lengths = games.iter().map(|game| game.main_line.plies.len());
    assert_eq!(lengths.collect::<Vec<_>>(), [2, 1, 0, 1, 0, 0, 2, 2, 2]);
    assert_eq!(games[0].result, PdnResult::WhiteWins);
    assert_eq!(games[4].result, PdnResult::WhiteWins);
    assert_eq!(games[7].result, PdnResult::WhiteWins);
}

#[test]
fn games_need_no_blank_line_no_tags_and_no_result() {
    let text = "header { not a comment of a game\n";
    assert_eq!(read(text).len(), 1);
    let text = "{a file} ; of games\n * [Event \"a\"]\n[White \"x\"]\n32-28 *\n[Event \"b\"]\n33-28 1. ...\n\
                [Event \"c\"][Event \"d\"]\n34-29 1-1 1. 35-30 2-0 31-26 { last } 0-2 * *";
    let games = read(text);
    let found = games.iter().map(|game| moves(game).join(" "));
    assert_eq!(
        found.collect::<Vec<_>>(),
        ["32-28", "33-28", "", "34-29", "35-30", "31-26"]
    );
    assert!(games.iter().all(|game| game.problem.is_none()));
    for nothing in [
        "", "\n\n", "\u{feff}", "{", "* 2-0 ()", "% x", "[x]", "\0\0", ") } ]",
    ] {
        assert_eq!(read(nothing), [], "{nothing:?}");
    }
}

#[test]
fn what_is_open_at_the_end_is_a_problem_and_the_moves_are_kept() {
    let game = read_one("1. 32-28 19-23 {never closed");
    assert_eq!(moves(&game), ["32-28", "19-23"]);
    assert_eq!(game.main_line.plies[1].comments, ["never closed"]);
    assert_eq!(
        game.problem.unwrap().reason,
        PdnErrorReason::UnclosedComment
    );
    let games = read("[Event \"a\"]\n1. 32-28 (1. 34-29 (1. 35-30\n[Event \"b\"]\n1. 32-28 ; open");
    let problem = games[0].problem.as_ref().unwrap();
    assert_eq!(problem.reason, PdnErrorReason::UnclosedVariation);
    assert_eq!(problem.line, 3);
    assert_eq!(games[0].main_line.plies[0].variations.len(), 1);
    assert_eq!(games[1].problem, None);
}

/// `times` copies of a text, made as they are read.
struct Repeated<'a> {
    text: &'a [u8],
    at: usize,
    times: usize,
}

impl Repeated<'_> {
    fn reader(text: &str, times: usize) -> impl BufRead {
        BufReader::new(Repeated {
            text: text.as_bytes(),
            at: 0,
            times,
        })
    }
}

impl Read for Repeated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.times == 0 {
            return Ok(0);
        }
        let read = (&self.text[self.at..]).read(buffer)?;
        self.at += read;
        if self.at == self.text.len() {
            (self.at, self.times) = (0, self.times - 1);
        }
        Ok(read)
    }
}

/// Roughly the bytes that a line holds.
fn held(line: &PdnLine) -> usize {
    let text = |comments: &[String]| comments.iter().map(|text| 32 + text.len()).sum::<usize>();
    let plies = line.plies.iter().map(|ply| {
        let variations = ply.variations.iter().map(held);
        64 + 16 * ply.nags.len() + text(&ply.comments) + variations.sum::<usize>()
    });
    text(&line.comments) + plies.sum::<usize>()
}

#[test]
fn no_text_makes_a_game_large() {
    let times = 250_000;
    for (before, repeated) in [
        ("32-28 {", "a comment that goes on "),
        ("", "{comments}"),
        ("[Event \"", "x"),
        ("[", "x"),
        ("[[X \"y\"]", "[Tag \"value\"]\n"),
        ("[Event \"x\"]", "{comments} "),
        ("1. 32-28", "(1. 34-29"),
        ("1. 32-28", "(1. 34-29) "),
        ("1. 32-28", "(1. 34-29 19-23) {comment} "),
        ("1. 32-28", "$5 "),
        ("1. 32-28", "!"),
        ("1. 32-28 x", "x"),
        ("1. 32x28", " 28x28"),
        ("1. ", "1 "),
        ("$", "1"),
        ("1", "1"),
        ("1", "."),
        ("[FEN \"W:WK50:BK1\"] ", "50-45 1-6 45-50 6-1 "),
        ("[FEN \"W:WK50:BK1\"] 50-45 ( ", "50-45 1-6 45-50 6-1 "),
    ] {
        let text = before.as_bytes().chain(Repeated::reader(repeated, times));
        let text = text.chain(&b"\n[Event \"next\"]\n1. 32-28 *"[..]);
        let game = pdn::Reader::new(text).next().unwrap().unwrap();
        let tags = game
            .tags
            .iter()
            .map(|(name, value)| name.len() + value.len());
        let size = tags.sum::<usize>() + held(&game.main_line);
        assert!(size < 3 << 20, "{before}{repeated}… has {size}");
    }
}

#[test]
fn a_long_file_is_read_as_it_comes() {
    let text = "[Event \"x\"]\n1. 32-28 19-23 2. 28x19 14x23 2-0\n\n";
    let games = pdn::Reader::new(Repeated::reader(text, 100_000));
    assert_eq!(
        games
            .filter(|game| game.as_ref().unwrap().problem.is_none())
            .count(),
        100_000
    );
    // Without an end, the games come all the same.
    let mut endless = pdn::Reader::new(Repeated::reader(text, usize::MAX));
    assert_eq!(moves(&endless.nth(1000).unwrap().unwrap()).len(), 4);
}

#[test]
fn an_error_of_the_source_ends_the_file() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("unplugged"))
        }
    }
    let text = "32-28 *\n33-28 * 34-29".as_bytes();
    let mut reader = pdn::Reader::new(BufReader::new(text.chain(Broken)));
    assert_eq!(moves(&reader.next().unwrap().unwrap()), ["32-28"]);
    assert_eq!(moves(&reader.next().unwrap().unwrap()), ["33-28"]);
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}

#[test]
fn a_game_is_written_in_a_known_form() {
    let mut game = read_one(
        "[White \"A \\\"x\\\"\"][Extra \"1\"] {c} 1. 32-28! (34-29 {d} 20-25 4034) 19-23 {e} 2. 28x19 14x23 1-0",
    );
    game.main_line.plies[3].comments = vec![
        "score  0.12, depth\n21".into(),
        String::new(),
        "a } b".into(),
    ];
    let expected = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n\
        [White \"A \\\"x\\\"\"]\n[Black \"?\"]\n[Result \"2-0\"]\n[GameType \"20\"]\n[Extra \"1\"]\n\n";
    let text = written(&game);
    assert!(text.starts_with(expected), "{text}");
    let body = "{c} 1. 32-28 $1 (1. 34-29 {d} 20-25 2. 40-34) 19-23 {e} 2. 28x19 14x23 {score\n\
        0.12, depth 21} ; a } b\n2-0\n\n";
    assert_eq!(text[expected.len()..], *body);
}

#[test]
fn a_set_up_is_written_with_its_tags_and_its_number() {
    let start = fen::read("B:W22,24,27,31,34,40,45,48:BK2,7,15,25").unwrap();
    let mut game = Game::new(start);
    for text in ["2x30x17", "31-26"] {
        let mv = move_text::read(game.position(), text).unwrap();
        game.play(mv).unwrap();
    }
    let text = written(&PdnGame::from(&game));
    let end = "[SetUp \"1\"]\n[FEN \"B:W22,24,27,31,34,40,45,48:BK2,7,15,25\"]\n\n1... 2x";
    assert!(text.contains(end), "{text}");
    assert!(text.ends_with(" 2. 31-26 *\n\n"), "{text}");
    assert_eq!(read_one(&text).game().position(), game.position());
}

/// What is random about a move: which one, glyphs, comments, a variation.
type PlyPlan = (Index, Vec<u8>, Vec<String>, Option<Vec<Index>>);

fn comment() -> impl Strategy<Value = String> {
    let comment = prop_oneof![
        any::<String>(),
        "[a-z (){};%$\\[\\]\"\\\\0-9.*-]{0,100}",
        Just("1-1 2-0 ( 1. 32-28 %".to_owned()),
    ];
    comment.prop_map(|text| tidied(&text))
}

/// A text as it comes back: control characters are spaces, spaces are single.
fn tidied(text: &str) -> String {
    let is_space =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\u{feff}' | '\u{200b}');
    let words = text.split(is_space).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

fn comments() -> impl Strategy<Value = Vec<String>> {
    vec(
        comment().prop_filter("a comment says something", |text| !text.is_empty()),
        0..3,
    )
}

fn ply_plan() -> impl Strategy<Value = PlyPlan> {
    let comments = prop_oneof![4 => Just(Vec::new()), 1 => comments()];
    let variation = prop_oneof![4 => Just(None), 1 => vec(any::<Index>(), 1..5).prop_map(Some)];
    let nags = prop_oneof![4 => Just(Vec::new()), 1 => vec(1..=u8::MAX, 0..3)];
    (any::<Index>(), nags, comments, variation)
}

/// Lone moves from `position`, for a variation.
fn variation(mut position: Position, choices: &[Index]) -> PdnLine {
    let mut line = PdnLine::default();
    for choice in choices {
        let legal = move_text::sorted_legal_moves(&position);
        if legal.is_empty() {
            break;
        }
        let mv = *choice.get(&legal);
        line.plies.push(PdnPly::from(mv));
        position = position.play(mv);
    }
    line
}

fn start() -> impl Strategy<Value = Position> {
    prop_oneof![
        Just(Position::initial()),
        Just(fen::read("B:W22,24,27,31,34,40,45,48:BK2,7,15,25").unwrap()),
        Just(fen::read("W:WK4,K50,12:BK5,22,33,42").unwrap()),
    ]
}

fn result() -> impl Strategy<Value = PdnResult> {
    prop_oneof![
        Just(PdnResult::WhiteWins),
        Just(PdnResult::Draw),
        Just(PdnResult::BlackWins),
        Just(PdnResult::BothLose),
        Just(PdnResult::Unknown),
    ]
}

fn game() -> impl Strategy<Value = PdnGame> {
    (
        start(),
        vec(ply_plan(), 0..80),
        vec(("X[A-Za-z0-9_]{1,12}", comment()), 0..4),
        vec(comment(), 6),
        comments(),
        result(),
    )
        .prop_map(|(start, plan, extra, roster, comments, result)| {
            let mut game = PdnGame::new(start);
            let names = ["Event", "Site", "Date", "Round", "White", "Black"];
            let roster = names.map(str::to_owned).into_iter().zip(roster);
            game.tags = roster.chain(extra).collect();
            game.result = result;
            game.main_line.comments = comments;
            let mut position = start;
            for (choice, nags, comments, branch) in plan {
                let legal = move_text::sorted_legal_moves(&position);
                if legal.is_empty() {
                    break;
                }
                let mv = *choice.get(&legal);
                let variations = branch.map(|choices| variation(position, &choices));
                position = position.play(mv);
                game.main_line.plies.push(PdnPly {
                    mv,
                    nags,
                    comments,
                    variations: variations.into_iter().collect(),
                });
            }
            game
        })
}

/// The game without the tags that say what its other fields say.
fn without_derived_tags(mut game: PdnGame) -> PdnGame {
    let derived = ["Result", "GameType", "SetUp", "FEN"];
    game.tags
        .retain(|(name, _)| !derived.contains(&name.as_str()));
    game
}

/// Texts that look like games, so that they get far into the reader.
fn pdn_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("[Event \"x\"]\n"),
        Just("[FEN \"W:WK50:BK1\"]"),
        Just("1. "),
        Just("32-28 "),
        Just("19-23 "),
        Just("28x19 "),
        Just("28 "),
        Just("x"),
        Just("- "),
        Just("{"),
        Just("} "),
        Just("("),
        Just(") "),
        Just(";"),
        Just("\n"),
        Just("2-0 "),
        Just("1-1"),
        Just("*"),
        Just("$5"),
        Just("!?"),
        Just("\""),
        Just("\\"),
        Just("["),
        Just("]"),
        Just("–"),
    ];
    vec(piece, 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_game_that_is_written_is_read_back(games in vec(game(), 1..4)) {
        let text: String = games.iter().map(written).collect();
        let found = read(&text);
        prop_assert_eq!(found.len(), games.len(), "{}", text);
        for (found, game) in found.into_iter().zip(games) {
            prop_assert_eq!(written(&found), written(&game));
            prop_assert_eq!(without_derived_tags(found), game, "{}", text);
        }
    }

    #[test]
    fn lines_are_narrow_where_words_allow_it(mut game in game()) {
        for ply in &mut game.main_line.plies {
            let text = ply.comments.concat().replace(|c: char| !c.is_ascii_lowercase(), " ");
            ply.comments = vec![text];
        }
        game.main_line.comments.clear();
        let text = written(&game);
        let (_, body) = text.split_once("\n\n").unwrap();
        for line in body.lines() {
            prop_assert!(line.len() <= 80 || !line.contains(' '), "{}", line);
        }
    }

    #[test]
    fn any_bytes_are_games_and_problems(
        text in prop_oneof![vec(any::<u8>(), 0..400), pdn_like()],
    ) {
        for game in read(&text) {
            let again = without_derived_tags(read_one(written(&game)));
            prop_assert_eq!(&again.main_line, &game.main_line);
            prop_assert_eq!((again.start, again.result), (game.start, game.result));
            if let Some(problem) = game.problem {
                prop_assert!(problem.to_string().len() < 1000);
            }
        }
    }

    #[test]
    fn a_game_that_is_cut_anywhere_keeps_what_came_before(game in game(), cut in any::<Index>()) {
        let text = written(&game);
        let mut end = cut.index(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let next = "\n[Event \"next\"]\n1. 32-28 19-23 *\n";
        let cut = &text[..end];
        let games = read(cut);
        prop_assert!(games.len() <= 1);
        for found in games {
            let (whole, part) = (game.main_line.plies.len(), found.main_line.plies.len());
            prop_assert!(part <= whole);
        }
        let is_in_comment = cut.matches('{').count() + cut.matches(';').count() > 0;
        if !is_in_comment && !cut.contains('"') {
            let games = read(format!("{cut}{next}"));
            prop_assert_eq!(moves(games.last().unwrap()), ["32-28", "19-23"]);
        }
    }
}

/// Games in a file, read by one of the packages that people use: what it found,
/// a game a line. `None` where `.ci/run` has not installed the package.
fn read_by(package: &str, games: &[PdnGame]) -> Option<Vec<String>> {
    let root = env!("CARGO_MANIFEST_DIR");
    let python = format!("{root}/target/venv/{package}/bin/python");
    if !Path::new(&python).exists() {
        eprintln!("{package} is not installed: not tested");
        return None;
    }
    let folder = std::env::temp_dir();
    let file = folder.join(format!("manoury-{package}-{}.pdn", std::process::id()));
    std::fs::write(&file, games.iter().map(written).collect::<String>()).unwrap();
    let script = format!("{root}/tests/clients/read_pdn.py");
    let output = Command::new(python)
        .arg(script)
        .arg(package)
        .arg(&file)
        .output();
    let output = output.unwrap();
    std::fs::remove_file(file).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{package}: {errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

/// Games such as a match makes, with a comment behind every move.
fn match_games() -> Vec<PdnGame> {
    let results = [
        PdnResult::WhiteWins,
        PdnResult::Draw,
        PdnResult::BlackWins,
        PdnResult::Unknown,
    ];
    let starts = [
        "W:W31-50:B1-20",
        "B:W22,24,27,31,34,40,45,48:BK2,7,15,25",
        "W:WK4,K50,12:BK5,22,33,42",
        "B:W31-50:B1-20",
    ];
    let mut games = Vec::new();
    let mut random = 1_u64;
    for (round, (&start, &result)) in starts.iter().zip(&results).cycle().take(12).enumerate() {
        let mut game = Game::new(fen::read(start).unwrap());
        for _ in 0..60 {
            let legal = move_text::sorted_legal_moves(game.position());
            if legal.is_empty() {
                break;
            }
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            game.play(legal[(random >> 33) as usize % legal.len()])
                .unwrap();
        }
        let mut game = PdnGame::from(&game);
        game.result = result;
        game.tags = vec![
            ("Event".into(), "A match".into()),
            ("Round".into(), (round + 1).to_string()),
            ("White".into(), "Manoury \"A\" André".into()),
            ("Termination".into(), "adjudication".into()),
        ];
        for (index, ply) in game.main_line.plies.iter_mut().enumerate() {
            ply.comments
                .push(format!("+0.{index:02} depth 12 time 0.10 s"));
            if index % 7 == 0 {
                ply.nags.push(1);
            }
        }
        games.push(game);
    }
    games
}

/// The line that the script makes of a game.
fn line_of(game: &PdnGame, moves: &str) -> String {
    let end = fen::write(game.game().position());
    let mut sides = end[2..].split(':').map(|field| {
        let (side, squares) = field.split_at(1);
        let mut squares: Vec<&str> = squares.split(',').collect();
        squares.sort_unstable();
        format!("{side}:{}", squares.join(","))
    });
    let sides = [sides.next().unwrap(), sides.next().unwrap()].join(" ");
    format!("{moves}|{}|{sides}", game.result)
}

fn assert_is_read_by(package: &str) {
    let games = match_games();
    let Some(found) = read_by(package, &games) else {
        return;
    };
    assert_eq!(found.len(), games.len());
    for (game, found) in games.iter().zip(found) {
        let (moves, _) = found.split_once('|').unwrap();
        assert_eq!(line_of(game, moves), found);
        let count = moves.split_whitespace().count();
        assert_eq!(count, game.main_line.plies.len(), "{moves}");
    }
}

#[test]
fn pydraughts_reads_what_we_write() {
    assert_is_read_by("pydraughts");
}

#[test]
fn py_draughts_reads_what_we_write() {
    assert_is_read_by("py-draughts");
}
