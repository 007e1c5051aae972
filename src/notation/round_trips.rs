//! Properties: what is written is read back the same, and no text is a panic.

use proptest::{collection::vec, prelude::*, sample::Index};

use super::{MoveTextError, fen, hub, move_text, route::route_of};
use crate::{
    board::{Bitboard, Move, Position, Side, Square, position::promotion_row},
    rules::Game,
};

/// What stands on a square: kings are as frequent as men.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Content {
    Empty,
    Man(Side),
    King(Side),
}

fn content() -> impl Strategy<Value = Content> {
    let side = prop_oneof![Just(Side::White), Just(Side::Black)];
    prop_oneof![
        6 => Just(Content::Empty),
        1 => side.clone().prop_map(Content::Man),
        1 => side.prop_map(Content::King),
    ]
}

/// Positions by random placement, then a few random moves.
fn position() -> impl Strategy<Value = Position> {
    (
        vec(content(), Square::COUNT),
        any::<bool>(),
        vec(any::<Index>(), 0..12),
    )
        .prop_map(|(contents, is_white, choices)| {
            let side = if is_white { Side::White } else { Side::Black };
            let set = |wanted: Content| -> Bitboard {
                let squares = Square::all().zip(&contents);
                let found = squares.filter(|&(_, &content)| content == wanted);
                found.map(|(square, _)| square).collect()
            };
            let men = Side::BOTH.map(|side| set(Content::Man(side)).without(promotion_row(side)));
            let kings = Side::BOTH.map(|side| set(Content::King(side)));
            let mut game = Game::new(Position::new(men, kings, side).unwrap());
            for choice in choices {
                let legal = move_text::sorted_legal_moves(game.position());
                if !legal.is_empty() {
                    game.play(*choice.get(&legal)).unwrap();
                }
            }
            *game.position()
        })
}

/// Texts that look like what is read, so that they get far into the readers.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[WBKwbke0-9:,.\\[\\]\" -]{0,60}",
        "[0-9]{1,2}([-x: ][0-9]{1,2}){1,12}",
        "[WB][wbWBe]{50}",
        "[WB]:W[0-9]{1,2}(,K?[0-9]{1,2}(-[0-9]{1,2})?){0,6}:B[0-9]{0,2}",
    ]
}

/// Whether the route of a capture is read as this capture, and a part of it
/// not as another.
fn is_read_by_its_route(position: &Position, capture: Move) -> bool {
    let route = route_of(position, capture, &[]).unwrap();
    let read = |squares: Vec<Square>| {
        let numbers = squares.iter().map(Square::to_string).collect::<Vec<_>>();
        move_text::read(position, &numbers.join("x"))
    };
    let part_is_read = |omitted: usize| {
        let mut part = route.clone();
        part.remove(omitted);
        match read(part) {
            Ok(mv) => mv == capture,
            Err(error) => matches!(error, MoveTextError::Ambiguous { .. }),
        }
    };
    read(route.clone()) == Ok(capture) && (1..route.len() - 1).all(part_is_read)
}

#[test]
fn circular_captures_are_read_by_their_routes() {
    let circles = fen::read("W:WK2,K3,K30,K50:B11,19,21,22,23,33,39,41,42").unwrap();
    for mv in move_text::sorted_legal_moves(&circles) {
        assert!(is_read_by_its_route(&circles, mv), "{mv:?}");
    }
}

proptest! {
    #[test]
    fn a_fen_that_is_written_is_read_back(position in position()) {
        prop_assert_eq!(fen::read(&fen::write(&position)), Ok(position));
    }

    #[test]
    fn a_hub_position_that_is_written_is_read_back(position in position()) {
        let text = hub::write_position(&position);
        prop_assert_eq!(hub::read_position(&text), Ok(position));
        prop_assert_eq!(fen::read(&text), Ok(position));
    }

    #[test]
    fn moves_that_are_written_are_read_back(position in position()) {
        for mv in move_text::sorted_legal_moves(&position) {
            let texts = [move_text::hub(&position, mv), move_text::pdn(&position, mv)];
            for text in texts {
                prop_assert_eq!(move_text::read(&position, &text), Ok(mv), "{}", text);
                let spoken = text.replace('x', " : ").replace('-', " – ");
                prop_assert_eq!(move_text::read(&position, &spoken), Ok(mv), "{}", spoken);
            }
        }
    }

    #[test]
    fn captures_are_read_by_their_routes(position in position()) {
        let legal = move_text::sorted_legal_moves(&position);
        for mv in legal.into_iter().filter(|mv| mv.is_capture()) {
            prop_assert!(is_read_by_its_route(&position, mv), "{}", move_text::hub(&position, mv));
        }
    }

    #[test]
    fn captured_squares_may_come_in_any_order(position in position(), shift in any::<Index>()) {
        for mv in move_text::sorted_legal_moves(&position) {
            let mut captured: Vec<Square> = position.captured(mv).into_iter().collect();
            if captured.is_empty() {
                continue;
            }
            let by = shift.index(captured.len());
            captured.rotate_left(by);
            let mut text = format!("{:02}x{:02}", mv.origin().number(), position.destination(mv).number());
            captured.iter().for_each(|square| text += &format!("x{square}"));
            prop_assert_eq!(move_text::read(&position, &text), Ok(mv), "{}", text);
        }
    }

    #[test]
    fn any_text_is_a_value_or_an_error_with_a_short_message(position in position(), text in text()) {
        if let Err(error) = fen::read(&text) {
            prop_assert!(error.to_string().len() < 600);
        }
        if let Err(error) = hub::read_position(&text) {
            prop_assert!(error.to_string().len() < 600);
        }
        match move_text::read(&position, &text) {
            Ok(mv) => prop_assert!(move_text::sorted_legal_moves(&position).contains(&mv)),
            Err(error) => prop_assert!(error.to_string().len() < 1000),
        }
    }
}
