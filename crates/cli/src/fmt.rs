//! `fluxion fmt`: rule sheets formatted with their comments kept, or converted between syntaxes.

use std::io::Write;

use anyhow::Context;
use gdl::format::{Style, format};
use gdl::{Diagnostic, Rules, Syntax};
use serde_json::{Value, json};

use crate::args::{FmtArgs, SyntaxName};
use crate::exit::{self, Exit, Failure};
use crate::input::{self, Source};
use crate::render::Sheet;
use crate::session::Session;
use crate::trace::replace;

/// Formats every file; the worst one decides the exit code.
pub fn run(args: &FmtArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let mut worst = Exit::Fine;
    let mut reports = Vec::new();
    for argument in &args.files {
        let done = input::read(argument, &args.read)
            .map_err(Into::into)
            .and_then(|source| one(args, &source, session));
        match done {
            Ok((exit, report)) => {
                worst = input::worse(worst, exit);
                reports.push(report);
            }
            Err(error) if error.downcast_ref::<Failure>().is_none() => return Err(error),
            Err(error) => {
                exit::tell(&error);
                worst = input::worse(worst, exit::exit_of(&error));
                reports
                    .push(json!({"file": argument, "changed": null, "error": error.to_string()}));
            }
        }
    }
    if args.json {
        session.json(&json!({ "files": reports }))?;
    }
    Ok(worst)
}

fn one(args: &FmtArgs, source: &Source, session: &mut Session) -> anyhow::Result<(Exit, Value)> {
    let formatted = formatted(args, source)?;
    let changed = formatted != source.text;
    let mut report = json!({ "file": source.label, "changed": changed });
    if args.check {
        if changed && !args.json {
            writeln!(session.out, "{} would change", source.label)?;
        }
        return Ok((if changed { Exit::Found } else { Exit::Fine }, report));
    }
    if args.write {
        if changed {
            write(source, &formatted)?;
            exit::say(&format!("formatted {}", source.label));
        }
    } else if args.json {
        report["text"] = formatted.into();
    } else {
        session.out.write_all(formatted.as_bytes())?;
    }
    Ok((Exit::Fine, report))
}

fn formatted(args: &FmtArgs, source: &Source) -> Result<String, Failure> {
    let limits = args.read.gdl();
    let (rules, problems) = gdl::parse(&source.text, &limits);
    let errors: Vec<&Diagnostic> = problems.iter().filter(|problem| problem.is_error()).collect();
    if !errors.is_empty() {
        let sheet = Sheet::new(&source.label, &source.text);
        errors.iter().take(20).for_each(|problem| exit::say(&sheet.diagnostic(problem)));
        return Err(Failure::cannot(format!(
            "{} cannot be read, so it was not formatted",
            source.label
        )));
    }
    let syntax = match args.syntax {
        Some(SyntaxName::Kif) => Syntax::Kif,
        Some(SyntaxName::Prolog) => Syntax::Prolog,
        None => rules.syntax,
    };
    let text = format(&source.text, &rules, Style::of(syntax));
    let (again, problems) = gdl::parse_as(&text, syntax, &limits);
    if !problems.is_empty() || !same(&rules, &again) {
        return Err(Failure::cannot(format!(
            "{} was not formatted, because its rules would not stay the same; please report this",
            source.label
        )));
    }
    Ok(text)
}

/// Whether all clauses and comments are still there. Conversion may spell variables otherwise, so
/// only their number is compared then.
fn same(before: &Rules, after: &Rules) -> bool {
    let counts = |rules: &Rules| (rules.clauses.len(), rules.comments.len());
    let text = |rules: &Rules| gdl::print::rules(rules, Syntax::Kif).to_lowercase();
    if before.syntax == after.syntax {
        counts(before) == counts(after) && text(before) == text(after)
    } else {
        before.clauses.len() == after.clauses.len()
    }
}

fn write(source: &Source, text: &str) -> anyhow::Result<()> {
    let Some(path) = &source.path else {
        return Err(Failure::cannot(format!("{} is no file that can be replaced", source.label))
            .hint("leave out --write to get the text on standard output")
            .into());
    };
    replace(path, |file| file.write_all(text.as_bytes()))
        .with_context(|| format!("{} cannot be written", source.label))
}
