//! Which variables to take out of a rule, and whether what results can be evaluated.

use gdl::Relation;
use gdl::normal::{Literal, Pattern, Predicate};
use rustc_hash::FxHashMap;

/// Longer bodies are left as they are: looking at all pairs would take too long.
const MOST_LITERALS: usize = 64;

/// A set of variables of a rule; rules with more than 128 are left as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables(u128);

impl Variables {
    /// Those of a literal; none if it has too many.
    pub fn of(literal: &Literal) -> Option<Self> {
        let (mut own, mut fits) = (Self::default(), true);
        literal.each_variable(&mut |v| {
            fits &= v < 128;
            own.0 |= 1 << (v & 127);
        });
        fits.then_some(own)
    }

    fn of_pattern(pattern: &Pattern) -> Self {
        let mut own = Self::default();
        pattern.each_variable(&mut |v| own.0 |= 1 << (v & 127));
        own
    }

    /// Those that are marked; none if there are too many.
    pub fn of_flags(flags: &[bool]) -> Option<Self> {
        let mut own = Self::default();
        for (v, _) in flags.iter().enumerate().filter(|(_, flag)| **flag) {
            own.add(v as u32);
        }
        (flags.len() <= 128).then_some(own)
    }

    pub fn add(&mut self, variable: u32) {
        self.0 |= 1 << (variable & 127);
    }

    pub fn has(self, variable: u32) -> bool {
        variable < 128 && self.0 >> variable & 1 == 1
    }

    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..128).filter(move |v| self.has(*v))
    }
}

/// Arguments that must be given when a relation is asked for.
pub(crate) type Required = FxHashMap<Relation, Vec<bool>>;

/// For relations that are lists of facts: which argument determines which, as pairs of positions.
pub(crate) type Determines = FxHashMap<Relation, Vec<(usize, usize)>>;

/// How many of the variables of some literals can be chosen freely: the others follow by the facts.
pub(crate) fn freedom<'l>(
    literals: impl Iterator<Item = &'l Literal>,
    also: Variables,
    determines: &Determines,
) -> u32 {
    let mut all = also;
    let mut arrows: Vec<(u32, u32)> = Vec::new();
    for literal in literals {
        all = all.with(Variables::of(literal).unwrap_or_default());
        let Literal::Positive(p) = literal else { continue };
        for (from, to) in determines.get(&p.relation).map_or(&[][..], Vec::as_slice) {
            if let (Pattern::Variable(a), Pattern::Variable(b)) = (&p.args[*from], &p.args[*to]) {
                arrows.push((*a, *b));
            }
        }
    }
    let (mut chosen, mut known) = (0, Variables::default());
    // A variable that nothing determines is chosen before one that something does.
    let is_target = |v: u32| arrows.iter().any(|(a, b)| *b == v && *a != v);
    let (last, first): (Vec<u32>, Vec<u32>) = all.iter().partition(|v| is_target(*v));
    for variable in first.into_iter().chain(last) {
        if known.has(variable) {
            continue;
        }
        chosen += 1;
        known.add(variable);
        while let Some((_, to)) = arrows.iter().find(|(a, b)| known.has(*a) && !known.has(*b)) {
            known.add(*to);
        }
    }
    chosen
}

/// Variables to take out of a rule together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elimination {
    /// They occur in the part only.
    pub removed: Variables,
    /// What the part shares with the rest of the rule.
    pub border: Variables,
    /// What must be given when the part is asked for; known after the check.
    pub needed: Variables,
}

/// What might be taken out of a rule, that with the fewest variables in its part first. `dynamic` says which
/// literals depend on the state or on moves.
pub(crate) fn candidates(body: &[Literal], dynamic: &[bool], head: Variables) -> Vec<Elimination> {
    let sets: Option<Vec<Variables>> = body.iter().map(Variables::of).collect();
    let Some(sets) = sets.filter(|_| body.len() <= MOST_LITERALS) else { return Vec::new() };
    let all = sets.iter().fold(head, |all, own| all.with(*own));
    let mut found: Vec<(u32, usize, Elimination)> = Vec::new();
    for variable in all.without(head).iter() {
        let inside: Vec<usize> = (0..body.len()).filter(|at| sets[*at].has(variable)).collect();
        let own = inside.iter().fold(Variables::default(), |own, at| own.with(sets[*at]));
        let rest = (0..body.len()).filter(|at| !sets[*at].has(variable));
        let outside = rest.fold(head, |outside, at| outside.with(sets[at]));
        // Without something left out, there is nothing to win.
        let worth = !outside.within(own) && inside.len() < body.len();
        if worth && inside.iter().any(|at| dynamic[*at]) {
            let removed = own.without(outside);
            let border = own.without(removed);
            let needed = Variables::default();
            let elimination = Elimination { removed, border, needed };
            found.push((own.0.count_ones(), inside.len(), elimination));
        }
    }
    found.sort_by_key(|(variables, literals, _)| (*variables, *literals));
    found.into_iter().map(|(_, _, elimination)| elimination).collect()
}

impl Elimination {
    /// The literals of the part, and the rest.
    pub fn split(&self, body: Vec<Literal>) -> (Vec<Literal>, Vec<Literal>) {
        let is_inside =
            |literal: &Literal| Variables::of(literal).is_some_and(|own| own.meets(self.removed));
        body.into_iter().partition(is_inside)
    }

    /// The elimination with what its part needs, if both the part and the rest can be evaluated.
    pub fn checked(
        mut self,
        body: &[Literal],
        start: Variables,
        required: &Required,
    ) -> Option<Self> {
        let is_inside =
            |literal: &&Literal| Variables::of(literal).is_some_and(|own| own.meets(self.removed));
        let (inside, rest): (Vec<&Literal>, Vec<&Literal>) = body.iter().partition(is_inside);
        self.needed = needed(&inside, self.border, required)?;
        let known = reach(&rest, start, required, Some((self.needed, self.border)));
        known.all_done.then_some(self)
    }
}

/// Whether the literals can be evaluated in some order.
pub(crate) fn is_orderable(body: &[Literal], start: Variables, required: &Required) -> bool {
    if body.len() > MOST_LITERALS || body.iter().any(|literal| Variables::of(literal).is_none()) {
        return false;
    }
    let literals: Vec<&Literal> = body.iter().collect();
    reach(&literals, start, required, None).all_done
}

/// The variables of the border that must be given so that all literals of a part can be evaluated, and all
/// others of the border are found.
fn needed(inside: &[&Literal], border: Variables, required: &Required) -> Option<Variables> {
    let mut given = Variables::default();
    loop {
        let reached = reach(inside, given, required, None);
        let missing = border.without(reached.known);
        let next = match reached.waits_for {
            None => missing.iter().next(),
            Some(wanted) => Variables(wanted.0 & missing.0).iter().next(),
        };
        match next {
            Some(variable) => given.add(variable),
            None => return reached.all_done.then_some(given),
        }
    }
}

struct Reached {
    known: Variables,
    all_done: bool,
    /// What some literal that cannot be evaluated needs.
    waits_for: Option<Variables>,
}

/// Evaluates literals in any order that is possible, beside a part that needs and then binds variables.
fn reach(
    literals: &[&Literal],
    start: Variables,
    required: &Required,
    mut part: Option<(Variables, Variables)>,
) -> Reached {
    let mut known = start;
    let mut left: Vec<&Literal> = literals.to_vec();
    loop {
        let before = left.len() + usize::from(part.is_some());
        if let Some((_, binds)) = part.filter(|(needs, _)| needs.within(known)) {
            known = known.with(binds);
            part = None;
        }
        left.retain(|literal| match binds(literal, known, required) {
            Ok(bound) => {
                known = known.with(bound);
                false
            }
            Err(_) => true,
        });
        if left.len() + usize::from(part.is_some()) == before {
            break;
        }
    }
    let waits_for = left.iter().find_map(|literal| binds(literal, known, required).err());
    Reached { known, all_done: left.is_empty() && part.is_none(), waits_for }
}

/// What a literal binds once it is evaluated, or what it needs before.
fn binds(literal: &Literal, known: Variables, required: &Required) -> Result<Variables, Variables> {
    let own = |p: &Predicate| {
        p.args.iter().map(Variables::of_pattern).fold(Variables::default(), Variables::with)
    };
    let (needs, bound) = match literal {
        Literal::Positive(p) => {
            let flags = required.get(&p.relation).map_or(&[][..], Vec::as_slice);
            let wanted = p.args.iter().zip(flags).filter(|(_, needed)| **needed);
            let needs = wanted.map(|(arg, _)| Variables::of_pattern(arg));
            (needs.fold(Variables::default(), Variables::with), own(p))
        }
        Literal::Negative(p) => (own(p), own(p)),
        Literal::Distinct(a, b) => {
            let both = Variables::of_pattern(a).with(Variables::of_pattern(b));
            (both, both)
        }
        Literal::Same(a, b) => {
            let (a, b) = (Variables::of_pattern(a), Variables::of_pattern(b));
            let side = if b.within(known) { b } else { a };
            (side, a.with(b))
        }
    };
    let missing = needs.without(known);
    if missing == Variables::default() { Ok(bound) } else { Err(missing) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<gdl::normal::Rule> {
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        gdl::normal::normalize(&rules).expect("small").rules
    }

    fn head_of(rule: &gdl::normal::Rule) -> Variables {
        let mut head = Variables::default();
        rule.head.each_variable(&mut |v| head.add(v));
        head
    }

    #[test]
    fn a_variable_that_one_literal_mentions_is_projected_away_first() {
        let rule = &rules("(<= (h ?m) (d ?p (mark ?x ?y)) (distinct ?x ?m) (a ?m))")[0];
        let found = candidates(&rule.body, &[true; 3], head_of(rule));
        let checked = found[0].checked(&rule.body, Variables::default(), &Required::default());
        let checked = checked.expect("evaluable");
        assert_eq!(checked.removed.iter().count(), 2, "the role and the second coordinate");
        assert_eq!(checked.border.iter().count(), 1);
        assert_eq!(checked.needed, Variables::default());
    }

    #[test]
    fn nothing_is_taken_out_where_all_variables_meet() {
        let rule = &rules("(<= (h ?x ?z) (a ?x ?y) (b ?y ?z))")[0];
        assert!(candidates(&rule.body, &[true; 2], head_of(rule)).is_empty());
    }

    #[test]
    fn a_part_whose_needs_nothing_else_binds_is_refused() {
        // Taking v out needs b; if the rest needs c, which the part binds, neither can begin.
        let rule =
            &rules("(<= (h ?z) (a ?v ?c) (distinct ?v ?b) (e ?b ?w) (distinct ?w ?c) (f ?z))")[0];
        let mut required = Required::default();
        let Literal::Positive(e) = &rule.body[2] else { panic!("positive") };
        let found = candidates(&rule.body, &[true; 5], head_of(rule));
        assert!(!found.is_empty());
        assert!(found[0].checked(&rule.body, Variables::default(), &required).is_some());
        required.insert(e.relation, vec![true, false]);
        for elimination in found {
            assert!(elimination.checked(&rule.body, Variables::default(), &required).is_none());
        }
    }
}
