import type { Ending as WireEnding } from "./gen/lastnim/v1/game_pb.js";
import type { AllianceMatrix } from "./row.js";
import type { EnumWord } from "./wire-enum.js";

/** Who wins when no counter is left: the seat to move, or the one that took the last counter. */
export type Ending = EnumWord<typeof WireEnding>;

/** The clock of a match. */
export interface Clock {
  /** Milliseconds that every seat starts with. */
  readonly initialMs: number;
  /** Milliseconds added after each take of the seat. */
  readonly incrementMs: number;
  /** The most lag that is given back for one take, in milliseconds. */
  readonly lagQuotaMs: number;
  /** The most lag that is given back to a seat in one match, in milliseconds. */
  readonly lagTotalMs: number;
  /** Milliseconds that every seat has to declare its row. */
  readonly declarationMs: number;
}

/** The tournament that a match belongs to. */
export interface Origin {
  /** The tournament's id. */
  readonly tournament: string;
  /** The number of the match in its tournament, from 0. */
  readonly number: bigint;
  /** The duplicate group: matches of the same bots on the same piles in every rotation share it. */
  readonly group: bigint;
}

/** All that was fixed before the first take of a match, seen from one seat. */
export interface MatchInfo {
  /** The match, a UUID. */
  readonly id: string;
  /** The bot's own seat, from 0. */
  readonly seat: number;
  /** How many seats there are, 2 to 32. */
  readonly seats: number;
  /** The names of the bots, by seat. */
  readonly bots: readonly string[];
  /** The counters of each pile at the start, 1 to 2^63-1. */
  readonly piles: readonly bigint[];
  /** The seat that moves first. */
  readonly first: number;
  /** Who wins when no counter is left. */
  readonly ending: Ending;
  /** The clock. */
  readonly clock: Clock;
  /** The strike that forfeits a seat. */
  readonly strikes: number;
  /** The number of plies after which the oracle decides. */
  readonly maxPlies: number;
  /** Everybody's row where the organiser gave them, so that no seat declares one. */
  readonly assigned: AllianceMatrix | undefined;
  /** The tournament that the match belongs to; none for an exhibition. */
  readonly origin: Origin | undefined;
}
