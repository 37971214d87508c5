//! What random play can tell about well-formedness (thesis Def. 2.8-2.13): a property is refuted by
//! a concrete playout, or it is not refuted; simulation never proves it.

use std::collections::HashMap;

use game::{Game, Goals, JointMove, Machine, ReasonError, State};
use serde_json::{Value, json};

use crate::simulate::{Ending, Path, play};

/// A property of game descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Def. 2.8: every infinite sequence of legal moves reaches a terminal state.
    Termination,
    /// Def. 2.9: every role has a legal move in every reachable state that is not terminal.
    Playability,
    /// Def. 2.10: exactly one goal value per role in every reachable state, never decreasing.
    Monotonicity,
    /// Def. 2.13: exactly one goal value per role in every reachable terminal state.
    OutcomeDefinedness,
}

impl Property {
    /// All of them, in the order of their definitions.
    pub const ALL: [Self; 4] =
        [Self::Termination, Self::Playability, Self::Monotonicity, Self::OutcomeDefinedness];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Termination => "termination",
            Self::Playability => "playability",
            Self::Monotonicity => "monotonicity",
            Self::OutcomeDefinedness => "outcome-definedness",
        }
    }

    /// The number of its definition in the thesis.
    pub fn definition(self) -> &'static str {
        match self {
            Self::Termination => "2.8",
            Self::Playability => "2.9",
            Self::Monotonicity => "2.10",
            Self::OutcomeDefinedness => "2.13",
        }
    }
}

/// A playout that shows that a property does not hold.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// What does not hold.
    pub property: Property,
    /// The seed that plays it again.
    pub seed: u64,
    /// The joint moves up to the place.
    pub moves: Vec<JointMove>,
    /// What is wrong there.
    pub detail: String,
    /// For termination: the state after `.0` moves comes back after `.1` moves.
    pub cycle: Option<(usize, usize)>,
}

/// The best result of a role so far.
#[derive(Clone, Copy, Debug)]
pub struct Best {
    /// The goal value.
    pub goal: u8,
    /// The seed of the first playout that reached it.
    pub seed: u64,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Playouts played.
    pub playouts: usize,
    /// How many of them reached the cap.
    pub capped: usize,
    /// The most steps of a playout.
    pub longest: usize,
    /// The first refutation of each property.
    pub refutations: Vec<Refutation>,
    /// The best terminal result of each role.
    pub best: Vec<Option<Best>>,
    /// Why playing stopped early.
    pub stopped: Option<String>,
}

impl Findings {
    /// Nothing found yet.
    pub fn new(roles: usize) -> Self {
        Self { best: vec![None; roles], ..Self::default() }
    }

    /// The refutation of a property.
    pub fn refutation(&self, property: Property) -> Option<&Refutation> {
        self.refutations.iter().find(|found| found.property == property)
    }

    /// Plays once more. A playout that the machine gives up on is not counted.
    pub fn explore(
        &mut self,
        machine: &mut dyn Machine,
        initial: &State,
        seed: u64,
        cap: usize,
    ) -> Result<(), ReasonError> {
        let mut watch =
            Watch::new(machine.game(), self.refutation(Property::Monotonicity).is_none());
        let path = play(machine, initial, seed, cap, &mut |machine, state, legals| {
            watch.look(machine, state, legals.is_none())
        })?;
        self.playouts += 1;
        self.longest = self.longest.max(path.moves.len());
        self.capped += usize::from(path.ending == Ending::Cap);
        self.note_best(&watch, seed);
        for (property, at, detail, cycle) in watch.found(machine.game(), &path) {
            if self.refutation(property).is_none() {
                let moves = path.moves[..at].to_vec();
                self.refutations.push(Refutation { property, seed, moves, detail, cycle });
            }
        }
        Ok(())
    }

    fn note_best(&mut self, watch: &Watch, seed: u64) {
        let ends = watch.terminal.iter().flatten();
        for (best, goals) in self.best.iter_mut().zip(ends) {
            if let Some(goal) = goals.value()
                && best.is_none_or(|best| goal.0 > best.goal)
            {
                *best = Some(Best { goal: goal.0, seed });
            }
        }
    }

    /// The findings for programs.
    pub fn json(&self, game: &Game) -> Value {
        let properties: Vec<Value> = Property::ALL
            .iter()
            .map(|property| {
                let found = self.refutation(*property);
                json!({
                    "property": property.name(),
                    "definition": property.definition(),
                    "verdict": if found.is_some() { "refuted" } else { "not refuted" },
                    "detail": found.map(|f| &f.detail),
                    "seed": found.map(|f| f.seed),
                    "moves": found.map(|f| joint_texts(game, &f.moves)),
                    "cycle": found.and_then(|f| f.cycle).map(|(from, to)| [from, to]),
                })
            })
            .collect();
        let best: Vec<Value> = game
            .role_ids()
            .zip(&self.best)
            .map(|(role, best)| {
                json!({
                    "role": game.role_name(role),
                    "best": best.map(|b| b.goal),
                    "seed": best.map(|b| b.seed),
                })
            })
            .collect();
        json!({
            "playouts": self.playouts,
            "capped": self.capped,
            "longest": self.longest,
            "properties": properties,
            "winnability": { "verdict": "not refuted", "roles": best },
            "stopped": self.stopped,
        })
    }
}

/// The texts of joint moves.
pub fn joint_texts(game: &Game, moves: &[JointMove]) -> Vec<Vec<String>> {
    moves.iter().map(|joint| protocol::trace::move_items(game, &joint.0)).collect()
}

type Found = (Property, usize, String, Option<(usize, usize)>);

/// What is remembered while a playout runs.
struct Watch {
    seen: HashMap<State, usize>,
    cycle: Option<(usize, usize)>,
    depth: usize,
    /// The goals in the state before, while monotonicity is still in question.
    goals: Option<Vec<Goals>>,
    monotonic: bool,
    broken: Option<(usize, String)>,
    terminal: Option<Vec<Goals>>,
    names: Vec<String>,
}

impl Watch {
    fn new(game: &Game, monotonic: bool) -> Self {
        Self {
            seen: HashMap::new(),
            cycle: None,
            depth: 0,
            goals: None,
            monotonic,
            broken: None,
            terminal: None,
            names: game.role_ids().map(|role| game.role_name(role)).collect(),
        }
    }

    fn look(
        &mut self,
        machine: &mut dyn Machine,
        state: &State,
        terminal: bool,
    ) -> Result<(), ReasonError> {
        let depth = self.depth;
        self.depth += 1;
        if !terminal && self.cycle.is_none() {
            self.cycle = self.seen.insert(state.clone(), depth).map(|first| (first, depth));
        }
        if !terminal && !self.monotonic {
            return Ok(());
        }
        let roles = machine.game().role_ids();
        let goals: Vec<Goals> =
            roles.map(|role| machine.goal(state, role)).collect::<Result<_, _>>()?;
        if self.monotonic
            && let Some(detail) = self.not_monotonic(&goals)
        {
            self.monotonic = false;
            self.broken = Some((depth, detail));
        }
        if terminal {
            self.terminal = Some(goals);
        } else {
            self.goals = Some(goals);
        }
        Ok(())
    }

    fn not_monotonic(&self, goals: &[Goals]) -> Option<String> {
        for (index, (name, now)) in self.names.iter().zip(goals).enumerate() {
            let before = self.goals.as_ref().and_then(|goals| goals[index].value());
            match (now, before) {
                (Goals::Undefined(values), _) => return Some(undefined(name, values)),
                (Goals::One(now), Some(before)) if *now < before => {
                    return Some(format!(
                        "the goal of {name} falls from {} to {}",
                        before.0, now.0
                    ));
                }
                _ => {}
            }
        }
        None
    }

    /// What this playout refutes, with the number of moves up to the place.
    fn found(&self, game: &Game, path: &Path) -> Vec<Found> {
        let mut found = Vec::new();
        if let Some((from, to)) = self.cycle {
            let detail = format!(
                "the state after {from} moves comes back after {to} moves, so play can go round \
                 for ever"
            );
            found.push((Property::Termination, to, detail, Some((from, to))));
        }
        if let Ending::NoLegalMove(role) = path.ending {
            let name = game.role_name(role);
            let detail = format!("{name} has no legal move, and the state is not terminal");
            found.push((Property::Playability, path.moves.len(), detail, None));
        }
        if let Some((at, detail)) = &self.broken {
            found.push((Property::Monotonicity, *at, detail.clone(), None));
        }
        let ends = self.names.iter().zip(self.terminal.iter().flatten());
        let outcome = ends.filter_map(|(name, goals)| match goals {
            Goals::Undefined(values) => Some(undefined(name, values)),
            Goals::One(_) => None,
        });
        if let Some(detail) = outcome.take(1).next() {
            let detail = format!("{detail}, and the state is terminal");
            found.push((Property::OutcomeDefinedness, path.moves.len(), detail, None));
        }
        found
    }
}

fn undefined(name: &str, values: &[String]) -> String {
    match values {
        [] => format!("{name} has no goal value"),
        [one] => format!("the goal value of {name} is {one}, not an integer from 0 to 100"),
        many => format!("{name} has {} goal values: {}", many.len(), many.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str, playouts: u64) -> Findings {
        let (rules, problems) = gdl::parse(text, &gdl::Limits::default());
        assert!(problems.is_empty(), "{problems:?}");
        let game = Game::new(rules).expect("playable rules");
        let mut machine = game.interpreter();
        let initial = machine.initial().expect("an initial state");
        let mut findings = Findings::new(game.roles().len());
        for seed in 0..playouts {
            findings.explore(&mut machine, &initial, seed, 50).expect("within limits");
        }
        findings
    }

    #[test]
    fn a_state_that_comes_back_refutes_termination() {
        let found = findings(
            "(role you) (init (light on)) (legal you flip)
             (<= (next (light off)) (true (light on))) (<= (next (light on)) (true (light off)))
             (<= terminal (true (light broken))) (goal you 0)",
            1,
        );
        let refutation = found.refutation(Property::Termination).expect("a cycle");
        assert_eq!(refutation.cycle, Some((0, 2)));
        assert_eq!(refutation.moves.len(), 2);
        assert_eq!(found.capped, 1);
        assert!(found.refutation(Property::Playability).is_none());
    }

    #[test]
    fn a_stuck_role_refutes_playability_and_a_missing_goal_the_outcome() {
        let stuck = findings(
            "(role you) (init (at 1)) (<= (legal you go) (true (at 1)))
             (<= (next (at 2)) (does you go)) (<= terminal (true (at 3))) (goal you 0)",
            1,
        );
        assert_eq!(stuck.refutation(Property::Playability).map(|r| r.moves.len()), Some(1));
        let missing = findings(
            "(role you) (init (at 1)) (legal you go) (<= (next (at 2)) (does you go))
             (<= terminal (true (at 2))) (<= (goal you 50) (true (at 1)))",
            1,
        );
        assert!(missing.refutation(Property::OutcomeDefinedness).is_some());
        assert_eq!(missing.refutation(Property::Monotonicity).map(|r| r.moves.len()), Some(1));
    }

    #[test]
    fn a_goal_that_falls_refutes_monotonicity_only() {
        let found = findings(
            "(role you) (init (at 1)) (legal you go) (<= (next (at 2)) (does you go))
             (<= terminal (true (at 2))) (<= (goal you 50) (true (at 1)))
             (<= (goal you 10) (true (at 2)))",
            1,
        );
        let refutation = found.refutation(Property::Monotonicity).expect("it falls");
        assert_eq!(refutation.detail, "the goal of you falls from 50 to 10");
        assert_eq!(found.refutations.len(), 1);
        assert_eq!(found.best[0].map(|best| best.goal), Some(10));
    }
}
