//! The interpreter: exact answers for any valid rule sheet (thesis Def. 2.14), without making the
//! rules ground. It is the oracle of every faster machine and the fallback where those give up.
//!
//! Rules are compiled once into plans ([`plan`]), with literals ordered by expected cost
//! ([`order`]); a question is answered by tabled evaluation ([`solve`]) over tables that outlive
//! states ([`memory`]). Evaluation is driven by demand: of a relation, only what the question needs
//! is derived, which keeps rule sheets feasible whose relations are huge but asked for sparsely.

mod analysis;
mod memory;
mod order;
mod plan;
mod solve;
mod table;
mod terms;

use std::sync::Arc;

use crate::game::{Game, GameError};
use crate::ids::{FluentId, JointMove, Move, Role};
use crate::machine::{Goal, Goals, Machine, ReasonError};
use crate::state::State;
use crate::universe::GroundTerm;
use memory::{Memory, NONE};
use plan::Code;
use solve::Solver;
use terms::Terms;

pub use solve::Limits;

/// The rules, compiled; shared by all interpreters of a game.
#[derive(Debug)]
pub(crate) struct Compiled {
    code: Code,
    terms: Terms,
    roles: Vec<u32>,
}

/// The machine that follows the rules as they are written.
pub struct Interpreter {
    game: Game,
    compiled: Arc<Compiled>,
    solver: Solver,
    loaded: Option<State>,
    /// The joint move whose facts are loaded, if any.
    loaded_moves: Option<JointMove>,
    /// Terms of the fluents and moves of the universe met so far, and back.
    fluent_terms: Vec<u32>,
    fluent_of_term: Vec<u32>,
    move_terms: Vec<u32>,
    move_of_term: Vec<u32>,
    /// The place of each known move in the order of texts.
    move_ranks: Vec<u32>,
    /// Legal moves of the loaded state by role, if they were asked for.
    legal: Option<Vec<Vec<Move>>>,
}

impl Compiled {
    /// Compiles without any knowledge of states.
    pub(crate) fn blind(game: &Game) -> Result<Self, GameError> {
        Self::with_sample(game, &order::Sample::default())
    }

    fn with_sample(game: &Game, sample: &order::Sample) -> Result<Self, GameError> {
        let analysis = analysis::Analysis::new(game.program());
        let estimates =
            order::Estimates::new(game.program(), &analysis, sample, game.roles().len());
        let mut terms = Terms::default();
        let roles = game.roles().iter().map(|role| terms.import(role)).collect::<Result<_, _>>()?;
        let code = plan::compile(game.program(), &analysis, &estimates, &mut terms)?;
        Ok(Self { code, terms, roles })
    }

    /// Compiles again with the fluents of sampled states, which tell how large relations are.
    pub(crate) fn informed(game: &Game, states: &[State]) -> Result<Self, GameError> {
        let mut sample = order::Sample::default();
        for state in states {
            let entries: Vec<_> =
                state.iter().map(|fluent| game.universe().fluent_entry(fluent)).collect();
            sample.add(entries.iter().map(|entry| &entry.term));
        }
        Self::with_sample(game, &sample)
    }
}

impl Interpreter {
    /// A new interpreter with its own memory.
    pub(crate) fn new(game: Game, compiled: Arc<Compiled>, limits: Limits) -> Self {
        let memory = Memory::new(&compiled.code, compiled.terms.clone());
        let solver = Solver::new(&compiled.code, memory, limits);
        Self {
            game,
            compiled,
            solver,
            loaded: None,
            loaded_moves: None,
            fluent_terms: Vec::new(),
            fluent_of_term: Vec::new(),
            move_terms: Vec::new(),
            move_of_term: Vec::new(),
            move_ranks: Vec::new(),
            legal: None,
        }
    }

    /// The limits on each question; may be changed at any time.
    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.solver.limits
    }

    /// Drops all tables; called when they have grown beyond the limit.
    fn reset(&mut self) {
        let limits = self.solver.limits.clone();
        *self = Self::new(self.game.clone(), self.compiled.clone(), limits);
    }

    fn load(&mut self, state: &State) -> Result<(), ReasonError> {
        if self.loaded.as_ref() == Some(state) {
            return Ok(());
        }
        let memory = &self.solver.memory;
        if memory.is_worn() || memory.size() > self.solver.limits.max_facts / 2 {
            self.reset();
        }
        self.loaded = None;
        self.loaded_moves = None;
        self.legal = None;
        for fluent in state.iter() {
            self.fluent_term(fluent)?;
        }
        let terms = &self.fluent_terms;
        self.solver.memory.load_state(state.iter().map(|fluent| terms[fluent.index()]));
        self.loaded = Some(state.clone());
        Ok(())
    }

    fn load_moves(&mut self, joint: &JointMove) -> Result<(), ReasonError> {
        let roles = self.compiled.roles.len();
        if joint.0.len() != roles {
            return Err(ReasonError::WrongNumberOfMoves { given: joint.0.len(), roles });
        }
        if self.loaded_moves.as_ref() == Some(joint) {
            return Ok(());
        }
        for action in &joint.0 {
            self.move_term(*action)?;
        }
        let moves = joint.0.iter().map(|action| self.move_terms[action.index()]);
        self.solver.memory.load_moves(self.compiled.roles.iter().copied().zip(moves));
        self.loaded_moves = Some(joint.clone());
        Ok(())
    }

    #[inline]
    fn fluent_term(&mut self, fluent: FluentId) -> Result<u32, ReasonError> {
        match self.fluent_terms.get(fluent.index()) {
            Some(&term) if term != NONE => Ok(term),
            _ => {
                let entry = self.game.universe().fluent_entry(fluent);
                let term = self.solver.memory.terms.import(&entry.term)?;
                put(&mut self.fluent_terms, fluent.index(), term);
                put(&mut self.fluent_of_term, term as usize, fluent.0);
                Ok(term)
            }
        }
    }

    fn fluent_of(&mut self, term: u32) -> FluentId {
        match self.fluent_of_term.get(term as usize) {
            Some(&id) if id != NONE => FluentId(id),
            _ => {
                let id = self.game.universe().fluent(&self.solver.memory.terms.export(term));
                put(&mut self.fluent_of_term, term as usize, id.0);
                put(&mut self.fluent_terms, id.index(), term);
                id
            }
        }
    }

    fn move_term(&mut self, action: Move) -> Result<u32, ReasonError> {
        match self.move_terms.get(action.index()) {
            Some(&term) if term != NONE => Ok(term),
            _ => {
                let entry = self.game.universe().move_entry(action);
                let term = self.solver.memory.terms.import(&entry.term)?;
                put(&mut self.move_terms, action.index(), term);
                put(&mut self.move_of_term, term as usize, action.0);
                Ok(term)
            }
        }
    }

    fn move_of(&mut self, term: u32) -> Move {
        match self.move_of_term.get(term as usize) {
            Some(&id) if id != NONE => Move(id),
            _ => {
                let id = self.game.universe().action(&self.solver.memory.terms.export(term));
                put(&mut self.move_of_term, term as usize, id.0);
                put(&mut self.move_terms, id.index(), term);
                id
            }
        }
    }

    /// The answers of a query without given arguments, as terms.
    fn answers(&mut self, query: Option<u32>, first_only: bool) -> Result<Vec<u32>, ReasonError> {
        let Some(query) = query else { return Ok(Vec::new()) };
        let slot = self.solver.ask(&self.compiled.code, query, &[])?;
        let memory = &self.solver.memory.queries[query as usize];
        let mut answer = memory.slots[slot as usize].first;
        let mut found = Vec::new();
        while answer != NONE {
            found.extend_from_slice(memory.outs(answer));
            if first_only {
                break;
            }
            answer = memory.next(answer);
        }
        Ok(found)
    }

    fn state_of(&mut self, terms: &[u32]) -> State {
        let mut state = State::new();
        for term in terms {
            state.insert(self.fluent_of(*term));
        }
        state
    }

    /// Ranks all known moves by text; new moves become rarer and rarer.
    fn rank_moves(&mut self) {
        let universe = self.game.universe();
        let count = universe.move_count();
        let texts: Vec<_> =
            (0..count as u32).map(|id| universe.move_entry(Move(id)).text.clone()).collect();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_unstable_by(|a, b| texts[*a as usize].cmp(&texts[*b as usize]));
        self.move_ranks = vec![0; count];
        for (rank, id) in order.iter().enumerate() {
            self.move_ranks[*id as usize] = rank as u32;
        }
    }

    fn find_legal(&mut self) -> Result<Vec<Vec<Move>>, ReasonError> {
        let pairs = self.answers(self.compiled.code.legal, false)?;
        let mut legal = vec![Vec::new(); self.compiled.roles.len()];
        for pair in pairs.chunks_exact(2) {
            if let Some(role) = self.compiled.roles.iter().position(|role| *role == pair[0]) {
                legal[role].push(self.move_of(pair[1]));
            }
        }
        let known = self.move_ranks.len();
        if legal.iter().flatten().any(|action| action.index() >= known) {
            self.rank_moves();
        }
        for moves in &mut legal {
            moves.sort_unstable_by_key(|action| self.move_ranks[action.index()]);
        }
        Ok(legal)
    }
}

fn put(table: &mut Vec<u32>, at: usize, value: u32) {
    if table.len() <= at {
        table.resize(at + 1, NONE);
    }
    table[at] = value;
}

impl Machine for Interpreter {
    fn game(&self) -> &Game {
        &self.game
    }

    fn initial(&mut self) -> Result<State, ReasonError> {
        let terms = self.answers(self.compiled.code.init, false)?;
        Ok(self.state_of(&terms))
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        self.load(state)?;
        let Some(query) = self.compiled.code.terminal else { return Ok(false) };
        let slot = self.solver.ask(&self.compiled.code, query, &[])?;
        Ok(self.solver.memory.queries[query as usize].slots[slot as usize].first != NONE)
    }

    fn legal_moves(
        &mut self,
        state: &State,
        role: Role,
        moves: &mut Vec<Move>,
    ) -> Result<(), ReasonError> {
        self.load(state)?;
        if self.legal.is_none() {
            self.legal = Some(self.find_legal()?);
        }
        moves.clear();
        if let Some(found) = self.legal.as_ref().and_then(|legal| legal.get(role.index())) {
            moves.extend_from_slice(found);
        }
        Ok(())
    }

    fn next(&mut self, state: &State, joint: &JointMove) -> Result<State, ReasonError> {
        self.load(state)?;
        self.load_moves(joint)?;
        let terms = self.answers(self.compiled.code.next, false)?;
        Ok(self.state_of(&terms))
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Goals, ReasonError> {
        self.load(state)?;
        let pairs = self.answers(self.compiled.code.goal, false)?;
        let wanted = self.compiled.roles[role.index()];
        let symbols = self.game.universe().symbols();
        let mut values: Vec<String> = pairs
            .chunks_exact(2)
            .filter(|pair| pair[0] == wanted)
            .map(|pair| self.solver.memory.terms.export(pair[1]).to_text(symbols))
            .collect();
        values.sort_unstable();
        Ok(goals_of(values))
    }
}

fn goals_of(values: Vec<String>) -> Goals {
    match &values[..] {
        [single] => match single.parse::<u8>() {
            Ok(value) if value <= 100 && !single.starts_with('+') => Goals::One(Goal(value)),
            _ => Goals::Undefined(values),
        },
        _ => Goals::Undefined(values),
    }
}

/// Samples states for compiling with better estimates: the initial state and random play from it.
pub(crate) fn sample_states(machine: &mut Interpreter, most: usize) -> Vec<State> {
    let mut states = Vec::new();
    let mut random = crate::playout::Random::new(1);
    'playouts: for _ in 0..2 {
        let Ok(mut state) = machine.initial() else { break };
        while states.len() < most {
            states.push(state.clone());
            if machine.is_terminal(&state).unwrap_or(true) {
                continue 'playouts;
            }
            let Ok(Some(joint)) = crate::playout::random_joint_move(machine, &state, &mut random)
            else {
                continue 'playouts;
            };
            match machine.next(&state, &joint) {
                Ok(next) => state = next,
                Err(_) => break 'playouts,
            }
        }
    }
    states
}

/// A role's term as the rules state it.
pub(crate) fn role_terms(program: &gdl::normal::Program) -> Vec<GroundTerm> {
    let mut roles: Vec<GroundTerm> = Vec::new();
    for rule in &program.rules {
        let relation = rule.head.relation;
        let is_role = relation.name == gdl::keyword::ROLE && relation.arity == 1;
        if is_role && rule.body.is_empty() {
            if let Some(term) = ground(&rule.head.args[0]) {
                if !roles.contains(&term) {
                    roles.push(term);
                }
            }
        }
    }
    roles
}

fn ground(pattern: &gdl::normal::Pattern) -> Option<GroundTerm> {
    use gdl::normal::Pattern;
    Some(match pattern {
        Pattern::Variable(_) => return None,
        Pattern::Constant(name) => GroundTerm::Constant(*name),
        Pattern::Function(name, args) => {
            GroundTerm::Function(*name, args.iter().map(ground).collect::<Option<_>>()?)
        }
    })
}
