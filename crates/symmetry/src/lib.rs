//! Symmetries of games: found in the rules and in the ground program, used on states (thesis §8).
