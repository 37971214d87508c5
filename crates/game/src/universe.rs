//! The fluents and moves met so far, numbered once for all machines of a game.

use std::sync::{Arc, PoisonError, RwLock};

use datalog::GroundTerm;
use gdl::Symbols;
use rustc_hash::FxHashMap;

use crate::ids::{FluentId, Move};

/// A term with its number's text.
#[derive(Debug)]
pub struct Entry {
    /// The term.
    pub term: GroundTerm,
    /// Its KIF text.
    pub text: Arc<str>,
}

#[derive(Debug, Default)]
struct Numbering {
    entries: Vec<Arc<Entry>>,
    ids: FxHashMap<GroundTerm, u32>,
}

impl Numbering {
    fn intern(&mut self, term: &GroundTerm, symbols: &Symbols) -> u32 {
        if let Some(id) = self.ids.get(term) {
            return *id;
        }
        let id = self.entries.len() as u32;
        let text = term.to_text(symbols).into();
        self.entries.push(Arc::new(Entry { term: term.clone(), text }));
        self.ids.insert(term.clone(), id);
        id
    }
}

/// The shared numbering of fluents and moves. It only grows.
#[derive(Debug)]
pub struct Universe {
    symbols: Arc<Symbols>,
    fluents: RwLock<Numbering>,
    moves: RwLock<Numbering>,
}

macro_rules! read {
    ($lock:expr) => {
        $lock.read().unwrap_or_else(PoisonError::into_inner)
    };
}

macro_rules! write {
    ($lock:expr) => {
        $lock.write().unwrap_or_else(PoisonError::into_inner)
    };
}

impl Universe {
    pub(crate) fn new(symbols: Arc<Symbols>) -> Self {
        Self { symbols, fluents: RwLock::default(), moves: RwLock::default() }
    }

    /// The names of the game.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The number of a fluent, given to it now if it is new.
    pub fn fluent(&self, term: &GroundTerm) -> FluentId {
        FluentId(write!(self.fluents).intern(term, &self.symbols))
    }

    /// The number of a move, given to it now if it is new.
    pub fn action(&self, term: &GroundTerm) -> Move {
        Move(write!(self.moves).intern(term, &self.symbols))
    }

    /// The fluent with a number.
    pub fn fluent_entry(&self, id: FluentId) -> Arc<Entry> {
        read!(self.fluents).entries[id.index()].clone()
    }

    /// The move with a number.
    pub fn move_entry(&self, id: Move) -> Arc<Entry> {
        read!(self.moves).entries[id.index()].clone()
    }

    /// How many fluents have numbers.
    pub fn fluent_count(&self) -> usize {
        read!(self.fluents).entries.len()
    }

    /// How many moves have numbers.
    pub fn move_count(&self) -> usize {
        read!(self.moves).entries.len()
    }

    /// Reads a term in KIF, such as a move on the wire. None if it is not a single ground term or
    /// uses a name that the rules do not have: then it cannot be a fluent or move of this game.
    pub fn parse(&self, text: &str) -> Option<GroundTerm> {
        let reading = gdl::sexp::read(text, &gdl::Limits::default());
        match (&reading.items[..], reading.problems.is_empty()) {
            ([item], true) => self.ground(item),
            _ => None,
        }
    }

    /// Turns an s-expression into a ground term with the names of this game.
    pub fn ground(&self, item: &gdl::sexp::Sexp<'_>) -> Option<GroundTerm> {
        use gdl::sexp::SexpKind;
        match &item.kind {
            SexpKind::Symbol(name) => {
                let name = (!name.starts_with('?')).then(|| self.symbols.get(name))??;
                Some(GroundTerm::Constant(name))
            }
            SexpKind::List(items) => {
                let (first, rest) = items.split_first()?;
                let name = self.symbols.get(first.as_symbol()?)?;
                let args = rest.iter().map(|arg| self.ground(arg)).collect::<Option<_>>()?;
                Some(GroundTerm::Function(name, args))
            }
        }
    }
}
