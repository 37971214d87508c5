//! Pattern databases read off rules, and the beam on them.

use std::time::Duration;

use game::{
    Budget, Deadline, Foreseen, Foresight, Game, JointMove, Machine, Reasoner, Role, State,
};
use relax::{PatternBeam, Patterns};
use std::fmt::Write as _;

fn soon() -> Deadline {
    Deadline::within(Duration::from_secs(60))
}

/// Twelve pieces on a ring of as many places; one move turns the ring, the other turns four places of it round. A piece that is at home at
/// the end is worth 50 points, all of them 100.
fn ring(steps: u32) -> Game {
    let mut rules = String::from(
        "(role you) (init (step 0)) (legal you turn) (legal you swap) (legal you wait)
         (<= (next (at ?p ?y)) (does you turn) (true (at ?p ?x)) (after ?x ?y))
         (<= (next (at ?p ?y)) (does you swap) (true (at ?p ?x)) (mirror ?x ?y))
         (<= (next (at ?p ?x)) (does you swap) (true (at ?p ?x)) (outside ?x))
         (<= (next (at ?p ?x)) (does you wait) (true (at ?p ?x)))
         (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
         (<= astray (true (at ?p ?x)) (distinct ?p ?x))
         (<= home (not astray)) (<= terminal home)
         (<= some (true (at ?p ?p))) (<= (goal you 100) home)
         (<= (goal you 50) astray some) (<= (goal you 0) astray (not some))
         (mirror 0 3) (mirror 1 2) (mirror 2 1) (mirror 3 0)",
    );
    let mut places: Vec<usize> = (0..12).collect();
    for at in 0..14 {
        places.rotate_left(1 + at % 3);
        places[..4].reverse();
    }
    for (place, piece) in places.iter().enumerate() {
        let _ = write!(rules, "(init (at {piece} {place})) (after {place} {})", (place + 1) % 12);
        if place > 3 {
            let _ = write!(rules, "(outside {place})");
        }
    }
    (0..steps).for_each(|n| {
        let _ = write!(rules, "(succ {n} {})", n + 1);
    });
    let _ = write!(rules, "(<= terminal (true (step {steps})))");
    Game::from_text(&rules).expect("sound")
}

/// The reward at the end of a way; none if it does not lead to an end.
fn reward(machine: &mut dyn Machine, mut state: State, foreseen: &Foreseen) -> Option<u8> {
    let Foreseen::Way(way) = foreseen else { return None };
    for action in way {
        state = machine.next(&state, &JointMove(vec![*action])).ok()?;
    }
    let ended = machine.is_terminal(&state).ok()?;
    machine.goal(&state, Role(0)).ok()?.value().filter(|_| ended).map(|goal| goal.0)
}

#[test]
fn pieces_that_go_their_own_ways_are_brought_home_together() {
    let reasoner = Reasoner::build(&ring(80), &Budget::default());
    let gates = reasoner.gates().expect("a circuit");
    let patterns = Patterns::of(gates, 1 << 30, &soon()).expect("strands");
    let (count, states) = patterns.size();
    assert!((3..=4).contains(&count) && states > 3 * 10_000, "{count} patterns of {states}");
    let mut machine = gates.machine();
    let initial = machine.initial().expect("small");
    let found = PatternBeam::new(&patterns, gates, 1).look(&initial, 100, 1, &soon());
    assert_eq!(reward(&mut machine, initial, &found), Some(100));
}

#[test]
fn where_there_is_no_time_for_all_some_are_brought_home_and_the_rest_is_waited_for() {
    let reasoner = Reasoner::build(&ring(9), &Budget::default());
    let gates = reasoner.gates().expect("a circuit");
    let patterns = Patterns::of(gates, 1 << 30, &soon()).expect("strands");
    let mut machine = gates.machine();
    let initial = machine.initial().expect("small");
    let mut beam = PatternBeam::new(&patterns, gates, 1);
    let found = beam.look(&initial, 100, 1, &Deadline::within(Duration::from_millis(300)));
    assert_eq!(found, Foreseen::Open);
    let found = beam.look(&initial, 50, 1, &soon());
    assert!(matches!(&found, Foreseen::Way(way) if way.len() == 9), "{found:?}");
    assert_eq!(reward(&mut machine, initial, &found), Some(50));
}

#[test]
fn without_a_clock_a_look_ends_by_its_work_and_with_little_memory_it_is_narrow() {
    let reasoner = Reasoner::build(&ring(80), &Budget::default());
    let gates = reasoner.gates().expect("a circuit");
    let mut machine = gates.machine();
    let initial = machine.initial().expect("small");
    let found = |memory: usize, work: u64| {
        let patterns = Patterns::of(gates, memory, &soon())?;
        Some(PatternBeam::new(&patterns, gates, 1).look(&initial, 100, work, &Deadline::never()))
    };
    // There is no such reward, so only the work ends it.
    let patterns = Patterns::of(gates, 1 << 30, &soon()).expect("strands");
    let mut beam = PatternBeam::new(&patterns, gates, 1);
    assert_eq!(beam.look(&initial, 101, 1000, &Deadline::never()), Foreseen::Open);
    let wide = found(1 << 30, 1 << 18).expect("strands");
    assert_eq!(reward(&mut machine, initial.clone(), &wide), Some(100));
    assert_eq!(found(1 << 10, 1 << 18), None, "not even the patterns fit");
}

#[test]
fn games_whose_fluents_depend_on_each_other_have_no_patterns() {
    for name in ["queens_8", "sokoban", "peg_solitaire"] {
        let entry = library::find(name).expect("a library game");
        let game = Game::from_text(entry.rules).expect("sound");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let gates = reasoner.gates().expect("a circuit");
        assert!(Patterns::of(gates, 1 << 30, &soon()).is_none(), "{name}");
    }
}
