// One tournament, live: standings, results by game, the latest matches.

import { h, fill, s, toast } from "../dom.js";
import { api, listen } from "../api.js";
import { ago } from "./matches.js";

/**
 * Ratings with their intervals.
 * @param {any[]} standings
 */
function ratings(standings) {
  const known = standings.filter((one) => typeof one.rating === "number");
  if (known.length < 2) return null;
  const low = Math.min(...known.map((one) => one.rating - (one.error ?? 0)));
  const high = Math.max(...known.map((one) => one.rating + (one.error ?? 0)));
  const x = (/** @type {number} */ rating) => `${(2 + ((rating - low) / Math.max(1, high - low)) * 96).toFixed(2)}%`;
  return h("div", { class: "ratings", role: "img", "aria-label": "ratings with their intervals" }, known.map((one) => h("div", { class: "rating" },
    h("span", { class: "name" }, one.player),
    s("svg", { class: "chart", "aria-hidden": "true" },
      s("line", { class: "grid", x1: "0", x2: "100%", y1: 12, y2: 12 }),
      s("line", { class: "span", x1: x(one.rating - (one.error ?? 0)), x2: x(one.rating + (one.error ?? 0)), y1: 12, y2: 12 }),
      s("circle", { class: "point", cx: x(one.rating), cy: 12, r: 5 }, s("title", {}, `${whole(one.rating)} ± ${whole(one.error)}`))))));
}

/** @param {any} value */
const whole = (value) => (typeof value === "number" ? String(Math.round(value)) : "–");

/** @param {any} data */
function standings(data) {
  const head = ["player", "matches", "mean", "rating", "faults"];
  return h("div", { class: "scroll" }, h("table", { id: "standings", class: "compact" }, h("thead", {}, h("tr", {}, head.map((name, at) => h("th", { class: at > 0 && "num" }, name)))),
    h("tbody", {}, data.standings.map((/** @type {any} */ one) => h("tr", {}, h("td", {}, h("b", {}, one.player)),
      [one.matches, Number(one.mean).toFixed(1), [whole(one.rating), h("span", { class: "muted" }, ` ± ${whole(one.error)}`)], one.faults].map((value) => h("td", { class: "num" }, value)))))));
}

/** @param {any} value */
const mean = (value) => (typeof value === "number" ? value.toFixed(1) : "–");

/**
 * Points of each player in each class of games.
 * @param {any} data
 */
function byClass(data) {
  const players = data.standings.map((/** @type {any} */ one) => one.player);
  const head = h("tr", {}, h("th", {}, "class"), ["games", "matches", ...players].map((name) => h("th", { class: "num" }, name)));
  const cell = (/** @type {any} */ points) => h("td", { class: "num" }, points ? [mean(points[0]), h("span", { class: "muted" }, ` ± ${mean(points[1])}`)] : "–");
  const rows = (data.classes ?? []).map((/** @type {any} */ row) => h("tr", {}, h("td", {}, row.name), h("td", { class: "num" }, String(row.games)), h("td", { class: "num" }, String(row.matches)),
    players.map((/** @type {string} */ _, /** @type {number} */ at) => cell(row.points[at]))));
  return h("div", { class: "scroll" }, h("table", { id: "classes", class: "compact" }, h("thead", {}, head), h("tbody", {}, rows)),
    h("p", { class: "muted small" }, "50 points are as good as the others in the same match; with one role the others are those who played the same game."));
}

/**
 * Mean goals of each player in each game.
 * @param {any} data
 * @param {Map<string, string>} titles
 */
function byGame(data, titles) {
  const players = data.standings.map((/** @type {any} */ one) => one.player);
  const head = h("tr", {}, h("th", {}, "game"), ["matches", "steps", ...players].map((name) => h("th", { class: "num" }, name)));
  const rows = data.games.map((/** @type {any} */ game) => h("tr", {}, h("td", {}, titles.get(game.name) ?? game.name), h("td", { class: "num" }, String(game.matches ?? "–")), h("td", { class: "num" }, mean(game.steps)),
    players.map((/** @type {string} */ _, /** @type {number} */ at) => h("td", { class: "num" }, mean(game.means?.[at])))));
  return h("div", { class: "scroll" }, h("table", { class: "compact" }, h("thead", {}, head), h("tbody", {}, rows)));
}

/**
 * Mean goals of each against each.
 * @param {any} data
 */
function against(data) {
  const players = data.standings.map((/** @type {any} */ one) => one.player);
  const pairs = new Map((data.head_to_head ?? []).map((/** @type {any} */ pair) => [`${pair.player}\n${pair.opponent}`, pair]));
  const cell = (/** @type {string} */ player, /** @type {string} */ opponent) => {
    const pair = pairs.get(`${player}\n${opponent}`);
    return h("td", { class: "num", title: pair ? `${pair.matches} matches, ${pair.wins} won, ${pair.even} even` : null }, pair ? mean(pair.mean) : "–");
  };
  return h("div", { class: "scroll" }, h("table", { class: "compact" }, h("thead", {}, h("tr", {}, h("th", {}, "mean against"), players.map((/** @type {string} */ name) => h("th", { class: "num" }, name)))),
    h("tbody", {}, players.map((/** @type {string} */ player) => h("tr", {}, h("td", {}, h("b", {}, player)), players.map((/** @type {string} */ opponent) => cell(player, opponent)))))));
}

/** @param {string} id @param {any} data @param {Map<string, string>} titles */
function latest(id, data, titles) {
  const open = async (/** @type {number} */ number) => {
    try {
      const view = await api.import(JSON.stringify(await api.tournamentRecord(id, number)));
      location.hash = `#/review/${encodeURIComponent(view.id)}`;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  };
  return h("ul", { class: "match-list" }, data.latest.map((/** @type {any} */ one) => h("li", { class: "match-row" },
    h("div", { class: "grow" }, h("span", { class: "title" }, titles.get(one.game) ?? one.game), h("span", { class: "small muted" }, `${one.players.join(" – ")}, ${one.steps} steps`)),
    h("span", { class: "chip" }, (one.goals ?? []).map((/** @type {any} */ goal) => goal ?? "–").join(" – ")), h("span", { class: "small muted when" }, ago(one.ended)),
    h("button", { type: "button", class: "slim", onclick: () => open(one.id) }, "Replay"))));
}

/** @param {string} id */
export async function tournament(id) {
  const place = h("div", { class: "stack" });
  // Games of the library have names for people.
  const titles = new Map((await api.games()).games.map((/** @type {import("../types.js").GameEntry} */ game) => [game.name, game.title]));
  const draw = (/** @type {any} */ data) => fill(place,
    h("div", { class: "row" }, h("span", { class: ["chip", data.running && "live"] }, data.running ? "running" : data.finished >= data.matches ? "finished" : "stopped"),
      h("progress", { max: data.matches, value: data.finished, "aria-label": "played" }), h("span", { class: "muted small" }, `${data.finished} of ${data.matches} matches`)),
    h("div", { class: "halves" },
      h("div", { class: "stack" },
        h("section", { class: "card" }, h("h2", {}, "Standings"), standings(data), ratings(data.standings)),
        h("section", { class: "card" }, h("h2", {}, "By class of games"), byClass(data)),
        h("section", { class: "card" }, h("h2", {}, "Against each other"), against(data)),
        h("section", { class: "card" }, h("h2", {}, "By game"), byGame(data, titles))),
      h("section", { class: "card" }, h("h2", {}, "Latest matches"), latest(id, data, titles))));
  const first = await api.tournament(id);
  draw(first);
  const close = listen(`/tournaments/${encodeURIComponent(id)}/events`, { standings: draw });
  const element = h("section", {}, h("div", { class: "page-head" }, h("h1", {}, first.title)), place);
  return { element, title: first.title, leave: close };
}
