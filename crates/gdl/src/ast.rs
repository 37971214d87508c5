//! The rules as they were written: clauses, formulas, atoms and terms, each with its place in the text.

use crate::symbol::{Symbol, Symbols};
use crate::text::Span;

/// The two syntaxes of GDL that are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// `(<= (legal ?p (mark ?x ?y)) …)`: rule sheets and the wire.
    Kif,
    /// `legal(P, mark(X,Y)) :- … .`: the thesis (§2.2.1) and other papers.
    Prolog,
}

/// A rule sheet.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The names used.
    pub symbols: Symbols,
    /// Facts and rules in the order of the text.
    pub clauses: Vec<Clause>,
    /// Comments in the order of the text.
    pub comments: Vec<Comment>,
    /// The syntax it was written in.
    pub syntax: Syntax,
}

/// A comment, without its mark (`;` or `%`) and without trailing blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text after the comment mark.
    pub text: String,
    /// Its place, mark included.
    pub span: Span,
    /// Whether something else stands before it on its line.
    pub trailing: bool,
    /// Whether an empty line stands before it.
    pub gap_before: bool,
}

/// A fact or a rule.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What is derived.
    pub head: Atom,
    /// The conditions, all of which must hold.
    pub body: Vec<Formula>,
    /// Whether it was written with an implication sign (a rule may have an empty body).
    pub implication: bool,
    /// Its place.
    pub span: Span,
    /// Whether an empty line stands before it.
    pub gap_before: bool,
}

/// A condition.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it says.
    pub kind: FormulaKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of conditions.
#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// The atom is derivable.
    Atom(Atom),
    /// The formula is not derivable. Valid GDL negates atoms only.
    Not(Box<Formula>),
    /// One of them holds.
    Or(Vec<Formula>),
    /// All of them hold.
    And(Vec<Formula>),
    /// The terms are different.
    Distinct(Term, Term),
}

/// A relation applied to terms.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The relation.
    pub name: Symbol,
    /// Its arguments.
    pub args: Vec<Term>,
    /// Whether it was written with parentheses; `(open)` and `open` are different atoms,
    /// as they are for the reference prover of the field.
    pub parens: bool,
    /// Its place.
    pub span: Span,
    /// The place of its name.
    pub name_span: Span,
}

impl Atom {
    /// What identifies the relation: its name, its arity, and for arity 0 whether parentheses stand there.
    pub fn relation(&self) -> Relation {
        Relation { name: self.name, arity: self.args.len() as u32, parens: self.parens }
    }
}

/// The identity of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relation {
    /// Its name.
    pub name: Symbol,
    /// The number of arguments.
    pub arity: u32,
    /// Written with parentheses; always true if there are arguments.
    pub parens: bool,
}

/// A term.
#[derive(Clone, Debug)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of terms.
#[derive(Clone, Debug)]
pub enum TermKind {
    /// A variable, named with its `?`, so that `?b` and the constant `B` keep their own spellings.
    Variable(Symbol),
    /// A constant.
    Constant(Symbol),
    /// A function applied to arguments; none for `(done)`, which differs from the constant `done`.
    Function(Symbol, Vec<Term>),
}

impl Term {
    /// Calls `visit` for each variable occurrence, left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(Symbol, Span)) {
        match &self.kind {
            TermKind::Variable(name) => visit(*name, self.span),
            TermKind::Constant(_) => {}
            TermKind::Function(_, args) => args.iter().for_each(|arg| arg.each_variable(visit)),
        }
    }

    /// Whether no variable occurs in it.
    pub fn is_ground(&self) -> bool {
        match &self.kind {
            TermKind::Variable(_) => false,
            TermKind::Constant(_) => true,
            TermKind::Function(_, args) => args.iter().all(Term::is_ground),
        }
    }

    /// Whether both are the same term, wherever they stand.
    pub fn same(&self, other: &Term) -> bool {
        match (&self.kind, &other.kind) {
            (TermKind::Variable(a), TermKind::Variable(b))
            | (TermKind::Constant(a), TermKind::Constant(b)) => a == b,
            (TermKind::Function(f, a), TermKind::Function(g, b)) => f == g && same_terms(a, b),
            _ => false,
        }
    }
}

fn same_terms(a: &[Term], b: &[Term]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same(y))
}

impl Atom {
    /// Calls `visit` for each variable occurrence, left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(Symbol, Span)) {
        self.args.iter().for_each(|arg| arg.each_variable(visit));
    }

    /// Whether both are the same atom, wherever they stand.
    pub fn same(&self, other: &Atom) -> bool {
        self.relation() == other.relation() && same_terms(&self.args, &other.args)
    }
}

impl Formula {
    /// Whether both are the same formula, wherever they stand.
    pub fn same(&self, other: &Formula) -> bool {
        match (&self.kind, &other.kind) {
            (FormulaKind::Atom(a), FormulaKind::Atom(b)) => a.same(b),
            (FormulaKind::Not(a), FormulaKind::Not(b)) => a.same(b),
            (FormulaKind::Or(a), FormulaKind::Or(b))
            | (FormulaKind::And(a), FormulaKind::And(b)) => same_formulas(a, b),
            (FormulaKind::Distinct(a, b), FormulaKind::Distinct(c, d)) => a.same(c) && b.same(d),
            _ => false,
        }
    }

    /// Calls `visit` for each variable occurrence, left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(Symbol, Span)) {
        match &self.kind {
            FormulaKind::Atom(atom) => atom.each_variable(visit),
            FormulaKind::Not(inner) => inner.each_variable(visit),
            FormulaKind::Or(parts) | FormulaKind::And(parts) => {
                for part in parts {
                    part.each_variable(visit);
                }
            }
            FormulaKind::Distinct(a, b) => {
                a.each_variable(visit);
                b.each_variable(visit);
            }
        }
    }

    /// Calls `visit` for each atom with whether it stands under an odd number of negations.
    pub fn each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a Atom, bool)) {
        self.each_atom_under(false, visit);
    }

    fn each_atom_under<'a>(&'a self, negated: bool, visit: &mut impl FnMut(&'a Atom, bool)) {
        match &self.kind {
            FormulaKind::Atom(atom) => visit(atom, negated),
            FormulaKind::Not(inner) => inner.each_atom_under(!negated, visit),
            FormulaKind::Or(parts) | FormulaKind::And(parts) => {
                for part in parts {
                    part.each_atom_under(negated, visit);
                }
            }
            FormulaKind::Distinct(..) => {}
        }
    }
}

fn same_formulas(a: &[Formula], b: &[Formula]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same(y))
}

impl Clause {
    /// Whether both are the same clause, wherever they stand.
    pub fn same(&self, other: &Clause) -> bool {
        self.implication == other.implication
            && self.head.same(&other.head)
            && same_formulas(&self.body, &other.body)
    }

    /// Calls `visit` for each variable occurrence, head first.
    pub fn each_variable(&self, visit: &mut impl FnMut(Symbol, Span)) {
        self.head.each_variable(visit);
        self.body.iter().for_each(|formula| formula.each_variable(visit));
    }
}
