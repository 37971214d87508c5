//! The rules of a game as rules of an answer set program, with the splitting set that keeps only what a proof needs
//! (thesis §7.4.1).
//!
//! A relation that depends on the state is needed for the present state, for the initial one or for the next one:
//! its rules are written once for each, with `true` replaced by `init` or `next`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gdl::normal::{Literal, Pattern, Predicate, Rule};
use gdl::{Relation, Symbol, keyword};
use structure::Functor;

use crate::asp::names::{Names, applied};
use crate::vocabulary::{Depends, GOAL, LEGAL, ROLE, TRUE, Vocabulary};
use crate::watch::WATCH;

/// Which state is spoken about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Time {
    /// The initial one.
    Init,
    /// The present one.
    True,
    /// The next one.
    Next,
}

impl Time {
    /// The relation of fluents at that time.
    pub(crate) fn relation(self) -> Symbol {
        match self {
            Time::Init => keyword::INIT,
            Time::True => keyword::TRUE,
            Time::Next => keyword::NEXT,
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Time::Init => "_init",
            Time::True => "",
            Time::Next => "_next",
        }
    }
}

/// What a program needs to define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Need {
    /// A relation at a time; relations that never change are needed at [`Time::True`].
    Relation(Relation, Time),
    /// A fluent at a time, by name; all of them if none.
    Fluent(Option<Functor>, Time),
    /// The moves.
    Moves,
}

/// The part of a game that a proof needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// All that is needed.
    pub(crate) all: BTreeSet<Need>,
    /// How many rules define it: the size of the bottom program.
    pub(crate) rules: usize,
    /// How many instances they have, estimated.
    pub(crate) instances: f64,
}

impl Needs {
    /// The smallest splitting set that contains what is asked for (thesis §7.4.1).
    pub(crate) fn closure(roots: impl IntoIterator<Item = Need>, vocabulary: &Vocabulary) -> Self {
        let mut needs = Self::default();
        let mut todo: Vec<Need> = roots.into_iter().collect();
        while let Some(need) = todo.pop() {
            if !needs.all.insert(need) {
                continue;
            }
            if need == Need::Moves {
                todo.push(Need::Relation(LEGAL, Time::True));
                todo.push(Need::Relation(ROLE, Time::True));
            }
            let rules = vocabulary.game.program().rules.iter().zip(vocabulary.rule_sizes());
            for (rule, size) in rules.filter(|(rule, _)| defines(rule, need)) {
                needs.rules += 1;
                needs.instances += size;
                let literals = rule.body.iter().filter_map(|literal| match literal {
                    Literal::Positive(p) | Literal::Negative(p) => Some(p),
                    _ => None,
                });
                todo.extend(literals.map(|p| need_of(p, time_of(need), vocabulary)));
            }
        }
        needs
    }

    /// The fluents of the present state that are needed: by name, or all of them.
    pub(crate) fn fluents<'v>(&self, vocabulary: &'v Vocabulary) -> Vec<&'v Functor> {
        let all = self.all.contains(&Need::Fluent(None, Time::True));
        let wanted = |f: &&Functor| all || self.all.contains(&Need::Fluent(Some(**f), Time::True));
        vocabulary.fluents().iter().filter(wanted).collect()
    }

    /// Whether a need is met anyway.
    pub(crate) fn contains(&self, need: Need) -> bool {
        match need {
            Need::Fluent(_, time) if self.all.contains(&Need::Fluent(None, time)) => true,
            _ => self.all.contains(&need),
        }
    }
}

/// At which time the conditions of rules are meant that define something.
fn time_of(need: Need) -> Time {
    match need {
        Need::Relation(_, time) => time,
        // What is next follows from what is true.
        Need::Fluent(..) | Need::Moves => Time::True,
    }
}

/// What an atom of a rule needs.
fn need_of(predicate: &Predicate, time: Time, vocabulary: &Vocabulary) -> Need {
    let relation = predicate.relation;
    if relation == TRUE {
        return Need::Fluent(functor_of(&predicate.args[0]), time);
    }
    if relation.name == keyword::DOES && relation.arity == 2 {
        return Need::Moves;
    }
    if relation.name == keyword::INIT && relation.arity == 1 {
        return Need::Fluent(functor_of(&predicate.args[0]), Time::Init);
    }
    match vocabulary.depends(relation) {
        Depends::Never => Need::Relation(relation, Time::True),
        Depends::State | Depends::Moves => Need::Relation(relation, time),
    }
}

/// What an atom of a property needs at a time.
pub(crate) fn need_of_relation(relation: Relation, time: Time, vocabulary: &Vocabulary) -> Need {
    need_of(&Predicate { relation, args: Vec::new() }, time, vocabulary)
}

fn functor_of(pattern: &Pattern) -> Option<Functor> {
    match pattern {
        Pattern::Variable(_) => None,
        Pattern::Constant(name) => Some(Functor { name: *name, arity: 0, parens: false }),
        Pattern::Function(name, args) => {
            Some(Functor { name: *name, arity: args.len() as u32, parens: true })
        }
    }
}

/// Whether a rule defines what is needed.
fn defines(rule: &Rule, need: Need) -> bool {
    let head = &rule.head;
    match need {
        Need::Relation(relation, _) => head.relation == relation,
        Need::Fluent(functor, time) => {
            let own = head.relation.name == time.relation() && head.relation.arity == 1;
            time != Time::True
                && own
                && (functor.is_none()
                    || functor_of(&head.args[0]).is_none_or(|head| Some(head) == functor))
        }
        Need::Moves => false,
    }
}

/// Variables that occur once become `_`, so that their values are projected away before rules are instantiated.
pub(crate) fn anonymous(mut line: String, rule: &Rule) -> String {
    let mut occurrences = vec![0usize; rule.variables as usize];
    rule.head.each_variable(&mut |v| occurrences[v as usize] += 1);
    for literal in &rule.body {
        literal.each_variable(&mut |v| occurrences[v as usize] += 1);
    }
    for (v, count) in occurrences.into_iter().enumerate() {
        if count == 1 {
            for end in [",", ")"] {
                line = line.replace(&format!("X{v}{end}"), &format!("_{end}"));
            }
        }
    }
    line
}

/// Writes rules of a game.
pub(crate) struct Writer<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) names: &'a Names,
}

impl Writer<'_> {
    /// The rules that define what is needed.
    pub(crate) fn rules(&self, needs: &Needs) -> String {
        let mut out = String::new();
        let mut written = BTreeSet::new();
        for need in &needs.all {
            let rules = self.vocabulary.game.program().rules.iter().enumerate();
            for (at, rule) in rules.filter(|(_, rule)| defines(rule, *need)) {
                let time = match need {
                    Need::Fluent(_, time) | Need::Relation(_, time) => *time,
                    Need::Moves => Time::True,
                };
                if written.insert((at, time)) && !self.is_watch(rule) {
                    let line = self.rule(rule, *need);
                    let _ = writeln!(out, "{line}");
                }
            }
        }
        out
    }

    /// A rule that was added to make a relation visible; here all relations are.
    fn is_watch(&self, rule: &Rule) -> bool {
        rule.head.relation == GOAL
            && matches!(&rule.head.args[1], Pattern::Function(name, _)
                if self.vocabulary.name(*name) == WATCH)
    }

    fn rule(&self, rule: &Rule, need: Need) -> String {
        let head = match need {
            Need::Relation(_, time) => self.predicate(&rule.head, time),
            // The head says itself which time it is about.
            Need::Fluent(..) | Need::Moves => self.plain(&rule.head, ""),
        };
        let time = time_of(need);
        let body: Vec<String> =
            rule.body.iter().map(|literal| self.literal(literal, time)).collect();
        let line = if body.is_empty() {
            format!("{head}.")
        } else {
            format!("{head} :- {}.", body.join(", "))
        };
        anonymous(line, rule)
    }

    fn literal(&self, literal: &Literal, time: Time) -> String {
        match literal {
            Literal::Positive(p) => self.predicate(p, time),
            Literal::Negative(p) => format!("not {}", self.predicate(p, time)),
            Literal::Distinct(a, b) => {
                format!("{} != {}", self.names.pattern(a), self.names.pattern(b))
            }
            Literal::Same(a, b) => {
                format!("{} = {}", self.names.pattern(a), self.names.pattern(b))
            }
        }
    }

    /// An atom at a time.
    fn predicate(&self, predicate: &Predicate, time: Time) -> String {
        if predicate.relation == TRUE {
            let name = self.names.function(time.relation(), 1);
            return applied(&name, &[self.names.pattern(&predicate.args[0])]);
        }
        self.plain(predicate, self.suffix(predicate.relation, time))
    }

    fn plain(&self, predicate: &Predicate, suffix: &str) -> String {
        let name = format!("{}{suffix}", self.names.relation(predicate.relation));
        let args: Vec<String> = predicate.args.iter().map(|arg| self.names.pattern(arg)).collect();
        applied(&name, &args)
    }

    fn suffix(&self, relation: Relation, time: Time) -> &'static str {
        match self.vocabulary.depends(relation) {
            Depends::Never => "",
            Depends::State | Depends::Moves => time.suffix(),
        }
    }

    /// The name of a relation at a time.
    pub(crate) fn relation(&self, relation: Relation, time: Time) -> String {
        format!("{}{}", self.names.relation(relation), self.suffix(relation, time))
    }
}
