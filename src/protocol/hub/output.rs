//! Lines to stdout, on a thread of its own.
//!
//! Some clients lose the second of two lines that arrive together, so each line
//! is a write of its own and there is a pause behind it. Nobody waits for it
//! but this thread: neither the session nor the search.

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

/// The least time between two lines.
const PAUSE: Duration = Duration::from_micros(100);

/// A reader that takes no line for so long is not waited for at the end.
const STALLED: Duration = Duration::from_millis(40);

/// The way out.
pub(super) struct Output {
    lines: Sender<String>,
    waiting: Arc<AtomicUsize>,
    /// Hears nothing, but is disconnected when the thread ends.
    end: Receiver<()>,
}

impl Output {
    /// Starts the thread. It calls `closed` if nobody reads any more.
    pub(super) fn spawn(
        output: impl Write + Send + 'static,
        closed: impl FnOnce() + Send + 'static,
    ) -> io::Result<Output> {
        let (lines, queue) = mpsc::channel();
        let (alive, end) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&waiting);
        let write = move || {
            let _alive: Sender<()> = alive;
            if write_all(output, &queue, &counter).is_err() {
                closed();
            }
        };
        thread::Builder::new().name("output".into()).spawn(write)?;
        Ok(Output {
            lines,
            waiting,
            end,
        })
    }

    /// Writes a line as soon as it may be written, and returns at once.
    pub(super) fn send(&self, line: String) {
        self.waiting.fetch_add(1, Relaxed);
        // If nobody reads any more, the session is told by `closed`.
        let _ = self.lines.send(line);
    }

    /// How many lines are still to be written.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    /// Returns when everything is written, or when the reader has stalled.
    pub(super) fn finish(self) {
        let Output {
            lines,
            waiting,
            end,
        } = self;
        drop(lines);
        let mut before = waiting.load(Relaxed);
        while end.recv_timeout(STALLED) == Err(RecvTimeoutError::Timeout) {
            let now = waiting.load(Relaxed);
            if now == before {
                break;
            }
            before = now;
        }
    }
}

fn write_all(
    mut output: impl Write,
    queue: &Receiver<String>,
    waiting: &AtomicUsize,
) -> io::Result<()> {
    let mut last: Option<Instant> = None;
    for mut line in queue {
        if let Some(last) = last {
            thread::sleep(PAUSE.saturating_sub(last.elapsed()));
        }
        line.push('\n');
        output.write_all(line.as_bytes())?;
        output.flush()?;
        last = Some(Instant::now());
        waiting.fetch_sub(1, Relaxed);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    };

    use super::*;

    /// Remembers each write and when it came.
    #[derive(Clone, Default)]
    struct Writes(Arc<Mutex<Vec<(String, Instant)>>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            self.0.lock().unwrap().push((text, Instant::now()));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn each_line_is_a_write_of_its_own_with_a_pause_behind_it() {
        let writes = Writes::default();
        let output = Output::spawn(writes.clone(), || {}).unwrap();
        for number in 0..50 {
            output.send(format!("line {number}"));
        }
        output.finish();
        let writes = writes.0.lock().unwrap();
        assert_eq!(writes.len(), 50);
        assert_eq!(writes[49].0, "line 49\n");
        for pair in writes.windows(2) {
            assert!(pair[1].1 - pair[0].1 >= Duration::from_micros(50));
        }
    }

    /// A pipe that is full, or that is closed.
    struct Broken {
        full: bool,
    }

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            if self.full {
                thread::sleep(Duration::from_secs(60));
            }
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_stalls_is_not_waited_for() {
        let start = Instant::now();
        let output = Output::spawn(Broken { full: true }, || {}).unwrap();
        output.send("a line".into());
        output.finish();
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_reader_that_is_gone_is_reported() {
        let closed = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&closed);
        let report = move || flag.store(true, SeqCst);
        let output = Output::spawn(Broken { full: false }, report).unwrap();
        output.send("a line".into());
        output.send("another".into());
        output.finish();
        assert!(closed.load(SeqCst));
    }
}
