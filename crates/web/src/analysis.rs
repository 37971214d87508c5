//! The analysis of a game: sections that become ready one after the other, each within its own time.

mod distances;
mod play;
mod proofs;
mod structures;
mod symmetries;
mod traps;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use evaluate::{Connective, Method, Options, Part};
use game::{Deadline, State, Status};
use prove::Told;
use serde_json::{Value, json};

use crate::dealer::House;
use crate::error::{ApiError, Outcome};
use crate::feed::Feed;
use crate::pool::Place;
use crate::position::{Context, position};
use crate::referee::Referee;
use crate::sheets::Sheet;
use crate::visitor::Counted;

/// What is analysed.
pub struct Subject {
    /// The game.
    pub sheet: Arc<Sheet>,
    /// The state; the initial one if there is none.
    pub state: Option<State>,
    /// Its step.
    pub step: usize,
}

/// An analysis, under way or done.
pub struct Analysis {
    id: String,
    game: Value,
    /// Its sections as events.
    pub feed: Arc<Feed>,
    begin: u64,
    sections: Mutex<(Vec<Value>, bool)>,
}

impl Analysis {
    /// The number before its first event.
    pub fn before(&self) -> u64 {
        self.begin
    }

    /// All there is so far.
    pub fn json(&self) -> Value {
        let sections = self.sections.lock().unwrap_or_else(PoisonError::into_inner);
        json!({"id": self.id, "game": self.game, "done": sections.1, "sections": sections.0})
    }

    /// Adds a section; one that is there already gives way.
    fn add(&self, section: Value) {
        let mut sections = self.sections.lock().unwrap_or_else(PoisonError::into_inner);
        let name = &section["section"];
        match sections.0.iter_mut().find(|known| known["section"] == *name) {
            Some(known) => known.clone_from(&section),
            None => sections.0.push(section.clone()),
        }
        drop(sections);
        self.feed.push("section", |_| section);
    }

    /// A section that is there.
    fn section(&self, name: &str) -> Option<Value> {
        let sections = self.sections.lock().unwrap_or_else(PoisonError::into_inner);
        sections.0.iter().find(|known| known["section"] == name).cloned()
    }

    /// Adds a section again, with other data.
    fn amend(&self, name: &str, change: impl FnOnce(&Value) -> Option<Value>) {
        let Some(mut section) = self.section(name) else { return };
        if let Some(data) = change(&section["data"]) {
            section["data"] = data;
            self.add(section);
        }
    }

    fn finish(&self) {
        self.sections.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.feed.push("done", |_| json!({ "id": self.id }));
    }
}

/// The analyses of late, by what they are about.
#[derive(Default)]
pub struct Analyses {
    known: Mutex<BTreeMap<String, (Instant, Arc<Analysis>)>>,
}

/// The analyses that are kept.
const KEPT: usize = 32;
/// The last section.
const LAST: &str = "proofs";
/// The time for one section.
const TIME: Duration = Duration::from_secs(10);
/// The time for the circuit.
const WAIT: Duration = Duration::from_secs(30);

impl Analyses {
    /// The analysis with a name.
    pub fn get(&self, id: &str) -> Outcome<Arc<Analysis>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.get_mut(id).ok_or_else(|| ApiError::not_found("no such analysis"))?;
        found.0 = Instant::now();
        Ok(found.1.clone())
    }

    /// Begins an analysis; that of the same subject if there is one. Gives its name.
    pub fn begin(
        &self,
        subject: Subject,
        house: &House,
        account: &str,
        counted: Counted,
    ) -> Outcome<String> {
        let words = subject.state.as_ref().map(|state| format!("{:?}", state.words()));
        let key = format!("{} {}", subject.sheet.key, words.unwrap_or_default());
        let id = protocol::trace::sha256(key.as_bytes())[..16].to_owned();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains_key(&id) {
            return Ok(id);
        }
        if known.len() >= KEPT
            && let Some(oldest) = known.iter().min_by_key(|(_, (used, _))| *used)
        {
            let oldest = oldest.0.clone();
            known.remove(&oldest);
        }
        let feed = Arc::new(Feed::default());
        let analysis = Arc::new(Analysis {
            id: id.clone(),
            game: subject.sheet.about(),
            begin: feed.last(),
            feed,
            sections: Mutex::default(),
        });
        known.insert(id.clone(), (Instant::now(), analysis.clone()));
        drop(known);
        let (house, account) = (house.clone(), account.to_owned());
        let thread = std::thread::Builder::new().name("analysis".to_owned());
        let started = thread.spawn(move || {
            let _counted = counted;
            // Analyses take their turn as searches do; each section heeds its own time.
            let place = house.pool.take(&account, Box::new(|| ()), &|| false);
            run(&subject, &house, &analysis, place);
            analysis.finish();
        });
        started.map_err(|_| ApiError::busy("the system has no thread left"))?;
        Ok(id)
    }
}

/// What a section gives: its data, or why there is none; and a note.
pub type Section = (Result<Value, String>, Option<String>);

type Make<'a> = Box<dyn FnOnce() -> Section + 'a>;

fn run(subject: &Subject, house: &House, analysis: &Analysis, mut place: Option<Place>) {
    let sheet = &subject.sheet;
    wait_for_circuit(sheet);
    let state = match &subject.state {
        Some(state) => Ok(state.clone()),
        None => sheet.initial(&house.limits),
    };
    let state = match state {
        Ok(state) => state,
        Err(error) => {
            analysis.add(json!({"section": "overview", "title": "Overview", "seconds": 0.0,
                                "note": error.to_string(), "data": null}));
            return;
        }
    };
    let proved: RefCell<Option<Told>> = RefCell::default();
    let sections: Vec<(&str, &str, Make<'_>)> = vec![
        ("overview", "Overview", Box::new(|| play::overview(sheet))),
        ("position", "Position", Box::new(|| drawn(subject, house, &state))),
        ("structures", "Structures", Box::new(|| structures::section(sheet))),
        ("random_play", "Random play", Box::new(|| play::random(sheet, &state, TIME / 3))),
        ("symmetries", "Symmetries", Box::new(|| symmetries::section(sheet, &state, TIME))),
        ("distances", "Distances", Box::new(|| distances::section(sheet, &state, TIME))),
        (
            "evaluation",
            "Evaluation",
            Box::new(|| (evaluation(sheet, &state, Method::Distance, TIME), None)),
        ),
        ("traps", "Traps", Box::new(|| traps::section(sheet, TIME / 2))),
        (
            LAST,
            "Proofs",
            Box::new(|| {
                let (section, found) = proofs::section(sheet, TIME);
                proved.replace(Some(found));
                section
            }),
        ),
    ];
    for (name, title, make) in sections {
        let begin = Instant::now();
        if name == LAST {
            // Solvers look at the clock less often than searches: they do not take the place of one.
            drop(place.take());
        }
        // A fault of ours in one section is no reason to lose the others.
        let (data, note) = catch_unwind(AssertUnwindSafe(make))
            .unwrap_or_else(|_| (Err("this analysis failed".to_owned()), None));
        let (data, why) = match data {
            Ok(data) => (data, None),
            Err(why) => (Value::Null, Some(why)),
        };
        analysis
            .add(json!({"section": name, "title": title, "seconds": begin.elapsed().as_secs_f64(),
                            "note": why.or(note), "data": data}));
    }
    if let Some(mut proofs) = proved.take() {
        confirm(sheet, analysis, &mut proofs);
    }
}

/// What earlier sections only guessed is certain, or not claimed any more, where proofs decide it.
fn confirm(sheet: &Sheet, analysis: &Analysis, proofs: &mut Told) {
    analysis.amend("overview", |data| play::with_proofs(data, proofs));
    analysis.amend("structures", |data| {
        let found = catch_unwind(AssertUnwindSafe(|| structures::with_proofs(sheet, proofs)));
        found.ok()?.0.ok().filter(|found| found != data)
    });
}

fn wait_for_circuit(sheet: &Sheet) {
    let soon = Deadline::within(WAIT);
    while matches!(sheet.reasoner.status(), Status::Building) && !soon.passed() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn drawn(subject: &Subject, house: &House, state: &State) -> Section {
    subject.sheet.structures();
    let mut referee = Referee::new(&subject.sheet, house.limits.question);
    let look = referee.look(state).map_err(|error| error.to_string());
    let context = Context { step: subject.step, ..Context::default() };
    (look.map(|look| position(&subject.sheet, state, &look, context)), None)
}

/// How deep explanations go, and how many parts each condition shows.
const DEEPEST: usize = 6;
const MOST_PARTS: usize = 8;
const MOST_EXPLAINED: usize = 20_000;

/// What a state is worth to each role, and why.
pub fn evaluation(
    sheet: &Sheet,
    state: &State,
    method: Method,
    time: Duration,
) -> Result<Value, String> {
    let deadline = Deadline::within(time);
    let built = method.build(&sheet.reasoner, &Options::default(), &deadline);
    let evaluation = built
        .ok_or_else(|| format!("{}; there is nothing to evaluate", sheet.reasoner.status()))?;
    let mut evaluator = evaluation.evaluator();
    let roles = sheet.game.role_ids().map(|role| {
        let explained = evaluator.explain(state, role, MOST_EXPLAINED);
        let name = sheet.game.role_name(role);
        let mut terms: Vec<Value> = explained
            .goals
            .iter()
            .filter_map(|goal| {
                let mut term = part(goal.formula.as_ref()?, DEEPEST);
                term["text"] = json!(format!("goal {name} {}", goal.goal));
                term["value"] = json!(goal.degree);
                term["weight"] = json!(goal.weight);
                Some(term)
            })
            .collect();
        terms.extend(explained.terminal.as_ref().map(|end| {
            let mut term = part(end, DEEPEST);
            term["text"] = json!("terminal");
            term
        }));
        json!({"role": role.0, "value": explained.value, "terms": terms})
    });
    let roles: Value = roles.collect();
    Ok(json!({"method": method.name(), "roles": roles, "notes": evaluation.notes()}))
}

fn part(condition: &Part, depth: usize) -> Value {
    let name = condition.name.as_deref().unwrap_or(match condition.connective {
        Connective::And => "all of",
        Connective::Or => "one of",
        Connective::Atom => "a condition",
    });
    let negation = if condition.negative { "not " } else { "" };
    let mut parts: Vec<&Part> = condition.parts.iter().collect();
    parts.sort_by(|a, b| match condition.connective {
        Connective::Or => b.degree.total_cmp(&a.degree),
        _ => a.degree.total_cmp(&b.degree),
    });
    let shown = if depth == 0 { 0 } else { MOST_PARTS };
    let children: Value = parts.iter().take(shown).map(|below| part(below, depth - 1)).collect();
    let connective = match condition.connective {
        Connective::And => "and",
        Connective::Or => "or",
        Connective::Atom => "atom",
    };
    json!({"text": format!("{negation}{name}"), "value": condition.degree, "holds": condition.holds,
           "connective": connective, "children": children,
           "hidden": parts.len().saturating_sub(shown) + condition.hidden})
}
