//! Registers of the processor: kernels are written once over [`Vector`] and compiled for each kind.
//!
//! The portable kind is one machine word. On x86-64 there are 256-bit registers (AVX2) and 512-bit
//! registers (AVX-512); which of them a processor has is found out at run time ([`Width::best`]). All
//! intrinsics of the project are in this file.
#![expect(clippy::inline_always, reason = "kernels compiled for several kinds of registers")]

use crate::plane::{Plane, WORDS};

/// Some words of a plane, held in a register.
pub trait Vector: Copy {
    /// How many words it holds.
    const SIZE: usize;

    /// All bits 0.
    fn zero() -> Self;
    /// All bits 1.
    fn ones() -> Self;
    /// The words of a plane from `block * SIZE` on.
    fn load(plane: &Plane, block: usize) -> Self;
    /// Writes the words of a plane from `block * SIZE` on.
    fn store(self, plane: &mut Plane, block: usize);
    /// Both.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// One of them.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Exactly one of them.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// This one without the other.
    #[must_use]
    fn and_not(self, other: Self) -> Self;
    /// Whether no bit is set.
    fn is_zero(self) -> bool;
    /// The sums of each pair of 64-bit words, modulo 2^64.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// Each 64-bit word shifted towards its high bits.
    #[must_use]
    fn shift_left<const N: i32>(self) -> Self;
    /// Each 64-bit word shifted towards its low bits.
    #[must_use]
    fn shift_right<const N: i32>(self) -> Self;

    /// Sum and carry of three bits.
    #[inline(always)]
    fn full_add(self, b: Self, c: Self) -> (Self, Self) {
        let half = self.xor(b);
        (half.xor(c), self.and(b).or(half.and(c)))
    }

    /// Sum and carry of two bits.
    #[inline(always)]
    fn half_add(self, b: Self) -> (Self, Self) {
        (self.xor(b), self.and(b))
    }

    /// Where this one is set the first, elsewhere the second.
    #[inline(always)]
    #[must_use]
    fn select(self, first: Self, second: Self) -> Self {
        self.and(first).or(second.and_not(self))
    }
}

impl Vector for u64 {
    const SIZE: usize = 1;

    #[inline(always)]
    fn zero() -> Self {
        0
    }

    #[inline(always)]
    fn ones() -> Self {
        u64::MAX
    }

    #[inline(always)]
    fn load(plane: &Plane, block: usize) -> Self {
        plane[block % WORDS]
    }

    #[inline(always)]
    fn store(self, plane: &mut Plane, block: usize) {
        plane[block % WORDS] = self;
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self & !other
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        self << N
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        self >> N
    }
}

/// Kernels: functions over any [`Vector`].
pub trait Kernel {
    /// What it returns.
    type Output;
    /// Runs it in registers of one kind.
    fn run<V: Vector>(self) -> Self::Output;
}

/// A kind of registers that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Width {
    /// The widest registers of this processor.
    pub fn best() -> Self {
        Self::all()[0]
    }

    /// All kinds that this processor has, the widest first.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let plain = is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt");
            let wide = plain && is_x86_feature_detected!("avx2");
            if wide && is_x86_feature_detected!("avx512f") {
                all.push(Self(Kind::Avx512));
            }
            if wide {
                all.push(Self(Kind::Avx2));
            }
        }
        all.push(Self(Kind::Word));
        all
    }

    /// The bits of a register.
    pub fn bits(self) -> usize {
        match self.0 {
            Kind::Word => 64,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => 256,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => 512,
        }
    }

    /// Runs a kernel in registers of this kind.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Kind::Word => kernel.run::<u64>(),
            // SAFETY: a `Width` of this kind exists only where the processor was found to have it.
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "a kernel compiled for other registers")]
            Kind::Avx2 => unsafe { x86::avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "a kernel compiled for other registers")]
            Kind::Avx512 => unsafe { x86::avx512(kernel) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! The wide registers of x86-64. The methods call instructions that a processor may lack, so the
    //! types must be used inside [`avx2`] and [`avx512`] only, which see to it that they are inlined there.
    #![expect(unsafe_code, reason = "intrinsics; measured in docs/benchmarks.md")]

    use std::arch::x86_64::{
        __m256i, __m512i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_and_si256,
        _mm256_andnot_si256, _mm256_load_si256, _mm256_or_si256, _mm256_set1_epi64x,
        _mm256_setzero_si256, _mm256_slli_epi64, _mm256_srli_epi64, _mm256_store_si256,
        _mm256_testz_si256, _mm256_xor_si256, _mm512_add_epi64, _mm512_and_si512,
        _mm512_andnot_si512, _mm512_load_si512, _mm512_or_si512, _mm512_set1_epi64,
        _mm512_setzero_si512, _mm512_sll_epi64, _mm512_srl_epi64, _mm512_store_si512,
        _mm512_ternarylogic_epi64, _mm512_test_epi64_mask, _mm512_xor_si512,
    };

    use super::{Kernel, Plane, Vector, WORDS};

    #[target_feature(enable = "avx2,bmi1,popcnt")]
    pub(super) fn avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<__m256i>()
    }

    #[target_feature(enable = "avx512f,avx2,bmi1,popcnt")]
    pub(super) fn avx512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<__m512i>()
    }

    // SAFETY, for all intrinsics of both types: kernels over them are run by `avx2` and `avx512` alone,
    // and those only where the processor has the instructions. Loads and stores stay inside the plane,
    // and planes are aligned to 64 bytes.
    impl Vector for __m256i {
        const SIZE: usize = 4;

        #[inline(always)]
        fn zero() -> Self {
            unsafe { _mm256_setzero_si256() }
        }

        #[inline(always)]
        fn ones() -> Self {
            unsafe { _mm256_set1_epi64x(-1) }
        }

        #[inline(always)]
        fn load(plane: &Plane, block: usize) -> Self {
            // The remainder keeps the access inside the plane whatever the block is.
            unsafe { _mm256_load_si256(plane.0.as_ptr().add(block % 2 * 4).cast()) }
        }

        #[inline(always)]
        fn store(self, plane: &mut Plane, block: usize) {
            unsafe { _mm256_store_si256(plane.0.as_mut_ptr().add(block % 2 * 4).cast(), self) }
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            unsafe { _mm256_and_si256(self, other) }
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            unsafe { _mm256_or_si256(self, other) }
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            unsafe { _mm256_xor_si256(self, other) }
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            unsafe { _mm256_andnot_si256(other, self) }
        }

        #[inline(always)]
        fn is_zero(self) -> bool {
            unsafe { _mm256_testz_si256(self, self) == 1 }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            unsafe { _mm256_add_epi64(self, other) }
        }

        #[inline(always)]
        fn shift_left<const N: i32>(self) -> Self {
            unsafe { _mm256_slli_epi64::<N>(self) }
        }

        #[inline(always)]
        fn shift_right<const N: i32>(self) -> Self {
            unsafe { _mm256_srli_epi64::<N>(self) }
        }
    }

    impl Vector for __m512i {
        const SIZE: usize = WORDS;

        #[inline(always)]
        fn zero() -> Self {
            unsafe { _mm512_setzero_si512() }
        }

        #[inline(always)]
        fn ones() -> Self {
            unsafe { _mm512_set1_epi64(-1) }
        }

        #[inline(always)]
        fn load(plane: &Plane, _block: usize) -> Self {
            unsafe { _mm512_load_si512(plane.0.as_ptr().cast()) }
        }

        #[inline(always)]
        fn store(self, plane: &mut Plane, _block: usize) {
            unsafe { _mm512_store_si512(plane.0.as_mut_ptr().cast(), self) }
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            unsafe { _mm512_and_si512(self, other) }
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            unsafe { _mm512_or_si512(self, other) }
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            unsafe { _mm512_xor_si512(self, other) }
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            unsafe { _mm512_andnot_si512(other, self) }
        }

        #[inline(always)]
        fn is_zero(self) -> bool {
            unsafe { _mm512_test_epi64_mask(self, self) == 0 }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            unsafe { _mm512_add_epi64(self, other) }
        }

        #[inline(always)]
        fn shift_left<const N: i32>(self) -> Self {
            unsafe { _mm512_sll_epi64(self, _mm_cvtsi32_si128(N)) }
        }

        #[inline(always)]
        fn shift_right<const N: i32>(self) -> Self {
            unsafe { _mm512_srl_epi64(self, _mm_cvtsi32_si128(N)) }
        }

        #[inline(always)]
        fn full_add(self, b: Self, c: Self) -> (Self, Self) {
            // The tables of a ^ b ^ c and of the majority.
            unsafe {
                (
                    _mm512_ternarylogic_epi64::<0x96>(self, b, c),
                    _mm512_ternarylogic_epi64::<0xE8>(self, b, c),
                )
            }
        }

        #[inline(always)]
        fn select(self, first: Self, second: Self) -> Self {
            unsafe { _mm512_ternarylogic_epi64::<0xCA>(self, first, second) }
        }
    }
}
