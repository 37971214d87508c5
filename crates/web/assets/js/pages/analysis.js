// What the rules tell about a game: sections that appear as the server finds them out.

import { h, fill } from "../dom.js";
import { api, listen } from "../api.js";
import { SECTIONS } from "../sections.js";
import { Glyphs } from "../glyph.js";

/** @typedef {import("../types.js").Section} Section */

/** The order on the page, whatever the order of arrival. */
const ORDER = ["overview", "position", "structures", "distances", "evaluation", "symmetries", "proofs", "random_play", "traps"];

/** @param {string} kind @param {string} name @param {string} [step] */
async function context(kind, name, step) {
  if (kind === "match") {
    const view = await api.match(name);
    return { wanted: { match: name, step: Number(step ?? view.moves.length) }, title: view.game.title, roles: view.roles, back: `#/match/${encodeURIComponent(name)}`, game: async () => (view.game.library ? { library: view.game.name } : { rules: (await api.record(name)).fluxion.rules, title: view.game.title }) };
  }
  const game = await api.game(name);
  return { wanted: { game: { library: name } }, title: game.title, roles: game.roles, back: `#/game/${encodeURIComponent(name)}`, game: async () => ({ library: name }) };
}

/** @param {string} kind @param {string} name @param {string} [step] */
export async function analysis(kind, name, step) {
  const about = await context(kind, name, step);
  const { id } = await api.analyse(about.wanted);
  const place = h("div", { class: "sections" });
  const state = h("span", { class: "chip live", role: "status", id: "analysis-state" }, "looking …");
  /** @type {Map<string, Section>} */
  const known = new Map();
  const shared = { roles: about.roles, glyphs: new Glyphs(about.roles), /** @type {any} */ position: null, game: about.game };
  const draw = () => {
    shared.position = known.get("position")?.data ?? null;
    const sorted = [...known.values()].sort((a, b) => rank(a.section) - rank(b.section));
    fill(place, sorted.map((section) => card(section, shared)));
  };
  const close = listen(`/analyses/${encodeURIComponent(id)}/events`, {
    section: (section) => {
      known.set(section.section, section);
      draw();
    },
    done: () => {
      state.textContent = "complete";
      state.className = "chip good";
      close();
    },
  });
  const element = h("section", { class: "analysis" },
    h("div", { class: "row apart head-row" },
      h("div", { class: "page-head" }, h("h1", {}, about.title), h("p", {}, "What can be found out from the rules alone, before anybody plays.")),
      h("div", { class: "row" }, state, h("a", { class: "button", href: about.back }, kind === "match" ? "Back to the match" : "Play it"))),
    place);
  return { element, title: `${about.title}, analysed`, leave: close };
}

/** @param {string} section */
const rank = (section) => (ORDER.includes(section) ? ORDER.indexOf(section) : ORDER.length);

/** @param {Section} section @param {import("../sections.js").Shared} shared */
function card(section, shared) {
  const drawer = SECTIONS[section.section] ?? SECTIONS.plain;
  /** @type {any} */
  let body = null;
  if (section.data) {
    try {
      body = drawer(section.data, shared);
    } catch (error) {
      console.error(section.section, error);
    }
  }
  return h("section", { class: ["card", `section-${section.section}`], data: { section: section.section } },
    h("div", { class: "row apart" }, h("h2", {}, section.title), section.seconds > 0.005 && h("span", { class: "small muted" }, `${section.seconds.toFixed(2)} s`)),
    section.note && h("p", { class: "muted small" }, section.note),
    body);
}
