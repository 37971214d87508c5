//! A strategy of this program at the table, without a wire.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Deadline, Game, JointMove, Move};
use player::{Archive, PlayError, Player, Setup, Strategy};

use crate::seat::{Ask, Briefing, Fault, Seat};

/// A seat for a strategy.
pub struct Builtin {
    strategy: Strategy,
    seed: u64,
    ponder: bool,
    memory: usize,
    longest: Option<Duration>,
    archive: Option<Arc<dyn Archive>>,
    player: Option<Player>,
}

/// The memory of a player.
const MEMORY: usize = 512 << 20;
/// How much of the clock is left unused; half of it if the clock is that short.
const MARGIN: Duration = Duration::from_millis(50);

impl Builtin {
    /// A seat whose random choices come from a seed.
    pub fn new(strategy: Strategy, seed: u64) -> Self {
        Self {
            strategy,
            seed,
            ponder: false,
            memory: MEMORY,
            longest: None,
            archive: None,
            player: None,
        }
    }

    /// Lets it think while others do.
    #[must_use]
    pub fn pondering(mut self, ponder: bool) -> Self {
        self.ponder = ponder;
        self
    }

    /// Lets it think about a move no longer than this, however long the clock is: for matches with people.
    #[must_use]
    pub fn thinking(mut self, longest: Option<Duration>) -> Self {
        self.longest = longest;
        self
    }

    /// Lets it use and keep knowledge of games; by itself it begins every match anew.
    #[must_use]
    pub fn remembering(mut self, archive: Option<Arc<dyn Archive>>) -> Self {
        self.archive = archive;
        self
    }

    /// The end of the time for a move.
    fn until(&self, deadline: Instant) -> Deadline {
        match self.longest {
            Some(longest) => before(deadline).not_after(Instant::now() + longest),
            None => before(deadline),
        }
    }
}

fn before(deadline: Instant) -> Deadline {
    let left = deadline.saturating_duration_since(Instant::now());
    Deadline::at(deadline.checked_sub(MARGIN.min(left / 2)).unwrap_or(deadline))
}

impl Seat for Builtin {
    fn name(&self) -> String {
        self.strategy.to_string()
    }

    fn start(&mut self, briefing: &Briefing<'_>, deadline: Instant) -> Result<(), Fault> {
        let mut setup = Setup::new(briefing.game, briefing.role).with_reasoner(briefing.reasoner);
        setup.start_clock = briefing.clocks.start;
        let play = briefing.clocks.play;
        setup.play_clock = self.longest.map_or(play, |longest| play.min(longest));
        // Each role its own numbers, also where one strategy plays several.
        setup.seed = self.seed.wrapping_mul(31).wrapping_add(u64::from(briefing.role.0));
        (setup.ponder, setup.memory) = (self.ponder, self.memory);
        setup.archive.clone_from(&self.archive);
        let player = self.player.insert(self.strategy.player(setup));
        player.start(&before(deadline)).map_err(|error| Fault::Refused(error.to_string()))
    }

    fn play(&mut self, ask: &Ask<'_>) -> Result<Move, Fault> {
        let deadline = self.until(ask.deadline);
        let Some(player) = &mut self.player else {
            return Err(Fault::Refused("the match has not begun".to_owned()));
        };
        player.resume_at(ask.state);
        player.play(None, &deadline).map_err(|error| match error {
            PlayError::NoLegalMove => Fault::Illegal("nil".to_owned()),
            other => Fault::Refused(other.to_string()),
        })
    }

    fn stop(&mut self, _game: &Game, last: Option<&JointMove>) {
        if let Some(player) = &mut self.player {
            player.finish(last);
        }
        self.abort();
    }

    fn abort(&mut self) {
        if let Some(mut player) = self.player.take() {
            player.stop();
        }
    }
}
