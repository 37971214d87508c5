//! Games are known again: copies of the games of the library under other names, with rules, conditions and variables
//! in another order, have the key of the original, and names of terms that mean the same.
//!
//! The default run takes every seventh game; `FLUXION_ALL=1` takes all of them.

use std::collections::BTreeSet;
use std::time::Duration;

use game::playout::{Random, random_joint_move};
use game::{Deadline, Game, JointMove, Machine, Role, State};
use gdl::{Formula, FormulaKind, Rules, Symbols, Syntax, keyword};
use symmetry::{Bounds, Fingerprint, Key};

fn print(game: &Game) -> Fingerprint {
    let deadline = Deadline::within(Duration::from_secs(60));
    Fingerprint::of(game, &Bounds { deadline, ..Bounds::default() }).expect("small enough")
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for at in (1..list.len()).rev() {
        list.swap(at, random.below(at + 1));
    }
}

fn shuffle_within(formula: &mut Formula, random: &mut Random) {
    match &mut formula.kind {
        FormulaKind::Atom(_) => {}
        FormulaKind::Not(inner) => shuffle_within(inner, random),
        FormulaKind::Or(all) | FormulaKind::And(all) => {
            shuffle(all, random);
            for formula in all {
                shuffle_within(formula, random);
            }
        }
        FormulaKind::Distinct(a, b) => {
            if random.below(2) == 0 {
                std::mem::swap(a, b);
            }
        }
    }
}

/// A copy of rules: other names and variables (numbers stay), rules and conditions in another order.
fn scrambled(rules: &Rules, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut symbols = Symbols::new();
    let mut numbers: Vec<usize> = (0..rules.symbols.iter().count()).collect();
    shuffle(&mut numbers, &mut random);
    for (at, (_, name)) in rules.symbols.iter().enumerate().skip(keyword::ALL.len()) {
        let number = numbers[at];
        if name.starts_with('?') {
            symbols.intern(&format!("?v{number}"));
        } else if name.parse::<f64>().is_ok() {
            symbols.intern(name);
        } else {
            symbols.intern(&format!("w{number}"));
        }
    }
    let mut clauses = rules.clauses.clone();
    shuffle(&mut clauses, &mut random);
    for clause in &mut clauses {
        shuffle(&mut clause.body, &mut random);
        clause.body.iter_mut().for_each(|formula| shuffle_within(formula, &mut random));
    }
    let copy = Rules { symbols, clauses, comments: Vec::new(), syntax: Syntax::Kif };
    let text = |clause| gdl::print::clause(&copy, clause, Syntax::Kif);
    copy.clauses.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn some_games() -> Vec<&'static library::Entry> {
    let step = if std::env::var_os("FLUXION_ALL").is_some() { 1 } else { 7 };
    library::games().iter().step_by(step).collect()
}

/// A game with its fingerprint, and what of it can be compared with a copy.
struct Side {
    game: Game,
    print: Fingerprint,
    machine: game::Interpreter,
}

impl Side {
    fn new(text: &str) -> Self {
        let game = Game::from_text(text).expect("sound");
        Self { print: print(&game), machine: game.interpreter(), game }
    }

    fn state(&self, state: &State) -> BTreeSet<String> {
        let entry = |fluent| self.game.universe().fluent_entry(fluent);
        state.iter().map(|fluent| self.print.name(&entry(fluent).term).expect("a name")).collect()
    }

    /// The roles by their names.
    fn roles(&self) -> Vec<(String, Role)> {
        let name = |role: Role| self.print.name(&self.game.roles()[role.index()]).expect("a name");
        let mut roles: Vec<_> = self.game.role_ids().map(|role| (name(role), role)).collect();
        roles.sort();
        roles
    }

    fn legal(&mut self, state: &State) -> BTreeSet<(String, String)> {
        let mut all = BTreeSet::new();
        let mut moves = Vec::new();
        for (name, role) in self.roles() {
            self.machine.legal_moves(state, role, &mut moves).expect("an answer");
            for action in &moves {
                let term = self.game.universe().move_entry(*action).term.clone();
                all.insert((name.clone(), self.print.name(&term).expect("a name")));
            }
        }
        all
    }

    fn end(&mut self, state: &State) -> Option<Vec<Option<u8>>> {
        if !self.machine.is_terminal(state).expect("an answer") {
            return None;
        }
        let roles = self.roles();
        let mut goal = |role| self.machine.goal(state, role).expect("an answer").value();
        Some(roles.into_iter().map(|(_, role)| goal(role).map(|goal| goal.0)).collect())
    }
}

/// The joint move of the copy that has the names of one of the original.
fn image(one: &Side, joint: &JointMove, other: &Side) -> JointMove {
    let mut moves = joint.0.clone();
    for ((_, from), (_, to)) in one.roles().into_iter().zip(other.roles()) {
        let term = one.game.universe().move_entry(joint.of(from)).term.clone();
        let name = one.print.name(&term).expect("a name");
        let term = other.print.term(&name).expect("a term of the copy");
        moves[to.index()] = other.game.universe().action(&term);
    }
    JointMove(moves)
}

#[test]
fn scrambled_copies_have_one_key_and_names_that_mean_the_same() {
    for (number, entry) in (0..).zip(some_games()) {
        let mut one = Side::new(entry.rules);
        let text = scrambled(one.game.rules(), 11 + number);
        let mut other = Side::new(&text);
        assert_eq!(one.print.key(), other.print.key(), "{}", entry.name);
        let mut random = Random::new(3);
        let mut states = [&mut one, &mut other].map(|side| side.machine.initial().expect("small"));
        for step in 0..6 {
            let [here, there] = &states;
            let place = format!("{} step {step}", entry.name);
            assert_eq!(one.state(here), other.state(there), "{place}");
            let ends = (one.end(here), other.end(there));
            assert_eq!(ends.0, ends.1, "{place}");
            if ends.0.is_some() {
                break;
            }
            assert_eq!(one.legal(here), other.legal(there), "{place}");
            let Some(joint) =
                random_joint_move(&mut one.machine, here, &mut random).expect("small")
            else {
                break;
            };
            let turned = image(&one, &joint, &other);
            let next = one.machine.next(here, &joint).expect("legal");
            states = [next, other.machine.next(there, &turned).expect("legal")];
        }
    }
}

#[test]
fn different_games_have_different_keys() {
    let mut seen: Vec<(Key, &str)> = Vec::new();
    for entry in library::games() {
        let game = Game::from_text(entry.rules).expect("sound");
        seen.push((print(&game).key(), entry.name));
    }
    seen.sort_unstable();
    for pair in seen.windows(2) {
        assert_ne!(pair[0].0, pair[1].0, "{} and {}", pair[0].1, pair[1].1);
    }
}

/// A rule without one of its conditions, or a goal of another worth.
#[test]
fn a_changed_rule_makes_another_key() {
    for entry in some_games() {
        let game = Game::from_text(entry.rules).expect("sound");
        let key = print(&game).key();
        let rules = game.rules();
        let mut tried = 0;
        for at in 0..rules.clauses.len() {
            let clause = &rules.clauses[at];
            let matters = [keyword::LEGAL, keyword::NEXT, keyword::TERMINAL, keyword::GOAL];
            if clause.body.len() < 2 || !matters.contains(&clause.head.name) || tried == 3 {
                continue;
            }
            let mut changed = rules.clone();
            changed.clauses[at].body.remove(0);
            let text = |clause| gdl::print::clause(&changed, clause, Syntax::Kif);
            let text: Vec<String> = changed.clauses.iter().map(text).collect();
            let Ok(other) = Game::from_text(&text.join("\n")) else { continue };
            assert_ne!(print(&other).key(), key, "{} without {:?}", entry.name, clause.span);
            tried += 1;
        }
    }
}
