import type { MatchEnd } from "./match-end.js";
import type { MatchInfo } from "./match-info.js";
import type { MatchView } from "./match-view.js";
import type { Connected, Refusal, Suspension, TournamentEnd } from "./notices.js";
import type { Row } from "./row.js";
import type { TakeFeed } from "./seen-takes.js";
import type { Message, TalkRound } from "./talk.js";

/**
 * A player of Last Nim. Only `play` is required.
 *
 * Methods return their answer or a promise of it, and may take as long as the match's clock allows. The view has everything that
 * a take depends on, so a bot needs no memory. Within a match the methods are called one at a time and in order. While a method
 * waits for a promise, methods may be called for other matches, unless `Options.concurrency` is 1.
 *
 * If `talk`, `declare`, `play` or `noteHash` throws or returns an invalid value, this is logged and the seat of that match is resigned.
 * Exceptions of other methods are only logged.
 */
export interface Bot {
  /**
   * Returns which takes the bot receives; the default is `own_turns`. Called once, before the first session.
   *
   * With `all`, `game.seenTakes` has the takes of all seats, for bots that adapt to the play of others.
   */
  takeFeed?(): TakeFeed;

  /**
   * Returns the messages to send in a round of talk, at most four; undefined, the default, to declare at once, so that the bot sends
   * nothing in later rounds either.
   *
   * Called at the beginning of each round, if the seats of the match talk. The server delivers all messages when the round ends; an
   * invalid one is refused and costs nothing. Messages that the bot has already sent in this round, before a restart, are not sent
   * again.
   */
  talk?(round: TalkRound): readonly Message[] | undefined | Promise<readonly Message[] | undefined>;

  /**
   * Called when a round of talk has ended; `match.messages` now has the messages that the bot heard in it. After a reconnect, the
   * rounds that the bot missed are reported.
   */
  heard?(match: MatchInfo, round: number): void | Promise<void>;

  /** Returns the row to declare; the default is the dealt row, or else the standard row. Not called if the rows are assigned. */
  declare?(match: MatchInfo): Row | Promise<Row>;

  /**
   * Returns how many counters to take: 1 to `game.position.counters`. A take out of range is refused and costs a strike; then the
   * bot is asked again.
   */
  play(game: MatchView): bigint | Promise<bigint>;

  /**
   * Returns a hash of 32 bytes to record with the row or take that the bot has just chosen in this match.
   *
   * Called after each `declare` and `play`. The bot decides what to hash, for instance a transcript that it may publish later.
   * Every reader of the record sees the hash.
   */
  noteHash?(match: MatchInfo): Uint8Array | undefined | Promise<Uint8Array | undefined>;

  /**
   * Called once for each match that began, when it has ended. Ends that the bot missed while it was disconnected follow
   * once it has reconnected, including those of matches that an earlier process began; the summary does not count the
   * latter.
   */
  ended?(end: MatchEnd): void | Promise<void>;

  /** Called when the server has refused one of the bot's requests; the default logs it. */
  refused?(refusal: Refusal): void | Promise<void>;

  /** Called when a ladder has suspended the bot, and after each reconnect while it is suspended; the default logs it. */
  suspended?(notice: Suspension): void | Promise<void>;

  /**
   * Called when one of the bot's tournaments is over, even if it ended while the bot was away. A restarted process may get it again.
   */
  tournamentEnded?(end: TournamentEnd): void | Promise<void>;

  /** Called when a session was opened, also after each reconnect. */
  connected?(session: Connected): void | Promise<void>;
}
