//! Instantiation by demand: tabled evaluation of the relaxed rules, in which everything that is
//! possible holds at once.
//!
//! Possible fluents are those of the initial state and every head of `next`; possible moves are every
//! head of `legal`; negated dynamic conditions count as possible. Each rule is run like a plan of the
//! interpreter, but whenever it reads something that may still grow (fluents, moves, derived relations),
//! it is suspended as a *consumer* and resumed with every new entry, so that each combination is
//! visited once (semi-naive). Relations are instantiated only for arguments that some rule asks for:
//! this is what makes chess feasible, whose largest relation has seven arguments. Relations that depend
//! on nothing that changes are evaluated exactly and disappear.

use datalog::memory::{NONE, fit};
use datalog::plan::{Lifetime, Match, Plan, Source, Step, Value};
use datalog::table::KeyTable;
use datalog::{Code, EvalError, Functor, Memory, Solver, Terms};
use gdl::{Relation, keyword};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::arena::Arena;
use crate::{Budget, Stopped};

type Registers = SmallVec<[u32; 8]>;

/// Answers or facts that grow, by key, with those who wait for more.
struct Table {
    keys: KeyTable,
    slots: Vec<TableSlot>,
    rows: KeyTable,
    next: Vec<u32>,
}

#[derive(Clone, Copy)]
struct TableSlot {
    first: u32,
    last: u32,
    consumer: u32,
}

impl Table {
    fn new(keys: usize, outs: usize) -> Self {
        Self {
            keys: KeyTable::new(keys),
            slots: Vec::new(),
            rows: KeyTable::new(outs + 1),
            next: Vec::new(),
        }
    }

    fn slot(&mut self, key: &[u32]) -> (u32, bool) {
        let (slot, new) = self.keys.intern(key);
        if new {
            self.slots.push(TableSlot { first: NONE, last: NONE, consumer: NONE });
        }
        (slot, new)
    }

    /// Adds a row of slot and outputs; false if it is there already.
    fn add(&mut self, row: &[u32]) -> bool {
        let (id, new) = self.rows.intern(row);
        if !new {
            return false;
        }
        self.next.push(NONE);
        let slot = &mut self.slots[row[0] as usize];
        if slot.last == NONE {
            slot.first = id;
        } else {
            self.next[slot.last as usize] = id;
        }
        slot.last = id;
        true
    }
}

/// A rule that waits for further rows of a table.
struct Consumer {
    query: u32,
    slot: u32,
    plan: u32,
    step: u32,
    registers: Registers,
    table: u32,
    source: u32,
    seen: u32,
    sibling: u32,
    queued: bool,
}

enum Work {
    Evaluate { query: u32, slot: u32 },
    Resume(u32),
}

/// The instances of all rules.
pub(crate) struct Instances {
    pub terms: Terms,
    pub rules: Arena,
    pub fluents: Vec<u32>,
    pub initial: Vec<u32>,
    /// Pairs of role and move.
    pub moves: Vec<(u32, u32)>,
}

/// What is being solved.
#[derive(Clone, Copy)]
struct Task<'c> {
    plan: &'c Plan,
    number: u32,
    query: u32,
    slot: u32,
}

struct Instantiator<'c> {
    code: &'c Code,
    statics: Solver,
    /// One for each index, then one for each query.
    tables: Vec<Table>,
    consumers: Vec<Consumer>,
    work: Vec<Work>,
    rules: Arena,
    body: Vec<u32>,
    fluents: Vec<u32>,
    known_fluents: FxHashSet<u32>,
    moves: Vec<(u32, u32)>,
    roles: Vec<u32>,
    budget: &'c Budget,
    units: u64,
    size: usize,
}

/// The term that stands for an atom.
pub(crate) fn atom_functor(relation: Relation) -> Functor {
    if relation.parens {
        Functor::function(relation.name)
    } else {
        Functor::constant(relation.name)
    }
}

pub(crate) fn instantiate(
    code: &Code,
    terms: Terms,
    roles: Vec<u32>,
    budget: &Budget,
) -> Result<Instances, Stopped> {
    let index_tables = code.indexes.iter().map(|i| Table::new(i.keys as usize, i.outs as usize));
    let query_tables = code.queries.iter().map(|q| Table::new(q.keys as usize, q.outs as usize));
    let limits = datalog::Limits {
        deadline: budget.deadline,
        cancel: budget.cancel.clone(),
        ..datalog::Limits::default()
    };
    let mut grounder = Instantiator {
        code,
        statics: Solver::new(code, Memory::new(code, terms), limits),
        tables: index_tables.chain(query_tables).collect(),
        consumers: Vec::new(),
        work: Vec::new(),
        rules: Arena::default(),
        body: Vec::new(),
        fluents: Vec::new(),
        known_fluents: FxHashSet::default(),
        moves: Vec::new(),
        roles,
        budget,
        units: 0,
        size: 0,
    };
    let initial = grounder.start()?;
    grounder.exhaust()?;
    grounder.rules.close();
    Ok(Instances {
        terms: grounder.statics.memory.terms,
        rules: grounder.rules,
        fluents: grounder.fluents,
        initial,
        moves: grounder.moves,
    })
}

impl<'c> Instantiator<'c> {
    fn query_table(&self, query: u32) -> u32 {
        self.code.indexes.len() as u32 + query
    }

    fn start(&mut self) -> Result<Vec<u32>, Stopped> {
        let mut initial = Vec::new();
        if let Some(init) = self.code.init {
            let slot = self.statics.ask(self.code, init, &[])?;
            let memory = &self.statics.memory.queries[init as usize];
            let mut answer = memory.slots[slot as usize].first;
            while answer != NONE {
                initial.push(memory.outs(answer)[0]);
                answer = memory.next(answer);
            }
        }
        for fluent in &initial {
            self.add_fact(Source::True, &[*fluent])?;
        }
        let code = self.code;
        for query in [code.next, code.terminal].into_iter().flatten() {
            self.demand(query, &[]);
        }
        for query in [code.legal, code.goal].into_iter().flatten() {
            if code.by_role {
                for role in self.roles.clone() {
                    self.demand(query, &[role]);
                }
            } else {
                self.demand(query, &[]);
            }
        }
        Ok(initial)
    }

    /// Makes sure that a query is instantiated for a key.
    fn demand(&mut self, query: u32, key: &[u32]) -> u32 {
        let table = self.query_table(query) as usize;
        let (slot, new) = self.tables[table].slot(key);
        if new {
            self.size += 1;
            self.work.push(Work::Evaluate { query, slot });
        }
        slot
    }

    fn exhaust(&mut self) -> Result<(), Stopped> {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Evaluate { query, slot } => self.evaluate(query, slot)?,
                Work::Resume(consumer) => self.resume(consumer)?,
            }
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), Stopped> {
        self.units += 1;
        if self.units.is_multiple_of(4096) {
            self.check()?;
        }
        Ok(())
    }

    #[cold]
    fn check(&self) -> Result<(), Stopped> {
        let bytes = self.consumers.len() * size_of::<Consumer>()
            + self.rules.bytes()
            + (self.size + self.statics.memory.size()) * 80;
        // What follows needs room beside this: names of atoms, rules by their atoms, the allocator's reserves. The
        // whole process peaked at 1.33 to 1.73 times the budget without.
        let bytes = bytes / 4 * 7;
        if bytes > self.budget.max_bytes {
            return Err(Stopped::Memory { rules: self.rules.len(), bytes });
        }
        self.budget.check(self.rules.len())
    }

    fn evaluate(&mut self, id: u32, slot: u32) -> Result<(), Stopped> {
        let code = self.code;
        let query = &code.queries[id as usize];
        let table = self.query_table(id) as usize;
        let key = Registers::from_slice(self.tables[table].keys.key(slot));
        for row in query.facts.rows(&key) {
            self.stated_fact(id, slot, &key, row)?;
        }
        for (number, plan) in query.plans.iter().enumerate() {
            let mut registers = Registers::from_elem(NONE, plan.registers as usize);
            let terms = &self.statics.memory.terms;
            if plan.given.iter().zip(&key).all(|(m, v)| fits(m, *v, &mut registers, terms)) {
                let task = Task { plan, number: number as u32, query: id, slot };
                self.solve(task, 0, &mut registers)?;
            }
        }
        Ok(())
    }

    /// A fact of a relation that also has dynamic rules.
    fn stated_fact(&mut self, id: u32, slot: u32, key: &[u32], row: u32) -> Result<(), Stopped> {
        let query = &self.code.queries[id as usize];
        let outs = query.facts.row(row);
        let (mut keys, mut rest) = (key.iter(), outs.iter());
        let args: Registers = query
            .given
            .iter()
            .filter_map(|given| if *given { keys.next() } else { rest.next() })
            .copied()
            .collect();
        let head = self.statics.memory.terms.intern(atom_functor(query.relation), &args)?;
        self.rules.add(head, &[]);
        let mut answer = Registers::from_elem(slot, 1);
        answer.extend_from_slice(outs);
        self.report(id, &answer)
    }

    fn resume(&mut self, id: u32) -> Result<(), Stopped> {
        let code = self.code;
        let consumer = &mut self.consumers[id as usize];
        consumer.queued = false;
        let (query, slot, number, step) =
            (consumer.query, consumer.slot, consumer.plan, consumer.step);
        let (table, source) = (consumer.table as usize, consumer.source);
        let plan = &code.queries[query as usize].plans[number as usize];
        loop {
            let consumer = &mut self.consumers[id as usize];
            let row = match consumer.seen {
                NONE => self.tables[table].slots[source as usize].first,
                seen => self.tables[table].next[seen as usize],
            };
            if row == NONE {
                return Ok(());
            }
            consumer.seen = row;
            let mut registers = consumer.registers.clone();
            self.count()?;
            let outs = &self.tables[table].rows.key(row)[1..];
            let terms = &self.statics.memory.terms;
            let fit = match &plan.steps[step as usize] {
                Step::Scan { outs: targets, .. } => {
                    for (register, value) in targets.iter().zip(outs) {
                        registers[*register as usize] = *value;
                    }
                    true
                }
                Step::Ask { outs: wanted, .. } => {
                    wanted.iter().zip(outs).all(|(m, v)| fits(m, *v, &mut registers, terms))
                }
                _ => false,
            };
            if fit {
                let task = Task { plan, number, query, slot };
                self.solve(task, step as usize + 1, &mut registers)?;
            }
        }
    }

    fn value(&mut self, value: &Value, registers: &[u32]) -> Result<u32, EvalError> {
        match value {
            Value::Register(register) => Ok(registers[*register as usize]),
            Value::Term(term) => Ok(*term),
            Value::Build(functor, parts) => {
                let args = self.values(parts, registers)?;
                self.statics.memory.terms.intern(*functor, &args)
            }
        }
    }

    fn values(&mut self, values: &[Value], registers: &[u32]) -> Result<Registers, EvalError> {
        values.iter().map(|value| self.value(value, registers)).collect()
    }

    fn solve(
        &mut self,
        task: Task<'c>,
        at: usize,
        registers: &mut Registers,
    ) -> Result<(), Stopped> {
        let Some(step) = task.plan.steps.get(at) else { return self.finish(task, registers) };
        if at & 63 == 63 {
            return stacker::maybe_grow(64 << 10, 1 << 20, || self.step(task, at, step, registers));
        }
        self.step(task, at, step, registers)
    }

    fn step(
        &mut self,
        task: Task<'c>,
        at: usize,
        step: &'c Step,
        registers: &mut Registers,
    ) -> Result<(), Stopped> {
        match step {
            Step::Scan { index, key, .. } => {
                let key = self.values(key, registers)?;
                let (source, _) = self.tables[*index as usize].slot(&key);
                self.suspend(task, at, registers, *index, source);
                Ok(())
            }
            Step::Absent { .. } => self.solve(task, at + 1, registers),
            Step::Ask { query, key, outs } => {
                let key = self.values(key, registers)?;
                if self.is_static(*query) {
                    return self.ask_static(task, at, registers, *query, &key, outs);
                }
                let source = self.demand(*query, &key);
                self.suspend(task, at, registers, self.query_table(*query), source);
                Ok(())
            }
            Step::Deny { query, key } => {
                let key = self.values(key, registers)?;
                if self.is_static(*query) {
                    if self.holds_statically(*query, &key)? {
                        return Ok(());
                    }
                } else {
                    self.demand(*query, &key);
                }
                self.solve(task, at + 1, registers)
            }
            Step::Distinct(a, b) => {
                if self.value(a, registers)? == self.value(b, registers)? {
                    return Ok(());
                }
                self.solve(task, at + 1, registers)
            }
            Step::Same(a, b) => {
                let value = self.value(a, registers)?;
                if fits(b, value, registers, &self.statics.memory.terms) {
                    self.solve(task, at + 1, registers)?;
                }
                Ok(())
            }
        }
    }

    fn is_static(&self, query: u32) -> bool {
        self.code.queries[query as usize].lifetime == Lifetime::Always
    }

    fn holds_statically(&mut self, query: u32, key: &[u32]) -> Result<bool, Stopped> {
        let slot = self.statics.ask(self.code, query, key)?;
        Ok(self.statics.memory.queries[query as usize].holds(slot))
    }

    fn ask_static(
        &mut self,
        task: Task<'c>,
        at: usize,
        registers: &mut Registers,
        query: u32,
        key: &[u32],
        wanted: &[Match],
    ) -> Result<(), Stopped> {
        let slot = self.statics.ask(self.code, query, key)?;
        let mut answer = self.statics.memory.queries[query as usize].slots[slot as usize].first;
        while answer != NONE {
            self.count()?;
            let memory = &self.statics.memory;
            let outs = memory.queries[query as usize].outs(answer);
            let fit = wanted.iter().zip(outs).all(|(m, v)| fits(m, *v, registers, &memory.terms));
            answer = memory.queries[query as usize].next(answer);
            if fit {
                self.solve(task, at + 1, registers)?;
            }
        }
        Ok(())
    }

    fn suspend(
        &mut self,
        task: Task<'c>,
        at: usize,
        registers: &Registers,
        table: u32,
        source: u32,
    ) {
        let id = self.consumers.len() as u32;
        let slot = &mut self.tables[table as usize].slots[source as usize];
        let queued = slot.first != NONE;
        self.consumers.push(Consumer {
            query: task.query,
            slot: task.slot,
            plan: task.number,
            step: at as u32,
            registers: registers.clone(),
            table,
            source,
            seen: NONE,
            sibling: slot.consumer,
            queued,
        });
        slot.consumer = id;
        if queued {
            self.work.push(Work::Resume(id));
        }
    }

    /// A complete instance of a rule.
    fn finish(&mut self, task: Task<'c>, registers: &Registers) -> Result<(), Stopped> {
        let relation = self.code.queries[task.query as usize].relation;
        let args = self.values(&task.plan.head, registers)?;
        let head = self.statics.memory.terms.intern(atom_functor(relation), &args)?;
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        for (atom, step) in task.plan.atoms.iter().zip(&task.plan.steps) {
            let Some(atom) = atom else { continue };
            let is_static = match step {
                Step::Ask { query, .. } | Step::Deny { query, .. } => self.is_static(*query),
                _ => false,
            };
            if !is_static {
                let args = self.values(&atom.args, registers)?;
                let id = self.statics.memory.terms.intern(atom_functor(atom.relation), &args)?;
                body.push(id << 1 | u32::from(atom.negative));
            }
        }
        self.rules.add(head, &body);
        self.body = body;
        let mut row = Registers::from_elem(task.slot, 1);
        for value in &task.plan.result {
            row.push(self.value(value, registers)?);
        }
        self.report(task.query, &row)
    }

    fn report(&mut self, query: u32, row: &[u32]) -> Result<(), Stopped> {
        let table = self.query_table(query) as usize;
        if !self.tables[table].add(row) {
            return Ok(());
        }
        self.size += 1;
        self.wake(table, row[0]);
        if Some(query) == self.code.next {
            self.add_fact(Source::True, &row[1..])?;
        } else if Some(query) == self.code.legal {
            let pair = match row[1..] {
                [role, action] => [role, action],
                [action] => [self.tables[table].keys.key(row[0])[0], action],
                _ => return Ok(()),
            };
            if self.roles.contains(&pair[0]) {
                self.add_fact(Source::Does, &pair)?;
            }
        }
        Ok(())
    }

    fn wake(&mut self, table: usize, slot: u32) {
        let mut waiting = self.tables[table].slots[slot as usize].consumer;
        while waiting != NONE {
            let consumer = &mut self.consumers[waiting as usize];
            if !std::mem::replace(&mut consumer.queued, true) {
                self.work.push(Work::Resume(waiting));
            }
            waiting = consumer.sibling;
        }
    }

    /// A fluent or move that has become possible.
    fn add_fact(&mut self, source: Source, args: &[u32]) -> Result<(), Stopped> {
        match source {
            Source::True if !self.known_fluents.insert(args[0]) => return Ok(()),
            Source::True => self.fluents.push(args[0]),
            Source::Does => self.moves.push((args[0], args[1])),
        }
        let code = self.code;
        for (id, index) in code.indexes.iter().enumerate() {
            if index.source != source {
                continue;
            }
            let (mut key, mut outs) = (Vec::new(), Vec::new());
            let terms = &self.statics.memory.terms;
            let fits_here = index
                .shapes
                .iter()
                .zip(args)
                .all(|(shape, term)| fit(shape, *term, terms, &mut key, &mut outs));
            if fits_here {
                let (slot, _) = self.tables[id].slot(&key);
                outs.insert(0, slot);
                if self.tables[id].add(&outs) {
                    self.size += 1;
                    self.wake(id, slot);
                }
            }
        }
        self.count()
    }
}

fn fits(wanted: &Match, value: u32, registers: &mut [u32], terms: &Terms) -> bool {
    match wanted {
        Match::Bind(register) => {
            registers[*register as usize] = value;
            true
        }
        Match::Equal(register) => registers[*register as usize] == value,
        Match::Term(term) => *term == value,
        Match::Parts(functor, parts) => {
            terms.functor(value) == (*functor, parts.len() as u32)
                && parts
                    .iter()
                    .zip(terms.args(value))
                    .all(|(part, inner)| fits(part, *inner, registers, terms))
        }
    }
}

/// Whether a term is an atom of one of the keywords that are inputs.
pub(crate) fn input_of(functor: Functor, arity: u32) -> Option<Source> {
    if functor == Functor::function(keyword::TRUE) && arity == 1 {
        Some(Source::True)
    } else if functor == Functor::function(keyword::DOES) && arity == 2 {
        Some(Source::Does)
    } else {
        None
    }
}
