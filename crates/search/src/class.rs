//! Which class a game belongs to, and how that is known.
//!
//! The class decides which search fits. It is found by cheap random play; what random play refutes is
//! refuted for good, what it does not refute is only likely, until a prover states it as a [`Fact`].

use game::playout::Random;
use game::{Deadline, JointMove, Machine, ReasonError, Role, State};

use crate::effort::Stop;
use crate::rewards::{Look, Turn};

/// How something is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// By proof, or because a state that was reached shows it.
    Proved,
    /// Nothing against it was seen in that many states.
    Sampled(u64),
}

/// Something with the way it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<T> {
    /// What.
    pub value: T,
    /// How.
    pub certainty: Certainty,
}

impl<T> Known<T> {
    /// By proof.
    pub fn proved(value: T) -> Self {
        Self { value, certainty: Certainty::Proved }
    }

    /// Whether it is known by proof.
    pub fn is_proved(&self) -> bool {
        self.certainty == Certainty::Proved
    }
}

/// What a prover may know about a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fact {
    /// Whether in every state at most one role has a choice (thesis §4.2.1).
    TurnTaking(bool),
    /// The sum of the rewards of all roles in every terminal state; none if it is not constant
    /// (thesis §4.2.2).
    ConstantSum(Option<u32>),
    /// The least and the largest reward that a role can get.
    Rewards(Role, u8, u8),
}

/// The class of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameClass {
    /// How many roles.
    pub roles: usize,
    /// Whether at most one role has a choice in each state.
    pub turn_taking: Known<bool>,
    /// The constant sum of rewards, if it is constant.
    pub constant_sum: Known<Option<u32>>,
    /// For each role the least and the largest reward.
    pub rewards: Vec<Known<(u8, u8)>>,
    /// The mean number of moves to the end in random play; none if no end was met.
    pub mean_length: Option<f64>,
    /// The mean number of joint moves of a state in random play.
    pub mean_joint_moves: f64,
}

impl GameClass {
    /// Nothing but the number of roles.
    pub fn unknown(roles: usize) -> Self {
        let guess = Certainty::Sampled(0);
        let turn_taking = Known { value: roles == 1, certainty: guess };
        Self {
            roles,
            turn_taking: if roles == 1 { Known::proved(true) } else { turn_taking },
            constant_sum: Known { value: None, certainty: guess },
            rewards: vec![Known::proved((0, 100)); roles],
            mean_length: None,
            mean_joint_moves: 1.0,
        }
    }

    /// Takes over what a prover knows.
    pub fn learn(&mut self, fact: Fact) {
        match fact {
            Fact::TurnTaking(value) => self.turn_taking = Known::proved(value),
            Fact::ConstantSum(value) => self.constant_sum = Known::proved(value),
            Fact::Rewards(role, low, high) => {
                if let Some(known) = self.rewards.get_mut(role.index()) {
                    *known = Known::proved((low, high));
                }
            }
        }
    }

    /// Whether there is only one role.
    pub fn is_single_player(&self) -> bool {
        self.roles == 1
    }

    /// Whether it seems to be a two-player constant-sum game.
    pub fn is_two_player_constant_sum(&self) -> bool {
        self.roles == 2 && self.constant_sum.value.is_some()
    }

    /// The proven bounds on the reward of a role.
    pub fn bounds(&self, role: Role) -> (u8, u8) {
        match self.rewards.get(role.index()) {
            Some(known) if known.is_proved() => known.value,
            _ => (0, 100),
        }
    }
}

/// How much to play.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// The most playouts.
    pub playouts: u32,
    /// The most states in all.
    pub states: u64,
    /// The most moves of a playout.
    pub length: u32,
    /// The seed.
    pub seed: u64,
    /// The end of the time.
    pub deadline: Deadline,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { playouts: 100, states: 20_000, length: 1000, seed: 1, deadline: Deadline::never() }
    }
}

/// Finds the class of a game by random play. The reason is given where play stopped early; what was
/// seen until then counts.
pub fn sample(
    machine: &mut dyn Machine,
    sampling: &Sampling,
) -> Result<(GameClass, Stop), ReasonError> {
    let initial = machine.initial()?;
    let mut seen = Seen::default();
    let mut random = Random::new(sampling.seed);
    let mut stop = Stop::Done;
    for _ in 0..sampling.playouts {
        if seen.states >= sampling.states {
            stop = Stop::Nodes;
        } else if let Err(error) = seen.play(machine, &initial, &mut random, sampling) {
            stop = error;
        }
        if stop != Stop::Done {
            break;
        }
    }
    Ok((seen.class(machine.game().roles().len()), stop))
}

#[derive(Default)]
struct Seen {
    states: u64,
    joint_moves: f64,
    ends: u64,
    length: u64,
    simultaneous: bool,
    /// The sum of rewards at all ends so far; none where ends differ.
    sum: Option<u32>,
    look: Look,
}

impl Seen {
    fn play(
        &mut self,
        machine: &mut dyn Machine,
        initial: &State,
        random: &mut Random,
        sampling: &Sampling,
    ) -> Result<(), Stop> {
        let mut state = initial.clone();
        for length in 0..=sampling.length {
            if sampling.deadline.passed() {
                return Err(Stop::Time);
            }
            self.states += 1;
            match self.look.at(machine, &state)? {
                Turn::End => return Ok(self.end(machine, &state, length)?),
                Turn::Several => self.simultaneous = true,
                Turn::Nobody | Turn::Of(_) => {}
            }
            self.joint_moves += self.look.joint_count() as f64;
            let choice = self.look.moves.iter().map(|own| own[random.below(own.len())]);
            state = machine.next(&state, &choice.collect::<JointMove>())?;
        }
        Ok(())
    }

    fn end(
        &mut self,
        machine: &mut dyn Machine,
        state: &State,
        length: u32,
    ) -> Result<(), ReasonError> {
        let mut sum = Some(0);
        for role in machine.game().role_ids() {
            let goal = machine.goal(state, role)?.value();
            sum = sum.zip(goal).map(|(sum, goal)| sum + u32::from(goal.0));
        }
        self.sum = sum.filter(|_| self.ends == 0 || self.sum == sum);
        self.ends += 1;
        self.length += u64::from(length);
        Ok(())
    }

    fn class(&self, roles: usize) -> GameClass {
        let likely = Certainty::Sampled(self.states);
        let mut class = GameClass::unknown(roles);
        if self.simultaneous {
            class.turn_taking = Known::proved(false);
        } else if roles > 1 {
            class.turn_taking = Known { value: true, certainty: likely };
        }
        class.constant_sum = match self.sum {
            None if self.ends > 0 => Known::proved(None),
            sum => Known { value: sum, certainty: Certainty::Sampled(self.ends) },
        };
        let mean = |total: f64, count: u64| total / count.max(1) as f64;
        class.mean_length = (self.ends > 0).then(|| mean(self.length as f64, self.ends));
        let inner = self.states - self.ends.min(self.states);
        class.mean_joint_moves = mean(self.joint_moves, inner).max(1.0);
        class
    }
}
