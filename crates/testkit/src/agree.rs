//! Compares a machine with the naive reasoner: all answers, along random play.

use std::collections::BTreeSet;

use game::{Game, GroundTerm, JointMove, Machine, Move, State};
use gdl::{Symbols, keyword};

use crate::choices::Choices;
use crate::naive::{Fluents, GaveUp, Reasoner, is_terminal, of_role};

/// How far the comparison came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// States in which all answers agreed.
    pub states: usize,
    /// States in which a role had a choice.
    pub choices: usize,
    /// Whether the naive reasoner gave up, so that fewer states were compared.
    pub gave_up: bool,
}

/// Plays at most `steps` steps and compares all answers in each state. A difference is told in words.
pub fn compare(
    machine: &mut dyn Machine,
    naive: &Reasoner<'_>,
    choices: &mut Choices<'_>,
    steps: usize,
) -> Result<Compared, String> {
    let game = machine.game().clone();
    let mut walk = Walk { machine, naive, game, compared: Compared::default() };
    match walk.run(choices, steps) {
        Ok(()) => Ok(walk.compared),
        Err(Stop::GaveUp(GaveUp::TooMuch)) => Ok(Compared { gave_up: true, ..walk.compared }),
        Err(Stop::GaveUp(why)) => Err(format!("the naive reasoner finds the rules {why:?}")),
        Err(Stop::Differ(difference)) => Err(difference),
    }
}

enum Stop {
    GaveUp(GaveUp),
    Differ(String),
}

impl From<GaveUp> for Stop {
    fn from(why: GaveUp) -> Self {
        Self::GaveUp(why)
    }
}

impl From<game::ReasonError> for Stop {
    fn from(error: game::ReasonError) -> Self {
        Self::Differ(format!("the machine gave up: {error}"))
    }
}

struct Walk<'w, 'r> {
    machine: &'w mut dyn Machine,
    naive: &'w Reasoner<'r>,
    game: Game,
    compared: Compared,
}

impl Walk<'_, '_> {
    fn run(&mut self, choices: &mut Choices<'_>, steps: usize) -> Result<(), Stop> {
        let symbols = self.game.universe().symbols();
        let roles = self.naive.roles();
        if roles != self.game.roles() {
            let named: Vec<String> = roles.iter().map(|role| role.to_text(symbols)).collect();
            return Err(Stop::Differ(format!("the roles are {named:?}, in this order")));
        }
        let mut expected = self.naive.initial()?;
        let mut state = self.machine.initial()?;
        self.same_state("initial fluents", 0, &expected, &state)?;
        for step in 0..=steps {
            let joint = self.same_answers(step, &expected, &state, choices)?;
            self.compared.states += 1;
            let Some(joint) = joint else { break };
            if step == steps {
                break;
            }
            let terms: Vec<(GroundTerm, GroundTerm)> = self
                .game
                .roles()
                .iter()
                .cloned()
                .zip(joint.0.iter().map(|m| self.game.universe().move_entry(*m).term.clone()))
                .collect();
            expected = self.naive.next(&expected, &terms)?;
            state = self.machine.next(&state, &joint)?;
            self.same_state("next fluents", step, &expected, &state)?;
        }
        Ok(())
    }

    /// Compares what a state says, and chooses how to go on; none if a role has no move.
    fn same_answers(
        &mut self,
        step: usize,
        expected: &Fluents,
        state: &State,
        choices: &mut Choices<'_>,
    ) -> Result<Option<JointMove>, Stop> {
        let symbols = self.game.universe().symbols().clone();
        let model = self.naive.model(expected, &[])?;
        let terminal = self.machine.is_terminal(state)?;
        if terminal != is_terminal(&model) {
            return Err(Stop::Differ(format!(
                "step {step}: terminal is {terminal} for the machine"
            )));
        }
        let mut joint = Some(Vec::new());
        let mut free = false;
        let mut moves: Vec<Move> = Vec::new();
        for (role, term) in self.game.role_ids().zip(self.game.roles().to_vec()) {
            self.machine.legal_moves(state, role, &mut moves)?;
            let legal = texts(&of_role(&model, keyword::LEGAL, &term), &symbols);
            let found: Vec<String> = moves
                .iter()
                .map(|action| self.game.universe().move_entry(*action).text.to_string())
                .collect();
            if !found.is_sorted() {
                return Err(Stop::Differ(format!("step {step}: legal moves are not sorted")));
            }
            same("legal moves", step, &legal, &found.into_iter().collect())?;
            let goals = texts(&of_role(&model, keyword::GOAL, &term), &symbols);
            same("goals", step, &goals, &goal_texts(self.machine, state, role)?)?;
            free |= moves.len() > 1;
            joint = joint.filter(|_| !moves.is_empty());
            if let Some(joint) = &mut joint {
                joint.push(moves[choices.below(moves.len().min(256))]);
            }
        }
        self.compared.choices += usize::from(free);
        Ok(joint.map(JointMove))
    }

    fn same_state(
        &self,
        what: &str,
        step: usize,
        expected: &Fluents,
        state: &State,
    ) -> Result<(), Stop> {
        let expected = texts(expected, self.game.universe().symbols());
        let found = self.game.state_texts(state).iter().map(ToString::to_string).collect();
        same(what, step, &expected, &found)
    }
}

fn goal_texts(
    machine: &mut dyn Machine,
    state: &State,
    role: game::Role,
) -> Result<BTreeSet<String>, Stop> {
    Ok(match machine.goal(state, role)? {
        game::Goals::One(goal) => BTreeSet::from([goal.0.to_string()]),
        game::Goals::Undefined(values) => values.into_iter().collect(),
    })
}

fn texts<'t>(
    terms: impl IntoIterator<Item = &'t GroundTerm>,
    symbols: &Symbols,
) -> BTreeSet<String> {
    terms.into_iter().map(|term| term.to_text(symbols)).collect()
}

fn same(
    what: &str,
    step: usize,
    expected: &BTreeSet<String>,
    found: &BTreeSet<String>,
) -> Result<(), Stop> {
    if expected == found {
        return Ok(());
    }
    let missing: Vec<_> = expected.difference(found).collect();
    let extra: Vec<_> = found.difference(expected).collect();
    Err(Stop::Differ(format!("step {step}: {what}: missing {missing:?}, extra {extra:?}")))
}
