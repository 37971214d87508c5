//! What outlives a match: the host keeps bytes for each game, the player says what is in them ([`crate::Knowledge`]).

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use game::{GroundTerm, Role};
use symmetry::Fingerprint;
pub use symmetry::Key;

use crate::knowledge::{Knowledge, Outcome};

/// Where knowledge of games is kept, by their keys. It may be slow or fail, which costs knowledge and nothing else.
pub trait Archive: Send + Sync + fmt::Debug {
    /// What is kept under a key.
    fn recall(&self, key: Key) -> Option<Vec<u8>>;

    /// Changes what is kept under a key. `change` is given what is there and returns what is to be there, none to leave
    /// it as it is; nobody else changes it in the meantime.
    fn change(&self, key: Key, change: &mut dyn FnMut(Option<Vec<u8>>) -> Option<Vec<u8>>);
}

/// The archive as one match sees it.
#[derive(Debug)]
pub(crate) struct Recollection {
    archive: Arc<dyn Archive>,
    print: OnceLock<Fingerprint>,
    /// How the match is played, in a word.
    method: Mutex<Option<&'static str>>,
}

impl Recollection {
    pub(crate) fn new(archive: Arc<dyn Archive>) -> Self {
        Self { archive, print: OnceLock::new(), method: Mutex::new(None) }
    }

    /// The fingerprint of the game, once it is known.
    pub(crate) fn print(&self) -> Option<&Fingerprint> {
        self.print.get()
    }

    /// What is known about the game of a fingerprint; nothing if it was never seen, an error in words if what is kept
    /// cannot be used.
    pub(crate) fn recall(&self, print: Fingerprint) -> Result<Option<Knowledge>, String> {
        let kept = self.archive.recall(print.key());
        let _ = self.print.set(print);
        kept.map(|bytes| Knowledge::read(&bytes)).transpose().map_err(|bad| bad.to_string())
    }

    /// Adds to what is known. What is kept and cannot be used is replaced.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Knowledge)) {
        let Some(print) = self.print.get() else { return };
        let mut change = Some(change);
        self.archive.change(print.key(), &mut |kept| {
            let mut known = kept.and_then(|bytes| Knowledge::read(&bytes).ok()).unwrap_or_default();
            (change.take()?)(&mut known);
            known.write()
        });
    }

    /// Says how the match is played.
    pub(crate) fn plays(&self, method: &'static str) {
        *self.method.lock().unwrap_or_else(PoisonError::into_inner) = Some(method);
    }

    /// Keeps what a match brought.
    pub(crate) fn result(&self, roles: &[GroundTerm], role: Role, points: u8, moves: u32) {
        let method = *self.method.lock().unwrap_or_else(PoisonError::into_inner);
        let name = self.print.get().zip(roles.get(role.index()));
        let Some((method, role)) = method.zip(name.and_then(|(print, role)| print.name(role)))
        else {
            return;
        };
        let outcome = Outcome {
            method: method.to_owned(),
            role,
            matches: 1,
            points: points.into(),
            moves: moves.into(),
        };
        self.change(|known| known.add_outcome(outcome));
    }
}
