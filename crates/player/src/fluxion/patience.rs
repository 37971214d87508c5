//! Thinking gives way to making the circuit.
//!
//! A search sees a thousand times more states on a circuit than on the interpreter. Where there are no more cores than threads that think, what these
//! take is missing where the circuit is made, and a match that goes on meanwhile is played blindly for twice as long. So nothing is thought in
//! the time of others until it is there, and of each move only a part.

use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use game::{Deadline, Status};

use crate::thinker::Context;

/// One of so many parts of a move's time is for thinking.
const THINKING: u32 = 4;
/// One of so many parts of what is left is kept to end in time.
const ENDING: u32 = 20;
/// How long to sleep before looking again.
const NAP: Duration = Duration::from_millis(2);

/// Whether so many threads that think would take time from the making of the circuit.
pub(super) fn is_due(context: &Context, threads: usize) -> bool {
    let is_built = !matches!(context.reasoner.status(), Status::Building);
    !is_built && threads >= thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// The part of a move's time in which to think; none without an end.
pub(super) fn part(deadline: &Deadline) -> Option<Deadline> {
    Some(deadline.not_after(Instant::now() + deadline.left()? / THINKING))
}

/// Waits until the circuit is there, or nearly until the deadline; whether it is there.
pub(super) fn wait(context: &Context, deadline: &Deadline) -> bool {
    let kept = deadline.left().map_or(Duration::ZERO, |left| left / ENDING);
    let is_over = || deadline.passed() || deadline.left().is_some_and(|left| left <= kept);
    while matches!(context.reasoner.status(), Status::Building) && !is_over() {
        thread::sleep(NAP);
    }
    context.reasoner.gates().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use game::{Budget, Game, Reasoner, Role};

    use crate::{Player, Setup, Strategy, circuit_budget};

    fn game(name: &str) -> Game {
        let entry = library::find(name).expect("a game of the library");
        Game::from_text(entry.rules).expect("sound")
    }

    /// More threads than any machine has cores.
    const ALL: usize = 1 << 16;

    #[test]
    fn a_part_of_the_time_is_for_thinking_and_nothing_without_an_end() {
        let left = part(&Deadline::within(Duration::from_secs(8))).and_then(|part| part.left());
        assert!(left.is_some_and(|left| left <= Duration::from_secs(2)), "{left:?}");
        assert!(part(&Deadline::never()).is_none());
    }

    fn context(reasoner: &Reasoner) -> Context {
        let flags = (Arc::default(), Arc::default());
        Context {
            reasoner: reasoner.clone(),
            role: Role(0),
            play_clock: Duration::from_secs(1),
            seed: 1,
            memory: 1 << 20,
            interrupt: flags.0,
            findings: flags.1,
            recollection: None,
        }
    }

    #[test]
    fn it_waits_for_the_circuit_no_longer_than_it_is_made_and_not_beyond_the_deadline() {
        let abandon = Arc::new(AtomicBool::new(false));
        let large = game("chess");
        let (reasoner, thread) = Reasoner::in_background(&large, circuit_budget(1 << 30, &abandon));
        let large = context(&reasoner);
        assert!(is_due(&large, ALL) && !is_due(&large, 0));
        assert!(!wait(&large, &Deadline::within(Duration::from_millis(50))));
        abandon.store(true, Ordering::SeqCst);
        thread.join().expect("ended");
        assert!(!is_due(&large, ALL) && !wait(&large, &Deadline::never()));
        let small = game("tictactoe");
        let (reasoner, _) = Reasoner::in_background(&small, Budget::default());
        assert!(wait(&context(&reasoner), &Deadline::never()));
    }

    #[test]
    fn moves_are_made_in_time_while_it_waits() {
        let game = game("chess");
        // So many threads that there are no more cores, on most machines.
        let strategy = Strategy::parse("fluxion:threads=8").expect("the default");
        let mut player: Player = strategy.player(Setup::new(&game, Role(0)));
        let clock = Duration::from_millis(300);
        player.start(&Deadline::within(clock)).expect("started");
        let begin = Instant::now();
        player.play(None, &Deadline::within(clock)).expect("a move");
        assert!(begin.elapsed() < clock + Duration::from_millis(500), "{:?}", begin.elapsed());
        assert!(player.trouble().is_none(), "{:?}", player.trouble());
        player.stop();
    }
}
