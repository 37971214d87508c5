//! Planes: one bit per position, for hundreds of positions.
#![expect(clippy::inline_always, reason = "kernels compiled for several kinds of registers")]

use crate::vector::Vector;

/// The words of a plane: 512 positions.
pub const WORDS: usize = 8;

/// The positions of a plane.
pub const LANES: usize = WORDS * 64;

/// One bit for each position. Aligned to lines of the cache: loads that cross them cost twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Plane(pub [u64; WORDS]);

impl std::ops::Deref for Plane {
    type Target = [u64; WORDS];

    #[inline(always)]
    fn deref(&self) -> &[u64; WORDS] {
        &self.0
    }
}

impl std::ops::DerefMut for Plane {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u64; WORDS] {
        &mut self.0
    }
}

/// No position.
pub const NONE: Plane = Plane([0; WORDS]);

/// All positions.
pub const ALL: Plane = Plane([u64::MAX; WORDS]);

macro_rules! operation {
    ($name:ident, $doc:literal, |$a:ident, $b:ident| $value:expr) => {
        #[doc = $doc]
        #[inline(always)]
        pub fn $name(a: &Plane, b: &Plane) -> Plane {
            Plane(std::array::from_fn(|i| {
                let ($a, $b) = (a[i], b[i]);
                $value
            }))
        }
    };
}

operation!(and, "Both.", |a, b| a & b);
operation!(or, "One of them.", |a, b| a | b);
operation!(and_not, "The first without the second.", |a, b| a & !b);
operation!(nor, "None of them.", |a, b| !(a | b));

/// The plane or its complement.
#[inline(always)]
pub fn flipped(a: &Plane, flip: bool) -> Plane {
    let mask = if flip { u64::MAX } else { 0 };
    Plane(std::array::from_fn(|i| a[i] ^ mask))
}

/// How many positions are set.
#[inline]
pub fn count(a: &Plane) -> u32 {
    a.iter().map(|word| word.count_ones()).sum()
}

/// Whether any position is set.
#[inline]
pub fn any(a: &Plane) -> bool {
    a.iter().fold(0, |all, word| all | word) != 0
}

/// Whether a position is set.
#[inline]
pub fn get(plane: &Plane, lane: usize) -> bool {
    plane[lane / 64] >> (lane % 64) & 1 == 1
}

/// Sets or clears a position.
#[inline]
pub fn set(plane: &mut Plane, lane: usize, value: bool) {
    let bit = 1 << (lane % 64);
    if value {
        plane[lane / 64] |= bit;
    } else {
        plane[lane / 64] &= !bit;
    }
}

/// The positions that are set.
pub fn lanes_of(plane: &Plane) -> impl Iterator<Item = usize> + use<> {
    let plane = *plane;
    (0..WORDS).flat_map(move |word| {
        let mut rest = plane[word];
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(word * 64 + bit)
        })
    })
}

/// Planes by their places, without a check at each access.
///
/// Whoever makes one says how far the places go that will be used; that is checked once.
pub(crate) struct Memory<'p> {
    planes: &'p mut [Plane],
}

impl<'p> Memory<'p> {
    /// Memory for places below `places`.
    ///
    /// # Safety
    /// [`Memory::at`] and [`Memory::at_mut`] must be called with places below `places` only.
    #[inline(always)]
    #[expect(
        unsafe_code,
        reason = "checked accesses take a third more time; see docs/benchmarks.md"
    )]
    pub(crate) unsafe fn new(planes: &'p mut [Plane], places: usize) -> Self {
        assert!(places <= planes.len(), "the memory is too small for these places");
        Self { planes }
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "see Memory::new")]
    pub(crate) fn at(&self, place: u32) -> &Plane {
        debug_assert!((place as usize) < self.planes.len());
        // SAFETY: promised by whoever called `Memory::new`.
        unsafe { self.planes.get_unchecked(place as usize) }
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "see Memory::new")]
    pub(crate) fn at_mut(&mut self, place: u32) -> &mut Plane {
        debug_assert!((place as usize) < self.planes.len());
        // SAFETY: promised by whoever called `Memory::new`.
        unsafe { self.planes.get_unchecked_mut(place as usize) }
    }
}

/// Random planes: xoshiro256+ (Blackman and Vigna), one generator per word.
#[derive(Clone, Debug)]
pub struct RandomPlanes {
    state: [Plane; 4],
}

impl RandomPlanes {
    /// Generators seeded apart by splitmix64.
    pub fn new(seed: u64) -> Self {
        let mut x = seed;
        let mut next = || {
            x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = x;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        };
        Self { state: std::array::from_fn(|_| Plane(std::array::from_fn(|_| next()))) }
    }

    /// The next plane.
    pub fn draw(&mut self) -> Plane {
        let mut out = NONE;
        for block in 0..WORDS {
            let mut random = self.open::<u64>(block);
            random.draw().store(&mut out, block);
            self.close(block, &random);
        }
        out
    }

    /// The generators of one block of words, to be held in registers until they are put back by
    /// [`RandomPlanes::close`].
    #[inline(always)]
    pub fn open<V: Vector>(&self, block: usize) -> RandomBlock<V> {
        let [a, b, c, d] = &self.state;
        let state = [V::load(a, block), V::load(b, block), V::load(c, block), V::load(d, block)];
        RandomBlock { state }
    }

    /// Puts the generators of a block back.
    #[inline(always)]
    pub fn close<V: Vector>(&mut self, block: usize, random: &RandomBlock<V>) {
        for (plane, vector) in self.state.iter_mut().zip(random.state) {
            vector.store(plane, block);
        }
    }
}

/// The generators of some words.
pub struct RandomBlock<V> {
    state: [V; 4],
}

impl<V: Vector> RandomBlock<V> {
    /// The next random words.
    #[inline(always)]
    pub fn draw(&mut self) -> V {
        let [s0, s1, s2, s3] = self.state;
        let out = s0.add(s3);
        let t = s1.shift_left::<17>();
        let (s2, s3) = (s2.xor(s0), s3.xor(s1));
        let (s1, s0) = (s1.xor(s2), s0.xor(s3));
        let s2 = s2.xor(t);
        let s3 = s3.shift_left::<45>().or(s3.shift_right::<19>());
        self.state = [s0, s1, s2, s3];
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_set_read_and_listed() {
        let mut plane = NONE;
        for lane in [0, 63, 64, 200, 511] {
            set(&mut plane, lane, true);
        }
        set(&mut plane, 64, false);
        assert_eq!(lanes_of(&plane).collect::<Vec<_>>(), [0, 63, 200, 511]);
        assert!(get(&plane, 200) && !get(&plane, 64) && any(&plane) && count(&plane) == 4);
    }

    #[test]
    fn random_bits_are_balanced_in_every_lane() {
        let mut random = RandomPlanes::new(3);
        let mut ones = vec![0u32; LANES];
        for _ in 0..4096 {
            lanes_of(&random.draw()).for_each(|lane| ones[lane] += 1);
        }
        // Five standard deviations of 4096 fair coins.
        assert!(ones.iter().all(|count| count.abs_diff(2048) < 160));
    }
}
