//! Ground rules as they are found: flat lists, each rule once.

use smallvec::SmallVec;

/// The instances of rules, heads and literals as terms. A literal is twice the number of its atom, one more
/// if it is negative.
#[derive(Default)]
pub(crate) struct Arena {
    heads: Vec<u32>,
    /// Where the literals of each rule end.
    ends: Vec<u32>,
    literals: Vec<u32>,
    /// Open addressing: number + 1 by the hash of head and body, whatever the order of the body.
    places: Vec<u32>,
}

impl Arena {
    /// The number of rules.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// The number of literals.
    pub fn literal_count(&self) -> usize {
        self.literals.len()
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        (self.heads.len() + self.ends.len() + self.literals.len() + self.places.len()) * 4
    }

    /// All rules: heads and bodies.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.heads.iter().enumerate().map(|(at, head)| (*head, self.body(at)))
    }

    /// The head of a rule.
    pub fn head(&self, rule: usize) -> u32 {
        self.heads[rule]
    }

    /// The body of a rule.
    pub fn body(&self, rule: usize) -> &[u32] {
        let start = if rule == 0 { 0 } else { self.ends[rule - 1] };
        &self.literals[start as usize..self.ends[rule] as usize]
    }

    /// Nothing is added any more: what finds equal rules is given up.
    pub fn close(&mut self) {
        self.places = Vec::new();
    }

    /// Adds a rule that is new and not contradictory. The order of the conditions is kept, which is that of
    /// a plan and the same for all instances of a rule: the circuit builder makes use of it.
    pub fn add(&mut self, head: u32, body: &[u32]) {
        let start = self.literals.len();
        if !self.append(body) {
            self.literals.truncate(start);
            return;
        }
        if self.places.len() < (self.heads.len() + 1) * 2 {
            self.grow();
        }
        let mask = self.places.len() - 1;
        let mut at = hash(head, &self.literals[start..]) & mask;
        while let Some(other) = self.places[at].checked_sub(1) {
            let other = other as usize;
            if self.heads[other] == head && is_same(self.body(other), &self.literals[start..]) {
                self.literals.truncate(start);
                return;
            }
            at = (at + 1) & mask;
        }
        self.heads.push(head);
        self.ends.push(self.literals.len() as u32);
        self.places[at] = self.heads.len() as u32;
    }

    /// Appends a body without repetitions; false if it has an atom and its negation.
    fn append(&mut self, body: &[u32]) -> bool {
        const SHORT: usize = 16;
        let start = self.literals.len();
        if body.len() <= SHORT {
            for literal in body {
                let before = &self.literals[start..];
                if before.contains(&(literal ^ 1)) {
                    return false;
                }
                if !before.contains(literal) {
                    self.literals.push(*literal);
                }
            }
            return true;
        }
        let mut places: Vec<(u32, usize)> = body.iter().copied().zip(0..).collect();
        places.sort_unstable();
        places.dedup_by_key(|(literal, _)| *literal);
        if places.windows(2).any(|pair| pair[0].0 ^ 1 == pair[1].0) {
            return false;
        }
        places.sort_unstable_by_key(|(_, place)| *place);
        self.literals.extend(places.iter().map(|(literal, _)| literal));
        true
    }

    fn grow(&mut self) {
        let size = (self.heads.len() * 3).next_power_of_two().max(64);
        self.places = Vec::new();
        self.places.resize(size, 0);
        for rule in 0..self.heads.len() {
            let mut at = hash(self.heads[rule], self.body(rule)) & (size - 1);
            while self.places[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.places[at] = rule as u32 + 1;
        }
    }
}

/// The same for every order of the body.
fn hash(head: u32, body: &[u32]) -> usize {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut sum = u64::from(head).wrapping_mul(ODD);
    for literal in body {
        let mixed = (u64::from(*literal) + 1).wrapping_mul(ODD);
        sum = sum.wrapping_add((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9));
    }
    (sum ^ sum >> 32) as usize
}

fn is_same(one: &[u32], other: &[u32]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    if one == other {
        return true;
    }
    let mut one: SmallVec<[u32; 16]> = one.into();
    let mut other: SmallVec<[u32; 16]> = other.into();
    one.sort_unstable();
    other.sort_unstable();
    one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_kept_once_whatever_the_order_of_its_body() {
        let mut arena = Arena::default();
        arena.add(1, &[4, 6, 4]);
        arena.add(1, &[6, 4]);
        arena.add(2, &[6, 4]);
        arena.add(1, &[]);
        arena.add(1, &[]);
        let rules: Vec<_> = arena.iter().collect();
        assert_eq!(rules, [(1, &[4, 6][..]), (2, &[6, 4]), (1, &[])]);
    }

    #[test]
    fn contradictory_rules_are_not_kept() {
        let mut arena = Arena::default();
        arena.add(1, &[4, 6, 5]);
        let long: Vec<u32> = (0..40).map(|i| i * 2).chain([21]).collect();
        arena.add(1, &long);
        arena.add(1, &long[..40]);
        assert_eq!(arena.len(), 1);
        assert_eq!(arena.body(0), &long[..40]);
    }

    #[test]
    fn many_rules_are_told_apart() {
        let mut arena = Arena::default();
        for _ in 0..2 {
            for rule in 0..5000u32 {
                arena.add(rule % 7, &[rule * 2, rule / 3 * 2 + 20_000]);
            }
        }
        assert_eq!(arena.len(), 5000);
    }
}
