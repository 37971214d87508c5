// A match that is being played or watched.

import { h, fill, toast } from "../dom.js";
import { api, ApiError } from "../api.js";
import { Glyphs } from "../glyph.js";
import { Arena } from "../arena.js";
import { Live } from "../live.js";
import { MoveList, jointText, plainMove } from "../moves.js";
import { Players, statusText } from "../players.js";
import { Preview } from "../preview.js";
import { ThinkingPanel, ValueBar } from "../thinking.js";
import { valueChart, legend } from "../chart.js";
import { facts, counters } from "../facts.js";

/** @typedef {import("../types.js").MatchView} MatchView */
/** @typedef {import("../types.js").LegalMove} LegalMove */
/** @typedef {import("../types.js").Thought} Thought */

/**
 * Words of moves that the arrow keys stand for.
 * @type {Record<string, string[]>}
 */
const DIRECTIONS = { ArrowUp: ["north", "up", "n"], ArrowDown: ["south", "down", "s"], ArrowLeft: ["west", "left", "w"], ArrowRight: ["east", "right", "e"] };

class PlayPage {
  status = h("p", { class: "status", id: "status", role: "status", "aria-live": "polite" });
  tools = h("div", { class: "tools row" });
  tabs = h("div", { class: "segments wrap", role: "group", "aria-label": "Move for" });
  boardRow = h("div", { class: "board-row" });
  sketch = h("p", { class: "sketch", hidden: true }, "Finding the board in the rules …", h("br"), "The moves are in the list already.");
  chart = h("div", {});
  history = h("ol", { class: "history" });
  facts = h("div", {});
  factsCard = h("details", { class: "card facts-card", open: true }, h("summary", {}, "What holds now"), this.facts);
  text = h("p", { class: "small", id: "position-text" });
  counters = h("div", {});
  solutionCard = h("div", { class: "card", hidden: true });
  heading = h("div", { class: "row apart match-head" });
  /** @type {LegalMove[]} */
  moves = [];
  stepShown = -1;

  /** @param {MatchView} view */
  constructor(view) {
    const { roles } = view;
    this.glyphs = new Glyphs(roles);
    this.preview = new Preview(this.glyphs, roles, view.id);
    this.arena = new Arena(this.glyphs, (move) => this.#play(move), (among) => this.#fit(among));
    this.list = new MoveList((move) => this.#play(move), (move) => this.arena.peek(move));
    this.players = new Players(this.glyphs, (role) => this.#act("join", { role }));
    this.bar = new ValueBar(roles, this.glyphs);
    this.panel = new ThinkingPanel(roles, this.glyphs, this.preview, (move, role) => this.#peekMove(move, role));
    this.role = 0;
    this.sending = false;
    /** @type {string[] | null} */
    this.solution = null;
    this.movesCard = h("section", { class: "card", "aria-label": "Your move" }, h("h2", {}, "Moves"), this.tabs, this.list.element);
    this.element = this.#layout();
    this.live = new Live(view, {
      changed: (animate) => this.#show(animate),
      thought: (thought) => this.#thought(thought),
      hint: (data) => this.#hint(data),
      solution: (data) => this.#solved(data),
      fault: (data) => toast(`${roles[data.role]} ${data.what.startsWith("TO") ? "was too late" : data.what.startsWith("IL") ? "made an illegal move" : "could not be reached"}; a random move was played`, "bad"),
      lost: (lost) => this.element.classList.toggle("lost", lost),
    });
    this.keys = (/** @type {KeyboardEvent} */ event) => this.#arrow(event);
    addEventListener("keydown", this.keys);
    this.#show(false);
  }

  /**
   * Where moves are directions and not cells, the arrow keys make them.
   * @param {KeyboardEvent} event
   */
  #arrow(event) {
    const words = DIRECTIONS[event.key];
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (!words || typing || this.arena.chooser.paths.length > 0) return;
    const meant = this.moves.filter((move) => plainMove(move.label).toLowerCase().split(" ").some((word) => words.includes(word)));
    if (meant.length !== 1) return;
    event.preventDefault();
    void this.#play(meant[0]);
  }

  #layout() {
    fill(this.boardRow, this.bar.element, this.arena.element, this.sketch);
    return h("section", { class: "play" },
      this.heading,
      h("div", { class: "table" },
        h("div", { class: "board-side" },
          this.status,
          this.boardRow,
          this.counters, this.tools, this.solutionCard,
          h("section", { class: "card later" }, h("h2", {}, "Values over the match"), this.chart)),
        h("aside", { class: "side stack" },
          h("div", { class: "card tight" }, this.players.element),
          this.movesCard,
          h("section", { class: "card" }, h("h2", {}, "So far"), this.history)),
        h("aside", { class: "side far stack" },
          h("section", { class: "card" }, h("h2", {}, "What it thinks"), this.panel.element),
          this.factsCard,
          h("details", { class: "card" }, h("summary", {}, "Position as text"), this.text))),
      h("p", { class: "offline", role: "alert" }, "The connection is lost; trying again …"),
      this.preview.element);
  }

  close() {
    this.live.close();
    this.players.close();
    removeEventListener("keydown", this.keys);
  }

  /** @param {boolean} animate */
  #show(animate) {
    const { view, yours } = this.live;
    if (this.stepShown !== view.moves.length) {
      this.preview.hide();
      this.stepShown = view.moves.length;
      void this.#lastThought(view);
    }
    if (!yours.includes(this.role)) this.role = yours[0] ?? this.role;
    this.status.textContent = statusText(view, yours);
    this.status.className = `status ${view.state} ${yours.length > 0 ? "yours" : ""}`;
    this.#heading(view);
    const moves = yours.length > 0 && !this.sending ? view.position?.legal[this.role] ?? [] : [];
    this.moves = moves;
    if (view.position) {
      this.arena.show(view.position, moves, animate);
      const { boards, drawn } = view.position;
      const boardless = boards.length === 0;
      this.arena.element.hidden = boardless;
      this.bar.element.hidden = boardless;
      this.sketch.hidden = drawn;
      fill(this.facts, facts(view.position, view.roles));
      fill(this.counters, counters(view.position, view.roles));
      this.text.textContent = view.position.text;
      this.#boardless(boardless && drawn);
    }
    this.#roleTabs(yours);
    this.list.show(moves);
    this.movesCard.hidden = moves.length === 0;
    this.#values();
    this.#tools(view);
    this.#past(view);
  }

  /**
   * What holds stands where the board would be, if there is none.
   * @param {boolean} boardless
   */
  #boardless(boardless) {
    if (this.element.classList.contains("boardless") === boardless) return;
    if (this.element.classList.toggle("boardless", boardless)) this.boardRow.after(this.factsCard);
    else this.element.querySelector(".side.far > .card")?.after(this.factsCard);
  }

  /**
   * What was thought of the step before, while nobody thinks about this one.
   * @param {MatchView} view
   */
  async #lastThought(view) {
    const before = view.moves.length - 1;
    if (before < 0 || (this.panel.thought?.step === before && this.panel.thought.done)) return;
    try {
      const { thoughts } = await api.step(view.id, before);
      const last = thoughts[thoughts.length - 1];
      if (last && this.live.view.moves.length === before + 1 && this.live.thoughts.size === 0) this.panel.show(last);
    } catch {
      // Only what was thought is missing.
    }
  }

  /** @param {MatchView} view */
  #heading(view) {
    fill(this.heading, h("h1", {}, view.game.title || view.game.name),
      h("div", { class: "row" }, h("span", { class: "chip" }, `step ${view.moves.length}`),
        view.state === "over" && h("a", { class: "button primary", href: `#/review/${encodeURIComponent(view.id)}` }, "Review"),
        view.game.library && h("a", { class: "button", href: `#/game/${encodeURIComponent(view.game.name)}` }, view.state === "over" ? "Play again" : "New match"),
        h("a", { class: "button", href: `#/analysis/match/${encodeURIComponent(view.id)}/${view.moves.length}` }, "Analysis")));
  }

  /** @param {number[]} yours */
  #roleTabs(yours) {
    this.tabs.hidden = yours.length < 2;
    fill(this.tabs, yours.map((role) => h("button", {
      type: "button", "aria-pressed": String(role === this.role), onclick: () => {
        this.role = role;
        this.#show(false);
      },
    }, this.live.view.roles[role])));
  }

  /** The newest values of the present step: thoughts, else what the server keeps, else the goals at the end. */
  #values() {
    const { view, thoughts } = this.live;
    const [thought] = [...thoughts.values()].filter((one) => one.for !== "annotation").reverse();
    const now = view.ended?.goals ?? (thought ? thought.values.map((value) => value.estimate) : view.values[view.moves.length] ?? null);
    const shown = now ?? [...view.values].reverse().find(Boolean) ?? null;
    this.bar.show(shown);
    this.players.show(view, shown);
    const line = [...view.values];
    if (now) line[view.moves.length] = now;
    const any = line.some(Boolean);
    fill(this.chart, any ? [valueChart(Array.from(line, (row) => row ?? null), this.glyphs.paints(), { length: Math.max(view.moves.length, 1) }), legend(view.roles, this.glyphs.paints())] : h("p", { class: "muted small" }, "No values yet."));
  }

  /** @param {Thought} thought */
  #thought(thought) {
    this.panel.show(thought);
    if (thought.for !== "annotation") this.#values();
  }

  /** @param {MatchView} view */
  #past(view) {
    fill(this.history, view.moves.map((joint, at) => {
      const button = h("button", { type: "button", class: "line-move" }, h("span", { class: "muted" }, `${at + 1}. `), jointText(joint, view.roles));
      this.preview.attach(button, () => ({ step: 0, line: view.moves.slice(0, at + 1), caption: `After step ${at + 1}.` }));
      return h("li", {}, button);
    }));
    if (view.moves.length === 0) fill(this.history, h("li", { class: "muted small" }, "No moves yet."));
    this.history.scrollTop = this.history.scrollHeight;
  }

  /** @param {MatchView} view */
  #tools(view) {
    const mineRoles = view.roles.map((_, role) => role).filter((role) => view.seats[role].mine && view.seats[role].kind === "human");
    const running = view.state === "running";
    const button = (/** @type {string} */ id, /** @type {string} */ name, /** @type {() => void} */ onclick, /** @type {boolean} */ usable, cls = "") =>
      h("button", { type: "button", id, class: cls, onclick, disabled: !usable }, name);
    const watched = mineRoles.length === 0;
    const parts = [];
    if (view.mine && watched && view.state !== "over") {
      parts.push(button("pause", view.paused ? "Go on" : "Pause", () => this.#act("pause", { paused: !view.paused }), true, view.paused ? "primary" : ""),
        button("next", "Next step", () => this.#act("next", {}), view.paused));
    }
    if (!watched && view.state !== "over") {
      parts.push(button("hint", "Hint", () => this.#act("hint", { role: this.role, seconds: 2 }), this.live.yours.length > 0));
    }
    if (!watched) parts.push(button("undo", "Take back", () => this.#act("undo", {}), view.mine && view.moves.length > 0));
    if (view.roles.length === 1 && view.state !== "over") parts.push(button("solve", "Show me the solution", () => this.#solve(), running));
    if (view.mine && running) parts.push(this.#seatMenu(view));
    if (!watched && view.roles.length > 1 && running) parts.push(button("resign", "Resign", () => this.#resign(mineRoles), true, "danger"));
    if (view.mine && running && (watched || view.roles.length === 1)) parts.push(button("abort", "End it", () => this.#act("abort", {}), true, "danger"));
    fill(this.tools, parts);
  }

  /**
   * Changes who plays a role in the middle of a match.
   * @param {MatchView} view
   */
  #seatMenu(view) {
    const choose = h("select", { "aria-label": "Change who plays", class: "slim-select", id: "seats" },
      h("option", { value: "" }, "Change seats …"),
      view.roles.map((role, at) => (view.seats[at].kind === "human" && view.seats[at].mine
        ? h("option", { value: `${at}:machine` }, `${role}: let Fluxion play`)
        : h("option", { value: `${at}:human` }, `${role}: I play it`))));
    choose.addEventListener("change", async () => {
      const [role, who] = choose.value.split(":");
      const strategies = await api.strategies();
      const usual = view.roles.length === 1 ? strategies.default.one_role : strategies.default.several_roles;
      const seat = who === "human" ? { kind: "human" } : { kind: "strategy", strategy: usual };
      await this.#act("seat", { role: Number(role), seat });
    });
    return choose;
  }

  /** @param {string} what @param {object} body */
  async #act(what, body) {
    try {
      this.live.take(await api.act(this.live.view.id, what, body));
      return true;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
      if (error instanceof ApiError && error.code === "wrong_step") await this.live.refresh();
      return false;
    }
  }

  /** @param {LegalMove} move */
  async #play(move) {
    if (this.sending) return;
    this.sending = true;
    const { view } = this.live;
    this.element.classList.add("sending");
    const body = { role: this.role, move: move.move, step: view.moves.length };
    try {
      const next = await api.act(view.id, "move", body);
      this.sending = false;
      this.live.take(next);
    } catch (error) {
      this.sending = false;
      toast(error instanceof Error ? error.message : String(error), "bad");
      await this.live.refresh();
    }
    this.element.classList.remove("sending");
    // Events may have come while the answer was on its way.
    this.#show(false);
  }

  /** @param {number[]} roles */
  #resign(roles) {
    const role = roles.includes(this.role) ? this.role : roles[0];
    void this.#act("resign", { role });
  }

  /** @param {{role: number, move: string | null}} data */
  #hint(data) {
    const move = this.moves.find((one) => one.move === data.move);
    toast(data.move ? `Hint: ${plainMove(data.move)}` : "No hint was found.");
    if (move) this.arena.peek(move);
    for (const button of this.list.list.querySelectorAll("[data-move]")) button.classList.toggle("hinted", button.getAttribute("data-move") === data.move);
  }

  async #solve() {
    this.solutionCard.hidden = false;
    fill(this.solutionCard, h("p", {}, "Looking for a solution …"));
    if (!(await this.#act("solve", { seconds: 20 }))) this.solutionCard.hidden = true;
  }

  /** @param {any} data */
  #solved(data) {
    this.solutionCard.hidden = false;
    const moves = /** @type {string[]} */ (data.moves ?? []);
    if (!data.found) {
      fill(this.solutionCard, h("p", {}, "No solution was found in the time given."));
      return;
    }
    this.solution = moves;
    const chips = moves.map((move, at) => {
      const chip = h("button", { type: "button", class: "line-move" }, plainMove(move));
      this.preview.attach(chip, () => ({ step: data.step, line: moves.slice(0, at + 1).map((one) => [one]), caption: `After ${at + 1} of ${moves.length} moves.` }));
      return chip;
    });
    fill(this.solutionCard,
      h("div", { class: "row apart" }, h("h2", {}, `${moves.length} moves lead to ${data.value} points${data.optimal ? "; no fewer do" : ""}`),
        h("button", { type: "button", class: "slim", id: "play-solution", onclick: () => this.#playSolution(data.step) }, "Play it")),
      h("div", { class: "pv" }, chips));
  }

  /**
   * Plays the solution from where the match is, as long as the match agrees with it.
   * @param {number} from
   */
  async #playSolution(from) {
    const line = this.solution ?? [];
    for (;;) {
      const { view } = this.live;
      const at = view.moves.length - from;
      const agrees = at >= 0 && view.moves.slice(from).every((joint, n) => joint[0] === line[n]);
      if (!agrees || at >= line.length || view.state !== "running") break;
      if (!(await this.#act("move", { role: 0, move: line[at], step: view.moves.length }))) break;
      if (this.live.view.moves.length === view.moves.length && this.live.view === view) break;
      await new Promise((resolve) => setTimeout(resolve, 350));
    }
  }

  /**
   * Marks the cells of a move of the engine.
   * @param {string | null} text
   * @param {number} role
   */
  #peekMove(text, role) {
    const legal = this.live.view.position?.legal[role] ?? [];
    this.arena.peek(legal.find((move) => move.move === text));
  }

  /** @param {Set<string> | null} among */
  #fit(among) {
    this.list.show(this.moves, among);
  }
}

/** @param {string} id */
export async function play(id) {
  const page = new PlayPage(await api.match(id));
  return { element: page.element, title: page.live.view.game.title, wide: true, leave: () => page.close() };
}
