//! All properties of a game: candidates, refutation by play, engines, verdicts. Anytime: whatever is known when the
//! time is over is the result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Budget, Deadline, Game, GameError, Gates, JointMove, Reasoner};
use structure::{Sample, Settings};

use crate::asp::program::Style;
use crate::asp::search::{self, Effort};
use crate::candidates;
use crate::check::{Checked, certificate, check_some};
use crate::evaluate::refutes;
use crate::explore::{Explore, Seen, explore};
use crate::ground_property::{GroundProperty, Grounder};
use crate::instances::Instances;
use crate::property::Property;
use crate::refute::{Play, refute};
use crate::sat;
use crate::symmetric::{Automorphism, Orbits};
use crate::verdict::{Engine, Reason, Verdict};
use crate::vocabulary::Vocabulary;
use crate::watch;

/// Which engines are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engines {
    /// Answer set programming alone.
    Asp,
    /// SAT on the circuit alone.
    Sat,
    /// SAT first, then answer set programming for what is left.
    Both,
}

/// What may be spent.
#[derive(Clone, Debug)]
pub struct Options {
    /// When everything ends.
    pub deadline: Deadline,
    /// The most memory for one program of the answer set solver, and for the circuit.
    pub max_bytes: usize,
    /// Which engines.
    pub engines: Engines,
    /// States of random play that are looked at for refutations.
    pub states: u64,
    /// The seed of random play.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            deadline: Deadline::never(),
            max_bytes: 1 << 30,
            engines: Engines::Both,
            states: 20_000,
            seed: 1,
        }
    }
}

/// A property with what is known about it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was claimed.
    pub property: Property,
    /// Its text.
    pub text: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Whether a proof was checked again, with an encoding of its own. (Refutations are always replayed.)
    pub checked: Checked,
}

/// A game with what its properties are asked of.
pub struct Prover {
    /// The game that was asked about.
    original: Game,
    /// The game, perhaps with relations made visible.
    pub game: Game,
    /// What names mean.
    pub vocabulary: Vocabulary,
    reasoner: Reasoner,
    instances: Instances,
    properties: Vec<Property>,
    ground: Vec<Result<GroundProperty, String>>,
    verdicts: Vec<Verdict>,
    checked: Vec<Checked>,
    /// Which properties are symmetric to each other.
    orbits: Orbits,
}

impl Prover {
    /// Prepares the proofs of given properties. The circuit is built if the game has none of its own to bring along.
    pub fn new(
        game: &Game,
        properties: Vec<Property>,
        options: &Options,
    ) -> Result<Self, GameError> {
        let original = game;
        let game = watch::watching(game, &properties)?;
        let budget = Budget {
            deadline: options.deadline.instant(),
            max_bytes: options.max_bytes,
            cancel: options.deadline.flag(),
        };
        let reasoner = Reasoner::build(&game, &budget);
        let prover = Self::on(&reasoner, properties, &options.deadline);
        Ok(Self { original: original.clone(), ..prover })
    }

    /// Prepares proofs on a reasoner that is there already. Properties must not need relations made visible.
    pub fn on(reasoner: &Reasoner, properties: Vec<Property>, deadline: &Deadline) -> Self {
        let game = reasoner.game().clone();
        let vocabulary = Vocabulary::new(&game);
        let instances = if let Some(gates) = reasoner.gates() {
            Instances::of_gates(gates)
        } else {
            Instances::of_rules(&vocabulary, &deadline.limits())
        };
        let mut grounder = Grounder::new(&vocabulary, &instances);
        let ground = properties
            .iter()
            .map(|property| grounder.ground(property).map_err(|error| error.to_string()))
            .collect();
        let verdicts = vec![Verdict::untried(); properties.len()];
        let checked = vec![Checked::Nothing; properties.len()];
        Self {
            original: game.clone(),
            game,
            vocabulary,
            reasoner: reasoner.clone(),
            instances,
            properties,
            ground,
            verdicts,
            checked,
            orbits: Orbits::default(),
        }
    }

    /// From now on properties that are symmetric to each other are proved once (thesis §8.4). Automorphisms of the
    /// game that do not keep its initial state are not used.
    pub fn use_symmetries(&mut self, automorphisms: Vec<Box<dyn Automorphism + Send>>) {
        let Ok(initial) = self.reasoner.machine().initial() else { return };
        let gates = self.reasoner.gates();
        self.orbits = Orbits::new(&initial, gates, &grounded(&self.ground), automorphisms);
    }

    /// The properties that are tried without being asked for.
    pub fn candidates(reasoner: &Reasoner, deadline: &Deadline) -> Vec<Property> {
        let game = reasoner.game();
        let vocabulary = Vocabulary::new(game);
        let settings = Settings::default();
        let mut machine = reasoner.machine_with(deadline.limits());
        let deadline = deadline.not_after(Instant::now() + settings.play_time);
        let sample = Sample::take(game, &mut *machine, &settings, &deadline, &mut Vec::new());
        candidates::candidates(&vocabulary, &sample, &mut *machine)
    }

    /// The properties in the order of the verdicts.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// The verdicts so far.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// The circuit, if there is one.
    pub fn gates(&self) -> Option<&Gates> {
        self.reasoner.gates()
    }

    /// The ground properties, or why they are not.
    pub fn ground(&self) -> &[Result<GroundProperty, String>] {
        &self.ground
    }

    /// All instances that properties were made ground over.
    pub fn instances(&self) -> &Instances {
        &self.instances
    }

    /// Plays, then proves, until all is decided or the time is over. `progress` is told each new verdict.
    pub fn run(&mut self, options: &Options, progress: &mut dyn FnMut(usize, &Verdict)) {
        for (at, ground) in self.ground.iter().enumerate() {
            if let Err(problem) = ground {
                let reason = Reason::TooLarge(problem.clone());
                self.verdicts[at] = Verdict::Unknown { reason, seconds: 0.0 };
            }
        }
        self.play(options, PATIENCE, progress);
        match options.engines {
            Engines::Sat => self.circuit(&options.deadline, options.seed, progress),
            Engines::Asp => self.asp(options, progress),
            Engines::Both => {
                // What one engine cannot decide in such a time the other may decide at once; then the first one goes on.
                let turn = options.deadline.left().map_or(TURN, |left| TURN.max(left / 4));
                let first = share(&options.deadline, 2).not_after(Instant::now() + turn);
                self.circuit(&first, options.seed, progress);
                self.asp(options, progress);
                if self.is_open() && !options.deadline.passed() && first.passed() {
                    self.sat(&share(&options.deadline, 2), options.seed.wrapping_add(1), progress);
                }
            }
        }
        // What nobody could prove may just not have been played for long enough, or need a plan.
        if self.is_open() {
            self.play(options, options.states, progress);
        }
        for merge in [true, false] {
            if self.is_open() {
                self.explore(options, merge, MOST_STATES, progress);
            }
        }
        self.check_traces();
    }

    /// The engine on the circuit, for one of each set of symmetric properties first.
    fn circuit(
        &mut self,
        deadline: &Deadline,
        seed: u64,
        progress: &mut dyn FnMut(usize, &Verdict),
    ) {
        self.sat_once(&share(deadline, 2), seed, progress);
        self.sat(deadline, seed, progress);
    }

    /// Refutation by random play, until nothing was refuted for some states.
    pub fn play(
        &mut self,
        options: &Options,
        patience: u64,
        progress: &mut dyn FnMut(usize, &Verdict),
    ) {
        let start = Instant::now();
        let play = Play {
            states: options.states,
            patience,
            steps: 500,
            seed: options.seed,
            deadline: share(&options.deadline, 5),
        };
        if play.deadline.passed() {
            return;
        }
        let open = self.ground.iter().zip(&self.verdicts);
        let properties: Vec<Option<&GroundProperty>> = open
            .map(|(ground, verdict)| ground.as_ref().ok().filter(|_| !verdict.is_decided()))
            .collect();
        let mut machine = self.reasoner.machine_with(play.deadline.limits());
        let mut traces: Vec<(usize, Vec<JointMove>, f64)> = Vec::new();
        let mut found = |at: usize, trace: Vec<JointMove>| {
            traces.push((at, trace, start.elapsed().as_secs_f64()));
        };
        // An answer that fails ends the play; what was found by then counts.
        let _ = refute(&mut *machine, &properties, &play, &mut found);
        for (at, trace, seconds) in traces {
            self.verdicts[at] = Verdict::Refuted { engine: Engine::Play, trace, seconds };
            progress(at, &self.verdicts[at]);
        }
        self.hand_on(progress);
    }

    /// Hands verdicts on to symmetric properties.
    fn hand_on(&mut self, progress: &mut dyn FnMut(usize, &Verdict)) {
        for at in self.orbits.hand_on(&grounded(&self.ground), &mut self.verdicts) {
            progress(at, &self.verdicts[at]);
        }
    }

    /// Whether something is not decided.
    fn is_open(&self) -> bool {
        self.verdicts.iter().any(|verdict| !verdict.is_decided())
    }

    /// A look at as many states as can be, the nearest first; with `merge` those are one that differ in counters alone.
    pub fn explore(
        &mut self,
        options: &Options,
        merge: bool,
        states: usize,
        progress: &mut dyn FnMut(usize, &Verdict),
    ) {
        let start = Instant::now();
        let how = Explore {
            states,
            max_bytes: options.max_bytes,
            merge,
            seed: options.seed,
            deadline: share(&options.deadline, if merge { 2 } else { 1 }),
        };
        if how.deadline.passed() {
            return;
        }
        let open = self.ground.iter().zip(&self.verdicts);
        let properties: Vec<Option<&GroundProperty>> = open
            .map(|(ground, verdict)| ground.as_ref().ok().filter(|_| !verdict.is_decided()))
            .collect();
        let mut machine = self.reasoner.machine_with(how.deadline.limits());
        let mut decided: Vec<(usize, Verdict)> = Vec::new();
        let mut refuted = vec![false; properties.len()];
        let mut found = |at: usize, trace: Vec<JointMove>| {
            let seconds = start.elapsed().as_secs_f64();
            refuted[at] = true;
            decided.push((at, Verdict::Refuted { engine: Engine::Play, trace, seconds }));
        };
        let seen = explore(&mut *machine, &properties, &how, &mut found);
        if let Ok(Seen::All) = seen {
            let seconds = start.elapsed().as_secs_f64();
            for at in (0..properties.len()).filter(|at| properties[*at].is_some() && !refuted[*at])
            {
                let (engine, hypotheses) = (Engine::Enumeration, Vec::new());
                let verdict =
                    Verdict::Proved { engine, k: 0, hypotheses, seconds, certificate: None };
                decided.push((at, verdict));
            }
        }
        for (at, verdict) in decided {
            self.verdicts[at] = verdict;
            progress(at, &self.verdicts[at]);
        }
    }

    /// The engine on the circuit, if there is one.
    pub fn sat(
        &mut self,
        deadline: &Deadline,
        seed: u64,
        progress: &mut dyn FnMut(usize, &Verdict),
    ) {
        self.sat_on(&|_| true, deadline, seed, progress);
    }

    /// The same for one of each set of symmetric properties, whose verdict the others get. Only where many are left
    /// out: what cannot be decided so is tried again together with all others.
    fn sat_once(
        &mut self,
        deadline: &Deadline,
        seed: u64,
        progress: &mut dyn FnMut(usize, &Verdict),
    ) {
        const ONE_OF: usize = 4;
        let left_out = self.orbits.left_out(self.properties.len());
        let open = || (0..left_out.len()).filter(|at| !self.verdicts[*at].is_decided());
        let fewer = open().filter(|at| left_out[*at]).count();
        if fewer > 0 && fewer * ONE_OF >= open().count() {
            self.sat_on(&|at| !left_out[at], deadline, seed, progress);
            self.hand_on(progress);
        }
    }

    /// The same for some of the properties.
    fn sat_on(
        &mut self,
        which: &dyn Fn(usize) -> bool,
        deadline: &Deadline,
        seed: u64,
        progress: &mut dyn FnMut(usize, &Verdict),
    ) {
        let open: Vec<usize> = (0..self.properties.len())
            .filter(|at| self.ground[*at].is_ok() && !self.verdicts[*at].is_refuted())
            .filter(|at| which(*at))
            .collect();
        if open.iter().all(|at| self.verdicts[*at].is_decided()) {
            return;
        }
        let (gates, why_not) = match self.reasoner.gates() {
            None => (None, Reason::NoCircuit),
            Some(gates) => (Some(gates).filter(|_| !deadline.passed()), Reason::Time),
        };
        let Some(gates) = gates else {
            for at in open {
                if self.verdicts[at].is_decided() {
                    continue;
                }
                self.verdicts[at] = Verdict::Unknown { reason: why_not.clone(), seconds: 0.0 };
            }
            return;
        };
        let ground: Vec<GroundProperty> =
            open.iter().filter_map(|at| self.ground[*at].as_ref().ok().cloned()).collect();
        let mut options = sat::Options::default();
        options.play.seed = seed;
        let believed = self.believed(&open);
        let found =
            sat::decide(gates, &ground, &believed, &options, deadline, &mut |at, verdict| {
                if !believed.proved.contains(&at) {
                    progress(open[at], verdict);
                }
            });
        for (at, mut verdict) in open.iter().copied().zip(found) {
            if let Verdict::Proved { hypotheses, .. } = &mut verdict {
                for other in hypotheses {
                    *other = open[*other];
                }
            }
            if !self.verdicts[at].is_decided() {
                self.verdicts[at] = verdict;
            }
        }
    }

    /// Which of some properties are proved by induction, and by which facts.
    fn believed(&self, open: &[usize]) -> sat::Believed {
        let ground = grounded(&self.ground);
        let mut believed = sat::Believed::default();
        for (place, at) in open.iter().enumerate() {
            if let Some(facts) = certificate(&ground, &self.verdicts, *at) {
                believed.proved.push(place);
                if !believed.facts.iter().any(|known| Arc::ptr_eq(known, &facts)) {
                    believed.facts.push(facts);
                }
            }
        }
        believed
    }

    /// The engine of the thesis.
    pub fn asp(&mut self, options: &Options, progress: &mut dyn FnMut(usize, &Verdict)) {
        let effort =
            Effort { deadline: options.deadline.clone(), max_bytes: options.max_bytes as u64 };
        let tight = self.reasoner.gates().is_some().then_some(&self.instances);
        let style = Style { instances: tight, not_terminal: false };
        let (properties, verdicts) = (&self.properties, &mut self.verdicts);
        let (orbits, ground) = (&self.orbits, grounded(&self.ground));
        let settle = |verdicts: &mut [Verdict]| orbits.hand_on(&ground, verdicts);
        let vocabulary = &self.vocabulary;
        search::prove_all(vocabulary, properties, verdicts, style, &effort, &settle, progress);
    }

    /// Checks all proofs by induction again, with an encoding of their own ([`crate::check`]), as far as the ground rules
    /// are there. A proof that is rejected is none.
    pub fn recheck(&mut self, deadline: &Deadline) {
        let Some(gates) = self.reasoner.gates() else { return };
        let ground = grounded(&self.ground);
        self.checked = check_some(gates, &ground, &self.verdicts, deadline);
        for (verdict, checked) in self.verdicts.iter_mut().zip(&self.checked) {
            if let (
                Verdict::Proved { engine: Engine::Sat | Engine::Symmetry, seconds, .. },
                Checked::Rejected(flaw),
            ) = (&mut *verdict, checked)
            {
                let reason = Reason::Other(format!("the proof is not confirmed: {flaw:?}"));
                *verdict = Verdict::Unknown { reason, seconds: *seconds };
            }
        }
    }

    /// Replays all refutations by the interpreter; one that it does not confirm is none.
    fn check_traces(&mut self) {
        let mut interpreter = self.game.interpreter();
        for (ground, verdict) in self.ground.iter().zip(&mut self.verdicts) {
            if let (Ok(ground), Verdict::Refuted { trace, seconds, .. }) = (ground, &mut *verdict)
                && matches!(refutes(ground, trace, &mut interpreter), Ok(false))
            {
                let reason = Reason::Other("the interpreter does not confirm the trace".to_owned());
                *verdict = Verdict::Unknown { reason, seconds: *seconds };
            }
        }
    }

    /// What was found, with moves as the game numbers them that was asked about.
    pub fn findings(self) -> Vec<Finding> {
        let symbols = self.game.program().symbols.clone();
        let (from, to) = (self.game.universe(), self.original.universe());
        let translate = |joint: &mut JointMove| {
            for action in &mut joint.0 {
                *action = to.action(&from.move_entry(*action).term);
            }
        };
        let pairs = self.properties.into_iter().zip(self.verdicts).zip(self.checked);
        pairs
            .map(|((property, mut verdict), checked)| {
                if let Verdict::Refuted { trace, .. } = &mut verdict {
                    trace.iter_mut().for_each(translate);
                }
                Finding { text: property.to_text(&symbols), property, verdict, checked }
            })
            .collect()
    }
}

/// The properties that could be made ground.
fn grounded(ground: &[Result<GroundProperty, String>]) -> Vec<Option<&GroundProperty>> {
    ground.iter().map(|ground| ground.as_ref().ok()).collect()
}

/// States without a refutation after which the engines take over.
const PATIENCE: u64 = 300;

/// The time that one engine has before the other gets its turn; a quarter of all if that is more.
const TURN: Duration = Duration::from_secs(30);

/// The most states of which all are looked at.
const MOST_STATES: usize = 1_000_000;

/// A part of the time that is left.
pub(crate) fn share(deadline: &Deadline, parts: u32) -> Deadline {
    match deadline.left() {
        Some(left) => deadline.not_after(Instant::now() + left / parts),
        None => deadline.clone(),
    }
}

/// Tries everything that is worth knowing about a game.
pub fn prove_all(
    reasoner: &Reasoner,
    options: &Options,
    progress: &mut dyn FnMut(usize, &Verdict),
) -> Vec<Finding> {
    let properties = Prover::candidates(reasoner, &options.deadline);
    let mut prover = Prover::on(reasoner, properties, &options.deadline);
    prover.run(options, progress);
    prover.findings()
}
