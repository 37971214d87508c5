//! What crosses the border of the program as bytes, and back; no sockets, no files.
//!
//! [`trace`] is the JSON-lines format in which seeded random play is recorded and compared, with
//! [`trace::record()`] to write it and [`conform`] to replay it against a machine.

pub mod conform;
pub mod java_random;
pub mod trace;
