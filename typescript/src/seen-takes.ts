import type { Position } from "./position.js";

/** Which takes a bot hears of: those of all seats, or none but its own turns. */
export type TakeFeed = "all" | "own_turns";

/** The takes of a match that a view shows at the most: the newest. */
export const MAX_SEEN_TAKES = 1_024;

/** Whether a seat's own bot moved, or the steward, who plays on for a lost seat. */
export type Mover = "bot" | "steward";

/** A take that the bot has heard of, its own or another seat's. */
export interface SeenTake {
  /** The number of the take, from 0. */
  readonly ply: number;
  /** The position in which it was made, with the seat to move that made it. */
  readonly before: Position;
  /** Counters taken. */
  readonly take: bigint;
  /** Whether the seat's own bot moved, or the steward. */
  readonly mover: Mover;
}

/**
 * The newest takes of one match that the bot has heard of, and where the match stands.
 *
 * A take is kept only if the position before it is known. After a lost session the next turn or snapshot says where the match
 * stands, so that what was taken meanwhile is missing, and nothing else.
 */
export class SeenTakes {
  #takes: SeenTake[] = [];
  /** The ply that the match has reached, and its position then, if they are known. */
  #reached: { readonly ply: number; readonly position: Position } | undefined;

  /** Has heard of no take of a match that begins at a position. */
  constructor(start: Position) {
    this.#reached = { ply: 0, position: start };
  }

  /** Returns the newest takes, in rising order of ply. */
  newest(): readonly SeenTake[] {
    return this.#takes.slice(-MAX_SEEN_TAKES);
  }

  /** Hears where the match stands; an older message changes nothing. */
  notePosition(ply: number, position: Position): void {
    const known = this.#reached?.ply ?? this.#takes.at(-1)?.ply ?? -1;
    if (ply > known) this.#reached = { ply, position };
  }

  /**
   * Hears from a snapshot where the match stands. It may have gone back: takes from this ply on were lost, and others are made in
   * their place.
   */
  resumeAt(ply: number, position: Position): void {
    const lost = this.#takes.findIndex((seen) => seen.ply >= ply);
    if (lost >= 0) this.#takes.length = lost;
    this.#reached = { ply, position };
  }

  /** Hears of a take. One that is repeated, or whose position is not known, is left out. */
  addTake(ply: number, take: bigint, mover: Mover): void {
    const reached = this.#reached;
    if (reached === undefined || reached.ply > ply) return;
    this.#reached = undefined;
    const before = reached.position;
    if (reached.ply < ply || take < 1n || take > before.counters) return;
    // Many are dropped at a time, so that each is moved once or less.
    if (this.#takes.length >= 2 * MAX_SEEN_TAKES) this.#takes.splice(0, this.#takes.length - MAX_SEEN_TAKES);
    this.#takes.push({ ply, before, take, mover });
    this.#reached = { ply: ply + 1, position: before.after(take) };
  }
}
