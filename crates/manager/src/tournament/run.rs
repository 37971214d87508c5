//! Playing the matches of a tournament, several at once, until all are played.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use game::{Budget, Game, Reasoner};
use protocol::MatchRecord;
use protocol::record::Extra;

use super::class::Class;
use super::hired::Hired;
use super::ledger::{Finished, Ledger, LedgerError, Scheduled};
use super::pairing::{round_robin, swiss_round};
use super::plan::{Entrant, Form, Plan, PlanError};
use super::summary::Summary;
use crate::play::{Match, Policy, Setup};
use crate::remote::Remote;
use crate::seat::Seat;
use crate::spec::{Kind, Spec};

/// A rule sheet with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The short name of the game.
    pub name: String,
    /// Its rules.
    pub rules: String,
    /// What kind of game it is, once somebody looked.
    pub class: Option<Class>,
}

impl Sheet {
    /// A rule sheet that nobody looked at.
    pub fn new(name: impl Into<String>, rules: impl Into<String>) -> Self {
        Self { name: name.into(), rules: rules.into(), class: None }
    }
}

/// Why a tournament stopped.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The database failed.
    Ledger(LedgerError),
    /// The plan cannot be carried out.
    Plan(PlanError),
    /// A player that the tournament has to start does not start.
    Player(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ledger(error) => write!(f, "{error}"),
            Self::Plan(error) => write!(f, "{error}"),
            Self::Player(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for RunError {}

impl From<LedgerError> for RunError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

/// How far a tournament is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Matches played.
    pub done: usize,
    /// Matches in all, as far as that is known.
    pub total: usize,
    /// The time left, estimated from the matches of this run.
    pub left: Option<Duration>,
    /// The match that was finished last.
    pub last: Option<Finished>,
    /// The tables so far.
    pub summary: Summary,
    /// Why results cannot be written at the moment.
    pub trouble: Option<String>,
}

/// A game that is ready to be played.
struct Board {
    sheet: Sheet,
    game: Game,
    reasoner: Reasoner,
}

/// How long to look at a game to tell its class.
const LOOK: Duration = Duration::from_millis(500);

/// Checks a plan and writes it into the database, with the classes of its games and the first matches.
pub fn prepare(ledger: &mut Ledger, plan: &Plan, sheets: &[Sheet]) -> Result<(), RunError> {
    let boards = boards(sheets)?;
    ledger.adopt(plan, sheets)?;
    for (number, sheet) in ledger.sheets()?.iter().enumerate().filter(|(_, s)| s.class.is_none()) {
        let found = boards.get(number).and_then(|board| Class::sampled(&board.reasoner, LOOK));
        if let Some(class) = found.filter(|_| sheet.rules == boards[number].sheet.rules) {
            ledger.classify(number, class)?;
        }
    }
    let roles: Vec<usize> = boards.iter().map(|board| board.game.roles().len()).collect();
    schedule_next(ledger, plan, &roles)?;
    Ok(())
}

fn boards(sheets: &[Sheet]) -> Result<Vec<Board>, RunError> {
    sheets
        .iter()
        .map(|sheet| {
            let (rules, _) = gdl::parse(&sheet.rules, &gdl::Limits::default());
            let game = Game::new(rules)
                .map_err(|error| RunError::Plan(PlanError(format!("{}: {error}", sheet.name))))?;
            let (reasoner, _) = Reasoner::in_background(&game, Budget::default());
            Ok(Board { sheet: sheet.clone(), game, reasoner })
        })
        .collect()
}

/// Schedules what comes next, if nothing waits. False if there is nothing more to play.
fn schedule_next(ledger: &mut Ledger, plan: &Plan, roles: &[usize]) -> Result<bool, RunError> {
    let round = ledger.rounds()?;
    if round >= plan.rounds {
        return Ok(false);
    }
    let players = plan.players.len();
    let mut pairings = match plan.format {
        Form::RoundRobin => round_robin(players, roles, 1, plan.rotate),
        Form::Swiss => {
            let finished = ledger.finished()?;
            let game = round as usize % roles.len();
            let ranking = ranking(players, &finished);
            let (meetings, idle) = meetings(players, round, &finished);
            swiss_round(round, game, roles[game], &ranking, &meetings, &idle, plan.rotate)
        }
    };
    if !plan.rotate && plan.format == Form::RoundRobin {
        // Without all rotations, roles still go round from round to round.
        for pairing in &mut pairings {
            let by = round as usize % pairing.seats.len().max(1);
            pairing.seats.rotate_left(by);
        }
    }
    ledger.schedule(round, &pairings)?;
    Ok(!pairings.is_empty())
}

/// Players by their mean result, the best first.
fn ranking(players: usize, finished: &[Finished]) -> Vec<usize> {
    let mut sums = vec![(0_i64, 0_i64); players];
    for result in finished {
        for (player, goal) in result.scheduled.seats.iter().zip(&result.goals) {
            if let Some((sum, count)) = sums.get_mut(*player) {
                (*sum, *count) = (*sum + goal, *count + 1);
            }
        }
    }
    let mean = |(sum, count): (i64, i64)| sum as f64 / count.max(1) as f64;
    let mut ranking: Vec<usize> = (0..players).collect();
    ranking.sort_by(|a, b| mean(sums[*b]).total_cmp(&mean(sums[*a])).then(a.cmp(b)));
    ranking
}

/// How often players met, and how often each sat out.
fn meetings(players: usize, rounds: u32, finished: &[Finished]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut meetings = vec![vec![0; players]; players];
    let mut played = vec![vec![false; rounds as usize]; players];
    for Scheduled { round, seats, .. } in finished.iter().map(|result| &result.scheduled) {
        for a in seats.iter().filter(|a| **a < players) {
            if let Some(played) = played[*a].get_mut(*round as usize) {
                *played = true;
            }
            for b in seats.iter().filter(|b| *b != a && **b < players) {
                meetings[*a][*b] += 1;
            }
        }
    }
    let idle = played.iter().map(|rounds| rounds.iter().filter(|p| !**p).count() as u32).collect();
    (meetings, idle)
}

/// What the threads share.
struct Floor {
    ledger: Ledger,
    waiting: Vec<Scheduled>,
    /// Matches of each player under way.
    busy: Vec<usize>,
    running: usize,
    played: usize,
    over: bool,
    failed: Option<RunError>,
}

/// Who sits down for a player.
enum Guest {
    /// Somebody who is there already.
    Known(Spec),
    /// Processes of the tournament.
    Hired(Mutex<Hired>),
}

impl Guest {
    fn new(entrant: &Entrant, ledger: &Ledger) -> Result<Self, RunError> {
        if entrant.is_hired() {
            return Ok(Self::Hired(Mutex::new(Hired::new(entrant, ledger.path()))));
        }
        let spec = Spec::parse(&entrant.player);
        let spec = spec.map_err(|error| RunError::Plan(PlanError(error.to_string())))?;
        Ok(Self::Known(spec))
    }

    /// How many matches it plays at once if nobody says.
    fn usual(&self) -> usize {
        match self {
            Self::Known(Spec { kind: Kind::Builtin(_) | Kind::Human, .. }) => usize::MAX,
            Self::Known(Spec { kind: Kind::Remote(_), .. }) | Self::Hired(_) => 1,
        }
    }
}

struct Hall<'t> {
    plan: &'t Plan,
    boards: Vec<Board>,
    guests: Vec<Guest>,
    cancel: Arc<AtomicBool>,
    floor: Mutex<Floor>,
    changed: Condvar,
    begin: Instant,
    observer: &'t (dyn Fn(&Progress) + Sync),
}

/// How long threads sleep before they look up.
const NAP: Duration = Duration::from_millis(100);
/// How long to wait before a result is written again.
const BREATH: Duration = Duration::from_secs(1);

/// Plays all matches that have no result, `parallel` at once. The ledger must be locked by the caller. Comes back when all are
/// played, or soon after `cancel` is set; what was under way then is played the next time.
pub fn run(
    ledger: Ledger,
    parallel: usize,
    cancel: &Arc<AtomicBool>,
    observer: &(dyn Fn(&Progress) + Sync),
) -> Result<Summary, RunError> {
    let plan = ledger.plan()?;
    let boards = boards(&ledger.sheets()?)?;
    let guests = plan.players.iter().map(|entrant| Guest::new(entrant, &ledger));
    let guests = guests.collect::<Result<Vec<Guest>, _>>()?;
    let floor = Floor {
        waiting: ledger.waiting()?,
        busy: vec![0; guests.len()],
        ledger,
        running: 0,
        played: 0,
        over: false,
        failed: None,
    };
    let hall = Hall {
        plan: &plan,
        boards,
        guests,
        cancel: cancel.clone(),
        floor: Mutex::new(floor),
        changed: Condvar::new(),
        begin: Instant::now(),
        observer,
    };
    hall.tell(&hall.floor(), None, None);
    std::thread::scope(|scope| {
        for _ in 0..parallel.max(1) {
            scope.spawn(|| hall.work());
        }
    });
    let floor = hall.floor.into_inner().unwrap_or_else(PoisonError::into_inner);
    match floor.failed {
        Some(error) => Err(error),
        None => Ok(Summary::new(&plan, &floor.ledger.sheets()?, &floor.ledger.finished()?)),
    }
}

impl Hall<'_> {
    fn floor(&self) -> MutexGuard<'_, Floor> {
        self.floor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a thread.
    fn work(&self) {
        while let Some(scheduled) = self.next() {
            let seed =
                self.plan.seed.wrapping_mul(1_000_003).wrapping_add(scheduled.id.cast_unsigned());
            match self.seats(&scheduled, seed) {
                Ok(seats) => {
                    let begin = Instant::now();
                    let record = self.play(&scheduled, seed, seats);
                    self.finish(&scheduled, record.as_ref(), begin.elapsed().as_secs_f64());
                }
                Err(what) => return self.give_up(&scheduled, RunError::Player(what)),
            }
        }
    }

    /// Ends the tournament for now; what is under way is played to its end.
    fn give_up(&self, scheduled: &Scheduled, why: RunError) {
        let mut floor = self.floor();
        floor.running -= 1;
        scheduled.seats.iter().for_each(|player| floor.busy[*player] -= 1);
        floor.over = true;
        if !self.cancel.load(Ordering::Relaxed) {
            floor.failed.get_or_insert(why);
        }
        self.changed.notify_all();
    }

    /// The seats of a match. In words what went wrong where a player that has to be started is not.
    fn seats(&self, scheduled: &Scheduled, seed: u64) -> Result<Vec<Box<dyn Seat>>, String> {
        let seats = &scheduled.seats;
        let taken = |player: usize| seats.iter().filter(|seat| **seat == player).count();
        let mut addresses = BTreeMap::new();
        for (player, guest) in self.guests.iter().enumerate() {
            if let (Guest::Hired(hired), seats @ 1..) = (guest, taken(player)) {
                let mut hired = hired.lock().unwrap_or_else(PoisonError::into_inner);
                addresses.insert(player, hired.ready(seats, &self.cancel)?.into_iter());
            }
        }
        let seat = |player: &usize| -> Option<Box<dyn Seat>> {
            match &self.guests[*player] {
                Guest::Known(spec) => spec.seat(seed, self.plan.retries),
                Guest::Hired(_) => {
                    let address = addresses.get_mut(player)?.next()?;
                    let name = self.plan.players[*player].name.clone();
                    Some(Box::new(Remote::new(name, address).retrying(self.plan.retries)))
                }
            }
        };
        Ok(seats.iter().filter_map(seat).collect())
    }

    /// The next match whose players are free; none if there is nothing more to do.
    fn next(&self) -> Option<Scheduled> {
        let mut floor = self.floor();
        loop {
            if floor.over || self.cancel.load(Ordering::Relaxed) {
                return None;
            }
            let free = floor.waiting.iter().position(|match_| self.is_free(match_, &floor));
            if let Some(at) = free {
                let scheduled = floor.waiting.remove(at);
                floor.running += 1;
                scheduled.seats.iter().for_each(|player| floor.busy[*player] += 1);
                return Some(scheduled);
            }
            if floor.running == 0 && floor.waiting.is_empty() {
                self.next_round(&mut floor);
                continue;
            }
            let waited = self.changed.wait_timeout(floor, NAP);
            floor = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn is_free(&self, scheduled: &Scheduled, floor: &Floor) -> bool {
        let free = |player: &usize| {
            let most = self.plan.players[*player].matches;
            floor.busy[*player] < most.unwrap_or_else(|| self.guests[*player].usual())
        };
        // Alone in the hall, a player that takes several roles has to manage.
        floor.running == 0 || scheduled.seats.iter().all(free)
    }

    fn next_round(&self, floor: &mut Floor) {
        let roles: Vec<usize> = self.boards.iter().map(|board| board.game.roles().len()).collect();
        let waiting = schedule_next(&mut floor.ledger, self.plan, &roles)
            .and_then(|_| Ok(floor.ledger.waiting()?));
        match waiting {
            Ok(waiting) => {
                floor.over = waiting.is_empty();
                floor.waiting = waiting;
            }
            Err(error) => {
                floor.over = true;
                floor.failed = Some(error);
            }
        }
        self.changed.notify_all();
    }

    /// Plays a match; none if it was interrupted. A panic is our bug, and must not stop the others.
    fn play(
        &self,
        scheduled: &Scheduled,
        seed: u64,
        seats: Vec<Box<dyn Seat>>,
    ) -> Option<MatchRecord> {
        let played = catch_unwind(AssertUnwindSafe(|| self.play_unguarded(scheduled, seed, seats)));
        let record = played.unwrap_or_else(|_| MatchRecord {
            is_aborted: true,
            fluxion: Some(Extra {
                aborted_because: Some("the manager panicked".to_owned()),
                ..Extra::default()
            }),
            ..MatchRecord::default()
        });
        let interrupted = record.is_aborted && self.cancel.load(Ordering::Relaxed);
        (!interrupted).then_some(record)
    }

    fn play_unguarded(
        &self,
        scheduled: &Scheduled,
        seed: u64,
        mut seats: Vec<Box<dyn Seat>>,
    ) -> MatchRecord {
        let board = &self.boards[scheduled.game];
        let mut setup = Setup::sharing(&board.sheet.name, &board.sheet.rules, &board.reasoner);
        setup.id = format!("{}.{}", setup.id, scheduled.id);
        setup.clocks = self.plan.clocks();
        setup.policy = Policy { forfeit: self.plan.forfeit, longest: self.plan.longest };
        setup.seed = seed;
        setup.scramble = self.plan.scramble.then_some(seed);
        setup.tournament = Some(self.plan.name.clone());
        setup.cancel = self.cancel.clone();
        match Match::new(setup, &mut seats) {
            Ok(ready) => {
                let mut record = ready.run(&mut ());
                let names = scheduled.seats.iter().map(|p| self.plan.players[*p].name.clone());
                record.player_names_from_host = names.collect();
                record
            }
            Err(error) => MatchRecord {
                is_aborted: true,
                fluxion: Some(Extra {
                    aborted_because: Some(error.to_string()),
                    ..Extra::default()
                }),
                ..MatchRecord::default()
            },
        }
    }

    /// Writes the result. Where that fails, it is tried again until it succeeds or somebody gives up.
    fn finish(&self, scheduled: &Scheduled, record: Option<&MatchRecord>, seconds: f64) {
        loop {
            let mut floor = self.floor();
            let written = match record {
                Some(record) => floor.ledger.finish(scheduled.id, record, seconds),
                None => Ok(()),
            };
            let Err(error) = written else {
                floor.running -= 1;
                floor.played += 1;
                scheduled.seats.iter().for_each(|player| floor.busy[*player] -= 1);
                self.tell(&floor, Some(scheduled), None);
                self.changed.notify_all();
                return;
            };
            if self.cancel.load(Ordering::Relaxed) || !matches!(error, LedgerError::Database(_)) {
                floor.running -= 1;
                floor.over = true;
                floor.failed.get_or_insert(error.into());
                return;
            }
            self.tell(&floor, None, Some(error.to_string()));
            drop(floor);
            std::thread::sleep(BREATH);
        }
    }

    fn tell(&self, floor: &Floor, last: Option<&Scheduled>, trouble: Option<String>) {
        let Ok(finished) = floor.ledger.finished() else { return };
        let Ok(sheets) = floor.ledger.sheets() else { return };
        let known = finished.len() + floor.waiting.len() + floor.running;
        let total = match self.plan.format {
            Form::RoundRobin => {
                known * self.plan.rounds as usize
                    / (floor.ledger.rounds().unwrap_or(1).max(1) as usize)
            }
            Form::Swiss => self.expected(&finished, known),
        };
        let each = self.begin.elapsed().as_secs_f64() / floor.played.max(1) as f64;
        let more = total.saturating_sub(finished.len());
        let left = (floor.played > 0).then(|| Duration::from_secs_f64(each * more as f64));
        let last = last.and_then(|s| finished.iter().find(|f| f.scheduled.id == s.id)).cloned();
        let summary = Summary::new(self.plan, &sheets, &finished);
        (self.observer)(&Progress { done: finished.len(), total, left, last, summary, trouble });
    }

    /// The matches of a Swiss tournament, if all rounds are like those of their game.
    fn expected(&self, finished: &[Finished], known: usize) -> usize {
        let players = self.plan.players.len();
        let of_round = |round: u32| {
            let roles = self.boards[round as usize % self.boards.len()].game.roles().len().max(1);
            let tables = if players < roles { players } else { players / roles };
            tables * if self.plan.rotate && players >= roles { roles } else { 1 }
        };
        let rounds: usize = (0..self.plan.rounds).map(of_round).sum();
        rounds.max(known).max(finished.len())
    }
}

/// Results by player, for tables that need the order of matches.
pub(crate) fn by_player(players: usize, finished: &[Finished]) -> BTreeMap<usize, Vec<i64>> {
    let mut results: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for result in finished {
        for (player, goal) in result.scheduled.seats.iter().zip(&result.goals) {
            if *player < players {
                results.entry(*player).or_default().push(*goal);
            }
        }
    }
    results
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
