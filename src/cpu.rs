//! Whether the processor has what the program was built for.
//!
//! A processor that lacks an instruction kills the program with SIGILL, which
//! tells nobody anything, so this asks first and says in a line what is missing.
//! The answer comes from the CPUID instruction itself:
//! `is_x86_feature_detected!` takes for granted whatever was compiled in.
//!
//! It must run before `main`, since the linker's optimiser compiles what Rust
//! does there for the same processor, and must itself keep to whole words, the
//! simplest of operations and the system's C library.
//!
//! Other architectures are not checked, nor are other systems than Unix.

#![cfg(all(target_arch = "x86_64", unix))]

use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

/// Where a feature's bit is found.
#[derive(Clone, Copy)]
enum Word {
    Leaf1Ecx,
    Leaf7Ebx,
    Leaf7Ecx,
    Leaf7Edx,
    Leaf7Sub1Eax,
    ExtendedEcx,
    /// What the operating system saves on a task switch (XCR0).
    System,
}

/// What the processor says, by [`Word`].
type Words = [u32; 7];

struct Feature {
    #[cfg(test)]
    name: &'static str,
    /// What is said if it is missing.
    complaint: &'static str,
    /// Whether the compiler may have used it.
    used: bool,
    word: Word,
    mask: u32,
}

macro_rules! features {
    ($($name:literal $word:ident $($bit:literal)+;)*) => {
        &[$(Feature {
            #[cfg(test)]
            name: $name,
            complaint: concat!(
                "manoury: this build needs a processor with ", $name,
                "; use one for an older processor\n",
            ),
            used: cfg!(target_feature = $name),
            word: Word::$word,
            mask: $(1 << $bit)|+,
        }),*]
    };
}

/// What compilers make use of on their own, the oldest first, by Intel's
/// and AMD's manuals. A wide register also needs the system's help.
const FEATURES: &[Feature] = features! {
    "sse3" Leaf1Ecx 0;
    "ssse3" Leaf1Ecx 9;
    "cmpxchg16b" Leaf1Ecx 13;
    "sse4.1" Leaf1Ecx 19;
    "sse4.2" Leaf1Ecx 20;
    "popcnt" Leaf1Ecx 23;
    "avx" Leaf1Ecx 28;
    "avx" System 1 2;
    "f16c" Leaf1Ecx 29;
    "bmi1" Leaf7Ebx 3;
    "lzcnt" ExtendedEcx 5;
    "avx2" Leaf7Ebx 5;
    "bmi2" Leaf7Ebx 8;
    "fma" Leaf1Ecx 12;
    "movbe" Leaf1Ecx 22;
    "avx512f" Leaf7Ebx 16;
    "avx512f" System 5 6 7;
    "avx512dq" Leaf7Ebx 17;
    "avx512ifma" Leaf7Ebx 21;
    "avx512cd" Leaf7Ebx 28;
    "avx512bw" Leaf7Ebx 30;
    "avx512vl" Leaf7Ebx 31;
    "avx512vbmi" Leaf7Ecx 1;
    "avx512vbmi2" Leaf7Ecx 6;
    "gfni" Leaf7Ecx 8;
    "avx512vnni" Leaf7Ecx 11;
    "avx512bitalg" Leaf7Ecx 12;
    "avx512vpopcntdq" Leaf7Ecx 14;
    "avx512fp16" Leaf7Edx 23;
    "avxvnni" Leaf7Sub1Eax 4;
    "avx512bf16" Leaf7Sub1Eax 5;
};

/// What the loader runs before `main`.
#[used]
#[allow(unsafe_code)]
// SAFETY: the section holds pointers to such functions on these systems.
#[cfg_attr(not(target_os = "macos"), unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static BEFORE_MAIN: extern "C" fn() = check_or_exit;

/// Ends the program if this processor cannot run it.
extern "C" fn check_or_exit() {
    if let Some(feature) = first_missing(&words(), |feature| feature.used) {
        exit_with(feature.complaint);
    }
}

#[cold]
#[inline(never)]
#[allow(unsafe_code)]
fn exit_with(complaint: &str) -> ! {
    unsafe extern "C" {
        fn write(file: i32, text: *const u8, length: usize) -> isize;
        fn _exit(code: i32) -> !;
    }
    // SAFETY: both are the C library's own, and the text is as long as it says.
    unsafe {
        write(2, complaint.as_ptr(), complaint.len());
        _exit(1)
    }
}

/// The first of the features that count which is not in `words`.
fn first_missing(words: &Words, counts: impl Fn(&Feature) -> bool) -> Option<&'static Feature> {
    FEATURES
        .iter()
        .filter(|feature| counts(feature))
        .find(|feature| words[feature.word as usize] & feature.mask != feature.mask)
}

// CPUID is safe to call in newer compilers only.
#[allow(unsafe_code, unused_unsafe)]
fn words() -> Words {
    // SAFETY: every x86-64 processor has CPUID, and it changes nothing.
    let (leaves, one, extended) = unsafe { (__cpuid(0).eax, __cpuid(1), __cpuid(0x8000_0001)) };
    let mut words = [0; 7];
    words[Word::Leaf1Ecx as usize] = one.ecx;
    words[Word::ExtendedEcx as usize] = extended.ecx;
    // A leaf beyond the last is answered with nonsense.
    if leaves >= 7 {
        // SAFETY: as above.
        let (seven, sub_one) = unsafe { (__cpuid_count(7, 0), __cpuid_count(7, 1)) };
        words[Word::Leaf7Ebx as usize] = seven.ebx;
        words[Word::Leaf7Ecx as usize] = seven.ecx;
        words[Word::Leaf7Edx as usize] = seven.edx;
        if seven.eax >= 1 {
            words[Word::Leaf7Sub1Eax as usize] = sub_one.eax;
        }
    }
    const OSXSAVE: u32 = 1 << 27;
    if one.ecx & OSXSAVE != 0 {
        words[Word::System as usize] = saved_state();
    }
    words
}

/// The low half of XCR0. To be called only if the processor has OSXSAVE.
#[allow(unsafe_code)]
fn saved_state() -> u32 {
    #[target_feature(enable = "xsave")]
    fn xcr0() -> u64 {
        // SAFETY: the caller has OSXSAVE, and register 0 always exists.
        unsafe { _xgetbv(0) }
    }
    // SAFETY: whoever has OSXSAVE has XSAVE.
    unsafe { xcr0() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: Words = [u32::MAX; 7];

    /// The name of the first of the features that count and are missing.
    fn missing(words: &Words, counts: impl Fn(&Feature) -> bool) -> Option<&'static str> {
        first_missing(words, counts).map(|feature| feature.name)
    }

    #[test]
    fn this_processor_runs_what_was_built_for_it() {
        assert_eq!(missing(&words(), |feature| feature.used), None);
    }

    #[test]
    fn a_processor_with_everything_lacks_nothing_and_each_bit_counts() {
        assert_eq!(missing(&EVERYTHING, |_| true), None);
        for feature in FEATURES {
            let mut words = EVERYTHING;
            words[feature.word as usize] &= !(feature.mask & feature.mask.wrapping_neg());
            assert_eq!(missing(&words, |_| true), Some(feature.name));
            let others = |other: &Feature| other.name != feature.name;
            assert_eq!(missing(&words, others), None);
        }
    }

    #[test]
    fn a_nehalem_lacks_avx_and_what_it_has_is_enough_for_x86_64_v2() {
        let mut nehalem = [0; 7];
        nehalem[Word::Leaf1Ecx as usize] = 0x009c_e3bd;
        let v2 = ["sse3", "ssse3", "cmpxchg16b", "sse4.1", "sse4.2", "popcnt"];
        let is_v2 = |feature: &Feature| v2.contains(&feature.name);
        assert_eq!(missing(&nehalem, is_v2), None);
        assert_eq!(missing(&nehalem, |_| true), Some("avx"));
    }

    #[test]
    fn a_system_that_does_not_save_wide_registers_cannot_run_avx() {
        let mut words = EVERYTHING;
        words[Word::System as usize] = 0b11;
        assert_eq!(missing(&words, |_| true), Some("avx"));
        words[Word::System as usize] = 0b111;
        assert_eq!(missing(&words, |_| true), Some("avx512f"));
    }
}
