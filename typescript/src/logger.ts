/** Receives the SDK's log. Loggers of pino or winston have these four methods. */
export interface Logger {
  /** Details for debugging. */
  debug(message: string): void;
  /** Normal events. */
  info(message: string): void;
  /** Events for the bot's author: a refusal, a lost session. */
  warn(message: string): void;
  /** Failures: an exception in the bot's code. */
  error(message: string): void;
}

function writeLine(level: string, message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} lastnim: ${message}\n`);
}

/** Writes one line per message to standard error, except at `debug`. */
export const stderrLogger: Logger = {
  debug: () => {},
  info: (message) => writeLine("INFO", message),
  warn: (message) => writeLine("WARN", message),
  error: (message) => writeLine("ERROR", message),
};

/** Discards all messages. */
export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
