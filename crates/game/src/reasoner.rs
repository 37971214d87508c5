//! Which machine to use: the interpreter at once, the circuit as soon as it is there.
//!
//! A [`Reasoner`] belongs to a game and gives out machines, one for each thread. While the circuit is being
//! built, in the background if wanted, machines are interpreters; afterwards they are on the circuit,
//! provided that it agreed with the interpreter on states of random play. A disagreement is a bug of ours:
//! it is reported with the seed that shows it, and the interpreter is kept.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use datalog::Limits;
use ground::Budget;

use crate::batch::{Batch, NoCircuit};
use crate::game::Game;
use crate::gates::Gates;
use crate::machine::{Machine, ReasonError};
use crate::playout::{Random, random_joint_move};

/// How far the building of the circuit is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Status {
    /// It is being built; the interpreter answers.
    Building,
    /// It is there.
    Ready(Gates),
    /// There is none, for the reason given; the interpreter answers.
    None(NoCircuit),
    /// It contradicted the interpreter, which answers: a bug.
    Disagrees {
        /// The seed of the random play that showed it.
        seed: u64,
        /// What differed.
        what: String,
    },
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Building => write!(f, "the circuit is being built"),
            Self::Ready(gates) => {
                let (legal, next, goal) = gates.sizes().gates;
                write!(f, "on a circuit of {} gates", legal + next + goal)
            }
            Self::None(why) => write!(f, "{why}; the interpreter is used"),
            Self::Disagrees { seed, what } => write!(
                f,
                "the circuit contradicts the interpreter ({what}, seed {seed}); please report this; \
                 the interpreter is used"
            ),
        }
    }
}

/// Gives out machines for a game. Cheap to clone; clones share the circuit.
#[derive(Clone)]
pub struct Reasoner {
    game: Game,
    built: Arc<OnceLock<Status>>,
}

/// Steps of random play on which circuit and interpreter must agree.
const CHECKED_STEPS: usize = 60;
/// The time that the interpreter may take for them, in inference steps of the whole check.
const CHECKING_STEPS: u64 = 3_000_000;
const CHECKING_SEED: u64 = 11;

impl Reasoner {
    /// Interpreters only.
    pub fn interpreter(game: &Game) -> Self {
        let built = OnceLock::new();
        let _ = built.set(Status::None(NoCircuit::Unwanted));
        Self { game: game.clone(), built: Arc::new(built) }
    }

    /// Builds the circuit now, within the budget.
    pub fn build(game: &Game, budget: &Budget) -> Self {
        let reasoner = Self { game: game.clone(), built: Arc::default() };
        let _ = reasoner.built.set(built(game, budget));
        reasoner
    }

    /// Builds the circuit in a thread of its own; cancel the budget to end it early.
    pub fn in_background(game: &Game, budget: Budget) -> (Self, JoinHandle<()>) {
        let reasoner = Self { game: game.clone(), built: Arc::default() };
        let (game, cell) = (game.clone(), reasoner.built.clone());
        let thread = std::thread::spawn(move || {
            let _ = cell.set(built(&game, &budget));
        });
        (reasoner, thread)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// How far it is.
    pub fn status(&self) -> Status {
        self.built.get().cloned().unwrap_or(Status::Building)
    }

    /// The circuit, if it is there.
    pub fn gates(&self) -> Option<&Gates> {
        match self.built.get() {
            Some(Status::Ready(gates)) => Some(gates),
            _ => None,
        }
    }

    /// The best machine at present, for one thread.
    pub fn machine(&self) -> Box<dyn Machine> {
        match self.gates() {
            Some(gates) => Box::new(gates.machine()),
            None => Box::new(self.game.interpreter()),
        }
    }

    /// The same with limits for the interpreter, as far as one is used.
    pub fn machine_with(&self, limits: Limits) -> Box<dyn Machine> {
        match self.gates() {
            Some(gates) => Box::new(gates.machine()),
            None => Box::new(self.game.interpreter_with(limits)),
        }
    }

    /// Many positions at once, if the circuit is there.
    pub fn batch(&self, seed: u64) -> Option<Batch> {
        Some(self.gates()?.batch(seed))
    }
}

fn built(game: &Game, budget: &Budget) -> Status {
    let gates = match Gates::build(game, budget) {
        Ok(gates) => gates,
        Err(why) => return Status::None(why),
    };
    match difference(&gates, CHECKING_SEED) {
        Some(what) => Status::Disagrees { seed: CHECKING_SEED, what },
        None => Status::Ready(gates),
    }
}

/// What differs between circuit and interpreter in random play, if anything does.
fn difference(gates: &Gates, seed: u64) -> Option<String> {
    let mut machine = gates.machine();
    let mut interpreter = gates.game().interpreter();
    interpreter.limits_mut().max_steps = CHECKING_STEPS / CHECKED_STEPS as u64;
    follow(&mut machine, &mut interpreter, seed).unwrap_or_else(|error| match error {
        // The interpreter was too slow to tell.
        ReasonError::Eval(_) => None,
        other => Some(other.to_string()),
    })
}

fn follow(
    machine: &mut dyn Machine,
    oracle: &mut dyn Machine,
    seed: u64,
) -> Result<Option<String>, ReasonError> {
    let mut random = Random::new(seed);
    let initial = oracle.initial()?;
    if machine.initial()? != initial {
        return Ok(Some("initial state".to_owned()));
    }
    let mut state = initial.clone();
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for step in 0..CHECKED_STEPS {
        let roles = oracle.game().role_ids();
        let over = oracle.is_terminal(&state)?;
        if machine.is_terminal(&state)? != over {
            return Ok(Some(format!("terminal, step {step}")));
        }
        for role in roles {
            oracle.legal_moves(&state, role, &mut one)?;
            machine.legal_moves(&state, role, &mut other)?;
            if one != other {
                return Ok(Some(format!("legal moves, step {step}")));
            }
            if oracle.goal(&state, role)? != machine.goal(&state, role)? {
                return Ok(Some(format!("goals, step {step}")));
            }
        }
        let joint = if over { None } else { random_joint_move(oracle, &state, &mut random)? };
        let Some(joint) = joint else {
            state = initial.clone();
            continue;
        };
        let next = oracle.next(&state, &joint)?;
        if machine.next(&state, &joint)? != next {
            return Ok(Some(format!("next state, step {step}")));
        }
        state = next;
    }
    Ok(None)
}
