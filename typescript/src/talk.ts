import type { TalkPrivacy } from "./gen/lastnim/v1/record_pb.js";
import type { MatchInfo } from "./match-info.js";
import type { Row } from "./row.js";
import type { EnumWord } from "./wire-enum.js";

/** How seats talk before they declare their rows. */
export interface Talk {
  /** The number of rounds, 1 to 4. */
  readonly rounds: number;
  /** The maximum milliseconds of a round. */
  readonly roundMs: number;
  /** The maximum characters of a text. */
  readonly textChars: number;
  /** Whether seats can send private messages, and whether everybody can read those once the match has a winner. */
  readonly privacy: EnumWord<typeof TalkPrivacy>;
  /** Whether seats can sign pacts. */
  readonly pacts: boolean;
}

/** An agreement of two or more seats about the rows that they will declare. */
export interface Pact {
  /** The members. */
  readonly members: readonly PactMember[];
}

/** A member of a pact, and what its declared row must agree with. */
export interface PactMember {
  readonly seat: number;
  /** The row ranks the seat `before` before the seat `after`. A member without relations may declare any row. */
  readonly relations: readonly { readonly before: number; readonly after: number }[];
}

/** The place of the message that offers a pact. */
export interface OfferId {
  /** The sender. */
  readonly seat: number;
  /** The round, from 0. */
  readonly round: number;
  /** The number among the messages of the sender in this round, from 0. */
  readonly number: number;
}

/**
 * A message that a bot sends: a text; the claim of a row ("this is what I want"); the offer of a pact, of which the bot is a member;
 * or the acceptance of a pact that was offered in an earlier round, for which the offering {@link TalkMessage} can be given.
 */
export type Message = ({ readonly text: string } | { readonly claim: Row } | { readonly offer: Pact } | { readonly accept: OfferId }) & {
  /** The seats that hear it; absent or empty for everyone, also watchers. Absent for offers and acceptances, which go to the members. */
  readonly to?: readonly number[] | undefined;
};

/** A message that the bot has sent or heard. */
export interface TalkMessage {
  /** The sender. */
  readonly seat: number;
  /** The round, from 0. */
  readonly round: number;
  /** The number among the messages of the sender in this round, from 0. */
  readonly number: number;
  /** The seats that hear it, in ascending order; empty for everyone, and for offers and acceptances of this process. */
  readonly to: readonly number[];
  /** The text, if it is one. */
  readonly text: string | undefined;
  /** The claimed row, if it is a claim. */
  readonly claim: Row | undefined;
  /** The pact, if it is an offer. */
  readonly offer: Pact | undefined;
  /** The message that offers the accepted pact, if it is an acceptance. */
  readonly accept: OfferId | undefined;
}

/** A round of talk that has begun: the {@link MatchInfo} with the messages of earlier rounds and the bot's own, and the round. */
export interface TalkRound extends MatchInfo {
  /** The number of the round, from 0. */
  readonly round: number;
  /** Milliseconds left in the round when the server sent it. */
  readonly timeLeftMs: number;
}

/** Returns the last row that a seat has claimed in the bot's messages, if any. */
export function lastClaim(match: MatchInfo, seat: number): Row | undefined {
  return match.messages.findLast((message) => message.seat === seat && message.claim !== undefined)?.claim;
}
