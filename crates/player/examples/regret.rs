//! What the moves of strategies cost, by what much longer searches say of them.
//! `cargo run --release -p player --example regret -- FILE START PLAY POSITIONS STRATEGY... -- GAME...` with the clocks in CPU seconds
//! of the busiest thread.
//!
//! Positions are taken at random from matches of a quick tree search against itself, one from each match, where one role has a choice.
//! Each strategy chooses a move in each of them. Where they choose differently, a position after each of these moves is searched for
//! `REFERENCE` times as long: by alpha-beta, and by a tree where that does not solve it. The regret of a strategy is how much less its
//! move is worth than the best of those chosen, in points. The reference is a search of our own, so what it cannot see nobody is blamed for.
//!
//! `2*STRATEGY` has twice the time for each move.
//!
//! Everything is kept in FILE, line by line: the same command goes on where it was interrupted, and further strategies are compared
//! on the same positions, with the same clocks. Strategies are compared with the first one, position by position.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use game::playout::Random;
use game::{Budget, JointMove, Move, Reasoner, Role, State};
use player::{Setup, Strategy};
use search::class::{self, Sampling};
use search::deepening::{self, Deepening};
use search::mcts::{self, Mcts};
use search::{Blind, Effort, GameClass, Look, Search, Turn};
use serde::{Deserialize, Serialize};

use common::clock::Clock;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How many times longer than a move of a strategy a position after it is searched.
const REFERENCE: u32 = 12;
/// One of so many parts of that is for alpha-beta.
const SOLVING: u32 = 4;
/// Nodes for a move of the matches that positions are taken from.
const NODES: u64 = 200;
/// Longer matches are not played on.
const LONGEST: usize = 300;

/// A line of the file.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
enum Line {
    /// The seconds of the clocks; those of the whole file.
    Clocks { start: f64, play: f64 },
    /// A position of a game, by the joint moves that lead to it.
    Position { game: String, number: u32, joints: Vec<Vec<String>> },
    /// What a strategy chose there.
    Choice { game: String, number: u32, strategy: String, action: String },
    /// What a move there is worth to who makes it.
    Worth { game: String, number: u32, action: String, value: f64, solved: bool },
}

type Place = (String, u32);

/// How many times the time of others a strategy has, and which it is.
fn parse(text: &str) -> Option<(f64, Strategy)> {
    let (times, strategy) = text.split_once('*').unwrap_or(("1", text));
    Some((times.parse().ok()?, Strategy::parse(strategy).ok()?))
}

/// What the file has.
struct Book {
    file: File,
    clocks: Option<(f64, f64)>,
    positions: BTreeMap<Place, Vec<Vec<String>>>,
    choices: BTreeMap<(Place, String), String>,
    worth: BTreeMap<(Place, String), f64>,
}

impl Book {
    fn open(path: &str) -> std::io::Result<Self> {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let lines = BufReader::new(File::open(path)?).lines();
        let (positions, choices, worth) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut book = Self { file, clocks: None, positions, choices, worth };
        for line in lines {
            // A line that was being written when the program ended is done anew.
            if let Ok(line) = serde_json::from_str(&line?) {
                book.take(line);
            }
        }
        // Ends a line that was cut off.
        writeln!(book.file)?;
        Ok(book)
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Clocks { start, play } => self.clocks = Some((start, play)),
            Line::Position { game, number, joints } => {
                self.positions.insert((game, number), joints);
            }
            Line::Choice { game, number, strategy, action } => {
                self.choices.insert(((game, number), strategy), action);
            }
            Line::Worth { game, number, action, value, .. } => {
                self.worth.insert(((game, number), action), value);
            }
        }
    }

    fn add(&mut self, line: Line) {
        let written = serde_json::to_string(&line).map(|text| writeln!(self.file, "{text}"));
        if !matches!(written, Ok(Ok(()))) {
            eprintln!("a line could not be written");
        }
        self.take(line);
    }

    /// What a strategy lost in a position, given all strategies that are compared.
    fn regret(&self, place: &Place, strategies: &[String], strategy: &String) -> Option<f64> {
        let of = |strategy: &String| self.choices.get(&(place.clone(), strategy.clone()));
        let all: Option<BTreeSet<&String>> = strategies.iter().map(of).collect();
        let all = all?;
        if all.len() == 1 {
            return Some(0.0);
        }
        let worth = |action: &String| self.worth.get(&(place.clone(), action.clone())).copied();
        let best = all.into_iter().map(worth).collect::<Option<Vec<f64>>>()?;
        Some(best.into_iter().fold(0.0, f64::max) - worth(of(strategy)?)?)
    }
}

/// A game on which strategies are tried.
struct Table<'t> {
    name: String,
    reasoner: Reasoner,
    class: GameClass,
    clock: &'t Clock,
    clocks: (Duration, Duration),
}

impl<'t> Table<'t> {
    fn new(name: &str, clock: &'t Clock, clocks: (Duration, Duration)) -> Option<Self> {
        let reasoner = Reasoner::build(&common::game(name)?, &Budget::default());
        let (class, _) = class::sample(&mut *reasoner.machine(), &Sampling::default()).ok()?;
        Some(Self { name: name.to_owned(), reasoner, class, clock, clocks })
    }

    fn text(&self, action: Move) -> String {
        self.reasoner.game().universe().move_entry(action).text.to_string()
    }

    fn action(&self, text: &str) -> Option<Move> {
        let universe = self.reasoner.game().universe();
        Some(universe.action(&universe.parse(text)?))
    }

    fn tree(&self, seed: u64) -> Mcts {
        let options = mcts::Options {
            history: 4.0,
            // With more roles values that follow favourites depend on what those do who have nothing to win.
            favour: if self.class.roles == 2 { 0.8 } else { 0.0 },
            spread: true,
            simultaneous: mcts::Simultaneous::Response,
            memory: 1 << 30,
            seed,
            ..mcts::Options::default()
        };
        Mcts::new(&self.reasoner, options).with_class(&self.class)
    }

    /// The joint moves of a match up to a position where the role that it is taken for has a choice.
    fn position(&self, number: u32) -> Option<Vec<Vec<String>>> {
        let mut machine = self.reasoner.machine();
        let mut random = Random::new(u64::from(number) * 7919 + 1);
        let mut search = self.tree(u64::from(number) + 1);
        let (mut state, mut look) = (machine.initial().ok()?, Look::default());
        let (mut joints, mut found) = (Vec::new(), Vec::new());
        for step in 0..LONGEST {
            match look.at(&mut *machine, &state).ok()? {
                Turn::End => break,
                Turn::Of(role) if role == self.role(number) => found.push(step),
                _ => {}
            }
            let moves = look.moves.clone();
            let mut joint = Vec::new();
            for (role, own) in moves.iter().enumerate() {
                let best = if own.len() > 1 {
                    let effort = Effort::nodes(NODES);
                    search.search(&state, Role(role as u32), &effort, &mut |_| ()).ok()?.best
                } else {
                    None
                };
                joint.push(best.unwrap_or_else(|| own[random.below(own.len())]));
            }
            joints.push(joint.iter().map(|action| self.text(*action)).collect());
            state = machine.next(&state, &JointMove(joint)).ok()?;
            search.advance(&state);
        }
        if found.is_empty() {
            return None;
        }
        joints.truncate(found[random.below(found.len())]);
        Some(joints)
    }

    /// Whose positions are taken.
    fn role(&self, number: u32) -> Role {
        Role(number % self.reasoner.game().roles().len() as u32)
    }

    fn follow(&self, joints: &[Vec<String>]) -> Option<State> {
        let mut machine = self.reasoner.machine();
        let mut state = machine.initial().ok()?;
        for joint in joints {
            let joint = joint.iter().map(|text| self.action(text)).collect::<Option<_>>()?;
            state = machine.next(&state, &JointMove(joint)).ok()?;
        }
        Some(state)
    }

    /// Has a strategy choose where it did not yet.
    fn choose(&self, book: &mut Book, strategy: &str, positions: &[u32]) -> Option<()> {
        let (times, parsed) = parse(strategy)?;
        for role in self.reasoner.game().role_ids() {
            let open: Vec<u32> = positions
                .iter()
                .copied()
                .filter(|number| self.role(*number) == role)
                .filter(|number| {
                    let place = (self.name.clone(), *number);
                    !book.choices.contains_key(&(place, strategy.to_owned()))
                })
                .collect();
            if open.is_empty() {
                continue;
            }
            let (start_clock, play_clock) = (self.clocks.0, self.clocks.1.mul_f64(times));
            let setup = Setup::new(self.reasoner.game(), role).with_reasoner(&self.reasoner);
            let mut player = parsed.player(Setup { start_clock, play_clock, ..setup });
            self.clock.within(start_clock, |deadline| player.start(deadline)).ok()?;
            for number in open {
                let joints = &book.positions[&(self.name.clone(), number)];
                player.resume_at(&self.follow(joints)?);
                let play = |deadline: &game::Deadline| player.play(None, deadline);
                let action = self.text(self.clock.within(play_clock, play).ok()?);
                let (game, strategy) = (self.name.clone(), strategy.to_owned());
                book.add(Line::Choice { game, number, strategy, action });
            }
            player.stop();
        }
        Some(())
    }

    /// What the position after a move is worth to who makes it, and whether that is certain.
    fn worth(&self, state: &State, role: Role, action: Move) -> Option<(f64, bool)> {
        let mut machine = self.reasoner.machine();
        let mut look = Look::default();
        look.at(&mut *machine, state).ok()?;
        let mut joint: Vec<Move> = look.moves.iter().map(|own| own[0]).collect();
        joint[role.index()] = action;
        let next = machine.next(state, &JointMove(joint)).ok()?;
        if look.at(&mut *machine, &next).ok()? == Turn::End {
            return Some((
                machine.goal(&next, role).ok()?.value().map_or(0.0, |g| g.0.into()),
                true,
            ));
        }
        let time = self.clocks.1 * REFERENCE;
        if self.class.is_two_player_constant_sum() {
            let options = deepening::Options { memory: 256 << 20, ..deepening::Options::default() };
            let class = self.class.clone();
            let mut search = Deepening::new(machine, Box::new(Blind), class, &options);
            let report = self.clock.within(time / SOLVING, |deadline| {
                search.search(&next, role, &Effort::until(deadline.clone()), &mut |_| ())
            });
            let value = report.ok()?.values[role.index()];
            if value.is_exact() {
                return Some((value.estimate, true));
            }
        }
        let mut search = self.tree(1);
        let report = self.clock.within(time, |deadline| {
            search.search(&next, role, &Effort::until(deadline.clone()), &mut |_| ())
        });
        let value = report.ok()?.values[role.index()];
        Some((value.estimate, value.is_exact()))
    }

    /// Judges the moves that were chosen, where they differ.
    fn judge(&self, book: &mut Book, strategies: &[String], positions: &[u32]) -> Option<()> {
        for number in positions {
            let place = (self.name.clone(), *number);
            let of = |strategy: &String| book.choices.get(&(place.clone(), strategy.clone()));
            let chosen: BTreeSet<String> = strategies.iter().filter_map(of).cloned().collect();
            if chosen.len() < 2 {
                continue;
            }
            let state = self.follow(&book.positions[&place])?;
            for action in chosen {
                if book.worth.contains_key(&(place.clone(), action.clone())) {
                    continue;
                }
                let (value, solved) =
                    self.worth(&state, self.role(*number), self.action(&action)?)?;
                let (game, number) = place.clone();
                book.add(Line::Worth { game, number, action, value, solved });
            }
        }
        Some(())
    }

    /// Everything about a game.
    fn work(&self, book: &mut Book, strategies: &[String], count: u32) -> Option<()> {
        let numbers: Vec<u32> = (0..count).collect();
        for number in &numbers {
            if !book.positions.contains_key(&(self.name.clone(), *number)) {
                let joints = self.position(*number)?;
                book.add(Line::Position { game: self.name.clone(), number: *number, joints });
            }
        }
        for strategy in strategies {
            self.choose(book, strategy, &numbers)?;
        }
        self.judge(book, strategies, &numbers)
    }
}

/// What strategies lost, all in all or in one game.
fn report(book: &Book, strategies: &[String], game: Option<&str>) {
    let places: Vec<&Place> =
        book.positions.keys().filter(|(name, _)| game.is_none_or(|game| game == name)).collect();
    for strategy in strategies {
        let regret = |place: &&Place| {
            let own = book.regret(place, strategies, strategy)?;
            Some((own, own - book.regret(place, strategies, &strategies[0])?))
        };
        let (own, more): (Vec<f64>, Vec<f64>) = places.iter().filter_map(regret).unzip();
        let ((own, _), (difference, width)) = (common::mean(&own), common::mean(&more));
        let name = game.unwrap_or("all");
        let count = more.len();
        println!("{name} | {strategy} | {count} | {own:.2} | {difference:+.2} +- {width:.2}");
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, start, play, positions, rest @ ..] = &args[..] else {
        println!("FILE START PLAY POSITIONS STRATEGY... -- GAME...");
        return;
    };
    let mut parts = rest.splitn(2, |arg| arg == "--");
    let (strategies, games) = (parts.next().unwrap_or(&[]), parts.next().unwrap_or(&[]));
    if let Some(bad) = strategies.iter().find(|strategy| parse(strategy).is_none()) {
        println!("{bad}: no such strategy");
        return;
    }
    let mut book = match Book::open(file) {
        Ok(book) => book,
        Err(error) => {
            println!("{file}: {error}");
            return;
        }
    };
    let clock = Clock::new(true);
    let clocks = (common::seconds(start), common::seconds(play));
    let (start, play) = (clocks.0.as_secs_f64(), clocks.1.as_secs_f64());
    match book.clocks {
        None => book.add(Line::Clocks { start, play }),
        Some(others) if others != (start, play) => {
            println!("{file}: its clocks are {} s and {} s; use another file", others.0, others.1);
            return;
        }
        Some(_) => {}
    }
    println!("game | strategy | positions | regret | more than the first");
    for name in games {
        let table = Table::new(name, &clock, clocks);
        let done = table
            .as_ref()
            .and_then(|table| table.work(&mut book, strategies, positions.parse().unwrap_or(10)));
        match (table, done) {
            (Some(table), Some(())) => report(&book, strategies, Some(&table.name)),
            _ => println!("{name}: could not be finished"),
        }
    }
    report(&book, strategies, None);
}
