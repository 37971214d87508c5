//! Properties as stratified clauses (thesis §7.2: the atom ϕ with its clauses Φ; §7.3 for input arguments).
//!
//! A formula becomes the body of a rule where it can; disjunctions, universal quantifiers and counts get predicates of
//! their own over their free variables. Variables that nothing positive binds range over domains.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use game::GroundTerm;
use ground::Place;
use structure::Functor;

use crate::asp::domain::DomainRules;
use crate::asp::names::{Names, applied};
use crate::asp::rules::{Need, Time, Writer, need_of_relation};
use crate::property::{Atom, Comparison, Formula, Property, Term, Variable};
use crate::vocabulary::{LEGAL, TRUE, Vocabulary};

/// A condition of a rule.
struct Part {
    text: String,
    uses: Vec<Variable>,
    /// It gives its variables values.
    binds: bool,
}

/// Writes the clauses of properties.
pub(crate) struct Encoder<'e, 'd> {
    pub(crate) vocabulary: &'d Vocabulary,
    pub(crate) names: &'e mut Names,
    pub(crate) domains: &'e mut DomainRules<'d>,
    /// The static version of `legal`, for variables that stand for moves.
    pub(crate) static_legal: Option<String>,
    /// What the clauses need.
    pub(crate) needs: BTreeSet<Need>,
    /// The clauses.
    pub(crate) out: String,
    /// Why a property cannot be written.
    pub(crate) problem: Option<String>,
}

/// The most facts for one comparison.
const MOST_COMPARED: usize = 200_000;

impl Encoder<'_, '_> {
    /// Writes the clauses of a property at a time; the atom that says that it holds.
    pub(crate) fn property(&mut self, property: &Property, name: &str, time: Time) -> String {
        let name = self.names.fresh(name);
        let body = self.parts(property, &property.formula, true, time);
        self.rule(property, &name, &[], body, &property.formula);
        name
    }

    /// A formula, or its negation, as conditions.
    fn parts(&mut self, p: &Property, formula: &Formula, truth: bool, time: Time) -> Vec<Part> {
        match formula {
            Formula::Truth(value) if *value == truth => Vec::new(),
            Formula::Truth(_) => {
                vec![Part { text: "#false".to_owned(), uses: Vec::new(), binds: false }]
            }
            Formula::Atom(atom) => vec![self.atom(atom, truth, time)],
            Formula::Compare(left, comparison, right) => {
                vec![self.compare(p, (left, *comparison, right), truth)]
            }
            Formula::Not(inside) => self.parts(p, inside, !truth, time),
            Formula::Next(inside) => self.parts(p, inside, truth, Time::Next),
            Formula::And(parts) if truth => {
                parts.iter().flat_map(|part| self.parts(p, part, true, time)).collect()
            }
            Formula::Or(parts) if !truth => {
                parts.iter().flat_map(|part| self.parts(p, part, false, time)).collect()
            }
            Formula::Implies(a, b) if !truth => {
                let mut all = self.parts(p, a, true, time);
                all.extend(self.parts(p, b, false, time));
                all
            }
            Formula::And(_) | Formula::Or(_) | Formula::Implies(..) | Formula::Iff(..) => {
                vec![self.alternatives(p, formula, truth, time)]
            }
            Formula::ForAll(_, body) => {
                let free = formula.free_variables();
                let name = self.names.fresh("fails");
                let inside = self.parts(p, body, false, time);
                self.rule(p, &name, &free, inside, body);
                vec![called(&name, free, !truth)]
            }
            Formula::Count { least, most, variables, body } => {
                vec![self.count(p, formula, (*least, *most), variables, body, truth, time)]
            }
        }
    }

    /// One of several conditions, as a predicate with a rule for each.
    fn alternatives(&mut self, p: &Property, formula: &Formula, truth: bool, time: Time) -> Part {
        let free = formula.free_variables();
        let name = self.names.fresh("either");
        let cases: Vec<Vec<(&Formula, bool)>> = match formula {
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().map(|part| vec![(part, truth)]).collect()
            }
            Formula::Implies(a, b) => vec![vec![(&**a, false)], vec![(&**b, true)]],
            Formula::Iff(a, b) => {
                vec![vec![(&**a, true), (&**b, truth)], vec![(&**a, false), (&**b, !truth)]]
            }
            _ => Vec::new(),
        };
        for case in cases {
            let body = case.into_iter().flat_map(|(part, truth)| self.parts(p, part, truth, time));
            let body: Vec<Part> = body.collect();
            self.rule(p, &name, &free, body, formula);
        }
        called(&name, free, true)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one node of a formula")]
    fn count(
        &mut self,
        p: &Property,
        formula: &Formula,
        (least, most): (u32, Option<u32>),
        variables: &[Variable],
        body: &Formula,
        truth: bool,
        time: Time,
    ) -> Part {
        let free = formula.free_variables();
        let counted = body.free_variables();
        let inner = self.names.fresh("counted");
        let inside = self.parts(p, body, true, time);
        self.rule(p, &inner, &counted, inside, body);
        // A variable that does not occur has as many instances as it has values, and it has none.
        let tuple: Vec<String> = variables.iter().map(|v| variable(*v)).collect();
        let instance = called(&inner, counted, true).text;
        let name = self.names.fresh("count");
        let most = most.map_or(String::new(), |most| format!(" {most}"));
        let text = format!("{least} #count {{ {} : {instance} }}{most}", tuple.join(","));
        let body = vec![Part { text, uses: free.clone(), binds: false }];
        self.rule(p, &name, &free, body, formula);
        called(&name, free, truth)
    }

    /// Writes a rule; variables that nothing binds range over the domains of their places in a formula.
    fn rule(
        &mut self,
        p: &Property,
        name: &str,
        head: &[Variable],
        mut body: Vec<Part>,
        formula: &Formula,
    ) {
        let bound: Vec<Variable> =
            body.iter().filter(|part| part.binds).flat_map(|part| part.uses.clone()).collect();
        let mut open: Vec<Variable> = head.to_vec();
        open.extend(body.iter().flat_map(|part| part.uses.iter().copied()));
        open.sort_unstable();
        open.dedup();
        open.retain(|v| !bound.contains(v));
        for v in open {
            let text = self.in_range(p, v, formula);
            body.push(Part { text, uses: vec![v], binds: true });
        }
        let head: Vec<String> = head.iter().map(|v| variable(*v)).collect();
        let head = applied(name, &head);
        let body: Vec<String> = body.into_iter().map(|part| part.text).collect();
        let _ = if body.is_empty() {
            writeln!(self.out, "{head}.")
        } else {
            writeln!(self.out, "{head} :- {}.", body.join(", "))
        };
    }

    /// A condition that a variable has one of its values.
    fn in_range(&mut self, p: &Property, v: Variable, formula: &Formula) -> String {
        let mut places = places(formula, v);
        if places.is_empty() {
            places = self::places(&p.formula, v);
        }
        if places.is_empty() {
            let name = &p.variables[v as usize];
            self.problem = Some(format!("the variable {name} occurs in no fluent or relation"));
            return format!("{} = 0", variable(v));
        }
        if let ([place], Some(legal)) = (&places[..], &self.static_legal)
            && *place == Place::relation(LEGAL, 1)
        {
            return format!("{legal}(_,{})", variable(v));
        }
        let name = self.domains.union(&places, self.names);
        format!("{name}({})", variable(v))
    }

    fn atom(&mut self, atom: &Atom, truth: bool, time: Time) -> Part {
        let mut uses = Vec::new();
        atom.terms().iter().for_each(|term| term.each_variable(&mut |v| uses.push(v)));
        let text = match atom {
            Atom::Fluent(term) => {
                self.needs.insert(Need::Fluent(functor_of(term), time));
                let name = self.names.function(time.relation(), 1);
                applied(&name, &[self.term(term)])
            }
            Atom::Relation(relation, args) => {
                self.needs.insert(need_of_relation(*relation, time, self.vocabulary));
                let writer = Writer { vocabulary: self.vocabulary, names: self.names };
                let name = writer.relation(*relation, time);
                let args: Vec<String> = args.iter().map(|arg| self.term(arg)).collect();
                applied(&name, &args)
            }
        };
        let text = if truth { text } else { format!("not {text}") };
        Part { text, uses, binds: truth }
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Variable(v) => variable(*v),
            Term::Constant(name) => self.names.constant(*name).to_owned(),
            Term::Number(number) => number.to_string(),
            Term::Function(name, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.term(arg)).collect();
                applied(&self.names.function(*name, args.len()), &args)
            }
        }
    }

    /// A comparison, as facts for all values that compare so: names of a game are no numbers to the solver unless
    /// they look like some, so its arithmetic is not used.
    fn compare(
        &mut self,
        p: &Property,
        (left, comparison, right): (&[Term], Comparison, &[Term]),
        truth: bool,
    ) -> Part {
        let formula = Formula::Compare(left.to_vec(), comparison, right.to_vec());
        let uses = formula.free_variables();
        let name = self.names.fresh("compared");
        let mut rows: Vec<Vec<Option<GroundTerm>>> = vec![vec![None; p.variables.len()]];
        for v in &uses {
            let places = places(&p.formula, *v);
            let mut values: Vec<GroundTerm> = Vec::new();
            for place in &places {
                match self.vocabulary.values(*place, MOST_COMPARED) {
                    Some(found) => values.extend(found),
                    None => self.problem = Some("too many values are compared".to_owned()),
                }
            }
            values.sort_unstable();
            values.dedup();
            if rows.len().saturating_mul(values.len()) > MOST_COMPARED {
                self.problem = Some("too many values are compared".to_owned());
                break;
            }
            rows = rows
                .iter()
                .flat_map(|row| {
                    values.iter().map(move |value| {
                        let mut row = row.clone();
                        row[*v as usize] = Some(value.clone());
                        row
                    })
                })
                .collect();
        }
        for row in rows {
            let holds = crate::compare::holds(left, comparison, right, &row, self.vocabulary);
            if holds {
                let values = uses.iter().filter_map(|v| row[*v as usize].as_ref());
                let args: Vec<String> = values.map(|value| self.names.ground(value)).collect();
                let _ = writeln!(self.out, "{}.", applied(&name, &args));
            }
        }
        let args: Vec<String> = uses.iter().map(|v| variable(*v)).collect();
        let _ = writeln!(self.out, "#defined {name}/{}.", args.len());
        called(&name, uses, truth)
    }
}

/// A predicate applied to variables, or its negation.
fn called(name: &str, variables: Vec<Variable>, truth: bool) -> Part {
    let args: Vec<String> = variables.iter().map(|v| variable(*v)).collect();
    let text = applied(name, &args);
    let text = if truth { text } else { format!("not {text}") };
    Part { text, uses: variables, binds: truth }
}

fn variable(v: Variable) -> String {
    format!("V{v}")
}

fn functor_of(term: &Term) -> Option<Functor> {
    match term {
        Term::Variable(_) | Term::Number(_) => None,
        Term::Constant(name) => Some(Functor { name: *name, arity: 0, parens: false }),
        Term::Function(name, args) => {
            Some(Functor { name: *name, arity: args.len() as u32, parens: true })
        }
    }
}

/// The places where a variable occurs in a formula.
fn places(formula: &Formula, v: Variable) -> Vec<Place> {
    let mut found = Vec::new();
    formula.each_atom(&mut |atom| match atom {
        Atom::Fluent(term) => place_of(term, Place::relation(TRUE, 0), v, &mut found),
        Atom::Relation(relation, args) => {
            for (arg, at) in args.iter().zip(0..) {
                place_of(arg, Place::relation(*relation, at), v, &mut found);
            }
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

fn place_of(term: &Term, place: Place, v: Variable, found: &mut Vec<Place>) {
    match term {
        Term::Variable(other) if *other == v => found.push(place),
        Term::Function(name, args) => {
            for (arg, at) in args.iter().zip(0..) {
                place_of(arg, Place::function(*name, args.len() as u32, at), v, found);
            }
        }
        _ => {}
    }
}
