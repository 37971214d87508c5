//! Proofs of single properties, and the systematic search for all that hold (thesis Algorithm 5, §7.4.3, §7.4.4).

use std::time::Instant;

use game::Deadline;

use crate::asp::program::{Style, base_case, induction_step, splitting_set_size};
use crate::asp::solve::{Answer, BYTES_PER_INSTANCE, solve};
use crate::property::{Kind, Property};
use crate::verdict::{Certificate, Engine, Reason, Verdict};
use crate::vocabulary::Vocabulary;

/// What a proof may use.
#[derive(Clone, Debug)]
pub struct Effort {
    /// When to stop.
    pub deadline: Deadline,
    /// The most memory of one program, in bytes, by a rough count.
    pub max_bytes: u64,
}

/// How one attempt went.
#[derive(Clone, Debug, PartialEq)]
pub enum Attempt {
    /// Neither program has an answer set.
    Proved {
        /// The places of the hypotheses used.
        hypotheses: Vec<usize>,
        /// Both programs.
        certificate: Certificate,
    },
    /// The initial state is a counter-example.
    FailsAtFirst,
    /// It is not decided.
    Open(Reason),
}

/// Tries to prove a property by induction, with properties that are known to hold.
pub fn attempt(
    vocabulary: &Vocabulary,
    property: &Property,
    hypotheses: &[&Property],
    style: Style<'_>,
    effort: &Effort,
) -> Attempt {
    let mut base_text = String::new();
    if !property.is_about_moves() {
        let base = match base_case(vocabulary, property) {
            Ok(base) => base,
            Err(problem) => return Attempt::Open(Reason::Other(problem)),
        };
        match solve(&base.text, &effort.deadline) {
            Answer::None => base_text = base.text,
            Answer::Some => return Attempt::FailsAtFirst,
            Answer::Unknown(reason) => return Attempt::Open(reason),
        }
    }
    let about_moves = property.is_about_moves();
    let mut last = Reason::NotInductive;
    // Moves are made in states that are not terminal; the thesis leaves that out, and mostly it is not needed.
    let passes: &[bool] = if style.not_terminal || about_moves { &[true] } else { &[false, true] };
    for not_terminal in passes.iter().copied() {
        let style = Style { not_terminal, ..style };
        let (step, used) = match induction_step(vocabulary, property, hypotheses, style) {
            Ok(found) => found,
            Err(problem) => return Attempt::Open(Reason::Other(problem)),
        };
        if step.instances * BYTES_PER_INSTANCE as f64 > effort.max_bytes as f64 {
            let instances = step.instances;
            let what = format!("about {instances:.0e} instances of rules");
            return Attempt::Open(Reason::TooLarge(what));
        }
        match solve(&step.text, &effort.deadline) {
            Answer::None => {
                let certificate = Certificate::Programs { base: base_text, step: step.text };
                return Attempt::Proved { hypotheses: used, certificate };
            }
            Answer::Some => last = Reason::NotInductive,
            Answer::Unknown(reason) => return Attempt::Open(reason),
        }
    }
    Attempt::Open(last)
}

/// Tries to prove all properties that have no verdict yet, with those that are proved as hypotheses: thesis
/// Algorithm 5. Smaller programs come first (§7.4.3); a set of input arguments comes before its supersets, which
/// follow from it (§7.4.4). What fails initially is refuted and not tried again. When something is decided, `settle`
/// may decide more with it and says what.
pub fn prove_all(
    vocabulary: &Vocabulary,
    properties: &[Property],
    verdicts: &mut [Verdict],
    style: Style<'_>,
    effort: &Effort,
    settle: &dyn Fn(&mut [Verdict]) -> Vec<usize>,
    progress: &mut dyn FnMut(usize, &Verdict),
) {
    let mut order: Vec<usize> = (0..properties.len()).collect();
    order.sort_by_cached_key(|at| rank(vocabulary, &properties[*at]));
    let mut proved: Vec<usize> =
        order.iter().copied().filter(|at| verdicts[*at].is_proved()).collect();
    let mut todo: Vec<usize> =
        order.iter().copied().filter(|at| !verdicts[*at].is_decided()).collect();
    // How many hypotheses an attempt had; without new ones that matter it need not be repeated.
    let mut tried: Vec<Option<Vec<usize>>> = vec![None; properties.len()];
    let mut hopeless = vec![false; properties.len()];
    while !todo.is_empty() {
        let at = todo.remove(0);
        if verdicts[at].is_decided() {
            continue;
        }
        let start = Instant::now();
        if let Some(verdict) = follows(properties, verdicts, at) {
            verdicts[at] = verdict;
            proved.push(at);
            progress(at, &verdicts[at]);
            continue;
        }
        if effort.deadline.passed() {
            note(verdicts, at, Reason::Time, start);
            progress(at, &verdicts[at]);
            continue;
        }
        let hypotheses: Vec<&Property> = proved.iter().map(|at| &properties[*at]).collect();
        if tried[at].as_ref() == Some(&proved) {
            continue;
        }
        tried[at] = Some(proved.clone());
        match attempt(vocabulary, &properties[at], &hypotheses, style, effort) {
            Attempt::Proved { hypotheses, certificate } => {
                let hypotheses = hypotheses.into_iter().map(|h| proved[h]).collect();
                let seconds = start.elapsed().as_secs_f64() + verdicts[at].seconds();
                verdicts[at] = Verdict::Proved {
                    engine: Engine::Asp,
                    k: 1,
                    hypotheses,
                    seconds,
                    certificate: Some(certificate),
                };
                proved.push(at);
                for other in settle(verdicts) {
                    proved.extend(Some(other).filter(|other| verdicts[*other].is_proved()));
                    progress(other, &verdicts[other]);
                }
                let open = |at: &usize| !verdicts[*at].is_decided() && !hopeless[*at];
                todo = order.iter().copied().filter(open).collect();
            }
            Attempt::FailsAtFirst => {
                let seconds = start.elapsed().as_secs_f64();
                verdicts[at] = Verdict::Refuted { engine: Engine::Asp, trace: Vec::new(), seconds };
                for other in settle(verdicts) {
                    progress(other, &verdicts[other]);
                }
            }
            Attempt::Open(reason) => {
                // More hypotheses help only where the step failed.
                hopeless[at] = reason != Reason::NotInductive;
                note(verdicts, at, reason, start);
            }
        }
        progress(at, &verdicts[at]);
    }
}

fn note(verdicts: &mut [Verdict], at: usize, reason: Reason, start: Instant) {
    let seconds = verdicts[at].seconds() + start.elapsed().as_secs_f64();
    verdicts[at] = Verdict::Unknown { reason, seconds };
}

/// Smaller programs first, and smaller sets of input arguments of the same fluent first.
fn rank(vocabulary: &Vocabulary, property: &Property) -> (usize, usize) {
    let inputs = match &property.kind {
        Kind::Inputs { inputs, .. } | Kind::ExactlyOne { inputs, .. } => inputs.len(),
        _ => 0,
    };
    (splitting_set_size(vocabulary, property), inputs)
}

/// Whether a property follows from a proved one: more input arguments than are needed, or at most one where there is
/// exactly one.
pub(crate) fn follows(properties: &[Property], verdicts: &[Verdict], at: usize) -> Option<Verdict> {
    let Kind::Inputs { fluent, inputs } = &properties[at].kind else { return None };
    let stronger = (0..properties.len()).find(|other| {
        *other != at
            && verdicts[*other].is_proved()
            && match &properties[*other].kind {
                Kind::Inputs { fluent: own, inputs: fewer }
                | Kind::ExactlyOne { fluent: own, inputs: fewer } => {
                    own == fluent && fewer.iter().all(|input| inputs.contains(input))
                }
                _ => false,
            }
    })?;
    Some(Verdict::Proved {
        engine: Engine::Rules,
        k: 0,
        hypotheses: vec![stronger],
        seconds: 0.0,
        certificate: Some(Certificate::Follows(vec![stronger])),
    })
}
