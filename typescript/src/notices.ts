import type { RefusalReason as WireRefusalReason } from "./gen/lastnim/v1/record_pb.js";
import type { SuspensionReason as WireSuspensionReason } from "./gen/lastnim/v1/tournament_service_pb.js";
import type { EnumWord } from "./wire-enum.js";

/** A session that has just been opened. */
export interface Connected {
  /** The name of the token's bot. */
  readonly bot: string;
  /** The server's version. */
  readonly serverVersion: string;
  /** The number of the bot's open matches. */
  readonly openMatches: number;
}

/** The reason of a refusal, as a code. */
export type RefusalReason = EnumWord<typeof WireRefusalReason>;

/** A request from the bot, refused by the server. */
export interface Refusal {
  /** The match, if the refused message named one. */
  readonly match: string | undefined;
  /** The reason as a code. */
  readonly reason: RefusalReason;
  /** The reason in words: the offending value, and what is expected. */
  readonly message: string;
  /** The current ply of the match. */
  readonly ply: number;
  /** The seat's strikes so far. */
  readonly strikes: number;
  /** Strikes left before the seat is forfeited. */
  readonly strikesLeft: number;
}

/** Why a ladder has suspended a bot, as a code. */
export type SuspensionReason = EnumWord<typeof WireSuspensionReason>;

/**
 * A ladder has suspended the bot after too many forfeits in a row. To return, the bot joins again. The next forfeit suspends it
 * again, unless it has completed a match before.
 */
export interface Suspension {
  /** The tournament. */
  readonly tournament: string;
  /** The reason as a code. */
  readonly reason: SuspensionReason;
  /** The reason in words. */
  readonly message: string;
  /** The first round without matches for the bot. */
  readonly fromRound: bigint;
  /** Forfeited matches in a row. */
  readonly lost: bigint;
  /** How many of these matches the bot never appeared in. */
  readonly noShows: bigint;
  /** The number of the last of these matches. */
  readonly last: bigint;
}

/** How a tournament ended, and the bot's result. */
export interface TournamentEnd {
  /** The tournament. */
  readonly tournament: string;
  /** Its title. */
  readonly title: string;
  /** How it ended. */
  readonly state: "finished" | "cancelled";
  /** The bot's place, from 1; tied bots share it. */
  readonly place: number;
  /** Its points. */
  readonly points: number;
  /** Matches played. */
  readonly matches: number;
  /** Matches won. */
  readonly wins: number;
  /** The number of bots in the standings. */
  readonly bots: bigint;
}
