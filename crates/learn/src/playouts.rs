//! States judged by random play from them, in the lanes of the circuit.
//!
//! What happens behind the horizon of a heuristic search is not seen by it; random play goes on to the end, so thesis §10.2
//! proposes simulations inside such a search. Values are means over hundreds of playouts, which the lanes make together.
//!
//! A state has one value, however often and in which order states are asked about: tables of a search would contradict each other
//! otherwise. So random numbers begin anew for each state, with a seed made from the state.

use game::{Batch, Evaluator, State};

/// The most moves of a playout.
const LONGEST: u32 = 500;
/// Values kept: a search asks again for leaves that it looks at with another window.
const KEPT: usize = 1 << 12;

/// The evaluator.
pub struct Playouts {
    batch: Batch,
    times: usize,
    seed: u64,
    /// The last states that fell into each place, with their values.
    kept: Vec<Option<(State, Box<[f64]>)>>,
}

impl Playouts {
    /// Values from so many playouts each, in the lanes of `batch`.
    pub fn new(batch: Batch, times: usize, seed: u64) -> Self {
        Self { batch, times: times.max(1), seed, kept: vec![None; KEPT] }
    }

    /// The number of a state, for its seed and its place.
    fn number(&self, state: &State) -> u64 {
        state.iter().fold(self.seed, |number, fluent| {
            (number ^ u64::from(fluent.0)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
        })
    }

    fn play(&mut self, state: &State, seed: u64, values: &mut [f64]) {
        self.batch.reseed(seed);
        let starts = vec![state; self.times];
        let outcomes = self.batch.playouts(&starts, LONGEST);
        values.fill(0.0);
        let nothing = unfinished(values.len());
        for outcome in &outcomes {
            let ended = outcome.as_ref().filter(|outcome| outcome.terminal);
            for (role, value) in values.iter_mut().enumerate() {
                // As everywhere, an end without a reward counts 0.
                let goal =
                    ended.map(|ended| ended.goals[role].map_or(0.0, |goal| f64::from(goal.0)));
                *value += goal.unwrap_or(nothing);
            }
        }
        for value in values {
            *value /= outcomes.len() as f64;
        }
    }
}

/// What a playout without an end is worth, as in tree search: half to each of several roles, nothing to a single one.
fn unfinished(roles: usize) -> f64 {
    if roles == 1 { 0.0 } else { 50.0 }
}

impl Evaluator for Playouts {
    fn evaluate(&mut self, state: &State, values: &mut [f64]) {
        let number = self.number(state);
        let place = (number >> 32) as usize % KEPT;
        if let Some((_, known)) = self.kept[place].as_ref().filter(|(of, _)| of == state) {
            values.copy_from_slice(known);
            return;
        }
        self.play(state, number, values);
        self.kept[place] = Some((state.clone(), values.into()));
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Self::new(self.batch.clone(), self.times, self.seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Budget, Game, JointMove, Machine, Reasoner, Role};

    fn reasoner(name: &str) -> Reasoner {
        let entry = library::find(name).expect("a game of the library");
        let game = Game::from_text(entry.rules).expect("sound");
        Reasoner::build(&game, &Budget::default())
    }

    fn evaluator(reasoner: &Reasoner, times: usize) -> Playouts {
        Playouts::new(reasoner.batch(1).expect("small"), times, 7)
    }

    /// The state after so many joint moves, each the first or the last in turn.
    fn after(machine: &mut dyn Machine, moves: usize) -> State {
        let mut state = machine.initial().expect("small");
        for at in 0..moves {
            let joint = machine.game().role_ids().collect::<Vec<Role>>().into_iter().map(|role| {
                let mut legal = Vec::new();
                machine.legal_moves(&state, role, &mut legal).expect("small");
                legal.sort_unstable();
                if at % 2 == 0 { legal[0] } else { legal[legal.len() - 1] }
            });
            let joint = JointMove(joint.collect());
            state = machine.next(&state, &joint).expect("small");
        }
        state
    }

    /// What random play is worth to the first role, by all ways to go on.
    fn expected(machine: &mut dyn Machine, state: &State) -> f64 {
        if machine.is_terminal(state).expect("small") {
            let goal = machine.goal(state, Role(0)).expect("small").value();
            return goal.map_or(0.0, |goal| f64::from(goal.0));
        }
        let moves = machine.game().role_ids().collect::<Vec<Role>>().into_iter().map(|role| {
            let mut legal = Vec::new();
            machine.legal_moves(state, role, &mut legal).expect("small");
            legal
        });
        let moves: Vec<_> = moves.collect();
        let (mut sum, mut count) = (0.0, 0.0);
        for one in &moves[0] {
            for other in &moves[1] {
                let next = machine.next(state, &JointMove(vec![*one, *other])).expect("small");
                sum += expected(machine, &next);
                count += 1.0;
            }
        }
        sum / count
    }

    #[test]
    fn values_by_playouts_approach_what_random_play_is_worth() {
        let reasoner = reasoner("tictactoe");
        let mut machine = reasoner.machine();
        for moves in [3, 4, 5] {
            let state = after(&mut *machine, moves);
            let truth = expected(&mut *machine, &state);
            let mut values = [0.0; 2];
            evaluator(&reasoner, 1 << 15).evaluate(&state, &mut values);
            // A reward has a standard deviation of 50 at most, and the mean of 32,768 of them of 0.28.
            assert!((values[0] - truth).abs() < 1.4, "{moves}: {values:?}, {truth}");
            assert!((values[0] + values[1] - 100.0).abs() < 1e-6, "{values:?}");
        }
    }

    #[test]
    fn a_state_has_one_value_whatever_was_asked_before() {
        let reasoner = reasoner("connect_four_4x4");
        let mut machine = reasoner.machine();
        let states: Vec<State> = (1..6).map(|moves| after(&mut *machine, moves)).collect();
        let values_of = |evaluator: &mut dyn Evaluator, state: &State| {
            let mut values = [0.0; 2];
            evaluator.evaluate(state, &mut values);
            values
        };
        let mut first = evaluator(&reasoner, 100);
        let forward: Vec<_> = states.iter().map(|state| values_of(&mut first, state)).collect();
        let again: Vec<_> = states.iter().map(|state| values_of(&mut first, state)).collect();
        let mut other = first.another();
        let backward = states.iter().rev().map(|state| values_of(&mut *other, state));
        let mut backward: Vec<_> = backward.collect();
        backward.reverse();
        assert!(forward == again && forward == backward, "{forward:?} {again:?} {backward:?}");
        let differ = |pair: &[[f64; 2]]| (pair[0][0] - pair[1][0]).abs() > 1.0;
        assert!(forward.windows(2).any(differ), "{forward:?}");
    }

    #[test]
    fn ends_are_worth_their_rewards_and_play_without_an_end_is_worth_half() {
        let tictactoe = reasoner("tictactoe");
        let mut machine = tictactoe.machine();
        let mut state = machine.initial().expect("small");
        let mut moves = 0;
        while !machine.is_terminal(&state).expect("small") {
            moves += 1;
            state = after(&mut *machine, moves);
        }
        let goal = |role| machine.goal(&state, Role(role)).expect("small").value();
        let goals = [0, 1].map(goal).map(|goal| goal.map(|goal| f64::from(goal.0)));
        let mut values = [0.0; 2];
        evaluator(&tictactoe, 64).evaluate(&state, &mut values);
        assert_eq!(goals, values.map(Some));
        let endless = Game::from_text(
            "(role a) (role b) (init p) (legal a wait) (legal b wait) (<= (next p) (true p))
             (<= terminal (not (true p))) (<= (goal a 100) (true p)) (<= (goal b 0) (true p))",
        );
        let endless = Reasoner::build(&endless.expect("sound"), &Budget::default());
        let initial = endless.machine().initial().expect("small");
        evaluator(&endless, 64).evaluate(&initial, &mut values);
        assert_eq!(values.map(|value| value.round() as i32), [50; 2]);
    }
}
