//! The symmetries of the games of the library: counts, soundness, speed.

use std::time::Duration;

use game::{Budget, Deadline, Game, Gates};
use symmetry::{Options, Part, Symmetries, detect};

fn found(name: &str) -> Symmetries {
    let entry = library::find(name).expect("in the library");
    let game = Game::from_text(entry.rules).expect("valid");
    let gates = Gates::build(&game, &Budget::default()).ok();
    detect(&game, gates.as_ref(), &Options::default())
}

#[test]
fn survey() {
    for entry in library::games() {
        let name = entry.name;
        let game = Game::from_text(entry.rules).expect("valid");
        let begin = cpu_time::ProcessTime::now();
        let gates = Gates::build(&game, &Budget { deadline: Some(std::time::Instant::now() + Duration::from_secs(10)), ..Budget::default() }).ok();
        let g = begin.elapsed().as_secs_f64();
        let begin = cpu_time::ProcessTime::now();
        let s = detect(&game, gates.as_ref(), &Options { deadline: Deadline::within(Duration::from_secs(10)), ..Options::default() });
        println!("{name:32} all {} state {} states {} rules {:?} ground {:?} beyond {} refuted {:?} checked {} gens {} cpu {:.2} s ground {g:.2} wall {:.2}", s.order(), s.state_order(), s.states_order(), s.rules_part(), s.ground_part(), s.beyond(), s.refuted(), s.checked_states(), s.generators().len(), begin.elapsed().as_secs_f64(), s.seconds());
    }
}
