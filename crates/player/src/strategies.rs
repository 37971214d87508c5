//! The strategies that search, with their options.

use std::time::Duration;

use game::{Deadline, Role};
use search::class::{self, Sampling};
use search::deepening::{self, Deepening};
use search::mcts::{self, Mcts};
use search::planning::{Planner, PlannerOptions};
use search::{Blind, GameClass, Search};

use crate::options::{Kind, OptionInfo, Options};
use crate::searcher::{Searcher, by_playouts, evaluator, foresight, relaxation, symmetries, to_go};
use crate::thinker::{Context, Thinker};

const fn switch(key: &'static str, default: &'static str, help: &'static str) -> OptionInfo {
    OptionInfo { key, kind: Kind::Switch, default, help }
}

const fn choice(
    key: &'static str,
    words: &'static [&'static str],
    help: &'static str,
) -> OptionInfo {
    OptionInfo { key, kind: Kind::Choice(words), default: words[0], help }
}

const fn number(
    key: &'static str,
    (least, most): (f64, f64),
    default: &'static str,
    help: &'static str,
) -> OptionInfo {
    OptionInfo { key, kind: Kind::Number { least, most, whole: false, off: false }, default, help }
}

const fn whole(
    key: &'static str,
    (least, most): (f64, f64),
    default: &'static str,
    help: &'static str,
) -> OptionInfo {
    OptionInfo { key, kind: Kind::Number { least, most, whole: true, off: false }, default, help }
}

const fn or_off(key: &'static str, whole: bool, most: f64, help: &'static str) -> OptionInfo {
    OptionInfo {
        key,
        kind: Kind::Number { least: 0.0, most, whole, off: true },
        default: "off",
        help,
    }
}

const NODES: OptionInfo = whole("nodes", (0.0, 1e12), "0", "nodes for a move; 0 for no limit");
const MEMORY: OptionInfo = whole("memory", (0.0, 1e6), "0", "MiB; 0 for what the player is given");
const SYMMETRY: OptionInfo =
    switch("symmetry", "off", "count symmetric states as one (thesis §8.4)");
const SAT: OptionInfo =
    switch("sat", "on", "in games of one role, look for plans by a SAT solver as well");
const EVALUATORS: &[&str] = &[
    "off", "fuzzy", "distance", "basic", "ground", "learned", "playouts", "h0", "h1", "h2", "h12",
];

/// The options of `fluxion`.
pub(crate) static FLUXION: &[OptionInfo] = &[
    whole("threads", (1.0, 256.0), "1", "threads that share the graph"),
    NODES,
    whole(
        "guard",
        (0.0, 100.0),
        "12",
        "percent of a move's time for alpha-beta beside the tree; 0 for none, also to solve games",
    ),
    switch(
        "contend",
        "on",
        "in a position proven to be a draw, make the move that keeps it and is hardest to answer",
    ),
    switch("learn", "on", "learn values of fluents in the start clock"),
    switch("derive", "on", "make an evaluator from the rules in the start clock"),
    switch("trial", "on", "try in quick games which search pays"),
    switch(
        "deepening",
        "on",
        "let alpha-beta take the place of the tree where quick games speak for it",
    ),
    switch(
        "rivals",
        "on",
        "with two threads, search both ways where quick games leave it open, and follow the one whose predictions hold",
    ),
    switch("decisive", "on", "playouts win at once, and do not let others do so"),
    switch(
        "guess",
        "off",
        "let traps, moves, length and evaluation have a say in which search to use",
    ),
    number("c", (0.0, 10.0), "0.4", "weight of exploration"),
    switch("spread", "on", "exploration follows the deviation of playouts"),
    number("guide", (0.0, 5.0), "0", "how much playouts prefer moves that did well, where it pays"),
    number(
        "favour",
        (0.0, 1.0),
        "0.8",
        "how much the value of a node is that of its favourite move",
    ),
    number(
        "discount",
        (0.0, 1.0),
        "0.99",
        "what a reward is worth a move earlier than it comes, where the search expects to win",
    ),
    number("prior", (0.0, 1e3), "2", "visits that a learned value weighs as much as"),
    number(
        "history",
        (0.0, 1e3),
        "4",
        "visits that the worth of a move elsewhere weighs as much as",
    ),
    number("implicit", (0.0, 1.0), "0", "weight of learned values in implicit minimax backups"),
    switch(
        "response",
        "on",
        "where moves are simultaneous, answer what the others are expected to do",
    ),
    switch(
        "parts",
        "on",
        "search games that are several games at once game by game, and play sums of games by their values",
    ),
    SYMMETRY,
    SAT,
    MEMORY,
];

/// The options of `uct`.
pub(crate) static UCT: &[OptionInfo] = &[
    whole("threads", (1.0, 256.0), "1", "threads that share the graph"),
    NODES,
    number("c", (0.0, 10.0), "0.4", "weight of exploration"),
    switch("spread", "off", "exploration follows the deviation of playouts"),
    or_off("fpu", false, 2.0, "first-play urgency: the value of a move not tried yet"),
    choice("final", &["visits", "value", "secure"], "which move to play in the end"),
    choice("simultaneous", &["decoupled", "response", "regret"], "where several roles choose"),
    switch("solver", "on", "prove values and propagate them"),
    switch("transpositions", "on", "equal states share a node"),
    choice("policy", &["uniform", "mast", "nst"], "how playouts choose moves"),
    number("epsilon", (0.0, 1.0), "0.2", "how often a playout ignores its policy"),
    number("guide", (0.0, 5.0), "0", "how much playouts in lanes prefer moves that did well"),
    switch("conditions", "on", "such preferences depend on what holds"),
    choice("rave", &["off", "on", "grave"], "all moves as first: RAVE or GRAVE"),
    number("equivalence", (0.0, 1e6), "500", "visits that weigh as much as RAVE"),
    whole("reference", (0.0, 1e6), "50", "visits that an ancestor needs for GRAVE"),
    number("bias", (0.0, 10.0), "0", "weight of the evaluator as progressive bias"),
    number("implicit", (0.0, 1.0), "0", "weight of implicit minimax backups of the evaluator"),
    number(
        "discount",
        (0.0, 1.0),
        "1",
        "what a reward is worth a move earlier than it comes, where the search expects to win",
    ),
    number("favour", (0.0, 1.0), "0", "how much the value of a node is that of its favourite move"),
    number("prior", (0.0, 1e3), "0", "visits that the evaluation of a successor weighs as much as"),
    whole("judged", (0.0, 1e6), "2", "visits after which all successors are evaluated"),
    number(
        "history",
        (0.0, 1e3),
        "0",
        "visits that the worth of a move elsewhere weighs as much as",
    ),
    choice("decisive", &["off", "lanes", "tree", "all"], "look for moves that win at once"),
    or_off("cutoff", true, 1e6, "moves after which a playout is evaluated instead"),
    choice("eval", EVALUATORS, "the evaluator for bias, implicit and cutoff"),
    choice("playouts", &["auto", "stepper", "lanes"], "what carries out playouts"),
    whole("leaves", (0.0, 512.0), "0", "leaves collected for the lanes; 0 for a fitting number"),
    switch("wide", "on", "lanes begin with a leaf for each move of the root"),
    SYMMETRY,
    MEMORY,
];

/// The options of `alphabeta` and `maxn`.
pub(crate) static DEEPENING: &[OptionInfo] = &[
    NODES,
    whole("depth", (0.0, 4000.0), "0", "the deepest iteration; 0 for no limit"),
    switch("table", "on", "keep values in a table"),
    switch("history", "on", "history heuristic"),
    switch("killers", "on", "killer moves"),
    choice("windows", &["scout", "alphabeta", "full"], "which parts of the tree are left out"),
    switch("nonuniform", "off", "search less promising moves less deep (thesis Eq. 4.4)"),
    switch("reductions", "off", "a less deep first look at moves that come late in the order"),
    switch("quiescence", "off", "search noisy leaves further (Rauber-14)"),
    choice("noise", &["applicable", "possible"], "which actions tell noisy leaves"),
    choice("simultaneous", &["mixed", "serial"], "where several roles choose"),
    choice("eval", EVALUATORS, "the evaluator of leaves"),
    whole("playouts", (1.0, 1e5), "64", "playouts for each value of eval=playouts"),
    switch("decisive", "off", "such playouts win at once, and do not let others do so"),
    SYMMETRY,
    MEMORY,
];

/// The options of `plan`.
pub(crate) static PLAN: &[OptionInfo] = &[
    NODES,
    choice("eval", EVALUATORS, "guides the search"),
    choice("distance", &["off", "hmax", "hadd", "ff"], "moves to go, for A* and greedy search"),
    SAT,
    MEMORY,
];

fn memory(options: &Options, context: &Context) -> usize {
    match options.whole("memory") {
        0 => context.memory,
        mebibytes => (mebibytes as usize) << 20,
    }
}

fn mcts_options(options: &Options, context: &Context) -> mcts::Options {
    use mcts::{Amaf, Decisive, Final, Playouts, Policy, Simultaneous};
    mcts::Options {
        exploration: options.number("c"),
        spread: options.is_on("spread"),
        favour: options.number("favour"),
        discount: options.number("discount"),
        first_play: options.number_or_off("fpu"),
        final_move: match options.text("final") {
            "value" => Final::Value,
            "secure" => Final::Secure,
            _ => Final::Visits,
        },
        simultaneous: match options.text("simultaneous") {
            "response" => Simultaneous::Response,
            "regret" => Simultaneous::Regret,
            _ => Simultaneous::Decoupled,
        },
        solver: options.is_on("solver"),
        transpositions: options.is_on("transpositions"),
        policy: match options.text("policy") {
            "mast" => Policy::Mast,
            "nst" => Policy::Nst,
            _ => Policy::Uniform,
        },
        epsilon: options.number("epsilon"),
        guide: options.number("guide"),
        conditions: options.is_on("conditions"),
        amaf: match options.text("rave") {
            "on" => Amaf::Rave,
            "grave" => Amaf::Grave,
            _ => Amaf::Off,
        },
        amaf_equivalence: options.number("equivalence"),
        amaf_reference: options.whole("reference") as u32,
        bias: options.number("bias"),
        implicit: options.number("implicit"),
        prior: options.number("prior"),
        judged: options.whole("judged") as u32,
        history: options.number("history"),
        decisive: match options.text("decisive") {
            "lanes" => Decisive::Lanes,
            "tree" => Decisive::Tree,
            "all" => Decisive::All,
            _ => Decisive::Off,
        },
        cut_off: options.text("cutoff").parse().ok(),
        playouts: match options.text("playouts") {
            "stepper" => Playouts::Stepper,
            "lanes" => Playouts::Lanes,
            _ => Playouts::Auto,
        },
        leaves: options.whole("leaves") as usize,
        wide: options.is_on("wide"),
        threads: options.whole("threads") as usize,
        memory: memory(options, context),
        seed: context.seed,
        ..mcts::Options::default()
    }
}

/// Monte-Carlo tree search.
pub(crate) fn uct(options: &Options, context: &Context) -> Box<dyn Thinker> {
    let mcts_options = mcts_options(options, context);
    let eval = options.text("eval").to_owned();
    let (symmetric, timed) = (options.is_on("symmetry"), options.whole("nodes") == 0);
    let make = move |context: &Context, deadline: &Deadline| -> Box<dyn Search> {
        let mut search = Mcts::new(&context.reasoner, mcts_options.clone());
        if symmetric && let Some(symmetries) = symmetries(context, timed, deadline) {
            search = search.with_symmetries(symmetries);
        }
        match evaluator(&eval, context, deadline) {
            Some(evaluator) => Box::new(search.with_evaluator(evaluator)),
            None => Box::new(search),
        }
    };
    Box::new(Searcher::new(context, options.whole("nodes"), 0, Box::new(make)))
}

/// The class of a game, by a short look.
fn class_of(context: &Context, deadline: &Deadline) -> GameClass {
    let short = deadline.left().map_or(CLASS_TIME, |left| CLASS_TIME.min(left / 5));
    let sampling = Sampling { deadline: Deadline::within(short), ..Sampling::default() };
    let roles = context.reasoner.game().roles().len();
    class::sample(&mut *context.machine(), &sampling)
        .map_or_else(|_| GameClass::unknown(roles), |(class, _)| class)
}

/// The longest look at the class of a game.
const CLASS_TIME: Duration = Duration::from_secs(2);

fn deepening_options(options: &Options, context: &Context) -> deepening::Options {
    use deepening::{DepthLimit, Quiescence, Simultaneous, Windows};
    deepening::Options {
        memory: memory(options, context),
        table: options.is_on("table"),
        history: options.is_on("history"),
        killers: options.is_on("killers"),
        windows: match options.text("windows") {
            "full" => Windows::Full,
            "alphabeta" => Windows::AlphaBeta,
            _ => Windows::Scout,
        },
        depth_limit: if options.is_on("nonuniform") {
            DepthLimit::NonUniform
        } else {
            DepthLimit::Uniform
        },
        reductions: options.is_on("reductions"),
        quiescence: options
            .is_on("quiescence")
            .then(|| Quiescence { noise: noise(options), ..Quiescence::default() }),
        simultaneous: match options.text("simultaneous") {
            "serial" => Simultaneous::Serial,
            _ => Simultaneous::Mixed,
        },
        ..deepening::Options::default()
    }
}

fn noise(options: &Options) -> deepening::Noise {
    match options.text("noise") {
        "possible" => deepening::Noise::Possible,
        _ => deepening::Noise::Applicable,
    }
}

fn deepen(
    options: &Options,
    context: &Context,
    opponents: deepening::Opponents,
) -> Box<dyn Thinker> {
    deepen_by(options.text("eval"), options, context, opponents)
}

fn deepen_by(
    eval: &str,
    options: &Options,
    context: &Context,
    opponents: deepening::Opponents,
) -> Box<dyn Thinker> {
    let chosen = deepening::Options { opponents, ..deepening_options(options, context) };
    let eval = eval.to_owned();
    let playouts = (options.whole("playouts") as usize, options.is_on("decisive"));
    let (symmetric, timed) = (options.is_on("symmetry"), options.whole("nodes") == 0);
    let make = move |context: &Context, deadline: &Deadline| -> Box<dyn Search> {
        let class = class_of(context, deadline);
        let evaluator = match eval.as_str() {
            "playouts" => by_playouts(context, playouts),
            eval => evaluator(eval, context, deadline),
        };
        let evaluator = evaluator.unwrap_or_else(|| Box::new(Blind));
        let mut search = Deepening::new(context.machine(), evaluator, class, &chosen);
        if symmetric && let Some(symmetries) = symmetries(context, timed, deadline) {
            search = search.with_symmetries(symmetries);
        }
        let possible = chosen.quiescence.is_some_and(|q| q.noise == deepening::Noise::Possible);
        match possible.then(|| relaxation(context, deadline)).flatten() {
            Some(shared) => {
                Box::new(search.with_possible_actions(Box::new(relax::Possible::new(&shared))))
            }
            None => Box::new(search),
        }
    };
    let (nodes, depth) = (options.whole("nodes"), options.whole("depth"));
    Box::new(Searcher::new(context, nodes, depth, Box::new(make)))
}

/// Fluxplayer of thesis §5: its evaluation function with the search that fits the class of the game.
pub(crate) fn flux_basic(options: &Options, context: &Context) -> Box<dyn Thinker> {
    flux("basic", options, context)
}

/// The same with the distances of thesis §6.
pub(crate) fn flux_distance(options: &Options, context: &Context) -> Box<dyn Thinker> {
    flux("distance", options, context)
}

fn flux(eval: &str, options: &Options, context: &Context) -> Box<dyn Thinker> {
    // An evaluator named by the option replaces that of the strategy.
    let eval = if options.is_given("eval") { options.text("eval") } else { eval };
    deepen_by(eval, options, context, deepening::Opponents::Fitting)
}

/// Alpha-beta: one role against the rest.
pub(crate) fn alpha_beta(options: &Options, context: &Context) -> Box<dyn Thinker> {
    deepen(options, context, deepening::Opponents::Paranoid)
}

/// max^n: every role for itself.
pub(crate) fn max_n(options: &Options, context: &Context) -> Box<dyn Thinker> {
    deepen(options, context, deepening::Opponents::Selfish)
}

/// Planning where there is one role; Monte-Carlo tree search otherwise.
pub(crate) fn plan(options: &Options, context: &Context) -> Box<dyn Thinker> {
    let memory = memory(options, context);
    let eval = options.text("eval").to_owned();
    let nodes = options.whole("nodes");
    let sat = options.is_on("sat");
    let measure = match options.text("distance") {
        "hmax" => Some(relax::Measure::Max),
        "hadd" => Some(relax::Measure::Add),
        "ff" => Some(relax::Measure::Plan),
        _ => None,
    };
    let make = move |context: &Context, deadline: &Deadline| -> Box<dyn Search> {
        let alone = context.reasoner.game().roles().len() == 1 && context.role == Role(0);
        if !alone {
            let options = mcts::Options { memory, seed: context.seed, ..mcts::Options::default() };
            return Box::new(Mcts::new(&context.reasoner, options));
        }
        let options = PlannerOptions { memory, seed: context.seed, ..PlannerOptions::default() };
        let planner = Planner::new(context.machine(), options);
        let planner = match evaluator(&eval, context, deadline) {
            Some(evaluator) => planner.with_evaluator(evaluator),
            None => planner,
        };
        let planner = match foresight(context, Vec::new()).filter(|_| sat) {
            Some(foresight) => planner.with_foresight(foresight),
            None => planner,
        };
        let to_go = measure.and_then(|measure| to_go(measure, context, deadline));
        match to_go {
            Some(to_go) => Box::new(planner.with_distance(to_go)),
            None => Box::new(planner),
        }
    };
    Box::new(Searcher::new(context, nodes, 0, Box::new(make)))
}
