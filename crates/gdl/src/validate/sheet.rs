//! An index over a rule sheet that all passes share: where relations are defined and used, and the
//! dependency graph (thesis Def. 2.6) with a place for each edge.

use rustc_hash::FxHashMap;

use crate::ast::{Atom, Clause, Relation, Rules, Syntax, Term};
use crate::depend::Dependencies;
use crate::symbol::{Symbol, keyword};

/// A condition that refers to a relation.
pub(super) struct Use<'r> {
    /// The atom.
    pub atom: &'r Atom,
    /// The index of its clause.
    pub clause: usize,
    /// Whether it stands under an odd number of negations.
    pub negated: bool,
    /// Whether it depends on a keyword that must not stand where it stands. That is reported by
    /// itself, and is left out of the graph so that no consequences are reported besides.
    pub misplaced: bool,
}

/// The rule sheet with its index.
pub(super) struct Sheet<'r> {
    /// The rules as written.
    pub rules: &'r Rules,
    /// All atoms in bodies, in the order of the text.
    pub uses: Vec<Use<'r>>,
    /// The relations of heads, each once, with the first clause that has it, in the order of the text.
    pub defined: Vec<(Relation, usize)>,
    /// The relations of bodies, each once, with the first use, in the order of the text.
    pub used: Vec<(Relation, usize)>,
    /// The dependency graph; [`crate::depend::Edge::rule`] is an index into `uses`.
    pub graph: Dependencies,
    first_definition: FxHashMap<Relation, usize>,
    /// For each clause where its uses begin, and at the end their number.
    use_starts: Vec<usize>,
}

impl<'r> Sheet<'r> {
    /// Indexes the rules.
    pub fn new(rules: &'r Rules) -> Self {
        let mut uses = Vec::new();
        let mut use_starts = Vec::with_capacity(rules.clauses.len() + 1);
        for (clause, written) in rules.clauses.iter().enumerate() {
            use_starts.push(uses.len());
            for formula in &written.body {
                formula.each_atom(&mut |atom, negated| {
                    let misplaced =
                        is_never_head(written.head.name) || is_never_condition(atom.name);
                    uses.push(Use { atom, clause, negated, misplaced });
                });
            }
        }
        use_starts.push(uses.len());
        let proper = uses.iter().enumerate().filter(|(_, one)| !one.misplaced);
        let edges = proper.map(|(number, one)| {
            let head = rules.clauses[one.clause].head.relation();
            (head, one.atom.relation(), one.negated, number)
        });
        let graph = Dependencies::from_edges(edges);
        let defined = firsts(rules.clauses.iter().map(|clause| clause.head.relation()));
        let asked = firsts(uses.iter().map(|one| one.atom.relation()));
        let first_definition = defined.iter().copied().collect();
        Self { rules, uses, defined, used: asked, graph, first_definition, use_starts }
    }

    /// The conditions of a clause that refer to relations.
    pub fn uses_of(&self, clause: usize) -> &[Use<'r>] {
        &self.uses[self.use_starts[clause]..self.use_starts[clause + 1]]
    }

    /// The first clause whose head has the relation.
    pub fn definition(&self, relation: Relation) -> Option<&'r Clause> {
        self.first_definition.get(&relation).map(|clause| &self.rules.clauses[*clause])
    }

    /// The head of the clause that a use belongs to.
    pub fn head_of(&self, number: usize) -> &'r Atom {
        &self.rules.clauses[self.uses[number].clause].head
    }

    /// The heads that are atoms of a keyword with its proper form.
    pub fn heads(&self, word: Symbol) -> impl Iterator<Item = &'r Clause> {
        let relation = keyword_relation(word);
        self.rules.clauses.iter().filter(move |clause| Some(clause.head.relation()) == relation)
    }

    /// A name in backquotes.
    pub fn quoted(&self, name: Symbol) -> String {
        format!("`{}`", self.rules.name(name))
    }

    /// A variable in backquotes, spelled as its syntax spells it.
    pub fn variable(&self, name: Symbol) -> String {
        let plain = self.rules.name(name);
        let bare = plain.trim_start_matches('?');
        match (self.rules.syntax, bare.chars().next()) {
            (Syntax::Prolog, Some(first)) => {
                format!("`{}{}`", first.to_uppercase(), &bare[first.len_utf8()..])
            }
            _ => format!("`{plain}`"),
        }
    }

    /// A term in backquotes, in KIF.
    pub fn term(&self, term: &Term) -> String {
        format!("`{}`", crate::print::term(&self.rules.symbols, term))
    }
}

/// Each item once, with the index at which it comes first.
fn firsts(items: impl Iterator<Item = Relation>) -> Vec<(Relation, usize)> {
    let mut seen = rustc_hash::FxHashSet::default();
    items.enumerate().filter(|(_, one)| seen.insert(*one)).map(|(at, one)| (one, at)).collect()
}

/// The number of arguments of each keyword that is a relation.
pub(super) fn keyword_arity(word: Symbol) -> Option<u32> {
    match word {
        keyword::TERMINAL => Some(0),
        keyword::ROLE | keyword::INIT | keyword::TRUE | keyword::NEXT | keyword::BASE => Some(1),
        keyword::LEGAL
        | keyword::DOES
        | keyword::GOAL
        | keyword::INPUT
        | keyword::SEES
        | keyword::DISTINCT => Some(2),
        _ => None,
    }
}

/// The relation of a keyword in its proper form.
pub(super) fn keyword_relation(word: Symbol) -> Option<Relation> {
    keyword_arity(word).map(|arity| Relation { name: word, arity, parens: arity > 0 })
}

/// Whether the name is a keyword that stands for a relation, whatever its arguments.
pub(super) fn is_relation_keyword(word: Symbol) -> bool {
    keyword_arity(word).is_some()
}

/// The words of logic, which are not relations.
pub(super) fn is_logical(word: Symbol) -> bool {
    matches!(
        word,
        keyword::NOT | keyword::OR | keyword::AND | keyword::DISTINCT | keyword::IMPLIED_BY
    )
}

/// What no rule may derive.
fn is_never_head(word: Symbol) -> bool {
    matches!(word, keyword::TRUE | keyword::DOES) || is_logical(word)
}

/// What no condition may ask for.
fn is_never_condition(word: Symbol) -> bool {
    matches!(word, keyword::INIT | keyword::NEXT) || is_logical(word)
}

/// "1 argument", "2 arguments".
pub(super) fn arguments(count: u32) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}
