//! Files that are either whole or not there.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::{Failure, append_file::unwritable};

/// A file to be written when its content is complete. That it can be written
/// is found out at once, before any work is done for it.
pub(super) struct OutputFile {
    /// Where it will be, behind any link.
    path: PathBuf,
    /// Where it is made, in the same folder; removed if it is not finished.
    file: NamedTempFile,
}

impl OutputFile {
    /// Opens a file beside `path`, which stays as it is.
    pub(super) fn create(path: &Path) -> Result<OutputFile, Failure> {
        if path.exists() && !path.is_file() {
            let path = path.display();
            return Err(Failure::Usage(format!("{path}: it is no regular file")));
        }
        let wrong = |error: &io::Error| unwritable(path, error);
        let path = behind_links(path).map_err(|error| wrong(&error))?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let file = NamedTempFile::new_in(folder).map_err(|error| wrong(&error))?;
        Ok(OutputFile { path, file })
    }

    /// Where it will be.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the content and puts it in the place of `path`.
    pub(super) fn finish(mut self, content: &[u8]) -> Result<(), Failure> {
        let path = self.path;
        let written = self.file.write_all(content);
        written
            .and_then(|()| make_readable(&self.file))
            .and_then(|()| self.file.as_file().sync_all())
            .and_then(|()| self.file.persist(&path).map_err(|error| error.error))
            .map(drop)
            .map_err(|error| unwritable(&path, &error))
    }
}

/// The absolute path of a file that may not exist yet, but for its folder.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).or_else(|_| {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
        Ok(folder.join(path.file_name().ok_or(io::ErrorKind::InvalidInput)?))
    })
}

/// A temporary file is its owner's alone; this one is like any other.
fn make_readable(file: &NamedTempFile) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file()
            .set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    let _ = file;
    Ok(())
}
