//! max^n: each role maximises its own reward (thesis §4.2.1, Eq. 4.1-4.3). Simultaneous moves are
//! serialised, the searching role first (§4.2.3).
//!
//! Where several moves are equally good for the role that chooses, the value of a state is not determined
//! by Eq. 4.3. Here the one worst for the searching role counts, and among those the least in the order of
//! the roles' values: so the value does not depend on the order in which moves are tried.
//!
//! A value that rests on no such choice and on no order of simultaneous moves is the same whoever searches. Only such a
//! value is taken over for a state that a symmetry takes to the same representative with the roles exchanged: each
//! role gets what the role that plays its part gets. Others are kept for each exchange of roles apart.

use game::{JointMove, Role, State};

use super::context::{Context, DEEPEST, Mills, mills};
use super::depth::{PLY, of_successor};
use super::frame::Frame;
use super::options::{DepthLimit, Options};
use super::root::{Outcome, Root};
use crate::effort::Stop;
use crate::hash::Key;
use crate::rewards::{Look, Turn};
use crate::table::Table;

const MOST_JOINT: usize = 1 << 16;

/// The values of all roles, and whether they rest on ends of the game alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    pub(super) of: Vec<Mills>,
    pub(super) exact: bool,
    /// Whether they would be the same if another role searched.
    for_all: bool,
}

/// What is known of a state; the values are those of its own roles, whoever's parts they play.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    values: Values,
    depth: u32,
    /// The joint move that was best, by its number.
    best: u32,
}

/// The search.
pub(super) struct MaxN {
    options: Options,
    role: Role,
    bounds: Vec<(Mills, Mills)>,
    table: Table<Entry>,
    pub(super) root: Root,
    pub(super) values: Values,
}

/// A state to be searched.
struct Node<'s> {
    state: &'s State,
    /// Who plays whose part in it.
    frame: &'s Frame,
    key: Key,
    depth: u32,
    ply: u32,
}

/// What a role found out about its moves so far. Values are those of the roles at the root.
struct Best {
    values: Values,
    number: usize,
    /// Others are as good for the role that chooses, but not for all.
    tied: bool,
}

impl MaxN {
    pub(super) fn new(options: &Options, roles: usize) -> Self {
        // What an entry points to counts, too.
        let entry = size_of::<Entry>() + 32;
        let memory = options.memory / (entry + 16 + 4 * roles) * entry;
        Self {
            options: options.clone(),
            role: Role(0),
            bounds: Vec::new(),
            table: Table::new(if options.table { memory } else { 0 }),
            root: Root::default(),
            values: Values::default(),
        }
    }

    pub(super) fn begin(
        &mut self,
        role: Role,
        bounds: Vec<(u8, u8)>,
        moves: &[game::Move],
        alike: Option<Vec<usize>>,
    ) {
        if role != self.role {
            self.table.clear();
        }
        self.role = role;
        let wide = |(low, high): (u8, u8)| (mills(f64::from(low)), mills(f64::from(high)));
        self.bounds = bounds.into_iter().map(wide).collect();
        self.table.new_search();
        let (bottom, top) = self.bounds[role.index()];
        self.root = Root::new(moves, bottom, top).with_alike(alike);
        self.values = Values::default();
    }

    pub(super) fn forget(&mut self) {
        self.table.clear();
    }

    pub(super) fn table(&self) -> &Table<Entry> {
        &self.table
    }

    /// One iteration of deepening.
    pub(super) fn iterate(
        &mut self,
        ctx: &mut Context,
        state: &State,
        depth: u32,
    ) -> Result<Outcome, Stop> {
        self.root.fresh = false;
        let frame = &Frame::default();
        let node = Node { state, frame, key: ctx.key(state), depth: depth * PLY, ply: 0 };
        self.values = self.visit(ctx, &node)?;
        let outcome = self.outcome(&self.values);
        self.root.settle(outcome);
        Ok(outcome)
    }

    fn outcome(&self, values: &Values) -> Outcome {
        let value = values.of[self.role.index()];
        let (low, high) = self.bounds[self.role.index()];
        if values.exact { Outcome::exact(value) } else { Outcome { value, low, high } }
    }

    fn visit(&mut self, ctx: &mut Context, node: &Node<'_>) -> Result<Values, Stop> {
        ctx.deepest = ctx.deepest.max(node.ply);
        if self.options.table
            && node.ply > 0
            && let Some(values) = self.lookup(node)
        {
            return Ok(values);
        }
        if node.depth < PLY || node.ply >= DEEPEST {
            return Self::leaf(ctx, node);
        }
        let mut look = ctx.take_look();
        let turn = ctx.look(&mut look, node.state)?;
        let values = if turn == Turn::End {
            Self::end(ctx, node)
        } else if look.joint_count() > MOST_JOINT {
            Ok(Self::judge(ctx, node))
        } else {
            self.expand(ctx, node, &look)
        };
        ctx.give_look(look);
        values
    }

    /// What the table knows, if it is enough: for everybody, or in the same frame.
    fn lookup(&mut self, node: &Node<'_>) -> Option<Values> {
        let deeper = self.options.deeper;
        let enough = |entry: &&Entry| {
            (entry.values.exact || entry.depth >= node.depth)
                && (deeper || entry.depth <= node.depth)
        };
        let frame = node.frame;
        let plain = frame.is_plain();
        let shared = self.table.get(node.key).filter(enough);
        let mut found = shared.filter(|entry| plain || entry.values.for_all).cloned();
        if found.is_none() && !plain {
            found = self.table.get(frame.key(node.key)).filter(enough).cloned();
        }
        let values = found?.values;
        Some(if plain { values } else { Values { of: frame.values_back(&values.of), ..values } })
    }

    fn remember(&mut self, node: &Node<'_>, values: &Values, best: u32) {
        let Node { frame, depth, .. } = *node;
        let key = if values.for_all { node.key } else { frame.key(node.key) };
        let values = Values { of: frame.values_forth(&values.of), ..*values };
        self.table.put(key, depth, Entry { values, depth, best });
    }

    fn leaf(ctx: &mut Context, node: &Node<'_>) -> Result<Values, Stop> {
        if ctx.machine.is_terminal(node.state)? {
            Self::end(ctx, node)
        } else {
            Ok(Self::judge(ctx, node))
        }
    }

    fn judge(ctx: &mut Context, node: &Node<'_>) -> Values {
        let values: Vec<Mills> = ctx.judge(node.state).iter().map(|value| mills(*value)).collect();
        Values { of: node.frame.values_back(&values), exact: false, for_all: true }
    }

    fn end(ctx: &mut Context, node: &Node<'_>) -> Result<Values, Stop> {
        let rewards = ctx.rewards(node.state)?;
        let values: Vec<Mills> = rewards.iter().map(|r| mills(f64::from(*r))).collect();
        Ok(Values { of: node.frame.values_back(&values), exact: true, for_all: true })
    }

    fn expand(&mut self, ctx: &mut Context, node: &Node<'_>, look: &Look) -> Result<Values, Stop> {
        let mut choosing: Vec<Role> = (0..look.moves.len())
            .filter(|role| look.moves[*role].len() > 1)
            .map(|role| Role(role as u32))
            .collect();
        choosing.sort_by_key(|role| {
            let role = node.frame.back(*role);
            (role != self.role, role)
        });
        let places = vec![0; look.moves.len()];
        let (mut values, best) = self.choose(ctx, node, look, &choosing, places)?;
        values.for_all &= choosing.len() < 2;
        if self.options.table {
            self.remember(node, &values, best as u32);
        }
        Ok(values)
    }

    /// The best move of the first role that has not chosen yet, and so on; also the joint move's number.
    fn choose(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        look: &Look,
        choosing: &[Role],
        mut places: Vec<usize>,
    ) -> Result<(Values, usize), Stop> {
        let Some((chooser, rest)) = choosing.split_first() else {
            let number = number_of(look, &places);
            return Ok((self.follow(ctx, node, &look.joint(number))?, number));
        };
        // The role whose part the one that chooses plays.
        let owner = node.frame.back(*chooser);
        let mut best: Option<Best> = None;
        let (mut all_exact, mut all_alike) = (true, true);
        let mut order = self.order(ctx, node, look, *chooser, rest.is_empty(), &places)?;
        let own = &look.moves[chooser.index()];
        if node.ply == 0 && *chooser == self.role {
            // Every move is to get its value; symmetric ones get that of the first of them.
            order.retain(|place| !self.root.is_left_out(own[*place]));
        } else if let Some((_, moves)) = ctx.distinct(node.state, look) {
            order.retain(|place| moves.contains(&own[*place]));
        }
        let count = order.len();
        for (at, place) in order.into_iter().enumerate() {
            places[chooser.index()] = place;
            let before = ctx.meter.nodes();
            let limit =
                if rest.is_empty() { self.options.depth_limit } else { DepthLimit::Uniform };
            let depth = of_successor(limit, node.depth, at, count) + PLY;
            let node = Node { depth, ..*node };
            let (found, number) = self.choose(ctx, &node, look, rest, places.clone())?;
            let better = best.as_ref().is_none_or(|best| self.prefers(owner, &found, &best.values));
            if node.ply == 0 && *chooser == self.role {
                let nodes = ctx.meter.nodes() - before;
                let outcome = self.outcome(&found);
                self.root.note(self.role, look.joint(number), outcome, nodes, depth - PLY, better);
            } else if node.ply == 0 && better && self.root.moves.len() == 1 {
                self.root.note(self.role, look.joint(number), self.outcome(&found), 0, depth, true);
            }
            all_exact &= found.exact;
            all_alike &= found.for_all;
            let tied = best.as_ref().is_some_and(|best| {
                let same = best.values.of[owner.index()] == found.of[owner.index()];
                same && (best.tied || best.values.of != found.of)
            });
            if better {
                best = Some(Best { values: found, number, tied });
            } else if let Some(best) = &mut best {
                best.tied |= tied;
            }
            if let Some(best) = best.as_mut().filter(|best| self.unbeatable(owner, &best.values)) {
                // What is the most for a role need not be for another one that plays its part.
                best.values.for_all &= self.bounds.iter().all(|bounds| *bounds == self.bounds[0]);
                return Ok((std::mem::take(&mut best.values), best.number));
            }
        }
        let Some(Best { mut values, number, tied }) = best else { return Ok(Default::default()) };
        values.exact = all_exact;
        values.for_all = all_alike && !tied;
        Ok((values, number))
    }

    fn follow(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        joint: &JointMove,
    ) -> Result<Values, Stop> {
        let (state, symmetry) = ctx.next(node.state, joint, node.frame)?;
        let frame = &ctx.framed(node.frame, symmetry);
        let key = ctx.key(&state);
        let depth = node.depth.saturating_sub(PLY);
        self.visit(ctx, &Node { state: &state, frame, key, depth, ply: node.ply + 1 })
    }

    fn prefers(&self, chooser: Role, one: &Values, other: &Values) -> bool {
        let (own, mine) = (chooser.index(), self.role.index());
        let order = one.of[own]
            .cmp(&other.of[own])
            .then(other.of[mine].cmp(&one.of[mine]))
            .then_with(|| other.of.cmp(&one.of));
        order.is_gt()
    }

    /// Nothing can be preferred to the most for the chooser and the least for everyone else.
    fn unbeatable(&self, chooser: Role, values: &Values) -> bool {
        let mut all = values.of.iter().zip(&self.bounds).enumerate();
        all.all(
            |(role, (value, (low, high)))| {
                if role == chooser.index() { value >= high } else { value <= low }
            },
        )
    }

    /// The places of the chooser's moves, the one found best before first; for depths by Eq. 4.4 in the
    /// order of the values of the successors before.
    fn order(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        look: &Look,
        chooser: Role,
        is_last: bool,
        places: &[usize],
    ) -> Result<Vec<usize>, Stop> {
        let mut order: Vec<usize> = (0..look.moves[chooser.index()].len()).collect();
        if !self.options.table {
            return Ok(order);
        }
        let best = self
            .peek(node.key, node.frame)
            .map(|entry| look.joint(entry.best as usize % look.joint_count()));
        let best = best.and_then(|joint| {
            look.moves[chooser.index()].iter().position(|action| *action == joint.of(chooser))
        });
        if self.options.depth_limit == DepthLimit::NonUniform && is_last && node.depth >= 2 * PLY {
            let mut values = Vec::with_capacity(order.len());
            let mut places = places.to_vec();
            for place in &order {
                places[chooser.index()] = *place;
                let joint = look.joint(number_of(look, &places));
                let (state, symmetry) = ctx.next(node.state, &joint, node.frame)?;
                let frame = ctx.framed(node.frame, symmetry);
                let entry = self.peek(ctx.key(&state), &frame);
                let chooser = frame.of(node.frame.back(chooser));
                values.push(entry.map_or(-1, |entry| entry.values.of[chooser.index()]));
            }
            order.sort_by_key(|place| std::cmp::Reverse(values[*place]));
        } else if let Some(best) = best {
            order.sort_by_key(|place| *place != best);
        }
        Ok(order)
    }

    /// What the table knows of a state, not counted as a question.
    fn peek(&self, key: Key, frame: &Frame) -> Option<&Entry> {
        let own = if frame.is_plain() { None } else { self.table.peek(frame.key(key)) };
        own.or_else(|| self.table.peek(key))
    }

    /// The joint move that the table thinks best.
    pub(super) fn best_joint(&self, key: Key, frame: &Frame, look: &Look) -> Option<JointMove> {
        let best = self.peek(key, frame)?.best as usize;
        (best < look.joint_count()).then(|| look.joint(best))
    }
}

/// The number of a joint move, given the places of the moves among those of each role.
fn number_of(look: &Look, places: &[usize]) -> usize {
    places.iter().zip(&look.moves).fold(0, |number, (place, own)| number * own.len() + place)
}
