//! The experiments of thesis §7.5 (Figures 7.3 and 7.4) on the library and on other rule sheets, as a page: its
//! figures beside ours.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args as ClapArgs;
use cpu_time::ProcessTime;
use game::{Budget, Deadline, Game, Reasoner};
use prove::{Options, Property, Prover, Verdict, Vocabulary, candidates};
use serde_json::{Value, json};
use structure::{NoProver, Settings, Structures};

use crate::exit::{self, Exit};
use crate::prove::EngineName;
use crate::session::Session;

/// Arguments of `proofs`.
#[derive(Debug, ClapArgs)]
pub struct ProofsArgs {
    /// Where the page goes; standard output if not given
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A folder with games/*.kif: the original rule sheets, where they are
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Only rows of these games, by the names of the thesis
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,
    /// Keeps each line as soon as it is there; lines that this file has already are not made again
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Which engine proves
    #[arg(long, value_enum, default_value_t)]
    pub engine: EngineName,
    /// The most seconds of the clock for one column of one sheet; busy machines need more than the 60 that are aimed at
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    pub timeout: f64,
}

/// A row of Figures 7.3 and 7.4: name, our sheet, the original one; what the thesis has for control, board, board
/// given control and zero-sum (answer and seconds), and the seconds for all input arguments.
struct Row {
    name: &'static str,
    library: &'static str,
    original: &'static str,
    thesis: [&'static str; 4],
    all: f64,
}

const fn row(
    name: &'static str,
    library: &'static str,
    original: &'static str,
    thesis: [&'static str; 4],
    all: f64,
) -> Row {
    Row { name, library, original, thesis, all }
}

const ROWS: [Row; 13] = [
    row("3pttc", "3pttc", "3pttc", ["yes, 0.00", "no, 0.24", "no, 0.28", "no, 0.00"], 1.99),
    row("8puzzle", "eight_puzzle", "eightPuzzle", ["n/a", "no, 0.14", "n/a", "no, 0.00"], 4.66),
    row(
        "amazons",
        "amazons_unsplit_10x10",
        "amazons",
        ["yes, 0.00", "-, 70.18", "-, 70.08", "yes, 0.38"],
        491.36,
    ),
    row("blocker", "blocker", "blocker", ["n/a", "yes, 0.00", "n/a", "yes, 0.00"], 0.11),
    row(
        "checkers",
        "checkers",
        "checkers",
        ["yes, 0.02", "-, 25.96", "-, 25.94", "yes, 1.14"],
        256.07,
    ),
    row(
        "connectfour",
        "connect_four",
        "connectFour",
        ["yes, 0.00", "no, 0.01", "yes, 0.01", "yes, 0.01"],
        0.14,
    ),
    row(
        "endgame",
        "chess_endgame",
        "endgame",
        ["yes, 0.02", "-, 61.50", "-, 61.37", "yes, 0.12"],
        433.83,
    ),
    row(
        "knightthrough",
        "knightthrough",
        "knightThrough",
        ["yes, 0.00", "no, 8.34", "yes, 51.36", "yes, 0.00"],
        56.02,
    ),
    row(
        "othello",
        "othello",
        "othello-comp2007",
        ["yes, 0.12", "-, 60.01", "-, 61.13", "-, 57.03"],
        422.0,
    ),
    row(
        "pacman3p",
        "pacman_3p",
        "pacman3p",
        ["yes, 0.01", "no, 0.33", "no, 0.27", "no, 0.09"],
        3.05,
    ),
    row("quarto", "quarto", "quarto", ["n/a", "no, 2.36", "n/a", "yes, 3.14"], 16.52),
    row(
        "tictactoe",
        "tictactoe",
        "ticTacToe",
        ["yes, 0.00", "no, 0.00", "yes, 0.00", "yes, 0.00"],
        0.13,
    ),
    row("tttcc4", "tttcc4", "tttcc4", ["yes, 0.01", "-, 64.00", "-, 64.00", "no, 0.01"], 447.65),
];

/// Runs all rows and writes the page.
pub fn run(args: &ProofsArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let mut lines = args.record.as_deref().map_or_else(Vec::new, recorded);
    for row in
        ROWS.iter().filter(|row| args.rows.is_empty() || args.rows.iter().any(|r| r == row.name))
    {
        for (sheet, text) in sheets(row, args.corpus.as_deref()) {
            if session.stopped() {
                break;
            }
            if lines.iter().any(|line| line.sheet == sheet) {
                continue;
            }
            exit::say(&format!("{}: {sheet}", row.name));
            let game = match Game::from_text(&text) {
                Ok(game) => game,
                Err(error) => {
                    exit::warn(&format!("{sheet}: {error}"));
                    continue;
                }
            };
            let line = line(row, &sheet, &game, args, session);
            if session.stopped() {
                break;
            }
            if let Some(path) = &args.record {
                keep(path, &line)?;
            }
            lines.push(line);
        }
    }
    let place = |line: &Line| ROWS.iter().position(|row| row.name == line.name);
    // The library's sheet, which has a name and not a file's, before the original one.
    let original = |line: &Line| Path::new(&line.sheet).extension().is_some();
    lines.sort_by_key(|line| (place(line), original(line)));
    let page = page(&lines);
    match &args.output {
        Some(path) => std::fs::write(path, page)
            .with_context(|| format!("{} cannot be written", path.display()))?,
        None => session.out.write_all(page.as_bytes())?,
    }
    Ok(Exit::Fine)
}

/// Our encoding of a game, and the original one where it is.
fn sheets(row: &Row, corpus: Option<&Path>) -> Vec<(String, String)> {
    let own =
        library::find(row.library).map(|sheet| (sheet.name.to_owned(), sheet.rules.to_owned()));
    let other = corpus.and_then(|folder| {
        let name = format!("{}.kif", row.original);
        let text = std::fs::read_to_string(folder.join("games").join(&name)).ok()?;
        Some((name, text))
    });
    own.into_iter().chain(other).collect()
}

/// What is found for one sheet.
struct Line {
    name: &'static str,
    sheet: String,
    thesis: [&'static str; 4],
    /// CPU seconds until the circuit was there, or was given up.
    circuit: f64,
    ours: [String; 3],
    all_thesis: f64,
    all: String,
}

/// The lines of a file that [`keep`] wrote; what it did not write is left out.
fn recorded(path: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        let row = ROWS.iter().find(|row| value["row"] == row.name)?;
        let told = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Line {
            name: row.name,
            sheet: told("sheet")?,
            thesis: row.thesis,
            circuit: value["circuit"].as_f64()?,
            ours: [told("control")?, told("board")?, told("sum")?],
            all_thesis: row.all,
            all: told("all")?,
        })
    };
    text.lines().filter_map(line).collect()
}

/// Adds a line to a file.
fn keep(path: &Path, line: &Line) -> anyhow::Result<()> {
    let [control, board, sum] = &line.ours;
    let value = json!({
        "row": line.name, "sheet": line.sheet, "circuit": line.circuit,
        "control": control, "board": board, "sum": sum, "all": line.all,
    });
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| writeln!(file, "{value}"))
        .with_context(|| format!("{} cannot be written", path.display()))
}

fn line(row: &Row, sheet: &str, game: &Game, args: &ProofsArgs, session: &Session) -> Line {
    let options = |seconds: f64| Options {
        deadline: Deadline::within(Duration::from_secs_f64(seconds)).or_when(session.stop_flag()),
        engines: args.engine.engines(),
        ..Options::default()
    };
    let build = options(args.timeout);
    let budget = Budget {
        deadline: build.deadline.instant(),
        cancel: build.deadline.flag(),
        ..Budget::default()
    };
    let start = ProcessTime::now();
    let reasoner = Reasoner::build(game, &budget);
    let circuit = start.elapsed().as_secs_f64();
    let looking = Deadline::within(LOOKING).or_when(session.stop_flag());
    let hand = hand_selected(&reasoner, &looking);
    let ours = hand.map(|property| match property {
        None => "n/a".to_owned(),
        Some(property) => single(&reasoner, property, &options(args.timeout)),
    });
    let all = all_inputs(&reasoner, &options(args.timeout));
    Line {
        name: row.name,
        sheet: sheet.to_owned(),
        thesis: row.thesis,
        circuit,
        ours,
        all_thesis: row.all,
        all,
    }
}

/// The time for the analysis of structures.
const LOOKING: Duration = Duration::from_secs(20);

/// Control, board and zero-sum, found in the game by the analysis of structures instead of by hand.
fn hand_selected(reasoner: &Reasoner, deadline: &Deadline) -> [Option<Property>; 3] {
    let vocabulary = Vocabulary::new(reasoner.game());
    let settings = Settings::default();
    let found = Structures::find(reasoner, &settings, deadline, &mut NoProver);
    let control = found.controls.first().map(|control| structure::Functor::of(&control.fluent));
    let control = control.filter(|functor| functor.arity == 1);
    let control = control.map(|functor| candidates::inputs_of(functor, Vec::new()));
    let board = found.boards.iter().max_by_key(|board| {
        board.coordinates.iter().map(|axis| axis.values.len()).product::<usize>()
    });
    let board = board.map(|board| {
        let inputs = board.coordinates.iter().map(|axis| axis.argument).collect();
        candidates::inputs_of(board.functor, inputs)
    });
    let end = found.sample.states.iter().find(|seen| seen.terminal);
    let mut machine = reasoner.machine();
    let sum = end.and_then(|end| {
        let goal =
            |role| machine.goal(&end.state, role).ok()?.value().map(|goal| u32::from(goal.0));
        reasoner.game().role_ids().map(goal).sum::<Option<u32>>()
    });
    [control, board, sum.map(|sum| candidates::sum_is(&vocabulary, sum))]
}

/// One property alone, together with all input arguments as companions: whatever is needed is proved with it.
fn single(reasoner: &Reasoner, property: Property, options: &Options) -> String {
    let start = ProcessTime::now();
    let mut properties = vec![property];
    let vocabulary = Vocabulary::new(reasoner.game());
    properties.extend(candidates::input_arguments(&vocabulary));
    properties.dedup();
    let mut prover = Prover::on(reasoner, properties, &options.deadline);
    let mut at = None;
    prover.run(options, &mut |place, verdict| {
        if place == 0 && verdict.is_decided() {
            at = Some(start.elapsed().as_secs_f64());
        }
    });
    let seconds = at.unwrap_or(start.elapsed().as_secs_f64());
    told(&prover.verdicts()[0], seconds)
}

fn told(verdict: &Verdict, seconds: f64) -> String {
    match verdict {
        Verdict::Proved { engine, .. } => format!("proved ({engine}), {seconds:.2}"),
        Verdict::Refuted { trace, .. } => format!("refuted in {} moves, {seconds:.2}", trace.len()),
        Verdict::Unknown { reason, .. } => format!("unknown ({reason}), {seconds:.2}"),
    }
}

/// All sets of input arguments of all fluents (Figure 7.4).
fn all_inputs(reasoner: &Reasoner, options: &Options) -> String {
    let start = ProcessTime::now();
    let vocabulary = Vocabulary::new(reasoner.game());
    let properties = candidates::input_arguments(&vocabulary);
    let mut prover = Prover::on(reasoner, properties, &options.deadline);
    prover.run(options, &mut |_, _| ());
    let verdicts = prover.verdicts();
    let count = |test: fn(&Verdict) -> bool| verdicts.iter().filter(|v| test(v)).count();
    let (proved, refuted) = (count(Verdict::is_proved), count(Verdict::is_refuted));
    let open = verdicts.len() - proved - refuted;
    let seconds = start.elapsed().as_secs_f64();
    format!("{seconds:.2} ({proved} proved, {refuted} refuted, {open} open)")
}

const INTRODUCTION: &str = "\
# Proofs

What holds in all reachable states of a game is proved by induction; what does not is refuted by a match
(`fluxion prove`, [cli.md](cli.md#proofs)). The first engine is that of thesis §7: base case and induction step are answer set
programs, and a proof is that they have no answer set. The second one works on the circuit with a SAT solver and
proves properties together that need each other.

## The experiments of the thesis

Figures 7.3 and 7.4, the thesis's answers beside ours. Its \"no\" means \"not proved\", its \"-\" \"out of memory\"; ours is
a proof or a match that refutes. Control, boards and sums are found by the analysis of structures, not by hand. A
time is that until the answer, in CPU seconds, which on an idle machine are seconds of the clock, since one thread works
at a time; that of the circuit, which all columns of a sheet share, stands beside the sums. Each answer has all input
arguments of the game as companions, so \"board\" includes what it needs to know about \"control\". Made by
`fluxion proofs --output docs/proofs.md --corpus DIR`; sheets that end in `.kif` are the originals. With `--record FILE`
a run that was stopped goes on where it was.

";

fn page(lines: &[Line]) -> String {
    let mut out = INTRODUCTION.to_owned();
    out.push_str(
        "| game | sheet | control: thesis | ours | board: thesis | given control | ours | zero-sum: thesis | ours |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for line in lines {
        let [control, board, given, sum] = line.thesis;
        let [own_control, own_board, own_sum] = &line.ours;
        let _ = writeln!(
            out,
            "| {} | {} | {control} | {own_control} | {board} | {given} | {own_board} | {sum} | {own_sum} |",
            line.name, line.sheet
        );
    }
    out.push_str(
        "\n| game | sheet | all input arguments: thesis, s | ours, s | circuit, s |\n|---|---|---|---|---|\n",
    );
    for line in lines {
        let _ = writeln!(
            out,
            "| {} | {} | {:.2} | {} | {:.2} |",
            line.name, line.sheet, line.all_thesis, line.all, line.circuit
        );
    }
    let build = if cfg!(debug_assertions) { "development" } else { "release" };
    let _ = writeln!(out, "\nMeasured once with a {build} build, one sheet after the other.");
    let missing: Vec<&str> = ROWS
        .iter()
        .map(|row| row.name)
        .filter(|name| !lines.iter().any(|line| line.name == *name))
        .collect();
    if !missing.is_empty() {
        let _ = writeln!(out, "Rows that were not measured: {}.", missing.join(", "));
    }
    out.push_str(READERS);
    out.push_str(LANGUAGE);
    out
}

const READERS: &str = "
Seconds are CPU seconds, limits are seconds of the clock: on a machine that does other things as well, `--timeout` has
to be raised for rows that an idle one decides in 60. A proof is checked again by `fluxion prove`, with an encoding of its
own, within as much time as it took; the checks are not in these times.

## Who uses what was proved

| proved | used by |
|---|---|
| constant sum, moves in turn | players choose their search by it (start clock, circuits of up to 200,000 gates) |
| input arguments, persistence | the analysis of structures, of which evaluators are made |
| moves in turn, sums, input arguments, persistence | the page with the analysis of a game: what it only guessed at first is told again, as certain |
| mutual exclusion, input arguments | the SAT planner of games of one role: clauses that it would have to find again at every step (what was proved in the same match) |
| playability, outcomes, monotonic goals, ends, what is unreachable | reports alone (`fluxion prove`, `fluxion check --prove`) |
";

const LANGUAGE: &str = "
## The language of properties

| written | means |
|---|---|
| `cell(1,1,b)`, `control(white)` | the fluent holds; `true(F)` says the same |
| `legal(R,M)`, `goal(R,V)`, `terminal`, `role(R)`, any relation of the rules that does not depend on `does` | it holds in the state |
| `not`, `and`, `or`, `implies`, `iff` | as usual; each binds less than those before it |
| `forall X,Y: p` | for all values |
| `exists X: p`, `exactly 2 X: p`, `at most 1 X,Y: p`, `at least 3 X: p`, `between 1 and 2 X: p` | for so many values (thesis Def. 7.1) |
| `next(p)` | after the move; a property with `next` is claimed of every legal joint move |
| `X = Y`, `X != Y`, `V + W <= 100` | the same, or numbers compared |

A name is a variable where a quantifier around it binds it, otherwise a name of the game; `'quotes'` keep odd names
together. Variables range over all values that can stand at the places where they occur (thesis §7.4.2).
";
