import type { EndReason as WireEndReason } from "./gen/lastnim/v1/record_pb.js";
import type { MatchInfo } from "./match-info.js";
import type { EnumWord } from "./wire-enum.js";

/** Why a match ended; `unseen` if it ended while there was no session and the server no longer reports it. */
export type EndReason = EnumWord<typeof WireEndReason> | "unseen";

/** The figures of one seat's play. */
export interface SeatFigures {
  /** 1 - rank / (n - 1) of the winner in the seat's row, from 0 to 1. */
  readonly satisfaction: number;
  /** The ranks lost by the seat's own takes. */
  readonly regret: number;
  /** The ranks gained by the others' takes; negative if they cost ranks. */
  readonly luck: number;
  /** Takes by the bot itself. */
  readonly takes: number;
  /** Optimal takes among them. */
  readonly optimalTakes: number;
}

/** How a match ended for one seat. */
export interface MatchEnd {
  /** The match. */
  readonly match: MatchInfo;
  /** Why it ended. */
  readonly reason: EndReason;
  /** The winner; absent if the match was cancelled or its end was not seen. */
  readonly winner: number | undefined;
  /** Whether the bot's seat won. */
  readonly won: boolean;
  /** Whether the bot's seat was forfeited, so that the steward played on for it. */
  readonly forfeited: boolean;
  /** The audit of the bot's play; absent without a winner, and in tournaments that hide the oracle from bots. */
  readonly figures: SeatFigures | undefined;
}
