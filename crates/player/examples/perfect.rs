//! A strategy against the perfect opponent, in games of two roles that can be solved:
//! `cargo run --release -p player --example perfect -- START PLAY MATCHES STRATEGY GAME...` with the clocks in seconds.
//!
//! The opponent knows the value of every position by alpha-beta without a clock, and chooses at random among the moves that keep it.
//! Every move of the strategy is compared with the same values: a move after which the game is worth less is a mistake.

mod common;

use std::time::Duration;

use game::playout::Random;
use game::{Budget, Deadline, JointMove, Machine, Move, Reasoner, Role, State};
use player::{Player, Setup, Strategy};
use search::class::{self, Sampling};
use search::deepening::{Deepening, Options};
use search::{Blind, Effort, GameClass, Look, Search, Turn};

/// How long a position may take to be solved, and the memory for it.
const LONGEST: Duration = Duration::from_secs(120);
const MEMORY: usize = 1 << 30;

/// Knows the value of positions.
struct Oracle {
    search: Deepening,
    machine: Box<dyn Machine>,
    look: Look,
}

impl Oracle {
    fn new(reasoner: &Reasoner, class: &GameClass) -> Self {
        let options = Options { memory: MEMORY, ..Options::default() };
        let search = Deepening::new(reasoner.machine(), Box::new(Blind), class.clone(), &options);
        Self { search, machine: reasoner.machine(), look: Look::default() }
    }

    /// What a position is worth to a role; none where it was not solved in time.
    fn value(&mut self, state: &State, role: Role) -> Option<f64> {
        if self.machine.is_terminal(state).ok()? {
            return Some(f64::from(self.machine.goal(state, role).ok()?.value()?.0));
        }
        let effort = Effort::until(Deadline::within(LONGEST));
        let report = self.search.search(state, role, &effort, &mut |_| ()).ok()?;
        report.solved.then(|| report.value().low)
    }

    /// The moves of the role whose turn it is that keep the value of a position.
    fn best(&mut self, state: &State, role: Role) -> Option<Vec<Move>> {
        let value = self.value(state, role)?;
        self.look.at(&mut *self.machine, state).ok()?;
        let moves = self.look.moves.clone();
        let mut joint: Vec<Move> = moves.iter().map(|own| own[0]).collect();
        let mut best = Vec::new();
        for action in &moves[role.index()] {
            joint[role.index()] = *action;
            let next = self.machine.next(state, &JointMove(joint.clone())).ok()?;
            if self.value(&next, role)? >= value {
                best.push(*action);
            }
        }
        Some(best)
    }
}

/// What came of the matches of a game.
#[derive(Default)]
struct Sum {
    matches: u32,
    points: f64,
    /// What perfect play would have got.
    due: f64,
    moves: u32,
    mistakes: u32,
}

struct Table<'t> {
    reasoner: &'t Reasoner,
    strategy: &'t Strategy,
    clocks: (Duration, Duration),
}

impl Table<'_> {
    /// One match with the strategy on a seat.
    fn play(&self, oracle: &mut Oracle, seat: Role, seed: u64, sum: &mut Sum) -> Option<()> {
        let game = self.reasoner.game();
        let mut machine = self.reasoner.machine();
        let mut random = Random::new(seed);
        let setup = Setup::new(game, seat).with_reasoner(self.reasoner);
        let (start_clock, play_clock) = self.clocks;
        let mut player: Player =
            self.strategy.player(Setup { seed, start_clock, play_clock, ..setup });
        player.start(&Deadline::within(start_clock)).ok()?;
        let mut state = machine.initial().ok()?;
        let due = oracle.value(&state, seat)?;
        let mut last: Option<JointMove> = None;
        let mut look = Look::default();
        loop {
            let turn = look.at(&mut *machine, &state).ok()?;
            if turn == Turn::End {
                break;
            }
            let mut joint: Vec<Move> = look.moves.iter().map(|own| own[0]).collect();
            joint[seat.index()] = player.play(last.as_ref(), &Deadline::within(play_clock)).ok()?;
            if let Turn::Of(role) = turn {
                let best = oracle.best(&state, role)?;
                if role == seat {
                    sum.moves += 1;
                    sum.mistakes += u32::from(!best.contains(&joint[seat.index()]));
                } else {
                    joint[role.index()] = best[random.below(best.len())];
                }
            }
            let joint = JointMove(joint);
            state = machine.next(&state, &joint).ok()?;
            last = Some(joint);
        }
        player.stop();
        sum.matches += 1;
        sum.points += f64::from(machine.goal(&state, seat).ok()?.value()?.0);
        sum.due += due;
        Some(())
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [start, play, matches, strategy, games @ ..] = &args[..] else {
        println!("START PLAY MATCHES STRATEGY GAME...");
        return;
    };
    let Ok(strategy) = Strategy::parse(strategy) else {
        println!("no such strategy");
        return;
    };
    println!("| game | worth to the first role | matches | points | due | own moves | mistakes |");
    println!("|---|---|---|---|---|---|---|");
    for name in games {
        let Some(game) = common::game(name) else { continue };
        let reasoner = Reasoner::build(&game, &Budget::default());
        let known = class::sample(&mut *reasoner.machine(), &Sampling::default());
        let class = match known {
            Ok((class, _)) if class.is_two_player_constant_sum() && class.turn_taking.value => {
                class
            }
            _ => {
                println!("{name}: not a game of two roles with a constant sum and moves in turn");
                continue;
            }
        };
        let mut oracle = Oracle::new(&reasoner, &class);
        let initial = reasoner.machine().initial();
        let Some(worth) = initial.ok().and_then(|state| oracle.value(&state, Role(0))) else {
            println!("{name}: not solved");
            continue;
        };
        let mut sum = Sum::default();
        let table = Table {
            reasoner: &reasoner,
            strategy: &strategy,
            clocks: (common::seconds(start), common::seconds(play)),
        };
        for number in 0..matches.parse().unwrap_or(2_u64) {
            let seat = Role((number % 2) as u32);
            if table.play(&mut oracle, seat, number + 1, &mut sum).is_none() {
                println!("{name}: match {number} could not be finished");
            }
        }
        let mean = |points: f64| points / f64::from(sum.matches.max(1));
        println!(
            "| {name} | {worth} | {} | {:.1} | {:.1} | {} | {} |",
            sum.matches,
            mean(sum.points),
            mean(sum.due),
            sum.moves,
            sum.mistakes
        );
    }
}
