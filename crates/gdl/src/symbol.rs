//! Names. GDL compares names without regard to case; the spelling seen first is kept and echoed.

use rustc_hash::FxHashMap;

/// A name, as an index into its [`Symbols`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The index as `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! keywords {
    ($($id:ident $text:literal $doc:literal),* $(,)?) => {
        /// The names that GDL gives a meaning to, interned first in every table.
        pub mod keyword {
            use super::Symbol;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            #[repr(u32)]
            enum Order { $($id),* }
            $(#[doc = $doc] pub const $id: Symbol = Symbol(Order::$id as u32);)*
            /// All keywords in the order of their symbols.
            pub const ALL: &[&str] = &[$($text),*];
        }
    };
}

keywords! {
    ROLE "role" "`role(R)`: R is a role.",
    INIT "init" "`init(F)`: F holds initially.",
    TRUE "true" "`true(F)`: F holds now.",
    LEGAL "legal" "`legal(R,M)`: R may do M now.",
    DOES "does" "`does(R,M)`: R does M now.",
    NEXT "next" "`next(F)`: F holds next.",
    TERMINAL "terminal" "`terminal`: the state is final.",
    GOAL "goal" "`goal(R,N)`: R gets N.",
    BASE "base" "`base(F)`: F may be a fluent (declaration).",
    INPUT "input" "`input(R,M)`: M may be a move of R (declaration).",
    SEES "sees" "GDL-II: `sees(R,P)`.",
    RANDOM "random" "GDL-II: the role of chance.",
    DISTINCT "distinct" "`distinct(X,Y)`: different terms.",
    NOT "not" "Negation.",
    OR "or" "Disjunction.",
    AND "and" "Conjunction.",
    IMPLIED_BY "<=" "Reverse implication.",
}

/// An interner for names. Each rule sheet has its own; nothing is global.
#[derive(Clone, Debug)]
pub struct Symbols {
    spellings: Vec<Box<str>>,
    by_key: FxHashMap<Box<str>, Symbol>,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut table = Self { spellings: Vec::new(), by_key: FxHashMap::default() };
        for word in keyword::ALL {
            table.intern(word);
        }
        table
    }
}

impl Symbols {
    /// A table that holds the keywords only.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of a name; a name not seen before is added with this spelling.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(found) = self.get(name) {
            return found;
        }
        let symbol = Symbol(self.spellings.len() as u32);
        self.spellings.push(name.into());
        self.by_key.insert(fold(name).into(), symbol);
        symbol
    }

    /// The symbol of a name if the table has it.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        match self.by_key.get(name) {
            Some(found) => Some(*found),
            None if name.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) => None,
            None => self.by_key.get(fold(name).as_str()).copied(),
        }
    }

    /// The spelling of a name as it was seen first.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.spellings[symbol.index()]
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.spellings.len()
    }

    /// Whether there are no names; never true, the keywords are always there.
    pub fn is_empty(&self) -> bool {
        self.spellings.is_empty()
    }

    /// All names in the order they were seen.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &str)> {
        self.spellings.iter().enumerate().map(|(i, s)| (Symbol(i as u32), &**s))
    }
}

fn fold(name: &str) -> String {
    name.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_compare_without_case_and_keep_their_first_spelling() {
        let mut table = Symbols::new();
        let king = table.intern("whiteKing");
        assert_eq!(table.intern("WHITEKING"), king);
        assert_eq!(table.name(king), "whiteKing");
        assert_eq!(table.intern("Legal"), keyword::LEGAL);
        assert_eq!(table.name(keyword::IMPLIED_BY), "<=");
    }

    #[test]
    fn non_ascii_names_fold_too() {
        let mut table = Symbols::new();
        let upper = table.intern("ÄRGER");
        assert_eq!(table.intern("ärger"), upper);
    }
}
