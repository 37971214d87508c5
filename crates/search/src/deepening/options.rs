//! What can be chosen about heuristic search. Each part can be switched off, to measure what it is worth.

use game::{Role, State};

/// How deep the successors of a state are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthLimit {
    /// All equally deep (thesis Algorithm 1).
    #[default]
    Uniform,
    /// Less promising ones less deep (thesis Eq. 4.4).
    NonUniform,
}

/// Which parts of the tree are left out because they cannot matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Windows {
    /// None: plain minimax.
    Full,
    /// Alpha-beta.
    AlphaBeta,
    /// Alpha-beta with windows of no width after the first move (Reinefeld 1989).
    #[default]
    Scout,
}

/// What the other roles want.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opponents {
    /// Whatever fits the class of the game: [`Opponents::Paranoid`] where that is exact, else
    /// [`Opponents::Selfish`]. Where the sum of rewards was believed to be constant and an end shows that it
    /// is not, the search begins again with the other.
    #[default]
    Fitting,
    /// To keep the searching role's reward low: exact for two players with a constant sum, pessimistic
    /// otherwise.
    Paranoid,
    /// Each its own reward (max^n, thesis Eq. 4.1-4.3).
    Selfish,
}

/// How simultaneous moves are treated where opponents are [`Opponents::Paranoid`]; selfish ones are always
/// serialised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simultaneous {
    /// The searching role moves first and is seen by the others (thesis §4.2.3).
    Serial,
    /// By the mixed equilibrium of the matrix of values.
    #[default]
    Mixed,
}

/// What makes a state noisy (Rauber-14, "Implementation Details").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// A change in the number of applicable actions.
    #[default]
    Applicable,
    /// A change in the number of actions that may ever become applicable, as told by [`PossibleActions`];
    /// applicable actions where nobody tells.
    Possible,
}

/// Tells how many actions of a role may still be possible later in the game, for example by the fixpoint
/// of a relaxed planning graph.
pub trait PossibleActions: Send {
    /// Their number.
    fn possible(&mut self, state: &State, role: Role) -> usize;
}

/// Quiescence search: noisy leaves are searched further (Rauber-14).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quiescence {
    /// What counts as noise.
    pub noise: Noise,
    /// The relative change above which a state is noisy.
    pub threshold: f64,
    /// How many moves further at most.
    pub depth: u32,
}

impl Default for Quiescence {
    fn default() -> Self {
        Self { noise: Noise::default(), threshold: 0.3, depth: 4 }
    }
}

/// The options of heuristic search.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "parts that can be switched off one by one")]
pub struct Options {
    /// Bytes for the table.
    pub memory: usize,
    /// Whether values are kept in a table.
    pub table: bool,
    /// Whether what a deeper search has found about a state is taken over where less depth is asked for. Without, the value
    /// of a state at a depth depends on the state and the depth alone.
    pub deeper: bool,
    /// Whether moves that led to cut-offs elsewhere come first (Schaeffer 1989).
    pub history: bool,
    /// Whether moves that led to cut-offs at the same depth come first.
    pub killers: bool,
    /// Whether moves are ordered by the values that their successors had before (what thesis §4.4 calls
    /// history heuristics). Needs the table.
    pub successors: bool,
    /// Which parts of the tree are left out.
    pub windows: Windows,
    /// Half the width of the first window around the last iteration's value; none for a full window.
    pub aspiration: Option<f64>,
    /// How deep successors are searched.
    pub depth_limit: DepthLimit,
    /// Whether moves that come late in the order get a first look that is less deep, and a full one only where that shows
    /// something better (late move reductions, as is common in chess programs). Values then depend on the order of moves, what is
    /// proven does not. Nothing is reduced at the root, nor with [`Windows::Full`]; max^n does not know of it.
    pub reductions: bool,
    /// What the other roles want.
    pub opponents: Opponents,
    /// How simultaneous moves are treated.
    pub simultaneous: Simultaneous,
    /// Whether and how noisy leaves are searched further.
    pub quiescence: Option<Quiescence>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            memory: 256 << 20,
            table: true,
            deeper: true,
            history: true,
            killers: true,
            successors: true,
            windows: Windows::default(),
            aspiration: Some(5.0),
            depth_limit: DepthLimit::default(),
            reductions: false,
            opponents: Opponents::default(),
            simultaneous: Simultaneous::default(),
            quiescence: None,
        }
    }
}

impl Options {
    /// The search of the thesis (§4.4): non-uniform depth, moves in the order of the values before, alpha-beta
    /// or max^n, simultaneous moves serialised.
    pub fn thesis() -> Self {
        Self {
            history: false,
            killers: false,
            windows: Windows::AlphaBeta,
            aspiration: None,
            depth_limit: DepthLimit::NonUniform,
            simultaneous: Simultaneous::Serial,
            ..Self::default()
        }
    }

    /// Nothing but minimax.
    pub fn plain() -> Self {
        Self {
            table: false,
            history: false,
            killers: false,
            successors: false,
            windows: Windows::Full,
            aspiration: None,
            ..Self::default()
        }
    }
}
