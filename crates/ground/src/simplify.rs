//! From instances to the ground program: atoms are numbered, and what is certain disappears.

use datalog::plan::Source;
use datalog::{Functor, Terms};
use gdl::keyword;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::Arena;
use crate::bodies::Bodies;
use crate::fold::{Folded, Truth, fold};
use crate::instantiate::{Instances, input_of};
use crate::program::{AtomId, AtomKind, GroundLiteral, GroundMove, GroundProgram};
use crate::{Budget, Stopped};

pub(crate) fn simplify(
    instances: Instances,
    roles: &[u32],
    budget: &Budget,
) -> Result<GroundProgram, Stopped> {
    let Instances { mut terms, rules, fluents, initial, moves } = instances;
    let folded = fold_constants(&rules, &terms, &fluents, &moves, roles, budget)?;
    let mut builder = Builder::new(&terms, fluents, roles, &moves);
    let bodies = builder.bodies(&rules, &folded, budget)?;
    let Builder { atoms, fluent_numbers: numbers, mut program, .. } = builder;
    program.rules = bodies;
    program.initial = vec![false; program.fluents.len()];
    for fluent in initial {
        if let Some(number) = numbers.get(&fluent) {
            program.initial[*number as usize] = true;
        }
    }
    outputs(&mut program, &mut terms, &atoms, &numbers, roles, &moves);
    Ok(program)
}

/// Finds rules and literals whose truth is certain.
fn fold_constants(
    rules: &Arena,
    terms: &Terms,
    fluents: &[u32],
    moves: &[(u32, u32)],
    roles: &[u32],
    budget: &Budget,
) -> Result<Folded, Stopped> {
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
    fold(terms.len(), rules, is_input, budget)
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
        self.atoms.insert(term, id);
        id
    }

    /// Numbers the atoms in the order they are met, and gathers the rules of each.
    fn bodies(
        &mut self,
        rules: &Arena,
        folded: &Folded,
        budget: &Budget,
    ) -> Result<Bodies, Stopped> {
        let kept = rules_left(rules, folded);
        let mut heads: Vec<u32> = Vec::with_capacity(kept.len());
        for (at, rule) in kept.iter().enumerate() {
            if at.is_multiple_of(1 << 14) {
                budget.check(rules.len())?;
            }
            heads.push(self.atom(rules.head(*rule as usize)).0);
            for literal in uncertain(rules, folded, *rule) {
                self.atom(literal >> 1);
            }
        }
        let order = by_head(&heads, self.program.kinds.len());
        let mut bodies =
            Bodies::with_capacity(order.starts.len(), kept.len(), rules.literal_count());
        let mut body: Vec<GroundLiteral> = Vec::new();
        for atom in 0..self.program.kinds.len() {
            if atom.is_multiple_of(1 << 12) {
                budget.check(rules.len())?;
            }
            for at in &order.items[order.starts[atom] as usize..order.starts[atom + 1] as usize] {
                body.clear();
                let literals = uncertain(rules, folded, kept[*at as usize]);
                body.extend(literals.map(|literal| GroundLiteral {
                    atom: self.atoms[&(literal >> 1)],
                    negative: literal & 1 == 1,
                }));
                bodies.push(&body);
            }
            bodies.close();
        }
        Ok(bodies)
    }
}

/// The rules that are left: those that are alive, and one for each atom that always holds.
fn rules_left(rules: &Arena, folded: &Folded) -> Vec<u32> {
    let mut stated = vec![false; folded.truth.len()];
    let alive = (0..rules.len()).filter(|rule| {
        let head = rules.head(*rule) as usize;
        match folded.truth[head] {
            Truth::Always => !std::mem::replace(&mut stated[head], true),
            Truth::Never => false,
            Truth::Unknown => folded.is_alive(*rule),
        }
    });
    alive.map(|rule| rule as u32).collect()
}

/// The literals of a rule that are not certain; none if its head always holds.
fn uncertain<'r>(rules: &'r Arena, folded: &'r Folded, rule: u32) -> impl Iterator<Item = &'r u32> {
    let holds = folded.truth[rules.head(rule as usize) as usize] == Truth::Always;
    let body = if holds { &[] } else { rules.body(rule as usize) };
    body.iter().filter(|literal| folded.truth[(**literal >> 1) as usize] == Truth::Unknown)
}

/// Places sorted by a number, equal ones in their order.
struct Sorted {
    starts: Vec<u32>,
    items: Vec<u32>,
}

fn by_head(heads: &[u32], atoms: usize) -> Sorted {
    let mut starts = vec![0u32; atoms + 1];
    for head in heads {
        starts[*head as usize + 1] += 1;
    }
    for atom in 0..atoms {
        starts[atom + 1] += starts[atom];
    }
    let mut fill = starts.clone();
    let mut items = vec![0; heads.len()];
    for (at, head) in heads.iter().enumerate() {
        items[fill[*head as usize] as usize] = at as u32;
        fill[*head as usize] += 1;
    }
    Sorted { starts, items }
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
        if is_goal && terms.args(*term)[0] == role && program.rules_of(*atom).len() > 0 {
            goals.push((terms.export(terms.args(*term)[1]), *atom));
        }
    }
    goals.sort();
    goals
}
