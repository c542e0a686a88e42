/** Where the SDK says what it does. Any object with these four methods will do, such as a logger of pino or winston. */
export interface Logger {
  /** What only somebody who looks for a fault wants to read. */
  debug(message: string): void;
  /** What went as it should. */
  info(message: string): void;
  /** What the author of the bot should know: a refusal, a lost session. */
  warn(message: string): void;
  /** What failed: an exception in the bot's own code. */
  error(message: string): void;
}

function writeLine(level: string, message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} lastnim: ${message}\n`);
}

/** Writes one line a message on standard error, but for what is said at `debug`. */
export const stderrLogger: Logger = {
  debug: () => {},
  info: (message) => writeLine("INFO", message),
  warn: (message) => writeLine("WARN", message),
  error: (message) => writeLine("ERROR", message),
};

/** Says nothing. */
export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
