//! Rules made ground: all instances that can ever matter, without variables.
//!
//! [`ground`] turns a program into a [`GroundProgram`] within a [`Budget`]: rules are factored
//! ([`factor`](self) keeps products from arising), instantiated by demand, and simplified. Running out
//! of the budget is a result ([`Stopped`]), never an abort.
//!
//! ```
//! let (rules, _) = gdl::parse("(role r) (init (at a)) (edge a b) (edge b c)
//!     (<= (legal r (go ?y)) (true (at ?x)) (edge ?x ?y))
//!     (<= (legal r stay) (true (at c)))
//!     (<= (next (at ?y)) (does r (go ?y)))
//!     (<= (next (at ?x)) (true (at ?x)) (does r stay))
//!     (<= terminal (true (at c))) (<= (goal r 100) (true (at c)))", &gdl::Limits::default());
//! let program = gdl::normal::normalize(&rules).expect("small");
//! let ground = ground::ground(&program, &Default::default(), &ground::Budget::default()).expect("tiny");
//! assert_eq!(ground.fluents.len(), 3);
//! assert_eq!(ground.moves[0].len(), 3);
//! ```

mod alike;
mod arena;
mod bodies;
mod domains;
mod eliminate;
mod factor;
mod fold;
mod imply;
mod instantiate;
mod program;
mod simplify;
mod static_moves;
mod unfold;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use datalog::{Analysis, CompileError, Estimates, EvalError, Sample, Terms};
use gdl::normal::{Pattern, Program};

pub use bodies::Bodies;
pub use domains::{DomainGraph, Domains, Element, Node, Owner, Place};
pub use program::{AtomId, AtomKind, GroundLiteral, GroundMove, GroundProgram};
pub use static_moves::static_moves;

/// How much may be spent.
#[derive(Clone, Debug)]
pub struct Budget {
    /// When to give up.
    pub deadline: Option<Instant>,
    /// The most memory, estimated in bytes.
    pub max_bytes: usize,
    /// Set by another thread to make it stop.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { deadline: None, max_bytes: 4 << 30, cancel: None }
    }
}

impl Budget {
    /// Whether there is time left and nobody cancelled, with the number of rules so far.
    pub(crate) fn check(&self, rules: usize) -> Result<(), Stopped> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stopped::Time { rules });
        }
        if self.is_cancelled() { Err(Stopped::Cancelled) } else { Ok(()) }
    }

    /// Whether somebody cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// Why there is no ground program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopped {
    /// The deadline passed.
    Time {
        /// Rules instantiated by then.
        rules: usize,
    },
    /// The memory was used up.
    Memory {
        /// Rules instantiated by then.
        rules: usize,
        /// Bytes in use by then.
        bytes: usize,
    },
    /// The caller cancelled.
    Cancelled,
    /// The rules cannot be compiled.
    Compile(CompileError),
    /// Static relations could not be evaluated.
    Eval(EvalError),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time { rules } => write!(f, "out of time after {rules} ground rules"),
            Self::Memory { rules, bytes } => {
                write!(f, "out of memory ({} MiB) after {rules} ground rules", bytes >> 20)
            }
            Self::Cancelled => write!(f, "cancelled"),
            Self::Compile(error) => write!(f, "{error}"),
            Self::Eval(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Stopped {}

impl From<EvalError> for Stopped {
    fn from(error: EvalError) -> Self {
        Self::Eval(error)
    }
}

impl From<CompileError> for Stopped {
    fn from(error: CompileError) -> Self {
        Self::Compile(error)
    }
}

/// Makes a stratified program ground. `sample` tells how large states are, for the order of joins.
pub fn ground(
    program: &Program,
    sample: &Sample,
    budget: &Budget,
) -> Result<GroundProgram, Stopped> {
    let analysis = Analysis::new(program);
    let relaxed = Estimates::relaxed(program, &analysis, sample, role_patterns(program).len());
    let factored = factor::factor(program, &analysis, relaxed);
    let rules = &factored.program;
    let analysis = Analysis::new(rules);
    let roles = role_patterns(rules);
    let estimates = Estimates::requiring(factored.required);
    let estimates = estimates.estimated(rules, &analysis, sample, roles.len());
    let mut terms = Terms::default();
    let mut role_terms = Vec::new();
    for role in roles {
        role_terms.push(intern(role, &mut terms)?);
    }
    let code = datalog::compile(rules, &analysis, &estimates, &mut terms)?;
    let instances = instantiate::instantiate(&code, terms, role_terms.clone(), budget)?;
    let mut program = simplify::simplify(instances, &role_terms, budget)?;
    imply::drop_implied(&mut program, budget)?;
    program.symbols = factored.program.symbols;
    Ok(program)
}

/// The roles stated by facts, in order.
fn role_patterns(program: &Program) -> Vec<&Pattern> {
    let mut roles: Vec<&Pattern> = Vec::new();
    for rule in &program.rules {
        let relation = rule.head.relation;
        let stated = relation.name == gdl::keyword::ROLE && rule.body.is_empty();
        if let (true, [role]) = (stated && rule.variables == 0, &rule.head.args[..])
            && !roles.contains(&role)
        {
            roles.push(role);
        }
    }
    roles
}

fn intern(pattern: &Pattern, terms: &mut Terms) -> Result<u32, EvalError> {
    match pattern {
        Pattern::Constant(name) => terms.intern(datalog::Functor::constant(*name), &[]),
        Pattern::Function(name, args) => {
            let args: Vec<u32> =
                args.iter().map(|arg| intern(arg, terms)).collect::<Result<_, _>>()?;
            terms.intern(datalog::Functor::function(*name), &args)
        }
        Pattern::Variable(_) => terms.intern(datalog::Functor::constant(gdl::keyword::ROLE), &[]),
    }
}
