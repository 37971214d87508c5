//! Puts the files of `assets/` into the program, compressed, with a tag that changes with their contents.

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> std::io::Result<()> {
    let root = Path::new("assets");
    println!("cargo:rerun-if-changed=assets");
    let mut files = Vec::new();
    if root.is_dir() {
        collect(root, &mut files)?;
    }
    files.sort();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let mut table = String::from("&[\n");
    for (number, path) in files.iter().enumerate() {
        println!("cargo:rerun-if-changed={}", path.display());
        let bytes = fs::read(path)?;
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&bytes)?;
        let place = out.join(format!("asset{number}.gz"));
        fs::write(&place, packed.finish()?)?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let plain = fs::canonicalize(path)?.to_string_lossy().into_owned();
        let place = place.to_string_lossy();
        let _ = writeln!(
            table,
            "Asset {{ name: {name:?}, tag: \"\\\"{:016x}\\\"\", plain: include_bytes!({plain:?}), \
             packed: include_bytes!({place:?}) }},",
            hasher.finish()
        );
    }
    table.push(']');
    fs::write(out.join("assets.rs"), table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo:rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
