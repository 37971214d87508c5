//! Comparisons of numbers and terms in properties.

use game::GroundTerm;

use crate::property::{Comparison, Term};
use crate::vocabulary::Vocabulary;

/// Whether two sums compare so. Terms that are no numbers can only be the same or not, and only one by one.
pub(crate) fn holds(
    left: &[Term],
    comparison: Comparison,
    right: &[Term],
    values: &[Option<GroundTerm>],
    vocabulary: &Vocabulary,
) -> bool {
    let (a, b) = (sum(left, values, vocabulary), sum(right, values, vocabulary));
    if let (Some(a), Some(b)) = (a, b) {
        return match comparison {
            Comparison::Equal => a == b,
            Comparison::Different => a != b,
            Comparison::Less => a < b,
            Comparison::AtMost => a <= b,
            Comparison::Greater => a > b,
            Comparison::AtLeast => a >= b,
        };
    }
    let ([a], [b]) = (left, right) else { return comparison == Comparison::Different };
    let same = match (a.ground(values), b.ground(values)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    };
    match comparison {
        Comparison::Equal => same,
        Comparison::Different => !same,
        _ => false,
    }
}

fn sum(terms: &[Term], values: &[Option<GroundTerm>], vocabulary: &Vocabulary) -> Option<i64> {
    terms.iter().try_fold(0i64, |sum, term| sum.checked_add(number(term, values, vocabulary)?))
}

fn number(term: &Term, values: &[Option<GroundTerm>], vocabulary: &Vocabulary) -> Option<i64> {
    match (term, term.ground(values)) {
        (Term::Number(number), _) => Some(*number),
        (_, Some(GroundTerm::Constant(name))) => vocabulary.name(name).parse().ok(),
        _ => None,
    }
}
