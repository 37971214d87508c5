//! `fluxion symmetries`: the symmetries of a game, in words, as JSON, and as a page with pictures.

use std::io::Write;
use std::time::{Duration, Instant};

use game::{Budget, Deadline, Reasoner};
use serde_json::{Value, json};
use structure::{NoProver, Settings, Structures};
use symmetry::{Options, Part, Source, Start, Symmetries, detect};

use crate::args::SymmetriesArgs;
use crate::exit::{self, Exit, Failure};
use crate::input;
use crate::render::Sheet;
use crate::session::Session;
use crate::symmetry_names::Names;
use crate::symmetry_page;

/// The most orbits and cycles that are listed in the text.
const FEW: usize = 12;

/// Everything that is told about a game.
pub struct Found {
    /// What the user called the game.
    pub name: String,
    /// Its symmetries.
    pub symmetries: Symmetries,
    /// What they are called.
    pub names: Names,
}

/// Finds and reports the symmetries of a game.
pub fn run(args: &SymmetriesArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let source = input::read(&args.game, &args.read)?;
    let (rules, problems) = gdl::parse(&source.text, &args.read.gdl());
    if let Some(problem) = problems.iter().find(|problem| problem.is_error()) {
        let message = format!("{} cannot be read: {}", source.label, problem.message);
        return Err(Failure::cannot(message).into());
    }
    let game = input::make(rules, &Sheet::new(&source.label, &source.text))?;
    let limits = session.limits(&args.reason);
    let whole = Duration::from_secs_f64(args.reason.timeout);
    let budget = Budget {
        deadline: Some(Instant::now() + whole / 2),
        max_bytes: args.max_memory << 20,
        cancel: limits.cancel.clone(),
    };
    let reasoner = Reasoner::build(&game, &budget);
    let mut deadline = Deadline::within(whole / 4);
    if let Some(flag) = limits.cancel {
        deadline = deadline.or_when(flag);
    }
    let start = if args.initial { Start::Kept } else { Start::Left };
    let options = Options { deadline: deadline.clone(), start, ..Options::default() };
    let symmetries = detect(&game, reasoner.gates(), &options);
    let until = deadline.not_after(Instant::now() + whole / 8);
    let structures = Structures::find(&reasoner, &Settings::default(), &until, &mut NoProver);
    let names = Names::new(&game, structures.boards);
    let found = Found { name: source.name, symmetries, names };
    if let Some(path) = &args.html {
        std::fs::write(path, symmetry_page::page(&found)).map_err(|error| {
            Failure::cannot(format!("{} cannot be written: {error}", path.display()))
        })?;
        exit::say(&format!("{} is written", path.display()));
    }
    if args.json {
        session.json(&report(&found))?;
    } else {
        tell(&found, session)?;
    }
    Ok(if found.symmetries.is_complete() { Exit::Fine } else { Exit::GaveUp })
}

fn part_json(part: Part) -> Value {
    match part {
        Part::Absent => Value::Null,
        Part::Whole { vertices } => json!({ "vertices": vertices, "complete": true }),
        Part::Stopped { vertices } => json!({ "vertices": vertices, "complete": false }),
    }
}

fn report(found: &Found) -> Value {
    let symmetries = &found.symmetries;
    let generators: Vec<Value> = symmetries
        .generators()
        .iter()
        .map(|generator| {
            let source = match generator.source {
                Source::Rules(_) => "rules",
                Source::Ground => "ground",
            };
            json!({
                "name": found.names.describe(symmetries, &generator.permutation),
                "found_in": source,
                "roles": texts(found, &roles_of(found, &generator.permutation)),
                "cycles": texts(found, &symmetry::permutation::cycles(&generator.permutation)),
            })
        })
        .collect();
    let [fluents, moves] = orbits(found);
    json!({
        "game": found.name,
        "order": symmetries.order().to_string(),
        "state_order": symmetries.state_order().to_string(),
        "order_on_states": symmetries.states_order().to_string(),
        "order_on_paper": symmetries.on_paper().map(ToString::to_string),
        "complete": symmetries.is_complete(),
        "rule_graph": part_json(symmetries.rules_part()),
        "ground_graph": part_json(symmetries.ground_part()),
        "checked_states": symmetries.checked_states(),
        "refuted": symmetries.refuted(),
        "generators": generators,
        "role_orbits": texts(found, &symmetries.role_orbits()),
        "fluent_orbits": texts(found, &fluents),
        "move_orbits": texts(found, &moves),
        "seconds": symmetries.seconds(),
    })
}

fn texts(found: &Found, sets: &[Vec<u32>]) -> Vec<Vec<String>> {
    let (points, game) = (found.symmetries.points(), found.symmetries.game());
    sets.iter().map(|set| set.iter().map(|point| points.text(game, *point)).collect()).collect()
}

/// The cycles of the roles.
pub fn roles_of(found: &Found, permutation: &[u32]) -> Vec<Vec<u32>> {
    let roles = found.symmetries.points().role_points();
    let cycles = symmetry::permutation::cycles(permutation);
    cycles.into_iter().filter(|cycle| roles.contains(&cycle[0])).collect()
}

/// The orbits of fluents and of moves under the state symmetries.
pub fn orbits(found: &Found) -> [Vec<Vec<u32>>; 2] {
    let moves = found.symmetries.points().move_points();
    let all = found.symmetries.state_orbits();
    let (moved, fluents) = all.into_iter().partition(|orbit| moves.contains(&orbit[0]));
    [fluents, moved]
}

fn tell(found: &Found, session: &mut Session) -> anyhow::Result<()> {
    let symmetries = &found.symmetries;
    let out = &mut session.out;
    writeln!(out, "{}", headline(found))?;
    if let Some(order) = symmetries.on_paper() {
        writeln!(out, "on paper {order} state symmetries: some lead to what no play can reach")?;
    }
    for what in symmetries.refuted() {
        writeln!(out, "refuted on a state, and left out (please report this): {what}")?;
    }
    if !symmetries.generators().is_empty() {
        writeln!(out, "\ngenerators, from which all others are composed:")?;
    }
    for (number, generator) in symmetries.generators().iter().enumerate().take(4 * FEW) {
        let name = found.names.describe(symmetries, &generator.permutation);
        writeln!(out, "  {}. {name}", number + 1)?;
    }
    let [fluents, moves] = orbits(found);
    for (what, orbits) in [
        ("roles that are exchanged", symmetries.role_orbits()),
        ("fluents that state symmetries exchange", fluents),
        ("moves that state symmetries exchange", moves),
    ] {
        if orbits.is_empty() {
            continue;
        }
        writeln!(out, "\n{what}, set by set:")?;
        for orbit in texts(found, &orbits[..orbits.len().min(FEW)]) {
            let shown: Vec<&str> = orbit.iter().take(FEW).map(String::as_str).collect();
            let more = orbit.len().saturating_sub(FEW);
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            writeln!(out, "  {}{rest}", shown.join(", "))?;
        }
        if orbits.len() > FEW {
            writeln!(out, "  and {} more sets", orbits.len() - FEW)?;
        }
    }
    exit::say(&summary(symmetries));
    Ok(())
}

/// How many there are.
pub fn headline(found: &Found) -> String {
    let symmetries = &found.symmetries;
    let at_least = if symmetries.is_complete() { "" } else { "at least " };
    if symmetries.order().is_trivial() {
        let partial = if symmetries.is_complete() { "" } else { " found (not all was looked at)" };
        return format!("{}: no symmetries but the identity{partial}", found.name);
    }
    let (all, kept) = (symmetries.order(), symmetries.state_order());
    if all == kept {
        return format!("{}: {at_least}{all} symmetries, all of which keep every role", found.name);
    }
    format!("{}: {at_least}{all} symmetries, {kept} of which keep every role", found.name)
}

/// Where they were looked for, and how long.
pub fn summary(symmetries: &Symmetries) -> String {
    let part = |part: Part, what: &str| match part {
        Part::Absent => format!("no {what}"),
        Part::Whole { vertices } => format!("{what} of {vertices} vertices"),
        Part::Stopped { vertices: 0 } => format!("{what} too large to be looked at"),
        Part::Stopped { vertices } => format!("{what} of {vertices} vertices, not finished"),
    };
    format!(
        "{}; {}; checked on {} states; {:.3} s",
        part(symmetries.rules_part(), "rule graph"),
        part(symmetries.ground_part(), "ground graph"),
        symmetries.checked_states(),
        symmetries.seconds()
    )
}
