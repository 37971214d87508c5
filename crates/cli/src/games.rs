//! `fluxion games`: the library as a table, or one game of it.

use std::io::Write;

use anstyle::Style;
use library::{About, Entry};
use serde_json::{Value, json};

use crate::args::GamesArgs;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::session::Session;
use crate::table::{columns, counted};

/// Lists games or describes one.
pub fn run(args: &GamesArgs, session: &mut Session) -> anyhow::Result<Exit> {
    match &args.name {
        Some(name) => describe(args, find(name)?, session)?,
        None => list(args, session)?,
    }
    Ok(Exit::Fine)
}

fn find(name: &str) -> Result<&'static Entry, Failure> {
    library::find(name).ok_or_else(|| {
        let failure = Failure::cannot(format!("the library has no game {name}"));
        match input::similar(name) {
            Some(similar) => failure.hint(format!("did you mean {similar}?")),
            None => failure.hint("`fluxion games` lists them all"),
        }
    })
}

fn list(args: &GamesArgs, session: &mut Session) -> anyhow::Result<()> {
    let wanted: Vec<(&Entry, About)> = library::games()
        .iter()
        .map(|game| (game, game.about()))
        .filter(|(_, about)| matches(args, about))
        .collect();
    if args.json {
        let games: Vec<Value> = wanted.iter().map(|(game, about)| entry(game, about)).collect();
        return session.json(&json!({ "games": games }));
    }
    let bold = Style::new().bold();
    let heads = ["name", "title", "players", "class", "size"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for (game, about) in &wanted {
        rows.push(vec![
            game.name.to_owned(),
            about.title.clone(),
            about.players.clone(),
            about.class.join(", "),
            about.size.clone(),
        ]);
    }
    let mut lines = columns(&rows, &[2]).into_iter();
    if let Some(head) = lines.next() {
        writeln!(session.out, "{bold}{head}{bold:#}")?;
    }
    for line in lines {
        writeln!(session.out, "{line}")?;
    }
    writeln!(session.out, "{}; `fluxion games NAME` describes one", counted(wanted.len(), "game"))?;
    Ok(())
}

fn matches(args: &GamesArgs, about: &About) -> bool {
    let class = args.class.as_ref().is_none_or(|wanted| {
        about.class.iter().any(|class| class.eq_ignore_ascii_case(wanted.trim()))
    });
    class && args.players.as_ref().is_none_or(|wanted| about.players == wanted.trim())
}

fn entry(game: &Entry, about: &About) -> Value {
    json!({
        "name": game.name,
        "title": about.title,
        "players": about.players,
        "class": about.class,
        "size": about.size,
        "source": about.source,
        "papers": about.papers,
        "description": about.description,
    })
}

fn describe(args: &GamesArgs, game: &Entry, session: &mut Session) -> anyhow::Result<()> {
    let about = game.about();
    if args.rules {
        session.out.write_all(game.rules.as_bytes())?;
        return Ok(());
    }
    if args.json {
        return session.json(&entry(game, &about));
    }
    let bold = Style::new().bold();
    writeln!(session.out, "{bold}{}{bold:#} ({})", about.title, game.name)?;
    let class = about.class.join(", ");
    let rows: Vec<Vec<String>> = [
        ("  players", &about.players),
        ("  class", &class),
        ("  size", &about.size),
        ("  source", &about.source),
        ("  papers", &about.papers),
    ]
    .iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(key, value)| vec![(*key).to_owned(), (*value).clone()])
    .collect();
    for line in columns(&rows, &[]) {
        writeln!(session.out, "{line}")?;
    }
    for paragraph in about.description.split("\n\n") {
        writeln!(session.out)?;
        for line in wrap(paragraph, 80) {
            writeln!(session.out, "{line}")?;
        }
    }
    writeln!(session.out, "\nfluxion games {} --rules   prints its rules", game.name)?;
    writeln!(session.out, "fluxion show {}            shows it at play", game.name)?;
    Ok(())
}

/// Lines of at most `width` characters, broken at blanks.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
