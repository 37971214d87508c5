// Lines over the steps of a match, and small histograms: hand-made SVG that takes its colours from the page.

import { h, s } from "./dom.js";

const WIDTH = 420;
const HEIGHT = 130;
const LEFT = 30;
const TOP = 8;
const BELOW = 20;

/**
 * Values of all roles over the steps.
 * @param {((number | null)[] | null)[]} values
 * @param {string[]} paints the class that colours each role, as its pieces
 * @param {{at?: number, length?: number, drops?: Map<number, number>, onstep?: (step: number) => void}} [options]
 */
export function valueChart(values, paints, options = {}) {
  const steps = Math.max(options.length ?? 0, values.length - 1, 1);
  const x = (/** @type {number} */ step) => LEFT + (step / steps) * (WIDTH - LEFT - 8);
  const y = (/** @type {number} */ value) => TOP + (1 - value / 100) * (HEIGHT - TOP - BELOW);
  const grid = [0, 50, 100].map((value) => s("g", {},
    s("line", { class: "grid", x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value) }),
    s("text", { class: "axis", x: LEFT - 6, y: y(value) + 3.5, "text-anchor": "end" }, String(value))));
  const every = Math.max(1, Math.ceil(steps / 8));
  const ticks = Array.from({ length: Math.floor(steps / every) + 1 }, (_, at) => s("text", { class: "axis", x: x(at * every), y: HEIGHT - 4, "text-anchor": "middle" }, String(at * every)));
  // With two roles and a constant sum the second line says nothing new, but it is what people look for.
  const lines = paints.map((paint, role) => {
    const points = values.flatMap((row, step) => (row && row[role] !== null && row[role] !== undefined ? [`${x(step).toFixed(1)},${y(/** @type {number} */ (row[role])).toFixed(1)}`] : []));
    const dots = points.length <= 40 ? points.map((point) => s("circle", { cx: point.split(",")[0], cy: point.split(",")[1], r: 2.4, class: `line-dot ${paint}` })) : [];
    return s("g", {}, s("polyline", { class: `line d${role % 4} ${paint}`, points: points.join(" ") }), dots);
  });
  const drops = [...(options.drops ?? [])].map(([step, size]) => s("path", { class: "drop", d: `M${x(step)} ${HEIGHT - BELOW - 1}l5 -8h-10z` }, s("title", {}, `step ${step}: the value drops by ${size.toFixed(0)}`)));
  const at = options.at === undefined ? null : s("line", { class: "now", x1: x(options.at), x2: x(options.at), y1: TOP, y2: HEIGHT - BELOW });
  const chart = s("svg", {
    class: ["chart", options.onstep && "answering"], viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
    "aria-label": `values over ${steps} steps`,
  }, grid, ticks, at, lines, drops);
  if (options.onstep) {
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      const along = ((event.clientX - box.left) / box.width) * WIDTH;
      options.onstep?.(Math.max(0, Math.min(steps, Math.round(((along - LEFT) / (WIDTH - LEFT - 8)) * steps))));
    });
  }
  return chart;
}

/**
 * Names of lines, for charts of values.
 * @param {string[]} roles
 * @param {string[]} paints
 */
export function legend(roles, paints) {
  const sample = (/** @type {number} */ at) => s("svg", { class: "sample chart", viewBox: "0 0 26 8", "aria-hidden": "true" },
    s("line", { class: `line d${at % 4} ${paints[at]}`, x1: 1, x2: 25, y1: 4, y2: 4 }));
  return h("div", { class: "legend small" }, roles.map((role, at) => h("span", {}, sample(at), role)));
}

/**
 * Bars with numbers below.
 * @param {[number, number][]} pairs value and how often
 * @param {string} label
 * @param {string} [cls]
 */
export function histogram(pairs, label, cls = "") {
  const most = Math.max(1, ...pairs.map(([, count]) => count));
  const total = pairs.reduce((sum, [, count]) => sum + count, 0) || 1;
  const wide = Math.min(46, (WIDTH - 12) / Math.max(1, pairs.length));
  const every = Math.ceil(pairs.length / 12);
  const bars = pairs.map(([value, count], at) => {
    const height = (count / most) * 84;
    return s("g", {}, s("title", {}, `${value}: ${((count / total) * 100).toFixed(1)} %`),
      s("rect", { class: `bar ${cls}`, x: 6 + at * wide + wide * 0.1, y: 96 - height, width: wide * 0.8, height: Math.max(height, 0.6), rx: Math.min(3, wide * 0.2) }),
      at % every === 0 && s("text", { class: "axis", x: 6 + (at + 0.5) * wide, y: 111, "text-anchor": "middle" }, String(value)));
  });
  return s("svg", { class: "chart histogram", viewBox: `0 0 ${WIDTH} 116`, role: "img", "aria-label": label }, bars);
}

/**
 * A line without roles, such as choices by step.
 * @param {number[]} numbers
 * @param {string} label
 */
export function plainLine(numbers, label) {
  const most = Math.max(1, ...numbers);
  const x = (/** @type {number} */ at) => LEFT + (at / Math.max(1, numbers.length - 1)) * (WIDTH - LEFT - 8);
  const y = (/** @type {number} */ value) => TOP + (1 - value / most) * (HEIGHT - TOP - BELOW);
  const every = Math.max(1, Math.ceil(numbers.length / 10));
  return s("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    [0, most / 2, most].map((value) => s("g", {}, s("line", { class: "grid", x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value) }),
      s("text", { class: "axis", x: LEFT - 6, y: y(value) + 3.5, "text-anchor": "end" }, value.toFixed(most < 4 ? 1 : 0)))),
    numbers.map((_, at) => (at % every === 0 ? s("text", { class: "axis", x: x(at), y: HEIGHT - 4, "text-anchor": "middle" }, String(at)) : null)),
    s("polyline", { class: "line one", points: numbers.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
}
