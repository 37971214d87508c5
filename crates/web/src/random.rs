//! Names that cannot be guessed.

/// Letters and digits that are not mixed up when read aloud.
const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";

/// A name of so many characters, five bits each.
pub fn name(length: usize) -> String {
    let mut bytes = vec![0; length];
    if getrandom::fill(&mut bytes).is_err() {
        // Without a source of randomness names are still unique.
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = (fallback() >> (at % 8 * 8)) as u8;
        }
    }
    bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}

/// A seed.
pub fn seed() -> u64 {
    let mut bytes = [0; 8];
    if getrandom::fill(&mut bytes).is_err() {
        return fallback();
    }
    // Kept exact in JSON.
    u64::from_le_bytes(bytes) >> 12
}

fn fallback() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = std::collections::hash_map::RandomState::new().build_hasher();
    hasher.write_u64(now());
    hasher.finish()
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    now.unwrap_or_default().as_millis() as u64
}
