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
}

/** A message that a bot sends: a text, or the claim of a row ("this is what I want"). */
export type Message = ({ readonly text: string } | { readonly claim: Row }) & {
  /** The seats that hear it; absent or empty for everyone, also watchers. */
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
  /** The seats that hear it, in ascending order; empty for everyone. */
  readonly to: readonly number[];
  /** The text; absent for a claim. */
  readonly text: string | undefined;
  /** The claimed row; absent for a text. */
  readonly claim: Row | undefined;
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
