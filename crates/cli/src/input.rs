//! What a GAME argument means: a path, a name of the library, or `-`; read with bounds, as text.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use game::{Game, GameError};
use gdl::Rules;
use gdl::validate::Checked;

use crate::exit::{self, Exit, Failure};
use crate::limits::ReadLimits;
use crate::render::Sheet;
use crate::table::counted;

/// A rule sheet that was read.
pub struct Source {
    /// What messages call it: the path, `<stdin>`, or `library:NAME`.
    pub label: String,
    /// The short name of the game.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The file it came from.
    pub path: Option<PathBuf>,
}

/// Reads a rule sheet. A path wins over a name of the library.
pub fn read(argument: &str, limits: &ReadLimits) -> Result<Source, Failure> {
    if argument == "-" {
        let text = text_of("<stdin>", bounded(io::stdin().lock(), limits))?;
        let (label, name) = ("<stdin>".to_owned(), "stdin".to_owned());
        return Ok(Source { label, name, text, path: None });
    }
    let path = Path::new(argument);
    if path.is_dir() {
        return Err(not_a_file(argument));
    }
    match (path.exists(), library::find(argument)) {
        (true, _) => read_file(argument, path, limits),
        (false, Some(entry)) => Ok(Source {
            label: format!("library:{}", entry.name),
            name: entry.name.to_owned(),
            text: entry.rules.to_owned(),
            path: None,
        }),
        (false, None) => Err(unknown(argument)),
    }
}

fn not_a_file(argument: &str) -> Failure {
    let failure = Failure::cannot(format!("{argument} is a folder, not a rule sheet"));
    let rules = Path::new(argument).join("rules.kif");
    match library::find(argument) {
        _ if rules.is_file() => failure.hint(format!("did you mean {}?", rules.display())),
        Some(entry) => failure.hint(format!(
            "run it where no folder has that name to use the library's game {}",
            entry.name
        )),
        None => failure,
    }
}

fn read_file(argument: &str, path: &Path, limits: &ReadLimits) -> Result<Source, Failure> {
    let file = File::open(path)
        .map_err(|error| Failure::cannot(format!("{argument} cannot be opened: {error}")))?;
    let text = text_of(argument, bounded(file, limits))?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok(Source {
        label: argument.to_owned(),
        name: stem.unwrap_or_default(),
        text,
        path: Some(path.to_owned()),
    })
}

/// Reads at most one byte more than allowed, so that endless input ends with a clear message.
fn bounded(reader: impl Read, limits: &ReadLimits) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limits.max_text as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limits.max_text {
        let message = format!("more than {} bytes (--max-text raises that)", limits.max_text);
        return Err(io::Error::other(message));
    }
    Ok(bytes)
}

fn text_of(label: &str, bytes: io::Result<Vec<u8>>) -> Result<String, Failure> {
    let bytes =
        bytes.map_err(|error| Failure::cannot(format!("{label} cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::cannot(format!("{label} is not text at byte {at}"))
            .hint("rule sheets are UTF-8 text; save the file in that encoding")
    })
}

fn unknown(argument: &str) -> Failure {
    let looks_like_path = argument.contains(['/', '\\', '.']);
    let failure = if looks_like_path {
        Failure::cannot(format!("there is no file {argument}"))
    } else {
        Failure::cannot(format!("there is no file and no library game {argument}"))
    };
    let stem = Path::new(argument).file_stem().map_or(argument.into(), |s| s.to_string_lossy());
    match similar(&stem) {
        Some(name) => failure.hint(format!("did you mean the library game {name}?")),
        None => failure.hint("`fluxion games` lists the library"),
    }
}

/// The library game whose name is nearest: one that begins alike, or one a few slips away
/// (Damerau-Levenshtein distance).
pub fn similar(name: &str) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-', ' '], "");
    let wanted = plain(name);
    if wanted.is_empty() || wanted.len() > 64 {
        return None;
    }
    let distance = |known: &&'static str| {
        let known = plain(known);
        let begins =
            wanted.len() >= 4 && (known.starts_with(&wanted) || wanted.starts_with(&known));
        if begins { 1 } else { strsim::damerau_levenshtein(&known, &wanted) }
    };
    library::games()
        .iter()
        .map(|game| game.name)
        .min_by_key(|known| (distance(known), known.len()))
        .filter(|best| distance(best) <= 1 + wanted.len() / 4)
}

/// Reads a rule sheet and makes a game of it. Unsound rules are tried all the same, with a warning;
/// what cannot be read or has no meaning is told with its place.
pub fn load(argument: &str, limits: &ReadLimits) -> anyhow::Result<(Source, Game)> {
    let source = read(argument, limits)?;
    let checked = gdl::validate::check(&source.text, &limits.gdl());
    if !checked.is_readable() {
        let sheet = Sheet::new(&source.label, &source.text);
        let errors: Vec<_> = checked.diagnostics.iter().filter(|d| d.is_error()).collect();
        errors.iter().take(10).for_each(|problem| exit::say(&sheet.diagnostic(problem)));
        let errors = counted(errors.len(), "error");
        return Err(Failure::cannot(format!("{} cannot be read: {errors}", source.label)).into());
    }
    attempt(source, checked)
}

/// The same, but clauses that cannot be read are left out, as reference systems do.
pub fn load_what_is_readable(
    argument: &str,
    limits: &ReadLimits,
) -> anyhow::Result<(Source, Game)> {
    let source = read(argument, limits)?;
    let checked = gdl::validate::check(&source.text, &limits.gdl());
    attempt(source, checked)
}

fn attempt(source: Source, checked: Checked) -> anyhow::Result<(Source, Game)> {
    let errors = checked.diagnostics.iter().filter(|d| d.is_error()).count();
    if errors > 0 {
        let (label, errors) = (&source.label, counted(errors, "error"));
        exit::warn(&format!("{label} is not sound ({errors}); trying it all the same"));
        exit::say("`fluxion check` tells what is wrong");
    }
    let game = make(checked.rules, &Sheet::new(&source.label, &source.text))?;
    Ok((source, game))
}

/// Makes a game of rules; what is wrong is told with the rule concerned.
pub fn make(rules: Rules, sheet: &Sheet<'_>) -> Result<Game, Failure> {
    let spans: Vec<gdl::Span> = rules.clauses.iter().map(|clause| clause.span).collect();
    Game::new(rules).map_err(|error| {
        let clause = match &error {
            GameError::NotStratified { clause } | GameError::UnsafeRule { clause } => Some(*clause),
            _ => None,
        };
        if let Some(span) = clause.and_then(|clause| spans.get(clause)) {
            exit::say(&sheet.note("the rule concerned", *span));
        }
        match error {
            GameError::Reason(_) => Failure::gave_up(format!("{}: {error}", sheet.label)),
            error => Failure::cannot(format!("{} cannot be played: {error}", sheet.label))
                .hint("`fluxion check` tells all that is wrong and how to mend it"),
        }
    })
}

/// The worse of two ends, for commands on several files.
pub fn worse(a: Exit, b: Exit) -> Exit {
    a.max(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_beginnings_suggest_a_game_and_nonsense_does_not() {
        assert_eq!(similar("tictactoo"), Some("tictactoe"));
        assert_eq!(similar("tic_tac_toe"), Some("tictactoe"));
        assert_eq!(similar("zzzzqqqq"), None);
        assert_eq!(similar(""), None);
    }

    #[test]
    fn junk_is_reported_with_its_first_bad_byte() {
        let failure = text_of("x", Ok(vec![b'(', 0xff, b')'])).expect_err("not text");
        assert_eq!(failure.to_string(), "x is not text at byte 1");
    }
}
