// The library: a card with the initial position for each game, search and filters.

import { h, fill, later } from "../dom.js";
import { api } from "../api.js";
import { Glyphs } from "../glyph.js";
import { BoardView } from "../board.js";

/** @typedef {import("../types.js").GameEntry} GameEntry */

const FILTERS = /** @type {const} */ ([
  ["all", "All"], ["1", "Puzzles"], ["2", "Two players"], ["many", "Three and more"], ["simultaneous", "Simultaneous"],
]);

/** @param {GameEntry} game @param {string} filter */
function passes(game, filter) {
  const roles = game.roles.length || Number.parseInt(game.players, 10);
  switch (filter) {
    case "1": return roles === 1;
    case "2": return roles === 2;
    case "many": return roles > 2;
    case "simultaneous": return game.class.some((word) => word.includes("simultaneous"));
    default: return true;
  }
}

/** @param {GameEntry} game @param {string} text */
function matchesText(game, text) {
  const all = `${game.title} ${game.name} ${game.class.join(" ")} ${game.size} ${game.description}`.toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}

/** Draws pictures when they come into view. */
function painter() {
  /** @type {Map<Element, GameEntry>} */
  const waiting = new Map();
  /**
   * At most a few questions at once: the server may have to look at each game.
   * @type {Element[]}
   */
  const line = [];
  let busy = 0;
  const next = () => {
    const element = line.shift();
    const game = element && waiting.get(element);
    if (!element || !game) return;
    busy += 1;
    waiting.delete(element);
    paint(element, game).finally(() => {
      busy -= 1;
      next();
    });
  };
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting || !waiting.has(entry.target)) continue;
      observer.unobserve(entry.target);
      line.push(entry.target);
      if (busy < 4) next();
    }
  }, { rootMargin: "200px" });
  return {
    /** @param {Element} element @param {GameEntry} game */
    watch(element, game) {
      waiting.set(element, game);
      observer.observe(element);
    },
    end: () => observer.disconnect(),
  };
}

/** @param {Element} element @param {GameEntry} game */
async function paint(element, game) {
  try {
    const { boards } = await api.boards(game.name);
    if (boards.length > 0) {
      const view = new BoardView(new Glyphs(game.roles), { small: true });
      const most = Math.max(...boards.map((board) => board.cells.length));
      view.show({ boards: boards.filter((board) => 4 * board.cells.length >= most).slice(0, 9) }, false);
      fill(element, view.element);
      return;
    }
  } catch {
    // A game without a picture is still a game.
  }
  fill(element, h("span", { class: "no-board", "aria-hidden": "true" }, initials(game.title)));
}

/** @param {string} title */
const initials = (title) => title.split(/[^\p{L}\p{N}]+/u).filter(Boolean).slice(0, 3).map((word) => word[0]).join("");

/** @param {GameEntry} game @param {ReturnType<typeof painter>} painting */
function card(game, painting) {
  const picture = h("div", { class: "picture", "aria-hidden": "true" });
  painting.watch(picture, game);
  const players = game.roles.length === 1 ? "1 player" : `${game.roles.length || game.players} players`;
  return h("a", { class: "game", href: `#/game/${encodeURIComponent(game.name)}`, data: { game: game.name } },
    picture,
    h("span", { class: "title" }, game.title),
    h("span", { class: "about" }, [players, game.class.find((word) => word.includes("simultaneous")) && "simultaneous"].filter(Boolean).join(" · ")));
}

export async function choose() {
  const { games: all } = await api.games();
  const games = [...all].sort((a, b) => a.title.localeCompare(b.title, "en", { numeric: true }));
  const painting = painter();
  const cards = new Map(games.map((game) => [game.name, card(game, painting)]));
  const grid = h("div", { class: "games" });
  const count = h("span", { class: "muted small", "aria-live": "polite" });
  const search = h("input", { type: "search", placeholder: "Search games", "aria-label": "Search games", autocomplete: "off", id: "search" });
  let filter = "all";
  const show = () => {
    const found = games.filter((game) => passes(game, filter) && matchesText(game, search.value));
    fill(grid, found.length > 0 ? found.map((game) => cards.get(game.name)) : h("p", { class: "muted none" }, "No game is like that."));
    count.textContent = found.length === games.length ? `${games.length} games` : `${found.length} of ${games.length} games`;
  };
  search.addEventListener("input", later(show, 80));
  const filters = h("div", { class: "segments", role: "group", "aria-label": "Kind of game" }, FILTERS.map(([key, name]) =>
    h("button", {
      type: "button", "aria-pressed": String(key === filter), onclick: (/** @type {Event} */ event) => {
        filter = key;
        for (const button of filters.children) button.setAttribute("aria-pressed", String(button === event.currentTarget));
        show();
      },
    }, name)));
  const slash = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "/" || event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
    event.preventDefault();
    search.focus();
  };
  addEventListener("keydown", slash);
  show();
  const element = h("section", { class: "choose" },
    h("div", { class: "hero" },
      h("div", { class: "page-head" },
        h("h1", {}, "Which game shall it be?"),
        h("p", {}, "Fluxion reads the rules of a game and plays it, without ever having seen it before. Pick one of these, or ",
          h("a", { href: "#/rules" }, "write your own"), ".")),
      h("div", { class: "finder" }, search, h("div", { class: "row apart" }, filters, count))),
    grid);
  return {
    element, title: "Fluxion", leave: () => {
      painting.end();
      removeEventListener("keydown", slash);
    },
  };
}
