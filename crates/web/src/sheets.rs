//! Rule sheets ready to be played: read once, shared by all matches and analyses of the same rules.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use game::{Budget, Deadline, Game, GameError, Reasoner, State, Status};
use gdl::Diagnostic;
use serde_json::{Value, json};
use structure::{NoProver, Prover, Settings, Structures};

use crate::config::Limits;
use crate::error::{ApiError, Outcome};
use crate::ground::Ground;
use crate::nothing;

/// A rule sheet with all that is known about it.
pub struct Sheet {
    /// The SHA-256 of the rules.
    pub key: String,
    /// The name in the library, or one made of the title.
    pub name: String,
    /// For people.
    pub title: String,
    /// Whether it is in the library.
    pub library: bool,
    /// The rules as written.
    pub rules: String,
    /// The game.
    pub game: Game,
    /// Gives out machines.
    pub reasoner: Reasoner,
    /// Whose circuits it counts among.
    account: String,
    /// Ends the making of the circuit.
    no_circuit: Arc<AtomicBool>,
    /// Ends the looking for boards.
    cancel: Arc<AtomicBool>,
    structures: OnceLock<Structures>,
    ground: OnceLock<Ground>,
}

impl Drop for Sheet {
    fn drop(&mut self) {
        self.no_circuit.store(true, Ordering::Relaxed);
        self.cancel.store(true, Ordering::Relaxed);
    }
}

/// Where rules come from.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// A game of the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// The rules themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// What to call them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The rules that a source names, with name and title.
struct Text {
    name: String,
    title: String,
    library: bool,
    rules: String,
}

impl Source {
    fn text(&self) -> Outcome<Text> {
        match (&self.library, &self.rules) {
            (Some(name), None) => {
                let entry = library::find(name);
                let entry = entry.ok_or_else(|| ApiError::not_found(format!("no game {name}")))?;
                let (name, rules) = (entry.name.to_owned(), entry.rules.to_owned());
                Ok(Text { name, title: entry.about().title, library: true, rules })
            }
            (None, Some(rules)) => {
                let given = self.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
                let about = library::about(rules).title;
                let title = given.map_or(about, str::to_owned);
                let title = if title.is_empty() { "Pasted rules".to_owned() } else { title };
                let title: String = title.chars().take(80).collect();
                Ok(Text { name: "pasted".to_owned(), title, library: false, rules: rules.clone() })
            }
            _ => Err(ApiError::bad("a game is either {\"library\": name} or {\"rules\": text}")),
        }
    }
}

/// How long to wait for the circuit before boards are looked for.
const WAIT: Duration = Duration::from_secs(3);
/// The time for finding boards.
const LOOKING: Duration = Duration::from_secs(6);
const NAP: Duration = Duration::from_millis(2);

impl Sheet {
    /// Reads rules. May take long: call it where nobody waits.
    fn read(account: &str, text: Text, key: String, limits: &Limits) -> Outcome<Self> {
        let checked = gdl::validate::check(
            &text.rules,
            &gdl::Limits { max_text: limits.body, ..gdl::Limits::default() },
        );
        let findings = findings(&text.rules, &checked.diagnostics);
        if !checked.is_sound() {
            return Err(ApiError::rules("these rules cannot be played", findings));
        }
        let game = Game::new(checked.rules).map_err(|error| match error {
            GameError::Invalid(problems) => ApiError::rules(
                "these rules cannot be played",
                self::findings(&text.rules, &problems),
            ),
            other => ApiError::rules(other.to_string(), json!([])),
        })?;
        let no_circuit = Arc::new(AtomicBool::new(false));
        let (time, bytes) = limits.circuit;
        let budget = Budget {
            deadline: Instant::now().checked_add(time),
            max_bytes: bytes,
            cancel: Some(no_circuit.clone()),
        };
        let (reasoner, _) = Reasoner::in_background(&game, budget);
        let Text { name, title, library, rules } = text;
        Ok(Self {
            key,
            name,
            title,
            library,
            rules,
            game,
            reasoner,
            account: account.to_owned(),
            no_circuit,
            cancel: Arc::default(),
            structures: OnceLock::new(),
            ground: OnceLock::new(),
        })
    }

    /// Boards and pieces. The first call takes a while.
    pub fn structures(&self) -> &Structures {
        self.structures.get_or_init(|| {
            let soon = Deadline::within(WAIT);
            while matches!(self.reasoner.status(), Status::Building) && !soon.passed() {
                std::thread::sleep(NAP);
            }
            self.structures_by(&mut NoProver)
        })
    }

    /// Boards and pieces, looked for anew, with somebody who may prove what is guessed.
    pub fn structures_by(&self, prover: &mut dyn Prover) -> Structures {
        let deadline = Deadline::within(LOOKING).or_when(self.cancel.clone());
        let settings = Settings::default();
        let mut found = Structures::find(&self.reasoner, &settings, &deadline, prover);
        nothing::keep_contents(&mut found, &self.game);
        found
    }

    /// Boards and pieces, if they have been looked for already.
    pub fn structures_now(&self) -> Option<&Structures> {
        self.structures.get()
    }

    /// What lies under the pieces.
    pub fn ground(&self) -> &Ground {
        self.ground.get_or_init(|| Ground::find(&self.game, self.structures()))
    }

    /// The names of the roles.
    pub fn roles(&self) -> Vec<String> {
        self.game.role_ids().map(|role| self.game.role_name(role)).collect()
    }

    /// For replies.
    pub fn about(&self) -> Value {
        json!({"name": self.name, "title": self.title, "library": self.library, "sheet": self.key})
    }

    /// What to write down so that the sheet is found again.
    pub fn source(&self) -> Source {
        if self.library {
            return Source { library: Some(self.name.clone()), rules: None, title: None };
        }
        Source { library: None, rules: Some(self.rules.clone()), title: Some(self.title.clone()) }
    }

    /// The initial state, within the limits.
    pub fn initial(&self, limits: &Limits) -> Result<State, game::ReasonError> {
        let deadline = Instant::now().checked_add(limits.question);
        let limits = game::Limits { deadline, ..game::Limits::default() };
        self.reasoner.machine_with(limits).initial()
    }
}

/// The sheets in use, and those used last.
pub struct Sheets {
    limits: Limits,
    known: Mutex<Vec<Arc<Sheet>>>,
}

/// The sheets that are kept although nobody plays them.
const KEPT: usize = 16;
/// Circuits that are made at the same time for one account: of more, the oldest are given up.
const CIRCUITS: usize = 2;

impl Sheets {
    /// None so far.
    pub fn new(limits: &Limits) -> Self {
        Self { limits: limits.clone(), known: Mutex::default() }
    }

    /// The sheet of a source, read if it is not known. May take long.
    pub fn get(&self, account: &str, source: &Source) -> Outcome<Arc<Sheet>> {
        let text = source.text()?;
        let key = protocol::trace::sha256(text.rules.as_bytes());
        if let Some(known) = self.find(&key, &text.title) {
            return Ok(known);
        }
        let sheet = Arc::new(Sheet::read(account, text, key, &self.limits)?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(0, sheet.clone());
        // Somebody who brings many sheets does not get all cores: older ones are played without a circuit.
        let building = known.iter().filter(|sheet| {
            let own = sheet.account == account && !sheet.library;
            own && matches!(sheet.reasoner.status(), Status::Building)
        });
        for older in building.skip(CIRCUITS) {
            older.no_circuit.store(true, Ordering::Relaxed);
        }
        let mut idle = 0;
        known.retain(|sheet| {
            idle += usize::from(Arc::strong_count(sheet) == 1);
            Arc::strong_count(sheet) > 1 || idle <= KEPT
        });
        Ok(sheet)
    }

    fn find(&self, key: &str, title: &str) -> Option<Arc<Sheet>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let at = known.iter().position(|sheet| sheet.key == key && sheet.title == title)?;
        let sheet = known.remove(at);
        known.insert(0, sheet.clone());
        Some(sheet)
    }
}

/// Where things are in a text as browsers count: UTF-16 units.
struct Places<'t> {
    text: &'t str,
    lines: gdl::LineIndex,
    /// For every 256th byte the units before it.
    units: Vec<usize>,
}

const STRIDE: usize = 256;

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        let mut units = Vec::with_capacity(text.len() / STRIDE + 1);
        let mut count = 0;
        for (at, c) in text.char_indices() {
            while units.len() * STRIDE <= at {
                units.push(count);
            }
            count += c.len_utf16();
        }
        Self { text, lines: gdl::LineIndex::new(text), units }
    }

    fn boundary(&self, offset: u32) -> usize {
        let mut at = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// The units before a byte.
    fn offset(&self, byte: usize) -> usize {
        let Some(mut entry) = (byte / STRIDE).min(self.units.len()).checked_sub(1) else {
            return self.text[..byte].encode_utf16().count();
        };
        // Entry n counts the characters that begin before byte n * STRIDE.
        entry = entry.min(self.units.len() - 1);
        let mut from = entry * STRIDE;
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        self.units[entry] + self.text[from..byte.max(from)].encode_utf16().count()
    }

    fn place(&self, span: gdl::Span) -> Value {
        let (start, end) = (self.boundary(span.start), self.boundary(span.end));
        let point = |byte: usize| {
            let line = self.lines.line_of(byte as u32);
            let begin = self.lines.line_start(line) as usize;
            (line + 1, self.text[begin..byte.max(begin)].encode_utf16().count() + 1)
        };
        let ((line, column), (end_line, end_column)) = (point(start), point(end));
        json!({"line": line, "column": column, "end_line": end_line, "end_column": end_column,
               "start": self.offset(start), "end": self.offset(end)})
    }
}

/// The most findings that are told.
const MOST_FINDINGS: usize = 200;

/// Findings for the editor.
pub fn findings(text: &str, found: &[Diagnostic]) -> Value {
    let places = Places::new(text);
    let finding = |found: &Diagnostic| {
        let related: Vec<Value> = found
            .related
            .iter()
            .map(|other| json!({"message": other.message, "place": places.place(other.span)}))
            .collect();
        json!({"severity": found.severity.name(), "code": found.code, "message": found.message,
               "why": found.why, "hint": found.hint, "place": places.place(found.span), "related": related})
    };
    found.iter().take(MOST_FINDINGS).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_as_browsers_do() {
        let text = format!("; 𝔊é{}\n(role you", "x".repeat(600));
        let places = Places::new(&text);
        for (at, _) in text.char_indices() {
            assert_eq!(places.offset(at), text[..at].encode_utf16().count(), "byte {at}");
        }
        assert_eq!(places.offset(text.len()), text.encode_utf16().count());
        let byte = text.find("(role").expect("is there") as u32;
        let place = places.place(gdl::Span { start: byte, end: byte + 5 });
        assert_eq!((&place["line"], &place["column"]), (&json!(2), &json!(1)));
        assert_eq!(place["start"], json!(text[..byte as usize].encode_utf16().count()));
    }

    #[test]
    fn equal_rules_are_read_once_and_bad_ones_are_explained() {
        let sheets = Sheets::new(&Limits::default());
        let source =
            |rules: &str| Source { library: None, rules: Some(rules.to_owned()), title: None };
        let good = source(library::find("tictactoe").expect("there").rules);
        let first = sheets.get("a", &good).expect("sound");
        assert!(Arc::ptr_eq(&first, &sheets.get("a", &good).expect("sound")));
        assert_eq!(first.title, "Tic-Tac-Toe");
        let error = sheets.get("a", &source("(role you")).err().expect("unreadable");
        assert_eq!(error.code, "bad_rules");
        assert!(error.findings.is_some_and(|found| found[0]["place"]["line"] == 1));
    }

    /// Ten digits in one move: one legal move in each state, ten thousand million in a circuit.
    fn endless(title: &str) -> Source {
        let joined =
            |part: &dyn Fn(usize) -> String| (0..10).map(part).collect::<Vec<_>>().join(" ");
        let rules = format!(
            "; {title}\n(role you) {} {} (<= (legal you (go {})) {})
             (<= (next (at ?i ?y)) (true (at ?i ?x)) (after ?x ?y)) (<= terminal (true (at 0 9))) (goal you 0)",
            joined(&|digit| format!("(after {digit} {})", (digit + 1) % 10)),
            joined(&|at| format!("(init (at {at} {at}))")),
            joined(&|at| format!("?x{at}")),
            joined(&|at| format!("(true (at {at} ?x{at}))")),
        );
        Source { library: None, rules: Some(rules), title: Some(title.to_owned()) }
    }

    #[test]
    fn who_brings_many_sheets_gets_two_circuits_at_a_time_and_others_get_theirs() {
        let limits = Limits { circuit: (Duration::from_secs(60), 192 << 20), ..Limits::default() };
        let sheets = Sheets::new(&limits);
        let get = |account: &str, title: &str| {
            let sheet = sheets.get(account, &endless(title));
            sheet.unwrap_or_else(|error| panic!("{} {:?}", error.message, error.findings))
        };
        let mine = ["one", "two", "three"].map(|title| get("greedy", title));
        let other = get("patient", "four");
        let given_up = |sheet: &Sheet| sheet.no_circuit.load(Ordering::Relaxed);
        assert_eq!(mine.each_ref().map(|sheet| given_up(sheet)), [true, false, false]);
        assert!(!given_up(&other));
        let soon = Deadline::within(Duration::from_secs(60));
        while matches!(mine[0].reasoner.status(), Status::Building) {
            assert!(!soon.passed(), "what is given up ends");
            std::thread::sleep(NAP);
        }
    }
}
