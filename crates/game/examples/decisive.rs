//! What playouts that make winning moves at once cost: `cargo run --release -p game --example decisive -- GAME...`.
//!
//! For each game the operations of a step without and with such moves, the playouts in a second of either kind in turn, and how often
//! a move that wins at once was made where there was one. The moves are checked against the stepper.

use std::time::{Duration, Instant};

use game::{Batch, Budget, Game, Gates, JointMove, Machine as _, Role};

fn main() {
    println!("game  operations  with wins  playouts/s  with wins  ratio  wins taken  wins there");
    for name in std::env::args().skip(1) {
        let text = match library::find(&name) {
            Some(entry) => entry.rules.to_owned(),
            None => match std::fs::read_to_string(&name) {
                Ok(text) => text,
                Err(error) => {
                    println!("{name}: not in the library, and not a file: {error}");
                    continue;
                }
            },
        };
        let Ok(game) = Game::from_text(&text) else {
            println!("{name}: not a valid game");
            continue;
        };
        let Ok(gates) = Gates::build(&game, &Budget::default()) else {
            println!("{name}: no circuit");
            continue;
        };
        let begin = Instant::now();
        let mut batches = [gates.batch(1), gates.decisive_batch(1)];
        let made = begin.elapsed();
        let mut playouts = [0_u64; 2];
        for _ in 0..10 {
            for (batch, playouts) in batches.iter_mut().zip(&mut playouts) {
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_millis(30) {
                    *playouts += batch.play(20).playouts;
                }
            }
        }
        let (taken, there) = wins(&gates);
        let operations = batches.each_ref().map(|batch| {
            let (state, next, _) = batch.operations();
            state + next
        });
        let name = name.rsplit('/').next().unwrap_or(&name);
        println!(
            "{name}  {}  {}  {:.0}  {:.0}  {:.2}  {taken}  {there}  made in {made:.1?}",
            operations[0],
            operations[1],
            playouts[0] as f64 / 0.3,
            playouts[1] as f64 / 0.3,
            playouts[1] as f64 / playouts[0].max(1) as f64,
        );
    }
}

/// How often a move that wins at once was made, and how often there was one, in some steps of random play.
fn wins(gates: &Gates) -> (u32, u32) {
    let mut batch = gates.decisive_batch(7);
    let mut machine = gates.machine();
    let roles = gates.game().roles().len();
    let (mut taken, mut there) = (0, 0);
    for _ in 0..120 {
        let lanes = (0..Batch::LANES).step_by(17);
        let before: Vec<_> = lanes.clone().map(|lane| batch.state(lane)).collect();
        batch.play(1);
        for (lane, state) in lanes.zip(before) {
            let moves: Option<Vec<_>> =
                (0..roles).map(|role| batch.last_move(lane, Role(role as u32))).collect();
            let Some(made) = moves else { continue };
            let mut moves = Vec::new();
            let mut mover = None;
            for role in 0..roles {
                if machine.legal_moves(&state, Role(role as u32), &mut moves).is_ok()
                    && moves.len() > 1
                {
                    mover = Some(role);
                }
            }
            let Some(mover) = mover else { continue };
            let role = Role(mover as u32);
            if machine.legal_moves(&state, role, &mut moves).is_err() {
                continue;
            }
            let top = gates.largest_reward(role);
            let mut won = |action| {
                let mut joint = made.clone();
                joint[mover] = action;
                let next = machine.next(&state, &JointMove(joint)).ok()?;
                let end = machine.is_terminal(&next).ok()?;
                Some(end && machine.goal(&next, role).ok()?.value() == Some(top))
            };
            if moves.clone().into_iter().any(|action| won(action) == Some(true)) {
                there += 1;
                taken += u32::from(won(made[mover]) == Some(true));
            }
        }
    }
    (taken, there)
}
