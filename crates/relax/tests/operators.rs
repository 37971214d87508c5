//! Operators are right if they change states as the machine does.

use std::collections::BTreeSet;

use game::playout::{Random, random_joint_move};
use game::{Budget, Deadline, Game, GroundProgram, Reasoner};
use ground::{AtomId, AtomKind};
use relax::{Atom, Effect, Formula, FormulaId, Operators, Turns, Waits};

struct Made {
    game: Game,
    reasoner: Reasoner,
    operators: Operators,
}

fn made(text: &str) -> Made {
    let game = Game::from_text(text).expect("valid");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let program = reasoner.gates().expect("small").program();
    let waits = Waits::sample(&game, program, &mut *reasoner.machine(), &Deadline::never());
    let waits = waits.expect("small");
    let operators = Operators::derive(program, waits, &Deadline::never()).expect("small");
    Made { game, reasoner, operators }
}

fn library(name: &str) -> Made {
    made(library::find(name).expect("is in the library").rules)
}

/// What holds in a state: fluents, and relations worked out when asked for.
struct World<'p> {
    program: &'p GroundProgram,
    fluents: BTreeSet<u32>,
    done: Vec<Option<bool>>,
    does: Vec<u32>,
}

impl World<'_> {
    fn atom(&mut self, atom: AtomId) -> bool {
        match self.program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => return self.fluents.contains(&fluent),
            AtomKind::Does { role, action } => return self.does[role as usize] == action,
            AtomKind::Derived => {}
        }
        if let Some(known) = self.done[atom.index()] {
            return known;
        }
        self.done[atom.index()] = Some(false);
        let program = self.program;
        let mut bodies = program.rules_of(atom);
        let holds = bodies.any(|body| body.iter().all(|l| self.atom(l.atom) != l.negative));
        self.done[atom.index()] = Some(holds);
        holds
    }

    fn formula(&mut self, operators: &Operators, id: FormulaId) -> bool {
        match operators.formulas.get(id) {
            Formula::True => true,
            Formula::False => false,
            Formula::And(parts) => parts.iter().all(|part| self.formula(operators, *part)),
            Formula::Or(parts) => parts.iter().any(|part| self.formula(operators, *part)),
            Formula::Literal(atom, negative) => {
                let holds = match atom {
                    Atom::Fluent(fluent) => self.fluents.contains(fluent),
                    Atom::Derived(atom) => self.atom(*atom),
                    Atom::Does { role, action } => self.does[*role as usize] == *action,
                    Atom::Unknown => panic!("cannot be expressed"),
                };
                holds != *negative
            }
        }
    }
}

/// Follows random play, and compares what operators say with the next state.
fn follow(made: &Made, steps: usize) {
    let gates = made.reasoner.gates().expect("small");
    let program = gates.program();
    let mut machine = made.reasoner.machine();
    let mut random = Random::new(9);
    let mut state = machine.initial().expect("small");
    for _ in 0..steps {
        let joint = random_joint_move(&mut *machine, &state, &mut random).expect("small");
        let (false, Some(joint)) = (machine.is_terminal(&state).expect("small"), joint) else {
            state = machine.initial().expect("small");
            continue;
        };
        let fluents = gates.fluents().iter().enumerate();
        let fluents = fluents.filter(|(_, id)| state.contains(**id)).map(|(at, _)| at as u32);
        let number = |(role, action)| {
            let own: &Vec<game::Move> = &gates.moves()[role];
            own.iter().position(|other| *other == action).expect("known") as u32
        };
        let does: Vec<u32> = joint.0.iter().copied().enumerate().map(number).collect();
        let mut world = World {
            program,
            fluents: fluents.collect(),
            done: vec![None; program.kinds.len()],
            does: does.clone(),
        };
        let operators = &made.operators;
        let acting = operators.list.iter().filter(|operator| match operator.actor {
            Some((role, action)) => does[role as usize] == action,
            None => false,
        });
        // Where roles take turns, one acts; a pass that is also waiting must not act for those who wait.
        let mut acting: Vec<_> = acting.collect();
        if operators.waits.turns == Turns::Alternating && acting.len() > 1 {
            acting.retain(|operator| {
                let (role, action) = operator.actor.expect("somebody");
                !operators.waits.waits[role as usize][action as usize]
            });
        }
        let effects = acting.iter().flat_map(|operator| &operator.effects);
        let effects: Vec<Effect> = effects.chain(&operators.every_step).copied().collect();
        let mut next = world.fluents.clone();
        for effect in effects {
            let now = world.fluents.contains(&effect.fluent);
            if now != effect.adds && world.formula(operators, effect.condition) {
                if effect.adds {
                    next.insert(effect.fluent)
                } else {
                    next.remove(&effect.fluent)
                };
            }
        }
        state = machine.next(&state, &joint).expect("small");
        let fluents = gates.fluents();
        let predicted = next.iter().map(|at| fluents[*at as usize]).collect::<game::State>();
        assert_eq!(made.game.state_texts(&predicted), made.game.state_texts(&state));
    }
}

#[test]
fn operators_change_states_as_the_machine_does() {
    for name in [
        "tictactoe",
        "breakthrough_6x6",
        "connect_four",
        "eight_puzzle",
        "blocks_world",
        "hanoi",
        "lights_on",
        "maze",
        "nim_3_4_5",
        "chomp_4x5",
        "clobber_4x5",
        "sheep_and_wolf",
        "chinese_checkers_5x5",
        "peg_solitaire",
        "tictactoe_3p",
    ] {
        let made = library(name);
        assert_eq!(made.operators.inexpressible, 0, "{name}");
        let turns = made.operators.waits.turns;
        assert_ne!(turns, Turns::Joint, "{name}");
        follow(&made, 120);
    }
}

#[test]
fn simultaneous_moves_have_operators_of_their_own() {
    for name in ["tictictoe", "battle"] {
        let made = library(name);
        assert_eq!(made.operators.waits.turns, Turns::Joint, "{name}");
        assert!(made.operators.list.len() > 4);
    }
}

/// Tic-tac-toe as slides 19 to 25 have it.
const SLIDES: &str = "
    (role xplayer) (role oplayer) (init (control xplayer))
    (init (cell 1 1 b)) (init (cell 1 2 b)) (init (cell 1 3 b))
    (init (cell 2 1 b)) (init (cell 2 2 b)) (init (cell 2 3 b))
    (init (cell 3 1 b)) (init (cell 3 2 b)) (init (cell 3 3 b))
    (<= (legal ?p (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?p)))
    (<= (legal xplayer noop) (true (cell ?x ?y b)) (true (control oplayer)))
    (<= (legal oplayer noop) (true (cell ?x ?y b)) (true (control xplayer)))
    (<= (next (cell ?m ?n x)) (does xplayer (mark ?m ?n)))
    (<= (next (cell ?m ?n o)) (does oplayer (mark ?m ?n)))
    (<= (next (cell ?m ?n ?w)) (true (cell ?m ?n ?w)) (distinct ?w b))
    (<= (next (cell ?m ?n b)) (true (cell ?m ?n b)) (does ?p (mark ?j ?k)) (or (distinct ?m ?j) (distinct ?n ?k)))
    (<= (next (control xplayer)) (true (control oplayer)))
    (<= (next (control oplayer)) (true (control xplayer)))
    (<= terminal (line x)) (<= terminal (line o)) (<= terminal (not open)) (<= open (true (cell ?m ?n b)))
    (<= (line ?w) (true (cell ?m 1 ?w)) (true (cell ?m 2 ?w)) (true (cell ?m 3 ?w)) (distinct ?w b))
    (<= (line ?w) (true (cell 1 ?n ?w)) (true (cell 2 ?n ?w)) (true (cell 3 ?n ?w)) (distinct ?w b))
    (<= (goal xplayer 100) (line x)) (<= (goal xplayer 50) (not (line x)) (not (line o)) (not open))
    (<= (goal xplayer 0) (line o)) (<= (goal oplayer 100) (line o))
    (<= (goal oplayer 50) (not (line x)) (not (line o)) (not open)) (<= (goal oplayer 0) (line x))";

#[test]
fn effects_frames_and_steps_of_tictactoe_are_told_apart() {
    let made = made(SLIDES);
    let program = made.reasoner.gates().expect("small").program();
    let text = made.operators.to_text(program);
    let begin = text.find("xplayer (mark 1 1)").expect("a move");
    let lines: Vec<&str> = text[begin..].lines().take(5).map(str::trim).collect();
    // Slide 30: two effects, and nothing about the other cells.
    let mut effects = lines[2..4].to_vec();
    effects.sort_unstable();
    assert_eq!(effects, ["adds (cell 1 1 x)", "deletes (cell 1 1 b)"]);
    assert!(!lines[4].starts_with("adds") && !lines[4].starts_with("deletes"), "{lines:?}");
    let every = &text[text.find("every step").expect("control changes")..];
    assert!(every.contains("adds (control oplayer) if (true (control xplayer))"), "{every}");
    assert!(
        every.contains("deletes (control oplayer) if (not (true (control xplayer)))"),
        "{every}"
    );
    // Marks stay, blanks and control do not.
    let persistent = program.fluents.iter().zip(&made.operators.persistent);
    for (fluent, persistent) in persistent {
        let fluent = fluent.to_text(&program.symbols);
        let mark = fluent.ends_with(" x)") || fluent.ends_with(" o)");
        assert_eq!(*persistent, mark, "{fluent}");
    }
    follow(&made, 60);
}

#[test]
fn a_counter_adds_the_next_step_and_deletes_the_last_one() {
    // Slide 32: the completion alone does not entail the negative effect.
    let made = made(
        "(role r) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal r wait) (legal r stop)
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (next done) (does r stop)) (<= (next done) (true done))
         (<= terminal (true (step 3))) (<= (goal r 100) (true done)) (<= (goal r 0) (not (true done)))",
    );
    let program = made.reasoner.gates().expect("small").program();
    let text = made.operators.to_text(program);
    assert!(text.contains("  adds (step 1) if (true (step 0))"), "{text}");
    assert!(text.contains("  deletes (step 1)"), "{text}");
    assert!(text.contains("r stop\n  needs (legal r stop)\n  adds done\n"), "{text}");
    assert!(!text.contains("deletes done"), "{text}");
    follow(&made, 40);
}
