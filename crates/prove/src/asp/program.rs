//! The answer set programs of a proof: base case (thesis Eq. 7.1) and induction step (thesis Eq. 7.2), reduced to the
//! smallest splitting set (thesis §7.4.1), with improved domains and static legal rules (thesis §7.4.2).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::asp::domain::{DomainRules, facts, static_legal};
use crate::asp::formula::Encoder;
use crate::asp::names::Names;
use crate::asp::rules::{Need, Needs, Time, Writer, need_of_relation};
use crate::instances::{Instances, Key};
use crate::property::{Atom, Formula, Property};
use crate::vocabulary::{LEGAL, TERMINAL, Vocabulary};

/// An answer set program. A proof is that it has no answer set.
#[derive(Clone, Debug)]
pub struct AspProgram {
    /// The text, as stock clingo takes it.
    pub text: String,
    /// How many rules of the game it contains.
    pub rules: usize,
    /// How many instances they have, estimated.
    pub instances: f64,
}

/// How a program is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style<'i> {
    /// Take the instances of fluents and moves from here, instead of the domains of the thesis; they are fewer.
    pub instances: Option<&'i Instances>,
    /// Say that the state is not terminal, as Def. 2.4 allows. The thesis does not; it needs the rules of `terminal`.
    pub not_terminal: bool,
}

/// The base case: an answer set would be an initial state without the property.
pub fn base_case(vocabulary: &Vocabulary, property: &Property) -> Result<AspProgram, String> {
    let mut names = Names::new(&vocabulary.game.program().symbols);
    let mut domains = DomainRules::new(vocabulary);
    let mut encoder = Encoder {
        vocabulary,
        names: &mut names,
        domains: &mut domains,
        static_legal: None,
        needs: BTreeSet::new(),
        out: String::new(),
        problem: None,
    };
    let atom = encoder.property(property, "phi_init", Time::Init);
    let (needs, clauses, problem) = (encoder.needs, encoder.out, encoder.problem);
    if let Some(problem) = problem {
        return Err(problem);
    }
    let needs = Needs::closure(needs, vocabulary);
    let rules = Writer { vocabulary, names: &names }.rules(&needs);
    let domains = domains.finish(&mut names);
    let text = format!(
        "% Base case (thesis Eq. 7.1): no answer set means that the property holds initially.\n\
         {rules}{domains}{clauses}:- {atom}.\n"
    );
    Ok(AspProgram {
        text: with_declarations(&text, &needs, vocabulary, &names),
        rules: needs.rules,
        instances: needs.instances,
    })
}

/// What the induction step of a property needs of the game; its size orders the proofs (thesis §7.4.3).
pub fn splitting_set_size(vocabulary: &Vocabulary, property: &Property) -> usize {
    let time = if property.is_about_moves() { Time::True } else { Time::Next };
    let mut roots = Vec::new();
    collect_needs(&property.formula, time, vocabulary, &mut roots);
    Needs::closure(roots, vocabulary).rules
}

fn collect_needs(formula: &Formula, time: Time, vocabulary: &Vocabulary, found: &mut Vec<Need>) {
    let time = if matches!(formula, Formula::Next(_)) { Time::Next } else { time };
    if let Formula::Atom(atom) = formula {
        found.push(match atom {
            Atom::Relation(relation, _) => need_of_relation(*relation, time, vocabulary),
            Atom::Fluent(crate::property::Term::Function(name, args)) => {
                let arity = args.len() as u32;
                Need::Fluent(Some(structure::Functor { name: *name, arity, parens: true }), time)
            }
            Atom::Fluent(crate::property::Term::Constant(name)) => Need::Fluent(
                Some(structure::Functor { name: *name, arity: 0, parens: false }),
                time,
            ),
            Atom::Fluent(_) => Need::Fluent(None, time),
        });
    }
    formula.parts().into_iter().for_each(|part| collect_needs(part, time, vocabulary, found));
}

/// The induction step: an answer set would be a state with the property and the hypotheses, and legal moves after
/// which it does not hold. Of a property about moves, the moves alone break it.
///
/// Hypotheses are used as far as they speak about what the program contains anyway; which ones is returned.
pub fn induction_step(
    vocabulary: &Vocabulary,
    property: &Property,
    hypotheses: &[&Property],
    style: Style<'_>,
) -> Result<(AspProgram, Vec<usize>), String> {
    let mut names = Names::new(&vocabulary.game.program().symbols);
    let mut domains = DomainRules::new(vocabulary);
    let (static_rules, legal, statics) = static_legal(vocabulary, &mut names, &mut domains);
    let mut encoder = Encoder {
        vocabulary,
        names: &mut names,
        domains: &mut domains,
        static_legal: Some(legal.clone()),
        needs: BTreeSet::new(),
        out: String::new(),
        problem: None,
    };
    let mut constraints = String::new();
    if property.is_about_moves() {
        let atom = encoder.property(property, "phi_move", Time::True);
        let _ = writeln!(constraints, ":- {atom}.");
    } else {
        let before = encoder.property(property, "phi_true", Time::True);
        let after = encoder.property(property, "phi_next", Time::Next);
        let _ = writeln!(constraints, ":- not {before}.\n:- {after}.");
    }
    if style.not_terminal {
        encoder.needs.insert(need_of_relation(TERMINAL, Time::True, vocabulary));
        let _ = writeln!(constraints, ":- terminal.");
    }
    let mut needs = Needs::closure(encoder.needs.clone(), vocabulary);
    let uses_moves = needs.contains(Need::Moves) || encoder.out.contains(&legal);
    if uses_moves {
        let extra = statics.iter().map(|r| need_of_relation(*r, Time::True, vocabulary));
        let roots = encoder.needs.iter().copied().chain(extra).chain([Need::Moves]);
        needs = Needs::closure(roots.collect::<Vec<_>>(), vocabulary);
    }
    let used: Vec<usize> =
        (0..hypotheses.len()).filter(|at| fits(hypotheses[*at], &needs, vocabulary)).collect();
    for at in &used {
        let atom = encoder.property(hypotheses[*at], "psi_true", Time::True);
        let _ = writeln!(constraints, ":- not {atom}.");
    }
    let (clauses, problem) = (encoder.out, encoder.problem);
    if let Some(problem) = problem {
        return Err(problem);
    }
    let needs = if style.not_terminal { with_terminal(&needs, vocabulary) } else { needs };
    let rules = Writer { vocabulary, names: &names }.rules(&needs);
    let states = states(vocabulary, &needs, style, &mut names, &mut domains);
    let moves = if uses_moves {
        moves(vocabulary, &static_rules, &legal, style, &names)
    } else {
        String::new()
    };
    let domains = domains.finish(&mut names);
    let text = format!(
        "% Induction step (thesis Eq. 7.2): no answer set means that every legal move keeps the property.\n\
         {rules}{domains}{states}{moves}{clauses}{constraints}"
    );
    let text = with_declarations(&text, &needs, vocabulary, &names);
    Ok((AspProgram { text, rules: needs.rules, instances: needs.instances }, used))
}

fn with_terminal(needs: &Needs, vocabulary: &Vocabulary) -> Needs {
    let roots = needs.all.iter().copied();
    let terminal = need_of_relation(TERMINAL, Time::True, vocabulary);
    Needs::closure(roots.chain([terminal]).collect::<Vec<_>>(), vocabulary)
}

/// Whether a hypothesis speaks only about what is in the program anyway.
fn fits(hypothesis: &Property, needs: &Needs, vocabulary: &Vocabulary) -> bool {
    let mut wanted = Vec::new();
    collect_needs(&hypothesis.formula, Time::True, vocabulary, &mut wanted);
    !hypothesis.is_about_moves() && wanted.into_iter().all(|need| needs.contains(need))
}

/// The state generator: the first line of Eq. 7.2, for the fluents that matter.
fn states(
    vocabulary: &Vocabulary,
    needs: &Needs,
    style: Style<'_>,
    names: &mut Names,
    domains: &mut DomainRules<'_>,
) -> String {
    let mut out = String::new();
    let fluent = names.fresh("dom_fluent");
    for functor in needs.fluents(vocabulary) {
        match style.instances.and_then(|instances| instances.rows(Key::Fluent(*functor))) {
            Some(rows) => {
                let terms: Vec<game::GroundTerm> = rows
                    .rows
                    .iter()
                    .map(|(args, _)| {
                        if functor.parens {
                            game::GroundTerm::Function(functor.name, args.clone())
                        } else {
                            game::GroundTerm::Constant(functor.name)
                        }
                    })
                    .collect();
                out.push_str(&facts(&fluent, terms.iter(), names));
            }
            // A fluent that has no instance never holds.
            None if style.instances.is_some() => {}
            None => {
                let own = domains.fluent(*functor, names);
                let _ = writeln!(out, "{fluent}(F) :- {own}(F).");
            }
        }
    }
    let _ = writeln!(out, "#defined {fluent}/1.\n{{ true(F) : {fluent}(F) }}.");
    out
}

/// The action generator: one move for each role, and a legal one.
fn moves(
    vocabulary: &Vocabulary,
    static_rules: &str,
    legal: &str,
    style: Style<'_>,
    names: &Names,
) -> String {
    let mut out = String::new();
    match style.instances.and_then(|instances| instances.rows(Key::Relation(LEGAL))) {
        Some(rows) => {
            for (row, _) in &rows.rows {
                let args: Vec<String> = row.iter().map(|term| names.ground(term)).collect();
                let _ = writeln!(out, "{legal}({}).", args.join(","));
            }
        }
        None => out.push_str(static_rules),
    }
    let _ = vocabulary;
    let _ = writeln!(
        out,
        "#defined {legal}/2.\n1 {{ does(R,M) : {legal}(R,M) }} 1 :- role(R).\n\
         :- does(R,M), not legal(R,M)."
    );
    out
}

/// Tells the solver which relations may have no rules, so that it does not warn.
fn with_declarations(text: &str, needs: &Needs, vocabulary: &Vocabulary, names: &Names) -> String {
    let writer = Writer { vocabulary, names };
    let mut out = String::new();
    for need in &needs.all {
        let _ = match need {
            Need::Relation(relation, time) => {
                let name = writer.relation(*relation, *time);
                writeln!(out, "#defined {name}/{}.", relation.arity)
            }
            Need::Fluent(_, time) => {
                let name = names.function(time.relation(), 1);
                writeln!(out, "#defined {name}/1.")
            }
            Need::Moves => writeln!(out, "#defined does/2."),
        };
    }
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    format!("{}\n{text}", lines.join("\n"))
}
