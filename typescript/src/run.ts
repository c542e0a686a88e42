import type { Bot } from "./bot.js";
import { optionsFromEnv, type Options } from "./options.js";
import { BotRunner } from "./session.js";
import type { Summary } from "./summary.js";

/** What ends a run whose options have no signal. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Plays all matches of a bot over one stream until its tournament has ended; without a tournament, until it is stopped.
 *
 * A lost session is opened again. Without options, the environment says where to play: see {@link optionsFromEnv}.
 *
 * @returns what the bot achieved, also if the run was stopped.
 * @throws LastnimError for what opening a session again cannot mend.
 */
export async function run(bot: Bot, options: Options = optionsFromEnv()): Promise<Summary> {
  return withStopSignal(options.signal, (stop) => new BotRunner(bot, options, stop).run());
}

/** The runs that a signal ends: one listener serves them all. */
const stoppable = new Set<AbortController>();

/** Ends all runs. It listens no longer, so that a second signal ends the process. */
function stopAll(): void {
  stopListening();
  for (const run of stoppable) run.abort();
}

function stopListening(): void {
  for (const signal of SIGNALS) process.removeListener(signal, stopAll);
}

/** Does something that a signal ends: the one given or, without one, the first SIGINT or SIGTERM. */
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
