// How moves are written for people, the list of all legal ones, and the small menu for moves that share their cells.

import { h, fill } from "./dom.js";

/** @typedef {import("./types.js").LegalMove} LegalMove */

/**
 * A move without brackets.
 * @param {string} move
 */
export const plainMove = (move) => move.replace(/[()]/g, " ").replace(/\s+/g, " ").trim();

/**
 * What is said of a joint move: the moves of those who did something.
 * @param {string[]} joint
 * @param {string[]} roles
 */
export function jointText(joint, roles) {
  const doing = joint.map((move, role) => ({ move: plainMove(move), role })).filter(({ move }) => !/^(noop|wait|pass|skip)$/i.test(move));
  if (doing.length === 0) return plainMove(joint[0] ?? "");
  if (doing.length === 1 && joint.length > 1) return doing[0].move;
  return doing.map(({ move, role }) => (joint.length > 1 ? `${roles[role]}: ${move}` : move)).join(", ");
}

/** The searchable list of all legal moves of a role. */
export class MoveList {
  /** @param {(move: LegalMove) => void} onplay @param {(move: LegalMove | null) => void} onpeek */
  constructor(onplay, onpeek) {
    this.onplay = onplay;
    this.onpeek = onpeek;
    /** @type {LegalMove[]} */
    this.moves = [];
    this.search = h("input", { type: "search", placeholder: "Find a move", "aria-label": "Find a move", autocomplete: "off", id: "find-move" });
    this.list = h("div", { class: "move-list", role: "group", "aria-label": "Legal moves" });
    this.note = h("p", { class: "small muted" });
    this.element = h("div", { class: "stack moves" }, this.search, this.list, this.note);
    this.search.addEventListener("input", () => this.#draw());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.list.querySelector("button")?.click();
    });
  }

  /** @param {LegalMove[]} moves @param {Set<string> | null} among those that fit what was pointed at */
  show(moves, among = null) {
    if (moves !== this.moves) this.search.value = "";
    this.moves = moves;
    this.among = among;
    this.#draw();
  }

  #draw() {
    const words = this.search.value.toLowerCase().split(/[\s()]+/).filter(Boolean);
    const found = this.moves.filter((move) => (!this.among || this.among.has(move.move)) && words.every((word) => move.label.toLowerCase().includes(word)));
    const most = 300;
    fill(this.list, found.slice(0, most).map((move) => h("button", {
      type: "button", class: "move", data: { move: move.move }, onclick: () => this.onplay(move),
      onpointerenter: () => this.onpeek(move), onpointerleave: () => this.onpeek(null), onfocus: () => this.onpeek(move), onblur: () => this.onpeek(null),
    }, plainMove(move.label))));
    const more = found.length > most ? ` The first ${most} are shown.` : "";
    this.note.textContent = this.moves.length === found.length ? `${found.length} legal ${found.length === 1 ? "move" : "moves"}.${more}` : `${found.length} of ${this.moves.length} moves.${more}`;
  }
}

/**
 * A small menu at a cell.
 * @param {HTMLElement} place positioned, holds the menu
 * @param {Element | null} beside
 * @param {LegalMove[]} moves
 * @param {(move: LegalMove) => void} onplay
 * @param {() => void} oncancel
 */
export function moveMenu(place, beside, moves, onplay, oncancel) {
  closeMenu(place);
  const close = () => {
    closeMenu(place);
    oncancel();
  };
  const menu = h("div", { class: "menu", role: "menu", "aria-label": "Which move?" }, moves.slice(0, 60).map((move) =>
    h("button", { type: "button", role: "menuitem", onclick: () => { closeMenu(place); onplay(move); } }, plainMove(move.label))),
    h("button", { type: "button", role: "menuitem", class: "quiet", onclick: close }, "Cancel"));
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    const items = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("button")]);
    const at = items.indexOf(/** @type {any} */ (document.activeElement));
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length]?.focus();
    }
  });
  place.append(menu);
  const own = menu.getBoundingClientRect();
  const outer = place.getBoundingClientRect();
  const box = (beside ?? place).getBoundingClientRect();
  const left = Math.max(0, Math.min(box.left - outer.left + box.width / 2 - own.width / 2, outer.width - own.width));
  const below = box.bottom - outer.top + 6;
  const top = box.bottom + own.height + 12 < innerHeight ? below : Math.max(0, box.top - outer.top - own.height - 6);
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
  menu.querySelector("button")?.focus();
}

/** @param {HTMLElement} place */
export function closeMenu(place) {
  place.querySelector(".menu")?.remove();
}
