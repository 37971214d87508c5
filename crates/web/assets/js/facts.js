// What no board shows: counters, hands, whose turn it is, anything else that holds, as a tidy table.

import { h } from "./dom.js";
import { Glyphs } from "./glyph.js";
import { swatch } from "./seats.js";

/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./types.js").Fact} Fact */

/** @param {string} text */
const plain = (text) => text.replace(/[()]/g, " ").replace(/\s+/g, " ").trim();

/**
 * Facts by their name, in the order in which they first appear.
 * @param {Fact[]} all
 */
function grouped(all) {
  /** @type {Map<string, Fact[]>} */
  const groups = new Map();
  for (const fact of all) groups.set(fact.name, [...(groups.get(fact.name) ?? []), fact]);
  return groups;
}

/**
 * @param {Position} position
 * @param {string[]} roles
 */
export function facts(position, roles) {
  const glyphs = new Glyphs(roles);
  const rows = [...grouped(position.facts)].map(([name, group]) => {
    const values = group.map((fact) => {
      const args = fact.args.map(plain);
      const shown = fact.args.length === 0 ? "yes" : args.join(" ");
      return h("span", { class: ["fact", fact.kind] }, fact.owner !== null && fact.owner !== undefined && swatch(glyphs, fact.owner), shown);
    });
    return h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, h("div", { class: "fact-list" }, values)));
  });
  if (rows.length === 0) return h("p", { class: "muted small" }, "The boards show everything.");
  return h("table", { class: "facts" }, h("tbody", {}, rows));
}

/**
 * Counters and quantities beside the board, in short.
 * @param {Position} position
 * @param {string[]} roles
 */
export function counters(position, roles) {
  const glyphs = new Glyphs(roles);
  const shown = position.facts.filter((fact) => fact.kind === "counter" || fact.kind === "quantity").slice(0, 12);
  return h("div", { class: "counters" }, shown.map((fact) => h("span", { class: "chip" },
    fact.owner !== null && fact.owner !== undefined && swatch(glyphs, fact.owner), `${fact.name} ${fact.args.map(plain).join(" ")}`)));
}
