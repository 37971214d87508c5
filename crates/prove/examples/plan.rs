//! Plans by the SAT solver alone, for measuring: `plan CONFLICTS SECONDS GAME...` with games of the library or files;
//! without and with what is proved in 3 s to exclude each other.

use std::time::Duration;

use cpu_time::ProcessTime;
use game::{Budget, Deadline, Foreseen, Foresight, Game, Gates, Machine, Reasoner};
use prove::sat::plan::SatPlanner;
use prove::{Engines, Knowledge, Options, Prover, Vocabulary, candidates};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let conflicts: u64 = arguments.next().ok_or("conflicts?")?.parse()?;
    let seconds: u64 = arguments.next().ok_or("seconds?")?.parse()?;
    for name in arguments {
        let rules = match library::find(&name) {
            Some(entry) => entry.rules.to_owned(),
            None => std::fs::read_to_string(&name)?,
        };
        let reasoner = Reasoner::build(&Game::from_text(&rules)?, &Budget::default());
        let gates = reasoner.gates().ok_or("no circuit")?;
        let groups = groups(&reasoner, gates);
        for groups in [Vec::new(), groups] {
            let Some(planner) = SatPlanner::new(gates, 1000, 2 << 30, 1) else {
                println!("{name}: no game for a planner");
                break;
            };
            let (begin, count) = (ProcessTime::now(), groups.len());
            let mut planner = planner.with_groups(groups);
            let initial = gates.machine().initial()?;
            let deadline = Deadline::within(Duration::from_secs(seconds));
            let top = gates.largest_reward(game::Role(0)).0;
            let seen = match planner.look(&initial, top, conflicts, &deadline) {
                Foreseen::Way(moves) => format!("{} moves", moves.len()),
                other => format!("{other:?}"),
            };
            let taken = begin.elapsed().as_secs_f64();
            println!("{name}: {seen} in {taken:.2} CPU s, {count} groups");
        }
    }
    Ok(())
}

/// Fluents of which at most one holds, as far as that is proved soon.
fn groups(reasoner: &Reasoner, gates: &Gates) -> Vec<Vec<usize>> {
    let deadline = Deadline::within(Duration::from_secs(3));
    let options = Options { deadline, engines: Engines::Sat, ..Options::default() };
    let inputs = candidates::input_arguments(&Vocabulary::new(reasoner.game()));
    let mut prover = Prover::on(reasoner, inputs, &options.deadline);
    prover.run(&options, &mut |_, _| ());
    Knowledge::of(&prover.findings()).mutex_groups(gates)
}
