//! Fluent graphs and distances: the examples of thesis §6, and Theorem 6.1 by search and by replay.

use evaluate::{Distances, FluentGraph, Selection};
use game::playout::{Random, random_joint_move};
use game::{Budget, Deadline, FluentId, Game, JointMove, Machine, Move, State};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const SELECTIONS: [Selection; 3] = [Selection::Similar, Selection::Fewest, Selection::Latest];

struct Known {
    game: Game,
    fluents: Vec<FluentId>,
    graph: FluentGraph,
    distances: Distances,
    /// The same by the other selections.
    others: Vec<Distances>,
}

impl Known {
    fn new(game: Game, selections: &[Selection]) -> Option<Self> {
        let deadline = Some(Instant::now() + Duration::from_secs(20));
        let program = game.ground(&Budget { deadline, ..Budget::default() }).ok()?;
        let fluents: Vec<FluentId> =
            program.fluents.iter().map(|term| game.universe().fluent(term)).collect();
        let deadline = Deadline::within(Duration::from_secs(20));
        let build = |selection: &Selection| FluentGraph::build(&program, *selection, &deadline);
        let rows = |graph: &FluentGraph| {
            Distances::build(graph, &fluents, None, 1 << 28, &Deadline::never())
        };
        let graph = build(&selections[0]);
        let distances = rows(&graph);
        let others = selections[1..].iter().map(|selection| rows(&build(selection))).collect();
        Some(Self { game, fluents, graph, distances, others })
    }

    fn of(text: &str, selection: Selection) -> Self {
        let game = Game::from_text(text).expect("a sound sheet");
        Self::new(game, &[selection]).expect("small")
    }

    fn library(name: &str, selection: Selection) -> Self {
        Self::of(library::find(name).expect("in the library").rules, selection)
    }

    fn fluent(&self, text: &str) -> FluentId {
        self.game.universe().fluent(&self.game.universe().parse(text).expect("a term"))
    }

    fn place(&self, text: &str) -> u32 {
        self.distances.place(self.fluent(text)).expect("a fluent of the game") as u32
    }

    fn state(&self, texts: &[&str]) -> State {
        texts.iter().map(|text| self.fluent(text)).collect()
    }

    /// The texts of the nodes from which edges lead to a fluent.
    fn sources(&self, text: &str) -> Vec<String> {
        let text_of = |node: &u32| match self.fluents.get(*node as usize) {
            Some(fluent) => self.game.universe().fluent_entry(*fluent).text.to_string(),
            None => "nothing".to_owned(),
        };
        self.graph.sources(self.place(text)).iter().map(text_of).collect()
    }

    fn between(&self, from: &str, to: &str) -> Option<u32> {
        self.distances.between(self.place(from), self.place(to))
    }

    fn all(&self) -> impl Iterator<Item = &Distances> {
        std::iter::once(&self.distances).chain(&self.others)
    }

    fn steps_from(&self, state: &State, fluent: &str) -> Option<u32> {
        self.distances.steps_from(state, self.fluent(fluent))
    }
}

/// Thesis Figure 6.1.
#[test]
fn the_fluent_graph_of_tictactoe_is_that_of_figure_6_1() {
    let known = Known::library("tictactoe", Selection::Similar);
    let sorted = |text: &str| known.sources(text).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(sorted("(cell c 1 blank)"), BTreeSet::from(["(cell c 1 blank)".to_owned()]));
    for mark in ["x", "o"] {
        let own = format!("(cell c 1 {mark})");
        assert_eq!(sorted(&own), BTreeSet::from(["(cell c 1 blank)".to_owned(), own.clone()]));
    }
}

/// Thesis §6.4.1, Figure 6.4: the row is open in one state and blocked in the other.
#[test]
fn a_blocked_row_is_infinitely_far_and_an_open_one_takes_a_step() {
    let known = Known::library("tictactoe", Selection::Similar);
    let row = ["(cell a 1 x)", "(cell b 1 x)", "(control xplayer)"];
    let open = known.state(&[&row[..], &["(cell c 1 blank)"]].concat());
    let blocked = known.state(&[&row[..], &["(cell c 1 o)"]].concat());
    let goal = "(cell c 1 x)";
    assert_eq!(known.steps_from(&open, goal), Some(1));
    assert_eq!(known.steps_from(&blocked, goal), None);
    // Δmax is 1, so δ is 1/(1+1), as in the thesis.
    let delta = |state: &State| known.distances.normalized(state, known.fluent(goal));
    assert!((delta(&open) - 0.5).abs() < 1e-12);
    assert!(delta(&blocked).is_infinite());
}

/// Thesis Figure 6.6 and §6.4.2.
#[test]
fn the_fluent_graph_of_breakthrough_knows_how_pawns_move() {
    let known = Known::library("breakthrough", Selection::Similar);
    let sources: BTreeSet<String> = known.sources("(cellholds 3 4 black)").into_iter().collect();
    let expected = ["3 4", "2 5", "3 5", "4 5"].map(|at| format!("(cellholds {at} black)"));
    assert_eq!(sources, BTreeSet::from(expected));
    assert_eq!(known.between("(cellholds 3 2 black)", "(cellholds 1 1 black)"), None);
    assert_eq!(known.between("(cellholds 2 2 black)", "(cellholds 1 1 black)"), Some(1));
    let machine = &mut known.game.interpreter();
    let initial = machine.initial().expect("an initial state");
    for x in 1..=8 {
        let goal = format!("(cellholds {x} 1 black)");
        assert_eq!(known.steps_from(&initial, &goal), Some(6), "{goal}");
    }
}

/// Pieces of thesis §6.1 that share a board: distances follow the piece, not the board.
const PIECES: &str = "
(role you) (init (at knight 1 1)) (init (at king 1 1)) (init (at bishop 1 1)) (init (at pawn 1 2))
(init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(<= (beside ?a ?b) (succ ?a ?b)) (<= (beside ?a ?b) (succ ?b ?a))
(<= (apart ?a ?c) (succ ?a ?b) (succ ?b ?c)) (<= (apart ?a ?c) (succ ?b ?a) (succ ?c ?b))
(index 1) (index 8) (<= (index ?a) (succ ?a ?b))
(<= (same ?a ?a) (index ?a))
(<= (reach king ?a ?b ?c ?d) (beside ?a ?c) (same ?b ?d))
(<= (reach king ?a ?b ?c ?d) (same ?a ?c) (beside ?b ?d))
(<= (reach king ?a ?b ?c ?d) (beside ?a ?c) (beside ?b ?d))
(<= (reach bishop ?a ?b ?c ?d) (beside ?a ?c) (beside ?b ?d))
(<= (reach knight ?a ?b ?c ?d) (beside ?a ?c) (apart ?b ?d))
(<= (reach knight ?a ?b ?c ?d) (apart ?a ?c) (beside ?b ?d))
(<= (reach pawn ?a ?b ?c ?d) (same ?a ?c) (succ ?b ?d))
(<= (legal you (move ?p ?a ?b ?c ?d)) (true (at ?p ?a ?b)) (reach ?p ?a ?b ?c ?d))
(<= (next (at ?p ?c ?d)) (does you (move ?p ?a ?b ?c ?d)))
(<= (next (at ?p ?a ?b)) (true (at ?p ?a ?b)) (does you (move ?q ?c ?d ?e ?f)) (distinct ?p ?q))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 8))) (<= (goal you 100) (true (at knight 4 8)))
(<= (goal you 0) (not (true (at knight 4 8))))";

#[test]
fn knight_king_bishop_and_pawn_have_distances_of_their_own() {
    let known = Known::of(PIECES, Selection::Similar);
    let steps = |piece: &str, from: &str, to: &str| {
        known.between(&format!("(at {piece} {from})"), &format!("(at {piece} {to})"))
    };
    assert_eq!(steps("king", "4 4", "5 4"), Some(1));
    assert_eq!(steps("king", "1 1", "4 8"), Some(7));
    assert_eq!(steps("knight", "4 4", "5 4"), Some(3));
    assert_eq!(steps("knight", "1 1", "2 3"), Some(1));
    assert_eq!(steps("bishop", "4 4", "5 5"), Some(1));
    // The other colour is so far away that it is no fluent of the game at all.
    assert!(known.distances.place(known.fluent("(at bishop 1 2)")).is_none());
    assert_eq!(steps("pawn", "1 2", "1 5"), Some(3));
    assert_eq!(steps("pawn", "1 5", "1 2"), None);
}

/// A fluent with no precondition hangs on ∅, one that nothing derives on nothing (thesis §6.2.1); recursion
/// inside a state is looked through.
#[test]
fn fluents_without_preconditions_and_recursive_conditions_are_told_apart() {
    let known = Known::of(
        "(role r) (init (at a)) (init lost) (edge a b) (edge b c) (edge c d)
         (<= (reach ?x) (true (at ?x))) (<= (reach ?y) (reach ?x) (edge ?x ?y))
         (legal r stay)
         (<= (next always) (distinct a b))
         (<= (next (at ?x)) (true (at ?x)))
         (<= (next (seen ?x)) (reach ?x))
         (<= terminal (true (seen d))) (<= (goal r 100) (true (seen d)))",
        Selection::Similar,
    );
    assert_eq!(known.sources("always"), ["nothing"]);
    assert_eq!(known.sources("lost"), Vec::<String>::new());
    assert_eq!(known.sources("(seen d)"), ["(at a)"]);
    let empty = State::new();
    assert_eq!(known.steps_from(&empty, "always"), Some(1));
    assert_eq!(known.steps_from(&empty, "lost"), None);
    assert_eq!(known.steps_from(&empty, "(seen d)"), None);
}

/// A graph towards some fluents has the same distances to them as one of all fluents.
#[test]
fn a_part_of_the_graph_is_enough_for_the_distances_to_some_fluents() {
    for name in ["breakthrough", "connect_four", "chinese_checkers_2", "eight_puzzle"] {
        let sheet = library::find(name).expect("in the library").rules;
        let game = Game::from_text(sheet).expect("sound");
        let program = game.ground(&Budget::default()).expect("small");
        let fluents: Vec<FluentId> =
            program.fluents.iter().map(|term| game.universe().fluent(term)).collect();
        let targets: Vec<u32> = (0..fluents.len() as u32).step_by(7).collect();
        for selection in SELECTIONS {
            let never = Deadline::never();
            let whole = FluentGraph::build(&program, selection, &never);
            let part = FluentGraph::towards(&program, selection, &targets, &never);
            assert!(part.edge_count() <= whole.edge_count());
            let rows = |graph: &FluentGraph| {
                Distances::build(graph, &fluents, Some(&targets), 1 << 28, &never)
            };
            let (whole, part) = (rows(&whole), rows(&part));
            for target in &targets {
                for from in 0..=fluents.len() as u32 {
                    assert_eq!(whole.between(from, *target), part.between(from, *target), "{name}");
                }
            }
        }
    }
}

/// All joint moves of a state.
fn joint_moves(machine: &mut dyn Machine, state: &State) -> Vec<JointMove> {
    let mut all: Vec<Vec<Move>> = vec![Vec::new()];
    for role in machine.game().role_ids() {
        let mut moves = Vec::new();
        machine.legal_moves(state, role, &mut moves).expect("answered");
        all = all
            .into_iter()
            .flat_map(|joint| moves.iter().map(move |m| [&joint[..], &[*m]].concat()))
            .collect();
    }
    all.into_iter().map(JointMove).collect()
}

/// Thesis Def. 6.1 for one transition: each fluent of the new state has a source in the old one.
fn check_transition(known: &Known, from: &State, to: &State, name: &str) {
    for fluent in to.iter() {
        for distances in known.all() {
            let steps = distances.steps_from(from, fluent);
            let text = || known.game.universe().fluent_entry(fluent).text.clone();
            assert!(steps.is_some_and(|steps| steps <= 1), "{name}: {} after a step", text());
        }
    }
}

/// Theorem 6.1 by exhaustive search: fluents appear no earlier than the distances say.
#[test]
fn distances_are_admissible_in_every_state_of_small_games() {
    for name in ["tictactoe", "nim_3_4_5", "blocks_world", "stack_sort"] {
        let game = Game::from_text(library::find(name).expect("in the library").rules);
        let known = Known::new(game.expect("sound"), &SELECTIONS).expect("small");
        let machine = &mut known.game.interpreter();
        let initial = machine.initial().expect("an initial state");
        let mut seen = BTreeSet::from([initial.clone()]);
        let mut layer = vec![initial.clone()];
        let mut depth = 0;
        while !layer.is_empty() && seen.len() < 150 {
            depth += 1;
            let mut next_layer = Vec::new();
            for state in &layer {
                if machine.is_terminal(state).expect("answered") {
                    continue;
                }
                for joint in joint_moves(machine, state) {
                    let next = machine.next(state, &joint).expect("answered");
                    if seen.insert(next.clone()) {
                        check_transition(&known, state, &next, name);
                        next_layer.push(next);
                    }
                }
            }
            for fluent in next_layer.iter().flat_map(State::iter) {
                for distances in known.all() {
                    let least = distances.steps_from(&initial, fluent);
                    assert!(least.is_some_and(|least| least <= depth), "{name}");
                }
            }
            layer = next_layer;
        }
        assert!(depth > 1, "{name}");
    }
}

/// Theorem 6.1 in random play of the whole library.
#[test]
fn distances_are_admissible_in_random_play_of_the_library() {
    let stride = if std::env::var_os("FLUXION_STEPS").is_some() { 1 } else { 13 };
    for entry in library::games().iter().step_by(stride) {
        let game = Game::from_text(entry.rules).expect("sound");
        let Some(known) = Known::new(game, &SELECTIONS) else { continue };
        let machine = &mut known.game.interpreter();
        let mut random = Random::new(3);
        let mut states = vec![machine.initial().expect("an initial state")];
        while states.len() < 8 {
            let state = states[states.len() - 1].clone();
            if machine.is_terminal(&state).expect("answered") {
                break;
            }
            let joint = random_joint_move(machine, &state, &mut random).expect("answered");
            let Some(joint) = joint else { break };
            let next = machine.next(&state, &joint).expect("answered");
            check_transition(&known, &state, &next, entry.name);
            states.push(next);
        }
        check_appearances(&known, &states, entry.name);
    }
}

/// No fluent appears earlier than the distance from the first state says.
fn check_appearances(known: &Known, states: &[State], name: &str) {
    for (step, state) in states.iter().enumerate() {
        for fluent in state.iter() {
            let least = known.distances.steps_from(&states[0], fluent);
            assert!(least.is_some_and(|least| least as usize <= step), "{name}, step {step}");
        }
    }
}

/// Theorem 6.1 on the recorded play of other people's rule sheets; all of them with `FLUXION_STEPS` set.
#[test]
fn no_fluent_of_a_reference_trace_appears_earlier_than_its_distance() {
    use protocol::trace::{Items, Trace};
    let Some(folder) = testkit::corpus::folder() else { return };
    let stride = if std::env::var_os("FLUXION_STEPS").is_some() { 1 } else { 29 };
    let mut checked = 0;
    for sheet in testkit::corpus::sheets(&folder).expect("readable").iter().step_by(stride) {
        let bytes = std::fs::read(&sheet.rules).expect("readable");
        let (rules, _) = gdl::parse(&String::from_utf8_lossy(&bytes), &gdl::Limits::default());
        let Ok(game) = Game::new(rules) else { continue };
        let Some(known) = Known::new(game, &[Selection::Similar]) else { continue };
        let text = testkit::corpus::read_gz(&sheet.trace).expect("readable");
        let Ok(trace) = Trace::parse(&text) else { continue };
        let read = |items: &Items| match items {
            Items::Full(texts) => {
                let universe = known.game.universe();
                let terms = texts.iter().map(|text| universe.parse(text));
                terms.map(|term| Some(universe.fluent(&term?))).collect::<Option<State>>()
            }
            Items::Hashed { .. } => None,
        };
        let Some(initial) = trace.header.init.as_ref().and_then(read) else { continue };
        let mut states = vec![initial.clone()];
        for step in &trace.steps {
            if step.step == 0 {
                check_appearances(&known, &states, &sheet.name);
                states = vec![initial.clone()];
            }
            if states.len() == step.step + 1
                && let Some(next) = read(&step.next)
            {
                check_transition(&known, &states[step.step], &next, &sheet.name);
                states.push(next);
            }
        }
        check_appearances(&known, &states, &sheet.name);
        checked += 1;
    }
    println!("{checked} sheets");
    assert!(checked > 3);
}
