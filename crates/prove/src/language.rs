//! The textual language of properties.
//!
//! ```text
//! exactly 1 X: control(X)
//! forall X,Y: at most 1 Z: cell(X,Y,Z)
//! forall R: not terminal implies at least 1 M: legal(R,M)
//! forall V,W: terminal and goal(white,V) and goal(black,W) implies V + W = 100
//! forall X,Y: cell(X,Y,x) implies next(cell(X,Y,x))
//! ```
//!
//! A fluent is written as itself. A name is a variable exactly where a quantifier around it binds it; all others are
//! names of the game. `and`, `or`, `implies` and `iff` bind less and less; a quantifier reaches as far as it can.

use std::ops::Range;

use gdl::{Relation, Symbol, keyword};
use structure::Functor;

use crate::lexer::{Token, tokens};
use crate::property::{Atom, Comparison, Formula, Property, Term, Variable};
use crate::vocabulary::{Depends, Vocabulary};

/// What is wrong with the text of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What may help.
    pub hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(message: &str, span: Range<usize>) -> Self {
        Self { message: message.to_owned(), span, hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (at {})", self.message, self.span.start + 1)?;
        match &self.hint {
            Some(hint) => write!(f, "; hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

/// Words that cannot be names without quotes.
pub(crate) const WORDS: [&str; 13] = [
    "forall", "exists", "exactly", "between", "not", "and", "or", "implies", "iff", "next",
    "always", "true", "false",
];

/// Those that are names where arguments follow. (`at` is a word of the language only before `most` and `least`.)
const QUANTIFIERS: [&str; 4] = ["forall", "exists", "exactly", "between"];

/// The deepest nesting; a text that goes deeper is no property anybody wrote.
const DEEPEST: usize = 200;

/// Reads a property of a game.
pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Property, Problem> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        vocabulary,
        names: Vec::new(),
        bound: Vec::new(),
        depth: 0,
        in_next: false,
    };
    let formula = parser.formula()?;
    match parser.peek() {
        Token::End => Ok(Property::asked(formula, parser.names)),
        _ => Err(parser.unexpected("the end of the property")),
    }
}

struct Parser<'t> {
    tokens: &'t [(Token<'t>, Range<usize>)],
    at: usize,
    vocabulary: &'t Vocabulary,
    names: Vec<String>,
    /// The variables in reach, the innermost last.
    bound: Vec<Variable>,
    depth: usize,
    in_next: bool,
}

type Parsed<T> = Result<T, Problem>;

impl<'t> Parser<'t> {
    fn peek(&self) -> &Token<'t> {
        &self.tokens[self.at.min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at.min(self.tokens.len() - 1)].1.clone()
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(name, false) if name.eq_ignore_ascii_case(word))
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if *s == sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.sign(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> Problem {
        let found = match self.peek() {
            Token::Name(name, _) => format!("`{name}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        };
        Problem::new(&format!("expected {wanted}, found {found}"), self.span())
    }

    /// `iff` binds least.
    fn formula(&mut self) -> Parsed<Formula> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Problem::new("the property nests too deeply", self.span()));
        }
        let mut left = self.implication()?;
        while self.word("iff") || self.sign("<=>") {
            left = Formula::Iff(Box::new(left), Box::new(self.implication()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn implication(&mut self) -> Parsed<Formula> {
        let left = self.disjunction()?;
        if self.word("implies") || self.sign("=>") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(Problem::new("the property nests too deeply", self.span()));
            }
            let right = self.implication()?;
            self.depth -= 1;
            return Ok(left.implies(right));
        }
        Ok(left)
    }

    fn disjunction(&mut self) -> Parsed<Formula> {
        let mut parts = vec![self.conjunction()?];
        while self.word("or") || self.sign("|") {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::Or(parts) })
    }

    fn conjunction(&mut self) -> Parsed<Formula> {
        let mut parts = vec![self.unary()?];
        while self.word("and") || self.sign("&") {
            parts.push(self.unary()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts) })
    }

    fn unary(&mut self) -> Parsed<Formula> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Problem::new("the property nests too deeply", self.span()));
        }
        let found = self.unary_inside();
        self.depth -= 1;
        found
    }

    fn unary_inside(&mut self) -> Parsed<Formula> {
        if self.word("not") {
            return Ok(self.unary()?.negated());
        }
        if self.is_word("next") {
            return self.next();
        }
        if self.quantifier("forall") {
            let (variables, body) = self.bind()?;
            return Ok(body.for_all(variables));
        }
        if self.quantifier("exists") {
            let (variables, body) = self.bind()?;
            return Ok(body.count(1, None, variables));
        }
        if let Some((least, most)) = self.numbers()? {
            let (variables, body) = self.bind()?;
            return Ok(body.count(least, most, variables));
        }
        if self.sign("(") {
            let inside = self.formula()?;
            self.expect(")")?;
            return Ok(inside);
        }
        self.atom_or_comparison()
    }

    fn next(&mut self) -> Parsed<Formula> {
        let span = self.span();
        self.at += 1;
        if std::mem::replace(&mut self.in_next, true) {
            let problem = Problem::new("`next` inside `next`", span);
            return Err(problem.hint("a property speaks about a state and the one after it"));
        }
        self.expect("(")?;
        let inside = self.formula()?;
        self.expect(")")?;
        self.in_next = false;
        Ok(Formula::Next(Box::new(inside)))
    }

    /// `exactly 1`, `at most 2`, `at least 3`, `between 1 and 4`.
    fn numbers(&mut self) -> Parsed<Option<(u32, Option<u32>)>> {
        if self.quantifier("exactly") {
            let number = self.number()?;
            return Ok(Some((number, Some(number))));
        }
        if self.quantifier("between") {
            let (least, span) = (self.number()?, self.span());
            if !self.word("and") {
                return Err(self.unexpected("`and`"));
            }
            let most = self.number()?;
            if most < least {
                let span = span.start..self.span().start;
                return Err(Problem::new(
                    &format!("no number is between {least} and {most}"),
                    span,
                ));
            }
            return Ok(Some((least, Some(most))));
        }
        if self.is_word("at") && self.follows(&["most", "least"]) {
            self.at += 1;
            if self.word("most") {
                return Ok(Some((0, Some(self.number()?))));
            }
            self.at += 1;
            return Ok(Some((self.number()?, None)));
        }
        Ok(None)
    }

    /// Whether one of these words comes after the next one.
    fn follows(&self, words: &[&str]) -> bool {
        match self.tokens.get(self.at + 1) {
            Some((Token::Name(name, false), _)) => {
                words.iter().any(|w| name.eq_ignore_ascii_case(w))
            }
            _ => false,
        }
    }

    /// Whether the next word is followed by arguments: then it is a fluent or a relation, whatever it is called.
    fn has_arguments(&self) -> bool {
        matches!(self.tokens.get(self.at + 1), Some((Token::Sign("("), _)))
    }

    fn quantifier(&mut self, word: &str) -> bool {
        !self.has_arguments() && self.word(word)
    }

    fn number(&mut self) -> Parsed<u32> {
        if let Token::Name(name, false) = self.peek()
            && let Ok(number) = name.parse::<u32>()
        {
            self.at += 1;
            return Ok(number);
        }
        Err(self.unexpected("a number"))
    }

    /// `X, Y: body`.
    fn bind(&mut self) -> Parsed<(Vec<Variable>, Formula)> {
        let mut variables = Vec::new();
        loop {
            let span = self.span();
            let Token::Name(name, _) = *self.peek() else {
                return Err(self.unexpected("a variable"));
            };
            if WORDS.contains(&name) {
                return Err(self.unexpected("a variable"));
            }
            let again = |v: &Variable| self.names[*v as usize] == name;
            if variables.iter().any(again) {
                return Err(Problem::new(&format!("`{name}` is bound twice"), span));
            }
            self.at += 1;
            self.names.push(name.to_owned());
            variables.push(self.names.len() as u32 - 1);
            if !self.sign(",") {
                break;
            }
        }
        self.expect(":")?;
        let before = self.bound.len();
        self.bound.extend(&variables);
        let body = self.formula()?;
        self.bound.truncate(before);
        Ok((variables, body))
    }

    fn atom_or_comparison(&mut self) -> Parsed<Formula> {
        let start = self.at;
        if let Token::Name(name @ ("true" | "false"), false) = *self.peek()
            && !matches!(self.tokens.get(self.at + 1), Some((Token::Sign("("), _)))
        {
            self.at += 1;
            return Ok(Formula::Truth(name == "true"));
        }
        let written = self.written()?;
        if let Some(formula) = self.comparison(&written)? {
            return Ok(formula);
        }
        let end = self.tokens[self.at - 1].1.end;
        let span = self.tokens[start].1.start..end;
        self.atom(&written, span)
    }

    /// A name with arguments, meaning yet unknown.
    fn written(&mut self) -> Parsed<Written<'t>> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Problem::new("the property nests too deeply", self.span()));
        }
        let Token::Name(name, quoted) = *self.peek() else {
            return Err(self.unexpected("a fluent, a relation or a quantifier"));
        };
        let quantifier = QUANTIFIERS.contains(&name) && self.has_arguments();
        if !quoted && WORDS.contains(&name) && name != "true" && !quantifier {
            return Err(self.unexpected("a fluent, a relation or a quantifier"));
        }
        let span = self.span();
        self.at += 1;
        let mut args = None;
        if self.sign("(") {
            let mut inside = Vec::new();
            if !self.sign(")") {
                loop {
                    inside.push(self.written()?);
                    if !self.sign(",") {
                        break;
                    }
                }
                self.expect(")")?;
            }
            args = Some(inside);
        }
        self.depth -= 1;
        Ok(Written { name, quoted, args, span })
    }

    /// A term of a comparison; numbers need not be known to the game.
    fn summand(&self, written: &Written<'_>) -> Parsed<Term> {
        match written.name.parse::<i64>() {
            Ok(number) if written.args.is_none() && self.variable(written.name).is_none() => {
                Ok(Term::Number(number))
            }
            _ => self.term(written),
        }
    }

    fn comparison(&mut self, first: &Written<'t>) -> Parsed<Option<Formula>> {
        let mut left = Vec::new();
        let is_sum = matches!(self.peek(), Token::Sign("+"));
        if !is_sum && self.compared().is_none() {
            return Ok(None);
        }
        left.push(self.summand(first)?);
        while self.sign("+") {
            let next = self.written()?;
            left.push(self.summand(&next)?);
        }
        let Some(comparison) = self.compared() else {
            return Err(self.unexpected("a comparison (`=`, `!=`, `<`, `<=`, `>`, `>=`)"));
        };
        self.at += 1;
        let mut right = Vec::new();
        loop {
            let next = self.written()?;
            right.push(self.summand(&next)?);
            if !self.sign("+") {
                break;
            }
        }
        Ok(Some(Formula::Compare(left, comparison, right)))
    }

    fn compared(&self) -> Option<Comparison> {
        Some(match self.peek() {
            Token::Sign("=") => Comparison::Equal,
            Token::Sign("!=") => Comparison::Different,
            Token::Sign("<") => Comparison::Less,
            Token::Sign("<=") => Comparison::AtMost,
            Token::Sign(">") => Comparison::Greater,
            Token::Sign(">=") => Comparison::AtLeast,
            _ => return None,
        })
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        self.bound.iter().rev().copied().find(|v| self.names[*v as usize] == name)
    }

    fn symbol(&self, written: &Written<'_>) -> Parsed<Symbol> {
        let symbols = &self.vocabulary.game.program().symbols;
        symbols.get(written.name).ok_or_else(|| {
            let message = format!("the game has no name `{}`", written.name);
            let problem = Problem::new(&message, written.span.clone());
            let variable = written.name.starts_with(|c: char| c.is_uppercase() || c == '?');
            let hint = if variable && written.args.is_none() {
                format!("a variable needs a quantifier: `forall {0}: …`", written.name)
            } else {
                format!("the fluents are {}", self.known_fluents())
            };
            problem.hint(hint)
        })
    }

    fn term(&self, written: &Written<'_>) -> Parsed<Term> {
        if let (None, false, Some(variable)) =
            (&written.args, written.quoted, self.variable(written.name))
        {
            return Ok(Term::Variable(variable));
        }
        let name = self.symbol(written)?;
        Ok(match &written.args {
            None => Term::Constant(name),
            Some(args) => {
                let args = args.iter().map(|arg| self.term(arg)).collect::<Parsed<_>>()?;
                Term::Function(name, args)
            }
        })
    }

    fn atom(&self, written: &Written<'_>, span: Range<usize>) -> Parsed<Formula> {
        if written.name.eq_ignore_ascii_case("true")
            && let Some([inside]) = written.args.as_deref()
        {
            return self.fluent(inside, span);
        }
        let name = self.symbol(written)?;
        let arity = written.args.as_ref().map_or(0, Vec::len) as u32;
        let relation = Relation { name, arity, parens: written.args.is_some() };
        if [keyword::DOES, keyword::INIT, keyword::SEES].contains(&name) {
            let message = format!("`{}` is not part of a state", written.name);
            let hint = "a property speaks about states: fluents, legal, goal, terminal and relations \
                        that do not depend on `does`";
            return Err(Problem::new(&message, span).hint(hint));
        }
        let functor = Functor { name, arity, parens: written.args.is_some() };
        let is_keyword = [keyword::LEGAL, keyword::GOAL, keyword::TERMINAL, keyword::ROLE];
        if !is_keyword.contains(&name) && self.vocabulary.fluents().contains(&functor) {
            return self.fluent(written, span);
        }
        if !self.vocabulary.is_relation(relation) {
            return Err(self.unknown(written, span));
        }
        if self.vocabulary.depends(relation) == Depends::Moves {
            let message = format!("`{}` depends on `does`", written.name);
            let hint = "a property speaks about states; say what holds after a move by `next(…)`";
            return Err(Problem::new(&message, span).hint(hint));
        }
        let args =
            written.args.iter().flatten().map(|arg| self.term(arg)).collect::<Parsed<_>>()?;
        Ok(Formula::Atom(Atom::Relation(relation, args)))
    }

    fn fluent(&self, written: &Written<'_>, span: Range<usize>) -> Parsed<Formula> {
        let name = self.symbol(written)?;
        let arity = written.args.as_ref().map_or(0, Vec::len) as u32;
        let functor = Functor { name, arity, parens: written.args.is_some() };
        if !self.vocabulary.fluents().contains(&functor) {
            return Err(self.unknown(written, span));
        }
        let args =
            written.args.iter().flatten().map(|arg| self.term(arg)).collect::<Parsed<_>>()?;
        Ok(Formula::fluent(Term::fluent(functor, args)))
    }

    /// Nothing has this name, or not with so many arguments.
    fn unknown(&self, written: &Written<'_>, span: Range<usize>) -> Problem {
        let given = written.args.as_ref().map_or(0, Vec::len);
        let name = self.vocabulary.game.program().symbols.get(written.name);
        let fluents = self.vocabulary.fluents().iter().filter(|f| Some(f.name) == name);
        let relations = self.vocabulary.relations();
        let relations = relations.iter().filter(|r| Some(r.name) == name);
        let mut arities: Vec<u32> =
            fluents.map(|f| f.arity).chain(relations.map(|r| r.arity)).collect();
        arities.sort_unstable();
        arities.dedup();
        if arities.is_empty() {
            let message = format!("`{}` is neither a fluent nor a relation", written.name);
            return Problem::new(&message, span)
                .hint(format!("the fluents are {}", self.known_fluents()));
        }
        let wanted: Vec<String> = arities.iter().map(ToString::to_string).collect();
        let message =
            format!("`{}` takes {} arguments, not {given}", written.name, wanted.join(" or "));
        Problem::new(&message, span)
    }

    fn known_fluents(&self) -> String {
        let symbols = &self.vocabulary.game.program().symbols;
        let all = self.vocabulary.fluents();
        let mut names: Vec<String> = all.iter().take(12).map(|f| f.to_text(symbols)).collect();
        if all.len() > names.len() {
            names.push("…".to_owned());
        }
        names.join(", ")
    }
}

/// A name with what stands in its parentheses.
struct Written<'t> {
    name: &'t str,
    quoted: bool,
    args: Option<Vec<Written<'t>>>,
    span: Range<usize>,
}
