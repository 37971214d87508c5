//! Where a match stands, from the joint moves that the manager tells.
//!
//! Managers play a random move for a player that was late; messages get lost and are sent again. The
//! joint moves told are therefore the truth, not the moves that were answered: they are compared with what
//! is legal, and where they do not fit, the history is mended as well as it can be.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use game::{
    Game, GroundTerm, JointMove, Limits, Machine, Move, ReasonError, Reasoner, Role, State,
};

use crate::clock;

/// The present state of a match and how it came about.
pub struct History {
    reasoner: Reasoner,
    limits: Limits,
    machine: Box<dyn Machine>,
    on_circuit: bool,
    role: Role,
    initial: State,
    state: State,
    steps: usize,
    told: Option<JointMove>,
    answered: Option<Move>,
}

/// What a told joint move meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Followed {
    /// The match begins.
    Begun,
    /// One step further, as expected.
    Step,
    /// One step further, but the manager played another move for this player.
    Substituted {
        /// The move of this player that was told.
        played: String,
    },
    /// The same message again.
    Repeated,
    /// The manager is at the beginning again.
    Reset,
    /// A step was never told; it was guessed from among several.
    CaughtUp {
        /// The joint moves that would explain what was told.
        candidates: usize,
    },
    /// The moves are not legal here, and were made all the same, since the manager did so.
    Forced,
    /// The moves make no sense in this game; the state stays as it was.
    Ignored,
}

impl Followed {
    /// Whether the history is in doubt.
    pub fn is_odd(&self) -> bool {
        !matches!(self, Self::Begun | Self::Step | Self::Repeated)
    }
}

impl fmt::Display for Followed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Begun => write!(f, "the match begins"),
            Self::Step => write!(f, "one step further"),
            Self::Substituted { played } => write!(f, "the manager played {played} instead"),
            Self::Repeated => write!(f, "the message was sent again"),
            Self::Reset => write!(f, "the manager is at the beginning again"),
            Self::CaughtUp { candidates } => {
                write!(f, "a step was missed; one of {candidates} that explain it was taken")
            }
            Self::Forced => write!(f, "the moves told are not legal here; made all the same"),
            Self::Ignored => write!(f, "the moves told make no sense in this game; ignored"),
        }
    }
}

/// The most joint moves that are tried to find a step that was not told.
const MOST_GUESSES: usize = 5_000;

impl History {
    /// The beginning of a match. Questions that take too long are ended by the flag.
    pub fn new(
        reasoner: &Reasoner,
        role: Role,
        cancel: &Arc<AtomicBool>,
    ) -> Result<Self, ReasonError> {
        let limits = Limits { cancel: Some(cancel.clone()), ..Limits::default() };
        let mut machine = reasoner.machine_with(limits.clone());
        let initial = machine.initial()?;
        Ok(Self {
            reasoner: reasoner.clone(),
            limits,
            machine,
            on_circuit: reasoner.gates().is_some(),
            role,
            state: initial.clone(),
            initial,
            steps: 0,
            told: None,
            answered: None,
        })
    }

    /// The present state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The steps so far.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The game.
    pub fn game(&self) -> &Game {
        self.reasoner.game()
    }

    /// Whether the match is over.
    pub fn is_terminal(&mut self) -> Result<bool, ReasonError> {
        self.machine.is_terminal(&self.state)
    }

    /// The results, as far as the rules tell.
    pub fn goals(&mut self) -> Result<Vec<Option<u8>>, ReasonError> {
        let roles = self.game().role_ids();
        roles.map(|r| Ok(self.machine.goal(&self.state, r)?.value().map(|goal| goal.0))).collect()
    }

    /// Legal moves of the own role in the present state.
    pub fn legal(&mut self) -> Result<Vec<Move>, ReasonError> {
        let mut moves = Vec::new();
        self.machine.legal_moves(&self.state, self.role, &mut moves)?;
        Ok(moves)
    }

    /// Remembers what was answered.
    pub fn answered(&mut self, action: Move) {
        self.answered = Some(action);
    }

    /// Follows what a manager tells; `until` bounds the search for steps that were not told.
    pub(crate) fn follow(
        &mut self,
        told: Option<&[String]>,
        until: clock::Due,
    ) -> Result<Followed, ReasonError> {
        if !self.on_circuit && self.reasoner.gates().is_some() {
            self.machine = self.reasoner.machine_with(self.limits.clone());
            self.on_circuit = true;
        }
        let Some(told) = told else {
            let begun = self.steps == 0;
            (self.state, self.steps) = (self.initial.clone(), 0);
            (self.told, self.answered) = (None, None);
            return Ok(if begun { Followed::Begun } else { Followed::Reset });
        };
        let Some(terms) = self.terms(told) else { return Ok(Followed::Ignored) };
        let state = self.state.clone();
        let legal = self.legal_joint(&state, &terms)?;
        if self.is_repeated(&terms, legal.as_ref()) {
            return Ok(Followed::Repeated);
        }
        match legal {
            Some(joint) => self.step(joint),
            None => match self.missed(&terms, until)? {
                Some((state, joint, candidates)) => {
                    self.state = state;
                    self.steps += 1;
                    self.step(joint)?;
                    Ok(Followed::CaughtUp { candidates })
                }
                None => self.force(&terms),
            },
        }
    }

    fn step(&mut self, joint: JointMove) -> Result<Followed, ReasonError> {
        let played = joint.of(self.role);
        let substituted = self.answered.take().is_some_and(|answered| answered != played);
        self.state = self.machine.next(&self.state, &joint)?;
        self.steps += 1;
        self.told = Some(joint);
        if !substituted {
            return Ok(Followed::Step);
        }
        let played = self.game().universe().move_entry(played).text.to_string();
        Ok(Followed::Substituted { played })
    }

    /// The same joint move as told last, which either cannot be made again or contradicts the answer given
    /// since: more likely a message sent twice than a step.
    fn is_repeated(&self, terms: &[GroundTerm], legal: Option<&JointMove>) -> bool {
        let Some(last) = &self.told else { return false };
        let universe = self.game().universe();
        let same = last
            .0
            .iter()
            .zip(terms)
            .all(|(action, term)| universe.move_entry(*action).term == *term);
        let confirmed = self.answered.is_none_or(|answered| answered == last.of(self.role));
        same && (legal.is_none() || !confirmed)
    }

    /// The moves as terms of the game, one for each role.
    fn terms(&self, told: &[String]) -> Option<Vec<GroundTerm>> {
        let universe = self.game().universe();
        if told.len() == self.game().roles().len() {
            return told.iter().map(|text| universe.parse(text)).collect();
        }
        // The move of a single player, without the list around it.
        let alone = self.game().roles().len() == 1;
        alone.then(|| universe.parse(&format!("({})", told.join(" "))))?.map(|term| vec![term])
    }

    /// The joint move of these terms, if it is legal in a state.
    fn legal_joint(
        &mut self,
        state: &State,
        terms: &[GroundTerm],
    ) -> Result<Option<JointMove>, ReasonError> {
        let game = self.game().clone();
        let mut legal: Vec<Move> = Vec::new();
        let mut joint = Vec::new();
        for (role, term) in game.role_ids().zip(terms) {
            self.machine.legal_moves(state, role, &mut legal)?;
            let found = legal.iter().find(|m| game.universe().move_entry(**m).term == *term);
            match found {
                Some(action) => joint.push(*action),
                None => return Ok(None),
            }
        }
        Ok(Some(JointMove(joint)))
    }

    /// Looks for one joint move after which the told one is legal. Those with the move that was answered
    /// come first, since the manager had it if it lost only the next message.
    fn missed(
        &mut self,
        terms: &[GroundTerm],
        until: clock::Due,
    ) -> Result<Option<(State, JointMove, usize)>, ReasonError> {
        let mut legal = Vec::new();
        for role in self.game().role_ids() {
            let mut moves = Vec::new();
            self.machine.legal_moves(&self.state, role, &mut moves)?;
            legal.push(moves);
        }
        if let Some(answered) = self.answered {
            legal[self.role.index()].sort_by_key(|action| *action != answered);
        }
        let mut found: Option<(State, JointMove)> = None;
        let mut candidates = 0;
        for joint in Product::new(&legal, self.role.index()).take(MOST_GUESSES) {
            if std::time::Instant::now() >= until.answer {
                break;
            }
            let next = self.machine.next(&self.state, &joint)?;
            if self.machine.is_terminal(&next)? {
                continue;
            }
            if let Some(told) = self.legal_joint(&next, terms)? {
                candidates += 1;
                found.get_or_insert((next, told));
            }
        }
        Ok(found.map(|(state, joint)| (state, joint, candidates)))
    }

    /// Makes moves that are not legal; circuits do not know what becomes of them, interpreters do.
    fn force(&mut self, terms: &[GroundTerm]) -> Result<Followed, ReasonError> {
        let game = self.game().clone();
        let joint: JointMove = terms.iter().map(|term| game.universe().action(term)).collect();
        let next = game.interpreter_with(self.limits.clone()).next(&self.state, &joint)?;
        let mut legal = Vec::new();
        self.machine.legal_moves(&next, self.role, &mut legal)?;
        if legal.is_empty() {
            // No manager would ask for a move there.
            return Ok(Followed::Ignored);
        }
        self.state = next;
        self.steps += 1;
        self.told = Some(joint);
        self.answered = None;
        Ok(Followed::Forced)
    }
}

/// All joint moves; the moves of one role change last.
struct Product<'m> {
    moves: &'m [Vec<Move>],
    order: Vec<usize>,
    at: Option<Vec<usize>>,
}

impl<'m> Product<'m> {
    fn new(moves: &'m [Vec<Move>], last: usize) -> Self {
        let order = (0..moves.len()).filter(|role| *role != last).chain([last]).collect();
        let at = moves.iter().all(|of_role| !of_role.is_empty()).then(|| vec![0; moves.len()]);
        Self { moves, order, at }
    }
}

impl Iterator for Product<'_> {
    type Item = JointMove;

    fn next(&mut self) -> Option<JointMove> {
        let at = self.at.as_mut()?;
        let joint = at.iter().zip(self.moves).map(|(index, moves)| moves[*index]).collect();
        for role in &self.order {
            at[*role] += 1;
            if at[*role] < self.moves[*role].len() {
                return Some(joint);
            }
            at[*role] = 0;
        }
        self.at = None;
        Some(joint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn history() -> History {
        let text = library::find("tictactoe").expect("a game of the library").rules;
        let game = Game::from_text(text).expect("sound rules");
        History::new(&Reasoner::interpreter(&game), Role(0), &Arc::default())
            .expect("an initial state")
    }

    fn due() -> clock::Due {
        clock::Due::new(Instant::now(), Duration::from_secs(3600), Duration::ZERO, Duration::ZERO)
    }

    fn follow(history: &mut History, moves: &[&str]) -> Followed {
        let moves: Vec<String> = moves.iter().map(|text| (*text).to_owned()).collect();
        let told = (!moves.is_empty()).then_some(&moves[..]);
        history.follow(told, due()).expect("an answer")
    }

    fn answer(history: &mut History, text: &str) {
        let term = history.game().universe().parse(text).expect("a term");
        let action = history.game().universe().action(&term);
        history.answered(action);
    }

    #[test]
    fn the_moves_told_count_not_those_answered() {
        let mut history = history();
        assert_eq!(follow(&mut history, &[]), Followed::Begun);
        answer(&mut history, "(mark b 2)");
        assert_eq!(follow(&mut history, &["(mark b 2)", "noop"]), Followed::Step);
        answer(&mut history, "noop");
        assert_eq!(follow(&mut history, &["NOOP", "( MARK a 1 )"]), Followed::Step);
        answer(&mut history, "(mark c 3)");
        let played = "(mark a 2)".to_owned();
        assert_eq!(follow(&mut history, &["(mark a 2)", "noop"]), Followed::Substituted { played });
        assert_eq!(history.steps(), 3);
    }

    #[test]
    fn a_repeated_message_is_no_step() {
        let mut history = history();
        assert_eq!(follow(&mut history, &[]), Followed::Begun);
        assert_eq!(follow(&mut history, &[]), Followed::Begun);
        follow(&mut history, &["(mark b 2)", "noop"]);
        answer(&mut history, "noop");
        assert_eq!(follow(&mut history, &["(mark b 2)", "noop"]), Followed::Repeated);
        assert_eq!(history.steps(), 1);
        assert_eq!(follow(&mut history, &[]), Followed::Reset);
        assert_eq!(history.steps(), 0);
    }

    #[test]
    fn a_step_that_was_never_told_is_found() {
        let mut history = history();
        follow(&mut history, &[]);
        answer(&mut history, "(mark b 2)");
        // The message with (mark b 2) was lost; what follows is legal only after some first move.
        let followed = follow(&mut history, &["noop", "(mark a 1)"]);
        assert_eq!(followed, Followed::CaughtUp { candidates: 8 });
        assert_eq!(history.steps(), 2);
        let texts = history.game().state_texts(history.state());
        assert!(texts.iter().any(|text| &**text == "(cell b 2 x)"), "{texts:?}");
    }

    #[test]
    fn nonsense_is_survived() {
        let mut history = history();
        follow(&mut history, &[]);
        for moves in [&["(fly 1)", "noop"][..], &["noop"], &["(", ")"], &["?x", "noop"]] {
            assert_eq!(follow(&mut history, moves), Followed::Ignored, "{moves:?}");
        }
        let before = history.state().clone();
        assert_eq!(follow(&mut history, &["(mark a 1)", "(mark a 1)"]), Followed::Forced);
        assert_ne!(*history.state(), before);
        assert!(!history.legal().expect("an answer").is_empty() || history.steps() == 1);
    }
}
