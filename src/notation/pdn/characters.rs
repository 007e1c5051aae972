//! Bytes to characters: UTF-8, and where it is broken, Windows-1252.
//!
//! Old collections are in Latin-1 or Windows-1252, some are mixed, so every
//! byte has a meaning and none is an error. Line ends of every kind become
//! `\n`. What the characters say is not known here.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::io::{self, BufRead, ErrorKind};

/// What Windows-1252 has in the place of Latin-1's control characters, 0x80 to
/// 0x9f; the dashes are among them.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// The longest character in UTF-8, in bytes.
const LONGEST: usize = 4;

/// The characters of a text, one by one.
pub(super) struct Characters<R> {
    source: R,
    /// Bytes that were taken from the source but not decoded.
    window: Vec<u8>,
    peeked: Option<char>,
    /// Whether the last character was a carriage return.
    is_after_return: bool,
    line: u64,
}

impl<R: BufRead> Characters<R> {
    pub(super) fn new(source: R) -> Characters<R> {
        Characters {
            source,
            window: Vec::with_capacity(LONGEST),
            peeked: None,
            is_after_return: false,
            line: 1,
        }
    }

    /// The line of the next character, counted from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The next character, which stays the next.
    pub(super) fn peek(&mut self) -> io::Result<Option<char>> {
        if self.peeked.is_none() {
            self.peeked = self.read()?;
        }
        Ok(self.peeked)
    }

    /// Takes the next character; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<char>> {
        let next = self.peek()?;
        self.peeked = None;
        if next == Some('\n') {
            self.line += 1;
        }
        Ok(next)
    }

    /// Takes the next character if it is `wanted`.
    pub(super) fn next_if(&mut self, wanted: impl Fn(char) -> bool) -> io::Result<Option<char>> {
        match self.peek()? {
            Some(character) if wanted(character) => self.next(),
            _ => Ok(None),
        }
    }

    fn read(&mut self) -> io::Result<Option<char>> {
        let mut next = self.decode()?;
        if self.is_after_return && next == Some('\n') {
            next = self.decode()?;
        }
        self.is_after_return = next == Some('\r');
        Ok(next.map(|character| if character == '\r' { '\n' } else { character }))
    }

    fn decode(&mut self) -> io::Result<Option<char>> {
        if self.window.is_empty() {
            match self.byte()? {
                None => return Ok(None),
                Some(byte) if byte.is_ascii() => return Ok(Some(char::from(byte))),
                Some(byte) => self.window.push(byte),
            }
        }
        while self.window.len() < LONGEST
            && let Some(byte) = self.byte()?
        {
            self.window.push(byte);
        }
        let valid = self.window.utf8_chunks().next();
        let character = valid.and_then(|chunk| chunk.valid().chars().next());
        let length = character.map_or(1, char::len_utf8);
        let first = self.window.drain(..length).next();
        Ok(character.or(first.map(windows)))
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.source.fill_buf() {
                Ok(buffer) => {
                    let byte = buffer.first().copied();
                    if byte.is_some() {
                        self.source.consume(1);
                    }
                    return Ok(byte);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn windows(byte: u8) -> char {
    let offset = byte.checked_sub(0x80).map(usize::from);
    let special = offset.and_then(|offset| WINDOWS.chars().nth(offset));
    special.unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        // A buffer of one byte shows that no character depends on its edges.
        let source = io::BufReader::with_capacity(1, bytes);
        let mut characters = Characters::new(source);
        std::iter::from_fn(|| characters.next().unwrap()).collect()
    }

    #[test]
    fn utf_8_is_decoded_and_the_rest_is_windows_1252() {
        assert_eq!(decoded("é–€😀 x".as_bytes()), "é–€😀 x");
        assert_eq!(decoded(b"Andr\xe9 32\x9628 \x97\xff"), "André 32–28 —ÿ");
        assert_eq!(decoded(b"\xe2\x80"), "â€");
        assert_eq!(decoded(b"\xe2\x80\x93\xe2"), "–â");
    }

    #[test]
    fn line_ends_of_every_kind_are_one_character() {
        assert_eq!(decoded(b"a\r\nb\rc\nd\r\r\n\ne\r"), "a\nb\nc\nd\n\n\ne\n");
    }

    #[test]
    fn every_byte_has_a_character() {
        for byte in 0..=u8::MAX {
            assert_eq!(decoded(&[byte]).chars().count(), 1, "{byte}");
        }
    }
}
