//! What tests of several crates share; nothing here is part of the program.
//!
//! - [`corpus`]: rule sheets and reference traces that live outside the project
//! - [`choices`] and [`programs`]: random rule sheets that are valid by construction
//! - [`naive`]: a reasoner so plain that it is easy to believe, to check the others against
//! - [`agree`]: compares a machine with it along random play
//! - [`tidy`]: checks that the maps of the project (tables in its documents) describe the project

pub mod agree;
pub mod choices;
pub mod corpus;
pub mod naive;
pub mod programs;
pub mod tidy;
