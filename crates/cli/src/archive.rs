//! Knowledge of games in a folder: a file for each game, so many files and bytes at most; what was not used for the longest
//! time goes first. Files are written whole or not at all, by one process at a time. Whatever goes wrong is told once and
//! costs knowledge only.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use player::knowledge::MOST_BYTES;
use player::{Archive, Key};

/// How much a folder may hold.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Files.
    pub files: usize,
    /// Bytes of all files.
    pub bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { files: 1000, bytes: 100 << 20 }
    }
}

/// A folder with knowledge.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    bounds: Bounds,
    warn: fn(&str),
    warned: AtomicBool,
}

/// A file of the folder.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key of the game.
    pub key: Key,
    /// Its size.
    pub bytes: u64,
    /// When it was written.
    pub modified: SystemTime,
}

/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_millis(400);
const NAP: Duration = Duration::from_millis(5);

impl Folder {
    /// A folder, which is made when something is kept; `warn` is called at most once.
    pub fn new(path: &Path, warn: fn(&str)) -> Self {
        Self {
            path: path.to_owned(),
            bounds: Bounds::default(),
            warn,
            warned: AtomicBool::new(false),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn file(&self, key: Key) -> PathBuf {
        self.path.join(format!("{key}.json"))
    }

    /// What is kept, the newest first; nothing if there is no folder.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        let listed = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(entries),
            listed => listed?,
        };
        for file in listed {
            let file = file?;
            let name = file.file_name();
            let key = name.to_str().and_then(|name| name.strip_suffix(".json")?.parse().ok());
            // Others may remove files in the meantime.
            if let (Some(key), Ok(about)) = (key, file.metadata())
                && about.is_file()
            {
                let modified = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                entries.push(Entry { key, bytes: about.len(), modified });
            }
        }
        entries.sort_by_key(|entry| (std::cmp::Reverse(entry.modified), entry.key));
        Ok(entries)
    }

    /// What is kept under a key.
    pub fn read(&self, key: Key) -> io::Result<Option<Vec<u8>>> {
        let file = match File::open(self.file(key)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut bytes = Vec::new();
        // A little more than can be of use, so that what is too large is seen to be.
        file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Removes what is kept under a key; whether there was anything.
    pub fn forget(&self, key: Key) -> io::Result<bool> {
        match fs::remove_file(self.file(key)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn try_change(
        &self,
        key: Key,
        change: &mut dyn FnMut(Option<Vec<u8>>) -> Option<Vec<u8>>,
    ) -> io::Result<()> {
        fs::create_dir_all(&self.path)?;
        let _lock = self.lock()?;
        if let Some(new) = change(self.read(key)?) {
            manager::write_atomically(&self.file(key), &new)?;
            self.prune(key)?;
        }
        Ok(())
    }

    /// Waits until no other process changes anything, but not for long.
    fn lock(&self) -> io::Result<File> {
        let path = self.path.join(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        let begin = Instant::now();
        loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if begin.elapsed() > PATIENCE => {
                    return Err(io::Error::other("another process does not let go of it"));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(NAP),
                // Where there are no locks, the worst is that one of two changes is lost.
                Err(TryLockError::Error(_)) | Ok(()) => return Ok(file),
            }
        }
    }

    /// Removes the oldest files until the bounds are kept, but not the one just written.
    fn prune(&self, newest: Key) -> io::Result<()> {
        let (mut files, mut bytes) = (0, 0);
        let mut entries = self.entries()?;
        entries.sort_by_key(|entry| entry.key != newest);
        for entry in entries {
            (files, bytes) = (files + 1, bytes + entry.bytes);
            let full = files > self.bounds.files || bytes > self.bounds.bytes;
            if full && entry.key != newest {
                self.forget(entry.key)?;
                (files, bytes) = (files - 1, bytes - entry.bytes);
            }
        }
        Ok(())
    }

    fn tell(&self, what: &str, error: &io::Error) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            let place = self.path.display();
            (self.warn)(&format!("knowledge in {place} cannot be {what}: {error}"));
        }
    }
}

impl Archive for Folder {
    fn recall(&self, key: Key) -> Option<Vec<u8>> {
        self.read(key).unwrap_or_else(|error| {
            self.tell("read", &error);
            None
        })
    }

    fn change(&self, key: Key, change: &mut dyn FnMut(Option<Vec<u8>>) -> Option<Vec<u8>>) {
        if let Err(error) = self.try_change(key, change) {
            self.tell("kept", &error);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// A folder of its own, removed afterwards.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let unique = format!("fluxion-archive-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(unique);
            let _ = fs::remove_dir_all(&path);
            Self(path)
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
            let _ = fs::remove_file(&self.0);
        }
    }

    fn folder(place: &Place, bounds: Bounds) -> Folder {
        Folder { bounds, ..Folder::new(&place.0, |_| ()) }
    }

    fn keys(folder: &Folder) -> Vec<u128> {
        let mut keys: Vec<u128> =
            folder.entries().expect("a folder").iter().map(|entry| entry.key.0).collect();
        keys.sort_unstable();
        keys
    }

    fn put(folder: &Folder, key: u128, bytes: &[u8]) {
        folder.change(Key(key), &mut |_| Some(bytes.to_vec()));
        // File systems count time in steps.
        std::thread::sleep(Duration::from_millis(15));
    }

    #[test]
    fn what_is_kept_is_recalled_and_changed() {
        let place = Place::new("kept");
        let folder = folder(&place, Bounds::default());
        assert_eq!(folder.recall(Key(7)), None);
        assert!(!place.0.exists(), "nothing was kept yet");
        put(&folder, 7, b"one");
        folder
            .change(Key(7), &mut |old| Some([old.unwrap_or_default(), b" two".to_vec()].concat()));
        folder.change(Key(7), &mut |_| None);
        assert_eq!(folder.recall(Key(7)).as_deref(), Some(&b"one two"[..]));
        let again = Folder::new(&place.0, |_| ());
        assert_eq!(again.recall(Key(7)).as_deref(), Some(&b"one two"[..]));
        assert!(again.forget(Key(7)).expect("removed") && !again.forget(Key(7)).expect("gone"));
        let left = fs::read_dir(&place.0).expect("a folder").flatten().count();
        assert_eq!(left, 1, "only the lock is left");
    }

    #[test]
    fn the_oldest_files_go_when_there_are_too_many_or_they_are_too_large() {
        let place = Place::new("full");
        let few = folder(&place, Bounds { files: 3, bytes: 1000 });
        for key in 1..=5 {
            put(&few, key, &[0; 10]);
        }
        assert_eq!(keys(&few), [3, 4, 5]);
        // What is used again is new again.
        put(&few, 3, &[1; 10]);
        put(&few, 6, &[0; 10]);
        assert_eq!(keys(&few), [3, 5, 6]);
        put(&few, 7, &[0; 985]);
        assert_eq!(keys(&few), [6, 7]);
        put(&few, 8, &[0; 2000]);
        assert_eq!(keys(&few), [8], "the newest stays in any case");
    }

    #[test]
    fn changes_of_many_at_once_are_all_there() {
        let place = Place::new("many");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    // Each with a handle of its own, as processes have.
                    let own = Folder::new(&place.0, |why| panic!("{why}"));
                    for _ in 0..10 {
                        own.change(Key(1), &mut |old| {
                            let mut bytes = old.unwrap_or_default();
                            bytes.push(b'x');
                            Some(bytes)
                        });
                    }
                });
            }
        });
        let folder = folder(&place, Bounds::default());
        assert_eq!(folder.recall(Key(1)).map(|bytes| bytes.len()), Some(40));
    }

    #[test]
    fn trouble_is_told_once_and_is_no_error() {
        static TOLD: AtomicU64 = AtomicU64::new(0);
        let place = Place::new("file");
        fs::write(&place.0, "no folder").expect("written");
        let folder = Folder::new(&place.0, |why| {
            assert!(why.contains("cannot be"), "{why}");
            TOLD.fetch_add(1, Ordering::Relaxed);
        });
        for _ in 0..3 {
            folder.change(Key(1), &mut |_| Some(b"x".to_vec()));
            assert_eq!(folder.recall(Key(1)), None);
        }
        assert_eq!(TOLD.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read_whole() {
        let place = Place::new("large");
        let folder = folder(&place, Bounds::default());
        put(&folder, 1, &vec![b' '; 3 * MOST_BYTES]);
        assert_eq!(folder.recall(Key(1)).map(|bytes| bytes.len()), Some(MOST_BYTES + 1));
    }
}
