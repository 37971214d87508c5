//! What lies under the pieces: facts of the rules about the cells of a board, such as the floor and the targets of
//! Sokoban. They never change, so no fluent tells them, but nobody can play without seeing them.
//!
//! A relation of facts is about the cells of a board where some rule uses it with the same two variables as the
//! coordinates of a fluent of the board. Names decide nothing.

use std::collections::{BTreeMap, BTreeSet};

use game::Game;
use gdl::{Atom, Formula, FormulaKind, Symbol, Term, TermKind};
use structure::{Structures, args};

/// A cell of a picture: picture, column, row.
type Place = (usize, usize, usize);

/// The facts about cells.
#[derive(Debug, Default)]
pub struct Ground {
    cells: BTreeMap<Place, Vec<String>>,
}

/// The most facts of a relation that are looked at.
const MOST: usize = 2500;
/// Relations that are no facts about a board, whatever their arguments.
const KEYWORDS: [&str; 10] =
    ["role", "init", "next", "legal", "goal", "does", "true", "base", "input", "terminal"];

impl Ground {
    /// The facts about the cells of the boards that are drawn.
    pub fn find(game: &Game, structures: &Structures) -> Self {
        let facts = facts(game);
        let mut links = BTreeSet::new();
        for clause in &game.rules().clauses {
            let mut atoms = vec![&clause.head];
            for formula in &clause.body {
                atoms_of(formula, &mut atoms);
            }
            link(game, structures, &atoms, &facts, &mut links);
        }
        let places = places(game, structures);
        let mut ground = Self::default();
        for (name, board, first, second) in links {
            let Some(tuples) = facts.get(&name) else { continue };
            let spot = |tuple: &Vec<String>| {
                let key = (board, tuple.get(first)?.clone(), tuple.get(second)?.clone());
                places.get(&key).copied()
            };
            let found: BTreeSet<Place> = tuples.iter().filter_map(spot).collect();
            let pictures: BTreeSet<usize> = found.iter().map(|place| place.0).collect();
            let cells = places.values().filter(|place| pictures.contains(&place.0));
            let whole: BTreeSet<&Place> = cells.collect();
            if found.len() < whole.len() {
                ground.add(&name.0, found);
            }
        }
        ground
    }

    fn add(&mut self, name: &str, found: BTreeSet<Place>) {
        for place in found {
            let names = self.cells.entry(place).or_default();
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }

    /// What is said of a cell.
    pub fn at(&self, picture: usize, column: usize, row: usize) -> &[String] {
        self.cells.get(&(picture, column, row)).map_or(&[], |names| names)
    }
}

/// A relation: its name and arity.
type Relation = (String, usize);
/// A relation about a board, with the places of the two coordinates among its arguments.
type Link = (Relation, usize, usize, usize);

/// The relations that facts alone define, with their arguments as texts.
fn facts(game: &Game) -> BTreeMap<Relation, Vec<Vec<String>>> {
    let symbols = game.universe().symbols();
    let mut facts: BTreeMap<Relation, Vec<Vec<String>>> = BTreeMap::new();
    let mut derived = BTreeSet::new();
    for clause in &game.rules().clauses {
        let name = symbols.name(clause.head.name);
        let relation = (name.to_owned(), clause.head.args.len());
        let constant = |term: &Term| match &term.kind {
            TermKind::Constant(symbol) => Some(symbols.name(*symbol).to_owned()),
            _ => None,
        };
        let tuple: Option<Vec<String>> = clause.head.args.iter().map(constant).collect();
        match tuple.filter(|_| clause.body.is_empty()) {
            Some(tuple) => facts.entry(relation).or_default().push(tuple),
            None => drop(derived.insert(relation)),
        }
    }
    facts.retain(|relation, tuples| {
        let (name, arity) = relation;
        !KEYWORDS.contains(&name.as_str())
            && (2..=3).contains(arity)
            && tuples.len() <= MOST
            && !derived.contains(relation)
    });
    facts
}

fn atoms_of<'f>(formula: &'f Formula, atoms: &mut Vec<&'f Atom>) {
    match &formula.kind {
        FormulaKind::Atom(atom) => atoms.push(atom),
        FormulaKind::Not(inner) => atoms_of(inner, atoms),
        FormulaKind::Or(all) | FormulaKind::And(all) => {
            for inner in all {
                atoms_of(inner, atoms);
            }
        }
        FormulaKind::Distinct(..) => {}
    }
}

fn variable(term: &Term) -> Option<Symbol> {
    match term.kind {
        TermKind::Variable(name) => Some(name),
        _ => None,
    }
}

/// Finds the relations that a rule uses for cells.
fn link(
    game: &Game,
    structures: &Structures,
    atoms: &[&Atom],
    facts: &BTreeMap<Relation, Vec<Vec<String>>>,
    links: &mut BTreeSet<Link>,
) {
    let symbols = game.universe().symbols();
    for (number, x, y) in atoms.iter().flat_map(|atom| coordinates(game, structures, atom)) {
        for atom in atoms {
            let relation = (symbols.name(atom.name).to_owned(), atom.args.len());
            let at =
                |wanted: Symbol| atom.args.iter().position(|arg| variable(arg) == Some(wanted));
            if let (true, Some(first), Some(second)) = (facts.contains_key(&relation), at(x), at(y))
            {
                links.insert((relation, number, first, second));
            }
        }
    }
}

/// The boards that an atom about a fluent belongs to, with the variables of their two coordinates.
fn coordinates(game: &Game, structures: &Structures, atom: &Atom) -> Vec<(usize, Symbol, Symbol)> {
    let symbols = game.universe().symbols();
    let about = matches!(symbols.name(atom.name), "true" | "next");
    let [Term { kind: TermKind::Function(name, inner), .. }] = &atom.args[..] else {
        return Vec::new();
    };
    let boards = structures.boards.iter().enumerate().filter(|(_, board)| {
        let functor = board.functor;
        about && functor.name == *name && functor.arity as usize == inner.len()
    });
    boards
        .filter_map(|(number, board)| {
            let grid = board.grid();
            let [x, y] = grid[..] else { return None };
            let named = |at: usize| inner.get(at).and_then(variable);
            let (x, y) = (named(x.argument)?, named(y.argument)?);
            (x != y && board.selectors().is_empty()).then_some((number, x, y))
        })
        .collect()
}

/// Where the cells of boards with two coordinates are drawn.
fn places(game: &Game, structures: &Structures) -> BTreeMap<(usize, String, String), Place> {
    let universe = game.universe();
    let mut places = BTreeMap::new();
    for (number, spot) in structures.spots(game).into_iter().enumerate() {
        let Some(spot) = spot else { continue };
        let entry = universe.fluent_entry(game::FluentId(number as u32));
        let grid = structures.boards[spot.board].grid();
        let [x, y] = grid[..] else { continue };
        let args = args(&entry.term);
        let text = |at: usize| args.get(at).map(|arg| arg.to_text(universe.symbols()));
        if let (Some(x), Some(y)) = (text(x.argument), text(y.argument)) {
            places.insert((spot.board, x, y), (spot.picture, spot.column, spot.row));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use game::{Budget, Deadline, Reasoner};
    use structure::{NoProver, Settings};

    use super::*;

    fn marks(name: &str) -> BTreeMap<String, usize> {
        let entry = library::find(name).expect("is in the library");
        let game = Game::from_text(entry.rules).expect("valid");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let found =
            Structures::find(&reasoner, &Settings::default(), &Deadline::never(), &mut NoProver);
        let ground = Ground::find(&game, &found);
        let mut counts = BTreeMap::new();
        for name in ground.cells.values().flatten() {
            *counts.entry(name.clone()).or_default() += 1;
        }
        counts
    }

    #[test]
    fn the_floor_and_the_targets_of_sokoban_are_seen() {
        let found = marks("sokoban");
        assert_eq!(found.get("target"), Some(&2), "{found:?}");
        assert_eq!(found.get("floor"), Some(&18), "{found:?}");
    }

    #[test]
    fn orders_of_coordinates_are_no_ground() {
        for name in ["tictactoe", "breakthrough_5x5"] {
            assert_eq!(marks(name), BTreeMap::new(), "{name}");
        }
    }
}
