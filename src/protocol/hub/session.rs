//! The loop: one place that owns the engine and all that can be set.
//!
//! It hears lines and the search through one channel and never waits for
//! either. A command that may not come while a search is on stops the search
//! and waits in a queue, with all that comes behind it, until `done` is written.

use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    ops::ControlFlow,
    sync::{
        Arc,
        mpsc::{self, Receiver, Sender},
    },
    time::Duration,
};

use super::{
    input,
    level::Level,
    output::Output,
    parse::{Command, ParseError, parse},
    report,
};
use crate::{
    board::{Move, Position},
    config::{Config, ConfigError},
    endgame::Tables,
    notation::{excerpt, move_text},
    rules::Game,
    score::Score,
    search::{Constant, Engine, Outcome, Params, Progress, Purpose, Reporter, TableError},
};

/// What the session hears.
enum Event {
    /// A command, or why a line is none.
    Request(Request),
    /// The search found something.
    Progress(Progress),
    /// The search is over; without an outcome it has failed.
    Ended(Option<Outcome>),
    /// Nobody reads what we write.
    OutputClosed,
}

type Request = Result<Command, ParseError>;

/// Speaks the protocol until `quit` or the end of the input.
pub fn run(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let (sender, events) = mpsc::channel();
    let to_session = sender.clone();
    let output = Output::spawn(output, move || {
        let _ = to_session.send(Event::OutputClosed);
    })?;
    let to_session = sender.clone();
    input::spawn(input, move |line| {
        let request = match line {
            Some(line) => parse(&line.text, line.cut).transpose(),
            None => Some(Ok(Command::Quit)),
        };
        if let Some(request) = request {
            let _ = to_session.send(Event::Request(request));
        }
    })?;
    let mut session = Session::new(output, sender);
    session.run(&events);
    session.end();
    Ok(())
}

struct Session {
    config: Config,
    params: Params,
    /// Made when it is first needed.
    engine: Option<Engine>,
    /// Read when the first engine is made, or another folder is named.
    endgame: Option<Arc<Tables>>,
    game: Game,
    level: Level,
    search: Option<Search>,
    /// What was heard and not yet obeyed.
    requests: VecDeque<Request>,
    /// Whether one of these is to quit, and nothing more is heard.
    leaving: bool,
    output: Output,
    /// For the search to tell us.
    events: Sender<Event>,
}

/// A search that is on, or whose outcome is held back.
struct Search {
    /// While the opponent thinks, nothing may be played.
    pondering: bool,
    /// Whether the first request waits for the end of this search.
    stopping: bool,
    /// The outcome of a search that ended while pondering.
    outcome: Option<Outcome>,
    /// The lines of the latest depth.
    latest: Vec<Progress>,
    /// Whether these were not written, since too many others are waiting.
    withheld: bool,
}

impl Session {
    /// How long a search may take to stop when we leave.
    const PATIENCE: Duration = Duration::from_millis(40);

    /// When so many lines wait to be written, what the search finds meanwhile
    /// is not worth writing, but for the last of it.
    const MOST_WAITING: usize = 2;

    fn new(output: Output, events: Sender<Event>) -> Session {
        Session {
            config: Config::default(),
            params: Params::default(),
            engine: None,
            endgame: None,
            game: Game::new(Position::initial()),
            level: Level::default(),
            search: None,
            requests: VecDeque::new(),
            leaving: false,
            output,
            events,
        }
    }

    fn run(&mut self, events: &Receiver<Event>) {
        let mut flow = ControlFlow::Continue(());
        while flow.is_continue() {
            flow = match self.next_request() {
                Some(request) if self.search.is_some() => self.obey_in_search(request),
                Some(request) => self.obey(request),
                None => match self.next_event(events) {
                    Some(event) => self.hear(event),
                    None => ControlFlow::Break(()),
                },
            };
        }
    }

    /// Leaves: what is written is read, if anyone reads.
    fn end(self) {
        if self.search.is_some() {
            // It does not stop, and to drop its owner would be to wait for it.
            std::mem::forget(self.engine);
        }
        self.output.finish();
    }

    /// The first request, if its time has come.
    fn next_request(&mut self) -> Option<Request> {
        match &self.search {
            Some(search) if search.stopping => None,
            _ => self.requests.pop_front(),
        }
    }

    /// The next event, or `None` if it is time to leave.
    fn next_event(&self, events: &Receiver<Event>) -> Option<Event> {
        if self.leaving {
            events.recv_timeout(Self::PATIENCE).ok()
        } else {
            events.recv().ok()
        }
    }

    fn hear(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Request(_) if self.leaving => {}
            Event::Request(request) => {
                self.leaving = matches!(request, Ok(Command::Quit));
                self.requests.push_back(request);
            }
            Event::Progress(progress) => self.show(progress),
            Event::Ended(outcome) => self.search_ended(outcome),
            Event::OutputClosed => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// Obeys what may come while a search is on; anything else ends it first.
    fn obey_in_search(&mut self, request: Request) -> ControlFlow<()> {
        match request {
            Ok(Command::Ping) => self.say("pong"),
            Ok(Command::Stop) => self.stop(),
            Ok(Command::PonderHit) => self.ponder_hit(),
            other => {
                self.requests.push_front(other);
                if let Some(search) = &mut self.search {
                    search.stopping = true;
                }
                self.stop();
            }
        }
        ControlFlow::Continue(())
    }

    /// Obeys a command when no search is on.
    fn obey(&mut self, request: Request) -> ControlFlow<()> {
        match request {
            Err(error) => self.say_error(error),
            Ok(Command::Hub) => self.introduce(),
            Ok(Command::Init) => self.init(),
            Ok(Command::Ping) => self.say("pong"),
            Ok(Command::SetParameter { name, value }) => self.set(&name, &value),
            Ok(Command::Position(game)) => self.game = *game,
            Ok(Command::Level(level)) => self.level.add(level),
            Ok(Command::Go(purpose)) => self.go(purpose),
            Ok(Command::Stop | Command::PonderHit) => {}
            Ok(Command::NewGame) => self.engine.iter_mut().for_each(Engine::new_game),
            Ok(Command::Quit) => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    fn introduce(&self) {
        let version = env!("CARGO_PKG_VERSION");
        self.say(format!(
            "id name=Manoury version={version} author=\"The Manoury authors\" country=Europe"
        ));
        for announcement in self.config.announcements() {
            self.say(announcement);
        }
        for Constant {
            name,
            default,
            least,
            most,
            ..
        } in Params::tunable()
        {
            self.say(format!(
                "param name={name} value={default} type=int min={least} max={most}"
            ));
        }
        self.say("wait");
    }

    fn init(&mut self) {
        if let Err(error) = self.engine() {
            self.say_error(error);
        }
        self.say("ready");
    }

    /// Sets a parameter; an unknown one is passed over.
    fn set(&mut self, name: &str, value: &str) {
        let mut config = self.config.clone();
        match config.set(name, value) {
            Err(ConfigError::UnknownName(_)) => self.set_constant(name, value),
            Err(error) => self.say_error(error),
            Ok(()) => match self.apply(&config) {
                Err(error) => {
                    self.say_error(format!("{name} cannot be '{}': {error}", excerpt(value)))
                }
                Ok(()) => {
                    self.config = config;
                    if matches!(name, "bb-size" | "endgame-dir") {
                        self.read_endgame(name == "endgame-dir");
                    }
                }
            },
        }
    }

    /// Sets a constant of the search, in builds that have them as parameters.
    fn set_constant(&mut self, name: &str, value: &str) {
        if Params::tunable()
            .iter()
            .all(|constant| constant.name != name)
        {
            return;
        }
        if !value
            .parse()
            .is_ok_and(|value| self.params.set(name, value))
        {
            self.say_error(format!("{name} cannot be '{}'", excerpt(value)));
        }
    }

    /// Reads the endgame tables, anew if their folder has changed, and gives
    /// them to the engine. What cannot be used is told; the engine plays on.
    fn read_endgame(&mut self, anew: bool) {
        let pieces = self.config.bb_size;
        if anew || self.endgame.is_none() {
            let mut tables = Tables::built_in();
            if self.config.endgame_dir != "none" {
                for unusable in tables.add_folder(self.config.endgame_dir.as_ref()) {
                    log::warn!("endgame table {unusable}");
                }
            }
            self.endgame = Some(Arc::new(tables));
        }
        if let (Some(engine), Some(tables)) = (&mut self.engine, &self.endgame) {
            engine.set_endgame(tables, pieces);
        }
    }

    /// Makes the engine what `config` wants it to be; on an error it stays as it is.
    fn apply(&mut self, config: &Config) -> Result<(), TableError> {
        let threads = config.threads as usize;
        let resized = config.tt_size != self.config.tt_size;
        match &mut self.engine {
            None if resized => self.engine = Some(Engine::new(threads, config.tt_size)?),
            None => {}
            Some(engine) => {
                if resized {
                    engine.resize_table(config.tt_size)?;
                }
                engine.set_threads(threads);
            }
        }
        Ok(())
    }

    /// The engine, which is made now if there is none. If its table does not
    /// fit, it gets the largest that does.
    fn engine(&mut self) -> Result<&mut Engine, TableError> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => {
                let threads = self.config.threads as usize;
                let mut made = Engine::new(threads, self.config.tt_size);
                for log2 in (0..self.config.tt_size).rev() {
                    made = made.or_else(|_| Engine::new(threads, log2));
                }
                made?
            }
        };
        if self.endgame.is_none() {
            self.read_endgame(true);
        }
        let engine = self.engine.insert(engine);
        if let Some(tables) = &self.endgame {
            engine.set_endgame(tables, self.config.bb_size);
        }
        Ok(engine)
    }

    /// Starts a search, which uses up the level.
    fn go(&mut self, purpose: Purpose) {
        let limits = std::mem::take(&mut self.level).limits(purpose, self.config.multi_pv as usize);
        let listener = Listener::new(self.events.clone());
        let game = self.game.clone();
        let params = self.params.clone();
        match self.engine() {
            Err(error) => self.say_error(error),
            Ok(engine) => {
                if !Params::tunable().is_empty() {
                    engine.set_params(params);
                }
                engine.start(&game, limits, Box::new(listener));
                self.search = Some(Search {
                    pondering: purpose == Purpose::Ponder,
                    stopping: false,
                    outcome: None,
                    latest: Vec::new(),
                    withheld: false,
                });
            }
        }
    }

    fn stop(&mut self) {
        if let Some(engine) = &self.engine {
            engine.stop();
        }
        self.release();
    }

    fn ponder_hit(&mut self) {
        if let Some(engine) = &self.engine {
            engine.ponder_hit();
        }
        self.release();
    }

    /// Pondering is over: an outcome that was held back is due.
    fn release(&mut self) {
        if let Some(search) = &mut self.search {
            search.pondering = false;
            if let Some(outcome) = search.outcome.take() {
                self.finish(&outcome);
            }
        }
    }

    /// Shows a line of the search, unless too many are waiting.
    fn show(&mut self, progress: Progress) {
        let line = self.info(&progress);
        let Some(search) = &mut self.search else {
            return;
        };
        if progress.line == 1 {
            search.latest.clear();
            search.withheld = self.output.waiting() >= Self::MOST_WAITING;
        }
        search.latest.push(progress);
        if !search.withheld {
            self.output.send(line);
        }
    }

    fn search_ended(&mut self, outcome: Option<Outcome>) {
        let outcome = outcome.unwrap_or_else(|| self.makeshift());
        match &mut self.search {
            Some(search) if search.pondering => search.outcome = Some(outcome),
            _ => self.finish(&outcome),
        }
    }

    /// Ends the search for the client: the last line of the search, then `done`.
    fn finish(&mut self, outcome: &Outcome) {
        let Some(search) = self.search.take() else {
            return;
        };
        if search.withheld {
            for progress in &search.latest {
                self.say(self.info(progress));
            }
        }
        self.say(report::done(&self.game, outcome));
    }

    /// An outcome for a search that failed: what it had found, or any legal move.
    fn makeshift(&mut self) -> Outcome {
        let found = |search: &Search| Some(search.latest.first()?.pv.clone());
        let found = self.search.as_ref().and_then(found);
        let pv = found.unwrap_or_else(|| {
            let first = move_text::sorted_legal_moves(self.game.position()).into_iter();
            let pv: Vec<_> = first.take(1).collect();
            if !pv.is_empty() {
                self.show(Progress {
                    line: 1,
                    depth: 1,
                    mean_depth: 1.0,
                    score: Score::DRAW,
                    nodes: 0,
                    time: Duration::ZERO,
                    pv: pv.clone(),
                });
            }
            pv
        });
        Outcome {
            best: pv.first().copied(),
            ponder: None,
            score: Score::DRAW,
            depth: 1,
            nodes: 0,
            pv,
        }
    }

    fn info(&self, progress: &Progress) -> String {
        report::info(self.game.position(), progress, self.config.multi_pv > 1)
    }

    fn say(&self, line: impl Into<String>) {
        self.output.send(line.into());
    }

    fn say_error(&self, error: impl std::fmt::Display) {
        self.say(report::error(error));
    }
}

/// The session's ear on the search's thread.
///
/// The first depths are done within a millisecond, and each line holds up the
/// one behind it: so what comes too soon after the last report is held back
/// until there is better. At the end it is told only if it says something new,
/// since some clients lose a `done` that is close behind another line.
struct Listener {
    events: Sender<Event>,
    /// The lines of the latest depth, if they were not passed on.
    held: Vec<Progress>,
    /// When the last were passed on, since the start of the search.
    passed_on: Duration,
    /// The best move that they told.
    told: Option<Move>,
    ended: bool,
}

impl Listener {
    /// The least time between the reports of two depths.
    const INTERVAL: Duration = Duration::from_millis(10);

    fn new(events: Sender<Event>) -> Listener {
        Listener {
            events,
            held: Vec::new(),
            passed_on: Duration::ZERO,
            told: None,
            ended: false,
        }
    }

    fn end(&mut self, outcome: Option<Outcome>) {
        if !std::mem::replace(&mut self.ended, true) {
            let best = self.held.first().and_then(|progress| progress.pv.first());
            if best.is_some() && best != self.told.as_ref() {
                for progress in self.held.drain(..) {
                    let _ = self.events.send(Event::Progress(progress));
                }
            }
            // If the session is gone, nobody needs to know.
            let _ = self.events.send(Event::Ended(outcome));
        }
    }
}

impl Reporter for Listener {
    fn progress(&mut self, progress: &Progress) {
        let is_first_line = progress.line == 1;
        if is_first_line {
            self.held.clear();
        }
        let is_due = match is_first_line {
            true => progress.time.saturating_sub(self.passed_on) >= Self::INTERVAL,
            // The lines of a depth stay together.
            false => self.held.is_empty(),
        };
        if is_due {
            self.passed_on = progress.time;
            if is_first_line {
                self.told = progress.pv.first().copied();
            }
            let _ = self.events.send(Event::Progress(progress.clone()));
        } else {
            self.held.push(progress.clone());
        }
    }

    fn finished(&mut self, outcome: &Outcome) {
        self.end(Some(outcome.clone()));
    }
}

impl Drop for Listener {
    /// A search that failed must not leave its client waiting.
    fn drop(&mut self) {
        self.end(None);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::notation::fen;

    /// Keeps what is written.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What a session says when its search fails after it has found `found`.
    fn said_after_failure(fen: &str, found: &[&str]) -> String {
        let written = Written::default();
        let (events, heard) = mpsc::channel();
        let output = Output::spawn(written.clone(), || {}).unwrap();
        let mut session = Session::new(output, events.clone());
        session.game = Game::new(fen::read(fen).unwrap());
        session.search = Some(Search {
            pondering: false,
            stopping: false,
            outcome: None,
            latest: Vec::new(),
            withheld: false,
        });
        let mut listener = Listener::new(events);
        for (depth, text) in (1..).zip(found) {
            listener.progress(&Progress {
                line: 1,
                depth,
                mean_depth: 1.0,
                score: Score::DRAW,
                nodes: 1,
                time: Duration::ZERO,
                pv: vec![move_text::read(session.game.position(), text).unwrap()],
            });
        }
        drop(listener);
        while session.search.is_some() {
            let event = heard.recv_timeout(Duration::from_secs(20)).unwrap();
            assert!(session.hear(event).is_continue());
        }
        session.end();
        let written = written.0.lock().unwrap().clone();
        String::from_utf8(written).unwrap()
    }

    /// The depths and lines that are passed on, and a `None` for the end; in
    /// `progresses` the number of the best move stands behind the milliseconds.
    fn passed_on(progresses: &[(u32, usize, u64, usize)]) -> Vec<Option<(u32, usize)>> {
        let moves = move_text::sorted_legal_moves(&Position::initial());
        let (events, heard) = mpsc::channel();
        let mut listener = Listener::new(events);
        for &(depth, line, milliseconds, best) in progresses {
            listener.progress(&Progress {
                line,
                depth,
                mean_depth: 1.0,
                score: Score::DRAW,
                nodes: 1,
                time: Duration::from_millis(milliseconds),
                pv: vec![moves[best]],
            });
        }
        drop(listener);
        let name = |event| match event {
            Event::Progress(progress) => Some((progress.depth, progress.line)),
            _ => None,
        };
        heard.into_iter().map(name).collect()
    }

    #[test]
    fn depths_that_come_too_fast_are_told_only_if_they_say_something_new() {
        let depths = [(1, 1, 0, 0), (2, 1, 9, 0), (3, 1, 10, 0), (4, 1, 15, 0)];
        assert_eq!(passed_on(&depths), [Some((3, 1)), None]);
        let changed = [(3, 1, 10, 0), (4, 1, 15, 1)];
        assert_eq!(passed_on(&changed), [Some((3, 1)), Some((4, 1)), None]);
        let short = [(1, 1, 0, 0), (2, 1, 1, 0)];
        assert_eq!(passed_on(&short), [Some((2, 1)), None]);
        let lines = [(1, 1, 1, 0), (1, 2, 1, 1), (2, 1, 12, 0), (2, 2, 12, 1)];
        assert_eq!(
            passed_on(&lines),
            [Some((2, 1)), Some((2, 2)), None],
            "the lines of a depth stay together"
        );
    }

    #[test]
    fn a_search_that_fails_is_answered_all_the_same() {
        let initial = "W:W31-50:B1-20";
        let said = said_after_failure(initial, &["32-28", "34-30"]);
        assert_eq!(said.lines().count(), 2);
        assert!(said.ends_with("\ndone move=34-30\n"), "{said}");
        let said = said_after_failure(initial, &[]);
        assert!(
            said.starts_with("info depth=1 ") && said.contains("\ndone move="),
            "{said}"
        );
        assert_eq!(said_after_failure("W:W6:B1", &[]), "done\n");
    }
}
