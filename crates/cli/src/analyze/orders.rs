//! Successor and order relations.

use serde_json::json;
use structure::print::order_text;

use super::page::{code, long, table};
use super::{Findings, Section};

/// The section.
pub fn section(findings: &Findings<'_>) -> Section {
    let symbols = findings.game.universe().symbols();
    let orders = &findings.structures.orders;
    let name = |order: &structure::Order| symbols.name(order.relation.name).to_owned();
    let terms = |order: &structure::Order| -> Vec<String> {
        order.terms().iter().map(|term| term.to_text(symbols)).collect()
    };
    let lines = if orders.is_empty() {
        vec!["none".to_owned()]
    } else {
        orders.iter().map(|order| order_text(order, symbols)).collect()
    };
    let json = orders
        .iter()
        .map(|order| {
            json!({
                "name": name(order), "kind": order.describe(), "total": order.total,
                "cyclic": order.cyclic, "terms": terms(order),
            })
        })
        .collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = orders
        .iter()
        .map(|order| vec![code(&name(order)), order.describe().to_owned(), long(&terms(order))])
        .collect();
    let html = table(&["relation", "kind", "terms"], &rows);
    Section { key: "orders", title: "Orders", lines, json: json!(json), html }
}
