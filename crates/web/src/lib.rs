//! The page in the browser and its API (`docs/api.md`).
//!
//! [`Web::bind`] takes a [`Config`] and listens; [`Web::run`] serves until it is told to stop. A match is a thread
//! ([`dealer`]) that requests send work to; searches take turns in a pool, rule sheets are read in watched threads, and
//! everything is kept in `SQLite`, so that a restart goes unnoticed.

mod analysis;
mod api;
mod app;
mod assets;
mod config;
mod dealer;
mod engine;
mod error;
mod feed;
mod ground;
mod nothing;
mod pool;
mod position;
mod random;
mod referee;
mod sheets;
mod store;
mod table;
mod thought;
mod tournaments;
mod visitor;
mod web;

pub use config::{Config, Limits, PORT};
pub use web::{Web, WebError};
