//! Fluents that only tell the time: what they become depends on no move, so that they are functions of the
//! number of steps made. Step counters are such fluents; so is who is in control where roles take turns.
//!
//! Found on the ground rules: whatever is derived with the help of `does` is set by moves, and so is a
//! fluent whose `next` is, and whatever is derived from it. The rest is clock. Where there are no ground
//! rules, it is guessed from random play.

use ground::{AtomId, AtomKind, GroundProgram};

use crate::machine::{Machine, ReasonError};
use crate::playout::{Random, random_joint_move};
use crate::state::State;

/// For each fluent of the program whether it only tells the time.
pub(crate) fn clock(program: &GroundProgram) -> Vec<bool> {
    let mut moved = Moved::new(program);
    for atom in program.atoms() {
        if matches!(program.kinds[atom.index()], AtomKind::Does { .. }) {
            moved.mark(atom);
        }
    }
    moved.spread();
    let is_clock = |fluent: u32| !moved.fluents[fluent as usize];
    (0..program.fluents.len() as u32).map(is_clock).collect()
}

/// What depends on moves.
struct Moved {
    /// For each atom the atoms that are derived with it.
    users: Vec<Vec<AtomId>>,
    /// For each atom the fluent that it is the `next` of.
    becomes: Vec<Option<u32>>,
    /// For each fluent its atom, if rules ask for it.
    holds: Vec<Option<AtomId>>,
    atoms: Vec<bool>,
    fluents: Vec<bool>,
    waiting: Vec<AtomId>,
}

impl Moved {
    fn new(program: &GroundProgram) -> Self {
        let count = program.kinds.len();
        let mut users = vec![Vec::new(); count];
        let mut holds = vec![None; program.fluents.len()];
        let mut becomes = vec![None; count];
        for atom in program.atoms() {
            if let AtomKind::Fluent(fluent) = program.kinds[atom.index()] {
                holds[fluent as usize] = Some(atom);
            }
            for literal in program.rules_of(atom).flatten() {
                users[literal.atom.index()].push(atom);
            }
        }
        for (fluent, next) in (0..).zip(&program.next) {
            if let Some(next) = next {
                becomes[next.index()] = Some(fluent);
            }
        }
        let fluents = vec![false; program.fluents.len()];
        Self { users, becomes, holds, atoms: vec![false; count], fluents, waiting: Vec::new() }
    }

    fn mark(&mut self, atom: AtomId) {
        if !std::mem::replace(&mut self.atoms[atom.index()], true) {
            self.waiting.push(atom);
        }
    }

    fn spread(&mut self) {
        while let Some(atom) = self.waiting.pop() {
            for user in std::mem::take(&mut self.users[atom.index()]) {
                self.mark(user);
            }
            if let Some(fluent) = self.becomes[atom.index()] {
                self.fluents[fluent as usize] = true;
                if let Some(holds) = self.holds[fluent as usize] {
                    self.mark(holds);
                }
            }
        }
    }
}

/// Playouts compared with each other where nothing is proved.
const PLAYOUTS: usize = 24;
/// The most moves of each.
const LENGTH: usize = 300;

/// The fluents that only tell the time: those that the machine knows of, or, where it knows none, a guess.
///
/// A guess takes a fluent for a part of the clock if in random play it held at each time in all playouts or in none.
/// Ignoring such fluents makes searches fast; plans are made of moves that were really made, so a wrong guess costs time
/// and not truth.
pub fn clock_fluents(
    machine: &mut dyn Machine,
    state: &State,
    seed: u64,
) -> Result<State, ReasonError> {
    match machine.clock() {
        Some(clock) => Ok(clock),
        None => guessed(machine, state, seed),
    }
}

/// The fluents of the clock that do not come back: counters, and not whose turn it is. Whether one comes back is seen in
/// random play.
pub fn counting_fluents(
    machine: &mut dyn Machine,
    state: &State,
    seed: u64,
) -> Result<State, ReasonError> {
    let clock = clock_fluents(machine, state, seed)?;
    let mut random = Random::new(seed);
    let (mut once, mut twice) = (State::new(), State::new());
    let mut state = state.clone();
    for _ in 0..LENGTH {
        twice = combine(&twice, &combine(&once, &state, |a, b| a & b), |a, b| a | b);
        once = combine(&once, &state, |a, b| a | b);
        if machine.is_terminal(&state)? {
            break;
        }
        let Some(joint) = random_joint_move(machine, &state, &mut random)? else { break };
        state = machine.next(&state, &joint)?;
    }
    Ok(combine(&clock, &twice, |a, b| a & !b))
}

fn guessed(machine: &mut dyn Machine, state: &State, seed: u64) -> Result<State, ReasonError> {
    let mut random = Random::new(seed);
    let mut always: Vec<State> = Vec::new();
    let mut ever: Vec<State> = Vec::new();
    let mut playouts: Vec<usize> = Vec::new();
    for _ in 0..PLAYOUTS {
        let mut state = state.clone();
        for time in 0..LENGTH {
            if time == always.len() {
                always.push(state.clone());
                ever.push(state.clone());
                playouts.push(1);
            } else {
                playouts[time] += 1;
                always[time] = combine(&always[time], &state, |a, b| a & b);
                ever[time] = combine(&ever[time], &state, |a, b| a | b);
            }
            if machine.is_terminal(&state)? {
                break;
            }
            let Some(joint) = random_joint_move(machine, &state, &mut random)? else { break };
            state = machine.next(&state, &joint)?;
        }
    }
    // The last playout would agree with itself.
    let compared = playouts.iter().take_while(|playouts| **playouts >= PLAYOUTS / 2).count();
    always.truncate(compared);
    ever.truncate(compared);
    let varying = ever.iter().zip(&always).fold(State::new(), |sum, (ever, always)| {
        combine(&sum, &combine(ever, always, |a, b| a & !b), |a, b| a | b)
    });
    let seen = ever.iter().fold(State::new(), |sum, now| combine(&sum, now, |a, b| a | b));
    let constant = always.iter().fold(seen.clone(), |all, now| combine(&all, now, |a, b| a & b));
    // What holds at all times tells nothing, but leaving it out changes nothing either.
    Ok(combine(&combine(&seen, &varying, |a, b| a & !b), &constant, |a, b| a & !b))
}

fn combine(one: &State, other: &State, with: impl Fn(u64, u64) -> u64) -> State {
    let (one, other) = (one.words(), other.words());
    let word = |words: &[u64], at: usize| words.get(at).copied().unwrap_or(0);
    State::from_words(
        (0..one.len().max(other.len())).map(|at| with(word(one, at), word(other, at))),
    )
}

#[cfg(test)]
mod tests {
    use super::counting_fluents;
    use crate::{Budget, Game, Gates, Machine};

    #[test]
    fn counters_and_turns_tell_the_time_and_what_moves_set_does_not() {
        let game = Game::from_text(
            "(role a) (role b)
             (init (step 0)) (init (control a)) (init (last none))
             (succ 0 1) (succ 1 2) (succ 2 3)
             (<= (legal ?r go) (true (control ?r)))
             (<= (legal ?r stay) (true (control ?r)))
             (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
             (<= (next (control a)) (true (control b)))
             (<= (next (control b)) (true (control a)))
             (<= (next (last ?m)) (does ?r ?m) (true (control ?r)))
             (<= (next went) (true (last go)))
             (<= terminal (true (step 3)))
             (<= (goal ?r 100) (role ?r) (true went))
             (<= (goal ?r 0) (role ?r) (not (true went)))",
        )
        .expect("sound rules");
        let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
        let tells = |text: &str| {
            let term = game.universe().parse(text).expect("a term");
            gates.clock().contains(game.universe().fluent(&term))
        };
        for (fluent, expected) in [
            ("(step 2)", true),
            ("(control b)", true),
            ("(last go)", false),
            ("(last none)", true),
            ("went", false),
        ] {
            assert_eq!(tells(fluent), expected, "{fluent}");
        }
    }

    #[test]
    fn counters_do_not_come_back_and_turns_do_whether_proved_or_guessed() {
        let game = Game::from_text(
            "(role a) (role b) (init (step 0)) (init (control a)) (init (at 0))
             (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
             (legal a go) (legal a stay) (legal b noop)
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
             (<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
             (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n) (does a go))
             (<= (next (at ?n)) (true (at ?n)) (does a stay))
             (<= terminal (true (step 6))) (goal a 0) (goal b 0)",
        )
        .expect("sound rules");
        let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
        let machines: [Box<dyn Machine>; 2] =
            [Box::new(gates.machine()), Box::new(game.interpreter())];
        for mut machine in machines {
            let initial = machine.initial().expect("an initial state");
            let counting = counting_fluents(&mut *machine, &initial, 1).expect("an answer");
            let texts = game.state_texts(&counting);
            assert!(texts.len() > 4, "{texts:?}");
            assert!(texts.iter().all(|text| text.contains("step")), "{texts:?}");
        }
    }
}
