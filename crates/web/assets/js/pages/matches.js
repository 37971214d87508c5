// All matches that are kept: go on with one, review it, bring one in from a file.

import { h, fill, toast } from "../dom.js";
import { api } from "../api.js";

/** @typedef {import("../types.js").MatchEntry} MatchEntry */

/** @param {number} time */
export function ago(time) {
  const seconds = Math.max(0, (Date.now() - time) / 1000);
  const units = /** @type {[number, string][]} */ ([[86400, "day"], [3600, "hour"], [60, "minute"]]);
  const unit = units.find(([size]) => seconds >= size);
  if (!unit) return "just now";
  const count = Math.floor(seconds / unit[0]);
  return `${count} ${unit[1]}${count === 1 ? "" : "s"} ago`;
}

/** @param {MatchEntry} match @param {() => void} onforget */
function row(match, onforget) {
  const over = match.state === "over";
  const href = over ? `#/review/${encodeURIComponent(match.id)}` : `#/match/${encodeURIComponent(match.id)}`;
  return h("li", { class: "match-row" },
    h("a", { href, class: "grow" },
      h("span", { class: "title" }, match.game.title || match.game.name),
      h("span", { class: "small muted" }, match.roles.map((role, at) => `${role}: ${match.players[at] ?? "?"}`).join(" · "))),
    h("span", { class: ["chip", over ? "" : "live"] }, over ? (match.goals ? match.goals.map((goal) => goal ?? "–").join(" – ") : "over") : `step ${match.step}`),
    match.imported && h("span", { class: "chip" }, "from a file"),
    h("span", { class: "small muted when" }, ago(match.changed)),
    match.mine && h("button", { type: "button", class: "icon", "aria-label": `Forget ${match.game.title}`, title: "Forget it", onclick: onforget }, "×"));
}

export async function matches() {
  const list = h("div", { class: "stack" });
  let mine = false;
  const load = async () => {
    const { matches: all } = await api.matches(mine ? "?mine=true" : "");
    const group = (/** @type {string} */ title, /** @type {MatchEntry[]} */ found) => found.length > 0 && h("section", { class: "card" }, h("h2", {}, title),
      h("ul", { class: "match-list" }, found.map((match) => row(match, async () => {
        try {
          await api.forget(match.id);
        } catch (error) {
          toast(error instanceof Error ? error.message : String(error), "bad");
        }
        await load();
      }))));
    const running = all.filter((match) => match.state !== "over");
    const over = all.filter((match) => match.state === "over");
    fill(list, group("Going on", running), group("Over", over),
      all.length === 0 && h("div", { class: "empty card" }, h("p", {}, "No matches yet."), h("a", { class: "button primary", href: "#/" }, "Choose a game")));
  };
  await load();
  const file = h("input", { type: "file", accept: ".json,application/json", class: "unseen", id: "record-file", tabindex: -1 });
  file.addEventListener("change", async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    try {
      const view = await api.import(await chosen.text());
      location.hash = `#/review/${encodeURIComponent(view.id)}`;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  });
  const filter = h("div", { class: "segments", role: "group", "aria-label": "Whose matches" }, [["All", false], ["Mine", true]].map(([name, only]) => h("button", {
    type: "button", "aria-pressed": String(only === mine), onclick: (/** @type {Event} */ event) => {
      mine = Boolean(only);
      for (const button of filter.children) button.setAttribute("aria-pressed", String(button === event.currentTarget));
      void load();
    },
  }, String(name))));
  const timer = setInterval(() => { if (!document.hidden) load().catch(() => undefined); }, 10000);
  const element = h("section", {},
    h("div", { class: "row apart head-row" }, h("div", { class: "page-head" }, h("h1", {}, "Matches"), h("p", {}, "Everything that was played here is kept until you forget it.")),
      h("div", { class: "row" }, filter, h("button", { type: "button", onclick: () => file.click() }, "Open a record"), file)),
    list);
  return { element, title: "Matches", leave: () => clearInterval(timer) };
}
