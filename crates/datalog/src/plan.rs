//! Compiling rules into plans: for each way a relation is asked for, the literals of its rules in a
//! good order, with what is known at each point worked out in advance.
//!
//! A *query* is a relation with the set of arguments that are given ([`Query`]). Its rules become
//! [`Plan`]s: match the given arguments, run the steps, report the remaining arguments. `true` and
//! `does` are read through [`Index`]es, which look into the structure of terms, so that
//! `true(cell(X,Y,b))` with X known is one table access.

use gdl::normal::{Literal, Pattern, Predicate, Program};
use gdl::{Relation, keyword};
use rustc_hash::FxHashMap;

use crate::analysis::{Analysis, source_of};
use crate::error::CompileError;
use crate::error::EvalError;
use crate::order::Estimates;
use crate::table::KeyTable;
use crate::terms::{Functor, Terms};

/// How long the answers of a query stay valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lifetime {
    /// They depend neither on the state nor on the moves.
    Always,
    /// They depend on the state.
    State,
    /// They depend on the moves.
    Moves,
}

/// A value to be computed from the registers of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A register.
    Register(u32),
    /// A term that is known in advance.
    Term(u32),
    /// A term made of other values.
    Build(Functor, Vec<Value>),
}

/// What to do with a value that was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Match {
    /// Put it into a register.
    Bind(u32),
    /// It must equal a register.
    Equal(u32),
    /// It must be this term.
    Term(u32),
    /// It must be built of this name and these parts.
    Parts(Functor, Vec<Match>),
}

/// The structure that a fact must have to be in an index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Becomes this part of the key.
    Key(u32),
    /// Becomes this output.
    Out(u32),
    /// Must equal this output.
    Again(u32),
    /// Must be this term.
    Term(u32),
    /// Must be built of this name and these parts.
    Parts(Functor, Vec<Shape>),
}

/// The relations whose facts come from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The fluents of the state.
    True,
    /// The moves of the roles.
    Does,
}

/// A way of looking facts of a source up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// Where the facts come from.
    pub source: Source,
    /// The structure of their arguments.
    pub shapes: Vec<Shape>,
    /// The number of parts of a key.
    pub keys: u32,
    /// The number of outputs.
    pub outs: u32,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub enum Step {
    /// All facts of an index under a key; outputs go to registers.
    Scan {
        /// The index.
        index: u32,
        /// The key.
        key: Vec<Value>,
        /// The registers for the outputs.
        outs: Vec<u32>,
    },
    /// No fact of an index under a key.
    Absent {
        /// The index.
        index: u32,
        /// The key.
        key: Vec<Value>,
    },
    /// All answers of a query.
    Ask {
        /// The query.
        query: u32,
        /// Its given arguments.
        key: Vec<Value>,
        /// What to do with its answers.
        outs: Vec<Match>,
    },
    /// No answer of a query.
    Deny {
        /// The query.
        query: u32,
        /// Its given arguments.
        key: Vec<Value>,
    },
    /// Two values differ.
    Distinct(Value, Value),
    /// A value fits.
    Same(Value, Match),
}

/// A rule for one query.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The given arguments of the head.
    pub given: Vec<Match>,
    /// The conditions in their order.
    pub steps: Vec<Step>,
    /// The remaining arguments of the head.
    pub result: Vec<Value>,
    /// How many registers it uses.
    pub registers: u32,
    /// From this step on, one solution suffices: everything that is reported is known.
    pub once_from: u32,
    /// All arguments of the head, once every register is known.
    pub head: Vec<Value>,
    /// For each step the atom it is about, if it is about one.
    pub atoms: Vec<Option<AtomValue>>,
}

/// An atom of a rule, to be computed when every register is known.
#[derive(Clone, Debug)]
pub struct AtomValue {
    /// Its relation.
    pub relation: Relation,
    /// Its arguments.
    pub args: Vec<Value>,
    /// Whether the rule negates it.
    pub negative: bool,
}

/// A relation with the arguments that are given.
#[derive(Clone, Debug)]
pub struct Query {
    /// The relation.
    pub relation: Relation,
    /// Which arguments are given.
    pub given: Vec<bool>,
    /// How many are given.
    pub keys: u32,
    /// How many are asked for.
    pub outs: u32,
    /// The facts stated in the rule sheet.
    pub facts: Facts,
    /// The rules.
    pub plans: Vec<Plan>,
    /// How long answers stay valid.
    pub lifetime: Lifetime,
    /// The recursive component it belongs to, if any.
    pub component: Option<u32>,
}

/// The facts of a relation as the rule sheet states them, by the given arguments of a query.
#[derive(Clone, Debug)]
pub struct Facts {
    keys: KeyTable,
    /// For each key the range of its rows.
    ranges: Vec<(u32, u32)>,
    /// The remaining arguments, row by row.
    outs: Vec<u32>,
    width: usize,
}

impl Facts {
    fn new(rows: Vec<Vec<u32>>, given: &[bool]) -> Self {
        let keys_width = given.iter().filter(|g| **g).count();
        let width = given.len() - keys_width;
        let mut keys = KeyTable::new(keys_width);
        let mut sorted: Vec<(u32, Vec<u32>)> = rows
            .into_iter()
            .map(|row| {
                let pick = |which: bool| {
                    row.iter().zip(given).filter(move |(_, g)| **g == which).map(|(v, _)| *v)
                };
                let key: Vec<u32> = pick(true).collect();
                (keys.intern(&key).0, pick(false).collect())
            })
            .collect();
        sorted.sort();
        sorted.dedup();
        let mut ranges = vec![(0, 0); keys.len()];
        let mut outs = Vec::new();
        for (row, (key, values)) in sorted.iter().enumerate() {
            let range = &mut ranges[*key as usize];
            if range.1 == 0 {
                range.0 = row as u32;
            }
            range.1 = row as u32 + 1;
            outs.extend_from_slice(values);
        }
        Self { keys, ranges, outs, width }
    }

    /// The rows under a key.
    #[inline]
    pub fn rows(&self, key: &[u32]) -> std::ops::Range<u32> {
        match self.keys.find(key) {
            Some(id) => {
                let (start, end) = self.ranges[id as usize];
                start..end
            }
            None => 0..0,
        }
    }

    /// The remaining arguments of a row.
    #[inline]
    pub fn row(&self, row: u32) -> &[u32] {
        let start = row as usize * self.width;
        &self.outs[start..start + self.width]
    }
}

/// Everything compiled.
#[derive(Clone, Debug)]
pub struct Code {
    /// All queries.
    pub queries: Vec<Query>,
    /// All indexes.
    pub indexes: Vec<Index>,
    /// The number of components of the dependency graph.
    pub components: usize,
    /// The query for `init(F)`.
    pub init: Option<u32>,
    /// The query for `legal(R,M)`.
    pub legal: Option<u32>,
    /// The query for `next(F)`.
    pub next: Option<u32>,
    /// The query for `terminal`.
    pub terminal: Option<u32>,
    /// The query for `goal(R,N)`.
    pub goal: Option<u32>,
    /// Whether `legal` and `goal` are asked with the role given.
    pub by_role: bool,
}

/// Compiles a program. Constants are added to `terms`. Legal moves and goals are asked for all roles
/// at once, unless some rule is meaningful only if the role is given, as in
/// `(<= (legal ?p ?p) (cell 1 1))`: not valid GDL (thesis Def. 2.7, 2), but other systems take it.
pub fn compile(
    program: &Program,
    analysis: &Analysis,
    estimates: &Estimates,
    terms: &mut Terms,
) -> Result<Code, CompileError> {
    match compile_for(program, analysis, estimates, terms, false) {
        Err(CompileError::UnsafeRule { .. }) => {
            compile_for(program, analysis, estimates, terms, true)
        }
        result => result,
    }
}

fn compile_for(
    program: &Program,
    analysis: &Analysis,
    estimates: &Estimates,
    terms: &mut Terms,
    by_role: bool,
) -> Result<Code, CompileError> {
    let mut compiler = Compiler {
        program,
        analysis,
        estimates,
        terms,
        queries: Vec::new(),
        query_ids: FxHashMap::default(),
        indexes: Vec::new(),
        index_ids: FxHashMap::default(),
        todo: Vec::new(),
    };
    let mut keyword_query = |name, given: &[bool]| {
        let relation = Relation { name, arity: given.len() as u32, parens: !given.is_empty() };
        let known = compiler.analysis.rules_of(relation).is_some();
        known.then(|| compiler.query(relation, given.to_vec()))
    };
    let init = keyword_query(keyword::INIT, &[false]);
    let legal = keyword_query(keyword::LEGAL, &[by_role, false]);
    let next = keyword_query(keyword::NEXT, &[false]);
    let terminal = keyword_query(keyword::TERMINAL, &[]);
    let goal = keyword_query(keyword::GOAL, &[by_role, false]);
    while let Some(id) = compiler.todo.pop() {
        compiler.compile_query(id)?;
    }
    let queries = compiler.queries.into_iter().map(|(_, query)| query).collect();
    let components = analysis.dependencies.components.len();
    let indexes = compiler.indexes;
    Ok(Code { queries, indexes, components, init, legal, next, terminal, goal, by_role })
}

struct Compiler<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    estimates: &'a Estimates,
    terms: &'a mut Terms,
    queries: Vec<(Relation, Query)>,
    query_ids: FxHashMap<(Relation, Vec<bool>), u32>,
    indexes: Vec<Index>,
    index_ids: FxHashMap<Index, u32>,
    todo: Vec<u32>,
}

/// Which variables of a rule are known.
type Known = Vec<bool>;

impl Compiler<'_> {
    fn query(&mut self, relation: Relation, given: Vec<bool>) -> u32 {
        if let Some(id) = self.query_ids.get(&(relation, given.clone())) {
            return *id;
        }
        let id = self.queries.len() as u32;
        let keys = given.iter().filter(|g| **g).count() as u32;
        let outs = given.len() as u32 - keys;
        let (lifetime, component) = self.analysis.class_of(relation);
        let query = Query {
            relation,
            given: given.clone(),
            keys,
            outs,
            facts: Facts::new(Vec::new(), &given),
            plans: Vec::new(),
            lifetime,
            component,
        };
        self.queries.push((relation, query));
        self.query_ids.insert((relation, given), id);
        self.todo.push(id);
        id
    }

    fn compile_query(&mut self, id: u32) -> Result<(), CompileError> {
        let (relation, given) = {
            let (relation, query) = &self.queries[id as usize];
            (*relation, query.given.clone())
        };
        let rules = self.analysis.rules_of(relation).unwrap_or(&[]).to_vec();
        let mut plans = Vec::new();
        let mut rows = Vec::new();
        for index in rules {
            let rule = &self.program.rules[index as usize];
            if rule.body.is_empty() && rule.variables == 0 {
                let mut row = Vec::with_capacity(rule.head.args.len());
                for arg in &rule.head.args {
                    if let Some(Value::Term(term)) = self.value(arg, &Known::new())? {
                        row.push(term);
                    }
                }
                rows.push(row);
            } else {
                plans.push(self.plan(index as usize, &given)?);
            }
        }
        let query = &mut self.queries[id as usize].1;
        query.plans = plans;
        query.facts = Facts::new(rows, &given);
        Ok(())
    }

    fn plan(&mut self, rule_index: usize, given: &[bool]) -> Result<Plan, CompileError> {
        let rule = &self.program.rules[rule_index];
        let mut known: Known = vec![false; rule.variables as usize];
        let mut matches = Vec::new();
        for (arg, _) in rule.head.args.iter().zip(given).filter(|(_, g)| **g) {
            matches.push(self.matching(arg, &mut known)?);
        }
        let order = self.estimates.order(&rule.body, &known);
        let free_head: Vec<_> =
            rule.head.args.iter().zip(given).filter(|(_, g)| !**g).map(|(arg, _)| arg).collect();
        let mut steps = Vec::with_capacity(order.len());
        let mut atoms = Vec::with_capacity(order.len());
        let all_known = vec![true; rule.variables as usize];
        let mut once_from = None;
        for position in order {
            if once_from.is_none() && free_head.iter().all(|arg| is_known(arg, &known)) {
                once_from = Some(steps.len() as u32);
            }
            let step = self.step(&rule.body[position], &mut known);
            let step = step?.ok_or(CompileError::UnsafeRule { clause: rule.clause as usize })?;
            steps.push(step);
            atoms.push(self.atom(&rule.body[position], &all_known)?);
        }
        let mut head = Vec::with_capacity(rule.head.args.len());
        for arg in &rule.head.args {
            head.extend(self.value(arg, &all_known)?);
        }
        let result = free_head
            .into_iter()
            .map(|arg| self.value(arg, &known))
            .collect::<Result<Option<Vec<_>>, _>>()?
            .ok_or(CompileError::UnsafeRule { clause: rule.clause as usize })?;
        let once_from = once_from.unwrap_or(steps.len() as u32);
        let registers = rule.variables;
        Ok(Plan { given: matches, steps, result, registers, once_from, head, atoms })
    }

    fn atom(
        &mut self,
        literal: &Literal,
        known: &Known,
    ) -> Result<Option<AtomValue>, CompileError> {
        let (predicate, negative) = match literal {
            Literal::Positive(predicate) => (predicate, false),
            Literal::Negative(predicate) => (predicate, true),
            Literal::Distinct(..) | Literal::Same(..) => return Ok(None),
        };
        let mut args = Vec::with_capacity(predicate.args.len());
        for arg in &predicate.args {
            args.extend(self.value(arg, known)?);
        }
        Ok(Some(AtomValue { relation: predicate.relation, args, negative }))
    }

    fn step(&mut self, literal: &Literal, known: &mut Known) -> Result<Option<Step>, CompileError> {
        Ok(Some(match literal {
            Literal::Positive(predicate) => {
                if !self.estimates.is_askable(predicate, known) {
                    return Ok(None);
                }
                self.positive(predicate, known)?
            }
            Literal::Negative(predicate) => {
                if !predicate.args.iter().all(|arg| is_known(arg, known)) {
                    return Ok(None);
                }
                self.negative(predicate, known)?
            }
            Literal::Distinct(a, b) => match (self.value(a, known)?, self.value(b, known)?) {
                (Some(a), Some(b)) => Step::Distinct(a, b),
                _ => return Ok(None),
            },
            Literal::Same(a, b) => match (self.value(a, known)?, self.value(b, known)?) {
                (Some(a), _) => Step::Same(a, self.matching(b, known)?),
                (None, Some(b)) => Step::Same(b, self.matching(a, known)?),
                (None, None) => return Ok(None),
            },
        }))
    }

    fn positive(&mut self, predicate: &Predicate, known: &mut Known) -> Result<Step, CompileError> {
        if let Some(source) = source_of(predicate.relation) {
            let (index, key, outs) = self.index(source, predicate, known)?;
            for register in &outs {
                known[*register as usize] = true;
            }
            return Ok(Step::Scan { index, key, outs });
        }
        let given: Vec<bool> = predicate.args.iter().map(|arg| is_known(arg, known)).collect();
        let key = self.known_values(predicate, &given, known)?;
        let mut outs = Vec::new();
        for (arg, _) in predicate.args.iter().zip(&given).filter(|(_, g)| !**g) {
            outs.push(self.matching(arg, known)?);
        }
        let query = self.query(predicate.relation, given);
        Ok(Step::Ask { query, key, outs })
    }

    fn negative(&mut self, predicate: &Predicate, known: &Known) -> Result<Step, CompileError> {
        if let Some(source) = source_of(predicate.relation) {
            let (index, key, _) = self.index(source, predicate, known)?;
            return Ok(Step::Absent { index, key });
        }
        let given = vec![true; predicate.args.len()];
        let key = self.known_values(predicate, &given, known)?;
        let query = self.query(predicate.relation, given);
        Ok(Step::Deny { query, key })
    }

    fn known_values(
        &mut self,
        predicate: &Predicate,
        given: &[bool],
        known: &Known,
    ) -> Result<Vec<Value>, CompileError> {
        let mut key = Vec::new();
        for (arg, _) in predicate.args.iter().zip(given).filter(|(_, g)| **g) {
            key.extend(self.value(arg, known)?);
        }
        Ok(key)
    }

    fn value(&mut self, pattern: &Pattern, known: &Known) -> Result<Option<Value>, CompileError> {
        Ok(match pattern {
            Pattern::Variable(v) => known[*v as usize].then_some(Value::Register(*v)),
            Pattern::Constant(name) => {
                Some(Value::Term(self.terms.intern(Functor::constant(*name), &[])?))
            }
            Pattern::Function(name, args) => {
                let functor = Functor::function(*name);
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    match self.value(arg, known)? {
                        Some(value) => values.push(value),
                        None => return Ok(None),
                    }
                }
                let ground: Option<Vec<u32>> = values
                    .iter()
                    .map(|value| if let Value::Term(term) = value { Some(*term) } else { None })
                    .collect();
                Some(match ground {
                    Some(args) => Value::Term(self.terms.intern(functor, &args)?),
                    None => Value::Build(functor, values),
                })
            }
        })
    }

    fn matching(&mut self, pattern: &Pattern, known: &mut Known) -> Result<Match, EvalError> {
        Ok(match pattern {
            Pattern::Variable(v) => {
                let seen = std::mem::replace(&mut known[*v as usize], true);
                if seen { Match::Equal(*v) } else { Match::Bind(*v) }
            }
            Pattern::Constant(name) => {
                Match::Term(self.terms.intern(Functor::constant(*name), &[])?)
            }
            Pattern::Function(name, args) => {
                let parts = args.iter().map(|arg| self.matching(arg, known));
                Match::Parts(Functor::function(*name), parts.collect::<Result<_, _>>()?)
            }
        })
    }

    fn index(
        &mut self,
        source: Source,
        predicate: &Predicate,
        known: &Known,
    ) -> Result<(u32, Vec<Value>, Vec<u32>), CompileError> {
        let mut key = Vec::new();
        let mut outs = Vec::new();
        let shapes = predicate
            .args
            .iter()
            .map(|arg| self.shape(arg, known, &mut key, &mut outs))
            .collect::<Result<Vec<_>, _>>()?;
        let index = Index { source, shapes, keys: key.len() as u32, outs: outs.len() as u32 };
        let next = self.indexes.len() as u32;
        let id = *self.index_ids.entry(index).or_insert_with_key(|index| {
            self.indexes.push(index.clone());
            next
        });
        Ok((id, key, outs))
    }

    fn shape(
        &mut self,
        pattern: &Pattern,
        known: &Known,
        key: &mut Vec<Value>,
        outs: &mut Vec<u32>,
    ) -> Result<Shape, EvalError> {
        Ok(match pattern {
            Pattern::Variable(v) if known[*v as usize] => {
                key.push(Value::Register(*v));
                Shape::Key(key.len() as u32 - 1)
            }
            Pattern::Variable(v) => {
                if let Some(at) = outs.iter().position(|out| out == v) {
                    Shape::Again(at as u32)
                } else {
                    outs.push(*v);
                    Shape::Out(outs.len() as u32 - 1)
                }
            }
            Pattern::Constant(name) => {
                Shape::Term(self.terms.intern(Functor::constant(*name), &[])?)
            }
            Pattern::Function(name, args) => {
                let parts = args.iter().map(|arg| self.shape(arg, known, key, outs));
                Shape::Parts(Functor::function(*name), parts.collect::<Result<_, _>>()?)
            }
        })
    }
}

fn is_known(pattern: &Pattern, known: &Known) -> bool {
    let mut all = true;
    pattern.each_variable(&mut |v| all &= known[v as usize]);
    all
}
