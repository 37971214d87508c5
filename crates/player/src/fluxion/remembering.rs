//! The first and the last stage of a start clock: recalling what earlier matches of the same game taught, and keeping what
//! this one did. Both happen aside, since a host may be slow.

use std::sync::Arc;
use std::time::Duration;

use game::Deadline;
use symmetry::{Bounds, Fingerprint};

use super::opening::{Opening, Share};
use super::recalling;
use crate::archive::Recollection;
use crate::knowledge::{Knowledge, Tried};
use crate::lessons::Taught;

const RECALL: Share = Share(0.1, Duration::from_secs(1));
const KEEP: Share = Share(0.05, Duration::from_millis(500));
/// After that many tries no more proofs are tried, whatever is open.
const RUNS: u32 = 4;

/// What earlier matches taught, and what is new.
#[derive(Default)]
pub(super) struct Earlier {
    pub(super) known: Knowledge,
    /// Quick games of this match.
    pub(super) trials: Vec<Tried>,
    /// Whether the class of the game was sampled to the end, or is known.
    pub(super) class: bool,
    /// Whether proofs were tried, and how much is open then.
    pub(super) proofs: Option<u32>,
}

impl Earlier {
    /// Whether nothing is left to prove, or it was tried often enough.
    pub(super) fn is_settled(&self) -> bool {
        let proofs = &self.known.proofs;
        let decided = |class: &crate::knowledge::Class| class.turn_taking.1 && class.constant_sum.1;
        let all = proofs.open == 0 && self.known.class.as_ref().is_some_and(decided);
        (proofs.runs > 0 && all) || proofs.runs >= RUNS
    }
}

impl Opening<'_> {
    /// Recalls what is known about the game.
    pub(super) fn recall(&mut self, deadline: &Deadline) {
        let Some(memory) = self.context.recollection.clone() else { return };
        let game = self.context.reasoner.game().clone();
        let find = move |deadline: &Deadline| {
            let bounds = Bounds { deadline: deadline.clone(), ..Bounds::default() };
            let print = Fingerprint::of(&game, &bounds)?;
            let key = print.key();
            Some(match memory.recall(print) {
                Ok(Some(known)) => (Some(known), key.to_string()),
                Ok(None) => (None, format!("{key} is new")),
                Err(why) => (None, format!("what is kept of {key} cannot be used: {why}")),
            })
        };
        let found = self.known.account.try_aside("knowledge", &RECALL.of(deadline), find);
        if let Some(known) = found.flatten() {
            self.known.seen = Some(known.in_words());
            self.earlier.known = known;
        }
    }

    /// Keeps what is known now.
    pub(super) fn keep(&mut self, taught: Option<Taught>, deadline: &Deadline) {
        let Some(memory) = self.context.recollection.clone() else { return };
        memory.plays(self.known.method.word());
        let game = self.context.reasoner.game().clone();
        let (class, told) = (self.known.class.clone(), self.known.told.clone());
        let earlier = std::mem::take(&mut self.earlier);
        let mut machine = self.context.machine();
        let keep = move |_: &Deadline| {
            let print = memory.print()?;
            let lesson = taught.and_then(|taught| recalling::kept_lesson(&taught, print, &game));
            let claims = recalling::claims(&told, print);
            let initial = machine.initial().unwrap_or_default();
            let terms = initial.iter().map(|f| game.universe().fluent_entry(f).term.clone());
            let words = recalling::words(&game, terms);
            memory.change(|known| {
                known.matches = known.matches.saturating_add(1);
                if known.words.is_empty() {
                    known.words = words;
                }
                if earlier.class {
                    known.class = Some(recalling::kept_class(&class));
                }
                if let Some(open) = earlier.proofs {
                    known.proofs.runs = known.proofs.runs.saturating_add(1);
                    (known.proofs.open, known.proofs.claims) = (open, claims);
                }
                if lesson.is_some() {
                    known.lesson = lesson;
                }
                earlier.trials.iter().for_each(|new| known.add_trial(new));
            });
            Some(((), "kept".to_owned()))
        };
        self.known.account.try_aside("knowledge", &KEEP.of(deadline), keep);
    }

    /// What was learned before.
    pub(super) fn taught(&self) -> Option<Taught> {
        let memory: &Arc<Recollection> = self.context.recollection.as_ref()?;
        let (print, kept) = (memory.print()?, self.earlier.known.lesson.as_ref()?);
        let gates = self.context.reasoner.gates()?;
        recalling::taught(kept, print, gates, self.context.reasoner.game())
    }

    /// What was proved or refuted before.
    pub(super) fn told_before(&self) -> prove::Told {
        let memory = self.context.recollection.as_ref();
        let print = memory.and_then(|memory| memory.print());
        print
            .map(|print| recalling::told(&self.earlier.known.proofs.claims, print))
            .unwrap_or_default()
    }
}
