// One game of the library: its board, what it is about, its rules, and who shall play.

import { h, fill } from "../dom.js";
import { api } from "../api.js";
import { Glyphs } from "../glyph.js";
import { BoardView } from "../board.js";
import { highlighted } from "../highlight.js";
import { seatForm } from "../seats.js";
import { facts } from "../facts.js";

/** @param {{kif: string, prolog: string}} rules @param {string} title */
function rulesCard(rules, title) {
  const text = h("pre", { class: "sheet", tabindex: 0 });
  const show = (/** @type {"kif" | "prolog"} */ syntax) => fill(text, highlighted(rules[syntax], syntax));
  const switcher = h("div", { class: "segments", role: "group", "aria-label": "Syntax" }, /** @type {const} */ (["kif", "prolog"]).map((syntax) =>
    h("button", {
      type: "button", "aria-pressed": String(syntax === "kif"), onclick: (/** @type {Event} */ event) => {
        show(syntax);
        for (const button of switcher.children) button.setAttribute("aria-pressed", String(button === event.currentTarget));
      },
    }, syntax === "kif" ? "KIF" : "Prolog")));
  show("kif");
  const change = () => {
    sessionStorage.setItem("fluxion-rules", rules.kif);
    sessionStorage.setItem("fluxion-title", `${title}, changed`);
  };
  return h("details", { class: "card rules-card" }, h("summary", {}, "The rules"),
    h("div", { class: "row apart" }, switcher, h("a", { class: "button", href: "#/rules", onclick: change }, "Change them")), text);
}

/**
 * Shows the initial position: its boards, or what holds where there are none.
 * @param {HTMLElement} place
 * @param {import("../types.js").Position} position
 * @param {string[]} roles
 */
function begin(place, position, roles) {
  if (position.boards.length === 0) {
    place.replaceWith(h("div", { class: "card" }, h("h2", {}, "How it begins"), facts(position, roles)));
    return;
  }
  const view = new BoardView(new Glyphs(roles));
  view.show(position, false);
  fill(place, view.element);
}

/** @param {string} name */
export async function setup(name) {
  const game = await api.game(name);
  const form = await seatForm(game.roles, () => ({ library: name }));
  const start = h("div", { class: "setup-board" }, h("p", { class: "sketch" }, "Finding the board in the rules …"));
  // The page does not wait for the board: large games take a while.
  api.initial(name).then((position) => begin(start, position, game.roles), () => start.remove());
  const about = String(game.description ?? "").split(/\n\s*\n/).filter(Boolean);
  const element = h("section", { class: "setup" },
    h("div", { class: "stack" },
      h("div", { class: "page-head" },
        h("h1", {}, game.title),
        h("div", { class: "row" }, [...game.class, game.size].filter(Boolean).map((word) => h("span", { class: "chip" }, word)))),
      start,
      h("div", { class: "prose" }, about.map((text) => h("p", {}, text)), game.source && h("p", { class: "muted small" }, `Source: ${game.source}`)),
      game.rules && rulesCard(game.rules, game.title)),
    h("aside", { class: "stack" },
      h("div", { class: "card" }, h("h2", {}, "Who plays?"), form.element),
      h("a", { class: "button", href: `#/analysis/game/${encodeURIComponent(name)}` }, "What the rules tell: analysis")));
  return { element, title: game.title };
}
