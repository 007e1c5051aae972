//! What a match has to tell other programs, as JSON.

use serde_json::{Value, json};

use super::{
    game::Record,
    schedule::Fixture,
    standings::Standings,
    stats::{Estimate, Pairs, Sprt, Verdict},
    tournament::Contestant,
};
use crate::board::Side;

/// A game as an object: `number` (from 1), `white`, `black`, `opening`,
/// `result` (`2-0`, `1-1`, `0-2`), `end` (why), `plies`, `fault`.
pub fn game(number: usize, fixture: Fixture, record: &Record, names: &[String]) -> Value {
    json!({
        "number": number + 1,
        "white": names.get(fixture.white),
        "black": names.get(fixture.black),
        "opening": record.opening.text(),
        "result": match record.winner {
            Some(Side::White) => "2-0",
            Some(Side::Black) => "0-2",
            None => "1-1",
        },
        "end": record.end.to_string(),
        "plies": record.opening.moves.len() + record.moves.len(),
        "fault": record.end.is_fault(),
    })
}

/// The state of a match as an object: `engines` (each with `name`, `program`,
/// `time_control`, `faults`, `moves`, `mean_time` and `slowest` in seconds),
/// `games`, `faults`, `overhead` (seconds a move beside the engines' thinking),
/// `meetings` (each with `first`, `other`, `wins`, `draws`, `losses`, `pairs`,
/// `elo`, `normalized_elo`, as the first sees it) and `sprt`.
pub fn summary(standings: &Standings, contestants: &[Contestant], sprt: Option<&Sprt>) -> Value {
    let names: Vec<&str> = contestants
        .iter()
        .map(|one| one.engine.name.as_str())
        .collect();
    let engines = contestants.iter().enumerate();
    let engines = engines.map(|(index, contestant)| engine(standings, index, contestant));
    type Meeting = ((usize, usize), (u64, u64, u64), Pairs);
    let meeting = |((first, other), (wins, draws, losses), pairs): Meeting| {
        let name = |index: usize| names.get(index);
        json!({
            "first": name(first),
            "other": name(other),
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "pairs": pair_counts(&pairs),
            "elo": pairs.elo().map(estimate),
            "normalized_elo": pairs.normalized_elo().map(estimate),
        })
    };
    json!({
        "engines": engines.collect::<Vec<_>>(),
        "games": standings.games(),
        "faults": standings.faults(),
        "overhead": standings.overhead().map(|time| time.as_secs_f64()),
        "meetings": standings.meetings().map(meeting).collect::<Vec<_>>(),
        "sprt": sprt.map(|sprt| test(sprt, &standings.pairs())),
    })
}

fn engine(standings: &Standings, index: usize, contestant: &Contestant) -> Value {
    let (faults, moves, time, slowest) = standings.conduct(index).unwrap_or_default();
    json!({
        "name": contestant.engine.name,
        "program": contestant.engine.program(),
        "time_control": contestant.control.to_string(),
        "faults": faults,
        "moves": moves,
        "mean_time": time.as_secs_f64() / moves.max(1) as f64,
        "slowest": slowest.as_secs_f64(),
    })
}

fn pair_counts(pairs: &Pairs) -> Value {
    let [ll, ld, wl, dd, wd, ww] = pairs.counts();
    json!({ "LL": ll, "LD": ld, "WL": wl, "DD": dd, "WD": wd, "WW": ww })
}

fn estimate(estimate: Estimate) -> Value {
    json!({ "value": estimate.value, "low": estimate.low, "high": estimate.high })
}

fn test(sprt: &Sprt, pairs: &Pairs) -> Value {
    let (low, high) = sprt.bounds();
    json!({
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "model": sprt.model.to_string(),
        "llr": sprt.llr(pairs),
        "low": low,
        "high": high,
        "verdict": match sprt.verdict(pairs) {
            Verdict::Undecided => "undecided",
            Verdict::H0 => "H0",
            Verdict::H1 => "H1",
        },
    })
}
