/**
 * The current piles and the seat to move.
 *
 * Takes are from the last nonempty pile, so only its index and its counters change.
 */
export class Position {
  /** Prefer {@link Position.start}, which checks its arguments, or the position of a turn. */
  constructor(
    /** The initial counters of each pile. */
    private readonly start: readonly bigint[],
    /** The index of the last nonempty pile, from 0; 0 when the game is over. */
    readonly pile: number,
    /** The counters of the last nonempty pile, which is the largest legal take; 0 when the game is over. */
    readonly counters: bigint,
    /** The seat to move, from 0. */
    readonly toMove: number,
    /** The number of seats. */
    readonly seats: number,
  ) {}

  /** Starts with `toMove` and whole piles of at least one counter. */
  static start(piles: readonly bigint[], toMove: number, seats: number): Position {
    const last = piles.at(-1);
    if (last === undefined || piles.some((counters) => counters < 1n)) {
      throw new RangeError(`piles [${piles.join(", ")}]: expected one pile or more, each of at least 1 counter`);
    }
    if (!(Number.isInteger(toMove) && toMove >= 0 && toMove < seats)) {
      throw new RangeError(`seat ${toMove}: expected 0 to ${seats - 1}`);
    }
    return new Position(piles, piles.length - 1, last, toMove, seats);
  }

  /** The current counters of every pile; empty piles are 0. */
  get piles(): bigint[] {
    return this.start.map((counters, index) => (index < this.pile ? counters : index === this.pile ? this.counters : 0n));
  }

  /** Whether no counter is left. */
  get isOver(): boolean {
    return this.counters === 0n;
  }

  /**
   * Returns the position after a take.
   *
   * @throws RangeError if the take is illegal.
   */
  after(take: bigint): Position {
    if (take < 1n || take > this.counters) {
      const allowed = this.isOver ? "no counter is left" : `expected 1 to ${this.counters}`;
      throw new RangeError(`take ${take} from pile ${this.pile}: ${allowed}`);
    }
    const toMove = (this.toMove + 1) % this.seats;
    const left = this.counters - take;
    const pile = left > 0n || this.pile === 0 ? this.pile : this.pile - 1;
    const counters = left > 0n || this.pile === 0 ? left : (this.start[pile] ?? 0n);
    return new Position(this.start, pile, counters, toMove, this.seats);
  }
}
