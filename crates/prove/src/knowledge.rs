//! What proofs are good for in a match: facts about a game, ready to be used by searches and evaluations, and a
//! [`structure::Prover`] for guesses about input arguments.

use std::collections::BTreeMap;

use game::{Deadline, Gates, GroundTerm, Reasoner};
use structure::Functor;

use crate::candidates;
use crate::check::Checked;
use crate::property::{Kind, Property};
use crate::prover::{Finding, Options, Prover};
use crate::verdict::{Engine, Verdict};

/// Facts about a game that are proved, and no others.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each proved or not")]
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// Sets of input arguments of fluents.
    pub inputs: Vec<(Functor, Vec<usize>)>,
    /// Sets of arguments with exactly one instance for all their values.
    pub exactly_one: Vec<(Functor, Vec<usize>)>,
    /// At most one role has a choice in each state.
    pub turn_taking: bool,
    /// The sum of all goals in every end.
    pub constant_sum: Option<u32>,
    /// Every role has a move in every state that is not terminal.
    pub playable: bool,
    /// Every role has one goal value in every end.
    pub outcome_defined: bool,
    /// Goals never decrease.
    pub monotonic: bool,
    /// After so many moves the game is over.
    pub longest: Option<u32>,
    /// Fluents that never hold together, instance by instance.
    pub exclusive: Vec<(Functor, Functor)>,
    /// Fluents that do not change back, with the truth value that stays: properties of the kind
    /// [`Kind::Persistent`].
    pub persistent: Vec<Kind>,
    /// What never holds: properties of the kind [`Kind::Unreachable`].
    pub unreachable: Vec<Kind>,
}

impl Knowledge {
    /// What the proved ones among some findings say.
    pub fn of(findings: &[Finding]) -> Self {
        let mut found = Self::default();
        for finding in findings.iter().filter(|finding| finding.verdict.is_proved()) {
            found.add(&finding.property.kind);
        }
        found
    }

    fn add(&mut self, kind: &Kind) {
        match kind {
            Kind::Asked => {}
            Kind::Inputs { fluent, inputs } => self.inputs.push((*fluent, inputs.clone())),
            Kind::ExactlyOne { fluent, inputs } => self.exactly_one.push((*fluent, inputs.clone())),
            Kind::TurnTaking => self.turn_taking = true,
            Kind::ConstantSum { total } => self.constant_sum = Some(*total),
            Kind::OutcomeDefined => self.outcome_defined = true,
            Kind::Monotonic => self.monotonic = true,
            Kind::Playable => self.playable = true,
            Kind::Persistent { .. } => self.persistent.push(kind.clone()),
            Kind::Mutex { one, other } => self.exclusive.push((*one, *other)),
            Kind::Unreachable { .. } => self.unreachable.push(kind.clone()),
            Kind::Terminates { steps, .. } => {
                self.longest = Some(self.longest.map_or(*steps, |known| known.min(*steps)));
            }
        }
    }

    /// Groups of fluents of a circuit of which at most one holds in each reachable state: what a smallest set of input
    /// arguments leaves open, and pairs that exclude each other. Places are those of [`Gates::fluents`]; groups of one
    /// are left out.
    pub fn mutex_groups(&self, gates: &Gates) -> Vec<Vec<usize>> {
        let fluents = &gates.program().fluents;
        let of = |functor: Functor| {
            let own = fluents.iter().enumerate();
            own.filter(move |(_, fluent)| Functor::of(fluent) == functor)
        };
        let sets: Vec<&(Functor, Vec<usize>)> =
            self.inputs.iter().chain(&self.exactly_one).collect();
        let larger = |(functor, inputs): &(Functor, Vec<usize>)| {
            sets.iter().any(|(own, fewer)| {
                own == functor
                    && fewer.len() < inputs.len()
                    && fewer.iter().all(|input| inputs.contains(input))
            })
        };
        let mut groups: BTreeMap<(usize, Vec<&GroundTerm>), Vec<usize>> = BTreeMap::new();
        let smallest = sets.iter().copied().filter(|set| !larger(set));
        for (number, (functor, inputs)) in smallest.enumerate() {
            for (place, fluent) in of(*functor) {
                let args = structure::args(fluent);
                let key = inputs.iter().map(|at| &args[*at]).collect();
                groups.entry((number, key)).or_default().push(place);
            }
        }
        let mut found: Vec<Vec<usize>> = groups.into_values().collect();
        for (one, other) in &self.exclusive {
            for (place, fluent) in of(*one) {
                let same = |(_, partner): &(usize, &GroundTerm)| {
                    structure::args(partner) == structure::args(fluent)
                };
                found.extend(of(*other).find(same).map(|(partner, _)| vec![place, partner]));
            }
        }
        found.retain(|group| group.len() > 1);
        for group in &mut found {
            group.sort_unstable();
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Findings that are there already, as a prover for the analysis of structures.
#[derive(Clone, Debug, Default)]
pub struct Told(pub Vec<Finding>);

impl Told {
    /// How many findings decide nothing.
    pub fn open(&self) -> usize {
        self.0.iter().filter(|finding| matches!(finding.verdict, Verdict::Unknown { .. })).count()
    }

    /// Adds what is known from an earlier match: that a property holds, or that it does not.
    pub fn remember(&mut self, property: Property, holds: bool) {
        let engine = Engine::Memory;
        let verdict = if holds {
            let (hypotheses, certificate) = (Vec::new(), None);
            Verdict::Proved { engine, k: 0, hypotheses, seconds: 0.0, certificate }
        } else {
            Verdict::Refuted { engine, trace: Vec::new(), seconds: 0.0 }
        };
        let text = String::new();
        self.0.push(Finding { property, text, verdict, checked: Checked::Nothing });
    }
}

impl structure::Prover for Told {
    fn inputs(&mut self, fluent: Functor, inputs: &[usize]) -> structure::Verdict {
        if inputs.len() == fluent.arity as usize {
            return structure::Verdict::Proved;
        }
        let wanted = Kind::Inputs { fluent, inputs: inputs.to_vec() };
        let found = self.0.iter().find(|finding| finding.property.kind == wanted);
        found.map_or(structure::Verdict::Unknown, |finding| told(&finding.verdict))
    }

    fn turn_taking(&mut self) -> structure::Verdict {
        let found = self.0.iter().find(|finding| finding.property.kind == Kind::TurnTaking);
        found.map_or(structure::Verdict::Unknown, |finding| told(&finding.verdict))
    }

    fn persistent(&mut self, fluent: &GroundTerm, value: bool) -> structure::Verdict {
        let says = |finding: &&Finding| {
            let Kind::Persistent { fluent: of, value: which, truth } = &finding.property.kind
            else {
                return false;
            };
            let meant = |(at, value): &(usize, GroundTerm)| structure::args(fluent)[*at] == *value;
            *of == Functor::of(fluent) && *truth == value && which.as_ref().is_none_or(meant)
        };
        // A refuted claim about many instances says nothing about each of them.
        let proved = self.0.iter().filter(says).any(|finding| finding.verdict.is_proved());
        if proved { structure::Verdict::Proved } else { structure::Verdict::Unknown }
    }
}

fn told(verdict: &Verdict) -> structure::Verdict {
    match verdict {
        Verdict::Proved { .. } => structure::Verdict::Proved,
        Verdict::Refuted { .. } => structure::Verdict::Refuted,
        Verdict::Unknown { .. } => structure::Verdict::Unknown,
    }
}

/// Proves guesses about input arguments when it is asked, all of a game at once.
pub struct InputProver<'r> {
    reasoner: &'r Reasoner,
    options: Options,
    known: Option<Told>,
}

impl<'r> InputProver<'r> {
    /// Proves on this reasoner, within these options.
    pub fn new(reasoner: &'r Reasoner, options: Options) -> Self {
        Self { reasoner, options, known: None }
    }

    fn known(&mut self) -> &mut Told {
        let (reasoner, options) = (self.reasoner, &self.options);
        self.known.get_or_insert_with(|| {
            let vocabulary = crate::Vocabulary::new(reasoner.game());
            let properties = candidates::input_arguments(&vocabulary);
            let mut prover = Prover::on(reasoner, properties, &options.deadline);
            prover.run(options, &mut |_, _| ());
            Told(prover.findings())
        })
    }
}

impl structure::Prover for InputProver<'_> {
    fn inputs(&mut self, fluent: Functor, inputs: &[usize]) -> structure::Verdict {
        self.known().inputs(fluent, inputs)
    }
}

/// What can be proved about a game until a deadline, for a player's start clock.
pub fn know(reasoner: &Reasoner, deadline: &Deadline) -> Knowledge {
    let options = Options { deadline: deadline.clone(), ..Options::default() };
    Knowledge::of(&crate::prover::prove_all(reasoner, &options, &mut |_, _| ()))
}
