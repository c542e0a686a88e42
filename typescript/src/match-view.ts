import type { Ending, MatchInfo } from "./match-info.js";
import { Position } from "./position.js";
import { isRow, standardRow, type AllianceMatrix } from "./row.js";
import { SeenTakes, type SeenTake } from "./seen-takes.js";

/** A match as the seat to move sees it: everything of {@link MatchInfo}, everybody's rows, and the position. */
export interface MatchView extends MatchInfo {
  /** The rows of all seats. */
  readonly matrix: AllianceMatrix;
  /** The position, with the own seat to move. `position.piles` are the piles as they stand, `piles` those at the start. */
  readonly position: Position;
  /** The number of the take to come, from 0. */
  readonly ply: number;
  /** Milliseconds that were left in the own bank when the turn was sent. */
  readonly bankLeftMs: number;
  /**
   * The newest takes of all seats that the bot has heard of, the own ones too, in rising order of ply: 1,024 at the most, and none
   * unless `Bot.takeFeed` returns `all`. Those that were made while there was no session are missing, and so are all that a process
   * before this one heard of.
   */
  readonly seenTakes: readonly SeenTake[];
}

/** A game to try a bot on, without a server. */
export interface PracticeGame {
  /** The counters of each pile at the start. */
  readonly piles: readonly bigint[];
  /** Everybody's row; by default the standard one. */
  readonly matrix?: AllianceMatrix | undefined;
  /** How many seats there are; by default as many as the matrix has rows, or two. */
  readonly seats?: number | undefined;
  /** The seat that moves first; by default 0. */
  readonly first?: number | undefined;
  /** Who wins when no counter is left; by default the seat to move. */
  readonly ending?: Ending | undefined;
  /** The takes made so far. */
  readonly takes?: readonly bigint[] | undefined;
}

const HOUR_MS = 3_600_000;
const PRACTICE_MATCH = "00000000-0000-7000-8000-000000000000";

/**
 * Returns a match after some takes, as the seat to move sees it: to try a bot without a server. The bots are named `seat-0`,
 * `seat-1` and so on; the clock stands at an hour. It has seen all takes.
 *
 * @throws RangeError if there is no such game, the rules do not allow a take, or no counter is left for the seat to take.
 */
export function practiceView(game: PracticeGame): MatchView {
  const seats = game.seats ?? game.matrix?.length ?? 2;
  const matrix = game.matrix ?? Array.from({ length: seats }, () => standardRow(seats));
  if (matrix.length !== seats || !matrix.every((row) => isRow(row, seats))) {
    throw new RangeError(`matrix ${JSON.stringify(matrix)}: expected ${seats} rows, each a permutation of 0 to ${seats - 1}`);
  }
  const first = game.first ?? 0;
  const takes = game.takes ?? [];
  const start = Position.start(game.piles, first, seats);
  const position = takes.reduce((before, take) => before.after(take), start);
  const seen = new SeenTakes(start);
  takes.forEach((take, ply) => seen.addTake(ply, take, "bot"));
  if (position.isOver) {
    throw new RangeError("no counter is left to take");
  }
  return {
    id: PRACTICE_MATCH,
    seat: position.toMove,
    seats,
    bots: Array.from({ length: seats }, (_, seat) => `seat-${seat}`),
    piles: game.piles,
    first,
    ending: game.ending ?? "to_move_wins",
    clock: { initialMs: HOUR_MS, incrementMs: 0, lagQuotaMs: 0, lagTotalMs: 0, declarationMs: HOUR_MS },
    strikes: 3,
    maxPlies: 10_000,
    assigned: undefined,
    origin: undefined,
    matrix,
    position,
    ply: takes.length,
    bankLeftMs: HOUR_MS,
    seenTakes: seen.newest(),
  };
}
