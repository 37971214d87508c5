//! Automorphisms of graphs by nauty (`McKay`, Piperno 2014): the one place where C is called.
//!
//! nauty reports generators of the automorphism group through a callback without a context, so they are
//! collected in a variable of the thread. It has a flag that makes it stop at the next node of its search,
//! but one for the whole process: runs take turns, and the caller watches the clock while nauty runs in a thread
//! of its own, with a stack for as many levels as the graph has vertices. What was reported until it is
//! stopped are automorphisms all the same; the result says that it is not complete.
//!
//! Graphs are taken apart first (`refine`), so that nauty sees small graphs and fewer of them.
//!
//! Traces, which comes with nauty, is faster on some large graphs, but looks at the flag too rarely:
//! with a thousand interchangeable objects it went on for two minutes.

#![allow(unsafe_code, reason = "the calls of the C library; each has a SAFETY note")]

use std::cell::RefCell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use game::Deadline;
use nauty_Traces_sys::{FALSE, optionblk, sparsegraph, sparsenauty, statsblk};

use crate::graph::{Graph, is_automorphism};
use crate::permutation::{identity, is_identity, is_permutation};
use crate::refine::{Portion, portions};

/// Bounds on one run.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// When to stop.
    pub deadline: Deadline,
    /// A larger graph is not looked at.
    pub most_vertices: usize,
    /// A graph of more edges is not looked at.
    pub most_edges: usize,
    /// The most images kept, counted over all generators.
    pub most_images: usize,
}

/// The generators of the automorphism group of a graph, restricted to the vertices of interest.
#[derive(Clone, Debug, Default)]
pub struct Automorphisms {
    /// For each generator the image of each vertex of interest. Those that move none are left out.
    pub generators: Vec<Vec<u32>>,
    /// Whether these generate the whole group.
    pub complete: bool,
}

struct Collector {
    wanted: usize,
    room: usize,
    colours: Vec<u32>,
    starts: Vec<usize>,
    ends: Vec<u32>,
    generators: Vec<Vec<u32>>,
    overflow: bool,
}

thread_local! {
    static COLLECTOR: RefCell<Option<Collector>> = const { RefCell::new(None) };
}

/// nauty has one stop flag for all threads.
static TURN: Mutex<()> = Mutex::new(());

unsafe extern "C" {
    /// `volatile int nauty_kill_request`, exported by nautil.c of the bundled library.
    static nauty_kill_request: AtomicI32;
}

fn request_stop(stop: bool) {
    // SAFETY: the C variable is a naturally aligned int that lives as long as the process, and Rust's
    // AtomicI32 has the layout of one. C reads it as a volatile int; only this function writes it.
    unsafe { nauty_kill_request.store(c_int::from(stop), Ordering::Relaxed) }
}

/// Called by nauty for each generator. Must not unwind: everything that could is checked.
unsafe extern "C" fn collect(
    _count: c_int,
    image: *mut c_int,
    _orbits: *mut c_int,
    _number_of_orbits: c_int,
    _fixed_vertex: c_int,
    vertices: c_int,
) {
    let Ok(length) = usize::try_from(vertices) else { return };
    if image.is_null() {
        return;
    }
    // SAFETY: nauty passes a permutation of `vertices` ints that it does not change during the call.
    let image = unsafe { std::slice::from_raw_parts(image, length) };
    COLLECTOR.with(|cell| {
        if let Ok(mut collector) = cell.try_borrow_mut()
            && let Some(collector) = collector.as_mut()
        {
            collector.take(image);
        }
    });
}

impl Collector {
    fn take(&mut self, image: &[c_int]) {
        let wanted = self.wanted.min(image.len());
        if image[..wanted].iter().enumerate().all(|(v, w)| usize::try_from(*w) == Ok(v)) {
            return;
        }
        if self.room < wanted {
            self.overflow = true;
            request_stop(true);
            return;
        }
        self.room -= wanted;
        let image: Vec<u32> = image.iter().map(|w| u32::try_from(*w).unwrap_or(0)).collect();
        // A generator that is none would be a fault of the library; nothing is built on trust here.
        let sized = image.len() == self.colours.len();
        if sized && is_automorphism(&self.colours, &self.starts, &self.ends, &image) {
            self.generators.push(image[..wanted].to_vec());
        } else {
            self.overflow = true;
        }
    }
}

/// The automorphisms of a graph, as they act on its first `wanted` vertices, which must be a union of
/// colour classes.
pub fn automorphisms(graph: &Graph, wanted: usize, bounds: &Bounds) -> Automorphisms {
    let small = graph.vertices() <= bounds.most_vertices.min(i32::MAX as usize)
        && graph.edges() <= bounds.most_edges;
    if !small || bounds.deadline.passed() {
        return Automorphisms::default();
    }
    if graph.vertices() == 0 {
        return Automorphisms { generators: Vec::new(), complete: true };
    }
    let (starts, ends) = graph.neighbours();
    let mut found = Automorphisms { generators: Vec::new(), complete: true };
    let mut room = bounds.most_images;
    let mut hard: Vec<Portion> = Vec::new();
    for portion in portions(graph.colours(), &starts, &ends, wanted) {
        let Some(pieces) = portion.pieces() else {
            hard.push(portion);
            continue;
        };
        for pair in pieces.windows(2) {
            if room < wanted || bounds.deadline.passed() {
                found.complete = false;
                return found;
            }
            found.take(exchanged(&pair[0], &pair[1], wanted), &mut room);
        }
    }
    run_in_turn(hard, wanted, bounds, &mut found, room);
    found
}

impl Automorphisms {
    /// Keeps a generator that moves something, if there is room.
    fn take(&mut self, generator: Vec<u32>, room: &mut usize) {
        if is_identity(&generator) {
            return;
        }
        match room.checked_sub(generator.len()) {
            Some(left) => {
                *room = left;
                self.generators.push(generator);
            }
            None => self.complete = false,
        }
    }
}

/// The permutation of the first vertices that exchanges the vertices of two lists.
fn exchanged(one: &[u32], other: &[u32], wanted: usize) -> Vec<u32> {
    let mut image = identity(wanted);
    for (a, b) in one.iter().zip(other) {
        if (*a).max(*b) < wanted as u32 {
            (image[*a as usize], image[*b as usize]) = (*b, *a);
        }
    }
    image
}

/// A permutation of the vertices of a part as one of the first vertices of the whole.
fn lifted(vertices: &[u32], image: &[u32], wanted: usize) -> Vec<u32> {
    let mut lifted = identity(wanted);
    for (v, to) in vertices.iter().zip(image) {
        if let Some(place) = lifted.get_mut(*v as usize) {
            *place = vertices[*to as usize];
        }
    }
    lifted
}

/// Stack for one level of nauty's recursion, with room to spare, and for everything else.
const STACK_PER_VERTEX: usize = 512;
const STACK: usize = 4 << 20;
/// How often the clock is looked at.
const POLL: Duration = Duration::from_millis(2);

/// Lets nauty look at parts of a graph one after the other.
fn run_in_turn(
    parts: Vec<Portion>,
    wanted: usize,
    bounds: &Bounds,
    found: &mut Automorphisms,
    room: usize,
) {
    if parts.is_empty() {
        return;
    }
    let deadline = &bounds.deadline;
    let largest = parts.iter().map(|part| part.vertices.len()).max().unwrap_or(0);
    let inner = &mut *found;
    let ended = in_turn(largest, deadline, move || run_all(parts, wanted, deadline, inner, room));
    if ended.is_none() {
        found.complete = false;
    }
}

/// Does work that calls nauty for graphs of so many vertices at most, when it is its turn, in a thread of its own;
/// nauty is told to stop when the deadline passes. None if the work panicked.
fn in_turn<T: Send>(
    largest: usize,
    deadline: &Deadline,
    work: impl FnOnce() -> T + Send,
) -> Option<T> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    request_stop(false);
    let stack = STACK + STACK_PER_VERTEX * largest;
    let ended = std::thread::scope(|scope| {
        let (done, ended) = mpsc::channel::<()>();
        let worker = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, move || {
            let result = work();
            drop(done);
            result
        });
        while ended.recv_timeout(POLL) == Err(mpsc::RecvTimeoutError::Timeout) {
            if deadline.passed() {
                request_stop(true);
            }
        }
        worker.ok().and_then(|worker| worker.join().ok())
    });
    request_stop(false);
    ended
}

/// For each of some graphs its vertices in a canonical order: graphs that differ only in the numbers of their
/// vertices are the same graph when these are numbered by their places in it. None if the deadline passed first.
pub fn canonical_orders(graphs: &[&Graph], deadline: &Deadline) -> Option<Vec<Vec<u32>>> {
    if graphs.is_empty() {
        return Some(Vec::new());
    }
    let largest = graphs.iter().map(|graph| graph.vertices()).max()?;
    let order = |graph: &&Graph| {
        let (starts, ends) = graph.neighbours();
        if deadline.passed() {
            return None;
        }
        let (order, ended) = Input::new(graph.colours(), &starts, &ends).run(None, true);
        (ended && is_permutation(&order)).then_some(order)
    };
    in_turn(largest, deadline, || graphs.iter().map(order).collect())?
}

fn run_all(
    parts: Vec<Portion>,
    wanted: usize,
    deadline: &Deadline,
    found: &mut Automorphisms,
    mut room: usize,
) {
    for part in parts {
        if deadline.passed() || room < wanted {
            found.complete = false;
            return;
        }
        let (starts, ends) = part.graph.neighbours();
        let own = part.vertices.iter().take_while(|v| (**v as usize) < wanted).count();
        // Each generator becomes one of all wanted vertices.
        let collector = Collector {
            wanted: own,
            room: room / wanted.max(1) * own,
            colours: part.graph.colours().to_vec(),
            starts,
            ends,
            generators: Vec::new(),
            overflow: false,
        };
        let (generators, complete) = run(collector);
        found.complete &= complete;
        for generator in generators {
            found.take(lifted(&part.vertices, &generator, wanted), &mut room);
        }
    }
}

/// Runs nauty in this thread: generators, and whether these are all.
fn run(collector: Collector) -> (Vec<Vec<u32>>, bool) {
    let input = Input::new(&collector.colours, &collector.starts, &collector.ends);
    COLLECTOR.with(|cell| *cell.borrow_mut() = Some(collector));
    let (_, ended) = input.run(Some(collect), false);
    let collector = COLLECTOR.with(|cell| cell.borrow_mut().take());
    collector.map(|c| (c.generators, ended && !c.overflow)).unwrap_or_default()
}

/// What nauty tells about an automorphism.
type Told = unsafe extern "C" fn(c_int, *mut c_int, *mut c_int, c_int, c_int, c_int);

/// A graph as nauty wants it.
struct Input {
    starts: Vec<usize>,
    degrees: Vec<c_int>,
    ends: Vec<c_int>,
    edges: usize,
    order: Vec<c_int>,
    goes_on: Vec<c_int>,
}

impl Input {
    fn new(colours: &[u32], starts: &[usize], ends: &[u32]) -> Self {
        let degree = |pair: &[usize]| ((pair[1] - pair[0]) as u32).cast_signed();
        let degrees = starts.windows(2).map(degree).collect();
        let edges = ends.len();
        // Never empty, so that its address is valid in any case.
        let ends = ends.iter().map(|v| v.cast_signed()).chain([0]).collect();
        let (order, goes_on) = partition(colours);
        Self { starts: starts[..colours.len()].to_vec(), degrees, ends, edges, order, goes_on }
    }

    /// The graph for C; the arrays must outlive it.
    fn sparse(&mut self, edges: usize) -> sparsegraph {
        sparsegraph {
            nde: edges,
            v: self.starts.as_mut_ptr(),
            nv: (self.starts.len() as u32).cast_signed(),
            d: self.degrees.as_mut_ptr(),
            e: self.ends.as_mut_ptr(),
            w: std::ptr::null_mut(),
            vlen: self.starts.len(),
            dlen: self.degrees.len(),
            elen: self.ends.len(),
            wlen: 0,
        }
    }

    /// Runs nauty in this thread: the order of the vertices that it left, a canonical one if that was wanted, and
    /// whether it came to its end.
    fn run(mut self, told: Option<Told>, canonical: bool) -> (Vec<u32>, bool) {
        let count = self.order.len();
        let edges = self.edges;
        let mut orbits: Vec<c_int> = vec![0; count];
        let mut options = optionblk { defaultptn: FALSE, ..optionblk::default_sparse() };
        options.userautomproc = told;
        options.getcanon = c_int::from(canonical);
        let mut stats = statsblk::default();
        // Room for the canonical graph, as much as for the graph itself.
        let mut other = canonical.then(|| Self {
            starts: self.starts.clone(),
            degrees: self.degrees.clone(),
            ends: self.ends.clone(),
            edges,
            order: Vec::new(),
            goes_on: Vec::new(),
        });
        let mut canon = other.as_mut().map(|other| other.sparse(edges));
        let canon = canon.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut);
        let mut sparse = self.sparse(edges);
        // SAFETY: all arrays have the lengths stated in `sparse` and `canon` and outlive the call; `order`, `goes_on`
        // and `orbits` have one entry per vertex; every end of an edge is below `count`. The canonical graph has room
        // for all vertices and edges, so nauty allocates nothing for it; where none is asked for, it may be null.
        // The callback neither unwinds nor calls nauty. The recursion is at most as deep as there are vertices, which
        // the stack of this thread allows for.
        unsafe {
            sparsenauty(
                &raw mut sparse,
                self.order.as_mut_ptr(),
                self.goes_on.as_mut_ptr(),
                orbits.as_mut_ptr(),
                &raw mut options,
                &raw mut stats,
                canon,
            );
        }
        let order = self.order.iter().map(|v| u32::try_from(*v).unwrap_or(0)).collect();
        (order, stats.errstatus == 0)
    }
}

/// Vertices in the order of their colours, and for each place whether its colour goes on after it.
fn partition(colours: &[u32]) -> (Vec<c_int>, Vec<c_int>) {
    let mut order: Vec<u32> = (0..colours.len() as u32).collect();
    order.sort_by_key(|v| colours[*v as usize]);
    let goes_on = |at: usize| {
        let next = order.get(at + 1).map(|v| colours[*v as usize]);
        c_int::from(next == Some(colours[order[at] as usize]))
    };
    let last = (0..order.len()).map(goes_on).collect();
    (order.iter().map(|v| v.cast_signed()).collect(), last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds {
            deadline: Deadline::never(),
            most_vertices: 1 << 20,
            most_edges: 1 << 24,
            most_images: 1 << 24,
        }
    }

    fn circle(n: u32) -> Graph {
        let mut graph = Graph::default();
        (0..n).for_each(|_| {
            graph.vertex(0);
        });
        (0..n).for_each(|v| graph.edge(v, (v + 1) % n));
        graph
    }

    #[test]
    fn a_square_has_turns_and_reflections_and_colours_restrict_them() {
        let square = automorphisms(&circle(4), 4, &bounds());
        assert!(square.complete && square.generators.len() >= 2);
        let mut marked = circle(4);
        marked.recolour(0, 1);
        let marked = automorphisms(&marked, 4, &bounds());
        assert_eq!(marked.generators, [vec![0, 3, 2, 1]]);
    }

    #[test]
    fn graphs_without_vertices_edges_or_symmetry_have_complete_answers() {
        assert!(automorphisms(&Graph::default(), 0, &bounds()).complete);
        let mut lonely = Graph::default();
        lonely.vertex(7);
        let found = automorphisms(&lonely, 1, &bounds());
        assert!(found.complete && found.generators.is_empty());
        let mut loose = Graph::default();
        (0..5).for_each(|_| {
            loose.vertex(3);
        });
        let found = automorphisms(&loose, 5, &bounds());
        assert_eq!(crate::permutation::orbits(5, &found.generators), [vec![0, 1, 2, 3, 4]]);
    }

    #[test]
    fn too_large_or_too_late_is_an_incomplete_answer() {
        let large = Bounds { most_vertices: 10, ..bounds() };
        assert!(!automorphisms(&circle(20), 20, &large).complete);
        let late = Bounds { deadline: Deadline::within(Duration::ZERO), ..bounds() };
        assert!(!automorphisms(&circle(20), 20, &late).complete);
        let narrow = Bounds { most_images: 20, ..bounds() };
        let part = automorphisms(&circle(20), 20, &narrow);
        assert!(!part.complete && part.generators.len() == 1);
    }

    #[test]
    fn threads_take_turns() {
        std::thread::scope(|scope| {
            for n in 3..9 {
                scope.spawn(move || {
                    let found = automorphisms(&circle(n), n as usize, &bounds());
                    assert!(found.complete && !found.generators.is_empty());
                });
            }
        });
    }

    /// The recursion goes as deep as there are interchangeable vertices.
    #[test]
    fn thirty_thousand_interchangeable_vertices_neither_overflow_nor_outlast_the_deadline() {
        let mut loose = Graph::default();
        (0..30_000).for_each(|_| {
            loose.vertex(3);
        });
        let within = Bounds { deadline: Deadline::within(Duration::from_millis(500)), ..bounds() };
        let begin = std::time::Instant::now();
        let found = automorphisms(&loose, 30_000, &within);
        assert!(begin.elapsed() < Duration::from_secs(20));
        assert!(!found.complete || found.generators.len() == 29_999);
    }

    #[test]
    fn a_hundred_thousand_vertices_are_answered_within_the_deadline() {
        let begin = std::time::Instant::now();
        let within = Bounds { deadline: Deadline::within(Duration::from_secs(5)), ..bounds() };
        let found = automorphisms(&circle(100_000), 100_000, &within);
        assert!(begin.elapsed() < Duration::from_secs(15));
        assert!(found.complete || found.generators.len() < 100);
    }
}
