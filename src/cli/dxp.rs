//! `manoury dxp`: DamExchange over TCP, as an engine that answers and as an
//! initiator that plays a series.

use std::{
    io::{self, Write},
    net::{TcpListener, TcpStream, ToSocketAddrs},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::*},
    },
    thread,
    time::Duration,
};

use super::{Failure, complain, limit_option::seconds, opening_file};
use crate::{
    board::{Position, Side},
    notation::{excerpt, fen},
    protocol::dxp::{
        DEFAULT_PORT,
        message::{GameRequest, GameTime, NAME_WIDTH},
        player::{self, PlayError},
        session::{GameReport, GameResult, Session, Settings},
    },
    search::Engine,
};

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How often we look for a peer that wants to connect, and for Ctrl-C.
const ACCEPT_POLL: Duration = Duration::from_millis(20);

/// Play games over TCP by the DamExchange protocol
///
/// Without --initiator it answers requests for games, one connection after the
/// other if it listens. With --initiator it asks for the games of a series,
/// each opening twice with colours changed. A line a game, and the totals.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  manoury dxp --listen 127.0.0.1:27531
  manoury dxp --connect 127.0.0.1 --initiator --games 2 --minutes 0.5 --opening 'B:W31-50:B1-20'\n")]
#[command(group = clap::ArgGroup::new("role").required(true))]
pub(super) struct Arguments {
    /// Wait for connections on this address; port 0 takes any that is free
    #[arg(long, value_name = "HOST[:PORT]", group = "role", num_args = 0..=1,
          default_missing_value = "127.0.0.1")]
    listen: Option<String>,
    /// Connect to this address [default port: 27531]
    #[arg(long, value_name = "HOST[:PORT]", group = "role")]
    connect: Option<String>,
    /// End after one connection instead of waiting for the next
    #[arg(long, requires = "listen")]
    once: bool,
    /// Ask for games instead of answering requests
    #[arg(long)]
    initiator: bool,
    /// How many games to play [default: every opening with both colours]
    #[arg(long, value_name = "N", requires = "initiator", value_parser = clap::value_parser!(u32).range(1..))]
    games: Option<u32>,
    /// Minutes on each clock, such as 5 or 0.5; 0 for games without clocks
    #[arg(
        long,
        value_name = "M",
        default_value = "5",
        requires = "initiator",
        value_parser = minutes
    )]
    minutes: Minutes,
    /// The moves that the minutes are for; 0 for the whole game
    #[arg(long, value_name = "K", default_value_t = 0, requires = "initiator", value_parser = clap::value_parser!(u16).range(..=999))]
    moves: u16,
    /// Positions to start from: FENs, or files with one a line, or the last
    /// positions of the games in PDN files [default: the initial position]
    #[arg(
        long,
        visible_alias = "fen",
        value_name = "FEN|FILE",
        requires = "initiator"
    )]
    opening: Vec<String>,
    /// Our name, up to 32 characters
    #[arg(long, value_name = "NAME", default_value = "Manoury", value_parser = name)]
    name: String,
    /// Seconds for every move, as long as the clock has them
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    move_time: Option<Duration>,
    /// Threads to search with
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// The logarithm of the table's entries of 16 bytes
    #[arg(long, value_name = "LOG2", default_value_t = 22, value_parser = clap::value_parser!(u32).range(10..=40))]
    tt_size: u32,
    /// Think on the opponent's time
    #[arg(long)]
    ponder: bool,
}

/// The time of a game; none is a game without clocks.
#[derive(Clone, Copy)]
struct Minutes(Option<GameTime>);

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    super::start_log("info");
    let plan = plan(arguments)?;
    let mut engine = Engine::new(arguments.threads.into(), arguments.tt_size)
        .map_err(|error| Failure::Usage(format!("--tt-size {}: {error}", arguments.tt_size)))?;
    let interrupts = Arc::new(AtomicUsize::new(0));
    let flag = Arc::clone(&interrupts);
    ctrlc::set_handler(move || _ = flag.fetch_add(1, Relaxed))
        .map_err(|error| Failure::Job(format!("Ctrl-C cannot be caught: {error}")))?;

    let mut player = Player {
        arguments,
        plan,
        engine: &mut engine,
        interrupts: &interrupts,
        totals: Totals::default(),
    };
    let done = match (&arguments.listen, &arguments.connect) {
        (Some(address), _) => player.listen(address),
        (_, Some(address)) => player.connect(address),
        (None, None) => Err(Failure::Usage("say --listen or --connect".to_owned())),
    };
    println(&player.totals.to_string())?;
    done
}

/// Plays on connections and counts.
struct Player<'a> {
    arguments: &'a Arguments,
    plan: Vec<GameRequest>,
    engine: &'a mut Engine,
    /// How often the user asked for an end.
    interrupts: &'a AtomicUsize,
    totals: Totals,
}

impl Player<'_> {
    fn connect(&mut self, address: &str) -> Result<(), Failure> {
        let stream = connect(&with_port(address))
            .map_err(|error| Failure::Job(format!("--connect {}: {error}", excerpt(address))))?;
        self.play(stream)
    }

    fn listen(&mut self, address: &str) -> Result<(), Failure> {
        let wrong = |error| Failure::Job(format!("--listen {}: {error}", excerpt(address)));
        let listener = TcpListener::bind(with_port(address)).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        complain(&format!(
            "listening on {}",
            listener.local_addr().map_err(wrong)?
        ));
        while let Some(stream) = self.accept(&listener).map_err(wrong)? {
            let played = self.play(stream);
            if self.arguments.once || self.arguments.initiator {
                return played;
            }
            match played {
                Err(Failure::Job(error)) => complain(&format!("manoury: {error}")),
                other => other?,
            }
        }
        Ok(())
    }

    /// The next connection; none if the user wants an end.
    fn accept(&self, listener: &TcpListener) -> io::Result<Option<TcpStream>> {
        while self.interrupts.load(Relaxed) == 0 {
            match listener.accept() {
                Ok((stream, _)) => return Ok(Some(stream)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    thread::sleep(ACCEPT_POLL);
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// All games of one connection.
    fn play(&mut self, stream: TcpStream) -> Result<(), Failure> {
        let settings = Settings {
            name: self.arguments.name.clone(),
            move_time: self.arguments.move_time,
            ponder: self.arguments.ponder,
        };
        let session = match self.arguments.initiator {
            true => Session::initiator(settings, self.plan.clone()),
            false => Session::follower(settings),
        };
        let totals = &mut self.totals;
        let mut report = |report: &GameReport| {
            totals.count(report.result);
            println(&report.to_string())
        };
        player::play(stream, session, self.engine, self.interrupts, &mut report).map_err(|error| {
            match error {
                PlayError::Report(error) => Failure::Io(error),
                other => Failure::Job(other.to_string()),
            }
        })
    }
}

/// How many games ended how, for us.
#[derive(Default)]
struct Totals {
    won: u32,
    drawn: u32,
    lost: u32,
    unfinished: u32,
}

impl Totals {
    fn count(&mut self, result: GameResult) {
        *match result {
            GameResult::Won => &mut self.won,
            GameResult::Drawn => &mut self.drawn,
            GameResult::Lost => &mut self.lost,
            GameResult::Unfinished => &mut self.unfinished,
        } += 1;
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Totals {
            won,
            drawn,
            lost,
            unfinished,
        } = self;
        let all = won + drawn + lost + unfinished;
        write!(
            f,
            "total {all}: won {won}, drawn {drawn}, lost {lost}, unfinished {unfinished}"
        )
    }
}

/// A line on stdout at once, for those who watch a match through a pipe.
fn println(line: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}

/// The games of a series: every opening twice, with colours changed, and then
/// from the first opening again.
fn plan(arguments: &Arguments) -> Result<Vec<GameRequest>, Failure> {
    if !arguments.initiator {
        return Ok(Vec::new());
    }
    let openings = openings(&arguments.opening)?;
    let both_colours = openings
        .iter()
        .flat_map(|&start| [Side::Black, Side::White].map(|follower| (start, follower)));
    let games = arguments.games.map_or(2 * openings.len(), |n| n as usize);
    let request = |(start, follower)| GameRequest {
        name: arguments.name.clone(),
        follower,
        time: arguments.minutes.0,
        moves: Some(arguments.moves).filter(|&moves| moves > 0),
        start,
    };
    Ok(both_colours.cycle().take(games).map(request).collect())
}

fn openings(texts: &[String]) -> Result<Vec<Position>, Failure> {
    let mut positions = Vec::new();
    for text in texts {
        if Path::new(text).exists() {
            let openings = opening_file::read(text.as_ref(), usize::MAX)
                .map_err(|reason| Failure::Usage(format!("--opening {reason}")))?;
            positions.extend(openings.iter().map(|opening| *opening.game().position()));
        } else {
            positions.push(fen::read(text).map_err(|error| {
                let text = excerpt(text);
                Failure::Usage(format!(
                    "--opening {text}: no such file, and as FEN: {error}"
                ))
            })?);
        }
    }
    if positions.is_empty() {
        positions.push(Position::initial());
    }
    Ok(positions)
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The address with the usual port, unless it has one.
fn with_port(address: &str) -> String {
    let has_port = match address.rsplit_once(':') {
        Some((host, port)) => {
            let is_host = !host.contains(':') || host.ends_with(']');
            is_host && port.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => false,
    };
    match has_port {
        true => address.to_owned(),
        false if address.contains(':') && !address.ends_with(']') => {
            format!("[{address}]:{DEFAULT_PORT}")
        }
        false => format!("{address}:{DEFAULT_PORT}"),
    }
}

fn minutes(text: &str) -> Result<Minutes, String> {
    let minutes = duration(text, 60.0)?;
    if minutes.is_zero() {
        return Ok(Minutes(None));
    }
    let time = GameTime::new(minutes).ok_or(
        "the protocol has three characters: 1 to 999 minutes, or a fraction such as 0.5 or 2.5",
    )?;
    Ok(Minutes(Some(time)))
}

/// A number of units of this many seconds, to the millisecond.
fn duration(text: &str, unit: f64) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    let milliseconds = (number * unit * 1000.0).round();
    match (0.0..=1e12).contains(&milliseconds) {
        true => Ok(Duration::from_millis(milliseconds as u64)),
        false => Err("negative, or too much".to_owned()),
    }
}

fn name(text: &str) -> Result<String, String> {
    let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    match is_printable && text.len() <= NAME_WIDTH {
        true => Ok(text.to_owned()),
        false => Err(format!("up to {NAME_WIDTH} printable ASCII characters")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_port_gets_the_usual_one() {
        for (given, expected) in [
            ("localhost", "localhost:27531"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]", "[::1]:27531"),
            ("::1", "[::1]:27531"),
            ("[::1]:5", "[::1]:5"),
        ] {
            assert_eq!(with_port(given), expected);
        }
    }
}
