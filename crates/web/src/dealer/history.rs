//! The past of a match: replayed when it comes back from the store, written as a record that other tools read.

use std::time::Instant;

use protocol::MatchRecord;
use protocol::message::spaced;
use protocol::record::{Extra, state_text};
use serde_json::Value;

use super::Dealer;
use crate::store::StepDoc;

impl Dealer {
    /// Replays moves from the initial state on.
    pub(super) fn replay(&mut self, steps: Vec<StepDoc>) -> Result<(), String> {
        let broken = |error: game::ReasonError| error.to_string();
        let mut state = self.referee.initial().map_err(broken)?;
        let roles = self.meta.roles.len();
        self.look = self.referee.look(&state).map_err(broken)?;
        self.states.push(state.clone());
        self.thoughts.push(vec![None; roles]);
        for (at, step) in steps.into_iter().enumerate() {
            let joint = self.read_joint(&self.look.legal.clone(), &step.moves);
            let joint = joint.map_err(|error| format!("step {at}: {}", error.message))?;
            state = self.referee.next(&state, &joint).map_err(broken)?;
            self.look = self.referee.look(&state).map_err(broken)?;
            self.states.push(state.clone());
            self.joints.push(joint);
            self.steps.push(step);
            self.thoughts.push(vec![None; roles]);
        }
        self.remember_thoughts();
        self.since = (Instant::now(), crate::random::now());
        Ok(())
    }

    fn remember_thoughts(&mut self) {
        let known = self.house.store.thoughts(&self.meta.id).unwrap_or_default();
        for (step, role, thought) in known {
            if let Some(place) = self.thoughts.get_mut(step).and_then(|step| step.get_mut(role)) {
                *place = Some(thought);
            }
        }
    }

    /// The record of the match so far.
    pub fn record(&self) -> MatchRecord {
        let clocks = self.clocks();
        let ended = self.meta.ended.as_ref();
        let completed = ended.is_some_and(|ended| ended.why == "terminal");
        let goals = ended.filter(|_| completed).and_then(|ended| ended.goals.clone());
        let spaced_all = |step: &StepDoc| step.moves.iter().map(|text| spaced(text)).collect();
        let times = self.steps.iter().map(|step| step.time);
        let roles = self.meta.roles.len();
        let start_faults = vec![String::new(); roles];
        let faults = self.steps.iter().map(|step| step.faults.clone());
        MatchRecord {
            match_id: format!("fluxion.{}", self.meta.id),
            random_token: protocol::trace::sha256(self.meta.id.as_bytes())[..32].to_owned(),
            start_time: self.meta.created,
            game_meta_url: format!("fluxion:{}", self.meta.name),
            is_completed: completed,
            is_aborted: ended.is_some() && !completed,
            states: self.states.iter().map(|state| state_text(&self.sheet.game, state)).collect(),
            moves: self.steps.iter().map(spaced_all).collect(),
            state_times: std::iter::once(self.meta.created).chain(times).collect(),
            errors: std::iter::once(start_faults).chain(faults).collect(),
            goal_values: goals.map_or(Vec::new(), |goals| {
                goals.iter().map(|goal| i64::from(goal.unwrap_or(0))).collect()
            }),
            preview_clock: -1,
            start_clock: clocks.start.as_secs(),
            play_clock: clocks.play.as_secs(),
            player_names_from_host: self.player_names(),
            is_player_human: (0..roles).map(|role| self.is_person(role)).collect(),
            fluxion: Some(Extra {
                game: self.meta.name.clone(),
                rules: self.sheet.rules.clone(),
                rules_sha256: self.sheet.key.clone(),
                roles: self.meta.roles.clone(),
                seed: self.meta.seed,
                aborted_because: ended.filter(|_| !completed).map(|ended| ended.why.clone()),
                ..Extra::default()
            }),
            ..MatchRecord::default()
        }
    }

    /// The same as JSON.
    pub fn record_json(&self) -> Value {
        serde_json::to_value(self.record()).unwrap_or(Value::Null)
    }
}

impl Dealer {
    /// The rules.
    pub fn sheet(&self) -> std::sync::Arc<crate::sheets::Sheet> {
        self.sheet.clone()
    }
}
