//! Names of a game as names of answer set programs.
//!
//! Whole numbers stay numbers. Other names become identifiers: small letters, digits and underscores, told apart by
//! a number where two would become the same.

use std::fmt::Write as _;

use game::GroundTerm;
use gdl::normal::Pattern;
use gdl::{Relation, Symbol, Symbols};
use rustc_hash::FxHashSet;

/// The identifiers of one game.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    constants: Vec<String>,
    taken: FxHashSet<String>,
}

impl Names {
    pub(crate) fn new(symbols: &Symbols) -> Self {
        let mut names = Self { constants: Vec::new(), taken: FxHashSet::default() };
        names.taken.insert("not".to_owned());
        for (_, text) in symbols.iter() {
            let name = match number(text) {
                Some(number) => number.to_string(),
                None => names.fresh(&identifier(text)),
            };
            names.constants.push(name);
        }
        names
    }

    /// An identifier that nothing else has.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        name
    }

    /// A constant.
    pub(crate) fn constant(&self, name: Symbol) -> &str {
        &self.constants[name.index()]
    }

    /// The name of a function or relation. Numbers cannot be, and `(done)` is not `done`.
    pub(crate) fn function(&self, name: Symbol, arity: usize) -> String {
        let text = self.constant(name);
        let text = if text.starts_with(|c: char| c.is_ascii_lowercase()) {
            text.to_owned()
        } else {
            format!("f_{}", text.replace('-', "m"))
        };
        if arity == 0 { format!("{text}__") } else { text }
    }

    /// The name of a relation.
    pub(crate) fn relation(&self, relation: Relation) -> String {
        if relation.parens && relation.arity == 0 {
            self.function(relation.name, 0)
        } else {
            self.function(relation.name, relation.arity.max(1) as usize)
        }
    }

    pub(crate) fn ground(&self, term: &GroundTerm) -> String {
        match term {
            GroundTerm::Constant(name) => self.constant(*name).to_owned(),
            GroundTerm::Function(name, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.ground(arg)).collect();
                applied(&self.function(*name, args.len()), &args)
            }
        }
    }

    /// A pattern of a rule; its variables are `X0`, `X1` and so on.
    pub(crate) fn pattern(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Variable(v) => format!("X{v}"),
            Pattern::Constant(name) => self.constant(*name).to_owned(),
            Pattern::Function(name, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.pattern(arg)).collect();
                applied(&self.function(*name, args.len()), &args)
            }
        }
    }
}

/// `p(a,b)`, or `p`.
pub(crate) fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("{name}({})", args.join(",")) }
}

/// A whole number in its plain form, small enough for the solver.
fn number(text: &str) -> Option<i32> {
    let value = text.parse::<i32>().ok()?;
    (value.to_string() == text && value > i32::MIN / 4 && value < i32::MAX / 4).then_some(value)
}

fn identifier(text: &str) -> String {
    let mut name = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' | '_' => name.push(c),
            other => {
                let _ = write!(name, "_{:x}_", other as u32);
            }
        }
    }
    if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { format!("c{name}") }
}
