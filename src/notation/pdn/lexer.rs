//! Characters to tokens: tags, comments, brackets, NAGs, numbers and words.
//!
//! Whatever the text, tokens come out of it, of bounded length each; the rest
//! of a longer one is read over. Which word is a move or a result, and where a
//! game begins, is not known here.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::io::{self, BufRead};

use super::characters::Characters;

/// How many bytes of a comment are kept.
const LONGEST_COMMENT: usize = 20_000;
/// How many bytes of a tag's name or value are kept.
pub(super) const LONGEST_TAG: usize = 2_000;
/// How many bytes of a word are kept: more than a move can have.
const LONGEST_WORD: usize = 400;

/// A piece of a PDN text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `[Event "…"]`.
    Tag { name: String, value: String },
    /// `{…}` or `; …`, perhaps open at the end of the text.
    Comment { text: String, is_closed: bool },
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `$5`.
    Nag(u8),
    /// `12.`, `12...` or `...`: says nothing that the position does not.
    MoveNumber,
    /// Everything else.
    Word(Word),
    /// The text is over.
    End,
}

/// Anything without a space: a move, a part of one, a result, or neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The word without its suffixes; may be empty.
    pub(super) body: String,
    /// What its suffixes mean.
    pub(super) nags: Vec<u8>,
    /// Whether there were suffixes, even such as mean nothing.
    pub(super) has_suffix: bool,
}

/// The tokens of a text, one by one.
pub(super) struct Lexer<R> {
    characters: Characters<R>,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(source: R) -> Lexer<R> {
        let characters = Characters::new(source);
        Lexer { characters }
    }

    /// The next token and its line; at the end [`Token::End`], again and again.
    pub(super) fn next(&mut self) -> io::Result<(u64, Token)> {
        loop {
            while self.characters.next_if(is_space)?.is_some() {}
            let line = self.characters.line();
            let Some(first) = self.characters.peek()? else {
                return Ok((line, Token::End));
            };
            if let Some(token) = self.token(first)? {
                return Ok((line, token));
            }
        }
    }

    /// The token that begins with `first`; `None` for what says nothing.
    fn token(&mut self, first: char) -> io::Result<Option<Token>> {
        if !is_special(first) && !matches!(first, '.' | '%') {
            return self.number_or_word().map(Some);
        }
        self.characters.next()?;
        match first {
            '[' => self.tag(),
            '{' => self.comment('}').map(Some),
            ';' => self.comment('\n').map(Some),
            '%' => self.comment('\n').map(|_| None),
            '(' => Ok(Some(Token::Open)),
            ')' => Ok(Some(Token::Close)),
            '$' => self.nag(),
            '.' => self.dots().map(Some),
            _ => Ok(None),
        }
    }

    /// A tag, if what stands in the brackets has a name and a value in quotes.
    /// It ends with its line at the latest, so a quote may be missing; quotes
    /// within the value should be escaped but need not.
    fn tag(&mut self) -> io::Result<Option<Token>> {
        let mut name = Text::new(LONGEST_TAG);
        let is_name = |character| !matches!(character, '"' | '[' | ']' | '\n');
        while let Some(character) = self.characters.next_if(is_name)? {
            name.push(character);
        }
        let quote = self.characters.next_if(|next| next == '"')?;
        if quote.is_none() || name.kept.is_empty() {
            return Ok(None);
        }
        let (name, value) = (name.kept, self.tag_value()?);
        Ok(Some(Token::Tag { name, value }))
    }

    /// What stands between the first quote, which was read, and the last.
    fn tag_value(&mut self) -> io::Result<String> {
        let mut value = String::new();
        let mut last_quote = None;
        let mut is_quoted = true;
        while let Some(mut character) = self.characters.next()? {
            match character {
                '\n' => break,
                ']' if !is_quoted => break,
                '"' => {
                    is_quoted = !is_quoted;
                    last_quote = Some(value.len());
                }
                '\\' => {
                    let escaped = self.characters.next_if(|next| matches!(next, '"' | '\\'))?;
                    character = escaped.unwrap_or('\\');
                }
                _ => {}
            }
            if value.len() < LONGEST_TAG {
                value.push(character);
            }
        }
        match last_quote {
            Some(end) => value.truncate(end),
            None => value.truncate(value.trim_end_matches(['"', ']', ' ']).len()),
        }
        Ok(tidy(&value))
    }

    fn comment(&mut self, end: char) -> io::Result<Token> {
        let mut text = Text::new(LONGEST_COMMENT);
        let mut is_closed = end == '\n';
        while let Some(character) = self.characters.next()? {
            if character == end {
                is_closed = true;
                break;
            }
            text.push(character);
        }
        let text = text.kept;
        Ok(Token::Comment { text, is_closed })
    }

    /// The glyph behind a `$`; without a meaning it is nothing.
    fn nag(&mut self) -> io::Result<Option<Token>> {
        let digits = self.digits()?;
        Ok(digits.parse().ok().filter(|&nag| nag > 0).map(Token::Nag))
    }

    fn dots(&mut self) -> io::Result<Token> {
        while self.characters.next_if(|next| next == '.')?.is_some() {}
        Ok(Token::MoveNumber)
    }

    fn number_or_word(&mut self) -> io::Result<Token> {
        let mut word = self.digits()?;
        if !word.is_empty() && self.characters.peek()? == Some('.') {
            return self.dots();
        }
        let is_word = |character| !is_space(character) && !is_special(character);
        while let Some(character) = self.characters.next_if(is_word)? {
            if word.len() < LONGEST_WORD {
                word.push(character);
            }
        }
        Ok(Token::Word(Word::read(&word)))
    }

    fn digits(&mut self) -> io::Result<String> {
        let mut digits = String::new();
        while let Some(digit) = self.characters.next_if(|next| next.is_ascii_digit())? {
            if digits.len() < LONGEST_WORD {
                digits.push(digit);
            }
        }
        Ok(digits)
    }
}

impl Word {
    /// A lone `*` is a result, one behind a move praises it.
    fn read(text: &str) -> Word {
        if text == "*" {
            let body = text.to_owned();
            return Word {
                body,
                ..Word::default()
            };
        }
        let is_suffix = |character| "!?*+#,.".contains(character);
        let body = text.trim_end_matches(is_suffix);
        let suffix = text.strip_prefix(body).unwrap_or_default();
        let marks: String = suffix.chars().filter(|&c| "!?".contains(c)).collect();
        let strength = match marks.as_str() {
            "!" => Some(1),
            "?" => Some(2),
            "!!" => Some(3),
            "??" => Some(4),
            "!?" => Some(5),
            "?!" => Some(6),
            _ => None,
        };
        let only_move = suffix.contains('*').then_some(7);
        Word {
            body: body.to_owned(),
            nags: strength.into_iter().chain(only_move).collect(),
            has_suffix: !suffix.is_empty(),
        }
    }
}

/// A text that grows up to a limit in bytes, with single spaces.
struct Text {
    kept: String,
    limit: usize,
    has_gap: bool,
}

impl Text {
    fn new(limit: usize) -> Text {
        Text {
            kept: String::new(),
            limit,
            has_gap: false,
        }
    }

    fn push(&mut self, character: char) {
        if is_space(character) {
            self.has_gap = !self.kept.is_empty();
        } else if self.kept.len() < self.limit {
            if std::mem::take(&mut self.has_gap) {
                self.kept.push(' ');
            }
            self.kept.push(character);
        }
    }
}

/// The text as it is kept: without control characters, with single spaces
/// between its words and none around them.
pub(super) fn tidy(text: &str) -> String {
    let mut tidy = Text::new(usize::MAX);
    text.chars().for_each(|character| tidy.push(character));
    tidy.kept
}

/// Characters that part words and are otherwise nothing: white space of every
/// kind, control characters, byte order marks, zero-width spaces.
fn is_space(character: char) -> bool {
    if character.is_ascii() {
        return character <= ' ' || character == '\u{7f}';
    }
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '\u{feff}' | '\u{200b}')
}

/// Characters that end a word and begin something else.
fn is_special(character: char) -> bool {
    matches!(character, '[' | ']' | '{' | '}' | '(' | ')' | ';' | '$')
}
