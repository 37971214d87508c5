// What the engine thinks: values, candidates, the line it expects, how fast and by which method.

import { h, fill, s } from "./dom.js";
import { plainMove, jointText } from "./moves.js";
import { swatch } from "./seats.js";

/** @typedef {import("./types.js").Thought} Thought */
/** @typedef {import("./types.js").Value} Value */

/** @param {number} number */
export function brief(number) {
  if (!Number.isFinite(number)) return "–";
  const units = ["", " k", " M", " G", " T"];
  let unit = 0;
  while (Math.abs(number) >= 1000 && unit < units.length - 1) {
    number /= 1000;
    unit += 1;
  }
  return `${number >= 100 || unit === 0 ? Math.round(number) : number.toFixed(1)}${units[unit]}`;
}

/** @param {number} bytes */
const memory = (bytes) => (bytes > 0 ? `${brief(bytes).replace(/ $/, "")}B`.replace(/ kB/, " kB") : "–");

/**
 * A bar with the value of each role, for the side of a board.
 * @param {string[]} roles
 */
export class ValueBar {
  /** @param {string[]} roles @param {import("./glyph.js").Glyphs} glyphs */
  constructor(roles, glyphs) {
    this.roles = roles;
    this.parts = roles.map((_, role) => h("span", { class: ["part", glyphs.paint(role)] }, h("b", {})));
    if (roles.length === 1) this.parts.push(h("span", { class: "part rest" }, h("b", {})));
    this.element = h("div", { class: "value-bar", role: "img", "aria-label": "values" }, this.parts);
    this.show(null);
  }

  /** @param {(number | null)[] | null} values */
  show(values) {
    const known = values && values.some((value) => value !== null);
    const shown = this.roles.map((_, role) => (known ? Math.max(0, values?.[role] ?? 0) : 50));
    const parts = this.roles.length === 1 ? [shown[0], 100 - shown[0]] : shown;
    const sum = parts.reduce((all, value) => all + value, 0) || 1;
    parts.forEach((value, at) => {
      const part = this.parts[at];
      part.style.flexGrow = String(sum === 1 ? 1 : Math.max(value / sum, 0.001));
      const text = part.querySelector("b");
      if (text) text.textContent = known && at < shown.length && value >= 8 ? String(Math.round(shown[at])) : "";
    });
    this.element.classList.toggle("unknown", !known);
    this.element.setAttribute("aria-label", known ? `values: ${this.roles.map((role, at) => `${role} ${Math.round(shown[at])}`).join(", ")}` : "no values yet");
  }
}

export class ThinkingPanel {
  /**
   * @param {string[]} roles
   * @param {import("./glyph.js").Glyphs} glyphs
   * @param {import("./preview.js").Preview} preview
   * @param {(move: string | null, role: number) => void} onpeek
   */
  constructor(roles, glyphs, preview, onpeek) {
    this.roles = roles;
    this.glyphs = glyphs;
    this.preview = preview;
    this.onpeek = onpeek;
    /** @type {Thought | null} */
    this.thought = null;
    this.opened = false;
    this.element = h("div", { class: "stack thinking" });
    this.clear();
  }

  clear() {
    this.thought = null;
    fill(this.element, h("p", { class: "muted small" }, "Nothing is being thought about at the moment."));
  }

  /** @param {Thought} thought */
  show(thought) {
    // Under the pointer nothing may move: what is being looked at is replaced when the pointer leaves.
    if (this.thought && this.thought.step === thought.step && this.element.matches(":hover") && !thought.done && this.thought.role === thought.role) {
      this.#numbers(thought);
      return;
    }
    this.thought = thought;
    const what = { move: thought.done ? "thought about its move" : "thinks about its move", hint: "hint", solution: "looks for a solution", annotation: "judges the match" }[thought.for];
    this.numbers = h("dl", { class: "numbers-row" });
    fill(this.element,
      h("div", { class: "row" }, swatch(this.glyphs, thought.role), h("b", {}, this.roles[thought.role]), h("span", { class: "muted small" }, what),
        thought.solved && h("span", { class: "chip good" }, "solved"), !thought.done && h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"))),
      this.numbers,
      this.#line(thought),
      this.#candidates(thought),
      h("p", { class: "small muted why" }, h("b", {}, thought.method), thought.why ? `: ${thought.why}` : ""),
      (thought.findings ?? []).length > 0 && this.#findings(thought.findings ?? []));
    this.#numbers(thought);
  }

  /** @param {Thought} thought */
  #numbers(thought) {
    const pair = (/** @type {string} */ name, /** @type {string} */ value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    if (!this.numbers) return;
    const depth = thought.selective_depth > thought.depth ? `${thought.depth}/${thought.selective_depth}` : String(thought.depth);
    fill(this.numbers, pair("nodes/s", brief(thought.nodes_per_second)), pair("nodes", brief(thought.nodes)), pair("depth", thought.depth > 0 || thought.selective_depth > 0 ? depth : "–"),
      pair("time", `${thought.seconds.toFixed(1)} s`), pair("memory", memory(thought.memory)));
  }

  /** @param {Thought} thought */
  #line(thought) {
    if (thought.line.length === 0) return null;
    const moves = thought.line.slice(0, 24).map((joint, at) => {
      const chip = h("button", { type: "button", class: "line-move" }, jointText(joint, this.roles));
      this.preview.attach(chip, () => ({ step: thought.step, line: thought.line.slice(0, at + 1), caption: `After ${at + 1} ${at === 0 ? "move" : "moves"} of the expected line.` }));
      return chip;
    });
    return h("div", {}, h("h3", {}, "Expected line"), h("div", { class: "pv" }, moves));
  }

  /** @param {string[]} findings */
  #findings(findings) {
    const told = h("details", { class: "small", open: this.opened },
      h("summary", {}, "How it prepared"), h("ul", { class: "plain muted why" }, findings.map((line) => h("li", {}, line))));
    told.addEventListener("toggle", () => { this.opened = told.open; });
    return told;
  }

  /** @param {Thought} thought */
  #candidates(thought) {
    if (thought.candidates.length === 0) return null;
    const most = Math.max(1, ...thought.candidates.map((one) => one.visits));
    const deep = thought.candidates.some((one) => one.depth > 0);
    const rows = thought.candidates.slice(0, 10).map((one) => {
      const proven = one.high - one.low < 0.01;
      const row = h("tr", { tabindex: 0 },
        h("td", { class: "mono" }, plainMove(one.move)),
        h("td", { class: "num" }, one.value.toFixed(1), proven && h("span", { class: "proof", title: "proven" }, " ✓")),
        h("td", { class: "share" }, meter(one.visits / most)),
        h("td", { class: "num" }, deep ? String(one.depth) : brief(one.visits)));
      row.addEventListener("pointerenter", () => this.onpeek(one.move, thought.role));
      row.addEventListener("pointerleave", () => this.onpeek(null, thought.role));
      row.addEventListener("focus", () => this.onpeek(one.move, thought.role));
      row.addEventListener("blur", () => this.onpeek(null, thought.role));
      return row;
    });
    return h("div", { class: "scroll" }, h("table", { class: "candidates" },
      h("thead", {}, h("tr", {}, h("th", {}, "move"), h("th", { class: "num" }, "value"), h("th", {}, ""), h("th", { class: "num" }, deep ? "depth" : "visits"))),
      h("tbody", {}, rows)));
  }
}

/** @param {number} share */
function meter(share) {
  return s("svg", { class: "meter", viewBox: "0 0 60 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "meter-back", width: 60, height: 8, rx: 4 }), s("rect", { class: "meter-fill", width: (60 * Math.max(0.02, share)).toFixed(1), height: 8, rx: 4 }));
}
