//! A game to text, in lines of at most eighty columns where words allow it.
//!
//! The form is what other programs are known to read: one tag a line, results
//! as `2-0`, a number before Black's move only where a line of moves begins
//! with it. Where the text goes is not known here.

use std::io::{self, Write};

use super::{PdnGame, PdnLine, PdnPly, Place, lexer::tidy};
use crate::{
    board::{Position, Side},
    notation::{fen, move_text},
};

/// The tags that every game has, with what stands for an unknown value.
const ROSTER: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
];

/// The tags that say what the rest of the game says, and are made from that.
const DERIVED: [&str; 4] = ["Result", "GameType", "SetUp", "FEN"];

/// How wide a line gets.
const COLUMNS: usize = 80;

/// Writes a whole game, an empty line behind it.
///
/// Reading it back gives the same moves, comments, NAGs, variations, result
/// and tags, but for white space, for the order of the tags, and for those tags
/// that say what the game itself says.
pub fn write(output: &mut impl Write, game: &PdnGame) -> io::Result<()> {
    let mut text = tags(game);
    text.push('\n');
    let mut layout = Layout::default();
    layout.line(&Place::start(game.start), &game.main_line);
    layout.word(&game.result.to_string());
    layout.place_word();
    text.push_str(&layout.text);
    text.push_str("\n\n");
    output.write_all(text.as_bytes())
}

fn tags(game: &PdnGame) -> String {
    let mut text = String::new();
    for (name, unknown) in ROSTER {
        text += &tag(name, game.tag(name).unwrap_or(unknown));
    }
    text += &tag("Result", &game.result.to_string());
    text += &tag("GameType", "20");
    if game.start != Position::initial() {
        text += &tag("SetUp", "1");
        text += &tag("FEN", &fen::write(&game.start));
    }
    let roster = ROSTER.map(|(name, _)| name);
    let is_written = |name: &str| {
        let mut written = roster.iter().chain(&DERIVED);
        written.any(|written| written.eq_ignore_ascii_case(name))
    };
    for (name, value) in &game.tags {
        let name = name_of(name);
        if !is_written(&name) {
            text += &tag(&name, value);
        }
    }
    text
}

/// What of a text can be a tag's name.
fn name_of(text: &str) -> String {
    let is_of_name = |character: &char| character.is_alphanumeric() || "_-.".contains(*character);
    text.chars().filter(is_of_name).collect()
}

/// A tag's line; nothing for one without a name.
fn tag(name: &str, value: &str) -> String {
    if name.is_empty() {
        return String::new();
    }
    let value = tidy(value).replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{name} \"{value}\"]\n")
}

/// Words put into lines.
#[derive(Default)]
struct Layout {
    text: String,
    /// How many columns of its last line are filled.
    column: usize,
    /// What has no place in a line yet, since more may be glued to it.
    word: String,
    /// Whether the next word is glued to this one, as to an open bracket.
    is_glued: bool,
}

impl Layout {
    fn line(&mut self, start: &Place, line: &PdnLine) {
        self.comments(&line.comments);
        let mut place = *start;
        for (index, ply) in line.plies.iter().enumerate() {
            self.ply(&place, ply, index == 0);
            place = place.after(ply.mv);
        }
    }

    fn ply(&mut self, place: &Place, ply: &PdnPly, is_first: bool) {
        let text = move_text::pdn(&place.position, ply.mv);
        if is_first || place.number.side == Side::White {
            self.word(&format!("{} {text}", place.number));
        } else {
            self.word(&text);
        }
        for nag in &ply.nags {
            self.word(&format!("${nag}"));
        }
        self.comments(&ply.comments);
        for variation in &ply.variations {
            self.word("(");
            self.is_glued = true;
            self.line(place, variation);
            self.is_glued = true;
            self.word(")");
        }
    }

    fn comments(&mut self, comments: &[String]) {
        for comment in comments.iter().map(|comment| tidy(comment)) {
            if comment.contains('}') {
                self.line_comment(&comment);
            } else if !comment.is_empty() {
                let words = format!("{{{comment}}}");
                words.split(' ').for_each(|word| self.word(word));
            }
        }
    }

    /// A comment that braces cannot hold: it ends with its line.
    fn line_comment(&mut self, comment: &str) {
        self.is_glued = false;
        self.word(&format!("; {comment}"));
        self.place_word();
        self.text.push('\n');
        self.column = 0;
    }

    fn word(&mut self, word: &str) {
        if !std::mem::take(&mut self.is_glued) {
            self.place_word();
        }
        self.word.push_str(word);
    }

    /// Puts the word behind the last one or on a new line. Where a line of a
    /// comment would begin with a sign that means something there, it gets long.
    fn place_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        let width = word.chars().count();
        let is_first = self.column == 0;
        if !is_first && self.column + 1 + width > COLUMNS && !word.starts_with(['[', '%']) {
            self.text.push('\n');
            self.column = 0;
        } else if !is_first {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(&word);
        self.column += width;
    }
}
