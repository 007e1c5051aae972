//! What the search found, as clients read it.
//!
//! Clients differ in how they take a line apart, and each breaks on something:
//! the order of the keys is fixed, single spaces stand between them, a value of
//! one word has no quotes and none holds a `=`.

use std::{fmt::Display, time::Duration};

use crate::{
    board::{Move, Position},
    notation::move_text,
    rules::Game,
    search::{Outcome, Progress},
};

/// An `info` line; `numbered` if there may be several lines a depth.
pub(super) fn info(position: &Position, progress: &Progress, numbered: bool) -> String {
    let Progress {
        line,
        depth,
        mean_depth,
        score,
        nodes,
        time,
        pv,
    } = progress;
    let number = if numbered {
        format!("multi-pv={line} ")
    } else {
        String::new()
    };
    let seconds = time.as_secs_f64();
    let speed = millions_per_second(*nodes, *time);
    let pv = quoted(&line_text(position, pv));
    format!(
        "info {number}depth={depth} mean-depth={mean_depth:.1} score={score} \
         nodes={nodes} time={seconds:.3} nps={speed:.1} pv={pv}"
    )
}

/// A `done` line: bare if there is no move, and without a reply that is not legal.
pub(super) fn done(game: &Game, outcome: &Outcome) -> String {
    let Some(best) = outcome.best else {
        return "done".into();
    };
    let mut text = format!("done move={}", move_text::hub(game.position(), best));
    if let Some(reply) = outcome.ponder {
        let next = game.position().play(best);
        if move_text::sorted_legal_moves(&next).contains(&reply) {
            text.push_str(&format!(" ponder={}", move_text::hub(&next, reply)));
        }
    }
    text
}

/// An `error` line. What would end the value early is replaced.
pub(super) fn error(message: impl Display) -> String {
    let message: String = message
        .to_string()
        .chars()
        .map(|c| match c {
            '"' => '\'',
            '=' => ':',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    format!("error message={}", quoted(&message))
}

/// Moves from `position` on, separated by spaces.
fn line_text(position: &Position, moves: &[Move]) -> String {
    let mut position = *position;
    let texts = moves.iter().map(|&mv| {
        let text = move_text::hub(&position, mv);
        position = position.play(mv);
        text
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// The value with quotes, unless it is one word.
fn quoted(value: &str) -> String {
    if value.contains(' ') {
        format!("\"{value}\"")
    } else {
        value.to_owned()
    }
}

fn millions_per_second(nodes: u64, time: Duration) -> f64 {
    if time.is_zero() {
        0.0
    } else {
        nodes as f64 / time.as_secs_f64() / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{notation::fen, score::Score};

    fn moves(game: &Game, texts: &str) -> Vec<Move> {
        let mut position = *game.position();
        let read = |text| {
            let mv = move_text::read(&position, text).unwrap();
            position = position.play(mv);
            mv
        };
        texts.split_whitespace().map(read).collect()
    }

    fn progress(pv: Vec<Move>) -> Progress {
        Progress {
            line: 2,
            depth: 21,
            mean_depth: 20.84,
            score: Score::heuristic(-1),
            nodes: 31_261_613,
            time: Duration::from_micros(3_906_400),
            pv,
        }
    }

    fn outcome(pv: Vec<Move>) -> Outcome {
        Outcome {
            best: pv.first().copied(),
            ponder: pv.get(1).copied(),
            score: Score::DRAW,
            depth: 1,
            nodes: 1,
            pv,
        }
    }

    #[test]
    fn info_has_its_keys_in_the_order_that_clients_expect() {
        let game = Game::new(Position::initial());
        let mut progress = progress(moves(&game, "32-28 19-23 28x19x23"));
        assert_eq!(
            info(game.position(), &progress, false),
            "info depth=21 mean-depth=20.8 score=-0.01 nodes=31261613 time=3.906 nps=8.0 \
             pv=\"32-28 19-23 28x19x23\""
        );
        progress.pv.truncate(1);
        progress.time = Duration::ZERO;
        progress.score = Score::win_in(5);
        assert_eq!(
            info(game.position(), &progress, true),
            "info multi-pv=2 depth=21 mean-depth=20.8 score=99.95 nodes=31261613 time=0.000 \
             nps=0.0 pv=32-28"
        );
    }

    #[test]
    fn done_names_the_move_and_a_reply_that_is_legal() {
        let game = Game::new(Position::initial());
        let pv = moves(&game, "32-28 17-22");
        assert_eq!(
            done(&game, &outcome(pv.clone())),
            "done move=32-28 ponder=17-22"
        );
        assert_eq!(done(&game, &outcome(vec![pv[0], pv[0]])), "done move=32-28");
        assert_eq!(done(&game, &outcome(vec![])), "done");
    }

    #[test]
    fn captured_squares_are_written_in_ascending_order() {
        let position = fen::read("W:WK1:B12,19,20").unwrap();
        let game = Game::new(position);
        let pv = moves(&game, "1x25x20x12x19");
        assert_eq!(done(&game, &outcome(pv)), "done move=1x25x12x19x20");
    }

    #[test]
    fn an_error_message_keeps_its_quotes_and_holds_no_equals_sign() {
        assert_eq!(error("a=\"b\nc\""), "error message=\"a:'b c'\"");
    }
}
