//! Collects `games/*/rules.kif` into a sorted table, so that adding a folder adds a game.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let games = Path::new(&manifest).join("../../games").canonicalize()?;
    println!("cargo::rerun-if-changed={}", games.display());
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(&games)? {
        let rules = entry?.path().join("rules.kif");
        let name = rules.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        if let (true, Some(name)) = (rules.is_file(), name) {
            println!("cargo::rerun-if-changed={}", rules.display());
            found.push((name.to_owned(), rules.clone()));
        }
    }
    found.sort();
    let mut code = String::from("&[\n");
    for (name, path) in found {
        let _ = writeln!(
            code,
            "    Entry {{ name: {name:?}, rules: include_str!({:?}) }},",
            path.to_string_lossy()
        );
    }
    code.push(']');
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("games.rs"), code)
}
