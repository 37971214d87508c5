//! Access to a corpus of rule sheets with reference traces, which is not part of the project.
//!
//! It is the folder named by `FLUXION_CORPUS`, or `../shared/corpus` beside the workspace. Tests that
//! use it pass by with a message where it is absent.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// A rule sheet of the corpus with its reference trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Its name, without folder and extension.
    pub name: String,
    /// The rule sheet.
    pub rules: PathBuf,
    /// The trace, compressed JSON lines.
    pub trace: PathBuf,
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

/// The folder of the corpus; where it is absent, a message is printed and there is none.
pub fn folder() -> Option<PathBuf> {
    let beside = workspace().join("../shared/corpus");
    let folder = std::env::var_os("FLUXION_CORPUS").map_or(beside, PathBuf::from);
    if folder.join("traces").is_dir() {
        return Some(folder);
    }
    println!("no corpus in {}: passed by (set FLUXION_CORPUS to its folder)", folder.display());
    None
}

/// All rule sheets that have a trace, sorted by name; the small test sheets come last.
pub fn sheets(folder: &Path) -> io::Result<Vec<Sheet>> {
    let mut sheets = Vec::new();
    for (games, traces) in [("games", "traces"), ("testgames", "testtraces")] {
        let mut names: Vec<String> = fs::read_dir(folder.join(games))?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".kif").map(str::to_owned))
            .collect();
        names.sort();
        for name in names {
            let rules = folder.join(games).join(format!("{name}.kif"));
            let trace = folder.join(traces).join(format!("{name}.jsonl.gz"));
            if trace.is_file() {
                sheets.push(Sheet { name, rules, trace });
            }
        }
    }
    Ok(sheets)
}

/// The text of a file compressed with gzip.
pub fn read_gz(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}
