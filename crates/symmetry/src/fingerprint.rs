//! What is the same for all copies of a rule sheet, whatever the names and the order of rules: a key to know the game
//! again by, and names for its terms.
//!
//! The rule graph (thesis Def. 8.4) keeps neither names nor orders, so scrambled copies of a sheet have isomorphic
//! graphs (Theorem 8.1 is about those that are equal). Brought into a canonical order, the graph itself is the same for all
//! copies; its key is a hash of labels and edges. A symbol is then called by its place among the symbols, and its arguments
//! are written in the order of their argument vertices. Two canonical orders of one graph differ by a symmetry of
//! the game, so what is known about a term holds for whatever has its name in a copy.

use std::fmt;
use std::str::FromStr;

use game::{Deadline, Game, GroundTerm};
use gdl::keyword;
use rustc_hash::FxHashMap;

use crate::goal_values::possible_goal_values;
use crate::labelling::canonical_places;
use crate::rule_graph::{Description, RuleGraph, SymbolKey};
use crate::rules::{Start, needed_rules};

/// How much may be spent on a fingerprint.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// When to give up.
    pub deadline: Deadline,
    /// Larger graphs have no fingerprint.
    pub most_vertices: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { deadline: Deadline::never(), most_vertices: 300_000 }
    }
}

/// A key of a game; the same for all copies of a rule sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u128);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A text that is no key: 32 hexadecimal digits are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadKey;

impl FromStr for Key {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let digits = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let number = digits.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        number.map(Self).ok_or(BadKey)
    }
}

/// The key of a game, and the names of its symbols that do not depend on the copy of the sheet.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    key: Key,
    /// In the order of their names.
    symbols: Vec<Named>,
    names: FxHashMap<SymbolKey, u32>,
}

#[derive(Clone, Debug)]
struct Named {
    key: SymbolKey,
    /// Where each argument is written.
    places: Vec<u32>,
}

/// How deep a term may be.
const DEEPEST: usize = 64;

impl Fingerprint {
    /// The fingerprint of a game; none if it could not be found within the bounds.
    pub fn of(game: &Game, bounds: &Bounds) -> Option<Self> {
        let program = game.program();
        let rules = needed_rules(program, Start::Kept);
        let values = possible_goal_values(&rules, &program.symbols)?;
        let fixed: Vec<_> = values.iter().map(|(symbol, _)| *symbol).collect();
        let built = RuleGraph::new(&Description {
            rules: &rules,
            left_out: &[],
            goal_values: &fixed,
            state: &[],
            fix_roles: false,
        });
        if built.graph().vertices() > bounds.most_vertices || bounds.deadline.passed() {
            return None;
        }
        let value = |symbol| values.iter().find(|(other, _)| *other == symbol).map(|(_, v)| *v);
        // Keywords and goal values apart.
        let keywords = keyword::ALL.len() as u32;
        let codes =
            built.label_codes(|symbol| value(symbol).map_or(symbol.0, |v| keywords + u32::from(v)));
        let mut kinds = codes.clone();
        kinds.sort_unstable();
        kinds.dedup();
        let mut graph = built.graph().clone();
        for (v, code) in (0..).zip(&codes) {
            graph.recolour(v, kinds.partition_point(|kind| kind < code) as u32);
        }
        let places = canonical_places(&graph, &bounds.deadline)?;
        let (starts, ends) = graph.neighbours();
        let key = digest(&codes, &places, &starts, &ends);
        Some(Self::named(key, &built, &places))
    }

    fn named(key: Key, built: &RuleGraph, places: &[u32]) -> Self {
        let mut symbols: Vec<(u32, Named)> = built
            .symbols()
            .map(|(key, vertex)| {
                let own = &places[vertex as usize + 1..][..key.arity as usize];
                let rank = |place: &u32| own.iter().filter(|other| *other < place).count() as u32;
                let named = Named { key, places: own.iter().map(rank).collect() };
                (places[vertex as usize], named)
            })
            .collect();
        symbols.sort_by_key(|(place, _)| *place);
        let symbols: Vec<Named> = symbols.into_iter().map(|(_, named)| named).collect();
        let names = (0..).zip(&symbols).map(|(number, named)| (named.key, number)).collect();
        Self { key, symbols, names }
    }

    /// The key.
    pub fn key(&self) -> Key {
        self.key
    }

    /// The number of a symbol, and where each of its arguments is written.
    pub fn symbol(&self, key: SymbolKey) -> Option<(u32, &[u32])> {
        let number = *self.names.get(&key)?;
        Some((number, &self.symbols[number as usize].places))
    }

    /// The symbol of a number, and where each of its arguments is written.
    pub fn symbol_of(&self, number: u32) -> Option<(SymbolKey, &[u32])> {
        let named = self.symbols.get(number as usize)?;
        Some((named.key, &named.places))
    }

    /// The name of a term; none if a symbol in it is not one of the rules that matter.
    pub fn name(&self, term: &GroundTerm) -> Option<String> {
        let mut name = String::new();
        self.write(term, &mut name)?;
        Some(name)
    }

    fn write(&self, term: &GroundTerm, out: &mut String) -> Option<()> {
        let (key, args): (SymbolKey, &[GroundTerm]) = match term {
            GroundTerm::Constant(name) => (SymbolKey { name: *name, arity: 0, parens: false }, &[]),
            GroundTerm::Function(name, args) => {
                (SymbolKey { name: *name, arity: args.len() as u32, parens: true }, args)
            }
        };
        let (number, places) = self.symbol(key)?;
        if !key.parens {
            out.push_str(&number.to_string());
            return Some(());
        }
        out.push('(');
        out.push_str(&number.to_string());
        let mut order: Vec<usize> = (0..args.len()).collect();
        order.sort_by_key(|at| places[*at]);
        for at in order {
            out.push(' ');
            self.write(&args[at], out)?;
        }
        out.push(')');
        Some(())
    }

    /// The term of a name; none if it is no name of a term.
    pub fn term(&self, name: &str) -> Option<GroundTerm> {
        let mut rest = name;
        let term = self.read(&mut rest, DEEPEST)?;
        rest.is_empty().then_some(term)
    }

    fn read(&self, rest: &mut &str, depth: usize) -> Option<GroundTerm> {
        let depth = depth.checked_sub(1)?;
        let parens = rest.starts_with('(');
        *rest = &rest[usize::from(parens)..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (key, places) = self.symbol_of(rest[..digits].parse().ok()?)?;
        *rest = &rest[digits..];
        if key.parens != parens {
            return None;
        }
        if !parens {
            return Some(GroundTerm::Constant(key.name));
        }
        let mut written = Vec::new();
        while let Some(after) = rest.strip_prefix(' ') {
            *rest = after;
            written.push(self.read(rest, depth)?);
        }
        *rest = rest.strip_prefix(')')?;
        let fits = written.len() == key.arity as usize;
        let args = places.iter().map(|place| written.get(*place as usize).cloned());
        fits.then(|| Some(GroundTerm::Function(key.name, args.collect::<Option<_>>()?)))?
    }
}

/// A hash of a graph: its labels and edges by places.
fn digest(codes: &[u64], places: &[u32], starts: &[usize], ends: &[u32]) -> Key {
    let mut by_place = vec![0_u32; places.len()];
    for (v, place) in (0..).zip(places) {
        by_place[*place as usize] = v;
    }
    let mut mixed = Mixed::default();
    mixed.add(places.len() as u64);
    for v in by_place {
        let v = v as usize;
        mixed.add(codes[v]);
        let near = ends[starts[v]..starts[v + 1]].iter().map(|n| places[*n as usize]);
        let mut near: Vec<u32> = near.collect();
        near.sort_unstable();
        mixed.add(near.len() as u64);
        for n in near {
            mixed.add(u64::from(n));
        }
    }
    mixed.key()
}

/// Two mixes of 64 bits over a sequence of words, each with numbers of its own. A cryptographic hash is not needed:
/// who makes two games with one key on purpose only makes the player recall what does not help.
#[derive(Default)]
struct Mixed {
    one: u64,
    other: u64,
}

impl Mixed {
    fn add(&mut self, word: u64) {
        self.one = scatter((self.one ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15));
        self.other =
            scatter(self.other.rotate_left(23).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ !word);
    }

    fn key(&self) -> Key {
        Key(u128::from(self.one) << 64 | u128::from(self.other))
    }
}

/// The finalizer of splitmix64 (Steele, Lea and Flood 2014).
fn scatter(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIGHTS: &str = "(role you) (init (step 1)) (init (lamp a off)) (init (lamp b off))
        (succ 1 2) (succ 2 3) (side a) (side b)
        (<= (legal you (press ?s)) (side ?s))
        (<= (next (lamp ?s on)) (does you (press ?s)))
        (<= (next (lamp ?s ?x)) (true (lamp ?s ?x)) (does you (press ?t)) (distinct ?s ?t))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= terminal (true (step 3)))
        (<= (goal you 100) (true (lamp a on)) (true (lamp b on)))
        (<= (goal you 0) (true (lamp ?s off)))";

    fn print(text: &str) -> (Game, Fingerprint) {
        let game = Game::from_text(text).expect("sound rules");
        let print = Fingerprint::of(&game, &Bounds::default()).expect("small");
        (game, print)
    }

    #[test]
    fn names_are_read_back_and_others_are_not() {
        let (game, print) = print(LIGHTS);
        for text in ["(lamp a off)", "(step 3)", "(press b)", "you"] {
            let term = game.universe().parse(text).expect("a term");
            let name = print.name(&term).expect("a name");
            assert_eq!(print.term(&name), Some(term), "{text} {name}");
        }
        let unknown = game.universe().parse("(lamp a purple)");
        assert!(unknown.is_none_or(|term| print.name(&term).is_none()));
        for bad in ["", "(", "()", "(0", "9999", "(0 0 0 0 0 0 0)", "0 0", "x", "1é"] {
            assert_eq!(print.term(bad), None, "{bad}");
        }
        assert_eq!(print.term(&"(".repeat(100_000)), None);
    }

    #[test]
    fn a_copy_with_arguments_in_another_order_is_the_same_game() {
        let (game, one) = print(LIGHTS);
        let turned = LIGHTS
            .replace("(lamp a off)", "(licht aus x)")
            .replace("(lamp b off)", "(licht aus y)")
            .replace("(lamp a on)", "(licht an x)")
            .replace("(lamp b on)", "(licht an y)")
            .replace("(lamp ?s on)", "(licht an ?s)")
            .replace("(lamp ?s off)", "(licht aus ?s)")
            .replace("(lamp ?s ?x)", "(licht ?x ?s)")
            .replace("(side a) (side b)", "(side x) (side y)");
        let (copy, other) = print(&turned);
        assert_eq!(one.key(), other.key());
        let name = |game: &Game, print: &Fingerprint, text: &str| {
            print.name(&game.universe().parse(text).expect("a term")).expect("a name")
        };
        // The two lamps may be exchanged, so off and on are compared.
        let mut offs = [name(&game, &one, "(lamp a off)"), name(&game, &one, "(lamp b off)")];
        let mut aus = [name(&copy, &other, "(licht aus x)"), name(&copy, &other, "(licht aus y)")];
        offs.sort();
        aus.sort();
        assert_eq!(offs, aus);
    }

    #[test]
    fn numbers_that_are_no_goal_values_are_names_and_goal_values_are_not() {
        let (_, one) = print(LIGHTS);
        let steps = LIGHTS.replace("1)", "one)").replace("1 2", "one 2");
        assert_eq!(one.key(), print(&steps).1.key());
        let worth = LIGHTS.replace("100", "90");
        assert_ne!(one.key(), print(&worth).1.key());
        let never = LIGHTS.replace("(true (step 3))", "(true (step 2))");
        assert_ne!(one.key(), print(&never).1.key());
    }

    #[test]
    fn too_large_or_too_late_is_no_fingerprint() {
        let game = Game::from_text(LIGHTS).expect("sound rules");
        let small = Bounds { most_vertices: 10, ..Bounds::default() };
        assert!(Fingerprint::of(&game, &small).is_none());
        let late =
            Bounds { deadline: Deadline::within(std::time::Duration::ZERO), ..Bounds::default() };
        assert!(Fingerprint::of(&game, &late).is_none());
    }

    #[test]
    fn keys_are_read_as_they_are_written() {
        let key = print(LIGHTS).1.key();
        assert_eq!(key.to_string().parse(), Ok(key));
        for bad in ["", "12", "+1234567890123456789012345678901", "zz"] {
            assert_eq!(bad.parse::<Key>(), Err(BadKey), "{bad}");
        }
    }
}
