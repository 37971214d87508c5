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
use ground::{Budget, Stopped};

use crate::batch::{Batch, NoCircuit};
use crate::expander::Expander;
use crate::game::Game;
use crate::gates::Gates;
use crate::ids::{JointMove, Move, Role};
use crate::machine::{Goals, Machine, ReasonError};
use crate::playout::{Random, random_joint_move};
use crate::state::State;

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

    /// A machine that is the best one at each time: the interpreter until the circuit is there.
    pub fn following(&self) -> Box<dyn Machine> {
        match self.built.get() {
            Some(_) => self.machine(),
            None => Box::new(Following { machine: self.machine(), reasoner: Some(self.clone()) }),
        }
    }

    /// All successors of a position at once, if the circuit is there.
    pub fn expander(&self) -> Option<Expander> {
        Some(self.gates()?.expander())
    }

    /// Many positions at once, if the circuit is there.
    pub fn batch(&self, seed: u64) -> Option<Batch> {
        Some(self.gates()?.batch(seed))
    }

    /// The same, whose playouts win at once and do not let others do so, where the gates tell.
    pub fn decisive_batch(&self, seed: u64) -> Option<Batch> {
        Some(self.gates()?.decisive_batch(seed))
    }
}

/// An interpreter that becomes a machine on the circuit.
struct Following {
    machine: Box<dyn Machine>,
    /// None once it is known whether there is a circuit.
    reasoner: Option<Reasoner>,
}

impl Following {
    fn now(&mut self) -> &mut dyn Machine {
        if self.reasoner.as_ref().is_some_and(|reasoner| reasoner.built.get().is_some())
            && let Some(reasoner) = self.reasoner.take()
        {
            self.machine = reasoner.machine();
        }
        &mut *self.machine
    }
}

impl Machine for Following {
    fn game(&self) -> &Game {
        self.machine.game()
    }

    fn initial(&mut self) -> Result<State, ReasonError> {
        self.now().initial()
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        self.now().is_terminal(state)
    }

    fn legal_moves(
        &mut self,
        state: &State,
        role: Role,
        moves: &mut Vec<Move>,
    ) -> Result<(), ReasonError> {
        self.now().legal_moves(state, role, moves)
    }

    fn next(&mut self, state: &State, joint: &JointMove) -> Result<State, ReasonError> {
        self.now().next(state, joint)
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Goals, ReasonError> {
        self.now().goal(state, role)
    }

    fn clock(&mut self) -> Option<State> {
        self.now().clock()
    }
}

fn built(game: &Game, budget: &Budget) -> Status {
    match Gates::build(game, budget) {
        // To judge it takes long if it is large, and nobody waits for it any more.
        Ok(_) if budget.is_cancelled() => Status::None(NoCircuit::Ground(Stopped::Cancelled)),
        Ok(gates) => judged(gates),
        Err(why) => Status::None(why),
    }
}

/// A circuit is ready if it agrees with the interpreter.
fn judged(gates: Gates) -> Status {
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

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTING: &str = "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal r step) (true (at ?x)) (succ ?x ?y)) (<= (legal r stay) (true (at 1)))
        (<= (next (at ?y)) (does r step) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?x)) (does r stay) (true (at ?x)))
        (<= terminal (true (at 3)))
        (<= (goal r 100) (true (at 3))) (<= (goal r 5) (true (at 2)))";

    fn gates() -> Gates {
        let game = Game::from_text(COUNTING).expect("valid");
        Gates::build(&game, &Budget::default()).expect("tiny")
    }

    /// Breaks one output of the circuit.
    fn broken(breaks: impl Fn(&mut circuit::Circuit)) -> Status {
        let mut gates = gates();
        let mut wrong = circuit::Circuit::clone(&gates.circuit);
        breaks(&mut wrong);
        gates.circuit = Arc::new(wrong);
        judged(gates)
    }

    #[test]
    fn a_wrong_circuit_is_reported_with_its_seed_and_not_used() {
        let wrong: [(&str, Status); 4] = [
            ("terminal", broken(|wrong| wrong.terminal = !wrong.terminal)),
            ("legal moves", broken(|wrong| wrong.legal[0].swap(0, 1))),
            ("goals", broken(|wrong| wrong.goals[0].reverse())),
            ("next state", broken(|wrong| wrong.next.reverse())),
        ];
        for (expected, status) in wrong {
            let Status::Disagrees { seed, what } = &status else {
                panic!("{expected}: {status:?}")
            };
            assert!(what.starts_with(expected), "{what}");
            let report = status.to_string();
            assert!(report.contains(&format!("seed {seed}")) && report.contains(what), "{report}");
            let reasoner = Reasoner { game: gates().game, built: Arc::new(OnceLock::from(status)) };
            assert!(reasoner.gates().is_none() && reasoner.batch(1).is_none());
            assert!(reasoner.expander().is_none());
            // The machine given out is right: it is the interpreter.
            assert_eq!(
                follow(&mut *reasoner.machine(), &mut reasoner.game.interpreter(), 5),
                Ok(None)
            );
        }
        assert!(matches!(judged(gates()), Status::Ready(_)));
    }

    #[test]
    fn a_machine_given_out_early_moves_to_the_circuit_when_it_is_there() {
        let reasoner = Reasoner { game: gates().game, built: Arc::default() };
        let mut machine = reasoner.following();
        let initial = machine.initial().expect("small");
        assert!(matches!(reasoner.status(), Status::Building));
        assert_eq!(machine.is_terminal(&initial), Ok(false));
        assert!(reasoner.built.set(Status::Ready(gates())).is_ok());
        assert_eq!(follow(&mut *machine, &mut reasoner.game.interpreter(), 5), Ok(None));
        let (built, thread) = Reasoner::in_background(&reasoner.game, Budget::default());
        thread.join().expect("no panic");
        assert!(matches!(built.status(), Status::Ready(_)));
        assert_eq!(follow(&mut *built.following(), &mut *machine, 6), Ok(None));
    }

    #[test]
    fn without_a_circuit_the_interpreter_answers_and_the_reason_is_told() {
        let chess = library::find("chess").expect("is in the library");
        let game = Game::from_text(chess.rules).expect("valid");
        let little = Budget { max_bytes: 1 << 16, ..Budget::default() };
        let reasoner = Reasoner::build(&game, &little);
        let status = reasoner.status();
        assert!(matches!(status, Status::None(NoCircuit::Ground(_))), "{status}");
        assert!(status.to_string().ends_with("the interpreter is used"));
        assert_eq!(reasoner.machine().initial(), game.interpreter().initial());
    }
}
