//! Ground rules evaluated where only some facts are known: true, false, or not known (Kleene's logic).
//!
//! What comes out as true or false holds in every state and for every legal joint move that agrees with the
//! assumptions, reachable or not: a small proof without any search.

use ground::{AtomId, AtomKind, GroundLiteral, GroundProgram};

/// What is known about an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    False,
    True,
    Unknown,
}

impl Truth {
    fn negated(self, negative: bool) -> Self {
        match (self, negative) {
            (Self::True, true) => Self::False,
            (Self::False, true) => Self::True,
            (same, _) => same,
        }
    }
}

/// An evaluator with assumptions about fluents and moves.
pub(crate) struct Ternary<'p> {
    program: &'p GroundProgram,
    /// Atoms that depend on themselves are never known.
    recursive: Vec<bool>,
    /// For each fluent its atom, if any rule asks for it.
    fluents: Vec<Option<AtomId>>,
    assumed: Vec<Truth>,
    /// Which atoms have assumptions.
    assumptions: Vec<AtomId>,
    value: Vec<Truth>,
    /// The round in which each value was computed.
    round_of: Vec<u32>,
    round: u32,
    /// Literals looked at so far.
    pub work: u64,
}

/// How far the evaluation of an atom is.
struct Frame {
    atom: AtomId,
    body: usize,
    literal: usize,
    /// Whether a literal of the present body is unknown.
    open: bool,
    /// Whether some body before is unknown.
    perhaps: bool,
}

impl<'p> Ternary<'p> {
    pub fn new(program: &'p GroundProgram) -> Self {
        let count = program.kinds.len();
        let mut fluents = vec![None; program.fluents.len()];
        for (atom, kind) in program.kinds.iter().enumerate() {
            if let AtomKind::Fluent(fluent) = kind
                && let Some(place) = fluents.get_mut(*fluent as usize)
            {
                *place = Some(AtomId(atom as u32));
            }
        }
        Self {
            program,
            recursive: recursive(program),
            fluents,
            assumed: vec![Truth::Unknown; count],
            assumptions: Vec::new(),
            value: vec![Truth::Unknown; count],
            round_of: vec![0; count],
            round: 1,
            work: 0,
        }
    }

    /// Assumes a fluent to hold or not.
    pub fn assume_fluent(&mut self, fluent: usize, holds: bool) {
        if let Some(atom) = self.fluents.get(fluent).copied().flatten() {
            self.assume(atom, holds);
        }
    }

    pub fn assume(&mut self, atom: AtomId, holds: bool) {
        self.assumed[atom.index()] = if holds { Truth::True } else { Truth::False };
        self.assumptions.push(atom);
        self.round += 1;
    }

    /// The fluents that an atom depends on.
    pub fn fluents_below(&self, atom: AtomId) -> Vec<bool> {
        let mut seen = vec![false; self.program.kinds.len()];
        let mut found = vec![false; self.program.fluents.len()];
        let mut todo = vec![atom];
        while let Some(atom) = todo.pop() {
            if std::mem::replace(&mut seen[atom.index()], true) {
                continue;
            }
            if let AtomKind::Fluent(fluent) = self.program.kinds[atom.index()] {
                found[fluent as usize] = true;
            }
            todo.extend(self.program.rules.of(atom).flatten().map(|literal| literal.atom));
        }
        found
    }

    /// Takes all assumptions back.
    pub fn clear(&mut self) {
        for atom in self.assumptions.drain(..) {
            self.assumed[atom.index()] = Truth::Unknown;
        }
        self.round += 1;
    }

    fn known(&self, atom: AtomId) -> Option<Truth> {
        let index = atom.index();
        if self.assumed[index] != Truth::Unknown {
            Some(self.assumed[index])
        } else if self.program.kinds[index] != AtomKind::Derived || self.recursive[index] {
            Some(Truth::Unknown)
        } else {
            (self.round_of[index] == self.round).then(|| self.value[index])
        }
    }

    /// What is known about an atom under the assumptions.
    pub fn eval(&mut self, atom: AtomId) -> Truth {
        let mut stack = vec![Frame::new(atom)];
        while let Some(mut frame) = stack.pop() {
            if self.known(frame.atom).is_some() {
                continue;
            }
            match self.advance(&mut frame) {
                Ok(truth) => {
                    self.value[frame.atom.index()] = truth;
                    self.round_of[frame.atom.index()] = self.round;
                }
                Err(needed) => {
                    stack.push(frame);
                    stack.push(Frame::new(needed));
                }
            }
        }
        self.known(atom).unwrap_or(Truth::Unknown)
    }

    /// Goes on with an atom until it is decided or the value of another atom is needed.
    fn advance(&mut self, frame: &mut Frame) -> Result<Truth, AtomId> {
        let program = self.program;
        for body in program.rules.of(frame.atom).skip(frame.body) {
            let decided = self.body(body, frame)?;
            match decided {
                Truth::True => return Ok(Truth::True),
                Truth::Unknown => frame.perhaps = true,
                Truth::False => {}
            }
            frame.body += 1;
            frame.literal = 0;
            frame.open = false;
        }
        Ok(if frame.perhaps { Truth::Unknown } else { Truth::False })
    }

    fn body(&mut self, body: &[GroundLiteral], frame: &mut Frame) -> Result<Truth, AtomId> {
        while let Some(literal) = body.get(frame.literal) {
            self.work += 1;
            let truth = self.known(literal.atom).ok_or(literal.atom)?;
            match truth.negated(literal.negative) {
                Truth::False => return Ok(Truth::False),
                Truth::Unknown => frame.open = true,
                Truth::True => {}
            }
            frame.literal += 1;
        }
        Ok(if frame.open { Truth::Unknown } else { Truth::True })
    }
}

impl Frame {
    fn new(atom: AtomId) -> Self {
        Self { atom, body: 0, literal: 0, open: false, perhaps: false }
    }
}

/// The atoms on positive or negative cycles.
fn recursive(program: &GroundProgram) -> Vec<bool> {
    let count = program.kinds.len();
    let mut starts = vec![0usize];
    let mut targets: Vec<u32> = Vec::new();
    for atom in 0..count as u32 {
        let literals = program.rules.of(AtomId(atom)).flatten();
        targets.extend(literals.map(|literal| literal.atom.0));
        starts.push(targets.len());
    }
    let next = |node: usize, at: usize| {
        let own = &targets[starts[node]..starts[node + 1]];
        own.get(at).map(|to| *to as usize)
    };
    let (component, components) = gdl::depend::components(count, next);
    let mut sizes = vec![0u32; components];
    for number in &component {
        sizes[*number] += 1;
    }
    let is_own = |node: usize| targets[starts[node]..starts[node + 1]].contains(&(node as u32));
    (0..count).map(|node| sizes[component[node]] > 1 || is_own(node)).collect()
}
