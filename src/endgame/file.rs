//! The file format, version 1, and tables that are read from it.
//!
//! A file is one table or several, one behind the other. All numbers are
//! little-endian. A table is
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `MANOURY1` |
//! | 1 | 0: win, draw or loss; 1: distance |
//! | 4 | men and kings of the mover, men and kings of the other side |
//! | 3 | zero |
//! | 8 | how many placements, see [`index`](super::index) |
//! | 4 | how many blocks |
//! | 4 | the checksum of the directory |
//! | 8 a block | the directory: where the block ends in the data, and its checksum |
//! | | the data: the blocks |
//!
//! A block is a zstd frame. Unpacked it holds 16,384 values of two bits, the
//! first in the lowest, 0 lost, 1 drawn, 2 won; or 4,096 distances of a byte.
//! The last one may be shorter. Where the mover must capture, anything may
//! stand: the capture decides. A checksum is the 32-bit FNV-1a hash (Fowler,
//! Noll and Vo, 1991).
//!
//! Blocks are unpacked when they are first asked for, once for all threads,
//! and kept.

use std::{
    cell::RefCell,
    fs::File,
    io,
    path::Path,
    sync::{Arc, OnceLock},
};

use memmap2::Mmap;

use super::{
    index::Index,
    material::{MAX_PIECES, Material},
};

/// What a table tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Win, draw or loss.
    Value,
    /// How many plies an ending takes.
    Distance,
}

impl Kind {
    /// How many placements a block has.
    const fn block(self) -> u64 {
        match self {
            Kind::Value => 4 * 4096,
            Kind::Distance => 4096,
        }
    }

    const fn per_byte(self) -> u64 {
        match self {
            Kind::Value => 4,
            Kind::Distance => 1,
        }
    }
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is not what it should be.
    #[error("{0}")]
    Damaged(&'static str),
}

const MAGIC: &[u8; 8] = b"MANOURY1";
const HEADER: usize = 32;

thread_local! {
    /// A thread's own, since to make one takes longer than to unpack a block.
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> =
        const { RefCell::new(None) };
}

/// Bytes in the program or in a file.
#[derive(Clone)]
enum Bytes {
    Static(&'static [u8]),
    Mapped(Arc<Mmap>),
}

impl Bytes {
    fn all(&self) -> &[u8] {
        match self {
            Bytes::Static(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}

/// One table, read-only, for all threads.
pub struct Table {
    kind: Kind,
    index: Index,
    bytes: Bytes,
    /// Where directory, data and table end in the bytes, and the table's start.
    start: usize,
    data: usize,
    end: usize,
    /// An empty block is one that could not be read.
    blocks: Vec<OnceLock<Box<[u8]>>>,
}

impl Table {
    /// What it tells.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The numbering of its placements.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Its size in bytes, packed.
    pub fn size(&self) -> usize {
        self.end - self.start
    }

    /// The checksum of all its bytes.
    pub fn checksum(&self) -> u32 {
        checksum(self.bytes.all().get(self.start..self.end).unwrap_or(&[]))
    }

    /// Checks every block.
    pub fn check(&self) -> Result<(), FileError> {
        (0..self.blocks.len()).try_for_each(|block| self.unpack(block).map(|_| ()))
    }

    /// What stands for the placement with this number: 0 to 2 or a distance;
    /// nothing if the block is damaged.
    #[inline]
    pub fn get(&self, number: u64) -> Option<u8> {
        let (block, within) = (number / self.kind.block(), number % self.kind.block());
        let bytes = self.blocks.get(block as usize)?;
        let bytes = bytes.get_or_init(|| self.unpack_or_warn(block as usize));
        let byte = *bytes.get((within / self.kind.per_byte()) as usize)?;
        Some(match self.kind {
            Kind::Value => byte >> (2 * (within % 4)) & 3,
            Kind::Distance => byte,
        })
    }

    #[cold]
    fn unpack_or_warn(&self, block: usize) -> Box<[u8]> {
        self.unpack(block).unwrap_or_else(|error| {
            let material = self.index.material();
            log::error!("endgame table {material}, block {block}: {error}");
            Box::default()
        })
    }

    /// A block as it was before it was packed.
    pub fn unpack(&self, block: usize) -> Result<Box<[u8]>, FileError> {
        let damaged = FileError::Damaged("a block is damaged");
        let bytes = self.bytes.all();
        let entry = |block: usize| bytes.get(self.start + HEADER + 8 * block..);
        let from = match block {
            0 => 0,
            _ => entry(block - 1).and_then(word).unwrap_or(u32::MAX) as usize,
        };
        let to = entry(block).and_then(word).unwrap_or(0) as usize;
        let expected = entry(block).and_then(|entry| word(entry.get(4..)?));
        let packed = bytes.get(self.data + from..self.data + to);
        let Some(packed) = packed.filter(|packed| Some(checksum(packed)) == expected) else {
            return Err(damaged);
        };
        let size = (self.kind.block() / self.kind.per_byte()) as usize;
        let unpacked = DECOMPRESSOR.with_borrow_mut(|decompressor| {
            let decompressor = match decompressor {
                Some(decompressor) => decompressor,
                None => decompressor.insert(zstd::bulk::Decompressor::new()?),
            };
            decompressor.decompress(packed, size)
        });
        Ok(unpacked.map_err(|_| damaged)?.into_boxed_slice())
    }

    fn read(bytes: &Bytes, start: usize) -> Result<Table, FileError> {
        let damaged = FileError::Damaged;
        let all = bytes.all().get(start..).unwrap_or(&[]);
        let header = all.get(..HEADER).ok_or(damaged("the file is cut short"))?;
        if !header.starts_with(MAGIC) {
            return Err(damaged("this is no endgame table of version 1"));
        }
        let &[kind, own_men, own_kings, men, kings, ..] = &header[8..] else {
            return Err(damaged("the file is cut short"));
        };
        let kind = match kind {
            0 => Kind::Value,
            1 => Kind::Distance,
            _ => return Err(damaged("the table is of an unknown kind")),
        };
        let counts = [own_men, own_kings, men, kings];
        if counts.iter().any(|&count| usize::from(count) > MAX_PIECES) {
            return Err(damaged("the table has too many pieces"));
        }
        let material = Material {
            men: [own_men, men],
            kings: [own_kings, kings],
        };
        if material.pieces() > MAX_PIECES {
            return Err(damaged("the table has too many pieces"));
        }
        let index = Index::new(material);
        let blocks = index.len().div_ceil(kind.block()) as usize;
        let numbers = (word(&header[24..]), word(&header[28..]));
        if header[16..24] != index.len().to_le_bytes() || numbers.0 != Some(blocks as u32) {
            return Err(damaged("the table has not the size of its material"));
        }
        let directory = all
            .get(HEADER..HEADER + 8 * blocks)
            .ok_or(damaged("the file is cut short"))?;
        if Some(checksum(directory)) != numbers.1 {
            return Err(damaged("the directory is damaged"));
        }
        let size = directory.rchunks(8).next().and_then(word).unwrap_or(0) as usize;
        let data = start + HEADER + 8 * blocks;
        if bytes.all().len() < data + size {
            return Err(damaged("the file is cut short"));
        }
        Ok(Table {
            kind,
            index,
            bytes: bytes.clone(),
            start,
            data,
            end: data + size,
            blocks: (0..blocks).map(|_| OnceLock::new()).collect(),
        })
    }
}

/// The tables in bytes of the program.
pub fn read_static(bytes: &'static [u8]) -> Result<Vec<Table>, FileError> {
    read_all(&Bytes::Static(bytes))
}

/// The tables of a file.
pub fn read_file(path: &Path) -> Result<Vec<Table>, FileError> {
    read_all(&Bytes::Mapped(Arc::new(map(&File::open(path)?)?)))
}

fn read_all(bytes: &Bytes) -> Result<Vec<Table>, FileError> {
    let (mut tables, mut start) = (Vec::new(), 0);
    while start < bytes.all().len() {
        let table = Table::read(bytes, start)?;
        start = table.end;
        tables.push(table);
    }
    Ok(tables)
}

#[expect(unsafe_code, reason = "a memory map is")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is only read, as bytes, of which any are valid. Our own
    // writer never changes a table file, it renames a new one into its place;
    // a foreign program that cuts one short while it is in use ends ours.
    unsafe { Mmap::map(file) }
}

/// The bytes of a table of `symbols`, as many as `material` has placements;
/// where there is none, any may stand.
pub fn pack(
    kind: Kind,
    material: Material,
    symbols: impl Iterator<Item = Option<u8>>,
) -> io::Result<Vec<u8>> {
    let mut packer = Packer::new(kind)?;
    let mut last = 1;
    for symbol in symbols {
        last = symbol.unwrap_or(last);
        packer.push(last)?;
    }
    packer.finish(material)
}

/// Puts symbols into blocks.
struct Packer {
    kind: Kind,
    compressor: zstd::bulk::Compressor<'static>,
    block: Vec<u8>,
    /// How many symbols there are, and those of the byte that is not full.
    count: u64,
    byte: u8,
    directory: Vec<u8>,
    data: Vec<u8>,
}

impl Packer {
    fn new(kind: Kind) -> io::Result<Packer> {
        let mut compressor = zstd::bulk::Compressor::new(19)?;
        compressor.include_contentsize(false)?;
        Ok(Packer {
            kind,
            compressor,
            block: Vec::new(),
            count: 0,
            byte: 0,
            directory: Vec::new(),
            data: Vec::new(),
        })
    }

    fn push(&mut self, symbol: u8) -> io::Result<()> {
        let per_byte = self.kind.per_byte();
        let place = self.count % per_byte;
        self.byte |= symbol << (2 * place);
        self.count += 1;
        if place + 1 == per_byte {
            self.block.push(std::mem::take(&mut self.byte));
        }
        if self.count.is_multiple_of(self.kind.block()) {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        let packed = self.compressor.compress(&self.block)?;
        self.block.clear();
        self.data.extend_from_slice(&packed);
        let end = u32::try_from(self.data.len()).map_err(io::Error::other)?;
        self.directory.extend_from_slice(&end.to_le_bytes());
        self.directory
            .extend_from_slice(&checksum(&packed).to_le_bytes());
        Ok(())
    }

    fn finish(mut self, material: Material) -> io::Result<Vec<u8>> {
        if !self.count.is_multiple_of(self.kind.per_byte()) {
            self.block.push(self.byte);
        }
        if !self.block.is_empty() {
            self.end_block()?;
        }
        let ([a, c], [b, d]) = (material.men, material.kings);
        let mut bytes = MAGIC.to_vec();
        bytes.extend([self.kind as u8, a, b, c, d, 0, 0, 0]);
        bytes.extend(self.count.to_le_bytes());
        bytes.extend((self.directory.len() as u32 / 8).to_le_bytes());
        bytes.extend(checksum(&self.directory).to_le_bytes());
        bytes.append(&mut self.directory);
        bytes.append(&mut self.data);
        Ok(bytes)
    }
}

fn word(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?))
}

fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811C_9DC5, |hash, &byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINGS: Material = Material {
        men: [0, 0],
        kings: [2, 1],
    };

    fn symbol(number: u64) -> u8 {
        (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u8 % 3
    }

    fn packed(kind: Kind) -> Vec<u8> {
        let symbols = (0..Index::new(KINGS).len()).map(symbol);
        pack(kind, KINGS, symbols.map(Some)).unwrap()
    }

    #[test]
    fn what_is_packed_is_read_again() {
        for kind in [Kind::Value, Kind::Distance] {
            let bytes = packed(kind).leak();
            let tables = read_static(bytes).unwrap();
            let table = &tables[0];
            assert!(table.check().is_ok());
            for number in 0..table.index().len() {
                assert_eq!(table.get(number), Some(symbol(number)));
            }
            assert_eq!(table.get(table.index().len() + 4096 * 4), None);
        }
    }

    #[test]
    fn a_changed_byte_anywhere_is_noticed() {
        let good = packed(Kind::Value);
        for at in (0..good.len()).step_by(7).chain(0..HEADER + 16) {
            let mut bytes = good.clone();
            bytes[at] ^= 0x10;
            let read = read_static(bytes.leak());
            // Three bytes of the header mean nothing.
            let is_noticed = read.is_err_and(|_| true)
                || (13..16).contains(&at)
                || read_static(bytes_of(&good, at)).unwrap()[0]
                    .check()
                    .is_err();
            assert!(is_noticed, "byte {at}");
        }
    }

    fn bytes_of(good: &[u8], at: usize) -> &'static [u8] {
        let mut bytes = good.to_vec();
        bytes[at] ^= 0x10;
        bytes.leak()
    }

    #[test]
    fn a_table_that_is_cut_short_is_refused() {
        let good = packed(Kind::Distance);
        for len in (1..good.len()).step_by(101).chain([good.len() - 1]) {
            assert!(read_static(good[..len].to_vec().leak()).is_err(), "{len}");
        }
    }
}
