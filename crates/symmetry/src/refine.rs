//! Colours made as fine as neighbours tell, and the parts of a graph that then have nothing to do with each other.
//!
//! Vertices of one colour with different numbers of neighbours of some colour cannot be exchanged, so they get different
//! colours, until nothing changes (colour refinement; Paige and Tarjan 1987 for the order of work). Afterwards a vertex
//! alone in its colour is joined to all vertices of another colour or to none: it restricts nothing any more and can
//! be left out. The same holds for edges between two colours if all are there. What is left falls into
//! parts without edges between them and without common colours. The automorphisms of the whole are the products of those of the
//! parts, which are looked for one by one: a game made of twenty small games costs twenty small searches.

use rustc_hash::FxHashMap;

use crate::graph::Graph;

/// Part of a graph; its vertices have the refined colours.
#[derive(Debug)]
pub struct Portion {
    /// The vertices in the whole graph, those of lower numbers first.
    pub vertices: Vec<u32>,
    /// The part as a graph of its own.
    pub graph: Graph,
}

impl Portion {
    /// The pieces of the part, where it consists of pieces without edges between them, each with one vertex of each
    /// colour: then the pieces can be exchanged, and nothing else. Vertices that correspond have the same
    /// place. None if it is not so simple.
    pub fn pieces(&self) -> Option<Vec<Vec<u32>>> {
        let count = self.vertices.len();
        let (starts, ends) = self.graph.neighbours();
        let mut union = Union((0..count as u32).collect());
        for v in 0..count {
            for n in &ends[starts[v]..starts[v + 1]] {
                union.join(v as u32, *n);
            }
        }
        let mut pieces: FxHashMap<u32, usize> = FxHashMap::default();
        let mut members: Vec<Vec<u32>> = Vec::new();
        for v in 0..count as u32 {
            let piece = *pieces.entry(union.root(v)).or_insert(members.len());
            if piece == members.len() {
                members.push(Vec::new());
            }
            members[piece].push(v);
        }
        let colour = |v: &u32| self.graph.colours()[*v as usize];
        for piece in &mut members {
            piece.sort_by_key(colour);
        }
        let colours = |piece: &[u32]| piece.iter().map(colour).collect::<Vec<u32>>();
        let first = colours(&members[0]);
        let alone = first.windows(2).all(|pair| pair[0] < pair[1]);
        if members.len() < 2 || !alone || !members.iter().all(|piece| colours(piece) == first) {
            return None;
        }
        // A colour has one vertex in each piece, and that has a neighbour of another colour in all pieces or in none: so
        // pieces are alike.
        let whole = |v: &u32| self.vertices[*v as usize];
        Some(members.iter().map(|piece| piece.iter().map(whole).collect()).collect())
    }
}

/// The coarsest partition of the vertices that refines the colours and in which all vertices of a cell have as many
/// neighbours in each cell: for each vertex its cell.
pub fn refine(colours: &[u32], starts: &[usize], ends: &[u32]) -> Vec<u32> {
    let mut cells = Cells::new(colours);
    let mut work: Vec<u32> = (0..cells.ranges.len() as u32).collect();
    let mut waiting = vec![true; work.len()];
    let mut counts = vec![0_u32; colours.len()];
    while let Some(splitter) = work.pop() {
        waiting[splitter as usize] = false;
        let mut touched: Vec<u32> = Vec::new();
        for v in cells.members(splitter) {
            for n in &ends[starts[*v as usize]..starts[*v as usize + 1]] {
                if counts[*n as usize] == 0 {
                    touched.push(*n);
                }
                counts[*n as usize] += 1;
            }
        }
        touched.sort_unstable_by_key(|v| (cells.of[*v as usize], counts[*v as usize]));
        let mut at = 0;
        while at < touched.len() {
            let cell = cells.of[touched[at] as usize];
            let length =
                touched[at..].iter().take_while(|v| cells.of[**v as usize] == cell).count();
            let own = &touched[at..at + length];
            let new = cells.split(cell, own, &counts);
            cells.queue(cell, &new, &mut work, &mut waiting);
            at += length;
        }
        for v in &touched {
            counts[*v as usize] = 0;
        }
    }
    cells.of
}

/// A partition of the vertices.
struct Cells {
    /// The vertices, cell by cell.
    order: Vec<u32>,
    place: Vec<u32>,
    of: Vec<u32>,
    /// Where each cell begins and ends.
    ranges: Vec<(u32, u32)>,
}

impl Cells {
    fn new(colours: &[u32]) -> Self {
        let mut order: Vec<u32> = (0..colours.len() as u32).collect();
        order.sort_by_key(|v| colours[*v as usize]);
        let mut cells = Self {
            place: vec![0; order.len()],
            of: vec![0; order.len()],
            ranges: Vec::new(),
            order,
        };
        let mut last = None;
        for (at, v) in cells.order.iter().enumerate() {
            if last != Some(colours[*v as usize]) {
                last = Some(colours[*v as usize]);
                cells.ranges.push((at as u32, at as u32));
            }
            let cell = cells.ranges.len() - 1;
            cells.ranges[cell].1 = at as u32 + 1;
            cells.of[*v as usize] = cell as u32;
            cells.place[*v as usize] = at as u32;
        }
        cells
    }

    fn members(&self, cell: u32) -> &[u32] {
        let (from, to) = self.ranges[cell as usize];
        &self.order[from as usize..to as usize]
    }

    /// Splits a cell by the counts of some of its vertices, sorted by count; the others have none. Returns the new
    /// cells; the old number stays with the first part.
    fn split(&mut self, cell: u32, counted: &[u32], counts: &[u32]) -> Vec<u32> {
        let (from, to) = self.ranges[cell as usize];
        let count = |v: u32| counts[v as usize];
        let all = counted.len() == (to - from) as usize;
        if all && count(counted[0]) == count(counted[counted.len() - 1]) {
            return Vec::new();
        }
        // The counted ones go to the end, in their order.
        let begin = to - counted.len() as u32;
        for (at, v) in counted.iter().enumerate() {
            self.swap_to(*v, begin + at as u32);
        }
        let mut new = Vec::new();
        let mut start = begin;
        for at in 0..counted.len() {
            let next = counted.get(at + 1);
            if next.is_some_and(|next| count(*next) == count(counted[at])) {
                continue;
            }
            let end = begin + at as u32 + 1;
            if start > from {
                let number = self.ranges.len() as u32;
                self.ranges.push((start, end));
                for place in start..end {
                    self.of[self.order[place as usize] as usize] = number;
                }
                new.push(number);
            } else {
                self.ranges[cell as usize].1 = end;
            }
            start = end;
        }
        if begin > from {
            self.ranges[cell as usize].1 = begin;
        }
        new
    }

    /// Puts a vertex at a place of its cell.
    fn swap_to(&mut self, v: u32, place: u32) {
        let (from, other) = (self.place[v as usize], self.order[place as usize]);
        self.order.swap(from as usize, place as usize);
        (self.place[v as usize], self.place[other as usize]) = (place, from);
    }

    /// All parts of a cell but the largest have to be looked at; all of them if the cell was waiting anyway.
    fn queue(&self, cell: u32, new: &[u32], work: &mut Vec<u32>, waiting: &mut Vec<bool>) {
        waiting.resize(self.ranges.len(), false);
        if new.is_empty() {
            return;
        }
        let size = |cell: u32| self.ranges[cell as usize].1 - self.ranges[cell as usize].0;
        let parts = || std::iter::once(cell).chain(new.iter().copied());
        let largest = parts().max_by_key(|part| size(*part)).unwrap_or(cell);
        let keep = if waiting[cell as usize] { cell } else { largest };
        for part in parts().filter(|part| *part != keep) {
            if !std::mem::replace(&mut waiting[part as usize], true) {
                work.push(part);
            }
        }
    }
}

/// The parts of a graph that hold vertices among the first `wanted`, by refined colours.
pub fn portions(colours: &[u32], starts: &[usize], ends: &[u32], wanted: usize) -> Vec<Portion> {
    let of = refine(colours, starts, ends);
    portions_of(&of, starts, ends, wanted)
}

/// The parts by colours that are refined already.
pub(crate) fn portions_of(
    of: &[u32],
    starts: &[usize],
    ends: &[u32],
    wanted: usize,
) -> Vec<Portion> {
    let cells = of.iter().max().map_or(0, |most| *most as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); cells];
    for (v, cell) in of.iter().enumerate() {
        members[*cell as usize].push(v as u32);
    }
    let single = |v: u32| members[of[v as usize] as usize].len() == 1;
    let edges = || {
        let open = (0..of.len() as u32).filter(|v| !single(*v));
        open.flat_map(|v| {
            let near = &ends[starts[v as usize]..starts[v as usize + 1]];
            near.iter().filter(move |n| **n > v).map(move |n| (v, *n))
        })
        .filter(|(_, n)| !single(*n))
    };
    // All vertices of a cell have as many neighbours in another, so one of them tells whether all edges are there.
    let full = |v: u32, n: u32| {
        let cell = of[n as usize];
        let near = &ends[starts[v as usize]..starts[v as usize + 1]];
        let count = near.iter().filter(|other| of[**other as usize] == cell).count();
        let own = usize::from(of[v as usize] == cell);
        count + own == members[cell as usize].len()
    };
    let mut union = Union((0..of.len() as u32).collect());
    for cell in &members {
        for pair in cell.windows(2) {
            union.join(pair[0], pair[1]);
        }
    }
    let mut known = FxHashMap::default();
    let mut kept: Vec<(u32, u32)> = Vec::new();
    for (v, n) in edges() {
        let pair = (of[v as usize], of[n as usize]);
        if !*known.entry(pair).or_insert_with(|| full(v, n)) {
            union.join(v, n);
            kept.push((v, n));
        }
    }
    gather(of, &kept, &mut union, (wanted, &single))
}

fn gather(
    of: &[u32],
    kept: &[(u32, u32)],
    union: &mut Union,
    (wanted, single): (usize, &dyn Fn(u32) -> bool),
) -> Vec<Portion> {
    const NOWHERE: u32 = u32::MAX;
    let mut number = vec![NOWHERE; of.len()];
    let mut found: Vec<Portion> = Vec::new();
    for v in (0..wanted.min(of.len()) as u32).filter(|v| !single(*v)) {
        let root = union.root(v) as usize;
        if number[root] == NOWHERE {
            number[root] = found.len() as u32;
            found.push(Portion { vertices: Vec::new(), graph: Graph::default() });
        }
    }
    let mut place = vec![0; of.len()];
    for v in (0..of.len() as u32).filter(|v| !single(*v)) {
        let root = union.root(v) as usize;
        if number[root] != NOWHERE {
            let portion = &mut found[number[root] as usize];
            place[v as usize] = portion.graph.vertex(of[v as usize]);
            portion.vertices.push(v);
        }
    }
    for (v, n) in kept {
        let root = union.root(*v) as usize;
        if number[root] != NOWHERE {
            found[number[root] as usize].graph.edge(place[*v as usize], place[*n as usize]);
        }
    }
    found
}

struct Union(Vec<u32>);

impl Union {
    fn root(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            self.0[v as usize] = self.0[self.0[v as usize] as usize];
            v = self.0[v as usize];
        }
        v
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::playout::Random;

    fn graph(colours: &[u32], edges: &[(u32, u32)]) -> Graph {
        let mut graph = Graph::default();
        for colour in colours {
            graph.vertex(*colour);
        }
        for (a, b) in edges {
            graph.edge(*a, *b);
        }
        graph
    }

    /// Refinement by definition: again and again by the sorted colours of neighbours.
    fn naive(colours: &[u32], starts: &[usize], ends: &[u32]) -> Vec<u32> {
        let mut now = colours.to_vec();
        loop {
            let signature = |v: usize| {
                let near = &ends[starts[v]..starts[v + 1]];
                let mut near: Vec<u32> = near.iter().map(|n| now[*n as usize]).collect();
                near.sort_unstable();
                (now[v], near)
            };
            let all: Vec<_> = (0..now.len()).map(signature).collect();
            let mut sorted = all.clone();
            sorted.sort();
            sorted.dedup();
            let next: Vec<u32> =
                all.iter().map(|s| sorted.binary_search(s).expect("there") as u32).collect();
            if next == now {
                return now;
            }
            now = next;
        }
    }

    fn same_partition(a: &[u32], b: &[u32]) -> bool {
        let pairs = |a: &[u32], b: &[u32]| {
            let mut map = rustc_hash::FxHashMap::default();
            a.iter().zip(b).all(|(a, b)| *map.entry(*a).or_insert(*b) == *b)
        };
        pairs(a, b) && pairs(b, a)
    }

    #[test]
    fn refinement_is_that_of_the_definition_on_random_graphs() {
        let mut random = Random::new(17);
        for _ in 0..300 {
            let n = 1 + random.below(14);
            let colours: Vec<u32> = (0..n).map(|_| random.below(2) as u32).collect();
            let count = random.below(2 * n);
            let edges: Vec<(u32, u32)> =
                (0..count).map(|_| (random.below(n) as u32, random.below(n) as u32)).collect();
            let (starts, ends) = graph(&colours, &edges).neighbours();
            let (one, other) = (refine(&colours, &starts, &ends), naive(&colours, &starts, &ends));
            assert!(same_partition(&one, &other), "{colours:?} {edges:?} {one:?} {other:?}");
        }
    }

    #[test]
    fn a_path_with_an_end_marked_falls_into_single_vertices_and_two_circles_into_parts() {
        let path: Vec<(u32, u32)> = (0..99).map(|v| (v, v + 1)).collect();
        let mut colours = vec![0; 100];
        colours[0] = 1;
        let (starts, ends) = graph(&colours, &path).neighbours();
        assert!(portions(&colours, &starts, &ends, 100).is_empty());
        // Two circles that a vertex joins, with different colours; then with the same.
        let circle = |from: u32| (0..4).map(move |v| (from + v, from + (v + 1) % 4));
        let mut edges: Vec<(u32, u32)> = circle(0).chain(circle(4)).collect();
        edges.extend((0..8).map(|v| (v, 8)));
        let apart = [0, 0, 0, 0, 1, 1, 1, 1, 2];
        let (starts, ends) = graph(&apart, &edges).neighbours();
        let found = portions(&apart, &starts, &ends, 9);
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].vertices, [4, 5, 6, 7]);
        let alike = [0, 0, 0, 0, 0, 0, 0, 0, 2];
        let (starts, ends) = graph(&alike, &edges).neighbours();
        assert_eq!(portions(&alike, &starts, &ends, 9).len(), 1);
        assert_eq!(portions(&apart, &starts, &ends, 4).len(), 1);
    }

    #[test]
    fn pieces_that_are_alike_are_found_and_others_are_left_to_a_search() {
        // Five pairs of an end and a middle, all middles joined to one vertex.
        let colours = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2];
        let edges: Vec<(u32, u32)> = (0..5).flat_map(|v| [(v, v + 5), (v + 5, 10)]).collect();
        let (starts, ends) = graph(&colours, &edges).neighbours();
        let found = portions(&colours, &starts, &ends, 11);
        assert_eq!(found.len(), 1);
        let pieces = found[0].pieces().expect("alike");
        assert!(pieces.len() == 5 && pieces[3] == [3, 8]);
        let square = [(0, 1), (1, 2), (2, 3), (3, 0)];
        let (starts, ends) = graph(&[0; 4], &square).neighbours();
        assert!(portions(&[0; 4], &starts, &ends, 4)[0].pieces().is_none());
    }
}
