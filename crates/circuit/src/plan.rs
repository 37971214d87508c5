//! What all steppers of a game share: its networks, one for all states and some for common situations.
//!
//! A fluent that changes in nearly every step and that many gates read (who is in control) makes much work:
//! all moves of one role become illegal, all of another legal. Networks in which such fluents are constants have
//! none of it: each keeps its own position and catches up when its situation is there again. Which fluents these
//! are is found by a short random play that counts the edges followed, and they are used only if that makes
//! less work; so the choice depends on the game, not on the machine.

use crate::build::Circuit;
use crate::deeds::{ALLOWANCE, Deeds};
use crate::expand::{Program, Rows};
use crate::net::{Layout, Net, bits, count_bits, nth_bit};
use crate::special::specialise;
use crate::stepper::{EDGE, Stepper};

use std::sync::{Arc, OnceLock};

/// Networks of a game.
#[derive(Debug)]
pub struct Plan {
    nets: Vec<Net>,
    /// For each network what moves do, where that is a list; else the network propagates moves too.
    deeds: Vec<Option<Deeds>>,
    circuit: Arc<Circuit>,
    /// The fluents with known values in each network.
    fixed: Vec<Vec<(usize, bool)>>,
    /// The networks' gates in order, for expansions; made when first wanted.
    programs: Vec<OnceLock<Program>>,
    rows: Rows,
    /// The bits of the fluents that tell situations apart.
    deciding: Vec<u32>,
    /// Their values in each situation, in the order of the networks after the general one.
    situations: Vec<u64>,
    /// The bits that are fluents.
    known: Vec<u64>,
}

/// Steps of random play that are looked at.
const TRIAL_STEPS: usize = 400;
/// At most that many fluents may tell situations apart, and at most that many situations are kept.
const MOST_DECIDING: usize = 8;
const MOST_SITUATIONS: usize = 8;
/// The most edges of all networks for situations.
const MOST_EDGES: usize = 4_000_000;

/// How the states are divided among networks.
#[derive(Clone, Debug, Default)]
struct Split {
    /// The fluents that tell situations apart, and their values in each.
    fluents: Vec<usize>,
    situations: Vec<u64>,
    /// Whether goals are propagated.
    eager: bool,
}

impl Plan {
    /// Networks for a circuit.
    pub fn new(circuit: &Arc<Circuit>, layout: &Layout) -> Arc<Self> {
        let mut left = ALLOWANCE;
        let play = |plan: Self| {
            let plan = Arc::new(plan);
            let trial = Trial::play(circuit, layout, &plan);
            (plan, trial)
        };
        // Whether goals are propagated has nothing to do with moves.
        let lazy = Split::default();
        let eager = Split { eager: true, ..Split::default() };
        let (plan, trial) = play(Self::with(circuit, layout, &lazy, &mut 0));
        let (other, again) = play(Self::with(circuit, layout, &eager, &mut 0));
        let (split, propagated) =
            if again.work < trial.work { (eager, (other, again)) } else { (lazy, (plan, trial)) };
        // Lists of moves where they are less work than propagating moves.
        let mut better = |split: &Split, (plan, trial): (Arc<Self>, Trial)| {
            let listed = Self::with(circuit, layout, split, &mut left);
            if listed.deeds.iter().all(Option::is_none) {
                return (plan, trial);
            }
            let (listed, again) = play(listed);
            if again.work < trial.work { (listed, again) } else { (plan, trial) }
        };
        let (mut best, trial) = better(&split, propagated);
        let deciding = trial.deciding(circuit, layout, &best);
        let (mut work, mut edges_left) = (trial.work, MOST_EDGES);
        for count in 1..=deciding.len() {
            let situations = trial.situations(layout, &deciding[..count]);
            let edges = best.edges() * situations.len();
            if situations.len() > MOST_SITUATIONS || edges > edges_left {
                break;
            }
            edges_left -= edges;
            let fluents = deciding[..count].to_vec();
            let special = Split { fluents, situations, ..split.clone() };
            let propagated = play(Self::with(circuit, layout, &special, &mut 0));
            let (plan, again) = better(&special, propagated);
            // More networks need more memory, so they must be worth it.
            if again.work * 10 < work * 9 {
                (best, work) = (plan, again.work);
            }
        }
        best
    }

    /// Networks for a division of the states; lists of moves as far as what is left for them goes.
    fn with(circuit: &Arc<Circuit>, layout: &Layout, split: &Split, left: &mut usize) -> Self {
        let mut fixed = vec![Vec::new()];
        for situation in &split.situations {
            let values = split.fluents.iter().enumerate();
            fixed.push(values.map(|(at, fluent)| (*fluent, situation >> at & 1 == 1)).collect());
        }
        let (mut nets, mut deeds) = (Vec::new(), Vec::new());
        for known in &fixed {
            let special = specialise(circuit, known);
            let (own, idle) = Deeds::new(&special, layout, left).unzip();
            nets.push(Net::new(idle.as_ref().unwrap_or(&special), layout, split.eager));
            deeds.push(own);
        }
        let programs = fixed.iter().map(|_| OnceLock::new()).collect();
        let rows = Rows::new(layout);
        let mut known = vec![0; nets[0].outputs.next.len()];
        for bit in &layout.fluents {
            known[*bit as usize / 64] |= 1 << (bit % 64);
        }
        let deciding = split.fluents.iter().map(|fluent| layout.fluents[*fluent]).collect();
        let (situations, circuit) = (split.situations.clone(), circuit.clone());
        Self { nets, deeds, circuit, fixed, programs, rows, deciding, situations, known }
    }

    /// What moves do in the situation of a network, where that is a list.
    pub(crate) fn deeds(&self, at: usize) -> Option<&Deeds> {
        self.deeds[at].as_ref()
    }

    pub(crate) fn nets(&self) -> &[Net] {
        &self.nets
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The gates of a network in an order of evaluation.
    pub(crate) fn program(&self, at: usize) -> &Program {
        self.programs[at].get_or_init(|| Program::new(&specialise(&self.circuit, &self.fixed[at])))
    }

    /// The words of a state.
    pub fn state_words(&self) -> usize {
        self.known.len()
    }

    /// How many situations have networks of their own.
    pub fn situations(&self) -> usize {
        self.situations.len()
    }

    /// The edges of the general network.
    pub fn edges(&self) -> usize {
        self.nets[0].size()
    }

    /// Whether all fluents of a state are known.
    pub(crate) fn knows(&self, state: &[u64]) -> bool {
        let (first, rest) = state.split_at(state.len().min(self.known.len()));
        first.iter().zip(&self.known).all(|(word, known)| word & !known == 0)
            && rest.iter().all(|word| *word == 0)
    }

    /// The network for a state.
    pub(crate) fn phase_of(&self, state: &[u64]) -> usize {
        if self.situations.is_empty() {
            return 0;
        }
        let situation = situation(&self.deciding, state);
        self.situations.iter().position(|known| *known == situation).map_or(0, |at| at + 1)
    }
}

fn situation(deciding: &[u32], state: &[u64]) -> u64 {
    let mut values = 0;
    for (at, bit) in deciding.iter().enumerate() {
        let word = state.get(*bit as usize / 64).copied().unwrap_or(0);
        values |= (word >> (bit % 64) & 1) << at;
    }
    values
}

/// A short random play.
struct Trial {
    states: Vec<Vec<u64>>,
    work: u64,
}

impl Trial {
    fn play(circuit: &Circuit, layout: &Layout, plan: &Arc<Plan>) -> Self {
        let mut stepper = Stepper::new(plan.clone());
        let mut initial = vec![0; plan.state_words()];
        for (bit, _) in layout.fluents.iter().zip(&circuit.initial).filter(|(_, holds)| **holds) {
            initial[*bit as usize / 64] |= 1 << (bit % 64);
        }
        let mut seed = 1;
        let mut states = Vec::new();
        stepper.load(&initial);
        let before = stepper.work();
        for _ in 0..TRIAL_STEPS {
            states.push(stepper.state().to_vec());
            let roles = 0..circuit.legal.len();
            let actions: Option<Vec<u32>> =
                roles.map(|role| pick(stepper.legal(role), &mut seed)).collect();
            if let Some(actions) = actions.filter(|_| !stepper.is_terminal()) {
                stepper.advance(actions);
            } else {
                for (role, own) in circuit.goals.iter().enumerate() {
                    (0..own.len()).for_each(|value| {
                        stepper.has_goal(role, value);
                    });
                }
                stepper.load(&initial);
            }
        }
        Self { states, work: stepper.work() - before }
    }

    /// Fluents whose changes make much work, those that make most first.
    fn deciding(&self, circuit: &Circuit, layout: &Layout, plan: &Plan) -> Vec<usize> {
        let net = &plan.nets[0];
        let mut changes = vec![0; plan.state_words() * 64];
        for pair in self.states.windows(2) {
            let difference: Vec<u64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| a ^ b).collect();
            bits(&difference).for_each(|bit| changes[bit as usize] += 1);
        }
        let weight = |fluent: usize| {
            let bit = layout.fluents[fluent] as usize;
            let node = net.node_of_bit[bit] as usize;
            EDGE * changes[bit] * u64::from(net.spans[node + 1].edges - net.spans[node].edges)
        };
        let often = |fluent: &usize| {
            changes[layout.fluents[*fluent] as usize] * 6 >= self.states.len() as u64
        };
        let mut deciding: Vec<usize> = (0..circuit.fluents.len()).filter(often).collect();
        deciding.retain(|fluent| weight(*fluent) * 50 >= self.work);
        deciding.sort_by_key(|fluent| (std::cmp::Reverse(weight(*fluent)), *fluent));
        deciding.truncate(MOST_DECIDING);
        deciding
    }

    /// The combinations of values of these fluents that were seen.
    fn situations(&self, layout: &Layout, deciding: &[usize]) -> Vec<u64> {
        let places: Vec<u32> = deciding.iter().map(|fluent| layout.fluents[*fluent]).collect();
        let mut seen: Vec<u64> =
            self.states.iter().map(|state| situation(&places, state)).collect();
        seen.sort_unstable();
        seen.dedup();
        seen
    }
}

/// A random bit of those set; none if there is none.
fn pick(words: &[u64], seed: &mut u64) -> Option<u32> {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let nth = ((*seed >> 33) as u32).checked_rem(count_bits(words))?;
    Some(nth_bit(words, nth))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two roles take turns; each marks one of six places or wipes a marked one.
    const TURNS: &str = "(role x) (role o) (init (turn x))
        (place 1) (place 2) (place 3) (place 4) (place 5) (place 6)
        (<= (legal ?r (mark ?p)) (true (turn ?r)) (place ?p) (not (true (has ?p))))
        (<= (legal ?r (wipe ?p)) (true (turn ?r)) (true (has ?p)))
        (<= (legal x wait) (true (turn o))) (<= (legal o wait) (true (turn x)))
        (<= (next (turn o)) (true (turn x))) (<= (next (turn x)) (true (turn o)))
        (<= (next (has ?p)) (does ?r (mark ?p)))
        (<= (next (has ?p)) (true (has ?p)) (not (wiped ?p)))
        (<= (wiped ?p) (does ?r (wipe ?p)))
        (<= open (place ?p) (not (true (has ?p))))
        (<= terminal (not open)) (<= (goal x 100) (not open)) (<= (goal x 0) open)
        (<= (goal o 50) (true (has 1)))";

    fn circuit_of(text: &str) -> (Arc<Circuit>, Layout) {
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        let program = gdl::normal::normalize(&rules).expect("small");
        let limits = ground::Budget::default();
        #[expect(clippy::default_trait_access, reason = "the type is that of a crate further down")]
        let ground = ground::ground(&program, &Default::default(), &limits).expect("tiny");
        let circuit = crate::build(&ground, &crate::Limits::default()).expect("small");
        let circuit = Arc::new(circuit);
        let bits = |count: usize| (0..count as u32).rev().collect();
        let moves = circuit.does.iter().map(|own| bits(own.len())).collect();
        let layout = Layout { fluents: bits(circuit.fluents.len()), moves };
        (circuit, layout)
    }

    /// Everything a circuit says, evaluated the obvious way: inputs are states and moves by their places.
    fn evaluate(circuit: &Circuit, holds: &[bool], actions: &[usize]) -> Vec<bool> {
        let mut inputs = holds.to_vec();
        for (own, action) in circuit.does.iter().zip(actions) {
            inputs.extend((0..own.len()).map(|at| at == *action));
        }
        let values = circuit.graph.evaluate(&inputs);
        let outputs = circuit.next.iter().chain(circuit.legal.iter().flatten());
        let outputs = outputs.chain([&circuit.terminal]).chain(circuit.goals.iter().flatten());
        outputs.map(|signal| values[signal.node()] != signal.is_complemented()).collect()
    }

    #[test]
    fn situations_make_less_work_and_the_same_answers() {
        let (circuit, layout) = circuit_of(TURNS);
        let eager = Plan::new(&circuit, &layout).nets[0].eager;
        let split = Split { eager, ..Split::default() };
        let general = Arc::new(Plan::with(&circuit, &layout, &split, &mut 0));
        let plan = Plan::new(&circuit, &layout);
        assert!(plan.situations() >= 2, "at least one for each role in control");
        let (slow, fast) =
            (Trial::play(&circuit, &layout, &general), Trial::play(&circuit, &layout, &plan));
        assert_eq!(slow.states, fast.states);
        assert!(fast.work < slow.work, "{} edges instead of {}", fast.work, slow.work);
    }

    /// Two roles move at the same time; what a turn does depends on where the token is, and a clock ticks by itself.
    const TOGETHER: &str = "(role x) (role o) (init (at a)) (init (clock 0))
        (round a b) (round b c) (round c a) (tick 0 1) (tick 1 2) (tick 2 3)
        (<= (legal ?r turn) (role ?r)) (<= (legal ?r stay) (role ?r)) (<= (legal x back) (true (at b)))
        (<= (next (at ?q)) (does x turn) (true (at ?p)) (round ?p ?q))
        (<= (next (at ?p)) (does x stay) (true (at ?p)))
        (<= (next (at a)) (does x back))
        (<= (next met) (does x turn) (does o turn) (true (at c)))
        (<= (next met) (true met) (not (does o stay)))
        (<= (next (clock ?n)) (true (clock ?m)) (tick ?m ?n))
        (<= terminal (true (clock 3)))
        (<= (goal ?r 100) (role ?r) (true met)) (<= (goal ?r 0) (role ?r) (not (true met)))";

    #[test]
    fn lists_of_moves_lead_to_the_same_states_as_propagated_moves() {
        for text in [TURNS, TOGETHER] {
            let (circuit, layout) = circuit_of(text);
            let with = |mut left: usize| {
                Arc::new(Plan::with(&circuit, &layout, &Split::default(), &mut left))
            };
            let (listed, propagated) = (with(ALLOWANCE), with(0));
            assert!(listed.deeds(0).is_some(), "few joint moves");
            assert!(propagated.deeds(0).is_none());
            let (some, others) = (
                Trial::play(&circuit, &layout, &listed),
                Trial::play(&circuit, &layout, &propagated),
            );
            assert_eq!(some.states, others.states);
            assert!(
                some.states.len() == TRIAL_STEPS
                    && some.states.iter().any(|s| *s != some.states[0])
            );
        }
    }

    #[test]
    fn a_special_circuit_agrees_where_its_fluents_have_their_values() {
        let (circuit, layout) = circuit_of(TURNS);
        let plan = Plan::new(&circuit, &layout);
        let trial = Trial::play(&circuit, &layout, &plan);
        let bit_of = |fluent: usize| layout.fluents[fluent] as usize;
        let mut stepper = Stepper::new(plan.clone());
        for state in trial.states.iter().take(60) {
            let holds: Vec<bool> = (0..circuit.fluents.len())
                .map(|fluent| state[bit_of(fluent) / 64] >> (bit_of(fluent) % 64) & 1 == 1)
                .collect();
            let known: Vec<(usize, bool)> = plan
                .deciding
                .iter()
                .map(|bit| layout.fluents.iter().position(|b| b == bit).expect("a fluent"))
                .map(|fluent| (fluent, holds[fluent]))
                .collect();
            let special = specialise(&circuit, &known);
            assert!(special.graph.gate_count() < circuit.graph.gate_count());
            stepper.load(state);
            let legal: Vec<u32> = (0..2).map(|role| nth_bit(stepper.legal(role), 0)).collect();
            let place = |role: usize| layout.moves[role].iter().position(|b| *b == legal[role]);
            let actions: Vec<usize> = (0..2).map(|role| place(role).expect("a move")).collect();
            assert_eq!(evaluate(&special, &holds, &actions), evaluate(&circuit, &holds, &actions));
        }
    }
}
