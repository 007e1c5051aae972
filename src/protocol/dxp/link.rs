//! A stream of bytes, cut into messages, and messages put on a stream.
//!
//! [`Splitter`] cuts, [`Pacer`] says how long to wait before sending, and
//! [`Link`] is the TCP connection that uses both. What messages mean for a
//! game is not known here.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

use super::message::{LONGEST, Message, MessageError, NAME_WIDTH};
use crate::notation::excerpt;

/// How long some clients need between two messages, lest they take them for one.
const GAP: Duration = Duration::from_millis(100);

/// How long the rest of a message with a name may take, once it looks complete.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long the peer may leave what we send unread.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// How many messages may wait to be handled; the peer waits with the next.
const MOST_WAITING: usize = 64;

/// Why nothing can be read from a peer any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// Bytes without end.
    #[error("the peer sends {found} characters without end, '{text}'")]
    Endless {
        /// Their beginning.
        text: String,
        /// How many there were so far.
        found: usize,
    },
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(String),
}

/// Cuts a stream of bytes into messages, however it came in segments.
///
/// A message ends at a NUL. Names are sometimes padded with NULs, though, so a
/// NUL in the field of a name ends the message only if something else than
/// padding follows in that field.
#[derive(Debug, Default)]
pub struct Splitter {
    bytes: Vec<u8>,
}

/// Where the first message of some bytes ends.
enum End {
    /// Before the NUL at this index.
    At(usize),
    /// Perhaps before the NUL at this index, perhaps later.
    Perhaps(usize),
    /// Not yet.
    Open,
}

impl Splitter {
    /// This much without an end is no message, and nothing will become of it.
    const MOST_WITHOUT_END: usize = 8 * LONGEST;

    /// Takes what came; all that is complete is then taken out by
    /// [`Splitter::next_message`] before more is put in.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message that is complete. Bytes without end are an error
    /// after which there is nothing to read.
    pub fn next_message(&mut self) -> Result<Option<Result<Message, MessageError>>, LinkError> {
        self.drop_leading_nuls();
        match end(&self.bytes) {
            End::At(end) => Ok(Some(self.cut(end))),
            _ if self.bytes.len() > Self::MOST_WITHOUT_END => Err(LinkError::Endless {
                text: excerpt(&String::from_utf8_lossy(&self.bytes)),
                found: self.bytes.len(),
            }),
            _ => Ok(None),
        }
    }

    /// Whether there is a message that may be complete.
    pub fn is_in_doubt(&self) -> bool {
        matches!(end(&self.bytes), End::Perhaps(_))
    }

    /// The message that may be complete, taken to be so.
    pub fn give_up_waiting(&mut self) -> Option<Result<Message, MessageError>> {
        match end(&self.bytes) {
            End::Perhaps(end) => Some(self.cut(end)),
            _ => None,
        }
    }

    fn cut(&mut self, end: usize) -> Result<Message, MessageError> {
        let message = Message::read(self.bytes.get(..end).unwrap_or_default());
        self.bytes.drain(..(end + 1).min(self.bytes.len()));
        message
    }

    fn drop_leading_nuls(&mut self) {
        let nuls = self.bytes.iter().take_while(|&&byte| byte == 0).count();
        self.bytes.drain(..nuls);
    }
}

fn end(bytes: &[u8]) -> End {
    let nul_from = |start: usize| {
        let rest = bytes.get(start..)?;
        Some(start + rest.iter().position(|&byte| byte == 0)?)
    };
    let Some(first) = nul_from(0) else {
        return End::Open;
    };
    let name_start = match bytes.first() {
        Some(b'A') => 1,
        Some(b'R') => 3,
        _ => return End::At(first),
    };
    let name_end = name_start + NAME_WIDTH;
    if first < name_start || first >= name_end {
        return End::At(first);
    }
    let padding = bytes.get(first..name_end.min(bytes.len()));
    let is_padding = |bytes: &[u8]| bytes.iter().all(|byte| matches!(byte, 0 | b' '));
    match padding.is_some_and(is_padding) {
        false => End::At(first),
        true if bytes.len() <= name_end => End::Perhaps(first),
        true => nul_from(name_end).map_or(End::Perhaps(first), End::At),
    }
}

/// Knows which messages must not follow each other closely.
#[derive(Debug, Default)]
pub struct Pacer {
    /// When a message was sent that needs a gap behind it, and whether before
    /// any message or before a move only.
    last: Option<(Instant, GapBefore)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GapBefore {
    Move,
    Anything,
}

impl Pacer {
    /// How long to wait before `message` is sent.
    pub fn wait(&self, message: &Message, now: Instant) -> Duration {
        match self.last {
            Some((sent, before))
                if before == GapBefore::Anything || matches!(message, Message::Move(_)) =>
            {
                GAP.saturating_sub(now.saturating_duration_since(sent))
            }
            _ => Duration::ZERO,
        }
    }

    /// Notes that `message` was sent.
    pub fn sent(&mut self, message: &Message, now: Instant) {
        match message {
            Message::GameAnswer { .. } => self.last = Some((now, GapBefore::Move)),
            Message::GameEnd { .. } => self.last = Some((now, GapBefore::Anything)),
            _ => {}
        }
    }
}

/// What comes from a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A message, or what was none.
    Message(Result<Message, MessageError>),
    /// Nothing more will come; with an error if the peer did not just close.
    Closed(Option<LinkError>),
}

/// A connection with a peer. A thread of its own reads; it ends with the connection.
pub struct Link {
    stream: TcpStream,
    pacer: Pacer,
    /// A token for every message that waits to be handled.
    waiting: Receiver<()>,
}

impl Link {
    /// Takes over a connection. What comes in is given to `deliver` on the
    /// reading thread, until that returns false.
    pub fn new(
        stream: TcpStream,
        deliver: impl FnMut(Incoming) -> bool + Send + 'static,
    ) -> io::Result<Link> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let (tokens, waiting) = sync_channel(MOST_WAITING);
        let reader = Reader {
            stream: stream.try_clone()?,
            splitter: Splitter::default(),
            tokens,
            deliver,
        };
        thread::Builder::new()
            .name("dxp reader".into())
            .spawn(|| reader.run())?;
        Ok(Link {
            stream,
            pacer: Pacer::default(),
            waiting,
        })
    }

    /// Says that one of the delivered messages was handled, so that another may come.
    pub fn handled(&self) {
        let _ = self.waiting.try_recv();
    }

    /// Sends a message, a little later if it would come too close behind another.
    pub fn send(&mut self, message: &Message) -> io::Result<()> {
        thread::sleep(self.pacer.wait(message, Instant::now()));
        log::debug!("sent {message}");
        self.stream.write_all(&message.write())?;
        self.pacer.sent(message, Instant::now());
        Ok(())
    }

    /// Sends nothing more and reads nothing more; what was read is still delivered.
    pub fn close(&self) {
        // It may be closed already.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.close();
    }
}

/// The reading side of a connection.
struct Reader<F> {
    stream: TcpStream,
    splitter: Splitter,
    tokens: SyncSender<()>,
    deliver: F,
}

impl<F: FnMut(Incoming) -> bool> Reader<F> {
    fn run(mut self) {
        let closed = self.read_all();
        // Nobody listens any more if the session ended first.
        (self.deliver)(Incoming::Closed(closed.err()));
    }

    /// Reads until the peer closes or the session ends.
    fn read_all(&mut self) -> Result<(), LinkError> {
        let mut buffer = [0; 1024];
        let broken = |error: io::Error| LinkError::Broken(error.to_string());
        loop {
            let patience = self.splitter.is_in_doubt().then_some(PATIENCE);
            self.stream.set_read_timeout(patience).map_err(broken)?;
            let alive = match self.stream.read(&mut buffer) {
                Ok(0) => {
                    self.deliver_doubtful();
                    return Ok(());
                }
                Ok(count) => {
                    self.splitter.push(buffer.get(..count).unwrap_or_default());
                    self.deliver_complete()?
                }
                Err(error) if is_timeout(&error) => self.deliver_doubtful(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
                Err(error) => return Err(broken(error)),
            };
            if !alive {
                return Ok(());
            }
        }
    }

    fn deliver_complete(&mut self) -> Result<bool, LinkError> {
        while let Some(message) = self.splitter.next_message()? {
            if !self.deliver(message) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn deliver_doubtful(&mut self) -> bool {
        match self.splitter.give_up_waiting() {
            Some(message) => self.deliver(message),
            None => true,
        }
    }

    fn deliver(&mut self, message: Result<Message, MessageError>) -> bool {
        self.tokens.send(()).is_ok() && (self.deliver)(Incoming::Message(message))
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

#[cfg(test)]
mod tests {
    use super::super::message::{Answer, Reason};
    use super::*;
    use proptest::prelude::*;

    /// All messages of a stream that comes in these segments.
    fn messages(segments: &[&[u8]]) -> Vec<Result<Message, MessageError>> {
        let mut splitter = Splitter::default();
        let mut messages = Vec::new();
        for segment in segments {
            splitter.push(segment);
            while let Some(message) = splitter.next_message().unwrap() {
                messages.push(message);
            }
        }
        messages
    }

    fn accepted(name: &str) -> Result<Message, MessageError> {
        Ok(Message::GameAnswer {
            name: name.to_owned(),
            answer: Answer::Accepted,
        })
    }

    #[test]
    fn a_stream_means_the_same_however_it_is_cut() {
        let padded = [b"AGWD".as_slice(), &[0; 29], b"0\0"].concat();
        let stream = [b"\0M0012061100\0CHello\0\0".as_slice(), &padded, b"E10\0"].concat();
        let whole = messages(&[&stream]);
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[2], accepted("GWD"));
        for cut in 0..=stream.len() {
            let (first, second) = stream.split_at(cut);
            assert_eq!(messages(&[first, second]), whole, "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(messages(&bytes), whole);
    }

    #[test]
    fn a_short_name_ends_its_message_when_another_follows() {
        let found = messages(&[b"AGWD\0M0012061100\0"]);
        assert!(matches!(found[0], Err(MessageError::Field { .. })));
        assert!(matches!(found[1], Ok(Message::Move(_))));
    }

    #[test]
    fn a_name_may_be_padded_with_a_nul_and_blanks() {
        let request = [b"R01X\0".as_slice(), &[b' '; 30], b"W060065A\0"].concat();
        let found = messages(&[&request]);
        assert!(matches!(&found[..], [Ok(Message::GameRequest(request))] if request.name == "X"));
    }

    #[test]
    fn a_short_message_that_nothing_follows_is_not_waited_for_for_ever() {
        let mut splitter = Splitter::default();
        splitter.push(b"AGWD\0");
        assert_eq!(splitter.next_message(), Ok(None));
        assert!(splitter.is_in_doubt());
        assert!(matches!(
            splitter.give_up_waiting(),
            Some(Err(MessageError::Field { .. }))
        ));
        assert!(!splitter.is_in_doubt());
        splitter.push(b"E10\0");
        assert!(matches!(splitter.next_message(), Ok(Some(Ok(_)))));
    }

    #[test]
    fn bytes_without_end_are_an_error_that_shows_them() {
        let mut splitter = Splitter::default();
        let mut ended = None;
        for _ in 0..200 {
            splitter.push(b"GET / HTTP/1.1\r\n");
            if let Err(error) = splitter.next_message() {
                ended = Some(error);
                break;
            }
        }
        assert!(ended.unwrap().to_string().contains("'GET / HTTP"));
    }

    #[test]
    fn a_long_message_with_an_end_is_skipped() {
        let long = [[b'C'; 300].as_slice(), b"\0E10\0"].concat();
        let found = messages(&[&long]);
        assert!(matches!(
            found[0],
            Err(MessageError::TooLong { found: 300, .. })
        ));
        assert!(found[1].is_ok());
    }

    #[test]
    fn a_move_leaves_the_answer_and_all_leave_the_end_some_time() {
        let end = Message::GameEnd {
            reason: Reason::Draw,
            stop: false,
        };
        let chat = Message::Chat(String::new());
        let Ok(answer) = accepted("X") else { panic!() };
        let Ok(a_move) = Message::read(b"M0000322800") else {
            panic!()
        };
        let now = Instant::now();
        let later = |milliseconds| now + Duration::from_millis(milliseconds);
        let mut pacer = Pacer::default();
        assert_eq!(pacer.wait(&a_move, now), Duration::ZERO);
        pacer.sent(&answer, now);
        assert_eq!(pacer.wait(&a_move, later(30)), Duration::from_millis(70));
        assert_eq!(pacer.wait(&chat, now), Duration::ZERO);
        assert_eq!(pacer.wait(&a_move, later(101)), Duration::ZERO);
        pacer.sent(&end, now);
        assert_eq!(pacer.wait(&chat, now), GAP);
        assert_eq!(pacer.wait(&answer, later(99)), Duration::from_millis(1));
        assert_eq!(pacer.wait(&answer, later(100)), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn any_stream_comes_to_an_end(
            segments in prop::collection::vec(
                prop::collection::vec(prop::sample::select(b"\0\0\0ARMEC 0W".to_vec()), 0..80), 0..30),
        ) {
            let mut splitter = Splitter::default();
            for segment in segments {
                splitter.push(&segment);
                loop {
                    match splitter.next_message() {
                        Ok(Some(_)) => {}
                        Ok(None) => break,
                        Err(_) => return Ok(()),
                    }
                }
                splitter.give_up_waiting();
            }
        }
    }
}
