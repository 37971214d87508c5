//! Hints, solutions and judgements of past steps: one adviser for each match, asked for one thing at a time.

use std::time::Duration;

use game::State;
use search::SearchReport;
use serde_json::{Value, json};

use super::{Dealer, Note, Phase};
use crate::engine::{Answer, Engine, Kind, Work};
use crate::error::{ApiError, Outcome};
use crate::referee::Look;
use crate::thought::{Label, Purpose, joint_texts, thought};
use crate::visitor::Visitor;

/// What is asked of the adviser.
struct Question {
    ticket: u64,
    label: Label,
}

/// The adviser of a match.
#[derive(Default)]
pub struct Advice {
    engine: Option<Engine>,
    question: Option<Question>,
    /// The next step to be judged, and the seconds for each.
    annotating: Option<(usize, f64)>,
    /// How often the present one was judged in vain.
    vain: u32,
}

/// How often a step is judged again if nothing came of it, as on a busy machine, each time with twice the seconds.
const AGAIN: u32 = 4;

impl Advice {
    /// Whether it is at work.
    pub fn is_busy(&self) -> bool {
        self.question.is_some()
    }

    /// Hurries what does not count any more.
    pub fn nudge(&self) {
        if let Some(engine) = &self.engine {
            engine.nudge();
        }
    }

    /// What it thinks at present.
    pub fn thought(&self) -> Option<(Label, SearchReport)> {
        let question = self.question.as_ref()?;
        let engine = self.engine.as_ref()?;
        let label = Label { findings: engine.findings(), ..question.label.clone() };
        Some((label, engine.thought()?))
    }

    /// Nothing is wanted any more.
    pub fn cancel(&mut self) {
        *self = Self::default();
    }

    /// For the view.
    pub fn status(&self) -> Value {
        match (&self.annotating, &self.question) {
            (Some(_), _) => json!("annotation"),
            (None, Some(question)) => match question.label.purpose {
                Purpose::Hint => json!("hint"),
                Purpose::Solution => json!("solution"),
                Purpose::Annotation => json!("annotation"),
                Purpose::Move => Value::Null,
            },
            (None, None) => Value::Null,
        }
    }
}

impl Dealer {
    /// Looks for a good move of a role.
    pub fn hint(&mut self, visitor: &Visitor, role: usize, seconds: f64) -> Outcome<Value> {
        self.may_ask(visitor)?;
        if self.phase != Phase::Running {
            return Err(ApiError::over("there is no move to be found now"));
        }
        if role >= self.meta.roles.len() {
            return Err(ApiError::bad("there is no such role"));
        }
        self.free_adviser()?;
        let state = self.state();
        self.consult(role, self.step(), Purpose::Hint, state, seconds)?;
        self.publish();
        self.view_for(visitor)
    }

    /// Looks for the solution of a puzzle.
    pub fn solve(&mut self, visitor: &Visitor, seconds: f64) -> Outcome<Value> {
        self.may_ask(visitor)?;
        if self.meta.roles.len() != 1 {
            return Err(ApiError::bad("only games of one role have solutions"));
        }
        if self.phase != Phase::Running {
            return Err(ApiError::over("there is nothing to be solved now"));
        }
        self.free_adviser()?;
        let state = self.state();
        self.consult(0, self.step(), Purpose::Solution, state, seconds)?;
        self.publish();
        self.view_for(visitor)
    }

    /// Judges all steps.
    pub fn annotate(&mut self, visitor: &Visitor, seconds: f64) -> Outcome<Value> {
        self.may_ask(visitor)?;
        if self.states.is_empty() {
            return Err(ApiError::over("the match has not begun yet"));
        }
        self.free_adviser()?;
        self.meta.annotations.clear();
        (self.advice.annotating, self.advice.vain) = (Some((0, seconds)), 0);
        self.annotate_next();
        self.publish();
        self.view_for(visitor)
    }

    /// The judgements so far.
    pub fn annotations(&self) -> Value {
        json!({"running": self.advice.annotating.is_some(), "done": self.meta.annotations.len(),
               "of": self.states.len(), "steps": self.meta.annotations})
    }

    fn free_adviser(&self) -> Outcome<()> {
        if self.advice.is_busy() || self.advice.annotating.is_some() {
            return Err(ApiError::too_many("the adviser is at work already"));
        }
        Ok(())
    }

    fn consult(
        &mut self,
        role: usize,
        step: usize,
        purpose: Purpose,
        state: State,
        seconds: f64,
    ) -> Outcome<()> {
        let text = self.adviser();
        let strategy =
            player::Strategy::parse(text).map_err(|e| ApiError::internal(e.to_string()))?;
        let strategy_text = text.to_owned();
        let label = Label { step, role, purpose, strategy: strategy_text, findings: Vec::new() };
        let inbox = self.inbox.clone();
        let tell = move |answer| {
            let _ = inbox.send(Note::Advice(answer));
        };
        // A new one for each role: what it learned for another one is of no use.
        let engine = Engine::start(self.task(Kind::Strategy(strategy), role), tell);
        let ticket = self.ticket();
        let time = Duration::from_secs_f64(seconds.clamp(0.05, 600.0));
        let legal = Vec::new();
        engine.order(ticket, Work::Think { state, last: None, legal, time });
        self.advice.engine = Some(engine);
        self.advice.question = Some(Question { ticket, label });
        Ok(())
    }

    /// The adviser answered.
    pub(super) fn advised(&mut self, answer: Answer) {
        let current = self.advice.question.as_ref().is_some_and(|q| q.ticket == answer.ticket);
        let Some(question) = self.advice.question.take().filter(|_| current) else { return };
        let findings = self.advice.engine.as_ref().map(Engine::findings).unwrap_or_default();
        let label = Label { findings, ..question.label };
        let json = answer
            .report
            .as_ref()
            .map(|report| thought(&label, &self.sheet.reasoner, report, true));
        let action = answer.action.ok().flatten().map(|action| self.referee.text(action));
        match label.purpose {
            Purpose::Annotation => self.judged(label.step, answer.report.as_ref()),
            Purpose::Solution => {
                self.tell_solution(label.step, answer.report.as_ref(), &json!(json));
            }
            Purpose::Hint | Purpose::Move => {
                self.feed.push("hint", |event| {
                    json!({"event": event, "step": label.step, "role": label.role, "move": action,
                           "thought": json})
                });
            }
        }
        self.publish();
    }

    fn tell_solution(&mut self, step: usize, report: Option<&SearchReport>, json: &Value) {
        let line: Vec<String> = report.map_or(Vec::new(), |report| {
            let texts = report.line.iter().map(|joint| joint_texts(&self.sheet.game, joint));
            texts.filter_map(|mut joint| joint.pop()).collect()
        });
        let value = report.map(|report| report.value().estimate);
        let optimal = report.is_some_and(|report| report.solved);
        let shortest = report.is_some_and(|report| report.shortest);
        let found = !line.is_empty() && report.is_some_and(|report| report.value().low > 0.0);
        self.feed.push("solution", |event| {
            json!({"event": event, "step": step, "found": found, "value": value, "optimal": optimal,
                   "shortest": shortest, "moves": line, "thought": json})
        });
    }

    /// Judges the next step that has not been judged, if there is one.
    fn annotate_next(&mut self) {
        while let Some((step, seconds)) = self.advice.annotating {
            if step >= self.states.len() {
                self.advice.annotating = None;
                self.save();
                let of = self.meta.annotations.len();
                self.feed.push("annotated", |event| json!({"event": event, "of": of}));
                return;
            }
            self.advice.annotating = Some((step + 1, seconds));
            let state = self.states[step].clone();
            let look = self.referee.look(&state).ok();
            let role = look.as_ref().filter(|look| !look.terminal).map(Look::choosing);
            if let Some([role, ..]) = role.as_deref() {
                let seconds = seconds * f64::from(1_u32 << self.advice.vain);
                if self.consult(*role, step, Purpose::Annotation, state, seconds).is_ok() {
                    return;
                }
            } else {
                // The end has its goals as values.
                let goals = look.filter(|look| look.terminal).map(|look| look.goals);
                let values: Option<Vec<f64>> = goals
                    .map(|goals| goals.iter().map(|goal| f64::from(goal.unwrap_or(0))).collect());
                self.add_annotation(step, values.as_deref(), None);
            }
        }
    }

    fn judged(&mut self, step: usize, report: Option<&SearchReport>) {
        if let (None, Some((next, _))) = (report, &mut self.advice.annotating)
            && self.advice.vain < AGAIN
        {
            *next = step;
            self.advice.vain += 1;
        } else {
            self.advice.vain = 0;
            let values = report.map(Self::report_values);
            self.add_annotation(step, values.as_deref(), report);
        }
        self.annotate_next();
    }

    /// Adds a judgement, and to the one before how much the move made of it cost.
    fn add_annotation(
        &mut self,
        step: usize,
        values: Option<&[f64]>,
        report: Option<&SearchReport>,
    ) {
        let best = report.and_then(|report| report.best).map(|best| self.referee.text(best));
        let entry = json!({
            "step": step, "values": values, "solved": report.is_some_and(|report| report.solved),
            "best": best, "played": self.steps.get(step).map(|step| step.moves.clone()), "drop": null,
            "method": report.map(|report| report.method), "depth": report.map(|report| report.depth),
        });
        let mut told = vec![entry.clone()];
        if let Some(before) = self.meta.annotations.last_mut() {
            let drop = drops(&before["values"], &entry["values"]);
            before["drop"] = drop;
            told.insert(0, before.clone());
        }
        self.meta.annotations.push(entry);
        for mut entry in told {
            self.feed.push("annotation", |event| {
                entry["event"] = json!(event);
                entry
            });
        }
    }
}

/// How much less each role has after than before.
fn drops(before: &Value, after: &Value) -> Value {
    let (Some(before), Some(after)) = (before.as_array(), after.as_array()) else {
        return Value::Null;
    };
    let pairs = before.iter().zip(after).map(|(before, after)| {
        let lost = before.as_f64().unwrap_or(0.0) - after.as_f64().unwrap_or(0.0);
        (lost.max(0.0) * 1000.0).round() / 1000.0
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_losses_are_drops() {
        assert_eq!(drops(&json!([60.0, 40.0]), &json!([50.0, 50.0])), json!([10.0, 0.0]));
        assert_eq!(drops(&Value::Null, &json!([50.0])), Value::Null);
    }
}
