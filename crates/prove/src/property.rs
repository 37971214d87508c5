//! Properties of games: first-order formulas over a state (thesis Def. 7.1 and 7.2), extended by what holds after a
//! move, which the thesis names as missing (§7.6): persistence and goals that never decrease need two states.

use game::GroundTerm;
use gdl::{Relation, Symbol};
use structure::Functor;

/// A variable of a property, a place in [`Property::variables`].
pub type Variable = u32;

/// A term of a property.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A variable, bound by a quantifier.
    Variable(Variable),
    /// A constant of the game.
    Constant(Symbol),
    /// A function applied to terms.
    Function(Symbol, Vec<Term>),
    /// A number of a comparison, which the game need not know.
    Number(i64),
}

/// What can hold in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A fluent: `true(F)`.
    Fluent(Term),
    /// A relation of the game that does not depend on `does`: `legal`, `goal`, `terminal`, `role`, and those that the
    /// rules define.
    Relation(Relation, Vec<Term>),
}

/// How numbers or terms are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The same.
    Equal,
    /// Not the same.
    Different,
    /// Smaller.
    Less,
    /// Smaller or the same.
    AtMost,
    /// Larger.
    Greater,
    /// Larger or the same.
    AtLeast,
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Always, or never.
    Truth(bool),
    /// The atom holds.
    Atom(Atom),
    /// The sums of the terms compare so. A single term on either side may be anything, for `=` and `!=`; otherwise
    /// a comparison with a term that is no whole number does not hold.
    Compare(Vec<Term>, Comparison, Vec<Term>),
    /// It does not hold.
    Not(Box<Formula>),
    /// All hold.
    And(Vec<Formula>),
    /// One holds.
    Or(Vec<Formula>),
    /// If the first then the second.
    Implies(Box<Formula>, Box<Formula>),
    /// Both or none.
    Iff(Box<Formula>, Box<Formula>),
    /// For all values of the variables. The values are those that can stand where the variables occur (thesis §7.3).
    ForAll(Vec<Variable>, Box<Formula>),
    /// For at least `least` and at most `most` values of the variables (thesis Def. 7.1).
    Count {
        /// The least number of instances.
        least: u32,
        /// The greatest, if there is one.
        most: Option<u32>,
        /// The variables.
        variables: Vec<Variable>,
        /// Of what.
        body: Box<Formula>,
    },
    /// It holds after every legal joint move.
    Next(Box<Formula>),
}

/// What a property means to those who use it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Asked for by somebody.
    Asked,
    /// The arguments at these positions (from 0) determine the others (thesis Def. 5.4).
    Inputs {
        /// The fluent.
        fluent: Functor,
        /// The positions.
        inputs: Vec<usize>,
    },
    /// For all values of the arguments at these positions there is exactly one instance.
    ExactlyOne {
        /// The fluent.
        fluent: Functor,
        /// The positions.
        inputs: Vec<usize>,
    },
    /// At most one role has a choice.
    TurnTaking,
    /// The goals of all roles add up to the same in all ends.
    ConstantSum {
        /// The sum.
        total: u32,
    },
    /// Every role has exactly one goal value in every end (thesis Def. 2.13).
    OutcomeDefined,
    /// Every role has exactly one goal value, and it never decreases (thesis Def. 2.10).
    Monotonic,
    /// Every role has a move in every state that is not terminal (thesis Def. 2.9).
    Playable,
    /// Once true it stays true, or once false it stays false (thesis §7.6).
    Persistent {
        /// The fluent.
        fluent: Functor,
        /// The argument that tells the instances apart and its value, if not all instances are meant.
        value: Option<(usize, GroundTerm)>,
        /// True persistent rather than false persistent.
        truth: bool,
    },
    /// Instances of two fluents with the same arguments never hold together.
    Mutex {
        /// One.
        one: Functor,
        /// The other.
        other: Functor,
    },
    /// No instance with this value at this place ever holds.
    Unreachable {
        /// The fluent.
        fluent: Functor,
        /// The place and the value; none for a fluent that never holds at all.
        value: Option<(usize, GroundTerm)>,
    },
    /// A counter goes through these values, one at each step, and the game is over at the last one at the latest
    /// (thesis Def. 2.8).
    Terminates {
        /// The counter.
        fluent: Functor,
        /// The argument that counts.
        argument: usize,
        /// After so many moves the game is over.
        steps: u32,
    },
}

/// Something that may hold in all reachable states of a game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Property {
    /// What it is good for.
    pub kind: Kind,
    /// What is claimed.
    pub formula: Formula,
    /// The names of the variables.
    pub variables: Vec<String>,
}

impl Formula {
    /// An atom of a fluent.
    pub fn fluent(term: Term) -> Self {
        Self::Atom(Atom::Fluent(term))
    }

    /// An atom of a relation.
    pub fn relation(name: Symbol, args: Vec<Term>) -> Self {
        let relation = Relation { name, arity: args.len() as u32, parens: !args.is_empty() };
        Self::Atom(Atom::Relation(relation, args))
    }

    /// Not this.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// If this then that.
    #[must_use]
    pub fn implies(self, then: Formula) -> Self {
        Self::Implies(Box::new(self), Box::new(then))
    }

    /// For all values of variables, if there are any variables.
    #[must_use]
    pub fn for_all(self, variables: Vec<Variable>) -> Self {
        if variables.is_empty() { self } else { Self::ForAll(variables, Box::new(self)) }
    }

    /// For a number of values of variables. Without variables the formula counts as one instance.
    #[must_use]
    pub fn count(self, least: u32, most: Option<u32>, variables: Vec<Variable>) -> Self {
        Self::Count { least, most, variables, body: Box::new(self) }
    }

    /// Its direct parts.
    pub fn parts(&self) -> Vec<&Formula> {
        match self {
            Self::Truth(_) | Self::Atom(_) | Self::Compare(..) => Vec::new(),
            Self::Not(one)
            | Self::Next(one)
            | Self::ForAll(_, one)
            | Self::Count { body: one, .. } => vec![one],
            Self::And(all) | Self::Or(all) => all.iter().collect(),
            Self::Implies(a, b) | Self::Iff(a, b) => vec![a, b],
        }
    }

    /// Calls `visit` for each atom.
    pub fn each_atom<'f>(&'f self, visit: &mut impl FnMut(&'f Atom)) {
        if let Self::Atom(atom) = self {
            visit(atom);
        }
        self.parts().into_iter().for_each(|part| part.each_atom(visit));
    }

    /// Whether it speaks about the state after a move.
    pub fn speaks_of_next(&self) -> bool {
        matches!(self, Self::Next(_)) || self.parts().into_iter().any(Formula::speaks_of_next)
    }

    /// The variables that occur in it and are bound outside, in order.
    pub fn free_variables(&self) -> Vec<Variable> {
        let mut found = Vec::new();
        self.collect_free(&mut Vec::new(), &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn collect_free(&self, bound: &mut Vec<Variable>, found: &mut Vec<Variable>) {
        let mut see = |term: &Term| {
            term.each_variable(&mut |v| {
                if !bound.contains(&v) {
                    found.push(v);
                }
            });
        };
        match self {
            Self::Atom(atom) => atom.terms().iter().for_each(&mut see),
            Self::Compare(a, _, b) => a.iter().chain(b).for_each(&mut see),
            Self::ForAll(variables, body) | Self::Count { variables, body, .. } => {
                let before = bound.len();
                bound.extend(variables);
                body.collect_free(bound, found);
                bound.truncate(before);
            }
            _ => self.parts().into_iter().for_each(|part| part.collect_free(bound, found)),
        }
    }
}

impl Atom {
    /// Its terms: the fluent, or the arguments of the relation.
    pub fn terms(&self) -> &[Term] {
        match self {
            Self::Fluent(term) => std::slice::from_ref(term),
            Self::Relation(_, args) => args,
        }
    }
}

impl Term {
    /// Calls `visit` for each occurrence of a variable.
    pub fn each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Variable(v) => visit(*v),
            Self::Constant(_) | Self::Number(_) => {}
            Self::Function(_, args) => args.iter().for_each(|arg| arg.each_variable(visit)),
        }
    }

    /// A term without variables.
    pub fn of(term: &GroundTerm) -> Self {
        match term {
            GroundTerm::Constant(name) => Self::Constant(*name),
            GroundTerm::Function(name, args) => {
                Self::Function(*name, args.iter().map(Self::of).collect())
            }
        }
    }

    /// A fluent with these arguments.
    pub fn fluent(fluent: Functor, args: Vec<Term>) -> Self {
        if fluent.parens { Self::Function(fluent.name, args) } else { Self::Constant(fluent.name) }
    }

    /// The term with values put in; none if a variable has none, or for a number.
    pub fn ground(&self, values: &[Option<GroundTerm>]) -> Option<GroundTerm> {
        Some(match self {
            Self::Variable(v) => values.get(*v as usize)?.clone()?,
            Self::Constant(name) => GroundTerm::Constant(*name),
            Self::Number(_) => return None,
            Self::Function(name, args) => {
                let args = args.iter().map(|arg| arg.ground(values)).collect::<Option<_>>()?;
                GroundTerm::Function(*name, args)
            }
        })
    }
}

impl Kind {
    /// What sort of property it is, in a word or two.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Asked => "asked for",
            Self::Inputs { .. } => "input arguments",
            Self::ExactlyOne { .. } => "exactly one",
            Self::TurnTaking => "turn-taking",
            Self::ConstantSum { .. } => "constant sum",
            Self::OutcomeDefined => "outcome defined",
            Self::Monotonic => "monotonic",
            Self::Playable => "playable",
            Self::Persistent { truth: true, .. } => "stays true",
            Self::Persistent { truth: false, .. } => "stays false",
            Self::Mutex { .. } => "exclusive",
            Self::Unreachable { .. } => "unreachable",
            Self::Terminates { .. } => "terminates",
        }
    }
}

impl Property {
    /// A property that somebody asks for.
    pub fn asked(formula: Formula, variables: Vec<String>) -> Self {
        Self { kind: Kind::Asked, formula, variables }
    }

    /// Whether it speaks about two states: a claim about every move rather than about every state.
    pub fn is_about_moves(&self) -> bool {
        self.formula.speaks_of_next()
    }
}
