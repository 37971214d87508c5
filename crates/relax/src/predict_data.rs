//! The games that the predictor was made from: measured features, and the mean result of alpha-beta with h1 against
//! Monte-Carlo tree search. `docs/traps.md` says how they were played; the example `predict` measures again.

use crate::predict::{Features, Played};

const fn game(
    name: &'static str,
    family: &'static str,
    [traps, branching, length, change, merit]: [f64; 5],
    result: f64,
) -> Played {
    Played { name, family, features: Features { traps, branching, length, change, merit }, result }
}

/// Name, family, features, result.
pub(crate) static GAMES: &[Played] = &[
    game("breakthrough_6x6", "breakthrough", [0.510, 16.40, 28.5, 0.126, 0.0], 0.43),
    game("breakthrough", "breakthrough", [0.350, 25.57, 66.6, 0.071, 0.0], -0.80),
    game("chinese_checkers_5x5", "chinese_checkers", [0.010, 5.66, 37.7, 0.181, 0.0], -0.17),
    game("chomp_10x10", "chomp_10x10", [0.850, 35.14, 9.6, 0.000, 0.0], -0.89),
    game("clobber_4x5", "clobber", [0.290, 11.71, 11.9, 0.000, 0.0], -1.00),
    game("clobber_5x6", "clobber", [0.100, 17.04, 19.5, 0.000, 0.0], -1.00),
    game("connect_four", "connect_four", [0.480, 6.75, 21.7, 0.183, 0.0], -0.94),
    game("gomoku_8x8", "gomoku", [0.400, 39.84, 48.2, 0.096, 0.0], -1.00),
    game("gomoku_15x15", "gomoku", [0.410, 166.78, 111.2, 0.038, 0.0], 1.00),
    game("knightthrough", "knightthrough", [0.640, 37.67, 35.3, 0.098, 0.0], 0.78),
    game("nim_11_12_15_25", "nim", [0.400, 24.12, 14.0, 0.000, 0.0], -1.00),
    game("nim_12_12_20_20", "nim", [0.340, 24.94, 13.2, 0.000, 0.0], -0.65),
    game("sheep_and_wolf", "sheep_and_wolf", [0.080, 4.26, 43.1, 0.000, 0.0], -1.00),
    game("tictactoe_5x5", "tictactoe_5x5", [0.450, 15.86, 18.7, 0.180, 0.0], -1.00),
    game("domineering_6x6", "domineering_6x6", [0.200, 12.85, 15.7, 0.000, 0.0], -1.00),
    game("snort_5x5", "snort_5x5", [0.140, 10.59, 15.3, 0.000, 0.0], -1.00),
    game("amazons_unsplit_6x6", "amazons_unsplit_6x6", [0.100, 132.48, 25.2, 0.000, 0.0], -1.00),
    game("breakthrough_suicide", "breakthrough", [0.000, 25.57, 66.6, 0.071, 0.0], -1.00),
    game("nine_board_tictactoe", "nine_board_tictactoe", [0.650, 9.85, 29.8, 0.250, 0.0], -1.00),
    game("pentago", "pentago", [0.320, 15.09, 55.5, 0.223, 0.0], -0.33),
];
