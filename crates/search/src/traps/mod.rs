//! Search traps (Ramanujan, Sabharwal, Selman 2010; Rauber-14 "Traps in Games").
//!
//! A state is *at risk* if the role to move has a move into a state in which its opponents can force a win. If they
//! need at most k moves for that, counted from the state after the move, it is a *level-k trap*. A state whose moves
//! all lose has no trap: it is lost anyway.
//!
//! A role has lost where another role gets its largest reward and more than the role itself. A single role has lost
//! where it gets less than its largest reward. Where several roles choose at once, opponents know nothing of the
//! move that is made at the same time; a move is a trap if some reply to it is one.

mod prove;

use game::playout::Random;
use game::{JointMove, Machine, ReasonError, Role, State};

pub use prove::{Prover, Reach};

use crate::effort::Stop;
use crate::rewards::{Look, Turn};

/// What was found out about the moves of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Risk {
    /// The role to move.
    pub role: Role,
    /// How many moves it has.
    pub moves: usize,
    /// The level of each trap among them, in rising order.
    pub traps: Vec<u32>,
    /// Whether all moves lose.
    pub lost: bool,
    /// The level up to which all traps were found; none if not even level 0 was finished.
    pub searched: Option<u32>,
    /// States looked at.
    pub nodes: u64,
    /// Why the search ended before the level asked for.
    pub stopped: Option<Stop>,
}

impl Risk {
    /// Whether the state is at risk.
    pub fn at_risk(&self) -> bool {
        !self.lost && !self.traps.is_empty()
    }

    /// The level of the deepest trap.
    pub fn deepest(&self) -> Option<u32> {
        self.traps.last().copied().filter(|_| !self.lost)
    }
}

/// Looks for traps up to a level, for the role to move; with what was found so far where the prover stops.
pub fn examine(prover: &mut Prover, sampled: &Sampled, level: u32) -> Result<Risk, ReasonError> {
    prover.begin();
    prover.was_cut();
    let Sampled { state, role, .. } = sampled;
    let mut look = Look::default();
    let turn = look.at(prover.machine(), state)?;
    let count = look.moves.get(role.index()).map_or(0, Vec::len);
    let mut risk = Risk {
        role: *role,
        moves: count,
        traps: Vec::new(),
        lost: false,
        searched: None,
        nodes: 0,
        stopped: None,
    };
    if turn == Turn::End {
        risk.searched = Some(level);
        return Ok(risk);
    }
    let mut open: Vec<usize> = (0..count).collect();
    for depth in 0..=level {
        match find(prover, state, &look, *role, depth, &mut open) {
            Ok(found) => {
                risk.traps.extend(std::iter::repeat_n(depth, found));
                risk.searched = Some(depth);
            }
            Err(why) => {
                risk.stopped = Some(why);
                break;
            }
        }
        // Where every line came to its end, more moves change nothing.
        if open.is_empty() || !prover.was_cut() {
            risk.searched = Some(level);
            break;
        }
    }
    risk.lost = open.is_empty();
    risk.nodes = prover.nodes();
    Ok(risk)
}

/// Takes the moves that lose within `depth` out of the open ones, and tells how many they were.
fn find(
    prover: &mut Prover,
    state: &State,
    look: &Look,
    role: Role,
    depth: u32,
    open: &mut Vec<usize>,
) -> Result<usize, Stop> {
    let mut kept = Vec::new();
    for at in open.iter().copied() {
        let mut loses = false;
        for joint in replies(look, role, at) {
            let next = prover.machine().next(state, &joint)?;
            if prover.loses(&next, role, depth)? {
                loses = true;
                break;
            }
        }
        if !loses {
            kept.push(at);
        }
    }
    let found = open.len() - kept.len();
    *open = kept;
    Ok(found)
}

/// The joint moves in which a role makes its move with a number.
fn replies(look: &Look, role: Role, at: usize) -> impl Iterator<Item = JointMove> + '_ {
    let action = look.moves[role.index()][at];
    let all = (0..look.joint_count()).map(|number| look.joint(number));
    all.filter(move |joint| joint.of(role) == action)
}

/// How often to try to reach a depth by random play before another one is chosen.
const TRIES: u32 = 20;

/// A state of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// The state.
    pub state: State,
    /// The role to move. The first of several that have a choice; where nobody has one, a role other than the last
    /// that had.
    pub role: Role,
    /// The moves made until then.
    pub depth: u32,
}

impl Sampled {
    /// The initial state.
    pub fn initial(machine: &mut dyn Machine) -> Result<Self, ReasonError> {
        let state = machine.initial()?;
        let mut look = Look::default();
        look.at(machine, &state)?;
        Ok(Self { state, role: mover(&look, None), depth: 0 })
    }
}

/// The role to move.
fn mover(look: &Look, last: Option<Role>) -> Role {
    let choosing = look.moves.iter().position(|own| own.len() > 1);
    let other = || (0..look.moves.len()).find(|role| last.is_none_or(|last| last.index() != *role));
    Role(choosing.or_else(other).unwrap_or(0) as u32)
}

/// A state for a sample: a random depth below `longest`, and random play until it is reached (Rauber-14 "Traps in
/// the Benchmark Games"). Play that ends before is taken again. None if no state was found.
pub fn random_state(
    machine: &mut dyn Machine,
    random: &mut Random,
    longest: u32,
) -> Result<Option<Sampled>, ReasonError> {
    for _ in 0..TRIES * 10 {
        let depth = random.below(longest.max(1) as usize) as u32;
        for _ in 0..TRIES {
            if let Some(sampled) = play(machine, random, depth)? {
                return Ok(Some(sampled));
            }
        }
    }
    Ok(None)
}

/// The state after that many random moves, unless play is over by then.
fn play(
    machine: &mut dyn Machine,
    random: &mut Random,
    depth: u32,
) -> Result<Option<Sampled>, ReasonError> {
    let mut state = machine.initial()?;
    let (mut look, mut last) = (Look::default(), None);
    for _ in 0..depth {
        if look.at(machine, &state)? == Turn::End {
            return Ok(None);
        }
        last = Some(mover(&look, last));
        let choice = look.moves.iter().map(|own| own[random.below(own.len())]);
        state = machine.next(&state, &choice.collect::<JointMove>())?;
    }
    let over = look.at(machine, &state)? == Turn::End;
    Ok((!over).then(|| Sampled { state, role: mover(&look, last), depth }))
}

/// The length of the longest of some random plays, for [`random_state`].
pub fn longest_play(
    machine: &mut dyn Machine,
    random: &mut Random,
    plays: u32,
    most: u32,
) -> Result<u32, ReasonError> {
    let initial = machine.initial()?;
    let mut longest = 0;
    for _ in 0..plays {
        let play = game::playout::playout(machine, &initial, random, most as usize)?;
        longest = longest.max(play.moves.len() as u32);
    }
    Ok(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;
    use game::Game;

    /// Nim with one heap: who takes the last match wins.
    fn nim(matches: u32) -> Game {
        let next: Vec<String> = (0..12).map(|n| format!("(succ {n} {})", n + 1)).collect();
        let next = next.join(" ");
        let text = format!(
            "(role a) (role b) {next} (init (heap {matches})) (init (control a))
            (other a b) (other b a) (amount 1) (amount 2)
            (<= (minus ?n 1 ?m) (succ ?m ?n))
            (<= (minus ?n 2 ?m) (succ ?m ?k) (succ ?k ?n))
            (<= (legal ?r (take ?k)) (true (control ?r)) (true (heap ?n)) (minus ?n ?k ?m))
            (<= (legal ?r noop) (other ?r ?q) (true (control ?q)))
            (<= (next (heap ?m)) (does ?r (take ?k)) (true (heap ?n)) (minus ?n ?k ?m))
            (<= (next (control ?q)) (true (control ?r)) (other ?r ?q))
            (<= terminal (true (heap 0)))
            (<= (goal ?r 100) (other ?r ?q) (true (control ?q)))
            (<= (goal ?r 0) (true (control ?r)))"
        );
        Game::from_text(&text).expect("valid")
    }

    fn risk(matches: u32, level: u32) -> Risk {
        let game = nim(matches);
        let mut machine = game.interpreter();
        let initial = Sampled::initial(&mut machine).expect("small");
        let mut prover = Prover::new(Box::new(machine), vec![100, 100], Effort::default());
        examine(&mut prover, &initial, level).expect("small")
    }

    #[test]
    fn levels_of_traps_in_nim_are_those_of_its_theory() {
        // From 3 the mover has lost; it takes three moves to show it.
        assert!(risk(3, 7).lost);
        // From 4: taking 2 leaves 2, and the opponent takes both: level 1. Taking 1 leaves 3, which wins.
        assert_eq!(risk(4, 7).traps, [1]);
        // From 5: taking 1 leaves 4; the opponent leaves 3 and wins two moves later: level 3.
        assert_eq!(risk(5, 7).traps, [3]);
        assert!(risk(5, 2).traps.is_empty() && !risk(5, 2).at_risk());
        // From 1 the only move wins.
        assert!(!risk(1, 7).at_risk() && !risk(1, 7).lost);
        // From 7: taking 2 leaves 5, which is lost for us by theory: 5, 3, then at most two more.
        assert_eq!((risk(7, 7).traps, risk(7, 7).deepest()), (vec![3], Some(3)));
    }

    #[test]
    fn a_search_that_is_stopped_tells_how_far_it_came() {
        let game = nim(11);
        let mut machine = game.interpreter();
        let initial = Sampled::initial(&mut machine).expect("small");
        let mut prover = Prover::new(Box::new(machine), vec![100, 100], Effort::nodes(5));
        let risk = examine(&mut prover, &initial, 9).expect("small");
        assert_eq!(risk.stopped, Some(Stop::Nodes));
        assert!(risk.searched.is_none_or(|level| level < 9));
    }

    #[test]
    fn levels_beyond_the_end_of_the_game_cost_nothing() {
        let (some, all) = (risk(9, 12), risk(9, u32::MAX));
        assert_eq!((&some.traps, all.searched), (&all.traps, Some(u32::MAX)));
        assert!(all.nodes <= 2 * some.nodes, "{} and {}", all.nodes, some.nodes);
    }

    #[test]
    fn sampled_states_are_not_over() {
        let game = nim(9);
        let mut machine = game.interpreter();
        let mut random = Random::new(5);
        let longest = longest_play(&mut machine, &mut random, 20, 100).expect("small");
        assert!((5..=9).contains(&longest));
        for _ in 0..20 {
            let found = random_state(&mut machine, &mut random, longest).expect("small");
            let found = found.expect("there are some");
            assert!(found.depth < longest && !machine.is_terminal(&found.state).expect("small"));
        }
    }

    #[test]
    fn a_forced_move_belongs_to_the_role_whose_turn_it_is() {
        // Taking all but one match leaves the other role a last move, which wins.
        let game = nim(3);
        let mut machine = game.interpreter();
        let mut random = Random::new(1);
        let mut prover =
            Prover::new(Box::new(game.interpreter()), vec![100, 100], Effort::default());
        let mut forced = 0;
        for _ in 0..60 {
            let Some(found) = random_state(&mut machine, &mut random, 3).expect("small") else {
                continue;
            };
            let risk = examine(&mut prover, &found, 3).expect("small");
            assert_eq!(risk.role, Role(found.depth % 2), "{found:?}");
            if risk.moves == 1 {
                assert!(!risk.lost, "the last match wins");
                forced += 1;
            }
        }
        assert!(forced > 3);
    }
}
