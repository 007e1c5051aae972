//! Files that grow while a job runs and that a later job goes on with.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
};

use super::Failure;

/// Opens or makes a regular file to read it and to add to it, and keeps others
/// from doing so; `name` is what messages call it, `other` who else would.
pub(super) fn open(path: &Path, name: &str, other: &str) -> Result<File, Failure> {
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .map_err(|error| unwritable(path, &error))?;
    if !file.metadata().is_ok_and(|data| data.is_file()) {
        return Err(Failure::Usage(format!("{name}: it is no regular file")));
    }
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => Failure::Usage(format!("{name}: {other} writes to it")),
        TryLockError::Error(error) => unwritable(path, &error),
    })?;
    Ok(file)
}

/// The failure to write to a file.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Job(format!("cannot write {}: {error}", path.display()))
}
