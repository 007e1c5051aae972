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
    let words = vec![[0; WORDS]; len];
    use_large_pages(&words);
    Ok(words)
}

/// Has the pages of zeroed `memory` at hand, which costs some milliseconds for
/// 64 MiB now instead of when a search is in a hurry.
pub fn touch<const WORDS: usize>(memory: &mut [[u64; WORDS]]) {
    const PAGE: usize = 4096;
    for page in memory.chunks_mut(PAGE / (8 * WORDS)) {
        if let Some(first) = std::hint::black_box(page).first_mut() {
            *first = [0; WORDS];
        }
    }
}

/// Asks for large pages for `memory`, which has not been written to: then
/// random accesses seldom miss the address cache. Where there are none nothing
/// changes.
pub fn use_large_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::mman;
        const LARGE: usize = 2 << 20;
        let range = memory.as_ptr_range();
        let first = (range.start as usize).next_multiple_of(LARGE);
        let Some(length) = (range.end as usize).checked_sub(first) else {
            return;
        };
        let Some(start) = std::ptr::NonNull::new(first as *mut std::ffi::c_void) else {
            return;
        };
        #[expect(unsafe_code, reason = "the call takes a raw pointer")]
        // SAFETY: the range lies within `memory`, and advice changes no content.
        let done = unsafe { mman::madvise(start, length, mman::MmapAdvise::MADV_HUGEPAGE) };
        if let Err(error) = done {
            log::debug!("no large pages: {error}");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Has the processor fetch the cache line with `place`, which will soon be
/// read; a hint and nothing more.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "the instruction takes a raw pointer")]
    // SAFETY: it reads nothing, and the pointer is one to a living value.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
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
