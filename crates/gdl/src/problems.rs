//! Collecting problems with a bound, so that hostile text cannot fill the memory with findings.

use crate::diagnostic::Diagnostic;

/// The most problems that are listed for one text; one more says that there are others.
pub const MOST_PROBLEMS: usize = 200;

/// Adds a problem, made only if there is room for it.
pub(crate) fn report(problems: &mut Vec<Diagnostic>, make: impl FnOnce() -> Diagnostic) {
    if problems.len() > MOST_PROBLEMS {
        return;
    }
    let problem = make();
    if problems.len() < MOST_PROBLEMS {
        problems.push(problem);
        return;
    }
    problems.push(
        Diagnostic::error("E106", problem.span, "there are more problems from here on")
            .because("no more than the first ones are listed")
            .hint("mend those first; the rest often goes with them"),
    );
}
