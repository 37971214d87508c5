//! The arguments of every command, with the help texts that teach them.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::limits::{ReadLimits, ReasonLimits, seconds};
use crate::machines;

/// What a GAME argument may be, for the help texts.
const GAME_HELP: &str = "GAME is a path to a rule sheet, the name of a game of the library (see \
                         `fluxion games`), or - for standard input.";

/// A general game player: give it the rules of a game, and it plays, checks and shows it.
///
/// Without a command, the page is opened in the browser, as with `fluxion web`.
#[derive(Debug, Parser)]
#[command(
    name = "fluxion",
    version,
    after_help = "Exit codes: 0 done, 1 something is wrong with \
    the rules or the trace, 2 cannot read, write or understand the arguments, 3 gave up within the \
    limits, 130 interrupted."
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play any game in the browser
    Web(crate::page::WebArgs),
    /// Tell whether rules are sound, where they are not, and how to mend them
    Check(CheckArgs),
    /// Format rule sheets, comments kept, or convert between the two syntaxes
    Fmt(FmtArgs),
    /// Show roles, initial state, legal moves and statistics of random play
    Show(ShowArgs),
    /// List the games of the library, or describe one
    Games(GamesArgs),
    /// Record seeded random play as JSON lines
    Trace(TraceArgs),
    /// Replay a trace and report the first difference
    Conform(ConformArgs),
    /// Measure state transitions per CPU second in random play
    Bench(BenchArgs),
    /// Find the value of a game for each role and the best line, with a proof if possible
    Solve(SolveArgs),
    /// Print what the rules become on the way to the machine: ground rules, gates
    Inspect(InspectArgs),
    /// Find the symmetries of a game: of its board, its objects, its roles
    Symmetries(SymmetriesArgs),
    /// Tell what can be found out about a game: boards, quantities, orders, pieces, turns
    Analyze(AnalyzeArgs),
    /// Prove what holds in all states of a game, or refute it by a match
    Prove(crate::prove::ProveArgs),
    /// Make the page of proofs: the experiments of the thesis, its figures beside ours
    #[command(hide = true)]
    Proofs(crate::proofs::ProofsArgs),
    /// Evaluate a position and tell which conditions make its value
    Eval(EvalArgs),
    /// Find out how many search traps a game has, from a sample of its states
    Traps(crate::traps::TrapsArgs),
    /// Play a demonstration match in the terminal
    Demo(DemoArgs),
    /// Be a player that any game manager can use
    Serve(crate::serve::ServeArgs),
    /// List, show or forget what is kept about games from match to match
    Knowledge(crate::knowledge::KnowledgeArgs),
    /// Play a match between strategies, players over HTTP and people
    Match(crate::matches::MatchArgs),
    /// Check the record of a match against the rules, and show it
    Replay(crate::replay::ReplayArgs),
    /// Play many matches by a plan, with ratings and reports
    Tournament(crate::tournament::TournamentArgs),
    /// Compare variants of a strategy by matches, resumably
    Ablation(crate::ablation::AblationArgs),
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Color {
    /// On terminals, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes it so for the whole process.
    pub fn apply(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// Text for people or JSON for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs; `docs/json.md` documents the keys.
    Json,
}

/// A machine by name.
#[derive(Clone, Debug, ClapArgs)]
pub struct MachineChoice {
    /// The reasoner
    #[arg(long, default_value = machines::DEFAULT, value_parser = machines::names(), value_name = "NAME")]
    pub machine: String,
}

/// A machine by name, for commands that play a lot.
#[derive(Clone, Debug, ClapArgs)]
pub struct PlayingChoice {
    /// The reasoner; auto is the interpreter until the game has become a circuit
    #[arg(long, default_value = machines::PLAYING, value_parser = machines::names(), value_name = "NAME")]
    pub machine: String,
}

/// `fluxion check`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GAME_HELP, after_long_help = format!("{GAME_HELP}

Examples:
  fluxion check mygame.kif                    all problems, with their places and remedies
  fluxion check mygame.kif --play 1000        also look for stuck players, endless play, missing
                                              goals in 1000 random playouts
  fluxion check *.kif --json                  for editors and scripts
  fluxion check g.kif --play 100 --trace t.jsonl   write the play that refutes something

Exit codes: 0 sound, 1 unsound, 2 cannot be read, 3 gave up within the limits. What --play finds
does not make rules unsound; with --strict, a player without a legal move or a missing goal value
also exits with 1."))]
pub struct CheckArgs {
    /// Rule sheets or library games
    #[arg(required = true, value_name = "GAME")]
    pub games: Vec<String>,
    /// Also play N random matches, to refute Def. 2.8-2.13 (termination, playability, …)
    #[arg(long, value_name = "N")]
    pub play: Option<usize>,
    /// Also try to prove Def. 2.8-2.10 and 2.13 for all states, or to refute them
    #[arg(long)]
    pub prove: bool,
    /// The seed from which each playout gets its own
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// The most steps of a playout
    #[arg(long, default_value_t = 1000, value_name = "STEPS")]
    pub cap: usize,
    /// Write the playouts that refute something as a trace (compressed if it ends in .gz)
    #[arg(long, value_name = "FILE", requires = "play")]
    pub trace: Option<PathBuf>,
    /// Refuted playability or outcome-definedness also exits with 1
    #[arg(long, requires = "play")]
    pub strict: bool,
    /// Text for people or JSON for programs
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The same as --format json
    #[arg(long)]
    pub json: bool,
    /// The most findings shown per file as text; 0 for all
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub max_findings: usize,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// The two syntaxes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SyntaxName {
    /// `(<= (legal ?p noop) (role ?p))`
    Kif,
    /// `legal(P, noop) :- role(P).`
    Prolog,
}

/// `fluxion fmt`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GAME_HELP, after_long_help = format!("{GAME_HELP}

Examples:
  fluxion fmt mygame.kif                      the formatted rules on standard output
  fluxion fmt -w *.kif                        in place; a file is replaced only when complete
  fluxion fmt --check *.kif                   exit code 1 if a file would change
  fluxion fmt --syntax prolog tictactoe       in the syntax of the papers

Exit codes: 0 done, 1 a file would change (--check), 2 cannot be read or written."))]
pub struct FmtArgs {
    /// Rule sheets or library games
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Only tell whether files would change
    #[arg(long, conflicts_with = "write")]
    pub check: bool,
    /// Replace the files
    #[arg(long, short)]
    pub write: bool,
    /// The syntax to write; that of the file if not given
    #[arg(long, value_enum)]
    pub syntax: Option<SyntaxName>,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
}

/// `fluxion show`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GAME_HELP, after_long_help = format!("{GAME_HELP}

Examples:
  fluxion show tictactoe                      as many playouts as fit into a second
  fluxion show mygame.kif --playouts 10000 --seed 7
  fluxion show mygame.kif --json | jq .statistics.length.mean"))]
pub struct ShowArgs {
    /// A rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// How many random playouts; if not given, as many as fit into about a second
    #[arg(long, value_name = "N")]
    pub playouts: Option<usize>,
    /// The seed from which each playout gets its own
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// The most steps of a playout
    #[arg(long, default_value_t = 1000, value_name = "STEPS")]
    pub cap: usize,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// The reasoner.
    #[command(flatten)]
    pub machine: PlayingChoice,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// `fluxion games`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:
  fluxion games                               all games
  fluxion games --class zero-sum --players 2  some of them
  fluxion games tictactoe                     what it is and where it comes from
  fluxion games tictactoe --rules > my.kif    its rules, as a start for your own")]
pub struct GamesArgs {
    /// Describe this game
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print its rules
    #[arg(long, requires = "name", conflicts_with = "json")]
    pub rules: bool,
    /// Only games of this class, such as turn-taking
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    /// Only games for that many players
    #[arg(long, value_name = "N")]
    pub players: Option<String>,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

/// `fluxion trace`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GAME_HELP, after_long_help = format!("{GAME_HELP}

Examples:
  fluxion trace tictactoe --seed 1 --playouts 3       JSON lines on standard output
  fluxion trace chess --playouts 10 -o chess.jsonl.gz compressed

The same seed gives the same trace everywhere."))]
pub struct TraceArgs {
    /// A rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// The seed of the first playout; the others count up from it
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// How many playouts
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub playouts: usize,
    /// The most steps of a playout
    #[arg(long, default_value_t = 1000, value_name = "STEPS")]
    pub cap: usize,
    /// Where to write (compressed if it ends in .gz); standard output if not given
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Traces are JSON lines already; accepted so that every command has it
    #[arg(long)]
    pub json: bool,
    /// The reasoner.
    #[command(flatten)]
    pub machine: MachineChoice,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// `fluxion conform`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GAME_HELP, after_long_help = format!("{GAME_HELP}

Examples:
  fluxion conform tictactoe trace.jsonl       replay, compare every state
  fluxion conform my.kif ref.jsonl.gz
  fluxion conform --corpus DIR                all DIR/games/*.kif with DIR/traces/*.jsonl.gz

Exit codes: 0 conforms, 1 differs, 2 cannot be read, 3 gave up within the limits."))]
pub struct ConformArgs {
    /// A rule sheet or library game
    #[arg(value_name = "GAME", required_unless_present = "corpus")]
    pub game: Option<String>,
    /// A trace, plain or compressed; - for standard input
    #[arg(value_name = "TRACE", required_unless_present = "corpus")]
    pub trace: Option<String>,
    /// Replay all traces of a folder instead
    #[arg(long, value_name = "DIR", conflicts_with_all = ["game", "trace"])]
    pub corpus: Option<PathBuf>,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// The reasoner.
    #[command(flatten)]
    pub machine: MachineChoice,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// `fluxion bench`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GAME_HELP, after_long_help = format!("{GAME_HELP}

Examples:
  fluxion bench tictactoe connect_four --seconds 5
  fluxion bench mygame.kif --machine stepper --json
  fluxion bench tictactoe chess --compare

A transition counts when the legal moves of all roles were computed and the joint move was applied;
goals are computed at the ends. Peak memory is that of the whole process so far."))]
pub struct BenchArgs {
    /// Rule sheets or library games
    #[arg(required = true, value_name = "GAME")]
    pub games: Vec<String>,
    /// CPU seconds of play per game
    #[arg(long, default_value_t = 2.0, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: f64,
    /// The seed from which each playout gets its own
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// The most steps of a playout
    #[arg(long, default_value_t = 1000, value_name = "STEPS")]
    pub cap: usize,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// The reasoner
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub machine: BenchMachine,
    /// Compare all reasoners: they take turns in short slices, and their ratios are printed
    #[arg(long, conflicts_with = "machine")]
    pub compare: bool,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// How a game is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SolveMethod {
    /// Whatever fits the class of the game.
    #[default]
    Auto,
    /// The first role against all others.
    AlphaBeta,
    /// Every role for itself.
    MaxN,
    /// Monte-Carlo tree search with its solver.
    Uct,
}

/// What tells a search where to look first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SolveEvaluator {
    /// Nothing: fastest per state.
    #[default]
    None,
    /// Fuzzy goals with distances, made from the rules.
    Fuzzy,
}

/// How simultaneous moves are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SimultaneousMoves {
    /// By mixed equilibria.
    #[default]
    Mixed,
    /// The first role moves first and is seen by the others.
    Serial,
}

/// `fluxion solve`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GAME_HELP, after_long_help = format!("{GAME_HELP}

Examples:
  fluxion solve tictactoe                     50 for both: a draw
  fluxion solve hanoi --shortest              a shortest plan, with the proof that it is one
  fluxion solve connect_four --timeout 20     the best found in 20 seconds
  fluxion solve rock_paper_scissors           a mixed strategy
  fluxion solve mygame.kif --json

Exit codes: 0 solved, 2 cannot be read, 3 not solved within the limits (the best found is printed),
130 stopped by Ctrl-C (so it is then)."))]
pub struct SolveArgs {
    /// A rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// The method
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub method: SolveMethod,
    /// How simultaneous moves are treated
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub simultaneous: SimultaneousMoves,
    /// What tells the search where to look first
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub evaluator: SolveEvaluator,
    /// In a game of one role, go on until the plan is known to be a shortest one
    #[arg(long)]
    pub shortest: bool,
    /// In a game of one role, look for plans by a SAT solver as well
    #[arg(long, value_enum, default_value_t = Switch::On, value_name = "WHETHER")]
    pub sat: Switch,
    /// Count symmetric states as one (alpha-beta, max^n, uct)
    #[arg(long, value_enum, default_value_t = Switch::Off, value_name = "WHETHER")]
    pub symmetry: Switch,
    /// Stop after making that many states; together with --seed this makes runs repeatable
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Memory for tables, in megabytes
    #[arg(long, default_value_t = 1024, value_name = "MB")]
    pub memory: usize,
    /// The seed of random choices
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}

/// Evaluation functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EvaluatorName {
    /// Goals with their variables; orders, quantities and boards by distance (thesis §5).
    Basic,
    /// Ground goals, fluents by their distances in the fluent graph (thesis §6).
    #[default]
    Distance,
    /// Ground goals, fluents true or false.
    Ground,
}

impl EvaluatorName {
    /// The method with that name.
    pub fn method(self) -> evaluate::Method {
        match self {
            EvaluatorName::Basic => evaluate::Method::Basic,
            EvaluatorName::Distance => evaluate::Method::Distance,
            EvaluatorName::Ground => evaluate::Method::Ground,
        }
    }
}

/// `fluxion eval`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GAME_HELP, after_long_help = format!("{GAME_HELP}

Examples:
  fluxion eval tictactoe                            the initial position
  fluxion eval tictactoe --moves \"(mark b 2); (mark a 1)\"
  fluxion eval breakthrough --by basic --parts 10
  fluxion eval othello --json | jq .roles[0].value

Joint moves are parted by semicolons. Each is one move for each role in their order, or only the move
of the role that has a choice. Degrees of truth above 0.5 are of what holds (+)."))]
pub struct EvalArgs {
    /// A rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// The moves that lead to the position
    #[arg(long, default_value = "", value_name = "MOVES", hide_default_value = true)]
    pub moves: String,
    /// The evaluation function
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub by: EvaluatorName,
    /// The most parts shown of each condition
    #[arg(long, default_value_t = 4, value_name = "N")]
    pub parts: usize,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// `fluxion demo`, and `fluxion` without a command.
#[derive(Debug, ClapArgs)]
#[command(after_help = GAME_HELP)]
pub struct DemoArgs {
    /// A rule sheet or library game
    #[arg(value_name = "GAME", default_value = "tictactoe")]
    pub game: String,
    /// The seed of all random choices
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Playouts that the thinking player spends on each move
    #[arg(long, default_value_t = 300, value_name = "N")]
    pub playouts: usize,
    /// Seconds for the whole match; it stops where they have passed
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: f64,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
}

impl Default for DemoArgs {
    fn default() -> Self {
        let game = "tictactoe".to_owned();
        let read = ReadLimits::default();
        Self { game, seed: 1, playouts: 300, seconds: 5.0, json: false, read }
    }
}

/// What `bench` measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BenchMachine {
    /// The exact reasoner that is always there.
    Interpreter,
    /// One position at a time on the circuit of the game.
    #[value(alias = "circuit")]
    Stepper,
    /// 512 positions at once on the circuit of the game.
    Lanes,
    /// Lanes where the game has a circuit, else the interpreter.
    #[default]
    Auto,
}

/// A stage on the way from rules to a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// All rules without variables.
    #[default]
    Ground,
    /// The gates.
    Circuit,
    /// Moves as actions with preconditions and effects.
    Actions,
    /// The gates for other model checkers, with properties as bad states.
    Aiger,
    /// Rule sheets of the games that it is at once, if it falls into several.
    Parts,
}

/// Arguments of `inspect`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  fluxion inspect tictactoe                      the ground rules
  fluxion inspect tictactoe --stage circuit      the gates
  fluxion inspect chess --counts                 sizes only
  fluxion inspect tictactoe --stage actions      moves with what they add and delete
  fluxion inspect tictactoe --stage aiger        the gates for other model checkers
  fluxion inspect hanoi --pddl hanoi.pddl        a puzzle for other planners: domain and problem

Counts go to standard error, the stage itself to standard output; with --json, only counts.")]
pub struct InspectArgs {
    /// The rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// What to print
    #[arg(long, value_enum, default_value_t, value_name = "STAGE")]
    pub stage: Stage,
    /// Write a game of one role in PDDL: the domain to FILE, the problem to FILE with -problem in its name
    #[arg(long, value_name = "FILE")]
    pub pddl: Option<std::path::PathBuf>,
    /// Print sizes only
    #[arg(long)]
    pub counts: bool,
    /// Report sizes as JSON
    #[arg(long)]
    pub json: bool,
    /// The most memory for ground rules, in megabytes
    #[arg(long, default_value_t = 4096, value_name = "MB")]
    pub max_memory: usize,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// Arguments of `analyze`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  fluxion analyze breakthrough                   what was understood, as text
  fluxion analyze chess --html chess.html        a page with pictures of the boards
  fluxion analyze mygame.kif --json              for programs

What follows from the rules alone is certain; what was read off random play is marked with a question mark.")]
pub struct AnalyzeArgs {
    /// The rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Also write a page for a browser; it needs no other files
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The states that must affirm a guess about the arguments of a fluent
    #[arg(long, default_value_t = structure::Settings::default().affirmations, value_name = "M")]
    pub affirmations: u32,
    /// The most states of random play that are looked at
    #[arg(long, default_value_t = structure::Settings::default().most_states, value_name = "N")]
    pub states: usize,
    /// The seed of the random play
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// The most memory for ground rules, in megabytes
    #[arg(long, default_value_t = 2048, value_name = "MB")]
    pub max_memory: usize,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// Arguments of `symmetries`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  fluxion symmetries tictactoe                   in words
  fluxion symmetries tictactoe --html page.html  with pictures
  fluxion symmetries chess --json                for programs

Exit code 3 means that not everything was looked at within the limits; what is told is right.")]
pub struct SymmetriesArgs {
    /// The rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Also write a page with pictures
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Only symmetries that map the initial state to itself
    #[arg(long)]
    pub initial: bool,
    /// The most memory for ground rules, in megabytes
    #[arg(long, default_value_t = 1024, value_name = "MB")]
    pub max_memory: usize,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}
