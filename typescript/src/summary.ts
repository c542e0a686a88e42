import type { MatchEnd } from "./match-end.js";

/** What a bot achieved between its first and its last session. `String(summary)` says it in one line. */
export class Summary {
  /** Matches whose winner was seen. */
  matches = 0;
  /** Matches won by the own seat, not lost before. */
  wins = 0;
  /** Matches in which the own seat was lost. */
  forfeits = 0;
  /** Matches that were cancelled. */
  cancelled = 0;
  /** Matches that ended while the session was lost. */
  unseen = 0;
  /** Matches whose winner was seen and whose audit was not: a tournament may keep it from its bots. */
  unaudited = 0;
  /** Ranks lost by own takes, in all matches that were audited. */
  regret = 0;
  /** Own takes. */
  takes = 0;
  /** Own takes that were optimal. */
  optimalTakes = 0;

  /** The share of own takes that were optimal, from 0 to 1; none before the first take. */
  get accuracy(): number | undefined {
    return this.takes > 0 ? this.optimalTakes / this.takes : undefined;
  }

  /** The ranks lost by own takes, a match that was audited; none before the first one. */
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
