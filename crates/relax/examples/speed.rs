//! Evaluations per second of CPU time on states of random play:
//! `cargo run --release -p relax --example speed -- breakthrough connect_four`.

use game::playout::{Random, random_joint_move};
use game::{Budget, Deadline, Evaluator, Game, Reasoner};
use relax::{Heuristic, Relaxation, Relaxed};

/// CPU seconds of this process; the wall clock where the system does not tell.
fn cpu_seconds(begin: std::time::Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    match (ticks(11), ticks(12)) {
        (Some(user), Some(system)) => (user + system) / 100.0,
        _ => begin.elapsed().as_secs_f64(),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let begin = std::time::Instant::now();
    for name in std::env::args().skip(1) {
        let sheet = library::find(&name).ok_or("no such game in the library")?;
        let game = Game::from_text(sheet.rules)?;
        let reasoner = Reasoner::build(&game, &Budget::default());
        let start = cpu_seconds(begin);
        let Some(relaxation) = Relaxation::of(&reasoner, &Deadline::never()) else {
            println!("{name}: no relaxation");
            continue;
        };
        let sizes = relaxation.sizes();
        println!(
            "{name}: built in {:.2} s, {:?}, {sizes:?}",
            cpu_seconds(begin) - start,
            relaxation.turns()
        );
        let mut machine = reasoner.machine();
        let (mut states, mut random) = (Vec::new(), Random::new(3));
        let mut state = machine.initial()?;
        while states.len() < 2000 {
            if machine.is_terminal(&state)? {
                state = machine.initial()?;
            }
            states.push(state.clone());
            state = match random_joint_move(&mut *machine, &state, &mut random)? {
                Some(joint) => machine.next(&state, &joint)?,
                None => machine.initial()?,
            };
        }
        for heuristic in [Heuristic::H1, Heuristic::H2, Heuristic::H12] {
            let mut evaluator = Relaxed::new(&relaxation, heuristic);
            let mut values = vec![0.0; game.roles().len()];
            let (start, mut count, mut sum) = (cpu_seconds(begin), 0u32, 0.0);
            while cpu_seconds(begin) - start < 1.0 {
                for state in &states {
                    evaluator.evaluate(state, &mut values);
                    sum += values[0];
                }
                count += states.len() as u32;
            }
            let rate = f64::from(count) / (cpu_seconds(begin) - start);
            println!("  {heuristic:?}: {rate:.0} a second, mean {:.2}", sum / f64::from(count));
        }
    }
    Ok(())
}
