//! Decisions drawn from bytes, so that property tests shrink and fuzzers steer what is generated.

/// A stream of decisions. When the bytes run out, every decision is the first (simplest) one.
#[derive(Clone, Debug)]
pub struct Choices<'b> {
    bytes: &'b [u8],
}

impl<'b> Choices<'b> {
    /// Decisions taken from `bytes`.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    /// A number below `bound`, which must lie between 1 and 256.
    pub fn below(&mut self, bound: usize) -> usize {
        match self.bytes.split_first() {
            Some((first, rest)) if bound > 1 => {
                self.bytes = rest;
                usize::from(*first) % bound
            }
            _ => 0,
        }
    }

    /// True once in `k` times; false when the bytes have run out.
    pub fn once_in(&mut self, k: usize) -> bool {
        self.below(k) == k - 1
    }

    /// One of the items, the first when the bytes have run out. There must be one.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len().min(256))]
    }

    /// Whether the bytes have run out.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_follow_the_bytes_and_end_with_the_first() {
        let mut choices = Choices::new(&[7, 2, 255]);
        assert_eq!(choices.below(5), 2);
        assert!(choices.once_in(3));
        assert_eq!(*choices.pick(&["a", "b"]), "b");
        assert!(choices.is_empty());
        assert_eq!(choices.below(5), 0);
        assert!(!choices.once_in(2));
    }
}
