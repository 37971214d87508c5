//! What followers are told, and the view of the match that is always ready.

use std::sync::Arc;
use std::time::Instant;

use search::SearchReport;
use serde_json::{Value, json};

use super::{Dealer, Phase};
use crate::engine::DEFAULT;
use crate::feed::Shown;
use crate::position::{Context, position};
use crate::table::View;
use crate::thought::{Label, Purpose, thought, values};

impl Dealer {
    fn state_name(&self) -> &'static str {
        match self.phase {
            Phase::Preparing => "preparing",
            Phase::Running => "running",
            Phase::Over => "over",
        }
    }

    /// Whom the match waits for.
    fn waiting(&self) -> Value {
        let roles = 0..self.pending.len();
        let running = self.phase == Phase::Running;
        let open = |role: &usize| running && self.pending[*role].is_none();
        let several = self.look.choosing().len() > 1;
        let in_already = |role: &usize| {
            running && several && self.pending[*role].is_some() && self.look.legal[*role].len() > 1
        };
        let until = self.until().filter(|_| running && !self.meta.paused).map(|until| {
            let left = until.saturating_duration_since(Instant::now());
            crate::random::now() + left.as_millis() as u64
        });
        json!({
            "for": roles.clone().filter(open).collect::<Vec<_>>(),
            "since": self.since.1,
            "until": until,
            "submitted": roles.clone().filter(in_already).collect::<Vec<_>>(),
            "thinking": roles.filter(|role| self.asked[*role] != 0).collect::<Vec<_>>(),
        })
    }

    fn player_name(&self, role: usize) -> String {
        if let Some(name) = self.meta.players.as_ref().and_then(|names| names.get(role)) {
            return name.clone();
        }
        let seat = &self.meta.seats[role];
        match seat.kind.as_str() {
            "human" => "person".to_owned(),
            "open" => "open".to_owned(),
            "remote" => seat.url.clone().unwrap_or_default(),
            _ => seat.strategy.clone().unwrap_or_else(|| DEFAULT.to_owned()),
        }
    }

    /// The names of all players.
    pub(super) fn player_names(&self) -> Vec<String> {
        (0..self.meta.seats.len()).map(|role| self.player_name(role)).collect()
    }

    fn seats(&self) -> Value {
        let seat = |role: usize| {
            let seat = &self.meta.seats[role];
            json!({"kind": seat.kind, "name": self.player_name(role), "taken": seat.owner.is_some(),
                   "strategy": seat.strategy, "strength": seat.strength, "url": seat.url, "mine": false})
        };
        (0..self.meta.seats.len()).map(seat).collect()
    }

    /// What the engine thought of each step, per role.
    fn all_values(&self) -> Value {
        self.thoughts.iter().map(|of_step| values_of(of_step)).collect()
    }

    /// The position of a step.
    pub(super) fn position_at(&mut self, step: usize) -> Result<Value, game::ReasonError> {
        let state = self.states[step].clone();
        let look =
            if step == self.step() { self.look.clone() } else { self.referee.look(&state)? };
        let before = step.checked_sub(1);
        let context = Context {
            step,
            last: before.map(|before| &self.steps[before].moves[..]),
            before: before.map(|before| &self.states[before]),
        };
        Ok(position(&self.sheet, &state, &look, context))
    }

    fn position_now(&mut self) -> Value {
        if self.states.is_empty() {
            return Value::Null;
        }
        if let Some(drawn) = &self.drawn {
            return drawn.clone();
        }
        let position = self.position_at(self.step()).unwrap_or(Value::Null);
        self.drawn.insert(position).clone()
    }

    fn view_json(&self, position: &Value, event: u64) -> Value {
        let found = self.sheet.structures_now();
        let simultaneous =
            found.map_or(self.look.choosing().len() > 1, |found| found.turn_taking == Some(false));
        json!({
            "id": self.meta.id,
            "game": self.sheet.about(),
            "roles": self.meta.roles,
            "seats": self.seats(),
            "clocks": self.meta.clocks,
            "think": self.meta.think,
            "state": self.state_name(),
            "paused": self.meta.paused,
            "imported": self.meta.imported,
            "created": self.meta.created,
            "mine": false,
            "puzzle": self.meta.roles.len() == 1,
            "simultaneous": simultaneous,
            "waiting": self.waiting(),
            "ended": self.meta.ended,
            "event": event,
            "moves": self.steps.iter().map(|step| &step.moves).collect::<Vec<_>>(),
            "values": self.all_values(),
            "advice": self.advice.status(),
            "position": position,
        })
    }

    /// Makes the view ready for whoever asks.
    pub(super) fn publish(&mut self) {
        self.publish_as(self.feed.last());
    }

    /// The same, as it is with an event.
    fn publish_as(&mut self, event: u64) -> Arc<View> {
        let position = self.position_now();
        let json = self.view_json(&position, event);
        self.feed.set_whole(event, &json!({"event": event, "match": json}));
        let seats = self.meta.seats.iter().map(|seat| seat.owner.clone()).collect();
        let view = Arc::new(View { json, owner: self.meta.owner.clone(), seats });
        self.view.send_replace(Some(view.clone()));
        view
    }

    /// Tells followers something that changes the view, which is ready before: of some events they only take that there
    /// is a new view, and ask for it at once.
    fn tell(&mut self, name: &'static str, make: impl FnOnce(u64, &Value) -> Value) {
        let view = self.publish_as(self.feed.last() + 1);
        self.feed.push(name, |event| make(event, &view.json));
    }

    /// A new step.
    pub(super) fn tell_position(&mut self) {
        let moves = self.steps.last().map(|step| step.moves.clone());
        let before = self.thoughts.len().checked_sub(2).map(|at| values_of(&self.thoughts[at]));
        self.tell("position", |event, view| {
            json!({"event": event, "state": view["state"], "waiting": view["waiting"], "moves": moves,
                   "values": before, "position": view["position"]})
        });
    }

    /// Anything else.
    pub(super) fn tell_change(&mut self) {
        self.tell("changed", |event, view| json!({"event": event, "match": view}));
    }

    pub(super) fn tell_submitted(&mut self, role: usize) {
        self.tell(
            "submitted",
            |event, view| json!({"event": event, "role": role, "waiting": view["waiting"]}),
        );
    }

    pub(super) fn tell_fault(&mut self, role: usize, what: &str) {
        let step = self.step();
        self.tell(
            "fault",
            |event, _| json!({"event": event, "step": step, "role": role, "what": what}),
        );
    }

    pub(super) fn tell_end(&mut self) {
        self.feed.think(Vec::new());
        self.tell("ended", |event, view| json!({"event": event, "ended": view["ended"]}));
    }

    /// Keeps the last thought of a seat about the present step.
    pub(super) fn note_thought(&mut self, role: usize, report: &SearchReport) {
        let label = self.label(role, Purpose::Move);
        let json = thought(&label, &self.sheet.reasoner, report, true);
        let step = self.step();
        self.keep(self.house.store.think(&self.meta.id, step, role, &json));
        let hidden = self.look.choosing().len() > 1;
        self.feed.think(vec![Shown { data: json.to_string().into(), hidden }]);
        self.thoughts[step][role] = Some(json);
    }

    pub(super) fn label(&self, role: usize, purpose: Purpose) -> Label {
        let engine = self.engines.get(role).and_then(Option::as_ref);
        let engine = engine.filter(|_| purpose == Purpose::Move);
        let strategy = engine.map_or_else(|| DEFAULT.to_owned(), |engine| engine.strategy.clone());
        let findings = engine.map(crate::engine::Engine::findings).unwrap_or_default();
        Label { step: self.step(), role, purpose, strategy, findings }
    }

    /// Shows what is being thought.
    pub(super) fn tell_thoughts(&mut self) {
        if self.feed.followers() == 0 {
            return;
        }
        let hidden = self.look.choosing().len() > 1;
        let mut shown = Vec::new();
        for (role, engine) in self.engines.iter().enumerate() {
            let report = engine.as_ref().filter(|_| self.asked[role] != 0);
            if let Some(report) = report.and_then(crate::engine::Engine::thought) {
                let label = self.label(role, Purpose::Move);
                let json = thought(&label, &self.sheet.reasoner, &report, false);
                shown.push(Shown { data: json.to_string().into(), hidden });
            }
        }
        if let Some((label, report)) = self.advice.thought() {
            let json = thought(&label, &self.sheet.reasoner, &report, false);
            shown.push(Shown { data: json.to_string().into(), hidden: false });
        }
        if !shown.is_empty() {
            self.feed.think(shown);
        }
    }

    /// The values of a report as the view has them.
    pub(super) fn report_values(report: &SearchReport) -> Vec<f64> {
        values(report)
    }
}

/// The values that some role's thought gives.
fn values_of(thoughts: &[Option<Value>]) -> Value {
    let Some(thought) = thoughts.iter().flatten().next() else { return Value::Null };
    let values = thought["values"].as_array();
    values.map_or(Value::Null, |values| {
        values.iter().map(|value| value["estimate"].clone()).collect()
    })
}
