//! Prints what is proved about games of the library: `cargo run --release -p prove --example prove -- tictactoe`.

use std::time::{Duration, Instant};

use game::{Budget, Deadline, Game, Reasoner};
use prove::{Engines, Options, Verdict, prove_all};

fn main() {
    for name in std::env::args().skip(1) {
        let Some(sheet) = library::find(&name) else {
            println!("{name}: not in the library");
            continue;
        };
        let game = Game::from_text(sheet.rules).expect("the library is valid");
        let start = Instant::now();
        let reasoner = Reasoner::build(&game, &Budget::default());
        let options = Options {
            deadline: Deadline::within(Duration::from_secs(60)),
            engines: Engines::Asp,
            ..Options::default()
        };
        let findings = prove_all(&reasoner, &options, &mut |_, _| ());
        for finding in &findings {
            let verdict = &finding.verdict;
            let detail = match verdict {
                Verdict::Proved { engine, hypotheses, .. } => {
                    format!("{engine}, {} hypotheses", hypotheses.len())
                }
                Verdict::Refuted { engine, trace, .. } => {
                    format!("{engine}, {} moves", trace.len())
                }
                Verdict::Unknown { reason, .. } => reason.to_string(),
            };
            let text: String = finding.text.chars().take(100).collect();
            println!("{:8} {:7.2} s  {text}  [{detail}]", verdict.word(), verdict.seconds());
        }
        println!("{name}: {:.2} s", start.elapsed().as_secs_f64());
    }
}
