//! Memory for large tables.
//!
//! Linux grants more memory than there is and kills the process that uses it,
//! so what is free is looked up first. What the memory is for is not known here.

/// Why a table cannot have its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// More was asked for than is free.
    #[error("{} MiB are needed and {} MiB are free", needed >> 20, free >> 20)]
    TooLarge {
        /// What was asked for, in bytes.
        needed: u64,
        /// What is free, in bytes.
        free: u64,
    },
    /// The system does not grant it to this process.
    #[error("the system refuses {} MiB", needed >> 20)]
    Refused {
        /// What was asked for, in bytes.
        needed: u64,
    },
}

/// `len` zeroed elements of `WORDS` words each. Pages that are not used yet
/// take no memory and no time.
pub fn zeroed<const WORDS: usize>(len: u64) -> Result<Vec<[u64; WORDS]>, MemoryError> {
    let needed = len.saturating_mul(8 * WORDS as u64);
    check(needed)?;
    let refused = MemoryError::Refused { needed };
    let len = usize::try_from(len).map_err(|_| refused)?;
    // `vec!` would end the process where this is told.
    let reserved = Vec::<[u64; WORDS]>::new().try_reserve_exact(len);
    reserved.map_err(|_| refused)?;
    Ok(vec![[0; WORDS]; len])
}

/// Whether `needed` bytes are free; always so where that is not known.
fn check(needed: u64) -> Result<(), MemoryError> {
    match free() {
        Some(free) if needed > free => Err(MemoryError::TooLarge { needed, free }),
        _ => Ok(()),
    }
}

/// The bytes that can be taken without swapping, from `/proc/meminfo`.
fn free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused() {
        assert!(check(1 << 20).is_ok());
        if cfg!(target_os = "linux") {
            let error = check(u64::MAX).unwrap_err();
            assert!(
                error
                    .to_string()
                    .starts_with("17592186044415 MiB are needed")
            );
        }
    }
}
