//! Plots as SVG, written by hand: two kinds do not need a library.

use std::fmt::Write as _;

use protocol::xml::escape;

use super::summary::Standing;

const WIDTH: f64 = 720.0;
const ROW: f64 = 26.0;
const LEFT: f64 = 180.0;
const COLORS: [&str; 8] =
    ["#2b6cb0", "#c05621", "#2f855a", "#b83280", "#6b46c1", "#718096", "#b7791f", "#c53030"];

/// Ratings with their intervals, one line for each player.
pub(super) fn ratings(standings: &[Standing]) -> String {
    let low = standings.iter().map(|s| s.elo - s.plus_minus).fold(0.0, f64::min) - 20.0;
    let high = standings.iter().map(|s| s.elo + s.plus_minus).fold(0.0, f64::max) + 20.0;
    let x = |elo: f64| LEFT + (elo - low) / (high - low) * (WIDTH - LEFT - 20.0);
    let height = ROW * standings.len() as f64 + 30.0;
    let mut svg = open(height, "Ratings with 95% intervals");
    let bottom = height - 22.0;
    let zero = x(0.0);
    let _ =
        write!(svg, "<line x1='{zero:.1}' y1='4' x2='{zero:.1}' y2='{bottom:.1}' class='axis'/>");
    for elo in ticks(low, high) {
        let at = x(elo);
        let y = height - 6.0;
        let _ = write!(
            svg,
            "<text x='{at:.1}' y='{y:.1}' class='tick' text-anchor='middle'>{elo:.0}</text>"
        );
    }
    for (row, standing) in standings.iter().enumerate() {
        let y = ROW * (row as f64 + 0.5) + 4.0;
        let (from, to) =
            (x(standing.elo - standing.plus_minus), x(standing.elo + standing.plus_minus));
        let (name, at) = (escape(&standing.name), x(standing.elo));
        let color = COLORS[row % COLORS.len()];
        let base = y + 4.0;
        let _ = write!(
            svg,
            "<text x='{:.1}' y='{base:.1}' text-anchor='end'>{name}</text>\
             <line x1='{from:.1}' y1='{y:.1}' x2='{to:.1}' y2='{y:.1}' stroke='{color}' stroke-width='3'/>\
             <circle cx='{at:.1}' cy='{y:.1}' r='5' fill='{color}'><title>{name}: {:.0} ± {:.0}</title></circle>",
            LEFT - 10.0,
            standing.elo,
            standing.plus_minus
        );
    }
    svg.push_str("</svg>");
    svg
}

/// The running mean of each player's results over its matches.
pub(super) fn courses(names: &[&str], results: &[Vec<i64>]) -> String {
    let (height, top, bottom) = (260.0, 10.0, 230.0);
    let longest = results.iter().map(Vec::len).max().unwrap_or(0).max(2);
    let mut svg = open(height, "Mean result over the matches");
    let y = |mean: f64| bottom - mean / 100.0 * (bottom - top);
    for goal in [0.0, 50.0, 100.0] {
        let at = y(goal);
        let _ = write!(
            svg,
            "<line x1='40' y1='{at:.1}' x2='{:.1}' y2='{at:.1}' class='grid'/>\
             <text x='34' y='{:.1}' class='tick' text-anchor='end'>{goal:.0}</text>",
            WIDTH - LEFT,
            at + 4.0
        );
    }
    for (row, (name, results)) in names.iter().zip(results).enumerate() {
        let color = COLORS[row % COLORS.len()];
        let mut sum = 0.0;
        let points: Vec<String> = results
            .iter()
            .enumerate()
            .map(|(at, goal)| {
                sum += *goal as f64;
                let x = 40.0 + at as f64 / (longest - 1) as f64 * (WIDTH - LEFT - 40.0);
                format!("{x:.1},{:.1}", y((sum / (at + 1) as f64).clamp(0.0, 100.0)))
            })
            .collect();
        let _ = write!(
            svg,
            "<polyline points='{}' fill='none' stroke='{color}' stroke-width='2'/>\
             <text x='{:.1}' y='{:.1}' fill='{color}'>{}</text>",
            points.join(" "),
            WIDTH - LEFT + 12.0,
            top + 12.0 + 18.0 * row as f64,
            escape(name)
        );
    }
    svg.push_str("</svg>");
    svg
}

fn open(height: f64, title: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' \
         height='{height}' role='img'><title>{title}</title>"
    )
}

/// Round numbers between two bounds, about six of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low).max(1.0) / 6.0;
    let ten = 10.0_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * ten).find(|s| *s >= rough).unwrap_or(ten);
    let first = (low / step).ceil() as i64;
    (first..=first + 12).map(|k| k as f64 * step).filter(|tick| *tick <= high).collect()
}
