import { createClient, type CallOptions, type Client } from "@connectrpc/connect";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bot } from "./bot.js";
import { LastnimError, protocolError } from "./errors.js";
import { BotService } from "./gen/lastnim/v1/bot_service_pb.js";
import { MatchService } from "./gen/lastnim/v1/match_service_pb.js";
import { AllianceMode } from "./gen/lastnim/v1/record_pb.js";
import { Http2Connection } from "./http2-connection.js";
import { Mailbox } from "./mailbox.js";
import { optionsFromEnv, type Options } from "./options.js";
import { grpcTransport } from "./play-stream.js";
import { withStopSignal } from "./run.js";
import { parseServerAddresses, type ServerAddress } from "./server-address.js";
import { BotRunner, GIVE_UP_AFTER_MS, authorization } from "./session.js";
import { describeFailure, isRetryable } from "./status.js";
import { Summary } from "./summary.js";

/** House bots per page of a list. */
const PAGE_SIZE = 1_000;
/** Pause before another attempt to create a match when the server is full, in milliseconds. */
const RETRY_PAUSE_MS = 1_000;
/** Seats of a match, if the server hosts enough house bots. */
const SEATS = 3;
/** Maximum house bots of a server. */
const MAX_HOUSE_BOTS = 10_000;
/** Time limit of a call, in milliseconds. */
const CALL_TIMEOUT_MS = 30_000;

/** Opponents and positions of practice. */
export interface Practice {
  /** The names of house bots to meet; by default all that the server hosts. */
  readonly rivals?: readonly string[] | undefined;
  /** The counters of each pile; by default 3, 4 and 5. */
  readonly piles?: readonly bigint[] | undefined;
  /** Matches in each seat against each rival and the next one; by default one. */
  readonly rounds?: number | undefined;
}

/**
 * Plays against house bots of the server, and stops. Practice does not count for standings.
 *
 * In each match all three seats declare their rows: the bot, a house bot, and the next one in the list, with the bot once in each
 * seat. If there is only one house bot, matches have two seats.
 *
 * Other matches that the bot gets are played too, and are in the summary. The tournament in the options is ignored.
 *
 * @throws LastnimError like {@link run}; also if the server hosts no house bots.
 */
export async function practice(bot: Bot, options: Options = optionsFromEnv(), against: Practice = {}): Promise<Summary> {
  return withStopSignal(options.signal, async (stop) => {
    if (stop.aborted) return new Summary();
    // Practice ends when it is stopped, or when all matches are played.
    const ending = new AbortController();
    const finish = () => ending.abort();
    stop.addEventListener("abort", finish, { once: true });
    const events = new Mailbox<PracticeEvent>();
    const runner = new BotRunner(observe(bot, events), { ...options, tournament: undefined }, ending.signal);
    const driver = new PracticeDriver(options, events, ending.signal);
    const playing = runner.run();
    const driving = driver.playAll(against).catch((error: unknown) => {
      // A call that fails because practice was stopped is not an error.
      if (!ending.signal.aborted) throw error;
    });
    try {
      // If the run fails or is stopped, practice ends too.
      await Promise.race([driving, playing]);
    } finally {
      stop.removeEventListener("abort", finish);
      finish();
      await Promise.allSettled([playing]);
    }
    return playing;
  });
}

/** An event for the driver of practice. */
type PracticeEvent = { readonly kind: "connected"; readonly bot: string } | { readonly kind: "ended"; readonly matchId: string };

/** Returns a bot that behaves like `bot` and reports events. */
function observe(bot: Bot, events: Mailbox<PracticeEvent>): Bot {
  // Finds methods on the bot's prototypes too, and calls them on the bot.
  return new Proxy(bot, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      const call = (argument: unknown) => (typeof method === "function" ? method.call(target, argument) : undefined);
      if (name === "connected") {
        return (session: Parameters<NonNullable<Bot["connected"]>>[0]) => {
          events.put({ kind: "connected", bot: session.bot });
          return call(session);
        };
      }
      if (name === "ended") {
        return (end: Parameters<NonNullable<Bot["ended"]>>[0]) => {
          events.put({ kind: "ended", matchId: end.match.id });
          return call(end);
        };
      }
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}

/** Returns the bots of each match by seat: the bot with each rival and the next one, once in each seat. */
export function tables(own: string, rivals: readonly string[]): string[][] {
  const distinct = [...new Set(rivals)];
  return distinct.flatMap((_, first) => {
    const met = [...distinct.slice(first), ...distinct.slice(0, first)].slice(0, SEATS - 1);
    const table = [own, ...met];
    return table.map((_, seat) => [...table.slice(table.length - seat), ...table.slice(0, table.length - seat)]);
  });
}

/** Creates one match after another. */
class PracticeDriver {
  /** The addresses of the server and its standby, the one in use first. */
  readonly #addresses: [ServerAddress, ...ServerAddress[]];
  #connection: Http2Connection;
  #bots!: Client<typeof BotService>;
  #matches!: Client<typeof MatchService>;
  readonly #headers: Record<string, string>;
  readonly #giveUpAfterMs: number;

  constructor(
    private readonly options: Options,
    private readonly events: Mailbox<PracticeEvent>,
    private readonly end: AbortSignal,
  ) {
    this.#addresses = [...parseServerAddresses(options.server, options)];
    this.#connection = this.#connect();
    this.#headers = authorization(options.token);
    this.#giveUpAfterMs = options.giveUpAfterMs ?? GIVE_UP_AFTER_MS;
    end.addEventListener("abort", () => this.#connection.close(), { once: true });
  }

  #connect(): Http2Connection {
    const connection = new Http2Connection(this.#addresses[0]);
    const transport = grpcTransport(connection);
    this.#bots = createClient(BotService, transport);
    this.#matches = createClient(MatchService, transport);
    return connection;
  }

  async playAll({ rivals, piles = [3n, 4n, 5n], rounds = 1 }: Practice): Promise<void> {
    const own = await this.#ownName();
    const met = rivals === undefined || rivals.length === 0 ? await this.#houseBots() : rivals;
    for (let round = 0; round < rounds; round += 1) {
      for (const bots of tables(own, met)) {
        const matchId = await this.#createMatch({ bots, piles: [...piles], alliance: AllianceMode.DECLARED });
        await this.#untilEnded(matchId);
      }
    }
  }

  /** Waits for the first session and returns the bot's name. */
  async #ownName(): Promise<string> {
    for (;;) {
      const events = await this.events.take();
      if (events.kind === "connected") return events.bot;
    }
  }

  async #untilEnded(matchId: string): Promise<void> {
    for (;;) {
      const events = await this.events.take();
      if (events.kind === "ended" && events.matchId === matchId) return;
    }
  }

  /** Returns the house bots of the server. */
  async #houseBots(): Promise<string[]> {
    const hosted: string[] = [];
    let pageToken = "";
    do {
      const request = { pageSize: PAGE_SIZE, pageToken };
      const page = await this.#call((options) => this.#bots.listBots(request, options));
      hosted.push(...page.bots.filter((bot) => bot.houseBot !== "").map((bot) => bot.name));
      if (hosted.length > MAX_HOUSE_BOTS) throw protocolError(`a list of more than ${MAX_HOUSE_BOTS} house bots`);
      pageToken = page.bots.length === 0 ? "" : page.nextPageToken;
    } while (pageToken !== "");
    if (hosted.length === 0) {
      throw new LastnimError(
        "no_house_bots",
        `the server at ${this.options.server} hosts no house bots to practise against: start it with \`--house oracle,greedy\``,
      );
    }
    return hosted;
  }

  /** Creates a match, once the server has room. Repeated calls have the same id, so that the server creates one. */
  async #createMatch(request: { bots: string[]; piles: bigint[]; alliance: AllianceMode }): Promise<string> {
    const requestId = randomUUID();
    const created = await this.#call((options) => this.#matches.createMatch({ ...request, requestId }, options));
    return created.match?.id ?? "";
  }

  /** Makes a call, with retries while the server is full or unreachable. */
  async #call<T>(call: (options: CallOptions) => Promise<T>): Promise<T> {
    const beganMs = performance.now();
    for (;;) {
      try {
        return await call({ headers: this.#headers, timeoutMs: CALL_TIMEOUT_MS, signal: this.end });
      } catch (error) {
        if (!isRetryable(error) || this.end.aborted || performance.now() - beganMs > this.#giveUpAfterMs) {
          throw new LastnimError("practice", `practice: ${describeFailure(error)}`, { cause: error });
        }
        if (this.#addresses.length > 1) {
          this.#addresses.push(this.#addresses.shift()!);
          this.#connection.close();
          this.#connection = this.#connect();
        }
      }
      await sleep(RETRY_PAUSE_MS, undefined, { signal: this.end });
    }
  }
}
