//! Evaluation functions from the rules with their variables (thesis §5): quantified parts are atoms, order
//! relations, quantities and boards are valued by distances (§5.3).

use std::sync::Arc;

use datalog::GroundTerm;
use game::{Budget, Deadline, FluentId, Game, GroundProgram};
use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use gdl::{Relation, Symbol, keyword};
use ground::AtomId;
use rustc_hash::FxHashMap;
use structure::{Order, OrderKind, Structures};

use crate::build::{Options, Outputs, distances, finish, sound};
use crate::compile::{Compiler, steps};
use crate::distance::Distances;
use crate::heuristic::Evaluation;
use crate::leaf::{Steps, Watch};
use crate::network::{Builder, Edge, Kind};
use crate::power::Signal;
use crate::shape::Shapes;
use crate::terms::{pattern, variable_count};
use crate::unroll::{Bounds, Formula, FormulaId, Operand, Unroller};

/// How deep relations are unrolled.
const DEEPEST: usize = 100;
/// The inference steps for all facts of one static relation.
const STATIC_STEPS: u64 = 2_000_000;

impl Evaluation {
    /// Evaluates the goals as thesis §5 does: unrolled with their variables, quantified parts taken as atoms,
    /// order relations, quantities and boards valued by distances as far as structures are given.
    pub fn lifted(
        game: &Game,
        program: &GroundProgram,
        structures: Option<&Structures>,
        options: &Options,
        deadline: &Deadline,
    ) -> Self {
        let options = Options { selections: Vec::new(), ..options.clone() };
        Self::unrolled(game, program, structures, &options, deadline)
    }

    /// The same with fluents valued by distances in fluent graphs, for goals that are too large when ground.
    pub fn lifted_distances(
        game: &Game,
        program: &GroundProgram,
        structures: Option<&Structures>,
        options: &Options,
        deadline: &Deadline,
    ) -> Self {
        Self::unrolled(game, program, structures, options, deadline)
    }

    fn unrolled(
        game: &Game,
        program: &GroundProgram,
        structures: Option<&Structures>,
        options: &Options,
        deadline: &Deadline,
    ) -> Self {
        let outputs = Outputs::of(program);
        let mut notes = outputs.notes.clone();
        let orders: FxHashMap<Relation, Arc<Order>> = structures
            .map(|found| {
                let orders = found.orders.iter().filter(|o| o.kind != OrderKind::Successor);
                orders.map(|order| (order.relation, order.clone())).collect()
            })
            .unwrap_or_default();
        let unrolled = unroll(game, &outputs, &orders, options, deadline);
        if unrolled.unroller.cut {
            let most = options.most_conditions;
            notes.push(format!("goals of more than {most} conditions: the rest is taken as atoms"));
        }
        let extended = extended(game, program, &unrolled.unroller);
        let budget = Budget {
            deadline: deadline.instant(),
            cancel: deadline.flag(),
            max_bytes: options.max_bytes,
        };
        let parts = match ground::ground(&extended.program, &game.sample(), &budget) {
            Ok(parts) => parts,
            Err(why) => {
                notes.push(format!("parts with quantified variables are left out: {why}"));
                GroundProgram::default()
            }
        };
        let fluents: Vec<FluentId> =
            parts.fluents.iter().map(|term| game.universe().fluent(term)).collect();
        let parameters = sound(options.parameters, &mut notes);
        let shapes = structures.map(|found| Shapes::new(found, program, game));
        let known = Known::new(game, program, &unrolled.unroller, options, deadline, &mut notes);
        let mut nodes = Nodes {
            unroller: &unrolled.unroller,
            atoms: atoms_of(&parts, &extended.names),
            compiler: Compiler::new(&parts, &fluents, parameters),
            orders: &orders,
            shapes: shapes.as_ref(),
            known: &known,
            game,
            edges: vec![None; unrolled.unroller.formulas.len()],
            leaves: FxHashMap::default(),
        };
        nodes.add_parts();
        let mut goals = Vec::new();
        for own in &unrolled.goals {
            goals.push(own.iter().map(|(v, f)| (*v, nodes.edge(*f))).collect::<Vec<_>>());
        }
        let terminal = unrolled.terminal.map(|formula| nodes.edge(formula));
        finish(nodes.compiler.builder, game, &outputs, &goals, terminal, notes)
    }
}

struct Unrolled<'p> {
    unroller: Unroller<'p>,
    goals: Vec<Vec<(u8, FormulaId)>>,
    terminal: Option<FormulaId>,
}

fn unroll<'p>(
    game: &'p Game,
    outputs: &Outputs,
    orders: &FxHashMap<Relation, Arc<Order>>,
    options: &Options,
    deadline: &Deadline,
) -> Unrolled<'p> {
    let limits = datalog::Limits { max_steps: STATIC_STEPS, ..deadline.limits() };
    let bounds = Bounds { formulas: options.most_conditions, depth: DEEPEST };
    let mut relations: Vec<Relation> = orders.keys().copied().collect();
    relations.sort_unstable();
    let mut unroller = Unroller::new(game.program(), relations, limits, bounds);
    let goal = Relation { name: keyword::GOAL, arity: 2, parens: true };
    let mut goals = Vec::new();
    for (role, own) in game.roles().iter().zip(&outputs.goals) {
        let mut formulas = Vec::new();
        for (value, _) in own {
            let text = value.to_string();
            let Some(term) = game.universe().parse(&text) else { continue };
            formulas.push((*value, unroller.atom(goal, &[role.clone(), term], 0)));
        }
        goals.push(formulas);
    }
    let terminal = outputs.terminal.map(|_| {
        let rules = &game.program().rules;
        let head = rules.iter().find(|rule| rule.head.relation.name == keyword::TERMINAL);
        let relation = head
            .map_or(Relation { name: keyword::TERMINAL, arity: 0, parens: false }, |rule| {
                rule.head.relation
            });
        unroller.atom(relation, &[], 0)
    });
    Unrolled { unroller, goals, terminal }
}

/// The rules that the parts need, with the parts as relations and all fluents stated, ready to be made ground.
struct Extended {
    program: Program,
    /// The relation of each part.
    names: Vec<Symbol>,
}

fn extended(game: &Game, program: &GroundProgram, unroller: &Unroller<'_>) -> Extended {
    let rules = game.program();
    let mut symbols = rules.symbols.clone();
    let mut parts: Vec<Rule> = Vec::new();
    let mut names = Vec::new();
    for (number, (args, body)) in unroller.parts.iter().enumerate() {
        let mut name = format!("part_of_goal_{number}");
        while symbols.get(&name).is_some() {
            name.push('_');
        }
        let name = symbols.intern(&name);
        names.push(name);
        let relation = Relation { name, arity: args.len() as u32, parens: !args.is_empty() };
        let head = Predicate { relation, args: args.clone() };
        // Terminal asks for the part, so that it is made ground.
        let terminal = Relation { name: keyword::TERMINAL, arity: 0, parens: false };
        let asking = Predicate { relation: terminal, args: Vec::new() };
        parts.push(rule(&symbols_names(body), asking, vec![Literal::Positive(head.clone())]));
        parts.push(rule(&symbols_names(body), head, body.clone()));
    }
    let mut needed: Vec<Rule> = Vec::new();
    let mut wanted: Vec<Relation> = parts
        .iter()
        .flat_map(|rule| rule.body.iter().filter_map(|l| Some(l.relation()?.0)))
        .collect();
    let mut met: rustc_hash::FxHashSet<Relation> = wanted.iter().copied().collect();
    let analysis = datalog::Analysis::new(rules);
    while let Some(relation) = wanted.pop() {
        for at in analysis.rules_of(relation).unwrap_or(&[]) {
            let rule = &rules.rules[*at as usize];
            for (used, _) in rule.body.iter().filter_map(Literal::relation) {
                if met.insert(used) {
                    wanted.push(used);
                }
            }
            needed.push(rule.clone());
        }
    }
    let role = Relation { name: keyword::ROLE, arity: 1, parens: true };
    if !met.contains(&role) {
        let facts = game.roles().iter().map(|term| fact(role, term));
        needed.extend(facts);
    }
    let init = Relation { name: keyword::INIT, arity: 1, parens: true };
    needed.extend(program.fluents.iter().map(|term| fact(init, term)));
    needed.extend(parts);
    Extended { program: Program { symbols, rules: needed }, names }
}

fn symbols_names(body: &[Literal]) -> Vec<Symbol> {
    vec![keyword::TRUE; variable_count(body) as usize]
}

fn rule(names: &[Symbol], head: Predicate, body: Vec<Literal>) -> Rule {
    Rule { head, body, variables: names.len() as u32, variable_names: names.to_vec(), clause: 0 }
}

fn fact(relation: Relation, term: &GroundTerm) -> Rule {
    rule(&[], Predicate { relation, args: vec![pattern(term)] }, Vec::new())
}

/// For each part its ground atoms with their arguments.
fn atoms_of(parts: &GroundProgram, names: &[Symbol]) -> Vec<Vec<(Vec<GroundTerm>, AtomId)>> {
    let number: FxHashMap<Symbol, usize> =
        names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let mut atoms = vec![Vec::new(); names.len()];
    for (at, name) in parts.names.iter().enumerate() {
        let (symbol, args) = match name {
            GroundTerm::Constant(symbol) => (symbol, Vec::new()),
            GroundTerm::Function(symbol, args) => (symbol, args.clone()),
        };
        if let Some(part) = number.get(symbol) {
            atoms[*part].push((args, AtomId(at as u32)));
        }
    }
    for own in &mut atoms {
        own.sort();
    }
    atoms
}

/// Distances to the fluents of formulas, if they are wanted.
struct Known {
    places: FxHashMap<GroundTerm, u32>,
    fluents: Vec<FluentId>,
    distances: Vec<Distances>,
}

impl Known {
    fn new(
        game: &Game,
        program: &GroundProgram,
        unroller: &Unroller<'_>,
        options: &Options,
        deadline: &Deadline,
        notes: &mut Vec<String>,
    ) -> Self {
        let mut known =
            Self { places: FxHashMap::default(), fluents: Vec::new(), distances: Vec::new() };
        if options.selections.is_empty() {
            return known;
        }
        known.places = program.fluents.iter().cloned().zip(0..).collect();
        known.fluents = program.fluents.iter().map(|term| game.universe().fluent(term)).collect();
        let mut targets: Vec<u32> = unroller
            .formulas
            .iter()
            .filter_map(|formula| match formula {
                Formula::Fluent(term) => known.places.get(term).copied(),
                _ => None,
            })
            .collect();
        targets.sort_unstable();
        targets.dedup();
        known.distances = distances(program, &known.fluents, &targets, options, deadline, notes);
        known
    }

    fn steps(&self, builder: &Builder, term: &GroundTerm) -> Option<Steps> {
        steps(builder, &self.fluents, &self.distances, *self.places.get(term)?)
    }
}

/// Makes nodes of formulas.
struct Nodes<'a> {
    unroller: &'a Unroller<'a>,
    atoms: Vec<Vec<(Vec<GroundTerm>, AtomId)>>,
    compiler: Compiler<'a>,
    orders: &'a FxHashMap<Relation, Arc<Order>>,
    shapes: Option<&'a Shapes<'a>>,
    known: &'a Known,
    game: &'a Game,
    edges: Vec<Option<Edge>>,
    leaves: FxHashMap<GroundTerm, Edge>,
}

impl Nodes<'_> {
    fn add_parts(&mut self) {
        let tops: Vec<AtomId> = self.atoms.iter().flatten().map(|(_, atom)| *atom).collect();
        if let Some(cone) = self.compiler.cone(&tops, true, usize::MAX) {
            self.compiler.add(&cone);
        }
    }

    fn edge(&mut self, formula: FormulaId) -> Edge {
        if let Some(edge) = self.edges[formula] {
            return edge;
        }
        let unroller = self.unroller;
        let edge = match &unroller.formulas[formula] {
            Formula::Always => {
                let p = self.compiler.builder.parameters().p;
                self.compiler.builder.constant(p, true)
            }
            Formula::Never => self.compiler.builder.constant(0.0, false),
            Formula::Fluent(term) => self.fluent(term),
            Formula::And(parts) => {
                let parts: Vec<Edge> = parts.iter().map(|part| self.edge(*part)).collect();
                self.compiler.builder.all(&parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<Edge> = parts.iter().map(|part| self.edge(*part)).collect();
                self.compiler.builder.any(&parts)
            }
            Formula::Not(inner) => self.edge(*inner).negated(true),
            Formula::Part(part) => self.part(*part),
            Formula::Order(part, compared) => self.order(*part, compared),
        };
        if let Some(label) = &unroller.labels[formula]
            && !edge.is_negative()
        {
            self.compiler.builder.label(edge, label.as_str());
        }
        self.edges[formula] = Some(edge);
        edge
    }

    fn part(&mut self, part: usize) -> Edge {
        let atoms: Vec<AtomId> = self.atoms[part].iter().map(|(_, atom)| *atom).collect();
        let text = self.part_text(part);
        let edge = match &atoms[..] {
            [atom] => {
                let truth = self.compiler.truth(*atom);
                self.compiler.builder.node(Kind::Truth, &[truth])
            }
            _ => self.compiler.builder.constant(0.0, false),
        };
        self.compiler.builder.label(edge, text);
        edge
    }

    /// The value of the best instance of the part (thesis §5.3.1).
    fn order(&mut self, part: usize, compared: &[(Relation, Operand, Operand)]) -> Edge {
        let instances = self.atoms[part].clone();
        let mut children = Vec::new();
        let mut signals: Vec<Signal> = Vec::new();
        for (args, atom) in &instances {
            let term = |operand: &Operand| match operand {
                Operand::Argument(at) => args.get(*at).cloned(),
                Operand::Term(term) => Some(term.clone()),
            };
            let mut values = Vec::new();
            let mut holds = true;
            for (relation, a, b) in compared {
                let (value, fulfilled) = match (self.orders.get(relation), term(a), term(b)) {
                    (Some(order), Some(a), Some(b)) => self.compare(order, &a, &b),
                    _ => (0.0, false),
                };
                values.push(value);
                holds &= fulfilled;
            }
            let parameters = self.compiler.builder.parameters();
            signals.push(self.compiler.builder.powers().signal(parameters.all(&values), holds));
            children.push(self.compiler.truth(*atom));
        }
        // Nothing to compare: the other conditions fail (thesis Eq. 5.5).
        signals.push(self.compiler.builder.powers().atom(false));
        let edge = self.compiler.builder.node(Kind::Witness(signals.into()), &children);
        let text =
            format!("{} compared by {}", self.part_text(part), self.orders_text(part, compared));
        self.compiler.builder.label(edge, text);
        edge
    }

    /// The orders that a part is compared by, as people read them: `(lessthan ?1 ?0)`.
    fn orders_text(&self, part: usize, compared: &[(Relation, Operand, Operand)]) -> String {
        let symbols = self.game.universe().symbols();
        let operand = |operand: &Operand| match operand {
            Operand::Argument(at) => {
                let pattern = self.unroller.parts[part].0.get(*at);
                pattern.map_or_else(String::new, |pattern| pattern_text(pattern, symbols))
            }
            Operand::Term(term) => term.to_text(symbols),
        };
        let order = |(relation, a, b): &(Relation, Operand, Operand)| {
            format!("({} {} {})", symbols.name(relation.name), operand(a), operand(b))
        };
        compared.iter().map(order).collect::<Vec<_>>().join(" ")
    }

    /// The value of an order atom, and whether it holds. Equal terms under a strict order miss it most narrowly,
    /// as in AAAI-07; the thesis's text gives them 0, below any loss.
    fn compare(&self, order: &Order, a: &GroundTerm, b: &GroundTerm) -> (f64, bool) {
        let t = self.compiler.builder.parameters().t.unwrap_or(0.5);
        let size = order.terms().len().max(1) as f64;
        let (Some(a), Some(b)) = (order.position(a), order.position(b)) else {
            return (0.0, false);
        };
        if a == b {
            let holds = order.kind == OrderKind::NonStrict;
            return (if holds { t } else { 1.0 - t }, holds);
        }
        match (order.steps(a, b), order.steps(b, a)) {
            (Some(steps), _) => (t + (1.0 - t) * f64::from(steps) / size, true),
            (None, Some(steps)) => ((1.0 - t) * (1.0 - f64::from(steps) / size), false),
            (None, None) => (0.0, false),
        }
    }

    fn fluent(&mut self, term: &GroundTerm) -> Edge {
        if let Some(edge) = self.leaves.get(term) {
            return *edge;
        }
        let steps = self.known.steps(&self.compiler.builder, term).map(Watch::Steps);
        let watch = steps.or_else(|| self.shapes.and_then(|shapes| shapes.watch(term)));
        let number = self.game.universe().fluent(term).0;
        let kind = watch.map_or(Kind::Bit(number), |watch| Kind::Watch(Arc::new(watch)));
        let edge = self.compiler.builder.node(kind, &[]);
        let text = term.to_text(self.game.universe().symbols());
        self.compiler.builder.label(edge, text);
        self.leaves.insert(term.clone(), edge);
        edge
    }

    /// A part as people read it: `exists: (tally ?1 ?2) ...`.
    fn part_text(&self, part: usize) -> String {
        let (_, body) = &self.unroller.parts[part];
        let symbols = self.game.universe().symbols();
        let texts: Vec<String> =
            body.iter().map(|literal| literal_text(literal, symbols)).collect();
        let quantified = variable_count(body) > 0 && body.iter().any(has_variable);
        let all = texts.join(" ");
        if quantified { format!("some {all}") } else { all }
    }
}

fn has_variable(literal: &Literal) -> bool {
    let mut found = false;
    literal.each_variable(&mut |_| found = true);
    found
}

fn literal_text(literal: &Literal, symbols: &gdl::Symbols) -> String {
    let predicate = |p: &Predicate| {
        let args: Vec<String> = p.args.iter().map(|arg| pattern_text(arg, symbols)).collect();
        let name = symbols.name(p.relation.name);
        if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
    };
    match literal {
        Literal::Positive(p) => predicate(p),
        Literal::Negative(p) => format!("(not {})", predicate(p)),
        Literal::Distinct(a, b) => {
            format!("(distinct {} {})", pattern_text(a, symbols), pattern_text(b, symbols))
        }
        Literal::Same(a, b) => {
            format!("(same {} {})", pattern_text(a, symbols), pattern_text(b, symbols))
        }
    }
}

fn pattern_text(pattern: &Pattern, symbols: &gdl::Symbols) -> String {
    match pattern {
        Pattern::Variable(v) => format!("?{v}"),
        Pattern::Constant(name) => symbols.name(*name).to_owned(),
        Pattern::Function(name, args) => {
            let args: Vec<String> = args.iter().map(|arg| pattern_text(arg, symbols)).collect();
            format!("({} {})", symbols.name(*name), args.join(" "))
        }
    }
}
