import type { MatchEnd } from "./match-end.js";
import type { MatchInfo } from "./match-info.js";
import type { MatchView } from "./match-view.js";
import type { Connected, Refusal, Suspension, TournamentEnd } from "./notices.js";
import type { Row } from "./row.js";
import type { TakeFeed } from "./seen-takes.js";

/**
 * A player of Last Nim. Only `play` is needed.
 *
 * Every method may return its answer or a promise of it, and take as long as the clock of the match allows. Everything that a
 * take depends on is in the view: a bot needs no memory. In one match the methods are called one at a time and in order; a method
 * that waits for a promise may be overtaken by calls for other matches, unless `Options.concurrency` is 1.
 *
 * An exception in `declare`, `play` or `noteHash`, or an answer that is neither a row nor an integer, is logged with its match and costs the seat in that
 * match alone: it is resigned, so that nobody waits for it. An exception in any other method is logged, and nothing else.
 */
export interface Bot {
  /**
   * Returns which takes the bot hears of, by default `own_turns`; it is asked once, before the first session.
   *
   * With `all` the takes of all seats are in `game.seenTakes`: a bot needs that only if how the others play matters to it, and the
   * server then sends it every take of its matches.
   */
  takeFeed?(): TakeFeed;

  /** Returns the row to declare; by default the standard one. It is not asked where the rows are assigned. */
  declare?(match: MatchInfo): Row | Promise<Row>;

  /**
   * Returns how many counters to take: 1 to `game.position.counters`. A bigint outside that range is refused and costs a strike;
   * then the bot is asked again.
   */
  play(game: MatchView): bigint | Promise<bigint>;

  /**
   * Returns a hash of 32 bytes to put into the record with the row or the take that the bot has just chosen in this match.
   *
   * It is called after each `declare` and `play`. What is hashed, and how, is the bot's own affair: say, a transcript that it may
   * want to show later. Everybody who reads the record sees the hash.
   */
  noteHash?(match: MatchInfo): Uint8Array | undefined | Promise<Uint8Array | undefined>;

  /**
   * Hears how a match ended; called once for each match that was begun. Where the bot was away, it hears of it when it is back:
   * also of matches that were begun by a process before this one, which the summary does not count.
   */
  ended?(end: MatchEnd): void | Promise<void>;

  /** Hears why something that it did was refused; by default that is logged. */
  refused?(refusal: Refusal): void | Promise<void>;

  /** Hears that a ladder gives it no more matches, when that happens and after each reconnect; by default that is logged. */
  suspended?(notice: Suspension): void | Promise<void>;

  /**
   * Hears that a tournament in which it played is over, perhaps while it was away; a process that is started anew may hear of it
   * again.
   */
  tournamentEnded?(end: TournamentEnd): void | Promise<void>;

  /** Hears that a session was opened, at first and after each reconnect. */
  connected?(session: Connected): void | Promise<void>;
}
