// Everything the page asks of the server. Paths and shapes: docs/api.md.

/** @typedef {import("./types.js").MatchView} MatchView */
/** @typedef {import("./types.js").Position} Position */

const ROOT = "/api/v1";

/** An error that the server explained. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, message?: string, hint?: string | null, findings?: any[]}} told
   */
  constructor(status, told) {
    super(told.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = told.code ?? "unknown";
    this.hint = told.hint ?? null;
    this.findings = told.findings ?? [];
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function ask(method, path, body) {
  const json = body !== undefined;
  let reply;
  try {
    reply = await fetch(ROOT + path, {
      method,
      headers: json ? { "content-type": "application/json" } : {},
      body: json ? (typeof body === "string" ? body : JSON.stringify(body)) : undefined,
    });
  } catch {
    throw new ApiError(0, { code: "offline", message: "The server does not answer." });
  }
  if (reply.status === 204) return null;
  const text = await reply.text();
  /** @type {any} */
  let told = null;
  try {
    told = JSON.parse(text);
  } catch {
    told = null;
  }
  if (!reply.ok) throw new ApiError(reply.status, { ...(told?.error ?? {}), findings: told?.findings ?? told?.error?.findings });
  return told;
}

/** @type {Map<string, Promise<any>>} */
const kept = new Map();

/**
 * Answers that do not change while the page is open.
 * @param {string} path
 * @returns {Promise<any>}
 */
function once(path) {
  let answer = kept.get(path);
  if (!answer) {
    answer = ask("GET", path);
    answer.catch(() => kept.delete(path));
    kept.set(path, answer);
  }
  return answer;
}

const id = encodeURIComponent;

export const api = {
  status: () => once("/status"),
  /** @returns {Promise<import("./types.js").Strategies>} */
  strategies: () => once("/strategies"),
  /** @returns {Promise<{games: import("./types.js").GameEntry[]}>} */
  games: () => once("/games"),
  /** @param {string} name */
  game: (name) => once(`/games/${id(name)}`),
  /** @param {string} name @returns {Promise<Position>} */
  initial: (name) => once(`/games/${id(name)}/position`),
  /** @param {string} name @returns {Promise<{boards: import("./types.js").BoardPicture[]}>} */
  boards: (name) => once(`/games/${id(name)}/boards`),
  /** @param {string} rules @returns {Promise<import("./types.js").CheckReply>} */
  check: (rules) => ask("POST", "/check", { rules }),
  /** @param {string} rules @param {string} [syntax] @returns {Promise<{text: string}>} */
  format: (rules, syntax) => ask("POST", "/format", syntax ? { rules, syntax } : { rules }),
  /** @param {object} wanted @returns {Promise<MatchView>} */
  create: (wanted) => ask("POST", "/matches", wanted),
  /** @param {string} [query] @returns {Promise<{matches: import("./types.js").MatchEntry[]}>} */
  matches: (query = "") => ask("GET", `/matches${query}`),
  /** @param {string} match @returns {Promise<MatchView>} */
  match: (match) => ask("GET", `/matches/${id(match)}`),
  /** @param {string} match @param {number} step @returns {Promise<{position: Position, thoughts: import("./types.js").Thought[]}>} */
  step: (match, step) => ask("GET", `/matches/${id(match)}/steps/${step}`),
  /** @param {string} match @param {number} step @param {string[][]} moves @returns {Promise<{positions: Position[]}>} */
  line: (match, step, moves) => ask("POST", `/matches/${id(match)}/line`, { step, moves }),
  /** @param {string} match @param {string} what @param {object} body @returns {Promise<MatchView>} */
  act: (match, what, body = {}) => ask("POST", `/matches/${id(match)}/${what}`, body),
  /** @param {string} match */
  forget: (match) => ask("DELETE", `/matches/${id(match)}`),
  /** @param {string} record @returns {Promise<MatchView>} */
  import: (record) => ask("POST", "/matches/import", record),
  /** @param {string} match @returns {Promise<{running: boolean, done: number, of: number, steps: import("./types.js").Annotation[]}>} */
  annotations: (match) => ask("GET", `/matches/${id(match)}/annotations`),
  /** @param {string} match */
  record: (match) => ask("GET", `/matches/${id(match)}/record`),
  /** @param {string} match */
  recordUrl: (match) => `${ROOT}/matches/${id(match)}/record`,
  /** @param {object} what @returns {Promise<{id: string}>} */
  analyse: (what) => ask("POST", "/analyses", what),
  /** @param {string} analysis */
  analysis: (analysis) => ask("GET", `/analyses/${id(analysis)}`),
  /** @param {string} match @param {number} step */
  evaluation: (match, step) => ask("GET", `/matches/${id(match)}/steps/${step}/evaluation`),
  tournaments: () => ask("GET", "/tournaments"),
  /** @param {string} tournament */
  tournament: (tournament) => ask("GET", `/tournaments/${id(tournament)}`),
  /** @param {string} tournament @param {number} number */
  tournamentRecord: (tournament, number) => ask("GET", `/tournaments/${id(tournament)}/matches/${number}/record`),
};

/** How long a page may be out of sight before its streams end. Browsers allow six connections to a server at once. */
const OUT_OF_SIGHT = 10000;

/**
 * Listens to a stream of events. It reconnects by itself, also where the server was restarted, and pauses while nobody
 * can see the page; `lost` tells whether the connection is there.
 * @param {string} path
 * @param {Record<string, (data: any) => void>} handlers
 * @param {(lost: boolean) => void} [lost]
 * @returns {() => void} ends it
 */
export function listen(path, handlers, lost) {
  const [base] = path.split("?");
  /** @type {EventSource | null} */
  let source = null;
  let timer = 0;
  let newest = "";
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    const own = new EventSource(ROOT + (newest ? `${base}?after=${newest}` : path));
    source = own;
    for (const [name, handler] of Object.entries(handlers)) {
      own.addEventListener(name, (event) => {
        if (event.lastEventId) newest = event.lastEventId;
        if (own === source) handler(JSON.parse(event.data));
      });
    }
    own.addEventListener("open", () => lost?.(false));
    own.addEventListener("error", () => {
      if (own !== source) return;
      lost?.(true);
      close();
      timer = setTimeout(open, 1000);
    });
  };
  const seen = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(close, OUT_OF_SIGHT);
    else if (!source) open();
  };
  document.addEventListener("visibilitychange", seen);
  open();
  return () => {
    document.removeEventListener("visibilitychange", seen);
    close();
  };
}
