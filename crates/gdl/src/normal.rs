//! Rules as plain clauses: a head and a conjunction of literals, ready for reasoners.
//!
//! `or` and `and` are expanded; where the expansion would multiply beyond [`FEW_ALTERNATIVES`], the
//! disjunction becomes an auxiliary relation over its variables instead, if that keeps the meaning.
//! Negation is pushed inwards: valid GDL negates atoms only, but rule sheets in circulation also
//! negate `distinct` or `or`.

#![allow(
    clippy::result_large_err,
    reason = "an error ends the whole normalization, so its size costs nothing"
)]

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Diagnostic;
use crate::ast::{Atom, Clause, Formula, FormulaKind, Relation, Rules, Term, TermKind};
use crate::symbol::{Symbol, Symbols};

/// The most clauses that one written rule is expanded into before auxiliary relations are used.
pub const FEW_ALTERNATIVES: usize = 16;

/// The most clauses that one written rule is expanded into at all.
pub const MOST_ALTERNATIVES: usize = 20_000;

/// The most literals that are copied to expand the disjunctions of a rule sheet. It keeps the memory
/// in proportion where a hostile sheet has many rules that expand a lot.
pub const MOST_COPIES: usize = 4_000_000;

/// A normal logic program with places.
#[derive(Clone, Debug)]
pub struct Program {
    /// The names, those of auxiliary relations included.
    pub symbols: Symbols,
    /// The clauses, in the order of the rule sheet.
    pub rules: Vec<Rule>,
}

/// A head and the literals that must all hold.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What is derived.
    pub head: Predicate,
    /// The conditions.
    pub body: Vec<Literal>,
    /// The number of variables; they are numbered from 0 within the rule.
    pub variables: u32,
    /// Their names.
    pub variable_names: Vec<Symbol>,
    /// The index of the clause of the rule sheet it came from.
    pub clause: u32,
}

/// A relation applied to patterns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// The relation.
    pub relation: Relation,
    /// Its arguments.
    pub args: Vec<Pattern>,
}

/// A term with numbered variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// A variable of the rule.
    Variable(u32),
    /// A constant.
    Constant(Symbol),
    /// A function applied to patterns.
    Function(Symbol, Vec<Pattern>),
}

/// A condition of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// Derivable.
    Positive(Predicate),
    /// Not derivable.
    Negative(Predicate),
    /// Different terms.
    Distinct(Pattern, Pattern),
    /// The same term (from a negated `distinct`).
    Same(Pattern, Pattern),
}

impl Pattern {
    /// Calls `visit` for each variable occurrence.
    pub fn each_variable(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Pattern::Variable(v) => visit(*v),
            Pattern::Constant(_) => {}
            Pattern::Function(_, args) => args.iter().for_each(|arg| arg.each_variable(visit)),
        }
    }
}

impl Predicate {
    /// Calls `visit` for each variable occurrence.
    pub fn each_variable(&self, visit: &mut impl FnMut(u32)) {
        self.args.iter().for_each(|arg| arg.each_variable(visit));
    }
}

impl Literal {
    /// Calls `visit` for each variable occurrence.
    pub fn each_variable(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Literal::Positive(p) | Literal::Negative(p) => p.each_variable(visit),
            Literal::Distinct(a, b) | Literal::Same(a, b) => {
                a.each_variable(visit);
                b.each_variable(visit);
            }
        }
    }

    /// The relation it refers to, if any, and whether it is negated.
    pub fn relation(&self) -> Option<(Relation, bool)> {
        match self {
            Literal::Positive(p) => Some((p.relation, false)),
            Literal::Negative(p) => Some((p.relation, true)),
            Literal::Distinct(..) | Literal::Same(..) => None,
        }
    }
}

/// Turns written rules into plain clauses. Fails only where a rule nests so many disjunctions that
/// it stands for more than [`MOST_ALTERNATIVES`] clauses, or where all
/// together take more than [`MOST_COPIES`].
pub fn normalize(rules: &Rules) -> Result<Program, Diagnostic> {
    let mut builder =
        Builder { symbols: rules.symbols.clone(), rules: Vec::new(), auxiliaries: 0, copies: 0 };
    for (index, clause) in rules.clauses.iter().enumerate() {
        builder.clause(clause, index as u32)?;
    }
    Ok(Program { symbols: builder.symbols, rules: builder.rules })
}

struct Builder {
    symbols: Symbols,
    rules: Vec<Rule>,
    auxiliaries: usize,
    /// What the expansions have copied so far.
    copies: usize,
}

type Alternatives = Vec<Vec<Literal>>;

/// The variables of one written clause.
struct Scope<'c> {
    clause: &'c Clause,
    index: u32,
    names: Vec<Symbol>,
    numbers: FxHashMap<Symbol, u32>,
    /// How often each occurs in the whole clause.
    occurrences: Vec<usize>,
}

impl<'c> Scope<'c> {
    fn new(clause: &'c Clause, index: u32) -> Self {
        let mut scope = Self {
            clause,
            index,
            names: Vec::new(),
            numbers: FxHashMap::default(),
            occurrences: Vec::new(),
        };
        clause.each_variable(&mut |name, _| {
            let number = scope.number(name) as usize;
            scope.occurrences[number] += 1;
        });
        scope
    }

    fn number(&mut self, name: Symbol) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.occurrences.push(0);
            self.names.len() as u32 - 1
        })
    }

    fn pattern(&mut self, term: &Term) -> Pattern {
        match &term.kind {
            TermKind::Variable(name) => Pattern::Variable(self.number(*name)),
            TermKind::Constant(name) => Pattern::Constant(*name),
            TermKind::Function(name, args) => {
                Pattern::Function(*name, args.iter().map(|arg| self.pattern(arg)).collect())
            }
        }
    }

    fn predicate(&mut self, atom: &Atom) -> Predicate {
        let args = atom.args.iter().map(|arg| self.pattern(arg)).collect();
        Predicate { relation: atom.relation(), args }
    }

    /// The variables of `part` that also occur elsewhere in the clause.
    fn linked(&mut self, part: &Formula) -> Vec<u32> {
        let mut inside: Vec<u32> = Vec::new();
        part.each_variable(&mut |name, _| inside.push(self.number(name)));
        inside.sort_unstable();
        inside
            .chunk_by(|a, b| a == b)
            .filter(|same| self.occurrences[same[0] as usize] > same.len())
            .map(|same| same[0])
            .collect()
    }

    fn too_many(&self) -> Diagnostic {
        self.too_big(format!(
            "this rule stands for more than {MOST_ALTERNATIVES} rules without `or`"
        ))
    }

    fn too_many_copies(&self) -> Diagnostic {
        self.too_big(format!(
            "without `or`, the rules up to this one have more than {MOST_COPIES} conditions"
        ))
    }

    fn too_big(&self, message: String) -> Diagnostic {
        Diagnostic::error("E130", self.clause.span, message)
            .because(
                "reasoners expand disjunctions, and this expansion does not end in useful time",
            )
            .hint("give the parts that begin with `or` relations of their own")
    }
}

impl Builder {
    fn clause(&mut self, clause: &Clause, index: u32) -> Result<(), Diagnostic> {
        let mut scope = Scope::new(clause, index);
        let head = scope.predicate(&clause.head);
        let body = self.conjunction(&clause.body, false, &mut scope)?;
        self.add_all(&head, body, &scope)
    }

    /// Adds a rule for each alternative.
    fn add_all(
        &mut self,
        head: &Predicate,
        alternatives: Alternatives,
        scope: &Scope<'_>,
    ) -> Result<(), Diagnostic> {
        // Each alternative carries the table of the clause's variables until it is renumbered.
        if alternatives.len() > 1 {
            self.spend(alternatives.len() * scope.names.len(), scope)?;
        }
        for literals in alternatives {
            self.push(head.clone(), literals, scope);
        }
        Ok(())
    }

    /// Counts what an expansion copies.
    fn spend(&mut self, copies: usize, scope: &Scope<'_>) -> Result<(), Diagnostic> {
        self.copies += copies;
        if self.copies > MOST_COPIES { Err(scope.too_many_copies()) } else { Ok(()) }
    }

    /// Adds a rule, its variables renumbered so that none is unused.
    fn push(&mut self, head: Predicate, body: Vec<Literal>, scope: &Scope<'_>) {
        let mut rule = Rule {
            head,
            body,
            variables: scope.names.len() as u32,
            variable_names: scope.names.clone(),
            clause: scope.index,
        };
        rule.compact();
        self.rules.push(rule);
    }

    /// All of `parts`, or with `negated` all of their negations, as alternatives of literals.
    fn conjunction(
        &mut self,
        parts: &[Formula],
        negated: bool,
        scope: &mut Scope<'_>,
    ) -> Result<Alternatives, Diagnostic> {
        let mut all: Alternatives = vec![Vec::new()];
        for part in parts {
            let mut some = self.formula(part, negated, scope)?;
            if some.len() > 1 && all.len() * some.len() > FEW_ALTERNATIVES {
                let linked = scope.linked(part);
                if can_stand_apart(&some, &linked) {
                    some = vec![vec![self.auxiliary(some, &linked, scope)?]];
                }
            }
            if all.len() * some.len() > MOST_ALTERNATIVES {
                return Err(scope.too_many());
            }
            if let [only] = &some[..] {
                self.spend(only.len() * all.len().saturating_sub(1), scope)?;
                for literals in &mut all {
                    literals.extend_from_slice(only);
                }
            } else {
                self.spend(copies(&all) * some.len() + copies(&some) * all.len(), scope)?;
                all = product(&all, &some);
            }
        }
        Ok(all)
    }

    fn disjunction(
        &mut self,
        parts: &[Formula],
        negated: bool,
        scope: &mut Scope<'_>,
    ) -> Result<Alternatives, Diagnostic> {
        let mut all = Vec::new();
        for part in parts {
            all.extend(self.formula(part, negated, scope)?);
            if all.len() > MOST_ALTERNATIVES {
                return Err(scope.too_many());
            }
        }
        Ok(all)
    }

    fn formula(
        &mut self,
        formula: &Formula,
        negated: bool,
        scope: &mut Scope<'_>,
    ) -> Result<Alternatives, Diagnostic> {
        let literal = match &formula.kind {
            FormulaKind::Not(inner) => return self.formula(inner, !negated, scope),
            FormulaKind::And(parts) if negated => return self.disjunction(parts, true, scope),
            FormulaKind::And(parts) => return self.conjunction(parts, false, scope),
            FormulaKind::Or(parts) if negated => return self.conjunction(parts, true, scope),
            FormulaKind::Or(parts) => return self.disjunction(parts, false, scope),
            FormulaKind::Atom(atom) if negated => Literal::Negative(scope.predicate(atom)),
            FormulaKind::Atom(atom) => Literal::Positive(scope.predicate(atom)),
            FormulaKind::Distinct(a, b) if negated => {
                Literal::Same(scope.pattern(a), scope.pattern(b))
            }
            FormulaKind::Distinct(a, b) => Literal::Distinct(scope.pattern(a), scope.pattern(b)),
        };
        Ok(vec![vec![literal]])
    }

    /// Replaces alternatives by a relation over the variables they share with the rest of the rule.
    fn auxiliary(
        &mut self,
        alternatives: Alternatives,
        linked: &[u32],
        scope: &Scope<'_>,
    ) -> Result<Literal, Diagnostic> {
        self.auxiliaries += 1;
        let mut name = format!("or_{}", self.auxiliaries);
        while self.symbols.get(&name).is_some() {
            name.push('_');
        }
        let name = self.symbols.intern(&name);
        let args: Vec<_> = linked.iter().map(|v| Pattern::Variable(*v)).collect();
        let relation = Relation { name, arity: args.len() as u32, parens: !args.is_empty() };
        let head = Predicate { relation, args };
        self.add_all(&head, alternatives, scope)?;
        Ok(Literal::Positive(head))
    }
}

/// The size of alternatives.
fn copies(alternatives: &Alternatives) -> usize {
    alternatives.iter().map(Vec::len).sum()
}

/// Each of `left` together with each of `right`.
fn product(left: &Alternatives, right: &Alternatives) -> Alternatives {
    let with_each = |left: &Vec<Literal>| {
        let left = left.clone();
        right.iter().map(move |right| [&left[..], &right[..]].concat())
    };
    left.iter().flat_map(with_each).collect()
}

/// Whether each alternative binds all of its variables by itself, and all linked ones.
fn can_stand_apart(alternatives: &Alternatives, linked: &[u32]) -> bool {
    alternatives.iter().all(|literals| {
        let mut bound = FxHashSet::default();
        for literal in literals {
            if let Literal::Positive(p) = literal {
                p.each_variable(&mut |v| _ = bound.insert(v));
            }
        }
        let mut safe = linked.iter().all(|v| bound.contains(v));
        for literal in literals {
            literal.each_variable(&mut |v| safe &= bound.contains(&v));
        }
        safe
    })
}

impl Rule {
    fn compact(&mut self) {
        let mut map = vec![u32::MAX; self.variables as usize];
        let mut names = Vec::new();
        let old = std::mem::take(&mut self.variable_names);
        let mut visit = |v: u32| {
            if map[v as usize] == u32::MAX {
                map[v as usize] = names.len() as u32;
                names.push(old[v as usize]);
            }
        };
        self.head.each_variable(&mut visit);
        self.body.iter().for_each(|literal| literal.each_variable(&mut visit));
        self.head.rename(&map);
        for literal in &mut self.body {
            match literal {
                Literal::Positive(p) | Literal::Negative(p) => p.rename(&map),
                Literal::Distinct(a, b) | Literal::Same(a, b) => {
                    a.rename(&map);
                    b.rename(&map);
                }
            }
        }
        self.variables = names.len() as u32;
        self.variable_names = names;
    }
}

impl Predicate {
    fn rename(&mut self, map: &[u32]) {
        self.args.iter_mut().for_each(|arg| arg.rename(map));
    }
}

impl Pattern {
    fn rename(&mut self, map: &[u32]) {
        match self {
            Pattern::Variable(v) => *v = map[*v as usize],
            Pattern::Constant(_) => {}
            Pattern::Function(_, args) => args.iter_mut().for_each(|arg| arg.rename(map)),
        }
    }
}
