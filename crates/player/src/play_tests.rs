//! Whole matches, and thinkers that misbehave.

use super::*;
use crate::registry::StrategyInfo;
use crate::thinker::Thinker;

fn game(name: &str) -> Game {
    let entry = library::find(name).expect("a game of the library");
    Game::from_text(entry.rules).expect("sound")
}

fn parse(text: &str) -> Strategy {
    Strategy::parse(text).expect("a strategy")
}

/// Plays a match; the joint moves made.
fn play_match(game: &Game, strategies: &[Strategy], clock: Duration) -> Vec<JointMove> {
    let reasoner = Reasoner::interpreter(game);
    let mut players: Vec<Player> = game
        .role_ids()
        .zip(strategies)
        .map(|(role, s)| s.player(Setup::new(game, role).with_reasoner(&reasoner)))
        .collect();
    for player in &mut players {
        player.start(&Deadline::within(clock)).expect("started");
    }
    let mut machine = game.interpreter();
    let mut state = machine.initial().expect("small");
    let mut moves: Vec<JointMove> = Vec::new();
    while !machine.is_terminal(&state).expect("small") && moves.len() < 200 {
        let next: JointMove = players
            .iter_mut()
            .map(|p| p.play(moves.last(), &Deadline::within(clock)).expect("a move"))
            .collect();
        for role in game.role_ids() {
            let mut legal = Vec::new();
            machine.legal_moves(&state, role, &mut legal).expect("small");
            assert!(legal.contains(&next.of(role)));
        }
        state = machine.next(&state, &next).expect("small");
        moves.push(next);
    }
    players.iter_mut().for_each(Player::stop);
    moves
}

#[test]
fn simple_players_play_whole_matches_and_the_same_ones_again() {
    let game = game("tictactoe");
    let both = [parse("random"), parse("legal")];
    let moves = play_match(&game, &both, Duration::from_secs(60));
    assert!((5..=9).contains(&moves.len()));
    assert_eq!(moves, play_match(&game, &both, Duration::from_secs(60)));
}

/// Panics the first time, then answers.
struct Clumsy(Context);

static PANICS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

impl Thinker for Clumsy {
    fn think(
        &mut self,
        state: &State,
        _deadline: &Deadline,
        _note: &mut dyn FnMut(Thought),
    ) -> Result<Option<Thought>, ReasonError> {
        assert!(PANICS.fetch_add(1, Ordering::Relaxed) > 0, "a panic that the test wants");
        let mut moves = Vec::new();
        self.0.machine().legal_moves(state, self.0.role, &mut moves)?;
        Ok(moves.last().map(|action| Thought { action: *action, report: None }))
    }
}

/// Notes the last move and never comes back by itself.
struct Stuck(Context);

impl Thinker for Stuck {
    fn think(
        &mut self,
        state: &State,
        _deadline: &Deadline,
        note: &mut dyn FnMut(Thought),
    ) -> Result<Option<Thought>, ReasonError> {
        let mut moves = Vec::new();
        self.0.machine().legal_moves(state, self.0.role, &mut moves)?;
        note(Thought { action: *moves.last().expect("some"), report: None });
        while !self.0.interrupt.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(None)
    }
}

static CLUMSY: StrategyInfo = StrategyInfo {
    name: "clumsy",
    summary: "",
    options: &[],
    make: |_, context| Box::new(Clumsy(context.clone())),
};

static STUCK: StrategyInfo = StrategyInfo {
    name: "stuck",
    summary: "",
    options: &[],
    make: |_, context| Box::new(Stuck(context.clone())),
};

#[test]
fn a_panic_loses_the_search_but_not_the_match() {
    let game = game("tictactoe");
    let strategy = Strategy::of(&CLUMSY);
    let mut player = strategy.player(Setup::new(&game, Role(0)));
    player.play(None, &Deadline::never()).expect("a move without the search");
    assert_eq!(player.trouble(), Some(&Trouble::Panicked));
    player.play(None, &Deadline::never()).expect("a move");
    assert_eq!(player.trouble(), None);
    assert!(player.last_thought().is_some());
}

#[test]
fn a_search_that_does_not_answer_is_not_waited_for_and_its_best_move_counts() {
    let game = game("tictactoe");
    let strategy = Strategy::of(&STUCK);
    let setup = Setup { margin: Duration::from_millis(200), ..Setup::new(&game, Role(0)) };
    let mut player = strategy.player(setup);
    for _ in 0..2 {
        let deadline = Deadline::within(Duration::from_secs(1));
        let action = player.play(None, &deadline).expect("a move");
        assert!(!deadline.passed());
        assert_eq!(player.trouble(), Some(&Trouble::Late));
        assert_eq!(&*game.universe().move_entry(action).text, "(mark c 3)");
    }
}

#[test]
fn a_role_without_moves_and_a_wrong_history_are_errors_that_do_not_end_the_player() {
    let game = Game::from_text(
        "(role a) (role b) (init (p 1)) (legal a wait)
         (<= (legal b wait) (true (p 2))) (<= (next (p 2)) (true (p 1)))
         (<= terminal (true (p 3))) (goal a 0) (goal b 0)",
    )
    .expect("sound");
    let mut player = parse("random").player(Setup::new(&game, Role(1)));
    assert_eq!(player.play(None, &Deadline::never()), Err(PlayError::NoLegalMove));
    let short = JointMove(Vec::new());
    assert!(matches!(player.play(Some(&short), &Deadline::never()), Err(PlayError::Reason(_))));
    let wait = game.universe().action(&game.universe().parse("wait").expect("a move"));
    let both = JointMove(vec![wait, wait]);
    assert_eq!(player.play(Some(&both), &Deadline::never()), Ok(wait));
}

/// The reward of the first role, which searches, against a random one.
fn reward_against_random(game: &Game, strategy: &str, seed: u64) -> u8 {
    let reasoner = Reasoner::build(game, &Budget::default());
    let setup = |role| Setup { seed, ..Setup::new(game, role).with_reasoner(&reasoner) };
    let mut one = parse(strategy).player(setup(Role(0)));
    let mut other = parse("random").player(setup(Role(1)));
    let mut machine = reasoner.machine();
    let mut state = machine.initial().expect("small");
    let mut last: Option<JointMove> = None;
    while !machine.is_terminal(&state).expect("small") {
        let never = Deadline::never();
        let moves = [one.play(last.as_ref(), &never), other.play(last.as_ref(), &never)];
        assert_eq!((one.trouble(), other.trouble()), (None, None), "{strategy}");
        let joint: JointMove = moves.into_iter().map(|action| action.expect("a move")).collect();
        state = machine.next(&state, &joint).expect("small");
        last = Some(joint);
    }
    machine.goal(&state, Role(0)).expect("small").value().expect("defined").0
}

#[test]
fn players_that_search_beat_random_ones_with_every_option() {
    let game = game("tictactoe");
    let strategies = [
        "uct:nodes=300",
        "uct:nodes=300,policy=mast,rave=on,final=value",
        "uct:nodes=300,policy=nst,rave=grave,final=secure,fpu=0.5",
        "uct:nodes=300,decisive=all,transpositions=off,threads=2",
        "uct:nodes=300,eval=fuzzy,bias=0.3,implicit=0.3,cutoff=3",
        "uct:nodes=300,playouts=stepper,solver=off",
        "alphabeta:depth=4",
        "alphabeta:nodes=3000,eval=fuzzy,nonuniform,quiescence",
        "maxn:depth=4",
        "flux-basic:depth=4",
        "flux-distance:nodes=3000",
    ];
    for strategy in strategies {
        let rewards: u32 =
            (0..4).map(|seed| u32::from(reward_against_random(&game, strategy, seed))).sum();
        assert!(rewards >= 300, "{strategy}: {rewards} of 400");
    }
}

#[test]
fn a_searching_player_answers_in_time_and_ponders_without_harm() {
    let game = game("breakthrough");
    let setup = Setup { ponder: true, ..Setup::new(&game, Role(0)) };
    let mut player = parse("uct:threads=2,memory=64").player(setup);
    let begin = Instant::now();
    player.start(&Deadline::within(Duration::from_millis(600))).expect("started");
    assert!(begin.elapsed() < Duration::from_secs(2));
    let mut machine = game.interpreter();
    let mut state = machine.initial().expect("small");
    let mut last = None;
    for _ in 0..4 {
        let deadline = Deadline::within(Duration::from_millis(600));
        let action = player.play(last.as_ref(), &deadline).expect("a move");
        let mut joint = Vec::new();
        for role in game.role_ids() {
            let mut legal = Vec::new();
            machine.legal_moves(&state, role, &mut legal).expect("small");
            assert!(role != Role(0) || legal.contains(&action));
            joint.push(if role == Role(0) { action } else { legal[0] });
        }
        let joint = JointMove(joint);
        state = machine.next(&state, &joint).expect("small");
        last = Some(joint);
    }
    player.stop();
}

#[test]
fn a_puzzle_is_planned_and_solved() {
    let game = game("hanoi");
    let mut player = parse("plan").player(Setup::new(&game, Role(0)));
    player.start(&Deadline::within(Duration::from_secs(5))).expect("started");
    let mut machine = game.interpreter();
    let mut state = machine.initial().expect("small");
    let mut last: Option<JointMove> = None;
    while !machine.is_terminal(&state).expect("small") {
        let deadline = Deadline::within(Duration::from_secs(5));
        let joint = JointMove(vec![player.play(last.as_ref(), &deadline).expect("a move")]);
        state = machine.next(&state, &joint).expect("small");
        last = Some(joint);
    }
    assert_eq!(machine.goal(&state, Role(0)).expect("small").value(), Some(game::Goal(100)));
}

#[test]
fn a_watch_sees_thoughts_and_makes_the_player_answer_early() {
    let game = game("connect_four");
    let role = game.role_ids().next().expect("two roles");
    let mut player = parse("uct").player(Setup::new(&game, role));
    player.start(&Deadline::within(Duration::from_millis(100))).expect("started");
    let watch = player.watch();
    let begin = Instant::now();
    let thread =
        std::thread::spawn(move || player.play(None, &Deadline::within(Duration::from_secs(600))));
    let mut seen = false;
    while !thread.is_finished() {
        seen |= watch.thought().is_some_and(|thought| thought.report.is_some());
        if seen {
            watch.hurry();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(thread.join().expect("no panic").is_ok());
    assert!(seen && begin.elapsed() < Duration::from_secs(300));
}
