//! Checks that the project is as its documents say. Each check takes texts and returns what is wrong
//! in words, so that the checks themselves can be tested on made-up projects.

use std::collections::{BTreeMap, BTreeSet};

/// For each crate the crates of the workspace that it depends on.
pub type Edges = BTreeMap<String, BTreeSet<String>>;

/// A file of the project: its path from the root, with `/`, and its text.
#[derive(Clone, Debug)]
pub struct File {
    /// The path.
    pub path: String,
    /// The text.
    pub text: String,
}

/// The cells of the table rows whose header begins with `first`.
pub fn table(text: &str, first: &str) -> Vec<Vec<String>> {
    let header = format!("| {first} |");
    let rows = text.lines().skip_while(|line| !line.starts_with(&header)).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| {
            let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
            inner.split('|').map(|cell| cell.trim().to_owned()).collect()
        })
        .collect()
}

/// The names that stand between backquotes.
fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Compares the crate table (crate | depends on | …) with the real edges.
pub fn crate_table(architecture: &str, real: &Edges) -> Vec<String> {
    let mut problems = Vec::new();
    let mut said = Edges::new();
    for row in table(architecture, "crate") {
        let names = quoted(row.first().map_or("", String::as_str));
        let depends = quoted(row.get(1).map_or("", String::as_str));
        for later in depends.iter().filter(|name| !said.contains_key(*name)) {
            problems.push(format!("{names:?} stands before {later}, which it depends on"));
        }
        said.extend(names.into_iter().map(|name| (name, depends.clone())));
    }
    for (name, depends) in real {
        match said.get(name) {
            None => problems.push(format!("crate {name} is not in the crate table")),
            Some(said) if said != depends => problems
                .push(format!("{name} depends on {depends:?}, but the crate table says {said:?}")),
            Some(_) => {}
        }
    }
    let gone = said.keys().filter(|name| !real.contains_key(*name));
    problems.extend(gone.map(|name| format!("crate {name} of the crate table does not exist")));
    problems
}

/// Source files that do not begin with module documentation.
pub fn module_docs(sources: &[File]) -> Vec<String> {
    sources
        .iter()
        .filter(|file| !file.text.trim_start().starts_with("//!"))
        .map(|file| format!("{} does not begin with //! documentation", file.path))
        .collect()
}

/// Checks the rows algorithm | source | file | test | status against files and tests.
pub fn algorithms(document: &str, sources: &[File]) -> Vec<String> {
    let rows = table(document, "algorithm");
    let mut problems = Vec::new();
    if rows.is_empty() {
        problems.push("there is no table of algorithms".to_owned());
    }
    for row in rows {
        let [algorithm, source, file, test, status] = &row[..] else {
            problems.push(format!("a row has {} cells instead of 5: {row:?}", row.len()));
            continue;
        };
        if source.is_empty() {
            problems.push(format!("{algorithm}: no source"));
        }
        match status.as_str() {
            "planned" if !file.is_empty() || !test.is_empty() => {
                problems.push(format!("{algorithm}: planned, but with a file or a test"));
            }
            "planned" => {}
            "done" | "partial" => {
                if !sources.iter().any(|known| known.path == *file) {
                    problems.push(format!("{algorithm}: there is no file {file}"));
                }
                if !sources.iter().any(|known| has_test(&known.text, test)) {
                    problems.push(format!("{algorithm}: there is no test {test}"));
                }
            }
            other => problems.push(format!("{algorithm}: unknown status {other:?}")),
        }
    }
    problems
}

fn has_test(text: &str, name: &str) -> bool {
    let function = format!("fn {name}(");
    text.match_indices(&function).any(|(at, _)| {
        let before = text[..at].trim_end();
        before.ends_with("#[test]") || before.ends_with(']')
    })
}

/// Documents that neither of the given texts links to.
pub fn unlinked(documents: &[String], texts: &[&str]) -> Vec<String> {
    documents
        .iter()
        .filter(|path| !texts.iter().any(|text| text.contains(&format!("({path})"))))
        .map(|path| format!("{path} is linked from neither README.md nor ARCHITECTURE.md"))
        .collect()
}

/// Links of a text to files of the project that do not exist.
pub fn dead_links(path: &str, text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets
        .map(|target| target.split('#').next().unwrap_or(target))
        .filter(|target| !target.is_empty() && !target.contains("://") && !exists(target))
        .map(|target| format!("{path} links to {target}, which does not exist"))
        .collect()
}

/// Words that must not stand anywhere: paths of somebody's machine, and promises to do it later.
/// They are put together here so that this file does not contain them.
const FORBIDDEN: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("todo", "!("),
    concat!("unimple", "mented!("),
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
];

/// Forbidden words in any file.
pub fn forbidden_words(files: &[File]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in files {
        for (number, line) in file.text.lines().enumerate() {
            for word in FORBIDDEN.iter().filter(|word| line.contains(**word)) {
                problems.push(format!("{}:{}: contains {word}", file.path, number + 1));
            }
        }
    }
    problems
}

/// Source files that are longer than `most` lines and not allowed to be.
pub fn long_files(sources: &[File], most: usize, allowed: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in sources {
        let lines = file.text.lines().count();
        if lines > most && !allowed.contains(&file.path.as_str()) {
            problems.push(format!("{} has {lines} lines, more than {most}", file.path));
        }
    }
    problems
}

/// What pure crates must not mention.
const IMPURE: &[&str] =
    &["println!", "eprintln!", "print!(", "dbg!", "std::fs", "std::net", "std::process"];

/// Impure calls in sources that must be pure. Tests at the end of a file, comments and documentation
/// may mention them.
pub fn impure(sources: &[File]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in sources {
        let program = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in program.lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("//") {
                continue;
            }
            for word in IMPURE.iter().filter(|word| code.contains(**word)) {
                problems.push(format!("{}:{}: {word} in a pure crate", file.path, number + 1));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    fn edges(list: &[(&str, &[&str])]) -> Edges {
        let set = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        list.iter().map(|(name, depends)| ((*name).to_owned(), set(depends))).collect()
    }

    const MAP: &str = "text\n| crate | depends on | into |\n|---|---|---|\n\
                       | `a` | | x |\n| `b` | `a` | y |\n\n| other | `c` |\n";

    #[test]
    fn a_true_crate_table_is_accepted() {
        assert_eq!(crate_table(MAP, &edges(&[("a", &[]), ("b", &["a"])])), Vec::<String>::new());
    }

    #[test]
    fn every_difference_of_the_crate_table_is_told() {
        let check = |real: &[(&str, &[&str])]| crate_table(MAP, &edges(real)).join("; ");
        assert!(check(&[("a", &[]), ("b", &[])]).contains("b depends on {}"));
        assert!(check(&[("a", &["b"]), ("b", &["a"])]).contains("a depends on {\"b\"}"));
        assert!(check(&[("a", &[])]).contains("crate b of the crate table does not exist"));
        let more: &[(&str, &[&str])] = &[("a", &[]), ("b", &["a"]), ("c", &[])];
        assert!(check(more).contains("crate c is not in the crate table"));
        let swapped = "| crate | depends on |\n|---|---|\n| `b` | `a` |\n| `a` | |\n";
        let problems = crate_table(swapped, &edges(&[("a", &[]), ("b", &["a"])]));
        assert!(problems.join(" ").contains("stands before a"), "{problems:?}");
    }

    #[test]
    fn a_module_without_documentation_is_told() {
        let files = [file("a.rs", "//! Why.\nfn a() {}"), file("b.rs", "use a;\n//! late")];
        assert_eq!(module_docs(&files), ["b.rs does not begin with //! documentation"]);
    }

    fn algorithm(row: &str) -> String {
        let header = "| algorithm | source | file | test | status |\n|---|---|---|---|---|\n";
        let sources = [
            file("x.rs", "//! X\nfn x() {}"),
            file("t.rs", "#[test]\nfn x_is_right() {}\n\nfn helper() {}"),
        ];
        algorithms(&[header, row, "\n"].concat(), &sources).join("; ")
    }

    #[test]
    fn algorithms_that_point_nowhere_are_told() {
        assert_eq!(algorithm("| X | Def. 1 | x.rs | x_is_right | done |"), "");
        assert_eq!(algorithm("| X | Def. 1 | | | planned |"), "");
        assert!(algorithm("| X | Def. 1 | y.rs | x_is_right | done |").contains("no file y.rs"));
        assert!(
            algorithm("| X | Def. 1 | x.rs | x_is_wrong | done |").contains("no test x_is_wrong")
        );
        assert!(algorithm("| X | Def. 1 | x.rs | helper | partial |").contains("no test helper"));
        assert!(algorithm("| X | | x.rs | x_is_right | done |").contains("no source"));
        assert!(algorithm("| X | Def. 1 | x.rs | | planned |").contains("planned, but"));
        assert!(algorithm("| X | Def. 1 | x.rs | x_is_right | maybe |").contains("unknown status"));
        assert!(algorithm("| X | Def. 1 |").contains("2 cells"));
        assert!(algorithm("").contains("no table"));
    }

    #[test]
    fn documents_without_a_link_and_links_without_a_document_are_told() {
        let documents = ["docs/a.md".to_owned(), "docs/b.md".to_owned()];
        assert_eq!(unlinked(&documents, &["see [a](docs/a.md)", "b"]).len(), 1);
        let text = "[a](docs/a.md) [c](docs/c.md#part) [web](https://x.org) [here](#part)";
        let dead = dead_links("R.md", text, &|path| path == "docs/a.md");
        assert_eq!(dead, ["R.md links to docs/c.md, which does not exist"]);
    }

    #[test]
    fn forbidden_words_are_told_with_their_line() {
        let text = ["fine\n", "// TO", "DO: later\n", "path /ro", "ot/x"].concat();
        let problems = forbidden_words(&[file("a.rs", &text)]);
        assert_eq!(problems.len(), 2);
        assert!(problems[0].starts_with("a.rs:2:") && problems[1].starts_with("a.rs:3:"));
    }

    #[test]
    fn long_files_are_told_unless_allowed() {
        let files = [file("a.rs", "x\n\n\n"), file("b.rs", "x\n\n\n"), file("c.rs", "x")];
        assert_eq!(long_files(&files, 2, &["b.rs"]), ["a.rs has 3 lines, more than 2"]);
    }

    #[test]
    fn impure_calls_are_told_outside_of_tests_and_comments() {
        let text = "// println! is fine here\nfn a() { std::fs::read(p) }\n\
                    #[cfg(test)]\nmod tests { println!() }";
        let problems = impure(&[file("a.rs", text)]);
        assert_eq!(problems, ["a.rs:2: std::fs in a pure crate"]);
    }
}
