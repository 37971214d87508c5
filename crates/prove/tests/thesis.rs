//! The worked examples of thesis §7 on Tic-Tac-Toe (Figure 2.1), and the properties of Figure 7.3 that it proves.

use game::{Deadline, Game};
use prove::asp::program::{Style, base_case, induction_step};
use prove::asp::search::{Attempt, Effort, attempt};
use prove::{Property, Reason, Vocabulary, language};

fn tictactoe() -> Vocabulary {
    let sheet = library::find("tictactoe").expect("in the library");
    Vocabulary::new(&Game::from_text(sheet.rules).expect("valid"))
}

fn effort() -> Effort {
    Effort { deadline: Deadline::never(), max_bytes: 1 << 30 }
}

fn read(text: &str, vocabulary: &Vocabulary) -> Property {
    language::parse(text, vocabulary).expect(text)
}

fn tried(vocabulary: &Vocabulary, property: &Property, known: &[&Property]) -> Attempt {
    attempt(vocabulary, property, known, Style::default(), &effort())
}

#[test]
fn exactly_one_player_is_in_control_as_in_figure_7_1() {
    let vocabulary = tictactoe();
    let control = read("exactly 1 X: control(X)", &vocabulary);
    assert!(matches!(tried(&vocabulary, &control, &[]), Attempt::Proved { .. }));
    // The bottom program of §7.4.1 leaves out goals, ends and the contents of cells.
    let (step, _) = induction_step(&vocabulary, &control, &[], Style::default()).expect("small");
    assert!(step.text.contains("next(control("), "{}", step.text);
    assert!(!step.text.contains("goal(") && !step.text.contains("next(cell("), "{}", step.text);
    let base = base_case(&vocabulary, &control).expect("small");
    assert!(base.text.contains("init(control(") && !base.text.contains("init(cell("));
}

#[test]
fn the_content_of_a_cell_is_unique_only_given_who_is_in_control() {
    let vocabulary = tictactoe();
    let control = read("exactly 1 X: control(X)", &vocabulary);
    let cell = read("forall X,Y: at most 1 Z: cell(X,Y,Z)", &vocabulary);
    // §7.1: both players mark the same cell in a state where both are in control.
    assert_eq!(tried(&vocabulary, &cell, &[]), Attempt::Open(Reason::NotInductive));
    let Attempt::Proved { hypotheses, .. } = tried(&vocabulary, &cell, &[&control]) else {
        panic!("not proved")
    };
    assert_eq!(hypotheses, [0]);
}

#[test]
fn a_property_that_fails_initially_has_an_answer_set_in_its_base_case() {
    let vocabulary = tictactoe();
    let none = read("not exists X: control(X)", &vocabulary);
    assert_eq!(tried(&vocabulary, &none, &[]), Attempt::FailsAtFirst);
}
