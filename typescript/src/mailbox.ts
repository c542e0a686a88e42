/** A queue with one reader, which waits while it is empty. */
export class Mailbox<T> {
  #waiting: T[] = [];
  #reader: ((item: T) => void) | undefined;

  /** The number of waiting items. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Appends an item. */
  put(item: T): void {
    if (this.#reader === undefined) {
      this.#waiting.push(item);
    } else {
      const reader = this.#reader;
      this.#reader = undefined;
      reader(item);
    }
  }

  /** Waits for the first item and removes it. */
  take(): Promise<T> {
    const waiting = this.#waiting;
    if (waiting.length > 0) return Promise.resolve(waiting.shift() as T);
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }
}
