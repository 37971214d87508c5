//! Alpha-beta search of one role against all others (thesis §4.2.2): exact for two players with a constant
//! sum, the paranoid reduction for others, plain maximising where there is one role only.
//!
//! Beside the value by the depth limit, each state carries *proven* bounds, which rest on ends of the game
//! alone: at a heuristic leaf nothing is proven, at an end everything, in between the bounds of the
//! successors are combined as their values are. Bounds do not depend on depth, so a table entry with bounds
//! is useful at every depth, and the root is solved where its bounds meet. Values always lie within the
//! bounds.
//!
//! Simultaneous moves are serialised, own move first (thesis §4.2.3), or solved as a matrix game.

use game::{JointMove, Move, Role, State};

use super::context::{Context, DEEPEST, Mills, mills, points};
use super::depth::{PLY, of_successor, reduced};
use super::entry::{Balance, Bound, Entry};
use super::frame::{Frame, key_for, key_of_other};
use super::options::{Options, Simultaneous, Windows};
use super::order::Memory;
use super::root::{Outcome, Root};
use crate::effort::Stop;
use crate::hash::Key;
use crate::matrix;
use crate::rewards::{Look, Turn};
use crate::table::Table;

/// More joint moves than this are not listed; the state is judged instead.
const MOST_JOINT: usize = 1 << 16;
/// Beyond every value.
const BEYOND: Mills = 1_000_000;

/// A state to be searched.
struct Node<'s> {
    state: &'s State,
    key: Key,
    /// Who plays whose part.
    frame: &'s Frame,
    /// The role that plays the part of the searching one.
    role: Role,
    depth: u32,
    ply: u32,
    /// Moves left for quiescence search.
    quiet: u32,
}

/// A successor that was made: the state, its key, and who plays whose part in it.
type Made = (State, Key, Frame);

/// A way to go on.
#[derive(Clone, Debug)]
struct Branch {
    /// The joint move; where moves are serialised, only that of the searching role counts.
    joint: usize,
    serial: bool,
    /// What history and killers know it by.
    action: Move,
    place: u32,
    score: i64,
    made: Option<Made>,
}

/// The search.
pub(super) struct AlphaBeta {
    options: Options,
    role: Role,
    /// Proven bounds on the reward of the role.
    bottom: Mills,
    top: Mills,
    table: Table<Entry>,
    memory: Memory,
    pub(super) root: Root,
    /// The sum of rewards at the ends met, and whether it was the same at all of them.
    pub(super) sum: Option<u32>,
    pub(super) sums_differ: bool,
    /// What that means for states with exchanged roles.
    balance: Balance,
}

impl AlphaBeta {
    pub(super) fn new(options: &Options) -> Self {
        let memory = if options.table { options.memory } else { 0 };
        Self {
            options: options.clone(),
            role: Role(0),
            bottom: 0,
            top: mills(100.0),
            table: Table::new(memory),
            memory: Memory::default(),
            root: Root::default(),
            sum: None,
            sums_differ: false,
            balance: Balance::default(),
        }
    }

    /// Gets ready for a search from another state, perhaps for another role. The rewards of the role lie
    /// between `bounds`; `alike` are its symmetric moves.
    pub(super) fn begin(
        &mut self,
        role: Role,
        bounds: (u8, u8),
        moves: &[Move],
        alike: Option<Vec<usize>>,
    ) {
        if role != self.role {
            self.forget();
        }
        self.role = role;
        (self.bottom, self.top) = (mills(f64::from(bounds.0)), mills(f64::from(bounds.1)));
        self.table.new_search();
        self.memory.fade();
        self.root = Root::new(moves, self.bottom, self.top).with_alike(alike);
    }

    pub(super) fn forget(&mut self) {
        self.table.clear();
        self.memory = Memory::default();
        (self.sum, self.sums_differ) = (None, false);
        self.balance = Balance::default();
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
        let key = ctx.key(state);
        let last = self.root.outcome.map(|outcome| outcome.value);
        let (mut alpha, mut beta) = match (self.options.aspiration, last) {
            (Some(half), Some(last)) if depth > 1 => (last - mills(half), last + mills(half)),
            _ => (-BEYOND, BEYOND),
        };
        loop {
            let (role, quiet) = (self.role, self.quiet());
            let frame = &Frame::default();
            let node = Node { state, key, frame, role, depth: depth * PLY, ply: 0, quiet };
            let outcome = self.visit(ctx, &node, alpha, beta)?;
            if outcome.value <= alpha && alpha > -BEYOND && !outcome.is_solved() {
                alpha = -BEYOND;
            } else if outcome.value >= beta && beta < BEYOND && !outcome.is_solved() {
                beta = BEYOND;
            } else {
                self.root.settle(outcome);
                return Ok(outcome);
            }
        }
    }

    fn quiet(&self) -> u32 {
        self.options.quiescence.map_or(0, |quiescence| quiescence.depth)
    }

    /// The value of a state; a bound of it where it lies outside of the window (fail-soft).
    fn visit(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        alpha: Mills,
        beta: Mills,
    ) -> Result<Outcome, Stop> {
        ctx.deepest = ctx.deepest.max(node.ply);
        let known = if self.options.table { self.lookup(ctx, node.key) } else { None };
        let known = known.filter(|entry| self.options.deeper || entry.depth <= node.depth);
        let quiescence = self.options.quiescence.is_some();
        if let Some(entry) = known.filter(|_| node.ply > 0)
            && let Some(outcome) = entry.enough(node.depth, quiescence, (alpha, beta))
        {
            return Ok(outcome);
        }
        let full = self.options.windows == Windows::Full;
        let (mut alpha, mut beta) = if full { (-BEYOND, BEYOND) } else { (alpha, beta) };
        let is_leaf = node.depth < PLY;
        if (is_leaf && self.options.quiescence.is_none()) || node.ply >= DEEPEST {
            return self.leaf(ctx, node);
        }
        if let Some(entry) = known.filter(|_| !full && node.ply > 0) {
            (alpha, beta) = (alpha.max(entry.low), beta.min(entry.high));
        }
        let mut look = ctx.take_look();
        let turn = ctx.look(&mut look, node.state)?;
        let outcome = if turn == Turn::End {
            self.end(ctx, node)
        } else if look.joint_count() > MOST_JOINT
            || (is_leaf && self.is_quiet(ctx, node, &look, turn))
        {
            Ok(self.judge(ctx, node))
        } else {
            ctx.enter(node.state, &look, turn, &self.options);
            let result = self.expand(ctx, node, &look, known.as_ref(), (alpha, beta));
            ctx.leave(turn, &self.options);
            result
        };
        ctx.give_look(look);
        outcome
    }

    fn is_quiet(&self, ctx: &mut Context, node: &Node<'_>, look: &Look, turn: Turn) -> bool {
        let options = self.options.quiescence.unwrap_or_default();
        node.quiet == 0 || !ctx.is_noisy(node.state, look, turn, &options)
    }

    /// What the table knows of a state, for the role that plays the part of the searching one; of two roles also what it
    /// knows for the other (thesis §8.4, with values exchanged).
    fn lookup(&mut self, ctx: &Context, key: Key) -> Option<Entry> {
        let own = self.table.get(key).copied();
        if ctx.roles != 2 || !ctx.exchanges_roles() {
            return own;
        }
        let other = self.table.peek(key_of_other(key, self.role));
        let other = other.and_then(|e| self.balance.mirrored(e, (self.bottom, self.top)));
        match (own, other) {
            (Some(own), Some(other)) => Some(own.with(other)),
            (own, other) => own.or(other),
        }
    }

    /// A state at the depth limit: an end or a guess (thesis Def. 4.2).
    fn leaf(&mut self, ctx: &mut Context, node: &Node<'_>) -> Result<Outcome, Stop> {
        if ctx.machine.is_terminal(node.state)? {
            self.end(ctx, node)
        } else {
            Ok(self.judge(ctx, node))
        }
    }

    fn judge(&mut self, ctx: &mut Context, node: &Node<'_>) -> Outcome {
        let values = ctx.judge(node.state);
        let raw = mills(values[node.role.index()]);
        let sum: Mills = values.iter().map(|value| mills(*value)).sum();
        let value = raw.clamp(self.bottom, self.top);
        // A value that was moved into what is known is not what the other role lacks.
        self.balance.leaf(sum + value - raw);
        Outcome { value, low: self.bottom, high: self.top }
    }

    fn end(&mut self, ctx: &mut Context, node: &Node<'_>) -> Result<Outcome, Stop> {
        let rewards = ctx.rewards(node.state)?;
        let sum = rewards.iter().map(|reward| u32::from(*reward)).sum();
        self.sums_differ |= self.sum.is_some_and(|before| before != sum);
        self.sum = Some(sum);
        self.balance.end(&rewards);
        Ok(Outcome::exact(mills(f64::from(rewards[node.role.index()]))))
    }

    /// Searches the successors and remembers what was found.
    fn expand(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        look: &Look,
        known: Option<&Entry>,
        (alpha, beta): (Mills, Mills),
    ) -> Result<Outcome, Stop> {
        let own = look.moves[node.role.index()].len();
        let others = look.joint_count() / own;
        let best = known.map(|entry| entry.best);
        let (mut outcome, best) = if own > 1 && others > 1 {
            match self.options.simultaneous {
                Simultaneous::Mixed => self.matrix(ctx, node, look, own, others)?,
                Simultaneous::Serial => {
                    self.balance.serialised();
                    let branches = serial(look, node.role);
                    self.choose(ctx, node, look, branches, true, best, (alpha, beta))?
                }
            }
        } else {
            let mut branches = branches(look, node.role, |_| true);
            if node.ply == 0 && own > 1 {
                // Every move is to get its value; symmetric ones get that of the first of them.
                branches.retain(|branch| !self.root.is_left_out(branch.action));
            } else if let Some((_, moves)) = ctx.distinct(node.state, look) {
                branches.retain(|branch| moves.contains(&branch.action));
            }
            self.choose(ctx, node, look, branches, others == 1, best, (alpha, beta))?
        };
        if let Some(entry) = known {
            outcome.low = outcome.low.max(entry.low);
            outcome.high = outcome.high.min(entry.high);
        }
        outcome.value = outcome.value.clamp(outcome.low, outcome.high.max(outcome.low));
        if self.options.table {
            let bound = if outcome.value <= alpha {
                Bound::Upper
            } else if outcome.value >= beta {
                Bound::Lower
            } else {
                Bound::Exact
            };
            let Outcome { value, low, high } = outcome;
            let depth = node.depth;
            self.table.put(node.key, depth, Entry { value, low, high, depth, best, bound });
        }
        Ok(outcome)
    }

    /// The best branch for one side, by alpha-beta. Also returns the place of the branch.
    #[expect(clippy::too_many_arguments, reason = "the state of a recursion")]
    fn choose(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        look: &Look,
        mut branches: Vec<Branch>,
        maximising: bool,
        first: Option<u32>,
        (alpha, beta): (Mills, Mills),
    ) -> Result<(Outcome, u32), Stop> {
        self.order(ctx, node, look, &mut branches, maximising, first)?;
        // From here on values are as the choosing side sees them.
        let (mut a, b) = if maximising { (alpha, beta) } else { (-beta, -alpha) };
        let top = if maximising { self.top } else { -self.bottom };
        if let Some(done) = self.cut_by_table(&branches, maximising, b, top)
            && node.ply > 0
        {
            return Ok(done);
        }
        let mut best = Outcome { value: -BEYOND, low: -BEYOND, high: -BEYOND };
        let (mut best_place, mut best_low) = (branches[0].place, -BEYOND);
        let count = branches.len();
        for (at, branch) in branches.iter_mut().enumerate() {
            let before = ctx.meter.nodes();
            let depth = of_successor(self.options.depth_limit, node.depth, at, count);
            let found = self.scout(ctx, node, look, branch, depth, maximising, at, (a, b))?;
            // Among equal values the one that is proven counts; the others may be bounds from above.
            let better = (found.value, found.low) > (best.value, best_low);
            if better {
                (best_place, best_low) = (branch.place, found.low);
            }
            if node.ply == 0 && (branch.serial || !self.is_reply(look)) {
                let (joint, nodes) = (look.joint(branch.joint), ctx.meter.nodes() - before);
                self.root.note(self.role, joint, found.turned(maximising), nodes, depth, better);
            }
            best.value = best.value.max(found.value);
            best.low = best.low.max(found.low);
            best.high = best.high.max(found.high);
            if self.options.windows == Windows::Full {
                continue;
            }
            a = a.max(best.value);
            if a >= b || best.low >= top {
                if at + 1 < count {
                    best.high = top;
                }
                let depth = node.depth / PLY;
                self.memory.cut(maximising, node.ply, depth, branch.action);
                break;
            }
        }
        Ok((best.turned(maximising), best_place))
    }

    /// Whether the branches at the root are replies to a serialised move.
    fn is_reply(&self, look: &Look) -> bool {
        let own = look.moves[self.role.index()].len();
        own > 1 && look.joint_count() > own
    }

    /// A first look through a window of no width, a second one where that shows something better
    /// (Reinefeld 1989). Values are as the choosing side sees them.
    #[expect(clippy::too_many_arguments, reason = "the state of a recursion")]
    fn scout(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        look: &Look,
        branch: &mut Branch,
        depth: u32,
        maximising: bool,
        at: usize,
        (a, b): (Mills, Mills),
    ) -> Result<Outcome, Stop> {
        let scouting = self.options.windows == Windows::Scout && at > 0 && a > -BEYOND && a + 1 < b;
        let less = if self.options.reductions { reduced(depth, at) } else { depth };
        if less < depth && a > -BEYOND && node.ply > 0 {
            let found = self.follow(ctx, node, look, branch, less, maximising, (a, a + 1))?;
            if found.value <= a {
                return Ok(found);
            }
        }
        if scouting {
            let found = self.follow(ctx, node, look, branch, depth, maximising, (a, a + 1))?;
            if found.value <= a || found.value >= b {
                return Ok(found);
            }
        }
        self.follow(ctx, node, look, branch, depth, maximising, (a, b))
    }

    /// Searches below a branch.
    #[expect(clippy::too_many_arguments, reason = "the state of a recursion")]
    fn follow(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        look: &Look,
        branch: &mut Branch,
        depth: u32,
        maximising: bool,
        (a, b): (Mills, Mills),
    ) -> Result<Outcome, Stop> {
        let (alpha, beta) = if maximising { (a, b) } else { (-b, -a) };
        if branch.serial {
            let action = branch.action;
            let replies = branches(look, node.role, |joint| joint.of(node.role) == action);
            // A joint move is one move deep, so the replies share the depth of the own move.
            let node = Node { depth: depth + PLY, ..*node };
            let (found, _) = self.choose(ctx, &node, look, replies, false, None, (alpha, beta))?;
            return Ok(found.turned(maximising));
        }
        let found = self.visit_joint(
            ctx,
            node,
            &look.joint(branch.joint),
            branch.made.take(),
            depth,
            (alpha, beta),
        )?;
        Ok(found.turned(maximising))
    }

    fn visit_joint(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        joint: &JointMove,
        made: Option<Made>,
        depth: u32,
        (alpha, beta): (Mills, Mills),
    ) -> Result<Outcome, Stop> {
        let (state, key, frame) = match made {
            Some(made) => made,
            None => self.make(ctx, node, joint)?,
        };
        let quiet = if node.depth < PLY { node.quiet.saturating_sub(1) } else { node.quiet };
        let (role, ply) = (frame.of(self.role), node.ply + 1);
        let child = Node { state: &state, key, frame: &frame, role, depth, ply, quiet };
        self.visit(ctx, &child, alpha, beta)
    }

    /// Sorts branches, the most promising first.
    fn order(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        look: &Look,
        branches: &mut [Branch],
        maximising: bool,
        first: Option<u32>,
    ) -> Result<(), Stop> {
        const FIRST: i64 = 1 << 50;
        const SEEN: i64 = 1 << 40;
        const KILLER: i64 = 1 << 30;
        if branches.len() < 2 {
            return Ok(());
        }
        let successors = self.options.successors && self.options.table && node.depth >= 2 * PLY;
        for branch in branches.iter_mut() {
            if self.options.history {
                branch.score += i64::from(self.memory.history(maximising, branch.action));
            }
            if self.options.killers && self.memory.is_killer(node.ply, branch.action) {
                branch.score += KILLER;
            }
            if successors && !branch.serial {
                let made = self.make(ctx, node, &look.joint(branch.joint))?;
                if let Some(entry) = self.table.peek(made.1) {
                    let value = if maximising { entry.value } else { -entry.value };
                    branch.score += SEEN + (i64::from(value) << 10);
                }
                branch.made = Some(made);
            }
            if first == Some(branch.place) {
                branch.score += FIRST;
            }
        }
        branches.sort_by_key(|branch| std::cmp::Reverse(branch.score));
        Ok(())
    }

    /// A cut-off by what the table has proved about a successor that was made already.
    fn cut_by_table(
        &self,
        branches: &[Branch],
        maximising: bool,
        b: Mills,
        top: Mills,
    ) -> Option<(Outcome, u32)> {
        if self.options.windows == Windows::Full || branches.iter().all(|b| b.made.is_none()) {
            return None;
        }
        branches.iter().find_map(|branch| {
            let entry = self.table.peek(branch.made.as_ref()?.1)?;
            let low = if maximising { entry.low } else { -entry.high };
            let found = Outcome { value: low, low, high: top };
            (low >= b).then(|| (found.turned(maximising), branch.place))
        })
    }

    /// The mixed equilibrium of all joint moves, each searched with a full window.
    fn matrix(
        &mut self,
        ctx: &mut Context,
        node: &Node<'_>,
        look: &Look,
        own: usize,
        others: usize,
    ) -> Result<(Outcome, u32), Stop> {
        let depth = node.depth.saturating_sub(PLY);
        let cells = branches(look, node.role, |_| true);
        let mut found = Vec::with_capacity(cells.len());
        let mut nodes = vec![0; own];
        let row_of = rows_of(look, node.role, &cells);
        for (cell, row) in cells.iter().zip(&row_of) {
            let before = ctx.meter.nodes();
            let joint = look.joint(cell.joint);
            found.push(self.visit_joint(ctx, node, &joint, None, depth, (-BEYOND, BEYOND))?);
            nodes[*row] += ctx.meter.nodes() - before;
        }
        let of = |part: fn(&Outcome) -> Mills| {
            let mut payoffs = vec![0.0; own * others];
            let mut filled = vec![0; own];
            for (outcome, row) in found.iter().zip(&row_of) {
                payoffs[row * others + filled[*row]] = points(part(outcome));
                filled[*row] += 1;
            }
            matrix::solve(&payoffs, others)
        };
        let equilibrium = of(|outcome| outcome.value);
        let outcome = Outcome {
            value: mills(equilibrium.value()),
            low: mills(of(|outcome| outcome.low).low),
            high: mills(of(|outcome| outcome.high).high),
        };
        let likely = |weights: &[f64]| {
            let at = |a: &usize, b: &usize| weights[*a].total_cmp(&weights[*b]).then(b.cmp(a));
            (0..weights.len()).max_by(at).unwrap_or(0)
        };
        let (row, column) = (likely(&equilibrium.rows), likely(&equilibrium.columns));
        let cell = (0..cells.len()).filter(|at| row_of[*at] == row).nth(column).unwrap_or(0);
        if node.ply == 0 {
            self.root.joint = Some(look.joint(cells[cell].joint));
            (self.root.best, self.root.fresh) = (row, true);
            for (at, own) in self.root.moves.iter_mut().enumerate() {
                // What the move is worth against the other side's equilibrium strategy.
                let cells = found.iter().zip(&row_of).filter(|(_, row)| **row == at);
                let weighted =
                    cells.zip(&equilibrium.columns).map(|((o, _), w)| points(o.value) * w);
                let value = mills(weighted.sum());
                let bounds = found.iter().zip(&row_of).filter(|(_, row)| **row == at);
                let low = bounds.clone().map(|(o, _)| o.low).min().unwrap_or(self.bottom);
                let high = bounds.map(|(o, _)| o.high).max().unwrap_or(self.top);
                own.outcome = Outcome { value, low, high };
                (own.weight, own.depth) = (equilibrium.rows[at], depth / PLY + 1);
                own.nodes += nodes[at];
            }
        }
        Ok((outcome, cell as u32))
    }

    /// Makes sure that the table knows the value and the best branch of a state below a solved root: entries
    /// may have been replaced, or hold bounds only.
    pub(super) fn resolve(
        &mut self,
        ctx: &mut Context,
        (state, frame): (&State, &Frame),
        key: Key,
        depth: u32,
    ) {
        let role = frame.of(self.role);
        let key = key_for(key, self.role, role);
        if self.options.table && self.lookup(ctx, key).is_none_or(|entry| entry.low < entry.high) {
            let quiet = self.quiet();
            let node = Node { state, key, frame, role, depth: depth * PLY, ply: 1, quiet };
            // Out of time, the line is shorter.
            let _ = self.visit(ctx, &node, -BEYOND, BEYOND);
        }
    }

    /// The branch that the table thinks best, as a joint move.
    pub(super) fn best_joint(
        &mut self,
        ctx: &Context,
        key: Key,
        frame: &Frame,
        look: &Look,
    ) -> Option<JointMove> {
        let role = frame.of(self.role);
        let entry = self.lookup(ctx, key_for(key, self.role, role))?;
        let own = look.moves[role.index()].len();
        let serialised = own > 1
            && look.joint_count() > own
            && self.options.simultaneous == Simultaneous::Serial;
        let all = if serialised { serial(look, role) } else { branches(look, role, |_| true) };
        all.get(entry.best as usize).map(|branch| look.joint(branch.joint))
    }

    /// Makes a successor, with its key and who plays whose part there.
    fn make(&self, ctx: &mut Context, node: &Node<'_>, joint: &JointMove) -> Result<Made, Stop> {
        let (state, symmetry) = ctx.next(node.state, joint, node.frame)?;
        if ctx.symmetries.is_none() {
            let key = ctx.zobrist.update(node.key, node.state, &state);
            return Ok((state, key, Frame::default()));
        }
        let frame = ctx.framed(node.frame, symmetry);
        let key = key_for(ctx.key(&state), self.role, frame.of(self.role));
        Ok((state, key, frame))
    }
}

/// One branch for each joint move that passes.
fn branches(look: &Look, role: Role, passes: impl Fn(&JointMove) -> bool) -> Vec<Branch> {
    let chooser = match look.turn() {
        Turn::Of(only) => only,
        _ => role,
    };
    let all = (0..look.joint_count()).map(|number| (number, look.joint(number)));
    all.filter(|(_, joint)| passes(joint))
        .enumerate()
        .map(|(place, (number, joint))| Branch {
            joint: number,
            serial: false,
            action: joint.of(chooser),
            place: place as u32,
            score: 0,
            made: None,
        })
        .collect()
}

/// One branch for each move of the role; the others answer (thesis Figure 4.3).
fn serial(look: &Look, role: Role) -> Vec<Branch> {
    let own = look.moves[role.index()].iter().enumerate();
    let later = &look.moves[role.index() + 1..];
    let stride: usize = later.iter().map(Vec::len).product();
    own.map(|(place, action)| Branch {
        joint: place * stride,
        serial: true,
        action: *action,
        place: place as u32,
        score: 0,
        made: None,
    })
    .collect()
}

/// The row of each cell: the place of the own move.
fn rows_of(look: &Look, role: Role, cells: &[Branch]) -> Vec<usize> {
    let later: usize = look.moves[role.index() + 1..].iter().map(Vec::len).product();
    let own = look.moves[role.index()].len();
    cells.iter().map(|cell| cell.joint / later % own).collect()
}
