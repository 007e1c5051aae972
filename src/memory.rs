//! How much memory a table may take.
//!
//! Linux grants more memory than there is and kills the process that uses it,
//! so a table asks here first. What the memory is for is not known here.

/// More memory was asked for than is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} MiB are needed and {} MiB are free", needed >> 20, free >> 20)]
pub struct TooLarge {
    /// What was asked for, in bytes.
    pub needed: u64,
    /// What is free, in bytes.
    pub free: u64,
}

/// Whether `needed` bytes can be taken; always so where the free memory is not known.
pub fn check(needed: u64) -> Result<(), TooLarge> {
    match free() {
        Some(free) if needed > free => Err(TooLarge { needed, free }),
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
