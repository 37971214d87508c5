//! Random rule sheets: what they say, and texts that say it in either syntax with comments anywhere.

use gdl::Syntax;
use proptest::prelude::*;

/// Names of relations, functions and constants; some are odd, some differ by case only.
const NAMES: &[&str] = &[
    "p",
    "q",
    "role",
    "true",
    "whiteKing",
    "WHITEKING",
    "Foo",
    "++",
    "1/2",
    "'q'",
    "a.b",
    "x:-y",
    "%c",
    "/*",
    "*/",
    "\\+",
    "\\",
    "-->",
    ":-",
    "a'b\\c",
    "0",
    "1a",
    "_",
    "_x",
    "Ärger",
    "ß",
    "日本",
    "a?",
    "[]",
    "a,b",
    "|",
];

/// Names that only terms may have, since they make other things of a condition or a clause.
const TERM_NAMES: &[&str] = &["not", "or", "and", "distinct", "<="];

/// A variable in KIF and one in Prolog syntax that takes its place.
const VARIABLES: &[(&str, &str)] = &[
    ("?x", "X"),
    ("?X", "X"),
    ("?newX", "NewX"),
    ("?_a", "_a"),
    ("?_1", "_1"),
    ("?éa", "Éa"),
    ("?_", "U0"),
    ("?1", "U1"),
    ("?a-b", "U2"),
    ("?a+b", "U3"),
    ("?ß", "U4"),
    ("?日", "U5"),
    ("??y", "U6"),
    ("?a_b", "A_b"),
    ("?v1", "V1"),
    ("?vss", "Vss"),
];

#[derive(Clone, Debug)]
pub enum T {
    Variable(usize),
    Constant(&'static str),
    Function(&'static str, Vec<T>),
}

#[derive(Clone, Debug)]
pub enum F {
    Atom(&'static str, Option<Vec<T>>),
    Not(Box<F>),
    Or(Vec<F>),
    And(Vec<F>),
    Distinct(T, T),
}

#[derive(Clone, Debug)]
pub struct C {
    pub head: F,
    pub body: Option<Vec<F>>,
}

fn term() -> impl Strategy<Value = T> + Clone {
    let name = prop_oneof![4 => prop::sample::select(NAMES), 1 => prop::sample::select(TERM_NAMES)];
    let leaf = prop_oneof![
        (0..VARIABLES.len()).prop_map(T::Variable),
        name.clone().prop_map(T::Constant),
    ];
    leaf.prop_recursive(3, 8, 3, move |inner| {
        (name.clone(), prop::collection::vec(inner, 0..3))
            .prop_map(|(f, args)| T::Function(f, args))
    })
}

fn atom() -> impl Strategy<Value = F> + Clone {
    let args = prop::option::of(prop::collection::vec(term(), 0..3));
    (prop::sample::select(NAMES), args).prop_map(|(name, args)| F::Atom(name, args))
}

fn condition() -> impl Strategy<Value = F> {
    let leaf = prop_oneof![
        4 => atom(),
        1 => (term(), term()).prop_map(|(a, b)| F::Distinct(a, b)),
        1 => prop::sample::select(&TERM_NAMES[..4]).prop_map(|name| F::Atom(name, None)),
    ];
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|f| F::Not(Box::new(f))),
            prop::collection::vec(inner.clone(), 0..4).prop_map(F::Or),
            prop::collection::vec(inner, 0..4).prop_map(F::And),
        ]
    })
}

pub fn sheet() -> impl Strategy<Value = Vec<C>> {
    let body = prop::option::of(prop::collection::vec(condition(), 0..4));
    let clause = (atom(), body).prop_map(|(head, body)| C { head, body });
    prop::collection::vec(clause, 0..6)
}

/// What stands between tokens: each is chosen by a number and always begins with a blank.
const KIF_GAPS: &[&str] = &[
    " ",
    " ",
    " ",
    " ",
    "\n",
    "\r\n",
    "\n\n",
    " ; here\n",
    " ;\n",
    "\n; own\n",
    "\n\n;; gap % ; \r\n",
    "\t;%;\n",
    "\n  ; (one\n  ; two)\n",
    "\u{feff}\n",
];
const PROLOG_GAPS: &[&str] = &[
    " ",
    " ",
    " ",
    " ",
    "\n",
    "\r\n",
    "\n\n",
    " % here\n",
    " %\n",
    "\n% own\n",
    "\n\n%% gap ; % \r\n",
    "\t%;%\n",
    " /* in */ ",
    "\n /* one\n\n   two */\n",
    " /**/ /*/ */ /***/",
    "\n\n/* a */ /* b */ ",
];

/// Numbers that choose the gaps; used round and round.
pub fn gaps() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(
        prop_oneof![3 => Just(0), 1 => 0..KIF_GAPS.len().max(PROLOG_GAPS.len())],
        1..40,
    )
}

/// The text of a sheet in a syntax.
pub fn text_of(sheet: &[C], syntax: Syntax, gaps: &[usize]) -> String {
    let mut tokens = Vec::new();
    for clause in sheet {
        match syntax {
            Syntax::Kif => kif_clause(clause, &mut tokens),
            Syntax::Prolog => prolog_clause(clause, &mut tokens),
        }
    }
    let table = if syntax == Syntax::Kif { KIF_GAPS } else { PROLOG_GAPS };
    let mut out = String::new();
    for (token, gap) in tokens.iter().zip(gaps.iter().cycle()) {
        out.push_str(table[gap % table.len()]);
        out.push_str(token);
    }
    out.push_str(table[gaps[0] % table.len()]);
    out
}

fn kif_list<X>(name: &str, items: &[X], out: &mut Vec<String>, write: fn(&X, &mut Vec<String>)) {
    out.extend(["(".to_owned(), name.to_owned()]);
    for item in items {
        write(item, out);
    }
    out.push(")".to_owned());
}

fn kif_term(term: &T, out: &mut Vec<String>) {
    match term {
        T::Variable(v) => out.push(VARIABLES[*v].0.to_owned()),
        T::Constant(name) => out.push((*name).to_owned()),
        T::Function(name, args) => kif_list(name, args, out, kif_term),
    }
}

fn kif_formula(formula: &F, out: &mut Vec<String>) {
    match formula {
        F::Atom(name, None) => out.push((*name).to_owned()),
        F::Atom(name, Some(args)) => kif_list(name, args, out, kif_term),
        F::Not(inner) => kif_list("not", std::slice::from_ref(&**inner), out, kif_formula),
        F::Or(parts) => kif_list("or", parts, out, kif_formula),
        F::And(parts) => kif_list("AND", parts, out, kif_formula),
        F::Distinct(a, b) => kif_list("Distinct", &[a.clone(), b.clone()], out, kif_term),
    }
}

fn kif_clause(clause: &C, out: &mut Vec<String>) {
    match &clause.body {
        None => kif_formula(&clause.head, out),
        Some(body) => {
            out.extend(["(".to_owned(), "<=".to_owned()]);
            kif_formula(&clause.head, out);
            for part in body {
                kif_formula(part, out);
            }
            out.push(")".to_owned());
        }
    }
}

fn prolog_name(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric())
        && name != "not";
    if plain {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\\', "\\\\").replace('\'', "''"))
    }
}

fn separated<X>(
    separator: &str,
    items: &[X],
    out: &mut Vec<String>,
    write: impl Fn(&X, &mut Vec<String>),
) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(separator.to_owned());
        }
        write(item, out);
    }
}

fn prolog_list<X>(
    name: &str,
    separator: &str,
    items: &[X],
    out: &mut Vec<String>,
    write: fn(&X, &mut Vec<String>),
) {
    out.extend((!name.is_empty()).then(|| name.to_owned()));
    out.push("(".to_owned());
    separated(separator, items, out, write);
    out.push(")".to_owned());
}

fn prolog_term(term: &T, out: &mut Vec<String>) {
    match term {
        T::Variable(v) => out.push(VARIABLES[*v].1.to_owned()),
        T::Constant(name) => out.push(prolog_name(name)),
        T::Function(name, args) => prolog_list(&prolog_name(name), ",", args, out, prolog_term),
    }
}

fn prolog_formula(formula: &F, out: &mut Vec<String>) {
    match formula {
        F::Atom(name, None) => out.push(prolog_name(name)),
        F::Atom(name, Some(args)) => prolog_list(&prolog_name(name), ",", args, out, prolog_term),
        F::Not(inner) => {
            out.push("\\+".to_owned());
            prolog_formula(inner, out);
        }
        F::Or(parts) if parts.len() > 2 => prolog_list("", ";", parts, out, prolog_branch),
        F::Or(parts) => prolog_list("or", ",", parts, out, prolog_formula),
        F::And(parts) if parts.len() > 1 => prolog_list("", ",", parts, out, prolog_formula),
        F::And(parts) => prolog_list("and", ",", parts, out, prolog_formula),
        F::Distinct(a, b) => {
            prolog_list("distinct", ",", &[a.clone(), b.clone()], out, prolog_term);
        }
    }
}

fn prolog_branch(formula: &F, out: &mut Vec<String>) {
    match formula {
        F::And(parts) if parts.len() > 2 => separated(",", parts, out, prolog_formula),
        _ => prolog_formula(formula, out),
    }
}

fn prolog_clause(clause: &C, out: &mut Vec<String>) {
    prolog_formula(&clause.head, out);
    if let Some(body) = &clause.body {
        out.push(":-".to_owned());
        match &body[..] {
            [F::Or(parts)] if parts.len() > 1 => separated(";", parts, out, prolog_branch),
            _ => separated(",", body, out, prolog_formula),
        }
    }
    out.push(".".to_owned());
}
