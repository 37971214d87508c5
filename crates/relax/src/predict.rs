//! Heuristic search or Monte-Carlo tree search? A guess from the game itself, within a part of the start clock.
//!
//! Rauber-14 finds that alpha-beta with h1 beats UCT in most games with many shallow traps, and may lose elsewhere.
//! Measured are therefore the density of shallow traps, the number of moves, the length of random play, and how much
//! an evaluation changes from one turn of a role to the next and tells of the end ([`measure`]). A logistic regression
//! on some of these, with a penalty on large weights, gives the chance that heuristic search is the better choice. What
//! it was made from, and how well it does on games that it was not made from, is in `docs/traps.md`.

use crate::predict_data;

pub use crate::measure::{Features, Measuring, measure};

/// A feature that a model may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The density of traps.
    Traps,
    /// The logarithm of the number of moves.
    Branching,
    /// The logarithm of the length of random play.
    Length,
    /// The change of the evaluation.
    Change,
    /// The correlation of the evaluation with the end.
    Merit,
}

impl Input {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Traps, Self::Branching, Self::Length, Self::Change, Self::Merit];

    fn of(self, features: &Features) -> f64 {
        match self {
            Self::Traps => features.traps,
            Self::Branching => features.branching.max(1.0).ln(),
            Self::Length => features.length.max(1.0).ln(),
            Self::Change => features.change,
            Self::Merit => features.merit,
        }
    }
}

/// What to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Alpha-beta with an evaluation.
    Heuristic,
    /// Monte-Carlo tree search.
    MonteCarlo,
}

/// A game that was played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Played {
    /// Its name in the library.
    pub name: &'static str,
    /// Games of a family are much alike, so that one of them tells too much about another.
    pub family: &'static str,
    /// What was measured.
    pub features: Features,
    /// The mean result of heuristic search, from -1 to 1.
    pub result: f64,
}

/// The games that [`Model::known`] is made from.
pub fn known_games() -> &'static [Played] {
    predict_data::GAMES
}

/// A logistic regression.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    terms: Vec<Term>,
    bias: f64,
}

/// A feature, standardised, with its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    input: Input,
    mean: f64,
    scale: f64,
    weight: f64,
}

impl Term {
    fn new(input: Input, games: &[Played]) -> Self {
        let count = games.len().max(1) as f64;
        let values = || games.iter().map(|game| input.of(&game.features));
        let mean = values().sum::<f64>() / count;
        let squares = values().map(|value| (value - mean).powi(2)).sum::<f64>();
        Self { input, mean, scale: (squares / count).sqrt().max(1e-9), weight: 0.0 }
    }

    fn value(&self, features: &Features) -> f64 {
        (self.input.of(features) - self.mean) / self.scale
    }
}

const ROUNDS: usize = 4000;
const RATE: f64 = 0.3;
/// The penalty on squares of weights.
const PENALTY: f64 = 0.05;
/// What the known model looks at: of all sets of features none did better on games that were left out.
const INPUTS: &[Input] = &[Input::Branching];

impl Model {
    /// The model of the games in `docs/traps.md`.
    pub fn known() -> Self {
        Self::fit(known_games(), INPUTS)
    }

    /// Fits a model by gradient descent; results count as chances.
    pub fn fit(games: &[Played], inputs: &[Input]) -> Self {
        let count = games.len().max(1) as f64;
        let terms = inputs.iter().map(|input| Term::new(*input, games)).collect();
        let mut model = Self { terms, bias: 0.0 };
        for _ in 0..ROUNDS {
            let mut slopes: Vec<f64> = model.terms.iter().map(|t| PENALTY * t.weight).collect();
            let mut slope = 0.0;
            for game in games {
                let wanted = f64::midpoint(game.result.clamp(-1.0, 1.0), 1.0);
                let error = (model.chance(&game.features) - wanted) / count;
                slope += error;
                for (own, term) in slopes.iter_mut().zip(&model.terms) {
                    *own += error * term.value(&game.features);
                }
            }
            model.bias -= RATE * slope;
            for (term, slope) in model.terms.iter_mut().zip(slopes) {
                term.weight -= RATE * slope;
            }
        }
        model
    }

    /// The chance that heuristic search is better.
    pub fn chance(&self, features: &Features) -> f64 {
        let terms = self.terms.iter().map(|term| term.weight * term.value(features));
        1.0 / (1.0 + (-self.bias - terms.sum::<f64>()).exp())
    }

    /// What to use, and the chance that it is better.
    pub fn choose(&self, features: &Features) -> (Choice, f64) {
        let chance = self.chance(features);
        if chance >= 0.5 { (Choice::Heuristic, chance) } else { (Choice::MonteCarlo, 1.0 - chance) }
    }

    /// The features and their weights, for standardised features.
    pub fn weights(&self) -> Vec<(Input, f64)> {
        self.terms.iter().map(|term| (term.input, term.weight)).collect()
    }
}

/// For each game the chance that a model made from games of other families gives to heuristic search.
pub fn leave_out(games: &[Played], inputs: &[Input]) -> Vec<f64> {
    let chance = |left: &Played| {
        let others = games.iter().filter(|game| game.family != left.family);
        let others: Vec<Played> = others.copied().collect();
        Model::fit(&others, inputs).chance(&left.features)
    };
    games.iter().map(chance).collect()
}

/// How good choices are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Games in which the better search was chosen; both are right where matches were even.
    pub right: usize,
    /// The same for always choosing Monte-Carlo tree search.
    pub always: usize,
    /// Points against Monte-Carlo tree search of whoever follows the choices, of 100.
    pub points: f64,
    /// The same for whoever knows the results.
    pub most: f64,
}

/// Judges chances of heuristic search by results.
pub fn judge(games: &[Played], chances: &[f64]) -> Score {
    let mut score = Score::default();
    let share = 50.0 / games.len().max(1) as f64;
    (score.points, score.most) = (50.0, 50.0);
    for (game, chance) in games.iter().zip(chances) {
        let heuristic = *chance >= 0.5;
        score.right += usize::from(if heuristic { game.result >= 0.0 } else { game.result <= 0.0 });
        score.always += usize::from(game.result <= 0.0);
        score.points += if heuristic { share * game.result } else { 0.0 };
        score.most += share * game.result.max(0.0);
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(traps: f64, branching: f64) -> Features {
        Features { traps, branching, length: 40.0, change: 0.1, merit: 0.0 }
    }

    fn played(family: &'static str, features: Features, result: f64) -> Played {
        Played { name: family, family, features, result }
    }

    #[test]
    fn a_model_finds_what_the_games_have_in_common() {
        // Traps decide, the number of moves does not.
        const FAMILIES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
        let games: Vec<Played> = (0..12u32)
            .map(|at| {
                let many = at % 2 == 0;
                let result = if many { 0.8 } else { -0.8 };
                let features = game(if many { 0.4 } else { 0.05 }, f64::from(5 + at));
                played(FAMILIES[at as usize / 2], features, result)
            })
            .collect();
        let model = Model::fit(&games, &Input::ALL);
        assert_eq!(model.choose(&game(0.5, 9.0)).0, Choice::Heuristic);
        assert_eq!(model.choose(&game(0.0, 9.0)).0, Choice::MonteCarlo);
        assert!(model.weights()[0].1 > 3.0 * model.weights()[1].1.abs());
        let score = judge(&games, &leave_out(&games, &Input::ALL));
        assert_eq!((score.right, score.always), (12, 6));
        assert!((score.points - 70.0).abs() < 1e-9 && (score.most - 70.0).abs() < 1e-9);
    }

    #[test]
    fn games_of_the_same_family_are_left_out_together() {
        // Only the family tells: without it there is nothing to go by.
        let games: Vec<Played> =
            [("a", 0.4, 1.0), ("a", 0.4, 1.0), ("b", 0.1, -1.0), ("c", 0.4, -1.0)]
                .map(|(family, traps, result)| played(family, game(traps, 9.0), result))
                .to_vec();
        let chances = leave_out(&games, &[Input::Traps]);
        assert!(chances[0] < 0.3 && (chances[0] - chances[1]).abs() < 1e-9, "{chances:?}");
    }

    #[test]
    fn models_of_nothing_and_of_one_game_are_defined() {
        assert!((Model::fit(&[], &Input::ALL).chance(&game(0.5, 3.0)) - 0.5).abs() < 1e-9);
        let one = [played("a", game(0.1, 1.0), 1.0)];
        assert!(Model::fit(&one, &Input::ALL).chance(&game(0.7, 1e9)).is_finite());
        assert!(leave_out(&one, &Input::ALL)[0].is_finite());
        assert!(judge(&[], &[]).points.is_finite());
    }

    #[test]
    fn the_known_model_speaks_about_every_game() {
        let model = Model::known();
        for game in known_games() {
            let (_, chance) = model.choose(&game.features);
            assert!((0.5..=1.0).contains(&chance), "{}", game.name);
            let sound = (-1.0..=1.0).contains(&game.result) && game.features.branching >= 1.0;
            assert!(sound, "{}", game.name);
        }
    }
}
