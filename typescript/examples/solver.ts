import type { AllianceMatrix, Ending, MatchView, Position } from "lastnim";

/** The winner under optimal play, by seat to move. */
export type Winners = readonly number[];

/** Solves the positions of a game with known rows. */
export class Solver {
  readonly #seats: number;
  /** The winners by number of whole piles, from 0. */
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

  /** Returns the rank of a winner in a seat's row: 0 is the most preferred. */
  rank(seat: number, winner: number): number {
    return this.matrix[seat]!.indexOf((winner - seat + this.#seats) % this.#seats);
  }

  /**
   * Returns each take that can matter with the winner it leads to, in ascending order.
   *
   * With n seats only n counters of a pile matter: a larger rest has the same value as n counters.
   */
  outcomes(position: Position): { take: bigint; winner: number }[] {
    const { pile, counters, toMove } = position;
    const left = this.#winnersByCounters(this.#byPiles[pile]!, counters - 1n);
    const next = (toMove + 1) % this.#seats;
    return left.map((winners, rest) => ({ take: counters - BigInt(rest), winner: winners[next]! })).reverse();
  }

  /** Returns the winners with 0, 1, ... counters in the last pile, up to `counters` or the number of seats. */
  #winnersByCounters(empty: Winners, counters: bigint): Winners[] {
    const all: Winners[] = [empty];
    const cap = counters < BigInt(this.#seats) ? Number(counters) : this.#seats;
    while (all.length <= cap) {
      // The seat to move chooses how many counters to leave.
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

/** Returns the solver for a turn's match. */
export function solverOf(game: MatchView): Solver {
  return new Solver(game.matrix, game.piles, game.ending);
}
