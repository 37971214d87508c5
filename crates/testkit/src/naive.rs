//! A reasoner that follows the definition as plainly as possible, to check the others against.
//!
//! It works on the rules as they were written, not on their normal form, and knows neither strata nor
//! indexes nor an order of conditions. The model is found by the alternating fixpoint of Van Gelder
//! (1989): with Γ(J) the least set that is closed under the rules when `not A` is taken to hold
//! exactly if A is not in J, the sets Γ(∅) ⊇ Γ(Γ(Γ(∅))) ⊇ … and Γ(Γ(∅)) ⊆ … close in on the model.
//! For stratified rules both meet in the standard model of thesis Def. 2.14; where they do not meet,
//! the rules are not stratified, not even instance by instance.
//!
//! Each Γ is computed by applying all rules to all facts until nothing new comes. It is slow.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use game::GroundTerm;
use gdl::{Atom, Formula, FormulaKind, Relation, Rules, Symbol, Term, TermKind, keyword};

/// All facts by relation.
pub type Facts = BTreeMap<Relation, BTreeSet<Vec<GroundTerm>>>;

/// A state: the fluents that hold.
pub type Fluents = BTreeSet<GroundTerm>;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// More facts or matches than it is willing to go through.
    TooMuch,
    /// A variable of a head, a negation or `distinct` has no value: the rules are not safe.
    Unbound,
    /// Some facts are neither true nor false: the rules are not stratified.
    Undecided,
}

/// The values of variables.
type Bindings = Vec<(Symbol, GroundTerm)>;

/// A clause with its body as alternatives of conditions; positive conditions come first.
struct Clause<'r> {
    head: &'r Atom,
    alternatives: Vec<Vec<&'r Formula>>,
}

/// The naive reasoner for a rule sheet.
pub struct Reasoner<'r> {
    rules: &'r Rules,
    clauses: Vec<Clause<'r>>,
    /// Matches that may still be tried for the current question.
    budget: Cell<u64>,
    most: u64,
}

impl<'r> Reasoner<'r> {
    /// A reasoner that gives up a question after `most` attempts to match a condition with a fact.
    pub fn new(rules: &'r Rules, most: u64) -> Self {
        let clauses = rules
            .clauses
            .iter()
            .map(|clause| {
                let mut alternatives = alternatives(&clause.body);
                for conditions in &mut alternatives {
                    conditions.sort_by_key(|c| !matches!(c.kind, FormulaKind::Atom(_)));
                }
                Clause { head: &clause.head, alternatives }
            })
            .collect();
        Self { rules, clauses, budget: Cell::new(0), most }
    }

    /// The roles in the order of their facts.
    pub fn roles(&self) -> Vec<GroundTerm> {
        let mut roles = Vec::new();
        for clause in self.rules.clauses.iter().filter(|c| c.body.is_empty()) {
            let named = clause.head.name == keyword::ROLE && clause.head.args.len() == 1;
            let role = instance(&clause.head.args, &Bindings::new()).unwrap_or_default();
            if named && role.iter().any(|role| !roles.contains(role)) {
                roles.extend(role);
            }
        }
        roles
    }

    /// The initial state.
    pub fn initial(&self) -> Result<Fluents, GaveUp> {
        let model = self.model(&Fluents::new(), &[])?;
        Ok(column(&model, relation(keyword::INIT, 1)))
    }

    /// The state after a joint move, given with its roles.
    pub fn next(
        &self,
        state: &Fluents,
        joint: &[(GroundTerm, GroundTerm)],
    ) -> Result<Fluents, GaveUp> {
        let model = self.model(state, joint)?;
        Ok(column(&model, relation(keyword::NEXT, 1)))
    }

    /// Everything that holds in a state where the given moves are done.
    pub fn model(
        &self,
        state: &Fluents,
        joint: &[(GroundTerm, GroundTerm)],
    ) -> Result<Facts, GaveUp> {
        self.budget.set(self.most);
        let mut given = Facts::new();
        given.insert(
            relation(keyword::TRUE, 1),
            state.iter().map(|fluent| vec![fluent.clone()]).collect(),
        );
        let does = joint.iter().map(|(role, action)| vec![role.clone(), action.clone()]);
        given.insert(relation(keyword::DOES, 2), does.collect());
        let mut surely = Facts::new();
        loop {
            let possibly = self.closure(&given, &surely)?;
            let more = self.closure(&given, &possibly)?;
            if more == possibly {
                return Ok(more);
            }
            if more == surely {
                return Err(GaveUp::Undecided);
            }
            surely = more;
        }
    }

    /// Γ: the least set of facts closed under the rules, `not A` being the absence of A in `denied`.
    fn closure(&self, given: &Facts, denied: &Facts) -> Result<Facts, GaveUp> {
        let mut facts = given.clone();
        loop {
            let mut news = Vec::new();
            for clause in &self.clauses {
                for conditions in &clause.alternatives {
                    for solution in self.solve(conditions, vec![Bindings::new()], &facts, denied)? {
                        let fact = instance(&clause.head.args, &solution)?;
                        news.push((clause.head.relation(), fact));
                    }
                }
            }
            let mut grown = false;
            for (relation, fact) in news {
                grown |= facts.entry(relation).or_default().insert(fact);
            }
            if !grown {
                return Ok(facts);
            }
        }
    }

    /// All ways to extend the bindings so that the conditions hold.
    fn solve(
        &self,
        conditions: &[&Formula],
        mut solutions: Vec<Bindings>,
        facts: &Facts,
        denied: &Facts,
    ) -> Result<Vec<Bindings>, GaveUp> {
        for condition in conditions {
            let mut extended = Vec::new();
            for bindings in solutions {
                match &condition.kind {
                    FormulaKind::Atom(atom) => {
                        self.matches(atom, &bindings, facts, &mut extended)?;
                    }
                    FormulaKind::Not(inner) => {
                        // Under a negation the two sets of facts change their parts.
                        if !self.holds(inner, &bindings, denied, facts)? {
                            extended.push(bindings);
                        }
                    }
                    FormulaKind::Distinct(a, b) => {
                        if value(a, &bindings)? != value(b, &bindings)? {
                            extended.push(bindings);
                        }
                    }
                    FormulaKind::Or(_) | FormulaKind::And(_) => {
                        unreachable!("alternatives() leaves only literals")
                    }
                }
            }
            solutions = extended;
        }
        Ok(solutions)
    }

    fn holds(
        &self,
        formula: &Formula,
        bindings: &Bindings,
        facts: &Facts,
        denied: &Facts,
    ) -> Result<bool, GaveUp> {
        for conditions in alternatives(std::slice::from_ref(formula)) {
            if !self.solve(&conditions, vec![bindings.clone()], facts, denied)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn matches(
        &self,
        atom: &Atom,
        bindings: &Bindings,
        facts: &Facts,
        extended: &mut Vec<Bindings>,
    ) -> Result<(), GaveUp> {
        for fact in facts.get(&atom.relation()).into_iter().flatten() {
            let left = self.budget.get().checked_sub(1).ok_or(GaveUp::TooMuch)?;
            self.budget.set(left);
            let mut candidate = bindings.clone();
            if atom.args.iter().zip(fact).all(|(term, value)| unify(term, value, &mut candidate)) {
                extended.push(candidate);
            }
        }
        Ok(())
    }
}

fn instance(terms: &[Term], bindings: &Bindings) -> Result<Vec<GroundTerm>, GaveUp> {
    terms.iter().map(|term| value(term, bindings)).collect()
}

fn value(term: &Term, bindings: &Bindings) -> Result<GroundTerm, GaveUp> {
    Ok(match &term.kind {
        TermKind::Variable(name) => lookup(*name, bindings).ok_or(GaveUp::Unbound)?.clone(),
        TermKind::Constant(name) => GroundTerm::Constant(*name),
        TermKind::Function(name, args) => GroundTerm::Function(*name, instance(args, bindings)?),
    })
}

/// The values of the only argument of a relation.
pub fn column(facts: &Facts, relation: Relation) -> Fluents {
    facts.get(&relation).into_iter().flatten().map(|fact| fact[0].clone()).collect()
}

/// The second arguments of a relation whose first argument is `role`: its legal moves or goals.
pub fn of_role(facts: &Facts, name: Symbol, role: &GroundTerm) -> Fluents {
    let all = facts.get(&relation(name, 2)).into_iter().flatten();
    all.filter(|fact| fact[0] == *role).map(|fact| fact[1].clone()).collect()
}

/// Whether a state with this model is terminal.
pub fn is_terminal(facts: &Facts) -> bool {
    let plain = Relation { name: keyword::TERMINAL, arity: 0, parens: false };
    facts.contains_key(&plain)
}

fn relation(name: Symbol, arity: u32) -> Relation {
    Relation { name, arity, parens: true }
}

fn lookup(name: Symbol, bindings: &Bindings) -> Option<&GroundTerm> {
    bindings.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn unify(term: &Term, value: &GroundTerm, bindings: &mut Bindings) -> bool {
    match (&term.kind, value) {
        (TermKind::Variable(name), _) => {
            let known = lookup(*name, bindings).cloned();
            if known.is_none() {
                bindings.push((*name, value.clone()));
            }
            known.is_none_or(|known| known == *value)
        }
        (TermKind::Constant(name), GroundTerm::Constant(other)) => name == other,
        (TermKind::Function(name, args), GroundTerm::Function(other, values)) => {
            name == other
                && args.len() == values.len()
                && args.iter().zip(values).all(|(arg, value)| unify(arg, value, bindings))
        }
        _ => false,
    }
}

/// A conjunction without `or` and `and`: the alternatives, one of which must hold entirely.
fn alternatives(formulas: &[Formula]) -> Vec<Vec<&Formula>> {
    let Some((first, rest)) = formulas.split_first() else { return vec![Vec::new()] };
    let firsts: Vec<Vec<&Formula>> = match &first.kind {
        FormulaKind::Or(parts) => {
            parts.iter().flat_map(|part| alternatives(std::slice::from_ref(part))).collect()
        }
        FormulaKind::And(parts) => alternatives(parts),
        _ => vec![vec![first]],
    };
    let rests = alternatives(rest);
    firsts.iter().flat_map(|f| rests.iter().map(move |r| [&f[..], &r[..]].concat())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derived(text: &str, name: &str) -> Result<Vec<String>, GaveUp> {
        let (rules, problems) = gdl::parse(text, &gdl::Limits::default());
        assert!(problems.is_empty(), "{problems:?}");
        let reasoner = Reasoner::new(&rules, 100_000);
        let model = reasoner.model(&Fluents::new(), &[])?;
        let symbol = rules.symbols.get(name).expect("a name of the text");
        let texts = model.iter().filter(|(r, _)| r.name == symbol).flat_map(|(_, facts)| facts);
        Ok(texts
            .map(|fact| {
                fact.iter().map(|t| t.to_text(&rules.symbols)).collect::<Vec<_>>().join(" ")
            })
            .collect())
    }

    #[test]
    fn recursion_negation_and_functions_give_the_standard_model() {
        let edges = "(e a b) (e b c) (e c a) (e d a) (n a) (n b) (n c) (n d) ";
        let path = "(<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?z) (p ?x ?y) (p ?y ?z)) ";
        let apart = "(<= (apart ?x ?y) (n ?x) (n ?y) (not (p ?x ?y)) (distinct ?x ?y))";
        let found = derived(&[edges, path, apart].concat(), "apart");
        assert_eq!(found, Ok(vec!["a d".to_owned(), "b d".to_owned(), "c d".to_owned()]));
        let nested = "(n a) (<= (m (f ?x ?x)) (n ?x)) (<= (k ?y) (m (f a ?y)))";
        assert_eq!(derived(nested, "k"), Ok(vec!["a".to_owned()]));
    }

    #[test]
    fn disjunction_binds_in_each_alternative() {
        let text = "(p a) (q b) (<= (r ?x) (or (and (p ?x) (not (q ?x))) (q ?x)))";
        assert_eq!(derived(text, "r"), Ok(vec!["a".to_owned(), "b".to_owned()]));
    }

    #[test]
    fn what_has_no_standard_model_is_refused() {
        let text = "(n a) (<= (p ?x) (n ?x) (not (q ?x))) (<= (q ?x) (n ?x) (not (p ?x)))";
        assert_eq!(derived(text, "p"), Err(GaveUp::Undecided));
        assert_eq!(derived("(n a) (<= (p ?x) (n a))", "p"), Err(GaveUp::Unbound));
        assert_eq!(derived("(n a) (<= (n (s ?x)) (n ?x))", "n"), Err(GaveUp::TooMuch));
    }
}
