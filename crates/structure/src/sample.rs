//! States and transitions of random play, the raw material of everything that is guessed (thesis §5.2.3).

use game::{Deadline, Game, JointMove, Machine, Move, ReasonError, State, playout::Random};

use crate::settings::Settings;

/// A state that was met, with the legal moves of each role.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The state.
    pub state: State,
    /// Whether it is terminal.
    pub terminal: bool,
    /// How many legal moves each role has; empty in terminal states.
    pub legal: Vec<u32>,
}

impl Seen {
    /// The only role that has a choice, if there is exactly one.
    pub fn mover(&self) -> Option<usize> {
        let mut choosing = self.legal.iter().enumerate().filter(|(_, moves)| **moves > 1);
        let first = choosing.next()?;
        choosing.next().is_none().then_some(first.0)
    }

    /// How many roles have a choice.
    pub fn choosing(&self) -> usize {
        self.legal.iter().filter(|moves| **moves > 1).count()
    }
}

/// A step from one state to the next.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The state before, as an index.
    pub from: usize,
    /// The state after.
    pub to: usize,
    /// The moves made.
    pub joint: JointMove,
}

/// Random play from the initial state, several times over.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// The states in the order they were met; the first is the initial state.
    pub states: Vec<Seen>,
    /// The steps between them.
    pub transitions: Vec<Transition>,
    /// How many playouts reached a terminal state.
    pub finished: usize,
    /// The longest of those.
    pub longest: usize,
}

/// The most words of all states together.
const MOST_WORDS: usize = 8 << 20;

impl Sample {
    /// Plays until there are enough states, or the time is over, or an answer fails. What has been seen by
    /// then is kept; the reason for an early end is noted.
    pub fn take(
        game: &Game,
        machine: &mut dyn Machine,
        settings: &Settings,
        deadline: &Deadline,
        notes: &mut Vec<String>,
    ) -> Self {
        let mut sample = Self::default();
        let mut random = Random::new(settings.seed);
        let mut words = 0;
        loop {
            let before = sample.states.len();
            if let Err(error) = sample.play(game, machine, settings, deadline, &mut random) {
                notes.push(format!(
                    "random play stopped after {} states: {error}",
                    sample.states.len()
                ));
                break;
            }
            words +=
                sample.states[before..].iter().map(|seen| seen.state.words().len()).sum::<usize>();
            let enough = sample.states.len() >= settings.most_states || words >= MOST_WORDS;
            if enough || sample.states.len() <= before + 1 && sample.transitions.is_empty() {
                break;
            }
            if deadline.passed() {
                notes.push(format!(
                    "random play ended by time after {} states",
                    sample.states.len()
                ));
                break;
            }
        }
        sample
    }

    fn play(
        &mut self,
        game: &Game,
        machine: &mut dyn Machine,
        settings: &Settings,
        deadline: &Deadline,
        random: &mut Random,
    ) -> Result<(), ReasonError> {
        let mut state = machine.initial()?;
        let mut moves: Vec<Move> = Vec::new();
        let mut before: Option<(usize, JointMove)> = None;
        for step in 0..=settings.most_steps {
            let terminal = machine.is_terminal(&state)?;
            let mut legal = Vec::new();
            let mut joint = Vec::new();
            for role in game.role_ids().take_while(|_| !terminal) {
                machine.legal_moves(&state, role, &mut moves)?;
                legal.push(moves.len() as u32);
                if !moves.is_empty() {
                    joint.push(moves[random.below(moves.len())]);
                }
            }
            let stuck = joint.len() < game.roles().len();
            self.states.push(Seen { state: state.clone(), terminal, legal });
            let at = self.states.len() - 1;
            if let Some((from, joint)) = before.take() {
                self.transitions.push(Transition { from, to: at, joint });
            }
            if terminal {
                self.finished += 1;
                self.longest = self.longest.max(step);
            }
            if terminal || stuck || self.states.len() >= settings.most_states || deadline.passed() {
                break;
            }
            let joint = JointMove(joint);
            state = machine.next(&state, &joint)?;
            before = Some((at, joint));
        }
        Ok(())
    }
}
