import type { Ending as WireEnding } from "./gen/lastnim/v1/game_pb.js";
import type { AllianceMatrix, Row } from "./row.js";
import type { Talk, TalkMessage } from "./talk.js";
import type { EnumWord } from "./wire-enum.js";

/** Who wins when no counter is left: the seat to move, or the one that took the last counter. */
export type Ending = EnumWord<typeof WireEnding>;

/** The clock of a match. */
export interface Clock {
  /** The initial bank of every seat, in milliseconds. */
  readonly initialMs: number;
  /** Milliseconds added after each take of the seat. */
  readonly incrementMs: number;
  /** The maximum lag credited for one take, in milliseconds. */
  readonly lagQuotaMs: number;
  /** The maximum lag credited to a seat in one match, in milliseconds. */
  readonly lagTotalMs: number;
  /** The time limit for declarations, in milliseconds. */
  readonly declarationMs: number;
  /**
   * How long a bot that is to move may be disconnected before its seat is forfeited, in milliseconds; absent for as long as its bank
   * lasts.
   */
  readonly returnWithinMs?: number | undefined;
}

/** The tournament of a match. */
export interface Origin {
  /** The tournament's id. */
  readonly tournament: string;
  /** The number of the match in its tournament, from 0. */
  readonly number: bigint;
  /** The duplicate group: matches of the same bots on the same piles in every rotation share it. */
  readonly group: bigint;
}

/** The facts about a match that are fixed before the first take, from the view of one seat. */
export interface MatchInfo {
  /** The match, a UUID. */
  readonly id: string;
  /** The bot's seat, from 0. */
  readonly seat: number;
  /** The number of seats, 2 to 32. */
  readonly seats: number;
  /** The names of the bots, by seat. */
  readonly bots: readonly string[];
  /** The initial counters of each pile, 1 to 2^63-1. */
  readonly piles: readonly bigint[];
  /** The seat that moves first. */
  readonly first: number;
  /** Who wins when no counter is left. */
  readonly ending: Ending;
  /** The clock. */
  readonly clock: Clock;
  /** The number of strikes that forfeits a seat. */
  readonly strikes: number;
  /** The number of plies after which the oracle decides. */
  readonly maxPlies: number;
  /** All rows, if the organiser assigned them, so that seats do not declare. */
  readonly assigned: AllianceMatrix | undefined;
  /** The tournament of the match; absent for an exhibition. */
  readonly origin: Origin | undefined;
  /**
   * The private row that was dealt to the bot, by which it scores whatever it declares; absent if no rows are dealt. Others see it after
   * the match.
   */
  readonly dealtRow: Row | undefined;
  /** How the seats talk before they declare; absent if they do not. */
  readonly talk: Talk | undefined;
  /** The messages that the bot has sent or heard so far, in order of round, sender and number. */
  readonly messages: readonly TalkMessage[];
}
