//! The circuit of a game, built once and shared by all machines and batches on it.

use std::sync::Arc;

use circuit::Circuit;
use ground::{Budget, GroundProgram};
use rustc_hash::FxHashMap;

use crate::batch::{Batch, NoCircuit, Sizes};
use crate::circuit_machine::CircuitMachine;
use crate::game::Game;
use crate::ids::{FluentId, Move};
use crate::machine::Goal;
use crate::state::State;

/// A game made into gates. Cheap to clone; everything inside is shared.
#[derive(Clone, Debug)]
pub struct Gates {
    pub(crate) game: Game,
    pub(crate) program: Arc<GroundProgram>,
    pub(crate) circuit: Arc<Circuit>,
    pub(crate) numbers: Arc<Numbers>,
    sizes: Sizes,
}

/// How the circuit numbers what the universe of the game numbers otherwise.
#[derive(Debug)]
pub(crate) struct Numbers {
    pub(crate) fluents: Vec<FluentId>,
    /// The place of each fluent of the universe, as far as it has one.
    pub(crate) place_of: Vec<u32>,
    pub(crate) moves: Vec<Vec<Move>>,
    /// For each role its moves in the order of their texts.
    pub(crate) order: Vec<Vec<usize>>,
    pub(crate) action_of: Vec<FxHashMap<Move, usize>>,
    pub(crate) goals: Vec<Vec<String>>,
    /// The goals as numbers from 0 to 100, as far as they are.
    pub(crate) values: Vec<Vec<Option<Goal>>>,
    pub(crate) initial: State,
}

/// The place of a fluent that the circuit does not know.
pub(crate) const NOWHERE: u32 = u32::MAX;

impl Gates {
    /// Makes the rules of a game ground and builds its circuit.
    pub fn build(game: &Game, budget: &Budget) -> Result<Self, NoCircuit> {
        let program = game.ground(budget).map_err(NoCircuit::Ground)?;
        let limits = circuit::Limits { deadline: budget.deadline, ..circuit::Limits::default() };
        let circuit = circuit::build(&program, &limits).map_err(NoCircuit::Gates)?;
        let sizes = Sizes {
            fluents: program.fluents.len(),
            moves: program.moves.iter().map(Vec::len).sum(),
            rules: program.rule_count(),
            gates: circuit::operations(&circuit),
        };
        Ok(Self {
            game: game.clone(),
            numbers: Arc::new(Numbers::new(game, &program)),
            program: Arc::new(program),
            circuit: Arc::new(circuit),
            sizes,
        })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The rules without variables.
    pub fn program(&self) -> &GroundProgram {
        &self.program
    }

    /// The gates.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// How large the game is.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The fluents in the order of the ground program.
    pub fn fluents(&self) -> &[FluentId] {
        &self.numbers.fluents
    }

    /// The moves of each role in the order of the ground program.
    pub fn moves(&self) -> &[Vec<Move>] {
        &self.numbers.moves
    }

    /// A machine for one thread.
    pub fn machine(&self) -> CircuitMachine {
        CircuitMachine::on(self)
    }

    /// Many positions at once, for one thread.
    pub fn batch(&self, seed: u64) -> Batch {
        Batch::on(self, seed)
    }
}

impl Numbers {
    fn new(game: &Game, program: &GroundProgram) -> Self {
        let universe = game.universe();
        let fluents: Vec<FluentId> = program.fluents.iter().map(|t| universe.fluent(t)).collect();
        let most = fluents.iter().map(|fluent| fluent.index() + 1).max().unwrap_or(0);
        let mut place_of = vec![NOWHERE; most];
        for (place, fluent) in fluents.iter().enumerate() {
            place_of[fluent.index()] = place as u32;
        }
        let holding = fluents.iter().zip(&program.initial).filter(|(_, holds)| **holds);
        let initial = holding.map(|(fluent, _)| *fluent).collect();
        let moves: Vec<Vec<Move>> = program
            .moves
            .iter()
            .map(|own| own.iter().map(|action| universe.action(&action.term)).collect())
            .collect();
        let order = moves
            .iter()
            .map(|own| {
                let mut order: Vec<usize> = (0..own.len()).collect();
                order.sort_by_cached_key(|at| universe.move_entry(own[*at]).text.clone());
                order
            })
            .collect();
        let action_of = moves
            .iter()
            .map(|own| own.iter().enumerate().map(|(at, action)| (*action, at)).collect())
            .collect();
        let goals: Vec<Vec<String>> = program
            .goals
            .iter()
            .map(|own| own.iter().map(|(term, _)| term.to_text(universe.symbols())).collect())
            .collect();
        let values = goals
            .iter()
            .map(|own| own.iter().map(|text| crate::interpreter::goal_of(text)).collect())
            .collect();
        Self { fluents, place_of, moves, order, action_of, goals, values, initial }
    }
}
