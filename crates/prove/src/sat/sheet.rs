//! The rule sheet of a part of a game: its gates, written as rules without variables.
//!
//! Fluents of other parts are constants; of the moves that make the same choice in the part one stands for all; a choice is legal if
//! others could be such that one of its moves is. Rewards are stretched: the least one of a part is 0, the greatest one 100.

use std::fmt::Write as _;

use circuit::graph::{Node, Signal};
use game::Gates;
use rustc_hash::FxHashSet;

use super::division::Kinds;
use super::model::{Input, Model};

/// What a part is.
pub(super) struct Slice<'s> {
    /// Whether each fluent belongs to it, or to all parts.
    pub(super) own: &'s [bool],
    /// Whether each fluent holds, for those of other parts.
    pub(super) others: &'s [bool],
    /// For each role the moves that are one choice.
    pub(super) kinds: &'s Kinds,
}

/// The gates of a part.
pub(super) struct Sheet {
    model: Model,
    /// The fluents, by their places, with what they become.
    next: Vec<(u32, Signal)>,
    initial: Vec<u32>,
    /// For each role its choices, each called as the move at a place, and when they may be made.
    legal: Vec<Vec<(u32, Signal)>>,
    terminal: Signal,
    goals: Vec<Vec<Signal>>,
}

fn constant(value: bool) -> Signal {
    if value { Signal::TRUE } else { Signal::FALSE }
}

fn signed(signal: Signal, of: &[Signal]) -> Signal {
    let found = of[signal.node()];
    if signal.is_complemented() { !found } else { found }
}

impl Sheet {
    pub(super) fn new(model: &Model, slice: &Slice<'_>, gates: &Gates) -> Self {
        let mut model = model.clone();
        let of = with_constants(&mut model, slice);
        let may = at_best(&mut model, slice);
        let places = 0..gates.fluents().len() as u32;
        let own: Vec<u32> = places.filter(|fluent| slice.own[*fluent as usize]).collect();
        let next = own.iter().map(|at| (*at, signed(model.next[*at as usize], &of))).collect();
        let initial = own.iter().copied().filter(|at| model.initial[*at as usize]).collect();
        let mut legal = Vec::new();
        for (role, kinds) in slice.kinds.iter().enumerate() {
            let mut choices = Vec::new();
            for kind in kinds {
                let one = |place: &u32| {
                    let signal = model.legal[role][*place as usize];
                    may[signal.node()][usize::from(signal.is_complemented())]
                };
                let each: Vec<Signal> = kind.iter().map(one).collect();
                choices.push((kind[0], model.graph.any(&each)));
            }
            legal.push(choices);
        }
        let terminal = signed(model.terminal, &of);
        let goals =
            model.goals.iter().map(|own| own.iter().map(|goal| signed(*goal, &of)).collect());
        let goals = goals.collect();
        Self { model, next, initial, legal, terminal, goals }
    }

    /// Whether play ends by what happens in the part, and goals ask for it.
    pub(super) fn is_at_stake(&self, own: impl Fn(u32) -> bool) -> bool {
        let reads = |roots: &[Signal]| {
            self.model.cone(roots).iter().any(|node| {
                match self.model.graph.nodes()[*node as usize] {
                    Node::Input(number) => match self.model.input(number) {
                        Input::Fluent(fluent) => own(fluent),
                        Input::Does(..) => false,
                    },
                    _ => false,
                }
            })
        };
        reads(&[self.terminal]) && self.goals.iter().any(|goals| reads(goals))
    }

    /// The rules.
    pub(super) fn text(&self, gates: &Gates) -> String {
        let game = gates.game();
        let universe = game.universe();
        let fluent = |at: u32| universe.fluent_entry(gates.fluents()[at as usize]).text.clone();
        let action = |role: usize, place: u32| {
            universe.move_entry(gates.moves()[role][place as usize]).text.clone()
        };
        let roles: Vec<String> = game.role_ids().map(|role| game.role_name(role)).collect();
        let mut text = String::new();
        for role in &roles {
            let _ = writeln!(text, "(role {role})");
        }
        for at in &self.initial {
            let _ = writeln!(text, "(init {})", fluent(*at));
        }
        let literal = |signal: Signal| {
            let atom = match self.model.graph.nodes()[signal.node()] {
                Node::False => "never".to_owned(),
                Node::And(..) => format!("gate_{}", signal.node()),
                Node::Input(number) => match self.model.input(number) {
                    Input::Fluent(at) => format!("(true {})", fluent(at)),
                    Input::Does(role, place) => {
                        let role = role as usize;
                        format!("(does {} {})", roles[role], action(role, place))
                    }
                },
            };
            if signal.is_complemented() { format!("(not {atom})") } else { atom }
        };
        let rule = |text: &mut String, head: &str, signal: Signal| {
            let _ = match signal {
                Signal::FALSE => Ok(()),
                Signal::TRUE => writeln!(text, "{head}"),
                _ => writeln!(text, "(<= {head} {})", literal(signal)),
            };
        };
        for (at, becomes) in &self.next {
            rule(&mut text, &format!("(next {})", fluent(*at)), *becomes);
        }
        for (role, choices) in self.legal.iter().enumerate() {
            for (place, when) in choices {
                let head = format!("(legal {} {})", roles[role], action(role, *place));
                rule(&mut text, &head, *when);
            }
        }
        rule(&mut text, "terminal", self.terminal);
        let value = |role: usize, at: usize| -> Option<u32> {
            gates.program().goals[role][at].0.to_text(universe.symbols()).parse().ok()
        };
        // The least and the greatest reward of each role.
        let ends: Vec<(u32, u32)> = (0..self.goals.len())
            .map(|role| {
                let goals = self.goals[role].iter().enumerate();
                let possible = goals.filter(|(_, when)| **when != Signal::FALSE);
                let values: Vec<u32> = possible.filter_map(|(at, _)| value(role, at)).collect();
                let least = values.iter().min().copied().unwrap_or(0);
                (least, values.iter().max().copied().unwrap_or(least))
            })
            .collect();
        let range = ends.iter().map(|(least, most)| most - least).max().unwrap_or(0).max(1);
        for (role, goals) in self.goals.iter().enumerate() {
            for (at, when) in goals.iter().enumerate() {
                // Searches weigh chances by rewards from 0 to 100. A sum that is constant stays so.
                let Some(value) = value(role, at) else { continue };
                let value = value.saturating_sub(ends[role].0) * 100 / range;
                rule(&mut text, &format!("(goal {} {value})", roles[role]), *when);
            }
        }
        // Only what is named by others needs a rule.
        let mut todo: Vec<usize> = self.roots().iter().map(|root| root.node()).collect();
        let mut named = FxHashSet::default();
        while let Some(node) = todo.pop() {
            if matches!(self.model.graph.nodes()[node], Node::And(..)) && named.insert(node) {
                let _ = write!(text, "(<= gate_{node}");
                for one in self.model.conjuncts(Signal((node as u32) << 1)) {
                    let _ = write!(text, " {}", literal(one));
                    todo.push(one.node());
                }
                let _ = writeln!(text, ")");
            }
        }
        text
    }

    fn roots(&self) -> Vec<Signal> {
        let next = self.next.iter().map(|(_, signal)| *signal);
        let legal = self.legal.iter().flatten().map(|(_, signal)| *signal);
        next.chain(legal)
            .chain(self.goals.iter().flatten().copied())
            .chain([self.terminal])
            .collect()
    }
}

/// What each node becomes with other parts as they are, and with one move for each choice.
fn with_constants(model: &mut Model, slice: &Slice<'_>) -> Vec<Signal> {
    let stands: Vec<Vec<bool>> = model
        .does
        .iter()
        .zip(slice.kinds)
        .map(|(moves, kinds)| {
            let mut stands = vec![false; moves.len()];
            for kind in kinds {
                stands[kind[0] as usize] = true;
            }
            stands
        })
        .collect();
    let count = model.graph.nodes().len();
    let mut of = Vec::with_capacity(count);
    for at in 0..count {
        let node = model.graph.nodes()[at];
        let itself = Signal((at as u32) << 1);
        of.push(match node {
            Node::False => Signal::FALSE,
            Node::And(a, b) => {
                let (a, b) = (signed(a, &of), signed(b, &of));
                model.graph.and(a, b)
            }
            Node::Input(number) => match model.input(number) {
                Input::Fluent(at) if slice.own[at as usize] => itself,
                Input::Fluent(at) => constant(slice.others[at as usize]),
                Input::Does(role, place) if stands[role as usize][place as usize] => itself,
                Input::Does(..) => Signal::FALSE,
            },
        });
    }
    of
}

/// For each node when it may hold, and when it may not, whatever the state of other parts is; each condition on them is taken for
/// itself.
fn at_best(model: &mut Model, slice: &Slice<'_>) -> Vec<[Signal; 2]> {
    let count = model.graph.nodes().len();
    let mut may: Vec<[Signal; 2]> = Vec::with_capacity(count);
    for at in 0..count {
        let node = model.graph.nodes()[at];
        let itself = Signal((at as u32) << 1);
        may.push(match node {
            Node::False => [Signal::FALSE, Signal::TRUE],
            Node::And(a, b) => {
                let of = |one: Signal| may[one.node()][usize::from(one.is_complemented())];
                let (both, either) = ([of(a), of(b)], [of(!a), of(!b)]);
                [model.graph.and(both[0], both[1]), model.graph.or(either[0], either[1])]
            }
            Node::Input(number) => match model.input(number) {
                Input::Fluent(at) if !slice.own[at as usize] => [Signal::TRUE, Signal::TRUE],
                _ => [itself, !itself],
            },
        });
    }
    may
}
