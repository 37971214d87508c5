//! What moves were worth in playouts: for each move how often it was made, and what its role got in the end; and the same for
//! each move made while each fluent held.
//!
//! The planes of the positions that made a move are collected while they play; at the end they meet the rewards, as planes
//! of binary digits, so that a sweep of hundreds of playouts costs a few operations for each move. What held when moves were
//! made is too much for that: there each position has its own history.

use circuit::lanes::{Finished, Observer, View};
use circuit::plane::{self, LANES, Plane, WORDS};
use circuit::transpose::transpose;

/// The binary digits of a reward up to 100.
const DIGITS: usize = 7;
/// No table is kept of more cells than this, and no history of more words.
const MOST_CELLS: usize = 1 << 22;
const MOST_WORDS: usize = 1 << 22;

/// What something was worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Credit {
    /// How often it was done.
    pub made: f32,
    /// The rewards of the role that did it, added up.
    pub sum: f32,
}

impl Credit {
    fn add(&mut self, reward: f32) {
        self.made += 1.0;
        self.sum += reward;
    }

    fn fade(&mut self, part: f32) {
        self.made *= part;
        self.sum *= part;
    }
}

/// What the moves of a role were worth while fluents held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Each move, by its number in the circuit: once for each time that it was made.
    pub moves: Vec<Credit>,
    /// For each move each fluent, by their numbers in the circuit.
    cells: Vec<Credit>,
    fluents: usize,
}

impl Table {
    /// What moves were worth, and what each was worth while each fluent held.
    pub fn new(moves: Vec<Credit>, rows: &[Vec<Credit>]) -> Self {
        let fluents = rows.first().map_or(0, Vec::len);
        Self { moves, cells: rows.concat(), fluents }
    }

    /// What a move was worth while each fluent held.
    pub fn row(&self, action: usize) -> &[Credit] {
        let from = action * self.fluents;
        self.cells.get(from..from + self.fluents).unwrap_or(&[])
    }
}

/// What all moves were worth, by role and by the number of the move in the circuit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Credits {
    /// For each role its moves: once for each playout in which a move was made.
    pub roles: Vec<Vec<Credit>>,
    /// For each role what held when its moves were made, from the playouts of which that was wanted.
    pub tables: Vec<Table>,
    /// Playouts that were learned from.
    pub playouts: f32,
}

impl Credits {
    /// Makes everything weigh less.
    pub fn fade(&mut self, part: f32) {
        self.playouts *= part;
        let tables = self.tables.iter_mut();
        let cells = tables.flat_map(|table| table.moves.iter_mut().chain(&mut table.cells));
        self.roles.iter_mut().flatten().chain(cells).for_each(|credit| credit.fade(part));
    }

    /// Room for tables of moves and fluents.
    fn lay_out(&mut self, moves: &[Vec<Plane>], fluents: usize) {
        if self.tables.len() == moves.len() {
            return;
        }
        let table = |own: &Vec<Plane>| Table {
            moves: vec![Credit::default(); own.len()],
            cells: vec![Credit::default(); own.len() * fluents],
            fluents,
        };
        self.tables = moves.iter().map(table).collect();
    }
}

/// A position that made no move.
const NOTHING: u32 = u32::MAX;

/// One step of all positions.
struct Step {
    /// For each role the move that each position made.
    moves: Vec<Vec<u32>>,
    /// The state of each position before it, some words each.
    states: Vec<u64>,
}

/// Collects who made which move.
pub(crate) struct Ledger {
    made: Vec<Vec<Plane>>,
    /// The positions of finished playouts, and the digits of the rewards of each role.
    finished: Plane,
    digits: Vec<[Plane; DIGITS]>,
    rewards: Vec<Vec<u8>>,
    fluents: usize,
    /// The steps, where they are wanted.
    steps: Option<Vec<Step>>,
}

impl Ledger {
    /// For roles with so many moves each, and so many fluents; with histories if these are wanted and not too large.
    pub(crate) fn new(moves: impl Iterator<Item = usize>, fluents: usize, history: bool) -> Self {
        let made: Vec<Vec<Plane>> = moves.map(|count| vec![plane::NONE; count]).collect();
        let digits = vec![[plane::NONE; DIGITS]; made.len()];
        let rewards = vec![Vec::new(); LANES];
        let all: usize = made.iter().map(Vec::len).sum();
        let fits = all.saturating_mul(fluents) <= MOST_CELLS;
        let steps = (history && fits).then(Vec::new);
        Self { made, finished: plane::NONE, digits, rewards, fluents, steps }
    }

    /// A playout is over.
    pub(crate) fn reward(&mut self, lane: usize, rewards: Vec<u8>) {
        plane::set(&mut self.finished, lane, true);
        for (digits, reward) in self.digits.iter_mut().zip(&rewards) {
            for (digit, plane) in digits.iter_mut().enumerate() {
                plane::set(plane, lane, reward >> digit & 1 == 1);
            }
        }
        self.rewards[lane] = rewards;
    }

    /// Adds what was found to what is known.
    pub(crate) fn settle(self, credits: &mut Credits) {
        credits.roles.resize(self.made.len(), Vec::new());
        credits.playouts += plane::count(&self.finished) as f32;
        for ((made, digits), known) in self.made.iter().zip(&self.digits).zip(&mut credits.roles) {
            known.resize(made.len(), Credit::default());
            for (plane, credit) in made.iter().zip(known) {
                let by = plane::and(plane, &self.finished);
                if !plane::any(&by) {
                    continue;
                }
                credit.made += plane::count(&by) as f32;
                let with = |digit: &Plane| plane::count(&plane::and(&by, digit));
                let sum: u32 = digits.iter().enumerate().map(|(at, d)| with(d) << at).sum();
                credit.sum += sum as f32;
            }
        }
        if let Some(steps) = &self.steps {
            credits.lay_out(&self.made, self.fluents);
            for step in steps {
                self.settle_step(step, &mut credits.tables);
            }
        }
    }

    fn settle_step(&self, step: &Step, tables: &mut [Table]) {
        let words = self.fluents.div_ceil(64);
        for (role, (moves, table)) in step.moves.iter().zip(tables).enumerate() {
            for (lane, action) in moves.iter().enumerate().filter(|(_, m)| **m != NOTHING) {
                let Some(reward) = self.rewards[lane].get(role) else { continue };
                let (action, reward) = (*action as usize, f32::from(*reward));
                table.moves[action].add(reward);
                let row = &mut table.cells[action * self.fluents..(action + 1) * self.fluents];
                let state = &step.states[lane * words..(lane + 1) * words];
                for (word, bits) in state.iter().enumerate() {
                    let mut rest = *bits;
                    while rest != 0 {
                        row[word * 64 + rest.trailing_zeros() as usize].add(reward);
                        rest &= rest - 1;
                    }
                }
            }
        }
    }

    /// The states of all positions before a move, some words each.
    fn states(&self, view: &View<'_>) -> Vec<u64> {
        let words = self.fluents.div_ceil(64);
        let mut states = vec![0; LANES * words];
        for word in 0..words {
            for group in 0..WORDS {
                let mut rows = [0; 64];
                let fluents = word * 64..self.fluents.min(word * 64 + 64);
                for (row, fluent) in rows.iter_mut().zip(fluents) {
                    *row = view.fluent(fluent)[group];
                }
                transpose(&mut rows);
                for (at, row) in rows.into_iter().enumerate() {
                    states[(group * 64 + at) * words + word] = row;
                }
            }
        }
        states
    }
}

impl Observer for Ledger {
    fn moved(&mut self, view: &View<'_>) {
        let most = MOST_WORDS / (LANES * self.fluents.div_ceil(64)).max(1);
        let mut step = self.steps.as_ref().filter(|steps| steps.len() < most).map(|_| {
            let moves = vec![vec![NOTHING; LANES]; self.made.len()];
            Step { moves, states: self.states(view) }
        });
        for (role, own) in self.made.iter_mut().enumerate() {
            view.moves(role, |action, by| {
                own[action] = plane::or(&own[action], by);
                if let Some(step) = &mut step {
                    let moves = &mut step.moves[role];
                    plane::lanes_of(by).for_each(|lane| moves[lane] = action as u32);
                }
            });
        }
        if let (Some(steps), Some(step)) = (&mut self.steps, step) {
            steps.push(step);
        }
    }

    fn finished(&mut self, _: &Finished) {}
}

#[cfg(test)]
mod tests {
    use ground::Budget;

    use super::*;
    use crate::{Answer, Batch, Game, Machine, Preferences};

    /// Two choices: first a or b, then c or d. 100 for a and then d, 40 for b and then c, otherwise nothing.
    const CHOICES: &str = "(role r) (init (at 0)) (first a) (first b) (second c) (second d)
        (<= (legal r ?m) (true (at 0)) (first ?m)) (<= (legal r ?m) (true (at 1)) (second ?m))
        (<= (next (at 1)) (true (at 0))) (<= (next (at 2)) (true (at 1)))
        (<= (next (made ?m)) (does r ?m)) (<= (next (made ?m)) (true (made ?m)))
        (<= terminal (true (at 2)))
        (<= best (true (made a)) (true (made d))) (<= fair (true (made b)) (true (made c)))
        (<= (goal r 100) best) (<= (goal r 40) fair) (<= (goal r 0) (not best) (not fair))";

    /// The batch, and the numbers of the moves a, b, c and d.
    fn choices() -> (Game, Batch, [usize; 4]) {
        let game = Game::from_text(CHOICES).expect("sound");
        let batch = Batch::new(&game, &Budget::default(), 3).expect("small");
        let gates = crate::Gates::build(&game, &Budget::default()).expect("small");
        let numbers = ["a", "b", "c", "d"].map(|name| {
            let named = |m: &crate::Move| &*game.universe().move_entry(*m).text == name;
            gates.moves()[0].iter().position(named).expect("a move")
        });
        (game, batch, numbers)
    }

    fn fluent(game: &Game, text: &str) -> usize {
        let gates = crate::Gates::build(game, &Budget::default()).expect("small");
        let named = |f: &crate::FluentId| &*game.universe().fluent_entry(*f).text == text;
        gates.fluents().iter().position(named).expect("a fluent")
    }

    fn played(batch: &mut Batch, game: &Game) -> Credits {
        let initial = game.interpreter().initial().expect("there is one");
        let mut credits = Credits::default();
        for _ in 0..8 {
            let starts = vec![&initial; Batch::LANES];
            batch.playouts_credited(&starts, 10, || true, (&mut credits, true));
        }
        credits
    }

    #[test]
    fn credits_tell_what_moves_were_worth_and_when() {
        let (game, mut batch, [a, b, c, d]) = choices();
        let credits = played(&mut batch, &game);
        let all = (8 * Batch::LANES) as f32;
        assert!((credits.playouts - all).abs() < 0.5);
        let own = &credits.roles[0];
        assert!((own[a].made + own[b].made - all).abs() < 0.5);
        let worth = |action: usize| own[action].sum / own[action].made;
        for (action, expected) in [(a, 50.0), (b, 20.0), (c, 20.0), (d, 50.0)] {
            assert!((worth(action) - expected).abs() < 4.0, "{action}: {}", worth(action));
        }
        let table = &credits.tables[0];
        let made_a = fluent(&game, "(made a)");
        let after_a = |action: usize| {
            let credit = table.row(action)[made_a];
            (credit.sum / credit.made).round()
        };
        assert_eq!((after_a(c), after_a(d)), (0.0, 100.0));
        assert!(table.row(a)[made_a].made == 0.0, "it was not made before it was made");
        assert!((table.moves[d].made - own[d].made).abs() < 0.5, "each is made once at most");
        let mut faded = credits.clone();
        faded.fade(0.5);
        assert!((faded.roles[0][a].made - own[a].made / 2.0).abs() < 0.01);
    }

    #[test]
    fn playouts_follow_preferences_and_answers() {
        let (game, mut batch, [a, b, c, d]) = choices();
        let mut halvings = vec![vec![0; 4]];
        halvings[0][b] = 5;
        let answers = vec![Answer { fluent: fluent(&game, "(made a)"), action: (0, d) }];
        batch.guide(Some(&Preferences { halvings, answers, splits: Vec::new() }));
        let credits = played(&mut batch, &game);
        let made = |action: usize| credits.roles[0][action].made / credits.playouts;
        // b stays one time in 32, and is then one of two.
        assert!((made(b) - 1.0 / 64.0).abs() < 0.01, "{}", made(b));
        // After a, which is nearly always, d follows but for half of an eighth.
        assert!((made(c) - (1.0 / 16.0 * made(a) + made(b) / 2.0)).abs() < 0.02, "{}", made(c));
        batch.guide(None);
        let credits = played(&mut batch, &game);
        assert!((credits.roles[0][d].made / credits.playouts - 0.5).abs() < 0.04);
    }
}
