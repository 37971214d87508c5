//! Graphs with coloured vertices: what is given to the search for automorphisms.
//!
//! The first vertices are those whose images are wanted; the rest only carries structure.

use rustc_hash::FxHashMap;

/// An undirected graph whose vertices have colours.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    colours: Vec<u32>,
    edges: Vec<(u32, u32)>,
}

/// Numbers for labels of any kind, in the order in which they are first met.
#[derive(Clone, Debug)]
pub struct Palette<L> {
    numbers: FxHashMap<L, u32>,
}

impl<L> Default for Palette<L> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default() }
    }
}

impl<L: std::hash::Hash + Eq> Palette<L> {
    /// The colour of a label.
    pub fn colour(&mut self, label: L) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(label).or_insert(next)
    }
}

impl Graph {
    /// A new vertex.
    pub fn vertex(&mut self, colour: u32) -> u32 {
        self.colours.push(colour);
        self.colours.len() as u32 - 1
    }

    /// An edge; twice the same edge is one edge, and an edge from a vertex to itself is none.
    pub fn edge(&mut self, a: u32, b: u32) {
        if a != b {
            self.edges.push((a, b));
        }
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.colours.len()
    }

    /// How many edges were given.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// The colour of each vertex.
    pub fn colours(&self) -> &[u32] {
        &self.colours
    }

    /// Gives a vertex another colour.
    pub fn recolour(&mut self, vertex: u32, colour: u32) {
        self.colours[vertex as usize] = colour;
    }

    /// For each vertex where its neighbours begin, and all neighbours, sorted and each once.
    pub fn neighbours(&self) -> (Vec<usize>, Vec<u32>) {
        let mut both: Vec<(u32, u32)> =
            self.edges.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).collect();
        both.sort_unstable();
        both.dedup();
        let mut starts = vec![0; self.vertices() + 1];
        for (a, _) in &both {
            starts[*a as usize + 1] += 1;
        }
        for v in 0..self.vertices() {
            starts[v + 1] += starts[v];
        }
        (starts, both.into_iter().map(|(_, b)| b).collect())
    }
}

/// Whether a permutation of all vertices keeps colours and edges.
pub fn is_automorphism(colours: &[u32], starts: &[usize], ends: &[u32], image: &[u32]) -> bool {
    let of = |v: u32| &ends[starts[v as usize]..starts[v as usize + 1]];
    (0..colours.len() as u32).all(|v| {
        let w = image[v as usize];
        colours[v as usize] == colours[w as usize]
            && of(v).len() == of(w).len()
            && of(v).iter().all(|n| of(w).binary_search(&image[*n as usize]).is_ok())
    })
}
