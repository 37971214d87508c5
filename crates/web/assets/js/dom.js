// Elements made by calls, so that no text of a rule sheet or a player ever passes through a parser of HTML.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Attributes */

/**
 * Sets attributes; `on…` are listeners, `class` may be a list, `data` and `aria` are objects, and what is false or
 * missing is left out.
 * @param {Element} element
 * @param {Attributes} attributes
 */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", [value].flat().filter(Boolean).join(" "));
    else if (name === "data" || name === "aria") {
      for (const [key, inner] of Object.entries(value)) {
        if (inner !== undefined && inner !== null) element.setAttribute(`${name}-${key}`, String(inner));
      }
    } else if (name === "value" && "value" in element) /** @type {any} */ (element).value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Element} element
 * @param {Child[]} children
 */
export function add(element, ...children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  add(element, .../** @type {Child[]} */ (children.flat()));
  return element;
}

/**
 * An element of SVG.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  set(element, attributes);
  add(element, .../** @type {Child[]} */ (children.flat()));
  return element;
}

/**
 * Puts new children in the place of all old ones.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, .../** @type {Child[]} */ (children.flat()));
}

/**
 * @param {string} text
 * @returns {HTMLElement} text for screen readers only
 */
export function unseen(text) {
  return h("span", { class: "unseen" }, text);
}

/**
 * Text whose parts in backquotes are code.
 * @param {string} text
 * @returns {Child[]}
 */
export function withCode(text) {
  return text.split("`").map((part, at) => (at % 2 === 1 ? h("code", {}, part) : part));
}

/**
 * The element for a selector, which must be there.
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {HTMLElement}
 */
export function find(selector, within = document) {
  const found = within.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`nothing is ${selector}`);
  return found;
}

/**
 * Calls a function once events have paused for a while.
 * @template {any[]} A
 * @param {(...args: A) => void} work
 * @param {number} milliseconds
 * @returns {(...args: A) => void}
 */
export function later(work, milliseconds) {
  /** @type {number | undefined} */
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), milliseconds);
  };
}

let toastTimer = 0;

/**
 * A short message at the edge of the page, also read out.
 * @param {string} message
 * @param {"info" | "bad"} [kind]
 */
export function toast(message, kind = "info") {
  const place = find("#toast");
  place.className = `toast shown ${kind}`;
  place.textContent = message;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => place.classList.remove("shown"), 5000);
}
