//! The search through its public face.

use std::{
    sync::mpsc::{Receiver, Sender, channel},
    time::{Duration, Instant},
};

use manoury::{
    bench,
    board::Move,
    notation::fen,
    rules::Game,
    score::Score,
    search::{Clock, Engine, Limits, Outcome, Progress, Purpose, Reporter},
};

/// Sends all that it hears.
struct Recorder(Sender<Heard>);

enum Heard {
    Progress(Progress),
    Finished,
}

impl Reporter for Recorder {
    fn progress(&mut self, progress: &Progress) {
        let _ = self.0.send(Heard::Progress(progress.clone()));
    }

    fn finished(&mut self, _: &Outcome) {
        let _ = self.0.send(Heard::Finished);
    }
}

fn recorder() -> (Box<Recorder>, Receiver<Heard>) {
    let (sender, receiver) = channel();
    (Box::new(Recorder(sender)), receiver)
}

fn engine(threads: usize) -> Engine {
    Engine::new(threads, 16).unwrap()
}

fn game(text: &str) -> Game {
    Game::new(fen::read(text).unwrap())
}

fn to_depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn search(text: &str, limits: Limits) -> Outcome {
    engine(1).search(&game(text), limits, recorder().0).unwrap()
}

fn reports(heard: &Receiver<Heard>) -> Vec<Progress> {
    let progress = |heard| match heard {
        Heard::Progress(progress) => Some(progress),
        Heard::Finished => None,
    };
    heard.try_iter().filter_map(progress).collect()
}

const INITIAL: &str = "W:W31-50:B1-20";

/// What `manoury bench` counts; a change that alters it states the new number
/// as `Bench: N`.
const SIGNATURE: u64 = 2_131_213;

#[test]
fn the_bench_has_its_signature() {
    let total = bench::run(bench::Settings::default(), |_, _| {}).unwrap();
    assert_eq!(total.nodes, SIGNATURE);
}

#[test]
fn a_search_by_depth_or_nodes_on_one_thread_can_be_repeated() {
    for limits in [
        to_depth(9),
        Limits {
            nodes: Some(20_000),
            ..Limits::default()
        },
    ] {
        let (first, second) = (search(INITIAL, limits.clone()), search(INITIAL, limits));
        assert_eq!(first.nodes, second.nodes);
        assert_eq!(first.pv, second.pv);
        assert_eq!(first.score, second.score);
    }
}

#[test]
fn a_new_game_is_like_a_new_engine() {
    let mut engine = engine(1);
    let mut nodes = || {
        engine.new_game();
        engine
            .search(&game(INITIAL), to_depth(9), recorder().0)
            .unwrap()
            .nodes
    };
    assert_eq!(nodes(), nodes());
}

#[test]
fn the_limit_of_nodes_is_kept_exactly_on_one_thread() {
    let limits = Limits {
        nodes: Some(12_345),
        ..Limits::default()
    };
    assert_eq!(search(INITIAL, limits).nodes, 12_345);
}

#[test]
fn a_win_is_found_with_its_distance() {
    // 19-13 forces 8x19, after which 23x14 leaves Black without a piece.
    let outcome = search("W:W19,23,28:B8", to_depth(8));
    assert_eq!(outcome.score, Score::win_in(3), "{outcome:?}");
    let outcome = search("W:W28:B", to_depth(4));
    assert!(outcome.score.is_win());
}

#[test]
fn a_position_without_a_move_has_no_best_move() {
    for text in ["B:W50:B", "W:W6:B1", "W:W16:B11,7"] {
        let (recorder, heard) = recorder();
        let outcome = engine(1)
            .search(&game(text), to_depth(5), recorder)
            .unwrap();
        assert_eq!(outcome.best, None, "{text}");
        assert_eq!(outcome.score, Score::loss_in(0));
        assert!(reports(&heard).is_empty());
    }
}

#[test]
fn a_forced_move_is_played_at_once_with_a_report() {
    let limits = Limits {
        clock: Clock::MoveTime(Duration::from_secs(3600)),
        ..Limits::default()
    };
    let (recorder, heard) = recorder();
    let outcome = engine(1)
        .search(&game("W:W28,48:B22,3"), limits, recorder)
        .unwrap();
    assert!(outcome.best.is_some_and(Move::is_capture));
    assert_eq!(reports(&heard).len(), 1);
}

#[test]
fn a_stop_right_after_the_start_is_never_lost() {
    for threads in [1, 2] {
        let mut engine = engine(threads);
        for _ in 0..100 {
            let (recorder, heard) = recorder();
            engine.start(&game(INITIAL), Limits::default(), recorder);
            engine.stop();
            let outcome = engine.wait().unwrap();
            assert!(outcome.best.is_some() && outcome.depth >= 1);
            assert!(!reports(&heard).is_empty());
        }
    }
}

#[test]
fn every_report_has_a_line_of_legal_moves() {
    for text in bench::POSITIONS {
        let (recorder, heard) = recorder();
        let limits = Limits {
            nodes: Some(5_000),
            ..Limits::default()
        };
        let outcome = engine(1).search(&game(text), limits, recorder).unwrap();
        let reports = reports(&heard);
        assert_eq!(reports.last().map(|last| &last.pv), Some(&outcome.pv));
        for report in reports {
            assert!(!report.pv.is_empty());
            let mut game = game(text);
            for mv in report.pv {
                game.play(mv).unwrap();
            }
        }
        assert_eq!(outcome.ponder, outcome.pv.get(1).copied());
    }
}

#[test]
fn several_lines_begin_with_different_moves_and_come_in_order() {
    let limits = Limits {
        multi_pv: 4,
        ..to_depth(6)
    };
    let (recorder, heard) = recorder();
    engine(1).search(&game(INITIAL), limits, recorder).unwrap();
    let reports = reports(&heard);
    let last = &reports[reports.len() - 4..];
    for (index, report) in last.iter().enumerate() {
        assert_eq!((report.line, report.depth), (index + 1, 6));
        assert!(
            last[..index]
                .iter()
                .all(|other| other.pv[0] != report.pv[0])
        );
        assert!(
            last[..index]
                .iter()
                .all(|other| other.score >= report.score)
        );
    }
}

#[test]
fn more_lines_than_moves_are_as_many_as_moves() {
    let limits = Limits {
        multi_pv: 100,
        purpose: Purpose::Analyse,
        ..to_depth(3)
    };
    let (recorder, heard) = recorder();
    engine(1)
        .search(&game("W:W28:B1"), limits, recorder)
        .unwrap();
    assert_eq!(
        reports(&heard).iter().map(|report| report.line).max(),
        Some(2)
    );
}

#[test]
fn a_king_against_a_king_is_a_draw_when_the_count_runs_out() {
    // Nine of the ten plies are over: whatever is played now draws.
    let mut game = game("W:WK5:BK3");
    let moves = "5-10 3-8 10-4 8-2 4-15 2-7 15-20 7-1 20-14";
    for text in moves.split(' ') {
        let mv = manoury::notation::move_text::read(game.position(), text).unwrap();
        game.play(mv).unwrap();
    }
    let outcome = engine(1).search(&game, to_depth(6), recorder().0).unwrap();
    assert_eq!(outcome.score, Score::DRAW);
}

#[test]
fn the_table_neither_hides_a_draw_by_the_counts_nor_makes_one() {
    // A win in five plies, for which the second time only four are left.
    let fresh = game("W:WK29,K45:BK6");
    let mut late = game("W:WK9,K34:BK44");
    for text in "9-18 44-11 18-29 11-22 34-45 22-6".split(' ') {
        let mv = manoury::notation::move_text::read(late.position(), text).unwrap();
        late.play(mv).unwrap();
    }
    assert_eq!(late.position(), fresh.position());
    let mut engine = engine(1);
    let mut score = |game: &Game| {
        let outcome = engine.search(game, to_depth(8), recorder().0);
        outcome.unwrap().score
    };
    assert_eq!(score(&fresh).distance(), Some(5));
    assert_eq!(score(&late), Score::DRAW);
    assert_eq!(score(&fresh).distance(), Some(5));
}

#[test]
fn a_crowd_of_kings_cannot_hold_up_a_stop() {
    // Captures explode here: depth 1 alone takes millions of nodes.
    let crowd = game("WeWeBWWeWBWBeBWeeBWWBeeWBBBWBeeWBBBeBWeeeWWBWBWWBWB");
    for threads in [1, 2] {
        let mut engine = engine(threads);
        let (recorder, heard) = recorder();
        engine.start(&crowd, Limits::default(), recorder);
        std::thread::sleep(Duration::from_millis(50));
        engine.stop();
        let outcome = engine.wait().unwrap();
        assert!(outcome.nodes < 5_000_000, "{outcome:?}");
        assert!(outcome.best.is_some());
        assert_eq!(
            reports(&heard).last().map(|last| &last.pv),
            Some(&outcome.pv)
        );
    }
}

#[test]
fn a_drawn_game_can_still_be_analysed() {
    let mut game = game("W:WK1,K2,K3,31:BK50");
    for text in ["1-6", "50-45", "6-1", "45-50"].into_iter().cycle().take(8) {
        let mv = manoury::notation::move_text::read(game.position(), text).unwrap();
        game.play(mv).unwrap();
    }
    assert!(matches!(game.state(), manoury::rules::State::Draw(_)));
    let outcome = engine(1).search(&game, to_depth(6), recorder().0).unwrap();
    assert_ne!(outcome.score, Score::DRAW);
}

#[test]
fn time_is_kept_and_broken_by_a_report_a_second() {
    let limits = Limits {
        clock: Clock::MoveTime(Duration::from_millis(1300)),
        purpose: Purpose::Analyse,
        ..Limits::default()
    };
    let (recorder, heard) = recorder();
    let start = Instant::now();
    engine(1)
        .search(&game(bench::POSITIONS[6]), limits, recorder)
        .unwrap();
    assert!(start.elapsed() >= Duration::from_millis(1200));
    let times: Vec<Duration> = reports(&heard).iter().map(|report| report.time).collect();
    let silence = times.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(silence < Some(Duration::from_secs(1)), "{times:?}");
}

#[test]
fn pondering_ends_by_the_clock_only_after_the_hit() {
    let limits = Limits {
        clock: Clock::MoveTime(Duration::from_millis(30)),
        purpose: Purpose::Ponder,
        ..Limits::default()
    };
    let mut engine = engine(1);
    let (recorder, heard) = recorder();
    engine.start(&game(INITIAL), limits, recorder);
    std::thread::sleep(Duration::from_millis(150));
    let is_finished = |heard: &Receiver<Heard>| {
        heard
            .try_iter()
            .any(|heard| matches!(heard, Heard::Finished))
    };
    assert!(!is_finished(&heard));
    engine.ponder_hit();
    engine.wait().unwrap();
    assert!(is_finished(&heard));
}

#[test]
fn an_engine_survives_a_reporter_that_panics() {
    struct Panicking;
    impl Reporter for Panicking {
        fn progress(&mut self, _: &Progress) {
            panic!("on purpose");
        }
        fn finished(&mut self, _: &Outcome) {}
    }
    let mut engine = engine(2);
    assert!(
        engine
            .search(&game(INITIAL), to_depth(3), Box::new(Panicking))
            .is_none()
    );
    assert!(
        engine
            .search(&game(INITIAL), to_depth(3), recorder().0)
            .is_some()
    );
}

#[test]
fn a_table_that_does_not_fit_leaves_the_old_one() {
    let mut engine = engine(1);
    assert!(engine.resize_table(50).is_err());
    assert!(
        engine
            .search(&game(INITIAL), to_depth(3), recorder().0)
            .is_some()
    );
}

#[test]
fn colours_can_be_exchanged() {
    // To depth 2, which no reduction makes depend on the order of the moves.
    for text in bench::POSITIONS {
        let mirrored = Game::new(game(text).position().reversed());
        let score = search(text, to_depth(2)).score;
        let outcome = engine(1)
            .search(&mirrored, to_depth(2), recorder().0)
            .unwrap();
        assert_eq!(outcome.score, score, "{text}");
    }
}
