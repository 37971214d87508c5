//! A game: its rules, ready to be reasoned about.

use std::fmt;
use std::sync::Arc;

use gdl::normal::Program;
use gdl::{Diagnostic, Rules};

use crate::ids::Role;
use datalog::{CompileError, EvalError, GroundTerm, Limits};

use crate::interpreter::{self, Compiled, Interpreter};
use crate::machine::ReasonError;
use crate::state::State;
use crate::universe::Universe;

/// The rules of a game. Cheap to clone; everything inside is shared.
#[derive(Clone)]
pub struct Game {
    inner: Arc<Inner>,
}

struct Inner {
    rules: Rules,
    program: Program,
    roles: Vec<GroundTerm>,
    universe: Universe,
    compiled: std::sync::OnceLock<Arc<Compiled>>,
}

/// Why rules cannot be played.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum GameError {
    /// The text or the rules are not valid; all problems are listed.
    Invalid(Vec<Diagnostic>),
    /// A relation depends on its own negation.
    NotStratified {
        /// The clause that contains the negation.
        clause: usize,
    },
    /// A variable of a rule is not bound by a positive condition.
    UnsafeRule {
        /// The clause.
        clause: usize,
    },
    /// There is no `role` fact.
    NoRoles,
    /// Facts could not be computed within the limits.
    Reason(ReasonError),
    /// The rules have no plan for another reason.
    Compile(CompileError),
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(problems) => match problems.first() {
                Some(first) => write!(f, "the rules are not valid: {}", first.message),
                None => write!(f, "the rules are not valid"),
            },
            Self::NotStratified { clause } => {
                write!(f, "clause {} depends on its own negation", clause + 1)
            }
            Self::UnsafeRule { clause } => {
                write!(f, "clause {} has a variable that no positive condition binds", clause + 1)
            }
            Self::NoRoles => write!(f, "the rules state no role"),
            Self::Reason(error) => write!(f, "{error}"),
            Self::Compile(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for GameError {}

impl From<CompileError> for GameError {
    fn from(error: CompileError) -> Self {
        match error {
            CompileError::UnsafeRule { clause } => Self::UnsafeRule { clause },
            CompileError::Eval(error) => Self::Reason(error.into()),
            other => Self::Compile(other),
        }
    }
}

impl From<EvalError> for GameError {
    fn from(error: EvalError) -> Self {
        Self::Reason(error.into())
    }
}

impl From<ReasonError> for GameError {
    fn from(error: ReasonError) -> Self {
        Self::Reason(error)
    }
}

/// How many states are looked at before the rules are compiled for good.
const SAMPLED_STATES: usize = 300;
/// The inference steps that may be spent on that.
const SAMPLING_STEPS: u64 = 2_000_000;

impl Game {
    /// Reads and validates a rule sheet in either syntax.
    pub fn from_text(text: &str) -> Result<Self, GameError> {
        let checked = gdl::validate::check(text, &gdl::Limits::default());
        if !checked.is_sound() {
            return Err(GameError::Invalid(checked.diagnostics));
        }
        Self::new(checked.rules)
    }

    /// Takes rules as they are. Only what makes them meaningless is refused: no role, negation
    /// through a cycle, variables without a value.
    pub fn new(rules: Rules) -> Result<Self, GameError> {
        let program =
            gdl::normal::normalize(&rules).map_err(|problem| GameError::Invalid(vec![problem]))?;
        let program = gdl::stratify::stratify(program)
            .map_err(|clause| GameError::NotStratified { clause })?;
        let declared = interpreter::role_terms(&program);
        if declared.is_empty() {
            return Err(GameError::NoRoles);
        }
        let universe = Universe::new(Arc::new(program.symbols.clone()));
        let compiled = std::sync::OnceLock::new();
        let game =
            Self { inner: Arc::new(Inner { rules, program, roles: declared, universe, compiled }) };
        let compiled = game.compile()?;
        let _ = game.inner.compiled.set(compiled);
        Ok(game)
    }

    /// Compiles three times: blindly, to find the initial state; with its sizes, to play a little;
    /// and with the sizes seen there, for good.
    fn compile(&self) -> Result<Arc<Compiled>, GameError> {
        let mut compiled = Arc::new(Compiled::blind(self)?);
        for most in [1, SAMPLED_STATES] {
            let mut scout = Interpreter::new(self.clone(), compiled.clone(), Limits::default());
            let states = interpreter::sample_states(&mut scout, most, SAMPLING_STEPS);
            if states.is_empty() {
                break;
            }
            compiled = Arc::new(Compiled::informed(self, &states)?);
        }
        Ok(compiled)
    }

    /// The rules as written.
    pub fn rules(&self) -> &Rules {
        &self.inner.rules
    }

    /// The rules as plain clauses.
    pub fn program(&self) -> &Program {
        &self.inner.program
    }

    /// The fluents and moves met so far.
    pub fn universe(&self) -> &Universe {
        &self.inner.universe
    }

    /// The roles in the order of the rules.
    pub fn roles(&self) -> &[GroundTerm] {
        &self.inner.roles
    }

    /// The roles as numbers.
    pub fn role_ids(&self) -> impl Iterator<Item = Role> + use<> {
        (0..self.inner.roles.len() as u32).map(Role)
    }

    /// The text of a role.
    pub fn role_name(&self, role: Role) -> String {
        self.inner.roles[role.index()].to_text(&self.inner.program.symbols)
    }

    /// The texts of the fluents of a state, sorted.
    pub fn state_texts(&self, state: &State) -> Vec<Arc<str>> {
        let mut texts: Vec<_> =
            state.iter().map(|f| self.universe().fluent_entry(f).text.clone()).collect();
        texts.sort_unstable();
        texts
    }

    /// How large states are, as seen when the game was made.
    pub fn sample(&self) -> datalog::Sample {
        self.inner.compiled.get().map(|compiled| compiled.sample().clone()).unwrap_or_default()
    }

    /// The rules without variables, if that can be had within the budget.
    pub fn ground(
        &self,
        budget: &ground::Budget,
    ) -> Result<ground::GroundProgram, ground::Stopped> {
        ground::ground(self.program(), &self.sample(), budget)
    }

    /// A new interpreter for this game.
    pub fn interpreter(&self) -> Interpreter {
        self.interpreter_with(Limits::default())
    }

    /// A new interpreter with limits of its own.
    pub fn interpreter_with(&self, limits: Limits) -> Interpreter {
        let compiled = match self.inner.compiled.get() {
            Some(compiled) => compiled.clone(),
            None => unreachable!("set when the game was made"),
        };
        Interpreter::new(self.clone(), compiled, limits)
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game").field("roles", &self.inner.roles.len()).finish_non_exhaustive()
    }
}
