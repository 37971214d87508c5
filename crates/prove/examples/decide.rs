//! Proofs for measuring: `decide SECONDS SUM GAME...` with games of the library or files. All input arguments and, unless
//! SUM is `-`, that the goals add up to it; each verdict with the CPU seconds until it was there. With `ENGINE=sat` or
//! `ENGINE=asp` in the environment one engine alone.

use std::time::Duration;

use cpu_time::ProcessTime;
use game::{Budget, Deadline, Game, Reasoner};
use prove::{Engines, Options, Prover, Vocabulary, candidates};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds: u64 = arguments.next().ok_or("seconds?")?.parse()?;
    let sum = arguments.next().ok_or("sum?")?.parse::<u32>().ok();
    for name in arguments {
        let rules = match library::find(&name) {
            Some(entry) => entry.rules.to_owned(),
            None => std::fs::read_to_string(&name)?,
        };
        let start = ProcessTime::now();
        let game = Game::from_text(&rules)?;
        let reasoner = Reasoner::build(&game, &Budget::default());
        println!("{name}: {} after {:.2} s", reasoner.status(), start.elapsed().as_secs_f64());
        let vocabulary = Vocabulary::new(&game);
        let mut properties: Vec<_> =
            sum.map(|sum| candidates::sum_is(&vocabulary, sum)).into_iter().collect();
        properties.extend(candidates::input_arguments(&vocabulary));
        let deadline = Deadline::within(Duration::from_secs(seconds));
        let engines = match std::env::var("ENGINE").as_deref() {
            Ok("sat") => Engines::Sat,
            Ok("asp") => Engines::Asp,
            _ => Engines::Both,
        };
        let options = Options { deadline, engines, ..Options::default() };
        let start = ProcessTime::now();
        let mut prover = Prover::on(&reasoner, properties, &options.deadline);
        println!("ground after {:.2} s", start.elapsed().as_secs_f64());
        let symbols = &game.program().symbols;
        let texts: Vec<String> =
            prover.properties().iter().map(|property| property.to_text(symbols)).collect();
        prover.run(&options, &mut |at, verdict| {
            let word = verdict.word();
            println!("{:8.2} {word:8} {}", start.elapsed().as_secs_f64(), texts[at]);
        });
        let begin = ProcessTime::now();
        prover.recheck(&Deadline::within(Duration::from_secs(seconds)));
        println!("checked in {:.2} s", begin.elapsed().as_secs_f64());
        for finding in prover.findings() {
            println!("{:8} {:?} {}", finding.verdict.word(), finding.checked, finding.text);
        }
    }
    Ok(())
}
