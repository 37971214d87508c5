// Colours for the words of a rule sheet, in both syntaxes. It only cuts text into pieces; it judges nothing.

import { h } from "./dom.js";

const KEYWORDS = new Set(["role", "init", "true", "does", "legal", "next", "goal", "terminal", "base", "input", "distinct", "not", "or", "and", "sees", "random"]);

/** Comment, string, arrow, variable, number, word, bracket, anything else. */
const KIF = /(;[^\n]*)|(<=|=>)|(\?[^\s()]+)|(\d+(?=[\s()]|$))|([^\s()?;]+)|([()])|(\s+)|(.)/gy;
const PROLOG = /(%[^\n]*|\/\*[\s\S]*?\*\/)|(:-|\?-)|([A-Z_]\w*)|(\d+)|([a-z]\w*|'[^'\n]*')|([()[\],.])|(\s+)|(.)/gy;

/**
 * @param {string} text
 * @param {"kif" | "prolog"} syntax
 * @returns {(HTMLElement | string)[]}
 */
export function highlighted(text, syntax) {
  const pattern = new RegExp(syntax === "kif" ? KIF : PROLOG);
  /** @type {(HTMLElement | string)[]} */
  const pieces = [];
  let plain = "";
  const push = (/** @type {string} */ cls, /** @type {string} */ piece) => {
    if (plain) pieces.push(plain);
    plain = "";
    pieces.push(h("span", { class: cls }, piece));
  };
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [all, comment, arrow, variable, number, word, bracket] = found;
    if (comment) push("t-comment", comment);
    else if (arrow) push("t-arrow", arrow);
    else if (variable) push("t-variable", variable);
    else if (number) push("t-number", number);
    else if (word && KEYWORDS.has(word.toLowerCase())) push("t-keyword", word);
    else if (bracket) push("t-bracket", bracket);
    else plain += all;
    if (pattern.lastIndex >= text.length) break;
  }
  if (plain) pieces.push(plain);
  return pieces;
}

/**
 * Which syntax a text probably has.
 * @param {string} text
 * @returns {"kif" | "prolog"}
 */
export function syntaxOf(text) {
  const bare = text.replace(/;[^\n]*|%[^\n]*/g, "").trimStart();
  return /^[a-z]\w*\s*(\(|:-|\.)/.test(bare) ? "prolog" : "kif";
}
