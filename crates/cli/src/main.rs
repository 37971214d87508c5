//! `fluxion`: the command line of the general game player.
//!
//! Each command is a module with one entry point; what they share is below them: [`input`] (what a
//! GAME argument means), [`session`] (limits, Ctrl-C, output), [`render`] (findings with their source
//! lines), [`simulate`] and [`stats`] (random play).

mod ablation;
mod analyze;
mod archive;
mod args;
mod bench;
mod board;
mod check;
mod check_proofs;
mod conform;
mod corpus;
mod demo;
mod duel;
mod eval;
mod exit;
mod fmt;
mod games;
mod human;
mod input;
mod inspect;
mod knowledge;
mod limits;
mod machines;
mod matches;
mod page;
mod proofs;
mod prove;
mod render;
mod replay;
mod runner;
mod serve;
mod session;
mod show;
mod simulate;
mod solve;
mod spare;
mod stats;
mod sums;
mod symmetries;
mod symmetry_names;
mod symmetry_page;
mod table;
mod tournament;
mod trace;
mod traps;
mod wellformed;

use std::process::ExitCode;

use clap::Parser;

/// Many threads of many matches: the allocator must not make one wait for another, and must give back what they free.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = args::Args::parse();
    args.color.apply();
    let mut session = session::Session::start();
    let result = dispatch(args.command, &mut session);
    exit::report(session.finish(result))
}

fn dispatch(
    command: Option<args::Command>,
    session: &mut session::Session,
) -> anyhow::Result<exit::Exit> {
    use args::Command;
    match command {
        None => page::run(&page::WebArgs::default(), session),
        Some(Command::Web(args)) => page::run(&args, session),
        Some(Command::Demo(args)) => demo::run(&args, session),
        Some(Command::Check(args)) => check::run(&args, session),
        Some(Command::Fmt(args)) => fmt::run(&args, session),
        Some(Command::Show(args)) => show::run(&args, session),
        Some(Command::Trace(args)) => trace::run(&args, session),
        Some(Command::Conform(args)) => conform::run(&args, session),
        Some(Command::Games(args)) => games::run(&args, session),
        Some(Command::Bench(args)) => bench::run(&args, session),
        Some(Command::Analyze(args)) => analyze::run(&args, session),
        Some(Command::Inspect(args)) => inspect::run(&args, session),
        Some(Command::Symmetries(args)) => symmetries::run(&args, session),
        Some(Command::Prove(args)) => prove::run(&args, session),
        Some(Command::Proofs(args)) => proofs::run(&args, session),
        Some(Command::Serve(args)) => serve::run(&args, session),
        Some(Command::Knowledge(args)) => knowledge::run(&args, session),
        Some(Command::Match(args)) => matches::run(&args, session),
        Some(Command::Replay(args)) => replay::run(&args, session),
        Some(Command::Tournament(args)) => tournament::run(&args, session),
        Some(Command::Solve(args)) => solve::run(&args, session),
        Some(Command::Eval(args)) => eval::run(&args, session),
        Some(Command::Traps(args)) => traps::run(&args, session),
        Some(Command::Ablation(args)) => ablation::run(&args, session),
    }
}
