//! How a value comes about: the conditions of goals with their degrees of truth, for people.

use std::sync::Arc;

use crate::network::{Edge, Kind, Network};
use crate::values::Values;

/// How the value of a state comes about for a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The value, from 0 to 100.
    pub value: f64,
    /// The end of the game.
    pub terminal: Option<Part>,
    /// The goals.
    pub goals: Vec<GoalPart>,
}

/// What one goal value adds.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalPart {
    /// The goal value.
    pub goal: u8,
    /// Its share of the whole.
    pub weight: f64,
    /// Its degree of truth together with the end (thesis Def. 5.3).
    pub degree: f64,
    /// Whether the goal holds.
    pub holds: bool,
    /// The goal by itself; none if the role has no such goal.
    pub formula: Option<Part>,
}

/// How the parts of a condition are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    /// Nothing below.
    Atom,
    /// All parts.
    And,
    /// One of the parts.
    Or,
}

/// A condition with its degree of truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is called in the rules, if it has a name there.
    pub name: Option<Arc<str>>,
    /// Whether it is negated; degree and truth are those of the negation then.
    pub negative: bool,
    /// How its parts are connected.
    pub connective: Connective,
    /// The degree of truth.
    pub degree: f64,
    /// Whether it holds.
    pub holds: bool,
    /// What it consists of.
    pub parts: Vec<Part>,
    /// How many further parts are not shown.
    pub hidden: usize,
}

/// How many literals are counted at most; shared conditions count where they occur.
const MOST_LITERALS: usize = 1_000_000;

/// How deep explanations go.
const DEEPEST: usize = 24;

impl Part {
    pub(crate) fn of(network: &Network, values: &Values, edge: Edge, left: &mut usize) -> Self {
        Self::at(network, values, edge, left, 0)
    }

    fn at(network: &Network, values: &Values, edge: Edge, left: &mut usize, depth: usize) -> Self {
        let connective = match network.kind(edge.node()) {
            Kind::All => Connective::And,
            Kind::Any => Connective::Or,
            _ => Connective::Atom,
        };
        let mut part = Part {
            name: network.label(edge.node()).cloned(),
            negative: edge.is_negative(),
            connective,
            degree: values.value(edge),
            holds: values.holds(edge),
            parts: Vec::new(),
            hidden: 0,
        };
        if connective == Connective::Atom {
            return part;
        }
        let children = network.children(edge.node());
        for (at, child) in children.iter().enumerate() {
            if *left == 0 || depth >= DEEPEST {
                part.hidden = children.len() - at;
                break;
            }
            *left -= 1;
            part.parts.push(Self::at(network, values, *child, left, depth + 1));
        }
        part
    }

    /// How many literals below a condition hold, each occurrence counted.
    pub(crate) fn literals(network: &Network, values: &Values, edge: Edge) -> usize {
        let mut todo = vec![(edge, 0)];
        let (mut count, mut met) = (0, 0);
        while let Some((edge, depth)) = todo.pop() {
            met += 1;
            if met > MOST_LITERALS {
                break;
            }
            let connected = matches!(network.kind(edge.node()), Kind::All | Kind::Any);
            if connected && depth < DEEPEST {
                let below = network.children(edge.node()).iter();
                todo.extend(below.map(|child| (child.negated(edge.is_negative()), depth + 1)));
            } else {
                count += usize::from(values.holds(edge));
            }
        }
        count
    }
}
