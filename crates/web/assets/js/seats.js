// Who plays: a row for each role, presets, clocks and strength. Used for games of the library and for own rules.

import { h, fill, s } from "./dom.js";
import { api } from "./api.js";
import { Glyphs } from "./glyph.js";

/** @typedef {import("./types.js").Strategies} Strategies */
/** @typedef {{kind: string, strategy?: string, strength?: number, url?: string}} WantedSeat */

/** @param {Glyphs} glyphs @param {number} role */
export function swatch(glyphs, role) {
  return s("svg", { class: "swatch", viewBox: "-10 -10 20 20", "aria-hidden": "true" },
    s("g", { class: ["piece", glyphs.paint(role)] }, s("circle", { class: "body", r: 8.5 })));
}

/**
 * Fields of a strategy's options, shown on demand.
 * @param {import("./types.js").StrategyEntry} entry
 */
function optionFields(entry) {
  return entry.options.map((option) => {
    const input = option.kind === "choice" || option.kind === "switch"
      ? h("select", { data: { key: option.key } }, (option.choices ?? ["on", "off"]).map((choice) => h("option", { value: choice, selected: choice === option.default }, choice)))
      : h("input", { data: { key: option.key }, placeholder: option.default, inputmode: "decimal" });
    return h("label", { class: "field", title: option.help }, option.key, input, h("span", { class: "small help" }, option.help));
  });
}

class SeatRow {
  /**
   * @param {string} name
   * @param {number} role
   * @param {Glyphs} glyphs
   * @param {Strategies} strategies
   * @param {{remote_players: boolean, strength: {least: number, most: number, default: number}}} status
   * @param {number} roles how many there are
   */
  constructor(name, role, glyphs, strategies, status, roles) {
    this.strategies = strategies;
    // What is said of a strategy is said once; among many seats it would be said too often.
    this.several = roles > 2;
    this.usual = roles === 1 ? strategies.default.one_role : strategies.default.several_roles;
    this.kind = h("select", { "aria-label": `who plays ${name}`, data: { role } },
      h("option", { value: "human" }, "You"),
      h("optgroup", { label: "Fluxion" }, strategies.strategies.map((entry) => h("option", { value: `strategy:${entry.name}` }, entry.name))),
      h("optgroup", { label: "Elsewhere" },
        h("option", { value: "open" }, "Whoever joins"),
        status.remote_players && h("option", { value: "remote" }, "A player at a URL")));
    const { least, most, default: usual } = status.strength;
    this.strength = h("input", { type: "range", min: least, max: most, step: 1, value: usual, "aria-label": `strength of ${name}` });
    this.told = h("output", { class: "small muted" }, "");
    this.url = h("input", { type: "url", placeholder: "http://localhost:9147", "aria-label": `address of ${name}` });
    this.more = h("div", { class: "seat-more" });
    this.options = h("details", { class: "small" });
    this.element = h("div", { class: "seat" },
      h("div", { class: "seat-head" }, swatch(glyphs, role), h("span", { class: "grow role-name" }, name), this.kind), this.more);
    this.kind.addEventListener("change", () => this.#show());
    this.strength.addEventListener("input", () => this.#tell(most));
    this.most = most;
    this.#show();
  }

  /** @param {number} most */
  #tell(most) {
    const value = Number(this.strength.value);
    this.told.textContent = value >= most ? "full strength" : `strength ${value}`;
  }

  #show() {
    const [kind, name] = this.kind.value.split(":");
    const entry = this.strategies.strategies.find((one) => one.name === name);
    if (kind === "strategy" && entry) {
      this.#tell(this.most);
      const about = h("p", { class: "small muted" }, entry.summary);
      fill(this.options, h("summary", {}, "Options"), h("div", { class: "options" }, this.several && about, optionFields(entry)));
      fill(this.more, !this.several && about,
        entry.has_strength && h("div", { class: "strength" }, this.strength, this.told), entry.options.length > 0 && this.options);
    } else fill(this.more, kind === "remote" && [this.url, h("p", { class: "small muted" }, "Players elsewhere leave a match of which they hear nothing for long; so it is played with clocks.")]);
  }

  /** @param {"human" | "machine"} who */
  give(who) {
    this.kind.value = who === "human" ? "human" : `strategy:${this.usual}`;
    this.#show();
  }

  /** @returns {WantedSeat} */
  wanted() {
    const [kind, name] = this.kind.value.split(":");
    if (kind === "remote") return { kind, url: this.url.value.trim() };
    if (kind !== "strategy") return { kind };
    const options = [...this.options.querySelectorAll("[data-key]")].flatMap((field) => {
      const { value } = /** @type {HTMLInputElement | HTMLSelectElement} */ (field);
      const key = field.getAttribute("data-key");
      const usual = this.strategies.strategies.find((one) => one.name === name)?.options.find((option) => option.key === key)?.default;
      return value === "" || value === usual ? [] : [`${key}=${value}`];
    });
    const strategy = options.length > 0 ? `${name}:${options.join(",")}` : name;
    const strength = Number(this.strength.value);
    const entry = this.strategies.strategies.find((one) => one.name === name);
    return entry?.has_strength && strength < this.most ? { kind, strategy, strength } : { kind, strategy };
  }
}

/** How long and with which clocks. */
function clockFields() {
  const on = h("input", { type: "checkbox", id: "clocks-on" });
  const start = h("input", { type: "number", min: 1, max: 600, value: 10, id: "start-clock" });
  const play = h("input", { type: "number", min: 1, max: 600, value: 15, id: "play-clock" });
  const think = h("input", { type: "number", min: 0.1, max: 60, step: 0.1, value: 2, id: "think" });
  const timed = h("div", { class: "two" }, h("label", { class: "field" }, "To prepare (s)", start), h("label", { class: "field" }, "Per move (s)", play));
  const free = h("label", { class: "field" }, "Seconds it thinks per move", think);
  const place = h("div", {}, free);
  const show = () => fill(place, on.checked ? timed : free);
  on.addEventListener("change", show);
  return {
    insist: () => {
      on.checked = true;
      show();
    },
    element: h("div", { class: "stack clocks" }, h("label", { class: "check" }, on, "Play with clocks"), place),
    wanted: () => (on.checked ? { clocks: { start: Number(start.value), play: Number(play.value) } } : { think: Number(think.value) }),
  };
}

/** @param {string[]} roles @returns {[string, ("human" | "machine")[]][]} */
function presets(roles) {
  const all = (/** @type {"human" | "machine"} */ who) => roles.map(() => who);
  if (roles.length === 1) return [["Solve it yourself", all("human")], ["Watch", all("machine")]];
  const found = roles.map((role, me) => /** @type {[string, ("human" | "machine")[]]} */ ([`Be ${role}`, roles.map((_, at) => (at === me ? "human" : "machine"))]));
  return [...found.slice(0, 6), [roles.length === 2 ? "Both sides" : "All sides", all("human")], ["Watch", all("machine")]];
}

/**
 * The form that starts a match.
 * @param {string[]} roles
 * @param {() => object} game what the match is about, as the API wants it
 * @returns {Promise<{element: HTMLElement}>}
 */
export async function seatForm(roles, game) {
  const [strategies, status] = await Promise.all([api.strategies(), api.status()]);
  const glyphs = new Glyphs(roles);
  const rows = roles.map((role, at) => new SeatRow(role, at, glyphs, strategies, status, roles.length));
  const clocks = clockFields();
  const message = h("p", { class: "bad-text", role: "alert" });
  const quick = h("div", { class: "segments wrap", role: "group", "aria-label": "Who plays" });
  const give = (/** @type {("human" | "machine")[]} */ seats) => rows.forEach((row, at) => row.give(seats[at]));
  fill(quick, presets(roles).map(([name, seats], at) => h("button", {
    type: "button", "aria-pressed": String(at === 0), onclick: (/** @type {Event} */ event) => {
      give(seats);
      for (const button of quick.children) button.setAttribute("aria-pressed", String(button === event.currentTarget));
    },
  }, name)));
  give(presets(roles)[0][1]);
  const start = h("button", { type: "submit", class: "primary large", id: "start" }, roles.length === 1 ? "Begin" : "Play");
  const form = h("form", { class: "stack seat-form" }, quick, h("div", { class: "seats" }, rows.map((row) => row.element)), clocks.element, message, start);
  form.addEventListener("change", (event) => {
    if (!(event.target instanceof HTMLSelectElement) || !event.target.dataset.role) return;
    for (const button of quick.children) button.setAttribute("aria-pressed", "false");
    if (event.target.value === "remote") clocks.insist();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    start.disabled = true;
    message.textContent = "";
    try {
      const view = await api.create({ game: game(), seats: rows.map((row) => row.wanted()), ...clocks.wanted() });
      location.hash = `#/match/${encodeURIComponent(view.id)}`;
    } catch (error) {
      message.textContent = error instanceof Error ? error.message : String(error);
      start.disabled = false;
    }
  });
  return { element: form };
}
