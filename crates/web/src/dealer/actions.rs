//! What people do in a match.

use game::JointMove;
use serde_json::{Value, json};

use super::{Dealer, Phase};
use crate::error::{ApiError, Outcome};
use crate::position::{Context, position};
use crate::store::{Ended, SeatDoc};
use crate::visitor::Visitor;

/// The longest line that is played out on request.
const LONGEST_LINE: usize = 60;

impl Dealer {
    /// The view for a visitor.
    pub fn view_for(&self, visitor: &Visitor) -> Outcome<Value> {
        let view = self.view.borrow().clone();
        view.map(|view| view.json_for(visitor)).ok_or_else(|| ApiError::busy("not ready yet"))
    }

    fn own_match(&self, visitor: &Visitor) -> Outcome<()> {
        if self.meta.owner == visitor.id { Ok(()) } else { Err(ApiError::not_yours("match")) }
    }

    fn own_seat(&self, visitor: &Visitor, role: usize) -> Outcome<()> {
        let seat =
            self.meta.seats.get(role).ok_or_else(|| ApiError::bad("there is no such role"))?;
        if seat.owner.as_ref() == Some(&visitor.id) {
            Ok(())
        } else {
            Err(ApiError::not_yours("seat"))
        }
    }

    /// Whether the visitor made the match or has a seat.
    fn takes_part(&self, visitor: &Visitor) -> Outcome<()> {
        let seated = self.meta.seats.iter().any(|seat| seat.owner.as_ref() == Some(&visitor.id));
        if seated { Ok(()) } else { self.own_match(visitor) }
    }

    fn running(&self) -> Outcome<()> {
        match self.phase {
            Phase::Running => Ok(()),
            Phase::Over => Err(ApiError::over("the match is over")),
            Phase::Preparing => Err(ApiError::over("the match has not begun yet")),
        }
    }

    /// A move of a person.
    pub fn make_move(
        &mut self,
        visitor: &Visitor,
        role: usize,
        text: &str,
        step: Option<usize>,
    ) -> Outcome<Value> {
        self.own_seat(visitor, role)?;
        self.running()?;
        if step.is_some_and(|step| step != self.step()) {
            return Err(ApiError::wrong_step(self.step()));
        }
        if self.pending[role].is_some() {
            return Err(ApiError::illegal(text));
        }
        let action = self.referee.read(&self.look.legal[role], text);
        let action = action.ok_or_else(|| ApiError::illegal(text))?;
        self.submit(role, action);
        self.advance();
        self.view_for(visitor)
    }

    /// Takes moves back.
    pub fn undo(&mut self, visitor: &Visitor, to: Option<usize>) -> Outcome<Value> {
        self.takes_part(visitor)?;
        if self.phase == Phase::Preparing {
            return self.running().map(|()| Value::Null);
        }
        if self.meta.seats.iter().any(|seat| seat.url.is_some()) {
            return Err(ApiError::bad("a player over HTTP cannot take moves back"));
        }
        if self.meta.imported {
            return Err(ApiError::bad("this match was played elsewhere"));
        }
        let to = match to {
            Some(to) => to,
            None => self.last_choice()?,
        };
        if to > self.step() {
            return Err(ApiError::bad("the match is not that far"));
        }
        self.go_back(to)?;
        self.view_for(visitor)
    }

    /// The last step before the present one in which a person had a choice.
    fn last_choice(&mut self) -> Outcome<usize> {
        for step in (0..self.step()).rev() {
            let state = self.states[step].clone();
            let look =
                self.referee.look(&state).map_err(|error| ApiError::busy(error.to_string()))?;
            if look.choosing().into_iter().any(|role| self.is_person(role)) {
                return Ok(step);
            }
        }
        Err(ApiError::bad("there is nothing to take back"))
    }

    fn go_back(&mut self, to: usize) -> Outcome<()> {
        let state = self.states[to].clone();
        self.look = self.referee.look(&state).map_err(|error| ApiError::busy(error.to_string()))?;
        self.drawn = None;
        self.states.truncate(to + 1);
        self.joints.truncate(to);
        self.steps.truncate(to);
        self.thoughts.truncate(to + 1);
        self.thoughts[to].fill(None);
        self.keep(self.house.store.cut(&self.meta.id, to));
        self.meta.ended = None;
        self.meta.annotations.clear();
        self.save();
        self.advice.cancel();
        self.recall_engines();
        if self.phase == Phase::Over {
            self.phase = Phase::Preparing;
            self.seat_engines();
            self.start_if_ready();
        }
        if self.phase == Phase::Preparing {
            self.publish();
        } else {
            self.ask();
            self.tell_change();
        }
        Ok(())
    }

    /// A role gives up.
    pub fn resign(&mut self, visitor: &Visitor, role: usize) -> Outcome<Value> {
        self.own_seat(visitor, role)?;
        self.running()?;
        // With two roles the other one wins; with more nobody can say what that is worth.
        let two = self.meta.roles.len() == 2;
        let goals =
            two.then(|| (0..2).map(|other| Some(if other == role { 0 } else { 100 })).collect());
        self.end(Ended { why: "resigned".to_owned(), goals, resigned: Some(role), message: None });
        self.view_for(visitor)
    }

    /// Strategies wait, or go on.
    pub fn set_paused(&mut self, visitor: &Visitor, paused: bool) -> Outcome<Value> {
        self.own_match(visitor)?;
        self.meta.paused = paused;
        self.since = (std::time::Instant::now(), crate::random::now());
        self.save();
        self.ask();
        self.tell_change();
        self.advance();
        self.view_for(visitor)
    }

    /// A paused match plays one step.
    pub fn play_next(&mut self, visitor: &Visitor) -> Outcome<Value> {
        self.own_match(visitor)?;
        self.running()?;
        self.single = true;
        self.advance();
        self.publish();
        self.view_for(visitor)
    }

    /// Somebody else takes a role.
    pub fn set_seat(&mut self, visitor: &Visitor, role: usize, seat: SeatDoc) -> Outcome<Value> {
        self.own_match(visitor)?;
        if role >= self.meta.seats.len() {
            return Err(ApiError::bad("there is no such role"));
        }
        if self.phase == Phase::Over {
            return Err(ApiError::over("the match is over"));
        }
        if seat.url.is_some() {
            return Err(ApiError::bad("a player over HTTP has to be there from the start"));
        }
        self.engines[role] = None;
        self.asked[role] = 0;
        self.meta.seats[role] = seat;
        self.save();
        self.seat_engines();
        if self.phase == Phase::Running {
            // The newcomer gets ready while the match goes on.
            self.asked[role] = 0;
        }
        self.ask();
        self.tell_change();
        self.advance();
        self.publish();
        self.view_for(visitor)
    }

    /// A visitor takes an open seat.
    pub fn join(&mut self, visitor: &Visitor, role: usize) -> Outcome<Value> {
        let seat =
            self.meta.seats.get_mut(role).ok_or_else(|| ApiError::bad("there is no such role"))?;
        if seat.kind != "open" {
            return Err(ApiError::not_yours("seat"));
        }
        "human".clone_into(&mut seat.kind);
        seat.owner = Some(visitor.id.clone());
        self.save();
        self.tell_change();
        self.view_for(visitor)
    }

    /// Ends it without a result.
    pub fn abort(&mut self, visitor: &Visitor) -> Outcome<Value> {
        self.own_match(visitor)?;
        if self.phase != Phase::Over {
            self.end(Ended {
                why: "aborted".to_owned(),
                goals: None,
                resigned: None,
                message: None,
            });
        }
        self.view_for(visitor)
    }

    /// Whether the visitor may delete it.
    pub fn may_delete(&self, visitor: &Visitor) -> Outcome<()> {
        self.own_match(visitor)
    }

    /// Whether the visitor may ask for advice.
    pub(super) fn may_ask(&self, visitor: &Visitor) -> Outcome<()> {
        self.takes_part(visitor)
    }

    /// A past step.
    pub fn past(&mut self, step: usize) -> Outcome<Value> {
        if step >= self.states.len() {
            return Err(ApiError::not_found("the match is not that far"));
        }
        let position = self.position_at(step).map_err(|error| ApiError::busy(error.to_string()))?;
        let thoughts: Vec<&Value> = self.thoughts[step].iter().flatten().collect();
        Ok(json!({"position": position, "thoughts": thoughts}))
    }

    /// The state of a step.
    pub fn state_at(&self, step: usize) -> Outcome<game::State> {
        let state = self.states.get(step).cloned();
        state.ok_or_else(|| ApiError::not_found("the match is not that far"))
    }

    /// The positions that a line of joint moves leads to.
    pub fn line(&mut self, step: usize, moves: &[Vec<String>]) -> Outcome<Value> {
        let mut state = self.state_at(step)?;
        let mut positions = Vec::new();
        let broken = |error: game::ReasonError| ApiError::busy(error.to_string());
        for (at, texts) in moves.iter().take(LONGEST_LINE).enumerate() {
            let look = self.referee.look(&state).map_err(broken)?;
            if look.terminal {
                break;
            }
            let joint = self.read_joint(&look.legal, texts)?;
            let next = self.referee.next(&state, &joint).map_err(broken)?;
            let look = self.referee.look(&next).map_err(broken)?;
            let context = Context { step: step + at + 1, last: Some(texts), before: Some(&state) };
            positions.push(position(&self.sheet, &next, &look, context));
            state = next;
        }
        Ok(json!({ "positions": positions }))
    }

    /// A joint move by its texts.
    pub(super) fn read_joint(
        &self,
        legal: &[Vec<game::Move>],
        texts: &[String],
    ) -> Outcome<JointMove> {
        if texts.len() != legal.len() {
            return Err(ApiError::bad("a joint move has one move for each role"));
        }
        let one = |(legal, text): (&Vec<game::Move>, &String)| {
            self.referee.read(legal, text).ok_or_else(|| ApiError::illegal(text))
        };
        legal.iter().zip(texts).map(one).collect::<Outcome<Vec<_>>>().map(JointMove)
    }
}
