//! The PDN file of a match: its games one after the other, each complete on
//! disk before the next begins, so that the match can go on from there.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use time::OffsetDateTime;

use crate::{
    arena::{
        archive::{self, EVENT},
        game::Record,
        tournament::Tournament,
    },
    cli::{
        Failure,
        append_file::{self, unwritable},
        complain,
    },
    notation::pdn::{self, PdnResult},
};

/// An open file that no other match writes to.
pub(super) struct GameFile {
    path: PathBuf,
    file: File,
    /// How much of it is whole games.
    length: u64,
    /// Whether the last line lacks its end.
    is_line_open: bool,
}

impl GameFile {
    /// Opens or makes the file, and reads the games of `tournament` that are in
    /// it, with their numbers from 0. A game at the end that was cut off is
    /// removed; with games of anything else the file is refused and left alone.
    pub(super) fn open(
        path: &Path,
        tournament: &Tournament,
    ) -> Result<(GameFile, Vec<(usize, Record)>), Failure> {
        let name = format!("--pdn {}", path.display());
        let mut file = append_file::open(path, &name, "another match")?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|error| unwritable(path, &error))?;
        let whole = whole_games(&bytes);
        let games = read_games(path, whole, tournament)?;
        let length = whole.len() as u64;
        let game_file = GameFile {
            path: path.to_owned(),
            file,
            length,
            is_line_open: !whole.is_empty() && !whole.ends_with(b"\n"),
        };
        if whole.len() < bytes.len() {
            let number = games.len() + 1;
            complain(&format!(
                "--pdn {}: game {number} is cut off and will be played again",
                path.display()
            ));
            game_file.cut().map_err(|error| unwritable(path, &error))?;
        }
        Ok((game_file, games))
    }

    /// Adds a game. If that fails the file is as it was.
    pub(super) fn add(
        &mut self,
        tournament: &Tournament,
        number: usize,
        record: &Record,
    ) -> Result<(), Failure> {
        if is_removed(&self.file) {
            let path = self.path.display();
            return Err(Failure::Job(format!(
                "{path} was removed while it was written"
            )));
        }
        let mut text = Vec::new();
        if self.is_line_open {
            text.extend(b"\n\n");
        }
        let game = archive::write(tournament, number, record, &today());
        let added = pdn::write(&mut text, &game)
            .and_then(|()| self.file.write_all(&text))
            .and_then(|()| self.file.sync_data());
        if let Err(error) = added {
            // Should this fail too, the cut game is found at the next start.
            let _ = self.cut();
            return Err(unwritable(&self.path, &error));
        }
        self.length += text.len() as u64;
        self.is_line_open = false;
        Ok(())
    }

    /// Whether the file is the one at `path`.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        std::fs::canonicalize(&self.path).is_ok_and(|own| own == path)
    }

    /// Removes what stands behind the whole games.
    fn cut(&self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        (&self.file).seek(SeekFrom::End(0)).map(drop)
    }
}

/// Whether the file has no name any more.
fn is_removed(file: &File) -> bool {
    #[cfg(unix)]
    return {
        use std::os::unix::fs::MetadataExt;
        file.metadata().is_ok_and(|data| data.nlink() == 0)
    };
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// The date as PDN has it, in UTC.
fn today() -> String {
    let today = OffsetDateTime::now_utc().date();
    let (year, month, day) = (today.year(), u8::from(today.month()), today.day());
    format!("{year:04}.{month:02}.{day:02}")
}

fn read_games(
    path: &Path,
    text: &[u8],
    tournament: &Tournament,
) -> Result<Vec<(usize, Record)>, Failure> {
    let mut games: Vec<(usize, Record)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (place, game) in (1..).zip(pdn::Reader::new(text)) {
        let wrong = |reason: String| {
            let path = path.display();
            Failure::Usage(format!("--pdn {path}, game {place}: {reason}"))
        };
        let game = game.map_err(|error| wrong(error.to_string()))?;
        if let Some(problem) = game.problem {
            return Err(Failure::Usage(format!(
                "--pdn {}, {problem}",
                path.display()
            )));
        }
        let (number, record) =
            archive::read(tournament, &game).map_err(|error| wrong(error.to_string()))?;
        if !seen.insert(number) {
            return Err(wrong(format!("round {} is there twice", number + 1)));
        }
        games.push((number, record));
    }
    Ok(games)
}

/// The text without a game of ours at its end that is not whole.
fn whole_games(bytes: &[u8]) -> &[u8] {
    let head = format!("[Event \"{EVENT}\"]\n");
    let head = head.as_bytes();
    let last = (0..bytes.len()).rev().find(|&at| {
        let (before, rest) = bytes.split_at(at);
        let is_head = before.ends_with(b"\n") && rest.starts_with(head);
        let is_cut_head = before.ends_with(b"\n\n") && head.starts_with(rest);
        is_head || is_cut_head || at == 0 && (rest.starts_with(head) || head.starts_with(rest))
    });
    match last.map(|last| bytes.split_at(last)) {
        Some((before, tail)) if is_cut(tail) => before,
        _ => bytes,
    }
}

/// Whether the text is the beginning of one game, without the result that
/// stands behind its moves.
fn is_cut(tail: &[u8]) -> bool {
    let text = String::from_utf8_lossy(tail);
    // The tag tells the result in any case.
    let untold: String = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("[Result "))
        .collect();
    let mut games = pdn::Reader::new(untold.as_bytes());
    let is_without_result = match games.next() {
        None => true,
        Some(Ok(game)) => game.result == PdnResult::Unknown,
        Some(Err(_)) => false,
    };
    is_without_result && games.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_whole_when_its_result_and_line_end_are_there() {
        let game = format!("[Event \"{EVENT}\"]\n[Result \"1-1\"]\n\n1. 32-28 19-23 1-1\n\n");
        let two = format!("{game}{game}");
        assert_eq!(whole_games(two.as_bytes()).len(), two.len());
        assert_eq!(
            whole_games(&two.as_bytes()[..two.len() - 1]).len(),
            two.len() - 1
        );
        // Without the last line's end the game is whole, too.
        for cut in 1..game.len() - 2 {
            let torn = &two.as_bytes()[..game.len() + cut];
            assert_eq!(whole_games(torn).len(), game.len(), "{cut}");
        }
        for foreign in [
            "[Event \"A\"]\n\n1. 32-28",
            "[Event \"A\"]\n[Result \"*\"]\n\n*\n",
            "x",
        ] {
            let text = format!("{game}{foreign}");
            assert_eq!(whole_games(text.as_bytes()).len(), text.len());
        }
    }
}
