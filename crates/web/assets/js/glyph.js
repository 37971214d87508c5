// What stands for a content of a cell: chess pieces, crosses and noughts, discs, numbers, letters.
//
// Only the words of the rules are known, never the game. Owners show as a colour and, without colours, as lightness
// (white and black) or as the shape of the token, so that nothing depends on telling hues apart.

import { s } from "./dom.js";

/**
 * @typedef {object} Glyph
 * @property {"chess" | "cross" | "nought" | "disc" | "token" | "number" | "block" | "dot" | "figure" | "crate" | "goal" | "edge"} kind
 * @property {string} paint the class that colours it
 * @property {string} label letters on it, or the name of a chess piece
 * @property {number} shape the shape of a token, the mark of a disc
 * @property {boolean} crowned
 * @property {string} name
 */

const CHESS = {
  pawn:
    "M50 15a13.500 13.500 0 0 1 9 23.500c3.500 1 5.500 3 5.500 6H58c1 12 5 19 12 26 3 3 4.500 7 4.500 12h-49c0-5 1.500-9 4.500-12 7-7 11-14 12-26h-6.500c0-3 2-5 5.500-6a13.500 13.500 0 0 1 9-23.500z",
  rook:
    "M25 17h11.500v8.500h8V17h11v8.500h8V17H75v19l-8.500 6.500V66l6.500 6v10.500H27V72l6.500-6V42.500L25 36z",
  bishop:
    "M50 9a6.500 6.500 0 0 1 4.200 11.500C65 27.500 71 36.500 71 46c0 7.500-3.500 12.500-9 15.500l3 10.500c6 2 9 5.500 9 10.500H26c0-5 3-8.500 9-10.500l3-10.500c-5.500-3-9-8-9-15.500 0-9.500 6-18.500 16.800-25.500A6.500 6.500 0 0 1 50 9zM47.500 30v7.500H40v5h7.500V52h5v-9.500H60v-5h-7.500V30z",
  knight:
    "M33 82.500c-1-15 8-21 15-31-8 1-11 7-18 8.500-6 1-10.500-3.500-9-9.500 3-10 9-18 16-24.500L38.500 14l9.500 7.500C68 23 79.500 37 79 60c0 8-1.500 15-2.500 22.500zM43 30.500a3.600 3.600 0 1 0 .1 0z",
  queen:
    "M17 24.500a5.500 5.500 0 1 1 4.500 5.400L33 48l1.600-27.200a5.500 5.500 0 1 1 5 .3L50 44l10.400-22.900a5.500 5.500 0 1 1 5-.3L67 48l11.500-18.100a5.500 5.500 0 1 1 4.500.2L74.500 68v14.500h-49V68L17.600 30z",
  king:
    "M46 7h8v6.500h6.500v7.500H54v7c4-4.500 10-6.500 15-5.500 11 2 15 12 10.500 22-2 4.500-6 9-7.500 14.500v23.500H28V59c-1.500-5.500-5.500-10-7.500-14.500-4.500-10-.5-20 10.500-22 5-1 11 1 15 5.500v-7h-6.500v-7.500H46z",
};

/**
 * Letters that sheets use for chess pieces after the letter of a colour.
 * @type {Record<string, keyof typeof CHESS>}
 */
const LETTERS = { p: "pawn", r: "rook", n: "knight", b: "bishop", q: "queen", k: "king" };

export const COLOURS = [
  "white", "black", "red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "gray", "grey", "cyan",
];

/**
 * Words for things that look the same in most games.
 * @type {[RegExp, Glyph["kind"]][]}
 */
const THINGS = [
  [/^(trail|track|wake|wall|walls|blocked|block|burnt|burned|burn|arrow|stone|rock|obstacle|removed|dead|fire|hole|holes|mud|solid|limits|forbidden|void)$/, "block"],
  [/^(box|crate|boxes)$/, "crate"],
  [/^(pellet|dot|coin|food|gem|gold|seed|peg|pill|bean)$/, "dot"],
  [/^(keeper|man|player|agent|person|robot|explorer|ghost|pacman|zombie|survivor|human|walker|at|here|location|position|pos)$/, "figure"],
  [/^(goal|goals|target|targets|exit|exits|finish|home|homes|destination)$/, "goal"],
  [/^(piece|pieces|disc|disk|chip|counter|marker|checker|marble|bead)$/, "disc"],
];

/**
 * The words of a name: `whitePawn`, `white_pawn`, `(pawn white)`.
 * @param {string} name
 */
function words(name) {
  const parts = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return parts.filter(Boolean);
}

/**
 * Words for what is not there; the structure of the rules does not always tell.
 * @param {string} name
 */
export const isNothing = (name) => /^(blank|empty|nil|null|none|nothing|vacant)$/i.test(name);

/**
 * Words for cells that one can go on; the others are shown as walls then.
 * @param {string} name
 */
export const isFloor = (name) => /^(floor|path|road|corridor|passage|land|open|walkable|valid_?cell|cell|square|field|on_?board)s?$/i.test(name);

/**
 * What stands for something that the rules say of a cell once and for all; nothing but a tint for most words.
 * @param {string} name
 * @returns {"block" | "goal" | null}
 */
export function groundKind(name) {
  const thing = THINGS.find(([pattern]) => words(name).some((word) => pattern.test(word)));
  return thing && (thing[1] === "block" || thing[1] === "goal") ? thing[1] : null;
}

/** Words that end a list. */
const END = /^(nil|null|empty|end|none)$/i;

/**
 * The things in a nested term such as `(cons b (cons a nil))`: all names that have no arguments, but for the end of a
 * list. None for names without brackets.
 * @param {string} name
 */
function inside(name) {
  const nested = /^\(.*\(/.test(name) || name.slice(1, -1).split(/\s+/).some((word) => END.test(word));
  if (!name.startsWith("(") || !nested) return null;
  return name.replace(/\(\s*[^\s()]+/g, " ").split(/[\s()]+/).filter((word) => word && !END.test(word));
}

/** @param {string} word @param {string} name */
const chessWord = (word, name) => (word in CHESS && !/checker|draught/.test(name) ? word : "");

/** Chooses glyphs for all contents of one game, since they must differ from each other. */
export class Glyphs {
  /**
   * @param {string[]} roles
   */
  constructor(roles) {
    this.roles = roles;
    /** @type {Map<string, Glyph>} */
    this.known = new Map();
    /** @type {Set<string>} */
    this.names = new Set();
    this.letterChess = false;
  }

  /**
   * Tells which contents there are; names seen later may change the letters.
   * @param {Iterable<string>} names
   */
  learn(names) {
    const before = this.names.size;
    for (const name of names) this.names.add(name);
    if (this.names.size === before) return;
    this.known.clear();
    const kinds = new Set();
    for (const name of this.names) {
      const match = /^[a-z]([prnbqk])$/.exec(name.toLowerCase());
      if (match) kinds.add(match[1]);
    }
    this.letterChess = kinds.size >= 2 && ["r", "n", "q"].some((letter) => kinds.has(letter));
  }

  /**
   * The class of a colour for a role.
   * @param {number | null | undefined} owner
   */
  paint(owner) {
    if (owner === null || owner === undefined) return "p-nobody";
    const [colour] = words(this.roles[owner] ?? "").filter((word) => COLOURS.includes(word));
    return colour ? `p-${colour}` : `p-role${owner % 8}`;
  }

  /** The classes that colour the roles. */
  paints() {
    return this.roles.map((_, role) => this.paint(role));
  }

  /**
   * @param {{name: string, owner?: number | null}} content
   * @returns {Glyph}
   */
  of(content) {
    const key = `${content.owner ?? "-"} ${content.name}`;
    let glyph = this.known.get(key);
    if (!glyph) {
      glyph = this.#choose(content.name, content.owner ?? null);
      this.known.set(key, glyph);
    }
    return glyph;
  }

  /** @param {string} name @param {number | null} owner @returns {Glyph} */
  #choose(name, owner) {
    const parts = words(name);
    const own = parts.find((word) => COLOURS.includes(word));
    const paint = own && (owner === null || parts.length === 1) ? `p-${own}` : this.#ownPaint(name, owner);
    const base = { paint, label: "", shape: owner ?? 0, crowned: false, name };
    const lower = name.toLowerCase();
    if (lower === "x") return { ...base, kind: "cross", paint: owner === null ? "p-role0" : paint };
    if (lower === "o") return { ...base, kind: "nought", paint: owner === null ? "p-role1" : paint };
    const chess = parts.map((word) => chessWord(word, lower)).find(Boolean) || this.#letterPiece(lower);
    if (chess && this.#chessLike(chess)) return { ...base, kind: "chess", label: chess };
    const number = this.#number(name);
    if (number) return { ...base, kind: "number", label: number };
    const list = inside(name);
    if (list) return { ...base, kind: "token", label: [...list.join("")].length <= 6 ? list.join("") : `${list.join("").slice(0, 5)}…` };
    const rest = parts.filter((word) => !COLOURS.includes(word) && !this.#isRole(word));
    const crowned = chess === "king" || rest.some((word) => /^(king|crowned|dame)$/.test(word));
    if (rest.length === 0 || crowned || /^[wb][pm]$/.test(lower)) return { ...base, kind: "disc", crowned };
    const thing = THINGS.find(([pattern]) => rest.some((word) => pattern.test(word)));
    const side = rest.find((word) => /^(north|south|east|west)$/.test(word));
    if (thing?.[1] === "block" && side) return { ...base, kind: "edge", label: side };
    if (thing && owner === null) return { ...base, kind: thing[1] };
    if (thing && thing[1] === "figure") return { ...base, kind: "figure" };
    return { ...base, kind: "token", label: this.#letters(name) };
  }

  /**
   * A number, also one that all names write after the same letters: `t7` among `t1` to `t8`.
   * @param {string} name
   */
  #number(name) {
    if (/^-?\d+$/.test(name)) return name;
    const [, stem, digits] = /^([a-z]+)(\d+)$/i.exec(name) ?? [];
    if (!stem) return "";
    const alike = [...this.names].filter((other) => new RegExp(`^${stem}\\d+$`, "i").test(other));
    const others = [...this.names].filter((other) => /\d/.test(other) && !alike.includes(other));
    return alike.length >= 3 && others.length === 0 ? digits : "";
  }

  /** @param {string} word */
  #isRole(word) {
    return this.roles.some((role) => words(role).join(" ") === word);
  }

  /** A colour by the owner, or by a first letter `w` or `b` where the set of names is chess by letters. */
  /** @param {string} name @param {number | null} owner */
  #ownPaint(name, owner) {
    if (owner === null && this.#letterPiece(name.toLowerCase())) {
      return name[0].toLowerCase() === "w" ? "p-white" : "p-black";
    }
    return this.paint(owner);
  }

  /** @param {string} name */
  #letterPiece(name) {
    const match = /^[wb]([prnbqk])$/.exec(name);
    if (match && this.letterChess) return LETTERS[match[1]];
    return match && match[1] === "k" ? "king" : "";
  }

  /**
   * Kings alone, without other chess pieces, are those of draughts.
   * @param {string} piece
   */
  #chessLike(piece) {
    if (this.letterChess || piece !== "king") return true;
    return [...this.names].some((name) => words(name).some((word) => word in CHESS && word !== "king"));
  }

  /**
   * The fewest letters that tell a name from all others.
   * @param {string} name
   */
  #letters(name) {
    const others = [...this.names].filter((other) => other !== name);
    const initials = words(name).map((word) => word[0]).join("").slice(0, 3).toUpperCase();
    if (name.length <= 3) return name;
    const taken = new Set(others.map((other) => words(other).map((word) => word[0]).join("").toUpperCase()));
    if (initials.length > 1 && !taken.has(initials)) return initials;
    for (let length = 1; length < 4; length += 1) {
      const start = name.slice(0, length).toLowerCase();
      if (!others.some((other) => other.toLowerCase().startsWith(start))) {
        return name[0].toUpperCase() + name.slice(1, length);
      }
    }
    return name.length <= 4 ? name : name.slice(0, 2) + name.slice(-1);
  }
}

/**
 * @param {number} shape
 * @param {number} r
 * @param {string} [cls]
 */
function outline(shape, r, cls) {
  const at = (/** @type {number} */ angle, /** @type {number} */ radius) =>
    `${(Math.cos(angle) * radius).toFixed(2)},${(Math.sin(angle) * radius).toFixed(2)}`;
  const polygon = (/** @type {number} */ n, /** @type {number} */ from, /** @type {number} */ radius) =>
    s("polygon", {
      class: cls,
      points: Array.from({ length: n }, (_, i) => at(from + (i * 2 * Math.PI) / n, radius)).join(" "),
    });
  switch (shape % 8) {
    case 0: return s("circle", { class: cls, r });
    case 1: return s("rect", { class: cls, x: -r * 0.88, y: -r * 0.88, width: r * 1.76, height: r * 1.76, rx: r * 0.28 });
    case 2: return polygon(6, 0, r * 1.08);
    case 3: return polygon(4, Math.PI / 2, r * 1.2);
    case 4: return polygon(3, -Math.PI / 2, r * 1.25);
    case 5: return polygon(5, -Math.PI / 2, r * 1.1);
    case 6: return polygon(8, Math.PI / 8, r * 1.05);
    default: return s("ellipse", { class: cls, rx: r * 1.1, ry: r * 0.78 });
  }
}

/** @param {Glyph} glyph @param {number} r @returns {SVGElement[]} */
function draw(glyph, r) {
  const text = (/** @type {string} */ label, /** @type {number} */ size) =>
    s("text", { class: "on", "font-size": size.toFixed(1), y: (size * 0.355).toFixed(2), "text-anchor": "middle" }, label);
  const width = [...glyph.label].length;
  const size = r * (width <= 1 ? 1.15 : width === 2 ? 0.98 : width === 3 ? 0.74 : width === 4 ? 0.58 : 0.42);
  switch (glyph.kind) {
    case "chess": {
      const path = CHESS[/** @type {keyof typeof CHESS} */ (glyph.label)];
      const scale = (r * 2.35) / 100;
      return [s("path", { class: "body chess", d: path, "fill-rule": "evenodd",
        transform: `scale(${scale.toFixed(4)}) translate(-50 -49)` })];
    }
    case "cross":
      return [s("path", { class: "stroke", d: `M${-r * 0.7} ${-r * 0.7}L${r * 0.7} ${r * 0.7}M${r * 0.7} ${-r * 0.7}L${-r * 0.7} ${r * 0.7}`, "stroke-width": (r * 0.34).toFixed(2) })];
    case "nought":
      return [s("circle", { class: "stroke", r: (r * 0.74).toFixed(2), "stroke-width": (r * 0.34).toFixed(2) })];
    case "number":
      return [s("rect", { class: "body tile", x: -r, y: -r, width: r * 2, height: r * 2, rx: r * 0.24 }), text(glyph.label, size)];
    case "block":
      return [s("rect", { class: "body block", x: -r * 1.12, y: -r * 1.12, width: r * 2.24, height: r * 2.24, rx: r * 0.14 }),
        s("path", { class: "hatch", d: `M${-r} ${r}L${r} ${-r}M${-r} 0L0 ${-r}M0 ${r}L${r} 0` })];
    case "edge": {
      const [dx, dy] = { north: [0, -1], south: [0, 1], east: [1, 0] }[glyph.label] ?? [-1, 0];
      // From corner to corner of the cell, whose half is a little more than the half of a piece.
      const half = r / 0.76;
      return [s("path", { class: "wall", d: `M${(dx || -1) * half} ${(dy || -1) * half}L${(dx || 1) * half} ${(dy || 1) * half}`, "stroke-width": (r * 0.3).toFixed(2) })];
    }
    case "crate":
      return [s("rect", { class: "body crate", x: -r * 0.9, y: -r * 0.9, width: r * 1.8, height: r * 1.8, rx: r * 0.1 }),
        s("path", { class: "hatch", d: `M${-r * 0.8} ${-r * 0.8}L${r * 0.8} ${r * 0.8}M${r * 0.8} ${-r * 0.8}L${-r * 0.8} ${r * 0.8}` })];
    case "dot": return [s("circle", { class: "body", r: (r * 0.36).toFixed(2) })];
    case "goal":
      return [s("circle", { class: "stroke thin", r: (r * 0.62).toFixed(2), "stroke-width": (r * 0.14).toFixed(2) }),
        s("circle", { class: "body", r: (r * 0.24).toFixed(2) })];
    case "figure":
      return [s("path", { class: "body", d: `M0 ${-r * 0.95}a${r * 0.4} ${r * 0.4} 0 1 1 -.1 0zM${-r * 0.75} ${r * 0.95}c0 ${-r * 1.35} ${r * 1.5} ${-r * 1.35} ${r * 1.5} 0z` })];
    case "disc": {
      const parts = [s("circle", { class: "body", r })];
      if (glyph.crowned) {
        parts.push(s("path", { class: "mark", d: `M${-r * 0.55} ${r * 0.35}L${-r * 0.62} ${-r * 0.3}L${-r * 0.28} ${0}L0 ${-r * 0.5}L${r * 0.28} 0L${r * 0.62} ${-r * 0.3}L${r * 0.55} ${r * 0.35}z` }));
      } else if (glyph.paint.startsWith("p-role") || !/p-(white|black)$/.test(glyph.paint)) {
        parts.push(outline(glyph.shape, r * 0.34, "mark"));
      } else parts.push(s("circle", { class: "rim", r: (r * 0.72).toFixed(2) }));
      return parts;
    }
    default: return [outline(/p-(white|black|nobody)$/.test(glyph.paint) && glyph.paint !== "p-nobody" ? 0 : glyph.paint === "p-nobody" ? 1 : glyph.shape, r, "body"), text(glyph.label, size)];
  }
}

/**
 * A glyph around the origin, `r` wide to each side.
 * @param {Glyph} glyph
 * @param {number} r
 */
export function drawGlyph(glyph, r) {
  return s("g", { class: ["piece", glyph.paint] }, draw(glyph, r));
}
