//! The games of a match as PDN, and back.
//!
//! A game is written with everything that its part in the match consists of:
//! its number, the engines, their time, how it ended, and of each move the
//! score, depth and time. So a file of such games tells how a match stood when
//! it was broken off. Files themselves are not known here.

use std::time::Duration;

use super::{
    game::{End, PlayedMove, Record, Termination},
    openings::Opening,
    schedule::Fixture,
    tournament::Tournament,
};
use crate::{
    board::{Move, Side},
    notation::{
        excerpt,
        pdn::{self, PdnGame, PdnPly, PdnResult},
    },
    protocol::engine_process::Info,
};

/// The value of every game's tag `Event`.
pub const EVENT: &str = "Engine match";

/// Why a game is none of a match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// It has no number, or one that the match does not have.
    #[error("the match has no game of round {}; are there fewer --games now?", excerpt(.0))]
    Number(String),
    /// A tag says something else.
    #[error(
        "{tag} is {}, and not {} as in this match",
        excerpt(found),
        excerpt(expected)
    )]
    Tag {
        /// Which tag.
        tag: &'static str,
        /// What it says.
        found: String,
        /// What it would say.
        expected: String,
    },
    /// It begins in another way.
    #[error("its opening is not that of this match; are --openings and --seed the same?")]
    Opening,
    /// It has not ended, or not as a game of a match does.
    #[error("it has no result or no Termination")]
    Unfinished,
}

/// The game with this number, from 0, as PDN; `date` as the tag has it.
pub fn write(tournament: &Tournament, number: usize, record: &Record, date: &str) -> PdnGame {
    let mut game = PdnGame::new(record.opening.start);
    game.tags = vec![
        ("Event".to_owned(), EVENT.to_owned()),
        ("Date".to_owned(), date.to_owned()),
        ("Round".to_owned(), (number + 1).to_string()),
    ];
    if let Some(fixture) = tournament.schedule.fixture(number) {
        let tags = players(tournament, fixture);
        game.tags
            .extend(tags.map(|(tag, value)| (tag.to_owned(), value)));
    }
    let termination = record.end.termination().text();
    let details = record.end.to_string();
    game.tags.extend([
        ("Termination".to_owned(), termination.to_owned()),
        ("TerminationDetails".to_owned(), details),
    ]);
    let opening = record.opening.moves.iter().map(|&mv| PdnPly::from(mv));
    game.main_line.plies = opening.chain(record.moves.iter().map(ply)).collect();
    game.result = match record.winner {
        Some(Side::White) => PdnResult::WhiteWins,
        Some(Side::Black) => PdnResult::BlackWins,
        None => PdnResult::Draw,
    };
    game
}

/// The number of a game, from 0, and what it tells, if it is one of this match.
pub fn read(tournament: &Tournament, game: &PdnGame) -> Result<(usize, Record), Mismatch> {
    let (number, fixture) = find(tournament, game.tag("Round").unwrap_or_default())?;
    for (tag, expected) in players(tournament, fixture) {
        let found = game.tag(tag).unwrap_or_default();
        if found != expected {
            return Err(Mismatch::Tag {
                tag,
                found: found.to_owned(),
                expected,
            });
        }
    }
    let opening = tournament.openings.get(fixture.opening);
    let opening = opening.filter(|opening| begins_with(game, opening));
    let opening = opening.ok_or(Mismatch::Opening)?.clone();
    let winner = match game.result {
        PdnResult::WhiteWins => Some(Side::White),
        PdnResult::BlackWins => Some(Side::Black),
        PdnResult::Draw => None,
        PdnResult::BothLose | PdnResult::Unknown => return Err(Mismatch::Unfinished),
    };
    let termination = game.tag("Termination").and_then(Termination::read);
    let played = game.main_line.plies.iter().skip(opening.moves.len());
    let record = Record {
        moves: played.map(played_move).collect(),
        opening,
        winner,
        end: End::Recorded {
            termination: termination.ok_or(Mismatch::Unfinished)?,
            reason: game
                .tag("TerminationDetails")
                .unwrap_or_default()
                .to_owned(),
        },
        overhead: None,
    };
    Ok((number, record))
}

fn find(tournament: &Tournament, round: &str) -> Result<(usize, Fixture), Mismatch> {
    let number = round
        .parse()
        .ok()
        .and_then(|round: usize| round.checked_sub(1));
    let game = number.and_then(|number| Some((number, tournament.schedule.fixture(number)?)));
    game.ok_or_else(|| Mismatch::Number(round.to_owned()))
}

/// The tags that say who played, with how much time and which parameters.
fn players(tournament: &Tournament, fixture: Fixture) -> [(&'static str, String); 6] {
    let name = |index: usize| {
        let contestant = tournament.contestants.get(index);
        contestant.map_or_else(String::new, |one| one.engine.name.clone())
    };
    let control = |index: usize| {
        let contestant = tournament.contestants.get(index);
        contestant.map_or_else(String::new, |one| one.control.to_string())
    };
    let program = |index: usize| {
        let contestant = tournament.contestants.get(index);
        contestant.map_or_else(String::new, |one| one.engine.program())
    };
    [
        ("White", name(fixture.white)),
        ("Black", name(fixture.black)),
        ("WhiteTimeControl", control(fixture.white)),
        ("BlackTimeControl", control(fixture.black)),
        ("WhiteProgram", program(fixture.white)),
        ("BlackProgram", program(fixture.black)),
    ]
    .map(|(tag, value)| (tag, pdn::tag_value(&value)))
}

fn begins_with(game: &PdnGame, opening: &Opening) -> bool {
    let moves: Vec<Move> = game.moves().take(opening.moves.len()).collect();
    game.start == opening.start && moves == opening.moves
}

fn ply(played: &PlayedMove) -> PdnPly {
    PdnPly {
        comments: vec![comment(played)],
        ..PdnPly::from(played.mv)
    }
}

/// `+0.12/14 0.052s`: score in men to the mover, depth in plies, time.
fn comment(played: &PlayedMove) -> String {
    let score = played.info.score.map(|score| format!("{score:+.2}"));
    let depth = played.info.depth.map(|depth| format!("/{depth}"));
    let words = [score, depth].map(Option::unwrap_or_default).concat();
    let time = format!("{:.3}s", played.time.as_secs_f64());
    format!("{words} {time}").trim_start().to_owned()
}

fn played_move(ply: &PdnPly) -> PlayedMove {
    let (info, time) = ply
        .comments
        .first()
        .map_or_else(Default::default, |text| read_comment(text));
    PlayedMove {
        mv: ply.mv,
        info,
        time,
    }
}

/// What a comment says of a move; nothing if it is not of our making.
fn read_comment(text: &str) -> (Info, Duration) {
    let (thoughts, time) = text.rsplit_once(' ').unwrap_or(("", text));
    let (score, depth) = thoughts.split_once('/').unwrap_or((thoughts, ""));
    let seconds = time.strip_suffix('s').and_then(|time| time.parse().ok());
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let info = Info {
        score: score.parse().ok(),
        depth: depth.parse().ok(),
        nodes: None,
    };
    (info, time.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        arena::{
            clock::TimeControl,
            game::Adjudication,
            openings::two_ply_ballots,
            schedule::{Format, Schedule},
            tournament::Contestant,
        },
        board::MoveList,
        protocol::engine_process::EngineSpec,
    };

    fn contestant(name: &str) -> Contestant {
        Contestant {
            engine: EngineSpec {
                name: name.to_owned(),
                command: vec![name.to_owned()],
                folder: None,
                parameters: Vec::new(),
            },
            control: TimeControl::Nodes(1000),
        }
    }

    /// Calls `check` with a match and a record of its game number 3.
    fn with_record(check: impl Fn(&Tournament, &Record)) {
        let contestants = [contestant("A  \"first\"\u{a0}"), contestant("B")];
        let openings = two_ply_ballots();
        let schedule = Schedule::new(Format::RoundRobin, 2, openings.len(), 5, 1);
        let tournament = Tournament {
            contestants: &contestants,
            openings: &openings,
            schedule: &schedule,
            adjudication: Adjudication::default(),
            margin: Duration::ZERO,
            concurrency: 1,
        };
        let opening = openings[schedule.fixture(3).unwrap().opening].clone();
        let mut legal = MoveList::new();
        opening.game().position().legal_moves(&mut legal);
        let info = Info {
            score: Some(-0.25),
            depth: Some(12),
            nodes: None,
        };
        let played = PlayedMove {
            mv: legal[0],
            info,
            time: Duration::from_millis(52),
        };
        let record = Record {
            opening,
            moves: vec![played],
            winner: Some(Side::Black),
            end: End::Recorded {
                termination: Termination::Abandoned,
                reason: "White's engine failed: it died (exit status: 3)".to_owned(),
            },
            overhead: None,
        };
        check(&tournament, &record);
    }

    fn read_back(game: &PdnGame) -> PdnGame {
        let mut text = Vec::new();
        pdn::write(&mut text, game).unwrap();
        pdn::Reader::new(text.as_slice()).next().unwrap().unwrap()
    }

    #[test]
    fn a_game_that_is_written_is_read_back() {
        with_record(|tournament, record| {
            let game = read_back(&write(tournament, 3, record, "2026.12.01"));
            assert_eq!(game.tag("Date"), Some("2026.12.01"));
            assert_eq!(game.main_line.plies[2].comments, ["-0.25/12 0.052s"]);
            let (number, read) = read(tournament, &game).unwrap();
            assert_eq!(
                (number, read.winner, &read.end),
                (3, record.winner, &record.end)
            );
            assert_eq!(read.opening, record.opening);
            assert_eq!(read.moves, record.moves);
        });
    }

    #[test]
    fn a_game_of_another_match_is_recognised() {
        with_record(|tournament, record| {
            let mismatch = |game: &PdnGame| read(tournament, game).unwrap_err().to_string();
            let game = write(tournament, 3, record, "");
            let other_tag = |tag: &str, value: &str| {
                let mut game = game.clone();
                let mut tags = game.tags.iter_mut();
                tags.find(|(name, _)| name == tag).unwrap().1 = value.to_owned();
                mismatch(&game)
            };
            assert_eq!(
                other_tag("Round", "11"),
                "the match has no game of round 11; are there fewer --games now?"
            );
            assert_eq!(
                other_tag("Round", "0"),
                "the match has no game of round 0; are there fewer --games now?"
            );
            assert_eq!(
                other_tag("White", "C"),
                "White is C, and not B as in this match"
            );
            assert_eq!(
                other_tag("BlackTimeControl", "depth 3"),
                "BlackTimeControl is depth 3, and not nodes 1000 as in this match"
            );
            let mut other = game.clone();
            other.main_line.plies.truncate(1);
            assert!(mismatch(&other).starts_with("its opening"));
            let mut other = game.clone();
            other.result = PdnResult::Unknown;
            assert!(mismatch(&other).starts_with("it has no result"));
        });
    }

    #[test]
    fn comments_may_lack_what_an_engine_did_not_say() {
        let time = Duration::from_millis(1500);
        for (score, depth, text) in [
            (Some(0.5), Some(3), "+0.50/3 1.500s"),
            (None, Some(3), "/3 1.500s"),
            (Some(-1.0), None, "-1.00 1.500s"),
            (None, None, "1.500s"),
        ] {
            let info = Info {
                score,
                depth,
                nodes: None,
            };
            with_record(|_, record| {
                let played = PlayedMove {
                    info,
                    time,
                    ..record.moves[0].clone()
                };
                assert_eq!(comment(&played), text);
            });
            assert_eq!(read_comment(text), (info, time));
        }
        assert_eq!(read_comment("what a move"), Default::default());
    }
}
