//! Hundreds of positions of a game at once, on its circuit.

use std::fmt;
use std::sync::Arc;

use circuit::lanes::{Nobody, Observer};
use circuit::plane::{self, Plane};
use circuit::transpose::transpose;
use circuit::{Code, Lanes, Preferences, Tally, TooLarge};
use datalog::GroundTerm;
use ground::{Budget, Stopped};

use crate::credit::{Credits, Ledger};
use crate::game::Game;
use crate::gates::Gates;
use crate::ids::{Move, Role};
use crate::machine::Goal;
use crate::state::State;

/// Why a game has no circuit; it is then played by the interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoCircuit {
    /// The rules did not become ground within the budget.
    Ground(Stopped),
    /// Too many gates.
    Gates(TooLarge),
    /// Nobody wanted one.
    Unwanted,
}

impl fmt::Display for NoCircuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ground(why) => write!(f, "the rules did not become ground: {why}"),
            Self::Gates(why) => write!(f, "the circuit is too large: {why}"),
            Self::Unwanted => write!(f, "no circuit was wanted"),
        }
    }
}

impl std::error::Error for NoCircuit {}

/// Sizes of a game made into gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Fluents that may ever hold.
    pub fluents: usize,
    /// Moves of all roles.
    pub moves: usize,
    /// Rules without variables.
    pub rules: usize,
    /// Gates for legal moves and the end of the game, for the next state, and for the goals.
    pub gates: (usize, usize, usize),
    /// Situations (who is in control) that random play goes through in turn.
    pub phases: usize,
    /// The same counts for a step of random play, on average over the situations.
    pub operations: (usize, usize, usize),
    /// Moves that are chosen among in a step of random play, on average.
    pub choices: usize,
}

/// Positions side by side, with the fluents and moves of the game.
///
/// Moves must be legal: the circuit leaves out what legality implies.
#[derive(Clone, Debug)]
pub struct Batch {
    lanes: Lanes,
    gates: Gates,
    /// Room for loading states.
    planes: Vec<Plane>,
}

/// How a playout of [`Batch::playouts`] ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The reward of each role; none where it is not defined, or the playout did not reach an end.
    pub goals: Vec<Option<Goal>>,
    /// The moves made.
    pub length: u32,
    /// Whether a terminal state was reached.
    pub terminal: bool,
}

impl Batch {
    /// The number of positions.
    pub const LANES: usize = plane::LANES;

    /// Makes the rules of a game ground and builds its circuit.
    pub fn new(game: &Game, budget: &Budget, seed: u64) -> Result<Self, NoCircuit> {
        Ok(Gates::build(game, budget)?.batch(seed))
    }

    /// Positions on a circuit that was built before.
    pub(crate) fn on(gates: &Gates, code: Arc<Code>, seed: u64) -> Self {
        Self { lanes: Lanes::on(code, seed), gates: gates.clone(), planes: Vec::new() }
    }

    /// How large the game is.
    pub fn sizes(&self) -> Sizes {
        self.gates.sizes()
    }

    /// Operations of a step on average, without the choice of moves: legal and terminal, next, goals.
    pub fn operations(&self) -> (usize, usize, usize) {
        self.lanes.code().operations()
    }

    /// One random playout from each of the states, of at most `most` moves each. The states may be more
    /// than there are positions: a position whose playout ended takes the next one. None for a state
    /// that the circuit does not know.
    pub fn playouts(&mut self, starts: &[&State], most: u32) -> Vec<Option<Outcome>> {
        self.playouts_while(starts, most, || true)
    }

    /// The same, as long as `go_on` says so, which is asked before each step; none also for a playout that was
    /// not finished then.
    pub fn playouts_while(
        &mut self,
        starts: &[&State],
        most: u32,
        go_on: impl FnMut() -> bool,
    ) -> Vec<Option<Outcome>> {
        self.playouts_watched(starts, (most, go_on), &mut Nobody)
    }

    /// The same, and what each move was worth in the playouts that came to an end, with `tables` also while each fluent
    /// held. Nothing is learned from more
    /// states than there are positions.
    pub fn playouts_credited(
        &mut self,
        starts: &[&State],
        most: u32,
        go_on: impl FnMut() -> bool,
        (credits, tables): (&mut Credits, bool),
    ) -> Vec<Option<Outcome>> {
        let fits = starts.len() <= Self::LANES && starts.iter().all(|s| self.gates.knows(s));
        if !fits {
            return self.playouts_while(starts, most, go_on);
        }
        let moves = self.gates.numbers.moves.iter().map(Vec::len);
        let mut ledger = Ledger::new(moves, self.gates.numbers.fluents.len(), tables);
        let outcomes = self.playouts_watched(starts, (most, go_on), &mut ledger);
        for (lane, outcome) in outcomes.iter().enumerate() {
            if let Some(outcome) = outcome.as_ref().filter(|outcome| outcome.terminal) {
                let rewards = outcome.goals.iter().map(|goal| goal.map_or(0, |goal| goal.0));
                ledger.reward(lane, rewards.collect());
            }
        }
        ledger.settle(credits);
        outcomes
    }

    /// Begins the random numbers anew: playouts from the same states are then the same.
    pub fn reseed(&mut self, seed: u64) {
        self.lanes.reseed(seed);
    }

    /// Prefers some moves to others in playouts, by the numbers of moves as in [`Credits`]. None for uniformly random moves.
    pub fn guide(&mut self, preferences: Option<&Preferences>) {
        self.lanes.guide(preferences);
    }

    fn playouts_watched(
        &mut self,
        starts: &[&State],
        limits: (u32, impl FnMut() -> bool),
        observer: &mut dyn Observer,
    ) -> Vec<Option<Outcome>> {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; starts.len()];
        let (gates, numbers) = (self.gates.clone(), self.gates.numbers.clone());
        let first = &starts[..starts.len().min(Self::LANES)];
        let loaded = first.iter().all(|start| gates.knows(start));
        if loaded {
            self.load_all(first);
        }
        let load = |lanes: &mut Lanes, lane: usize, start: usize| {
            // In the beginning lanes are filled in the order of the starts.
            (loaded && start < Self::LANES)
                || gates.knows(starts[start]) && {
                    lanes.load(lane, |at| starts[start].contains(numbers.fluents[at]));
                    true
                }
        };
        self.lanes.playouts(starts.len(), load, limits, observer, |finished| {
            let goals = finished.goals.iter().zip(&numbers.values);
            let goals = goals.map(|(held, own)| own[(*held)?]).collect();
            let (length, terminal) = (finished.length, finished.terminal);
            outcomes[finished.start] = Some(Outcome { goals, length, terminal });
        });
        outcomes
    }

    /// Puts states into the first positions. They must be known to the circuit.
    fn load_all(&mut self, states: &[&State]) {
        let planes = &mut self.planes;
        planes.clear();
        planes.resize(self.gates.numbers.words * 64, plane::NONE);
        for (group, states) in states.chunks(64).enumerate() {
            for (word, planes) in planes.chunks_exact_mut(64).enumerate() {
                let mut bits = [0; 64];
                for (bits, state) in bits.iter_mut().zip(states) {
                    *bits = state.words().get(word).copied().unwrap_or(0);
                }
                if bits.iter().any(|bits| *bits != 0) {
                    transpose(&mut bits);
                    planes.iter_mut().zip(bits).for_each(|(plane, bits)| plane.0[group] = bits);
                }
            }
        }
        for (at, fluent) in self.gates.numbers.fluents.iter().enumerate() {
            self.lanes.set_fluent(at, &planes[fluent.index()]);
        }
    }

    /// Plays `steps` random moves in all positions; those whose game is over start again.
    pub fn play(&mut self, steps: usize) -> Tally {
        self.lanes.play(steps)
    }

    /// The goal values of a role, in the order of [`Tally::goals`].
    pub fn goal_terms(&self, role: Role) -> impl Iterator<Item = &GroundTerm> {
        self.gates.program.goals[role.index()].iter().map(|(term, _)| term)
    }

    /// Puts a state into a position. False if it has a fluent that cannot be reached.
    pub fn load(&mut self, lane: usize, state: &State) -> bool {
        let fluents = &self.gates.numbers.fluents;
        self.lanes.load(lane, |at| state.contains(fluents[at]));
        self.state(lane) == *state
    }

    /// The state in a position.
    pub fn state(&self, lane: usize) -> State {
        let fluents = self.gates.numbers.fluents.iter().enumerate();
        let holding = fluents.filter(|(at, _)| self.lanes.holds(lane, *at));
        holding.map(|(_, fluent)| *fluent).collect()
    }

    /// Works out legal moves, ends and goals of all positions.
    pub fn look(&mut self) {
        self.lanes.look();
        self.lanes.look_at_goals();
    }

    /// Whether the game is over in a position, after [`Batch::look`].
    pub fn is_terminal(&self, lane: usize) -> bool {
        self.lanes.is_terminal(lane)
    }

    /// The legal moves of a role in a position, after [`Batch::look`], in no particular order.
    pub fn legal_moves(&self, lane: usize, role: Role) -> Vec<Move> {
        let own = self.gates.numbers.moves[role.index()].iter().enumerate();
        own.filter(|(at, _)| self.lanes.is_legal(lane, role.index(), *at))
            .map(|(_, m)| *m)
            .collect()
    }

    /// The goal values of a role in a position, after [`Batch::look`].
    pub fn goal_values(&self, lane: usize, role: Role) -> Vec<&GroundTerm> {
        let own = self.goal_terms(role).enumerate();
        own.filter(|(at, _)| self.lanes.has_goal(lane, role.index(), *at)).map(|(_, g)| g).collect()
    }

    /// The move that a role made in a position in the last step of [`Batch::play`]; none if the game
    /// was over there, or the position waited for its random number.
    pub fn last_move(&self, lane: usize, role: Role) -> Option<Move> {
        let at = self.lanes.last_move(lane, role.index())?;
        Some(self.gates.numbers.moves[role.index()][at])
    }
}
