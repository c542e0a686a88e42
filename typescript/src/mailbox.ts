/** A queue with one reader, who waits where it is empty. */
export class Mailbox<T> {
  #waiting: T[] = [];
  #reader: ((item: T) => void) | undefined;

  /** Puts an item at the end. */
  put(item: T): void {
    if (this.#reader === undefined) {
      this.#waiting.push(item);
    } else {
      const reader = this.#reader;
      this.#reader = undefined;
      reader(item);
    }
  }

  /** Waits for the first item and takes it out. */
  take(): Promise<T> {
    const waiting = this.#waiting;
    if (waiting.length > 0) return Promise.resolve(waiting.shift() as T);
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }
}
