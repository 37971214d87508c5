// Who plays which role, whose turn it is, the clocks, and how it ended.

import { h, fill } from "./dom.js";
import { swatch } from "./seats.js";
import { awaited } from "./live.js";

/** @typedef {import("./types.js").MatchView} MatchView */

/** @param {number} seconds */
function clockText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** @param {import("./types.js").Seat} seat */
function playerName(seat) {
  if (seat.kind === "human") return seat.mine ? "you" : seat.name || "a person";
  if (seat.kind === "open") return "free seat";
  if (seat.kind === "remote") return seat.name || seat.url || "remote";
  return seat.strength ? `${seat.name}, strength ${seat.strength}` : seat.name;
}

export class Players {
  /** @param {import("./glyph.js").Glyphs} glyphs @param {(role: number) => void} onjoin */
  constructor(glyphs, onjoin) {
    this.glyphs = glyphs;
    this.onjoin = onjoin;
    this.element = h("div", { class: "players" });
    /** @type {MatchView | null} */
    this.view = null;
    this.timer = setInterval(() => this.#tick(), 250);
  }

  close() {
    clearInterval(this.timer);
  }

  /** @param {MatchView} view @param {(number | null)[] | null} values */
  show(view, values) {
    this.view = view;
    fill(this.element, view.roles.map((role, at) => this.#one(view, role, at, values?.[at] ?? null)));
    this.#tick();
  }

  /** @param {MatchView} view @param {string} role @param {number} at @param {number | null} value */
  #one(view, role, at, value) {
    const seat = view.seats[at];
    const running = view.state === "running";
    const due = running && awaited(view).includes(at);
    const thinking = running && view.waiting.thinking.includes(at);
    const submitted = running && view.waiting.submitted.includes(at);
    const goal = view.ended?.goals?.[at] ?? null;
    const best = Math.max(...(view.ended?.goals ?? []).map((one) => one ?? 0));
    return h("div", { class: ["player", due && "awaited", goal !== null && goal === best && goal > 0 && "winner"], data: { role: at } },
      swatch(this.glyphs, at),
      h("div", { class: "grow" }, h("div", { class: "role-name" }, role), h("div", { class: "small muted who" }, playerName(seat))),
      thinking && h("span", { class: "dots", title: "thinking" }, h("i"), h("i"), h("i")),
      submitted && h("span", { class: "chip live" }, "move is in"),
      seat.kind === "open" && h("button", { type: "button", class: "slim primary", onclick: () => this.onjoin(at) }, "Join"),
      due && view.waiting.until !== null && h("span", { class: "clock mono", "aria-label": "time left" }, ""),
      goal !== null ? h("span", { class: "goal", title: "result" }, String(goal)) : value !== null && h("span", { class: "value mono", title: "how the engine values it, 0 to 100" }, value.toFixed(0)));
  }

  #tick() {
    const until = this.view?.waiting?.until;
    if (!until) return;
    const left = (until - Date.now()) / 1000;
    for (const clock of this.element.querySelectorAll(".clock")) {
      clock.textContent = clockText(left);
      clock.classList.toggle("hurry", left < 5);
    }
  }
}

/**
 * One line about where the match is.
 * @param {MatchView} view
 * @param {number[]} yours
 */
export function statusText(view, yours) {
  if (view.ended) return endText(view);
  if (view.state === "preparing") return "Getting ready …";
  if (view.paused && view.waiting.thinking.length === 0) return "Paused";
  const names = (/** @type {number[]} */ roles) => roles.map((role) => view.roles[role]).join(", ");
  if (yours.length > 0) {
    if (view.roles.length === 1) return "Your move";
    const others = view.waiting.submitted.filter((role) => !yours.includes(role));
    const told = others.length > 0 ? ` (${names(others)} already moved)` : "";
    return yours.length === 1 ? `Your move, ${names(yours)}${told}` : `Your moves: ${names(yours)}${told}`;
  }
  const mine = view.waiting.submitted.filter((role) => view.seats[role]?.mine);
  const due = awaited(view);
  const waits = due.length > 0 ? due : view.waiting.thinking;
  if (mine.length > 0) return `Your move is in; waiting for ${names(waits) || "the others"}`;
  const free = view.seats.findIndex((seat) => seat.kind === "open");
  if (free >= 0) return `Waiting for somebody to join as ${view.roles[free]}`;
  return waits.length > 0 ? `${names(waits)} to move` : "…";
}

/** @param {MatchView} view */
export function endText(view) {
  const { ended } = view;
  if (!ended) return "";
  if (ended.why === "failed") return `The match failed: ${ended.message ?? "the rules could not be evaluated"}`;
  if (ended.why === "aborted") return "The match was ended early";
  const goals = (ended.goals ?? []).map((goal) => goal ?? 0);
  const resigned = ended.resigned !== null && ended.resigned !== undefined ? `${view.roles[ended.resigned]} resigned. ` : "";
  const stuck = ended.why === "stuck" ? "Nobody can move. " : "";
  if (goals.length === 0) return `${resigned}${stuck}It is over`;
  if (goals.length === 1) return `${stuck}${goals[0] === 100 ? "Solved" : goals[0] > 0 ? "Done" : "Not solved"}: ${goals[0]} points`;
  const best = Math.max(...goals);
  const winners = view.roles.filter((_, at) => goals[at] === best);
  if (winners.length === goals.length) return `${resigned}${stuck}A draw: ${goals.join(" – ")}`;
  const mine = view.seats.some((seat, at) => seat.mine && seat.kind === "human" && goals[at] === best) && view.seats.filter((seat) => seat.mine && seat.kind === "human").length === 1;
  const who = mine && winners.length === 1 ? "You win" : winners.length === 1 ? `${winners[0]} wins` : `${winners.join(" and ")} win`;
  return `${resigned}${stuck}${who}: ${goals.join(" – ")}`;
}
