import type { MatchEnd } from "./match-end.js";
import type { MatchInfo } from "./match-info.js";
import type { MatchView } from "./match-view.js";
import type { Connected, Refusal, Suspension, TournamentEnd } from "./notices.js";
import type { Row } from "./row.js";
import type { Message, TalkRound } from "./talk.js";

/** A question or report to the bot. */
export type BotQuestion =
  | { readonly kind: "talk"; readonly round: TalkRound }
  /** The bot has heard the messages of this round. */
  | { readonly kind: "heard"; readonly match: MatchInfo; readonly round: number }
  | { readonly kind: "declare"; readonly match: MatchInfo }
  | { readonly kind: "play"; readonly view: MatchView }
  | { readonly kind: "connected"; readonly session: Connected }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "suspended"; readonly notice: Suspension }
  | { readonly kind: "tournamentEnded"; readonly end: TournamentEnd }
  | { readonly kind: "ended"; readonly end: MatchEnd };

/** The bot's answer. */
export type BotAnswer =
  /** The report was handled. */
  | { readonly kind: "handled" }
  /** The messages to send in a round of talk; absent to declare at once. */
  | { readonly kind: "messages"; readonly messages: readonly Message[] | undefined }
  /** The row to declare. */
  | { readonly kind: "row"; readonly row: Row; readonly noteHash: Uint8Array | undefined }
  /** The counters to take. */
  | { readonly kind: "take"; readonly take: bigint; readonly noteHash: Uint8Array | undefined }
  /** The bot's code failed to answer a question. */
  | { readonly kind: "failed" };

/** Returns the match of a question, if it has one. */
export function matchOfQuestion(question: BotQuestion): string | undefined {
  switch (question.kind) {
    case "talk":
      return question.round.id;
    case "heard":
    case "declare":
      return question.match.id;
    case "play":
      return question.view.id;
    case "refused":
      return question.refusal.match;
    case "ended":
      return question.end.match.id;
    default:
      return undefined;
  }
}

/** Returns whether a match needs the bot's answer to a question, which is not only a report. */
export function isRequest(question: BotQuestion): boolean {
  return question.kind === "talk" || question.kind === "declare" || question.kind === "play";
}
