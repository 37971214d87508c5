//! Plans by the SAT solver alone, for measuring: `plan CONFLICTS SECONDS GAME...` with games of the library or files.

use std::time::{Duration, Instant};

use game::{Budget, Deadline, Foresight, Game, Gates, Machine};
use prove::sat::plan::SatPlanner;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let conflicts: u64 = arguments.next().ok_or("conflicts?")?.parse()?;
    let seconds: u64 = arguments.next().ok_or("seconds?")?.parse()?;
    for name in arguments {
        let rules = match library::find(&name) {
            Some(entry) => entry.rules.to_owned(),
            None => std::fs::read_to_string(&name)?,
        };
        let begin = Instant::now();
        let gates = Gates::build(&Game::from_text(&rules)?, &Budget::default())?;
        let Some(mut planner) = SatPlanner::new(&gates, 1000, 2 << 30, 1) else {
            println!("{name}: no game for a planner");
            continue;
        };
        let initial = gates.machine().initial()?;
        let deadline = Deadline::within(Duration::from_secs(seconds));
        let top = gates.largest_reward(game::Role(0)).0;
        let seen = planner.look(&initial, top, conflicts, &deadline);
        println!("{name}: {seen:?} in {:.2} s", begin.elapsed().as_secs_f64());
    }
    Ok(())
}
