// Which moves a person can mean who points at cells. No drawing here.
//
// Each move is a sequence of sets of cells: one cell for each place that the move names, all cells of a column or row
// where it names only that. Pointing in the order of the arguments is tried first, then in any order.

/** @typedef {import("./types.js").LegalMove} LegalMove */
/** @typedef {import("./types.js").BoardPicture} BoardPicture */
/** @typedef {{move: LegalMove, parts: Set<string>[]}} Path */
/**
 * @typedef {object} Outcome
 * @property {"nothing" | "select" | "play" | "menu"} kind
 * @property {LegalMove[]} moves to play, or to choose from
 */

/** @param {{board: number, column: number, row: number}} place */
export const keyOf = (place) => `${place.board}:${place.column}:${place.row}`;

/**
 * @param {LegalMove} move
 * @param {BoardPicture[]} boards
 * @returns {Set<string>[]}
 */
function parts(move, boards) {
  const found = move.cells.map((place) => new Set([keyOf(place)]));
  for (const line of move.lines) {
    const cells = boards[line.board]?.cells ?? [];
    const on = cells.filter((cell) =>
      (line.column === undefined || line.column === null || cell.column === line.column) &&
      (line.row === undefined || line.row === null || cell.row === line.row));
    if (on.length > 0) found.push(new Set(on.map((cell) => keyOf({ board: line.board, ...cell }))));
  }
  return found.filter((part, at) => at === 0 || part.size !== 1 || found[at - 1].size !== 1
    || [...part][0] !== [...found[at - 1]][0]);
}

/** @param {Path} path @param {string[]} keys */
const inOrder = (path, keys) => keys.every((key, at) => path.parts[at]?.has(key));

/**
 * Whether each key can be given to a part of its own; which parts are left then.
 * @param {Path} path
 * @param {string[]} keys
 * @returns {Set<string>[] | null}
 */
function anyOrder(path, keys) {
  const left = [...path.parts];
  for (const key of keys) {
    const at = left.findIndex((part) => part.has(key));
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left;
}

export class Chooser {
  constructor() {
    /** @type {Path[]} */
    this.paths = [];
    /** @type {string[]} */
    this.keys = [];
  }

  /**
   * @param {LegalMove[]} moves
   * @param {BoardPicture[]} boards
   */
  offer(moves, boards) {
    this.paths = moves.map((move) => ({ move, parts: parts(move, boards) })).filter((path) => path.parts.length > 0);
    this.keys = [];
  }

  clear() {
    this.keys = [];
  }

  /** @param {string[]} keys @returns {Path[]} */
  #fitting(keys) {
    const ordered = this.paths.filter((path) => inOrder(path, keys));
    return ordered.length > 0 ? ordered : this.paths.filter((path) => anyOrder(path, keys));
  }

  /**
   * Cells where a move can begin.
   * @returns {Set<string>}
   */
  starts() {
    return new Set(this.paths.flatMap((path) => [...path.parts[0]]));
  }

  /**
   * Cells that go on from what was pointed at.
   * @returns {Set<string>}
   */
  targets() {
    if (this.keys.length === 0) return new Set();
    const found = new Set();
    for (const path of this.#fitting(this.keys)) {
      const left = inOrder(path, this.keys) ? path.parts.slice(this.keys.length, this.keys.length + 1)
        : anyOrder(path, this.keys) ?? [];
      for (const part of left) for (const key of part) found.add(key);
    }
    return found;
  }

  /**
   * Moves that fit what was pointed at.
   * @returns {LegalMove[]}
   */
  fitting() {
    return this.#fitting(this.keys).map((path) => path.move);
  }

  /**
   * Somebody points at a cell.
   * @param {string} key
   * @returns {Outcome}
   */
  point(key) {
    const again = this.keys.length > 0 && this.keys[this.keys.length - 1] === key;
    let keys = [...this.keys, key];
    let fitting = this.#fitting(keys);
    if (fitting.length === 0 && again) {
      this.clear();
      return { kind: "nothing", moves: [] };
    }
    if (fitting.length === 0) {
      keys = [key];
      fitting = this.#fitting(keys);
    }
    if (fitting.length === 0) {
      this.clear();
      return { kind: "nothing", moves: [] };
    }
    this.keys = keys;
    const complete = fitting.filter((path) => path.parts.length === keys.length).map((path) => path.move);
    if (complete.length === 1 && fitting.length === 1) {
      this.clear();
      return { kind: "play", moves: complete };
    }
    if (complete.length > 0) return { kind: "menu", moves: complete };
    return { kind: "select", moves: fitting.map((path) => path.move) };
  }
}
