//! The domains of the arguments of relations and functions (thesis §5.2.1, §7.4.2).

use std::collections::BTreeMap;

use ground::{Element, Owner, Place};
use serde_json::json;

use super::page::{code, long, table};
use super::{Findings, Section};
use crate::table::columns;

/// The most values listed in the terminal.
const LISTED: usize = 16;

/// The section: places that share a domain stand together.
pub fn section(findings: &Findings<'_>) -> Section {
    let symbols = findings.game.universe().symbols();
    let domains = &findings.structures.domains;
    let text = |element: &Element| match element {
        Element::Constant(name) => symbols.name(*name).to_owned(),
        Element::Function(..) => element.to_text(symbols),
    };
    let mut groups: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
    for place in domains.places() {
        groups.entry(domains.component_of(place).unwrap_or(u32::MAX)).or_default().push(place);
    }
    let (mut rows, mut html_rows, mut json) = (Vec::new(), Vec::new(), Vec::new());
    for places in groups.values() {
        let names: Vec<String> = places.iter().map(|place| place.to_text(symbols)).collect();
        let shared: Vec<String> = places
            .first()
            .map_or(&[][..], |place| domains.shared(*place))
            .iter()
            .map(text)
            .collect();
        rows.push(vec![shortened(&names), shortened(&shared)]);
        html_rows.push(vec![long(&names), shared.len().to_string(), long(&shared)]);
        let own = places.iter().map(|place| {
            let values: Vec<String> = domains.improved(*place).iter().map(text).collect();
            let (kind, name, arity) = match place.owner {
                Owner::Relation(relation) => ("relation", relation.name, relation.arity),
                Owner::Function(name, arity) => ("function", name, arity),
            };
            json!({
                "kind": kind, "name": symbols.name(name), "arity": arity,
                "argument": place.argument + 1, "values": values,
            })
        });
        json.push(json!({ "shared": shared, "places": own.collect::<Vec<_>>() }));
    }
    let lines = columns(&rows, &[]);
    let html = table(&["arguments", "size", "shared domain"], &html_rows) + &improved(findings);
    Section { key: "domains", title: "Domains", lines, json: json!(json), html }
}

/// The improved domains of the arguments of fluents, which are smaller.
fn improved(findings: &Findings<'_>) -> String {
    let symbols = findings.game.universe().symbols();
    let domains = &findings.structures.domains;
    let mut rows = Vec::new();
    for fluent in &findings.structures.fluents {
        for argument in 0..fluent.functor.arity as usize {
            let place = fluent.functor.place(argument);
            let values: Vec<String> = domains
                .improved(place)
                .iter()
                .map(|element| match element {
                    Element::Constant(name) => symbols.name(*name).to_owned(),
                    Element::Function(..) => element.to_text(symbols),
                })
                .collect();
            rows.push(vec![code(&place.to_text(symbols)), values.len().to_string(), long(&values)]);
        }
    }
    format!("<h3>Improved domains of fluents</h3>{}", table(&["argument", "size", "values"], &rows))
}

fn shortened(texts: &[String]) -> String {
    if texts.len() > LISTED {
        return format!("{} … ({})", texts[..LISTED].join(" "), texts.len());
    }
    texts.join(" ")
}
