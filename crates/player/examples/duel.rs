//! Matches between two strategies, seats in turn, with the points of the first:
//! `cargo run --release -p player --example duel -- START PLAY MATCHES ONE OTHER GAME...` with the clocks in seconds.
//!
//! `fluxion ablation` does the same resumably; this one needs nothing but the player, and tells the depth and
//! the nodes that each strategy reached. With `BUSIEST` in the environment clocks count the CPU time of the busiest thread, so that other
//! work on the machine does not matter; with `FIRST=N` the first match is number N, on the seat whose turn it is then; with `VERBOSE` it tells what players find out in the first match of each game, who was followed, and what the first strategy thinks of each position.

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use game::{Budget, Deadline, JointMove, Reasoner, Role};
use player::{Player, Setup, Strategy};

use common::clock::Clock;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Match<'m> {
    reasoner: &'m Reasoner,
    clock: &'m Clock,
    clocks: (Duration, Duration),
    strategies: (&'m Strategy, &'m Strategy),
}

/// What a strategy did in a match.
#[derive(Default)]
struct Work {
    moves: f64,
    nodes: f64,
    depth: f64,
    troubles: u32,
    /// How many moves came from each search.
    methods: BTreeMap<&'static str, u32>,
}

impl Match<'_> {
    /// The points of the first strategy on a seat: 50 if all get the same.
    fn play(&self, seat: u32, seed: u64, work: &mut [Work; 2], verbose: bool) -> Option<f64> {
        let game = self.reasoner.game();
        let mut machine = self.reasoner.machine();
        let strategy = |role: Role| {
            if role.0 == seat { self.strategies.0 } else { self.strategies.1 }
        };
        let mut players: Vec<Player> = game
            .role_ids()
            .map(|role| {
                let seed = seed * 31 + u64::from(role.0);
                let (start_clock, play_clock) = self.clocks;
                let setup = Setup::new(game, role).with_reasoner(self.reasoner);
                strategy(role).player(Setup { seed, start_clock, play_clock, ..setup })
            })
            .collect();
        for player in &mut players {
            self.clock.within(self.clocks.0, |deadline| player.start(deadline)).ok()?;
            if verbose {
                player.findings().iter().for_each(|line| println!("    {line}"));
            }
        }
        let mut state = machine.initial().ok()?;
        let mut last: Option<JointMove> = None;
        for _ in 0..500 {
            if machine.is_terminal(&state).ok()? {
                break;
            }
            let mut joint = Vec::new();
            for player in &mut players {
                let play = |deadline: &Deadline| player.play(last.as_ref(), deadline);
                joint.push(self.clock.within(self.clocks.1, play).ok()?);
                let own = &mut work[usize::from(player.role().0 != seat)];
                own.troubles += u32::from(player.trouble().is_some());
                if let Some(trouble) = player.trouble().filter(|_| verbose) {
                    println!("    {}: {trouble}", player.strategy());
                }
                if let Some(report) = player.last_thought().and_then(|t| t.report.as_ref()) {
                    if verbose && player.role().0 == seat {
                        let (value, solved) = (report.value(), report.solved);
                        println!("    {} nodes, {value:?}, solved: {solved}", report.nodes);
                    }
                    own.moves += 1.0;
                    own.nodes += report.nodes as f64;
                    own.depth += f64::from(report.depth);
                    *own.methods.entry(report.method).or_default() += 1;
                }
            }
            let joint = JointMove(joint);
            state = machine.next(&state, &joint).ok()?;
            last = Some(joint);
        }
        players.iter_mut().for_each(Player::stop);
        let rewards: Vec<f64> = game
            .role_ids()
            .map(|role| machine.goal(&state, role).ok()?.value().map(|goal| f64::from(goal.0)))
            .collect::<Option<_>>()?;
        let own = rewards[seat as usize];
        let others = rewards.len() as f64 - 1.0;
        let theirs = (rewards.iter().sum::<f64>() - own) / others.max(1.0);
        Some(if others > 0.0 { 50.0 + (own - theirs) / 2.0 } else { own })
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [start, play, matches, one, other, games @ ..] = &args[..] else {
        println!("START PLAY MATCHES ONE OTHER GAME...");
        return;
    };
    let (Ok(one), Ok(other)) = (Strategy::parse(one), Strategy::parse(other)) else {
        println!("no such strategy");
        return;
    };
    let clock = Clock::new(std::env::var_os("BUSIEST").is_some());
    let verbose = std::env::var_os("VERBOSE").is_some();
    let first: u64 = std::env::var("FIRST").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut all = Vec::new();
    for name in games {
        let Some(game) = common::game(name) else { continue };
        let reasoner = Reasoner::build(&game, &Budget::default());
        let mut work = [Work::default(), Work::default()];
        let one_match = Match {
            reasoner: &reasoner,
            clock: &clock,
            clocks: (common::seconds(start), common::seconds(play)),
            strategies: (&one, &other),
        };
        let roles = game.roles().len() as u64;
        let points: Vec<f64> = (first..first + matches.parse().unwrap_or(2_u64))
            .filter_map(|number| {
                let seat = (number % roles) as u32;
                one_match.play(seat, number + 1, &mut work, verbose && number == first)
            })
            .collect();
        let told = work.map(|w| {
            let moves = w.moves.max(1.0);
            let methods: Vec<_> = w.methods.iter().map(|(name, n)| format!("{name} {n}")).collect();
            format!(
                "{:.0} nodes, depth {:.1}, {} troubles, {}",
                w.nodes / moves,
                w.depth / moves,
                w.troubles,
                methods.join(", ")
            )
        });
        let each: Vec<String> = points.iter().map(|points| format!("{points:.0}")).collect();
        println!(
            "{name}: {:.1} of {} matches ({}); {} | {}",
            common::mean(&points).0,
            points.len(),
            each.join(" "),
            told[0],
            told[1]
        );
        all.extend(points);
    }
    let (mean, width) = common::mean(&all);
    println!("{one} against {other}: {mean:.1} +- {width:.1} of {} matches", all.len());
}
