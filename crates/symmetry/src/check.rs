//! Whether a permutation is a symmetry, asked of a machine on states of random play: every condition of
//! thesis Def. 8.1. Theorem 8.2 says that it must be; this says that nothing went wrong on the way.

use game::playout::{Random, random_joint_move};
use game::{Deadline, Goals, JointMove, Machine, Move, ReasonError, Role, State};

use crate::points::Points;

/// What a machine says about a state.
struct Facts {
    state: State,
    terminal: bool,
    goals: Vec<Goals>,
    legal: Vec<Vec<Move>>,
    next: Option<(JointMove, State)>,
}

/// States of random play with everything that Def. 8.1 speaks of.
pub struct Samples {
    facts: Vec<Facts>,
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No condition was broken on so many states.
    Held(usize),
    /// The condition that was broken, and the number of the state.
    Broken(String, usize),
}

impl Samples {
    /// Plays at random and remembers at most `most` states.
    pub fn new(machine: &mut dyn Machine, most: usize, seed: u64, deadline: &Deadline) -> Self {
        let mut random = Random::new(seed);
        let mut facts = Vec::new();
        let Ok(initial) = machine.initial() else { return Self { facts } };
        let mut state = initial.clone();
        while facts.len() < most && !deadline.passed() {
            let Ok(found) = facts_of(machine, &state, &mut random) else { break };
            // Some steps between the states that are kept, so that long games are seen further.
            state = found.next.as_ref().map_or_else(|| initial.clone(), |(_, next)| next.clone());
            let stuck = found.next.is_none() && found.state == initial;
            facts.push(found);
            if stuck {
                break;
            }
        }
        Self { facts }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Checks a permutation on all states, as far as the time allows.
    pub fn check(
        &self,
        machine: &mut dyn Machine,
        points: &Points,
        permutation: &[u32],
        deadline: &Deadline,
    ) -> Verdict {
        let mut held = 0;
        for (number, facts) in self.facts.iter().enumerate() {
            if deadline.passed() {
                break;
            }
            match broken(machine, points, permutation, facts) {
                Ok(Some(what)) => return Verdict::Broken(what, number),
                Ok(None) => held += 1,
                Err(_) => break,
            }
        }
        Verdict::Held(held)
    }
}

fn facts_of(
    machine: &mut dyn Machine,
    state: &State,
    random: &mut Random,
) -> Result<Facts, ReasonError> {
    let roles: Vec<Role> = machine.game().role_ids().collect();
    let terminal = machine.is_terminal(state)?;
    let goals = roles.iter().map(|role| machine.goal(state, *role)).collect::<Result<_, _>>()?;
    let mut legal = Vec::new();
    for role in &roles {
        let mut moves = Vec::new();
        machine.legal_moves(state, *role, &mut moves)?;
        legal.push(moves);
    }
    let joint = if terminal { None } else { random_joint_move(machine, state, random)? };
    let next = match joint {
        Some(joint) => {
            let next = machine.next(state, &joint)?;
            Some((joint, next))
        }
        None => None,
    };
    Ok(Facts { state: state.clone(), terminal, goals, legal, next })
}

/// The condition of Def. 8.1 that a permutation breaks in a state, if any.
fn broken(
    machine: &mut dyn Machine,
    points: &Points,
    permutation: &[u32],
    facts: &Facts,
) -> Result<Option<String>, ReasonError> {
    let Some(image) = points.state_image(permutation, &facts.state) else { return Ok(None) };
    if machine.is_terminal(&image)? != facts.terminal {
        return Ok(Some("terminal".to_owned()));
    }
    let mut moves = Vec::new();
    for (number, goals) in facts.goals.iter().enumerate() {
        let role = Role(number as u32);
        let to = points.role_image(permutation, role);
        if machine.goal(&image, to)? != *goals {
            return Ok(Some(format!("goal of role {number}")));
        }
        machine.legal_moves(&image, to, &mut moves)?;
        let images: Option<Vec<(Role, Move)>> = facts.legal[number]
            .iter()
            .map(|action| points.move_image(permutation, role, *action))
            .collect();
        let Some(mut images) = images else { continue };
        images.sort_unstable();
        let mut found: Vec<(Role, Move)> = moves.iter().map(|action| (to, *action)).collect();
        found.sort_unstable();
        if images != found {
            return Ok(Some(format!("legal moves of role {number}")));
        }
    }
    let Some((joint, next)) = &facts.next else { return Ok(None) };
    let Some(joint) = points.joint_image(permutation, joint) else { return Ok(None) };
    let expected = points.state_image(permutation, next);
    let Some(expected) = expected else { return Ok(None) };
    let found = machine.next(&image, &joint)?;
    Ok((found != expected).then(|| "next state".to_owned()))
}
