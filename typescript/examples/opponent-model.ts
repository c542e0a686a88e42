// A bot that models its opponents: it counts the rows that each has declared, expects them to repeat these, and declares the row that
// wins most often against them. It plays first for its own win, then for its row.
import { pathToFileURL } from "node:url";
import { favouringRow, run, standardRow, type AllianceMatrix, type Bot, type MatchInfo, type MatchView, type Row } from "lastnim";
import { Solver, solverOf } from "./solver.js";

/** Samples of the opponents' rows to try each row against. */
const SAMPLES = 64;
/** Maximum seats to try all rows; with more, only rows that favour one seat. */
const MAX_SEATS_FOR_ALL_ROWS = 4;
/** Weight, in matches, of the prior belief that an opponent prefers itself. */
const PRIOR_WEIGHT = 0.5;

/** The rows that one opponent has declared in matches of one size, with their counts. */
class DeclaredRows {
  readonly #counts = new Map<string, number>();

  constructor(seats: number) {
    this.#counts.set(JSON.stringify(standardRow(seats)), PRIOR_WEIGHT);
  }

  add(row: Row): void {
    const key = JSON.stringify(row);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Returns the row at a quantile from 0 to 1 of the distribution of rows. */
  at(place: number): Row {
    let left = place * [...this.#counts.values()].reduce((sum, count) => sum + count);
    for (const [key, count] of this.#counts) {
      left -= count;
      if (left < 0) return JSON.parse(key) as Row;
    }
    return JSON.parse([...this.#counts.keys()].at(-1)!) as Row;
  }
}

export class OpponentModel implements Bot {
  readonly #rows = new Map<string, DeclaredRows>();
  /** Matches already counted. */
  readonly #seen = new Set<string>();

  declare(match: MatchInfo): Row {
    const tables = Array.from({ length: SAMPLES }, (_, sample) => this.#expectedRows(match, sample));
    let best: Row = standardRow(match.seats);
    let mostWins = -1;
    for (const row of candidateRows(match.seats)) {
      const wins = tables.filter((rows) => {
        const matrix: AllianceMatrix = rows.with(match.seat, row);
        return new Solver(matrix, match.piles, match.ending).winner(match.first) === match.seat;
      }).length;
      if (wins > mostWins) [best, mostWins] = [row, wins];
    }
    return best;
  }

  play(game: MatchView): bigint {
    this.#learn(game);
    const solver = solverOf(game);
    // Only the bot's own wins count: promises to others come second.
    const worth = (winner: number) => (winner === game.seat ? -1 : solver.rank(game.seat, winner));
    const outcomes = solver.outcomes(game.position);
    return outcomes.reduce((best, outcome) => (worth(outcome.winner) < worth(best.winner) ? outcome : best)).take;
  }

  /** Counts the rows of a match at its first turn. */
  #learn(game: MatchView): void {
    if (game.assigned !== undefined || this.#seen.has(game.id)) return;
    this.#seen.add(game.id);
    for (const [seat, row] of game.matrix.entries()) {
      if (seat !== game.seat) this.#rowsOf(game.bots[seat]!, game.seats).add(row);
    }
  }

  /** Returns the rows of one sample; over all samples each row appears as often as it is expected. */
  #expectedRows(match: MatchInfo, sample: number): Row[] {
    return match.bots.map((bot, seat) => {
      // A different irrational step for each seat spreads the samples over all combinations.
      const place = ((sample + 0.5) * Math.sqrt(seat * seat + 2)) % 1;
      return this.#rowsOf(bot, match.seats).at(place);
    });
  }

  #rowsOf(bot: string, seats: number): DeclaredRows {
    const key = `${seats} ${bot}`;
    let rows = this.#rows.get(key);
    if (rows === undefined) {
      rows = new DeclaredRows(seats);
      this.#rows.set(key, rows);
    }
    return rows;
  }
}

/** Returns the rows to try. */
function candidateRows(seats: number): Row[] {
  const favouring = standardRow(seats).map((offset) => favouringRow(offset, seats));
  if (seats > MAX_SEATS_FOR_ALL_ROWS) return favouring;
  const permutations = (offsets: Row): Row[] =>
    offsets.length === 0 ? [[]] : offsets.flatMap((first) => permutations(offsets.filter((other) => other !== first)).map((rest) => [first, ...rest]));
  return permutations(standardRow(seats));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(String(await run(new OpponentModel())));
}
