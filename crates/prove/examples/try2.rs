use std::time::Instant;
use prove::sat::*;
use game::{Deadline, Game, Gates};
use solver::*;
fn cpu() -> f64 { let s = std::fs::read_to_string("/proc/self/stat").expect("x"); let v: Vec<&str> = s.rsplit(')').next().expect("x").split_whitespace().collect(); (v[11].parse::<f64>().expect("n") + v[12].parse::<f64>().expect("n")) / 100.0 }
fn main() {
    let name = std::env::args().nth(1).expect("name");
        let text = match library::find(&name) { Some(e) => e.rules.to_string(), None => std::fs::read_to_string(&name).expect("file") };
        let t = Instant::now();
        let game = Game::from_text(&text).expect("game");
        let gates = Gates::build(&game, &ground::Budget::default()).expect("gates");
        let mut m = model::Model::new(&gates).expect("model");
        println!("{name}: {:?} build {:.2}", gates.sizes(), t.elapsed().as_secs_f64());
        let s = sample::Samples::play(&gates, &m, sample::Play::default(), &Deadline::never());
        let g = mine::groups(gates.program(), &s);
        let signals: Vec<_> = g.iter().map(|l| l.signal(&mut m)).collect();
        let names = |f: &u32| gates.program().fluents[*f as usize].to_text(&gates.program().symbols);
        let mut sat = Sat::new(&Deadline::never());
        let mut u = unroll::Unrolling::new(&m, unroll::Start::Anywhere);
        u.step(&mut sat);
        for c in &signals { let l = u.literal(&mut sat, 0, *c).expect("x"); sat.clause([l]); }
        println!("cpu {:.2} clauses {}", cpu(), sat.clauses());
        for (c, l) in signals.iter().zip(&g) {
            let lit = u.literal(&mut sat, 1, *c).expect("x");
            let before = cpu();
            let a = sat.solve_within(&[-lit], 5000);
            let what = match l { lemma::Lemma::Clause(c) => format!("clause {} {:?}", c.len(), c.iter().take(3).map(|(f, s)| format!("{s} {}", names(f))).collect::<Vec<_>>()),
                 lemma::Lemma::AtMost(n, fs) => format!("amo {n} of {} {:?}", fs.len(), fs.iter().take(3).map(names).collect::<Vec<_>>()) };
            println!("{a:?} {:.2} {what}", cpu() - before);
        }
}
