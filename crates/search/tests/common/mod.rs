//! Random explicit games: graphs whose nodes are states, written as rule sheets, with their values by brute
//! force, so that every search can be compared with something that shares no code with it.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fmt::Write as _;

use game::playout::Random;
use game::{Evaluator, Game, State};

/// A state of an explicit game.
#[derive(Clone, Debug)]
pub enum Place {
    /// An end with the rewards of all roles.
    End(Vec<u8>),
    /// The number of moves of each role, and where each joint move leads; the last role's move changes
    /// fastest.
    Inner(Vec<usize>, Vec<usize>),
}

/// What kind of games.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "kinds are combined freely")]
pub struct Kind {
    pub roles: usize,
    pub constant_sum: bool,
    pub simultaneous: bool,
    /// Moves lead one layer on, so that equal states are met at equal depth only.
    pub layered: bool,
    /// Moves may lead back.
    pub cyclic: bool,
}

/// An explicit game.
#[derive(Clone, Debug)]
pub struct Graph {
    pub places: Vec<Place>,
    pub roles: usize,
}

const LAYERS: usize = 5;
const PER_LAYER: usize = 5;

impl Graph {
    pub fn random(kind: Kind, random: &mut Random) -> Self {
        let count = LAYERS * PER_LAYER;
        let places = (0..count).map(|at| place(kind, random, at, count)).collect();
        Self { places, roles: kind.roles }
    }

    /// The rule sheet of the game.
    pub fn rules(&self) -> String {
        let mut text = String::new();
        let roles: Vec<String> = (0..self.roles).map(|role| format!("r{role}")).collect();
        for role in &roles {
            let _ = write!(text, "(role {role}) ");
        }
        text.push_str("(init (at s0)) (<= (legal ?r ?m) (true (at ?s)) (option ?s ?r ?m))\n");
        text.push_str("(<= terminal (true (at ?s)) (reward ?s r0 ?v))\n");
        text.push_str("(<= (goal ?r ?v) (true (at ?s)) (reward ?s ?r ?v))\n");
        text.push_str("(<= (next (at ?t)) (true (at ?s))");
        let variables: Vec<String> = (0..self.roles).map(|role| format!("?m{role}")).collect();
        for (role, variable) in roles.iter().zip(&variables) {
            let _ = write!(text, " (does {role} {variable})");
        }
        let _ = writeln!(text, " (arc ?s {} ?t))", variables.join(" "));
        text.push_str("(option none none none) (reward none none none)\n");
        for (at, place) in self.places.iter().enumerate() {
            match place {
                Place::End(rewards) => {
                    for (role, reward) in roles.iter().zip(rewards) {
                        let _ = writeln!(text, "(reward s{at} {role} {reward})");
                    }
                }
                Place::Inner(moves, targets) => {
                    for (role, count) in roles.iter().zip(moves) {
                        for action in 0..*count {
                            let _ = writeln!(text, "(option s{at} {role} a{action})");
                        }
                    }
                    for (number, target) in targets.iter().enumerate() {
                        let _ = write!(text, "(arc s{at}");
                        for action in digits(number, moves) {
                            let _ = write!(text, " a{action}");
                        }
                        let _ = writeln!(text, " s{target})");
                    }
                }
            }
        }
        text
    }

    pub fn game(&self) -> Game {
        let checked = gdl::validate::check(&self.rules(), &gdl::Limits::default());
        Game::new(checked.rules).expect("rules with a meaning")
    }
}

/// The places of the moves of a joint move.
pub fn digits(mut number: usize, moves: &[usize]) -> Vec<usize> {
    let mut digits: Vec<usize> = moves
        .iter()
        .rev()
        .map(|count| {
            let digit = number % count;
            number /= count;
            digit
        })
        .collect();
    digits.reverse();
    digits
}

fn place(kind: Kind, random: &mut Random, at: usize, count: usize) -> Place {
    let layer = at / PER_LAYER;
    let is_last = layer + 1 == LAYERS;
    if is_last || (at > 0 && random.below(8) == 0) {
        let mut rewards: Vec<u8> = (0..kind.roles).map(|_| 25 * random.below(5) as u8).collect();
        if kind.constant_sum && kind.roles == 2 {
            rewards[1] = 100 - rewards[0];
        }
        return Place::End(rewards);
    }
    let mut moves = vec![1; kind.roles];
    if kind.simultaneous && random.below(2) == 0 {
        for own in &mut moves {
            *own = 1 + random.below(3);
        }
    } else {
        moves[random.below(kind.roles)] = 1 + random.below(4);
    }
    let first = (layer + 1) * PER_LAYER;
    let target = |random: &mut Random| {
        if kind.layered {
            first + random.below(PER_LAYER)
        } else if kind.cyclic {
            random.below(count)
        } else {
            at + 1 + random.below(count - at - 1)
        }
    };
    let targets = (0..moves.iter().product()).map(|_| target(random)).collect();
    Place::Inner(moves, targets)
}

/// A guess of the value of a place for a role: arbitrary, but always the same.
pub fn guess(at: usize, role: usize) -> f64 {
    (search::hash::mix((at * 7 + role) as u64) % 101) as f64
}

/// An evaluator that knows nothing but is always the same for the same place.
pub struct Guess {
    places: Vec<State>,
}

impl Guess {
    pub fn new(game: &Game, graph: &Graph) -> Self {
        let universe = game.universe();
        let state = |at: usize| {
            let term = universe.parse(&format!("(at s{at})")).expect("a fluent");
            [universe.fluent(&term)].into_iter().collect()
        };
        Self { places: (0..graph.places.len()).map(state).collect() }
    }
}

impl Evaluator for Guess {
    fn evaluate(&mut self, state: &State, values: &mut [f64]) {
        let at = self.places.iter().position(|place| place == state).expect("a place");
        for (role, value) in values.iter_mut().enumerate() {
            *value = guess(at, role);
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Self { places: self.places.clone() })
    }
}

/// How many random games: `FLUXION_STEPS`, or what the test thinks enough.
pub fn games(default: u64) -> u64 {
    std::env::var("FLUXION_STEPS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}
