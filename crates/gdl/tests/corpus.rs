//! Rule sheets in circulation are read, written, converted and formatted exactly.
//!
//! They are other people's works and no part of the project: the test looks for them in the folder
//! that `FLUXION_CORPUS` names, or beside the workspace, and says so where there are none.

mod checks;

use std::fs;
use std::path::{Path, PathBuf};

use checks::{assert_round_trips, read};
use gdl::{Syntax, detect_syntax, normal};

fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("FLUXION_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    println!("no corpus at {}: nothing checked", folder.display());
    None
}

fn sheets(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for part in ["games", "testgames"] {
        let entries = fs::read_dir(folder.join(part)).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "kif")));
    }
    found.sort();
    found
}

/// All sheets of the corpus are read without a single problem, so there is no list of exceptions.
#[test]
fn sheets_in_circulation_round_trip() {
    let Some(folder) = corpus() else { return };
    let paths = sheets(&folder);
    assert!(!paths.is_empty(), "a corpus without sheets in {}", folder.display());
    for path in &paths {
        let text = fs::read_to_string(path).expect("a readable sheet");
        println!("{}", path.display());
        assert_eq!(detect_syntax(&text), Syntax::Kif);
        let rules = read(&text, Syntax::Kif);
        assert!(!rules.clauses.is_empty());
        assert_round_trips(&text, &rules);
        let prolog = gdl::print::rules(&rules, Syntax::Prolog);
        assert_eq!(detect_syntax(&prolog), Syntax::Prolog);
        assert!(normal::normalize(&rules).is_ok());
    }
    println!("{} sheets", paths.len());
}
