// Tournaments that this server knows.

import { h } from "../dom.js";
import { api } from "../api.js";
import { ago } from "./matches.js";

export async function tournaments() {
  const { tournaments: all } = await api.tournaments();
  const rows = all.map((/** @type {any} */ one) => h("li", { class: "match-row" },
    h("a", { class: "grow", href: `#/tournament/${encodeURIComponent(one.id)}` }, h("span", { class: "title" }, one.title),
      h("span", { class: "small muted" }, `${one.finished} of ${one.matches} matches`)),
    h("progress", { max: one.matches, value: one.finished, "aria-label": "played" }),
    h("span", { class: ["chip", one.running && "live"] }, one.running ? "running" : one.finished >= one.matches ? "finished" : "stopped"),
    h("span", { class: "small muted when" }, ago(one.changed))));
  const element = h("section", {},
    h("div", { class: "page-head" }, h("h1", {}, "Tournaments"), h("p", {}, "Strategies and players against each other, with ratings.")),
    rows.length > 0 ? h("div", { class: "card" }, h("ul", { class: "match-list" }, rows))
      : h("div", { class: "card empty" }, h("p", {}, "No tournament was found."),
        h("p", { class: "muted" }, "Run one with ", h("code", {}, "fluxion tournament run FILE.toml"), " and start the page with ", h("code", {}, "fluxion web --tournaments FOLDER"), ".")));
  return { element, title: "Tournaments" };
}
