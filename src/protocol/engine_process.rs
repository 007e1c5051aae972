//! Another program that speaks the Hub protocol, seen from the client's side.
//!
//! Nothing an engine does is trusted: it may die, hang, flood, or speak
//! nonsense at any time, and each of these is a [`Fault`] that names what was
//! seen. What its moves mean, and who wins, is not known here.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use crate::notation::excerpt;

/// How to start an engine, and as what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// The name in reports.
    pub name: String,
    /// The program and its arguments; at least the program.
    pub command: Vec<String>,
    /// The folder it is started in; that of this process if none is given.
    pub folder: Option<PathBuf>,
    /// Its parameters, in the order in which they are set.
    pub parameters: Vec<(String, String)>,
}

impl EngineSpec {
    /// Command and parameters in one line.
    pub fn program(&self) -> String {
        let parameters = self.parameters.iter();
        let parameters = parameters.map(|(name, value)| format!("{name}={value}"));
        let words = self.command.iter().cloned().chain(parameters);
        words.collect::<Vec<_>>().join(" ")
    }
}

/// What an engine did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It could not be started.
    #[error("cannot start {}: {reason}", excerpt(program))]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        reason: String,
    },
    /// A parameter that is to be set is none of its own.
    #[error("it has no parameter {}, and the match has name, cmd, dir and time-scale", excerpt(.0))]
    Parameter(String),
    /// It ended, or closed its input or output.
    #[error("it died ({0})")]
    Died(String),
    /// It did not answer in time.
    #[error("no answer to `{command}` within {:.1} s", waited.as_secs_f64())]
    Silent {
        /// The command that was not answered.
        command: &'static str,
        /// How long was waited.
        waited: Duration,
    },
    /// It writes more than anybody can read.
    #[error("it floods: more than {0} lines without an answer")]
    Flood(usize),
    /// It does not read what it is told.
    #[error("it does not read its input")]
    Deaf,
    /// It reports an error.
    #[error("it reports an error: {}", excerpt(.0))]
    Error(String),
    /// Nothing was wrong; the wait for it was broken off.
    #[error("interrupted")]
    Interrupted,
}

impl Fault {
    /// What an `error` line says.
    fn reported(line: &str) -> Fault {
        let (_, values) = parse(line);
        let message = values.get("message").copied().unwrap_or(line);
        Fault::Error(message.to_owned())
    }
}

/// What an engine reported of its thinking, as of its last `info` line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Info {
    /// In men, from its own view.
    pub score: Option<f64>,
    /// In plies.
    pub depth: Option<u32>,
    /// How many it searched.
    pub nodes: Option<u64>,
}

/// An engine's answer to `go think`.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The text of its move; none if it says that there is none.
    pub text: Option<String>,
    /// What it said of it.
    pub info: Info,
    /// From the command to the answer, measured here.
    pub time: Duration,
}

/// A line and when it was read.
struct Line {
    text: String,
    at: Instant,
}

/// A running engine. Dropping it ends the process.
pub struct EngineProcess {
    name: String,
    child: Child,
    /// Whether the process was waited for, so that its number may be another's.
    is_reaped: bool,
    input: ChildStdin,
    lines: Receiver<Line>,
}

impl EngineProcess {
    /// How long an engine may take to introduce itself, and to get ready.
    const START_UP: Duration = Duration::from_secs(30);

    /// More lines than this without an answer are a flood.
    const FLOOD: usize = 100_000;

    /// How often a wait looks whether it is interrupted.
    const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

    /// A line is cut here.
    const LONGEST_LINE: u64 = 1 << 14;

    /// So many bytes of a line count as one more line of a flood.
    const LINE_UNIT: usize = 64;

    /// So many lines wait to be heard; then the engine waits.
    const LINES_WAITING: usize = 256;

    /// How long an engine may take to make room for a line to it.
    const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

    /// Starts an engine, sets its parameters and waits until it is ready, or
    /// until `interrupted` is set. An engine that announces parameters must
    /// announce those that are to be set.
    pub fn start(spec: &EngineSpec, interrupted: &AtomicBool) -> Result<EngineProcess, Fault> {
        let mut engine = EngineProcess::spawn(spec)?;
        engine.send("hub")?;
        let announced = engine.wait_for("hub", "wait", interrupted)?;
        for (name, value) in &spec.parameters {
            if !announced.is_empty() && !announced.contains(name) {
                return Err(Fault::Parameter(name.clone()));
            }
            engine.send(&format!("set-param name={name} value={}", word(value)))?;
        }
        engine.send("init")?;
        engine.wait_for("init", "ready", interrupted)?;
        Ok(engine)
    }

    fn spawn(spec: &EngineSpec) -> Result<EngineProcess, Fault> {
        let (program, arguments) = spec.command.split_first().unwrap_or((&spec.name, &[]));
        let fault = |reason: String| Fault::Start {
            program: program.clone(),
            reason,
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(folder) = &spec.folder {
            command.current_dir(folder);
        }
        // Ctrl-C on the terminal is for us; and what the engine starts ends with it.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| fault(error.to_string()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| fault("it has no pipes".to_owned()))?;
        #[cfg(unix)]
        {
            use nix::fcntl::{FcntlArg, OFlag, fcntl};
            fcntl(&input, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))
                .map_err(|error| fault(error.to_string()))?;
        }
        // The reader waits when nobody listens, and the engine with it.
        let (sender, lines) = sync_channel(Self::LINES_WAITING);
        thread::spawn(move || read_lines(output, &sender));
        Ok(EngineProcess {
            name: spec.name.clone(),
            child,
            is_reaped: false,
            input,
            lines,
        })
    }

    /// Tells the engine that the next position belongs to another game.
    pub fn new_game(&mut self) -> Result<(), Fault> {
        self.send("new-game")
    }

    /// Has the engine think about the game that `moves` lead to from
    /// `position`, both as the Hub protocol writes them, under the given
    /// `level`, and waits for its move: at most `patience`, and not after
    /// `interrupted` is set.
    pub fn think(
        &mut self,
        position: &str,
        moves: &[String],
        level: &str,
        patience: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Answer, Fault> {
        self.forget_lines()?;
        if moves.is_empty() {
            self.send(&format!("pos pos={position}"))?;
        } else {
            self.send(&format!("pos pos={position} moves=\"{}\"", moves.join(" ")))?;
        }
        self.send(&format!("level {level}"))?;
        let start = Instant::now();
        self.send("go think")?;
        let mut info = Info::default();
        let mut heard = 0;
        while heard < Self::FLOOD {
            let line = self.next_line("go think", start + patience, interrupted)?;
            heard += 1 + line.text.len() / Self::LINE_UNIT;
            let (command, values) = parse(&line.text);
            match command {
                "info" => info.update(&values),
                "error" => return Err(Fault::reported(&line.text)),
                "done" => {
                    return Ok(Answer {
                        text: values.get("move").map(|&text| text.to_owned()),
                        info,
                        time: line.at.saturating_duration_since(start),
                    });
                }
                _ => {}
            }
        }
        Err(Fault::Flood(Self::FLOOD))
    }

    /// Drops what was said since the last answer; an error among it counts.
    fn forget_lines(&mut self) -> Result<(), Fault> {
        for _ in 0..Self::FLOOD {
            match self.lines.try_recv() {
                Ok(line) if parse(&line.text).0 == "error" => {
                    return Err(Fault::reported(&line.text));
                }
                Ok(_) => {}
                Err(_) => return Ok(()),
            }
        }
        Err(Fault::Flood(Self::FLOOD))
    }

    /// Reads until a line begins with `answer`; returns the names of the
    /// parameters that are announced before.
    fn wait_for(
        &mut self,
        command: &'static str,
        answer: &str,
        interrupted: &AtomicBool,
    ) -> Result<Vec<String>, Fault> {
        let deadline = Instant::now() + Self::START_UP;
        let mut announced = Vec::new();
        let mut heard = 0;
        while heard < Self::FLOOD {
            let line = self.next_line(command, deadline, interrupted)?;
            heard += 1 + line.text.len() / Self::LINE_UNIT;
            let (word, values) = parse(&line.text);
            match word {
                _ if word == answer => return Ok(announced),
                "error" => return Err(Fault::reported(&line.text)),
                "param" => announced.extend(values.get("name").map(|&name| name.to_owned())),
                _ => {}
            }
        }
        Err(Fault::Flood(Self::FLOOD))
    }

    fn next_line(
        &mut self,
        command: &'static str,
        deadline: Instant,
        interrupted: &AtomicBool,
    ) -> Result<Line, Fault> {
        let begin = Instant::now();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(Self::INTERRUPT_INTERVAL)) {
                Ok(line) => {
                    log::trace!("{} > {}", self.name, line.text);
                    return Ok(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.death("output")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if interrupted.load(Relaxed) {
                return Err(Fault::Interrupted);
            }
            if Instant::now() >= deadline {
                let waited = deadline.saturating_duration_since(begin);
                return Err(Fault::Silent { command, waited });
            }
        }
    }

    fn send(&mut self, line: &str) -> Result<(), Fault> {
        log::trace!("{} < {line}", self.name);
        // One write a line, if there is room: some engines read in blocks.
        let text = format!("{line}\n");
        let mut rest = text.as_bytes();
        let begin = Instant::now();
        while !rest.is_empty() {
            match self.input.write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
                    return Err(self.death("input"));
                }
                Err(_) if begin.elapsed() > Self::WRITE_TIMEOUT => return Err(Fault::Deaf),
                Err(_) => thread::sleep(Duration::from_millis(1)),
            }
        }
        Ok(())
    }

    /// Whether the engine is still there, as far as can be seen.
    pub fn is_running(&self) -> bool {
        !self.has_exited()
    }

    /// Whether the process has ended; its number stays its own until it is waited for.
    #[cfg(unix)]
    fn has_exited(&self) -> bool {
        if self.is_reaped {
            return true;
        }
        use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        !matches!(
            waitid(Id::Pid(self.process_id()), flags),
            Ok(WaitStatus::StillAlive)
        )
    }

    #[cfg(not(unix))]
    fn has_exited(&self) -> bool {
        false
    }

    /// How the engine whose `pipe` is closed ended, as far as that can be known soon.
    fn death(&mut self, pipe: &str) -> Fault {
        if !self.exits_within(Duration::from_millis(100)) {
            return Fault::Died(format!("its {pipe} is closed"));
        }
        self.kill();
        self.is_reaped = true;
        match self.child.wait() {
            Ok(status) => Fault::Died(status.to_string()),
            Err(error) => Fault::Died(error.to_string()),
        }
    }

    fn exits_within(&self, patience: Duration) -> bool {
        let begin = Instant::now();
        while !self.has_exited() {
            if begin.elapsed() >= patience {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        true
    }
}

impl Drop for EngineProcess {
    /// Asks the engine to end, gives it a moment, and ends it with all that it started.
    fn drop(&mut self) {
        let _ = self.input.write(b"quit\n");
        self.exits_within(Duration::from_millis(200));
        self.kill();
        let _ = self.child.wait();
    }
}

impl EngineProcess {
    /// Ends the process and, where the system has groups, all that it started.
    fn kill(&mut self) {
        #[cfg(unix)]
        if !self.is_reaped {
            use nix::sys::signal::{Signal, killpg};
            let _ = killpg(self.process_id(), Signal::SIGKILL);
        }
        let _ = self.child.kill();
    }

    /// The number of the process, and of the group that it leads.
    #[cfg(unix)]
    fn process_id(&self) -> nix::unistd::Pid {
        nix::unistd::Pid::from_raw(self.child.id().cast_signed())
    }
}

/// Sends the lines of `output` until it or the listener ends.
fn read_lines(output: impl Read, sender: &SyncSender<Line>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut bytes = Vec::new();
        let mut limited = reader.by_ref().take(EngineProcess::LONGEST_LINE);
        match limited.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        if sender.send(Line { text, at }).is_err() {
            return;
        }
    }
}

impl Info {
    fn update(&mut self, values: &HashMap<&str, &str>) {
        fn read<T: std::str::FromStr>(values: &HashMap<&str, &str>, key: &str) -> Option<T> {
            values.get(key)?.parse().ok()
        }
        self.score = read(values, "score").or(self.score);
        self.depth = read(values, "depth").or(self.depth);
        self.nodes = read(values, "nodes").or(self.nodes);
    }
}

/// The first word of a line and its `key=value` pairs, quotes removed.
fn parse(line: &str) -> (&str, HashMap<&str, &str>) {
    let (command, mut rest) = split_word(line.trim());
    let mut values = HashMap::new();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (key, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let Some(after) = after.strip_prefix('=') else {
            rest = after.trim_start();
            continue;
        };
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => split_word(after),
        };
        values.insert(key, value);
        rest = after.trim_start();
    }
    (command, values)
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// A value as one word of the protocol.
fn word(value: &str) -> String {
    if value.is_empty() || value.contains(' ') {
        format!("\"{value}\"")
    } else {
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> EngineSpec {
        EngineSpec {
            name: "shell".to_owned(),
            command: ["sh", "-c", script].map(str::to_owned).to_vec(),
            folder: None,
            parameters: vec![("threads".to_owned(), "1".to_owned())],
        }
    }

    static NEVER: AtomicBool = AtomicBool::new(false);

    const READY: &str = "read a; echo id name=S; echo wait; read b; read c; echo ready;";

    fn think(script: &str) -> Result<Answer, Fault> {
        let mut engine = EngineProcess::start(&shell(&format!("{READY} {script}")), &NEVER)?;
        let patience = Duration::from_millis(300);
        engine.think("W", &[], "depth=1", patience, &NEVER)
    }

    #[test]
    fn an_answer_carries_the_last_info() {
        let answer = think(
            "read d; read e; read f; \
             echo 'info depth=3 mean-depth=3.1 score=-0.12 nodes=99 pv=\"32-28 19-23\"'; \
             echo done move=32-28 ponder=19-23; sleep 1",
        )
        .unwrap();
        assert_eq!(answer.text.as_deref(), Some("32-28"));
        assert_eq!(answer.info.score, Some(-0.12));
        assert_eq!((answer.info.depth, answer.info.nodes), (Some(3), Some(99)));
        assert!(answer.time < Duration::from_millis(300));
    }

    #[test]
    fn every_fault_is_named() {
        let missing = EngineSpec {
            command: vec!["/no/such/engine".to_owned()],
            ..shell("")
        };
        assert!(matches!(
            EngineProcess::start(&missing, &NEVER),
            Err(Fault::Start { .. })
        ));
        assert!(matches!(
            EngineProcess::start(&shell("exit 3"), &NEVER),
            Err(Fault::Died(_))
        ));
        assert!(matches!(
            think("sleep 9"),
            Err(Fault::Silent {
                command: "go think",
                ..
            })
        ));
        assert!(matches!(think("read d; exit 1"), Err(Fault::Died(_))));
        assert!(matches!(
            think("read d; echo error message=no; sleep 1"),
            Err(Fault::Error(_))
        ));
        assert!(matches!(
            think("read d; exec yes info"),
            Err(Fault::Flood(_) | Fault::Silent { .. })
        ));
    }

    #[test]
    fn a_parameter_that_is_not_announced_is_not_set() {
        let script = "read a; echo param name=hash value=1; echo wait; sleep 9";
        let fault = EngineProcess::start(&shell(script), &NEVER).err();
        assert_eq!(fault, Some(Fault::Parameter("threads".to_owned())));
    }

    #[test]
    #[cfg(unix)]
    fn an_engine_that_does_not_read_is_not_written_to_for_ever() {
        let mut spec = shell("read a; echo wait; sleep 60");
        spec.parameters[0].1 = "1".repeat(200_000);
        let fault = EngineProcess::start(&spec, &NEVER).err();
        assert_eq!(fault, Some(Fault::Deaf));
    }

    #[test]
    fn a_flood_is_measured_in_bytes_too() {
        let script = "read d; read e; read f; exec tr '\\0' x </dev/zero";
        let fault = think(script).unwrap_err();
        assert!(matches!(fault, Fault::Flood(_)), "{fault}");
    }

    #[test]
    #[cfg(unix)]
    fn what_an_engine_started_ends_with_it() {
        for end in ["trap '' HUP; wait; sleep 9", "read quit; exit 0"] {
            started_and_ended(end);
        }
    }

    /// An engine starts a process that would stay, and does this in the `end`.
    #[cfg(unix)]
    fn started_and_ended(end: &str) {
        let script = format!("{READY} sleep 60 & echo child=$!; {end}");
        let mut engine = EngineProcess::start(&shell(&script), &NEVER).unwrap();
        let deadline = Instant::now() + Duration::from_secs(5);
        let line = engine.next_line("init", deadline, &NEVER).unwrap().text;
        let id = line.strip_prefix("child=").unwrap().to_owned();
        drop(engine);
        let is_alive = || {
            let state = std::fs::read_to_string(format!("/proc/{id}/stat"));
            state.is_ok_and(|state| !state.contains(") Z"))
        };
        let ended = (0..200).any(|_| {
            thread::sleep(Duration::from_millis(5));
            !is_alive()
        });
        assert!(ended);
    }

    #[test]
    fn an_interrupted_start_does_not_wait() {
        let begin = Instant::now();
        let fault = EngineProcess::start(&shell("sleep 9"), &AtomicBool::new(true)).err();
        assert_eq!(fault, Some(Fault::Interrupted));
        assert!(begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_line_is_taken_apart() {
        let (command, values) = parse("info depth=3 flag pv=\"32-28 19-23\" score=1.0");
        assert_eq!(command, "info");
        assert_eq!(values["pv"], "32-28 19-23");
        assert_eq!(values["score"], "1.0");
        assert_eq!(values.len(), 3);
        assert_eq!(parse("done move=\"open").1["move"], "open");
    }
}
