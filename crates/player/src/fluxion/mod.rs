//! The default player: finds out in the start clock what kind of game it is given, chooses its method by
//! that, and combines what is known.
//!
//! | module | concern |
//! |---|---|
//! | `opening` | the start clock as a plan of stages, each with a part of the time |
//! | `aside`, `findings` | stages that may get stuck or panic; the account of them |
//! | `remembering`, `recalling` | what earlier matches of the game taught, and what is kept of this one |
//! | `proving` | what was sampled about the game, proved |
//! | `method` | which search fits |
//! | `guess` | which search is likely to be better, from features of the game |
//! | `trial`, `contest` | quick games between two ways to search; which of them to play, and what follows |
//! | `dividing`, `divided` | games that are several games at once, each searched for itself |
//! | `summing` | games that are sums of games, played by the values of their parts |
//! | `guarded` | Monte-Carlo tree search with alpha-beta beside it |
//! | `rivals`, `rival`, `forecasts` | both at the same time, each in a thread of its own; whose predictions hold |
//! | `patience` | thinking gives way to making the circuit |
//! | `pace` | whether a tree search has time for enough playouts where there is no circuit |
//! | `outlook` | whether a position can be solved soon |

mod aside;
mod contest;
#[cfg(test)]
mod counted;
mod divided;
mod dividing;
mod findings;
mod forecasts;
mod guarded;
mod guess;
mod method;
mod opening;
mod outlook;
mod pace;
mod patience;
mod proving;
mod recalling;
mod remembering;
mod rival;
mod rivals;
mod summing;
mod trial;

use game::playout::Random;
use game::{Deadline, ReasonError, State};
use search::{Effort, Search, SearchReport};

use crate::options::Options;
use crate::searcher;
use crate::thinker::{Context, Thinker, Thought};

use guarded::Solver;
use method::Parts;
use opening::{Known, Opening};
use summing::Summed;

/// What the options say.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the strategy")]
pub(crate) struct Wishes {
    /// The part of each move's time for alpha-beta, in hundredths.
    pub(crate) guard: u32,
    /// Whether the tree chooses among the moves that alpha-beta proves to keep a draw.
    pub(crate) contend: bool,
    /// Whether to learn in the start clock, and whether to make an evaluator from the rules.
    pub(crate) learn: bool,
    pub(crate) derive: bool,
    /// Whether ways to search are tried in quick games, and whether features of the game have a say.
    pub(crate) trial: bool,
    pub(crate) guess: bool,
    /// Whether alpha-beta may take the place of the tree.
    pub(crate) deepening: bool,
    /// Whether both search at the same time where it is open which is better and there are two threads.
    pub(crate) rivals: bool,
    /// Whether playouts win at once and do not let others do so.
    pub(crate) decisive: bool,
    /// The weight of exploration.
    pub(crate) exploration: f64,
    /// Whether that follows how far the results of playouts lie apart.
    pub(crate) spread: bool,
    /// How much of the value of a node is that of its favourite move.
    pub(crate) favour: f64,
    /// What a reward is worth a move earlier than it comes.
    pub(crate) discount: f64,
    /// How much playouts prefer moves that did well, where that pays.
    pub(crate) guide: f64,
    /// How many visits a learned value weighs as much as, and its part in implicit minimax backups.
    pub(crate) prior: f64,
    pub(crate) implicit: f64,
    /// How many visits the worth of a move elsewhere in the graph weighs as much as.
    pub(crate) history: f64,
    /// Whether moves that are simultaneous answer what the others are expected to do.
    pub(crate) response: bool,
    /// Whether games that are several games at once are searched game by game, and sums of games played by the values of their parts.
    pub(crate) parts: bool,
    /// Whether symmetric states count as one, and whether a SAT solver looks for plans.
    pub(crate) symmetry: bool,
    pub(crate) sat: bool,
    /// Threads of the tree search.
    pub(crate) threads: usize,
    /// The most nodes for a move.
    pub(crate) nodes: Option<u64>,
}

/// The default player.
pub(crate) struct Fluxion {
    context: Context,
    wishes: Wishes,
    known: Option<Known>,
    search: Option<Box<dyn Search>>,
    random: Random,
}

/// Makes the default player.
pub(crate) fn fluxion(options: &Options, context: &Context) -> Box<dyn Thinker> {
    let memory = match options.whole("memory") {
        0 => context.memory,
        mebibytes => (mebibytes as usize) << 20,
    };
    let context = Context { memory, ..context.clone() };
    let wishes = Wishes {
        guard: options.whole("guard") as u32,
        contend: options.is_on("contend"),
        learn: options.is_on("learn"),
        derive: options.is_on("derive"),
        trial: options.is_on("trial"),
        guess: options.is_on("guess"),
        deepening: options.is_on("deepening"),
        rivals: options.is_on("rivals"),
        decisive: options.is_on("decisive"),
        exploration: options.number("c"),
        spread: options.is_on("spread"),
        history: options.number("history"),
        favour: options.number("favour"),
        discount: options.number("discount"),
        guide: options.number("guide"),
        prior: options.number("prior"),
        implicit: options.number("implicit"),
        response: options.is_on("response"),
        parts: options.is_on("parts"),
        symmetry: options.is_on("symmetry"),
        sat: options.is_on("sat"),
        threads: options.whole("threads").max(1) as usize,
        nodes: Some(options.whole("nodes")).filter(|nodes| *nodes > 0),
    };
    let random = Random::new(context.seed ^ 0x5EED);
    Box::new(Fluxion { context, wishes, known: None, search: None, random })
}

impl Fluxion {
    /// What is known, found out now as far as it is not or is out of date; and the search made of it.
    fn search(&mut self, deadline: &Deadline) -> &mut dyn Search {
        let circuit = self.context.reasoner.gates().is_some();
        if self.known.as_ref().is_none_or(|known| known.on_circuit != circuit) {
            let known = Opening::new(&self.context, &self.wishes).hurried(deadline);
            self.take(known);
        }
        let (context, wishes, known) = (&self.context, &self.wishes, &self.known);
        &mut **self.search.get_or_insert_with(|| match known {
            Some(known) => make(context, wishes, known, None),
            None => make(context, wishes, &Known::nothing(context), None),
        })
    }

    fn take(&mut self, mut known: Known) {
        self.context.tell(known.lines());
        let solved = known.solved.take();
        if let Some(sum) = known.sum.take() {
            let memory = summing::rest_of(self.context.memory);
            let context = Context { memory, ..self.context.clone() };
            let whole = make(&context, &self.wishes, &known, solved);
            self.search = Some(Box::new(Summed::new(sum, whole, self.context.machine())));
            self.known = Some(known);
            return;
        }
        self.search = Some(match known.parts.take() {
            Some(parts) => {
                let memory = parts.memory(self.context.memory);
                let context = Context { memory, ..self.context.clone() };
                let whole = make(&context, &self.wishes, &known, solved);
                parts.search(whole, self.context.machine())
            }
            None => make(&self.context, &self.wishes, &known, solved),
        });
        self.known = Some(known);
    }

    fn run(
        &mut self,
        state: &State,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        let role = self.context.role;
        self.search(&effort.deadline).search(state, role, effort, observe)
    }
}

impl Fluxion {
    /// Chooses a move until the deadline.
    fn choose(
        &mut self,
        state: &State,
        deadline: &Deadline,
        note: &mut dyn FnMut(Thought),
    ) -> Result<Option<Thought>, ReasonError> {
        let effort = Effort { deadline: deadline.clone(), nodes: self.wishes.nodes, depth: None };
        let mut random = self.random.clone();
        self.search(deadline).advance(state);
        let report = self.run(state, &effort, &mut |report| {
            if let Some(thought) = searcher::thought(report, &mut random.clone()) {
                note(thought);
            }
        })?;
        let thought = searcher::thought(&report, &mut random);
        self.random = random;
        Ok(thought)
    }

    /// Whether thinking would take time from the making of the circuit.
    fn gives_way(&self) -> bool {
        self.wishes.nodes.is_none() && patience::is_due(&self.context, self.wishes.threads)
    }
}

/// The search for what is known.
fn make(
    context: &Context,
    options: &Wishes,
    known: &Known,
    solved: Option<Solver>,
) -> Box<dyn Search> {
    Parts { context, known, options }.search(known.method, solved)
}

impl Thinker for Fluxion {
    fn prepare(&mut self, initial: &State, deadline: &Deadline) -> Result<(), ReasonError> {
        searcher::wait_for_circuit(&self.context, deadline);
        let known = Opening::new(&self.context, &self.wishes).thorough(deadline);
        self.take(known);
        if self.gives_way() && deadline.left().is_some() {
            patience::wait(&self.context, deadline);
        }
        // Without an end of the clock there is nothing to fill; with a limit on nodes moves are the same
        // however long the start clock is.
        if deadline.instant().is_some() && self.wishes.nodes.is_none() {
            self.run(initial, &Effort::until(deadline.clone()), &mut |_| ())?;
        }
        Ok(())
    }

    fn think(
        &mut self,
        state: &State,
        deadline: &Deadline,
        note: &mut dyn FnMut(Thought),
    ) -> Result<Option<Thought>, ReasonError> {
        if let Some(part) = patience::part(deadline).filter(|_| self.gives_way()) {
            let thought = self.choose(state, &part, note)?;
            if !patience::wait(&self.context, deadline) {
                return Ok(thought);
            }
        }
        self.choose(state, deadline, note)
    }

    fn ponder(&mut self, state: &State, deadline: &Deadline) -> Result<(), ReasonError> {
        if self.gives_way() && !patience::wait(&self.context, deadline) {
            return Ok(());
        }
        self.run(state, &Effort::until(deadline.clone()), &mut |_| ()).map(|_| ())
    }
}

#[cfg(test)]
mod tests;
