//! Fluent graphs drawn in layers (thesis Figure 6.1), as SVG text.
//!
//! Layers are the steps in which fluents can appear first, from left to right; within a layer, fluents are put near
//! the mean height of those that lead to them (the barycentre rule of Sugiyama, Tagawa and Toda 1981). Of a graph with
//! too many nodes for a picture the part is drawn that leads to the fluent that takes longest.

use std::fmt::Write as _;

use structure::draw::escape;

use crate::graph::FluentGraph;

/// The most nodes of a picture.
const MOST_NODES: usize = 40;
const COLUMN: f64 = 190.0;
const ROW: f64 = 30.0;
const MARGIN: f64 = 14.0;
/// The most characters of a name.
const LONGEST: usize = 20;
/// How often layers are put in order, forth and back.
const SWEEPS: usize = 8;

/// A part of a graph, laid out.
struct Drawing {
    /// The fluents that are drawn.
    nodes: Vec<u32>,
    /// For each of them the layer and the place in it.
    places: Vec<(usize, usize)>,
    /// Edges between the places of nodes.
    edges: Vec<(usize, usize)>,
}

impl FluentGraph {
    /// The graph as SVG, with the names of the fluents and those that hold at the beginning; and whether that is
    /// all of it.
    pub fn svg(&self, names: &[String], holds: &[bool]) -> (String, bool) {
        let levels = self.levels(holds);
        let nodes = self.chosen(&levels);
        let whole = nodes.len() == self.fluent_count();
        let drawing = Drawing::new(self, nodes, &levels);
        (drawing.svg(names, holds), whole)
    }

    /// The fluents to be drawn: all, or the nearest before the one that takes longest to reach, counters aside: there is
    /// only one way to those.
    fn chosen(&self, levels: &[u32]) -> Vec<u32> {
        let count = self.fluent_count();
        if count <= MOST_NODES {
            return (0..count as u32).collect();
        }
        let reachable = (0..count as u32).filter(|f| levels[*f as usize] != u32::MAX);
        let ways = |f: u32| self.sources(f).iter().filter(|source| **source != f).count();
        let rank = |f: &u32| (ways(*f) > 1, levels[*f as usize], std::cmp::Reverse(*f));
        let Some(last) = reachable.max_by_key(rank) else {
            return Vec::new();
        };
        let mut chosen = vec![last];
        let mut at = 0;
        while at < chosen.len() && chosen.len() < MOST_NODES {
            for source in self.sources(chosen[at]) {
                let drawn = (*source as usize) < count && !chosen.contains(source);
                if drawn && chosen.len() < MOST_NODES {
                    chosen.push(*source);
                }
            }
            at += 1;
        }
        chosen.sort_unstable();
        chosen
    }
}

impl Drawing {
    fn new(graph: &FluentGraph, nodes: Vec<u32>, levels: &[u32]) -> Self {
        let place_of = |fluent: &u32| nodes.binary_search(fluent).ok();
        let mut edges = Vec::new();
        for (to, fluent) in nodes.iter().enumerate() {
            edges.extend(graph.sources(*fluent).iter().filter_map(place_of).map(|from| (from, to)));
        }
        let mut used: Vec<u32> = nodes.iter().map(|fluent| levels[*fluent as usize]).collect();
        used.sort_unstable();
        used.dedup();
        let mut layers: Vec<Vec<usize>> = vec![Vec::new(); used.len()];
        for (node, fluent) in nodes.iter().enumerate() {
            let layer = used.binary_search(&levels[*fluent as usize]).unwrap_or(0);
            layers[layer].push(node);
        }
        let mut drawing = Self { places: vec![(0, 0); nodes.len()], nodes, edges };
        drawing.order(&mut layers);
        drawing
    }

    fn order(&mut self, layers: &mut [Vec<usize>]) {
        self.place(layers);
        for sweep in 0..SWEEPS {
            for layer in 0..layers.len() {
                let layer = if sweep % 2 == 0 { layer } else { layers.len() - 1 - layer };
                let mut own: Vec<(f64, usize)> =
                    layers[layer].iter().map(|node| (self.centre(*node), *node)).collect();
                own.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                layers[layer] = own.into_iter().map(|(_, node)| node).collect();
                self.place(layers);
            }
        }
    }

    fn place(&mut self, layers: &[Vec<usize>]) {
        for (layer, own) in layers.iter().enumerate() {
            for (at, node) in own.iter().enumerate() {
                self.places[*node] = (layer, at);
            }
        }
    }

    /// The mean place of the neighbours in other layers.
    fn centre(&self, node: usize) -> f64 {
        let (layer, own) = self.places[node];
        let near = self.edges.iter().filter_map(|(from, to)| match (*from == node, *to == node) {
            (true, false) => Some(self.places[*to]),
            (false, true) => Some(self.places[*from]),
            _ => None,
        });
        let near: Vec<f64> = near.filter(|p| p.0 != layer).map(|p| p.1 as f64).collect();
        if near.is_empty() { own as f64 } else { near.iter().sum::<f64>() / near.len() as f64 }
    }

    fn svg(&self, names: &[String], holds: &[bool]) -> String {
        let layers = self.places.iter().map(|p| p.0 + 1).max().unwrap_or(0);
        let tallest = self.places.iter().map(|p| p.1 + 1).max().unwrap_or(0);
        let width = 2.0 * MARGIN + layers as f64 * COLUMN - 40.0;
        let height = 2.0 * MARGIN + tallest as f64 * ROW;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\" aria-label=\"fluent graph\" class=\"graph\"><title>fluent graph</title>\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"var(--soft,#777)\"/></marker></defs>"
        );
        for edge in &self.edges {
            self.edge(*edge, &mut out);
        }
        for (node, fluent) in self.nodes.iter().enumerate() {
            let name = names.get(*fluent as usize).map_or("", String::as_str);
            let held = holds.get(*fluent as usize).copied().unwrap_or(false);
            self.node(node, name, held, &mut out);
        }
        out.push_str("</svg>");
        out
    }

    fn corner(&self, node: usize) -> (f64, f64) {
        let (layer, at) = self.places[node];
        (MARGIN + layer as f64 * COLUMN, MARGIN + at as f64 * ROW)
    }

    fn node(&self, node: usize, name: &str, holds: bool, out: &mut String) {
        let (x, y) = self.corner(node);
        let fill = if holds { "var(--cell,#f2e9d8)" } else { "var(--panel,#fff)" };
        let short: String = if name.chars().count() > LONGEST {
            name.chars().take(LONGEST - 1).chain(['…']).collect()
        } else {
            name.to_owned()
        };
        let (full, short) = (escape(name), escape(&short));
        let _ = write!(
            out,
            "<g><title>{full}</title><rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{:.0}\" height=\"22\" rx=\"6\" \
             fill=\"{fill}\" stroke=\"var(--soft,#777)\"/><text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\" \
             font-size=\"12\" fill=\"var(--ink,#222)\">{short}</text></g>",
            COLUMN - 54.0,
            x + (COLUMN - 54.0) / 2.0,
            y + 15.5
        );
    }

    fn edge(&self, (from, to): (usize, usize), out: &mut String) {
        let ((x1, y1), (x2, y2)) = (self.corner(from), self.corner(to));
        let wide = COLUMN - 54.0;
        let path = if from == to {
            let (x, y) = (x1 + wide, y1 + 11.0);
            format!(
                "M{x:.0} {:.0}C{:.0} {:.0} {:.0} {:.0} {x:.0} {:.0}",
                y - 5.0,
                x + 22.0,
                y - 16.0,
                x + 22.0,
                y + 16.0,
                y + 5.0
            )
        } else {
            let (a, b) = if x1 <= x2 { (x1 + wide, x2) } else { (x1, x2 + wide) };
            let (a, b) = if (x1 - x2).abs() < 1.0 { (x1, x2) } else { (a, b) };
            let bend = if x1 < x2 { 30.0 } else { -30.0 };
            format!(
                "M{a:.0} {:.0}C{:.0} {:.0} {:.0} {:.0} {b:.0} {:.0}",
                y1 + 11.0,
                a + bend,
                y1 + 11.0,
                b - if (x1 - x2).abs() < 1.0 { -bend } else { bend },
                y2 + 11.0,
                y2 + 11.0
            )
        };
        let _ = write!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"var(--soft,#777)\" stroke-opacity=\"0.55\" marker-end=\"url(#tip)\"/>"
        );
    }
}
