//! The relaxed game as a network of conditions: what has to be reached before what.
//!
//! Fluents and their negations are propositions of their own (Rauber-14 has none of the latter). A proposition is
//! reached once the state has it, or one step after an effect that brings it about; an effect needs its move and
//! its condition; a move needs to be legal. Relations of the rules become conjunctions and disjunctions, negated
//! ones the opposite. Nothing is ever taken away, so everything is reached once and for all.
//!
//! What cannot be kept is given up in the direction that reaches more: that a move is *not* made, that a recursive
//! relation does *not* hold, and conditions that could not be expressed count as reached from the start.

use game::GroundProgram;
use ground::{AtomId, AtomKind, GroundLiteral};
use rustc_hash::FxHashMap;

use crate::formula::{Atom, Formula, FormulaId, TRUE};
use crate::operators::{Effect, Operators};

/// No node, no action.
pub(crate) const NONE: u32 = u32::MAX;

/// What a node stands for while the network is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Prop {
    True,
    Fluent(u32, bool),
    Atom(AtomId, bool),
    Body(AtomId, u32, bool),
    /// A relation, and a body of it, in a state in which it is a role's turn.
    Turn(u32, AtomId, bool),
    TurnBody(u32, AtomId, u32, bool),
    /// What never holds.
    Never,
    Condition(FormulaId),
    Does(u32),
    /// The effects of an operator, or of every step, under a condition.
    Effect(u32, FormulaId),
}

/// A node while the network is built.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// Whether all children are needed, or one of them.
    pub(crate) all: bool,
    pub(crate) children: Vec<u32>,
    /// The operator that the node is the making of.
    pub(crate) operator: Option<u32>,
    /// Whether what comes after it is reached one step later.
    pub(crate) delayed: bool,
    /// The fluent that it is, or whose negation it is.
    pub(crate) leaf: Option<(u32, bool)>,
}

impl Draft {
    pub(crate) fn is_plain(&self) -> bool {
        self.operator.is_none() && !self.delayed && self.leaf.is_none()
    }
}

/// The operator number of what happens in every step.
const EVERY_STEP: u32 = NONE;

/// Builds the part of the network that is asked for.
pub(crate) struct Builder<'a> {
    program: &'a GroundProgram,
    operators: &'a Operators,
    ids: FxHashMap<Prop, u32>,
    queue: Vec<Prop>,
    pub(crate) drafts: Vec<Draft>,
    recursive: Vec<bool>,
    /// For each fluent the role whose turn it tells.
    tells: Vec<Option<u32>>,
    /// For each atom whether it depends on such fluents within a state.
    pub(crate) on_turns: Vec<bool>,
    /// For each fluent who adds and who deletes it.
    achievers: Vec<[Vec<(u32, FormulaId)>; 2]>,
    by_actor: FxHashMap<(u32, u32), u32>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(program: &'a GroundProgram, operators: &'a Operators) -> Self {
        let mut achievers = vec![[Vec::new(), Vec::new()]; program.fluents.len()];
        let mut note = |operator: u32, effect: &Effect| {
            let own = &mut achievers[effect.fluent as usize][usize::from(!effect.adds)];
            own.push((operator, effect.condition));
        };
        let mut by_actor = FxHashMap::default();
        for (at, operator) in operators.list.iter().enumerate() {
            operator.effects.iter().for_each(|effect| note(at as u32, effect));
            if let Some(actor) = operator.actor {
                by_actor.insert(actor, at as u32);
            }
        }
        operators.every_step.iter().for_each(|effect| note(EVERY_STEP, effect));
        let recursive = recursive(program);
        let mut tells = vec![None; program.fluents.len()];
        for (role, own) in operators.waits.whose.iter().enumerate() {
            for fluent in own {
                tells[*fluent as usize] = Some(role as u32);
            }
        }
        let on_turns = on_turns(program, &tells);
        let mut builder = Self {
            program,
            operators,
            ids: FxHashMap::default(),
            queue: Vec::new(),
            drafts: Vec::new(),
            recursive,
            tells,
            on_turns,
            achievers,
            by_actor,
        };
        builder.node(Prop::True);
        builder
    }

    /// The node of a proposition; what it needs is built by [`Builder::complete`].
    pub(crate) fn node(&mut self, prop: Prop) -> u32 {
        let fresh = self.drafts.len() as u32;
        let id = *self.ids.entry(prop).or_insert(fresh);
        if id == fresh {
            self.drafts.push(Draft { all: true, ..Draft::default() });
            self.queue.push(prop);
        }
        id
    }

    /// Builds everything that the nodes so far need.
    pub(crate) fn complete(&mut self) {
        while let Some(prop) = self.queue.pop() {
            let draft = self.define(prop);
            let id = self.ids[&prop];
            self.drafts[id as usize] = draft;
        }
    }

    fn define(&mut self, prop: Prop) -> Draft {
        match prop {
            Prop::True => Draft { all: true, ..Draft::default() },
            Prop::Never => Draft::default(),
            Prop::Fluent(fluent, negative) => {
                let sources = self.achievers[fluent as usize][usize::from(negative)].clone();
                let children = sources.into_iter().map(|(o, c)| self.node(Prop::Effect(o, c)));
                let children = children.collect();
                Draft { children, leaf: Some((fluent, negative)), ..Draft::default() }
            }
            Prop::Atom(atom, negative) => {
                let count = self.program.rules_of(atom).len() as u32;
                let bodies = (0..count).map(|at| self.node(Prop::Body(atom, at, negative)));
                Draft { all: negative, children: bodies.collect(), ..Draft::default() }
            }
            Prop::Body(atom, at, negative) => {
                let body = self.program.rules.nth(atom, at as usize).unwrap_or(&[]);
                let literals = body.iter().map(|literal| self.literal(*literal, negative));
                Draft { all: !negative, children: literals.collect(), ..Draft::default() }
            }
            Prop::Turn(role, atom, negative) => {
                let count = self.program.rules_of(atom).len() as u32;
                let bodies = (0..count).map(|at| Prop::TurnBody(role, atom, at, negative));
                let children = bodies.map(|body| self.node(body)).collect();
                Draft { all: negative, children, ..Draft::default() }
            }
            Prop::TurnBody(role, atom, at, negative) => {
                let body = self.program.rules.nth(atom, at as usize).unwrap_or(&[]);
                let literals = body
                    .iter()
                    .map(|literal| self.in_turn(role, literal.atom, literal.negative != negative));
                Draft { all: !negative, children: literals.collect(), ..Draft::default() }
            }
            Prop::Condition(formula) => self.condition(formula),
            Prop::Does(operator) => {
                let legal = self.operators.list[operator as usize].legal;
                let needs = legal.map(|legal| self.atom(legal, false));
                let children = needs.into_iter().collect();
                Draft { all: true, children, operator: Some(operator), ..Draft::default() }
            }
            Prop::Effect(operator, condition) => {
                let mut children = vec![self.node(Prop::Condition(condition))];
                if operator != EVERY_STEP {
                    children.push(self.node(Prop::Does(operator)));
                }
                Draft { all: true, children, delayed: true, ..Draft::default() }
            }
        }
    }

    pub(crate) fn literal(&mut self, literal: GroundLiteral, turned: bool) -> u32 {
        self.atom(literal.atom, literal.negative != turned)
    }

    /// An atom in a state in which it is a role's turn.
    ///
    /// Relaxed, it is soon reached both that it is somebody's turn and that it is not; then "the role to move cannot
    /// move" would cost nothing. So goals that ask whose turn it is are taken apart by it.
    pub(crate) fn in_turn(&mut self, role: u32, atom: AtomId, negative: bool) -> u32 {
        match self.program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => match self.tells[fluent as usize] {
                Some(whose) if (whose == role) != negative => self.node(Prop::True),
                Some(_) => self.node(Prop::Never),
                None => self.node(Prop::Fluent(fluent, negative)),
            },
            AtomKind::Derived
                if self.on_turns[atom.index()] && !(negative && self.recursive[atom.index()]) =>
            {
                self.node(Prop::Turn(role, atom, negative))
            }
            _ => self.atom(atom, negative),
        }
    }

    /// The fluents that tell that it is a role's turn.
    pub(crate) fn turn(&mut self, role: u32) -> Vec<u32> {
        let own = &self.operators.waits.whose[role as usize];
        own.iter().map(|fluent| self.node(Prop::Fluent(*fluent, false))).collect()
    }

    fn atom(&mut self, atom: AtomId, negative: bool) -> u32 {
        match self.program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => self.node(Prop::Fluent(fluent, negative)),
            AtomKind::Does { role, action } => self.does(role, action, negative),
            AtomKind::Derived if negative && self.recursive[atom.index()] => self.node(Prop::True),
            AtomKind::Derived => self.node(Prop::Atom(atom, negative)),
        }
    }

    fn does(&mut self, role: u32, action: u32, negative: bool) -> u32 {
        let legal = self.program.moves[role as usize][action as usize].legal;
        match (self.by_actor.get(&(role, action)).copied(), legal) {
            _ if negative => self.node(Prop::True),
            (Some(operator), _) => self.node(Prop::Does(operator)),
            (None, Some(legal)) => self.atom(legal, false),
            (None, None) => self.node(Prop::True),
        }
    }

    fn condition(&mut self, formula: FormulaId) -> Draft {
        let operators = self.operators;
        let (all, children) = match operators.formulas.get(formula) {
            Formula::True => (true, Vec::new()),
            Formula::False => (false, Vec::new()),
            Formula::Literal(atom, negative) => (true, vec![self.formula_atom(*atom, *negative)]),
            Formula::And(parts) => (true, self.conditions(parts)),
            Formula::Or(parts) => (false, self.conditions(parts)),
        };
        Draft { all, children, ..Draft::default() }
    }

    fn conditions(&mut self, parts: &[FormulaId]) -> Vec<u32> {
        let prop =
            |part: &FormulaId| if *part == TRUE { Prop::True } else { Prop::Condition(*part) };
        parts.iter().map(|part| self.node(prop(part))).collect()
    }

    fn formula_atom(&mut self, atom: Atom, negative: bool) -> u32 {
        match atom {
            Atom::Fluent(fluent) => self.node(Prop::Fluent(fluent, negative)),
            Atom::Derived(atom) => self.atom(atom, negative),
            Atom::Does { role, action } => self.does(role, action, negative),
            Atom::Unknown => self.node(Prop::True),
        }
    }
}

/// Which relations depend within a state on whose turn it is.
fn on_turns(program: &GroundProgram, tells: &[Option<u32>]) -> Vec<bool> {
    let mut found = vec![false; program.kinds.len()];
    if tells.iter().all(Option::is_none) {
        return found;
    }
    let mut users: Vec<Vec<AtomId>> = vec![Vec::new(); program.kinds.len()];
    for atom in program.atoms() {
        for literal in program.rules.literals_of(atom) {
            users[literal.atom.index()].push(atom);
        }
    }
    let telling = |atom: &AtomId| matches!(program.kinds[atom.index()], AtomKind::Fluent(f) if tells[f as usize].is_some());
    let mut open: Vec<AtomId> = program.atoms().filter(telling).collect();
    while let Some(atom) = open.pop() {
        if !std::mem::replace(&mut found[atom.index()], true) {
            open.extend(&users[atom.index()]);
        }
    }
    found
}

/// Which atoms depend on themselves within a state.
fn recursive(program: &GroundProgram) -> Vec<bool> {
    let edges: Vec<Vec<usize>> = program
        .atoms()
        .map(|atom| program.rules.literals_of(atom).iter().map(|l| l.atom.index()).collect())
        .collect();
    let (component_of, count) =
        gdl::depend::components(edges.len(), |node, edge| edges[node].get(edge).copied());
    let mut sizes = vec![0u32; count];
    for component in &component_of {
        sizes[*component] += 1;
    }
    let itself = |(atom, used): (usize, &Vec<usize>)| used.contains(&atom);
    let own = edges.iter().enumerate().map(itself);
    own.zip(&component_of).map(|(own, component)| own || sizes[*component] > 1).collect()
}

/// A node that needs another one, and whether it needs all its children: in one number, since graphs are built often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parent(u32);

impl Parent {
    fn new(node: u32, all: bool) -> Self {
        Self(node << 1 | u32::from(all))
    }

    #[inline]
    pub(crate) fn node(self) -> u32 {
        self.0 >> 1
    }

    #[inline]
    pub(crate) fn needs_all(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The finished network: nodes in flat lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Network {
    /// For each node how many children are needed.
    pub(crate) need: Vec<u32>,
    /// Whether all children are needed.
    pub(crate) all: Vec<bool>,
    /// For each node the operator that it is the making of.
    pub(crate) operator: Vec<u32>,
    pub(crate) delayed: Vec<bool>,
    /// Whether the node is a fluent or its negation.
    pub(crate) is_leaf: Vec<bool>,
    child_start: Vec<u32>,
    children: Vec<u32>,
    parent_start: Vec<u32>,
    parents: Vec<Parent>,
    /// Nodes that need nothing.
    pub(crate) given: Vec<u32>,
    /// For each fluent that matters its number, its node and that of its negation.
    pub(crate) leaves: Vec<(u32, u32, u32)>,
}

impl Network {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.need.len()
    }

    #[inline]
    pub(crate) fn children(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.children[self.child_start[node] as usize..self.child_start[node + 1] as usize]
    }

    #[inline]
    pub(crate) fn parents(&self, node: u32) -> &[Parent] {
        let node = node as usize;
        &self.parents[self.parent_start[node] as usize..self.parent_start[node + 1] as usize]
    }

    /// Finishes drafts: certain nodes and detours are taken out. Also gives the new number of each draft;
    /// [`NONE`] for those that always hold.
    pub(crate) fn finish(mut drafts: Vec<Draft>) -> (Self, Vec<u32>) {
        let certain = certain(&drafts);
        for draft in &mut drafts {
            if draft.all {
                draft.children.retain(|child| !certain[*child as usize]);
            }
        }
        let goal: Vec<u32> = (0..drafts.len() as u32).map(|at| detour(&drafts, at)).collect();
        let mut number = vec![NONE; drafts.len()];
        let mut kept = Vec::new();
        for (at, draft) in drafts.iter().enumerate() {
            if !certain[at] && (goal[at] as usize == at || !draft.is_plain()) {
                number[at] = kept.len() as u32;
                kept.push(at);
            }
        }
        let number: Vec<u32> = (0..drafts.len())
            .map(|at| if certain[at] { NONE } else { number[goal[at] as usize] })
            .collect();
        let mut network = Self::default();
        for at in kept {
            network.push(&drafts[at], &number);
        }
        network.child_start.push(network.children.len() as u32);
        network.link();
        (network, number)
    }

    fn push(&mut self, draft: &Draft, number: &[u32]) {
        let node = self.need.len() as u32;
        let mut children: Vec<u32> = draft.children.iter().map(|c| number[*c as usize]).collect();
        children.sort_unstable();
        children.dedup();
        self.child_start.push(self.children.len() as u32);
        if draft.all && children.is_empty() {
            self.given.push(node);
        }
        self.need.push(if draft.all { children.len() as u32 } else { 1 });
        self.all.push(draft.all);
        self.operator.push(draft.operator.unwrap_or(NONE));
        self.delayed.push(draft.delayed);
        self.is_leaf.push(draft.leaf.is_some());
        self.children.extend(children);
        if let Some((fluent, negative)) = draft.leaf {
            let at = self.leaves.partition_point(|(other, ..)| *other < fluent);
            if self.leaves.get(at).is_none_or(|(other, ..)| *other != fluent) {
                self.leaves.insert(at, (fluent, NONE, NONE));
            }
            let entry = &mut self.leaves[at];
            if negative { entry.2 = node } else { entry.1 = node }
        }
    }

    /// Makes the lists of parents.
    fn link(&mut self) {
        let mut count = vec![0u32; self.len() + 1];
        self.children.iter().for_each(|child| count[*child as usize + 1] += 1);
        for at in 1..count.len() {
            count[at] += count[at - 1];
        }
        self.parent_start.clone_from(&count);
        self.parents = vec![Parent(0); self.children.len()];
        for node in 0..self.len() as u32 {
            for at in self.child_start[node as usize]..self.child_start[node as usize + 1] {
                let place = &mut count[self.children[at as usize] as usize];
                self.parents[*place as usize] = Parent::new(node, self.all[node as usize]);
                *place += 1;
            }
        }
    }
}

/// Which nodes hold at once in every state.
fn certain(drafts: &[Draft]) -> Vec<bool> {
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); drafts.len()];
    let mut left: Vec<u32> = Vec::with_capacity(drafts.len());
    let mut open = Vec::new();
    let mut certain = vec![false; drafts.len()];
    for (at, draft) in drafts.iter().enumerate() {
        let mut children = draft.children.clone();
        children.sort_unstable();
        children.dedup();
        for child in &children {
            users[*child as usize].push(at as u32);
        }
        left.push(if draft.all { children.len() as u32 } else { 1 });
        if draft.is_plain() && draft.all && children.is_empty() {
            certain[at] = true;
            open.push(at);
        }
    }
    while let Some(node) = open.pop() {
        for user in &users[node] {
            let user = *user as usize;
            left[user] = left[user].saturating_sub(1);
            if drafts[user].is_plain() && left[user] == 0 && !certain[user] {
                certain[user] = true;
                open.push(user);
            }
        }
    }
    certain
}

/// Where a node with a single child and nothing of its own leads.
fn detour(drafts: &[Draft], mut at: u32) -> u32 {
    let begin = at;
    for _ in 0..drafts.len() {
        let draft = &drafts[at as usize];
        match draft.children[..] {
            [only] if draft.is_plain() => at = only,
            _ => return at,
        }
    }
    // A circle: never reached.
    begin
}
