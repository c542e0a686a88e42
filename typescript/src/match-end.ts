import type { EndReason as WireEndReason } from "./gen/lastnim/v1/record_pb.js";
import type { MatchInfo } from "./match-info.js";
import type { EnumWord } from "./wire-enum.js";

/** How a match came to its end; `unseen` where it ended while the session was lost and the server no longer says how. */
export type EndReason = EnumWord<typeof WireEndReason> | "unseen";

/** One seat's game in figures. */
export interface SeatFigures {
  /** 1 - rank / (n - 1) of the winner in the seat's row, from 0 to 1. */
  readonly satisfaction: number;
  /** The ranks that the seat's own takes cost it. */
  readonly regret: number;
  /** The ranks that the others' takes gave it; negative where they cost it. */
  readonly luck: number;
  /** Takes that the seat itself made. */
  readonly takes: number;
  /** How many of them were optimal. */
  readonly optimalTakes: number;
}

/** How a match ended, seen from one seat. */
export interface MatchEnd {
  /** The match. */
  readonly match: MatchInfo;
  /** How it came to its end. */
  readonly reason: EndReason;
  /** The seat that won; none where the match was cancelled or its end was not seen. */
  readonly winner: number | undefined;
  /** Whether the own seat won. */
  readonly won: boolean;
  /** Whether the own seat was lost, so that the steward played on for it. */
  readonly forfeited: boolean;
  /** The own game held against the oracle; none where there is no winner. */
  readonly figures: SeatFigures | undefined;
}
