//! A file to games, one at a time.
//!
//! A game begins with its first tag or, without tags, with its first move, and
//! ends with a result or where the next tag stands. What a game consists of is
//! the builder's business.

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

use super::{
    PdnGame, PdnResult,
    builder::Builder,
    lexer::{Lexer, Token},
};

/// The most tags that are kept of a game, and the most comments among them.
const MOST_TAGS: usize = 200;

/// The games of a text in Portable Draughts Notation.
///
/// Each comes as soon as it is read, and is all that is held of the text. A
/// game with an error has the moves before it and [`PdnGame::problem`]; only
/// an error of the source ends the iteration.
pub struct Reader<R> {
    lexer: Lexer<R>,
    /// The token that comes next, and its line.
    next: Option<(u64, Token)>,
    games: u64,
    end: End,
}

/// Whether the source has failed.
enum End {
    /// It has not.
    No,
    /// It has, behind a game that is whole and comes first.
    Failed(io::Error),
    /// There is nothing more to say.
    Told,
}

impl<R: BufRead> Reader<R> {
    /// A reader of the games in `source`.
    pub fn new(source: R) -> Reader<R> {
        Reader {
            lexer: Lexer::new(source),
            next: None,
            games: 0,
            end: End::No,
        }
    }

    fn game(&mut self) -> io::Result<Option<PdnGame>> {
        let Some(line) = self.find_game()? else {
            return Ok(None);
        };
        self.games += 1;
        let (tags, comments) = self.header()?;
        let mut builder = Builder::new(self.games, line, tags);
        for (line, comment) in comments {
            builder.take(line, comment);
        }
        let end = self.moves(&mut builder)?;
        Ok(Some(builder.finish(end)))
    }

    /// Reads over what stands between games. The line of the next one, if any.
    fn find_game(&mut self) -> io::Result<Option<u64>> {
        loop {
            match self.peek()? {
                (_, Token::End) => return Ok(None),
                (line, Token::Tag { .. } | Token::MoveNumber) => return Ok(Some(*line)),
                (line, Token::Word(word)) if PdnResult::read(&word.body).is_none() => {
                    return Ok(Some(*line));
                }
                _ => self.take()?,
            };
        }
    }

    /// The tags, and the comments among them.
    #[expect(clippy::type_complexity, reason = "two lists, taken apart at once")]
    fn header(&mut self) -> io::Result<(Vec<(String, String)>, Vec<(u64, Token)>)> {
        let (mut tags, mut comments) = (Vec::<(String, String)>::new(), Vec::new());
        loop {
            match self.peek()? {
                // A game without a single move, not even a result.
                (_, Token::Tag { name, .. })
                    if tags.first().is_some_and(|(first, _)| first == name) =>
                {
                    return Ok((tags, comments));
                }
                (_, Token::Tag { .. } | Token::Comment { .. }) => {}
                _ => return Ok((tags, comments)),
            }
            match self.take()? {
                (_, Token::Tag { name, value }) if tags.len() < MOST_TAGS => {
                    tags.push((name, value));
                }
                comment if comments.len() < MOST_TAGS => comments.push(comment),
                _ => {}
            }
        }
    }

    /// Feeds the moves to `builder`, and the comments behind the result. The
    /// line where the game ends.
    fn moves(&mut self, builder: &mut Builder) -> io::Result<u64> {
        let (mut is_going_on, mut last) = (true, 0);
        loop {
            match self.peek() {
                Ok((line, Token::Tag { .. } | Token::End)) => return Ok(*line),
                Ok((_, Token::Comment { .. })) => {}
                Ok((line, _)) if !is_going_on => return Ok(*line),
                Ok(_) => {}
                Err(error) if is_going_on => return Err(error),
                Err(error) => {
                    self.end = End::Failed(error);
                    return Ok(last);
                }
            }
            let (line, token) = self.take()?;
            last = line;
            is_going_on &= builder.take(line, token);
        }
    }

    fn peek(&mut self) -> io::Result<&(u64, Token)> {
        let next = match self.next.take() {
            Some(next) => next,
            None => self.lexer.next()?,
        };
        Ok(self.next.insert(next))
    }

    fn take(&mut self) -> io::Result<(u64, Token)> {
        match self.next.take() {
            Some(next) => Ok(next),
            None => self.lexer.next(),
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = io::Result<PdnGame>;

    fn next(&mut self) -> Option<io::Result<PdnGame>> {
        let game = match std::mem::replace(&mut self.end, End::Told) {
            End::No => {
                self.end = End::No;
                self.game()
            }
            End::Failed(error) => Err(error),
            End::Told => return None,
        };
        if game.is_err() {
            self.end = End::Told;
        }
        game.transpose()
    }
}
