//! The ground program of a game as formulas: the one place of this crate that reads ground programs.

use game::GroundProgram;
use ground::{AtomId, AtomKind};
use rustc_hash::FxHashMap;

use crate::logic::{Lit, Logic, TooLarge};

/// A game as formulas over its fluents and moves.
#[derive(Debug)]
pub struct GameLogic {
    /// The formulas.
    pub logic: Logic,
    /// The leaf of each fluent.
    pub fluents: Vec<Lit>,
    /// When each fluent holds next.
    pub next: Vec<Lit>,
    /// For each role the leaves of its moves.
    pub does: Vec<Vec<Lit>>,
    /// When each move is legal.
    pub legal: Vec<Vec<Lit>>,
    /// When the game is over.
    pub terminal: Lit,
    /// For each role its goal values as texts, and when it gets them.
    pub goals: Vec<Vec<(String, Lit)>>,
    /// Atoms of recursive definitions: their leaf, and what they are defined by.
    pub recursive: Vec<(Lit, Lit)>,
}

/// Reads a ground program; at most `most` literals are stored.
pub fn game_logic(program: &GroundProgram, most: usize) -> Result<GameLogic, TooLarge> {
    let mut logic = Logic::new(most);
    let fluents: Vec<Lit> = program.fluents.iter().map(|_| logic.leaf()).collect();
    let does: Vec<Vec<Lit>> =
        program.moves.iter().map(|own| own.iter().map(|_| logic.leaf()).collect()).collect();
    let atoms = atoms(program, &mut logic, &fluents, &does)?;
    let of = |atom: Option<AtomId>| atom.map_or(Lit::FALSE, |atom| atoms.meaning[atom.index()]);
    let legal = |own: &Vec<ground::GroundMove>| own.iter().map(|m| of(m.legal)).collect();
    let goals = |own: &Vec<(datalog::GroundTerm, AtomId)>| {
        own.iter().map(|(value, atom)| (value.to_text(&program.symbols), of(Some(*atom)))).collect()
    };
    Ok(GameLogic {
        next: program.next.iter().map(|atom| of(*atom)).collect(),
        legal: program.moves.iter().map(legal).collect(),
        terminal: of(program.terminal),
        goals: program.goals.iter().map(goals).collect(),
        recursive: atoms.recursive,
        logic,
        fluents,
        does,
    })
}

struct Atoms {
    /// What each atom stands for.
    meaning: Vec<Lit>,
    recursive: Vec<(Lit, Lit)>,
}

fn atoms(
    program: &GroundProgram,
    logic: &mut Logic,
    fluents: &[Lit],
    does: &[Vec<Lit>],
) -> Result<Atoms, TooLarge> {
    let count = program.kinds.len();
    let uses: Vec<Vec<usize>> = (0..count).map(|atom| used_by(program, atom)).collect();
    let (component, _) = gdl::depend::components(count, |atom, at| uses[atom].get(at).copied());
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|atom| component[*atom]);
    let mut meaning = vec![Lit::FALSE; count];
    let mut recursive = Vec::new();
    for members in order.chunk_by(|a, b| component[*a] == component[*b]) {
        let first = members[0];
        let is_recursive = members.len() > 1 || uses[first].contains(&first);
        if !is_recursive {
            meaning[first] = match program.kinds[first] {
                AtomKind::Fluent(fluent) => fluents[fluent as usize],
                AtomKind::Does { role, action } => does[role as usize][action as usize],
                AtomKind::Derived => definition(program, first, logic, &meaning)?,
            };
            continue;
        }
        recursive.extend(recursion(program, members, logic, &mut meaning)?);
    }
    Ok(Atoms { meaning, recursive })
}

/// The most rounds of telling atoms of a recursive definition apart.
const MOST_ROUNDS: usize = 64;
/// The most literals for that.
const MOST_SPENT: usize = 500_000;

/// Gives atoms that are defined by each other leaves, one for all that have the same meaning, and returns what
/// the leaves are defined by. Rules that were split in the same way leave many such atoms; each pair of them would be
/// a symmetry that moves nothing of the game.
///
/// All atoms begin in one class; as long as definitions over classes differ within a class, it is split. In the
/// end equal atoms have equal definitions, so every step towards the least model gives them the same truth value.
fn recursion(
    program: &GroundProgram,
    members: &[usize],
    logic: &mut Logic,
    meaning: &mut [Lit],
) -> Result<Vec<(Lit, Lit)>, TooLarge> {
    let mut classes: Vec<usize> = vec![0; members.len()];
    let mut leaves = vec![logic.leaf()];
    let begin = logic.stored();
    for round in 0.. {
        for (atom, class) in members.iter().zip(&classes) {
            meaning[*atom] = leaves[*class];
        }
        let mut numbers: FxHashMap<(usize, Lit), usize> = FxHashMap::default();
        let mut defined = vec![Lit::FALSE; leaves.len()];
        for (atom, class) in members.iter().zip(&mut classes) {
            let formula = definition(program, *atom, logic, meaning)?;
            defined[*class] = formula;
            let next = numbers.len();
            *class = *numbers.entry((*class, formula)).or_insert(next);
        }
        if numbers.len() == leaves.len() {
            return Ok(leaves.into_iter().zip(defined).collect());
        }
        let spent = logic.stored() - begin > MOST_SPENT;
        let mut count = numbers.len();
        if spent || round >= MOST_ROUNDS {
            // Too much work: each for itself.
            count = members.len();
            classes = (0..count).collect();
        }
        while leaves.len() < count {
            leaves.push(logic.leaf());
        }
    }
    Ok(Vec::new())
}

fn used_by(program: &GroundProgram, atom: usize) -> Vec<usize> {
    let mut used: Vec<usize> =
        program.rules_of(AtomId(atom as u32)).flatten().map(|lit| lit.atom.index()).collect();
    used.sort_unstable();
    used.dedup();
    used
}

fn definition(
    program: &GroundProgram,
    atom: usize,
    logic: &mut Logic,
    meaning: &[Lit],
) -> Result<Lit, TooLarge> {
    let mut bodies = Vec::new();
    for body in program.rules_of(AtomId(atom as u32)) {
        let literals = body.iter().map(|literal| {
            let lit = meaning[literal.atom.index()];
            if literal.negative { !lit } else { lit }
        });
        bodies.push(logic.and(literals.collect())?);
    }
    logic.or(bodies)
}
