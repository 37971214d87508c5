// The shapes of the API (docs/api.md) for the checker of types. Nothing here runs.

/** @typedef {{name: string, owner: number | null}} Content */
/** @typedef {{column: number, row: number, contents: Content[], ground?: string[]}} Cell */
/** @typedef {{board: number, column: number, row: number}} Place */
/** @typedef {{board: number, column?: number, row?: number}} Line */
/**
 * @typedef {object} BoardPicture
 * @property {string} title
 * @property {string[]} columns
 * @property {string[]} rows from the top
 * @property {"square" | "square8" | "hex" | "hex2"} tiling
 * @property {boolean} torus
 * @property {Cell[]} cells
 */
/** @typedef {{text: string, name: string, args: string[], kind: "control" | "counter" | "quantity" | "other", owner: number | null}} Fact */
/** @typedef {{move: string, label: string, cells: Place[], lines: Line[]}} LegalMove */
/**
 * @typedef {object} Position
 * @property {number} step
 * @property {boolean} terminal
 * @property {(number | null)[]} goals
 * @property {number[]} control
 * @property {string[] | null} last
 * @property {Place[]} changed
 * @property {boolean} drawn whether boards have been looked for
 * @property {BoardPicture[]} boards
 * @property {Fact[]} facts
 * @property {LegalMove[][]} legal
 * @property {string} text
 */
/** @typedef {{kind: "human" | "open" | "strategy" | "remote", name: string, mine: boolean, owner: boolean, strategy: string | null, strength: number | null, url: string | null}} Seat */
/** @typedef {{for: number[], since: number, until: number | null, submitted: number[], thinking: number[]}} Waiting */
/** @typedef {{why: string, goals: (number | null)[] | null, resigned: number | null, message: string | null}} Ended */
/**
 * @typedef {object} MatchView
 * @property {string} id
 * @property {{name: string, title: string, library: boolean, sheet: string}} game
 * @property {string[]} roles
 * @property {Seat[]} seats
 * @property {{start: number, play: number} | null} clocks
 * @property {number} think
 * @property {"preparing" | "running" | "over"} state
 * @property {boolean} paused
 * @property {boolean} mine
 * @property {boolean} puzzle
 * @property {boolean} simultaneous
 * @property {Waiting} waiting
 * @property {Ended | null} ended
 * @property {number} event
 * @property {string[][]} moves
 * @property {((number | null)[] | null)[]} values
 * @property {Position | null} position
 */
/** @typedef {{estimate: number, low: number, high: number}} Value */
/** @typedef {{move: string, value: number, low: number, high: number, visits: number, depth: number, weight: number}} Candidate */
/**
 * @typedef {object} Thought
 * @property {number} step
 * @property {number} role
 * @property {"move" | "hint" | "solution" | "annotation"} for
 * @property {string} method
 * @property {string | null} why
 * @property {string[]} [findings] what the strategy found out about the game
 * @property {Value[]} values
 * @property {string[][]} line
 * @property {Candidate[]} candidates
 * @property {number} depth
 * @property {number} selective_depth
 * @property {number} nodes
 * @property {number} nodes_per_second
 * @property {number} seconds
 * @property {boolean} solved
 * @property {number} memory
 * @property {boolean} done
 */
/** @typedef {{line: number, column: number, end_line: number, end_column: number, start: number, end: number}} TextPlace */
/** @typedef {{severity: "error" | "warning", code: string, message: string, why: string | null, hint: string | null, place: TextPlace, related: {message: string, place: TextPlace}[]}} Finding */
/** @typedef {{status: "sound" | "unsound" | "unreadable", syntax: string, errors: number, warnings: number, roles: string[], findings: Finding[]}} CheckReply */
/** @typedef {{name: string, title: string, players: string, class: string[], roles: string[], size: string, description: string, picture: string | null}} GameEntry */
/** @typedef {{key: string, kind: string, help: string, default: string, choices?: string[]}} StrategyOption */
/** @typedef {{name: string, summary: string, has_strength: boolean, options: StrategyOption[]}} StrategyEntry */
/** @typedef {{default: {one_role: string, several_roles: string}, strategies: StrategyEntry[]}} Strategies */
/** @typedef {{step: number, values: (number | null)[] | null, solved: boolean, best: string | null, played: string[] | null, drop: (number | null)[] | null, method: string, depth: number}} Annotation */
/** @typedef {{section: string, title: string, seconds: number, note: string | null, data: any}} Section */
/** @typedef {{id: string, game: {name: string, title: string}, roles: string[], players: string[], step: number, state: string, goals: (number | null)[] | null, mine: boolean, created: number, changed: number, imported: boolean}} MatchEntry */

export {};
