//! Files with positions or games to start from.

use std::{fs, io::BufReader, path::Path};

use crate::{
    arena::openings::Opening,
    notation::{excerpt, fen, pdn},
    rules::State,
};

/// The openings in a file: a FEN a line, where `#` begins a comment and `|`
/// ends the FEN, or the games of a PDN file, each cut to `most_plies` of its
/// moves. What is wrong is told with its place.
pub(super) fn read(path: &Path, most_plies: usize) -> Result<Vec<Opening>, String> {
    let named = |reason: String| format!("{}: {reason}", path.display());
    let openings = if is_pdn(path) {
        let file = fs::File::open(path).map_err(|error| named(error.to_string()))?;
        read_games(pdn::Reader::new(BufReader::new(file)), most_plies)
    } else {
        let text = fs::read(path).map_err(|error| named(error.to_string()))?;
        read_lines(&String::from_utf8_lossy(&text))
    };
    let openings = openings.map_err(named)?;
    match openings.is_empty() {
        true => Err(named("there is no opening".to_owned())),
        false => Ok(openings),
    }
}

fn is_pdn(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pdn"))
}

fn read_lines(text: &str) -> Result<Vec<Opening>, String> {
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let fen_text = line.split(['#', '|']).next().unwrap_or_default();
        let fen_text = fen_text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if fen_text.is_empty() {
            continue;
        }
        let place = || format!("line {number}, {}", excerpt(fen_text));
        let position = fen::read(fen_text).map_err(|error| format!("{}: {error}", place()))?;
        let opening = Opening::set_up(position);
        check_in_play(&opening).map_err(|reason| format!("{}: {reason}", place()))?;
        openings.push(opening);
    }
    Ok(openings)
}

fn read_games<R: std::io::BufRead>(
    reader: pdn::Reader<R>,
    most_plies: usize,
) -> Result<Vec<Opening>, String> {
    let mut openings = Vec::new();
    for (number, game) in (1..).zip(reader) {
        let game = game.map_err(|error| error.to_string())?;
        let opening = Opening {
            start: game.start,
            moves: game.moves().take(most_plies).collect(),
        };
        // What is wrong behind the moves that are used does no harm.
        if let Some(problem) = game.problem
            && opening.moves.len() < most_plies
        {
            return Err(problem.to_string());
        }
        check_in_play(&opening)
            .map_err(|reason| format!("game {number}: {reason}; --opening-plies may cut it"))?;
        openings.push(opening);
    }
    Ok(openings)
}

fn check_in_play(opening: &Opening) -> Result<(), String> {
    match opening.game().state() {
        State::InPlay => Ok(()),
        state => Err(format!("the game is over: {state}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str, most_plies: usize) -> Result<Vec<Opening>, String> {
        read_games(pdn::Reader::new(text.as_bytes()), most_plies)
    }

    #[test]
    fn a_line_is_a_position_or_says_what_is_wrong_with_it() {
        let text = "\u{feff}# two\nW:W31-50:B1-20\n\n  B:WK3:BK48 | a name\n";
        assert_eq!(read_lines(text).unwrap().len(), 2);
        assert_eq!(
            read_lines("W:W31:B1\nW:W31:B51").unwrap_err(),
            "line 2, W:W31:B51: there is no square 51 (in '51')"
        );
        assert_eq!(
            read_lines("W:W6:B1").unwrap_err(),
            "line 1, W:W6:B1: the game is over: black wins (no move)"
        );
    }

    #[test]
    fn a_game_is_an_opening_as_long_as_it_is_wished() {
        let text = "1. 32-28 19-23 2. 28x19 14x23 2-0\n\n1. 31-27 *";
        let lengths = |most_plies| -> Vec<usize> {
            let openings = games(text, most_plies).unwrap();
            openings.iter().map(|opening| opening.moves.len()).collect()
        };
        assert_eq!(lengths(9), [4, 1]);
        assert_eq!(lengths(2), [2, 1]);
    }

    #[test]
    fn a_broken_game_counts_only_where_it_is_used() {
        let text = "1. 32-28 19-23 2. 28x20 *";
        assert_eq!(games(text, 2).unwrap()[0].moves.len(), 2);
        assert!(
            games(text, 3)
                .unwrap_err()
                .starts_with("game 1, line 1, move 2. '28x20'")
        );
        let over = "[FEN \"W:W12:B7\"]\n1. 12x1 2-0";
        assert!(
            games(over, 9)
                .unwrap_err()
                .contains("--opening-plies may cut it"),
            "{:?}",
            games(over, 9)
        );
    }
}
