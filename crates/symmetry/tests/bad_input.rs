//! Large groups, large graphs, and rules that hardly make a game: bounded and defined.

use std::fmt::Write as _;
use std::time::Duration;

use game::{Budget, Canonicalizer, Deadline, Game, Gates, Machine, State};
use symmetry::{Options, Part, Size, detect};

/// Objects that can be switched on, all alike.
fn objects(count: usize) -> String {
    let mut text = "(role r)
        (<= (legal r (switch ?x)) (object ?x) (not (true (on ?x))))
        (<= (legal r rest) (true (on ?x)))
        (<= (next (on ?x)) (true (on ?x)))
        (<= (next (on ?x)) (does r (switch ?x)))
        (<= off (object ?x) (not (true (on ?x))))
        (<= terminal (not off))
        (<= (goal r 100) (not off)) (<= (goal r 0) off)"
        .to_owned();
    for number in 0..count {
        let _ = write!(text, "(object thing{number})");
    }
    text
}

fn detected(text: &str, options: &Options) -> (Game, Gates, symmetry::Symmetries) {
    let game = Game::from_text(text).expect("valid");
    let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
    let symmetries = detect(&game, Some(&gates), options);
    (game, gates, symmetries)
}

#[test]
fn twenty_interchangeable_objects_are_counted_and_used_without_listing_the_group() {
    let (game, _, symmetries) = detected(&objects(20), &Options::default());
    assert_eq!(symmetries.order().to_string(), "2432902008176640000");
    assert!(symmetries.is_complete());
    let table = symmetries.representatives(Size::default()).expect("symmetric");
    assert!(!table.is_exact());
    // All states with as many objects on have one representative.
    let universe = game.universe();
    let fluent =
        |n: usize| universe.fluent(&universe.parse(&format!("(on thing{n})")).expect("term"));
    let some = |picked: &[usize]| picked.iter().map(|n| fluent(*n)).collect::<State>();
    let (one, symmetry) = table.canonical(&some(&[3, 7, 19]));
    let (other, _) = table.canonical(&some(&[0, 11, 12]));
    assert_eq!(one, other);
    let role = game::Role(0);
    let action = universe.action(&universe.parse("(switch thing7)").expect("term"));
    let (_, image) = table.image(symmetry, role, action);
    assert_eq!(table.origin(symmetry, role, image), (role, action));
    let mut machine = game.interpreter();
    let mut moves = Vec::new();
    machine.legal_moves(&some(&[]), role, &mut moves).expect("legal");
    table.distinct(&some(&[]), role, &mut moves);
    assert_eq!(moves.len(), 1);
}

#[test]
fn hundreds_of_interchangeable_objects_end_within_the_time() {
    let game = Game::from_text(&objects(300)).expect("valid");
    let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
    let begin = std::time::Instant::now();
    let options =
        Options { deadline: Deadline::within(Duration::from_secs(4)), ..Options::default() };
    let symmetries = detect(&game, Some(&gates), &options);
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    // Whether it was finished is said; what is known is right in any case.
    assert!(!symmetries.is_complete() || symmetries.orbits()[0].len() == 300);
    assert!(symmetries.refuted().is_empty());
    let _ = symmetries.representatives(Size::default());
}

#[test]
fn graphs_beyond_the_bounds_give_a_partial_result_that_says_so() {
    let options = Options { most_vertices: 100, ..Options::default() };
    let (_, _, symmetries) = detected(&objects(200), &options);
    assert!(!symmetries.is_complete() && symmetries.order().is_trivial());
    assert!(matches!(symmetries.ground_part(), Part::Stopped { .. }));
    let late = Options { deadline: Deadline::within(Duration::ZERO), ..Options::default() };
    assert!(!detected(&objects(20), &late).2.is_complete());
}

#[test]
fn moves_that_mean_the_same_are_interchangeable_in_every_state() {
    let (game, _, symmetries) = detected(
        "(role r) (init (n 0)) (way a) (way b) (way c) (step 0 1) (step 1 2)
         (<= (legal r (go ?w)) (way ?w))
         (<= (next (n ?y)) (true (n ?x)) (step ?x ?y))
         (<= terminal (true (n 2))) (goal r 50)",
        &Options::default(),
    );
    assert_eq!(symmetries.state_order().value(), Some(6));
    assert_eq!(symmetries.states_order().value(), Some(1));
    let table = symmetries.representatives(Size::default()).expect("something to leave out");
    let mut machine = game.interpreter();
    let initial = machine.initial().expect("starts");
    let mut moves = Vec::new();
    machine.legal_moves(&initial, game::Role(0), &mut moves).expect("legal");
    table.distinct(&initial, game::Role(0), &mut moves);
    assert_eq!(moves.len(), 1);
    assert_eq!(table.canonical(&initial).0, initial);
}

#[test]
fn odd_rule_sheets_have_defined_answers() {
    for text in [
        "(role r)",
        "(role r) (role q) (role p)",
        "(role r) (legal r go) terminal",
        "(role r) (<= (legal r ?x) (thing ?x)) (thing a) (thing b) (<= (next ?x) (does r ?x))",
        "(role r) (init a) (init b) (init c) (legal r stay)",
        "(role random) (role r) (legal r a) (legal random b) (<= (next (p ?x)) (does ?r ?x))",
        "(role r) (init (p)) (init p) (legal r (q)) (legal r q) (<= (next (p)) (does r (q)))",
    ] {
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        let game = Game::new(rules).expect("has a role");
        let gates = Gates::build(&game, &Budget::default()).ok();
        let symmetries = detect(&game, gates.as_ref(), &Options::default());
        assert!(symmetries.refuted().is_empty(), "{text}: {:?}", symmetries.refuted());
        let _ = symmetries.representatives(Size::default());
    }
}

#[test]
fn a_symmetry_on_paper_that_no_play_shows_is_not_used_on_states() {
    // The left side can never be reached, so its mirror image on the right has no partner in play.
    let (_, _, symmetries) = detected(
        "(role r) (init (at right 0)) (next_to 0 1) (next_to 1 2) (side left) (side right)
         (<= (legal r step) (true (at ?s ?x)) (next_to ?x ?y))
         (<= (legal r stay) (true (at ?s ?x)))
         (<= (next (at ?s ?y)) (does r step) (true (at ?s ?x)) (next_to ?x ?y) (side ?s))
         (<= (next (at ?s ?x)) (does r stay) (true (at ?s ?x)))
         (<= terminal (true (at ?s 2))) (<= (goal r 100) (true (at ?s 2)))",
        &Options::default(),
    );
    assert_eq!(symmetries.on_paper().and_then(symmetry::Order::value), Some(2));
    if let Some(table) = symmetries.representatives(Size::default()) {
        let mut machine = symmetries.game().interpreter();
        let initial = machine.initial().expect("starts");
        assert_eq!(table.canonical(&initial).0, initial);
    }
}
