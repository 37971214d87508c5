//! The circuit of a game, built once and shared by all machines and batches on it.

use std::sync::{Arc, OnceLock};

use circuit::{Care, Circuit, Code, Extremes, Lanes, Layout, Plan};
use ground::{Budget, GroundProgram};

use crate::batch::{Batch, NoCircuit, Sizes};
use crate::circuit_machine::CircuitMachine;
use crate::clock;
use crate::expander::Expander;
use crate::game::Game;
use crate::ids::{FluentId, Move, Role};
use crate::machine::Goal;
use crate::state::State;
use crate::universe::Universe;

/// A game made into gates. Cheap to clone; everything inside is shared.
#[derive(Clone, Debug)]
pub struct Gates {
    pub(crate) game: Game,
    pub(crate) program: Arc<GroundProgram>,
    pub(crate) circuit: Arc<Circuit>,
    pub(crate) code: Arc<Code>,
    /// The same for random play that wins at once and does not let others do so, made when it is first wanted.
    decisive: Arc<OnceLock<Arc<Code>>>,
    pub(crate) numbers: Arc<Numbers>,
    /// The networks of the steppers, made when the first one is wanted.
    plan: Arc<OnceLock<Arc<Plan>>>,
    /// The fluents that only tell the time, found when they are first asked for.
    clock: Arc<OnceLock<State>>,
    sizes: Sizes,
}

/// How the circuit numbers what the universe of the game numbers otherwise.
#[derive(Debug)]
pub(crate) struct Numbers {
    pub(crate) fluents: Vec<FluentId>,
    pub(crate) moves: Vec<Vec<Move>>,
    /// For each role its moves in the order of their texts; places in it are *ranks*.
    pub(crate) ranked: Vec<Vec<Move>>,
    /// For each role the rank of each of its moves, in the order of the ground program.
    pub(crate) ranks: Vec<Vec<u32>>,
    /// For each role the rank of each move of the universe, as far as it has one.
    pub(crate) rank_of: Vec<Vec<u32>>,
    pub(crate) goals: Vec<Vec<String>>,
    /// The goals as numbers from 0 to 100, as far as they are.
    pub(crate) values: Vec<Vec<Option<Goal>>>,
    pub(crate) initial: State,
    /// All fluents.
    pub(crate) known: State,
    /// How many words a state of known fluents has at most.
    pub(crate) words: usize,
}

/// The place or rank of something that the circuit does not know.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// In games of more gates it would take too long to find out when moves win.
const MOST_DECISIVE: usize = 40_000;

impl Gates {
    /// Makes the rules of a game ground and builds its circuit.
    pub fn build(game: &Game, budget: &Budget) -> Result<Self, NoCircuit> {
        let program = game.ground(budget).map_err(NoCircuit::Ground)?;
        let limits = circuit::Limits {
            deadline: budget.deadline,
            max_bytes: budget.max_bytes.saturating_sub(program.bytes()),
            cancel: budget.cancel.clone(),
            ..circuit::Limits::default()
        };
        let circuit = circuit::build(&program, &limits).map_err(NoCircuit::Gates)?;
        let code = Code::new(&circuit);
        let sizes = Sizes {
            fluents: program.fluents.len(),
            moves: program.moves.iter().map(Vec::len).sum(),
            rules: program.rule_count(),
            gates: circuit::operations(&circuit),
            phases: code.phases(),
            operations: code.operations(),
            choices: code.choices(),
        };
        Ok(Self {
            game: game.clone(),
            numbers: Arc::new(Numbers::new(game, &program)),
            program: Arc::new(program),
            circuit: Arc::new(circuit),
            plan: Arc::default(),
            clock: Arc::default(),
            code: Arc::new(code),
            decisive: Arc::default(),
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

    /// The networks of the steppers.
    pub(crate) fn plan(&self) -> Arc<Plan> {
        let plan = self.plan.get_or_init(|| {
            let fluents = self.numbers.fluents.iter().map(|fluent| fluent.0).collect();
            let layout = Layout { fluents, moves: self.numbers.ranks.clone() };
            Plan::new(&self.circuit, &layout)
        });
        plan.clone()
    }

    /// The fluents that only tell the time: no move has an influence on them.
    pub fn clock(&self) -> &State {
        self.clock.get_or_init(|| {
            let mut clock = State::new();
            for (fluent, tells) in self.numbers.fluents.iter().zip(clock::clock(&self.program)) {
                if tells {
                    clock.insert(*fluent);
                }
            }
            clock
        })
    }

    /// Whether the circuit knows all fluents of a state, so that it can be reached as far as is known.
    pub fn knows(&self, state: &State) -> bool {
        let known = self.numbers.known.words();
        let words = state.words();
        words.len() <= known.len()
            && words.iter().zip(known).all(|(word, known)| word & !known == 0)
    }

    /// The largest reward that the rules can give to a role. Smaller ones than they name are possible, too: a
    /// terminal state may have no goal, or several.
    pub fn largest_reward(&self, role: Role) -> Goal {
        let values = self.numbers.values.get(role.index()).map_or(&[][..], Vec::as_slice);
        values.iter().flatten().copied().max().unwrap_or(Goal(0))
    }

    /// A machine for one thread.
    pub fn machine(&self) -> CircuitMachine {
        CircuitMachine::on(self)
    }

    /// All successors of a position at once, for one thread.
    pub fn expander(&self) -> Expander {
        Expander::on(self)
    }

    /// Many positions at once, for one thread.
    pub fn batch(&self, seed: u64) -> Batch {
        Batch::on(self, self.code.clone(), seed)
    }

    /// The same, whose playouts make moves that win at once and avoid those that let another role do so, where not too many gates tell which ones
    /// these are.
    pub fn decisive_batch(&self, seed: u64) -> Batch {
        if self.sizes.gates.0 + self.sizes.gates.1 > MOST_DECISIVE {
            return self.batch(seed);
        }
        let code = self.decisive.get_or_init(|| {
            let extremes = |own: &Vec<Option<Goal>>| {
                let place = |wanted| own.iter().position(|value| *value == wanted);
                let highest = place(own.iter().flatten().max().copied())?;
                let lowest = place(own.iter().flatten().min().copied())?;
                let values = (own[lowest]?.0, own[highest]?.0);
                let middle = u8::midpoint(values.0, values.1);
                let good = |value: &Option<Goal>| value.is_some_and(|value| value.0 > middle);
                let good = (0..own.len()).filter(|at| good(&own[*at])).collect();
                (highest != lowest).then_some(Extremes { highest, lowest, good })
            };
            let goals: Vec<Option<Extremes>> = self.numbers.values.iter().map(extremes).collect();
            let code = Arc::new(Code::decisive(&self.circuit, &goals));
            let pays = code.care() != Care::Together || is_longer(&self.code, &code);
            if pays { code } else { self.code.clone() }
        });
        Batch::on(self, code.clone(), seed)
    }
}

/// Whether random play is clearly longer where nobody loses at once without need. Else it was no such play that ended it, and the gates that tell cost more
/// than they are worth (docs/strength.md).
fn is_longer(plain: &Arc<Code>, careful: &Arc<Code>) -> bool {
    const STEPS: usize = 256;
    const CLEARLY: f64 = 1.1;
    let length = |code: &Arc<Code>| {
        let tally = Lanes::on(code.clone(), 1).play(STEPS);
        tally.transitions as f64 / tally.playouts.max(1) as f64
    };
    length(careful) > CLEARLY * length(plain)
}

impl Numbers {
    fn new(game: &Game, program: &GroundProgram) -> Self {
        let universe = game.universe();
        let fluents: Vec<FluentId> = program.fluents.iter().map(|t| universe.fluent(t)).collect();
        let holding = fluents.iter().zip(&program.initial).filter(|(_, holds)| **holds);
        let initial = holding.map(|(fluent, _)| *fluent).collect();
        let moves: Vec<Vec<Move>> = program
            .moves
            .iter()
            .map(|own| own.iter().map(|action| universe.action(&action.term)).collect())
            .collect();
        let ranks: Vec<Vec<u32>> = moves.iter().map(|own| ranks(universe, own)).collect();
        let ranked: Vec<Vec<Move>> = moves.iter().zip(&ranks).map(|(m, r)| sorted(m, r)).collect();
        let rank_of = ranked.iter().map(|own| rank_table(own)).collect();
        let goals: Vec<Vec<String>> = program
            .goals
            .iter()
            .map(|own| own.iter().map(|(term, _)| term.to_text(universe.symbols())).collect())
            .collect();
        let values = goals
            .iter()
            .map(|own| own.iter().map(|text| crate::interpreter::goal_of(text)).collect())
            .collect();
        let known: State = fluents.iter().copied().collect();
        let words = known.words().len();
        Self { fluents, moves, ranked, ranks, rank_of, goals, values, initial, known, words }
    }
}

/// The rank of each move by its text.
fn ranks(universe: &Universe, moves: &[Move]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by_cached_key(|at| universe.move_entry(moves[*at]).text.clone());
    let mut ranks = vec![0; moves.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank as u32;
    }
    ranks
}

fn sorted(moves: &[Move], ranks: &[u32]) -> Vec<Move> {
    let mut sorted = moves.to_vec();
    for (action, rank) in moves.iter().zip(ranks) {
        sorted[*rank as usize] = *action;
    }
    sorted
}

fn rank_table(ranked: &[Move]) -> Vec<u32> {
    let most = ranked.iter().map(|action| action.index() + 1).max().unwrap_or(0);
    let mut table = vec![NOWHERE; most];
    for (rank, action) in ranked.iter().enumerate() {
        table[action.index()] = rank as u32;
    }
    table
}
