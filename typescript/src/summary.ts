import type { MatchEnd } from "./match-end.js";

/** The results of a bot's run. `String(summary)` is a line. */
export class Summary {
  /** Matches whose end the bot saw and that were not cancelled. */
  matches = 0;
  /** Matches that the bot won without forfeiting its seat. */
  wins = 0;
  /** Matches with the bot's seat forfeited. */
  forfeits = 0;
  /** Matches that were cancelled. */
  cancelled = 0;
  /** Matches that ended while there was no session. */
  unseen = 0;
  /** Matches with a winner but no audit, which a tournament may hide from bots. */
  unaudited = 0;
  /** Ranks lost by the bot's takes in audited matches. */
  regret = 0;
  /** The bot's takes. */
  takes = 0;
  /** The bot's optimal takes. */
  optimalTakes = 0;

  /** The share of the bot's takes that were optimal, from 0 to 1; absent without takes. */
  get accuracy(): number | undefined {
    return this.takes > 0 ? this.optimalTakes / this.takes : undefined;
  }

  /** The mean number of ranks lost per audited match; absent without such matches. */
  get regretPerMatch(): number | undefined {
    const audited = this.matches - this.unaudited;
    return audited > 0 ? this.regret / audited : undefined;
  }

  /** @internal */
  addMatch(end: MatchEnd): void {
    if (end.reason === "cancelled") this.cancelled += 1;
    else if (end.reason === "unseen") this.unseen += 1;
    else {
      this.matches += 1;
      if (end.winner !== undefined && end.figures === undefined) this.unaudited += 1;
    }
    if (end.won && !end.forfeited) this.wins += 1;
    if (end.forfeited) this.forfeits += 1;
    this.regret += end.figures?.regret ?? 0;
    this.takes += end.figures?.takes ?? 0;
    this.optimalTakes += end.figures?.optimalTakes ?? 0;
  }

  toString(): string {
    const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
    const parts = [
      count(this.matches, "match", "matches"),
      count(this.wins, "win", "wins"),
      count(this.forfeits, "forfeit", "forfeits"),
    ];
    if (this.unaudited === 0 || this.unaudited < this.matches) parts.push(`regret ${this.regret}`);
    if (this.accuracy !== undefined) parts.push(`accuracy ${(100 * this.accuracy).toFixed(0)}%`);
    if (this.cancelled > 0) parts.push(`${this.cancelled} cancelled`);
    if (this.unseen > 0) parts.push(`${this.unseen} ended unseen`);
    if (this.unaudited > 0) parts.push(`${this.unaudited} without an audit`);
    return parts.join(", ");
  }
}
