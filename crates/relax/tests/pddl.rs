//! Exported tasks keep to the grammar of PDDL.

use std::collections::BTreeSet;

use game::{Budget, Deadline, Game, Reasoner};
use gdl::sexp::{Sexp, SexpKind};
use relax::pddl::{NoTask, Task, task};
use relax::{Operators, Waits};

fn export(name: &str) -> Result<Task, NoTask> {
    let sheet = library::find(name).expect("is in the library");
    let game = Game::from_text(sheet.rules).expect("valid");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let program = reasoner.gates().expect("small").program();
    let waits = Waits::none(program);
    let operators = Operators::derive(program, waits, &Deadline::never()).expect("small");
    task(program, &operators, name)
}

fn words<'a>(item: &'a Sexp<'a>, out: &mut Vec<&'a str>) {
    match &item.kind {
        SexpKind::Symbol(name) => out.push(name),
        SexpKind::List(items) => items.iter().for_each(|item| words(item, out)),
    }
}

/// The atoms of a condition, which must be built of and, or, not, when and atoms without parameters.
fn atoms<'a>(item: &'a Sexp<'a>, out: &mut BTreeSet<&'a str>) {
    let SexpKind::List(items) = &item.kind else { panic!("a list is wanted") };
    let Some((head, rest)) = items.split_first() else { panic!("an empty condition") };
    match head.as_symbol().expect("a word") {
        "and" | "or" | "not" | "when" => rest.iter().for_each(|item| atoms(item, out)),
        name => {
            assert!(rest.is_empty(), "{name} has parameters");
            out.insert(name);
        }
    }
}

fn list<'a>(item: &'a Sexp<'a>) -> &'a [Sexp<'a>] {
    match &item.kind {
        SexpKind::List(items) => items,
        SexpKind::Symbol(_) => &[],
    }
}

#[test]
fn puzzles_become_tasks_in_which_everything_is_declared() {
    for name in ["blocks_world", "hanoi", "eight_puzzle", "lights_on", "maze"] {
        let task = export(name).expect("a task");
        let limits = gdl::Limits::default();
        let domain = gdl::sexp::read(&task.domain, &limits);
        let problem = gdl::sexp::read(&task.problem, &limits);
        assert!(domain.problems.is_empty() && problem.problems.is_empty());
        let (mut declared, mut used) = (BTreeSet::new(), BTreeSet::new());
        let mut actions = BTreeSet::new();
        for part in &list(&domain.items[0])[1..] {
            let items = list(part);
            match items[0].as_symbol() {
                Some(":predicates") => {
                    for predicate in &items[1..] {
                        let mut name = Vec::new();
                        words(predicate, &mut name);
                        assert!(declared.insert(name[0]) && name.len() == 1, "{name:?}");
                    }
                }
                Some(":derived") => items[1..].iter().for_each(|item| atoms(item, &mut used)),
                Some(":action") => {
                    assert!(actions.insert(items[1].as_symbol().expect("a name")));
                    let keys: Vec<_> = items[2..].iter().step_by(2).map(Sexp::as_symbol).collect();
                    let wanted = [":parameters", ":precondition", ":effect"].map(Some);
                    assert_eq!(keys, wanted);
                    assert!(list(&items[3]).is_empty());
                    atoms(&items[5], &mut used);
                    atoms(&items[7], &mut used);
                }
                Some("domain" | ":requirements") => {}
                other => panic!("{other:?}"),
            }
        }
        for part in &list(&problem.items[0])[1..] {
            match list(part)[0].as_symbol() {
                Some(":init") => list(part)[1..].iter().for_each(|item| atoms(item, &mut used)),
                Some(":goal") => atoms(&list(part)[1], &mut used),
                _ => {}
            }
        }
        assert!(used.is_subset(&declared), "{name}: {:?}", used.difference(&declared));
        let letters = |name: &&str| name.starts_with(|c: char| c.is_ascii_alphabetic());
        assert!(declared.iter().all(letters) && actions.iter().all(letters));
    }
}

#[test]
fn games_of_several_roles_are_no_tasks() {
    assert_eq!(export("tictactoe"), Err(NoTask::Roles));
}
