//! Successor and order relations, found by what they mean (thesis §5.2.2), and distances along them (§5.3.1).
//!
//! Every static binary relation is evaluated in full, so it does not matter how it is written: facts, rules,
//! recursion. Its properties are then checked pair by pair.

use game::{Deadline, GroundTerm};
use gdl::normal::Program;
use gdl::{Relation, Symbols};
use ground::{Domains, Place};
use rustc_hash::FxHashMap;

use crate::settings::Settings;

/// Which of the two definitions of thesis §5.2.2 a relation fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKind {
    /// Antisymmetric, functional and injective.
    Successor,
    /// Antisymmetric and transitive, and nothing is smaller than itself.
    Strict,
    /// Antisymmetric and transitive, and terms are related to themselves.
    NonStrict,
}

/// A relation that orders terms.
#[derive(Clone, Debug)]
pub struct Order {
    /// The relation.
    pub relation: Relation,
    /// What it is.
    pub kind: OrderKind,
    /// Whether any two of the terms are comparable: one line without branches or gaps.
    pub total: bool,
    /// Whether following the relation leads back to where one started: a ring.
    pub cyclic: bool,
    terms: Vec<GroundTerm>,
    index: FxHashMap<GroundTerm, u32>,
    distances: Distances,
}

/// Lengths of paths in the Hasse diagram.
#[derive(Clone, Debug)]
enum Distances {
    /// The diagram consists of lines and rings: for each term its line, its place there, and the length of
    /// the line if it is a ring, else 0.
    Lines(Vec<(u32, u32, u32)>),
    /// Anything else: for each pair the length, [`FAR`] if there is no path.
    Table(Vec<u16>),
}

const FAR: u16 = u16::MAX;
/// The most terms of an order that is not made of lines.
const MOST_BRANCHING: usize = 1024;
/// The most terms for which transitivity is checked.
const MOST_TERMS: usize = 4096;

impl Order {
    /// The terms, smaller ones first.
    pub fn terms(&self) -> &[GroundTerm] {
        &self.terms
    }

    /// The place of a term in [`Order::terms`].
    pub fn position(&self, term: &GroundTerm) -> Option<usize> {
        self.index.get(term).map(|at| *at as usize)
    }

    /// Δr(a,b): the length of the shortest path from `a` up to `b` in the Hasse diagram (thesis §5.3.1);
    /// none if there is no path. For a successor relation the diagram is the relation itself.
    pub fn steps(&self, a: usize, b: usize) -> Option<u32> {
        if a == b {
            return Some(0);
        }
        match &self.distances {
            Distances::Lines(places) => {
                let ((line, from, ring), (other, to, _)) = (*places.get(a)?, *places.get(b)?);
                match (line == other, ring) {
                    (false, _) => None,
                    (true, 0) => to.checked_sub(from),
                    (true, ring) => Some((to + ring - from) % ring),
                }
            }
            Distances::Table(table) => {
                let steps = *table.get(a * self.terms.len() + b)?;
                (steps != FAR).then_some(u32::from(steps))
            }
        }
    }

    /// The distance in either direction, as boards and quantities use it (thesis Eq. 5.10, 5.11).
    pub fn distance(&self, a: usize, b: usize) -> Option<u32> {
        match (self.steps(a, b), self.steps(b, a)) {
            (Some(up), Some(down)) => Some(up.min(down)),
            (up, down) => up.or(down),
        }
    }

    /// What the relation is, for people.
    pub fn describe(&self) -> &'static str {
        match (self.kind, self.total, self.cyclic) {
            (OrderKind::Successor, _, true) => "successor relation (cyclic)",
            (OrderKind::Successor, _, false) => "successor relation",
            (OrderKind::Strict, true, _) => "strict total order",
            (OrderKind::Strict, false, _) => "strict partial order",
            (OrderKind::NonStrict, true, _) => "total order",
            (OrderKind::NonStrict, false, _) => "partial order",
        }
    }
}

/// All successor and order relations of a program, and remarks on relations that were not examined.
pub(crate) fn find(
    program: &Program,
    domains: &Domains,
    settings: &Settings,
    deadline: &Deadline,
    notes: &mut Vec<String>,
) -> Vec<Order> {
    let mut orders = Vec::new();
    let limits = settings.limits(deadline);
    for relation in datalog::static_relations(program) {
        if relation.arity != 2 {
            continue;
        }
        let [first, second] = [0, 1].map(|at| Place::relation(relation, at));
        if domains.component_of(first) != domains.component_of(second) {
            continue;
        }
        let name = program.symbols.name(relation.name);
        if deadline.passed() {
            notes.push(format!("out of time before the relation {name} was examined"));
            break;
        }
        match datalog::extent(program, relation, &limits) {
            Ok(rows) => {
                let linked = domains.link_of(first) == domains.link_of(second);
                orders.extend(examine(relation, &rows, linked, &program.symbols));
            }
            Err(why) => notes.push(format!("the relation {name} was not examined: {why}")),
        }
    }
    orders
}

/// The pairs of a relation as numbers, without what is related to itself.
struct Pairs {
    terms: Vec<GroundTerm>,
    /// Different terms, sorted.
    list: Vec<(u32, u32)>,
    /// How many terms are related to themselves.
    reflexive: usize,
}

impl Pairs {
    fn new(rows: &[Vec<GroundTerm>], symbols: &Symbols) -> Self {
        let mut terms: Vec<GroundTerm> = rows.iter().flatten().cloned().collect();
        terms.sort_by_cached_key(|term| natural(&term.to_text(symbols)));
        terms.dedup();
        let index: FxHashMap<&GroundTerm, u32> = terms.iter().zip(0..).collect();
        let all: Vec<(u32, u32)> = rows
            .iter()
            .filter(|row| row.len() == 2)
            .map(|row| (index[&row[0]], index[&row[1]]))
            .collect();
        let mut pairs: Vec<_> = all.iter().copied().filter(|(a, b)| a != b).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let reflexive = all.iter().filter(|(a, b)| a == b).count();
        Self { terms, list: pairs, reflexive }
    }

    fn antisymmetric(&self) -> bool {
        self.list.iter().all(|(a, b)| self.list.binary_search(&(*b, *a)).is_err())
    }

    fn functional(&self) -> bool {
        self.reflexive == 0 && self.list.windows(2).all(|two| two[0].0 != two[1].0)
    }

    fn injective(&self) -> bool {
        let mut seen = vec![false; self.terms.len()];
        self.list.iter().all(|(_, b)| !std::mem::replace(&mut seen[*b as usize], true))
    }

    /// Whether some pair begins where another one ends.
    fn chained(&self) -> bool {
        let mut first = vec![false; self.terms.len()];
        self.list.iter().for_each(|(a, _)| first[*a as usize] = true);
        self.list.iter().any(|(_, b)| first[*b as usize])
    }

    fn rows(&self) -> Rows {
        let words = self.terms.len().div_ceil(64);
        let mut bits = vec![0u64; words * self.terms.len()];
        for (a, b) in &self.list {
            bits[*a as usize * words + *b as usize / 64] |= 1 << (b % 64);
        }
        Rows { words, bits }
    }
}

/// For each term the set of those it is related to.
struct Rows {
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    fn of(&self, term: u32) -> &[u64] {
        &self.bits[term as usize * self.words..][..self.words]
    }
}

fn examine(
    relation: Relation,
    rows: &[Vec<GroundTerm>],
    linked: bool,
    symbols: &Symbols,
) -> Option<Order> {
    let pairs = Pairs::new(rows, symbols);
    if pairs.list.is_empty() || !pairs.antisymmetric() {
        return None;
    }
    // Pairs that do not hang together, such as the colours of roles, order nothing, though they have the
    // properties: there the thesis's definition is too wide.
    let chained = pairs.chained();
    if pairs.functional() && pairs.injective() && (chained || linked && pairs.list.len() == 1) {
        return Some(Order::from_hasse(relation, OrderKind::Successor, &pairs, &pairs.list));
    }
    if !chained || pairs.terms.len() > MOST_TERMS {
        return None;
    }
    let rows = pairs.rows();
    let contains =
        |(a, b): &(u32, u32)| rows.of(*a).iter().zip(rows.of(*b)).all(|(a, b)| b & !a == 0);
    if !pairs.list.iter().all(contains) {
        return None;
    }
    let kind = match pairs.reflexive {
        0 => OrderKind::Strict,
        _ => OrderKind::NonStrict,
    };
    let hasse = hasse(&pairs, &rows);
    Some(Order::from_hasse(relation, kind, &pairs, &hasse))
}

/// The pairs without anything in between. (The definition of thesis §5.3.1 with r(a,c) ∧ r(c,b) would leave
/// none for orders that relate terms to themselves; c is meant to differ from both.)
fn hasse(pairs: &Pairs, rows: &Rows) -> Vec<(u32, u32)> {
    let mut below = vec![0u64; rows.bits.len()];
    for (a, b) in &pairs.list {
        below[*b as usize * rows.words + *a as usize / 64] |= 1 << (a % 64);
    }
    let below = Rows { words: rows.words, bits: below };
    let between =
        |a: u32, b: u32| rows.of(a).iter().zip(below.of(b)).any(|(up, down)| up & down != 0);
    pairs.list.iter().copied().filter(|(a, b)| !between(*a, *b)).collect()
}

impl Order {
    fn from_hasse(
        relation: Relation,
        kind: OrderKind,
        pairs: &Pairs,
        edges: &[(u32, u32)],
    ) -> Self {
        let count = pairs.terms.len();
        let mut up = vec![Vec::new(); count];
        let mut down = vec![Vec::new(); count];
        for (a, b) in edges {
            up[*a as usize].push(*b);
            down[*b as usize].push(*a);
        }
        let order = sorted(&up, &down);
        let mut place = vec![0u32; count];
        order.iter().zip(0..).for_each(|(old, new)| place[*old as usize] = new);
        let terms: Vec<_> = order.iter().map(|old| pairs.terms[*old as usize].clone()).collect();
        let renamed: Vec<Vec<u32>> = order
            .iter()
            .map(|old| up[*old as usize].iter().map(|to| place[*to as usize]).collect())
            .collect();
        let lines =
            renamed.iter().all(|to| to.len() <= 1) && down.iter().all(|from| from.len() <= 1);
        let distances = if lines { in_lines(&renamed) } else { by_search(&renamed) };
        let cyclic =
            matches!(&distances, Distances::Lines(places) if places.iter().any(|p| p.2 > 0));
        let total = lines && edges.len() + 1 == count && !cyclic;
        let index = terms.iter().cloned().zip(0..).collect();
        Self { relation, kind, total, cyclic, terms, index, distances }
    }
}

/// All nodes, smaller ones first; lines are kept together, and rings begin at their first node.
fn sorted(up: &[Vec<u32>], down: &[Vec<u32>]) -> Vec<u32> {
    let count = up.len() as u32;
    let mut waiting: Vec<usize> = down.iter().map(Vec::len).collect();
    let mut done = vec![false; up.len()];
    let mut order = Vec::with_capacity(up.len());
    let minimal = (0..count).filter(|node| down[*node as usize].is_empty());
    for start in minimal.collect::<Vec<_>>().into_iter().chain(0..count) {
        let mut todo = vec![start];
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut done[node as usize], true) {
                continue;
            }
            order.push(node);
            for next in up[node as usize].iter().rev() {
                let left = &mut waiting[*next as usize];
                *left = left.saturating_sub(1);
                if *left == 0 {
                    todo.push(*next);
                }
            }
        }
    }
    order
}

fn in_lines(up: &[Vec<u32>]) -> Distances {
    const NEW: (u32, u32, u32) = (u32::MAX, 0, 0);
    let mut places = vec![NEW; up.len()];
    // Terms come in the order of their lines, so a line begins at its first term that has no place yet.
    for start in 0..up.len() as u32 {
        if places[start as usize] != NEW {
            continue;
        }
        let (mut node, mut length) = (start, 0);
        let ring = loop {
            places[node as usize] = (start, length, 0);
            length += 1;
            match up[node as usize].first() {
                Some(next) if *next == start => break length,
                Some(next) if places[*next as usize] == NEW => node = *next,
                _ => break 0,
            }
        };
        if ring > 0 {
            places.iter_mut().filter(|place| place.0 == start).for_each(|place| place.2 = ring);
        }
    }
    Distances::Lines(places)
}

fn by_search(up: &[Vec<u32>]) -> Distances {
    let count = up.len();
    if count > MOST_BRANCHING {
        return Distances::Table(Vec::new());
    }
    let mut table = vec![FAR; count * count];
    for start in 0..count {
        let row = &mut table[start * count..][..count];
        row[start] = 0;
        let mut queue = vec![start as u32];
        let mut at = 0;
        while let Some(node) = queue.get(at).copied() {
            at += 1;
            for next in &up[node as usize] {
                if row[*next as usize] == FAR {
                    row[*next as usize] = row[node as usize].saturating_add(1).min(FAR - 1);
                    queue.push(*next);
                }
            }
        }
    }
    Distances::Table(table)
}

/// A key that sorts names as people do: numbers by their values, also within words.
pub(crate) fn natural(text: &str) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (name, tail) = rest.split_at(word);
        let digits = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let (number, tail) = tail.split_at(digits);
        if !name.is_empty() {
            parts.push((u64::MAX, name.to_lowercase()));
        }
        if !number.is_empty() {
            parts.push((number.parse().unwrap_or(u64::MAX - 1), String::new()));
        }
        rest = tail;
    }
    parts.push((0, text.to_owned()));
    parts
}

impl Order {
    /// Whether the values lie on one line of the order, so that any two of them are comparable.
    pub(crate) fn is_line(&self, values: &[GroundTerm]) -> bool {
        let mut places: Vec<usize> = values.iter().filter_map(|v| self.position(v)).collect();
        places.sort_unstable();
        places.windows(2).all(|two| self.distance(two[0], two[1]).is_some())
    }
}
