//! Effects beside what the machine does, and plans in layers.

use std::fmt::Write as _;

use game::playout::Random;
use game::{Budget, Game};

use super::*;

fn gates(rules: &str) -> Gates {
    let game = Game::from_text(rules).expect("valid");
    Gates::build(&game, &Budget::default()).expect("small")
}

/// The moves of a game from the beginning, whether they can be made side by side or not.
fn effects(gates: &Gates, state: &State) -> Effects {
    let model = Model::new(gates).expect("sound");
    let clock: Vec<bool> =
        gates.fluents().iter().map(|fluent| gates.clock().contains(*fluent)).collect();
    let holds: Vec<bool> = gates.fluents().iter().map(|fluent| state.contains(*fluent)).collect();
    Effects::new(&model, &clock, &holds, 100, &Deadline::never()).expect("time enough")
}

/// Whether one of two moves has to be kept apart from the other.
fn interfere(one: &Action, other: &Action) -> bool {
    let harms = |one: &Action, other: &Action| {
        one.effects.iter().any(|effect| {
            let (on, off) = effect.directions();
            (on && other.fears_true.contains(&effect.fluent))
                || (off && other.fears_false.contains(&effect.fluent))
        })
    };
    harms(one, other) || harms(other, one)
}

/// Plays at random and compares all that the effects say with what the machine does; gives how many pairs of moves
/// side by side were tried.
fn compare(name: &str, playouts: usize) -> usize {
    let gates = gates(library::find(name).expect("a library game").rules);
    let mut machine = gates.machine();
    let initial = machine.initial().expect("small");
    let own = gates.moves()[0].clone();
    let place = |action: &Move| own.iter().position(|known| known == action).expect("known");
    let mut random = Random::new(7);
    let mut pairs = 0;
    let effects = effects(&gates, &initial);
    for _ in 0..playouts {
        let mut state = initial.clone();
        for _ in 0..20 {
            let mut legal = Vec::new();
            machine.legal_moves(&state, Role(0), &mut legal).expect("small");
            if machine.is_terminal(&state).expect("small") || legal.is_empty() {
                break;
            }
            let pick = |random: &mut Random| legal[random.below(legal.len())];
            let (one, other) = (pick(&mut random), pick(&mut random));
            let next = machine.next(&state, &JointMove(vec![one])).expect("small");
            assert_next(&gates, &effects, &state, &next, place(&one), name);
            let (first, second) = (&effects.actions[place(&one)], &effects.actions[place(&other)]);
            if one != other && !interfere(first, second) {
                pairs += usize::from(swap(&mut machine, &state, (one, other), &next, name));
            }
            state = next;
        }
    }
    pairs
}

fn assert_next(
    gates: &Gates,
    effects: &Effects,
    state: &State,
    next: &State,
    place: usize,
    name: &str,
) {
    let mut inputs: Vec<bool> =
        gates.fluents().iter().map(|fluent| state.contains(*fluent)).collect();
    inputs.resize(inputs.len() + gates.moves()[0].len(), false);
    let values = effects.model.graph.evaluate(&inputs);
    let action = &effects.actions[place];
    let holds = |signal: Signal| values[signal.node()] != signal.is_complemented();
    assert!(holds(action.legal), "{name}");
    for (at, fluent) in gates.fluents().iter().enumerate() {
        if gates.clock().contains(*fluent) {
            continue;
        }
        let effect = action.effects.iter().find(|effect| effect.fluent as usize == at);
        let expected = effect.map_or(state.contains(*fluent), |effect| holds(effect.becomes));
        assert_eq!(next.contains(*fluent), expected, "{name}: {at}");
    }
}

/// Makes two moves in both orders; false if the match is over between them.
fn swap(
    machine: &mut dyn Machine,
    state: &State,
    (one, other): (Move, Move),
    next: &State,
    name: &str,
) -> bool {
    let after_other = machine.next(state, &JointMove(vec![other])).expect("small");
    if machine.is_terminal(next).expect("small")
        || machine.is_terminal(&after_other).expect("small")
    {
        return false;
    }
    let mut legal = Vec::new();
    machine.legal_moves(next, Role(0), &mut legal).expect("small");
    assert!(legal.contains(&other), "{name}");
    machine.legal_moves(&after_other, Role(0), &mut legal).expect("small");
    assert!(legal.contains(&one), "{name}");
    let both = machine.next(next, &JointMove(vec![other])).expect("small");
    assert_eq!(both, machine.next(&after_other, &JointMove(vec![one])).expect("small"), "{name}");
    true
}

#[test]
fn effects_are_those_of_the_machine_and_moves_side_by_side_change_places() {
    let mut side_by_side = 0;
    for name in
        ["sudoku_4x4", "lights_on", "blocks_world", "peg_solitaire", "asteroids_parallel", "hanoi"]
    {
        side_by_side += compare(name, 10);
    }
    side_by_side += compare("queens_8", 40);
    assert!(side_by_side > 50, "{side_by_side}");
}

fn look(rules: &str, least: u8) -> (Option<Vec<Move>>, Gates) {
    let gates = gates(rules);
    let state = gates.machine().initial().expect("small");
    let model = Model::new(&gates).expect("sound");
    let values: Vec<Option<u8>> = gates.program().goals[0]
        .iter()
        .map(|(term, _)| term.to_text(gates.game().universe().symbols()).parse().ok())
        .collect();
    let wish = Wish { values: &values, least, longest: 100 };
    let deadline = Deadline::never();
    let (memory, state, model) = (1 << 30, &state, &model);
    let groups = &[][..];
    let question =
        Question { gates: &gates, model, state, wish, groups, memory, deadline: &deadline };
    let found = Parallel::default().look(&question, 2000);
    (found, gates)
}

/// A square in which no digit is set beside itself in a row or column, with its diagonal filled in; cells are filled one
/// at a time.
fn square(size: usize, more: &str) -> String {
    let mut text = String::from("(role r)");
    for i in 1..=size {
        let _ = write!(text, " (n {i}) (init (cell {i} {i} {i}))");
        for j in (1..=size).filter(|j| *j != i) {
            let _ = write!(text, " (init (cell {i} {j} b))");
        }
    }
    text + "(<= (legal r (set ?i ?j ?d)) (true (cell ?i ?j b)) (n ?d) (not (row ?i ?d)) (not (col ?j ?d)))
        (<= (row ?i ?d) (true (cell ?i ?j ?d))) (<= (col ?j ?d) (true (cell ?i ?j ?d)))
        (<= (next (cell ?i ?j ?d)) (does r (set ?i ?j ?d)))
        (<= (next (cell ?i ?j ?d)) (true (cell ?i ?j ?d)) (not (set ?i ?j)))
        (<= (set ?i ?j) (does r (set ?i ?j ?d)))
        (<= open (true (cell ?i ?j b))) (<= going (legal r (set ?i ?j ?d))) (<= terminal (not going))
        (<= (goal r 100) (not open)) (<= (goal r 0) open)" + more
}

#[test]
fn a_square_of_digits_that_must_not_clash_is_filled() {
    let (found, _) = look(&square(7, ""), 100);
    assert_eq!(found.expect("a plan").len(), 42);
}

#[test]
fn a_reward_for_each_digit_makes_all_cells_count() {
    // The goal only says how many cells were filled, by a counter that every move advances.
    let mut counter = String::from("(init (filled 0))");
    for number in 0..56 {
        let _ = write!(counter, " (next {number} {})", number + 1);
    }
    let counter = counter.replace("(next ", "(then ");
    let rules = square(8, &counter)
        .replace("(goal r 100) (not open)", "(goal r 100) (true (filled 56))")
        .replace("(goal r 0) open", "(next (filled ?y)) (true (filled ?x)) (then ?x ?y)");
    assert_eq!(look(&rules, 100).0.expect("a plan").len(), 56);
}

#[test]
fn the_clock_says_how_many_moves_a_plan_needs() {
    // Without the counter nothing would have to be done; with it five of six lamps have to be lit.
    let rules = |end: usize| {
        format!(
            "(role r) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
            (lamp a) (lamp b) (lamp c) (lamp d) (lamp e) (lamp f)
            (<= (legal r (on ?l)) (lamp ?l) (not (true (lit ?l))))
            (<= (next (lit ?l)) (does r (on ?l))) (<= (next (lit ?l)) (true (lit ?l)))
            (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
            (<= terminal (true (step {end})))
            (<= (goal r 100) (not (true (lit c)))) (<= (goal r 0) (true (lit c)))"
        )
    };
    for end in [3, 5] {
        assert_eq!(look(&rules(end), 100).0.expect("a plan").len(), end);
    }
    assert_eq!(look(&rules(6), 100).0, None);
}

#[test]
fn what_a_move_needs_is_made_in_a_layer_before() {
    let (found, gates) = look(
        "(role r) (key a) (key b)
        (<= (legal r (take ?k)) (key ?k) (not (true (has ?k))))
        (<= (legal r (open ?k)) (true (has ?k)) (not (true (opened ?k))))
        (<= (legal r lose) (true (has a)))
        (<= (next (has ?k)) (does r (take ?k)))
        (<= (next (has b)) (true (has b))) (<= (next (has a)) (true (has a)) (not (does r lose)))
        (<= (next (opened ?k)) (does r (open ?k))) (<= (next (opened ?k)) (true (opened ?k)))
        (<= terminal (true (opened a)) (true (opened b)) (not (true (has a))))
        (<= (goal r 100) terminal) (<= (goal r 0) (not terminal))",
        100,
    );
    let universe = gates.game().universe();
    let names = found.expect("a plan");
    let names: Vec<String> =
        names.iter().map(|action| universe.move_entry(*action).text.to_string()).collect();
    let at = |name: &str| names.iter().position(|known| known == name).expect("made");
    assert!(at("(take a)") < at("(open a)") && at("(open a)") < at("lose"), "{names:?}");
    assert_eq!(names.len(), 5);
}

#[test]
fn games_in_which_all_moves_touch_the_same_are_left_to_others() {
    let gates = gates(library::find("eight_puzzle").expect("a library game").rules);
    let state = gates.machine().initial().expect("small");
    assert!(!effects(&gates, &state).is_parallel());
}
