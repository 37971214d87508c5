//! What is sooner is surer: rewards count less the later they come.
//!
//! Where nearly every line ends well, all moves have nearly the same mean, and the one tried most often need not lead anywhere: the search puts
//! off what it could have, as long as it can. Others do not wait. `CadiaPlayer` (Finnsson and Björnsson 2008) therefore lets the
//! values of simulations shrink with each move on the way back, so that of two ways to the same reward the shorter one is worth more.
//!
//! A shorter way is no better where it is open who will win, and values that shrink all the time did not pay (docs/strength.md).
//! So they do only while the role that searches expects nearly the best that it can get.
//!
//! Between two roles with a constant sum values shrink towards half of it, so that a loss is put off like a win is hastened; other roles
//! draw towards the least that they can get. What is proven stays as it is.

use game::Role;

use super::graph::Graph;
use super::node::{Bounds, Node};
use super::options::Options;

/// There is haste where a role can expect so much of the range of its rewards, of so many visits; and no more where it expects less than this.
const SURE: f64 = 0.85;
const UNSURE: f64 = 0.5;
const VISITS: u32 = 100;

/// Whether there is haste, given whether there was.
pub(super) fn is_due(was: bool, root: &Node, (role, outer): (Role, &[Bounds])) -> bool {
    if root.visits() < VISITS {
        return was;
    }
    let Bounds { low, high } = outer[role.index()];
    let range = f64::from(high.saturating_sub(low).max(1));
    let value = (root.mean(role.index()) - f64::from(low)) / range;
    value > if was { UNSURE } else { SURE }
}

/// What values count like so many moves earlier.
pub(super) fn earlier(
    options: &Options,
    (graph, outer): (&Graph, &[Bounds]),
    values: &mut [f64],
    moves: u32,
) {
    if options.discount >= 1.0 || moves == 0 {
        return;
    }
    let share = options.discount.powi(i32::try_from(moves).unwrap_or(i32::MAX));
    for (role, value) in values.iter_mut().enumerate() {
        let base = base(graph, outer, role);
        *value = base + share * (*value - base);
    }
}

/// The same for one role and one move.
pub(super) fn one_earlier(
    options: &Options,
    (graph, outer): (&Graph, &[Bounds]),
    role: usize,
    value: f64,
) -> f64 {
    if options.discount >= 1.0 {
        return value;
    }
    let base = base(graph, outer, role);
    base + options.discount * (value - base)
}

fn base(graph: &Graph, outer: &[Bounds], role: usize) -> f64 {
    graph.sum.map_or_else(|| f64::from(outer[role].low), |sum| f64::from(sum) / 2.0)
}

#[cfg(test)]
mod tests {
    use game::{Budget, Game, Reasoner, State};

    use super::*;
    use crate::effort::Effort;
    use crate::hash::Key;
    use crate::interface::Search as _;
    use crate::mcts::Mcts;
    use crate::rewards::Turn;

    /// One goes three steps in any of twenty moves; somebody else looks on.
    const WALK: &str = "
        (role walker) (role watcher)
        (init (at 0)) (init (time 0))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
        (succ 9 10) (succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15) (succ 15 16)
        (succ 16 17) (succ 17 18) (succ 18 19) (succ 19 20)
        (legal walker go) (legal walker wait) (legal watcher look)
        (<= (next (at ?y)) (true (at ?x)) (does walker go) (succ ?x ?y))
        (<= (next (at ?x)) (true (at ?x)) (does walker wait))
        (<= (next (time ?y)) (true (time ?x)) (succ ?x ?y))
        (<= terminal (true (at 3)))
        (<= terminal (true (time 20)))
        (<= (goal walker 100) (true (at 3)))
        (<= (goal walker 0) (not (true (at 3))))
        (goal watcher 30)";

    fn tree(discount: f64) -> Mcts {
        let game = Game::from_text(WALK).expect("valid");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let options = Options { discount, solver: false, ..Options::default() };
        Mcts::new(&reasoner, options)
    }

    #[test]
    fn of_two_ways_to_win_the_shorter_one_is_worth_more() {
        let gain = |discount: f64| {
            let mut mcts = tree(discount);
            let initial = mcts.initial().expect("small");
            let mut search = |nodes: u64| {
                let effort = Effort::nodes(nodes);
                mcts.search(&initial, Role(0), &effort, &mut |_| ()).expect("sound")
            };
            search(500);
            let report = search(5000);
            let machine = &mcts.workers[0].machine;
            let universe = machine.game().universe();
            let go = universe.parse("go").expect("a term");
            let is_go = |m: &&crate::report::MoveReport| m.action == universe.action(&go);
            let value = |go: bool| {
                let found = report.moves.iter().find(|m| is_go(m) == go);
                found.expect("two moves").value.estimate
            };
            value(true) - value(false)
        };
        assert!(gain(1.0).abs() < 0.5, "nearly all lines win: {}", gain(1.0));
        assert!(gain(0.95) > 2.0, "{}", gain(0.95));
    }

    #[test]
    fn values_shrink_towards_what_suits_the_rewards() {
        let options = Options { discount: 0.5, ..Options::default() };
        let outer = [Bounds { low: 20, high: 100 }; 2];
        let mut graph = Graph::new();
        let shrunk = |graph: &Graph, moves: u32| {
            let mut values = [100.0, 0.0];
            earlier(&options, (graph, &outer), &mut values, moves);
            let one = one_earlier(&options, (graph, &outer), 0, 100.0);
            assert!(moves != 1 || (one - values[0]).abs() < 1e-9);
            values.map(|value| format!("{value:.1}"))
        };
        assert_eq!(shrunk(&graph, 0), ["100.0", "0.0"]);
        assert_eq!(shrunk(&graph, 1), ["60.0", "10.0"], "towards the least reward");
        graph.sum = Some(100);
        assert_eq!(shrunk(&graph, 1), ["75.0", "25.0"], "towards half of the constant sum");
        assert_eq!(shrunk(&graph, 2), ["62.5", "37.5"]);
    }

    #[test]
    fn there_is_haste_where_the_best_is_expected_until_it_is_not() {
        let outer = [Bounds { low: 0, high: 100 }; 2];
        let due = |was: bool, visits: u32, mean: f64| {
            let moves = [vec![game::Move(0), game::Move(1)], vec![game::Move(0)]];
            let turn = Turn::Of(Role(0));
            let node = Node::new(Key(1), State::new(), turn, &moves, outer.iter().copied());
            node.visit_times(visits);
            let sum = super::super::node::fixed(mean) * u64::from(visits);
            node.roles[0].sum.fetch_add(sum, std::sync::atomic::Ordering::Relaxed);
            is_due(was, &node, (Role(0), &outer))
        };
        assert!(due(false, 1000, 90.0) && !due(false, 1000, 80.0));
        assert!(due(true, 1000, 60.0), "values shrink by haste itself");
        assert!(!due(true, 1000, 40.0));
        assert!(!due(false, 10, 100.0), "ten visits do not tell");
    }
}
