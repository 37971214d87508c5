//! Answers the questions of a match: the circuit where there is one, an interpreter with a deadline for each question
//! otherwise, so that no rule sheet holds a match for longer than the limit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{GroundTerm, Interpreter, JointMove, Machine, Move, ReasonError, Role, State};

use crate::sheets::Sheet;

/// What can be asked about a position.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// Whether it is the end.
    pub terminal: bool,
    /// The legal moves of each role; none at the end.
    pub legal: Vec<Vec<Move>>,
    /// The goals, where they are defined.
    pub goals: Vec<Option<u8>>,
}

impl Look {
    /// The roles that have a choice.
    pub fn choosing(&self) -> Vec<usize> {
        (0..self.legal.len()).filter(|role| self.legal[*role].len() > 1).collect()
    }
}

/// A machine with limits for each question.
pub struct Referee {
    sheet: Arc<Sheet>,
    machine: Option<Box<dyn Machine>>,
    interpreter: Interpreter,
    question: Duration,
}

impl Referee {
    /// A referee whose questions take at most `question` each.
    pub fn new(sheet: &Arc<Sheet>, question: Duration) -> Self {
        let interpreter = sheet.game.interpreter();
        Self { sheet: sheet.clone(), machine: None, interpreter, question }
    }

    fn now(&mut self) -> &mut dyn Machine {
        if self.machine.is_none() && self.sheet.reasoner.gates().is_some() {
            self.machine = Some(self.sheet.reasoner.machine());
        }
        if let Some(machine) = &mut self.machine {
            return &mut **machine;
        }
        self.interpreter.limits_mut().deadline = Instant::now().checked_add(self.question);
        &mut self.interpreter
    }

    /// The initial state.
    pub fn initial(&mut self) -> Result<State, ReasonError> {
        self.now().initial()
    }

    /// The state after a joint move.
    pub fn next(&mut self, state: &State, joint: &JointMove) -> Result<State, ReasonError> {
        self.now().next(state, joint)
    }

    /// All about a position.
    pub fn look(&mut self, state: &State) -> Result<Look, ReasonError> {
        let roles: Vec<Role> = self.sheet.game.role_ids().collect();
        let terminal = self.now().is_terminal(state)?;
        let mut look = Look { terminal, ..Look::default() };
        for role in roles {
            let mut moves = Vec::new();
            if !terminal {
                self.now().legal_moves(state, role, &mut moves)?;
            }
            look.legal.push(moves);
            // Goals of positions in the middle of a game are often undefined or odd; they are no reason to stop.
            let goal = self.now().goal(state, role);
            look.goals.push(goal.ok().and_then(|goal| goal.value()).map(|goal| goal.0));
        }
        Ok(look)
    }

    /// The legal move with a text, as people and records write it.
    pub fn read(&self, legal: &[Move], text: &str) -> Option<Move> {
        let term: GroundTerm = self.sheet.game.universe().parse(text)?;
        let universe = self.sheet.game.universe();
        legal.iter().find(|action| universe.move_entry(**action).term == term).copied()
    }

    /// The text of a move.
    pub fn text(&self, action: Move) -> String {
        self.sheet.game.universe().move_entry(action).text.to_string()
    }
}
