//! Planes: one bit per position, for hundreds of positions.

/// The words of a plane: 512 positions.
pub const WORDS: usize = 8;

/// The positions of a plane.
pub const LANES: usize = WORDS * 64;

/// One bit for each position.
pub type Plane = [u64; WORDS];

/// No position.
pub const NONE: Plane = [0; WORDS];

/// All positions.
pub const ALL: Plane = [u64::MAX; WORDS];

macro_rules! operation {
    ($name:ident, $doc:literal, |$a:ident, $b:ident| $value:expr) => {
        #[doc = $doc]
        #[inline(always)]
        pub fn $name(a: &Plane, b: &Plane) -> Plane {
            std::array::from_fn(|i| {
                let ($a, $b) = (a[i], b[i]);
                $value
            })
        }
    };
}

operation!(and, "Both.", |a, b| a & b);
operation!(or, "One of them.", |a, b| a | b);
operation!(xor, "Exactly one of them.", |a, b| a ^ b);
operation!(and_not, "The first without the second.", |a, b| a & !b);
operation!(nor, "None of them.", |a, b| !(a | b));

/// Where `mask` is set the first, elsewhere the second.
#[inline(always)]
#[expect(clippy::inline_always, reason = "inside kernels compiled for several machines")]
pub fn select(mask: &Plane, a: &Plane, b: &Plane) -> Plane {
    std::array::from_fn(|i| b[i] ^ (mask[i] & (a[i] ^ b[i])))
}

/// The complement if `flip`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "inside kernels compiled for several machines")]
pub fn flipped(a: &Plane, flip: bool) -> Plane {
    let mask = if flip { u64::MAX } else { 0 };
    std::array::from_fn(|i| a[i] ^ mask)
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

/// Random planes: xoshiro256++ (Blackman and Vigna), one generator per word.
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
        Self { state: std::array::from_fn(|_| std::array::from_fn(|_| next())) }
    }

    /// The next plane.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "inside kernels compiled for several machines")]
    pub fn draw(&mut self) -> Plane {
        let s = &mut self.state;
        let mut out = NONE;
        for i in 0..WORDS {
            out[i] = s[0][i].wrapping_add(s[3][i]).rotate_left(23).wrapping_add(s[0][i]);
            let t = s[1][i] << 17;
            s[2][i] ^= s[0][i];
            s[3][i] ^= s[1][i];
            s[1][i] ^= s[2][i];
            s[0][i] ^= s[3][i];
            s[2][i] ^= t;
            s[3][i] = s[3][i].rotate_left(45);
        }
        out
    }
}
