//! The project is as its documents say; `testkit::tidy` explains each check.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::corpus::workspace;
use testkit::tidy::{self, Edges, File};

/// Folders that are not the project's own text.
const SKIPPED: &[&str] = &["target", "corpus", "artifacts", "coverage", "node_modules", "golden"];

/// Source files that may be longer than 800 lines, with the reason in a comment.
const LONG: &[&str] = &[];

/// All text files of the project.
fn files() -> Vec<File> {
    let root = workspace();
    let mut found = Vec::new();
    collect(&root, &root, &mut found);
    assert!(found.len() > 50, "the project was not found");
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<File>) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable")).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_str()) && (!name.starts_with('.') || name == ".ci") {
                collect(root, &path, found);
            }
        } else if let Ok(text) = fs::read_to_string(&path) {
            let relative = path.strip_prefix(root).expect("inside").to_string_lossy().into_owned();
            found.push(File { path: relative.replace('\\', "/"), text });
        }
    }
}

fn sources(files: &[File]) -> Vec<File> {
    let is_rust = |file: &&File| Path::new(&file.path).extension().is_some_and(|e| e == "rs");
    files.iter().filter(is_rust).cloned().collect()
}

fn text_of<'f>(files: &'f [File], path: &str) -> &'f str {
    let found = files.iter().find(|file| file.path == path);
    found.map_or_else(|| panic!("{path} exists"), |file| file.text.as_str())
}

/// The dependencies among the crates of the workspace, those for tests and builds left out.
fn real_edges() -> Edges {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(workspace())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap_or_default().to_owned();
    let members: Vec<String> = packages.iter().map(name).collect();
    let edges = |package: &serde_json::Value| {
        let all = package["dependencies"].as_array().into_iter().flatten();
        all.filter(|dependency| dependency["kind"].is_null())
            .map(name)
            .filter(|name| members.contains(name))
            .collect()
    };
    packages.iter().map(|package| (name(package), edges(package))).collect()
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_crate_table_shows_the_real_edges() {
    let files = files();
    assert_none(&tidy::crate_table(text_of(&files, "ARCHITECTURE.md"), &real_edges()));
}

#[test]
fn every_module_says_why_it_exists() {
    assert_none(&tidy::module_docs(&sources(&files())));
}

#[test]
fn every_algorithm_points_to_its_file_and_test() {
    let files = files();
    assert_none(&tidy::algorithms(text_of(&files, "docs/algorithms.md"), &sources(&files)));
}

#[test]
fn every_document_is_linked_and_every_link_leads_somewhere() {
    let files = files();
    let maps = ["README.md", "ARCHITECTURE.md"].map(|path| text_of(&files, path));
    let documents: Vec<String> = files
        .iter()
        .map(|file| file.path.clone())
        .filter(|path| path.starts_with("docs/"))
        .filter(|path| Path::new(path).extension().is_some_and(|kind| kind == "md"))
        .collect();
    let mut problems = tidy::unlinked(&documents, &maps);
    for (path, text) in ["README.md", "ARCHITECTURE.md"].into_iter().zip(maps) {
        problems.extend(tidy::dead_links(path, text, &|target| workspace().join(target).exists()));
    }
    assert_none(&problems);
}

#[test]
fn nothing_is_promised_for_later_and_no_path_of_a_machine_is_told() {
    assert_none(&tidy::forbidden_words(&files()));
}

#[test]
fn no_source_file_holds_two_ideas() {
    assert_none(&tidy::long_files(&sources(&files()), 800, LONG));
}

#[test]
fn inner_crates_neither_print_nor_touch_files() {
    let pure = ["gdl", "datalog", "ground", "game", "library"];
    let inside =
        |path: &str| pure.iter().any(|name| path.starts_with(&format!("crates/{name}/src/")));
    let sources: Vec<File> =
        sources(&files()).into_iter().filter(|file| inside(&file.path)).collect();
    assert!(sources.len() > 20);
    assert_none(&tidy::impure(&sources));
}
