import type { AllianceMatrix, Ending, MatchView, Position } from "lastnim";

/** By seat to move: the seat that wins under optimal play. */
export type Winners = readonly number[];

/** A game with everybody's rows, of which positions can be solved. */
export class Solver {
  readonly #seats: number;
  /** By number of piles in play, from none: the winners while those piles are whole. */
  readonly #byPiles: Winners[];

  constructor(
    private readonly matrix: AllianceMatrix,
    piles: readonly bigint[],
    ending: Ending,
  ) {
    const seats = matrix.length;
    this.#seats = seats;
    const lastMover = ending === "last_mover_wins" ? seats - 1 : 0;
    this.#byPiles = [matrix.map((_, seat) => (seat + lastMover) % seats)];
    for (const counters of piles) this.#byPiles.push(this.#winnersByCounters(this.#byPiles.at(-1)!, counters).at(-1)!);
  }

  /** Returns the winner at the start, with `first` to move. */
  winner(first: number): number {
    return this.#byPiles.at(-1)![first]!;
  }

  /** Returns the place of a winner in a seat's row: 0 for the one that it prefers to all others. */
  rank(seat: number, winner: number): number {
    return this.matrix[seat]!.indexOf((winner - seat + this.#seats) % this.#seats);
  }

  /**
   * Returns each take that can make a difference, with the winner that it leads to, the smallest take first.
   *
   * However many counters a pile holds, its first n (of n seats) decide: a larger rest is worth as much as n counters.
   */
  outcomes(position: Position): { take: bigint; winner: number }[] {
    const { pile, counters, toMove } = position;
    const left = this.#winnersByCounters(this.#byPiles[pile]!, counters - 1n);
    const next = (toMove + 1) % this.#seats;
    return left.map((winners, rest) => ({ take: counters - BigInt(rest), winner: winners[next]! })).reverse();
  }

  /** Returns the winners with 0 counters in the last pile, with 1, and so on, up to `counters` or the number of seats. */
  #winnersByCounters(empty: Winners, counters: bigint): Winners[] {
    const all: Winners[] = [empty];
    const cap = counters < BigInt(this.#seats) ? Number(counters) : this.#seats;
    while (all.length <= cap) {
      // Whoever moves chooses how many counters to leave to the next seat.
      all.push(
        this.matrix.map((_, seat) => {
          const reachable = all.map((winners) => winners[(seat + 1) % this.#seats]!);
          return reachable.reduce((best, winner) => (this.rank(seat, winner) < this.rank(seat, best) ? winner : best));
        }),
      );
    }
    return all;
  }
}

/** Returns the solver of the match of a turn. */
export function solverOf(game: MatchView): Solver {
  return new Solver(game.matrix, game.piles, game.ending);
}
