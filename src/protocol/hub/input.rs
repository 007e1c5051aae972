//! Stdin to lines, on a thread of its own.

use std::{
    io::{self, BufRead, BufReader, ErrorKind, Read},
    thread,
};

/// What is kept of a line, in bytes; a game of a thousand moves is shorter by far.
const LONGEST_LINE: usize = 1 << 16;

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The text; bytes that are no UTF-8 are replaced.
    pub(super) text: String,
    /// Whether it was too long, and its end is missing.
    pub(super) cut: bool,
}

/// Calls `hear` with each line and, once, with `None` at the end of the input.
pub(super) fn spawn(
    input: impl Read + Send + 'static,
    hear: impl Fn(Option<Line>) + Send + 'static,
) -> io::Result<()> {
    let listen = move || {
        let mut input = BufReader::new(input);
        // What cannot be read has ended.
        while let Ok(Some(line)) = next_line(&mut input) {
            hear(Some(line));
        }
        hear(None);
    };
    thread::Builder::new().name("input".into()).spawn(listen)?;
    Ok(())
}

/// The next line; the last one may lack its newline.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let (mut kept, mut length) = (Vec::new(), 0);
    loop {
        let available = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            other => other?,
        };
        if available.is_empty() && length == 0 {
            return Ok(None);
        }
        let newline = available.iter().position(|&byte| byte == b'\n');
        let end = newline.unwrap_or(available.len());
        let room = LONGEST_LINE - kept.len();
        kept.extend(available.iter().take(end.min(room)));
        length += end;
        let read = newline.map_or(end, |end| end + 1);
        let complete = newline.is_some() || available.is_empty();
        input.consume(read);
        if complete {
            return Ok(Some(Line {
                text: String::from_utf8_lossy(&kept).into_owned(),
                cut: length > kept.len(),
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that is read in pieces of `capacity` bytes.
    fn lines(text: &[u8], capacity: usize) -> Vec<Line> {
        let mut input = BufReader::with_capacity(capacity, text);
        std::iter::from_fn(|| next_line(&mut input).unwrap()).collect()
    }

    fn texts(text: &[u8]) -> Vec<String> {
        let whole = lines(text, 1 << 13);
        assert_eq!(whole, lines(text, 1));
        whole.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn lines_end_with_a_newline_or_with_the_input() {
        assert_eq!(texts(b""), [""; 0]);
        assert_eq!(texts(b"hub\ninit"), ["hub", "init"]);
        assert_eq!(texts(b"\n\nhub\r\n"), ["", "", "hub\r"]);
        assert_eq!(texts(b"a\xff\0b\n"), ["a\u{fffd}\0b"]);
    }

    #[test]
    fn of_a_huge_line_only_the_beginning_is_kept() {
        let mut text = vec![b'x'; 3 * LONGEST_LINE];
        text.extend(b"\nping\n");
        let found = lines(&text, 1000);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].text.len(), found[0].cut), (LONGEST_LINE, true));
        assert_eq!((found[1].text.as_str(), found[1].cut), ("ping", false));
        let exact = lines(&[b'x'; LONGEST_LINE], 1000);
        assert!(!exact[0].cut);
    }
}
