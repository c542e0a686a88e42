import type { Logger } from "lastnim";

/** A logger that tests can read and wait for. */
export class TestLog implements Logger {
  readonly lines: string[] = [];
  #readers: (() => void)[] = [];

  readonly debug = (message: string) => this.#add(message);
  readonly info = (message: string) => this.#add(message);
  readonly warn = (message: string) => this.#add(message);
  readonly error = (message: string) => this.#add(message);

  /** Waits for a matching message. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#readers.push(resolve));
    }
  }

  #add(message: string): void {
    this.lines.push(message);
    for (const reader of this.#readers.splice(0)) reader();
  }
}
