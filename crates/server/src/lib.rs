//! The HTTP player: any game manager may use it.
//!
//! [`Server::bind`] opens the port, [`Server::run`] serves it until it is told to stop, [`spawn`] does both in a
//! thread. One connection carries one message: [`connection`](self) reads it within limits on time and size,
//! the desk finds the match it belongs to, and the thread of that match answers. The desk never waits longer
//! than the clock of the message allows: where the match has no answer yet, a legal move that was put
//! ready beforehand is sent.
//!
//! ```
//! use std::io::{Read, Write};
//!
//! let running = server::spawn(server::Config::default())?;
//! let mut socket = std::net::TcpStream::connect(running.address())?;
//! socket.write_all(b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )")?;
//! let mut answer = String::new();
//! socket.read_to_string(&mut answer)?;
//! assert!(answer.ends_with("( ( name Fluxion ) ( status available ) )"));
//! running.stop();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clock;
mod config;
mod connection;
mod desk;
mod history;
mod listen;
mod memory;
mod preview;
mod priority;
mod seat;

pub use config::Config;
pub use desk::Status;
pub use history::{Followed, History};
pub use listen::{Running, Server, Stopper, spawn};
