//! Tokens to a game: joins words to moves, plays them, nests variations.
//!
//! Memory is bounded: a game has so many moves and so much text about them,
//! and variations nest so deep; further text is dropped, further moves end the
//! game. Where a game begins in a file is not known here.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use super::{
    PdnError, PdnErrorReason, PdnGame, PdnLine, PdnPly, PdnResult, Place,
    lexer::{Token, Word},
};
use crate::{
    board::{Move, Position},
    notation::{
        excerpt, fen,
        move_text::{self, is_capture_mark, is_dash},
    },
};

/// The most moves of a game, those of its variations included.
pub(super) const MOST_PLIES: usize = 20_000;
/// The most bytes of tags and comments that are kept of a game.
const MOST_TEXT: usize = 1 << 20;
/// What a comment counts for besides its bytes, so that many small ones do not
/// take much memory.
const LEAST_TEXT: usize = 32;
/// The most NAGs that are kept of a move.
const MOST_NAGS: usize = 16;
/// How deep variations nest; deeper ones are dropped.
const DEEPEST: usize = 32;
/// The most bytes of a move that is written in several words.
const LONGEST_MOVE: usize = 800;

/// The most bytes of a result, with spaces and dashes of every kind.
const LONGEST_RESULT: usize = 20;

/// A game in the making.
pub(super) struct Builder {
    /// The number of the game in its file.
    number: u64,
    game: PdnGame,
    /// The variations that the next move belongs to, outermost first.
    variations: Vec<Branch>,
    main: Branch,
    /// How many brackets are open within what is not read.
    skipped: usize,
    pending: Option<Pending>,
    plies_left: usize,
    text_left: usize,
}

/// A line in the making.
struct Branch {
    line: PdnLine,
    /// Before the last move.
    before: Place,
    /// After it.
    now: Place,
    /// Glyphs before the first move, as in `(!)`.
    loose_nags: Vec<u8>,
    /// Whether an error ended the line.
    is_broken: bool,
}

/// Words that may or may not be a whole move yet.
struct Pending {
    word: Word,
    line: u64,
}

impl Builder {
    /// The `number`-th game of a file, which has these tags.
    pub(super) fn new(number: u64, line: u64, tags: Vec<(String, String)>) -> Builder {
        let start = Position::initial();
        let mut game = PdnGame::new(start);
        let mut text_left = MOST_TEXT;
        game.tags = tags;
        game.tags
            .retain(|(name, value)| take(&mut text_left, name.len() + value.len()));
        let result = game.tag("Result").map(read_result);
        game.result = result.flatten().unwrap_or_default();
        let set_up = read_set_up(&game);
        if let Ok(start) = set_up {
            game.start = start;
        }
        let mut main = Branch::new(Place::start(game.start));
        if let Err((text, reason)) = set_up {
            main.is_broken = true;
            game.problem = Some(PdnError {
                game: number,
                line,
                move_number: None,
                text: excerpt(&text),
                reason,
            });
        }
        Builder {
            number,
            game,
            variations: Vec::new(),
            main,
            skipped: 0,
            pending: None,
            plies_left: MOST_PLIES,
            text_left,
        }
    }

    /// Takes a token and says whether the game goes on.
    pub(super) fn take(&mut self, line: u64, token: Token) -> bool {
        if let Token::Word(word) = token {
            return self.word(line, word);
        }
        self.finish_move(false);
        match token {
            Token::Open => self.open(),
            Token::Close => self.close(),
            Token::Nag(nag) => self.nag(nag),
            Token::Comment { text, is_closed } => {
                if !is_closed {
                    self.report(line, &text, PdnErrorReason::UnclosedComment);
                }
                self.comment(text);
            }
            _ => {}
        }
        true
    }

    /// The game, which ends on this line.
    pub(super) fn finish(mut self, line: u64) -> PdnGame {
        self.finish_move(false);
        if self.skipped > 0 || !self.variations.is_empty() {
            self.report(line, "(", PdnErrorReason::UnclosedVariation);
        }
        self.skipped = 0;
        while !self.variations.is_empty() {
            self.close();
        }
        self.game.main_line = self.main.line;
        self.game
    }

    fn word(&mut self, line: u64, word: Word) -> bool {
        match &mut self.pending {
            Some(pending) if pending.is_joined_by(&word) => pending.join(word),
            _ => {
                self.finish_move(true);
                self.pending = Some(Pending { word, line });
            }
        }
        let text = self.pending.as_ref().map(|pending| &pending.word.body);
        let Some(result) = text.and_then(|text| read_result(text)) else {
            return true;
        };
        self.pending = None;
        // An annotator may end a variation with a result.
        if self.skipped > 0 || !self.variations.is_empty() {
            return true;
        }
        if result != PdnResult::Unknown {
            self.game.result = result;
        }
        false
    }

    /// Plays the pending move, if there is one. Before another word, a number
    /// alone is the number of that move without its dot.
    fn finish_move(&mut self, is_before_word: bool) {
        let Some(Pending { word, line }) = self.pending.take() else {
            return;
        };
        if self.is_skipping() {
            return;
        }
        let now = self.branch().now;
        let is_number = is_bare_number(&word.body)
            && (is_before_word || word.body == now.number.number.to_string());
        if !word.body.is_empty() && !is_number {
            if self.plies_left == 0 {
                return self.give_up(line, &word.body, PdnErrorReason::TooManyMoves);
            }
            match move_text::read(&now.position, &word.body) {
                Ok(mv) => self.branch().play(mv),
                Err(error) => return self.give_up(line, &word.body, error.into()),
            }
            self.plies_left -= 1;
        }
        word.nags.into_iter().for_each(|nag| self.nag(nag));
    }

    /// Ends the line at an error.
    fn give_up(&mut self, line: u64, text: &str, reason: PdnErrorReason) {
        self.report(line, text, reason);
        self.branch().is_broken = true;
    }

    /// Keeps the first problem, but one of the main line before all others.
    fn report(&mut self, line: u64, text: &str, reason: PdnErrorReason) {
        let is_main = self.variations.is_empty() && !self.main.is_broken;
        let is_move = !matches!(
            reason,
            PdnErrorReason::UnclosedComment | PdnErrorReason::UnclosedVariation
        );
        if self.game.problem.is_none() || is_main && is_move {
            self.game.problem = Some(PdnError {
                game: self.number,
                line,
                move_number: Some(self.branch().now.number),
                text: excerpt(text),
                reason,
            });
        }
    }

    fn nag(&mut self, nag: u8) {
        if self.is_skipping() {
            return;
        }
        let branch = self.branch();
        let nags = match branch.line.plies.last_mut() {
            Some(ply) => &mut ply.nags,
            None => &mut branch.loose_nags,
        };
        if nags.len() < MOST_NAGS {
            nags.push(nag);
        }
    }

    fn comment(&mut self, text: String) {
        if text.is_empty()
            || self.is_skipping()
            || !take(&mut self.text_left, text.len() + LEAST_TEXT)
        {
            return;
        }
        let line = &mut self.branch().line;
        match line.plies.last_mut() {
            Some(ply) => ply.comments.push(text),
            None => line.comments.push(text),
        }
    }

    fn open(&mut self) {
        if self.is_skipping() || self.variations.len() == DEEPEST {
            self.skipped += 1;
        } else {
            let before = self.branch().before;
            self.variations.push(Branch::new(before));
        }
    }

    /// Ends a variation. What has no moves, as in `(!)` and `(see below)`, is
    /// about the move before it.
    fn close(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(closed) = self.variations.pop() else {
            return;
        };
        if closed.line.plies.is_empty() {
            closed.loose_nags.into_iter().for_each(|nag| self.nag(nag));
            let line = &mut self.branch().line;
            match line.plies.last_mut() {
                Some(ply) => ply.comments.extend(closed.line.comments),
                None => line.comments.extend(closed.line.comments),
            }
        } else if let Some(ply) = self.branch().line.plies.last_mut() {
            ply.variations.push(closed.line);
        }
    }

    /// Whether what comes is not read: behind an error, or nested too deep.
    fn is_skipping(&mut self) -> bool {
        self.skipped > 0 || self.branch().is_broken
    }

    /// The line that the next move belongs to.
    fn branch(&mut self) -> &mut Branch {
        self.variations.last_mut().unwrap_or(&mut self.main)
    }
}

impl Branch {
    fn new(start: Place) -> Branch {
        Branch {
            line: PdnLine::default(),
            before: start,
            now: start,
            loose_nags: Vec::new(),
            is_broken: false,
        }
    }

    fn play(&mut self, mv: Move) {
        self.before = self.now;
        self.now = self.now.after(mv);
        let mut ply = PdnPly::from(mv);
        ply.nags.append(&mut self.loose_nags);
        self.line.plies.push(ply);
    }
}

impl Pending {
    /// Whether the next word goes on with this move: `28` `x` `19`, `28x` `19`,
    /// `32` `28`, or jump by jump `15x24` `24x13`.
    fn is_joined_by(&self, next: &Word) -> bool {
        let (own, next) = (self.word.body.as_str(), next.body.as_str());
        if self.word.has_suffix || own.is_empty() || next.is_empty() || own.len() > LONGEST_MOVE {
            return false;
        }
        own.ends_with(is_mark)
            || next.starts_with(is_mark) && !is_whole_step(own)
            || is_bare_number(own) && is_bare_number(next)
            || is_next_jump(own, next)
    }

    fn join(&mut self, next: Word) {
        let body = &mut self.word.body;
        if !body.ends_with(is_mark) && !next.body.starts_with(is_mark) {
            body.push(' ');
        }
        body.push_str(&next.body);
        self.word.nags = next.nags;
        self.word.has_suffix = next.has_suffix;
    }
}

/// Whether the text is a move without a capture, to which nothing can be joined.
fn is_whole_step(text: &str) -> bool {
    let squares = text.split_once(is_dash);
    squares.is_some_and(|(from, to)| is_bare_number(from) && is_bare_number(to))
}

fn is_mark(character: char) -> bool {
    is_capture_mark(character) || is_dash(character)
}

/// Whether the text is a square or a move's number.
fn is_bare_number(text: &str) -> bool {
    (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether both are captures and one starts where the other ends.
fn is_next_jump(jump: &str, next: &str) -> bool {
    let end = jump.rsplit_once(is_capture_mark).map(|(_, end)| end);
    let start = next.split_once(is_capture_mark).map(|(start, _)| start);
    match (end, start) {
        (Some(end), Some(start)) => {
            is_bare_number(end)
                && is_bare_number(start)
                && end.trim_start_matches('0') == start.trim_start_matches('0')
        }
        _ => false,
    }
}

fn read_result(text: &str) -> Option<PdnResult> {
    let is_short = text.len() <= LONGEST_RESULT;
    let hyphened = |text: &str| -> String {
        let characters = text.chars().filter(|character| !character.is_whitespace());
        characters
            .map(|character| if is_dash(character) { '-' } else { character })
            .collect()
    };
    is_short.then(|| PdnResult::read(&hyphened(text))).flatten()
}

/// The position that the tags set up, or the text of the tag that forbids it.
fn read_set_up(game: &PdnGame) -> Result<Position, (String, PdnErrorReason)> {
    let kind = game.tag("GameType").unwrap_or_default();
    let number = kind.split(',').next().unwrap_or_default().trim();
    if !matches!(number, "" | "20") {
        return Err((kind.to_owned(), PdnErrorReason::GameType));
    }
    match game.tag("FEN").unwrap_or_default() {
        "" => Ok(Position::initial()),
        text => fen::read(text).map_err(|error| (text.to_owned(), error.into())),
    }
}

/// Takes `wanted` from what is left, if there is that much.
fn take(left: &mut usize, wanted: usize) -> bool {
    match left.checked_sub(wanted) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}
