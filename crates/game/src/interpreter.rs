//! The interpreter: exact answers for any valid rule sheet (thesis Def. 2.14), without making the
//! rules ground. It is the oracle of every faster machine and the fallback where those give up.
//!
//! The work is done by [`datalog`]: rules compiled into plans, tabled evaluation by demand. Here
//! states and joint moves become facts, and answers become states, moves and goals.

use std::sync::Arc;

use crate::game::{Game, GameError};
use crate::ids::{FluentId, JointMove, Move, Role};
use crate::machine::{Goal, Goals, Machine, ReasonError};
use crate::state::State;
use datalog::{
    Analysis, Code, Estimates, EvalError, GroundTerm, Limits, Memory, NONE, Sample, Solver, Terms,
};

/// The rules, compiled; shared by all interpreters of a game.
#[derive(Debug)]
pub(crate) struct Compiled {
    code: Code,
    terms: Terms,
    roles: Vec<u32>,
    sample: Sample,
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
    /// How often a better order of literals was looked for.
    improvements: u32,
    /// States loaded since the tables were made.
    loads: u32,
}

impl Compiled {
    /// Compiles without any knowledge of states.
    pub(crate) fn blind(game: &Game) -> Result<Self, GameError> {
        Self::with_sample(game, Sample::default())
    }

    fn with_sample(game: &Game, sample: Sample) -> Result<Self, GameError> {
        let analysis = Analysis::new(game.program());
        let estimates = Estimates::new(game.program(), &analysis, &sample, game.roles().len());
        let mut terms = Terms::default();
        let roles = game.roles().iter().map(|role| terms.import(role)).collect::<Result<_, _>>()?;
        let code = datalog::compile(game.program(), &analysis, &estimates, &mut terms)?;
        Ok(Self { code, terms, roles, sample })
    }

    /// Compiles again with the fluents of sampled states, which tell how large relations are.
    pub(crate) fn informed(game: &Game, states: &[State]) -> Result<Self, GameError> {
        let mut sample = Sample::default();
        for state in states {
            add_state(&mut sample, game, state);
        }
        Self::with_sample(game, sample)
    }

    pub(crate) fn sample(&self) -> &Sample {
        &self.sample
    }

    /// Compiles again with one more state, in which the present order did badly.
    fn improved(&self, game: &Game, state: &State) -> Result<Self, GameError> {
        let mut sample = self.sample.clone();
        add_state(&mut sample, game, state);
        Self::with_sample(game, sample)
    }
}

fn add_state(sample: &mut Sample, game: &Game, state: &State) {
    let entries: Vec<_> = state.iter().map(|fluent| game.universe().fluent_entry(fluent)).collect();
    sample.add(entries.iter().map(|entry| &entry.term));
}

/// The first number of steps for one question that makes the interpreter look for a better order of
/// literals; it doubles several times with each attempt.
const SUSPICIOUS_STEPS: u64 = 200_000;
/// How often a better order is looked for.
const IMPROVEMENTS: u32 = 5;

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
            improvements: 0,
            loads: 0,
        }
    }

    /// The limits on each question; may be changed at any time.
    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.solver.limits
    }

    /// Drops all tables; called when they have grown beyond the limit.
    fn reset(&mut self) {
        let limits = self.solver.limits.clone();
        let improvements = self.improvements;
        *self = Self::new(self.game.clone(), self.compiled.clone(), limits);
        self.improvements = improvements;
    }

    /// Asks a query. Where it takes suspiciously long, the order of literals was chosen from states
    /// unlike this one: it is chosen again with this state in mind, a few times at most.
    fn ask(
        &mut self,
        which: Keyword,
        role: Option<usize>,
    ) -> Result<Option<(u32, u32)>, ReasonError> {
        loop {
            let Some(query) = which.of(&self.compiled.code) else { return Ok(None) };
            let key = role.map(|role| self.compiled.roles[role]);
            let patient = self.improvements >= IMPROVEMENTS || self.loaded.is_none();
            let most = self.solver.limits.max_steps;
            if !patient {
                let suspicious = SUSPICIOUS_STEPS << (3 * self.improvements);
                self.solver.limits.max_steps = most.min(suspicious);
            }
            let tried = self.solver.limits.max_steps;
            let asked = self.solver.ask(&self.compiled.code, query, key.as_slice());
            self.solver.limits.max_steps = most;
            match asked {
                Err(EvalError::TooManySteps { .. }) if tried < most => self.improve()?,
                asked => return Ok(Some((query, asked?))),
            }
        }
    }

    fn improve(&mut self) -> Result<(), ReasonError> {
        self.improvements += 1;
        let (Some(state), moves) = (self.loaded.clone(), self.loaded_moves.clone()) else {
            return Ok(());
        };
        if let Ok(better) = self.compiled.improved(&self.game, &state) {
            self.compiled = Arc::new(better);
        }
        self.reset();
        self.load(&state)?;
        match moves {
            Some(joint) => self.load_moves(&joint),
            None => Ok(()),
        }
    }

    fn load(&mut self, state: &State) -> Result<(), ReasonError> {
        if self.loaded.as_ref() == Some(state) {
            return Ok(());
        }
        // Measuring the tables takes longer than a question about a small game.
        self.loads = self.loads.wrapping_add(1);
        if self.loads.is_multiple_of(64) {
            let memory = &self.solver.memory;
            if memory.is_worn() || memory.size() > self.solver.limits.max_facts / 2 {
                self.reset();
            }
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

    /// The answers of a query, as rows of terms one after the other.
    fn answers(&mut self, which: Keyword, role: Option<usize>) -> Result<Vec<u32>, ReasonError> {
        let Some((query, slot)) = self.ask(which, role)? else { return Ok(Vec::new()) };
        let memory = &self.solver.memory.queries[query as usize];
        let mut answer = memory.slots[slot as usize].first;
        let mut found = Vec::new();
        while answer != NONE {
            found.extend_from_slice(memory.outs(answer));
            answer = memory.next(answer);
        }
        Ok(found)
    }

    /// The answers of `legal` or `goal`, as pairs of role and value.
    fn answers_by_role(&mut self, which: Keyword) -> Result<Vec<(u32, u32)>, ReasonError> {
        if !self.compiled.code.by_role {
            let rows = self.answers(which, None)?;
            return Ok(rows.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect());
        }
        let mut pairs = Vec::new();
        let improvements = self.improvements;
        for role in 0..self.compiled.roles.len() {
            let values = self.answers(which, Some(role))?;
            if self.improvements != improvements {
                // The tables were made anew, and terms were numbered anew with them.
                return self.answers_by_role(which);
            }
            let term = self.compiled.roles[role];
            pairs.extend(values.into_iter().map(|value| (term, value)));
        }
        Ok(pairs)
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
        let pairs = self.answers_by_role(Keyword::Legal)?;
        let mut legal = vec![Vec::new(); self.compiled.roles.len()];
        for (role, action) in pairs {
            if let Some(role) = self.compiled.roles.iter().position(|known| *known == role) {
                legal[role].push(self.move_of(action));
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

/// The questions that a machine answers.
#[derive(Clone, Copy)]
enum Keyword {
    Init,
    Legal,
    Next,
    Terminal,
    Goal,
}

impl Keyword {
    fn of(self, code: &Code) -> Option<u32> {
        match self {
            Keyword::Init => code.init,
            Keyword::Legal => code.legal,
            Keyword::Next => code.next,
            Keyword::Terminal => code.terminal,
            Keyword::Goal => code.goal,
        }
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
        let terms = self.answers(Keyword::Init, None)?;
        Ok(self.state_of(&terms))
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        self.load(state)?;
        let Some((query, slot)) = self.ask(Keyword::Terminal, None)? else { return Ok(false) };
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
        let terms = self.answers(Keyword::Next, None)?;
        Ok(self.state_of(&terms))
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Goals, ReasonError> {
        self.load(state)?;
        let pairs = self.answers_by_role(Keyword::Goal)?;
        let wanted = self.compiled.roles[role.index()];
        let symbols = self.game.universe().symbols();
        let mut values: Vec<String> = pairs
            .into_iter()
            .filter(|(role, _)| *role == wanted)
            .map(|(_, value)| self.solver.memory.terms.export(value).to_text(symbols))
            .collect();
        values.sort_unstable();
        Ok(goals_of(values))
    }
}

/// One integer from 0 to 100, or whatever was derived.
pub(crate) fn goals_of(values: Vec<String>) -> Goals {
    match &values[..] {
        [single] => match goal_of(single) {
            Some(goal) => Goals::One(goal),
            None => Goals::Undefined(values),
        },
        _ => Goals::Undefined(values),
    }
}

/// A goal value that is an integer from 0 to 100.
pub(crate) fn goal_of(text: &str) -> Option<Goal> {
    let value = text.parse::<u8>().ok()?;
    (value <= 100 && !text.starts_with('+')).then_some(Goal(value))
}

/// How many fluents are looked at in all sampled states together.
const MOST_SAMPLED_FLUENTS: usize = 60_000;

/// Samples states for compiling with better estimates: random play from the initial state, at most
/// `most` states and about `steps` inference steps in all.
pub(crate) fn sample_states(machine: &mut Interpreter, most: usize, steps: u64) -> Vec<State> {
    let mut random = crate::playout::Random::new(1);
    let mut states = Vec::new();
    let mut left = steps;
    machine.limits_mut().max_steps = steps;
    let Ok(initial) = machine.initial() else { return states };
    let mut state = initial.clone();
    let mut fluents = 0;
    while states.len() < most && left > 0 && fluents < MOST_SAMPLED_FLUENTS {
        fluents += state.len();
        states.push(state.clone());
        machine.limits_mut().max_steps = left;
        let before = machine.solver.total_steps();
        let next = sample_step(machine, &state, &mut random);
        // The machine may have started over with a new solver, whose count began at 0.
        let after = machine.solver.total_steps();
        left = left.saturating_sub(after.checked_sub(before).unwrap_or(after));
        match next {
            Ok(Some(next)) => state = next,
            Ok(None) => state = initial.clone(),
            Err(_) => break,
        }
    }
    states
}

fn sample_step(
    machine: &mut Interpreter,
    state: &State,
    random: &mut crate::playout::Random,
) -> Result<Option<State>, ReasonError> {
    if machine.is_terminal(state)? {
        return Ok(None);
    }
    match crate::playout::random_joint_move(machine, state, random)? {
        Some(joint) => Ok(Some(machine.next(state, &joint)?)),
        None => Ok(None),
    }
}

/// A role's term as the rules state it.
pub(crate) fn role_terms(program: &gdl::normal::Program) -> Vec<GroundTerm> {
    let mut roles: Vec<GroundTerm> = Vec::new();
    for rule in &program.rules {
        let relation = rule.head.relation;
        let is_role = relation.name == gdl::keyword::ROLE && relation.arity == 1;
        if let (true, true, Some(term)) =
            (is_role, rule.body.is_empty(), rule.head.args.first().and_then(ground))
            && !roles.contains(&term)
        {
            roles.push(term);
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
