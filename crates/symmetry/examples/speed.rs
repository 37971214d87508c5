//! Nanoseconds per state of the ways to recognise symmetric states (thesis §8.4):
//! `cargo run --release -p symmetry --example speed -- GAME...`.
//!
//! The states are successors of states of random play, siblings one after the other, as a search meets them. All
//! ways end with a look into a table of states, so that they can be compared:
//!
//! - *images*: every image is made, fluent by fluent, and looked up by its key (the thesis);
//! - *keys*: the keys of all images are computed from the state, and each is looked up;
//! - *masks*: every image is made byte by byte from tabulated masks, and the least is looked up;
//! - *canonical*: what the crate does: keys from what differs from the sibling, one image made and looked up.
//!
//! *Expansion* is the time for expanding a state.

use std::hint::black_box;

use cpu_time::ThreadTime;
use game::playout::{Random, random_joint_move};
use game::{Budget, Canonicalizer, Game, Gates, Machine, Move, State};
use rustc_hash::FxHashSet;
use symmetry::{Options, Points, Prices, Size, Symmetries, detect};

const STATES: usize = 4000;
const GAMES: [&str; 10] = [
    "tictactoe",
    "connect_four",
    "knight_move",
    "peg_solitaire",
    "pentago",
    "asteroids",
    "asteroids_parallel",
    "eight_puzzle",
    "reversi_6x6",
    "gomoku_8x8",
];

fn siblings(machine: &mut dyn Machine) -> Vec<State> {
    let mut random = Random::new(1);
    let mut states = Vec::new();
    let Ok(initial) = machine.initial() else { return states };
    let mut state = initial.clone();
    let mut moves: Vec<Move> = Vec::new();
    let mut fruitless = 0;
    while states.len() < STATES && fruitless < 1000 {
        fruitless += 1;
        let over = machine.is_terminal(&state).unwrap_or(true);
        let joint = if over {
            None
        } else {
            random_joint_move(machine, &state, &mut random).ok().flatten()
        };
        let Some(joint) = joint else {
            state = initial.clone();
            continue;
        };
        for role in machine.game().clone().role_ids() {
            if machine.legal_moves(&state, role, &mut moves).is_err() || moves.len() < 2 {
                continue;
            }
            for action in &moves {
                let mut other = joint.clone();
                other.0[role.index()] = *action;
                states.extend(machine.next(&state, &other));
                fruitless = 0;
            }
        }
        state = machine.next(&state, &joint).unwrap_or_else(|_| initial.clone());
    }
    states
}

/// Images by tabulated masks: for each element and each byte of a state the words that its fluents become.
struct Masks {
    words: usize,
    bytes: usize,
    elements: usize,
    table: Vec<u64>,
}

impl Masks {
    fn new(points: &Points, elements: &[Vec<u32>]) -> Self {
        let highest = points.fluents().iter().map(|f| f.index()).max().unwrap_or(0);
        let (words, bytes) = (highest / 64 + 1, highest / 8 + 1);
        let mut table = vec![0; elements.len() * bytes * 256 * words];
        for (number, element) in elements.iter().enumerate() {
            for (row, fluent) in points.fluents().iter().enumerate() {
                let image = points.fluents()[element[row] as usize].index();
                for value in (0..256).filter(|value| value >> (fluent.index() % 8) & 1 == 1) {
                    let at = ((number * bytes + fluent.index() / 8) * 256 + value) * words;
                    table[at + image / 64] |= 1 << (image % 64);
                }
            }
        }
        Self { words, bytes, elements: elements.len(), table }
    }

    fn least(&self, state: &State) -> Vec<u64> {
        let mut least = vec![u64::MAX; self.words];
        let mut image = vec![0; self.words];
        for element in 0..self.elements {
            image.fill(0);
            for (at, word) in state.words().iter().enumerate() {
                for (byte, value) in word.to_le_bytes().into_iter().enumerate() {
                    if value != 0 {
                        let row = element * self.bytes + at * 8 + byte;
                        let from = (row * 256 + value as usize) * self.words;
                        let mask = &self.table[from..from + self.words];
                        image.iter_mut().zip(mask).for_each(|(word, mask)| *word |= mask);
                    }
                }
            }
            if image < least {
                std::mem::swap(&mut image, &mut least);
            }
        }
        least
    }
}

/// Nanoseconds per state, the least of some runs.
fn nanoseconds(states: &[State], mut each: impl FnMut(&State)) -> f64 {
    let run = |_| {
        let begin = ThreadTime::now();
        states.iter().for_each(&mut each);
        begin.elapsed().as_secs_f64() * 1e9 / states.len().max(1) as f64
    };
    (0..5).map(run).fold(f64::MAX, f64::min)
}

fn compare(name: &str, found: &Symmetries, gates: &Gates, states: &[State]) {
    let points = found.points();
    let (Some(table), Some(elements)) = (found.representatives(Size::default()), found.listed(512))
    else {
        println!("| {name} | no listed group |");
        return;
    };
    let mut random = Random::new(7);
    let key: Vec<u64> = (0..points.len())
        .map(|_| (random.below(1 << 32) as u64) << 32 | random.below(1 << 32) as u64)
        .collect();
    let image_key = |element: &[u32], state: &State| {
        let images = state.iter().filter_map(|f| Some(element[points.fluent(f)? as usize]));
        images.fold(0, |all, image| all ^ key[image as usize])
    };
    let known: FxHashSet<u64> = states.iter().map(|s| image_key(&elements[0], s)).collect();
    let whole: FxHashSet<State> = states.iter().cloned().collect();
    let words: FxHashSet<Vec<u64>> = states.iter().map(|s| s.words().to_vec()).collect();
    let images = nanoseconds(states, |state| {
        for element in &elements {
            black_box(
                points.state_image(element, state).is_some_and(|image| whole.contains(&image)),
            );
        }
    });
    let keys = nanoseconds(states, |state| {
        for element in &elements {
            black_box(known.contains(&image_key(element, state)));
        }
    });
    let small = elements.len() * points.fluents().len() * points.fluents().len() * 4 < 64 << 20;
    let masks = small.then(|| Masks::new(points, &elements));
    let masks = masks.map(|masks| {
        nanoseconds(states, |state| {
            black_box(words.contains(&masks.least(state)));
        })
    });
    let canonical = nanoseconds(states, |state| {
        black_box(whole.contains(&table.canonical(state).0));
    });
    let prices = Prices::measure(&mut gates.machine(), &table, 300, 1);
    let masks = masks.map_or_else(|| "-".to_owned(), |masks| format!("{masks:.0}"));
    println!(
        "| {name} | {} | {:.0} | {images:.0} | {keys:.0} | {masks} | {canonical:.0} | {} |",
        elements.len(),
        states.iter().map(State::len).sum::<usize>() as f64 / states.len().max(1) as f64,
        prices.expansion.as_nanos()
    );
}

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = GAMES.map(str::to_owned).to_vec();
    }
    println!("| game | elements | fluents | images | keys | masks | canonical | expansion |");
    println!("|---|---|---|---|---|---|---|---|");
    for name in names {
        let Some(entry) = library::find(&name) else { continue };
        let Ok(game) = Game::from_text(entry.rules) else { continue };
        let Ok(gates) = Gates::build(&game, &Budget::default()) else { continue };
        let found = detect(&game, Some(&gates), &Options::default());
        let states = siblings(&mut gates.machine());
        compare(&name, &found, &gates, &states);
    }
}
