//! A demonstration match in the terminal: a player that thinks against a random one.
//!
//! The thinking player is flat Monte Carlo: each of its moves is tried in turn with random play to
//! the end, and the one with the best mean result is played.

use std::io::Write;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use game::playout::{End, Random, playout, random_joint_move};
use game::{Game, JointMove, Machine, Move, ReasonError, Role, State};
use serde_json::{Value, json};

use crate::args::DemoArgs;
use crate::board::Board;
use crate::exit::Exit;
use crate::input;
use crate::limits::ReasonLimits;
use crate::machines;
use crate::session::Session;

/// The most steps of a playout in the player's mind.
const HORIZON: usize = 300;
/// The most steps of the match that is shown.
const LONGEST: usize = 500;

/// One step of the match, as it is told.
struct Turn {
    moves: Vec<String>,
    /// What the thinking player expects of its move.
    expected: Option<f64>,
}

/// Plays and shows.
pub fn run(args: &DemoArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let deadline = Instant::now() + Duration::from_secs_f64(args.seconds);
    let limits =
        session.limits(&ReasonLimits { timeout: args.seconds + 10.0, ..Default::default() });
    let (source, game) = input::load(&args.game, &args.read)?;
    let mut machine = machines::make(machines::PLAYING, &game, limits);
    let about = library::about(&source.text);
    let title = if about.title.is_empty() { source.name.clone() } else { about.title };
    let mut show = Show { game: &game, board: None, quiet: args.json };
    show.opening(&title, args, session)?;
    let result = play(&mut *machine, args, deadline, &mut show, session);
    let (turns, ending) = result.map_err(|error| match error.downcast::<ReasonError>() {
        Ok(error) => session.gave_up(&source.label, &error).into(),
        Err(error) => error,
    })?;
    if args.json {
        session.json(&report(&source.name, &game, &turns, &ending))?;
    } else {
        show.closing(&ending, turns.len(), session)?;
    }
    Ok(Exit::Fine)
}

/// How the match ended: with goals, or why it stopped.
type Ending = Result<Vec<Option<u8>>, String>;

fn play(
    machine: &mut dyn Machine,
    args: &DemoArgs,
    deadline: Instant,
    show: &mut Show<'_>,
    session: &mut Session,
) -> anyhow::Result<(Vec<Turn>, Ending)> {
    let mut random = Random::new(args.seed);
    let mut state = machine.initial()?;
    let mut turns = Vec::new();
    show.position(&state, session)?;
    loop {
        if machine.is_terminal(&state)? {
            let roles = machine.game().role_ids();
            let goals =
                roles.map(|role| Ok(machine.goal(&state, role)?.value().map(|goal| goal.0)));
            return Ok((turns, Ok(goals.collect::<Result<_, ReasonError>>()?)));
        }
        if turns.len() >= LONGEST || Instant::now() >= deadline || session.stopped() {
            return Ok((turns, Err("the time of the demonstration is over".to_owned())));
        }
        let Some(mut joint) = random_joint_move(machine, &state, &mut random)? else {
            return Ok((turns, Err("a role has no legal move".to_owned())));
        };
        // A match has perhaps twenty moves left; each gets its share of the time.
        let share = deadline.saturating_duration_since(Instant::now()) / 20;
        let until = Instant::now() + share;
        let (choice, expected) = think(machine, &state, args.playouts, until, &mut random)?;
        joint.0[0] = choice;
        let turn = Turn { moves: protocol::trace::move_items(machine.game(), &joint.0), expected };
        state = machine.next(&state, &joint)?;
        show.turn(turns.len() + 1, &turn, session)?;
        turns.push(turn);
        show.position(&state, session)?;
    }
}

/// The best move of the first role by flat Monte Carlo, and its mean result; a single legal move is
/// played at once.
fn think(
    machine: &mut dyn Machine,
    state: &State,
    playouts: usize,
    until: Instant,
    random: &mut Random,
) -> Result<(Move, Option<f64>), ReasonError> {
    let me = Role(0);
    let mut moves = Vec::new();
    machine.legal_moves(state, me, &mut moves)?;
    if let [only] = moves[..] {
        return Ok((only, None));
    }
    let mut sums = vec![(0.0_f64, 0_u32); moves.len()];
    for number in 0..playouts.max(moves.len()) {
        if number >= moves.len() && Instant::now() >= until {
            break;
        }
        let at = number % moves.len();
        let Some(JointMove(mut joint)) = random_joint_move(machine, state, random)? else { break };
        joint[me.index()] = moves[at];
        let next = machine.next(state, &JointMove(joint))?;
        if let End::Terminal(goals) = playout(machine, &next, random, HORIZON)?.end {
            let value = goals[me.index()].value().map_or(0.0, |goal| f64::from(goal.0));
            sums[at] = (sums[at].0 + value, sums[at].1 + 1);
        } else {
            sums[at].1 += 1;
        }
    }
    let mean = |(sum, count): (f64, u32)| if count == 0 { 0.0 } else { sum / f64::from(count) };
    let best = (0..moves.len()).rev().max_by(|a, b| mean(sums[*a]).total_cmp(&mean(sums[*b])));
    let best = best.unwrap_or(0);
    Ok((moves[best], Some(mean(sums[best]))))
}

/// What is written while the match goes on.
struct Show<'g> {
    game: &'g Game,
    board: Option<Board>,
    quiet: bool,
}

impl Show<'_> {
    fn opening(&self, title: &str, args: &DemoArgs, session: &mut Session) -> anyhow::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let bold = Style::new().bold();
        writeln!(session.out, "{bold}{title}{bold:#}, a demonstration match")?;
        for role in self.game.role_ids() {
            let kind = match role.index() {
                0 => format!("tries {} random playouts before each move", args.playouts),
                _ => "plays at random".to_owned(),
            };
            writeln!(session.out, "  {} {kind}", self.game.role_name(role))?;
        }
        writeln!(session.out)?;
        Ok(())
    }

    fn position(&mut self, state: &State, session: &mut Session) -> anyhow::Result<()> {
        if self.quiet {
            return Ok(());
        }
        if self.board.is_none() {
            self.board = Board::recognise(self.game, state);
        }
        let lines = if let Some(board) = &mut self.board {
            board.draw(self.game, state)
        } else {
            crate::table::fill(&protocol::trace::state_items(self.game, state), 90)
        };
        for line in lines {
            writeln!(session.out, "    {line}")?;
        }
        session.out.flush()?;
        Ok(())
    }

    fn turn(&self, number: usize, turn: &Turn, session: &mut Session) -> anyhow::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let cyan = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
        let moves: Vec<String> = self
            .game
            .role_ids()
            .zip(&turn.moves)
            .map(|(role, text)| format!("{} {cyan}{text}{cyan:#}", self.game.role_name(role)))
            .collect();
        let expected =
            turn.expected.map_or(String::new(), |value| format!("  (expects {value:.0})"));
        writeln!(session.out, "\n{number}. {}{expected}", moves.join(", "))?;
        Ok(())
    }

    fn closing(&self, ending: &Ending, steps: usize, session: &mut Session) -> anyhow::Result<()> {
        let bold = Style::new().bold();
        match ending {
            Ok(goals) => {
                let results: Vec<String> = self
                    .game
                    .role_ids()
                    .zip(goals)
                    .map(|(role, goal)| {
                        let goal = goal.map_or("undefined".to_owned(), |goal| goal.to_string());
                        format!("{} {goal}", self.game.role_name(role))
                    })
                    .collect();
                writeln!(
                    session.out,
                    "\n{bold}Result{bold:#} after {steps} moves: {}",
                    results.join(", ")
                )?;
            }
            Err(why) => writeln!(session.out, "\nStopped after {steps} moves: {why}")?,
        }
        writeln!(
            session.out,
            "\nNext: `fluxion games` lists the library, `fluxion demo connect_four` plays another \
             game,\n`fluxion check FILE` checks rules of your own, `fluxion help` tells the rest."
        )?;
        Ok(())
    }
}

fn report(name: &str, game: &Game, turns: &[Turn], ending: &Ending) -> Value {
    let roles: Vec<String> = game.role_ids().map(|role| game.role_name(role)).collect();
    let moves: Vec<&Vec<String>> = turns.iter().map(|turn| &turn.moves).collect();
    json!({
        "game": name,
        "roles": roles,
        "moves": moves,
        "goals": ending.as_ref().ok(),
        "stopped": ending.as_ref().err(),
    })
}
