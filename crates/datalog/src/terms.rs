//! Ground terms, each stored once: equal terms have equal numbers.

use gdl::{Symbol, Symbols};
use smallvec::SmallVec;

use crate::error::EvalError;
use crate::table::hash;

/// A term without variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroundTerm {
    /// A constant.
    Constant(Symbol),
    /// A function applied to terms; `(done)` has none and differs from the constant `done`.
    Function(Symbol, Vec<GroundTerm>),
}

impl GroundTerm {
    /// The constant, or the name of the function.
    pub fn name(&self) -> Symbol {
        match self {
            GroundTerm::Constant(name) | GroundTerm::Function(name, _) => *name,
        }
    }

    /// The term in KIF with single blanks.
    pub fn to_text(&self, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(symbols, &mut out);
        out
    }

    /// Memory in bytes, with what an allocation costs.
    pub fn bytes(&self) -> usize {
        let parts = match self {
            GroundTerm::Constant(_) => 0,
            GroundTerm::Function(_, args) => 16 + args.iter().map(GroundTerm::bytes).sum::<usize>(),
        };
        size_of::<Self>() + parts
    }

    fn write(&self, symbols: &Symbols, out: &mut String) {
        match self {
            GroundTerm::Constant(name) => out.push_str(symbols.name(*name)),
            GroundTerm::Function(name, args) => {
                out.push('(');
                out.push_str(symbols.name(*name));
                for arg in args {
                    out.push(' ');
                    arg.write(symbols, out);
                }
                out.push(')');
            }
        }
    }
}

/// The name of a term with whether it is written as a function: `done` and `(done)` differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Functor(u32);

impl Functor {
    /// A constant.
    pub fn constant(name: Symbol) -> Self {
        Self(name.0 << 1)
    }

    /// A number for it.
    pub fn number(self) -> u32 {
        self.0
    }

    /// A function, applied to any number of terms.
    pub fn function(name: Symbol) -> Self {
        Self(name.0 << 1 | 1)
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    functor: Functor,
    start: u32,
    arity: u32,
    depth: u32,
    /// How many names it takes to write the term; shared parts count each time.
    size: u32,
}

/// The table of terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    args: Vec<u32>,
    places: Vec<u32>,
}

/// The deepest term that is ever built: no game nests terms like that, a rule sheet that does is
/// growing without end.
const MAX_DEPTH: u32 = 512;

/// The largest term that is ever built, in names. Depth alone does not bound it: a rule such as
/// `(<= (next (f ?x ?x)) (true ?x))` doubles a term with each level.
const MAX_SIZE: u32 = 10_000;

impl Terms {
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The name and the number of arguments of a term.
    #[inline]
    pub fn functor(&self, term: u32) -> (Functor, u32) {
        let node = &self.nodes[term as usize];
        (node.functor, node.arity)
    }

    /// The arguments of a term.
    #[inline]
    pub fn args(&self, term: u32) -> &[u32] {
        let node = &self.nodes[term as usize];
        &self.args[node.start as usize..(node.start + node.arity) as usize]
    }

    /// The number of a term with the given parts.
    #[inline]
    pub fn intern(&mut self, functor: Functor, args: &[u32]) -> Result<u32, EvalError> {
        let at = match self.look(functor, args) {
            Ok(id) => return Ok(id),
            Err(at) => at,
        };
        let depth = args.iter().map(|arg| self.nodes[*arg as usize].depth).max().unwrap_or(0) + 1;
        if depth > MAX_DEPTH {
            return Err(EvalError::TermTooDeep { limit: MAX_DEPTH as usize });
        }
        let sizes = args.iter().map(|arg| self.nodes[*arg as usize].size);
        let size = sizes.fold(1, u32::saturating_add);
        if size > MAX_SIZE {
            return Err(EvalError::TermTooLarge { limit: MAX_SIZE as usize });
        }
        let id = self.nodes.len() as u32;
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        self.nodes.push(Node { functor, start, arity: args.len() as u32, depth, size });
        if self.places.len() < self.nodes.len() * 2 {
            self.grow();
        } else {
            self.places[at] = id + 1;
        }
        Ok(id)
    }

    fn look(&self, functor: Functor, args: &[u32]) -> Result<u32, usize> {
        if self.places.is_empty() {
            return Err(0);
        }
        let mask = self.places.len() - 1;
        let mut at = term_hash(functor, args) & mask;
        while let Some(id) = self.places[at].checked_sub(1) {
            let node = &self.nodes[id as usize];
            if node.functor == functor && node.arity as usize == args.len() {
                let known = &self.args[node.start as usize..][..args.len()];
                if known.iter().zip(args).all(|(a, b)| a == b) {
                    return Ok(id);
                }
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    fn grow(&mut self) {
        let size = (self.nodes.len() * 4).next_power_of_two().max(64);
        self.places = vec![0; size];
        for id in 0..self.nodes.len() as u32 {
            let mut at = term_hash(self.nodes[id as usize].functor, self.args(id)) & (size - 1);
            while self.places[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.places[at] = id + 1;
        }
    }

    /// The number of a term given as a tree.
    pub fn import(&mut self, term: &GroundTerm) -> Result<u32, EvalError> {
        match term {
            GroundTerm::Constant(name) => self.intern(Functor::constant(*name), &[]),
            GroundTerm::Function(name, args) => {
                let args: SmallVec<[u32; 8]> =
                    args.iter().map(|arg| self.import(arg)).collect::<Result<_, _>>()?;
                self.intern(Functor::function(*name), &args)
            }
        }
    }

    /// A term as a tree.
    pub fn export(&self, term: u32) -> GroundTerm {
        let (functor, _) = self.functor(term);
        let name = Symbol(functor.0 >> 1);
        if functor.0 & 1 == 0 {
            GroundTerm::Constant(name)
        } else {
            GroundTerm::Function(
                name,
                self.args(term).iter().map(|arg| self.export(*arg)).collect(),
            )
        }
    }
}

fn term_hash(functor: Functor, args: &[u32]) -> usize {
    hash(args) ^ (functor.0 as usize).wrapping_mul(0x9E37_79B9)
}
