//! Symmetries of games: found in the rules and in the ground program, used on states (thesis §8).

pub mod goal_values;
pub mod graph;
pub mod nauty;
pub mod permutation;
pub mod rule_graph;
pub mod rules;
pub mod chain;
pub mod ground_graph;
pub mod ground_logic;
pub mod logic;
