// Boards of a position as SVG: cells, pieces that move, marks, pointing by mouse, touch and keyboard.

import { h, s, fill } from "./dom.js";
import { drawGlyph, groundKind, isFloor, isNothing } from "./glyph.js";
import { Geometry, SIDE } from "./geometry.js";
import { keyOf } from "./chooser.js";

/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./types.js").BoardPicture} BoardPicture */
/** @typedef {import("./types.js").Content} Content */
/** @typedef {import("./glyph.js").Glyphs} Glyphs */
/** @typedef {"last" | "chosen" | "target" | "movable" | "hint"} Mark */
/**
 * @typedef {object} BoardOptions
 * @property {boolean} [small] without names of coordinates and without answers
 * @property {(key: string, how: "point" | "drag") => void} [onpoint] a cell was pointed at, or dragged to
 * @property {() => void} [oncancel]
 */
/** @typedef {{svg: SVGElement, geometry: Geometry, cells: Map<string, SVGElement>, pieces: SVGElement, marks: SVGElement}} Drawn */

const BELOW = new Set(["block", "goal", "edge"]);
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * What a cell is called: the coordinates and what is in it.
 * @param {BoardPicture} board
 * @param {import("./types.js").Cell} cell
 */
function spoken(board, cell) {
  const where = [board.columns[cell.column], board.rows[cell.row]].filter(Boolean).join(" ");
  const ground = (cell.ground ?? []).filter((name) => !isFloor(name)).join(", ");
  const what = cell.contents.map((content) => content.name.replace(/[()]/g, " ").replace(/\s+/g, " ").trim()).join(", ") || "empty";
  return `${where}: ${what}${ground && `, on ${ground}`}`;
}

/**
 * Whether two boards have the same cells.
 * @param {BoardPicture[]} a
 * @param {BoardPicture[]} b
 */
function sameShape(a, b) {
  return a.length === b.length && a.every((board, at) => board.title === b[at].title && board.tiling === b[at].tiling
    && board.cells.length === b[at].cells.length && board.columns.join() === b[at].columns.join()
    && board.rows.join() === b[at].rows.join());
}

/** What the rules say of cells once and for all: floors, walls, targets. It lies under everything. */
class Below {
  /** @param {BoardPicture} board */
  constructor(board) {
    const counts = new Map();
    for (const name of board.cells.flatMap((cell) => cell.ground ?? [])) counts.set(name, (counts.get(name) ?? 0) + 1);
    this.names = [...counts.keys()].sort();
    this.walked = this.names.filter((name) => isFloor(name));
  }

  /** @param {import("./types.js").Cell} cell */
  classes(cell) {
    const names = cell.ground ?? [];
    const tinted = this.names.findIndex((name) => names.includes(name) && !isFloor(name) && groundKind(name) === null);
    return [this.walked.length > 0 && names.length === 0 && "void", tinted >= 0 && `tint${tinted % 4}`];
  }

  /** @param {import("./types.js").Cell} cell @param {number} x @param {number} y */
  draw(cell, x, y) {
    const names = cell.ground ?? [];
    const drawn = names.flatMap((name) => {
      const kind = groundKind(name);
      return kind ? [drawGlyph({ kind, paint: "p-nobody", label: "", shape: 0, crowned: false, name }, SIDE * (kind === "goal" ? 0.5 : 0.42))] : [];
    });
    return names.length > 0 && s("g", { class: "ground", transform: `translate(${x} ${y})` }, drawn, s("title", {}, names.join(", ")));
  }
}

export class BoardView {
  /**
   * @param {Glyphs} glyphs
   * @param {BoardOptions} [options]
   */
  constructor(glyphs, options = {}) {
    this.glyphs = glyphs;
    this.options = options;
    this.element = h("div", { class: ["boards", options.small && "small"] });
    /** @type {BoardPicture[]} */
    this.boards = [];
    /** @type {Drawn[]} */
    this.drawn = [];
    /** @type {Map<string, Set<Mark>>} */
    this.marked = new Map();
    /** @type {{key: string, x: number, y: number, ghost: SVGElement | null, pointer: number} | null} */
    this.drag = null;
    this.starts = new Set();
    if (options.onpoint) this.#answer();
  }

  /** @param {{boards: BoardPicture[]}} position @param {boolean} [animate] */
  show({ boards }, animate = true) {
    this.glyphs.learn(boards.flatMap((board) => board.cells.flatMap((cell) => cell.contents.map((content) => content.name))));
    const before = this.boards;
    const keep = sameShape(before, boards);
    this.boards = boards;
    if (!keep) this.#build();
    boards.forEach((board, number) => this.#fillPieces(board, number, keep && animate && !calm() ? before[number] : null));
  }

  #build() {
    const several = this.boards.length;
    const square = Math.sqrt(several);
    const sizes = this.boards.map((board) => board.cells.length);
    // A board with a few cells of bookkeeping beside it keeps its size.
    const uneven = several > 1 && Math.max(...sizes) > 4 * Math.min(...sizes);
    this.element.dataset.count = uneven ? "uneven" : several > 1 && Number.isInteger(square) ? `grid${Math.min(square, 5)}` : String(Math.min(several, 4));
    this.drawn = this.boards.map((board, number) => this.#buildOne(board, number));
    const frame = (/** @type {Drawn} */ one, /** @type {number} */ at) => {
      const { geometry } = one;
      const figure = h("figure", { class: "board" }, one.svg,
        several > 1 && !this.options.small && h("figcaption", {}, this.boards[at].title));
      figure.style.setProperty("--ratio", (geometry.width / geometry.height).toFixed(3));
      figure.style.setProperty("--cells", String(Math.max(3, Math.round(geometry.width / SIDE))));
      return figure;
    };
    fill(this.element, this.drawn.map(frame));
    this.marked.clear();
  }

  /** @param {BoardPicture} board @param {number} number @returns {Drawn} */
  #buildOne(board, number) {
    const geometry = new Geometry(board, !this.options.small);
    const cells = new Map();
    const layer = s("g", { class: "cells" });
    const rows = board.rows.map((_, row) => s("g", { role: this.options.onpoint ? "row" : null, data: { row } }));
    const below = new Below(board);
    let first = true;
    for (const cell of board.cells) {
      const key = keyOf({ board: number, ...cell });
      const [x, y] = geometry.centre(cell.column, cell.row);
      const [gx, gy] = geometry.spread?.places[cell.column] ?? [cell.column, cell.row];
      const shade = geometry.hex ? `h${(cell.column + 2 * cell.row) % 3}` : Math.floor(gx + gy) % 2 ? "odd" : "even";
      const shape = geometry.hex ? s("polygon", { points: geometry.corners(x, y) })
        : s("rect", { x: x - SIDE / 2, y: y - SIDE / 2, width: SIDE, height: SIDE });
      const element = s("g", {
        class: ["cell", shade, ...below.classes(cell)], data: { key },
        role: this.options.onpoint ? "gridcell" : null,
        tabindex: this.options.onpoint ? (first && number === 0 ? 0 : -1) : null,
      }, shape, below.draw(cell, x, y));
      first = false;
      cells.set(key, element);
      rows[cell.row]?.append(element);
    }
    layer.append(...rows);
    const marks = s("g", { class: "marks" });
    const pieces = s("g", { class: "pieces" });
    const svg = s("svg", {
      viewBox: `0 0 ${geometry.width.toFixed(1)} ${geometry.height.toFixed(1)}`,
      class: ["board", board.torus && "torus", geometry.hex && "hex"],
      role: this.options.onpoint ? "grid" : "img",
      "aria-label": `board ${board.title}`,
    }, layer, geometry.spread && !this.options.small && labels(board, geometry), marks, pieces, !geometry.spread && !this.options.small && labels(board, geometry));
    return { svg, geometry, cells, pieces, marks };
  }

  /** @param {BoardPicture} board @param {number} number @param {BoardPicture | null} before */
  #fillPieces(board, number, before) {
    const { geometry, pieces, cells } = this.drawn[number];
    const old = before ? contentsByPlace(before) : null;
    fill(pieces);
    /** @type {{name: string, element: SVGElement, x: number, y: number}[]} */
    const came = [];
    /** @type {{name: string, x: number, y: number}[]} */
    const went = [];
    for (const cell of board.cells) {
      const key = keyOf({ board: number, ...cell });
      const [x, y] = geometry.centre(cell.column, cell.row);
      const now = this.#cellPieces(cell.contents, geometry, x, y, pieces, key);
      if (this.options.onpoint) cells.get(key)?.setAttribute("aria-label", spoken(board, cell));
      if (!old) continue;
      const names = cell.contents.map(nameOf);
      const was = old.get(`${cell.column}:${cell.row}`) ?? [];
      names.forEach((name, at) => {
        const element = now[at];
        if (element && !was.includes(name)) came.push({ name, element, x, y });
      });
      for (const name of was) if (!names.includes(name)) went.push({ name, x, y });
    }
    if (old) glide(came, went);
  }

  /**
   * @param {Content[]} contents @param {Geometry} geometry @param {number} x @param {number} y
   * @param {SVGElement} layer @param {string} key
   * @returns {(SVGElement | null)[]} one for each content
   */
  #cellPieces(contents, geometry, x, y, layer, key) {
    const glyphs = contents.map((content) => this.glyphs.of(content));
    const above = glyphs.filter((glyph) => !BELOW.has(glyph.kind) && !isNothing(glyph.name));
    let at = 0;
    return glyphs.map((glyph, number) => {
      if (isNothing(glyph.name)) return null;
      const below = BELOW.has(glyph.kind);
      const place = below ? geometry.slot(1, 0) : geometry.slot(Math.min(above.length, 4), at);
      if (!below) at += 1;
      if (!below && at > 4) return null;
      const piece = drawGlyph(glyph, place.r);
      piece.append(s("title", {}, contents[number].name));
      const holder = s("g", { transform: `translate(${x + place.dx} ${y + place.dy})`, class: "at", data: { key } }, piece);
      if (below) layer.prepend(holder);
      else layer.append(holder);
      return holder;
    });
  }

  /**
   * Marks cells and takes away all marks of the same kind elsewhere.
   * @param {Mark} mark
   * @param {Iterable<string>} keys
   */
  mark(mark, keys) {
    const wanted = new Set(keys);
    if (mark === "movable") this.starts = wanted;
    this.drawn.forEach((one) => {
      for (const [key, element] of one.cells) element.classList.toggle(mark, wanted.has(key));
      if (mark === "target") {
        fill(one.marks, [...wanted].filter((key) => one.cells.has(key)).map((key) => this.#dot(one, key)));
      }
    });
  }

  /** @param {Drawn} one @param {string} key */
  #dot(one, key) {
    const [board, column, row] = key.split(":").map(Number);
    const [x, y] = one.geometry.centre(column, row);
    const cell = this.boards[board].cells.find((cell) => cell.column === column && cell.row === row);
    const full = (cell?.contents.length ?? 0) > 0;
    return s("circle", { class: full ? "ring" : "dot", cx: x, cy: y, r: full ? SIDE * 0.44 : SIDE * 0.14 });
  }

  /**
   * The element of a cell.
   * @param {string} key
   */
  cell(key) {
    for (const one of this.drawn) if (one.cells.has(key)) return one.cells.get(key) ?? null;
    return null;
  }

  #answer() {
    const element = this.element;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", () => this.#drop());
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("touchmove", (event) => { if (this.drag?.ghost) event.preventDefault(); }, { passive: false });
  }

  /** @param {EventTarget | null} target */
  #keyAt(target) {
    const cell = target instanceof Element ? target.closest("[data-key]") : null;
    return cell && this.element.contains(cell) ? cell.getAttribute("data-key") : null;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button !== 0) return;
    const key = this.#keyAt(event.target);
    if (key) this.drag = { key, x: event.clientX, y: event.clientY, ghost: null, pointer: event.pointerId };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    const one = this.drawn.find((drawn) => drawn.cells.has(drag.key));
    if (!one) return;
    if (!drag.ghost) {
      if (Math.hypot(dx, dy) < 8 || !this.starts.has(drag.key)) return;
      drag.ghost = /** @type {SVGElement | null} */ ([...one.pieces.children].reverse().find((piece) => piece.getAttribute("data-key") === drag.key) ?? null);
      if (!drag.ghost) return;
      this.element.setPointerCapture(event.pointerId);
      drag.ghost.classList.add("dragged");
      one.pieces.append(drag.ghost);
      this.options.onpoint?.(drag.key, "drag");
    }
    const scale = one.geometry.width / one.svg.getBoundingClientRect().width;
    this.#moveBase(drag, one, dx * scale, dy * scale);
  }

  /**
   * A transform in the style replaces that of the attribute.
   * @param {{key: string, ghost: SVGElement | null}} drag
   * @param {Drawn} one
   * @param {number} dx
   * @param {number} dy
   */
  #moveBase(drag, one, dx, dy) {
    const [, column, row] = drag.key.split(":").map(Number);
    const [x, y] = one.geometry.centre(column, row);
    if (drag.ghost) drag.ghost.style.transform = `translate(${x + dx}px, ${y + dy}px) scale(1.12)`;
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const drag = this.drag;
    if (!drag) return;
    const dragged = drag.ghost !== null;
    this.#drop();
    const under = document.elementsFromPoint(event.clientX, event.clientY).map((element) => this.#keyAt(element)).find(Boolean);
    if (dragged) {
      if (under && under !== drag.key) this.options.onpoint?.(under, "drag");
      else this.options.oncancel?.();
    } else if (under === drag.key) {
      this.#focus(drag.key, false);
      this.options.onpoint?.(drag.key, "point");
    }
  }

  #drop() {
    if (this.drag?.ghost) {
      this.drag.ghost.classList.remove("dragged");
      this.drag.ghost.style.transform = "";
    }
    this.drag = null;
  }

  /**
   * Makes a cell the one that the Tab key reaches.
   * @param {string} key
   * @param {boolean} [move]
   */
  #focus(key, move = true) {
    for (const one of this.drawn) for (const cell of one.cells.values()) if (cell.tabIndex === 0) cell.setAttribute("tabindex", "-1");
    const cell = this.cell(key);
    cell?.setAttribute("tabindex", "0");
    if (move) cell?.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const key = this.#keyAt(event.target);
    if (!key) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in steps) {
      event.preventDefault();
      const [dx, dy] = steps[/** @type {keyof typeof steps} */ (event.key)];
      this.#focusNext(key, dx, dy);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.options.onpoint?.(key, "point");
    } else if (event.key === "Escape") this.options.oncancel?.();
  }

  /**
   * The nearest cell in a direction, where cells do not lie by columns and rows.
   * @param {number} board
   * @param {number} column
   * @param {number} dx
   * @param {number} dy
   */
  #focusNearest(board, column, dx, dy) {
    const { geometry } = this.drawn[board];
    const [x, y] = geometry.centre(column, 0);
    let best = "";
    let least = Infinity;
    for (const cell of this.boards[board].cells) {
      const [u, v] = geometry.centre(cell.column, cell.row);
      const along = (u - x) * dx + (v - y) * dy;
      const beside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (along > 1 && along + 2 * beside < least) {
        least = along + 2 * beside;
        best = keyOf({ board, ...cell });
      }
    }
    if (best) this.#focus(best);
  }

  /**
   * The next cell in a direction that exists, on the next board if there is none.
   * @param {string} key
   * @param {number} dx
   * @param {number} dy
   */
  #focusNext(key, dx, dy) {
    let [board, column, row] = key.split(":").map(Number);
    if (this.drawn[board].geometry.spread) return this.#focusNearest(board, column, dx, dy);
    const { columns, rows } = this.boards[board];
    for (;;) {
      column += dx;
      row += dy;
      if (column < 0 || row < 0 || column >= columns.length || row >= rows.length) break;
      const next = keyOf({ board, column, row });
      if (this.cell(next)) return this.#focus(next);
    }
    board += dx + dy;
    const [first] = this.boards[board]?.cells ?? [];
    if (first) this.#focus(keyOf({ board, ...first }));
  }
}

/** @param {Content} content */
const nameOf = (content) => `${content.owner ?? "-"} ${content.name}`;

/** @param {BoardPicture} board */
function contentsByPlace(board) {
  return new Map(board.cells.map((cell) => [`${cell.column}:${cell.row}`, cell.contents.map(nameOf)]));
}

/**
 * Pieces that came glide from where the same thing went away; new ones grow.
 * @param {{name: string, element: SVGElement, x: number, y: number}[]} came
 * @param {{name: string, x: number, y: number}[]} went
 */
function glide(came, went) {
  for (const piece of came) {
    const inner = piece.element.firstElementChild;
    if (!inner) continue;
    const at = went.findIndex((other) => other.name === piece.name);
    const from = at >= 0 ? went.splice(at, 1)[0] : null;
    const start = from ? `translate(${from.x - piece.x}px, ${from.y - piece.y}px)` : "scale(0.4)";
    inner.animate([{ transform: start, opacity: from ? 1 : 0.2 }, { transform: "none", opacity: 1 }],
      { duration: from ? 220 : 160, easing: "cubic-bezier(.3,.7,.3,1)" });
  }
}

/**
 * The names of coordinates at the left and below.
 * @param {BoardPicture} board
 * @param {Geometry} geometry
 */
function labels(board, geometry) {
  const brief = (/** @type {string} */ name, /** @type {number} */ most) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
  const group = s("g", { class: "labels", "aria-hidden": "true" });
  if (geometry.spread) {
    board.columns.forEach((name, column) => {
      const [x, y] = geometry.centre(column, 0);
      group.append(s("text", { x: x - SIDE * 0.46, y: y - SIDE * 0.28, "font-size": 7.5 }, brief(name, 5)));
    });
    return group;
  }
  const { left, right, top, bottom } = geometry.used;
  board.columns.forEach((name, column) => {
    if (column < left || column > right) return;
    const [x, y] = geometry.centre(column, bottom);
    group.append(s("text", { x, y: y + geometry.rise / 2 + geometry.label * 1.25 + (geometry.hex ? 4 : 0), "text-anchor": "middle", "font-size": geometry.label }, brief(name, 5)));
  });
  board.rows.forEach((name, row) => {
    if (row < top || row > bottom) return;
    const [x, y] = geometry.centre(left, row);
    group.append(s("text", { x: x - SIDE / 2 - geometry.label * 0.5, y: y + geometry.label * 0.35, "text-anchor": "end", "font-size": geometry.label }, brief(name, 10)));
  });
  return group;
}
