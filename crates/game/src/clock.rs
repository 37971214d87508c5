//! Fluents that only tell the time: what they become depends on no move, so that they are functions of the
//! number of steps made. Step counters are such fluents; so is who is in control where roles take turns.
//!
//! Found on the ground rules: whatever is derived with the help of `does` is set by moves, and so is a
//! fluent whose `next` is, and whatever is derived from it. The rest is clock.

use ground::{AtomId, AtomKind, GroundProgram};

/// For each fluent of the program whether it only tells the time.
pub(crate) fn clock(program: &GroundProgram) -> Vec<bool> {
    let mut moved = Moved::new(program);
    for atom in program.atoms() {
        if matches!(program.kinds[atom.index()], AtomKind::Does { .. }) {
            moved.mark(atom);
        }
    }
    moved.spread();
    let is_clock = |fluent: u32| !moved.fluents[fluent as usize];
    (0..program.fluents.len() as u32).map(is_clock).collect()
}

/// What depends on moves.
struct Moved {
    /// For each atom the atoms that are derived with it.
    users: Vec<Vec<AtomId>>,
    /// For each atom the fluent that it is the `next` of.
    becomes: Vec<Option<u32>>,
    /// For each fluent its atom, if rules ask for it.
    holds: Vec<Option<AtomId>>,
    atoms: Vec<bool>,
    fluents: Vec<bool>,
    waiting: Vec<AtomId>,
}

impl Moved {
    fn new(program: &GroundProgram) -> Self {
        let count = program.kinds.len();
        let mut users = vec![Vec::new(); count];
        let mut holds = vec![None; program.fluents.len()];
        let mut becomes = vec![None; count];
        for atom in program.atoms() {
            if let AtomKind::Fluent(fluent) = program.kinds[atom.index()] {
                holds[fluent as usize] = Some(atom);
            }
            for literal in program.rules_of(atom).flatten() {
                users[literal.atom.index()].push(atom);
            }
        }
        for (fluent, next) in (0..).zip(&program.next) {
            if let Some(next) = next {
                becomes[next.index()] = Some(fluent);
            }
        }
        let fluents = vec![false; program.fluents.len()];
        Self { users, becomes, holds, atoms: vec![false; count], fluents, waiting: Vec::new() }
    }

    fn mark(&mut self, atom: AtomId) {
        if !std::mem::replace(&mut self.atoms[atom.index()], true) {
            self.waiting.push(atom);
        }
    }

    fn spread(&mut self) {
        while let Some(atom) = self.waiting.pop() {
            for user in std::mem::take(&mut self.users[atom.index()]) {
                self.mark(user);
            }
            if let Some(fluent) = self.becomes[atom.index()] {
                self.fluents[fluent as usize] = true;
                if let Some(holds) = self.holds[fluent as usize] {
                    self.mark(holds);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Budget, Game, Gates};

    #[test]
    fn counters_and_turns_tell_the_time_and_what_moves_set_does_not() {
        let game = Game::from_text(
            "(role a) (role b)
             (init (step 0)) (init (control a)) (init (last none))
             (succ 0 1) (succ 1 2) (succ 2 3)
             (<= (legal ?r go) (true (control ?r)))
             (<= (legal ?r stay) (true (control ?r)))
             (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
             (<= (next (control a)) (true (control b)))
             (<= (next (control b)) (true (control a)))
             (<= (next (last ?m)) (does ?r ?m) (true (control ?r)))
             (<= (next went) (true (last go)))
             (<= terminal (true (step 3)))
             (<= (goal ?r 100) (role ?r) (true went))
             (<= (goal ?r 0) (role ?r) (not (true went)))",
        )
        .expect("sound rules");
        let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
        let tells = |text: &str| {
            let term = game.universe().parse(text).expect("a term");
            gates.clock().contains(game.universe().fluent(&term))
        };
        for (fluent, expected) in [
            ("(step 2)", true),
            ("(control b)", true),
            ("(last go)", false),
            ("(last none)", true),
            ("went", false),
        ] {
            assert_eq!(tells(fluent), expected, "{fluent}");
        }
    }
}
