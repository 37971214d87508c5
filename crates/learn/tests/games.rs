//! Learning on games of the library: what is learned predicts positions that were held out.

use game::{Budget, Deadline, Evaluator, Game, Reasoner, Role, State};
use learn::{Effort, Fitting, Held, Model, gather};

fn learned(name: &str, positions: usize) -> (Reasoner, Model, Held) {
    let entry = library::find(name).expect("a game of the library");
    let game = Game::from_text(entry.rules).expect("sound");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let mut batches = (reasoner.batch(1).expect("small"), reasoner.batch(2).expect("small"));
    let effort = Effort { positions, ..Effort::default() };
    let positions = gather(&mut batches, &effort, &Deadline::never());
    let (model, held) =
        Model::fit(&positions, &Fitting::default(), &Deadline::never()).expect("enough");
    (reasoner, model, held)
}

#[test]
fn learned_values_predict_positions_that_were_held_out() {
    for name in ["tictactoe", "breakthrough_5x5", "reversi_6x6"] {
        let (_, model, held) = learned(name, 8000);
        for role in [Role(0), Role(1)] {
            let found = held.correlation(&mut model.evaluator(), role);
            assert!(found > 0.25, "{name}: {found:.2}");
        }
    }
}

#[test]
fn the_centre_of_tictactoe_is_learned_to_be_worth_more_than_an_edge() {
    let (reasoner, model, _) = learned("tictactoe", 8000);
    let universe = reasoner.game().universe();
    let state = |cell: &str| -> State {
        let mut machine = reasoner.machine();
        let mut state = machine.initial().expect("small");
        for (text, holds) in
            [(format!("(cell {cell} x)"), true), (format!("(cell {cell} blank)"), false)]
        {
            let fluent = universe.fluent(&universe.parse(&text).expect("a fluent"));
            if holds { state.insert(fluent) } else { state.remove(fluent) }
        }
        state
    };
    let mut evaluator = model.evaluator();
    let mut value = |cell: &str| {
        let mut values = [0.0; 2];
        evaluator.evaluate(&state(cell), &mut values);
        values[0]
    };
    let (centre, edge) = (value("b 2"), value("a 2"));
    assert!(centre > edge + 3.0, "{centre:.1} {edge:.1}");
}

#[test]
fn learning_is_the_same_every_time() {
    let (one, other) = (learned("connect_four_4x4", 3000), learned("connect_four_4x4", 3000));
    assert_eq!(one.1, other.1);
}

#[test]
fn too_few_positions_and_no_time_teach_nothing() {
    let (reasoner, _, _) = learned("tictactoe", 3000);
    let mut batches = (reasoner.batch(1).expect("small"), reasoner.batch(2).expect("small"));
    let late = Deadline::at(std::time::Instant::now());
    let none = gather(&mut batches, &Effort::default(), &late);
    assert!(none.is_empty());
    assert!(Model::fit(&none, &Fitting::default(), &Deadline::never()).is_none());
}
