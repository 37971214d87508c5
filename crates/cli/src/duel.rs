//! One match in this process: a candidate on one seat, the base strategy on all others.

use std::time::Duration;

use anyhow::Context;
use game::{Deadline, JointMove, Machine, Reasoner, Role};
use player::{Player, Setup, Strategy};

/// A match to be played.
pub struct Duel<'d> {
    /// Machines for the game.
    pub reasoner: &'d Reasoner,
    /// The strategy on the seat in question.
    pub candidate: &'d Strategy,
    /// The strategy on all other seats.
    pub base: &'d Strategy,
    /// The seat of the candidate.
    pub seat: Role,
    /// The seed of all players.
    pub seed: u64,
    /// Seconds for the start and for each move; none where strategies limit themselves.
    pub clock: Option<f64>,
    /// The most steps.
    pub longest: usize,
}

/// How a match ended.
pub struct Ended {
    /// The rewards of all roles; none where the match had no end or the rules define none.
    pub rewards: Vec<Option<u8>>,
    /// Joint moves made.
    pub steps: usize,
    /// Moves that a player did not choose itself: its search was late or failed.
    pub troubles: usize,
}

impl Ended {
    /// The points of the candidate: 50 if it got as much as the others did on average, 100 if it got all
    /// and they got nothing. A match without an end counts 50.
    pub fn points(&self, seat: Role) -> f64 {
        let reward = |role: usize| self.rewards[role].map(f64::from);
        let others = (0..self.rewards.len()).filter(|role| *role != seat.index());
        let (count, sum) = others.filter_map(reward).fold((0.0, 0.0), |(n, s), r| (n + 1.0, s + r));
        match reward(seat.index()) {
            Some(own) if count > 0.0 => 50.0 + (own - sum / count) / 2.0,
            Some(own) if self.rewards.len() == 1 => own,
            _ => 50.0,
        }
    }
}

impl Duel<'_> {
    /// Plays the match; none if `stopped` said so.
    pub fn play(&self, stopped: &dyn Fn() -> bool) -> anyhow::Result<Option<Ended>> {
        let game = self.reasoner.game();
        let mut machine = self.reasoner.machine();
        let mut players: Vec<Player> = game.role_ids().map(|role| self.player(role)).collect();
        for player in &mut players {
            player.start(&self.deadline()).context("a player cannot start")?;
        }
        let mut state = machine.initial()?;
        let mut ended = Ended { rewards: Vec::new(), steps: 0, troubles: 0 };
        let mut last: Option<JointMove> = None;
        let mut over = machine.is_terminal(&state)?;
        while !over && ended.steps < self.longest {
            let mut joint = Vec::new();
            for player in &mut players {
                if stopped() {
                    return Ok(None);
                }
                joint.push(player.play(last.as_ref(), &self.deadline())?);
                ended.troubles += usize::from(player.trouble().is_some());
            }
            let joint = JointMove(joint);
            state = machine.next(&state, &joint)?;
            last = Some(joint);
            ended.steps += 1;
            over = machine.is_terminal(&state)?;
        }
        players.iter_mut().for_each(Player::stop);
        ended.rewards = rewards(&mut *machine, over, &state)?;
        Ok(Some(ended))
    }

    fn player(&self, role: Role) -> Player {
        let clock = self.clock.map_or(Duration::MAX, Duration::from_secs_f64);
        let setup = Setup {
            seed: self.seed.wrapping_mul(31).wrapping_add(u64::from(role.0)),
            start_clock: clock,
            play_clock: clock,
            ..Setup::new(self.reasoner.game(), role).with_reasoner(self.reasoner)
        };
        let strategy = if role == self.seat { self.candidate } else { self.base };
        strategy.player(setup)
    }

    fn deadline(&self) -> Deadline {
        self.clock.map_or_else(Deadline::never, |s| Deadline::within(Duration::from_secs_f64(s)))
    }
}

fn rewards(
    machine: &mut dyn Machine,
    over: bool,
    state: &game::State,
) -> anyhow::Result<Vec<Option<u8>>> {
    let mut rewards = Vec::new();
    for role in machine.game().role_ids() {
        let goal = if over { machine.goal(state, role)?.value() } else { None };
        rewards.push(goal.map(|goal| goal.0));
    }
    Ok(rewards)
}
