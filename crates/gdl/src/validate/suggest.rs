//! "Did you mean …?": names that a misspelled one may stand for.

/// How many names are compared in one validation, so that hostile sheets cost bounded time.
const MOST_COMPARISONS: usize = 200_000;

/// Finds similar names, as long as its budget of comparisons lasts.
pub(super) struct Suggester {
    left: usize,
}

impl Suggester {
    /// With a full budget.
    pub fn new() -> Self {
        Self { left: MOST_COMPARISONS }
    }

    /// The candidate nearest to `name` by edit distance, if one is near enough to be a slip; the
    /// first of equally near ones.
    pub fn nearest<'c>(
        &mut self,
        name: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<&'c str> {
        let most = tolerance(name);
        let mut best = None;
        for candidate in candidates {
            if self.left == 0 || most == 0 {
                break;
            }
            self.left -= 1;
            if candidate.len().abs_diff(name.len()) > most || candidate == name {
                continue;
            }
            let distance = distance(name, candidate);
            if distance <= most && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, candidate));
            }
        }
        best.map(|(_, candidate)| candidate)
    }
}

/// How many slips a name of that length may have.
fn tolerance(name: &str) -> usize {
    match name.trim_start_matches('?').chars().count() {
        3..=5 => 1,
        6..=64 => 2,
        _ => 0,
    }
}

/// The edit distance, without regard to case: insertions, deletions, replacements, and swaps of
/// neighbours count 1 (optimal string alignment, Damerau 1964 and Levenshtein 1966).
pub(super) fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_and_single_letters_count_one() {
        assert_eq!(distance("cell", "clel"), 1);
        assert_eq!(distance("cell", "cel"), 1);
        assert_eq!(distance("Cell", "bell"), 1);
        assert_eq!(distance("abc", "xyz"), 3);
    }

    #[test]
    fn the_nearest_name_wins_and_far_ones_are_never_suggested() {
        let mut suggester = Suggester::new();
        assert_eq!(suggester.nearest("contrl", ["cell", "contra", "control"]), Some("contra"));
        assert_eq!(suggester.nearest("controll", ["cell", "contra", "control"]), Some("control"));
        assert_eq!(suggester.nearest("row", ["column", "diagonal"]), None);
        assert_eq!(suggester.nearest("x", ["y"]), None);
    }
}
