//! Why rules could not be compiled or a question was not answered.

use std::fmt;

/// Why a question was not answered. The evaluator stays usable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalError {
    /// A term nests deeper than the limit: the rules build ever larger terms.
    TermTooDeep {
        /// The limit.
        limit: usize,
    },
    /// A term takes more names to write than the limit: the rules build ever larger terms.
    TermTooLarge {
        /// The limit.
        limit: usize,
    },
    /// More facts were derived for one question than the limit.
    TooManyFacts {
        /// The limit.
        limit: usize,
    },
    /// One question took more inference steps than the limit.
    TooManySteps {
        /// The limit.
        limit: u64,
    },
    /// The deadline passed or the caller cancelled.
    Interrupted,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TermTooDeep { limit } => write!(
                f,
                "a term nests deeper than {limit} levels: the rules build ever larger terms"
            ),
            Self::TermTooLarge { limit } => {
                write!(f, "a term has more than {limit} parts: the rules build ever larger terms")
            }
            Self::TooManyFacts { limit } => {
                write!(f, "more than {limit} facts follow from one state")
            }
            Self::TooManySteps { limit } => {
                write!(f, "one question took more than {limit} inference steps")
            }
            Self::Interrupted => write!(f, "interrupted before the answer was found"),
        }
    }
}

impl std::error::Error for EvalError {}

/// Why rules have no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileError {
    /// A variable of a rule is not bound by a positive condition.
    UnsafeRule {
        /// The clause of the rule sheet.
        clause: usize,
    },
    /// A term of the rules could not be stored.
    Eval(EvalError),
}

impl From<EvalError> for CompileError {
    fn from(error: EvalError) -> Self {
        Self::Eval(error)
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsafeRule { clause } => {
                write!(f, "clause {} has a variable that no positive condition binds", clause + 1)
            }
            Self::Eval(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CompileError {}
