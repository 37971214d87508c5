//! One match in this process: a candidate on one seat, the base strategy on all others.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use cpu_time::ProcessTime;
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
    /// What limits thinking; none where strategies limit themselves.
    pub clock: Option<Clock>,
    /// The most steps.
    pub longest: usize,
}

/// What limits thinking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Seconds for the start.
    pub start: f64,
    /// Seconds for each move.
    pub play: f64,
    /// Whether they are CPU seconds of this process, which then must play one match at a time. Players are told to stop, and
    /// know beforehand when that will be about, as they plan by it.
    pub cpu: bool,
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
        let pace = Cell::new(1.0);
        for player in &mut players {
            self.within(&pace, |clock| clock.start, |deadline| player.start(deadline))
                .context("a player cannot start")?;
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
                let chosen =
                    self.within(&pace, |clock| clock.play, |end| player.play(last.as_ref(), end))?;
                joint.push(chosen);
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
        let known = |seconds: fn(&Clock) -> f64| {
            let clock = self.clock.as_ref();
            clock.map_or(Duration::MAX, |clock| Duration::from_secs_f64(seconds(clock)))
        };
        let setup = Setup {
            seed: self.seed.wrapping_mul(31).wrapping_add(u64::from(role.0)),
            start_clock: known(|clock| clock.start),
            play_clock: known(|clock| clock.play),
            ..Setup::new(self.reasoner.game(), role).with_reasoner(self.reasoner)
        };
        let strategy = if role == self.seat { self.candidate } else { self.base };
        strategy.player(setup)
    }

    /// Does work within the seconds of the clock.
    fn within<T>(
        &self,
        pace: &Cell<f64>,
        seconds: fn(&Clock) -> f64,
        work: impl FnOnce(&Deadline) -> T,
    ) -> T {
        let time = |clock: &Clock| Duration::from_secs_f64(seconds(clock));
        match &self.clock {
            None => work(&Deadline::never()),
            Some(clock) if clock.cpu => within_cpu(time(clock), pace, work),
            Some(clock) => work(&Deadline::within(time(clock))),
        }
    }
}

/// Does work with a deadline that passes when the process has used so much CPU time. `pace` is how many seconds on the wall a CPU second took
/// last: by that players are told how much time there is, a little more than will be.
fn within_cpu<T>(time: Duration, pace: &Cell<f64>, work: impl FnOnce(&Deadline) -> T) -> T {
    let (wall, begin) = (Instant::now(), ProcessTime::now());
    let (over, done) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(false));
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let left = time.saturating_sub(begin.elapsed());
                if left.is_zero() {
                    over.store(true, Ordering::Relaxed);
                    return;
                }
                std::thread::park_timeout(left.clamp(SHORTEST, LONGEST));
            }
        });
        let told = time.mul_f64(pace.get() * SLACK);
        let result = work(&Deadline::within(told).or_when(over.clone()));
        done.store(true, Ordering::Relaxed);
        result
    });
    let used = begin.elapsed();
    if used > time / 4 {
        let new = wall.elapsed().as_secs_f64() / used.as_secs_f64();
        pace.set(new.clamp(SLOWEST.recip(), SLOWEST));
    }
    result
}

/// How much more time players are told that there is: where the machine is busier than it was, they should not stop before they are told.
const SLACK: f64 = 1.2;
/// The most seconds on the wall that a CPU second is taken to take, or the other way round where several threads are busy.
const SLOWEST: f64 = 8.0;

/// How long to sleep between two looks at the CPU clock.
const SHORTEST: Duration = Duration::from_micros(200);
const LONGEST: Duration = Duration::from_millis(5);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_knows_about_how_much_time_there_is_and_is_told_to_stop() {
        let pace = Cell::new(2.0);
        let time = Duration::from_millis(40);
        let left = within_cpu(time, &pace, |end| {
            let left = end.left().expect("an end that can be planned by");
            while !end.passed() {
                std::hint::spin_loop();
            }
            left
        });
        let told = time.mul_f64(2.0 * SLACK);
        assert!(left <= told && left > told / 2, "{left:?} of {told:?}");
        let pace = pace.get();
        assert!((SLOWEST.recip()..=SLOWEST).contains(&pace), "{pace}");
        // What takes hardly any CPU time tells nothing about how busy the machine is.
        let idle = Cell::new(3.0);
        within_cpu(Duration::from_secs(3600), &idle, |_| ());
        assert!((idle.get() - 3.0).abs() < 1e-9);
    }
}
