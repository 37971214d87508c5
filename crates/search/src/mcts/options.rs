//! What can be chosen about the search. Every enhancement can be switched on its own.

/// Which move to play in the end (Chaslot et al. 2008).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Final {
    /// The one tried most often.
    #[default]
    Visits,
    /// The one of highest value.
    Value,
    /// The one whose lower confidence bound is highest.
    Secure,
}

/// What to do where several roles have a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simultaneous {
    /// Each role chooses by its own statistics (decoupled UCT).
    #[default]
    Decoupled,
    /// The same, but what is played is the best answer to what the others are expected to do.
    Response,
    /// Each role plays in proportion to its regrets (regret matching); the average is a mixed strategy.
    Regret,
}

/// How playouts choose their moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Uniformly.
    #[default]
    Uniform,
    /// By the average of a move wherever it was made (Move-Average Sampling Technique).
    Mast,
    /// By averages of sequences of moves (N-gram Selection Technique).
    Nst,
}

/// All moves as first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Amaf {
    /// Not used.
    #[default]
    Off,
    /// By the playouts through the node itself (RAVE).
    Rave,
    /// By the playouts through the nearest ancestor with enough of them (GRAVE).
    Grave,
}

/// Where moves that end the game at once are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decisive {
    /// Nowhere.
    #[default]
    Off,
    /// In playouts in lanes: moves that win at once are made and those that let the next role win are not, where the gates tell which ones.
    Lanes,
    /// At each new node; the solver makes of it what follows for the moves before (anti-decisive).
    Tree,
    /// Also at each step of a playout: moves that win at once are made, moves after which another role
    /// wins at once are avoided.
    All,
}

/// What carries out playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Playouts {
    /// What is quicker. With a limit on nodes and no deadline lanes if they are there, since measuring
    /// would make the search depend on the machine.
    #[default]
    Auto,
    /// The machine, one step at a time.
    Stepper,
    /// The lanes of the circuit, hundreds at a time, as far as the other options leave playouts uniform.
    Lanes,
}

/// The options of the search.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Options {
    /// The weight of exploration, for values from 0 to 1.
    pub exploration: f64,
    /// Whether that weight follows how far the results of playouts lie apart; it is meant for those that are 0 as often as 1.
    pub spread: bool,
    /// The value (0 to 1) that a move not tried yet is taken to have, instead of being tried first.
    pub first_play: Option<f64>,
    /// Which move to play.
    pub final_move: Final,
    /// Where several roles choose.
    pub simultaneous: Simultaneous,
    /// Whether values are proved and propagated.
    pub solver: bool,
    /// Whether states reached in several ways share a node.
    pub transpositions: bool,
    /// How playouts choose.
    pub policy: Policy,
    /// What a reward is worth a move earlier than it comes, as a part of it, where the search expects nearly the best; 1 for all of it.
    pub discount: f64,
    /// How often a playout policy is ignored.
    pub epsilon: f64,
    /// How much playouts in lanes prefer moves that did well: by so many powers of two for a standard deviation of what
    /// moves are worth; 0 for uniformly random moves.
    pub guide: f64,
    /// Whether such preferences depend on what holds.
    pub conditions: bool,
    /// All moves as first.
    pub amaf: Amaf,
    /// How many visits weigh as much as all that AMAF knows.
    pub amaf_equivalence: f64,
    /// How many visits an ancestor needs to be asked by GRAVE.
    pub amaf_reference: u32,
    /// The weight of the evaluator as progressive bias.
    pub bias: f64,
    /// The weight of implicit minimax backups of the evaluator, 0 to 1.
    pub implicit: f64,
    /// How much of the value of a node is that of its favourite move instead of the mean, 0 to 1.
    pub favour: f64,
    /// How many visits the evaluation of a successor weighs as much as: all successors of a node are then
    /// evaluated, and those not tried yet have that value (node priors, Gelly and Silver 2007); 0 for off.
    pub prior: f64,
    /// How many visits a node needs for that.
    pub judged: u32,
    /// How many visits what a move was worth elsewhere in the graph weighs as much as; 0 for off.
    pub history: f64,
    /// Moves that end the game at once.
    pub decisive: Decisive,
    /// After how many moves a playout is cut off and its state evaluated; needs an evaluator.
    pub cut_off: Option<u32>,
    /// What carries out playouts.
    pub playouts: Playouts,
    /// How many leaves are collected for the lanes at a time; 0 for a number that suits the game.
    pub leaves: usize,
    /// Whether lanes begin with a leaf for each move of the root, instead of with a few.
    pub wide: bool,
    /// The most moves of a playout.
    pub longest: u32,
    /// Threads.
    pub threads: usize,
    /// Bytes for the graph.
    pub memory: usize,
    /// The seed.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            // CadiaPlayer's constant, 40 for values up to 100 (Finnsson and Björnsson 2008).
            exploration: 0.4,
            spread: false,
            first_play: None,
            final_move: Final::default(),
            simultaneous: Simultaneous::default(),
            solver: true,
            transpositions: true,
            policy: Policy::default(),
            discount: 1.0,
            epsilon: 0.2,
            guide: 0.0,
            conditions: true,
            amaf: Amaf::default(),
            amaf_equivalence: 500.0,
            amaf_reference: 50,
            bias: 0.0,
            implicit: 0.0,
            favour: 0.0,
            prior: 0.0,
            history: 0.0,
            judged: 2,
            decisive: Decisive::default(),
            cut_off: None,
            playouts: Playouts::default(),
            leaves: 0,
            wide: true,
            longest: 1000,
            threads: 1,
            memory: 512 << 20,
            seed: 1,
        }
    }
}

impl Options {
    /// Whether playouts have to be made step by step: because their moves are chosen, learned from or
    /// looked at.
    pub(super) fn need_steps(&self) -> bool {
        self.policy != Policy::Uniform
            || self.amaf != Amaf::Off
            || self.decisive == Decisive::All
            || self.cut_off.is_some()
    }
}
