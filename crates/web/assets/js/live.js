// A match as it goes on: the view of the server, kept up to date by its events.

import { api, listen } from "./api.js";

/** @typedef {import("./types.js").MatchView} MatchView */
/** @typedef {import("./types.js").Thought} Thought */
/**
 * @typedef {object} Listener
 * @property {(animate: boolean) => void} changed the view is another one
 * @property {(thought: Thought) => void} [thought]
 * @property {(data: {role: number, move: string | null, thought: Thought | null}) => void} [hint]
 * @property {(data: any) => void} [solution]
 * @property {(data: import("./types.js").Annotation) => void} [annotation]
 * @property {() => void} [annotated]
 * @property {(data: {role: number, what: string}) => void} [fault]
 * @property {(lost: boolean) => void} [lost]
 */

/**
 * Roles whose move is awaited; those who can only wait are not, where others have a choice.
 * @param {MatchView} view
 */
export function awaited(view) {
  const choosing = view.position?.control ?? [];
  const found = view.waiting.for.filter((role) => choosing.includes(role));
  return found.length > 0 ? found : view.waiting.for;
}

export class Live {
  /**
   * @param {MatchView} view
   * @param {Listener} listener
   */
  constructor(view, listener) {
    this.view = view;
    this.listener = listener;
    /**
     * The newest thought of each role about the present step.
     * @type {Map<number, Thought>}
     */
    this.thoughts = new Map();
    this.wasLost = false;
    this.close = listen(`/matches/${encodeURIComponent(view.id)}/events?after=${view.event}`, {
      position: (data) => this.#position(data),
      changed: () => this.refresh(),
      submitted: (data) => this.#submitted(data),
      ended: (data) => this.#ended(data),
      thinking: (data) => this.#thinking(data),
      hint: (data) => this.#numbered(data) && listener.hint?.(data),
      solution: (data) => this.#numbered(data) && listener.solution?.(data),
      annotation: (data) => this.#numbered(data) && listener.annotation?.(data),
      annotated: (data) => this.#numbered(data) && listener.annotated?.(),
      fault: (data) => this.#numbered(data) && listener.fault?.(data),
    }, (lost) => void this.#connection(lost));
  }

  /**
   * The connection went away or came back; what was missed is fetched before all is said to be well.
   * @param {boolean} lost
   */
  async #connection(lost) {
    if (!lost && this.wasLost) await this.refresh();
    this.wasLost = lost;
    this.listener.lost?.(lost);
  }

  /**
   * Whether an event is newer than what is known; each counts once.
   * @param {{event?: number}} data
   */
  #numbered(data) {
    if (data.event === undefined || data.event <= this.view.event) return data.event === undefined;
    this.view.event = data.event;
    return true;
  }

  /**
   * Takes a view that is at least as new as the present one; whether it is.
   * @param {MatchView} view
   * @param {boolean} [animate]
   */
  take(view, animate = true) {
    if (view.event < this.view.event) return false;
    if (view.moves.length !== this.view.moves.length) this.thoughts.clear();
    this.view = view;
    this.listener.changed(animate);
    return true;
  }

  async refresh() {
    try {
      // An event that came on the way makes the view an old one, and need not tell all that is in it.
      for (let left = 3; left > 0 && !this.take(await api.match(this.view.id)); left--);
    } catch {
      this.listener.lost?.(true);
    }
  }

  /** @param {any} data */
  #position(data) {
    const { view } = this;
    if (!this.#numbered(data)) return;
    if (data.position.step !== view.moves.length + 1) {
      // A step is missing, or one was taken back: the view knows better.
      void this.refresh();
      return;
    }
    view.moves.push(data.moves);
    const past = data.position.step - 1;
    if (data.values) view.values[past] = data.values;
    else if (!view.values[past]) view.values[past] = this.#thoughtValues();
    view.position = data.position;
    view.state = data.state;
    view.waiting = data.waiting;
    this.thoughts.clear();
    this.listener.changed(true);
  }

  /** What the roles that thought make of the step. */
  #thoughtValues() {
    const [thought] = [...this.thoughts.values()].reverse();
    return thought ? thought.values.map((value) => value.estimate) : null;
  }

  /** @param {{event: number, role: number, waiting?: import("./types.js").Waiting}} data */
  #submitted(data) {
    const { waiting } = this.view;
    if (!this.#numbered(data)) return;
    if (data.waiting) this.view.waiting = data.waiting;
    else if (!waiting.submitted.includes(data.role)) waiting.submitted.push(data.role);
    this.listener.changed(false);
  }

  /** @param {any} data */
  #ended(data) {
    if (!this.#numbered(data)) return;
    this.view.ended = data.ended;
    this.view.state = "over";
    this.listener.changed(false);
  }

  /** @param {Thought} thought */
  #thinking(thought) {
    if (thought.for === "move" && thought.step !== this.view.moves.length) return;
    this.thoughts.set(thought.role, thought);
    this.listener.thought?.(thought);
  }

  /** Roles that you move and that are awaited. */
  get yours() {
    const { view } = this;
    if (view.state !== "running") return [];
    return awaited(view).filter((role) => view.seats[role]?.mine && view.seats[role].kind === "human" && !view.waiting.submitted.includes(role));
  }
}
