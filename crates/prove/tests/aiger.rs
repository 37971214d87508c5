//! AIGER files, read by a small reader of their own and simulated beside the interpreter.

use game::playout::{Random, random_joint_move};
use game::{Game, Gates, Machine};
use prove::{Grounder, Instances, Vocabulary, aiger, language};

/// An ASCII AIGER file.
struct File {
    inputs: Vec<usize>,
    /// The variable, the literal of the next value, the initial value.
    latches: Vec<(usize, usize, bool)>,
    bads: Vec<usize>,
    gates: Vec<(usize, usize, usize)>,
    symbols: Vec<(String, String)>,
    variables: usize,
}

impl File {
    fn read(text: &str) -> Self {
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().expect("a header").split(' ').collect();
        assert_eq!(header[0], "aag");
        let sizes: Vec<usize> = header[1..].iter().map(|n| n.parse().expect("a number")).collect();
        let [variables, inputs, latches, outputs, gates, bads] = sizes[..] else { panic!("sizes") };
        assert_eq!((outputs, variables), (0, inputs + latches + gates));
        let mut numbers = |count: usize, width: usize| -> Vec<Vec<usize>> {
            let mut read = || -> Vec<usize> {
                let line = lines.next().expect("a line");
                let row: Vec<usize> =
                    line.split(' ').map(|n| n.parse().expect("a number")).collect();
                assert_eq!(row.len(), width);
                row
            };
            (0..count).map(|_| read()).collect()
        };
        let inputs = numbers(inputs, 1).iter().map(|row| row[0] / 2).collect();
        let latches =
            numbers(latches, 3).iter().map(|row| (row[0] / 2, row[1], row[2] == 1)).collect();
        let bads = numbers(bads, 1).iter().map(|row| row[0]).collect();
        let gates: Vec<_> =
            numbers(gates, 3).iter().map(|row| (row[0] / 2, row[1], row[2])).collect();
        let named = lines.take_while(|line| *line != "c");
        let symbols = named
            .map(|line| line.split_once(' ').expect("place and name"))
            .map(|(place, name)| (place.to_owned(), name.to_owned()))
            .collect();
        Self { inputs, latches, bads, gates, symbols, variables }
    }

    fn name(&self, place: &str) -> &str {
        &self.symbols.iter().find(|(known, _)| known == place).expect("a name").1
    }

    /// All values for a state and moves; gates come after what they read.
    fn values(&self, state: &[bool], moves: &[bool]) -> Vec<bool> {
        let mut values = vec![false; self.variables + 1];
        self.inputs.iter().zip(moves).for_each(|(input, value)| values[*input] = *value);
        self.latches.iter().zip(state).for_each(|((latch, ..), value)| values[*latch] = *value);
        for (gate, a, b) in &self.gates {
            assert!(*gate > a / 2 && *gate > b / 2, "gates come after what they read");
            values[*gate] = literal(&values, *a) && literal(&values, *b);
        }
        values
    }
}

fn literal(values: &[bool], literal: usize) -> bool {
    values[literal / 2] != (literal % 2 == 1)
}

fn exported(name: &str, property: &str) -> (Game, File) {
    let game = Game::from_text(library::find(name).expect("in the library").rules).expect("valid");
    let gates = Gates::build(&game, &ground::Budget::default()).expect("small");
    let vocabulary = Vocabulary::new(&game);
    let claim = language::parse(property, &vocabulary).expect("a property");
    let instances = Instances::of_gates(&gates);
    let ground = Grounder::new(&vocabulary, &instances).ground(&claim).expect("small");
    let text = aiger::export(&gates, &[(property.to_owned(), ground)]).expect("suitable");
    (game, File::read(&text))
}

#[test]
fn an_aiger_file_plays_the_game() {
    for (name, property) in [("tictactoe", "control(xplayer)"), ("blocker", "not terminal")] {
        let (game, file) = exported(name, property);
        assert_eq!(file.name("b0"), property);
        let mut machine = game.interpreter();
        let mut random = Random::new(7);
        let mut state = machine.initial().expect("answers");
        let mut bits: Vec<bool> = file.latches.iter().map(|(.., initial)| *initial).collect();
        loop {
            let holding: Vec<String> = (0..bits.len())
                .filter(|at| bits[*at])
                .map(|at| file.name(&format!("l{at}")).to_owned())
                .collect();
            let texts = game.state_texts(&state);
            assert_eq!(holding.len(), texts.len());
            assert!(texts.iter().all(|text| holding.iter().any(|h| **h == **text)));
            let is_over = machine.is_terminal(&state).expect("answers");
            let nothing = file.values(&bits, &vec![false; file.inputs.len()]);
            let stays = file.latches.iter().map(|(_, next, _)| literal(&nothing, *next));
            assert!(stays.eq(bits.iter().copied()), "no move, no change");
            let bad = literal(&nothing, file.bads[0]);
            let claim = if name == "blocker" {
                is_over
            } else {
                !holding.iter().any(|h| h == "(control xplayer)")
            };
            assert_eq!(bad, claim);
            if is_over {
                break;
            }
            let joint = random_joint_move(&mut machine, &state, &mut random);
            let joint = joint.expect("answers").expect("playable");
            let made: Vec<String> = game
                .role_ids()
                .map(|role| {
                    let text = &game.universe().move_entry(joint.of(role)).text;
                    format!("does {} {text}", game.role_name(role))
                })
                .collect();
            let moves: Vec<bool> = (0..file.inputs.len())
                .map(|at| made.iter().any(|m| *m == file.name(&format!("i{at}"))))
                .collect();
            let values = file.values(&bits, &moves);
            bits = file.latches.iter().map(|(_, next, _)| literal(&values, *next)).collect();
            state = machine.next(&state, &joint).expect("answers");
        }
    }
}
