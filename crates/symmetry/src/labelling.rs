//! Canonical orders of vertices: graphs that differ only in the numbers of their vertices become the same graph when
//! these are numbered by their places in it (`McKay`, Piperno 2014).
//!
//! The graph is taken apart first ([`crate::refine`]). How cells are numbered there depends on colours and edges alone, and
//! between parts there are all edges of two cells or none; so a canonical order of each part is one of the whole. Parts
//! that consist of pieces which can all be exchanged need no search: any order of the pieces will do.

use game::Deadline;

use crate::graph::Graph;
use crate::nauty::canonical_orders;
use crate::refine::{portions_of, refine};

/// For each vertex its place in a canonical order; none if the deadline passed first.
///
/// Colours count by their order, so graphs that are to be compared need colours with the same meaning.
pub fn canonical_places(graph: &Graph, deadline: &Deadline) -> Option<Vec<u32>> {
    let (starts, ends) = graph.neighbours();
    let cells = refine(graph.colours(), &starts, &ends);
    let portions = portions_of(&cells, &starts, &ends, cells.len());
    let mut within = vec![0_u32; cells.len()];
    let mut hard = Vec::new();
    for portion in &portions {
        match portion.pieces() {
            Some(pieces) => {
                for (number, piece) in (0..).zip(&pieces) {
                    for v in piece {
                        within[*v as usize] = number;
                    }
                }
            }
            None => hard.push(portion),
        }
        if deadline.passed() {
            return None;
        }
    }
    let graphs: Vec<&Graph> = hard.iter().map(|portion| &portion.graph).collect();
    for (portion, order) in hard.iter().zip(canonical_orders(&graphs, deadline)?) {
        for (number, v) in (0..).zip(&order) {
            within[portion.vertices[*v as usize] as usize] = number;
        }
    }
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    order.sort_by_key(|v| (cells[*v as usize], within[*v as usize]));
    let mut places = vec![0; order.len()];
    for (place, v) in (0..).zip(&order) {
        places[*v as usize] = place;
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::playout::Random;

    /// Colours and edges by places.
    fn form(graph: &Graph) -> (Vec<u32>, Vec<(u32, u32)>) {
        let places = canonical_places(graph, &Deadline::never()).expect("no deadline");
        assert!(crate::permutation::is_permutation(&places));
        let mut colours = vec![0; places.len()];
        let mut edges = Vec::new();
        let (starts, ends) = graph.neighbours();
        for (v, place) in places.iter().enumerate() {
            colours[*place as usize] = graph.colours()[v];
            for n in &ends[starts[v]..starts[v + 1]] {
                edges.push((*place, places[*n as usize]));
            }
        }
        edges.sort_unstable();
        (colours, edges)
    }

    fn graph(colours: &[u32], edges: &[(u32, u32)], number: &[u32]) -> Graph {
        let mut built = Graph::default();
        let mut renumbered = vec![0; colours.len()];
        for (v, colour) in colours.iter().enumerate() {
            renumbered[number[v] as usize] = *colour;
        }
        for colour in renumbered {
            built.vertex(colour);
        }
        for (a, b) in edges {
            built.edge(number[*a as usize], number[*b as usize]);
        }
        built
    }

    fn shuffled(count: usize, random: &mut Random) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..count as u32).collect();
        for at in (1..count).rev() {
            numbers.swap(at, random.below(at + 1));
        }
        numbers
    }

    #[test]
    fn copies_of_random_graphs_under_other_numbers_have_one_form() {
        let mut random = Random::new(5);
        for _ in 0..400 {
            let count = 1 + random.below(12);
            let colours: Vec<u32> = (0..count).map(|_| random.below(2) as u32).collect();
            let most = 1 + random.below(2 * count);
            let mut end = || random.below(count) as u32;
            let edges: Vec<(u32, u32)> = (0..most).map(|_| (end(), end())).collect();
            let same: Vec<u32> = (0..count as u32).collect();
            let one = form(&graph(&colours, &edges, &same));
            for _ in 0..3 {
                let other = form(&graph(&colours, &edges, &shuffled(count, &mut random)));
                assert_eq!(one, other, "{colours:?} {edges:?}");
            }
        }
    }

    #[test]
    fn graphs_that_refinement_cannot_tell_apart_have_two_forms() {
        let circle = |from: u32, n: u32| (0..n).map(move |v| (from + v, from + (v + 1) % n));
        let same: Vec<u32> = (0..6).collect();
        let one: Vec<(u32, u32)> = circle(0, 6).collect();
        let two: Vec<(u32, u32)> = circle(0, 3).chain(circle(3, 3)).collect();
        assert_ne!(form(&graph(&[0; 6], &one, &same)), form(&graph(&[0; 6], &two, &same)));
    }

    #[test]
    fn there_is_no_order_when_the_time_is_over() {
        let mut graph = Graph::default();
        graph.vertex(0);
        graph.vertex(0);
        let over = Deadline::within(std::time::Duration::ZERO);
        assert!(canonical_places(&graph, &over).is_none());
    }
}
