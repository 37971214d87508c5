//! Memory that is freed goes back to the system.
//!
//! Linux may back memory with pages of 2 MB, and allocators ask for that. Where a page holds a few kilobytes that are in use,
//! all of it stays; what an allocator gives back within it is filled in again by the system a few seconds later. After many
//! matches most of a player's memory would be such pages. Simulations per CPU second are as many without them
//! (`docs/reliability.md`).

/// Has all memory of this process in small pages from now on, which can be given back one by one. A system that refuses leaves
/// it as it is.
#[cfg(target_os = "linux")]
pub(crate) fn small_pages() {
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "huge pages are left as they are");
    }
}

/// Other systems are left to themselves.
#[cfg(not(target_os = "linux"))]
pub(crate) fn small_pages() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn a_process_with_a_server_has_no_huge_pages() {
        let server = crate::Server::bind(crate::Config::default()).expect("a free port");
        let disabled = rustix::thread::transparent_huge_pages_are_disabled();
        assert!(disabled.expect("the system tells"));
        drop(server);
    }
}
