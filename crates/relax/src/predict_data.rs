//! The games that the predictor was made from: measured features, and the mean result of alpha-beta with h1 against
//! Monte-Carlo tree search. `docs/traps.md` says how they were played; the example `predict` measures again.

use crate::predict::Features;

const fn game(traps: f64, branching: f64, length: f64, change: f64) -> Features {
    Features { traps, branching, length, change }
}

/// Name, features, result.
pub(crate) static GAMES: &[(&str, Features, f64)] = &[
    ("breakthrough_6x6", game(0.510, 16.40, 28.5, 0.126), 0.43),
    ("breakthrough", game(0.350, 25.57, 66.6, 0.071), -0.80),
    ("chinese_checkers_5x5", game(0.010, 5.66, 37.7, 0.181), -0.17),
    ("chomp_10x10", game(0.850, 35.14, 9.6, 0.000), -0.89),
    ("clobber_4x5", game(0.290, 11.71, 11.9, 0.000), -1.00),
    ("clobber_5x6", game(0.100, 17.04, 19.5, 0.000), -1.00),
    ("connect_four", game(0.480, 6.75, 21.7, 0.183), -0.94),
    ("gomoku_8x8", game(0.400, 39.84, 48.2, 0.096), -1.00),
    ("gomoku_15x15", game(0.410, 166.78, 111.2, 0.038), 1.00),
    ("knightthrough", game(0.640, 37.67, 35.3, 0.098), 0.78),
    ("nim_11_12_15_25", game(0.400, 24.12, 14.0, 0.000), -1.00),
    ("nim_12_12_20_20", game(0.340, 24.94, 13.2, 0.000), -0.65),
    ("sheep_and_wolf", game(0.080, 4.26, 43.1, 0.000), -1.00),
    ("tictactoe_5x5", game(0.450, 15.86, 18.7, 0.180), -1.00),
    ("domineering_6x6", game(0.200, 12.85, 15.7, 0.000), -1.00),
    ("snort_5x5", game(0.140, 10.59, 15.3, 0.000), -1.00),
    ("amazons_unsplit_6x6", game(0.100, 132.48, 25.2, 0.000), -1.00),
    ("breakthrough_suicide", game(0.000, 25.57, 66.6, 0.071), -1.00),
    ("nine_board_tictactoe", game(0.650, 9.85, 29.8, 0.250), -1.00),
    ("pentago", game(0.320, 15.09, 55.5, 0.223), -0.33),
];
