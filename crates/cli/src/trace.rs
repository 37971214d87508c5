//! `fluxion trace`: seeded random play as JSON lines; and the files that hold traces.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use game::{Game, Machine, ReasonError};
use protocol::trace::{RecordOptions, Trace, record, record_lines, sha256};

use crate::args::TraceArgs;
use crate::exit::{self, Exit, Failure};
use crate::input::{self, Source};
use crate::machines;
use crate::session::Session;
use crate::table::counted;
use crate::wellformed::Findings;

/// The largest trace that is read, unpacked.
const LARGEST_TRACE: u64 = 2 << 30;

/// Records and writes. What was recorded before a limit or Ctrl-C is written too.
pub fn run(args: &TraceArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let limits = session.limits(&args.reason);
    let (source, game) = input::load(&args.game, &args.read)?;
    let mut machine = machines::make(&args.machine.machine, &game, limits);
    let seeds = (0..args.playouts).map(|p| (args.seed.wrapping_add(p as u64), args.cap));
    let bar = Session::progress(args.playouts, "recording");
    let (trace, stopped) = record_each(&mut *machine, &source, seeds, &|| bar.inc(1))
        .map_err(|error| session.gave_up(&source.label, &error))?;
    bar.finish_and_clear();
    let done = trace.header.playouts.len();
    match &args.output {
        Some(path) => write_all(path, &[trace])?,
        None => session.out.write_all(trace.to_text()?.as_bytes())?,
    }
    match stopped {
        None => Ok(Exit::Fine),
        Some(error) => {
            let why = session.why(&error);
            exit::warn(&format!("stopped after {}: {why}", counted(done, "playout")));
            Ok(Exit::GaveUp)
        }
    }
}

/// Records one playout for each seed and cap. If the machine gives up, the trace holds the playouts
/// before that, is marked as truncated, and the reason comes with it.
fn record_each(
    machine: &mut dyn Machine,
    source: &Source,
    seeds: impl Iterator<Item = (u64, usize)>,
    done: &dyn Fn(),
) -> Result<(Trace, Option<ReasonError>), ReasonError> {
    let mut whole = record(machine, &options(source, 0, 0, 0), &mut |_| true)?;
    for (p, (seed, cap)) in seeds.enumerate() {
        match record(machine, &options(source, seed, 1, cap), &mut |_| true) {
            Ok(mut trace) => {
                trace.header.playouts.iter_mut().for_each(|entry| entry.p = p);
                trace.steps.iter_mut().for_each(|step| step.p = p);
                whole.header.playouts.append(&mut trace.header.playouts);
                whole.steps.append(&mut trace.steps);
                done();
            }
            Err(error) => {
                whole.header.truncated = true;
                return Ok((whole, Some(error)));
            }
        }
    }
    Ok((whole, None))
}

fn options(source: &Source, seed: u64, playouts: usize, cap: usize) -> RecordOptions {
    let file = source.path.as_ref().and_then(|path| path.file_name());
    RecordOptions {
        game: source.name.clone(),
        file: file.map(|name| name.to_string_lossy().into_owned()),
        sha256: Some(sha256(source.text.as_bytes())),
        seed,
        playouts,
        cap,
    }
}

/// The playouts that refute something, recorded again by their seeds: one trace, none if there is
/// nothing.
pub fn of_refutations(
    source: &Source,
    game: &Game,
    findings: &Findings,
    limits: game::Limits,
) -> anyhow::Result<Option<Trace>> {
    if findings.refutations.is_empty() {
        return Ok(None);
    }
    let mut machine = machines::make(machines::DEFAULT, game, limits);
    let seeds = findings.refutations.iter().map(|found| (found.seed, found.moves.len()));
    let (trace, _) = record_each(&mut *machine, source, seeds, &|| ())?;
    Ok(Some(trace))
}

/// Given lines of play as one trace.
pub fn of_lines(
    source: &Source,
    game: &Game,
    lines: &[Vec<game::JointMove>],
) -> Result<Trace, ReasonError> {
    record_lines(&mut game.interpreter(), &options(source, 0, 0, 0), lines)
}

/// Writes traces one after the other; the file appears only when it is complete.
pub fn write_all(path: &Path, traces: &[Trace]) -> anyhow::Result<()> {
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    replace(path, |file| {
        let texts = traces.iter().map(Trace::to_text);
        if packed {
            let mut out = GzEncoder::new(file, Compression::default());
            for text in texts {
                out.write_all(text?.as_bytes())?;
            }
            out.finish()?;
        } else {
            for text in texts {
                file.write_all(text?.as_bytes())?;
            }
        }
        Ok(())
    })
    .with_context(|| format!("{} cannot be written", path.display()))
}

/// Replaces a file atomically: written beside it, then renamed. What is not a regular file, such as
/// `/dev/stdout`, is written to directly.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let known = fs::metadata(path).ok();
    if known.as_ref().is_some_and(|known| !known.is_file()) {
        let mut file = BufWriter::new(File::create(path)?);
        write(&mut file)?;
        return file.flush();
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (temporary, file) = beside(&target)?;
    let written = (|| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(known) = known {
            file.set_permissions(known.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&temporary, &target)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A new file in the same folder.
fn beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or_else(|| io::Error::other("no file name"))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    let temporary = target.with_file_name(hidden);
    let file = File::options().write(true).create_new(true).open(&temporary)?;
    Ok((temporary, file))
}

/// Reads a trace, compressed or not, told apart by its first bytes.
pub fn read(argument: &str) -> anyhow::Result<Trace> {
    let bytes = read_bytes(argument).with_context(|| format!("{argument} cannot be read"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::cannot(format!("{argument} is not text at byte {at}"))
    })?;
    Trace::parse(&text).with_context(|| argument.to_owned())
}

fn read_bytes(argument: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if argument == "-" {
        io::stdin().lock().take(LARGEST_TRACE).read_to_end(&mut bytes)?;
    } else {
        File::open(argument)?.take(LARGEST_TRACE).read_to_end(&mut bytes)?;
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        MultiGzDecoder::new(&bytes[..]).take(LARGEST_TRACE).read_to_end(&mut plain)?;
        return Ok(plain);
    }
    Ok(bytes)
}
