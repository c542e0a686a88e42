import type { Position } from "./position.js";

/** Which takes a bot receives: those of all seats, or only its own turns. */
export type TakeFeed = "all" | "own_turns";

/** Maximum takes in a view, which keeps the latest. */
export const MAX_SEEN_TAKES = 1_024;

/** Who took: the seat's bot, or the steward, who plays on for a forfeited seat. */
export type Mover = "bot" | "steward";

/** A take that the bot has received, its own or another seat's. */
export interface SeenTake {
  /** The number of the take, from 0. */
  readonly ply: number;
  /** The position before the take. */
  readonly before: Position;
  /** The counters taken. */
  readonly take: bigint;
  /** Whether the bot or the steward moved. */
  readonly mover: Mover;
}

/**
 * The latest takes of a match, and its current position.
 *
 * A take is kept only if the position before it is known. After a lost session the next turn or snapshot gives the position, so
 * that only the takes in between are missing.
 */
export class SeenTakes {
  #takes: SeenTake[] = [];
  /** The current ply and position, if known. */
  #reached: { readonly ply: number; readonly position: Position } | undefined;

  /** Starts without takes at the first position. */
  constructor(start: Position) {
    this.#reached = { ply: 0, position: start };
  }

  /** Returns the latest takes, in order of ply. */
  newest(): readonly SeenTake[] {
    return this.#takes.slice(-MAX_SEEN_TAKES);
  }

  /** Notes the current position, unless a later one is known. */
  notePosition(ply: number, position: Position): void {
    const known = this.#reached?.ply ?? this.#takes.at(-1)?.ply ?? -1;
    if (ply > known) this.#reached = { ply, position };
  }

  /** Notes the position in a snapshot, which may be earlier: the server then lost the takes from `ply` on. */
  resumeAt(ply: number, position: Position): void {
    const lost = this.#takes.findIndex((seen) => seen.ply >= ply);
    if (lost >= 0) this.#takes.length = lost;
    this.#reached = { ply, position };
  }

  /** Adds a take, unless it is repeated or its position is unknown. */
  addTake(ply: number, take: bigint, mover: Mover): void {
    const reached = this.#reached;
    if (reached === undefined || reached.ply > ply) return;
    this.#reached = undefined;
    const before = reached.position;
    if (reached.ply < ply || take < 1n || take > before.counters) return;
    // Old takes are dropped in batches, so that each take is moved at most once.
    if (this.#takes.length >= 2 * MAX_SEEN_TAKES) this.#takes.splice(0, this.#takes.length - MAX_SEEN_TAKES);
    this.#takes.push({ ply, before, take, mover });
    this.#reached = { ply: ply + 1, position: before.after(take) };
  }
}
