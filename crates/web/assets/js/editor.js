// A plain text area over a coloured copy of its text, line numbers, and findings underlined at their place.

import { h, fill, s, withCode } from "./dom.js";
import { highlighted, syntaxOf } from "./highlight.js";

/** @typedef {import("./types.js").Finding} Finding */

const LONG = 60000;

export class Editor {
  /** @param {(text: string) => void} onchange */
  constructor(onchange) {
    this.area = h("textarea", {
      class: "code", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
      "aria-label": "Rules of the game", placeholder: "(role you)\n(init (lamp off))\n…", id: "rules",
    });
    this.paint = h("pre", { class: "code paint", "aria-hidden": "true" });
    this.waves = h("pre", { class: "code waves", "aria-hidden": "true" });
    this.numbers = h("pre", { class: "numbers", "aria-hidden": "true" });
    this.element = h("div", { class: "editor" }, this.numbers, h("div", { class: "pane" }, this.paint, this.waves, this.area));
    /** @type {Finding[]} */
    this.findings = [];
    this.area.addEventListener("input", () => {
      this.findings = [];
      this.draw();
      onchange(this.area.value);
    });
    this.area.addEventListener("scroll", () => this.#follow());
    this.area.addEventListener("keydown", (event) => this.#key(event));
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.findings = [];
    this.draw();
  }

  /** @param {Finding[]} findings */
  mark(findings) {
    this.findings = findings;
    this.draw();
  }

  draw() {
    const text = this.area.value;
    // Very long sheets stay readable without colours; painting each key press would be slow.
    fill(this.paint, text.length > LONG ? text : highlighted(text, syntaxOf(text)), "\n");
    this.#wave(text);
    const lines = text.split("\n").length;
    const worst = new Map(this.findings.map((finding) => [finding.place.line, finding.severity]));
    for (const finding of this.findings) if (finding.severity === "error") worst.set(finding.place.line, "error");
    fill(this.numbers, Array.from({ length: lines }, (_, at) => h("span", { class: worst.get(at + 1) }, `${at + 1}\n`)));
    this.#follow();
  }

  /**
   * Underlines findings in a copy of the text that is otherwise invisible.
   * @param {string} text
   */
  #wave(text) {
    const pieces = [];
    let at = 0;
    const spans = this.findings.map((finding) => ({ ...finding.place, severity: finding.severity })).sort((a, b) => a.start - b.start);
    for (const span of spans) {
      if (span.start < at) continue;
      const end = Math.max(span.end, span.start + 1);
      pieces.push(text.slice(at, span.start), h("u", { class: span.severity }, text.slice(span.start, end) || " "));
      at = Math.min(end, text.length);
    }
    fill(this.waves, pieces, text.slice(at), "\n");
  }

  #follow() {
    const { scrollLeft, scrollTop } = this.area;
    for (const layer of [this.paint, this.waves]) {
      layer.scrollLeft = scrollLeft;
      layer.scrollTop = scrollTop;
    }
    this.numbers.scrollTop = scrollTop;
  }

  /** @param {Finding["place"]} place */
  goTo(place) {
    this.area.focus();
    this.area.setSelectionRange(place.start, place.end);
    const height = Number.parseFloat(getComputedStyle(this.area).lineHeight) || 20;
    this.area.scrollTop = Math.max(0, (place.line - 4) * height);
  }

  /**
   * Tab indents, Escape lets the Tab key leave.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (event.key === "Escape") this.area.blur();
    if (event.key !== "Tab" || event.shiftKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
    this.area.dispatchEvent(new Event("input"));
  }
}

/**
 * A list of findings that lead to their places.
 * @param {Finding[]} findings
 * @param {(place: Finding["place"]) => void} goTo
 */
export function findingList(findings, goTo) {
  return h("ol", { class: "findings" }, findings.slice(0, 200).map((finding) =>
    h("li", { class: finding.severity },
      h("button", { type: "button", class: "finding", onclick: () => goTo(finding.place) },
        s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: finding.severity === "error" ? "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zM7 4h2v5H7zM7 10.500h2v2H7z" : "M8 1.500 15.500 14.500H.5zM7.200 6h1.600v4.500H7.200zM7.200 11.500h1.600V13H7.200z", "fill-rule": "evenodd" })),
        h("span", { class: "where" }, `line ${finding.place.line}`),
        h("span", { class: "what" }, withCode(finding.message), " ", h("span", { class: "muted small" }, finding.code))),
      (finding.hint || finding.why) && h("p", { class: "small muted" }, withCode(finding.hint ?? finding.why ?? "")))));
}
