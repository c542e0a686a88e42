import { createClient, type CallOptions, type Client } from "@connectrpc/connect";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bot } from "./bot.js";
import { LastnimError } from "./errors.js";
import { BotService } from "./gen/lastnim/v1/bot_service_pb.js";
import { MatchService } from "./gen/lastnim/v1/match_service_pb.js";
import { Http2Connection } from "./http2-connection.js";
import { Mailbox } from "./mailbox.js";
import { optionsFromEnv, type Options } from "./options.js";
import { grpcTransport } from "./play-stream.js";
import { withStopSignal } from "./run.js";
import { parseServerAddress } from "./server-address.js";
import { BotRunner, GIVE_UP_AFTER_MS, authorization } from "./session.js";
import { describeFailure, isRetryable } from "./status.js";
import { Summary } from "./summary.js";

/** Bots of one page of a list. */
const PAGE = 1_000;
/** The pause before a match is asked for again that the server has no room for, in milliseconds. */
const PAUSE_MS = 1_000;
/** How long a call may take, in milliseconds. */
const CALL_WITHIN_MS = 30_000;

/** Against whom a bot practises, and on what. */
export interface Practice {
  /** The names of house bots that the server hosts; by default all of them. */
  readonly rivals?: readonly string[] | undefined;
  /** The counters of each pile; by default 3, 4 and 5. */
  readonly piles?: readonly bigint[] | undefined;
  /** How many times each rival is met in each seat; by default once. */
  readonly rounds?: number | undefined;
}

/**
 * Plays against house bots that the server hosts, in each of two seats, and stops. It counts for no standings.
 *
 * Matches that the bot is given meanwhile are played as well, and are in the summary. The tournament of the options does not
 * count.
 *
 * @throws LastnimError as {@link run} does; also if the server hosts no house bots.
 */
export async function practice(bot: Bot, options: Options = optionsFromEnv(), against: Practice = {}): Promise<Summary> {
  return withStopSignal(options.signal, async (stop) => {
    if (stop.aborted) return new Summary();
    // The practice ends when it is stopped, or when all is played.
    const ending = new AbortController();
    const finish = () => ending.abort();
    stop.addEventListener("abort", finish, { once: true });
    const news = new Mailbox<News>();
    const runner = new BotRunner(observe(bot, news), { ...options, tournament: undefined }, ending.signal);
    const driver = new PracticeDriver(options, news, ending.signal);
    const playing = runner.run();
    const driving = driver.playAll(against).catch((error: unknown) => {
      // A call that was under way when the practice was stopped is no failure of its own.
      if (!ending.signal.aborted) throw error;
    });
    try {
      // Whatever ends first: a run that fails or is stopped ends the practice as well.
      await Promise.race([driving, playing]);
    } finally {
      stop.removeEventListener("abort", finish);
      finish();
      await Promise.allSettled([playing]);
    }
    return playing;
  });
}

/** What the bot hears that the driver of its practice waits for. */
type News = { readonly kind: "connected"; readonly bot: string } | { readonly kind: "ended"; readonly matchId: string };

/** Returns a bot that does what another one does, and says of what it hears. */
function observe(bot: Bot, news: Mailbox<News>): Bot {
  // The methods of the bot are found through its prototypes, and called on itself.
  return new Proxy(bot, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      const call = (argument: unknown) => (typeof method === "function" ? method.call(target, argument) : undefined);
      if (name === "connected") {
        return (session: Parameters<NonNullable<Bot["connected"]>>[0]) => {
          news.put({ kind: "connected", bot: session.bot });
          return call(session);
        };
      }
      if (name === "ended") {
        return (end: Parameters<NonNullable<Bot["ended"]>>[0]) => {
          news.put({ kind: "ended", matchId: end.match.id });
          return call(end);
        };
      }
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}

/** Asks for one match after the other. */
class PracticeDriver {
  readonly #connection: Http2Connection;
  readonly #bots: Client<typeof BotService>;
  readonly #matches: Client<typeof MatchService>;
  readonly #headers: Record<string, string>;
  readonly #giveUpAfterMs: number;

  constructor(
    private readonly options: Options,
    private readonly news: Mailbox<News>,
    private readonly end: AbortSignal,
  ) {
    this.#connection = new Http2Connection(parseServerAddress(options.server, options.caFile));
    const transport = grpcTransport(this.#connection);
    this.#bots = createClient(BotService, transport);
    this.#matches = createClient(MatchService, transport);
    this.#headers = authorization(options.token);
    this.#giveUpAfterMs = options.giveUpAfterMs ?? GIVE_UP_AFTER_MS;
    end.addEventListener("abort", () => this.#connection.close(), { once: true });
  }

  async playAll({ rivals, piles = [3n, 4n, 5n], rounds = 1 }: Practice): Promise<void> {
    const own = await this.#ownName();
    const met = rivals === undefined || rivals.length === 0 ? await this.#houseBots() : rivals;
    for (let round = 0; round < rounds; round += 1) {
      for (const rival of met) {
        for (const bots of [[own, rival], [rival, own]]) {
          const matchId = await this.#createMatch({ bots, piles: [...piles] });
          await this.#untilEnded(matchId);
        }
      }
    }
  }

  /** Waits for the first session, and returns the name of the bot. */
  async #ownName(): Promise<string> {
    for (;;) {
      const news = await this.news.take();
      if (news.kind === "connected") return news.bot;
    }
  }

  async #untilEnded(matchId: string): Promise<void> {
    for (;;) {
      const news = await this.news.take();
      if (news.kind === "ended" && news.matchId === matchId) return;
    }
  }

  /** Returns the house bots that the server hosts. */
  async #houseBots(): Promise<string[]> {
    const hosted: string[] = [];
    let pageToken = "";
    do {
      const request = { pageSize: PAGE, pageToken };
      const page = await this.#call((options) => this.#bots.listBots(request, options));
      hosted.push(...page.bots.filter((bot) => bot.houseBot !== "").map((bot) => bot.name));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    if (hosted.length === 0) {
      throw new LastnimError(
        "no_house_bots",
        `the server at ${this.options.server} hosts no house bots to practise against: \`lastnim serve --house oracle,greedy\` does`,
      );
    }
    return hosted;
  }

  /** Begins a match, once the server has room for it. */
  async #createMatch(request: { bots: string[]; piles: bigint[] }): Promise<string> {
    const created = await this.#call((options) => this.#matches.createMatch(request, options));
    return created.match?.id ?? "";
  }

  /** Makes a call, again while the server has no room for it or is not there. */
  async #call<T>(call: (options: CallOptions) => Promise<T>): Promise<T> {
    const beganMs = performance.now();
    for (;;) {
      try {
        return await call({ headers: this.#headers, timeoutMs: CALL_WITHIN_MS, signal: this.end });
      } catch (error) {
        if (!isRetryable(error) || this.end.aborted || performance.now() - beganMs > this.#giveUpAfterMs) {
          throw new LastnimError("practice", `practice: ${describeFailure(error)}`, { cause: error });
        }
      }
      await sleep(PAUSE_MS, undefined, { signal: this.end });
    }
  }
}
