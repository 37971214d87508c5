//! The nearest fluent that holds, for many leaves at a time.
//!
//! Leaves valued by the least number of steps (thesis Eq. 6.1) are lanes of a byte each, 32 to a block. What a fluent is
//! worth to all leaves of a block is a row of bytes, and the least over some fluents is found row by row, for the whole block
//! at once. A fluent that comes can only bring leaves nearer; one that goes matters where it is as near as what decides, and
//! only then the block is looked through again.

/// Leaves that are looked at together.
const LANES: usize = 32;
/// Classes below this have a place in a byte.
pub(crate) const MOST_CLASSES: usize = 255;
/// What a fluent is worth from which no way leads to a leaf; no leaf has this class itself.
const NOWHERE: u8 = u8::MAX;

/// What one fluent is worth to the leaves of a block: the class of their value if no nearer one holds.
type Row = [u8; LANES];

/// A leaf: its degree, the class if nothing holds, and the classes by fluents.
#[derive(Clone, Debug)]
pub(crate) struct Near {
    pub(crate) degree: u32,
    pub(crate) beyond: u8,
    pub(crate) classes: Vec<(u32, u8)>,
}

/// The rows of a block for the fluents of a word of the state.
#[derive(Clone, Debug)]
struct Tile {
    word: usize,
    /// The fluents that have a row with anything in it.
    mask: u64,
    rows: Box<[Row; 64]>,
}

/// Some leaves.
#[derive(Clone, Debug)]
struct Block {
    degrees: Vec<u32>,
    beyond: Row,
    tiles: Vec<Tile>,
}

/// All such leaves of a network.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearPlan {
    blocks: Vec<Block>,
}

impl NearPlan {
    pub(crate) fn new(mut leaves: Vec<Near>) -> Self {
        // Leaves that depend on the same fluents share blocks.
        leaves.sort_by_cached_key(|leaf| {
            let mut fluents: Vec<u32> = leaf.classes.iter().map(|(fluent, _)| *fluent).collect();
            fluents.sort_unstable();
            (fluents, leaf.degree)
        });
        Self { blocks: leaves.chunks(LANES).map(Block::new).collect() }
    }

    /// How many fluents of the universe matter.
    pub(crate) fn fluents(&self) -> usize {
        let tiles = self.blocks.iter().flat_map(|block| &block.tiles);
        let end = |tile: &Tile| tile.word * 64 + 64 - tile.mask.leading_zeros() as usize;
        tiles.map(end).max().unwrap_or(0)
    }
}

impl Block {
    fn new(leaves: &[Near]) -> Self {
        let mut block = Self { degrees: Vec::new(), beyond: [0; LANES], tiles: Vec::new() };
        for (lane, leaf) in leaves.iter().enumerate() {
            block.degrees.push(leaf.degree);
            block.beyond[lane] = leaf.beyond;
            for (fluent, class) in leaf.classes.iter().filter(|(_, class)| *class < leaf.beyond) {
                let (word, bit) = (*fluent as usize / 64, *fluent as usize % 64);
                let tile = block.tile(word);
                tile.mask |= 1 << bit;
                tile.rows[bit][lane] = *class;
            }
        }
        block
    }

    fn tile(&mut self, word: usize) -> &mut Tile {
        let at = self.tiles.partition_point(|tile| tile.word < word);
        if self.tiles.get(at).is_none_or(|tile| tile.word != word) {
            let rows = Box::new([[NOWHERE; LANES]; 64]);
            self.tiles.insert(at, Tile { word, mask: 0, rows });
        }
        &mut self.tiles[at]
    }

    /// Brings the classes up to date after some fluents came and went; whether there were any that matter.
    #[inline]
    fn follow(&self, row: &mut Row, changes: &[Change], words: &[u64]) -> bool {
        let (mut came, mut gone) = (0, 0);
        for tile in &self.tiles {
            let Change { comes, goes } = changes[tile.word];
            if comes & tile.mask != 0 {
                tile.nearest(comes, row);
            }
            came |= comes & tile.mask;
            gone |= goes & tile.mask;
        }
        if gone != 0 && self.tiles.iter().any(|tile| tile.decides(changes[tile.word].goes, row)) {
            *row = self.beyond;
            for tile in &self.tiles {
                tile.nearest(words[tile.word], row);
            }
        }
        came | gone != 0
    }
}

impl Tile {
    /// The least of a row and those of some fluents. Not inlined: as a part of something larger it is done byte by byte.
    #[inline(never)]
    fn nearest(&self, fluents: u64, row: &mut Row) {
        let mut rest = fluents & self.mask;
        while rest != 0 {
            let other = &self.rows[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            for (least, class) in row.iter_mut().zip(other) {
                *least = (*least).min(*class);
            }
        }
    }

    /// Whether one of these fluents may decide anything.
    #[inline(never)]
    fn decides(&self, fluents: u64, row: &Row) -> bool {
        let mut rest = fluents & self.mask;
        let mut found = [0u8; LANES];
        while rest != 0 {
            let other = &self.rows[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            for ((found, least), class) in found.iter_mut().zip(row).zip(other) {
                *found |= u8::from(least == class);
            }
        }
        found.iter().fold(0, |any, found| any | found) != 0
    }
}

/// The fluents of a word that come and go.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    pub(crate) comes: u64,
    pub(crate) goes: u64,
}

/// The classes of all leaves in a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    rows: Vec<Row>,
}

impl Classes {
    /// The empty state.
    pub(crate) fn new(plan: &NearPlan) -> Self {
        Self { rows: plan.blocks.iter().map(|block| block.beyond).collect() }
    }

    /// Follows changes to a state; `tell` is called with degree and class of each leaf that changed.
    #[inline]
    pub(crate) fn follow(
        &mut self,
        plan: &NearPlan,
        changes: &[Change],
        words: &[u64],
        mut tell: impl FnMut(u32, u32),
    ) {
        for (block, row) in plan.blocks.iter().zip(&mut self.rows) {
            let before = *row;
            if !block.follow(row, changes, words) {
                continue;
            }
            for (at, (old, new)) in before.chunks_exact(8).zip(row.chunks_exact(8)).enumerate() {
                let mut difference = word_of(old) ^ word_of(new);
                while difference != 0 {
                    let byte = difference.trailing_zeros() as usize / 8;
                    difference &= !(0xff << (byte * 8));
                    tell(block.degrees[at * 8 + byte], u32::from(new[byte]));
                }
            }
        }
    }
}

fn word_of(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::playout::Random;

    #[test]
    fn classes_are_those_of_the_nearest_fluent_whatever_came_and_went() {
        let mut random = Random::new(3);
        let mut leaf = |degree: u32| {
            let known: Vec<u32> = (0..150).filter(|_| random.below(3) == 0).collect();
            let classes = known.into_iter().map(|fluent| (fluent, random.below(210) as u8));
            Near { degree, classes: classes.collect(), beyond: 100 + random.below(150) as u8 }
        };
        let leaves: Vec<Near> = (0..70).map(&mut leaf).collect();
        let plan = NearPlan::new(leaves.clone());
        let mut near = Classes::new(&plan);
        let mut known: Vec<u32> = leaves.iter().map(|leaf| leaf.beyond.into()).collect();
        let mut words = [0u64; 3];
        for _ in 0..400 {
            let before = words;
            for _ in 0..random.below(5) {
                let fluent = random.below(150);
                words[fluent / 64] ^= 1 << (fluent % 64);
            }
            let changes: Vec<Change> = before
                .iter()
                .zip(words)
                .map(|(old, new)| Change { comes: new & !old, goes: old & !new })
                .collect();
            near.follow(&plan, &changes, &words, |degree, class| {
                assert_ne!(std::mem::replace(&mut known[degree as usize], class), class);
            });
            for leaf in &leaves {
                let held = |fluent: u32| words[fluent as usize / 64] >> (fluent % 64) & 1 == 1;
                let held = leaf.classes.iter().filter(|(fluent, _)| held(*fluent));
                let least = held.map(|(_, class)| *class).chain([leaf.beyond]).min();
                assert_eq!(least.map(u32::from), Some(known[leaf.degree as usize]));
            }
        }
    }
}
