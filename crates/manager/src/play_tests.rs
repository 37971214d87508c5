//! Matches with players that behave, and with some that do not.

use super::*;
use crate::builtin::Builtin;
use player::Strategy;

/// Fails in every way there is, in turn.
struct Clumsy(u32);

impl Seat for Clumsy {
    fn name(&self) -> String {
        "clumsy".to_owned()
    }

    fn start(&mut self, _: &Briefing<'_>, _: Instant) -> Result<(), Fault> {
        Err(Fault::Refused("busy".to_owned()))
    }

    fn play(&mut self, ask: &Ask<'_>) -> Result<Move, Fault> {
        self.0 += 1;
        match self.0 % 4 {
            0 => Ok(ask.legal[0]),
            1 => Err(Fault::TimedOut),
            2 => Err(Fault::Connection("reset".to_owned())),
            _ => Ok(Move(u32::MAX)),
        }
    }

    fn stop(&mut self, _: &Game, _: Option<&JointMove>) {}

    fn abort(&mut self) {}
}

fn setup() -> Setup {
    let rules = library::find("tictactoe").expect("a game of the library").rules;
    Setup::new("tictactoe", rules).expect("sound rules")
}

fn random(seed: u64) -> Box<dyn Seat> {
    Box::new(Builtin::new(Strategy::parse("random").expect("a strategy"), seed))
}

fn run(setup: Setup, mut seats: Vec<Box<dyn Seat>>) -> MatchRecord {
    Match::new(setup, &mut seats).expect("two roles").run(&mut ())
}

#[test]
fn matches_are_recorded_so_that_they_can_be_replayed() {
    let setup = setup();
    let game = setup.game.clone();
    let record = run(setup, vec![random(1), random(2)]);
    assert!(record.is_completed && !record.is_aborted);
    assert_eq!(record.goal_values.iter().sum::<i64>(), 100);
    assert_eq!(record.fault_counts(), [0, 0]);
    assert_eq!(record.states.len(), record.moves.len() + 1);
    assert_eq!(record.errors.len(), record.moves.len() + 1);
    assert!(record.moves[0][0].starts_with("( mark "), "{:?}", record.moves);
    let again = MatchRecord::parse(&record.to_json().expect("plain data")).expect("a record");
    protocol::verify::verify(&mut game.interpreter(), &again).expect("a faithful record");
}

#[test]
fn the_same_seeds_play_the_same_match() {
    let play = |seed| run(setup(), vec![random(seed), random(seed)]).moves;
    assert_eq!(play(5), play(5));
    assert_ne!(play(5), play(6));
}

#[test]
fn faults_are_recorded_and_the_match_goes_on() {
    let record = run(setup(), vec![random(1), Box::new(Clumsy(0))]);
    assert!(record.is_completed);
    let codes: Vec<&str> =
        record.errors.iter().map(|e| e[1].split(' ').next().unwrap_or("")).collect();
    assert_eq!(codes[..6], ["RE", "TO", "CE", "IL", "", "TO"], "{:?}", record.errors);
    assert!(record.errors.iter().all(|errors| errors[0].is_empty()));
}

#[test]
fn players_forfeit_after_the_given_number_of_faults() {
    let mut setup = setup();
    setup.policy.forfeit = Some(2);
    let record = run(setup, vec![random(1), Box::new(Clumsy(0))]);
    assert!(record.is_completed);
    assert_eq!(record.goal_values[1], 0);
    assert_eq!(record.fault_counts(), [0, 2]);
    assert_eq!(record.fluxion.expect("own keys").forfeited, ["oplayer"]);
}

#[test]
fn what_cannot_be_played_is_aborted_with_the_reason() {
    let stuck = "(role a) (role b) (init s) (legal a x) (<= (legal b y) (not (true s)))
        (next s) (<= terminal (not (true s))) (goal a 0) (goal b 0)";
    let record = run(Setup::new("stuck", stuck).expect("rules"), vec![random(1), random(2)]);
    let why = record.fluxion.expect("own keys").aborted_because;
    assert_eq!((record.is_aborted, why.as_deref()), (true, Some("b has no legal move")));

    let endless = stuck.replace("(<= (legal b y) (not (true s)))", "(legal b y)");
    let mut setup = Setup::new("endless", &endless).expect("rules");
    setup.policy.longest = 10;
    let record = run(setup, vec![random(1), random(2)]);
    assert_eq!((record.is_aborted, record.moves.len()), (true, 10));

    let setup = self::setup();
    setup.cancel.store(true, Ordering::Relaxed);
    let record = run(setup, vec![random(1), random(2)]);
    assert!(record.is_aborted && !record.is_completed && record.moves.is_empty());
    assert!(Match::new(self::setup(), &mut [random(1)]).is_err());
}
