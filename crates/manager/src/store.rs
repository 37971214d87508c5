//! Files that are complete at every moment: the new text is written beside the old one, made durable, and put
//! in its place in one step. A kill leaves the old or the new text, never a part of one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use protocol::MatchRecord;

/// Writes a file so that it is complete at every moment.
pub fn write_atomically(path: &Path, text: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(text)?;
        file.sync_all()
    });
    if let Err(error) = written.and_then(|()| fs::rename(&beside, path)) {
        let _ = fs::remove_file(&beside);
        return Err(error);
    }
    // The new name is durable once its folder is; not every system can sync folders.
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}

/// Keeps the record of a match in a file.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
    /// Why the last write failed.
    failed: Option<String>,
}

impl Store {
    /// A record at a path chosen by the user; names of matches never become paths.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), failed: None }
    }

    /// Writes the record. A failure is kept for the end, and the next write tries again: a full disk must
    /// not end a match.
    pub fn save(&mut self, record: &MatchRecord) {
        let written = record
            .to_json()
            .map_err(io::Error::from)
            .and_then(|text| write_atomically(&self.path, text.as_bytes()));
        self.failed = written.err().map(|error| error.to_string());
    }

    /// Why the record in the file is not the latest one.
    pub fn failure(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("fluxion-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn a_full_disk_keeps_the_last_complete_record() {
        let folder = folder("full");
        let mut store = Store::new(folder.join("record.json"));
        let mut record = MatchRecord { match_id: "first".to_owned(), ..MatchRecord::default() };
        store.save(&record);
        assert_eq!(store.failure(), None);
        if cfg!(target_os = "linux") {
            // Every write to this device fails as it does on a full disk.
            std::os::unix::fs::symlink("/dev/full", beside(store.path())).expect("a link");
            record.match_id = "second".to_owned();
            store.save(&record);
            assert!(store.failure().is_some_and(|why| why.contains("space")), "{store:?}");
            let kept = fs::read_to_string(store.path()).expect("the record");
            assert_eq!(MatchRecord::parse(&kept).expect("complete").match_id, "first");
            store.save(&record);
            assert_eq!(store.failure(), None);
        }
        fs::remove_dir_all(folder).expect("removed");
    }
}
