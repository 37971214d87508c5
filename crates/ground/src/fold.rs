//! What is certainly true or certainly false disappears from the instances.
//!
//! An atom without rules never holds, one with an empty body always does; what follows from that is found by
//! a worklist that visits each literal once.

use crate::arena::Arena;
use crate::{Budget, Stopped};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    Unknown,
    Always,
    Never,
}

/// For each literal of an atom the rules that mention it.
struct Mentions {
    starts: Vec<u32>,
    rules: Vec<u32>,
}

impl Mentions {
    fn new(atoms: usize, rules: &Arena) -> Self {
        let mut starts = vec![0u32; atoms + 1];
        for (_, body) in rules.iter() {
            for literal in body {
                starts[(literal >> 1) as usize + 1] += 1;
            }
        }
        for atom in 0..atoms {
            starts[atom + 1] += starts[atom];
        }
        let mut fill = starts.clone();
        let mut mentions = vec![0u32; rules.literal_count()];
        for (rule, (_, body)) in rules.iter().enumerate() {
            for literal in body {
                let place = &mut fill[(literal >> 1) as usize];
                // The sign is kept beside the rule.
                mentions[*place as usize] = (rule as u32) << 1 | literal & 1;
                *place += 1;
            }
        }
        Self { starts, rules: mentions }
    }

    fn of(&self, atom: u32) -> std::ops::Range<usize> {
        self.starts[atom as usize] as usize..self.starts[atom as usize + 1] as usize
    }
}

/// What is certain, and which rules are left.
pub(crate) struct Folded {
    pub truth: Vec<Truth>,
    dead: Vec<bool>,
}

impl Folded {
    /// Whether a rule still says something.
    pub fn is_alive(&self, rule: usize) -> bool {
        !self.dead[rule]
    }
}

/// Works out what is certain. `input` says of fluents and moves whether they are possible, and nothing of
/// other atoms.
pub(crate) fn fold(
    atoms: usize,
    rules: &Arena,
    input: impl Fn(u32) -> Option<bool>,
    budget: &Budget,
) -> Result<Folded, Stopped> {
    let mentions = Mentions::new(atoms, rules);
    budget.check(rules.len())?;
    let mut folding = Folding {
        truth: vec![Truth::Unknown; atoms],
        dead: vec![false; rules.len()],
        left: Vec::with_capacity(rules.len()),
        support: vec![0; atoms],
        todo: Vec::new(),
        rules,
    };
    for (head, body) in rules.iter() {
        folding.left.push(body.len() as u32);
        folding.support[head as usize] += 1;
    }
    for atom in 0..atoms as u32 {
        let possible = input(atom).unwrap_or(folding.support[atom as usize] > 0);
        if !possible && !mentions.of(atom).is_empty() {
            folding.settle(atom, Truth::Never);
        }
    }
    for (rule, (head, body)) in rules.iter().enumerate() {
        if body.is_empty() && !folding.dead[rule] {
            folding.settle(head, Truth::Always);
        }
    }
    let mut steps = 0usize;
    while let Some(atom) = folding.todo.pop() {
        let holds = folding.truth[atom as usize] == Truth::Always;
        for at in mentions.of(atom) {
            steps += 1;
            if steps.is_multiple_of(1 << 16) {
                budget.check(rules.len())?;
            }
            let (rule, negative) = (mentions.rules[at] >> 1, mentions.rules[at] & 1 == 1);
            folding.literal(rule as usize, holds != negative);
        }
    }
    Ok(Folded { truth: folding.truth, dead: folding.dead })
}

struct Folding<'r> {
    truth: Vec<Truth>,
    dead: Vec<bool>,
    /// For each rule the literals that are not certain.
    left: Vec<u32>,
    /// For each atom its rules that are not dead.
    support: Vec<u32>,
    todo: Vec<u32>,
    rules: &'r Arena,
}

impl Folding<'_> {
    fn settle(&mut self, atom: u32, truth: Truth) {
        let known = &mut self.truth[atom as usize];
        if *known == Truth::Unknown {
            *known = truth;
            self.todo.push(atom);
        }
    }

    /// A literal of a rule has become certain.
    fn literal(&mut self, rule: usize, holds: bool) {
        if self.dead[rule] {
            return;
        }
        let head = self.rules.head(rule);
        if holds {
            self.left[rule] -= 1;
            if self.left[rule] == 0 {
                self.settle(head, Truth::Always);
            }
        } else {
            self.dead[rule] = true;
            self.support[head as usize] -= 1;
            if self.support[head as usize] == 0 {
                self.settle(head, Truth::Never);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Truth::{Always, Never, Unknown};

    #[test]
    fn certainty_spreads_through_rules_of_either_sign() {
        let mut rules = Arena::default();
        // 0 is an input; 1 holds; 2 <- 1; 3 <- not 2; 4 <- not 3, 0; 5 <- 6 (nothing derives 6).
        rules.add(1, &[]);
        rules.add(2, &[2]);
        rules.add(3, &[2 << 1 | 1]);
        rules.add(4, &[3 << 1 | 1, 0]);
        rules.add(5, &[6 << 1]);
        let folded = fold(7, &rules, |atom| (atom == 0).then_some(true), &Budget::default());
        let folded = folded.expect("no limits");
        assert!(folded.truth == [Unknown, Always, Always, Never, Unknown, Never, Never]);
        let alive: Vec<bool> = (0..5).map(|rule| folded.is_alive(rule)).collect();
        assert_eq!(alive, [true, true, false, true, false]);
    }
}
