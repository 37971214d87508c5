//! The games that the predictor was made from: measured features with h1 as the evaluation, and the mean result of
//! alpha-beta with it against Monte-Carlo tree search. `docs/traps.md` says how they were played; the example `predict`
//! measures again.

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
    game("breakthrough_6x6", "breakthrough", [0.420, 16.42, 28.70, 0.126, 0.214], 0.39),
    game("breakthrough", "breakthrough", [0.250, 25.59, 67.30, 0.072, 0.309], 0.58),
    game("chinese_checkers_5x5", "chinese_checkers", [0.030, 5.66, 38.60, 0.176, 0.233], -0.03),
    game("chomp_10x10", "chomp", [0.840, 37.28, 8.60, 0.000, 0.000], -0.15),
    game("clobber_4x5", "clobber", [0.270, 11.46, 12.30, 0.000, 0.000], -0.94),
    game("clobber_5x6", "clobber", [0.120, 17.30, 19.20, 0.000, 0.000], -0.94),
    game("connect_four", "connect_four", [0.430, 6.74, 21.20, 0.185, 0.363], -0.66),
    game("gomoku_8x8", "gomoku", [0.420, 39.70, 47.70, 0.091, 0.161], -0.66),
    game("gomoku_15x15", "gomoku", [0.436, 166.72, 112.00, 0.037, 0.171], 1.00),
    game("knightthrough", "breakthrough", [0.680, 37.30, 35.40, 0.095, -0.016], 0.62),
    game("nim_11_12_15_25", "nim", [0.400, 24.14, 13.90, 0.000, 0.000], -0.31),
    game("nim_12_12_20_20", "nim", [0.340, 25.09, 13.10, 0.000, 0.000], 0.19),
    game("sheep_and_wolf", "sheep_and_wolf", [0.120, 4.31, 39.80, 0.265, 0.061], 0.06),
    game("tictactoe_5x5", "tictactoe", [0.450, 15.70, 18.90, 0.163, 0.187], -1.00),
    game("domineering_6x6", "domineering", [0.170, 13.03, 15.40, 0.172, 0.345], 0.00),
    game("snort_5x5", "snort", [0.140, 10.41, 15.60, 0.158, 0.293], 0.00),
    game("breakthrough_suicide", "breakthrough", [0.000, 25.59, 67.30, 0.072, 0.309], -0.60),
    game("nine_board_tictactoe", "tictactoe", [0.580, 9.87, 29.40, 0.245, 0.091], -1.00),
    game("pentago", "pentago", [0.260, 15.18, 54.60, 0.215, 0.087], -0.50),
];
