//! The normal form says what the rules say: both are evaluated under random truth assignments.

use gdl::normal::{FEW_ALTERNATIVES, Literal, Program, normalize};
use gdl::{Formula, FormulaKind, Limits, Rules, Symbol};
use proptest::prelude::*;

const ATOMS: usize = 6;

/// Conditions over `a0` … `a5`, as text.
fn condition() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        8 => (0..ATOMS).prop_map(|i| format!("a{i}")),
        1 => Just("(distinct x y)".to_owned()),
        1 => Just("(distinct x x)".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let parts = prop::collection::vec(inner.clone(), 0..5).prop_map(|parts| parts.join(" "));
        prop_oneof![
            1 => inner.prop_map(|f| format!("(not {f})")),
            2 => parts.clone().prop_map(|parts| format!("(or {parts})")),
            1 => parts.prop_map(|parts| format!("(and {parts})")),
        ]
    })
}

fn read(body: &str) -> Rules {
    let (rules, problems) = gdl::parse(&format!("(<= h {body})"), &Limits::default());
    assert!(problems.is_empty(), "{problems:?}");
    rules
}

/// The truth of an atom `a<i>` in an assignment whose bit `i` says so.
fn holds(rules: &Rules, name: Symbol, assignment: usize) -> bool {
    let number = rules.name(name).strip_prefix('a').and_then(|digits| digits.parse::<u32>().ok());
    number.is_some_and(|i| assignment >> i & 1 == 1)
}

fn truth(rules: &Rules, formula: &Formula, assignment: usize) -> bool {
    match &formula.kind {
        FormulaKind::Atom(atom) => holds(rules, atom.name, assignment),
        FormulaKind::Not(inner) => !truth(rules, inner, assignment),
        FormulaKind::Or(parts) => parts.iter().any(|part| truth(rules, part, assignment)),
        FormulaKind::And(parts) => parts.iter().all(|part| truth(rules, part, assignment)),
        FormulaKind::Distinct(a, b) => !a.same(b),
    }
}

/// Which heads are derived; auxiliary relations negate nothing but the atoms, so rounds suffice.
fn derived(rules: &Rules, program: &Program, assignment: usize) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = Vec::new();
    loop {
        let before = found.len();
        for rule in &program.rules {
            let is_true = |literal: &Literal| match literal {
                Literal::Positive(p) => {
                    let name = p.relation.name;
                    found.contains(&name)
                        || name.index() < rules.symbols.len() && holds(rules, name, assignment)
                }
                Literal::Negative(p) => !holds(rules, p.relation.name, assignment),
                Literal::Distinct(a, b) => a != b,
                Literal::Same(a, b) => a == b,
            };
            let name = rule.head.relation.name;
            if !found.contains(&name) && rule.body.iter().all(is_true) {
                found.push(name);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn check(body: &str) -> Program {
    let rules = read(body);
    let program =
        normalize(&rules).expect("ground disjunctions stand apart, so nothing multiplies");
    let head = rules.clauses[0].head.name;
    for assignment in 0..1 << ATOMS {
        let direct = rules.clauses[0].body.iter().all(|part| truth(&rules, part, assignment));
        let normal = derived(&rules, &program, assignment).contains(&head);
        assert_eq!(direct, normal, "{body} under {assignment:06b}");
    }
    program
}

fn uses_auxiliaries(program: &Program) -> bool {
    program.rules.iter().any(|rule| program.symbols.name(rule.head.relation.name) != "h")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_normal_form_keeps_the_meaning(body in prop::collection::vec(condition(), 0..5)) {
        check(&body.join(" "));
    }
}

#[test]
fn few_alternatives_are_expanded_and_many_become_relations() {
    let program = check("(or a0 a1 a2 a3) (or a2 a3 a4 (not a5))");
    assert_eq!(program.rules.len(), FEW_ALTERNATIVES);
    assert!(!uses_auxiliaries(&program));
    let program = check("(or a0 a1 a2 a3) (or a2 a3 a4 a5 (not a0))");
    assert!(uses_auxiliaries(&program));
    assert_eq!(program.rules.len(), 4 + 5);
}

#[test]
fn negated_groups_are_pushed_inwards() {
    check("(not (or a0 (and a1 (not a2)) (not (distinct x y))))");
    check("(not (and (or a0 a1 a2 a3 a4) (or a1 a2 a3 a4 a5))) (not (not a3))");
    check("(or) a0");
    check("(and)");
    check("(not (or))");
    check("(not (and))");
}

#[test]
fn a_rule_that_multiplies_without_end_is_refused() {
    let part = "(or (distinct ?x a) (distinct ?x b))".repeat(40);
    let (rules, _) = gdl::parse(&format!("(<= (h ?x) (p ?x) {part})"), &Limits::default());
    let problem = normalize(&rules).expect_err("2^40 rules");
    assert_eq!(problem.code, "E130");
}

#[test]
fn many_rules_that_multiply_are_refused_too() {
    let part = "(or (distinct ?x a) (distinct ?x b))".repeat(14);
    let rule = format!("(<= (h ?x) (p ?x) {part})\n");
    let (rules, _) = gdl::parse(&rule.repeat(100), &Limits::default());
    assert_eq!(normalize(&rules).expect_err("100 times 2^14 rules").code, "E130");
}

#[test]
fn a_long_body_behind_many_alternatives_is_refused() {
    let part = "(or (distinct ?x a) (distinct ?x b))".repeat(14);
    let body = "(p ?x) ".repeat(1000);
    let (rules, _) = gdl::parse(&format!("(<= (h ?x) {part} {body})"), &Limits::default());
    assert_eq!(normalize(&rules).expect_err("2^14 times 1000 conditions").code, "E130");
}

#[test]
fn long_bodies_take_linear_time() {
    let body = "(p ?x) ".repeat(200_000);
    let (rules, problems) = gdl::parse(&format!("(<= (h ?x) {body})"), &Limits::default());
    assert!(problems.is_empty());
    assert_eq!(normalize(&rules).expect("no disjunction").rules[0].body.len(), 200_000);
}
