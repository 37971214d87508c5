//! Simultaneous moves in the end: the best answer to what the others are expected to do.
//!
//! Decoupled UCT (see `select`) averages a move over all that the others tried. What they will do is known better than
//! that: programs that search play the move that they tried most often, and they see much the same as this search does. So there are
//! two forecasts for each of them, that it plays by its visits and that it plays the most visited move, and what it really
//! played tells how much each of them counts (Bayes). The own move is the one that yields most against the
//! mixture, by the means of the joint moves. Own work; to model opponents by what they did is an old idea (Carmel and
//! Markovitch 1996).

use std::sync::atomic::Ordering::Relaxed;

use crate::hash::Key;
use crate::report::SearchReport;
use crate::rewards::Turn;

use super::edges::Edge;
use super::graph::Graph;
use super::node::{Expansion, MOST_DENSE, Node, NodeId};

/// The chance of the most visited move, where it is expected.
const GREEDY: f64 = 0.75;
/// The part of the belief that is taken back after each move, so that no forecast is given up for good.
const DOUBT: f64 = 0.05;
/// The mean of a joint move counts like that many visits of the own move in general.
const SHRINKAGE: f64 = 8.0;
/// The deviation of results of a joint move, in points, and by how many standard errors of its value an answer has to be better than the most
/// visited move. Joint moves have few visits each: where what a move yields hardly depends on what the others do, its visits tell more.
const DEVIATION: f64 = 40.0;
const CLEAR: f64 = 2.0;

/// What others are expected to do where they choose at the same time, and how far that came true.
#[derive(Clone, Debug)]
pub(super) struct Opponents {
    /// The belief that a role plays the move that it would have tried most often.
    greedy: Vec<f64>,
    /// What was expected last.
    expected: Option<Expected>,
}

/// A forecast for the successors of a state.
#[derive(Clone, Debug)]
struct Expected {
    /// Where joint moves lead to.
    successors: Vec<(Key, usize)>,
    /// For each role the number of its moves, and what it is expected to do; nothing for roles without a choice.
    roles: Vec<Option<Forecast>>,
    counts: Vec<usize>,
}

/// What a role is expected to do, in two ways: chances of its moves.
#[derive(Clone, Debug)]
struct Forecast {
    by_visits: Vec<f64>,
    greedy: Vec<f64>,
}

impl Forecast {
    fn of(node: &Node, role: usize) -> Option<Self> {
        let edges = node.expansion()?.edges.whole(node.range(role), 0);
        let visits: Vec<f64> =
            edges.map(|edge| f64::from(edge.visits.load(Relaxed)) + 1e-3).collect();
        let sum: f64 = visits.iter().sum();
        let by_visits: Vec<f64> = visits.iter().map(|own| own / sum).collect();
        let top = (0..visits.len()).max_by(|a, b| visits[*a].total_cmp(&visits[*b]))?;
        let greedy = by_visits
            .iter()
            .enumerate()
            .map(|(at, share)| share * (1.0 - GREEDY) + if at == top { GREEDY } else { 0.0 });
        Some(Self { greedy: greedy.collect(), by_visits })
    }

    /// The chances of both together.
    fn mixed(&self, greedy: f64) -> Vec<f64> {
        let both = self.by_visits.iter().zip(&self.greedy);
        both.map(|(by_visits, top)| by_visits * (1.0 - greedy) + top * greedy).collect()
    }
}

/// The move of a role in a joint move.
fn choice(counts: &[usize], joint: usize, role: usize) -> usize {
    let later: usize = counts[role + 1..].iter().product();
    joint / later % counts[role]
}

impl Opponents {
    pub(super) fn new(roles: usize) -> Self {
        Self { greedy: vec![0.5; roles], expected: None }
    }

    /// The match went on to a state: what others did tells which forecast was better.
    pub(super) fn learn(&mut self, state: Key) {
        let Some(expected) = self.expected.take() else { return };
        let Some((_, joint)) = expected.successors.iter().find(|(key, _)| *key == state) else {
            // The same state, or a later one.
            return;
        };
        for (role, forecast) in expected.roles.iter().enumerate() {
            let Some(forecast) = forecast else { continue };
            let made = choice(&expected.counts, *joint, role);
            let belief = self.greedy[role];
            let (for_it, against) =
                (belief * forecast.greedy[made], (1.0 - belief) * forecast.by_visits[made]);
            self.greedy[role] = for_it / (for_it + against) * (1.0 - DOUBT) + 0.5 * DOUBT;
        }
    }

    /// Puts the best answer first in a report about a node where several roles choose, and remembers what was expected.
    pub(super) fn answer(&mut self, report: &mut SearchReport, graph: &Graph, root: NodeId) {
        self.expected = None;
        let (node, own) = (graph.node(root), report.role.index());
        let fits = node.turn == Turn::Several && node.joint_count() <= MOST_DENSE;
        let Some(expansion) = node.expansion().filter(|_| fits && !report.solved) else { return };
        let counts: Vec<usize> = node.roles.iter().map(|stat| stat.count as usize).collect();
        if counts[own] < 2 {
            return;
        }
        let forecast = |role: usize| {
            (role != own && counts[role] > 1).then(|| Forecast::of(node, role)).flatten()
        };
        let roles: Vec<Option<Forecast>> = (0..counts.len()).map(forecast).collect();
        let expected = Expected { successors: Vec::new(), roles, counts };
        let Some(best) = self.best(graph, (node, expansion, own), expected) else { return };
        let action = node.moves[node.roles[own].first as usize + best];
        report.moves.sort_by_key(|one| one.action != action);
        for one in &mut report.moves {
            one.weight = f64::from(u8::from(one.action == action));
        }
        if report.best != Some(action) {
            report.best = Some(action);
            report.line.clear();
        }
    }

    /// The own move, by its place among those of the role, that is the best answer, if it is clearly better than the most visited one.
    fn best(
        &mut self,
        graph: &Graph,
        (node, expansion, own): (&Node, &Expansion, usize),
        mut expected: Expected,
    ) -> Option<usize> {
        let counts = &expected.counts;
        let chances: Vec<Option<Vec<f64>>> = (expected.roles.iter().zip(&self.greedy))
            .map(|(forecast, greedy)| forecast.as_ref().map(|f| f.mixed(*greedy)))
            .collect();
        let edges: Vec<&Edge> = expansion.edges.whole(node.range(own), 0).collect();
        let (mut values, mut errors) = (vec![0.0; counts[own]], vec![0.0; counts[own]]);
        for (joint, link) in expansion.children.as_ref()?.all().into_iter().enumerate() {
            let chance: f64 = (chances.iter().enumerate())
                .filter_map(|(role, own)| Some(own.as_ref()?[choice(counts, joint, role)]))
                .product();
            let row = choice(counts, joint, own);
            let usual = edges[row].mean();
            let (mean, visits) = match graph.linked(link) {
                Some(child) => {
                    expected.successors.push((child.key, joint));
                    let part = graph.exchanges.to(link.exchange(), own);
                    let bounds = child.roles[part].bounds.get();
                    let visits = f64::from(child.visits());
                    let seen = child.mean(part) * visits + usual * SHRINKAGE;
                    (bounds.clamp(seen / (visits + SHRINKAGE)), visits)
                }
                None => (usual, 0.0),
            };
            values[row] += chance * mean;
            errors[row] += (chance * DEVIATION).powi(2) / (visits + SHRINKAGE);
        }
        let by =
            |of: &dyn Fn(usize) -> f64| (0..edges.len()).max_by(|a, b| of(*a).total_cmp(&of(*b)));
        let usual = by(&|at| f64::from(edges[at].visits.load(Relaxed)))?;
        let sure = edges.iter().map(|edge| edge.bounds.get().low).max().unwrap_or(0);
        let gain = |at: usize| {
            let error = if at == usual { 0.0 } else { (errors[at] + errors[usual]).sqrt() };
            let worse = at != usual && edges[at].bounds.get().high < sure;
            if worse { f64::NEG_INFINITY } else { values[at] - values[usual] - CLEAR * error }
        };
        let best = by(&gain)?;
        self.expected = Some(expected);
        (best != usual).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two moves of a role that comes after one with three: 90 of 100 visits for the second.
    fn expected() -> Expected {
        let by_visits = vec![0.1, 0.9];
        let greedy = vec![0.1 * (1.0 - GREEDY), 0.9 * (1.0 - GREEDY) + GREEDY];
        let successors = (0..6).map(|joint| (Key(joint as u128), joint)).collect();
        let roles = vec![None, Some(Forecast { by_visits, greedy })];
        Expected { successors, roles, counts: vec![3, 2] }
    }

    #[test]
    fn what_a_role_does_tells_which_forecast_counts() {
        let mut opponents = Opponents::new(2);
        for _ in 0..20 {
            opponents.expected = Some(expected());
            // The first role makes its last move, the second one what it tried most often.
            opponents.learn(Key(5));
        }
        assert!(opponents.greedy[1] > 0.6, "{opponents:?}");
        opponents.expected = Some(expected());
        opponents.learn(Key(4));
        assert!(opponents.greedy[1] < 0.4, "{opponents:?}");
        assert!((opponents.greedy[0] - 0.5).abs() < 1e-9, "nothing was expected of the own role");
        let before = opponents.greedy.clone();
        opponents.expected = Some(expected());
        opponents.learn(Key(77));
        opponents.learn(Key(5));
        assert_eq!(opponents.greedy, before, "a state that does not follow tells nothing");
    }

    #[test]
    fn chances_of_moves_sum_up_to_one() {
        let expected = expected();
        let forecast = expected.roles[1].as_ref().expect("it chooses");
        for greedy in [0.0, 0.3, 1.0] {
            assert!((forecast.mixed(greedy).iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        assert_eq!(
            (choice(&[3, 2], 5, 0), choice(&[3, 2], 5, 1), choice(&[3, 2], 2, 0)),
            (2, 1, 1)
        );
    }
}
