//! What is claimed holds: proofs against fresh random play, guesses against the play they were read off, on games of
//! the library and on random rule sheets; and golden files for some games.

use std::time::Duration;

use game::playout::Random;
use game::{Budget, Deadline, FluentId, Game, Reasoner, State};
use structure::{Functor, NoProver, Sample, Settings, Structures, args};
use testkit::choices::Choices;
use testkit::programs::generate;

/// The games with golden files, and a cross-section of the library.
const GAMES: [&str; 16] = [
    "battle",
    "blocks_world",
    "breakthrough",
    "checkers",
    "chinese_checkers_2",
    "connect_four",
    "eight_puzzle",
    "hanoi",
    "hex_5x5",
    "kalaha",
    "nim_3_4_5",
    "othello",
    "pacman_3p",
    "racetrack",
    "tic_tac_toe_3d",
    "tictactoe",
];

fn find(reasoner: &Reasoner) -> Structures {
    let deadline = Deadline::within(Duration::from_secs(60));
    Structures::find(reasoner, &Settings::default(), &deadline, &mut NoProver)
}

fn fresh(reasoner: &Reasoner, seed: u64) -> Sample {
    let settings = Settings { seed, most_states: 300, ..Settings::default() };
    let mut notes = Vec::new();
    let deadline = Deadline::within(Duration::from_secs(20));
    Sample::take(reasoner.game(), &mut *reasoner.machine(), &settings, &deadline, &mut notes)
}

/// Whether arguments determine the others in a state (Eq. 5.8), checked pair by pair.
fn determined(game: &Game, state: &State, functor: Functor, inputs: &[usize]) -> bool {
    let entries: Vec<_> = state.iter().map(|id| game.universe().fluent_entry(id)).collect();
    let own: Vec<_> = entries.iter().filter(|e| Functor::of(&e.term) == functor).collect();
    let same = |a: &usize, b: &usize| {
        let (a, b) = (args(&own[*a].term), args(&own[*b].term));
        inputs.iter().all(|at| a[*at] == b[*at])
    };
    (0..own.len()).all(|a| (0..a).all(|b| !same(&a, &b)))
}

fn stays(sample: &Sample, fluent: FluentId, value: bool) -> bool {
    let holds = |at: usize| sample.states[at].state.contains(fluent);
    sample.transitions.iter().all(|t| holds(t.from) != value || holds(t.to) == value)
}

/// Checks all claims of an analysis; `other` is play that it has not seen.
fn check(name: &str, game: &Game, found: &Structures, other: &Sample) {
    for fluent in &found.fluents {
        for inputs in &fluent.inputs {
            for seen in &found.sample.states {
                let holds = determined(game, &seen.state, fluent.functor, &inputs.arguments);
                assert!(holds, "{name}: {:?} {inputs:?}", fluent.functor);
            }
            if inputs.evidence.is_proved() {
                let all = other.states.iter();
                let holds = |state| determined(game, state, fluent.functor, &inputs.arguments);
                assert!(all.map(|seen| &seen.state).all(holds), "{name}: proved {inputs:?}");
            }
        }
    }
    for one in &found.persistent {
        let text = game.universe().fluent_entry(one.fluent).text.clone();
        assert!(stays(&found.sample, one.fluent, one.value), "{name}: {text}");
        if one.evidence.is_proved() {
            assert!(stays(other, one.fluent, one.value), "{name}: proved {text}");
        }
    }
    if let Some(bound) = found.turn_bound() {
        assert!(other.longest <= bound as usize, "{name}: {bound} steps");
    }
    for board in &found.boards {
        let cells = |seen: &structure::Seen| board.cells(game, &seen.state);
        for (cell, _) in found.sample.states.iter().flat_map(cells) {
            let distance = board.distance(&cell, &vec![0; cell.len()]);
            assert!((0.0..1.0 + f64::EPSILON).contains(&distance), "{name}: {distance}");
        }
    }
}

#[test]
fn claims_about_library_games_hold_in_other_random_play() {
    for name in GAMES {
        let entry = library::find(name).expect("a game of the library");
        let game = Game::from_text(entry.rules).expect("playable");
        let reasoner = Reasoner::build(&game, &Budget::default());
        check(name, &game, &find(&reasoner), &fresh(&reasoner, 77));
    }
}

/// More rule sheets with `FLUXION_STEPS`, which is divided by 50.
#[test]
fn claims_about_random_rule_sheets_hold() {
    let steps = std::env::var("FLUXION_STEPS").ok().and_then(|n| n.parse::<u64>().ok());
    let mut random = Random::new(5);
    for number in 0..steps.map_or(60, |steps| steps / 50) {
        let bytes: Vec<u8> = (0..400).map(|_| random.below(256) as u8).collect();
        let text = generate(&mut Choices::new(&bytes));
        let (rules, _) = gdl::parse(&text, &gdl::Limits::default());
        let Ok(game) = Game::new(rules) else { continue };
        let reasoner = Reasoner::build(&game, &Budget::default());
        check(&format!("sheet {number}: {text}"), &game, &find(&reasoner), &fresh(&reasoner, 3));
    }
}

/// `FLUXION_BLESS=1` rewrites the files.
#[test]
fn findings_are_those_of_the_golden_files() {
    let games = testkit::corpus::workspace().join("games");
    for name in GAMES {
        let entry = library::find(name).expect("a game of the library");
        let game = Game::from_text(entry.rules).expect("playable");
        let text = find(&Reasoner::build(&game, &Budget::default())).to_text(&game);
        let path = games.join(name).join("golden/structures.txt");
        if std::env::var_os("FLUXION_BLESS").is_some() {
            std::fs::write(&path, &text).expect("written");
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        let differs = text.lines().zip(golden.lines()).find(|(new, old)| new != old);
        let lengths = (text.lines().count(), golden.lines().count());
        assert!(
            text == golden,
            "{name}: {differs:?}, lines {lengths:?}; FLUXION_BLESS=1 accepts it"
        );
    }
}

/// Rule sheets that leave nothing to find, or ask for too much.
#[test]
fn unusual_rule_sheets_have_defined_results() {
    let sheets = [
        "(role you)",
        "(role you) (legal you wait)",
        "(role a) (role b) (init (f (g 1) (h 2 (g 3)))) (<= (legal ?r go) (role ?r)) (<= (next ?x) (true ?x))",
        "(role you) (init p) (<= (legal you a) (true p)) (<= (legal you b) (true p)) (<= terminal (true p))",
        "(role you) (init (n zero)) (legal you grow) (<= (next (n (s ?x))) (true (n ?x)))",
        "(role you) (init (c 1 1 1 1 1 1 1 1 1 1 1 1 1 1)) (legal you x) (<= (next ?f) (true ?f))",
        "(role you) (init (cell 1 1)) (init (cell 2 1)) (succ 1 2) (legal you x) (<= (goal you ?x) (succ ?x ?y))
         (<= (next (cell ?x ?z)) (true (cell ?x ?y)) (succ ?y ?z))",
    ];
    for text in sheets {
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        let game = Game::new(rules).expect("playable");
        let reasoner = Reasoner::build(&game, &Budget { max_bytes: 64 << 20, ..Budget::default() });
        let found = find(&reasoner);
        check(text, &game, &found, &fresh(&reasoner, 2));
        assert!(!found.to_text(&game).contains("NaN"));
        for seen in found.sample.states.iter().take(1) {
            found.pictures(&game, &seen.state);
        }
    }
}

/// The corpus, where it is present and `FLUXION_CORPUS_ANALYSIS` is set: at least 97% within 10 s each.
#[test]
fn the_corpus_is_analysed_in_time() {
    let wanted = std::env::var_os("FLUXION_CORPUS_ANALYSIS").is_some();
    let Some(folder) = testkit::corpus::folder().filter(|_| wanted) else { return };
    let sheets = testkit::corpus::sheets(&folder).expect("readable");
    let mut late = Vec::new();
    for sheet in &sheets {
        let text = std::fs::read_to_string(&sheet.rules).expect("readable");
        let (rules, _) = gdl::parse(&text, &gdl::Limits::default());
        let Ok(game) = Game::new(rules) else { continue };
        let begin = std::time::Instant::now();
        let deadline = Some(begin + Duration::from_secs(10));
        let reasoner = Reasoner::build(&game, &Budget { deadline, ..Budget::default() });
        let ground = begin.elapsed();
        let begin = std::time::Instant::now();
        let limit = Deadline::within(Duration::from_secs(10));
        let found = Structures::find(&reasoner, &Settings::default(), &limit, &mut NoProver);
        let time = begin.elapsed();
        println!("{} ground {ground:.2?} structures {time:.2?} {:?}", sheet.name, found.notes);
        if time > Duration::from_secs(10) {
            late.push(sheet.name.clone());
        }
    }
    assert!(late.len() * 100 <= sheets.len() * 3, "{late:?}");
}
