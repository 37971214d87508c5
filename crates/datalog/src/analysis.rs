//! What the interpreter needs to know about the relations of a program before it compiles them.

use gdl::depend::Dependencies;
use gdl::normal::Program;
use gdl::{Relation, keyword};
use rustc_hash::FxHashMap;

use crate::plan::{Lifetime, Source};

/// Rules by relation, dependencies, and what each relation depends on.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The dependency graph.
    pub dependencies: Dependencies,
    rules: FxHashMap<Relation, Vec<u32>>,
    lifetimes: Vec<Lifetime>,
}

const TRUE: Relation = Relation { name: keyword::TRUE, arity: 1, parens: true };
const DOES: Relation = Relation { name: keyword::DOES, arity: 2, parens: true };

impl Analysis {
    /// Analyses a program.
    pub fn new(program: &Program) -> Self {
        let dependencies = Dependencies::new(program);
        let mut rules: FxHashMap<Relation, Vec<u32>> = FxHashMap::default();
        for (index, rule) in program.rules.iter().enumerate() {
            rules.entry(rule.head.relation).or_default().push(index as u32);
        }
        let lifetimes = lifetimes(&dependencies);
        Self { dependencies, rules, lifetimes }
    }

    /// The rules of a relation, as indexes into the program.
    pub fn rules_of(&self, relation: Relation) -> Option<&[u32]> {
        self.rules.get(&relation).map(Vec::as_slice)
    }

    /// How long answers of a relation stay valid, and its component if it is recursive.
    pub fn class_of(&self, relation: Relation) -> (Lifetime, Option<u32>) {
        match self.dependencies.node(relation) {
            Some(node) => {
                let recursive = self.dependencies.is_recursive(node);
                let component = recursive.then(|| self.dependencies.component[node] as u32);
                (self.lifetimes[node], component)
            }
            None => (Lifetime::Always, None),
        }
    }
}

/// The relations whose facts are given from outside.
pub fn source_of(relation: Relation) -> Option<Source> {
    match relation {
        TRUE => Some(Source::True),
        DOES => Some(Source::Does),
        _ => None,
    }
}

fn lifetimes(dependencies: &Dependencies) -> Vec<Lifetime> {
    let mut lifetimes = vec![Lifetime::Always; dependencies.relations.len()];
    // Components come dependencies first, so one pass suffices.
    for members in &dependencies.components {
        let longest = members
            .iter()
            .map(|node| match dependencies.relations[*node] {
                TRUE => Lifetime::State,
                DOES => Lifetime::Moves,
                _ => {
                    let below = dependencies.edges[*node].iter().map(|edge| lifetimes[edge.to]);
                    below.max().unwrap_or(Lifetime::Always)
                }
            })
            .max()
            .unwrap_or(Lifetime::Always);
        for node in members {
            lifetimes[*node] = longest;
        }
    }
    lifetimes
}
