// Own rules: paste, open or write them, see findings as one types, and play at once.

import { h, fill, later, toast } from "../dom.js";
import { api } from "../api.js";
import { Editor, findingList } from "../editor.js";
import { seatForm } from "../seats.js";

/** @typedef {import("../types.js").CheckReply} CheckReply */

const EXAMPLE = `; After three rounds Ann wants the lamp on and Bob wants it off.
; It changes when just one of them presses the button.
(role ann)
(role bob)

(init (lamp off))
(init (round 1))
(succ 1 2)
(succ 2 3)
(succ 3 4)

(<= (legal ?who press) (role ?who))
(<= (legal ?who wait) (role ?who))

(<= odd (does ann press) (does bob wait))
(<= odd (does ann wait) (does bob press))

(<= (next (lamp on)) odd (true (lamp off)))
(<= (next (lamp off)) odd (true (lamp on)))
(<= (next (lamp ?x)) (not odd) (true (lamp ?x)))
(<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))

(<= terminal (true (round 4)))
(<= (goal ann 100) (true (lamp on)))
(<= (goal ann 0) (true (lamp off)))
(<= (goal bob 0) (true (lamp on)))
(<= (goal bob 100) (true (lamp off)))
`;

const keep = {
  get rules() { return sessionStorage.getItem("fluxion-rules") ?? ""; },
  set rules(text) { sessionStorage.setItem("fluxion-rules", text); },
  get title() { return sessionStorage.getItem("fluxion-title") ?? ""; },
  set title(text) { sessionStorage.setItem("fluxion-title", text); },
};

/** @param {CheckReply} reply */
function verdict(reply) {
  const count = (/** @type {number} */ n, /** @type {string} */ word) => (n === 1 ? `1 ${word}` : `${n} ${word}s`);
  if (reply.status === "sound") {
    return reply.warnings > 0 ? ["warn", `Sound, with ${count(reply.warnings, "warning")}`] : ["good", "Sound: nothing to complain about"];
  }
  return ["bad", reply.status === "unreadable" ? `Cannot be read: ${count(reply.errors, "error")}` : `Not sound: ${count(reply.errors, "error")}`];
}

export async function rules() {
  const state = h("div", { class: "verdict", role: "status", "aria-live": "polite", id: "verdict" });
  const list = h("div", { class: "finding-place" });
  const seats = h("div", { class: "seat-place" }, h("p", { class: "muted small" }, "Once the rules are sound, choose who plays here."));
  const title = h("input", { value: keep.title, placeholder: "A name for your game", "aria-label": "Name of the game", class: "grow", oninput: () => { keep.title = title.value; } });
  let turn = 0;
  let roles = "";
  const check = async () => {
    const text = editor.text;
    keep.rules = text;
    const mine = ++turn;
    if (text.trim() === "") {
      fill(state, h("span", { class: "chip" }, "Nothing yet"));
      fill(list);
      return;
    }
    try {
      const reply = await api.check(text);
      if (mine === turn) await show(reply);
    } catch (error) {
      if (mine === turn) fill(state, h("span", { class: "chip bad" }, error instanceof Error ? error.message : String(error)));
    }
  };
  const show = async (/** @type {CheckReply} */ reply) => {
    const [kind, text] = verdict(reply);
    fill(state, h("span", { class: `chip ${kind}` }, text), h("span", { class: "muted small" }, reply.syntax === "prolog" ? "Prolog syntax" : "KIF syntax"));
    editor.mark(reply.findings);
    fill(list, findingList(reply.findings, (place) => editor.goTo(place)));
    const playable = reply.status === "sound" && reply.roles.length > 0;
    const wanted = playable ? reply.roles.join("\n") : "";
    if (wanted === roles) return;
    roles = wanted;
    if (!playable) fill(seats, h("p", { class: "muted small" }, "Once the rules are sound, choose who plays here."));
    else fill(seats, (await seatForm(reply.roles, () => ({ rules: editor.text, title: title.value.trim() || "My rules" }))).element);
  };
  const editor = new Editor(later(check, 250));
  editor.text = keep.rules;
  const file = h("input", { type: "file", accept: ".kif,.gdl,.pl,.txt,text/plain", class: "unseen", id: "file", tabindex: -1 });
  file.addEventListener("change", async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    editor.text = await chosen.text();
    title.value = keep.title = chosen.name.replace(/\.[^.]*$/, "");
    await check();
  });
  const use = (/** @type {string} */ text) => {
    editor.text = text;
    check();
  };
  const format = async (/** @type {string | undefined} */ syntax) => {
    try {
      use((await api.format(editor.text, syntax)).text);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  };
  const tools = h("div", { class: "row tools" },
    h("button", { type: "button", class: "slim", onclick: () => file.click() }, "Open a file"), file,
    h("button", { type: "button", class: "slim", onclick: () => use(EXAMPLE) }, "Example"),
    h("button", { type: "button", class: "slim", onclick: () => format(undefined) }, "Tidy"),
    h("button", { type: "button", class: "slim", onclick: () => format("kif") }, "As KIF"),
    h("button", { type: "button", class: "slim", onclick: () => format("prolog") }, "As Prolog"));
  const dropZone = h("div", { class: "card tight editor-card" }, tools, editor.element, h("div", { class: "editor-foot" }, state, list));
  dropZone.addEventListener("dragover", (event) => event.preventDefault());
  dropZone.addEventListener("drop", async (event) => {
    const [dropped] = event.dataTransfer?.files ?? [];
    if (!dropped) return;
    event.preventDefault();
    use(await dropped.text());
  });
  void check();
  const element = h("section", {},
    h("div", { class: "page-head" }, h("h1", {}, "Your own rules"),
      h("p", {}, "Write or paste rules in the Game Description Language, in KIF or Prolog syntax. They are checked while you type; what is sound can be played at once.")),
    h("div", { class: "rules-page" }, dropZone,
      h("aside", { class: "card stack" }, h("h2", {}, "Who plays?"), title, seats)));
  return { element, title: "Your rules" };
}
