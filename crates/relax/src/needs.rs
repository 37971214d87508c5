//! How many moves an end needs at least, by counting what is missing.
//!
//! The layers of a relaxed planning graph let a role do everything at once that it could do one after the other: five
//! stones in a row are a step away. But a role makes one move in a step. So for each way to an end we count the facts
//! it needs that are missing and that only one role can bring about, divided by how many of them one move can bring.

use game::{FluentId, Game, GroundProgram, State};

use crate::network::Draft;
use crate::operators::Operators;
use crate::rota::{Rota, Turn};
use crate::targets::Disjunct;

/// A fluent of the ground program that has to hold, or not to hold.
type Fact = (u32, bool);

/// What one role has to bring about.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    role: u32,
    /// The facts; `true` where the fluent has to hold.
    facts: Vec<(FluentId, bool)>,
    /// The most of them that one move brings about.
    at_once: u32,
}

impl Need {
    /// The moves of the role until all facts hold, at least.
    fn moves(&self, state: &State) -> u32 {
        let missing = self.facts.iter().filter(|(fluent, holds)| state.contains(*fluent) != *holds);
        (missing.count() as u32).div_ceil(self.at_once)
    }

    /// Whether the facts cannot hold within some steps.
    pub(crate) fn is_far(&self, state: &State, turns: Option<(&Rota, Turn)>, most: u32) -> bool {
        let moves = self.moves(state);
        match turns {
            Some((rota, turn)) => rota.steps(turn, self.role, moves, most).is_none(),
            None => moves > most,
        }
    }
}

/// Who can bring a fact about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Nobody,
    Role(u32),
    Several,
}

/// Finds the needs of ways to ends.
pub(crate) struct Needs<'a> {
    game: &'a Game,
    program: &'a GroundProgram,
    /// For each fluent who deletes and who adds it, and by which operators.
    sources: Vec<[Source; 2]>,
    bringing: Vec<[Vec<u32>; 2]>,
    /// How many nodes may still be looked at.
    left: usize,
}

/// The most nodes to look at for all ways to ends.
const MOST_WORK: usize = 1 << 21;

impl<'a> Needs<'a> {
    pub(crate) fn new(game: &'a Game, program: &'a GroundProgram, operators: &Operators) -> Self {
        let mut sources = vec![[Source::Nobody; 2]; program.fluents.len()];
        let mut bringing = vec![[Vec::new(), Vec::new()]; program.fluents.len()];
        for (at, operator) in operators.list.iter().enumerate() {
            for effect in &operator.effects {
                let place = (effect.fluent as usize, usize::from(effect.adds));
                let source = &mut sources[place.0][place.1];
                *source = match (*source, operator.actor) {
                    (Source::Nobody, Some((role, _))) => Source::Role(role),
                    (Source::Role(known), Some((role, _))) if known == role => Source::Role(role),
                    _ => Source::Several,
                };
                let own = &mut bringing[place.0][place.1];
                if own.last() != Some(&(at as u32)) {
                    own.push(at as u32);
                }
            }
        }
        for effect in &operators.every_step {
            sources[effect.fluent as usize][usize::from(effect.adds)] = Source::Several;
        }
        Self { game, program, sources, bringing, left: MOST_WORK }
    }

    /// The needs of a way to an end, one for each role that has to do something; those that say no more than that a
    /// move is needed are left out.
    pub(crate) fn of(&mut self, drafts: &[Draft], way: &Disjunct) -> Vec<Need> {
        let facts = facts(drafts, way, &mut self.left);
        let roles = 0..self.program.moves.len() as u32;
        roles.filter_map(|role| self.of_role(&facts, role)).collect()
    }

    fn of_role(&self, facts: &[Fact], role: u32) -> Option<Need> {
        let source = |(fluent, holds): &Fact| self.sources[*fluent as usize][usize::from(*holds)];
        let own: Vec<Fact> =
            facts.iter().filter(|fact| source(fact) == Source::Role(role)).copied().collect();
        let bring = |(fluent, holds): &Fact| &self.bringing[*fluent as usize][usize::from(*holds)];
        let mut brought: Vec<u32> = own.iter().flat_map(bring).copied().collect();
        brought.sort_unstable();
        let most = brought.chunk_by(|one, other| one == other).map(<[u32]>::len).max();
        let at_once = most.unwrap_or(1) as u32;
        let universe = self.game.universe();
        let named = |(fluent, holds): &Fact| {
            (universe.fluent(&self.program.fluents[*fluent as usize]), *holds)
        };
        (own.len() as u32 > at_once).then(|| Need {
            role,
            facts: own.iter().map(named).collect(),
            at_once,
        })
    }
}

/// The facts that have to hold where all nodes of a way are reached at once, as far as they are no matter of choice
/// and there is work left to find them.
fn facts(drafts: &[Draft], way: &Disjunct, left: &mut usize) -> Vec<Fact> {
    let mut found = Vec::new();
    let mut open = way.clone();
    let mut seen = std::collections::BTreeSet::new();
    while let Some(node) = open.pop() {
        if *left == 0 || !seen.insert(node) {
            continue;
        }
        *left -= 1;
        let draft = &drafts[node as usize];
        if let Some((fluent, negative)) = draft.leaf {
            found.push((fluent, !negative));
        } else if draft.all || draft.children.len() == 1 {
            open.extend(&draft.children);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
