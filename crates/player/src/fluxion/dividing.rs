//! The start clock of a game that is several games at once: each of them is got to know as if it were the only one.

use std::sync::{Arc, Mutex};

use game::{Deadline, Machine};
use prove::sat::division::{Division, Subgame};
use search::Search;

use super::divided::Divided;
use super::opening::{Known, Opening, Share};
use super::{Wishes, make};
use crate::thinker::Context;

/// For finding parts, and for getting to know them; the rest is for searching them.
const PARTS: Share = Share(0.3, std::time::Duration::from_secs(10));
const OPENINGS: f64 = 0.7;

/// The games that a game is at once.
pub(super) struct Games {
    division: Arc<Division>,
    searches: Vec<Box<dyn Search>>,
    lines: Vec<String>,
}

impl Games {
    /// A search of all of them; `whole` is for when one of them is over.
    pub(super) fn search(
        self,
        whole: Box<dyn Search>,
        machine: Box<dyn Machine>,
    ) -> Box<dyn Search> {
        Box::new(Divided::new(self.division, self.searches, whole, machine))
    }

    /// The part of the memory for each search.
    pub(super) fn memory(&self, all: usize) -> usize {
        all / (self.searches.len() + 1)
    }

    /// What is known of them, in words.
    pub(super) fn lines(&self) -> Vec<String> {
        self.lines.clone()
    }
}

impl Opening<'_> {
    /// Finds out whether the game is several games at once, and gets to know these. True if so.
    pub(super) fn divide(&mut self, deadline: &Deadline) -> bool {
        let fits = self.known.class.roles > 1 && self.known.on_circuit;
        if !self.wishes.parts || !fits || deadline.left().is_none() {
            return false;
        }
        let context = self.context.clone();
        let divide = move |deadline: &Deadline| {
            let gates = context.reasoner.gates()?;
            let division = Division::new(gates, context.seed, deadline)?;
            let words = format!("{} games at once", division.parts().len());
            // Where each part may end the match, whoever wins one of them has to win it in time, and the parts say nothing of that.
            let race = division.parts().iter().any(Subgame::ends_the_match);
            (!race).then_some((division, words))
        };
        let found = self.known.account.try_aside("parts", &PARTS.of(deadline), divide);
        let Some(division) = found else { return false };
        let games = self.open_all(Arc::new(division), deadline);
        self.known.parts = games;
        self.known.parts.is_some()
    }

    /// Gets to know the parts, one after the other. None if one of them does not end.
    fn open_all(&self, division: Arc<Division>, deadline: &Deadline) -> Option<Games> {
        let count = division.parts().len();
        // The options of the whole hold for its parts, which are not divided again. There is no time for enough quick games to tell which
        // search is better, so the tree is taken.
        let wishes = Wishes { parts: false, deepening: false, ..self.wishes.clone() };
        let (mut searches, mut lines) = (Vec::new(), Vec::new());
        for (at, part) in division.parts().iter().enumerate() {
            let context = Context {
                reasoner: part.reasoner().clone(),
                play_clock: self.context.play_clock / count as u32,
                memory: self.context.memory / (count + 1),
                findings: Arc::new(Mutex::new(Vec::new())),
                recollection: None,
                ..self.context.clone()
            };
            let share =
                Share(OPENINGS / (count - at) as f64, std::time::Duration::MAX).of(deadline);
            let mut known: Known = Opening::new(&context, &wishes).thorough(&share);
            known.class.mean_length?;
            lines.extend(known.lines().into_iter().map(|line| format!("part {}: {line}", at + 1)));
            let solved = known.solved.take();
            searches.push(make(&context, &wishes, &known, solved));
        }
        Some(Games { division, searches, lines })
    }
}
