//! What examples that play matches read from their command line.

#[allow(dead_code, reason = "not every example has a use for it")]
pub mod clock;

use std::time::Duration;

use game::Game;

/// A game of the library, or of a file; none, and a line about it, if there is no such game.
pub fn game(name: &str) -> Option<Game> {
    let text = match library::find(name) {
        Some(entry) => entry.rules.to_owned(),
        None => std::fs::read_to_string(name).unwrap_or_default(),
    };
    let game = Game::from_text(&text).ok();
    if game.is_none() {
        println!("{name}: not a game");
    }
    game
}

/// Seconds of a clock; one where it is no number.
pub fn seconds(text: &str) -> Duration {
    Duration::from_secs_f64(text.parse().unwrap_or(1.0))
}

/// The mean of some numbers, and half of its 95% interval by the normal approximation.
#[allow(dead_code, reason = "not every example has a use for it")]
pub fn mean(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len().max(1) as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (mean, 1.96 * (squares / (count - 1.0).max(1.0) / count).sqrt())
}
