//! The tables that are at hand, and what they say of a position.

use std::path::{Path, PathBuf};

use super::{
    Value,
    file::{self, FileError, Kind, Table},
    material::Material,
    placement::Placement,
};
use crate::board::MoveList;

/// The file extension of tables.
pub const EXTENSION: &str = "endgame";

/// Tables by what they tell and of which material.
pub struct Tables {
    tables: [Vec<Option<Box<Table>>>; 2],
}

/// A file that is not used, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct Unusable {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub error: FileError,
}

impl Tables {
    /// No tables.
    pub fn none() -> Tables {
        let empty = || (0..Material::NUMBERS).map(|_| None).collect();
        Tables {
            tables: [empty(), empty()],
        }
    }

    /// The tables that are part of the program.
    pub fn built_in() -> Tables {
        let mut tables = Tables::none();
        let parts: [&'static [u8]; 2] = [
            include_bytes!("small.endgame"),
            include_bytes!("distances.endgame"),
        ];
        for part in parts {
            match file::read_static(part) {
                Ok(read) => tables.add(read),
                Err(error) => log::error!("the built-in endgame tables: {error}"),
            }
        }
        tables
    }

    /// Adds tables; one of the same kind and material takes the other's place.
    pub fn add(&mut self, tables: Vec<Table>) {
        for table in tables {
            let (kind, number) = (table.kind() as usize, table.index().material().number());
            self.tables[kind][number] = Some(Box::new(table));
        }
    }

    /// Adds all tables of a folder, and returns what could not be used.
    pub fn add_folder(&mut self, folder: &Path) -> Vec<Unusable> {
        let unusable = |path: &Path, error| Unusable {
            path: path.to_owned(),
            error,
        };
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return vec![unusable(folder, error.into())],
        };
        let paths = entries.flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|found| found == EXTENSION))
            .collect();
        paths.sort();
        let mut refused = Vec::new();
        for path in paths {
            match file::read_file(&path) {
                Ok(tables) => self.add(tables),
                Err(error) => refused.push(unusable(&path, error)),
            }
        }
        refused
    }

    /// All tables, those of values first.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().flatten().flatten().map(Box::as_ref)
    }

    /// The table of this kind and material.
    #[inline]
    pub fn table(&self, kind: Kind, material: Material) -> Option<&Table> {
        self.tables[kind as usize]
            .get(material.number())?
            .as_deref()
    }

    /// The largest number of pieces of which every ending has its value here.
    pub fn pieces(&self) -> usize {
        let complete = |&pieces: &usize| {
            let families = Material::families(pieces).into_iter();
            let mut members = families.flat_map(Material::family);
            members.all(|member| self.table(Kind::Value, member).is_some())
        };
        (2..=super::material::MAX_PIECES)
            .take_while(complete)
            .last()
            .unwrap_or(0)
    }

    /// The theoretical value to the mover; none if a table is missing or damaged.
    pub fn value(&self, placement: &Placement) -> Option<Value> {
        if !placement.has_move() {
            return Some(Value::Loss);
        }
        if placement.enemies().is_empty() {
            return Some(Value::Win);
        }
        if placement.has_capture() {
            return self.value_by_moves(placement);
        }
        self.quiet_value(placement)
    }

    /// The same where nothing can be captured and both sides have pieces.
    #[inline]
    pub fn quiet_value(&self, placement: &Placement) -> Option<Value> {
        let table = self.table(Kind::Value, placement.material())?;
        match table.get(table.index().rank(placement))? {
            0 => Some(Value::Loss),
            1 => Some(Value::Draw),
            2 => Some(Value::Win),
            _ => None,
        }
    }

    /// The value that the best of the mover's moves leads to.
    pub fn value_by_moves(&self, placement: &Placement) -> Option<Value> {
        let mut list = MoveList::new();
        placement.legal_moves(&mut list);
        let mut best = Value::Loss;
        for mv in &list {
            best = best.max(-self.value(&placement.after(mv))?);
            if best == Value::Win {
                break;
            }
        }
        Some(best)
    }
}
