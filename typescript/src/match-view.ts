import type { Ending, MatchInfo } from "./match-info.js";
import { Position } from "./position.js";
import { isRow, standardRow, type AllianceMatrix } from "./row.js";
import { SeenTakes, type SeenTake } from "./seen-takes.js";

/** A match from the view of the seat to move: the {@link MatchInfo}, all rows, and the position. */
export interface MatchView extends MatchInfo {
  /** The rows of all seats. */
  readonly matrix: AllianceMatrix;
  /** The position, with the bot's seat to move. `position.piles` are the current piles, `piles` the initial ones. */
  readonly position: Position;
  /** The number of the next take, from 0. */
  readonly ply: number;
  /** The bot's bank in milliseconds when the turn was sent. */
  readonly bankLeftMs: number;
  /**
   * The latest takes that the bot has received, in order of ply: at most 1,024, own ones included. Empty unless `Bot.takeFeed`
   * returns `all`. Takes made while there was no session, or before this process started, are missing.
   */
  readonly seenTakes: readonly SeenTake[];
}

/** A game to test a bot without a server. */
export interface PracticeGame {
  /** The initial counters of each pile. */
  readonly piles: readonly bigint[];
  /** The rows of all seats; by default the standard ones. */
  readonly matrix?: AllianceMatrix | undefined;
  /** The number of seats; by default the number of rows in the matrix, or two. */
  readonly seats?: number | undefined;
  /** The seat that moves first; by default 0. */
  readonly first?: number | undefined;
  /** Who wins when no counter is left; by default the seat to move. */
  readonly ending?: Ending | undefined;
  /** The takes so far. */
  readonly takes?: readonly bigint[] | undefined;
}

const HOUR_MS = 3_600_000;
const PRACTICE_MATCH = "00000000-0000-7000-8000-000000000000";

/**
 * Returns a match after some takes from the view of the seat to move, to test a bot without a server. The bots are named
 * `seat-0`, `seat-1` and so on, the bank is one hour, and all takes are visible.
 *
 * @throws RangeError if the game is invalid, a take is illegal, or no counter is left.
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
    dealtRow: undefined,
    talk: undefined,
    messages: [],
    matrix,
    position,
    ply: takes.length,
    bankLeftMs: HOUR_MS,
    seenTakes: seen.newest(),
  };
}
