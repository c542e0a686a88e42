import type { RefusalReason as WireRefusalReason } from "./gen/lastnim/v1/record_pb.js";
import type { SuspensionReason as WireSuspensionReason } from "./gen/lastnim/v1/tournament_service_pb.js";
import type { EnumWord } from "./wire-enum.js";

/** An open session, as the server welcomed it. */
export interface Connected {
  /** The name of the bot whose token was given. */
  readonly bot: string;
  /** The version of the server. */
  readonly serverVersion: string;
  /** How many of the bot's matches are under way. */
  readonly openMatches: number;
}

/** Why something was refused, for programs. */
export type RefusalReason = EnumWord<typeof WireRefusalReason>;

/** Something that the bot sent and that the server refused. */
export interface Refusal {
  /** The match, if the refused message named one. */
  readonly match: string | undefined;
  /** The reason, for programs. */
  readonly reason: RefusalReason;
  /** The reason in words: the offending value, and what would be right. */
  readonly message: string;
  /** The ply that the match has reached. */
  readonly ply: number;
  /** The seat's strikes so far. */
  readonly strikes: number;
  /** Strikes left before the seat is forfeited. */
  readonly strikesLeft: number;
}

/** Why a ladder gives a bot no more matches, for programs. */
export type SuspensionReason = EnumWord<typeof WireSuspensionReason>;

/**
 * A ladder that gives the bot no more matches, as it lost its seat in too many in a row. It returns by joining again, and is
 * suspended again with the next match in which it loses its seat, unless it has kept it in one before.
 */
export interface Suspension {
  /** The tournament. */
  readonly tournament: string;
  /** Why, for programs. */
  readonly reason: SuspensionReason;
  /** Why, in words. */
  readonly message: string;
  /** The round from which on it gets no match. */
  readonly fromRound: bigint;
  /** Matches in a row in which its seat was lost. */
  readonly lost: bigint;
  /** Those of them to which it never came. */
  readonly noShows: bigint;
  /** The number of the last of them. */
  readonly last: bigint;
}

/** How a tournament ended, and where the bot came in it. */
export interface TournamentEnd {
  /** The tournament. */
  readonly tournament: string;
  /** Its title. */
  readonly title: string;
  /** How it ended. */
  readonly state: "finished" | "cancelled";
  /** The bot's own place, from 1; equal bots share it. */
  readonly place: number;
  /** Its points. */
  readonly points: number;
  /** Matches that it played. */
  readonly matches: number;
  /** Matches that it won. */
  readonly wins: number;
  /** How many bots have a line in the standings. */
  readonly bots: bigint;
}
