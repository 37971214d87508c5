// A match looked at again: step by step, with the engine's judgement.

import { h, fill, s, toast } from "../dom.js";
import { api } from "../api.js";
import { Glyphs } from "../glyph.js";
import { BoardView } from "../board.js";
import { keyOf } from "../chooser.js";
import { Live } from "../live.js";
import { jointText, plainMove } from "../moves.js";
import { Players, endText } from "../players.js";
import { Preview } from "../preview.js";
import { ThinkingPanel, ValueBar } from "../thinking.js";
import { valueChart, legend } from "../chart.js";
import { facts, counters } from "../facts.js";

/** @typedef {import("../types.js").MatchView} MatchView */
/** @typedef {import("../types.js").Annotation} Annotation */
/** @typedef {import("../types.js").Position} Position */

/** A loss of value worth a mark, in points. */
const MISTAKE = 10;
const BLUNDER = 30;

class ReviewPage {
  slider = h("input", { type: "range", min: 0, value: 0, "aria-label": "Step", id: "slider" });
  stepText = h("p", { class: "status", id: "step-text", "aria-live": "polite" });
  chart = h("div", {});
  list = h("ol", { class: "history tall" });
  facts = h("div", {});
  factsCard = h("details", { class: "card facts-card", open: true }, h("summary", {}, "What holds now"), this.facts);
  counters = h("div", {});
  text = h("p", { class: "small", id: "position-text" });
  progress = h("span", { class: "muted small", role: "status" });
  annotate = h("button", { type: "button", id: "annotate", class: "primary", onclick: () => this.#annotate() }, "Judge it");
  busy = false;

  /** @param {MatchView} view @param {number} step */
  constructor(view, step) {
    this.glyphs = new Glyphs(view.roles);
    this.preview = new Preview(this.glyphs, view.roles, view.id);
    this.board = new BoardView(this.glyphs);
    this.bar = new ValueBar(view.roles, this.glyphs);
    this.players = new Players(this.glyphs, () => undefined);
    this.panel = new ThinkingPanel(view.roles, this.glyphs, this.preview, () => undefined);
    /** @type {Map<number, Promise<{position: Position, thoughts: import("../types.js").Thought[]}>>} */
    this.known = new Map();
    /** @type {Map<number, Annotation>} */
    this.notes = new Map();
    this.at = Math.min(step, view.moves.length);
    this.live = new Live(view, {
      changed: () => this.#all(),
      annotation: (note) => {
        this.notes.set(note.step, note);
        this.#progress();
        this.#side();
      },
      annotated: () => {
        this.busy = false;
        this.#progress();
        this.#side();
      },
      thought: () => undefined,
    });
    this.slider.addEventListener("input", () => void this.go(Number(this.slider.value)));
    this.element = this.#layout(view);
    this.#all();
    this.#progress();
    void this.#annotations();
    this.keys = (/** @type {KeyboardEvent} */ event) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
      if (event.key === "ArrowLeft") void this.go(this.at - 1);
      if (event.key === "ArrowRight") void this.go(this.at + 1);
    };
    addEventListener("keydown", this.keys);
  }

  /** @param {MatchView} view */
  #layout(view) {
    const jump = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ label, /** @type {() => number} */ to) =>
      h("button", { type: "button", id, "aria-label": label, title: label, onclick: () => this.go(to()) }, s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: name })));
    return h("section", { class: "play review" },
      h("div", { class: "row apart match-head" }, h("h1", {}, view.game.title || view.game.name),
        h("div", { class: "row" }, this.progress, this.annotate,
          h("a", { class: "button", id: "download", href: api.recordUrl(view.id), download: `${view.game.name || "match"}-${view.id}.json` }, "Download"),
          h("button", { type: "button", class: "", onclick: () => { location.hash = `#/analysis/match/${encodeURIComponent(view.id)}/${this.at}`; } }, "Analysis"))),
      h("div", { class: "table" },
        h("div", { class: "board-side" }, this.stepText,
          h("div", { class: "board-row" }, this.bar.element, h("div", { class: "arena" }, this.board.element)),
          this.counters,
          h("div", { class: "player-buttons" },
            jump("first", "M3 3h2v10H3zM13 3v10L6 8z", "First step", () => 0), jump("back", "M12 3v10L4 8z", "Back", () => this.at - 1), this.slider,
            jump("forward", "M4 3v10l8-5z", "Forward", () => this.at + 1), jump("end", "M11 3h2v10h-2zM3 3v10l7-5z", "Last step", () => this.live.view.moves.length)),
          h("section", { class: "card later" }, h("h2", {}, "Values"), this.chart)),
        h("aside", { class: "side stack" }, h("div", { class: "card tight" }, this.players.element),
          h("section", { class: "card" }, h("h2", {}, "Moves"), this.list)),
        h("aside", { class: "side far stack" },
          h("section", { class: "card" }, h("h2", {}, "What was thought"), this.panel.element),
          this.factsCard,
          h("details", { class: "card" }, h("summary", {}, "Position as text"), this.text))),
      this.preview.element);
  }

  close() {
    this.live.close();
    this.players.close();
    removeEventListener("keydown", this.keys);
  }

  async #annotations() {
    try {
      const told = await api.annotations(this.live.view.id);
      for (const note of told.steps) this.notes.set(note.step, note);
      this.busy = told.running;
      this.#progress();
      this.#side();
    } catch {
      // Nothing was judged yet.
    }
  }

  async #annotate() {
    this.busy = true;
    this.#progress();
    try {
      await api.act(this.live.view.id, "annotate", { seconds: 1 });
    } catch (error) {
      this.busy = false;
      this.#progress();
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  }

  #progress() {
    const of = this.live.view.moves.length;
    this.annotate.disabled = this.busy === true;
    this.annotate.hidden = !this.live.view.mine;
    this.annotate.textContent = this.notes.size > 0 ? "Judge again" : "Judge it";
    this.annotate.classList.toggle("primary", this.notes.size === 0);
    this.progress.textContent = this.busy ? `judging: ${this.notes.size} of ${of}` : this.notes.size > 0 ? "judged" : "";
  }

  #all() {
    this.slider.max = String(this.live.view.moves.length);
    void this.go(this.at);
  }

  /** @param {number} step */
  #fetch(step) {
    let found = this.known.get(step);
    if (!found) {
      found = api.step(this.live.view.id, step);
      found.catch(() => this.known.delete(step));
      this.known.set(step, found);
    }
    return found;
  }

  /** @param {number} step */
  async go(step) {
    const { view } = this.live;
    this.at = Math.max(0, Math.min(step, view.moves.length));
    const at = this.at;
    this.slider.value = String(at);
    this.#side();
    try {
      const { position, thoughts } = await this.#fetch(at);
      if (at !== this.at) return;
      this.#draw(position);
      if (thoughts.length > 0) this.panel.show(thoughts[thoughts.length - 1]);
      else this.panel.clear();
      if (at < view.moves.length) void this.#fetch(at + 1).catch(() => undefined);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  }

  /** @param {Position} position */
  #draw(position) {
    const { view } = this.live;
    this.board.show(position, true);
    this.board.mark("last", position.changed.map(keyOf));
    const boardless = position.boards.length === 0;
    if (boardless && !this.element.classList.contains("boardless")) this.stepText.after(this.factsCard);
    this.element.classList.toggle("boardless", boardless);
    fill(this.facts, facts(position, view.roles));
    fill(this.counters, counters(position, view.roles));
    this.text.textContent = position.text;
  }

  /** @returns {((number | null)[] | null)[]} */
  #values() {
    const { view } = this.live;
    const kept = Array.from({ length: view.moves.length + 1 }, (_, step) => this.notes.get(step)?.values ?? view.values[step] ?? null);
    if (view.ended?.goals) kept[view.moves.length] = view.ended.goals;
    return kept;
  }

  #side() {
    const { view } = this.live;
    const values = this.#values();
    const last = this.at === view.moves.length;
    const joint = this.at > 0 ? jointText(view.moves[this.at - 1], view.roles) : "The beginning";
    this.stepText.textContent = last && view.ended ? `${joint}. ${endText(view)}` : this.at > 0 ? `${this.at}. ${joint}` : joint;
    this.bar.show(values[this.at]);
    this.players.show(view, last ? null : values[this.at]);
    const drops = new Map([...this.notes.values()].flatMap((note) => {
      const most = Math.max(0, ...(note.drop ?? []).map((one) => one ?? 0));
      return most >= MISTAKE ? [/** @type {[number, number]} */ ([note.step, most])] : [];
    }));
    fill(this.chart, values.some(Boolean) ? [valueChart(values, this.glyphs.paints(), { at: this.at, length: view.moves.length, drops, onstep: (step) => this.go(step) }), legend(view.roles, this.glyphs.paints())]
      : h("p", { class: "muted small" }, "No values are known. “Judge it” finds them."));
    this.#moves(view);
  }

  /** @param {MatchView} view */
  #moves(view) {
    fill(this.list, view.moves.map((joint, at) => {
      const note = this.notes.get(at);
      const drop = Math.max(0, ...(note?.drop ?? []).map((one) => one ?? 0));
      return h("li", {}, h("button", { type: "button", class: "line-move", "aria-current": at + 1 === this.at ? "step" : null, onclick: () => this.go(at + 1) },
        h("span", { class: "muted" }, `${at + 1}. `), jointText(joint, view.roles)),
        drop >= MISTAKE && h("span", { class: ["chip", drop >= BLUNDER ? "bad" : "warn"], title: "how much the value dropped" }, `${drop >= BLUNDER ? "??" : "?"} −${drop.toFixed(0)}`),
        drop >= MISTAKE && note?.best && h("span", { class: "small muted" }, `better: ${plainMove(note.best)}`));
    }));
    const now = this.list.querySelector("[aria-current]");
    if (now instanceof HTMLElement) this.list.scrollTop = now.offsetTop - this.list.clientHeight / 2;
  }
}

/** @param {string} id @param {string} [step] */
export async function review(id, step) {
  const view = await api.match(id);
  const page = new ReviewPage(view, step === undefined ? view.moves.length : Number(step));
  return { element: page.element, title: `${view.game.title}, reviewed`, wide: true, leave: () => page.close() };
}
