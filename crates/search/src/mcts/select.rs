//! Which move to try next.

use std::sync::atomic::Ordering::Relaxed;

use game::playout::Random;

use super::amaf::View;
use super::exchange::Link;
use super::history::History;
use super::hot::Own;
use super::node::{Edge, Expansion, Node, Regret, SharedF32};
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

/// Chooses a move of a role by UCB1 (Auer, Cesa-Bianchi and Fischer 2002; UCT of Kocsis and Szepesvári
/// 2006), with what the options add to it. `own` is what the
/// thread keeps to itself, `settled` tells whether nothing is left to find out about a node.
///
/// Rauber-14 stops at solved nodes. A solved child of high value would then be visited nearly always, and
/// the others, that may be better, would hardly be solved ever; hence [`Choice::instead_of`].
pub(super) fn by_ucb(
    options: &Options,
    node: &Node,
    expansion: &Expansion,
    (role, amaf, own, history): (usize, Option<&View<'_>>, Option<&[Own]>, Option<&History>),
    settled: impl Fn(Link) -> bool,
    random: &mut Random,
) -> Choice {
    let range = node.range(role);
    let edges = &expansion.edges[range.clone()];
    let sure = edges.iter().map(|edge| edge.bounds.get().low).max().unwrap_or(0);
    let visits = f64::from(node.visits()) + 1.0;
    let scale = options.exploration * visits.ln().max(0.0).sqrt();
    let turn = random.below(edges.len().max(1));
    let mean = node.mean(role) / 100.0;
    let mut best = (f64::NEG_INFINITY, range.start + turn);
    let mut best_open: (f64, Option<usize>) = (f64::NEG_INFINITY, None);
    for at in (turn..edges.len()).chain(0..turn) {
        let edge = &edges[at];
        let bounds = edge.bounds.get();
        if bounds.high < sure || (bounds.high == sure && bounds.low < sure) {
            // Another move is proven to be at least as good.
            continue;
        }
        let amaf = amaf.and_then(|view| view.of(range.start + at, node.moves[range.start + at]));
        let own = own.map_or(Own::default(), |own| own[range.start + at]);
        let guess = history.map(|known| mean + known.advantage(role, node.moves[range.start + at]));
        let score = score(options, (edge, own), scale, (amaf, guess), visits);
        if score > best.0 {
            best = (score, range.start + at);
        }
        if score > best_open.0 && !(bounds.is_exact() && settled(edge.child())) {
            best_open = (score, Some(range.start + at));
        }
    }
    match best_open.1 {
        Some(at) if at != best.1 => Choice { at, instead_of: Some(best.1) },
        _ => Choice { at: best.1, instead_of: None },
    }
}

fn score(
    options: &Options,
    (edge, own): (&Edge, Own),
    scale: f64,
    (amaf, guess): (Option<(f64, f64)>, Option<f64>),
    node_visits: f64,
) -> f64 {
    let done = f64::from(edge.visits.load(Relaxed) + own.visits);
    let mut tries = done + f64::from(edge.pending.load(Relaxed) + own.pending);
    let learned = amaf.map_or(0.0, |(_, mean)| mean);
    let prior = edge.prior.get();
    let judged = options.prior > 0.0 && !prior.is_nan();
    if tries == 0.0 && !judged && guess.is_none() {
        return match options.first_play {
            // Before all others.
            None => 1e6 + learned,
            Some(urgency) if amaf.is_none() => urgency + scale,
            Some(_) => learned + scale,
        };
    }
    let mut value = edge.mean() / 100.0;
    if options.implicit > 0.0 {
        value = blend(value, edge.implicit.get() / 100.0, options.implicit);
    }
    // Tries under way count as losses. All that counts like visits is summed up, and divided once.
    let mut sum = value * done;
    if let Some((weight, mean)) = amaf.filter(|_| tries > 0.0) {
        sum = blend(sum / tries, mean, options.amaf_share(weight, done, node_visits)) * tries;
    }
    if judged {
        sum += prior / 100.0 * options.prior;
        tries += options.prior;
    }
    if let Some(guess) = guess {
        sum += guess * options.history;
        tries += options.history;
    }
    let mut score = (sum + scale * tries.sqrt()) / tries;
    if options.bias > 0.0 {
        // Progressive bias (Chaslot et al. 2008).
        score += if prior.is_nan() { 0.0 } else { options.bias * prior / 100.0 / (tries + 1.0) };
    }
    score
}

/// A mixture, unless there is nothing to mix with.
fn blend(value: f64, other: f64, share: f64) -> f64 {
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
