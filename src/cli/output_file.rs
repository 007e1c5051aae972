//! Files that are either whole or not there.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::Failure;

/// A file to be written when its content is complete. That it can be written
/// is found out at once, before any work is done for it.
pub(super) struct OutputFile {
    path: PathBuf,
    beside: PathBuf,
    file: File,
}

impl OutputFile {
    /// Opens a file beside `path`, which stays as it is.
    pub(super) fn create(path: &Path) -> Result<OutputFile, Failure> {
        if path.is_dir() {
            return Err(Failure::Usage(format!("{} is a folder", path.display())));
        }
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        let beside = PathBuf::from(name);
        let file = File::create(&beside).map_err(|error| failure(&beside, &error))?;
        Ok(OutputFile {
            path: path.to_owned(),
            beside,
            file,
        })
    }

    /// Writes the content and puts it in the place of `path`.
    pub(super) fn finish(mut self, content: &[u8]) -> Result<(), Failure> {
        let written = self.file.write_all(content);
        written
            .and_then(|()| self.file.sync_all())
            .and_then(|()| fs::rename(&self.beside, &self.path))
            .map_err(|error| failure(&self.path, &error))
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        // After a rename there is nothing to remove.
        let _ = fs::remove_file(&self.beside);
    }
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::Job(format!("cannot write {}: {error}", path.display()))
}
