//! The files of the page, looked at without a browser: types, addresses, and what they may contain.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Types are comments in the modules; the checker of `TypeScript` reads them.
#[test]
fn types_of_the_page_agree() {
    let settings = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page.tsconfig.json");
    let Ok(told) = Command::new("tsc").arg("-p").arg(&settings).output() else {
        assert!(std::env::var_os("FLUXION_BROWSER").is_none(), "tsc is not installed");
        println!("skipped: tsc is not installed");
        return;
    };
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stdout));
}

#[test]
fn nothing_of_the_page_comes_from_elsewhere_or_stands_inside_the_html() {
    for path in files(&assets()) {
        let text = fs::read_to_string(&path).expect("text");
        for (at, _) in text.match_indices("http") {
            let rest = &text[at..];
            let known = ["http://www.w3.org/2000/svg", "http://localhost:9147"];
            let address = rest.starts_with("http://") || rest.starts_with("https://");
            assert!(
                !address || known.iter().any(|name| rest.starts_with(name)),
                "{}: {}",
                path.display(),
                &rest[..30]
            );
        }
        for never in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
        ] {
            assert!(!text.contains(never), "{}: {never}", path.display());
        }
    }
    let html = fs::read_to_string(assets().join("index.html")).expect("the page");
    for never in ["<style", " style=", " onclick=", "<script>"] {
        assert!(!html.contains(never), "{never}");
    }
}

#[test]
fn every_file_that_the_page_names_is_there() {
    let known: Vec<String> = files(&assets())
        .iter()
        .map(|path| path.strip_prefix(assets()).expect("inside").to_string_lossy().into_owned())
        .collect();
    let html = fs::read_to_string(assets().join("index.html")).expect("the page");
    let named = html.split('"').filter(|part| part.starts_with('/') && part.contains('.'));
    for name in named {
        let name = name.trim_start_matches('/').split('#').next().unwrap_or_default();
        assert!(known.iter().any(|file| file == name), "{name}");
    }
}
