//! Persistent fluents (thesis §7.6) and what they fix about the goals.
//!
//! A fluent is true-persistent if it stays true once it is true, and false-persistent likewise. Where the ground
//! rules show it without search it is proved; otherwise it is guessed from random play, or not claimed.

use game::{Deadline, FluentId, Game, Gates, Role};
use ground::{AtomId, GroundProgram};

use crate::sample::Sample;
use crate::settings::{Evidence, Prover, Verdict};
use crate::ternary::{Ternary, Truth};

/// A fluent that does not change back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Persistent {
    /// The fluent.
    pub fluent: FluentId,
    /// What stays: true once it is true, or false once it is false.
    pub value: bool,
    /// How sure it is.
    pub evidence: Evidence,
}

/// A persistent fluent that bounds the reward of a role for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latch {
    /// The fluent with the value that stays.
    pub persistent: Persistent,
    /// The role.
    pub role: Role,
    /// The lowest reward that is possible from then on.
    pub lowest: u8,
    /// The highest.
    pub highest: u8,
}

/// How often the fluents of a group must have been seen with a value before they are taken to be persistent.
const ENOUGH: u32 = 30;
/// The literals that may be looked at for proofs, and for latches.
const MOST_WORK: u64 = 3_000_000;
/// The most moves of a role that are tried one by one in a proof.
const MOST_CASES: usize = 300;

/// How often a fluent had a value before a step, and lost it.
#[derive(Clone, Copy, Default)]
struct Counts {
    held: [u32; 2],
    lost: [u32; 2],
}

impl Counts {
    fn add(&mut self, other: Self) {
        for value in 0..2 {
            self.held[value] += other.held[value];
            self.lost[value] += other.lost[value];
        }
    }
}

/// The persistent fluents among those that random play met with both values, in order. A guess is made only
/// for whole groups: that one of many pawns was never taken means nothing. `groups` has a number for each fluent.
pub(crate) fn find(
    gates: Option<&Gates>,
    sample: &Sample,
    groups: &[u32],
    deadline: &Deadline,
    notes: &mut Vec<String>,
) -> Vec<Persistent> {
    let counts = counts(sample);
    let group = |index: usize| groups.get(index).map_or(0, |group| *group as usize);
    let mut pooled =
        vec![Counts::default(); groups.iter().max().map_or(1, |most| *most as usize + 1)];
    for (index, counts) in counts.iter().enumerate().filter(|(_, counts)| counts.held[1] > 0) {
        pooled[group(index)].add(*counts);
    }
    let mut prover = gates.map(Inductive::new);
    let mut found = Vec::new();
    let mut cut = false;
    for (index, counts) in counts.iter().enumerate() {
        let fluent = FluentId(index as u32);
        for value in [true, false] {
            let [held, lost] = [counts.held, counts.lost].map(|pair| pair[usize::from(value)]);
            // A fluent that never had the other value is constant as far as anybody saw.
            if lost > 0 || held == 0 || counts.held[usize::from(!value)] == 0 {
                continue;
            }
            let in_time = !deadline.passed();
            let proved = match &mut prover {
                Some(prover) if in_time && prover.ternary.work < MOST_WORK => {
                    prover.proves(fluent, value)
                }
                Some(_) => {
                    cut = true;
                    false
                }
                None => false,
            };
            if proved {
                found.push(Persistent { fluent, value, evidence: Evidence::Proved });
                continue;
            }
            let pooled = &pooled[group(index)];
            let samples = pooled.held[usize::from(value)];
            if samples >= ENOUGH && pooled.lost[usize::from(value)] == 0 {
                found.push(Persistent { fluent, value, evidence: Evidence::Guessed { samples } });
            }
        }
    }
    if cut {
        notes.push(
            "persistence of some fluents was guessed, not proved, for lack of time".to_owned(),
        );
    }
    found
}

/// Has a prover look at what was only guessed: what it refutes is not claimed.
pub(crate) fn ask(game: &Game, found: &mut Vec<Persistent>, prover: &mut dyn Prover) {
    found.retain_mut(|one| {
        if one.evidence.is_proved() {
            return true;
        }
        let verdict = prover.persistent(&game.universe().fluent_entry(one.fluent).term, one.value);
        if verdict == Verdict::Proved {
            one.evidence = Evidence::Proved;
        }
        verdict != Verdict::Refuted
    });
}

fn counts(sample: &Sample) -> Vec<Counts> {
    let words = sample.states.iter().map(|seen| seen.state.words().len()).max().unwrap_or(0);
    let mut counts = vec![Counts::default(); words * 64];
    let word = |state: &game::State, at: usize| state.words().get(at).copied().unwrap_or(0);
    for transition in &sample.transitions {
        let from = &sample.states[transition.from].state;
        let to = &sample.states[transition.to].state;
        for at in 0..words {
            let (before, after) = (word(from, at), word(to, at));
            for (bit, counts) in counts[at * 64..][..64].iter_mut().enumerate() {
                let (was, is) = (before >> bit & 1, after >> bit & 1);
                counts.held[was as usize] += 1;
                counts.lost[was as usize] += u32::from(was != is);
            }
        }
    }
    counts
}

/// Proofs by one step of induction on the ground rules.
struct Inductive<'g> {
    program: &'g GroundProgram,
    ternary: Ternary<'g>,
    /// The place of each fluent in the ground program.
    places: Vec<Option<usize>>,
}

impl<'g> Inductive<'g> {
    fn new(gates: &'g Gates) -> Self {
        let mut places = Vec::new();
        for (place, fluent) in gates.fluents().iter().enumerate() {
            if places.len() <= fluent.index() {
                places.resize(fluent.index() + 1, None);
            }
            places[fluent.index()] = Some(place);
        }
        let program = gates.program();
        Self { program, ternary: Ternary::new(program), places }
    }

    /// Whether the value survives every step from every state that has it.
    fn proves(&mut self, fluent: FluentId, value: bool) -> bool {
        let Some(place) = self.places.get(fluent.index()).copied().flatten() else { return false };
        let wanted = if value { Truth::True } else { Truth::False };
        let Some(next) = self.program.next[place] else { return !value };
        self.ternary.assume_fluent(place, value);
        let proved = self.ternary.eval(next) == wanted
            || (0..self.program.moves.len()).any(|role| self.by_cases(place, value, role, next));
        self.ternary.clear();
        proved
    }

    /// Whether it survives whichever move a role makes: each has exactly one, and a legal one.
    fn by_cases(&mut self, place: usize, value: bool, role: usize, next: AtomId) -> bool {
        let wanted = if value { Truth::True } else { Truth::False };
        let moves = &self.program.moves[role];
        if moves.len() > MOST_CASES {
            return false;
        }
        let does: Vec<AtomId> = moves.iter().filter_map(|action| action.does).collect();
        let mut all = true;
        for action in moves {
            self.ternary.clear();
            self.ternary.assume_fluent(place, value);
            let legal = action.legal.map_or(Truth::False, |legal| self.ternary.eval(legal));
            if legal == Truth::False {
                continue;
            }
            for other in &does {
                self.ternary.assume(*other, Some(*other) == action.does);
            }
            all &= self.ternary.eval(next) == wanted;
            if !all {
                break;
            }
        }
        self.ternary.clear();
        self.ternary.assume_fluent(place, value);
        all
    }
}

/// The rewards of a role that are possible under the assumptions.
fn range(ternary: &mut Ternary<'_>, goals: &[(u8, AtomId)]) -> Option<(u8, u8)> {
    let mut possible = Vec::new();
    for (value, atom) in goals {
        if ternary.eval(*atom) != Truth::False {
            possible.push(*value);
        }
    }
    Some((*possible.iter().min()?, *possible.iter().max()?))
}

/// The persistent fluents that narrow what a role can still get.
pub(crate) fn latches(
    gates: &Gates,
    persistent: &[Persistent],
    deadline: &Deadline,
    notes: &mut Vec<String>,
) -> Vec<Latch> {
    let mut prover = Inductive::new(gates);
    let symbols = gates.game().universe().symbols();
    let program = gates.program();
    let goals: Vec<Vec<(u8, AtomId)>> = program
        .goals
        .iter()
        .map(|own| {
            let value = |(term, atom): &(game::GroundTerm, AtomId)| {
                Some((term.to_text(symbols).parse().ok().filter(|v| *v <= 100)?, *atom))
            };
            own.iter().filter_map(value).collect()
        })
        .collect();
    let full: Vec<_> = goals.iter().map(|own| range(&mut prover.ternary, own)).collect();
    let mut found = Vec::new();
    for one in persistent {
        if deadline.passed() || prover.ternary.work > MOST_WORK {
            notes.push(
                "not all persistent fluents were compared with the goals, for lack of time"
                    .to_owned(),
            );
            break;
        }
        let Some(place) = prover.places.get(one.fluent.index()).copied().flatten() else {
            continue;
        };
        prover.ternary.clear();
        prover.ternary.assume_fluent(place, one.value);
        for (role, own) in goals.iter().enumerate() {
            let narrowed = range(&mut prover.ternary, own);
            if let (Some((lowest, highest)), true) = (narrowed, narrowed != full[role]) {
                found.push(Latch { persistent: *one, role: Role(role as u32), lowest, highest });
            }
        }
    }
    found
}
