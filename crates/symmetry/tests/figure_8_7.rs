//! Thesis Figure 8.7 again: what symmetries save in a blind, depth-limited search with a transposition table.
//!
//! Three searches are compared: without symmetries, with symmetric moves left out in every state, and with one
//! representative for all symmetric states. The thesis searched from every state on a path through the
//! game; here it is the initial state. Where the depth of Table 8.1 means too many states, the search is less deep.
//! States at the depth limit are not expanded, so nothing is asked about them.
//!
//! Leaving out moves, and a fourth search by representatives, switch themselves off where they do not pay.
//!
//! The default run looks at two games. With `FLUXION_FIGURE=FILE` all 13 are measured, a table is printed, and the
//! chart is written to FILE.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cpu_time::ThreadTime;
use game::{
    Budget, Canonicalizer, CircuitMachine, Game, Gates, JointMove, Machine, Move, Role, State,
    SymmetryId,
};
use rustc_hash::FxHashMap;
use symmetry::{Options, Prices, Representatives, Size, Thrifty, detect};

#[derive(Clone, Copy, PartialEq)]
enum Use {
    Nothing,
    Moves,
    States,
    /// States, unless they turn out not to pay.
    Thrift,
}

/// Representatives that several searches use one after the other.
struct Shared<'a>(&'a Representatives);

impl Canonicalizer for Shared<'_> {
    fn canonical(&self, state: &State) -> (State, SymmetryId) {
        self.0.canonical(state)
    }

    fn image(&self, symmetry: SymmetryId, role: Role, action: Move) -> (Role, Move) {
        self.0.image(symmetry, role, action)
    }

    fn origin(&self, symmetry: SymmetryId, role: Role, action: Move) -> (Role, Move) {
        self.0.origin(symmetry, role, action)
    }

    fn distinct_joint(&self, state: &State, joint: &mut Vec<JointMove>) {
        self.0.distinct_joint(state, joint);
    }
}

struct Tree<'a> {
    machine: CircuitMachine,
    symmetries: Option<&'a dyn Canonicalizer>,
    used: Use,
    /// How deep each state was searched, and how many states were expanded for that.
    known: FxHashMap<State, (u32, u64)>,
    expanded: usize,
    most: usize,
}

impl Tree<'_> {
    fn search(&mut self, state: &State, depth: u32) {
        if depth == 0 || self.expanded > self.most {
            return;
        }
        let merged = match (self.used, self.symmetries) {
            (Use::States | Use::Thrift, Some(symmetries)) => symmetries.canonical_at(state, depth),
            _ => None,
        };
        let told = self.symmetries.filter(|_| self.used == Use::Thrift && merged.is_some());
        let own = merged.map_or_else(|| state.clone(), |(merged, _)| merged);
        let known = self.known.get(&own).filter(|known| known.0 >= depth).map(|known| known.1);
        if let Some(symmetries) = told {
            symmetries.looked_up(state, depth, known.unwrap_or(0));
        }
        if known.is_some() || self.machine.is_terminal(&own).expect("decided") {
            return;
        }
        self.known.insert(own.clone(), (depth, 1));
        let before = self.expanded;
        self.expand(&own, depth);
        // At the lowest height it is this state alone.
        if told.is_some() && depth > 1 {
            self.known.insert(own, (depth, (self.expanded - before) as u64));
        }
    }

    fn expand(&mut self, state: &State, depth: u32) {
        self.expanded += 1;
        let mut joint = self.joint_moves(state);
        if let (Use::Moves, Some(symmetries)) = (self.used, self.symmetries) {
            symmetries.distinct_joint_at(state, depth, &mut joint);
        }
        for joint in joint {
            let next = self.machine.next(state, &joint).expect("moves");
            self.search(&next, depth - 1);
        }
    }

    fn joint_moves(&mut self, state: &State) -> Vec<JointMove> {
        let mut all: Vec<Vec<Move>> = vec![Vec::new()];
        let mut own = Vec::new();
        for role in self.machine.game().clone().role_ids() {
            self.machine.legal_moves(state, role, &mut own).expect("legal");
            let longer = |begun: &Vec<Move>| -> Vec<Vec<Move>> {
                own.iter().map(|action| [&begun[..], &[*action]].concat()).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.into_iter().map(JointMove).collect()
    }
}

struct Setting {
    gates: Gates,
    symmetries: Option<Representatives>,
    order: String,
    prices: Option<Prices>,
}

impl Setting {
    fn new(name: &str) -> Self {
        let game =
            Game::from_text(library::find(name).expect("in the library").rules).expect("valid");
        let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
        let found = detect(&game, Some(&gates), &Options::default());
        let symmetries = found.representatives(Size::default());
        let measure =
            |table: &Representatives| Prices::measure(&mut gates.machine(), table, 300, 1);
        let prices = symmetries.as_ref().map(measure);
        Self { gates, symmetries, order: found.state_order().to_string(), prices }
    }

    /// Expanded states and CPU seconds.
    fn run(&self, used: Use, depth: u32, most: usize) -> (usize, f64) {
        self.run_within(used, depth, most, Duration::MAX)
    }

    /// The same with so much time that symmetries may lose.
    fn run_within(&self, used: Use, depth: u32, most: usize, lost: Duration) -> (usize, f64) {
        let shared = self.symmetries.as_ref().map(Shared);
        let priced = self.symmetries.as_ref().zip(self.prices).filter(|_| used != Use::States);
        let thrifty = priced.map(|(table, prices)| Thrifty::new(Shared(table), prices, lost));
        let mut tree = Tree {
            machine: self.gates.machine(),
            symmetries: match (&thrifty, &shared) {
                (Some(thrifty), _) => Some(thrifty),
                (None, Some(shared)) => Some(shared),
                (None, None) => None,
            },
            used,
            known: FxHashMap::default(),
            expanded: 0,
            most,
        };
        let initial = tree.machine.initial().expect("starts");
        let begin = ThreadTime::now();
        tree.search(&initial, depth);
        (tree.expanded, begin.elapsed().as_secs_f64())
    }
}

/// "At least 80% of states saved": the whole tree is searched, so nearly seven of eight are.
#[test]
fn most_states_of_tic_tac_toe_and_tic_tic_toe_are_saved() {
    for name in ["tictactoe", "tictictoe"] {
        let setting = Setting::new(name);
        let (plain, _) = setting.run(Use::Nothing, 9, usize::MAX);
        let (moves, _) = setting.run(Use::Moves, 9, usize::MAX);
        let (states, _) = setting.run(Use::States, 9, usize::MAX);
        assert!(states * 5 < plain, "{name}: {states} of {plain}");
        assert!(states < moves && moves < plain, "{name}: {moves}");
    }
    let (plain, _) = Setting::new("tictactoe").run(Use::Nothing, 9, usize::MAX);
    // 5478 states in all (Table 8.1), of which 958 are ends.
    assert_eq!(plain, 5478 - 958);
}

/// Dear symmetries are given up near the leaves, where they save little, and kept near the root, where they save
/// whole subtrees: the few states there cost nothing. Prices are given, so the clock has no part in it.
#[test]
fn what_saves_subtrees_is_kept_where_symmetries_are_dear() {
    let micros = Duration::from_micros;
    let mut setting = Setting::new("connect_four");
    setting.prices = Some(Prices { expansion: micros(2), symmetry: micros(4) });
    let (plain, _) = setting.run(Use::Nothing, 6, usize::MAX);
    let (all, _) = setting.run(Use::States, 6, usize::MAX);
    let (thrifty, _) = setting.run_within(Use::Thrift, 6, usize::MAX, micros(500));
    assert!(all < thrifty, "nothing was switched off: {thrifty} of {plain}, {all} with all");
    assert!(thrifty * 10 < plain * 9, "{thrifty} of {plain}, {all} with all");
    // Where nothing may be lost, nothing is asked for long.
    setting.prices = Some(Prices { expansion: Duration::ZERO, symmetry: micros(4) });
    let (free, _) = setting.run_within(Use::Thrift, 6, usize::MAX, Duration::ZERO);
    assert!(free > all, "{free} of {plain}");
}

const TABLE: [(&str, &str, u32); 13] = [
    ("8puzzle", "eight_puzzle", 15),
    ("asteroidsparallel", "asteroids_parallel", 7),
    ("asteroids", "asteroids", 15),
    ("chinesecheckers1", "chinese_checkers_5x5", 11),
    ("chinesecheckers2", "chinese_checkers_2", 7),
    ("connect4", "connect_four", 6),
    ("knightmove", "knight_move", 7),
    ("knightthrough", "knightthrough", 4),
    ("peg", "peg_solitaire", 7),
    ("pentago", "pentago", 5),
    ("tictactoeparallel", "tictactoe_parallel", 4),
    ("tictactoe", "tictactoe", 9),
    ("tictictoe", "tictictoe", 9),
];

/// More states than this are not expanded in one search; `FLUXION_STEPS` sets another number.
const MOST: usize = 60_000;
/// The part of the time of a search without symmetries that they may lose before they are switched off (`t_limit`).
const MOST_LOST: f64 = 0.03;
/// How often each search is repeated; only once where one takes longer than this many seconds.
const REPEATED: usize = 5;
const LONG: f64 = 1.0;
/// Games that are measured at the same time, each in a thread of its own. Times are CPU times of threads.
const THREADS: usize = 4;

struct Row {
    title: &'static str,
    text: String,
    saved: [f64; 2],
}

fn measure((title, name, deepest): (&'static str, &str, u32), most: usize) -> Row {
    let setting = Setting::new(name);
    let fits = |depth: &u32| setting.run(Use::Nothing, *depth, most).0 <= most;
    let depth = (1..=deepest).rev().find(fits).unwrap_or(1);
    let modes = [Use::Nothing, Use::Moves, Use::States, Use::Thrift];
    let mut best = [(0, f64::MAX); 4];
    // Interleaved; the least time of several runs is the one least disturbed.
    for round in 0..REPEATED {
        if round > 0 && best[0].1 > LONG {
            break;
        }
        for (at, used) in modes.iter().enumerate() {
            let lost = Duration::from_secs_f64(best[0].1.min(1e3) * MOST_LOST);
            let (states, seconds) = setting.run_within(*used, depth, most, lost);
            best[at] = (states, best[at].1.min(seconds));
        }
    }
    let saved = |at: usize| 100.0 * (1.0 - best[at].1 / best[0].1);
    let text = format!(
        "| {title} | {} | {depth} | {deepest} | {} | {} | {} | {} | {:.2} | {:.0}% | {:.0}% | {:.0}% |",
        setting.order,
        best[0].0,
        best[1].0,
        best[2].0,
        best[3].0,
        best[0].1,
        saved(1),
        saved(2),
        saved(3)
    );
    println!("{text}");
    Row { title, text, saved: [saved(1), saved(3)] }
}

#[test]
fn the_chart_is_drawn_where_it_is_wanted() {
    let Some(path) = std::env::var_os("FLUXION_FIGURE") else {
        println!("set FLUXION_FIGURE to a file for the chart of Figure 8.7");
        return;
    };
    let most = std::env::var("FLUXION_STEPS").ok().and_then(|most| most.parse().ok());
    let most = most.unwrap_or(MOST);
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<(usize, Row)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = TABLE.get(at) else { break };
                    let row = measure(*entry, most);
                    rows.lock().expect("no thread panics with it").push((at, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("no thread panics with it");
    rows.sort_by_key(|(at, _)| *at);
    println!(
        "| game | group | depth | depth in Table 8.1 | states | moves left out | one per class | switched off | CPU s \
         | time saved, moves | states | states, switched off where it does not pay |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (_, row) in &rows {
        println!("{}", row.text);
    }
    let bars: Vec<(&str, f64, f64)> =
        rows.iter().map(|(_, row)| (row.title, row.saved[0], row.saved[1])).collect();
    std::fs::write(path, chart(&bars)).expect("written");
}

/// Bars of the time saved, in per cent.
fn chart(rows: &[(&str, f64, f64)]) -> String {
    let (width, height) = (60 + 60 * rows.len(), 360);
    let y = |percent: f64| 180.0 - percent.clamp(-100.0, 100.0) * 1.4;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    for percent in [-100, -50, 0, 50, 100] {
        let at = y(f64::from(percent));
        let _ = write!(
            svg,
            "<path d=\"M50 {at}H{width}\" stroke=\"#bbb\"/><text x=\"6\" y=\"{}\">{percent}%</text>",
            at + 4.0
        );
    }
    for (number, (title, moves, states)) in rows.iter().enumerate() {
        let left = 60 + 60 * number;
        for (shift, value, colour) in [(0, *moves, "#d90"), (20, *states, "#27a")] {
            let (top, bottom) = (y(value).min(y(0.0)), y(value).max(y(0.0)));
            let _ = write!(
                svg,
                "<rect x=\"{}\" y=\"{top}\" width=\"18\" height=\"{}\" fill=\"{colour}\"/>",
                left + shift,
                (bottom - top).max(1.0)
            );
        }
        let _ = write!(
            svg,
            "<text transform=\"translate({},330) rotate(-20)\" text-anchor=\"middle\">{title}</text>",
            left + 20
        );
    }
    let _ = writeln!(
        svg,
        "<rect x=\"60\" y=\"8\" width=\"10\" height=\"10\" fill=\"#d90\"/><text x=\"74\" y=\"17\">symmetric moves left \
         out</text><rect x=\"230\" y=\"8\" width=\"10\" height=\"10\" fill=\"#27a\"/><text x=\"244\" y=\"17\">one \
         representative for symmetric states, as long as it pays</text></svg>"
    );
    svg
}
