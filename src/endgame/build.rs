//! Making tables, family by family, each a file that is whole or not there.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{
    distance::{self, Numbers},
    file::{self, Kind},
    material::Material,
    placement::Placement,
    solve::{self, Monitor, Stopped, Working},
    tables::{EXTENSION, Tables},
};

/// Why tables were not made.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The monitor said so.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A family does not fit.
    #[error("{family} needs {needed} MiB")]
    Memory {
        /// The family.
        family: Material,
        /// What it needs, in MiB.
        needed: u64,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

/// The file of a family's values in `folder`.
pub fn path(folder: &Path, family: Material) -> PathBuf {
    folder.join(format!("value-{family}.{EXTENSION}"))
}

/// Whether the family's file is in `folder`, whole and undamaged.
pub fn is_done(folder: &Path, family: Material) -> bool {
    file::read_file(&path(folder, family)).is_ok_and(|tables| {
        tables.len() == family.family().count() && tables.iter().all(|table| table.check().is_ok())
    })
}

/// Solves a family and writes its file; all that it leads to must be in
/// `tables`, to which it is added. Memory is given in MiB.
pub fn build(
    folder: &Path,
    family: Material,
    memory: u64,
    tables: &mut Tables,
    monitor: &Monitor,
) -> Result<(), BuildError> {
    let needed = Working::bytes(family) >> 20;
    if needed > memory {
        return Err(BuildError::Memory { family, needed });
    }
    let known = |placement: &_| tables.value(placement).unwrap_or(super::Value::Draw);
    let members = solve::solve(family, &known, monitor)?;
    let path = path(folder, family);
    let written = packed(&members).and_then(|bytes| write(&path, &bytes));
    let read = written.and_then(|()| file::read_file(&path).map_err(io::Error::other));
    let read = read.map_err(|error| BuildError::Io { path, error })?;
    tables.add(read);
    Ok(())
}

/// Finds the distances, writes them into one file and tells the longest win of
/// each material; `tables` has the values of all endings of up to four pieces.
pub fn build_distances(
    folder: &Path,
    tables: &Tables,
    monitor: &Monitor,
    mut tell: impl FnMut(Material, Option<(u8, Placement)>),
) -> Result<(), BuildError> {
    let mut numbers = Numbers::new(tables);
    let path = folder.join(format!("distances.{EXTENSION}"));
    let failed = |error| BuildError::Io {
        path: path.clone(),
        error,
    };
    let mut bytes = Vec::new();
    for family in distance::families() {
        numbers.solve(family, monitor)?;
        for member in family.family() {
            tell(member, numbers.longest(member));
        }
        // Against three pieces the lone king's numbers follow from the next ply's.
        let kept = if family.pieces() == 4 { 1 } else { 2 };
        for member in family.family().take(kept) {
            let symbols = numbers.symbols(member);
            let packed = file::pack(Kind::Distance, member, symbols);
            bytes.extend(packed.map_err(failed)?);
        }
    }
    write(&path, &bytes).map_err(failed)
}

fn packed(members: &[Working]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for member in members {
        let symbols = member.values().map(|value| value.map(|value| value as u8));
        bytes.extend(file::pack(Kind::Value, member.index().material(), symbols)?);
    }
    Ok(bytes)
}

/// Writes a file beside `path` and renames it when it is safe on the disk.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("part");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)
}
