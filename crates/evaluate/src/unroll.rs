//! Goals as the thesis reads them: relations unrolled rule by rule, parts with quantified variables taken as atoms
//! (thesis Def. 5.2), order relations by their distance (§5.3.1).
//!
//! Two things are decided here. Static conditions that hold are left out, as ICAART-12 §5.3 does: they say
//! nothing about a state. And a variable to which a static condition leaves only one value has that value.

use datalog::{Analysis, GroundTerm, plan::Lifetime};
use gdl::depend::Dependencies;
use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use gdl::{Relation, keyword};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::terms::{Bindings, apply, ground, is_ground, unify_ground};

/// A formula over fluents and parts, by its number in [`Unrolled`].
pub(crate) type FormulaId = usize;

/// A formula.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Formula {
    /// Holds in every state.
    Always,
    /// Cannot hold (thesis Eq. 5.4: no rule matches).
    Never,
    Fluent(GroundTerm),
    And(Vec<FormulaId>),
    Or(Vec<FormulaId>),
    Not(FormulaId),
    /// Whether a part holds (thesis Eq. 5.5).
    Part(usize),
    /// A part that binds the arguments of order relations: for each order its relation and the arguments of the
    /// part that it compares.
    Order(usize, Vec<(Relation, Operand, Operand)>),
}

/// What an order relation compares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// The argument of the part.
    Argument(usize),
    Term(GroundTerm),
}

/// How much may be unrolled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) formulas: usize,
    pub(crate) depth: usize,
}

/// Unrolls goals.
pub(crate) struct Unroller<'p> {
    program: &'p Program,
    analysis: Analysis,
    dependencies: Dependencies,
    /// Relations that are orders.
    orders: FxHashSet<Relation>,
    limits: datalog::Limits,
    statics: FxHashMap<Relation, Option<Vec<Vec<GroundTerm>>>>,
    known: FxHashMap<(Relation, Vec<GroundTerm>), FormulaId>,
    bounds: Bounds,
    pub(crate) formulas: Vec<Formula>,
    pub(crate) labels: Vec<Option<String>>,
    /// The parts as rules without heads: their arguments and conditions.
    pub(crate) parts: Vec<(Vec<Pattern>, Vec<Literal>)>,
    /// Whether something was taken as an atom only because the bounds were reached.
    pub(crate) cut: bool,
}

impl<'p> Unroller<'p> {
    pub(crate) fn new(
        program: &'p Program,
        orders: impl IntoIterator<Item = Relation>,
        limits: datalog::Limits,
        bounds: Bounds,
    ) -> Self {
        Self {
            program,
            analysis: Analysis::new(program),
            dependencies: Dependencies::new(program),
            orders: orders.into_iter().collect(),
            limits,
            statics: FxHashMap::default(),
            known: FxHashMap::default(),
            bounds,
            formulas: Vec::new(),
            labels: Vec::new(),
            parts: Vec::new(),
            cut: false,
        }
    }

    fn push(&mut self, formula: Formula) -> FormulaId {
        self.formulas.push(formula);
        self.labels.push(None);
        self.formulas.len() - 1
    }

    /// The formula of a ground atom.
    pub(crate) fn atom(
        &mut self,
        relation: Relation,
        args: &[GroundTerm],
        depth: usize,
    ) -> FormulaId {
        if let (keyword::TRUE, [fluent]) = (relation.name, args) {
            return self.push(Formula::Fluent(fluent.clone()));
        }
        let key = (relation, args.to_vec());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let formula = if relation.name == keyword::DOES {
            self.push(Formula::Never)
        } else if self.is_static(relation) {
            match self.extent(relation).map(|rows| rows.iter().any(|row| row == args)) {
                Some(true) => self.push(Formula::Always),
                Some(false) => self.push(Formula::Never),
                None => self.atom_part(relation, args),
            }
        } else if self.is_recursive(relation) || self.is_too_much(depth) {
            self.atom_part(relation, args)
        } else {
            self.by_rules(relation, args, depth)
        };
        self.labels[formula].get_or_insert_with(|| {
            let name = self.program.symbols.name(relation.name);
            let args: Vec<String> =
                args.iter().map(|arg| arg.to_text(&self.program.symbols)).collect();
            if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
        });
        self.known.insert(key, formula);
        formula
    }

    fn is_static(&self, relation: Relation) -> bool {
        self.analysis.class_of(relation).0 == Lifetime::Always
    }

    fn is_recursive(&self, relation: Relation) -> bool {
        self.dependencies.node(relation).is_some_and(|node| self.dependencies.is_recursive(node))
    }

    fn is_too_much(&mut self, depth: usize) -> bool {
        let much = depth > self.bounds.depth || self.formulas.len() > self.bounds.formulas;
        self.cut |= much;
        much
    }

    fn atom_part(&mut self, relation: Relation, args: &[GroundTerm]) -> FormulaId {
        let args = args.iter().map(crate::terms::pattern).collect();
        let literal = Literal::Positive(Predicate { relation, args });
        self.part(Vec::new(), vec![literal])
    }

    fn part(&mut self, args: Vec<Pattern>, body: Vec<Literal>) -> FormulaId {
        self.parts.push((args, body));
        self.push(Formula::Part(self.parts.len() - 1))
    }

    /// The disjunction of the bodies of all rules whose heads match (thesis Eq. 5.4).
    fn by_rules(&mut self, relation: Relation, args: &[GroundTerm], depth: usize) -> FormulaId {
        let program = self.program;
        let rules: Vec<u32> =
            self.analysis.rules_of(relation).map(<[u32]>::to_vec).unwrap_or_default();
        let mut bodies = Vec::new();
        for rule in rules {
            let rule = &program.rules[rule as usize];
            let mut bindings: Bindings = vec![None; rule.variables as usize];
            let fits = rule.head.args.len() == args.len()
                && rule.head.args.iter().zip(args).all(|(p, t)| unify_ground(p, t, &mut bindings));
            if fits {
                let body = self.body(rule, bindings, depth);
                if self.formulas[body] != Formula::Never {
                    bodies.push(body);
                }
            }
        }
        if bodies.iter().any(|body| self.formulas[*body] == Formula::Always) {
            return self.push(Formula::Always);
        }
        match &bodies[..] {
            [] => self.push(Formula::Never),
            [single] => *single,
            _ => self.push(Formula::Or(bodies)),
        }
    }

    fn body(&mut self, rule: &Rule, mut bindings: Bindings, depth: usize) -> FormulaId {
        let Some(literals) = self.settle(rule, &mut bindings) else {
            return self.push(Formula::Never);
        };
        let mut conjuncts = Vec::new();
        for group in groups(&literals) {
            let group: Vec<Literal> = group.into_iter().map(|at| literals[at].clone()).collect();
            let conjunct = self.group(group, depth);
            match &self.formulas[conjunct] {
                Formula::Never => return conjunct,
                Formula::Always => {}
                _ => conjuncts.push(conjunct),
            }
        }
        match &conjuncts[..] {
            [] => self.push(Formula::Always),
            [single] => *single,
            _ => self.push(Formula::And(conjuncts)),
        }
    }

    /// Applies the bindings, adds those that static conditions force, and leaves out what certainly holds. None if
    /// a condition certainly fails.
    fn settle(&mut self, rule: &Rule, bindings: &mut Bindings) -> Option<Vec<Literal>> {
        loop {
            let mut changed = false;
            let mut rest = Vec::new();
            for literal in &rule.body {
                let literal = apply(literal, bindings);
                match self.certain(&literal, bindings) {
                    Certainty::Fails => return None,
                    Certainty::Holds => {}
                    Certainty::Binds => changed = true,
                    Certainty::Open => rest.push(literal),
                }
            }
            if !changed {
                return Some(rest);
            }
        }
    }

    fn certain(&mut self, literal: &Literal, bindings: &mut Bindings) -> Certainty {
        match literal {
            Literal::Distinct(a, b) if is_ground(a) && is_ground(b) => Certainty::of(a != b),
            Literal::Same(a, b) if is_ground(a) && is_ground(b) => Certainty::of(a == b),
            Literal::Same(a, b) => {
                let (open, fixed) = if is_ground(a) { (b, a) } else { (a, b) };
                match ground(fixed) {
                    Some(term) if unify_ground(open, &term, bindings) => Certainty::Binds,
                    Some(_) => Certainty::Fails,
                    None => Certainty::Open,
                }
            }
            Literal::Positive(p) | Literal::Negative(p) if self.is_static(p.relation) => {
                let positive = matches!(literal, Literal::Positive(_));
                self.certain_static(p, positive, bindings)
            }
            _ => Certainty::Open,
        }
    }

    fn certain_static(
        &mut self,
        p: &Predicate,
        positive: bool,
        bindings: &mut Bindings,
    ) -> Certainty {
        let is_order = self.orders.contains(&p.relation);
        let closed = p.args.iter().all(is_ground);
        if !positive && !closed {
            return Certainty::Open;
        }
        let Some(rows) = self.extent(p.relation) else { return Certainty::Open };
        let mut fitting = rows.iter().filter(|row| {
            let mut trial = bindings.clone();
            p.args.iter().zip(row.iter()).all(|(p, t)| unify_ground(p, t, &mut trial))
        });
        match (fitting.next().cloned(), fitting.next().is_some(), positive) {
            (found, _, false) => Certainty::of(found.is_none()),
            (None, _, true) => Certainty::Fails,
            (Some(_), _, true) if closed => Certainty::Holds,
            // An order relation is what the degree is about.
            (Some(row), false, true) if !is_order => {
                for (p, t) in p.args.iter().zip(&row) {
                    unify_ground(p, t, bindings);
                }
                Certainty::Binds
            }
            (Some(_), _, true) => Certainty::Open,
        }
    }

    fn extent(&mut self, relation: Relation) -> Option<&Vec<Vec<GroundTerm>>> {
        let (program, limits) = (self.program, &self.limits);
        let rows = self
            .statics
            .entry(relation)
            .or_insert_with(|| datalog::extent(program, relation, limits).ok());
        rows.as_ref()
    }

    /// Conditions that are linked by variables, or a single one without.
    fn group(&mut self, literals: Vec<Literal>, depth: usize) -> FormulaId {
        if let [literal] = &literals[..] {
            let (predicate, negative) = match literal {
                Literal::Positive(p) => (p, false),
                Literal::Negative(p) => (p, true),
                _ => return self.part(Vec::new(), literals),
            };
            let args: Option<Vec<GroundTerm>> = predicate.args.iter().map(ground).collect();
            if let Some(args) = args {
                let formula = self.atom(predicate.relation, &args, depth + 1);
                return if negative { self.negated(formula) } else { formula };
            }
        }
        self.order(&literals).unwrap_or_else(|| self.part(Vec::new(), literals))
    }

    fn negated(&mut self, formula: FormulaId) -> FormulaId {
        let negated = match &self.formulas[formula] {
            Formula::Always => Formula::Never,
            Formula::Never => Formula::Always,
            _ => Formula::Not(formula),
        };
        self.push(negated)
    }

    /// A group in which order relations compare what the other conditions bind.
    fn order(&mut self, literals: &[Literal]) -> Option<FormulaId> {
        let is_order = |literal: &Literal| matches!(literal, Literal::Positive(p) if self.orders.contains(&p.relation) && p.args.len() == 2);
        let (orders, rest): (Vec<Literal>, Vec<Literal>) =
            literals.iter().cloned().partition(is_order);
        let mut bound = FxHashSet::default();
        for literal in &rest {
            if let Literal::Positive(p) = literal {
                p.each_variable(&mut |v| _ = bound.insert(v));
            }
        }
        let mut args: Vec<Pattern> = Vec::new();
        let mut compared = Vec::new();
        for literal in &orders {
            let Literal::Positive(p) = literal else { return None };
            let mut operand = |pattern: &Pattern| match pattern {
                Pattern::Variable(v) if bound.contains(v) => {
                    let place = args.iter().position(|arg| arg == pattern);
                    Some(Operand::Argument(place.unwrap_or_else(|| {
                        args.push(pattern.clone());
                        args.len() - 1
                    })))
                }
                _ => ground(pattern).map(Operand::Term),
            };
            compared.push((p.relation, operand(&p.args[0])?, operand(&p.args[1])?));
        }
        if compared.is_empty() || rest.is_empty() {
            return None;
        }
        self.parts.push((args, rest));
        Some(self.push(Formula::Order(self.parts.len() - 1, compared)))
    }
}

enum Certainty {
    Holds,
    Fails,
    /// Variables got values; the condition is looked at again.
    Binds,
    Open,
}

impl Certainty {
    fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

/// Literals grouped by the variables they share (thesis Eq. 5.1: "no common variables").
fn groups(literals: &[Literal]) -> Vec<Vec<usize>> {
    let mut group_of: Vec<usize> = (0..literals.len()).collect();
    let mut owner: FxHashMap<u32, usize> = FxHashMap::default();
    for (at, literal) in literals.iter().enumerate() {
        let mut variables = Vec::new();
        literal.each_variable(&mut |v| variables.push(v));
        for variable in variables {
            let first = *owner.entry(variable).or_insert(at);
            let (keep, drop) = (group_of[first], group_of[at]);
            group_of.iter_mut().filter(|group| **group == drop).for_each(|group| *group = keep);
        }
    }
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, group) in group_of.into_iter().enumerate() {
        match groups.iter_mut().find(|(other, _)| *other == group) {
            Some((_, members)) => members.push(at),
            None => groups.push((group, vec![at])),
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}
