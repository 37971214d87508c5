//! Orders and successor relations by what they mean.

use game::{Budget, Deadline, Game, Reasoner};
use structure::{NoProver, Order, OrderKind, Settings, Structures};

/// A playable game around some static relations.
fn orders(text: &str) -> (Game, Vec<std::sync::Arc<Order>>) {
    let rest =
        "(role you) (init (at start)) (legal you wait) (<= (next (at start)) (true (at start)))
        (<= terminal (true (at end))) (<= (goal you 0) (true (at start)))";
    let (rules, problems) = gdl::parse(&format!("{text} {rest}"), &gdl::Limits::default());
    assert!(problems.is_empty(), "{problems:?}");
    let game = Game::new(rules).expect("playable");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let found =
        Structures::find(&reasoner, &Settings::default(), &Deadline::never(), &mut NoProver);
    (game, found.orders)
}

/// Names with kinds.
fn found(text: &str) -> Vec<String> {
    let (game, orders) = orders(text);
    let symbols = game.universe().symbols();
    orders.iter().map(|o| format!("{} {}", symbols.name(o.relation.name), o.describe())).collect()
}

const SUCC: &str = "(succ 1 2) (succ 2 3) (succ 3 4)";

#[test]
fn orders_are_found_however_they_are_written() {
    let ways = [
        "(<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))",
        "(<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (less ?x ?y) (less ?y ?z))",
        "(less 1 2) (less 1 3) (less 1 4) (less 2 3) (less 2 4) (less 3 4)",
        "(num 1) (num 2) (num 3) (num 4) (<= (more ?x ?y) (succ ?y ?x)) (<= (more ?x ?y) (more ?x ?z) (succ ?y ?z))
         (<= (less ?x ?y) (num ?x) (num ?y) (not (more ?x ?y)) (distinct ?x ?y))",
    ];
    for way in ways {
        let all = found(&format!("{SUCC} {way}"));
        assert!(all.contains(&"succ successor relation".to_owned()), "{way}: {all:?}");
        assert!(all.contains(&"less strict total order".to_owned()), "{way}: {all:?}");
    }
}

#[test]
fn orders_with_equality_have_the_same_distances_as_strict_ones() {
    let (_, all) = orders(
        "(n 1) (n 2) (n 3) (n 4) (succ 1 2) (succ 2 3) (succ 3 4) (<= (upto ?x ?x) (n ?x))
         (<= (upto ?x ?z) (upto ?x ?y) (succ ?y ?z))",
    );
    let upto = all.iter().find(|order| order.kind == OrderKind::NonStrict).expect("an order");
    assert!(upto.total);
    assert_eq!((upto.steps(0, 3), upto.steps(3, 0), upto.distance(3, 0)), (Some(3), None, Some(3)));
}

#[test]
fn partial_orders_have_distances_along_the_hasse_diagram() {
    let (game, all) = orders(
        "(below a b) (below a c) (below b d) (below c d) (below d e)
         (<= (under ?x ?y) (below ?x ?y)) (<= (under ?x ?z) (below ?x ?y) (under ?y ?z))",
    );
    let [under] = &all[..] else { panic!("{all:?}") };
    assert_eq!((under.kind, under.total), (OrderKind::Strict, false));
    let at = |name: &str| under.position(&game.universe().parse(name).expect("known")).expect("in");
    assert_eq!(under.steps(at("a"), at("e")), Some(3));
    assert_eq!(under.distance(at("b"), at("c")), None);
    assert_eq!(under.distance(at("e"), at("b")), Some(2));
}

#[test]
fn what_orders_nothing_is_not_an_order() {
    assert_eq!(found("(beats a b) (beats b a)"), Vec::<String>::new());
    assert_eq!(
        found("(colour red r) (colour blue b) (<= (likes ?x ?x) (colour ?x ?y))"),
        Vec::<String>::new()
    );
    assert_eq!(found("(edge 1 2) (edge 2 3) (edge 1 4) (edge 4 3)"), Vec::<String>::new());
    // The rules of `here` depend on the state.
    assert_eq!(found("(<= (here ?x ?y) (true (at ?x)) (true (at ?y)))"), Vec::<String>::new());
}

#[test]
fn rings_are_successor_relations_with_the_shorter_way_round() {
    let (_, all) = orders("(turn n e) (turn e s) (turn s w) (turn w n)");
    let [turn] = &all[..] else { panic!("{all:?}") };
    assert!(turn.cyclic && turn.kind == OrderKind::Successor);
    let distances: Vec<_> = (0..4).map(|to| turn.distance(0, to)).collect();
    assert_eq!(distances, [Some(0), Some(1), Some(2), Some(1)]);
}

#[test]
fn endless_and_huge_relations_are_noted_and_left_out() {
    let text = "(n zero) (<= (n (s ?x)) (n ?x)) (<= (big ?x ?y) (n ?x) (n ?y)) (succ 1 2) (succ 2 3)
        (role you) (init (at 1)) (<= (legal you (go ?y)) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?y)) (does you (go ?y))) (<= terminal (true (at 3))) (<= (goal you 100) (true (at 3)))";
    let (rules, _) = gdl::parse(text, &gdl::Limits::default());
    let game = Game::new(rules).expect("playable");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let found =
        Structures::find(&reasoner, &Settings::default(), &Deadline::never(), &mut NoProver);
    assert_eq!(found.orders.len(), 1);
    assert_eq!(found.quantities.len(), 1);
    assert!(found.notes.iter().any(|note| note.contains("big")), "{:?}", found.notes);
}
