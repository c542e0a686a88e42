/** Maximum pause after the first failure, in milliseconds. */
const FIRST_PAUSE_MS = 100;
/** Maximum pause after any failure, in milliseconds. */
const MAX_PAUSE_MS = 10_000;

/**
 * Doubles the pause after each failure up to a maximum, with jitter so that bots that lost their sessions together do not
 * reconnect together.
 */
export class Backoff {
  #ceilingMs = FIRST_PAUSE_MS;

  /** Returns the next pause in milliseconds: half to all of the current maximum, chosen by `random` from 0 to 1. */
  nextPause(random = Math.random()): number {
    const half = this.#ceilingMs / 2;
    this.#ceilingMs = Math.min(2 * this.#ceilingMs, MAX_PAUSE_MS);
    return half + half * random;
  }

  /** Starts over if the session lasted for at least the longest pause. */
  resetIfLasting(lastedMs: number): void {
    if (lastedMs >= MAX_PAUSE_MS) {
      this.#ceilingMs = FIRST_PAUSE_MS;
    }
  }
}
