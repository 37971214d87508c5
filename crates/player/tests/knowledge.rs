//! Games that were seen before, under whatever names, are known again; archives that fail cost knowledge and nothing else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use game::{Budget, Deadline, Game, JointMove, Reasoner, Role};
use gdl::{Rules, Symbols, Syntax, keyword};
use player::{Archive, Key, Knowledge, Player, Setup, Strategy};

/// An archive in memory.
#[derive(Debug, Default)]
struct Shelf(Mutex<BTreeMap<Key, Vec<u8>>>);

impl Shelf {
    fn all(&self) -> BTreeMap<Key, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn only(&self) -> Knowledge {
        let all = self.all();
        assert_eq!(all.len(), 1, "one game is one game");
        Knowledge::read(all.values().next().expect("one")).expect("what was kept can be read")
    }
}

impl Archive for Shelf {
    fn recall(&self, key: Key) -> Option<Vec<u8>> {
        self.all().remove(&key)
    }

    fn change(&self, key: Key, change: &mut dyn FnMut(Option<Vec<u8>>) -> Option<Vec<u8>>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(new) = change(all.get(&key).cloned()) {
            all.insert(key, new);
        }
    }
}

/// A copy of a game of the library; rules in the opposite order and other names, but for the number 0.
fn copy(name: &str, number: usize) -> Game {
    let text = library::find(name).expect("a game of the library").rules;
    let game = Game::from_text(text).expect("sound");
    if number == 0 {
        return game;
    }
    let rules = game.rules();
    let mut symbols = Symbols::new();
    for (symbol, name) in rules.symbols.iter().skip(keyword::ALL.len()) {
        let plain = name.starts_with('?') || name.parse::<f64>().is_ok();
        let word = format!("w{number}x{}", symbol.0);
        symbols.intern(if plain { name } else { &word });
    }
    let clauses = rules.clauses.iter().rev().cloned().collect();
    let other = Rules { symbols, clauses, comments: Vec::new(), syntax: Syntax::Kif };
    let text = |clause| gdl::print::clause(&other, clause, Syntax::Kif);
    let text: Vec<String> = other.clauses.iter().map(text).collect();
    Game::from_text(&text.join("\n")).expect("sound as well")
}

/// Plays a match of the default player for the first role against the first legal moves: what it found out.
fn play(game: &Game, archive: &Arc<dyn Archive>, start: Duration) -> Vec<String> {
    let reasoner = Reasoner::build(game, &Budget::default());
    let mut setup = Setup::new(game, Role(0)).with_reasoner(&reasoner);
    setup.archive = Some(archive.clone());
    // Quick games would not decide for much longer moves, and would not be played.
    setup.play_clock = Duration::from_millis(500);
    // Small games would be solved, and then there is nothing to learn.
    let strategy = Strategy::parse("fluxion:guard=0").expect("the default");
    let mut player: Player = strategy.player(setup);
    let begin = Instant::now();
    player.start(&Deadline::within(start)).expect("started");
    assert!(begin.elapsed() < start + Duration::from_secs(1), "{:?}", begin.elapsed());
    let mut machine = reasoner.machine();
    let mut state = machine.initial().expect("small");
    let mut last: Option<JointMove> = None;
    let mut legal = Vec::new();
    while !machine.is_terminal(&state).expect("small") {
        let deadline = Deadline::within(Duration::from_millis(30));
        let own = player.play(last.as_ref(), &deadline).expect("a move");
        let mut joint = vec![own];
        for role in game.role_ids().skip(1) {
            machine.legal_moves(&state, role, &mut legal).expect("small");
            joint.push(legal[0]);
        }
        last = Some(JointMove(joint));
        state = machine.next(&state, last.as_ref().expect("just made")).expect("legal");
    }
    player.finish(last.as_ref());
    player.stop();
    player.findings()
}

fn has(findings: &[String], text: &str) -> bool {
    findings.iter().any(|line| line.contains(text))
}

const START: Duration = Duration::from_secs(4);

/// Plays matches until all stages of a start clock found the time they need: on a busy machine some are late. Returns the
/// findings of the last match, and how many there were.
fn play_until(
    game: &Game,
    archive: &Arc<dyn Archive>,
    enough: impl Fn(&[String]) -> bool,
) -> (Vec<String>, u64) {
    for number in 1..=8 {
        let findings = play(game, archive, START);
        if enough(&findings) {
            return (findings, number);
        }
    }
    panic!("never enough: {:?}", play(game, archive, START));
}

#[test]
fn a_game_seen_before_is_known_again_under_other_names() {
    let shelf = Arc::new(Shelf::default());
    let archive: Arc<dyn Archive> = shelf.clone();
    // Of quick games for which there was no time nothing is kept.
    let learned =
        |findings: &[String]| has(findings, "correlation") && !shelf.only().trials.is_empty();
    let first = play(&copy("tictactoe", 0), &archive, START);
    assert!(has(&first, "is new") && !has(&first, "seen before"), "{first:?}");
    let (_, more) = play_until(&copy("tictactoe", 0), &archive, learned);
    let known = shelf.only();
    assert_eq!(known.matches, 1 + more);
    assert!(known.words.contains(&"xplayer".to_owned()), "{:?}", known.words);
    assert!(known.lesson.is_some() && known.class.is_some() && !known.trials.is_empty());
    let ended = |known: &Knowledge| known.outcomes.iter().map(|one| one.matches).sum::<u64>();
    assert_eq!(ended(&known), 1 + more);

    let other = copy("tictactoe", 1);
    let (second, again) = play_until(&other, &archive, |found| {
        has(found, "of earlier matches") && has(found, ", earlier ")
    });
    assert!(has(&second, &format!("seen before: {} matches, ", more + again)), "{second:?}");
    let later = shelf.only();
    assert_eq!((later.matches, &later.words), (1 + more + again, &known.words));
    assert_eq!(ended(&later), 1 + more + again);
    // Other games are others.
    play(&copy("connect_four_4x4", 0), &archive, Duration::from_secs(2));
    assert_eq!(shelf.all().len(), 2);
}

/// What was learned under some names says the same about the same positions under others.
#[test]
fn weights_are_those_of_the_same_fluents() {
    let shelf = Arc::new(Shelf::default());
    let archive: Arc<dyn Archive> = shelf.clone();
    let learned = |findings: &[String]| has(findings, "correlation");
    play_until(&copy("connect_four_4x4", 0), &archive, learned);
    let first = shelf.only().lesson.expect("learned");
    // A game of the wrong weights would not be blended in.
    let used = |findings: &[String]| has(findings, "positions (");
    play_until(&copy("connect_four_4x4", 3), &archive, used);
    let second = shelf.only().lesson.expect("learned");
    assert!(second.positions > first.positions);
    assert_eq!(
        first.fluents.iter().filter(|name| second.fluents.contains(name)).count(),
        first.fluents.len()
    );
}

#[test]
fn what_cannot_be_read_is_told_in_one_line_and_replaced() {
    let shelf = Arc::new(Shelf::default());
    let archive: Arc<dyn Archive> = shelf.clone();
    play_until(&copy("tictactoe", 0), &archive, |found| {
        has(found, "knowledge (") && has(found, "kept")
    });
    for bad in [&b"{\"version\":1"[..], b"", b"\x00\xFF", b"{\"version\":99}", b"[[[[[["] {
        // On a busy machine it may come too late to be told.
        let told = (0..8).any(|_| {
            shelf.0.lock().expect("fine").values_mut().for_each(|bytes| *bytes = bad.to_vec());
            let findings = play(&copy("tictactoe", 2), &archive, Duration::from_secs(1));
            let told = findings.iter().filter(|line| line.contains("cannot be used")).count();
            assert!(told <= 1 && !has(&findings, "seen before"), "{findings:?}");
            told == 1 && has(&findings, "kept")
        });
        assert!(told, "{bad:?}");
        assert_eq!(shelf.only().matches, 1);
    }
}

/// An archive that panics, or takes its time.
#[derive(Debug)]
struct Clumsy {
    sleep: Duration,
}

impl Archive for Clumsy {
    fn recall(&self, _key: Key) -> Option<Vec<u8>> {
        std::thread::sleep(self.sleep);
        assert!(!self.sleep.is_zero(), "wanted by the test");
        None
    }

    fn change(&self, _key: Key, _change: &mut dyn FnMut(Option<Vec<u8>>) -> Option<Vec<u8>>) {
        std::thread::sleep(self.sleep);
    }
}

#[test]
fn an_archive_that_hangs_or_panics_costs_knowledge_only() {
    for sleep in [Duration::ZERO, Duration::from_secs(5)] {
        let archive: Arc<dyn Archive> = Arc::new(Clumsy { sleep });
        let game = copy("tictactoe", 0);
        let reasoner = Reasoner::build(&game, &Budget::default());
        let mut setup = Setup::new(&game, Role(0)).with_reasoner(&reasoner);
        setup.archive = Some(archive);
        let mut player = Strategy::parse("fluxion").expect("the default").player(setup);
        let begin = Instant::now();
        player.start(&Deadline::within(START)).expect("started");
        assert!(begin.elapsed() < START + Duration::from_secs(1), "{:?}", begin.elapsed());
        // A panic that tells much about itself may be late as well; so may be everything on a busy machine.
        let found = player.findings();
        let told = has(&found, ": failed") || has(&found, ": not ready in time");
        assert!(told || found.is_empty(), "{found:?}");
        player.play(None, &Deadline::within(Duration::from_millis(50))).expect("a move");
        player.stop();
    }
}
