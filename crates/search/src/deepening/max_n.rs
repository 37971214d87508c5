//! max^n: each role maximises its own reward (thesis §4.2.1, Eq. 4.1-4.3). Simultaneous moves are
//! serialised, the searching role first (§4.2.3).
//!
//! Where several moves are equally good for the role that chooses, the value of a state is not determined
//! by Eq. 4.3. Here the one worst for the searching role counts, and among those the least in the order of
//! the roles' values: so the value does not depend on the order in which moves are tried.

use game::{JointMove, Role, State};

use super::context::{Context, DEEPEST, Mills, mills};
use super::depth::{PLY, of_successor};
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
}

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
    key: Key,
    depth: u32,
    ply: u32,
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

    pub(super) fn begin(&mut self, role: Role, bounds: Vec<(u8, u8)>, moves: &[game::Move]) {
        if role != self.role {
            self.table.clear();
        }
        self.role = role;
        let wide = |(low, high): (u8, u8)| (mills(f64::from(low)), mills(f64::from(high)));
        self.bounds = bounds.into_iter().map(wide).collect();
        self.table.new_search();
        let (bottom, top) = self.bounds[role.index()];
        self.root = Root::new(moves, bottom, top);
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
        let node = Node { state, key: ctx.key(state), depth: depth * PLY, ply: 0 };
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
            && let Some(entry) = self.table.get(node.key)
            && (entry.values.exact || entry.depth >= node.depth)
        {
            return Ok(entry.values.clone());
        }
        if node.depth < PLY || node.ply >= DEEPEST {
            return Self::leaf(ctx, node.state);
        }
        let mut look = ctx.take_look();
        let turn = ctx.look(&mut look, node.state)?;
        let values = if turn == Turn::End {
            Self::end(ctx, node.state)
        } else if look.joint_count() > MOST_JOINT {
            Ok(Self::judge(ctx, node.state))
        } else {
            self.expand(ctx, node, &look)
        };
        ctx.give_look(look);
        values
    }

    fn leaf(ctx: &mut Context, state: &State) -> Result<Values, Stop> {
        if ctx.machine.is_terminal(state)? {
            Self::end(ctx, state)
        } else {
            Ok(Self::judge(ctx, state))
        }
    }

    fn judge(ctx: &mut Context, state: &State) -> Values {
        Values { of: ctx.judge(state).iter().map(|value| mills(*value)).collect(), exact: false }
    }

    fn end(ctx: &mut Context, state: &State) -> Result<Values, Stop> {
        let rewards = ctx.rewards(state)?;
        Ok(Values { of: rewards.iter().map(|r| mills(f64::from(*r))).collect(), exact: true })
    }

    fn expand(&mut self, ctx: &mut Context, node: &Node<'_>, look: &Look) -> Result<Values, Stop> {
        let mut choosing: Vec<Role> = (0..look.moves.len())
            .filter(|role| look.moves[*role].len() > 1)
            .map(|role| Role(role as u32))
            .collect();
        choosing.sort_by_key(|role| (*role != self.role, *role));
        let places = vec![0; look.moves.len()];
        let (values, best) = self.choose(ctx, node, look, &choosing, places)?;
        if self.options.table {
            let entry = Entry { values: values.clone(), depth: node.depth, best: best as u32 };
            self.table.put(node.key, node.depth, entry);
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
        let mut best: Option<(Values, usize)> = None;
        let mut all_exact = true;
        let mut order = self.order(ctx, node, look, *chooser, rest.is_empty(), &places)?;
        // At the root every move is to get its value; those of symmetric ones are in the table.
        if node.ply > 0
            && let Some((role, moves)) = ctx.distinct(node.state, look)
        {
            order.retain(|place| moves.contains(&look.moves[role.index()][*place]));
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
            let better = best.as_ref().is_none_or(|(best, _)| self.prefers(*chooser, &found, best));
            if node.ply == 0 && *chooser == self.role {
                let nodes = ctx.meter.nodes() - before;
                let outcome = self.outcome(&found);
                self.root.note(self.role, look.joint(number), outcome, nodes, depth - PLY, better);
            } else if node.ply == 0 && better && self.root.moves.len() == 1 {
                self.root.note(self.role, look.joint(number), self.outcome(&found), 0, depth, true);
            }
            all_exact &= found.exact;
            if better {
                best = Some((found, number));
            }
            if let Some((best, number)) =
                best.as_mut().filter(|(best, _)| self.unbeatable(*chooser, best))
            {
                return Ok((std::mem::take(best), *number));
            }
        }
        let (mut values, number) = best.unwrap_or_default();
        values.exact = all_exact;
        Ok((values, number))
    }

    fn follow(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        joint: &JointMove,
    ) -> Result<Values, Stop> {
        let state = ctx.next(node.state, joint)?;
        let key = ctx.key(&state);
        let depth = node.depth.saturating_sub(PLY);
        self.visit(ctx, &Node { state: &state, key, depth, ply: node.ply + 1 })
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
            .table
            .peek(node.key)
            .map(|entry| look.joint(entry.best as usize % look.joint_count()));
        let best = best.and_then(|joint| {
            look.moves[chooser.index()].iter().position(|action| *action == joint.of(chooser))
        });
        if self.options.depth_limit == DepthLimit::NonUniform && is_last && node.depth >= 2 * PLY {
            let mut values = Vec::with_capacity(order.len());
            let mut places = places.to_vec();
            for place in &order {
                places[chooser.index()] = *place;
                let state = ctx.next(node.state, &look.joint(number_of(look, &places)))?;
                let entry = self.table.peek(ctx.key(&state));
                values.push(entry.map_or(-1, |entry| entry.values.of[chooser.index()]));
            }
            order.sort_by_key(|place| std::cmp::Reverse(values[*place]));
        } else if let Some(best) = best {
            order.sort_by_key(|place| *place != best);
        }
        Ok(order)
    }

    /// The joint move that the table thinks best.
    pub(super) fn best_joint(&self, key: Key, look: &Look) -> Option<JointMove> {
        let best = self.table.peek(key)?.best as usize;
        (best < look.joint_count()).then(|| look.joint(best))
    }
}

/// The number of a joint move, given the places of the moves among those of each role.
fn number_of(look: &Look, places: &[usize]) -> usize {
    places.iter().zip(&look.moves).fold(0, |number, (place, own)| number * own.len() + place)
}
