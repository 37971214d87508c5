// A small board that follows the pointer or the focus: what a line of moves leads to.

import { h, fill } from "./dom.js";
import { api } from "./api.js";
import { BoardView } from "./board.js";
import { facts } from "./facts.js";
import { keyOf } from "./chooser.js";

/** @typedef {import("./types.js").Position} Position */

export class Preview {
  /** @param {import("./glyph.js").Glyphs} glyphs @param {string[]} roles @param {string} match */
  constructor(glyphs, roles, match) {
    this.glyphs = glyphs;
    this.roles = roles;
    this.match = match;
    this.caption = h("p", { class: "small" });
    this.place = h("div", {});
    this.element = h("div", { class: "preview", role: "status", hidden: true }, this.place, this.caption);
    /** @type {Map<string, Promise<Position | null>>} */
    this.known = new Map();
    this.turn = 0;
  }

  /** @param {number} step @param {string[][]} line @returns {Promise<Position | null>} */
  #position(step, line) {
    const key = JSON.stringify([step, line]);
    let found = this.known.get(key);
    if (!found) {
      if (this.known.size > 300) this.known.clear();
      found = api.line(this.match, step, line).then(({ positions }) => positions[positions.length - 1] ?? null, () => null);
      this.known.set(key, found);
    }
    return found;
  }

  /**
   * Shows the position after a line of joint moves from a step.
   * @param {Element} beside
   * @param {number} step
   * @param {string[][]} line
   * @param {string} caption
   */
  async show(beside, step, line, caption) {
    const turn = ++this.turn;
    const position = await this.#position(step, line);
    if (turn !== this.turn || !position) return;
    this.#draw(position, caption);
    this.#put(beside);
  }

  /** @param {Position} position @param {string} caption */
  #draw(position, caption) {
    if (position.boards.length > 0) {
      const view = new BoardView(this.glyphs, { small: true });
      view.show(position, false);
      view.mark("last", position.changed.map(keyOf));
      fill(this.place, view.element);
    } else fill(this.place, facts(position, this.roles));
    const end = position.terminal ? ` The end: ${position.goals.join(" – ")}.` : "";
    this.caption.textContent = caption + end;
  }

  /** @param {Element} beside */
  #put(beside) {
    this.element.hidden = false;
    const box = beside.getBoundingClientRect();
    const own = this.element.getBoundingClientRect();
    const card = (beside.closest(".card") ?? beside).getBoundingClientRect();
    // Beside the card, so that the line stays in sight; above or below it where there is no room.
    const room = card.left - own.width - 10 > 8 ? card.left - own.width - 10 : card.right + 10;
    const narrow = room + own.width > innerWidth;
    const left = narrow ? (innerWidth - own.width) / 2 : room;
    const wanted = !narrow ? box.top - 30 : box.top > innerHeight / 2 ? box.top - own.height - 12 : box.bottom + 12;
    const top = Math.max(8, Math.min(wanted, innerHeight - own.height - 8));
    this.element.style.left = `${Math.max(8, left)}px`;
    this.element.style.top = `${top}px`;
  }

  hide() {
    this.turn += 1;
    this.element.hidden = true;
  }

  /**
   * Makes an element show a line when it is pointed at or focused.
   * @param {HTMLElement} element @param {() => {step: number, line: string[][], caption: string}} what
   */
  attach(element, what) {
    const show = () => {
      const { step, line, caption } = what();
      void this.show(element, step, line, caption);
    };
    element.addEventListener("pointerenter", show);
    element.addEventListener("focus", show);
    element.addEventListener("pointerleave", () => this.hide());
    element.addEventListener("blur", () => this.hide());
  }
}
