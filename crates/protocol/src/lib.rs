//! What crosses the border of the program as bytes, and back; no sockets, no files.
//!
//! [`message`] holds what managers and players say to each other, [`http`] the envelope it travels in,
//! [`record`] what is kept of a match and [`xml`] the same for older tools. [`trace`] is the JSON-lines
//! format in which seeded random play is recorded and compared, with [`trace::record()`] to write it and
//! [`conform`] to replay it against a machine.

pub mod conform;
pub mod http;
pub mod java_random;
pub mod message;
pub mod record;
pub mod trace;
pub mod verify;
pub mod xml;

pub use message::{Reply, Request, RequestError, Start};
pub use record::MatchRecord;
