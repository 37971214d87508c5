//! How the names of one clause are spelled in one syntax.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Clause, Syntax};
use crate::prolog::{is_anonymous, kif_variable};
use crate::symbol::{Symbol, Symbols, keyword};
use crate::tokens::{is_symbol_char, is_word_char, opens_variable};

/// The longest name, in characters, that is made up for a variable.
const LONGEST_RENAMED: usize = 40;

/// How the names of one clause are spelled in one syntax.
pub(crate) struct Names<'s> {
    symbols: &'s Symbols,
    /// The variables of the clause as Prolog spells them; empty for KIF.
    variables: FxHashMap<Symbol, String>,
    pub(crate) syntax: Syntax,
}

impl<'s> Names<'s> {
    /// The spellings for a clause.
    pub(crate) fn of_clause(symbols: &'s Symbols, clause: &Clause, syntax: Syntax) -> Self {
        let variables = match syntax {
            Syntax::Kif => FxHashMap::default(),
            Syntax::Prolog => prolog_variables(symbols, clause),
        };
        Self { symbols, variables, syntax }
    }

    /// The spellings in KIF, which need no clause.
    pub(crate) fn kif(symbols: &'s Symbols) -> Self {
        Self { symbols, variables: FxHashMap::default(), syntax: Syntax::Kif }
    }

    pub(super) fn variable(&self, out: &mut String, variable: Symbol) {
        match self.variables.get(&variable) {
            Some(spelled) => out.push_str(spelled),
            None => out.push_str(self.symbols.name(variable)),
        }
    }

    pub(super) fn name(&self, out: &mut String, symbol: Symbol) {
        let name = self.symbols.name(symbol);
        if self.syntax == Syntax::Kif || !needs_quotes(symbol, name) {
            return out.push_str(name);
        }
        out.push('\'');
        for c in name.chars() {
            if matches!(c, '\\' | '\'') {
                out.push('\\');
            }
            out.push(c);
        }
        out.push('\'');
    }
}

/// Whether a name must be quoted in Prolog syntax.
fn needs_quotes(symbol: Symbol, name: &str) -> bool {
    let plain = name.chars().all(is_word_char) && !name.starts_with(opens_variable);
    let symbolic = name.chars().all(is_symbol_char)
        && !matches!(name, ":-" | "<=" | "\\+")
        && !name.starts_with("/*");
    symbol == keyword::NOT || !(plain || symbolic)
}

/// The variables of a clause in Prolog syntax. `?newX` becomes `NewX`, which reads as `?newX` again;
/// what is named like a fresh variable and occurs once becomes `_`. Only what Prolog cannot spell
/// is renamed, apart from all others.
fn prolog_variables(symbols: &Symbols, clause: &Clause) -> FxHashMap<Symbol, String> {
    let mut occurrences: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut order = Vec::new();
    clause.each_variable(&mut |variable, _| {
        let count = occurrences.entry(variable).or_insert(0);
        *count += 1;
        if *count == 1 {
            order.push(variable);
        }
    });
    let mut spelled = FxHashMap::default();
    let mut taken = FxHashSet::default();
    let mut others = Vec::new();
    for variable in order {
        let full = symbols.name(variable);
        let name = full.strip_prefix('?').unwrap_or(full);
        if is_anonymous(name) && occurrences[&variable] == 1 {
            spelled.insert(variable, "_".to_owned());
        } else if let Some(exact) = exact_spelling(full, name) {
            taken.insert(folded(&exact));
            spelled.insert(variable, exact);
        } else {
            others.push((variable, name));
        }
    }
    let mut numbers = FxHashMap::default();
    for (variable, name) in others {
        spelled.insert(variable, new_name(name, &mut taken, &mut numbers));
    }
    spelled
}

/// The identity of a variable in Prolog syntax, once it is read.
fn folded(variable: &str) -> String {
    kif_variable(variable).to_lowercase()
}

/// The variable in Prolog syntax that is read as this very variable of KIF, if there is one.
fn exact_spelling(full: &str, name: &str) -> Option<String> {
    let mut chars = name.chars();
    let mut spelled: String = chars.next()?.to_uppercase().collect();
    spelled.push_str(chars.as_str());
    let good = spelled.starts_with(opens_variable)
        && spelled.chars().all(is_word_char)
        && spelled != "_"
        && folded(&spelled) == full.to_lowercase();
    good.then_some(spelled)
}

/// A variable that reminds of `name` and differs from all that are taken.
fn new_name(
    name: &str,
    taken: &mut FxHashSet<String>,
    numbers: &mut FxHashMap<String, usize>,
) -> String {
    let mut base = String::from("V");
    let word = name.chars().map(|c| if is_word_char(c) { c } else { '_' });
    base.extend(word.take(LONGEST_RENAMED));
    let number = numbers.entry(base.clone()).or_insert(0);
    loop {
        *number += 1;
        let candidate = if *number == 1 { base.clone() } else { format!("{base}_{number}") };
        if taken.insert(folded(&candidate)) {
            return candidate;
        }
    }
}
