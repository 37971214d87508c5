//! Zero-sum matrix games: the mixed equilibrium of simultaneous moves, exactly, by linear programming.
//!
//! With all payoffs moved above 0, the column player's strategy is the solution of "maximise the sum of y
//! with A·y ≤ 1, y ≥ 0", the row player's the dual one, and the value the inverse of the sum (von Neumann;
//! Dantzig 1951). The simplex method with Bland's rule ends always; what it returns is judged by what the
//! strategies themselves guarantee, so rounding errors are seen and not hidden.

/// An equilibrium: the row player maximises, the column player minimises.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// What the row player gets at least with `rows`, whatever the column player does.
    pub low: f64,
    /// What the column player gives at most with `columns`.
    pub high: f64,
    /// The probabilities of the rows.
    pub rows: Vec<f64>,
    /// The probabilities of the columns.
    pub columns: Vec<f64>,
}

impl Equilibrium {
    /// The value of the game.
    pub fn value(&self) -> f64 {
        self.low.midpoint(self.high)
    }
}

/// Below this a number counts as 0.
const NOUGHT: f64 = 1e-10;

/// Solves a game given row by row, `payoffs[row * width + column]`. There must be at least one row and
/// one column, and no payoff may be infinite.
pub fn solve(payoffs: &[f64], width: usize) -> Equilibrium {
    let height = payoffs.len() / width;
    let least = payoffs.iter().copied().fold(f64::INFINITY, f64::min);
    if let Some(saddle) = saddle(payoffs, width) {
        return saddle;
    }
    let mut tableau = Tableau::new(payoffs, width, 1.0 - least);
    // Bland's rule ends; the bound is for rounding errors.
    for _ in 0..50 * (width + height) {
        if !tableau.pivot() {
            break;
        }
    }
    let (rows, columns) = tableau.strategies();
    judged(payoffs, width, rows, columns)
}

/// A pure equilibrium, if there is one.
fn saddle(payoffs: &[f64], width: usize) -> Option<Equilibrium> {
    let height = payoffs.len() / width;
    let worst = |row: usize| {
        payoffs[row * width..(row + 1) * width].iter().copied().fold(f64::INFINITY, f64::min)
    };
    let best = |column: usize| {
        (0..height).map(|row| payoffs[row * width + column]).fold(f64::NEG_INFINITY, f64::max)
    };
    let row = (0..height).rev().max_by(|a, b| worst(*a).total_cmp(&worst(*b)))?;
    let column = (0..width).min_by(|a, b| best(*a).total_cmp(&best(*b)))?;
    let pure = |at: usize, of: usize| (0..of).map(|i| f64::from(u8::from(i == at))).collect();
    (worst(row) >= best(column)).then(|| Equilibrium {
        low: worst(row),
        high: best(column),
        rows: pure(row, height),
        columns: pure(column, width),
    })
}

fn judged(payoffs: &[f64], width: usize, rows: Vec<f64>, columns: Vec<f64>) -> Equilibrium {
    let against = |column: usize| {
        rows.iter().enumerate().map(|(row, p)| p * payoffs[row * width + column]).sum::<f64>()
    };
    let low = (0..width).map(against).fold(f64::INFINITY, f64::min);
    let with = |row: &[f64]| row.iter().zip(&columns).map(|(payoff, p)| payoff * p).sum::<f64>();
    let high = payoffs.chunks(width).map(with).fold(f64::NEG_INFINITY, f64::max);
    Equilibrium { low, high, rows, columns }
}

/// The simplex tableau: one row for each constraint, then the objective; columns are the variables, the
/// slack variables, and the right-hand side.
struct Tableau {
    cells: Vec<Vec<f64>>,
    basis: Vec<usize>,
    width: usize,
}

impl Tableau {
    fn new(payoffs: &[f64], width: usize, shift: f64) -> Self {
        let height = payoffs.len() / width;
        let total = width + height + 1;
        let mut cells = vec![vec![0.0; total]; height + 1];
        for (at, row) in payoffs.chunks(width).enumerate() {
            for (cell, payoff) in cells[at].iter_mut().zip(row) {
                *cell = payoff + shift;
            }
            cells[at][width + at] = 1.0;
            cells[at][total - 1] = 1.0;
        }
        cells[height][..width].fill(-1.0);
        Self { cells, basis: (width..width + height).collect(), width }
    }

    /// One step; false at the optimum.
    fn pivot(&mut self) -> bool {
        let height = self.basis.len();
        let last = self.cells[height].len() - 1;
        let Some(enter) = (0..last).find(|at| self.cells[height][*at] < -NOUGHT) else {
            return false;
        };
        let ratio = |row: usize| self.cells[row][last] / self.cells[row][enter];
        let rows = (0..height).filter(|row| self.cells[*row][enter] > NOUGHT);
        let by = |a: &usize, b: &usize| {
            ratio(*a).total_cmp(&ratio(*b)).then(self.basis[*a].cmp(&self.basis[*b]))
        };
        let Some(leave) = rows.min_by(by) else { return false };
        self.basis[leave] = enter;
        let factor = self.cells[leave][enter];
        self.cells[leave].iter_mut().for_each(|cell| *cell /= factor);
        let pivot = self.cells[leave].clone();
        for (at, row) in self.cells.iter_mut().enumerate().filter(|(at, _)| *at != leave) {
            let factor = row[enter];
            if at != leave && factor != 0.0 {
                row.iter_mut().zip(&pivot).for_each(|(cell, p)| *cell -= factor * p);
            }
        }
        true
    }

    /// The strategies of both players, made to sum to 1.
    fn strategies(&self) -> (Vec<f64>, Vec<f64>) {
        let height = self.basis.len();
        let last = self.cells[height].len() - 1;
        let mut columns = vec![0.0; self.width];
        for (row, variable) in self.basis.iter().enumerate().filter(|(_, v)| **v < self.width) {
            columns[*variable] = self.cells[row][last];
        }
        let rows = self.cells[height][self.width..last].to_vec();
        (normalized(rows), normalized(columns))
    }
}

fn normalized(mut weights: Vec<f64>) -> Vec<f64> {
    for weight in &mut weights {
        *weight = weight.max(0.0);
    }
    let sum: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    for weight in &mut weights {
        *weight = if sum > 0.0 { *weight / sum } else { even };
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::playout::Random;

    #[test]
    fn rock_paper_scissors_is_worth_50_and_mixed_evenly() {
        let found = solve(&[50.0, 0.0, 100.0, 100.0, 50.0, 0.0, 0.0, 100.0, 50.0], 3);
        assert!((found.value() - 50.0).abs() < 1e-9);
        assert!(found.rows.iter().chain(&found.columns).all(|p| (p - 1.0 / 3.0).abs() < 1e-9));
    }

    #[test]
    fn both_strategies_guarantee_the_same_value_in_random_games() {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let (height, width) = (1 + random.below(6), 1 + random.below(6));
            let levels = 1 + random.below(5);
            let payoffs: Vec<f64> =
                (0..height * width).map(|_| random.below(levels + 1) as f64 * 20.0).collect();
            let found = solve(&payoffs, width);
            assert!((found.high - found.low).abs() < 1e-6, "{payoffs:?} {found:?}");
            assert!((found.rows.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!((found.columns.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
