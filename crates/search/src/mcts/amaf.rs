//! All moves as first: what playouts say about a move that was made later in them.
//!
//! RAVE (Gelly and Silver 2007) keeps counts for the moves of each node; GRAVE (Cazenave 2015) asks the
//! nearest ancestor with enough playouts, which keeps counts for all moves of the game.

use game::Move;

use super::exchange::Exchange;
use super::graph::Graph;
use super::node::{ALLOCATION, Cell, Node, fixed};
use super::options::{Amaf, Options};
use super::path::Path;

/// A move made in a playout or on the way to it, by a role that had a choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) role: u32,
    pub(super) action: Move,
    /// What was played just before, and in the two steps before: for sequences.
    pub(super) after: [u32; 2],
}

/// Counts to look at while a move of a role is chosen.
pub(super) struct View<'g> {
    cells: &'g [Cell],
    /// For GRAVE: where the moves of the role begin, and how many there are.
    moves: Option<(usize, usize)>,
}

impl View<'_> {
    /// Visits and mean (0 to 1) of a move at a place of the node.
    pub(super) fn of(&self, at: usize, action: Move) -> Option<(f64, f64)> {
        let at = match self.moves {
            None => at,
            Some((first, count)) => first + Some(action.index()).filter(|at| *at < count)?,
        };
        let (visits, mean) = self.cells.get(at)?.read();
        (visits > 0.0).then_some((visits, mean))
    }
}

/// The counts to be asked in the last node of a path.
pub(super) fn view<'g>(
    options: &Options,
    graph: &'g Graph,
    path: &Path,
    node: &'g Node,
    role: usize,
) -> Option<View<'g>> {
    let cells_of = |node: &'g Node| node.expansion()?.amaf.get().map(|cells| &**cells);
    match options.amaf {
        Amaf::Off => None,
        Amaf::Rave => Some(View { cells: cells_of(node)?, moves: None }),
        Amaf::Grave => {
            // Before an exchange of roles the moves were others.
            let same = path.steps.iter().rev().take_while(|step| step.exchange == Exchange::NONE);
            let ancestors = same.map(|step| graph.node(step.node));
            let cells = std::iter::once(node).chain(ancestors).find_map(cells_of)?;
            let count = cells.len() / node.roles.len().max(1);
            Some(View { cells, moves: Some((role * count, count)) })
        }
    }
}

impl Options {
    /// How much AMAF counts against `done` tries of a move.
    pub(super) fn amaf_share(&self, amaf_visits: f64, done: f64, node_visits: f64) -> f64 {
        let equivalence = self.amaf_equivalence.max(1e-3);
        match self.amaf {
            // The hand-selected schedule of Gelly and Silver 2007.
            Amaf::Off | Amaf::Rave => (equivalence / (3.0 * node_visits + equivalence)).sqrt(),
            // Cazenave 2015.
            Amaf::Grave => amaf_visits / (amaf_visits + done + amaf_visits * done / equivalence),
        }
    }
}

/// Which moves were made after a node; its memory is used again.
#[derive(Debug, Default)]
pub(super) struct Seen {
    marks: Vec<Vec<u32>>,
    round: u32,
    list: Vec<(u32, Move)>,
}

impl Seen {
    fn begin(&mut self, roles: usize) {
        self.marks.resize(roles, Vec::new());
        self.list.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.marks.iter_mut().for_each(Vec::clear);
            self.round = 1;
        }
    }

    fn add(&mut self, made: &Made) {
        let marks = &mut self.marks[made.role as usize];
        if made.action.index() >= marks.len() {
            marks.resize(made.action.index() + 1, 0);
        }
        if marks[made.action.index()] != self.round {
            marks[made.action.index()] = self.round;
            self.list.push((made.role, made.action));
        }
    }

    fn has(&self, role: usize, action: Move) -> bool {
        self.marks[role].get(action.index()) == Some(&self.round)
    }
}

/// Counts a simulation in the nodes of its path, back to the last exchange of roles. `made` are its moves, those of the path first;
/// `path.steps[i].made` tells where those of a step begin. `actions` is the number of moves of the game.
pub(super) fn learn(
    options: &Options,
    graph: &Graph,
    path: &Path,
    made: &[Made],
    values: &[f64],
    (seen, actions): (&mut Seen, usize),
) {
    seen.begin(values.len());
    let mut end = made.len();
    for step in path.steps.iter().rev().take_while(|step| step.exchange == Exchange::NONE) {
        made[step.made..end].iter().for_each(|made| seen.add(made));
        end = step.made;
        let node = graph.node(step.node);
        match options.amaf {
            Amaf::Off => return,
            Amaf::Rave => learn_rave(graph, node, values, seen),
            Amaf::Grave => learn_grave(options, graph, node, values, (seen, actions)),
        }
    }
}

fn cells<'n>(graph: &Graph, node: &'n Node, count: usize) -> &'n [Cell] {
    let Some(expansion) = node.expansion() else { return &[] };
    expansion.amaf.get_or_init(|| {
        graph.took(count * size_of::<Cell>() + ALLOCATION, 0);
        (0..count).map(|_| Cell::default()).collect()
    })
}

fn learn_rave(graph: &Graph, node: &Node, values: &[f64], seen: &Seen) {
    let cells = cells(graph, node, node.moves.len());
    for (role, value) in values.iter().enumerate() {
        for at in node.range(role) {
            if seen.has(role, node.moves[at]) {
                cells[at].add(fixed(*value));
            }
        }
    }
}

fn learn_grave(
    options: &Options,
    graph: &Graph,
    node: &Node,
    values: &[f64],
    (seen, actions): (&Seen, usize),
) {
    let visits = node.visits();
    if visits < options.amaf_reference {
        return;
    }
    let cells = cells(graph, node, actions * values.len());
    let count = cells.len() / values.len().max(1);
    for (role, action) in &seen.list {
        if action.index() < count {
            cells[*role as usize * count + action.index()].add(fixed(values[*role as usize]));
        }
    }
}
