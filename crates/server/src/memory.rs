//! Memory goes back to the system when no match is played.
//!
//! The allocator of the C library, which solvers written in C use, keeps what the threads of matches freed for threads to
//! come. The allocator of the binary may have its own way ([`Config::tidy`](crate::Config::tidy)).

/// Gives back what was freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no other way to ask the allocator of the system")]
pub(crate) fn give_back() {
    // SAFETY: it may be called at any time from any thread, and frees nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators are left to themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}
