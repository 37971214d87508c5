//! Running plans: tabled evaluation of queries.
//!
//! A query is evaluated when it is first asked in a generation, and its answers are kept. Relations
//! that do not depend on themselves are evaluated to the end at once. For recursive relations a plan
//! that meets an unfinished query is suspended as a *consumer* and resumed with each new answer,
//! until nothing is left to do; every pair of consumer and answer is joined exactly once, as in
//! semi-naive evaluation. Negated relations are never part of the component that is being evaluated,
//! because the rules are stratified (thesis Def. 2.7), so they are always finished when tested.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use smallvec::SmallVec;

use crate::error::EvalError;
use crate::memory::{Memory, NONE};
use crate::plan::{Code, Match, Plan, Step, Value};
use crate::terms::Functor;

/// Bounds on the work for one question.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Inference steps for one question.
    pub max_steps: u64,
    /// Facts and terms kept in memory; caches are dropped between questions when it is reached.
    pub max_facts: usize,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set by another thread to make the machine give up.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_steps: 2_000_000_000, max_facts: 20_000_000, deadline: None, cancel: None }
    }
}

type Key = SmallVec<[u32; 8]>;
type Outcome<T> = Result<T, EvalError>;

/// A plan that waits for further answers of a recursive query.
struct Consumer {
    /// The query and slot that the plan works for.
    query: u32,
    slot: u32,
    plan: u32,
    step: u32,
    registers: Key,
    /// What it waits for: the source's last answer it has seen, and the next consumer there.
    source: u32,
    source_slot: u32,
    seen: u32,
    sibling: u32,
    queued: bool,
}

enum Work {
    Evaluate { query: u32, slot: u32 },
    Resume(u32),
}

/// A recursive component under evaluation.
#[derive(Default)]
struct Component {
    active: bool,
    work: Vec<Work>,
    consumers: Vec<Consumer>,
    touched: Vec<(u32, u32)>,
}

/// What is being solved: the plan, and the query and slot that its results go to.
#[derive(Clone, Copy)]
struct Task<'c> {
    plan: &'c Plan,
    plan_number: u32,
    query: u32,
    slot: u32,
    base: usize,
}

/// The evaluator: code is shared, memory is its own.
pub struct Solver {
    /// The tables.
    pub memory: Memory,
    /// The bounds on each question.
    pub limits: Limits,
    stack: Vec<u32>,
    components: Vec<Component>,
    /// Steps of this question, and of all before it.
    steps: u64,
    earlier_steps: u64,
}

/// How often the clock is looked at.
const CHECK_EVERY: u64 = 1 << 14;

impl Solver {
    /// An evaluator for compiled rules with the given tables.
    pub fn new(code: &Code, memory: Memory, limits: Limits) -> Self {
        let components = (0..code.components).map(|_| Component::default()).collect();
        Self { memory, limits, stack: Vec::new(), components, steps: 0, earlier_steps: 0 }
    }

    /// Forgets half-done work after an error, so that the next question starts cleanly.
    fn abandon(&mut self) {
        self.stack.clear();
        for component in &mut self.components {
            *component = Component::default();
        }
    }

    /// Starts a question and asks a query; its slot holds the complete answers.
    pub fn ask(&mut self, code: &Code, query: u32, key: &[u32]) -> Outcome<u32> {
        self.earlier_steps += self.steps;
        self.steps = 0;
        let asked = self.slot_of(code, query, key);
        match asked {
            Ok(Some(slot)) => Ok(slot),
            Ok(None) => {
                self.abandon();
                Err(EvalError::Interrupted)
            }
            Err(error) => {
                self.abandon();
                Err(error)
            }
        }
    }

    /// All steps since the beginning.
    pub fn total_steps(&self) -> u64 {
        self.earlier_steps + self.steps
    }

    #[inline]
    fn count_step(&mut self) -> Outcome<()> {
        self.steps += 1;
        if self.steps.is_multiple_of(CHECK_EVERY) { self.check() } else { Ok(()) }
    }

    #[cold]
    fn check(&self) -> Outcome<()> {
        if self.steps > self.limits.max_steps {
            return Err(EvalError::TooManySteps { limit: self.limits.max_steps });
        }
        if self.memory.size() > self.limits.max_facts {
            return Err(EvalError::TooManyFacts { limit: self.limits.max_facts });
        }
        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let stop = self.limits.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if late || stop { Err(EvalError::Interrupted) } else { Ok(()) }
    }

    /// The slot of a query with complete answers, or none if it belongs to a component that is being
    /// evaluated: then its answers are still coming.
    fn slot_of(&mut self, code: &Code, id: u32, key: &[u32]) -> Outcome<Option<u32>> {
        let query = &code.queries[id as usize];
        let generation = self.memory.generation(query.lifetime);
        let slot = self.memory.queries[id as usize].slot(key);
        let entry = &mut self.memory.queries[id as usize].slots[slot as usize];
        let current = entry.generation == generation;
        if current && entry.complete {
            return Ok(Some(slot));
        }
        if !current {
            entry.generation = generation;
            entry.complete = false;
            entry.first = NONE;
            entry.last = NONE;
            entry.consumer = NONE;
        }
        let Some(number) = query.component else {
            self.evaluate(code, id, slot)?;
            self.memory.queries[id as usize].slots[slot as usize].complete = true;
            return Ok(Some(slot));
        };
        let component = &mut self.components[number as usize];
        if component.active {
            if !current {
                component.work.push(Work::Evaluate { query: id, slot });
                component.touched.push((id, slot));
            }
            return Ok(None);
        }
        // A slot left incomplete by an abandoned question is started over.
        let entry = &mut self.memory.queries[id as usize].slots[slot as usize];
        entry.consumer = NONE;
        component.active = true;
        component.work.push(Work::Evaluate { query: id, slot });
        component.touched.push((id, slot));
        self.exhaust(code, number as usize)?;
        Ok(Some(slot))
    }

    /// Evaluates a recursive component until nothing is left to do.
    fn exhaust(&mut self, code: &Code, number: usize) -> Outcome<()> {
        while let Some(work) = self.components[number].work.pop() {
            match work {
                Work::Evaluate { query, slot } => self.evaluate(code, query, slot)?,
                Work::Resume(consumer) => self.resume(code, number, consumer)?,
            }
        }
        let component = &mut self.components[number];
        component.active = false;
        component.consumers.clear();
        for (query, slot) in component.touched.drain(..) {
            self.memory.queries[query as usize].slots[slot as usize].complete = true;
        }
        Ok(())
    }

    /// Runs all plans of a query for one slot.
    fn evaluate(&mut self, code: &Code, id: u32, slot: u32) -> Outcome<()> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.evaluate_here(code, id, slot))
    }

    fn evaluate_here(&mut self, code: &Code, id: u32, slot: u32) -> Outcome<()> {
        let query = &code.queries[id as usize];
        let key = Key::from_slice(self.memory.queries[id as usize].keys.key(slot));
        for row in query.facts.rows(&key) {
            let mut answer = Key::from_elem(slot, 1);
            answer.extend_from_slice(query.facts.row(row));
            self.report(code, id, &answer);
        }
        for (number, plan) in query.plans.iter().enumerate() {
            if query.outs == 0 && self.holds(id, slot) {
                break;
            }
            self.count_step()?;
            let base = self.stack.len();
            self.stack.resize(base + plan.registers as usize, NONE);
            let fits = plan.given.iter().zip(&key).all(|(m, v)| self.fits(m, *v, base));
            if fits {
                let task = Task { plan, plan_number: number as u32, query: id, slot, base };
                self.solve(code, task, 0)?;
            }
            self.stack.truncate(base);
        }
        Ok(())
    }

    /// Whether a slot without outputs has its answer.
    #[inline]
    fn holds(&self, query: u32, slot: u32) -> bool {
        self.memory.queries[query as usize].slots[slot as usize].first != NONE
    }

    /// Adds an answer, a row of slot and outputs, and wakes those who wait for it.
    #[inline]
    fn report(&mut self, code: &Code, query: u32, row: &[u32]) {
        let memory = &mut self.memory.queries[query as usize];
        let slot = row[0];
        if !memory.add(slot, row) {
            return;
        }
        let waiting = memory.slots[slot as usize].consumer;
        if waiting != NONE {
            self.wake(code, query, waiting);
        }
    }

    fn wake(&mut self, code: &Code, query: u32, mut waiting: u32) {
        let Some(number) = code.queries[query as usize].component else { return };
        let component = &mut self.components[number as usize];
        while waiting != NONE {
            let consumer = &mut component.consumers[waiting as usize];
            if !std::mem::replace(&mut consumer.queued, true) {
                component.work.push(Work::Resume(waiting));
            }
            waiting = consumer.sibling;
        }
    }

    /// Continues a suspended plan with the answers it has not seen yet.
    fn resume(&mut self, code: &Code, number: usize, id: u32) -> Outcome<()> {
        let consumer = &mut self.components[number].consumers[id as usize];
        consumer.queued = false;
        let (query, slot, plan_number, step) =
            (consumer.query, consumer.slot, consumer.plan, consumer.step);
        let (source, source_slot) = (consumer.source, consumer.source_slot);
        let plan = &code.queries[query as usize].plans[plan_number as usize];
        let Step::Ask { outs, .. } = &plan.steps[step as usize] else { return Ok(()) };
        let is_test = code.queries[query as usize].outs == 0;
        loop {
            if is_test && self.holds(query, slot) {
                return Ok(());
            }
            let consumer = &mut self.components[number].consumers[id as usize];
            let memory = &self.memory.queries[source as usize];
            let answer = match consumer.seen {
                NONE => memory.slots[source_slot as usize].first,
                seen => memory.next(seen),
            };
            if answer == NONE {
                return Ok(());
            }
            consumer.seen = answer;
            let base = self.stack.len();
            self.stack.extend_from_slice(&consumer.registers);
            self.count_step()?;
            if self.take(source, answer, outs, base) {
                let task = Task { plan, plan_number, query, slot, base };
                self.solve(code, task, step as usize + 1)?;
            }
            self.stack.truncate(base);
        }
    }

    /// Matches the outputs of an answer.
    #[inline]
    fn take(&mut self, query: u32, answer: u32, outs: &[Match], base: usize) -> bool {
        for (position, wanted) in outs.iter().enumerate() {
            let value = self.memory.queries[query as usize].outs(answer)[position];
            if !self.fits(wanted, value, base) {
                return false;
            }
        }
        true
    }

    #[inline]
    fn fits(&mut self, wanted: &Match, value: u32, base: usize) -> bool {
        match wanted {
            Match::Bind(register) => {
                self.stack[base + *register as usize] = value;
                true
            }
            Match::Equal(register) => self.stack[base + *register as usize] == value,
            Match::Term(term) => *term == value,
            Match::Parts(functor, parts) => {
                self.memory.terms.functor(value) == (*functor, parts.len() as u32)
                    && parts.iter().enumerate().all(|(i, part)| {
                        let inner = self.memory.terms.args(value)[i];
                        self.fits(part, inner, base)
                    })
            }
        }
    }

    #[expect(clippy::inline_always, reason = "a tenth of all instructions without it")]
    #[inline(always)]
    fn value(&mut self, value: &Value, base: usize) -> Outcome<u32> {
        match value {
            Value::Register(register) => Ok(self.stack[base + *register as usize]),
            Value::Term(term) => Ok(*term),
            Value::Build(functor, parts) => self.build(*functor, parts, base),
        }
    }

    fn build(&mut self, functor: Functor, parts: &[Value], base: usize) -> Outcome<u32> {
        let mut args = Key::new();
        for part in parts {
            args.push(self.value(part, base)?);
        }
        self.memory.terms.intern(functor, &args)
    }

    #[inline]
    fn key(&mut self, values: &[Value], base: usize) -> Outcome<Key> {
        let mut key = Key::new();
        for value in values {
            key.push(self.value(value, base)?);
        }
        Ok(key)
    }

    /// Runs a plan from a step on. True if it reached its end at least once.
    fn solve(&mut self, code: &Code, task: Task<'_>, at: usize) -> Outcome<bool> {
        let Some(step) = task.plan.steps.get(at) else {
            return self.finish(code, task);
        };
        if at & 63 == 63 {
            // Bodies of thousands of literals must not exhaust the stack.
            return stacker::maybe_grow(64 << 10, 1 << 20, || self.step(code, task, at, step));
        }
        self.step(code, task, at, step)
    }

    fn finish(&mut self, code: &Code, task: Task<'_>) -> Outcome<bool> {
        let mut row = Key::new();
        row.push(task.slot);
        for value in &task.plan.result {
            row.push(self.value(value, task.base)?);
        }
        self.report(code, task.query, &row);
        Ok(true)
    }

    fn step(&mut self, code: &Code, task: Task<'_>, at: usize, step: &Step) -> Outcome<bool> {
        match step {
            Step::Scan { index, key, outs } => {
                let key = self.key(key, task.base)?;
                self.scan(code, task, at, *index, &key, outs)
            }
            Step::Absent { index, key } => {
                let key = self.key(key, task.base)?;
                self.memory.prepare(code, *index);
                if self.memory.indexes[*index as usize].first(&key) != NONE {
                    return Ok(false);
                }
                self.solve(code, task, at + 1)
            }
            Step::Ask { query, key, outs } => {
                let key = self.key(key, task.base)?;
                if code.queries[*query as usize].plans.is_empty() {
                    return self.look_up(code, task, at, *query, &key, outs);
                }
                if let Some(slot) = self.slot_of(code, *query, &key)? {
                    return self.iterate(code, task, at, (*query, slot), outs);
                }
                self.suspend(code, task, at, *query, &key);
                Ok(false)
            }
            Step::Deny { query, key } => {
                let key = self.key(key, task.base)?;
                let holds = if code.queries[*query as usize].plans.is_empty() {
                    !code.queries[*query as usize].facts.rows(&key).is_empty()
                } else {
                    // Stratified: never part of the component under evaluation.
                    match self.slot_of(code, *query, &key)? {
                        Some(slot) => self.holds(*query, slot),
                        None => return Err(EvalError::Interrupted),
                    }
                };
                if holds { Ok(false) } else { self.solve(code, task, at + 1) }
            }
            Step::Distinct(a, b) => {
                let different = self.value(a, task.base)? != self.value(b, task.base)?;
                if different { self.solve(code, task, at + 1) } else { Ok(false) }
            }
            Step::Same(a, b) => {
                let value = self.value(a, task.base)?;
                if self.fits(b, value, task.base) {
                    self.solve(code, task, at + 1)
                } else {
                    Ok(false)
                }
            }
        }
    }

    fn scan(
        &mut self,
        code: &Code,
        task: Task<'_>,
        at: usize,
        index: u32,
        key: &[u32],
        outs: &[u32],
    ) -> Outcome<bool> {
        self.memory.prepare(code, index);
        let mut entry = self.memory.indexes[index as usize].first(key);
        let once = at >= task.plan.once_from as usize;
        let mut found = false;
        while entry != NONE {
            self.count_step()?;
            let memory = &self.memory.indexes[index as usize];
            for (position, register) in outs.iter().enumerate() {
                self.stack[task.base + *register as usize] = memory.out(entry, position);
            }
            entry = memory.next(entry);
            if self.solve(code, task, at + 1)? {
                found = true;
                if once {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// A relation that consists of stated facts only.
    fn look_up(
        &mut self,
        code: &Code,
        task: Task<'_>,
        at: usize,
        query: u32,
        key: &[u32],
        outs: &[Match],
    ) -> Outcome<bool> {
        let facts = &code.queries[query as usize].facts;
        let once = at >= task.plan.once_from as usize;
        let mut found = false;
        for row in facts.rows(key) {
            self.count_step()?;
            let values = facts.row(row);
            if !outs.iter().zip(values).all(|(wanted, value)| self.fits(wanted, *value, task.base))
            {
                continue;
            }
            if self.solve(code, task, at + 1)? {
                found = true;
                if once {
                    break;
                }
            }
        }
        Ok(found)
    }

    fn iterate(
        &mut self,
        code: &Code,
        task: Task<'_>,
        at: usize,
        (query, slot): (u32, u32),
        outs: &[Match],
    ) -> Outcome<bool> {
        let once = at >= task.plan.once_from as usize;
        let mut found = false;
        let mut answer = self.memory.queries[query as usize].slots[slot as usize].first;
        while answer != NONE {
            self.count_step()?;
            let next = self.memory.queries[query as usize].next(answer);
            if self.take(query, answer, outs, task.base) && self.solve(code, task, at + 1)? {
                found = true;
                if once {
                    break;
                }
            }
            answer = next;
        }
        Ok(found)
    }

    /// Makes the plan wait for answers of an unfinished query.
    fn suspend(&mut self, code: &Code, task: Task<'_>, at: usize, source: u32, key: &[u32]) {
        let Some(number) = code.queries[source as usize].component else { return };
        let source_slot = self.memory.queries[source as usize].slot(key);
        let registers =
            Key::from_slice(&self.stack[task.base..task.base + task.plan.registers as usize]);
        let slot = &mut self.memory.queries[source as usize].slots[source_slot as usize];
        let component = &mut self.components[number as usize];
        let id = component.consumers.len() as u32;
        let has_answers = slot.first != NONE;
        component.consumers.push(Consumer {
            query: task.query,
            slot: task.slot,
            plan: task.plan_number,
            step: at as u32,
            registers,
            source,
            source_slot,
            seen: NONE,
            sibling: slot.consumer,
            queued: has_answers,
        });
        slot.consumer = id;
        if has_answers {
            component.work.push(Work::Resume(id));
        }
    }
}
