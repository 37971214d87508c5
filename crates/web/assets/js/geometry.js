// Where the cells of a board lie: squares, or hexagons in a rhombus, with the names of coordinates at the edges.

/** @typedef {import("./types.js").BoardPicture} BoardPicture */

/** The width of a cell in units of the drawing. */
export const SIDE = 40;
const EDGE = 3;

export class Geometry {
  /**
   * @param {BoardPicture} board
   * @param {boolean} labelled
   */
  constructor(board, labelled) {
    this.board = board;
    this.hex = board.tiling === "hex" || board.tiling === "hex2";
    const longest = Math.min(10, Math.max(0, ...board.rows.map((name) => name.length)));
    // Boards of few cells are drawn large; their labels need not be.
    this.label = 11 * Math.min(1, Math.max(0.5, Math.max(board.columns.length, board.rows.length) / 8));
    this.left = EDGE + (labelled && longest > 0 ? this.label * (0.9 + longest * 0.6) : 0);
    this.below = labelled && board.columns.some(Boolean) ? this.label * 1.8 : EDGE;
    this.rise = this.hex ? SIDE * 0.866 : SIDE;
    const rows = board.rows.length;
    this.width = this.left + (board.columns.length + (this.hex ? (rows - 1) / 2 : 0)) * SIDE + EDGE;
    this.height = EDGE + rows * this.rise + (this.hex ? SIDE * 0.29 : 0) + this.below;
  }

  /**
   * @param {number} column
   * @param {number} row
   * @returns {[number, number]}
   */
  centre(column, row) {
    const fromBelow = this.board.rows.length - 1 - row;
    const moved = !this.hex ? 0 : this.board.tiling === "hex2" ? fromBelow / 2 : row / 2;
    const x = this.left + (column + 0.5 + moved) * SIDE;
    return [x, EDGE + (row + 0.5) * this.rise + (this.hex ? SIDE * 0.145 : 0)];
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
