//! Where the comments inside a clause go, before anything is laid out.
//!
//! A clause is a sequence of events: a group opens, a leaf (an atom or another condition that stays
//! on one line) stands, a group closes. Each comment belongs behind one event, either at the end of
//! its line or on lines of its own. The places are chosen such that reading the formatted text finds
//! the same ones again, which makes formatting idempotent.

use crate::ast::{Clause, Comment, Formula, FormulaKind, Syntax};
use crate::text::Span;

/// A condition that may be spread over several lines: `or` or `and`, under any number of `not`.
pub(super) struct Group<'f> {
    pub nots: usize,
    pub is_or: bool,
    pub parts: &'f [Formula],
}

/// The group that a condition is in a syntax, if any.
pub(super) fn group_of(formula: &Formula, syntax: Syntax) -> Option<Group<'_>> {
    let mut nots = 0;
    let mut inner = formula;
    while let FormulaKind::Not(negated) = &inner.kind {
        nots += 1;
        inner = negated;
    }
    let (is_or, parts) = match &inner.kind {
        FormulaKind::Or(parts) => (true, parts),
        FormulaKind::And(parts) => (false, parts),
        _ => return None,
    };
    // Prolog has signs between the parts only: `or(a)` stays as it is.
    let fewest = match syntax {
        Syntax::Kif => 1,
        Syntax::Prolog => 2,
    };
    (parts.len() >= fewest).then_some(Group { nots, is_or, parts })
}

/// Whether a group stands between `;` without parentheses of its own.
pub(super) fn is_bare(group: &Group<'_>, parent_is_or: bool, syntax: Syntax) -> bool {
    syntax == Syntax::Prolog && parent_is_or && !group.is_or && group.nots == 0
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Leaf,
    Close(Closer),
}

/// What closes a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closer {
    /// Something appended to the last line.
    Appended,
    /// Something on a line of its own.
    Apart,
    /// Nothing at all.
    Absent,
}

struct Event {
    kind: Kind,
    /// Where it begins; for a closing one, where the group ends.
    at: u32,
    /// Where a leaf ends.
    end: u32,
}

/// The comments behind one event.
#[derive(Clone, Default)]
pub(super) struct Slot<'c> {
    pub trailing: Option<&'c Comment>,
    pub own: Vec<&'c Comment>,
}

/// The comments of a clause, each at its place.
pub(super) struct Places<'c> {
    /// Those that stand before the head.
    pub before: Vec<&'c Comment>,
    /// Those behind each event.
    pub slots: Vec<Slot<'c>>,
    /// For each event that opens a group, the one that closes it; else the event itself.
    pub closing: Vec<usize>,
    /// How many comments stand behind the events before each one.
    earlier: Vec<usize>,
}

impl Places<'_> {
    /// Whether a comment stands inside the group that an event opens.
    pub fn commented(&self, open: usize) -> bool {
        self.earlier[open] < self.earlier[self.closing[open]]
    }
}

struct Walk {
    syntax: Syntax,
    events: Vec<Event>,
    closing: Vec<usize>,
}

impl Walk {
    fn clause(&mut self, clause: &Clause) {
        if !clause.implication {
            return self.push(Kind::Leaf, clause.span);
        }
        let open = self.open(clause.span);
        self.push(Kind::Leaf, clause.head.span);
        for part in &clause.body {
            self.formula(part, false);
        }
        self.close(open, clause.span, Closer::Appended);
    }

    fn formula(&mut self, formula: &Formula, parent_is_or: bool) {
        let Some(group) = group_of(formula, self.syntax) else {
            return self.push(Kind::Leaf, formula.span);
        };
        let open = self.open(formula.span);
        for part in group.parts {
            self.formula(part, group.is_or);
        }
        let closer = match self.syntax {
            Syntax::Kif => Closer::Appended,
            Syntax::Prolog if is_bare(&group, parent_is_or, self.syntax) => Closer::Absent,
            Syntax::Prolog => Closer::Apart,
        };
        self.close(open, formula.span, closer);
    }

    fn push(&mut self, kind: Kind, span: Span) {
        let at = if matches!(kind, Kind::Close(_)) { span.end } else { span.start };
        self.closing.push(self.events.len());
        self.events.push(Event { kind, at, end: span.end });
    }

    fn open(&mut self, span: Span) -> usize {
        self.push(Kind::Open, span);
        self.events.len() - 1
    }

    fn close(&mut self, open: usize, span: Span, closer: Closer) {
        self.closing[open] = self.events.len();
        self.push(Kind::Close(closer), span);
    }
}

/// A comment on its way to a place.
struct Placed<'c> {
    comment: &'c Comment,
    event: usize,
    trailing: bool,
}

/// Places the comments of a clause for a syntax to be written.
pub(super) fn place<'c>(clause: &Clause, comments: &[&'c Comment], syntax: Syntax) -> Places<'c> {
    let mut walk = Walk { syntax, events: Vec::new(), closing: Vec::new() };
    walk.clause(clause);
    let events = walk.events;
    let mut before = Vec::new();
    let mut placed: Vec<Placed<'c>> = Vec::new();
    let mut event = 0;
    for &comment in comments {
        let start = comment.span.start;
        while events.get(event + 1).is_some_and(|next| next.at <= start) {
            event += 1;
        }
        if clause.implication && event == 0 {
            before.push(comment);
        } else {
            placed.push(nearest(&events, event, comment, syntax));
        }
    }
    settle_trailing(&events, &mut placed);
    fill(before, &placed, walk.closing)
}

/// The place behind `event`; where that cannot be told in the text to be written, the one next to it
/// that can.
fn nearest<'c>(
    events: &[Event],
    mut event: usize,
    comment: &'c Comment,
    syntax: Syntax,
) -> Placed<'c> {
    let inside = events[event].kind == Kind::Leaf && comment.span.start < events[event].end;
    let mut trailing = comment.trailing || inside;
    // In Prolog the sign that opens a group shares its line with the first part.
    while syntax == Syntax::Prolog && events[event].kind == Kind::Open {
        event -= 1;
        trailing = false;
    }
    while events.get(event + 1).is_some_and(|next| next.kind == Kind::Close(Closer::Absent)) {
        event += 1;
    }
    Placed { comment, event, trailing }
}

/// A comment at the end of a line lets the parentheses that close there pass in front of it; a
/// second one for the same line gets a line of its own.
fn settle_trailing(events: &[Event], placed: &mut [Placed<'_>]) {
    let mut last = None;
    for i in 0..placed.len() {
        let limit = placed.get(i + 1).map_or(events.len() - 1, |next| next.event);
        let this = &mut placed[i];
        if last == Some(this.event) {
            this.trailing = false;
        }
        let passes =
            |event: usize| event < limit && events[event + 1].kind == Kind::Close(Closer::Appended);
        while this.trailing && passes(this.event) {
            this.event += 1;
        }
        last = Some(this.event);
    }
}

fn fill<'c>(before: Vec<&'c Comment>, placed: &[Placed<'c>], closing: Vec<usize>) -> Places<'c> {
    let mut slots = vec![Slot::default(); closing.len()];
    for this in placed {
        let slot = &mut slots[this.event];
        if this.trailing {
            slot.trailing = Some(this.comment);
        } else {
            slot.own.push(this.comment);
        }
    }
    let mut earlier = Vec::with_capacity(slots.len());
    let mut count = 0;
    for slot in &slots {
        earlier.push(count);
        count += usize::from(slot.trailing.is_some()) + slot.own.len();
    }
    Places { before, slots, closing, earlier }
}
