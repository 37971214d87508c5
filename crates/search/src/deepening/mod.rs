//! Heuristic search: iterative deepening, depth first, with an evaluator at the leaves (thesis §4.2, §4.4;
//! Rauber-14 "Implementation Details").
//!
//! Each iteration searches one move deeper (Korf 1985) and uses what the last one found: the table for
//! values and moves, the value for the first window. It stops where everything is proven, or where its
//! effort is spent; then the best move of the last iteration counts, or a better one that the unfinished
//! iteration has found already.

mod alpha_beta;
mod context;
mod depth;
mod entry;
mod frame;
mod max_n;
mod options;
mod order;
mod root;

use std::sync::Arc;

use game::{Canonicalizer, Evaluator, JointMove, Machine, Move, ReasonError, Role, State};

pub use self::options::{
    DepthLimit, Noise, Opponents, Options, PossibleActions, Quiescence, Simultaneous, Windows,
};

use self::alpha_beta::AlphaBeta;
use self::context::{Context, points};
use self::frame::Frame;
use self::max_n::MaxN;
use self::root::{Outcome, Root};
use crate::class::{Fact, GameClass};
use crate::effort::{Effort, Stop};
use crate::hash::Key;
use crate::interface::Search;
use crate::report::{MoveReport, SearchReport, TableUse, Value};
use crate::rewards::{Look, Turn, rewards};

/// More iterations would not look deeper.
const MOST_ITERATIONS: u32 = context::DEEPEST;
/// The longest line that is shown.
const LONGEST_LINE: usize = 400;

enum Engine {
    AlphaBeta(AlphaBeta),
    MaxN(MaxN),
}

/// The search.
pub struct Deepening {
    ctx: Context,
    class: GameClass,
    engine: Engine,
    options: Options,
}

impl Deepening {
    /// A search with an evaluator for states that are no ends.
    pub fn new(
        machine: Box<dyn Machine>,
        evaluator: Box<dyn Evaluator>,
        class: GameClass,
        options: &Options,
    ) -> Self {
        let ctx = Context::new(machine, evaluator);
        let exact = class.is_single_player() || class.is_two_player_constant_sum();
        let engine = match options.opponents {
            Opponents::Selfish => Engine::MaxN(MaxN::new(options, ctx.roles)),
            Opponents::Fitting if !exact => Engine::MaxN(MaxN::new(options, ctx.roles)),
            _ => Engine::AlphaBeta(AlphaBeta::new(options)),
        };
        Self { ctx, class, engine, options: options.clone() }
    }

    /// Whether an end was met that refutes what the choice of the engine rests on; then it is changed.
    fn change_engine(&mut self) -> bool {
        let refuted = match &self.engine {
            Engine::AlphaBeta(engine) => engine.sums_differ && self.ctx.roles == 2,
            Engine::MaxN(_) => false,
        };
        let change = refuted && self.options.opponents == Opponents::Fitting;
        if change {
            self.class.learn(Fact::ConstantSum(None));
            self.engine = Engine::MaxN(MaxN::new(&self.options, self.ctx.roles));
        }
        change
    }

    /// Symmetric states count as one; where the symmetry exchanges roles, their values are exchanged as well. The evaluator
    /// is taken to judge symmetric states alike.
    #[must_use]
    pub fn with_symmetries(mut self, symmetries: Arc<dyn Canonicalizer>) -> Self {
        self.ctx.symmetries = Some(symmetries);
        // Quiescence search remembers numbers of actions by roles.
        self.ctx.keep_roles = self.options.quiescence.is_some();
        self
    }

    /// For [`Noise::Possible`].
    #[must_use]
    pub fn with_possible_actions(mut self, possible: Box<dyn PossibleActions>) -> Self {
        self.ctx.possible = Some(possible);
        self
    }

    fn begin(&mut self, state: &State, role: Role, look: &Look) {
        let moves: &[Move] = look.moves.get(role.index()).map_or(&[], Vec::as_slice);
        let alike = self.ctx.alike(state, look, role);
        let bounds: Vec<_> =
            (0..self.ctx.roles as u32).map(|role| self.class.bounds(Role(role))).collect();
        match &mut self.engine {
            Engine::AlphaBeta(engine) => engine.begin(role, bounds[role.index()], moves, alike),
            Engine::MaxN(engine) => engine.begin(role, bounds, moves, alike),
        }
    }

    fn iterate(&mut self, state: &State, depth: u32) -> Result<Outcome, Stop> {
        match &mut self.engine {
            Engine::AlphaBeta(engine) => engine.iterate(&mut self.ctx, state, depth),
            Engine::MaxN(engine) => engine.iterate(&mut self.ctx, state, depth),
        }
    }

    fn root(&self) -> &Root {
        match &self.engine {
            Engine::AlphaBeta(engine) => &engine.root,
            Engine::MaxN(engine) => &engine.root,
        }
    }

    fn table(&self) -> TableUse {
        match &self.engine {
            Engine::AlphaBeta(engine) => engine.table().usage(),
            Engine::MaxN(engine) => engine.table().usage(),
        }
    }

    /// Fills in what the root knows.
    fn fill(&mut self, report: &mut SearchReport, state: &State) {
        let root = self.root();
        report.best = root.moves.get(root.best).map(|own| own.action);
        report.moves = root.moves.iter().map(move_report).collect();
        report.moves.sort_by(|a, b| {
            let by = |m: &MoveReport| (m.weight, m.value.estimate);
            by(b).0.total_cmp(&by(a).0).then(by(b).1.total_cmp(&by(a).1))
        });
        if let Some(outcome) = root.outcome {
            report.solved = outcome.is_solved();
            report.values = self.values(report.role, outcome);
        }
        report.selective_depth = self.ctx.deepest;
        report.line = self.line(state, report.depth);
        self.count(report);
    }

    fn count(&self, report: &mut SearchReport) {
        report.nodes = self.ctx.meter.nodes();
        report.seconds = self.ctx.meter.seconds();
        report.table = self.table();
    }

    fn values(&self, role: Role, outcome: Outcome) -> Vec<Value> {
        let own = value_of(outcome);
        let mut values = vec![Value::guess(50.0); self.ctx.roles];
        match &self.engine {
            Engine::MaxN(engine) => {
                for (value, mills) in values.iter_mut().zip(&engine.values.of) {
                    let exact = engine.values.exact;
                    *value = if exact {
                        Value::exact(points(*mills))
                    } else {
                        Value::guess(points(*mills))
                    };
                }
            }
            // That the sum is constant was checked at every end that the search met, so the strategies
            // found for both roles guarantee what is claimed.
            Engine::AlphaBeta(engine) if self.ctx.roles == 2 && !engine.sums_differ => {
                let sum = engine.sum.or(self.class.constant_sum.value).map_or(100.0, f64::from);
                let turn = |value: f64| (sum - value).clamp(0.0, 100.0);
                values[1 - role.index().min(1)] = Value {
                    estimate: turn(own.estimate),
                    low: turn(own.high),
                    high: turn(own.low),
                };
            }
            Engine::AlphaBeta(_) => {}
        }
        values[role.index()] = own;
        values
    }

    /// The line that is expected: the best move, then what the table thinks best.
    fn line(&mut self, state: &State, depth: u32) -> Vec<JointMove> {
        let Some(first) = self.root().joint.clone() else { return Vec::new() };
        let mut line = Vec::new();
        let mut state = state.clone();
        let mut joint = Some(first);
        while let Some(now) = joint.take().filter(|_| line.len() < LONGEST_LINE) {
            let Ok(next) = self.ctx.machine.next(&state, &now) else { break };
            state = next;
            joint = self.expected(&state, depth);
            line.push(now);
        }
        line
    }

    /// What the table thinks best in a state, brought back from the state's representative.
    fn expected(&mut self, state: &State, depth: u32) -> Option<JointMove> {
        let plain = Frame::default();
        let (canonical, symmetry) = self.ctx.canonical(state.clone(), &plain);
        let frame = self.ctx.framed(&plain, symmetry);
        let key: Key = self.ctx.key(&canonical);
        let mut look = Look::default();
        if matches!(look.at(&mut *self.ctx.machine, &canonical), Err(_) | Ok(Turn::End)) {
            return None;
        }
        let solved = self.root().outcome.is_some_and(|outcome| outcome.is_solved());
        let joint = match &mut self.engine {
            Engine::AlphaBeta(engine) => {
                if solved {
                    engine.resolve(&mut self.ctx, (&canonical, &frame), key, depth);
                }
                engine.best_joint(&self.ctx, key, &frame, &look)
            }
            Engine::MaxN(engine) => engine.best_joint(key, &frame, &look),
        }?;
        Some(self.ctx.origin(symmetry, joint))
    }
}

fn value_of(outcome: Outcome) -> Value {
    Value::within(points(outcome.value), points(outcome.low), points(outcome.high))
}

fn move_report(own: &root::RootMove) -> MoveReport {
    MoveReport {
        action: own.action,
        value: value_of(own.outcome),
        visits: own.nodes,
        depth: own.depth,
        weight: own.weight,
    }
}

impl Search for Deepening {
    fn name(&self) -> &'static str {
        match self.engine {
            Engine::AlphaBeta(_) => "alpha-beta",
            Engine::MaxN(_) => "max^n",
        }
    }

    fn search(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        let mut report = SearchReport::empty(self.name(), role, self.ctx.roles);
        self.ctx.start(effort);
        let mut look = Look::default();
        let turn = look.at(&mut *self.ctx.machine, state)?;
        self.begin(state, role, &look);
        if turn == Turn::End {
            let rewards = rewards(&mut *self.ctx.machine, state)?;
            report.values = rewards.iter().map(|r| Value::exact(f64::from(*r))).collect();
            report.solved = true;
            report.stop = Some(Stop::Done);
            return Ok(report);
        }
        let most = effort.depth.unwrap_or(MOST_ITERATIONS).min(MOST_ITERATIONS);
        let mut stop = Stop::Depth;
        let mut depth = 1;
        while depth <= most {
            let result = self.iterate(state, depth);
            if self.change_engine() {
                (report.method, report.depth, depth) = (self.name(), 0, 1);
                self.begin(state, role, &look);
                continue;
            }
            match result {
                Ok(outcome) => {
                    report.depth = depth;
                    self.fill(&mut report, state);
                    observe(&report);
                    if outcome.is_solved() {
                        stop = Stop::Done;
                        break;
                    }
                }
                Err(why) => {
                    stop = why;
                    if self.root().fresh || report.depth == 0 {
                        self.fill(&mut report, state);
                    }
                    break;
                }
            }
            depth += 1;
        }
        self.count(&mut report);
        report.stop = Some(stop);
        Ok(report)
    }

    fn advance(&mut self, _: &State) {}

    fn forget(&mut self) {
        match &mut self.engine {
            Engine::AlphaBeta(engine) => engine.forget(),
            Engine::MaxN(engine) => engine.forget(),
        }
    }

    fn use_machine(&mut self, machine: Box<dyn Machine>) {
        self.ctx.machine = machine;
    }
}
