//! Whoever cancels a proof gets the thread back within a second, whichever engine works, and nothing keeps running.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use game::{Budget, Deadline, Game, Reasoner};
use prove::sat::solver::{Answer, Lit, Sat};
use prove::{Engines, Options, Prover, Vocabulary, candidates};

/// Sets a flag after a while, does something meanwhile, and returns how much CPU time that took after the flag was set:
/// on a machine that does other things as well, the clock says nothing.
fn after_cancel(wait: Duration, work: impl FnOnce(Deadline)) -> Duration {
    let flag = Arc::new(AtomicBool::new(false));
    let deadline = Deadline::never().or_when(flag.clone());
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(wait);
        flag.store(true, Ordering::Relaxed);
        ProcessTime::now()
    });
    work(deadline);
    let end = ProcessTime::now();
    let cancelled = canceller.join().expect("a sleeper");
    end.as_duration().saturating_sub(cancelled.as_duration())
}

/// Other tests of the same process may need time as well; not three times in a row.
fn soon(wait: Duration, work: impl Fn(Deadline)) {
    let tries: Vec<Duration> = (0..3).map(|_| after_cancel(wait, &work)).collect();
    assert!(tries.iter().any(|late| *late < Duration::from_secs(1)), "{tries:?}");
}

/// How many threads this process has, where the system tells.
fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

#[test]
fn a_sat_solver_in_the_middle_of_a_hard_question_stops_within_a_second() {
    soon(Duration::from_millis(300), |deadline| {
        // More pigeons than holes.
        let (pigeons, holes) = (13, 12);
        let mut sat = Sat::new(&deadline);
        let place: Vec<Vec<Lit>> =
            (0..pigeons).map(|_| (0..holes).map(|_| sat.fresh()).collect()).collect();
        for own in &place {
            sat.clause(own.iter().copied());
        }
        for hole in 0..holes {
            let all: Vec<Lit> = place.iter().map(|own| own[hole]).collect();
            for (at, one) in all.iter().enumerate() {
                for other in &all[at + 1..] {
                    sat.clause([-one, -other]);
                }
            }
        }
        assert_eq!(sat.solve(&[]), Answer::Stopped);
    });
}

#[test]
fn proofs_stop_within_a_second_of_a_cancel_and_leave_no_thread() {
    let entry = library::find("othello").expect("in the library");
    let game = Game::from_text(entry.rules).expect("valid");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let before = threads();
    for engines in [Engines::Sat, Engines::Asp] {
        soon(Duration::from_millis(700), |deadline| {
            let vocabulary = Vocabulary::new(&game);
            let mut properties = vec![candidates::sum_is(&vocabulary, 100)];
            properties.extend(candidates::input_arguments(&vocabulary));
            let options = Options { deadline, engines, ..Options::default() };
            let mut prover = Prover::on(&reasoner, properties, &options.deadline);
            prover.run(&options, &mut |_, _| ());
        });
    }
    // Other tests of this process may begin and end threads; those of a solver would stay.
    let begin = Instant::now();
    while threads() > before && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(threads() <= before, "{:?} threads, {before:?} before", threads());
}

#[test]
fn proofs_without_a_circuit_stop_within_a_second_of_a_cancel() {
    // Each state takes the interpreter long, and looking for counters plays thousands of them.
    let entry = library::find("amazons_unsplit_10x10").expect("in the library");
    let game = Game::from_text(entry.rules).expect("valid");
    let reasoner = Reasoner::interpreter(&game);
    soon(Duration::from_millis(1500), |deadline| {
        let properties = candidates::input_arguments(&Vocabulary::new(&game));
        let options = Options { deadline, engines: Engines::Sat, ..Options::default() };
        let mut prover = Prover::on(&reasoner, properties, &options.deadline);
        prover.run(&options, &mut |_, _| ());
    });
}
