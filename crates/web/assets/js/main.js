// The pages and how to get from one to another: the part of the address after `#` names them.

import { h, fill, find } from "./dom.js";
import { ApiError } from "./api.js";
import { choose } from "./pages/choose.js";
import { setup } from "./pages/setup.js";
import { rules } from "./pages/rules.js";
import { play } from "./pages/play.js";
import { matches } from "./pages/matches.js";
import { review } from "./pages/review.js";
import { analysis } from "./pages/analysis.js";
import { tournaments } from "./pages/tournaments.js";
import { tournament } from "./pages/tournament.js";

/** @typedef {{element: Element, title: string, wide?: boolean, leave?: () => void}} Page */
/** @typedef {(...parts: string[]) => Promise<Page>} MakePage */

/** @type {[RegExp, MakePage, string][]} */
const ROUTES = [
  [/^$/, choose, "choose"],
  [/^game\/([^/]+)$/, setup, "choose"],
  [/^rules$/, rules, "rules"],
  [/^match\/([^/]+)$/, play, "matches"],
  [/^matches$/, matches, "matches"],
  [/^review\/([^/]+)(?:\/(\d+))?$/, review, "matches"],
  [/^analysis\/(game|match)\/([^/]+)(?:\/(\d+))?$/, analysis, "choose"],
  [/^tournaments$/, tournaments, "tournaments"],
  [/^tournament\/([^/]+)$/, tournament, "tournaments"],
];

/** @type {(() => void) | undefined} */
let leave;
let shown = 0;

/**
 * A message as a sentence.
 * @param {string} text
 */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

/** @param {unknown} error */
function problem(error) {
  const told = error instanceof ApiError ? error : null;
  if (!told) console.error(error);
  return h("section", { class: "empty" },
    h("h1", {}, told?.status === 404 ? "That is not here" : "That did not work"),
    h("p", {}, told ? sentence(told.message) : "The page could not be shown."),
    told?.hint && h("p", { class: "muted" }, sentence(told.hint)),
    h("p", { class: "row" }, told?.status !== 404 && h("button", { type: "button", class: "primary", onclick: () => void go() }, "Try again"),
      h("a", { class: "button", href: "#/" }, "All games")));
}

/** The address within the page; as it is where it cannot be decoded. */
function wanted() {
  const raw = location.hash.replace(/^#\/?/, "");
  try {
    return decodeURI(raw);
  } catch {
    return raw;
  }
}

async function go() {
  const path = wanted();
  const place = find("#page");
  const turn = ++shown;
  leave?.();
  leave = undefined;
  const route = ROUTES.find(([pattern]) => pattern.test(path));
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.getAttribute("data-page") === route?.[2]) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  place.classList.add("loading");
  /** @type {Page} */
  let page;
  try {
    if (!route) throw new ApiError(404, { message: `There is no page “${path}”.` });
    const parts = (route[0].exec(path) ?? []).slice(1).map((part) => (part === undefined ? part : decodeURIComponent(part)));
    page = await route[1](...parts);
  } catch (error) {
    page = { element: problem(error), title: "Not found" };
  }
  if (turn !== shown) {
    page.leave?.();
    return;
  }
  leave = page.leave;
  place.classList.remove("loading");
  place.classList.toggle("wide", page.wide === true);
  fill(place, page.element);
  document.title = page.title === "Fluxion" ? page.title : `${page.title} · Fluxion`;
  window.scrollTo(0, 0);
  // For whoever measures how soon a page is there.
  performance.mark("shown");
}

addEventListener("hashchange", go);
go();
