/** The longest pause after the first failure, in milliseconds. */
const FIRST_MS = 100;
/** The longest pause after any failure, in milliseconds. */
const LONGEST_MS = 10_000;

/**
 * Doubles the pause after each failure, up to a bound, and spreads it so that bots that were lost together do not return
 * together.
 */
export class Backoff {
  #ceilingMs = FIRST_MS;

  /** Returns the next pause in milliseconds: half to all of the ceiling, by where `random` lies from 0 to 1. */
  nextPause(random = Math.random()): number {
    const half = this.#ceilingMs / 2;
    this.#ceilingMs = Math.min(2 * this.#ceilingMs, LONGEST_MS);
    return half + half * random;
  }

  /** Starts over after a session that held for `heldMs`; one that broke at once changes nothing. */
  resetIfHeld(heldMs: number): void {
    if (heldMs >= LONGEST_MS) {
      this.#ceilingMs = FIRST_MS;
    }
  }
}
