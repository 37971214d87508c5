use std::time::Instant;
use prove::sat::*;
use game::{Deadline, Game, Gates};
fn main() {
    for name in std::env::args().skip(1) {
        let text = match library::find(&name) { Some(e) => e.rules.to_string(), None => std::fs::read_to_string(&name).expect("file") };
        let t = Instant::now();
        let game = Game::from_text(&text).expect("game");
        let gates = Gates::build(&game, &ground::Budget::default()).expect("gates");
        let mut m = model::Model::new(&gates).expect("model");
        println!("{name}: {:?} build {:.2}", gates.sizes(), t.elapsed().as_secs_f64());
        let t = Instant::now();
        let s = sample::Samples::play(&gates, &m, sample::Play::default(), &Deadline::never());
        println!("  samples {} {:.2}", s.len(), t.elapsed().as_secs_f64());
        let t = Instant::now();
        let g = mine::groups(gates.program(), &s);
        let signals: Vec<_> = g.iter().map(|l| l.signal(&mut m)).collect();
        println!("  lemmas {} {:.2}", g.len(), t.elapsed().as_secs_f64());
        let t = Instant::now();
        let r = houdini::houdini(&m, &houdini::Task { known: &[], candidates: &signals, k: 1, conflicts: 100_000 }, &Deadline::within(std::time::Duration::from_secs(60)));
        match r { None => println!("  time"), Some(r) => {
            println!("  kept {} of {} hard {} rounds {} {:.2}", r.kept.iter().filter(|k| **k).count(), g.len(), r.hard, r.rounds, t.elapsed().as_secs_f64());
            let mut shown = 0;
            for (l, k) in g.iter().zip(&r.kept) { if !k && shown < 12 { shown += 1;
                let names = |f: &u32| gates.program().fluents[*f as usize].to_text(&gates.program().symbols);
                match l { lemma::Lemma::Clause(c) => println!("    lost clause {} {:?}", c.len(), c.iter().take(4).map(|(f, s)| format!("{s} {}", names(f))).collect::<Vec<_>>()),
                 lemma::Lemma::AtMost(n, fs) => println!("    lost amo {n} of {} {:?}", fs.len(), fs.iter().take(4).map(names).collect::<Vec<_>>()) }
            } }
        } }
    }
}
