//! Verdicts against exhaustive enumeration on small games, and broken rule sheets with the matches that refute them.

use std::collections::HashMap;
use std::time::Duration;

use game::{Budget, Deadline, Game, JointMove, Limits, Machine, Move, Reasoner, State};
use prove::check::Checked;
use prove::evaluate::{View, holds, refutes};
use prove::explore::{Explore, Seen, explore};
use prove::{
    Engine, Engines, GroundProperty, Grounder, InputProver, Instances, Kind, Knowledge, Options,
    Property, Prover, Reason, Verdict, Vocabulary, candidates, language, prove_all,
};

fn game_of(name: &str) -> Game {
    Game::from_text(library::find(name).expect("in the library").rules).expect("valid")
}

fn options(engines: Engines) -> Options {
    let deadline = Deadline::within(Duration::from_secs(100));
    Options { deadline, engines, states: 2_000, ..Options::default() }
}

/// All reachable states with all joint moves out of them.
fn enumerate(game: &Game, most: usize) -> Vec<(State, Vec<State>)> {
    let mut machine = game.interpreter();
    let initial = machine.initial().expect("small");
    let mut numbers: HashMap<State, usize> = HashMap::from([(initial.clone(), 0)]);
    let mut all = vec![(initial, Vec::new())];
    let mut at = 0;
    while at < all.len() {
        let state = all[at].0.clone();
        if !machine.is_terminal(&state).expect("small") {
            for joint in joints(&mut machine, &state) {
                let next = machine.next(&state, &joint).expect("small");
                all[at].1.push(next.clone());
                let count = all.len();
                if *numbers.entry(next.clone()).or_insert(count) == count {
                    all.push((next, Vec::new()));
                }
            }
        }
        assert!(all.len() <= most, "too many states to enumerate");
        at += 1;
    }
    all
}

fn joints(machine: &mut dyn Machine, state: &State) -> Vec<JointMove> {
    let mut all: Vec<Vec<Move>> = vec![Vec::new()];
    for role in machine.game().role_ids() {
        let mut moves = Vec::new();
        machine.legal_moves(state, role, &mut moves).expect("small");
        all = all
            .iter()
            .flat_map(|joint| moves.iter().map(move |m| [&joint[..], &[*m]].concat()))
            .collect();
    }
    all.into_iter().map(JointMove).collect()
}

fn truly(property: &GroundProperty, states: &[(State, Vec<State>)], game: &Game) -> bool {
    let mut machine = game.interpreter();
    states.iter().all(|(state, successors)| {
        let mut now = View::new(state);
        if !property.about_moves {
            return holds(&property.formula, &mut now, &mut None, &mut machine).expect("small");
        }
        successors.iter().all(|next| {
            let mut after = Some(View::new(next));
            holds(&property.formula, &mut now, &mut after, &mut machine).expect("small")
        })
    })
}

/// Compares all decided verdicts with the truth; how many are not decided.
fn compare(name: &str, engines: Engines, candidates: impl Fn(&Reasoner) -> Vec<Property>) -> usize {
    let game = game_of(name);
    let reasoner = Reasoner::build(&game, &Budget::default());
    let states = enumerate(&game, 20_000);
    let options = options(engines);
    let mut prover = Prover::on(&reasoner, candidates(&reasoner), &options.deadline);
    prover.run(&options, &mut |_, _| ());
    let mut open = 0;
    for ((property, ground), verdict) in
        prover.properties().iter().zip(prover.ground()).zip(prover.verdicts())
    {
        let text = property.to_text(&game.program().symbols);
        let Ok(ground) = ground else { panic!("{text}: not ground") };
        match verdict {
            Verdict::Proved { .. } => assert!(truly(ground, &states, &game), "{name}: {text}"),
            Verdict::Refuted { trace, .. } => {
                assert!(!truly(ground, &states, &game), "{name}: {text}");
                assert_eq!(refutes(ground, trace, &mut game.interpreter()), Ok(true), "{text}");
            }
            Verdict::Unknown { .. } => open += 1,
        }
    }
    open
}

#[test]
fn all_verdicts_agree_with_enumeration() {
    for name in ["tictactoe", "nim_3_4_5", "blocks_world"] {
        let all = |reasoner: &Reasoner| Prover::candidates(reasoner, &Deadline::never());
        let open = compare(name, Engines::Asp, all);
        assert!(open <= 3, "{name}: {open} not decided");
    }
}

#[test]
fn all_input_arguments_agree_with_enumeration() {
    let inputs =
        |reasoner: &Reasoner| candidates::input_arguments(&Vocabulary::new(reasoner.game()));
    for name in ["tictactoe", "nim_3_4_5", "centipede"] {
        assert_eq!(compare(name, Engines::Asp, inputs), 0, "{name}");
        assert_eq!(compare(name, Engines::Both, inputs), 0, "{name}");
    }
}

/// A cell is marked, a light is switched; each property fails if one rule is changed.
const SHEET: &str =
    "(role white) (role black) (init (control white)) (init (cell 1 b)) (init (cell 2 b))
    (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (legal ?r (mark ?x)) (true (control ?r)) (true (cell ?x b)))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (control black)) (true (control white)))
    (<= (next (control white)) (true (control black)))
    (<= (next (cell ?x ?r)) (does ?r (mark ?x)))
    (<= (next (cell ?x ?c)) (true (cell ?x ?c)) (not (marked ?x)))
    (<= (marked ?x) (does ?r (mark ?x)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= open (true (cell ?x b)))
    (<= terminal (not open))
    (<= (goal white 100) (not open)) (<= (goal black 0) (not open))
    (<= (goal white 0) open) (<= (goal black 0) open)";

/// What [`candidates::monotonic`] claims, in text.
const MONOTONIC: &str = "(forall R: role(R) implies exactly 1 V: goal(R,V)) and
    next(forall R: role(R) implies exactly 1 V: goal(R,V)) and
    (forall R,V: goal(R,V) implies next(exists W: goal(R,W) and W >= V))";

fn decide(sheet: &str, property: &str) -> (Verdict, Game) {
    let game = Game::from_text(sheet).expect("valid");
    let vocabulary = Vocabulary::new(&game);
    let property = language::parse(property, &vocabulary).expect(property);
    let options = options(Engines::Both);
    let mut prover = Prover::new(&game, vec![property], &options).expect("valid");
    prover.run(&options, &mut |_, _| ());
    let finding = prover.findings().remove(0);
    (finding.verdict, game)
}

#[test]
fn a_broken_sheet_is_refuted_by_the_right_match() {
    // A property, a change of the rules that breaks it, and after how many moves it shows.
    let cases = [
        (
            "exactly 1 X: control(X)",
            "(next (control black)) (true",
            "(next (kontrol black)) (true",
            1,
        ),
        ("forall X: at most 1 C: cell(X,C)", "(not (marked ?x))", "(role white)", 1),
        (
            "forall X: exactly 1 C: cell(X,C)",
            "(next (cell ?x ?r)) (does ?r",
            "(next (bell ?x ?r)) (does ?r",
            1,
        ),
        (
            "forall R: role(R) and not terminal implies exists M: legal(R,M)",
            "(<= (legal ?r noop) (role ?r)",
            "(<= (legal ?r noop) (true (control ?r))",
            0,
        ),
        (
            "forall V,W: terminal and goal(white,V) and goal(black,W) implies V + W = 100",
            "(<= (goal black 0) (not open))",
            "(<= (goal black 50) (not open))",
            2,
        ),
        (
            "forall R: role(R) and terminal implies exactly 1 V: goal(R,V)",
            "(<= (goal black 0) (not open))",
            "(<= (goal black 0) (true (step 9)))",
            2,
        ),
        (
            "forall X: cell(X,white) implies next(cell(X,white))",
            "(true (cell ?x ?c)) (not (marked ?x))",
            "(true (cell ?x ?c)) (not (marked ?x)) (distinct ?c white)",
            2,
        ),
        ("exactly 1 X: step(X)", "(succ 1 2)", "(succ 1 2) (succ 1 3)", 1),
        // The remaining kinds that are tried without being asked for: turns, goals that grow, what stays false,
        // exclusion, what never holds, counters.
        (
            "not terminal implies at most 1 R: at least 2 M: legal(R,M)",
            "(<= (legal ?r noop) (role ?r)",
            "(<= (legal ?r skip) (role ?r) (not (true (control ?r)))) (<= (legal ?r noop) (role ?r)",
            0,
        ),
        (
            MONOTONIC,
            "(<= (goal white 0) open)",
            "(<= (goal white 100) (true (step 1))) (<= (goal white 0) open (not (true (step 1))))",
            1,
        ),
        (
            "forall X: next(cell(X,b)) implies cell(X,b)",
            "(<= (marked ?x)",
            "(<= (next (cell 1 b)) (true (cell 1 white))) (<= (next (cell 2 b)) (true (cell 2 white))) (<= (marked ?x)",
            2,
        ),
        ("forall X: not (cell(X,b) and cell(X,white))", "(not (marked ?x))", "(role white)", 1),
        ("not step(4)", "(succ 1 2)", "(succ 1 4)", 1),
        (
            "(step(1) implies next(step(2))) and (step(2) implies next(step(3))) and not step(4)",
            "(succ 1 2)",
            "(succ 1 3)",
            1,
        ),
        ("open or terminal", "(<= terminal (not open))", "(<= terminal (true (step 4)))", 2),
    ];
    for (property, from, to, moves) in cases {
        let (fine, _) = decide(SHEET, property);
        assert!(fine.is_proved(), "{property}: {fine:?}");
        assert!(SHEET.contains(from), "{from}");
        let broken = SHEET.replacen(from, to, 1);
        let (verdict, _) = decide(&broken, property);
        let Verdict::Refuted { trace, .. } = &verdict else { panic!("{property}: {verdict:?}") };
        assert_eq!(trace.len(), moves, "{property}");
    }
}

#[test]
fn relations_of_the_rules_can_be_asked_about() {
    let (verdict, _) = decide(SHEET, "terminal iff not open");
    assert!(verdict.is_proved(), "{verdict:?}");
    let (verdict, game) = decide(SHEET, "open");
    let Verdict::Refuted { trace, .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!(trace.len(), 2);
    // The moves are those of the game that was asked about.
    let mut machine = game.interpreter();
    let mut state = machine.initial().expect("small");
    for joint in &trace {
        assert!(joints(&mut machine, &state).contains(joint));
        state = machine.next(&state, joint).expect("small");
    }
    assert_eq!(machine.is_terminal(&state), Ok(true));
}

#[test]
fn contradictions_and_tautologies_are_decided_without_search() {
    let (verdict, _) = decide(SHEET, "false");
    assert!(
        matches!(verdict, Verdict::Refuted { ref trace, .. } if trace.is_empty()),
        "{verdict:?}"
    );
    let (verdict, _) = decide(SHEET, "exactly 7 X: X = 1 and step(X) and not step(X)");
    assert!(verdict.is_refuted(), "{verdict:?}");
    let (verdict, _) = decide(SHEET, "forall X: step(X) implies X >= 1");
    assert!(verdict.is_proved(), "{verdict:?}");
}

#[test]
fn knowledge_holds_what_is_proved_and_nothing_else() {
    let reasoner = Reasoner::build(&game_of("tictactoe"), &Budget::default());
    let findings = prove_all(&reasoner, &options(Engines::Asp), &mut |_, _| ());
    let knowledge = Knowledge::of(&findings);
    assert!(knowledge.turn_taking && knowledge.playable && !knowledge.monotonic);
    assert_eq!(knowledge.constant_sum, Some(100));
    let gates = reasoner.gates().expect("tiny");
    let groups = knowledge.mutex_groups(gates);
    assert!(groups.iter().filter(|group| group.len() == 3).count() == 9, "{groups:?}");
    assert!(knowledge.persistent.iter().all(|kind| matches!(kind, Kind::Persistent { .. })));
    let proved = findings.iter().filter(|finding| finding.verdict.is_proved());
    assert!(
        proved
            .clone()
            .any(|finding| matches!(finding.verdict, Verdict::Proved { engine: Engine::Asp, .. }))
    );
}

#[test]
fn guesses_about_input_arguments_are_confirmed_by_proof() {
    let reasoner = Reasoner::build(&game_of("tictactoe"), &Budget::default());
    let settings = structure::Settings::default();
    let mut prover = InputProver::new(&reasoner, options(Engines::Asp));
    let never = Deadline::never();
    let found = structure::Structures::find(&reasoner, &settings, &never, &mut prover);
    assert!(found.boards.iter().all(|board| board.evidence.is_proved()), "{:?}", found.boards);
}

#[test]
fn without_time_everything_is_unknown_and_says_so() {
    let reasoner = Reasoner::build(&game_of("tictactoe"), &Budget::default());
    let now = Deadline::within(Duration::ZERO);
    let options = Options { deadline: now, ..Options::default() };
    for engines in [Engines::Asp, Engines::Sat, Engines::Both] {
        let options = Options { engines, ..options.clone() };
        let findings = prove_all(&reasoner, &options, &mut |_, _| ());
        assert!(!findings.is_empty());
        for finding in findings {
            let fine = match &finding.verdict {
                Verdict::Unknown { reason, .. } => *reason == Reason::Time,
                verdict => verdict.is_decided(),
            };
            assert!(fine, "{}: {:?}", finding.text, finding.verdict);
        }
    }
}

fn asked(sheet: &str, properties: &[&str], engines: Engines) -> Prover {
    let game = Game::from_text(sheet).expect("valid");
    let vocabulary = Vocabulary::new(&game);
    let parse = |text: &&str| language::parse(text, &vocabulary).expect("a property");
    let options = options(engines);
    let properties = properties.iter().map(parse).collect();
    let mut prover = Prover::new(&game, properties, &options).expect("valid");
    prover.run(&options, &mut |_, _| ());
    prover.recheck(&options.deadline);
    prover
}

#[test]
fn proofs_name_the_properties_they_use_and_are_checked_again() {
    // Two players could mark the same cell if both were in control.
    let properties = ["at most 1 R: control(R)", "forall X: at most 1 C: cell(X,C)"];
    for engines in [Engines::Asp, Engines::Sat] {
        for finding in asked(SHEET, &properties, engines).findings() {
            let Verdict::Proved { hypotheses, .. } = &finding.verdict else {
                panic!("{engines:?}: {finding:?}")
            };
            let used: &[usize] = if finding.text == properties[0] { &[] } else { &[0] };
            assert_eq!(hypotheses, used, "{engines:?}: {}", finding.text);
            assert_eq!(finding.checked, Checked::Confirmed, "{engines:?}: {}", finding.text);
        }
    }
}

/// A walk to and fro with a counter: the only way to the other end is one of very many.
const WALK: &str = "(role walker) (init (at 0)) (init (step 0)) (init (won no))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (succ 9 10) (succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15) (succ 15 16)
    (legal walker left) (legal walker right) (legal walker back)
    (<= (next (at ?y)) (does walker right) (true (at ?x)) (succ ?x ?y))
    (<= (next (at 0)) (does walker left)) (<= (next (at 0)) (does walker back))
    (<= (next (won no)) (true (won no)))
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
    (<= terminal (true (step 16))) (<= terminal (true (at 16))) (goal walker 0)";

#[test]
fn what_only_a_long_plan_refutes_is_found_among_the_nearest_states() {
    let game = Game::from_text(WALK).expect("valid");
    let vocabulary = Vocabulary::new(&game);
    let instances = Instances::of_rules(&vocabulary, &Limits::default());
    let mut grounder = Grounder::new(&vocabulary, &instances);
    let mut ground = |text: &str| {
        let property = language::parse(text, &vocabulary).expect("a property");
        grounder.ground(&property).expect("small")
    };
    let (far, single) = (ground("not at(16)"), ground("at most 1 X: at(X)"));
    for (merge, states, all) in [(true, 100, false), (false, 1_000, true)] {
        let how =
            Explore { states, max_bytes: 1 << 24, merge, seed: 1, deadline: Deadline::never() };
        let mut found = Vec::new();
        let seen = explore(
            &mut game.interpreter(),
            &[Some(&far), Some(&single)],
            &how,
            &mut |at, trace| found.push((at, trace.len())),
        );
        assert_eq!(found, [(0, 16)], "merge: {merge}");
        // Without counters there are too few states to be sure of anything.
        assert_eq!(seen, Ok(if all { Seen::All } else { Seen::Some }));
    }
}
