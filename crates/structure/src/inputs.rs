//! Minimal sets of input arguments by hypotheses that random states refute (thesis §5.2.3, Def. 5.4, 5.5).
//!
//! All fluents are checked in parallel in the same states, as the thesis suggests. A hypothesis that replaces a
//! refuted one is checked in the same state at once; the thesis waits for the next state, which only takes longer.

use rustc_hash::FxHashSet;

use crate::fluent::{Functor, Inputs, Part, Parts};
use crate::sample::Sample;
use crate::settings::{Evidence, Prover, Settings, Verdict};

/// Sets of arguments as bits.
type Mask = u32;

/// The most arguments for which hypotheses are made: the sets of more are too many.
const MOST_ARGUMENTS: u32 = 12;

/// The hypotheses about one fluent.
#[derive(Clone, Debug)]
struct Hypotheses {
    functor: Functor,
    /// Those not refuted, in order, and no one contains another.
    sets: Vec<Mask>,
    /// States since the last refutation.
    affirmed: u32,
    /// Enough states affirmed them; further states are only looked at because they are there anyway.
    stable: bool,
}

impl Hypotheses {
    fn new(functor: Functor) -> Self {
        let few = functor.arity <= MOST_ARGUMENTS;
        let sets = vec![if few { 0 } else { full(functor.arity) }];
        Self { functor, sets, affirmed: 0, stable: false }
    }

    fn is_trivial(&self) -> bool {
        self.sets.contains(&full(self.functor.arity))
    }

    /// Replaces a refuted set by its extensions (step 3 of the algorithm).
    fn refute(&mut self, refuted: Mask) {
        self.sets.retain(|set| *set != refuted);
        let kept = self.sets.clone();
        for argument in 0..self.functor.arity.min(MOST_ARGUMENTS) {
            let larger = refuted | 1 << argument;
            let covered = kept.iter().any(|set| set & !larger == 0);
            if larger != refuted && !covered && !self.sets.contains(&larger) {
                self.sets.push(larger);
            }
        }
        self.sets.sort_unstable_by_key(|set| (set.count_ones(), *set));
        self.affirmed = 0;
    }

    /// Checks all hypotheses in a state that has these instances of the fluent.
    fn check(&mut self, instances: &[&Part], enough: u32) {
        let mut at = 0;
        let mut refuted = false;
        while let Some(set) = self.sets.get(at).copied() {
            if set != full(self.functor.arity) && !determines(set, instances) {
                self.refute(set);
                refuted = true;
                at = 0;
            } else {
                at += 1;
            }
        }
        self.affirmed = if refuted { 0 } else { self.affirmed + 1 };
        self.stable |= self.affirmed >= enough || self.is_trivial();
    }
}

fn full(arity: u32) -> Mask {
    if arity >= 32 { Mask::MAX } else { (1 << arity) - 1 }
}

/// Eq. 5.8 in one state: no two instances agree in all of `set` and differ elsewhere.
fn determines(set: Mask, instances: &[&Part]) -> bool {
    if instances.len() < 2 {
        return true;
    }
    if set == 0 {
        return false;
    }
    let mut seen: FxHashSet<Vec<u32>> = FxHashSet::default();
    instances.iter().all(|part| {
        let args = part.args.iter().enumerate();
        seen.insert(args.filter(|(at, _)| set >> at & 1 == 1).map(|(_, arg)| *arg).collect())
    })
}

/// The minimal sets of input arguments of every fluent, with how sure they are; none for fluents that random
/// play did not meet.
pub(crate) fn find(
    parts: &Parts,
    sample: &Sample,
    settings: &Settings,
    prover: &mut dyn Prover,
    notes: &mut Vec<String>,
) -> Vec<Vec<Inputs>> {
    let mut all: Vec<Hypotheses> = parts.functors.iter().map(|f| Hypotheses::new(*f)).collect();
    let mut instances: Vec<Vec<&Part>> = vec![Vec::new(); all.len()];
    let mut met = vec![false; all.len()];
    for seen in &sample.states {
        for part in seen.state.iter().filter_map(|fluent| parts.get(fluent)) {
            instances[part.functor as usize].push(part);
            met[part.functor as usize] = true;
        }
        for (hypotheses, instances) in all.iter_mut().zip(&mut instances) {
            hypotheses.check(instances, settings.affirmations);
            instances.clear();
        }
    }
    let unstable = all.iter().zip(&met).filter(|(h, met)| **met && !h.stable).count();
    if unstable > 0 {
        notes.push(format!(
            "the input arguments of {unstable} of {} fluents were affirmed by fewer than {} states",
            all.len(),
            settings.affirmations
        ));
    }
    let found = all.into_iter().zip(met);
    found.map(|(sets, met)| if met { prove(sets, prover) } else { Vec::new() }).collect()
}

/// Has the prover look at what is left; what it refutes is replaced as random states would.
fn prove(mut hypotheses: Hypotheses, prover: &mut dyn Prover) -> Vec<Inputs> {
    let functor = hypotheses.functor;
    let samples = hypotheses.affirmed;
    let mut verdicts: Vec<(Mask, Evidence)> = Vec::new();
    let mut at = 0;
    while let Some(set) = hypotheses.sets.get(at).copied() {
        let evidence = if set == full(functor.arity) {
            // All arguments determine the others, since there are none; that it is minimal was seen.
            Evidence::Proved
        } else {
            let arguments = positions(set, functor.arity);
            match verdicts.iter().find(|(known, _)| *known == set) {
                Some((_, evidence)) => *evidence,
                None => match prover.inputs(functor, &arguments) {
                    Verdict::Proved => Evidence::Proved,
                    Verdict::Unknown => Evidence::Guessed { samples },
                    Verdict::Refuted => {
                        hypotheses.refute(set);
                        at = 0;
                        continue;
                    }
                },
            }
        };
        if !verdicts.iter().any(|(known, _)| *known == set) {
            verdicts.push((set, evidence));
        }
        at += 1;
    }
    let evidence = |set: &Mask| verdicts.iter().find(|(known, _)| known == set).map(|(_, e)| *e);
    let sets = hypotheses.sets.iter();
    sets.map(|set| Inputs {
        arguments: positions(*set, functor.arity),
        evidence: evidence(set).unwrap_or(Evidence::Guessed { samples }),
    })
    .collect()
}

fn positions(set: Mask, arity: u32) -> Vec<usize> {
    let arity = arity as usize;
    if set == Mask::MAX {
        (0..arity).collect()
    } else {
        (0..arity).filter(|at| set >> at & 1 == 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::keyword;

    fn hypotheses(arity: u32, sets: &[Mask]) -> Hypotheses {
        let functor = Functor { name: keyword::TRUE, arity, parens: true };
        Hypotheses { sets: sets.to_vec(), ..Hypotheses::new(functor) }
    }

    #[test]
    fn a_refuted_hypothesis_is_extended_as_in_the_example_of_the_thesis() {
        // f(x,y,z) with {1} and {3}; {1} is refuted: {1,2} is new, {1,3} is covered by {3}.
        let mut sets = hypotheses(3, &[0b001, 0b100]);
        sets.refute(0b001);
        assert_eq!(sets.sets, [0b100, 0b011]);
        sets.refute(0b100);
        assert_eq!(sets.sets, [0b011, 0b101, 0b110]);
    }

    #[test]
    fn a_state_refutes_down_to_the_minimal_sets() {
        let part = |args: &[u32]| Part { functor: 0, args: args.into() };
        let cells = [part(&[1, 1, 7]), part(&[1, 2, 7]), part(&[2, 1, 8]), part(&[2, 2, 7])];
        let mut sets = Hypotheses::new(Functor { name: keyword::TRUE, arity: 3, parens: true });
        sets.check(&cells.iter().collect::<Vec<_>>(), 5);
        assert_eq!(sets.sets, [0b011]);
        assert!(!sets.stable && sets.affirmed == 0);
        for _ in 0..5 {
            sets.check(&[], 5);
        }
        assert!(sets.stable);
    }

    #[test]
    fn fluents_with_very_many_arguments_have_all_of_them_as_inputs() {
        let part = Part { functor: 0, args: (0..40).collect() };
        let mut sets = Hypotheses::new(Functor { name: keyword::TRUE, arity: 40, parens: true });
        sets.check(&[&part, &part], 5);
        assert_eq!(sets.sets, [Mask::MAX]);
    }
}
