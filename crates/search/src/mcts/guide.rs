//! Playouts in lanes that prefer moves which did well: MAST for hundreds of playouts at once.
//!
//! Of some sweeps it is kept what each move was worth wherever it was made (Finnsson and Björnsson 2008). From time to time
//! that becomes halvings, the preferences that lanes understand: a move with h of them has 2^-h times the chance to be
//! considered. For each move the fluent is looked for that tells most about when it is good (a capture is good while there is
//! something to capture), so that each move is a stump of a decision tree. Worth is measured against the other moves of the
//! role, in standard deviations, as rewards differ from game to game. Each thread learns for itself, so nothing is shared.

use game::{Answer, Batch, Credit, Credits, Deadline, Outcome, Preferences, Split, State, Table};

use super::options::Options;

/// Every so many sweeps are learned from.
const LEARNED: u32 = 4;
/// The first lessons and then every so many of them are also about what held when moves were made, which takes longer.
const IN_DETAIL: (u32, u32) = (6, 8);
/// So many times a move has to be made with and without a fluent.
const LEAST_MADE: f32 = 30.0;
/// The standard deviation of a reward, for errors.
const SPREAD: f32 = 50.0;
/// A fluent makes a difference if that many standard errors say so; many fluents are looked at.
const CERTAIN: f32 = 4.0;
/// A move is urgent that is better by so many standard deviations of the worth of moves.
const URGENT: f32 = 2.5;
/// New preferences after so many lessons at first, and at most.
const LESSONS: (u32, u32) = (2, 32);
/// A move counts as if it had been made so many times more, with the mean reward.
const SHRINKAGE: f32 = 20.0;
/// Deviations below this many points are taken to be as large.
const LEAST_DEVIATION: f32 = 3.0;
/// The moves of a role are preferred to each other only where their worth has such a standard deviation. In random play from the
/// initial state it is 7 points in breakthrough and 5 in reversi, where preferences paid; in connect four it is 2, and in kalaha and
/// tron, whose few moves mean something else in each state, 0.3, where they did harm (docs/strength.md).
const TELLING: f32 = 3.5;
/// What is left of earlier playouts when the match goes on: as for other policies.
const FADE: f32 = 0.2;

/// What a thread learned about moves.
#[derive(Debug, Default)]
pub(super) struct Guide {
    pub(super) credits: Credits,
    sweeps: u32,
    lessons: u32,
    /// Lessons until preferences are made anew.
    due: u32,
    /// Whether the lanes know of it.
    told: bool,
}

impl Guide {
    /// A playout from each of the states, and what is to be learned from them.
    pub(super) fn sweep(
        &mut self,
        batch: &mut Batch,
        starts: &[&State],
        options: &Options,
        deadline: &Deadline,
    ) -> Vec<Option<Outcome>> {
        let go_on = || !deadline.passed();
        self.sweeps = self.sweeps.wrapping_add(1);
        if options.guide > 0.0 && !self.told && self.credits.playouts > 0.0 {
            self.told = true;
            batch.guide(Some(&preferences(&self.credits, options)));
        }
        if options.guide <= 0.0 || self.sweeps % LEARNED != 1 {
            return batch.playouts_while(starts, options.longest, go_on);
        }
        let lesson = self.sweeps / LEARNED;
        let in_detail = lesson < IN_DETAIL.0 || lesson.is_multiple_of(IN_DETAIL.1);
        let tables = options.conditions && in_detail;
        let credits = (&mut self.credits, tables);
        let outcomes = batch.playouts_credited(starts, options.longest, go_on, credits);
        self.lessons += 1;
        if self.lessons >= self.due.max(LESSONS.0) {
            self.due = (self.due.max(LESSONS.0) * 2).min(LESSONS.1);
            self.lessons = 0;
            self.told = true;
            batch.guide(Some(&preferences(&self.credits, options)));
        }
        outcomes
    }

    /// What was learned, for other lanes.
    pub(super) fn for_others(self) -> Self {
        Self { told: false, ..self }
    }

    /// The match went on: old playouts weigh less.
    pub(super) fn fade(&mut self) {
        self.credits.fade(FADE);
        self.due = 0;
    }
}

/// What was learned, as the lanes understand it.
fn preferences(credits: &Credits, options: &Options) -> Preferences {
    let scales: Vec<Scale> = credits.roles.iter().map(|own| Scale::of(own)).collect();
    let own = credits.roles.iter().zip(&scales);
    let sharpness = options.guide as f32;
    let halvings = own.map(|(own, scale)| scale.halvings(own, sharpness)).collect();
    let mut found = Preferences { halvings, ..Preferences::default() };
    for (role, (table, scale)) in credits.tables.iter().zip(&scales).enumerate() {
        if options.conditions && scale.tells {
            Conditions::new(table).find(role, scale, sharpness, &mut found);
        }
    }
    found
}

/// Looks for fluents that tell when a move is good.
///
/// A fluent may tell how good a state is, whatever is done. So a move made while it held is compared with all moves made
/// while it held, and the move made otherwise with all moves made otherwise.
struct Conditions<'t> {
    table: &'t Table,
    /// All moves, and all moves while each fluent held.
    all: Credit,
    held: Vec<Credit>,
}

/// A move with and without a fluent: what is better or worse about it than about all moves.
struct Contrast {
    fluent: usize,
    with: f32,
    without: f32,
    /// The difference in standard errors.
    certainty: f32,
}

impl<'t> Conditions<'t> {
    fn new(table: &'t Table) -> Self {
        let mut all = Credit::default();
        let mut held: Vec<Credit> = Vec::new();
        for (action, credit) in table.moves.iter().enumerate() {
            let row = table.row(action);
            held.resize(row.len(), Credit::default());
            for (sum, cell) in held.iter_mut().zip(row) {
                *sum = Credit { made: sum.made + cell.made, sum: sum.sum + cell.sum };
            }
            all = Credit { made: all.made + credit.made, sum: all.sum + credit.sum };
        }
        Self { table, all, held }
    }

    /// The fluent that makes the greatest difference to a move.
    fn best(&self, action: usize) -> Option<Contrast> {
        let whole = self.table.moves[action];
        let contrasts = self.table.row(action).iter().zip(&self.held).enumerate();
        let contrasts = contrasts.filter_map(|(fluent, (cell, held))| {
            let (other, rest) = (less(whole, *cell), less(self.all, *held));
            if cell.made < LEAST_MADE || other.made < LEAST_MADE {
                return None;
            }
            let with = mean(*cell) - mean(*held);
            let without = mean(other) - mean(rest);
            let error = SPREAD * (1.0 / cell.made + 1.0 / other.made).sqrt();
            Some(Contrast { fluent, with, without, certainty: (with - without).abs() / error })
        });
        contrasts.max_by(|a, b| a.certainty.total_cmp(&b.certainty))
    }

    fn find(&self, role: usize, scale: &Scale, sharpness: f32, found: &mut Preferences) {
        for action in 0..self.table.moves.len() {
            let Some(contrast) = self.best(action).filter(|best| best.certainty >= CERTAIN) else {
                continue;
            };
            let Contrast { fluent, with, without, .. } = contrast;
            let by = |advantage: f32| scale.halved(scale.mean + advantage, sharpness);
            found.halvings[role][action] = by(without);
            let (action, halvings) = ((role, action), by(with));
            found.splits.push(Split { action, fluent, halvings });
            if with >= scale.deviation * URGENT {
                found.answers.push(Answer { fluent, action });
            }
        }
    }
}

fn less(all: Credit, part: Credit) -> Credit {
    Credit { made: all.made - part.made, sum: all.sum - part.sum }
}

fn mean(credit: Credit) -> f32 {
    credit.sum / credit.made.max(1.0)
}

/// What the moves of a role are worth, all in all.
struct Scale {
    mean: f32,
    deviation: f32,
    /// Whether moves differ at all.
    tells: bool,
}

impl Scale {
    fn of(moves: &[Credit]) -> Self {
        let made: f32 = moves.iter().map(|credit| credit.made).sum::<f32>().max(1.0);
        let mean = moves.iter().map(|credit| credit.sum).sum::<f32>() / made;
        let mut scale = Self { mean, deviation: LEAST_DEVIATION, tells: false };
        let square = |credit: &Credit| (scale.worth(*credit) - mean).powi(2) * credit.made;
        let deviation = (moves.iter().map(square).sum::<f32>() / made).sqrt();
        scale.tells = deviation >= TELLING;
        scale.deviation = deviation.max(LEAST_DEVIATION);
        scale
    }

    fn worth(&self, credit: Credit) -> f32 {
        (credit.sum + SHRINKAGE * self.mean) / (credit.made + SHRINKAGE)
    }

    /// How much less each move is to be considered: one standard deviation above the mean and better not at all less.
    fn halvings(&self, moves: &[Credit], sharpness: f32) -> Vec<u8> {
        if !self.tells {
            return vec![0; moves.len()];
        }
        moves.iter().map(|credit| self.halved(self.worth(*credit), sharpness)).collect()
    }

    fn halved(&self, worth: f32, sharpness: f32) -> u8 {
        let below = (self.mean + self.deviation - worth) / self.deviation * sharpness;
        (0..game::MOST_HALVINGS).take_while(|halvings| below >= f32::from(*halvings) + 0.5).count()
            as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_moves_are_halved_less() {
        let credit = |made: f32, value: f32| Credit { made, sum: made * value };
        let moves =
            [credit(500.0, 70.0), credit(500.0, 50.0), credit(500.0, 30.0), credit(0.0, 0.0)];
        let halvings = |moves: &[Credit], sharpness| Scale::of(moves).halvings(moves, sharpness);
        let sharp = halvings(&moves, 2.0);
        assert!(sharp[0] < sharp[1] && sharp[1] < sharp[2], "{sharp:?}");
        assert_eq!(sharp[1], sharp[3], "what was never made is taken to be as good as the mean");
        assert_eq!(halvings(&moves, 0.0), [0; 4]);
        assert_eq!(halvings(&[credit(900.0, 50.0), credit(900.0, 51.0)], 2.0), [0, 0], "alike");
    }

    /// Move 0 is good while fluent 1 holds and bad otherwise; fluent 0 tells that everything is good.
    #[test]
    fn a_move_is_split_by_the_fluent_that_tells_when_it_is_good() {
        let credit = |made: f32, value: f32| Credit { made, sum: made * value };
        let rows = [
            vec![credit(400.0, 70.0), credit(300.0, 90.0)],
            vec![credit(400.0, 65.0), credit(400.0, 50.0)],
        ];
        let table = Table::new(vec![credit(1000.0, 50.0), credit(1000.0, 45.0)], &rows);
        let conditions = Conditions::new(&table);
        let best = conditions.best(0).expect("there is one");
        assert_eq!(best.fluent, 1);
        assert!(best.with > 10.0 && best.without < -3.0 && best.certainty > CERTAIN);
        let mut found = Preferences { halvings: vec![vec![1, 1]], ..Preferences::default() };
        let scale = Scale { mean: 47.5, deviation: 5.0, tells: true };
        conditions.find(0, &scale, 1.0, &mut found);
        let split = found.splits.iter().find(|split| split.action == (0, 0)).expect("split");
        assert_eq!((split.fluent, split.halvings), (1, 0));
        assert!(found.halvings[0][0] > 1, "{found:?}");
        assert!(found.answers.contains(&Answer { fluent: 1, action: (0, 0) }));
    }
}
