//! A table that numbers short keys of equal width: the one index structure of the interpreter.

/// Numbers distinct keys 0, 1, 2 … in the order they are added.
#[derive(Clone, Debug)]
pub struct KeyTable {
    width: usize,
    keys: Vec<u32>,
    len: u32,
    /// Width 1: number + 1 by key. Otherwise: open addressing, number + 1 by hash.
    places: Vec<u32>,
}

impl KeyTable {
    /// An empty table for keys of a width.
    pub fn new(width: usize) -> Self {
        Self { width, keys: Vec::new(), len: 0, places: Vec::new() }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The key with a number.
    #[inline]
    pub fn key(&self, id: u32) -> &[u32] {
        let start = id as usize * self.width;
        &self.keys[start..start + self.width]
    }

    /// The number of a key that is there.
    #[inline]
    pub fn find(&self, key: &[u32]) -> Option<u32> {
        match *key {
            [] => (self.len > 0).then_some(0),
            [single] => self.places.get(single as usize)?.checked_sub(1),
            _ => {
                if self.places.is_empty() {
                    return None;
                }
                let mask = self.places.len() - 1;
                let mut at = hash(key) & mask;
                loop {
                    let id = self.places[at].checked_sub(1)?;
                    if same(self.key(id), key) {
                        return Some(id);
                    }
                    at = (at + 1) & mask;
                }
            }
        }
    }

    /// The number of a key, and whether it is new.
    #[inline]
    pub fn intern(&mut self, key: &[u32]) -> (u32, bool) {
        match self.find(key) {
            Some(id) => (id, false),
            None => (self.add(key), true),
        }
    }

    #[cold]
    fn add(&mut self, key: &[u32]) -> u32 {
        let id = self.len;
        self.len += 1;
        self.keys.extend_from_slice(key);
        match *key {
            [] => {}
            [single] => {
                if self.places.len() <= single as usize {
                    self.places.resize((single as usize + 1).next_power_of_two(), 0);
                }
                self.places[single as usize] = id + 1;
            }
            _ => {
                if self.places.len() < self.len as usize * 2 {
                    self.grow();
                } else {
                    self.put(id);
                }
            }
        }
        id
    }

    fn grow(&mut self) {
        self.places = vec![0; (self.len as usize * 4).next_power_of_two().max(16)];
        for id in 0..self.len {
            self.put(id);
        }
    }

    fn put(&mut self, id: u32) {
        let mask = self.places.len() - 1;
        let mut at = hash(self.key(id)) & mask;
        while self.places[at] != 0 {
            at = (at + 1) & mask;
        }
        self.places[at] = id + 1;
    }
}

/// Equality of short keys; a call of `memcmp` costs more than the comparison.
#[inline]
fn same(a: &[u32], b: &[u32]) -> bool {
    a.iter().zip(b).all(|(x, y)| x == y)
}

/// Multiply-and-fold over the words of a key; tables are private, so no keyed hash is needed, and
/// the worst a hostile rule sheet can do is bounded by the step limit.
#[inline]
pub fn hash(key: &[u32]) -> usize {
    let mut h = 0u64;
    for &word in key {
        h = (h.rotate_left(23) ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (h ^ (h >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_width_are_numbered_once() {
        for width in 0..4 {
            let mut table = KeyTable::new(width);
            let keys: Vec<Vec<u32>> = (0..200u32)
                .map(|i| (0..width as u32).map(|c| (i * 7 + c) % 97).collect())
                .collect();
            let first: Vec<u32> = keys.iter().map(|key| table.intern(key).0).collect();
            let again: Vec<u32> =
                keys.iter().map(|key| table.find(key).expect("was added")).collect();
            assert_eq!(first, again);
            for (key, id) in keys.iter().zip(&first) {
                assert_eq!(table.key(*id), &key[..]);
            }
        }
    }
}
