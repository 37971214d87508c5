//! Which moves are only waiting, and whether roles take turns: what random play shows.
//!
//! GDL lets every role move in every step; planning knows one actor. A move that its role had as the only legal
//! one, while another role had a choice, may be *waiting*. Where in every state seen at most one role had a choice
//! or another move, roles take turns, and a step is the move of one role while the others wait. Fluents that were
//! true exactly when it was a role's turn, in states at the end as well, tell whose turn it is.

use game::playout::Random;
use game::{Deadline, Game, GroundProgram, JointMove, Machine, ReasonError, Role, State};
use rustc_hash::FxHashMap;

/// Who may act in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// There is one role.
    Alone,
    /// One role acts, the others wait.
    Alternating,
    /// Several roles may act at once.
    Joint,
}

/// What is known about waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// For each role and move of the ground program whether it may be waiting.
    pub waits: Vec<Vec<bool>>,
    /// For each role and move whether it was also chosen among others, such as a pass.
    pub chosen: Vec<Vec<bool>>,
    /// Who may act.
    pub turns: Turns,
    /// Whether there are steps in which nobody acts.
    pub pauses: bool,
    /// For each role the fluents of the ground program that tell that it is its turn. Empty if in some state
    /// no role's fluents held, or those of several.
    pub whose: Vec<Vec<u32>>,
}

/// How much to play.
const PLAYOUTS: u32 = 24;
const LENGTH: u32 = 300;
const SEED: u64 = 7;

/// How often a move was legal, alone or among others.
#[derive(Clone, Copy, Default)]
struct Seen {
    alone: bool,
    chosen: bool,
}

impl Waits {
    /// Every move acts: what is right for one role, and safe for several.
    pub fn none(program: &GroundProgram) -> Self {
        let turns = if program.moves.len() == 1 { Turns::Alone } else { Turns::Joint };
        let waits: Vec<_> = program.moves.iter().map(|own| vec![false; own.len()]).collect();
        Self { chosen: waits.clone(), waits, turns, pauses: false, whose: Vec::new() }
    }

    /// Whether a move is more than waiting.
    pub fn acts(&self, role: usize, action: usize) -> bool {
        self.chosen[role][action] || !self.waits[role][action]
    }

    /// Finds out by random play.
    pub fn sample(
        game: &Game,
        program: &GroundProgram,
        machine: &mut dyn Machine,
        deadline: &Deadline,
    ) -> Result<Self, ReasonError> {
        let mut waits = Self::none(program);
        if waits.turns == Turns::Alone {
            return Ok(waits);
        }
        let mut play = Play::new(game, program);
        play.run(machine, deadline)?;
        for (role, own) in play.seen.iter().enumerate() {
            waits.waits[role] = own.iter().map(|seen| seen.alone).collect();
            waits.chosen[role] = own.iter().map(|seen| seen.chosen).collect();
        }
        (waits.turns, waits.pauses) = play.turns(&waits.waits);
        if waits.turns == Turns::Alternating {
            waits.whose = play.whose(game, program, &waits.waits);
        }
        Ok(waits)
    }
}

struct Play {
    numbers: Vec<FxHashMap<u32, u32>>,
    seen: Vec<Vec<Seen>>,
    /// For each state seen the legal moves of each role, each list once.
    looks: Vec<Vec<Vec<u32>>>,
    /// These states.
    states: Vec<State>,
    /// States at the end of play.
    ends: Vec<State>,
}

impl Play {
    fn new(game: &Game, program: &GroundProgram) -> Self {
        let universe = game.universe();
        let numbers = program.moves.iter().map(|own| {
            let numbered = own.iter().enumerate();
            numbered.map(|(at, action)| (universe.action(&action.term).0, at as u32)).collect()
        });
        let seen = program.moves.iter().map(|own| vec![Seen::default(); own.len()]).collect();
        let numbers = numbers.collect();
        Self { numbers, seen, looks: Vec::new(), states: Vec::new(), ends: Vec::new() }
    }

    fn run(&mut self, machine: &mut dyn Machine, deadline: &Deadline) -> Result<(), ReasonError> {
        let initial = machine.initial()?;
        let mut random = Random::new(SEED);
        for _ in 0..PLAYOUTS {
            let mut state = initial.clone();
            for _ in 0..LENGTH {
                if deadline.passed() {
                    break;
                }
                if machine.is_terminal(&state)? {
                    self.ends.push(state);
                    break;
                }
                let Some(next) = self.step(machine, &state, &mut random)? else { break };
                state = next;
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        machine: &mut dyn Machine,
        state: &State,
        random: &mut Random,
    ) -> Result<Option<State>, ReasonError> {
        let (mut look, mut joint, mut moves) = (Vec::new(), Vec::new(), Vec::new());
        for role in 0..self.numbers.len() {
            machine.legal_moves(state, Role(role as u32), &mut moves)?;
            if moves.is_empty() {
                return Ok(None);
            }
            joint.push(moves[random.below(moves.len())]);
            let numbers = &self.numbers[role];
            look.push(moves.iter().filter_map(|m| numbers.get(&m.0).copied()).collect());
        }
        self.note(&look);
        self.looks.push(look);
        self.states.push(state.clone());
        machine.next(state, &JointMove(joint)).map(Some)
    }

    /// A move is waiting only if another role had a choice at the time: the last square of a board is no choice
    /// either, but filling it is no waiting.
    fn note(&mut self, look: &[Vec<u32>]) {
        let choosing = look.iter().filter(|own: &&Vec<u32>| own.len() > 1).count();
        for (own, seen) in look.iter().zip(&mut self.seen) {
            for at in own {
                let seen = &mut seen[*at as usize];
                if own.len() > 1 { seen.chosen = true } else { seen.alone |= choosing > 0 }
            }
        }
    }

    fn turns(&self, waits: &[Vec<bool>]) -> (Turns, bool) {
        let mut pauses = false;
        for look in &self.looks {
            match acting(look, waits).count() {
                0 => pauses = true,
                1 => {}
                _ => return (Turns::Joint, false),
            }
        }
        // Without any state there is no evidence.
        if self.looks.is_empty() { (Turns::Joint, false) } else { (Turns::Alternating, pauses) }
    }

    /// The fluents that tell whose turn it is.
    fn whose(&self, game: &Game, program: &GroundProgram, waits: &[Vec<bool>]) -> Vec<Vec<u32>> {
        let universe = game.universe();
        let actors: Vec<Option<usize>> =
            self.looks.iter().map(|look| acting(look, waits).next()).collect();
        let mut whose = vec![Vec::new(); program.moves.len()];
        for (number, term) in program.fluents.iter().enumerate() {
            let fluent = universe.fluent(term);
            let seen =
                || self.states.iter().zip(&actors).map(|(s, actor)| (s.contains(fluent), actor));
            let Some(role) = seen().find_map(|(holds, actor)| actor.filter(|_| holds)) else {
                continue;
            };
            if seen().all(|(holds, actor)| actor.is_none_or(|actor| holds == (actor == role))) {
                whose[role].push(number as u32);
            }
        }
        let holds = |state: &State, fluent: &u32| {
            state.contains(universe.fluent(&program.fluents[*fluent as usize]))
        };
        let one = |state: &State| {
            let all = whose.iter().filter(|own| own.iter().all(|fluent| holds(state, fluent)));
            let some = whose.iter().filter(|own| own.iter().any(|fluent| holds(state, fluent)));
            all.count() == 1 && some.count() == 1
        };
        let clear = whose.iter().all(|own| !own.is_empty());
        if clear && self.states.iter().chain(&self.ends).all(one) { whose } else { Vec::new() }
    }
}

/// The roles that have a choice, or a move that is not waiting.
fn acting<'l>(look: &'l [Vec<u32>], waits: &'l [Vec<bool>]) -> impl Iterator<Item = usize> + 'l {
    let acts = |(_, (own, waits)): &(usize, (&Vec<u32>, &Vec<bool>))| match own[..] {
        [only] => !waits[only as usize],
        _ => true,
    };
    look.iter().zip(waits).enumerate().filter(acts).map(|(role, _)| role)
}
