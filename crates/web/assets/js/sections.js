// The sections of the analysis page, each drawn from its data (docs/api.md).

import { h, fill, s, toast } from "./dom.js";
import { api } from "./api.js";
import { BoardView } from "./board.js";
import { Geometry, SIDE } from "./geometry.js";
import { histogram, plainLine } from "./chart.js";
import { facts } from "./facts.js";
import { jointText } from "./moves.js";
import { swatch } from "./seats.js";
import { brief } from "./thinking.js";

/** @typedef {{roles: string[], glyphs: import("./glyph.js").Glyphs, position: import("./types.js").Position | null, game: () => Promise<object>}} Shared */

/** @param {[string, any][]} pairs */
function pairs(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("dl", { class: "pairs" }, shown.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** @param {string[]} words */
const chips = (words) => h("span", { class: "chips" }, words.map((word) => h("span", { class: "chip" }, word)));

/**
 * A mark on what random play suggests and nobody has proved.
 * @param {boolean | undefined} proved
 */
const guess = (proved) => !proved && h("span", { class: "chip warn guess", title: "Seen in random play, not proved" }, "guessed");

/**
 * What speaks for a finding.
 * @param {string | undefined} text
 */
const evidence = (text) => text && (text === "proved" ? h("span", { class: "chip good" }, "proved") : [guess(false), h("span", { class: "small muted" }, ` ${text.replace("guessed: ", "")}`)]);

/** @param {any} data @param {Shared} shared */
function overview(data, shared) {
  const number = (/** @type {any} */ value, digits = 1) => (typeof value === "number" ? value.toFixed(digits) : null);
  return pairs([
    ["Roles", h("span", { class: "chips" }, (data.roles ?? shared.roles).map((/** @type {string} */ role, /** @type {number} */ at) => h("span", { class: "chip" }, swatch(shared.glyphs, at), role)))],
    ["Kind", chips(data.class ?? [])],
    ["Turns", data.turn_taking === undefined || data.turn_taking === null ? null : data.turn_taking ? ["one after the other ", guess(data.proved?.turn_taking)] : "at the same time"],
    ["Sum of goals", data.constant_sum === null || data.constant_sum === undefined ? "varies" : [`always ${data.constant_sum} `, guess(data.proved?.constant_sum)]],
    ["Computed", data.machine],
    ["Facts and moves", data.fluents ? `${brief(data.fluents)} facts, ${brief(data.moves)} moves` : null],
    ["Length", number(data.length?.mean) && `${number(data.length.mean)} steps at random`],
    ["Choices", number(data.joint_moves) && `${number(data.joint_moves)} joint moves per step`],
  ]);
}

/** @param {any} data @param {Shared} shared */
function position(data, shared) {
  if (!data.boards?.length) return facts(data, shared.roles);
  const view = new BoardView(shared.glyphs);
  view.show(data, false);
  return h("div", { class: "section-board" }, view.element);
}

/** @param {any} data @param {Shared} shared */
function structures(data, shared) {
  const list = (/** @type {string} */ title, /** @type {any[] | undefined} */ items, /** @type {(item: any) => any} */ show) =>
    items && items.length > 0 && h("div", {}, h("h3", {}, title), h("ul", { class: "plain" }, items.slice(0, 24).map((item) => h("li", {}, show(item))), items.length > 24 && h("li", { class: "muted" }, `and ${items.length - 24} more`)));
  return h("div", { class: "stack" },
    list("Boards", data.boards, (board) => [h("b", {}, board.name), ` ${board.size ?? ""} `, board.ordered && h("span", { class: "chip" }, "ordered"), " ", chips((board.contents ?? []).slice(0, 16)), " ", evidence(board.evidence)]),
    list("Orders", data.orders, (order) => [h("b", {}, order.relation), " ", h("span", { class: "mono small" }, abridged(order.values ?? []))]),
    list("Pieces", data.pieces, (piece) => h("span", { class: "row" }, piece.owner !== null && piece.owner !== undefined && swatch(shared.glyphs, piece.owner), h("b", {}, piece.name), h("span", { class: "muted small" }, `on ${piece.board}`), piece.owner !== null && piece.owner !== undefined && guess(piece.evidence === "proved"))),
    list("Counters", data.counters, (counter) => [`${counter.name}${counter.bound !== null && counter.bound !== undefined ? `, up to ${counter.bound}` : ""} `, evidence(counter.evidence)]),
    list("Quantities", data.quantities, (quantity) => [`${quantity.name} `, evidence(quantity.evidence)]),
    list("Whose turn", data.controls, (control) => h("span", { class: "row" }, swatch(shared.glyphs, control.role), h("span", { class: "mono small" }, control.fact), guess(control.evidence === "proved"))),
    data.lines?.length > 0 && h("details", { class: "small" }, h("summary", {}, "All findings as text"), h("ul", { class: "plain mono" }, data.lines.slice(0, 60).map((/** @type {any} */ line) => h("li", {}, String(line))))),
    list("Notes", data.notes, (note) => String(note)));
}

/** @param {string[]} values */
const abridged = (values) => (values.length > 12 ? [...values.slice(0, 6), "…", ...values.slice(-3)] : values).join(" → ");

/**
 * Numbers on the cells of a board, darker where they are small.
 * @param {import("./types.js").BoardPicture} board
 * @param {(number | null)[][]} steps
 * @param {{column: number, row: number} | null} source
 */
function heat(board, steps, source) {
  const geometry = new Geometry(board, true);
  const most = Math.max(1, ...steps.flat().map((value) => value ?? 0));
  const cells = board.cells.map((cell) => {
    const [x, y] = geometry.centre(cell.column, cell.row);
    const value = steps[cell.row]?.[cell.column] ?? null;
    const here = source && source.column === cell.column && source.row === cell.row;
    const cls = ["heat", value === null ? "never" : here ? "source" : null];
    const strength = value === null ? 0 : 0.85 - 0.75 * (value / most);
    const shape = geometry.hex ? s("polygon", { class: cls, points: geometry.corners(x, y), "fill-opacity": strength.toFixed(2) })
      : s("rect", { class: cls, x: x - SIDE / 2, y: y - SIDE / 2, width: SIDE, height: SIDE, "fill-opacity": strength.toFixed(2) });
    return s("g", {}, shape, value !== null && s("text", { x, y: y + 4.5, class: "heat-text", "text-anchor": "middle" }, String(value)));
  });
  return s("svg", { class: "board heat-map", viewBox: `0 0 ${geometry.width} ${geometry.height}`, role: "img", "aria-label": "distances" }, cells);
}

/** @param {any} data @param {Shared} shared */
function distances(data, shared) {
  const maps = data.maps ?? [];
  if (maps.length === 0) return h("p", { class: "muted small" }, "Nothing moves over a board here.");
  const place = h("div", { class: "section-board" });
  const choose = h("select", { "aria-label": "Which map" }, maps.map((/** @type {any} */ map, /** @type {number} */ at) => h("option", { value: at }, map.title)));
  const show = () => {
    const map = maps[Number(choose.value)];
    const board = shared.position?.boards[map.board];
    const steps = map.steps ?? [];
    const plain = board ?? { title: "", torus: false, tiling: /** @type {const} */ ("square"), columns: (steps[0] ?? []).map(() => ""), rows: steps.map(() => ""),
      cells: steps.flatMap((/** @type {any[]} */ line, /** @type {number} */ row) => line.map((_, column) => ({ column, row, contents: [] }))) };
    fill(place, heat(plain, steps, map.source ?? null));
  };
  choose.addEventListener("change", show);
  show();
  return h("div", { class: "stack" }, h("p", { class: "small muted" }, "How many moves a piece needs at least, as the rules tell."), choose, place);
}

/** @param {any} one @param {number} depth @returns {HTMLElement} */
function term(one, depth) {
  const value = typeof one.value === "number" ? one.value : 0;
  const bar = s("svg", { class: "meter", viewBox: "0 0 60 8", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: "meter-back", width: 60, height: 8, rx: 4 }),
    s("rect", { class: "meter-fill", width: 60 * Math.max(0, Math.min(1, value > 1 ? value / 100 : value)), height: 8, rx: 4 }));
  const line = [bar, h("span", { class: "mono small num" }, value.toFixed(2)), h("span", { class: ["mono small", one.holds && "holds"], title: one.holds ? "holds" : null }, one.text, one.hidden > 0 && h("span", { class: "muted" }, ` (+${one.hidden})`))];
  const children = one.children ?? [];
  if (children.length === 0) return h("div", { class: "term" }, line);
  return h("details", { class: "term", open: depth < 1 }, h("summary", {}, line), h("div", { class: "inner" }, children.slice(0, 30).map((/** @type {any} */ child) => term(child, depth + 1))));
}


/** @param {any} data @param {Shared} shared */
function evaluation(data, shared) {
  return h("div", { class: "stack" }, data.method && h("p", { class: "small muted" }, `Method: ${data.method}`), (data.roles ?? []).map((/** @type {any} */ role) => h("div", {},
    h("div", { class: "row" }, swatch(shared.glyphs, role.role), h("b", {}, shared.roles[role.role] ?? role.role), h("span", { class: "mono" }, Number(role.value).toFixed(1))),
    h("div", { class: "terms" }, (role.terms ?? []).map((/** @type {any} */ one) => term(one, 0))))));
}

/**
 * Arrows from cells to where a symmetry takes them.
 * @param {import("./types.js").BoardPicture} board
 * @param {any[]} map
 */
function arrows(board, map) {
  const geometry = new Geometry(board, false);
  const cells = board.cells.map((cell) => {
    const [x, y] = geometry.centre(cell.column, cell.row);
    return geometry.hex ? s("polygon", { class: "plain-cell", points: geometry.corners(x, y) }) : s("rect", { class: "plain-cell", x: x - SIDE / 2, y: y - SIDE / 2, width: SIDE, height: SIDE });
  });
  const lines = map.map(([from, to]) => {
    const [x, y] = geometry.centre(from.column, from.row);
    const [u, v] = geometry.centre(to.column, to.row);
    if (x === u && y === v) return s("circle", { class: "fixed", cx: x, cy: y, r: 3.5 });
    return s("g", {}, s("path", { class: "arrow", d: `M${x} ${y}Q${(x + u) / 2 + (v - y) * 0.14} ${(y + v) / 2 - (u - x) * 0.14} ${u} ${v}` }), s("circle", { class: "arrow-end", cx: u, cy: v, r: 2.8 }));
  });
  return s("svg", { class: "board symmetry", viewBox: `0 0 ${geometry.width} ${geometry.height}`, role: "img", "aria-label": "a symmetry" }, cells, lines);
}

/**
 * Cells that symmetries take to each other have the same letter and colour.
 * @param {import("./types.js").BoardPicture} board
 * @param {{column: number, row: number}[][]} orbits
 */
function orbitMap(board, orbits) {
  const geometry = new Geometry(board, false);
  const letter = (/** @type {number} */ at) => (at < 26 ? String.fromCharCode(97 + at) : String(at));
  const cells = orbits.flatMap((orbit, at) => orbit.map((cell) => {
    const [x, y] = geometry.centre(cell.column, cell.row);
    const cls = `orbit r${at % 8}`;
    const shape = geometry.hex ? s("polygon", { class: cls, points: geometry.corners(x, y) }) : s("rect", { class: cls, x: x - SIDE / 2, y: y - SIDE / 2, width: SIDE, height: SIDE });
    return s("g", {}, shape, s("text", { x, y: y + 4.5, class: "heat-text", "text-anchor": "middle" }, letter(at)));
  }));
  return s("svg", { class: "board symmetry", viewBox: `0 0 ${geometry.width} ${geometry.height}`, role: "img", "aria-label": "cells that are alike" }, cells);
}

/** @param {any} data @param {Shared} shared */
function symmetries(data, shared) {
  const generators = data.generators ?? [];
  const drawn = generators.slice(0, 8).map((/** @type {any} */ one) => {
    const board = shared.position?.boards[one.board ?? -1];
    return h("figure", { class: "symmetry-figure" }, board && one.map?.length > 0 ? arrows(board, one.map) : null, h("figcaption", { class: "small mono" }, one.text));
  });
  const alike = (data.orbits ?? []).slice(0, 4).map((/** @type {any} */ one) => {
    const board = shared.position?.boards[one.board];
    return board && data.order !== "1" && h("figure", { class: "symmetry-figure" }, orbitMap(board, one.cells ?? []), h("figcaption", { class: "small" }, `${board.title}: cells that are alike`));
  });
  return h("div", { class: "stack" }, h("p", {}, h("b", {}, data.order), data.order === "1" ? ": only the identity." : " symmetries in all."), h("div", { class: "symmetry-grid" }, alike, drawn));
}

/** @param {any} data @param {Shared} shared */
function randomPlay(data, shared) {
  const { length, branching } = data;
  return h("div", { class: "stack" },
    h("p", { class: "small muted" }, `${data.playouts} random playouts${data.no_end ? `, ${data.no_end} without an end` : ""}.`),
    h("div", { class: "plots" },
      length && h("div", {}, h("h3", {}, `Length: ${length.least} to ${length.most}, mean ${Number(length.mean).toFixed(1)}`), length.histogram?.length > 0 && histogram(length.histogram, "length of playouts")),
      (data.goals ?? []).map((/** @type {any} */ goal) => h("div", {}, h("h3", { class: "row" }, swatch(shared.glyphs, goal.role), `${shared.roles[goal.role]}: mean ${Number(goal.mean).toFixed(1)}`), histogram(goal.histogram ?? [], "goals", shared.glyphs.paint(goal.role)))),
      branching && h("div", {}, h("h3", {}, `Choices: mean ${Number(branching.mean).toFixed(1)}`), branching.by_step?.length > 1 && plainLine(branching.by_step, "choices by step"))));
}

/**
 * A counter-example as a match: all seats are the visitor's, its moves are made.
 * @param {string[][]} line
 * @param {Shared} shared
 */
async function playTrace(line, shared) {
  try {
    const view = await api.create({ game: await shared.game(), seats: shared.roles.map(() => ({ kind: "human" })), moves: line });
    location.hash = `#/match/${encodeURIComponent(view.id)}`;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "bad");
  }
}

/** @param {any} data @param {Shared} shared */
function proofs(data, shared) {
  const kind = { proved: "good", refuted: "bad" };
  return h("ul", { class: "plain proofs" }, (data.properties ?? []).map((/** @type {any} */ one) => h("li", {},
    h("span", { class: ["chip", kind[/** @type {keyof typeof kind} */ (one.verdict)] ?? ""] }, one.verdict),
    h("div", {}, h("span", { class: "mono small" }, one.text), one.why && h("span", { class: "small muted" }, ` ${one.why}${one.trace?.moves?.length === 0 ? ", already where it begins" : ""}`),
    one.trace?.moves?.length > 0 && h("details", { class: "small" }, h("summary", {}, `Counter-example of ${one.trace.moves.length} steps`),
      h("ol", {}, one.trace.moves.map((/** @type {string[]} */ joint) => h("li", { class: "mono" }, jointText(joint, shared.roles)))),
      h("button", { type: "button", class: "slim play-trace", onclick: () => playTrace(one.trace.moves, shared) }, "Play it"))))));
}

/** @param {any} data */
function traps(data) {
  const share = data.states > 0 ? ((data.at_risk / data.states) * 100).toFixed(1) : "0";
  return h("div", { class: "stack" },
    h("p", {}, `Of ${data.states} positions of random play, ${data.at_risk} (${share} %) have a move after which the opponents can force a win within ${data.level} moves of theirs; ${data.lost} are lost already.`),
    data.unfinished > 0 && h("p", { class: "small muted" }, `${data.unfinished} ${data.unfinished === 1 ? "position was" : "positions were"} too large to be searched to that depth.`),
    h("div", {}, h("h3", {}, "Positions by the moves that the deepest trap takes"), histogram((data.levels ?? []).map((/** @type {any} */ one) => [one.level, one.states]), "traps by level")));
}

/**
 * Anything that has no drawing of its own: names and values.
 * @param {any} data
 * @returns {HTMLElement}
 */
function plain(data) {
  if (Array.isArray(data)) return h("ul", { class: "plain" }, data.slice(0, 60).map((item) => h("li", {}, typeof item === "object" && item !== null ? plain(item) : String(item))));
  return pairs(Object.entries(data).map(([name, value]) => [name.replaceAll("_", " "), typeof value === "object" && value !== null ? plain(value) : String(value)]));
}

/** @type {Record<string, (data: any, shared: Shared) => Element>} */
export const SECTIONS = { overview, position, structures, distances, evaluation, symmetries, random_play: randomPlay, proofs, traps, plain };
