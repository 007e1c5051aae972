//! `manoury selfplay`: games of the engine against itself.

use std::{
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant},
};

use super::{
    Failure,
    append_file::{self, unwritable},
    complain,
    progress::Gauge,
};
use crate::train::{
    record::{self, Record, RecordError},
    selfplay::Settings,
};

/// Play games of the engine against itself, as data to train the evaluation on
///
/// Games are added to FILE a block at a time, so that only the last moments are
/// lost if it is killed; Ctrl-C keeps all finished games. Files concatenate.
/// About 3 bytes a ply.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  manoury selfplay games.mgb --games 10000 --threads 2
  manoury selfplay games.mgb --hours 8 --nodes 5000 --seed 7\n")]
pub(super) struct Arguments {
    /// Where the games go; those that are there stay
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How many games to add [default: until Ctrl-C]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// For how many hours
    #[arg(long, value_name = "H", value_parser = hours)]
    hours: Option<Duration>,
    /// Nodes a move
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// How many games at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// What all chance comes from; parts of one collection need different ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The least number of random moves that a game begins with
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(..=60))]
    least_random: u8,
    /// The most random moves
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u8).range(..=60))]
    most_random: u8,
    /// The share of games that begin with a random position of few pieces
    #[arg(long, value_name = "SHARE", default_value_t = 0.15, value_parser = share)]
    endings: f64,
    /// By how many men a beginning may be decided
    #[arg(long, value_name = "MEN", default_value = "1.3", value_parser = men)]
    balance: f64,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (file, there) = open(&arguments.file)?;
    if there > 0 {
        complain(&format!("{there} games are there already"));
    }
    let settings = Settings {
        nodes: arguments.nodes,
        // Games that are added later are others.
        seed: arguments
            .seed
            .wrapping_add(there.wrapping_mul(0xD129_0D3C_5C37_A1E3)),
        random_plies: arguments.least_random.into()
            ..=arguments.most_random.max(arguments.least_random).into(),
        endings: arguments.endings,
        balance: (arguments.balance * 100.0) as i32,
    };
    let stop = super::interrupted_by_ctrl_c()?;
    let mut collection = Collection {
        writer: record::Writer::new(&file),
        games: 0,
        positions: 0,
        gauge: Gauge::new("game", arguments.games, Collection::INTERVAL),
        end: arguments
            .hours
            .and_then(|time| Instant::now().checked_add(time)),
    };
    let games = 0..arguments.games.unwrap_or(u64::MAX);
    let threads = arguments.threads.into();
    let kept = settings.play(games, threads, stop, |record| collection.add(&record, stop));
    let kept = kept.map_err(|error| Failure::Job(error.to_string()))?;
    let done = kept
        .and_then(|()| collection.finish())
        .and_then(|()| file.sync_all());
    collection.gauge.suspend(|| {
        complain(&format!(
            "{} games, {}",
            collection.games,
            collection.speed()
        ))
    });
    done.map_err(|error| unwritable(&arguments.file, &error))
}

/// Games on their way into a file.
struct Collection<'a> {
    writer: record::Writer<&'a File>,
    games: u64,
    positions: u64,
    gauge: Gauge,
    end: Option<Instant>,
}

impl Collection<'_> {
    /// The time between two lines of progress.
    const INTERVAL: Duration = Duration::from_secs(30);

    fn add(&mut self, record: &Record, stop: &AtomicBool) -> io::Result<()> {
        if self.writer.add(record)? {
            self.writer.output().sync_data()?;
        }
        self.games += 1;
        self.positions += record.moves.len() as u64;
        let message = self.speed() + &self.gauge.time_left(0, self.games);
        self.gauge.show(self.games, || message);
        if self.end.is_some_and(|end| Instant::now() >= end) {
            stop.store(true, Relaxed);
        }
        Ok(())
    }

    /// `21.3 a second, 2310 positions a second`.
    fn speed(&self) -> String {
        let seconds = self.gauge.elapsed().as_secs_f64();
        let games = self.games as f64 / seconds;
        let positions = self.positions as f64 / seconds;
        format!("{games:.1} a second, {positions:.0} positions a second")
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Opens or makes the file, and says how many games are in it. A block at the
/// end that was cut off is removed.
fn open(path: &Path) -> Result<(File, u64), Failure> {
    let file = append_file::open(path, &path.display().to_string(), "somebody else")?;
    let mut games = 0;
    for game in record::Reader::new(BufReader::new(&file)) {
        match game {
            Ok(_) => games += 1,
            Err(RecordError::Damaged { offset, reason }) if reason == record::CUT_OFF => {
                file.set_len(offset)
                    .map_err(|error| unwritable(path, &error))?;
                complain(&format!(
                    "{}: a block that was cut off is removed",
                    path.display()
                ));
            }
            Err(error) => return Err(Failure::Usage(format!("{}: {error}", path.display()))),
        }
    }
    Ok((file, games))
}

fn hours(text: &str) -> Result<Duration, String> {
    let hours = text
        .parse()
        .ok()
        .filter(|hours| (0.0..=1e5).contains(hours));
    let time = hours.map(|hours: f64| Duration::from_secs_f64(3600.0 * hours));
    time.ok_or_else(|| "not a number of hours".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "not between 0 and 1".to_owned())
}

fn men(text: &str) -> Result<f64, String> {
    let men = text.parse().ok().filter(|men| (0.0..=100.0).contains(men));
    men.ok_or_else(|| "not a number of men between 0 and 100".to_owned())
}
