//! Thinking comes after answering.
//!
//! With more threads that search than cores, a thread that only has to send what is ready waits in the queue behind
//! all of them, at each of its steps. Threads of matches are given a lower priority, and so are all threads that they start, so
//! that those of the server come first whenever they have something to do.

/// How much lower: far enough to be passed at once, near enough to keep a fair part of a core beside other programs.
#[cfg(target_os = "linux")]
const LOWER: i32 = 4;

/// Lowers the priority of the calling thread. A system that refuses leaves it as it is.
#[cfg(target_os = "linux")]
pub(crate) fn lower() {
    use rustix::process::{getpriority_process, setpriority_process};
    // On Linux priorities belong to threads, and no process means the calling thread.
    if let Ok(now) = getpriority_process(None) {
        let _ = setpriority_process(None, now + LOWER);
    }
}

/// Other systems have priorities of processes only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lower() {}
