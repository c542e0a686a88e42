import type { Bot } from "./bot.js";
import { optionsFromEnv, type Options } from "./options.js";
import { BotRunner } from "./session.js";
import type { Summary } from "./summary.js";

/** Signals that end a run without `options.signal`. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Plays all matches of a bot until its tournament has ended, or without a tournament, until it is stopped.
 *
 * A lost session is reopened. The default options are from the environment: see {@link optionsFromEnv}.
 *
 * @returns the summary, also if the run was stopped.
 * @throws LastnimError for permanent errors.
 */
export async function run(bot: Bot, options: Options = optionsFromEnv()): Promise<Summary> {
  return withStopSignal(options.signal, (stop) => new BotRunner(bot, options, stop).run());
}

/** The runs that a signal ends; one listener serves them all. */
const stoppable = new Set<AbortController>();

/** Ends all runs, and stops listening so that a second signal ends the process. */
function stopAll(): void {
  stopListening();
  for (const run of stoppable) run.abort();
}

function stopListening(): void {
  for (const signal of SIGNALS) process.removeListener(signal, stopAll);
}

/** Runs something that a signal ends: `given`, or else the first SIGINT or SIGTERM. */
export async function withStopSignal<T>(given: AbortSignal | undefined, body: (stop: AbortSignal) => Promise<T>): Promise<T> {
  if (given !== undefined) return body(given);
  const controller = new AbortController();
  if (stoppable.size === 0) for (const signal of SIGNALS) process.on(signal, stopAll);
  stoppable.add(controller);
  try {
    return await body(controller.signal);
  } finally {
    stoppable.delete(controller);
    if (stoppable.size === 0) stopListening();
  }
}
