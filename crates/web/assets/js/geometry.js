// Where the cells of a board lie: squares, or hexagons in a rhombus, with the names of coordinates at the edges. A line
// of cells whose names are letters and numbers, such as `a1` to `g7`, is a board whose rules name its cells in one word.

/** @typedef {import("./types.js").BoardPicture} BoardPicture */

/** The width of a cell in units of the drawing. */
export const SIDE = 40;
const EDGE = 3;

/**
 * Places for a line of cells by their names, if these are made of a letter and a number each: columns and rows as on a
 * chessboard, or rows of different lengths in the middle, as of a star, where each begins with 1.
 * @param {BoardPicture} board
 * @returns {{places: [number, number][], columns: number, rows: number} | null}
 */
function spread(board) {
  if (board.rows.length !== 1 || board.columns.length < 6) return null;
  const parts = board.columns.map((name) => /^([a-z]+)(\d+)$/i.exec(name));
  if (!parts.every((part) => part !== null)) return null;
  const names = parts.map((part) => /** @type {[string, number]} */ ([part?.[1] ?? "", Number(part?.[2])]));
  const letters = [...new Set(names.map(([letter]) => letter))].sort((a, b) => a.length - b.length || a.localeCompare(b, "en"));
  const numbers = [...new Set(names.map(([, number]) => number))].sort((a, b) => a - b);
  if (letters.length < 2 || numbers.length < 2 || letters.length * numbers.length > 4 * names.length) return null;
  const lengths = letters.map((letter) => names.filter(([own]) => own === letter).length);
  const fromOne = letters.every((letter, at) => names.every(([own, number]) => own !== letter || (number >= 1 && number <= lengths[at])));
  const most = Math.max(...lengths);
  if (fromOne && lengths.some((length) => length !== most)) {
    const place = (/** @type {[string, number]} */ [letter, number]) => {
      const row = letters.indexOf(letter);
      return /** @type {[number, number]} */ ([number - 1 + (most - lengths[row]) / 2, row]);
    };
    return { places: names.map(place), columns: most, rows: letters.length };
  }
  return { places: names.map(([letter, number]) => [letters.indexOf(letter), numbers.length - 1 - numbers.indexOf(number)]), columns: letters.length, rows: numbers.length };
}

/**
 * The columns and rows that have cells: one of several boards may use a part of the coordinates only.
 * @param {BoardPicture} board
 * @param {boolean} hex
 */
function used(board, hex) {
  const all = { left: 0, right: board.columns.length - 1, top: 0, bottom: board.rows.length - 1 };
  if (hex || board.cells.length === 0) return all;
  const columns = board.cells.map((cell) => cell.column);
  const rows = board.cells.map((cell) => cell.row);
  return { left: Math.min(...columns), right: Math.max(...columns), top: Math.min(...rows), bottom: Math.max(...rows) };
}

export class Geometry {
  /**
   * @param {BoardPicture} board
   * @param {boolean} labelled
   */
  constructor(board, labelled) {
    this.board = board;
    this.hex = board.tiling === "hex" || board.tiling === "hex2";
    this.spread = spread(board);
    const longest = Math.min(10, Math.max(0, ...board.rows.map((name) => name.length)));
    // Boards of few cells are drawn large; their labels need not be.
    this.label = 11 * Math.min(1, Math.max(0.5, Math.max(board.columns.length, board.rows.length) / 8));
    this.left = EDGE + (labelled && longest > 0 ? this.label * (0.9 + longest * 0.6) : 0);
    this.below = labelled && !this.spread && board.columns.some(Boolean) ? this.label * 1.8 : EDGE;
    this.rise = this.hex ? SIDE * 0.866 : SIDE;
    this.used = used(board, this.hex);
    const rows = this.spread?.rows ?? this.used.bottom - this.used.top + 1;
    const columns = this.spread?.columns ?? this.used.right - this.used.left + 1;
    this.width = this.left + (columns + (this.hex ? (rows - 1) / 2 : 0)) * SIDE + EDGE;
    this.height = EDGE + rows * this.rise + (this.hex ? SIDE * 0.29 : 0) + this.below;
  }

  /**
   * @param {number} column
   * @param {number} row
   * @returns {[number, number]}
   */
  centre(column, row) {
    const place = this.spread?.places[column];
    if (place) return [this.left + (place[0] + 0.5) * SIDE, EDGE + (place[1] + 0.5) * SIDE];
    const fromBelow = this.board.rows.length - 1 - row;
    const moved = !this.hex ? 0 : this.board.tiling === "hex2" ? fromBelow / 2 : row / 2;
    const x = this.left + (column - this.used.left + 0.5 + moved) * SIDE;
    return [x, EDGE + (row - this.used.top + 0.5) * this.rise + (this.hex ? SIDE * 0.145 : 0)];
  }

  /**
   * The corners of a hexagon around a centre.
   * @param {number} x
   * @param {number} y
   * @param {number} [scale]
   */
  corners(x, y, scale = 1) {
    const radius = (SIDE / Math.sqrt(3)) * scale;
    const corner = (/** @type {number} */ n) => {
      const angle = (Math.PI / 3) * (n + 0.5);
      return `${(x + radius * Math.cos(angle)).toFixed(1)},${(y + radius * Math.sin(angle)).toFixed(1)}`;
    };
    return [0, 1, 2, 3, 4, 5].map(corner).join(" ");
  }

  /**
   * The half size of a piece, and where up to four pieces of one cell go.
   * @param {number} count
   * @param {number} at
   */
  slot(count, at) {
    const room = this.hex ? 0.34 : 0.38;
    if (count <= 1) return { r: SIDE * room, dx: 0, dy: 0 };
    if (count === 2) return { r: SIDE * 0.22, dx: (at === 0 ? -0.2 : 0.2) * SIDE, dy: (at === 0 ? -0.18 : 0.18) * SIDE };
    return { r: SIDE * 0.19, dx: (at % 2 === 0 ? -0.23 : 0.23) * SIDE, dy: (at < 2 ? -0.23 : 0.23) * SIDE };
  }
}
