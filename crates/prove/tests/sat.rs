//! The engine on the circuit against exhaustive enumeration, on sheets broken on purpose, and within its limits.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use circuit::graph::Signal;
use game::{Deadline, Game, Gates, JointMove, Machine, Move, State};
use prove::check::{Checked, Flaw, check, inductive};
use prove::evaluate::{View, holds, refutes};
use prove::sat::claim::Translator;
use prove::sat::houdini::{Back, Task, houdini};
use prove::sat::local::Locals;
use prove::sat::model::Model;
use prove::sat::{Believed, Options, decide};
use prove::{
    GroundProperty, Grounder, Inductive, Instances, Property, Verdict, Vocabulary, candidates,
    language, watch,
};

/// A game with properties made ground.
struct Case {
    gates: Gates,
    properties: Vec<Property>,
    ground: Vec<GroundProperty>,
}

impl Case {
    fn asked(text: &str, properties: &[&str]) -> Self {
        let game = Game::from_text(text).expect("valid");
        let vocabulary = Vocabulary::new(&game);
        let parse = |text: &&str| language::parse(text, &vocabulary).expect("a property");
        Self::new(&game, properties.iter().map(parse).collect())
    }

    fn new(game: &Game, properties: Vec<Property>) -> Self {
        let watched = watch::watching(game, &properties).expect("the same rules and more");
        let gates = Gates::build(&watched, &ground::Budget::default()).expect("small");
        let vocabulary = Vocabulary::new(&watched);
        let instances = Instances::of_gates(&gates);
        let mut grounder = Grounder::new(&vocabulary, &instances);
        let ground = properties.iter().map(|p| grounder.ground(p).expect("small")).collect();
        Self { gates, properties, ground }
    }

    fn decide(&self, options: &Options) -> Vec<Verdict> {
        let deadline = Deadline::within(Duration::from_secs(600));
        let (mut heard, none) = (0, Believed::default());
        let verdicts =
            decide(&self.gates, &self.ground, &none, options, &deadline, &mut |_, _| heard += 1);
        assert_eq!(heard, verdicts.iter().filter(|v| v.is_decided()).count());
        for (property, verdict) in self.ground.iter().zip(&verdicts) {
            if let Verdict::Refuted { trace, .. } = verdict {
                let mut interpreter = self.gates.game().interpreter();
                assert_eq!(refutes(property, trace, &mut interpreter), Ok(true));
            }
        }
        let checked = check(&self.gates, &self.ground, &verdicts, &deadline);
        for (at, (checked, verdict)) in checked.into_iter().zip(&verdicts).enumerate() {
            let expected = match verdict {
                Verdict::Proved { certificate: Some(_), .. } => Checked::Confirmed,
                _ => Checked::Nothing,
            };
            assert_eq!(checked, expected, "{}", self.text(at));
        }
        verdicts
    }

    /// A model of the game, and what was asked as gates of it.
    fn model(&self) -> (Model, Vec<Signal>) {
        let mut model = Model::new(&self.gates).expect("suitable");
        let mut translator = Translator::new(&self.gates);
        let claims = self.ground.iter().map(|claim| translator.signal(&mut model, &claim.formula));
        let signals = claims.collect();
        (model, signals)
    }

    fn text(&self, at: usize) -> String {
        self.properties[at].to_text(&self.gates.game().program().symbols)
    }
}

fn joint_moves(machine: &mut dyn Machine, state: &State) -> Vec<JointMove> {
    let mut all = vec![Vec::new()];
    for role in machine.game().role_ids() {
        let mut moves: Vec<Move> = Vec::new();
        machine.legal_moves(state, role, &mut moves).expect("answers");
        let longer = |joint: &Vec<Move>| {
            let joint = joint.clone();
            moves
                .iter()
                .map(move |m| joint.iter().copied().chain([*m]).collect())
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.into_iter().map(JointMove).collect()
}

/// Which properties hold in all reachable states and of all moves, by looking at all of them.
fn enumerate(case: &Case, machine: &mut dyn Machine) -> Vec<bool> {
    let mut truth = vec![true; case.ground.len()];
    let initial = machine.initial().expect("answers");
    let mut seen: HashSet<State> = [initial.clone()].into();
    let mut todo = vec![initial];
    while let Some(state) = todo.pop() {
        let mut now = View::new(&state);
        for (property, truth) in case.ground.iter().zip(&mut truth) {
            if !property.about_moves && *truth {
                *truth = holds(&property.formula, &mut now, &mut None, machine).expect("answers");
            }
        }
        if machine.is_terminal(&state).expect("answers") {
            continue;
        }
        for joint in joint_moves(machine, &state) {
            let next = machine.next(&state, &joint).expect("answers");
            let mut after = Some(View::new(&next));
            for (property, truth) in case.ground.iter().zip(&mut truth) {
                if property.about_moves && *truth {
                    *truth =
                        holds(&property.formula, &mut now, &mut after, machine).expect("answers");
                }
            }
            if seen.insert(next.clone()) {
                assert!(
                    seen.len() < 30_000,
                    "too large for this test: {}",
                    case.gates.sizes().fluents
                );
                todo.push(next);
            }
        }
    }
    truth
}

fn agrees(case: &Case, machine: &mut dyn Machine, options: &Options, most_unknown: usize) {
    let truth = enumerate(case, machine);
    let verdicts = case.decide(options);
    let mut unknown = 0;
    for (at, (verdict, truth)) in verdicts.iter().zip(truth).enumerate() {
        match verdict {
            Verdict::Proved { .. } => assert!(truth, "proved, but false: {}", case.text(at)),
            Verdict::Refuted { .. } => assert!(!truth, "refuted, but true: {}", case.text(at)),
            Verdict::Unknown { .. } => {
                println!("unknown ({truth}): {}", case.text(at));
                unknown += 1;
            }
        }
    }
    assert!(unknown <= most_unknown, "{unknown} of {} unknown", verdicts.len());
}

fn all_candidates(name: &str) -> Case {
    let game = Game::from_text(library::find(name).expect("in the library").rules).expect("valid");
    let vocabulary = Vocabulary::new(&game);
    let gates = Gates::build(&game, &ground::Budget::default()).expect("small");
    let mut machine = gates.machine();
    let settings = structure::Settings::default();
    let deadline = Deadline::within(Duration::from_secs(60));
    let sample =
        structure::Sample::take(&game, &mut machine, &settings, &deadline, &mut Vec::new());
    Case::new(&game, candidates::candidates(&vocabulary, &sample, &mut machine))
}

const SMALL: [&str; 5] = ["nim_3_4_5", "tictactoe", "blocks_world", "hanoi", "chomp_4x5"];

/// Verdicts about every candidate property agree with looking at every reachable state.
#[test]
fn verdicts_agree_with_enumeration_on_small_games() {
    for name in SMALL {
        let case = all_candidates(name);
        agrees(&case, &mut case.gates.machine(), &Options::default(), 0);
    }
}

/// Two tokens on a ring of 6 cells that move together, one cell apart: they never meet, but every cell may hold either.
const RING: &str = "(role r) (init (on 0)) (init (beside 1))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 0)
    (legal r go) (legal r stay)
    (<= (next (on ?y)) (does r go) (true (on ?x)) (succ ?x ?y))
    (<= (next (beside ?y)) (does r go) (true (beside ?x)) (succ ?x ?y))
    (<= (next (on ?x)) (does r stay) (true (on ?x)))
    (<= (next (beside ?x)) (does r stay) (true (beside ?x)))
    (<= together (true (on ?x)) (true (beside ?x)))
    (<= terminal together)
    (<= (goal r 100) together) (<= (goal r 0) (not together))";

const ABOUT_RING: [&str; 7] = [
    "not together",
    "not terminal",
    "not on(3)",
    "exactly 1 X: on(X)",
    "forall X: not (on(X) and beside(X))",
    "on(4) implies next(on(4) or on(5))",
    "on(4) implies next(on(4))",
];

#[test]
fn invariants_that_depend_on_each_other_are_found_together() {
    let case = Case::asked(RING, &ABOUT_RING);
    agrees(&case, &mut case.gates.game().interpreter(), &Options::default(), 0);
}

/// Without lemmas from play, reachability has to find them.
#[test]
fn property_directed_reachability_finds_the_clauses_it_needs() {
    for property in ABOUT_RING {
        let case = Case::asked(RING, &[property]);
        let play = prove::sat::sample::Play { steps: 0, states: 0, ..Default::default() };
        let options = Options { play, k: 1, depth: 0, ..Options::default() };
        agrees(&case, &mut case.gates.game().interpreter(), &options, 0);
    }
}

/// Tic-tac-toe with one rule changed, and the property that this breaks.
#[test]
fn broken_sheets_are_refuted_with_a_match() {
    let rules = library::find("tictactoe").expect("in the library").rules;
    let breaks = [
        // Both keep control.
        (
            "(<= (next (control xplayer))",
            "(<= (next (control xplayer)) (true (control xplayer)))
          (<= (next (control xplayer))",
            "exactly 1 X: control(X)",
        ),
    ];
    for (rule, broken, property) in breaks {
        assert!(rules.contains(rule), "the sheet changed");
        let case = Case::asked(&rules.replacen(rule, broken, 1), &[property]);
        let verdicts = case.decide(&Options::default());
        assert!(verdicts[0].is_refuted(), "{property}: {verdicts:?}");
    }
}

/// A cell of tic-tac-toe needs that one player is in control and that it has one content, and nothing else.
#[test]
fn proofs_on_a_part_of_the_circuit_name_what_they_need() {
    let case = Case::asked(
        library::find("tictactoe").expect("in the library").rules,
        &["at most 1 R: control(R)", "at most 1 X: cell(a,1,X)", "at most 1 X: cell(b,2,X)"],
    );
    let (model, signals) = case.model();
    let locals = Locals::new(&model, signals);
    let never = Deadline::never();
    let needed = |candidate: usize, all: bool| {
        locals.prove(candidate, |other| all || other == candidate, 10_000, &never)
    };
    assert_eq!(needed(0, true), Some(vec![0]));
    assert_eq!(needed(1, true), Some(vec![0, 1]));
    assert_eq!(needed(2, true), Some(vec![0, 2]));
    assert_eq!(needed(1, false), None);
}

/// Tokens leave stones where they go away; contents stay wherever somebody goes from another cell.
const STONES: &str = "(role white) (role black) (init (control white)) (init (cell 1 white)) (init (cell 2 black))
    (place 1) (place 2) (place 3) (place 4) (place 5)
    (<= (empty ?x) (place ?x) (not (true (cell ?x white))) (not (true (cell ?x black))) (not (true (cell ?x stone))))
    (<= (legal ?r (go ?x ?y)) (true (control ?r)) (true (cell ?x ?r)) (empty ?y))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (control black)) (true (control white))) (<= (next (control white)) (true (control black)))
    (<= (next (cell ?x ?c)) (true (cell ?x ?c)) (does ?r (go ?y ?z)) (distinct ?x ?y))
    (<= (next (cell ?y ?r)) (does ?r (go ?x ?y)))
    (<= (next (cell ?x stone)) (does ?r (go ?x ?y)))
    (<= open (empty ?x)) (<= terminal (not open)) (<= (goal ?r 50) (role ?r))";

/// A cell has one content because who is not in control does not go anywhere: also not from where the cell has no part
/// in it.
#[test]
fn proofs_on_a_part_of_the_circuit_know_what_all_other_moves_need() {
    let claims = ["at most 1 R: control(R)", "at most 1 X: cell(1,X)"];
    let case = Case::asked(STONES, &claims);
    let (model, signals) = case.model();
    let locals = Locals::new(&model, signals);
    let never = Deadline::never();
    assert_eq!(locals.prove(1, |_| true, 10_000, &never), Some(vec![0, 1]));
    assert_eq!(locals.prove(1, |other| other == 1, 10_000, &never), None);
}

/// Lamps that are switched at will, and how many of them are on, counted along the row.
#[test]
fn counts_passed_on_from_cell_to_cell_are_single() {
    let mut sheet = String::from(
        "(role r) (<= (legal r (switch ?x)) (lamp ?x)) (lamp 0)
        (<= (next (lit ?x)) (does r (switch ?x)) (not (true (lit ?x))))
        (<= (next (lit ?x)) (true (lit ?x)) (not (does r (switch ?x))))
        (<= (count 0 1) (true (lit 0))) (<= (count 0 0) (not (true (lit 0))))
        (<= (count ?y ?m) (after ?x ?y) (count ?x ?n) (succ ?n ?m) (true (lit ?y)))
        (<= (count ?y ?n) (after ?x ?y) (count ?x ?n) (not (true (lit ?y))))
        (<= terminal (count 23 24))
        (<= (goal r 100) (count 23 ?n) (even ?n)) (<= (goal r 0) (count 23 ?n) (not (even ?n)))
        (succ 0 1) (even 0)",
    );
    for lamp in 1..24 {
        let (before, more) = (lamp - 1, lamp + 1);
        let _ = write!(sheet, " (lamp {lamp}) (after {before} {lamp}) (succ {lamp} {more})");
        if lamp % 2 == 0 {
            let _ = write!(sheet, " (even {lamp})");
        }
    }
    let claim = "not (goal(r,100) and goal(r,0))";
    let case = Case::asked(&sheet, &[claim]);
    let play = prove::sat::sample::Play { steps: 40, ..Default::default() };
    let options = Options { play, conflicts: 4_000, ..Options::default() };
    let deadline = Deadline::within(Duration::from_secs(600));
    let verdicts = decide(
        &case.gates,
        &case.ground,
        &Believed::default(),
        &options,
        &deadline,
        &mut |_, _| {},
    );
    assert!(verdicts[0].is_proved(), "{verdicts:?}");
}

/// Certificates that are wrong in one place each.
#[test]
fn the_checker_rejects_what_does_not_follow() {
    let case = Case::asked(RING, &["not on(3)", "not together", "exactly 1 X: on(X)"]);
    let facts = |at: &[usize]| {
        let facts = at.iter().map(|at| case.ground[*at].formula.clone()).collect();
        Arc::new(Inductive { facts, k: 1, simple: false })
    };
    let never = Deadline::never();
    let rejected = |at: &[usize]| prove::check::inductive(&case.gates, &facts(at), &never);
    assert_eq!(rejected(&[0]), Checked::Rejected(Flaw::Step(0)));
    assert_eq!(rejected(&[2]), Checked::Confirmed);
    assert_eq!(rejected(&[2, 0]), Checked::Rejected(Flaw::Step(1)));
    let follows = |fact: usize, property: usize| {
        prove::check::follows(&case.gates, &facts(&[fact]), &case.ground[property], &never)
    };
    assert_eq!(follows(2, 2), Checked::Confirmed);
    assert_eq!(follows(2, 0), Checked::Rejected(Flaw::Conclusion));
    let broken = Case::asked(RING, &["not on(0)"]);
    let facts = vec![broken.ground[0].formula.clone()];
    let first = Inductive { facts, k: 1, simple: false };
    let verdict = prove::check::inductive(&broken.gates, &first, &never);
    assert_eq!(verdict, Checked::Rejected(Flaw::Base(0)));
}

#[test]
fn nothing_is_claimed_without_time() {
    let case = Case::asked(RING, &ABOUT_RING);
    let over = Deadline::within(Duration::ZERO);
    let verdicts = decide(
        &case.gates,
        &case.ground,
        &Believed::default(),
        &Options::default(),
        &over,
        &mut |_, _| {},
    );
    assert!(verdicts.iter().all(|verdict| !verdict.is_proved()));
}

#[test]
fn a_sum_that_needs_games_to_have_one_winner_is_proved_on_demand() {
    // Nobody says that only one player wins each of the three games; what is won takes no more moves.
    let game = Game::from_text(library::find("tttcc4").expect("in the library").rules);
    let game = game.expect("valid");
    let vocabulary = Vocabulary::new(&game);
    let mut properties = vec![candidates::sum_is(&vocabulary, 100)];
    properties.extend(candidates::input_arguments(&vocabulary));
    let case = Case::new(&game, properties);
    let options = Options { depth: 0, k: 1, questions: 1, ..Options::default() };
    let verdicts = case.decide(&options);
    let Verdict::Proved { k: 1, hypotheses, .. } = &verdicts[0] else {
        panic!("{:?}", verdicts[0])
    };
    let used: Vec<String> = hypotheses.iter().map(|at| case.text(*at)).collect();
    let cells = "forall X1,X2,X3: at most 1 X4: cell(X1,X2,X3,X4)".to_owned();
    assert!(used.contains(&"at most 1 X1: control(X1)".to_owned()), "{used:?}");
    assert!(used.contains(&cells), "{used:?}");
}

#[test]
fn simple_paths_prove_what_no_longer_induction_does() {
    // A place that nothing leads to, where one can stay for ever before it goes wrong.
    let sheet = "(role r) (init a) (legal r stay) (legal r swap) (legal r go)
        (<= (next a) (true b) (does r swap)) (<= (next b) (true a) (does r swap))
        (<= (next a) (true a) (not (does r swap))) (<= (next b) (true b) (not (does r swap)))
        (<= (next u) (true a) (true b)) (<= (next u) (true u) (does r stay))
        (<= (next bad) (true u) (does r go)) (<= terminal (true end)) (goal r 0)";
    let case = Case::asked(sheet, &["not bad", "not (a and b)"]);
    let (model, signals) = case.model();
    let (wanted, known) = (signals[0], signals[1]);
    for (k, simple, expected) in [(1, false, false), (4, false, false), (2, true, true)] {
        let task = Task {
            known: &[known],
            candidates: &[wanted],
            back: Back { k, simple },
            conflicts: 10_000,
            local: true,
        };
        let found = houdini(&model, &task, &Deadline::never()).expect("no deadline");
        assert_eq!(found.kept, [expected], "k = {k}, simple: {simple}");
    }
    let facts = case.ground.iter().map(|ground| ground.formula.clone()).collect();
    let certificate = Inductive { facts, k: 2, simple: true };
    assert_eq!(inductive(&case.gates, &certificate, &Deadline::never()), Checked::Confirmed);
    let plain = Inductive { simple: false, ..certificate };
    let rejected = Checked::Rejected(Flaw::Step(0));
    assert_eq!(inductive(&case.gates, &plain, &Deadline::never()), rejected);
}
