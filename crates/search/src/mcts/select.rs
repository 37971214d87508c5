//! Which move to try next.

use std::sync::atomic::Ordering::Relaxed;

use game::playout::Random;

use crate::rewards::Turn;

use super::amaf;
use super::edges::Edge;
use super::exchange::Link;
use super::hot::Own;
use super::node::{Bounds, Expansion, Node, Regret, SharedF32};
use super::options::{Options, Simultaneous};

/// The share of random moves in regret matching.
const REGRET_EXPLORATION: f64 = 0.1;

/// A move to try, by its place among those of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// The move to try.
    pub(super) at: usize,
    /// The move that was meant, if its value is known: trying it would tell nothing, so another one is
    /// tried, while the nodes above get the known value.
    pub(super) instead_of: Option<usize>,
}

/// What a choice is made by.
pub(super) struct View<'v> {
    pub(super) role: usize,
    /// The weight of exploration.
    pub(super) exploration: f32,
    pub(super) amaf: Option<&'v amaf::View<'v>>,
    /// What the thread keeps to itself.
    pub(super) own: Option<&'v [Own]>,
    /// The move to try next among those without an edge, with its guess.
    pub(super) next: Option<(usize, f32)>,
}

/// Chooses a move of a role by UCB1 (Auer, Cesa-Bianchi and Fischer 2002; UCT of Kocsis and Szepesvári
/// 2006), with what the options add to it. `settled` tells whether nothing is left to find out about a node.
///
/// Rauber-14 stops at solved nodes. A solved child of high value would then be visited nearly always, and
/// the others, that may be better, would hardly be solved ever; hence [`Choice::instead_of`].
pub(super) fn by_ucb(
    options: &Options,
    node: &Node,
    expansion: &Expansion,
    view: &View<'_>,
    settled: impl Fn(Link) -> bool,
    random: &mut Random,
) -> Choice {
    let range = node.range(view.role);
    let edges = &expansion.edges;
    // What the best move guarantees is what the node does, unless only a mixture of moves does.
    let sure = match node.turn {
        Turn::Several => range.clone().map(|at| edges.bounds(at).low).max().unwrap_or(0),
        _ => node.roles[view.role].bounds.get().low,
    };
    let terms = Terms::of(options, node, view.role, view.exploration);
    let mut race = Race { best: (f32::NEG_INFINITY, range.start), open: None };
    let mut enter = |edge: &Edge| {
        let bounds = edge.bounds.get();
        if bounds.is_beaten(sure) {
            return;
        }
        let at = edge.place();
        let amaf = view.amaf.and_then(|amaf| amaf.of(at, node.moves[at]));
        let own = view.own.map_or(Own::default(), |own| own[at]);
        let score = score(&terms, (edge, bounds, own), amaf);
        race.enter(score, at, || !(bounds.is_exact() && settled(edge.child())));
    };
    if edges.is_whole() {
        // Of moves with the same score each has its chance.
        let turn = random.below(range.len().max(1));
        edges.whole(range, turn).for_each(&mut enter);
    } else {
        edges.iter().for_each(&mut enter);
    }
    if let Some((at, guess)) = view.next.filter(|_| !edges.unknown().is_beaten(sure)) {
        race.enter(terms.untried(guess), at, || true);
    }
    race.choice()
}

/// The best moves so far.
struct Race {
    best: (f32, usize),
    /// The best one about which there is something left to find out.
    open: Option<(f32, usize)>,
}

impl Race {
    fn enter(&mut self, score: f32, at: usize, is_open: impl FnOnce() -> bool) {
        if score > self.best.0 {
            self.best = (score, at);
        }
        if self.open.is_none_or(|(most, _)| score > most) && is_open() {
            self.open = Some((score, at));
        }
    }

    fn choice(&self) -> Choice {
        match self.open {
            Some((_, at)) if at != self.best.1 => Choice { at, instead_of: Some(self.best.1) },
            _ => Choice { at: self.best.1, instead_of: None },
        }
    }
}

/// What is the same for all moves of a node. Values are from 0 to 1, in single precision: what a choice costs is mostly how
/// long its roots and divisions take.
struct Terms<'o> {
    options: &'o Options,
    visits: f32,
    /// The weight of exploration for one try.
    scale: f32,
    /// The mean of the node.
    mean: f32,
    /// How many visits an evaluation and the worth of a move elsewhere count like.
    prior: f32,
    history: f32,
    /// The share of implicit minimax values.
    implicit: f32,
}

impl<'o> Terms<'o> {
    fn of(options: &'o Options, node: &Node, role: usize, exploration: f32) -> Self {
        let visits = node.visits() as f32 + 1.0;
        Self {
            options,
            visits,
            scale: exploration * visits.ln().max(0.0).sqrt(),
            mean: (node.mean(role) / 100.0) as f32,
            prior: options.prior as f32,
            history: options.history as f32,
            implicit: options.implicit as f32,
        }
    }

    /// The score of a move that has nothing but a guess.
    fn untried(&self, guess: f32) -> f32 {
        self.mean + guess + self.scale / self.history.sqrt()
    }
}

fn score(
    terms: &Terms<'_>,
    (edge, bounds, own): (&Edge, Bounds, Own),
    amaf: Option<(f64, f64)>,
) -> f32 {
    let options = terms.options;
    let counted = edge.visits.load(Relaxed);
    let done = (counted + own.visits) as f32;
    let mut tries = done + (u32::from(edge.pending.load(Relaxed)) + own.pending) as f32;
    let prior = edge.prior.plain();
    let judged = terms.prior > 0.0 && !prior.is_nan();
    if tries == 0.0 && !judged && terms.history <= 0.0 {
        let learned = amaf.map_or(0.0, |(_, mean)| mean as f32);
        return match options.first_play {
            // Before all others.
            None => 1e6 + learned,
            Some(urgency) if amaf.is_none() => urgency as f32 + terms.scale,
            Some(_) => learned + terms.scale,
        };
    }
    let (low, high) = (f32::from(bounds.low), f32::from(bounds.high));
    let mean = if counted == 0 { f32::midpoint(low, high) } else { edge.plain_mean() };
    let mut value = mean.max(low).min(high) / 100.0;
    if terms.implicit > 0.0 {
        value = blend(value, edge.implicit.plain() / 100.0, terms.implicit);
    }
    // Tries under way count as losses. All that counts like visits is summed up, and divided once.
    let mut sum = value * done;
    if let Some((weight, mean)) = amaf.filter(|_| tries > 0.0) {
        let share = options.amaf_share(weight, f64::from(done), f64::from(terms.visits));
        sum = blend(sum / tries, mean as f32, share as f32) * tries;
    }
    if judged {
        sum += prior / 100.0 * terms.prior;
        tries += terms.prior;
    }
    if terms.history > 0.0 {
        sum += (terms.mean + edge.guess.plain()) * terms.history;
        tries += terms.history;
    }
    let mut score = (sum + terms.scale * tries.sqrt()) / tries;
    if options.bias > 0.0 && !prior.is_nan() {
        // Progressive bias (Chaslot et al. 2008).
        score += options.bias as f32 * prior / 100.0 / (tries + 1.0);
    }
    score
}

/// A mixture, unless there is nothing to mix with.
fn blend(value: f32, other: f32, share: f32) -> f32 {
    if other.is_nan() { value } else { value * (1.0 - share) + other * share }
}

/// The strategies of a node by regret matching: made when they are first needed.
fn regrets<'e>(node: &Node, expansion: &'e Expansion) -> &'e [Regret] {
    let new = || Regret { regret: SharedF32::new(0.0), average: SharedF32::new(0.0) };
    expansion.regrets.get_or_init(|| node.moves.iter().map(|_| new()).collect())
}

/// Plays in proportion to positive regrets (Hart and Mas-Colell 2000; in trees Lanctot, Lisý and Winands
/// 2014), now and then at random.
pub(super) fn by_regret(
    node: &Node,
    expansion: &Expansion,
    role: usize,
    random: &mut Random,
) -> usize {
    let range = node.range(role);
    let own = &regrets(node, expansion)[range.clone()];
    let total: f64 = own.iter().map(|regret| regret.regret.get()).sum();
    let count = own.len() as f64;
    let share = |regret: &Regret| {
        if total > 0.0 { regret.regret.get() / total } else { 1.0 / count }
    };
    let mut left = unit(random);
    let mut chosen = None;
    for (at, regret) in own.iter().enumerate() {
        let share = share(regret);
        regret.average.add(share);
        left -= share * (1.0 - REGRET_EXPLORATION) + REGRET_EXPLORATION / count;
        if left < 0.0 && chosen.is_none() {
            chosen = Some(at);
        }
    }
    range.start + chosen.unwrap_or(own.len() - 1)
}

/// Learns that the joint move of a role yielded `got`, while its move `at` would have yielded
/// `would(at)`. Regrets do not fall below 0 (regret matching+ of Tammelin 2014).
pub(super) fn learn_regret(
    node: &Node,
    expansion: &Expansion,
    role: usize,
    got: f64,
    would: impl Fn(usize) -> f64,
) {
    let own = regrets(node, expansion);
    for at in node.range(role) {
        let regret = &own[at].regret;
        regret.set((regret.get() + would(at) - got).max(0.0));
    }
}

/// The average strategy of a role: probabilities of its moves.
pub(super) fn average_strategy(options: &Options, node: &Node, role: usize) -> Option<Vec<f64>> {
    if options.simultaneous != Simultaneous::Regret {
        return None;
    }
    let own = &node.expansion()?.regrets.get()?[node.range(role)];
    let total: f64 = own.iter().map(|regret| regret.average.get()).sum();
    (total > 0.0).then(|| own.iter().map(|regret| regret.average.get() / total).collect())
}

/// A number from 0 to 1.
pub(super) fn unit(random: &mut Random) -> f64 {
    random.below(1 << 30) as f64 / f64::from(1 << 30)
}
