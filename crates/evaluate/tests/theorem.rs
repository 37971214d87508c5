//! Theorem 5.1 on random rule sheets and states: what holds has a degree of at least t, what does not at most 1-t.
//! The condition is that of distances: what they value stays below 1-t (see the parameters).

use std::fmt::Write as _;

use evaluate::{Evaluation, Options, Parameters};
use game::{Budget, Deadline, Game, Machine, Role, State};
use proptest::prelude::*;

const FLUENTS: usize = 6;

/// Literals of the relation `level`, which may use fluents and the level before it.
fn literal(level: usize) -> impl Strategy<Value = String> {
    let below = if level == 0 { FLUENTS } else { FLUENTS + 3 };
    (0..below, any::<bool>()).prop_map(move |(atom, negative)| {
        let atom = match atom {
            fluent if fluent < FLUENTS => format!("(true (f {fluent}))"),
            relation => format!("(r {} {})", level - 1, relation - FLUENTS),
        };
        if negative { format!("(not {atom})") } else { atom }
    })
}

/// Three levels of three relations each, every one with a few rules.
fn sheet() -> impl Strategy<Value = String> {
    let rules = |level: usize| {
        let bodies = prop::collection::vec(prop::collection::vec(literal(level), 1..4), 1..4);
        prop::collection::vec(bodies, 3)
    };
    (rules(0), rules(1), rules(2)).prop_map(|levels| {
        let mut sheet = String::from("(role you) (legal you wait)\n");
        for fluent in 0..FLUENTS {
            sheet.push_str("(init (f ");
            sheet.push_str(&fluent.to_string());
            sheet.push_str("))\n");
        }
        sheet.push_str("(<= (next (f ?x)) (true (f ?x)))\n");
        for (level, relations) in [levels.0, levels.1, levels.2].into_iter().enumerate() {
            for (relation, bodies) in relations.into_iter().enumerate() {
                for body in bodies {
                    let body = body.join(" ");
                    let _ = writeln!(sheet, "(<= (r {level} {relation}) {body})");
                }
            }
        }
        sheet + "(<= terminal (r 2 1)) (<= (goal you 100) (r 2 0)) (<= (goal you 0) (r 2 2))"
    })
}

fn check(sheet: &str, options: &Options, threshold: f64) -> Result<(), TestCaseError> {
    let (rules, _) = gdl::parse(sheet, &gdl::Limits::default());
    let Ok(game) = Game::new(rules) else { return Ok(()) };
    let program = game.ground(&Budget::default()).expect("small");
    let never = Deadline::never();
    let evaluations = [
        Evaluation::ground(&game, &program, options, &never),
        Evaluation::lifted(&game, &program, None, options, &never),
    ];
    let fluents: Vec<_> = (0..FLUENTS)
        .filter_map(|fluent| game.universe().parse(&format!("(f {fluent})")))
        .map(|term| game.universe().fluent(&term))
        .collect();
    let mut machine = game.interpreter();
    let mut evaluators = evaluations.each_ref().map(Evaluation::evaluator);
    for bits in 0..1u32 << FLUENTS {
        let state: State = fluents.iter().copied().filter(|f| bits >> f.0 & 1 == 1).collect();
        let goals = machine.goal(&state, Role(0)).expect("answered");
        let texts = match goals {
            game::Goals::One(goal) => vec![goal.0.to_string()],
            game::Goals::Undefined(texts) => texts,
        };
        let over = machine.is_terminal(&state).expect("answered");
        for evaluator in &mut evaluators {
            let explained = evaluator.explain(&state, Role(0), 0);
            let goal = explained.goals.iter().find(|goal| goal.goal == 100);
            let goal = goal.and_then(|goal| goal.formula.as_ref());
            let pairs =
                [(goal, texts.contains(&"100".to_owned())), (explained.terminal.as_ref(), over)];
            for (part, holds) in pairs {
                let Some(part) = part else { continue };
                prop_assert_eq!(part.holds, holds);
                let slack = 1e-9;
                let fits = if holds {
                    part.degree >= threshold - slack
                } else {
                    part.degree <= 1.0 - threshold + slack
                };
                prop_assert!(fits, "{} while holding is {}", part.degree, holds);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn what_holds_is_at_least_t_and_what_does_not_at_most_one_minus_t(sheet in sheet()) {
        let plain = Options { selections: Vec::new(), ..Options::default() };
        check(&sheet, &plain, 0.55)?;
        check(&sheet, &Options::default(), 0.55)?;
        let parameters = Parameters::product().with_threshold(0.7);
        check(&sheet, &Options { parameters, ..plain }, 0.7)?;
    }
}
