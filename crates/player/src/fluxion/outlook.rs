//! Whether a position can be solved soon: how fast the iterations of alpha-beta grow, and how far the end is.
//!
//! An iteration costs about as many times the one before it as the game has good answers. Where so many more iterations as the
//! game has moves left fit into the time, it is worth more to know the value of the position than to judge it.

use game::playout::{Random, random_joint_move};
use game::{Deadline, Machine, State};
use search::SearchReport;

/// Playouts that tell how far the end is, and the most moves of each: what is further away is not solved by looking ahead.
const PLAYOUTS: usize = 8;
const FARTHEST: u32 = 80;
/// Good play may last longer than random play, by that part of it.
const LONGER: u32 = 5;
/// Iterations grow at least by that, and a guess needs that many of them.
const LEAST_GROWTH: f64 = 1.2;
const FEWEST: usize = 4;

/// How many moves the game may last, by the longest of some random playouts; none where one came to no end, or not before the deadline.
pub(super) fn horizon(
    machine: &mut dyn Machine,
    start: &State,
    random: &mut Random,
    deadline: &Deadline,
) -> Option<u32> {
    let mut longest = 0;
    for _ in 0..PLAYOUTS {
        let (mut state, mut length) = (start.clone(), 0);
        while !machine.is_terminal(&state).ok()? {
            if length == FARTHEST || deadline.passed() {
                return None;
            }
            let joint = random_joint_move(machine, &state, random).ok()??;
            state = machine.next(&state, &joint).ok()?;
            length += 1;
        }
        longest = longest.max(length);
    }
    Some(longest + longest / LONGER)
}

/// The iterations of a search of one position, which may have been asked several times.
#[derive(Clone, Debug, Default)]
pub(super) struct Outlook {
    /// What the iteration of each depth cost, from the first on: the most of all times, since the table spares later ones most of it.
    costs: Vec<u64>,
    /// The nodes of all iterations so far, of the last time.
    nodes: u64,
}

impl Outlook {
    /// Takes note of an iteration that is done.
    pub(super) fn note(&mut self, report: &SearchReport) {
        if report.depth <= 1 {
            self.nodes = 0;
        }
        let cost = report.nodes.saturating_sub(self.nodes).max(1);
        self.nodes = report.nodes;
        let at = report.depth.saturating_sub(1) as usize;
        if at >= self.costs.len() {
            self.costs.resize(at + 1, 1);
        }
        self.costs[at] = self.costs[at].max(cost);
    }

    /// How many more nodes the next iteration takes; none where nothing can be said.
    pub(super) fn next(&self) -> Option<f64> {
        self.nodes_to(self.costs.len() as u32 + 1)
    }

    /// How many more nodes a look at all that is within `horizon` moves takes; none where nothing can be said, as where the
    /// search is already further than that.
    pub(super) fn nodes_to(&self, horizon: u32) -> Option<f64> {
        let [.., before, _, last] = self.costs[..] else { return None };
        let depth = self.costs.len();
        let left = horizon.checked_sub(depth as u32).filter(|left| *left > 0)?;
        if depth < FEWEST {
            return None;
        }
        // Iterations of odd and even depth differ, so every other one is compared.
        let growth = (last as f64 / before as f64).sqrt().max(LEAST_GROWTH);
        let sum = growth * (growth.powf(f64::from(left)) - 1.0) / (growth - 1.0);
        let needed = last as f64 * sum;
        needed.is_finite().then_some(needed)
    }
}

#[cfg(test)]
mod tests {
    use game::Role;

    use super::*;

    fn outlook(nodes: &[u64]) -> Outlook {
        let mut outlook = Outlook::default();
        for (at, nodes) in nodes.iter().enumerate() {
            let mut report = SearchReport::empty("alpha-beta", Role(0), 2);
            (report.depth, report.nodes) = (at as u32 + 1, *nodes);
            outlook.note(&report);
        }
        outlook
    }

    #[test]
    fn growth_is_carried_on_to_the_end_of_the_game() {
        // Each iteration costs twice the one before: 10, 20, 40, 80, and then 160 and 320.
        let seen = outlook(&[10, 30, 70, 150]);
        assert!((seen.nodes_to(6).expect("enough iterations") - 480.0).abs() < 1e-6);
        assert!((seen.next().expect("enough iterations") - 160.0).abs() < 1e-6);
        // Who is beyond the horizon was wrong about it.
        assert_eq!(seen.nodes_to(4), None);
        assert_eq!(outlook(&[10, 30, 70]).nodes_to(6), None);
    }

    #[test]
    fn a_search_that_is_spared_iterations_by_its_table_is_not_taken_for_a_fast_one() {
        let mut seen = outlook(&[10, 30, 70, 150]);
        let before = seen.nodes_to(9);
        for (depth, nodes) in [(1, 1), (2, 2), (3, 3), (4, 4)] {
            let mut report = SearchReport::empty("alpha-beta", Role(0), 2);
            (report.depth, report.nodes) = (depth, nodes);
            seen.note(&report);
        }
        assert_eq!(seen.nodes_to(9), before);
    }

    #[test]
    fn the_horizon_is_the_longest_playout() {
        let entry = library::find("connect_four_4x4").expect("in the library");
        let game = game::Game::from_text(entry.rules).expect("sound");
        let mut machine = game.interpreter();
        let initial = machine.initial().expect("small");
        let seen = horizon(&mut machine, &initial, &mut Random::new(1), &Deadline::never());
        let seen = seen.expect("it ends");
        assert!((8..=20).contains(&seen), "{seen}");
    }
}
