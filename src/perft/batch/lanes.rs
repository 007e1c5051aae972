//! Eight bitboards in one register.
//!
//! All vector instructions of the crate are here. A [`Lanes`] can only be made
//! where the processor has them, so that working with one is safe everywhere.
//! What stands in the lanes is not known here.

#![allow(unsafe_code)]

use std::{
    arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_loadu_si512,
        _mm512_maskz_compress_epi64, _mm512_maskz_mov_epi64, _mm512_mul_epu32, _mm512_or_si512,
        _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_set1_epi64, _mm512_setzero_si512,
        _mm512_sllv_epi64, _mm512_srlv_epi64, _mm512_storeu_si512, _mm512_sub_epi64,
        _mm512_test_epi64_mask, _mm512_xor_si512,
    },
    ops::{Add, BitAnd, BitOr, BitXor, Mul, Sub},
};

use crate::board::{Bitboard, bitboard::Direction};

/// How many lanes there are.
pub(super) const COUNT: usize = 8;

/// Eight 64-bit numbers, most often sets of squares, each with the same meaning
/// as the operations of [`Bitboard`].
///
/// A value comes from [`Lanes::load`] or [`Lanes::splat`], which can be called
/// only with AVX-512F and VPOPCNTDQ enabled, or from other values.
#[derive(Clone, Copy)]
pub(super) struct Lanes(__m512i);

/// Some of the lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mask(u8);

/// Whether this processor has what [`Lanes`] need.
pub(super) fn are_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("popcnt")
}

impl Mask {
    /// Whether there is no lane.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many lanes there are.
    #[inline(always)]
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The lanes that are not among these.
    #[inline(always)]
    pub fn others(self) -> Mask {
        Mask(!self.0)
    }

    /// The lanes that are among both.
    #[inline(always)]
    pub fn and(self, other: Mask) -> Mask {
        Mask(self.0 & other.0)
    }
}

impl Lanes {
    /// The numbers of an array.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
    pub fn load(from: &[u64; COUNT]) -> Lanes {
        // SAFETY: the array is 64 bytes that may be read; no alignment is asked for.
        Lanes(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
    }

    /// One set in every lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
    pub fn splat(set: Bitboard) -> Lanes {
        Lanes(_mm512_set1_epi64(set.bits() as i64))
    }

    /// Writes the numbers to an array.
    #[inline(always)]
    pub fn store(self, to: &mut [u64; COUNT]) {
        // SAFETY: the array is 64 bytes that may be written; no alignment is
        // asked for. The instruction exists, since `self` does.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) }
    }

    /// The lanes of `mask` moved together to the front, then zeros.
    #[inline(always)]
    pub fn compressed(self, mask: Mask) -> Lanes {
        // SAFETY: the instruction exists, since `self` does.
        Lanes(unsafe { _mm512_maskz_compress_epi64(mask.0, self.0) })
    }

    /// The lanes of `mask`, and zeros in the others.
    #[inline(always)]
    pub fn only(self, mask: Mask) -> Lanes {
        // SAFETY: the instruction exists, since `self` does.
        Lanes(unsafe { _mm512_maskz_mov_epi64(mask.0, self.0) })
    }

    /// The lanes that are not empty.
    #[inline(always)]
    pub fn any(self) -> Mask {
        self.meeting(self)
    }

    /// The lanes in which the sets share a square.
    #[inline(always)]
    pub fn meeting(self, other: Lanes) -> Mask {
        // SAFETY: the instruction exists, since `self` does.
        Mask(unsafe { _mm512_test_epi64_mask(self.0, other.0) })
    }

    /// The squares that are not in `other`.
    #[inline(always)]
    pub fn without(self, other: Lanes) -> Lanes {
        // SAFETY: the instruction exists, since `self` does.
        Lanes(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }

    /// How many squares there are in each lane.
    #[inline(always)]
    pub fn count(self) -> Lanes {
        // SAFETY: the instruction exists, since `self` does.
        Lanes(unsafe { _mm512_popcnt_epi64(self.0) })
    }

    /// The first square of each lane.
    #[inline(always)]
    pub fn first(self) -> Lanes {
        // SAFETY: the instruction exists, since `self` does.
        let zero = Lanes(unsafe { _mm512_setzero_si512() });
        self & (zero - self)
    }

    /// The sum of all lanes.
    #[inline(always)]
    pub fn total(self) -> u64 {
        // SAFETY: the instructions exist, since `self` does.
        (unsafe { _mm512_reduce_add_epi64(self.0) }) as u64
    }

    /// One step in direction `D`, with strays.
    #[inline(always)]
    pub fn step<D: Direction>(self) -> Lanes {
        self.shifted(D::STEP)
    }

    /// Two steps in direction `D`, with strays.
    #[inline(always)]
    pub fn leap<D: Direction>(self) -> Lanes {
        self.shifted(2 * D::STEP)
    }

    #[inline(always)]
    fn shifted(self, distance: i32) -> Lanes {
        let bits = i64::from(distance.abs());
        // SAFETY: the instructions exist, since `self` does.
        Lanes(unsafe {
            let bits = _mm512_set1_epi64(bits);
            if distance > 0 {
                _mm512_sllv_epi64(self.0, bits)
            } else {
                _mm512_srlv_epi64(self.0, bits)
            }
        })
    }
}

macro_rules! operator {
    ($name:ident, $method:ident, $instruction:ident, $(#[$doc:meta])*) => {
        impl $name for Lanes {
            type Output = Lanes;
            $(#[$doc])*
            #[inline(always)]
            fn $method(self, other: Lanes) -> Lanes {
                // SAFETY: the instruction exists, since `self` does.
                Lanes(unsafe { $instruction(self.0, other.0) })
            }
        }
    };
}

operator!(BitAnd, bitand, _mm512_and_si512,);
operator!(BitOr, bitor, _mm512_or_si512,);
operator!(BitXor, bitxor, _mm512_xor_si512,);
operator!(Add, add, _mm512_add_epi64,);
operator!(Sub, sub, _mm512_sub_epi64,);
operator!(Mul, mul, _mm512_mul_epu32, /// Of numbers below 2^32.
);
