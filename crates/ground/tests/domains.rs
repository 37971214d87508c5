//! The domain analyses on the examples of the thesis, and on rules that are out of the ordinary.

use datalog::{GroundTerm, Limits};
use gdl::normal::Program;
use gdl::{Relation, Symbols};
use ground::{DomainGraph, Domains, Place};

/// The step counter of thesis §5.2.1 and §7.4.2.
const STEPS: &str = "(succ 0 1) (succ 1 2) (succ 2 3) (init (step 0))
    (<= (next (step ?x)) (true (step ?y)) (succ ?y ?x))";

fn program(text: &str) -> Program {
    let (rules, problems) = gdl::parse(text, &gdl::Limits::default());
    assert!(problems.is_empty(), "{problems:?}");
    gdl::normal::normalize(&rules).expect("small")
}

fn edges(graph: &DomainGraph, symbols: &Symbols, arrow: &str) -> Vec<String> {
    let text = |(a, b): (ground::Node, ground::Node)| {
        format!("{}{arrow}{}", a.to_text(symbols), b.to_text(symbols))
    };
    let mut edges: Vec<String> = graph.edges().map(text).collect();
    edges.sort();
    edges
}

fn function(program: &Program, name: &str, arity: u32, argument: u32) -> Place {
    Place::function(program.symbols.get(name).expect("known"), arity, argument)
}

fn relation(program: &Program, name: &str, arity: u32, argument: u32) -> Place {
    let name = program.symbols.get(name).expect("known");
    Place::relation(Relation { name, arity, parens: true }, argument)
}

fn shared(program: &Program, domains: &Domains, place: Place) -> Vec<String> {
    let mut texts: Vec<_> =
        domains.shared(place).iter().map(|e| e.to_text(&program.symbols)).collect();
    texts.sort();
    texts
}

fn improved(program: &Program, domains: &Domains, place: Place) -> Vec<String> {
    let mut texts: Vec<_> =
        domains.improved(place).iter().map(|e| e.to_text(&program.symbols)).collect();
    texts.sort();
    texts
}

#[test]
fn the_plain_graph_is_that_of_figure_5_1() {
    let program = program(STEPS);
    let domains = Domains::new(&program);
    // The edges init,1-true,1 and next,1-true,1 are implied there by step/1.
    assert_eq!(
        edges(domains.plain_graph(), &program.symbols, "-"),
        [
            "0/0-step,1",
            "0/0-succ,1",
            "1/0-succ,1",
            "1/0-succ,2",
            "2/0-succ,1",
            "2/0-succ,2",
            "3/0-succ,2",
            "init,1-true,1",
            "next,1-true,1",
            "step,1-succ,1",
            "step,1-succ,2",
            "step/1-init,1",
            "step/1-next,1",
            "step/1-true,1",
        ]
    );
    let numbers = ["0/0", "1/0", "2/0", "3/0"];
    assert_eq!(shared(&program, &domains, function(&program, "step", 1, 0)), numbers);
    assert_eq!(shared(&program, &domains, relation(&program, "succ", 2, 0)), numbers);
    assert_eq!(shared(&program, &domains, relation(&program, "succ", 2, 1)), numbers);
    for keyword in ["init", "next", "true"] {
        assert_eq!(shared(&program, &domains, relation(&program, keyword, 1, 0)), ["step/1"]);
    }
}

#[test]
fn the_improved_graph_is_that_of_figure_7_2() {
    let program = program(STEPS);
    let domains = Domains::new(&program);
    assert_eq!(
        edges(domains.improved_graph(), &program.symbols, " -> "),
        [
            "0/0 -> step,1",
            "0/0 -> succ,1",
            "1/0 -> succ,1",
            "1/0 -> succ,2",
            "2/0 -> succ,1",
            "2/0 -> succ,2",
            "3/0 -> succ,2",
            "init,1 -> true,1",
            "next,1 -> true,1",
            "step/1 -> init,1",
            "step/1 -> next,1",
            "succ,2 -> step,1",
        ]
    );
    assert_eq!(
        improved(&program, &domains, relation(&program, "succ", 2, 0)),
        ["0/0", "1/0", "2/0"]
    );
    assert_eq!(
        improved(&program, &domains, relation(&program, "succ", 2, 1)),
        ["1/0", "2/0", "3/0"]
    );
    let steps = improved(&program, &domains, function(&program, "step", 1, 0));
    assert_eq!(steps, ["0/0", "1/0", "2/0", "3/0"]);
    let fluents = domains.terms(relation(&program, "true", 1, 0), 100).expect("finite");
    let texts: Vec<_> = fluents.iter().map(|f| f.to_text(&program.symbols)).collect();
    assert_eq!(texts, ["(step 0)", "(step 1)", "(step 2)", "(step 3)"]);
}

#[test]
fn variables_link_and_shared_constants_do_not() {
    let program = program(
        "(succ 1 2) (init (step 1)) (init (tile 1)) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= (next (tile ?x)) (true (tile ?x)))",
    );
    let domains = Domains::new(&program);
    let (step, tile) = (function(&program, "step", 1, 0), function(&program, "tile", 1, 0));
    let succ = relation(&program, "succ", 2, 0);
    assert_eq!(domains.component_of(step), domains.component_of(tile));
    assert_eq!(domains.link_of(step), domains.link_of(succ));
    assert_ne!(domains.link_of(tile), domains.link_of(succ));
    assert_eq!(improved(&program, &domains, tile), ["1/0"]);
}

#[test]
fn endless_and_huge_domains_are_told_apart_from_small_ones() {
    let endless = program("(init (n zero)) (<= (next (n (s ?x))) (true (n ?x)))");
    let domains = Domains::new(&endless);
    assert_eq!(domains.terms(relation(&endless, "true", 1, 0), 1000), None);
    let digits: Vec<String> = (0..10).map(|d| format!("(digit {d})")).collect();
    let digits = digits.join(" ");
    let huge = program(&format!(
        "{digits} (<= (init (f ?a ?b ?c ?d)) (digit ?a) (digit ?b) (digit ?c) (digit ?d))"
    ));
    let domains = Domains::new(&huge);
    assert_eq!(domains.terms(relation(&huge, "init", 1, 0), 9_999), None);
    assert_eq!(domains.terms(relation(&huge, "init", 1, 0), 10_000).map(|t| t.len()), Some(10_000));
    let unknown = Place::function(gdl::keyword::ROLE, 7, 3);
    assert!(domains.improved(unknown).is_empty() && domains.shared(unknown).is_empty());
}

fn moves(text: &str) -> (Vec<String>, usize) {
    let program = program(text);
    let domains = Domains::new(&program);
    let found = ground::static_moves(&program, &domains, &Limits::default()).expect("finite");
    let text = |(role, action): &(GroundTerm, GroundTerm)| {
        format!("{} {}", role.to_text(&program.symbols), action.to_text(&program.symbols))
    };
    let product = domains.terms(relation(&program, "legal", 2, 1), 100_000).map_or(0, |t| t.len());
    (found.iter().map(text).collect(), product)
}

#[test]
fn static_legal_rules_keep_how_pieces_move() {
    // A piece steps to the right on a row of four cells: 3 moves, where the domain of step/2 has 9.
    let (found, product) = moves(
        "(role r) (role s) (succ 1 2) (succ 2 3) (succ 3 4) (init (at 1)) (init (turn r))
         (<= (legal r (step ?x ?y)) (true (at ?x)) (free ?y) (succ ?x ?y) (not (true (shut ?x))))
         (<= (free ?y) (succ ?x ?y) (not (true (at ?y))))
         (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
         (<= (next (at ?y)) (does r (step ?x ?y)))",
    );
    assert_eq!(found, ["r wait", "r (step 1 2)", "r (step 2 3)", "r (step 3 4)", "s wait"]);
    assert_eq!(product, 1 + 4 * 3);
}

#[test]
fn conditions_on_fluents_that_never_hold_allow_no_move() {
    let (found, _) = moves(
        "(role r) (init (at 1)) (<= (legal r (go ?x)) (true (gone ?x)))
         (<= (legal r (stay ?x)) (true (at ?x)) (distinct ?x 2)) (<= (legal r (odd ?x)) (true (at ?x)) (distinct ?x 1))",
    );
    assert_eq!(found, ["r (stay 1)"]);
}
