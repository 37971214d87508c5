//! The flags that bound reading and reasoning, shared by all commands that do either.

use clap::Args as ClapArgs;

/// Bounds on reading.
#[expect(clippy::struct_field_names, reason = "the names of the flags")]
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(next_help_heading = "Limits")]
pub struct ReadLimits {
    /// The largest rule sheet that is read, in bytes
    #[arg(long, default_value_t = gdl::Limits::default().max_text, value_name = "BYTES")]
    pub max_text: usize,
    /// The deepest nesting of parentheses
    #[arg(long, default_value_t = gdl::Limits::default().max_nesting, value_name = "N")]
    pub max_nesting: usize,
    /// The longest name, in bytes
    #[arg(long, default_value_t = gdl::Limits::default().max_symbol, value_name = "BYTES")]
    pub max_symbol: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        let gdl::Limits { max_text, max_nesting, max_symbol, .. } = gdl::Limits::default();
        Self { max_text, max_nesting, max_symbol }
    }
}

impl ReadLimits {
    /// The limits as the reader takes them.
    pub fn gdl(&self) -> gdl::Limits {
        gdl::Limits {
            max_text: self.max_text,
            max_nesting: self.max_nesting,
            max_symbol: self.max_symbol,
        }
    }
}

/// Bounds on reasoning.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(next_help_heading = "Limits")]
pub struct ReasonLimits {
    /// Give up on a game after that many seconds
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: f64,
    /// The most inference steps for one question about a state
    #[arg(long, default_value_t = game::Limits::default().max_steps, value_name = "N")]
    pub max_steps: u64,
    /// The most facts and terms kept in memory
    #[arg(long, default_value_t = game::Limits::default().max_facts, value_name = "N")]
    pub max_facts: usize,
}

impl Default for ReasonLimits {
    fn default() -> Self {
        let game::Limits { max_steps, max_facts, .. } = game::Limits::default();
        Self { timeout: 60.0, max_steps, max_facts }
    }
}

/// A positive number of seconds, at most a year.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 3.2e7 => Ok(value),
        _ => Err("expected a positive number of seconds".to_owned()),
    }
}
