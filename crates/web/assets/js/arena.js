// The board one plays on: pointing and dragging become moves, the list and the menu show what fits.

import { h } from "./dom.js";
import { BoardView } from "./board.js";
import { Chooser, keyOf } from "./chooser.js";
import { closeMenu, moveMenu } from "./moves.js";

/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./types.js").LegalMove} LegalMove */

export class Arena {
  /**
   * @param {import("./glyph.js").Glyphs} glyphs
   * @param {(move: LegalMove) => void} onplay
   * @param {(among: Set<string> | null) => void} onfit which moves fit what was pointed at
   */
  constructor(glyphs, onplay, onfit) {
    this.chooser = new Chooser();
    this.onplay = onplay;
    this.onfit = onfit;
    this.view = new BoardView(glyphs, { onpoint: (key) => this.#point(key), oncancel: () => this.cancel() });
    this.element = h("div", { class: "arena" }, this.view.element);
    /** @type {Position | null} */
    this.position = null;
    /** @type {LegalMove[]} */
    this.moves = [];
  }

  /**
   * @param {Position} position
   * @param {LegalMove[]} moves what may be played now; none while others move
   * @param {boolean} animate
   */
  show(position, moves, animate) {
    this.position = position;
    this.moves = moves;
    closeMenu(this.element);
    this.view.show(position, animate);
    this.chooser.offer(moves, position.boards);
    this.element.classList.toggle("answering", moves.length > 0);
    this.view.mark("last", position.changed.map(keyOf));
    this.view.mark("hint", []);
    this.#marks();
  }

  #marks() {
    this.view.mark("movable", this.chooser.keys.length === 0 ? this.chooser.starts() : new Set([...this.chooser.starts(), ...this.chooser.keys]));
    this.view.mark("chosen", this.chooser.keys);
    this.view.mark("target", this.chooser.targets());
    this.onfit(this.chooser.keys.length > 0 ? new Set(this.chooser.fitting().map((move) => move.move)) : null);
  }

  cancel() {
    this.chooser.clear();
    closeMenu(this.element);
    this.#marks();
  }

  /** @param {string} key */
  #point(key) {
    if (this.moves.length === 0) return;
    closeMenu(this.element);
    const outcome = this.chooser.point(key);
    this.#marks();
    if (outcome.kind === "play") this.onplay(outcome.moves[0]);
    if (outcome.kind === "menu") {
      const beside = this.view.cell(key);
      moveMenu(this.element, beside, outcome.moves, (move) => {
        this.chooser.clear();
        this.#marks();
        this.onplay(move);
      }, () => this.cancel());
    }
  }

  /**
   * Shows which cells a move is about.
   * @param {LegalMove | null | undefined} move
   * @param {"hint" | "target"} [mark]
   */
  peek(move, mark = "hint") {
    this.view.mark(mark, move ? move.cells.map(keyOf) : []);
  }
}
