//! The circuit answers like the interpreter: random play in the lanes is followed step by step.
//!
//! `FLUXION_STEPS` sets how many steps are compared per game (default 40).

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use game::playout::{Random, random_joint_move};
use game::{
    Batch, Budget, Game, Gates, Goal, Goals, JointMove, Machine, Move, NoCircuit, Role, State,
};

fn steps() -> usize {
    std::env::var("FLUXION_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(40)
}

fn budget() -> Budget {
    Budget {
        deadline: Some(Instant::now() + Duration::from_secs(20)),
        max_bytes: 1 << 30,
        ..Budget::default()
    }
}

/// Compares legal moves, ends and goals in one lane, then the next state.
fn compare(game: &Game, steps: usize) -> Result<(), NoCircuit> {
    let mut batch = Batch::new(game, &budget(), 3)?;
    let mut oracle = game.interpreter();
    let mut random = Random::new(17);
    let symbols = game.universe().symbols();
    let initial = oracle.initial().expect("within limits");
    for _ in 0..steps {
        batch.look();
        let lane = random.below(Batch::LANES);
        let state = batch.state(lane);
        let terminal = oracle.is_terminal(&state).expect("within limits");
        assert_eq!(batch.is_terminal(lane), terminal, "terminal");
        let mut is_stuck = false;
        for role in game.role_ids() {
            let mut expected = Vec::new();
            oracle.legal_moves(&state, role, &mut expected).expect("within limits");
            expected.sort_unstable();
            let mut found = batch.legal_moves(lane, role);
            found.sort_unstable();
            assert_eq!(found, expected, "legal moves");
            is_stuck |= found.is_empty();
            let expected = match oracle.goal(&state, role).expect("within limits") {
                Goals::One(value) => vec![value.0.to_string()],
                Goals::Undefined(values) => values,
            };
            let mut found: Vec<String> =
                batch.goal_values(lane, role).iter().map(|g| g.to_text(symbols)).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "goals");
        }
        batch.play(1);
        let joint: Option<Vec<_>> =
            game.role_ids().map(|role: Role| batch.last_move(lane, role)).collect();
        let after = batch.state(lane);
        match joint {
            Some(joint) => {
                assert!(!terminal, "a move after the end");
                let next = oracle.next(&state, &JointMove(joint)).expect("within limits");
                assert_eq!(game.state_texts(&after), game.state_texts(&next), "next");
            }
            // It slept or waited, or it is over by the rules or for want of a move and begins anew.
            None if after == state => {}
            None => {
                assert_eq!(game.state_texts(&after), game.state_texts(&initial), "begins anew");
                assert!(terminal || is_stuck, "an end that is none");
            }
        }
    }
    Ok(())
}

#[test]
fn the_lanes_agree_with_the_interpreter_on_the_library() {
    let mut without = Vec::new();
    for entry in library::games() {
        let game = Game::from_text(entry.rules).expect(entry.name);
        eprintln!("{}", entry.name);
        if let Err(why) = compare(&game, steps()) {
            eprintln!("{}: {why}", entry.name);
            without.push(entry.name);
        }
    }
    let most = library::games().len() / 10;
    assert!(without.len() <= most, "too many games without a circuit: {without:?}");
}

#[test]
fn an_undefined_or_ambiguous_goal_is_the_same_in_both() {
    let game = Game::from_text(
        "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (legal r go)
         (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
         (<= terminal (true (at 2)))
         (<= (goal r 10) (true (at 1))) (<= (goal r 20) (true (at 1)))
         (<= (goal r 50) (true (at 2)))",
    )
    .expect("valid");
    compare(&game, 20).expect("tiny");
}

#[test]
fn a_recursive_relation_inside_a_state_is_evaluated_exactly() {
    let game = Game::from_text(
        "(role r) (node a) (node b) (node c) (node d)
         (init (link a b)) (init (link c d)) (init fresh)
         (<= (legal r (join ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y))
         (<= (reach ?x ?y) (true (link ?x ?y)))
         (<= (reach ?x ?z) (reach ?x ?y) (true (link ?y ?z)))
         (<= (next (link ?x ?y)) (true (link ?x ?y)))
         (<= (next (link ?x ?y)) (does r (join ?x ?y)))
         (<= terminal (reach a d) (reach d a))
         (<= (goal r 100) (reach a d)) (<= (goal r 0) (not (reach a d)))",
    )
    .expect("valid");
    compare(&game, 200).expect("small");
}

#[test]
fn a_state_can_be_loaded_into_any_lane_and_read_again() {
    let entry = library::find("tictactoe").expect("is in the library");
    let game = Game::from_text(entry.rules).expect("valid");
    let mut batch = Batch::new(&game, &budget(), 1).expect("small");
    let mut oracle = game.interpreter();
    let mut random = Random::new(9);
    let initial = oracle.initial().expect("within limits");
    let joint = game::playout::random_joint_move(&mut oracle, &initial, &mut random);
    let joint = joint.expect("within limits").expect("a legal move");
    let state = oracle.next(&initial, &joint).expect("within limits");
    for lane in [0, 63, 64, 300, Batch::LANES - 1] {
        assert!(batch.load(lane, &state));
        assert_eq!(batch.state(lane), state);
    }
    assert_eq!(batch.state(1), initial, "other lanes stay");
    let strange = game.universe().parse("(cell a b c)").expect("names of the game");
    let mut unreachable = state;
    unreachable.insert(game.universe().fluent(&strange));
    assert!(!batch.load(0, &unreachable), "a fluent that no play can produce");
}

/// The game ends for want of moves, and rules say what that is worth: the goals of such positions count.
#[test]
fn an_end_for_want_of_moves_has_its_goals() {
    let mut text = String::from(
        "(role r) (init (at 0 0)) (init (left 12))
         (<= (legal r (jump ?x ?y)) (true (at ?a ?b)) (number ?x) (number ?y) (true (left ?n)) (succ ?m ?n)
             (not (true (seen ?x ?y))))
         (<= (next (at ?x ?y)) (does r (jump ?x ?y)))
         (<= (next (seen ?x ?y)) (true (at ?x ?y))) (<= (next (seen ?x ?y)) (true (seen ?x ?y)))
         (<= (next (left ?m)) (true (left ?n)) (succ ?m ?n) (does r (jump ?x ?y)))
         (<= (can ?r) (legal ?r ?m)) (<= terminal (role ?r) (not (can ?r)))
         (<= terminal (true (at 3 3))) (<= (goal r 20) (not (true (at 3 3)))) (<= (goal r 90) (true (at 3 3)))",
    );
    for n in 0..40 {
        write!(text, "(number {n}) (succ {n} {})", n + 1).expect("a string");
    }
    let game = Game::from_text(&text).expect("valid");
    compare(&game, 400).expect("small");
    let mut batch = Batch::new(&game, &budget(), 8).expect("small");
    let initial = game.interpreter().initial().expect("small");
    for outcome in batch.playouts(&vec![&initial; 2000], 100) {
        let outcome = outcome.expect("a known state");
        assert!(outcome.terminal && outcome.length <= 12);
        let expected = if outcome.length == 12 { vec![20, 90] } else { vec![90] };
        assert!(matches!(&outcome.goals[..], [Some(goal)] if expected.contains(&goal.0)));
    }
}

/// Playouts from given states: lengths and rewards fit the rules, whatever the number of states.
#[test]
fn playouts_start_from_the_states_given_and_end_by_the_rules() {
    let game = Game::from_text(
        "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
         (<= (legal r (jump ?y)) (true (at ?x)) (succ ?x ?y))
         (<= (next (at ?y)) (does r (jump ?y)))
         (<= terminal (true (at 5))) (<= (goal r 70) (true (at 5)))",
    )
    .expect("valid");
    let mut batch = Batch::new(&game, &budget(), 1).expect("small");
    let mut machine = game.interpreter();
    let mut states = vec![machine.initial().expect("small")];
    while !machine.is_terminal(&states[states.len() - 1]).expect("small") {
        let last = &states[states.len() - 1];
        let joint = random_joint_move(&mut machine, last, &mut Random::new(1)).expect("small");
        states.push(machine.next(last, &joint.expect("one move")).expect("small"));
    }
    let starts: Vec<_> = (0..1300).map(|i| &states[i % 6]).collect();
    for (i, outcome) in batch.playouts(&starts, 100).into_iter().enumerate() {
        let outcome = outcome.expect("known states");
        assert_eq!(outcome.length as usize, 5 - i % 6);
        assert!(outcome.terminal && outcome.goals == [Some(game::Goal(70))]);
    }
    for (i, outcome) in batch.playouts(&starts, 2).into_iter().enumerate() {
        let outcome = outcome.expect("known states");
        let far = 5 - i % 6 > 1;
        assert_eq!(
            (outcome.terminal, outcome.length),
            (!far, if far { 2 } else { 5 - i as u32 % 6 })
        );
    }
}

/// What decisive playouts ask about a move, by looking at what comes after it.
struct Oracle<'g> {
    gates: &'g Gates,
    machine: Box<dyn Machine>,
}

impl Oracle<'_> {
    fn legal(&mut self, state: &State) -> Vec<Vec<Move>> {
        let roles = 0..self.gates.game().roles().len();
        let of = |role| {
            let mut moves = Vec::new();
            let asked = self.machine.legal_moves(state, Role(role as u32), &mut moves);
            asked.expect("small");
            moves
        };
        roles.map(of).collect()
    }

    /// The moves of the role that chooses after which it has a reward at the end of the game.
    fn ending(&mut self, state: &State, legal: &[Vec<Move>], reward: Goal) -> Vec<Move> {
        let Some(mover) = legal.iter().position(|own| own.len() > 1) else { return Vec::new() };
        let ends = |action: &Move| {
            let next = self.after(state, legal, (mover, *action));
            self.machine.is_terminal(&next).expect("small")
                && self.machine.goal(&next, Role(mover as u32)).expect("small").value()
                    == Some(reward)
        };
        legal[mover].clone().into_iter().filter(ends).collect()
    }

    fn after(&mut self, state: &State, legal: &[Vec<Move>], made: (usize, Move)) -> State {
        let mut joint: Vec<Move> = legal.iter().map(|own| own[0]).collect();
        joint[made.0] = made.1;
        self.machine.next(state, &JointMove(joint)).expect("small")
    }

    /// Whether the next role can win at once; none where it has no choice, so that it is hard to say whose turn it is.
    fn lets(&mut self, state: &State, legal: &[Vec<Move>], made: (usize, Move)) -> Option<bool> {
        let next = self.after(state, legal, made);
        if self.machine.is_terminal(&next).expect("small") {
            return Some(false);
        }
        let legal = self.legal(&next);
        let mover = legal.iter().position(|own| own.len() > 1)?;
        let top = self.gates.largest_reward(Role(mover as u32));
        Some(!self.ending(&next, &legal, top).is_empty())
    }
}

/// Moves made by lanes whose playouts are decisive, against the stepper: all are legal; where a move wins at once one of those is made,
/// and else one that does not lose at once and does not let the next role win, if there is one.
#[test]
fn decisive_playouts_win_at_once_and_do_not_let_others_win() {
    for name in
        ["tictactoe", "connect_four_5x4", "breakthrough_6x6", "knightthrough", "tictactoe_3p"]
    {
        let rules = library::find(name).expect(name).rules;
        let game = Game::from_text(rules).expect(name);
        let gates = Gates::build(&game, &Budget::default()).expect(name);
        let mut batch = gates.decisive_batch(5);
        let mut oracle = Oracle { gates: &gates, machine: Box::new(gates.machine()) };
        let roles = gates.game().roles().len();
        let (mut wins, mut dangers, mut others) = (0, 0, 0);
        for _ in 0..60 {
            let lanes = (0..Batch::LANES).step_by(29);
            let before: Vec<State> = lanes.clone().map(|lane| batch.state(lane)).collect();
            batch.play(1);
            for (lane, state) in lanes.zip(before) {
                let made = (0..roles).map(|role| batch.last_move(lane, Role(role as u32)));
                let Some(made) = made.collect::<Option<Vec<Move>>>() else { continue };
                let legal = oracle.legal(&state);
                assert!(made.iter().zip(&legal).all(|(made, own)| own.contains(made)), "{name}");
                let Some(mover) = legal.iter().position(|own| own.len() > 1) else { continue };
                let role = Role(mover as u32);
                let winning = oracle.ending(&state, &legal, gates.largest_reward(role));
                if !winning.is_empty() {
                    wins += 1;
                    assert!(winning.contains(&made[mover]), "{name}: a win was there");
                    continue;
                }
                let losing = oracle.ending(&state, &legal, Goal(0));
                let lets = |action: &Move| oracle.lets(&state, &legal, (mover, *action));
                let Some(lets) = legal[mover].iter().map(lets).collect::<Option<Vec<bool>>>()
                else {
                    continue;
                };
                let each = legal[mover].iter().zip(lets);
                let safe = each.filter(|(action, lets)| !lets && !losing.contains(action));
                let safe: Vec<Move> = safe.map(|(action, _)| *action).collect();
                if safe.is_empty() || safe.len() == legal[mover].len() {
                    others += 1;
                } else {
                    dangers += 1;
                    assert!(safe.contains(&made[mover]), "{name}: there was a safe move");
                }
            }
        }
        let enough = wins > 5 && dangers > 5 && others > 100;
        assert!(enough, "{name}: {wins}, {dangers} and {others}");
    }
}

/// Moves made by lanes where several roles choose at the same time, against the stepper: all are legal, and none ends the game without a good reward whatever the
/// others do, where there is one that does not.
#[test]
fn careful_playouts_do_not_lose_whatever_the_others_do() {
    let rules = library::find("tron").expect("in the library").rules;
    let game = Game::from_text(rules).expect("valid");
    let gates = Gates::build(&game, &Budget::default()).expect("small");
    let (mut batch, mut plain) = (gates.decisive_batch(5), gates.batch(5));
    let mut oracle = Oracle { gates: &gates, machine: Box::new(gates.machine()) };
    let (mut avoided, mut open) = (0, 0);
    for _ in 0..40 {
        let lanes = (0..Batch::LANES).step_by(29);
        let before: Vec<State> = lanes.clone().map(|lane| batch.state(lane)).collect();
        batch.play(1);
        for (lane, state) in lanes.zip(before) {
            let made = [0, 1].map(|role| batch.last_move(lane, Role(role)));
            let [Some(first), Some(second)] = made else { continue };
            let (made, legal) = ([first, second], oracle.legal(&state));
            for role in 0..2 {
                let mut loses = |own: &Move| {
                    legal[1 - role].iter().all(|other| {
                        let joint = if role == 0 { [*own, *other] } else { [*other, *own] };
                        let next = oracle.machine.next(&state, &JointMove(joint.to_vec()));
                        let next = next.expect("small");
                        let reward = oracle.machine.goal(&next, Role(role as u32)).expect("small");
                        oracle.machine.is_terminal(&next).expect("small")
                            && reward.value().is_none_or(|reward| reward <= Goal(50))
                    })
                };
                let safe = legal[role].iter().filter(|own| !loses(own)).count();
                assert!(legal[role].contains(&made[role]));
                assert!(safe == 0 || !loses(&made[role]), "there was a safe move");
                avoided += usize::from(safe > 0 && safe < legal[role].len());
                open += usize::from(safe == legal[role].len());
            }
        }
    }
    assert!(avoided > 20 && open > 100, "{avoided} and {open}");
    let length = |batch: &mut Batch| {
        let tally = batch.play(200);
        tally.transitions as f64 / tally.playouts as f64
    };
    let (careful, plain) = (length(&mut batch), length(&mut plain));
    assert!(careful > 1.1 * plain, "{careful} and {plain} moves");
    // Where nobody loses by such moves, nothing changes.
    let rules = library::find("racetrack").expect("in the library").rules;
    let gates = Gates::build(&Game::from_text(rules).expect("valid"), &Budget::default());
    let gates = gates.expect("small");
    assert_eq!(gates.decisive_batch(1).operations(), gates.batch(1).operations());
}
