//! The Game Description Language: rule sheets are read, written, formatted and validated here.
//!
//! Main types: [`Rules`] (what was written, with places), [`Diagnostic`] (what is wrong with it),
//! [`normal::Program`] (the same rules as plain clauses, for reasoners).
//!
//! ```
//! let text = "(role you) (<= (legal you (mark ?x)) (true (free ?x)))";
//! let (rules, problems) = gdl::parse(text, &gdl::Limits::default());
//! assert!(problems.is_empty());
//! assert_eq!(gdl::print::clause(&rules, &rules.clauses[1], gdl::Syntax::Prolog),
//!            "legal(you, mark(X)) :- true(free(X)).");
//! ```
//!
//! The crate is pure: no files, no printing, no global tables.

pub mod ast;
pub mod compare;
pub mod depend;
mod detect;
pub mod diagnostic;
pub mod format;
pub mod kif;
pub mod normal;
pub mod print;
pub mod problems;
pub mod prolog;
pub mod sexp;
pub mod stratify;
pub mod symbol;
pub mod text;
mod tokens;
pub mod validate;

pub use ast::{
    Atom, Clause, Comment, Formula, FormulaKind, Relation, Rules, Syntax, Term, TermKind,
};
pub use detect::detect_syntax;
pub use diagnostic::{Diagnostic, Severity};
pub use symbol::{Symbol, Symbols, keyword};
pub use text::{LineIndex, Position, Span};

/// Bounds on what is read, so that hostile text costs bounded time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest text in bytes.
    pub max_text: usize,
    /// The deepest nesting of parentheses, counted as in KIF; never more than [`MOST_NESTING`].
    pub max_nesting: usize,
    /// The longest name in bytes.
    pub max_symbol: usize,
}

/// No limit raises the nesting above this: terms are walked by recursion, and a thread's stack must
/// suffice for it.
pub const MOST_NESTING: usize = 1000;

impl Limits {
    /// The nesting that is really allowed.
    pub(crate) fn nesting(&self) -> usize {
        self.max_nesting.min(MOST_NESTING)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_text: 16 << 20, max_nesting: 128, max_symbol: 1024 }
    }
}

/// Reads a rule sheet in either syntax, told apart by its content. What cannot be read is left out
/// of the result and reported; the result is usable where no problem is an error.
pub fn parse(text: &str, limits: &Limits) -> (Rules, Vec<Diagnostic>) {
    parse_as(text, detect_syntax(text), limits)
}

/// Reads a rule sheet in the given syntax.
pub fn parse_as(text: &str, syntax: Syntax, limits: &Limits) -> (Rules, Vec<Diagnostic>) {
    let most = limits.max_text.min(u32::MAX as usize);
    if text.len() > most {
        let message = format!("the text has {} bytes, more than {most}", text.len());
        let problem = Diagnostic::error("E100", Span::new(0, 0), message)
            .because("a rule sheet of that size cannot be sent in a match")
            .hint("raise the limit with --max-text if it is really meant");
        return (Rules::empty(syntax), vec![problem]);
    }
    match syntax {
        Syntax::Kif => kif::parse(text, limits),
        Syntax::Prolog => prolog::parse(text, limits),
    }
}

impl Rules {
    /// A rule sheet without clauses.
    pub fn empty(syntax: Syntax) -> Self {
        Self { symbols: Symbols::new(), clauses: Vec::new(), comments: Vec::new(), syntax }
    }

    /// The name of a symbol as it was spelled first.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }
}
