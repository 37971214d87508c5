//! From instances to the ground program: atoms are numbered, and what is certainly true or certainly
//! false disappears.

use datalog::plan::Source;
use datalog::{Functor, Terms};
use gdl::keyword;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::instantiate::{Instance, Instances, input_of};
use crate::program::{AtomId, AtomKind, GroundLiteral, GroundMove, GroundProgram};
use crate::{Budget, Stopped};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    Unknown,
    Always,
    Never,
}

pub(crate) fn simplify(
    instances: Instances,
    roles: &[u32],
    budget: &Budget,
) -> Result<GroundProgram, Stopped> {
    let Instances { mut terms, mut rules, fluents, initial, moves } = instances;
    fold_constants(&mut rules, &terms, &fluents, &moves, roles, budget)?;
    let mut builder = Builder::new(&terms, fluents, roles, &moves);
    for (at, rule) in rules.iter().enumerate() {
        if at.is_multiple_of(1 << 16) {
            budget.check(rules.len())?;
        }
        builder.rule(rule);
    }
    let Builder { atoms, fluent_numbers: numbers, mut program, .. } = builder;
    program.initial = vec![false; program.fluents.len()];
    for fluent in initial {
        if let Some(number) = numbers.get(&fluent) {
            program.initial[*number as usize] = true;
        }
    }
    outputs(&mut program, &mut terms, &atoms, &numbers, roles, &moves);
    Ok(program)
}

/// Removes rules and literals whose truth is certain, until nothing changes.
fn fold_constants(
    rules: &mut Vec<Instance>,
    terms: &Terms,
    fluents: &[u32],
    moves: &[(u32, u32)],
    roles: &[u32],
    budget: &Budget,
) -> Result<(), Stopped> {
    let mut possible_fluents = vec![false; terms.len()];
    for fluent in fluents {
        possible_fluents[*fluent as usize] = true;
    }
    let possible_moves: FxHashSet<(u32, u32)> = moves.iter().copied().collect();
    let is_input = |atom: u32| {
        let (functor, arity) = terms.functor(atom);
        match input_of(functor, arity) {
            Some(Source::True) => Some(possible_fluents[terms.args(atom)[0] as usize]),
            Some(Source::Does) => {
                let pair = (terms.args(atom)[0], terms.args(atom)[1]);
                Some(possible_moves.contains(&pair) && roles.contains(&pair.0))
            }
            None => None,
        }
    };
    loop {
        budget.check(rules.len())?;
        let mut truth = vec![Truth::Never; terms.len()];
        for rule in rules.iter() {
            let known = &mut truth[rule.head as usize];
            if rule.body.is_empty() {
                *known = Truth::Always;
            } else if *known == Truth::Never {
                *known = Truth::Unknown;
            }
        }
        let truth_of = |atom: u32| match is_input(atom) {
            Some(true) => Truth::Unknown,
            Some(false) => Truth::Never,
            None => truth[atom as usize],
        };
        let before: usize = rules.iter().map(|rule| 1 + rule.body.len()).sum();
        rules.retain_mut(|rule| {
            let settled = truth[rule.head as usize] == Truth::Always;
            if settled && !rule.body.is_empty() {
                return false;
            }
            let fails = rule.body.iter().any(|(atom, negative)| match truth_of(*atom) {
                Truth::Unknown => false,
                Truth::Always => *negative,
                Truth::Never => !negative,
            });
            if !fails {
                let keep = |(atom, _): &&(u32, bool)| truth_of(*atom) == Truth::Unknown;
                rule.body = rule.body.iter().filter(keep).copied().collect();
            }
            !fails
        });
        let after: usize = rules.iter().map(|rule| 1 + rule.body.len()).sum();
        if after == before {
            return Ok(());
        }
    }
}

struct Builder<'t> {
    terms: &'t Terms,
    atoms: FxHashMap<u32, AtomId>,
    fluent_numbers: FxHashMap<u32, u32>,
    move_numbers: FxHashMap<(u32, u32), (u32, u32)>,
    program: GroundProgram,
}

impl<'t> Builder<'t> {
    fn new(terms: &'t Terms, fluents: Vec<u32>, roles: &[u32], moves: &[(u32, u32)]) -> Self {
        let mut builder = Self {
            terms,
            atoms: FxHashMap::default(),
            fluent_numbers: FxHashMap::default(),
            move_numbers: FxHashMap::default(),
            program: GroundProgram::default(),
        };
        for fluent in fluents {
            builder.fluent_numbers.insert(fluent, builder.program.fluents.len() as u32);
            builder.program.fluents.push(terms.export(fluent));
        }
        for (number, role) in roles.iter().enumerate() {
            let own = moves.iter().filter(|(mover, _)| mover == role);
            for (place, (_, action)) in own.enumerate() {
                builder.move_numbers.insert((*role, *action), (number as u32, place as u32));
            }
        }
        builder
    }

    fn atom(&mut self, term: u32) -> AtomId {
        if let Some(id) = self.atoms.get(&term) {
            return *id;
        }
        let (functor, arity) = self.terms.functor(term);
        let args = self.terms.args(term);
        let kind = match input_of(functor, arity) {
            Some(Source::True) => self
                .fluent_numbers
                .get(&args[0])
                .map_or(AtomKind::Derived, |n| AtomKind::Fluent(*n)),
            Some(Source::Does) => match self.move_numbers.get(&(args[0], args[1])) {
                Some((role, action)) => AtomKind::Does { role: *role, action: *action },
                None => AtomKind::Derived,
            },
            None => AtomKind::Derived,
        };
        let id = AtomId(self.program.kinds.len() as u32);
        self.program.kinds.push(kind);
        self.program.names.push(self.terms.export(term));
        self.program.rules.push(Vec::new());
        self.atoms.insert(term, id);
        id
    }

    fn rule(&mut self, rule: &Instance) {
        let head = self.atom(rule.head);
        let body: Vec<GroundLiteral> = rule
            .body
            .iter()
            .map(|(atom, negative)| GroundLiteral { atom: self.atom(*atom), negative: *negative })
            .collect();
        // Equal bodies are removed when everything is there.
        self.program.rules[head.index()].push(body);
    }
}

/// Finds the atoms that a machine reads.
fn outputs(
    program: &mut GroundProgram,
    terms: &mut Terms,
    atoms: &FxHashMap<u32, AtomId>,
    fluents: &FxHashMap<u32, u32>,
    roles: &[u32],
    moves: &[(u32, u32)],
) {
    let mut find = |functor: Functor, args: &[u32]| {
        let term = terms.intern(functor, args).ok()?;
        atoms.get(&term).copied()
    };
    let mut next = vec![None; program.fluents.len()];
    #[expect(clippy::iter_over_hash_type, reason = "each entry goes to its own place")]
    for (term, number) in fluents {
        next[*number as usize] = find(Functor::function(keyword::NEXT), &[*term]);
    }
    program.next = next;
    program.terminal = find(Functor::constant(keyword::TERMINAL), &[]);
    let mut all_moves = Vec::new();
    for role in roles {
        let mut own = Vec::new();
        for (_, action) in moves.iter().filter(|(mover, _)| mover == role) {
            let legal = find(Functor::function(keyword::LEGAL), &[*role, *action]);
            let does = find(Functor::function(keyword::DOES), &[*role, *action]);
            own.push((*action, legal, does));
        }
        all_moves.push(own);
    }
    program.moves = all_moves
        .into_iter()
        .map(|own| {
            let own = own.into_iter();
            own.map(|(action, legal, does)| GroundMove { term: terms.export(action), legal, does })
                .collect()
        })
        .collect();
    program.goals = roles.iter().map(|role| goals_of(program, terms, atoms, *role)).collect();
}

fn goals_of(
    program: &GroundProgram,
    terms: &Terms,
    atoms: &FxHashMap<u32, AtomId>,
    role: u32,
) -> Vec<(datalog::GroundTerm, AtomId)> {
    let mut goals: Vec<(datalog::GroundTerm, AtomId)> = Vec::new();
    #[expect(clippy::iter_over_hash_type, reason = "sorted below")]
    for (term, atom) in atoms {
        let is_goal = terms.functor(*term) == (Functor::function(keyword::GOAL), 2);
        if is_goal && terms.args(*term)[0] == role && !program.rules[atom.index()].is_empty() {
            goals.push((terms.export(terms.args(*term)[1]), *atom));
        }
    }
    goals.sort();
    goals
}
