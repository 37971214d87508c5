//! Random rule sheets of small games that are valid by construction (thesis Def. 2.7): stratified,
//! safe, with bounded recursion. They use recursion (also mutual), negation, `or`, `distinct`,
//! function terms, roles as variables, and names that differ only in case or parentheses.

use std::fmt::Write as _;

use crate::choices::Choices;

/// A relation that conditions may mention.
#[derive(Clone, Debug)]
struct Known {
    name: String,
    arity: usize,
    /// Relations of the same level may depend on each other, but not through negation.
    level: usize,
}

/// What a rule under construction may use.
#[derive(Clone, Copy)]
struct Scope {
    level: usize,
    state: bool,
    moves: bool,
    /// Whether new variables may stand in the condition.
    binding: bool,
}

/// The conditions of a rule.
#[derive(Default)]
struct Body {
    conditions: Vec<String>,
    /// Variables with a value.
    bound: Vec<String>,
    /// Variables that only a recursive condition binds; the head must have them as arguments.
    for_head: Vec<String>,
    recursive: bool,
}

struct Writer<'c, 'b> {
    choices: &'c mut Choices<'b>,
    constants: usize,
    roles: usize,
    known: Vec<Known>,
    out: String,
}

const CONSTANTS: [&str; 4] = ["a", "b", "7", "c"];
const VARIABLES: [&str; 4] = ["?x", "?y", "?z", "?u"];
/// A variable for a whole fluent or move. It is never used in a head: fluents that contain fluents
/// would double in size at each step.
const WHOLE: &str = "?w";

/// A rule sheet in KIF that these choices lead to.
pub fn generate(choices: &mut Choices<'_>) -> String {
    let constants = 2 + choices.below(3);
    let roles = 1 + choices.below(3);
    let mut writer = Writer { choices, constants, roles, known: Vec::new(), out: String::new() };
    writer.roles();
    writer.facts();
    writer.init();
    writer.relations(1, 6, Scope { level: 0, state: true, moves: false, binding: false });
    writer.show("legal r0", "d");
    writer.legal();
    writer.ends();
    let level = writer.known.last().map_or(1, |last| last.level + 1);
    writer.relations(level, 2, Scope { level: 0, state: true, moves: true, binding: false });
    writer.show("next", "m");
    writer.next();
    writer.out
}

impl Writer<'_, '_> {
    fn clause(&mut self, head: &str, conditions: &[String]) {
        let _ = if conditions.is_empty() {
            writeln!(self.out, "{head}")
        } else {
            writeln!(self.out, "(<= {head} {})", conditions.join(" "))
        };
    }

    fn roles(&mut self) {
        for role in 0..self.roles {
            self.clause(&format!("(role r{role})"), &[]);
        }
    }

    fn constant(&mut self) -> String {
        CONSTANTS[self.choices.below(self.constants)].to_owned()
    }

    /// A ground term.
    fn ground(&mut self) -> String {
        let constant = self.constant();
        if self.choices.once_in(8) { format!("(f {constant})") } else { constant }
    }

    fn facts(&mut self) {
        for (number, arity) in [1, 2, 2].into_iter().enumerate() {
            let name = format!("s{number}");
            for _ in 0..=self.choices.below(5) {
                let args: Vec<String> = (0..arity).map(|_| self.ground()).collect();
                self.clause(&format!("({name} {})", args.join(" ")), &[]);
            }
            self.known.push(Known { name, arity, level: 0 });
        }
        self.known.push(Known { name: "role".to_owned(), arity: 1, level: 0 });
    }

    /// The pattern of a fluent or move over arguments that `argument` makes.
    fn shape(&mut self, names: [&str; 4], argument: &mut dyn FnMut(&mut Self) -> String) -> String {
        let [one, two, nested, bare] = names;
        match self.choices.below(9) {
            0..4 => format!("({one} {})", argument(self)),
            4..7 => format!("({two} {} {})", argument(self), argument(self)),
            7 => format!("({nested} (f {}))", argument(self)),
            // A constant and a function without arguments are different terms.
            _ if self.choices.once_in(2) => format!("({bare})"),
            _ => bare.to_owned(),
        }
    }

    fn fluent(&mut self, argument: &mut dyn FnMut(&mut Self) -> String) -> String {
        self.shape(["p", "q", "w", "z"], argument)
    }

    fn action(&mut self, argument: &mut dyn FnMut(&mut Self) -> String) -> String {
        self.shape(["go", "put", "take", "stop"], argument)
    }

    fn init(&mut self) {
        for _ in 0..3 + self.choices.below(6) {
            let fluent = self.fluent(&mut Self::ground);
            self.clause(&format!("(init {fluent})"), &[]);
        }
        if self.choices.once_in(3) {
            let body = self.body(Scope { level: 1, state: false, moves: false, binding: false }, 0);
            self.rule(&body, |writer, body| {
                let fluent = writer.fluent(&mut |writer| writer.bound_term(body, true));
                format!("(init {fluent})")
            });
        }
    }

    /// Relations with rules; two neighbours share a level and may be mutually recursive.
    fn relations(&mut self, first_level: usize, most: usize, scope: Scope) {
        let count = self.choices.below(most + 1);
        let start = self.known.len();
        for number in 0..count {
            let kind = if scope.moves { 'm' } else { 'd' };
            let arity = self.choices.below(4);
            let level = first_level + number / 2;
            self.known.push(Known { name: format!("{kind}{number}"), arity, level });
        }
        for index in start..start + count {
            let known = self.known[index].clone();
            let scope = Scope { level: known.level, ..scope };
            for _ in 0..=self.choices.below(3) {
                let body = self.body(scope, known.arity);
                self.rule(&body, |writer, body| writer.head(&known, body));
            }
        }
    }

    fn head(&mut self, known: &Known, body: &Body) -> String {
        let mut args = body.for_head.clone();
        while args.len() < known.arity {
            let term = self.bound_term(body, !body.recursive);
            args.push(term);
        }
        if self.choices.once_in(2) {
            args.reverse();
        }
        atom(&known.name, &args)
    }

    fn rule(&mut self, body: &Body, head: impl FnOnce(&mut Self, &Body) -> String) {
        let head = head(self, body);
        let mut conditions = body.conditions.clone();
        if !conditions.is_empty() {
            let turn = self.choices.below(conditions.len());
            conditions.rotate_left(turn);
        }
        self.clause(&head, &conditions);
    }

    /// The conditions of a rule whose head has `arity` arguments.
    fn body(&mut self, scope: Scope, arity: usize) -> Body {
        let mut body = Body::default();
        let positive = *self.choices.pick(&[1, 1, 2, 2, 3]);
        for _ in 0..positive {
            self.positive(scope, &mut body);
        }
        if self.choices.once_in(3) {
            self.recursive(scope, arity, &mut body);
        }
        if self.choices.once_in(3) {
            self.negative(scope, &mut body);
        }
        if self.choices.once_in(4) {
            let (left, right) = (self.bound_term(&body, true), self.bound_term(&body, false));
            body.conditions.push(format!("(distinct {left} {right})"));
        }
        if self.choices.once_in(4) {
            self.disjunction(scope, &mut body);
        }
        body
    }

    /// A condition over relations below the scope's level, with any variables.
    fn positive(&mut self, scope: Scope, body: &mut Body) {
        let mut bound = Vec::new();
        let scope = Scope { binding: true, ..scope };
        let condition = self.condition(scope, &mut |writer| {
            if writer.choices.once_in(9) {
                return writer.ground();
            }
            let term = (*writer.choices.pick(&VARIABLES)).to_owned();
            bound.push(term.clone());
            if writer.choices.once_in(12) { format!("(f {term})") } else { term }
        });
        body.conditions.push(condition);
        for variable in bound {
            if !body.bound.contains(&variable) {
                body.bound.push(variable);
            }
        }
    }

    fn condition(&mut self, scope: Scope, argument: &mut dyn FnMut(&mut Self) -> String) -> String {
        let kind = self.choices.below(6);
        if scope.moves && kind >= 4 {
            let role = self.role_term(argument);
            let whole = scope.binding && self.choices.once_in(3);
            let action = if whole { WHOLE.to_owned() } else { self.action(argument) };
            return format!("(does {role} {action})");
        }
        if scope.state && kind >= 3 {
            let whole = scope.binding && self.choices.once_in(12);
            let fluent = if whole { WHOLE.to_owned() } else { self.fluent(argument) };
            return format!("(true {fluent})");
        }
        let lower: Vec<Known> =
            self.known.iter().filter(|k| k.level < scope.level.max(1)).cloned().collect();
        let known = self.choices.pick(&lower).clone();
        let args: Vec<String> = (0..known.arity).map(|_| argument(self)).collect();
        let name = if self.choices.once_in(12) { known.name.to_uppercase() } else { known.name };
        // The other way to write a relation without arguments is another relation.
        if args.is_empty() && self.choices.once_in(6) {
            return format!("({name})");
        }
        atom(&name, &args)
    }

    fn role_term(&mut self, argument: &mut dyn FnMut(&mut Self) -> String) -> String {
        if self.choices.once_in(3) {
            return argument(self);
        }
        format!("r{}", self.choices.below(self.roles))
    }

    /// A condition over a relation of the scope's own level (thesis Def. 2.7, condition 3: each
    /// argument is ground, bound outside of the recursion, or an argument of the head).
    fn recursive(&mut self, scope: Scope, arity: usize, body: &mut Body) {
        let own: Vec<Known> =
            self.known.iter().filter(|k| k.level == scope.level && k.level > 0).cloned().collect();
        if own.is_empty() {
            return;
        }
        let known = self.choices.pick(&own).clone();
        let mut args = Vec::new();
        for number in 0..known.arity {
            if body.for_head.len() < arity && self.choices.once_in(2) {
                let fresh = format!("?h{number}");
                body.for_head.push(fresh.clone());
                args.push(fresh);
            } else {
                args.push(self.bound_term(body, false));
            }
        }
        body.recursive = true;
        body.conditions.push(atom(&known.name, &args));
    }

    fn negative(&mut self, scope: Scope, body: &mut Body) {
        let bound = std::mem::take(body);
        let condition = self.condition(scope, &mut |writer| writer.bound_term(&bound, true));
        *body = bound;
        body.conditions.push(format!("(not {condition})"));
    }

    /// Alternatives that all bind one more variable, or none of them does.
    fn disjunction(&mut self, scope: Scope, body: &mut Body) {
        let binds = self.choices.once_in(2);
        let taken = std::mem::take(body);
        let mut parts = Vec::new();
        for _ in 0..=self.choices.below(3) {
            let mut pending = binds;
            let mut part = self.condition(scope, &mut |writer| {
                if std::mem::take(&mut pending) {
                    return "?o".to_owned();
                }
                writer.bound_term(&taken, true)
            });
            if pending {
                part = format!("(and {part} (s0 ?o))");
            }
            if !binds && self.choices.once_in(3) {
                part = format!("(not {part})");
            }
            parts.push(part);
        }
        *body = taken;
        body.conditions.push(format!("(or {})", parts.join(" ")));
        if binds {
            body.bound.push("?o".to_owned());
        }
    }

    /// A term whose variables have values.
    fn bound_term(&mut self, body: &Body, functions: bool) -> String {
        if body.bound.is_empty() || self.choices.once_in(5) {
            return self.constant();
        }
        let variable = self.choices.pick(&body.bound).clone();
        if functions && self.choices.once_in(6) { format!("(f {variable})") } else { variable }
    }

    fn legal(&mut self) {
        let level = self.known.last().map_or(1, |last| last.level + 1);
        let scope = Scope { level, state: true, moves: false, binding: false };
        for role in 0..self.roles {
            self.clause(&format!("(legal r{role} noop)"), &[]);
        }
        for _ in 0..=self.choices.below(4) {
            let mut body = self.body(scope, 0);
            let role = if self.choices.once_in(3) {
                body.conditions.push("(role ?r)".to_owned());
                "?r".to_owned()
            } else {
                format!("r{}", self.choices.below(self.roles))
            };
            self.rule(&body, |writer, body| {
                let action = writer.action(&mut |writer| writer.bound_term(body, true));
                format!("(legal {role} {action})")
            });
        }
    }

    /// Makes all of the relations whose names begin so visible from outside.
    fn show(&mut self, head: &str, prefix: &str) {
        for known in self.known.clone().iter().filter(|known| known.name.starts_with(prefix)) {
            let args: Vec<String> = (0..known.arity).map(|n| format!("?a{n}")).collect();
            let seen = atom(&format!("seen_{}", known.name), &args);
            self.clause(&format!("({head} {seen})"), &[atom(&known.name, &args)]);
        }
    }

    fn ends(&mut self) {
        let level = self.known.last().map_or(1, |last| last.level + 1);
        let scope = Scope { level, state: true, moves: false, binding: false };
        let mut body = self.body(scope, 0);
        // Few states should be terminal, else there is little to compare.
        body.conditions.push("(true (p (f b)))".to_owned());
        self.rule(&body, |_, _| "terminal".to_owned());
        for role in 0..self.roles {
            for value in [100, 50] {
                let body = self.body(scope, 0);
                self.rule(&body, |_, _| format!("(goal r{role} {value})"));
            }
            if self.choices.once_in(2) {
                // Stratified only if one looks at the constants.
                let unless = ["(not (goal", &format!("r{role} 100))")].join(" ");
                self.clause(&format!("(goal r{role} 0)"), &[unless]);
            }
        }
    }

    fn next(&mut self) {
        let level = self.known.last().map_or(1, |last| last.level + 1);
        let scope = Scope { level, state: true, moves: true, binding: false };
        for frame in ["(p ?x)", "(q ?x ?y)"] {
            if self.choices.once_in(2) {
                let mut body = Body { bound: vec!["?x".to_owned()], ..Body::default() };
                body.conditions.push(format!("(true {frame})"));
                self.negative(scope, &mut body);
                self.rule(&body, |_, _| format!("(next {frame})"));
            }
        }
        for _ in 0..2 + self.choices.below(4) {
            let body = self.body(scope, 0);
            self.rule(&body, |writer, body| {
                let fluent = writer.fluent(&mut |writer| writer.bound_term(body, true));
                format!("(next {fluent})")
            });
        }
    }
}

fn atom(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
}
