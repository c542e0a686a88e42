import { create } from "@bufbuild/protobuf";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { Backoff } from "./backoff.js";
import { askBot } from "./bot-caller.js";
import type { Bot } from "./bot.js";
import { versionMetadata } from "./bot-version.js";
import { LastnimError, protocolError } from "./errors.js";
import { parseEvent, type SessionEvent } from "./event.js";
import { Feed, SubscribeSchema, type PlayResponse } from "./gen/lastnim/v1/arena_service_pb.js";
import { TICK_MS } from "./http2-connection.js";
import { JoinState } from "./join-state.js";
import { stderrLogger, type Logger } from "./logger.js";
import { Mailbox } from "./mailbox.js";
import { MatchTracker, type ClientAction } from "./match-tracker.js";
import type { Connected } from "./notices.js";
import type { Options } from "./options.js";
import { PlayStream } from "./play-stream.js";
import type { BotAnswer, BotQuestion } from "./question.js";
import type { TakeFeed } from "./seen-takes.js";
import { parseServerAddresses, type ServerAddress } from "./server-address.js";
import { SessionLog } from "./session-log.js";
import { transientLossReason } from "./status.js";
import type { Summary } from "./summary.js";

/** Default time to retry a lost session, in milliseconds. */
export const GIVE_UP_AFTER_MS = 120_000;

/** Ticks without an event after which a session is lost: the server sends a ping at least every 20 s. */
const MAX_SILENT_TICKS = 25;

/** The takes that the server sends. */
const FEEDS: ReadonlyMap<TakeFeed, Feed> = new Map([
  ["all", Feed.ALL],
  ["own_turns", Feed.OWN_TURNS],
]);

/** Time limits of a session. */
export interface Patience {
  /** Milliseconds to wait for the welcome: a server over its stream limit does not answer. */
  readonly welcomeWithinMs: number;
  /** Milliseconds to wait for the last match ends once the tournament is over. */
  readonly lastEndsWithinMs: number;
  /** Milliseconds per tick of the connection: it is pinged after ten silent ticks, and closed after ten more. */
  readonly tickMs: number;
}

const DEFAULT_PATIENCE: Patience = { welcomeWithinMs: 10_000, lastEndsWithinMs: 2_000, tickMs: TICK_MS };

/** The inputs that a session waits for. */
type Input =
  | { readonly kind: "received"; readonly stream: PlayStream; readonly response: PlayResponse }
  /** The stream has ended, perhaps with an error. */
  | { readonly kind: "lost"; readonly stream: PlayStream; readonly error?: unknown }
  /** No event has come for too long. */
  | { readonly kind: "silent"; readonly stream: PlayStream }
  | { readonly kind: "answered"; readonly question: BotQuestion; readonly answer: BotAnswer }
  | { readonly kind: "joinAgain" }
  | { readonly kind: "farewellOver" }
  | { readonly kind: "stopped" };

/** How a session ended: the bot is finished, or the session can be reopened. */
type SessionEnd = { readonly kind: "done" } | { readonly kind: "lost"; readonly reason: string };

/** Returns the metadata of calls with a bot's token. */
export function authorization(token: string): Record<string, string> {
  if (!/^[!-~]+$/.test(token)) {
    throw new LastnimError("token", "the token has invalid characters: use it exactly as the server printed it");
  }
  return { authorization: `Bearer ${token}` };
}

/** A bot and its state across sessions. */
export class BotRunner {
  readonly #bot: Bot;
  /** The addresses of the server and its standby, the one in use first. */
  readonly #addresses: [ServerAddress, ...ServerAddress[]];
  readonly #headers: Record<string, string>;
  readonly #giveUpAfterMs: number;
  readonly #logger: Logger;
  readonly #takeFeed: TakeFeed;
  readonly #tracker: MatchTracker;
  readonly #log: SessionLog | undefined;
  readonly #joining: JoinState | undefined;
  readonly #inputs = new Mailbox<Input>();
  readonly #stop: AbortSignal;
  #stream: PlayStream | undefined;
  #joinTimer: NodeJS.Timeout | undefined;
  #farewellTimer: NodeJS.Timeout | undefined;
  /** Whether the tournament is known to be over. */
  #isOver = false;

  /** @throws LastnimError if the options cannot be used. */
  constructor(
    bot: Bot,
    options: Options,
    stop: AbortSignal,
    private readonly patience = DEFAULT_PATIENCE,
  ) {
    if (typeof bot?.play !== "function") throw new TypeError("a bot is an object with a method play");
    const concurrency = options.concurrency ?? Infinity;
    if (!(concurrency >= 1)) throw new RangeError(`concurrency ${concurrency}: expected 1 or more`);
    this.#bot = bot;
    this.#addresses = [...parseServerAddresses(options.server, options)];
    this.#headers = { ...authorization(options.token), ...versionMetadata(options.version, options.configHash) };
    this.#giveUpAfterMs = options.giveUpAfterMs ?? GIVE_UP_AFTER_MS;
    this.#logger = options.logger ?? stderrLogger;
    this.#takeFeed = bot.takeFeed?.() ?? "own_turns";
    if (!FEEDS.has(this.#takeFeed)) throw new TypeError(`takeFeed returned ${inspect(this.#takeFeed)}: expected "all" or "own_turns"`);
    this.#tracker = new MatchTracker(concurrency, this.#logger, this.#takeFeed);
    const { tournament, sessionLog } = options;
    this.#log = sessionLog === undefined ? undefined : new SessionLog(sessionLog, options.server, options.token, this.#logger);
    this.#joining = tournament === undefined ? undefined : new JoinState(tournament, this.#giveUpAfterMs, this.#logger);
    this.#stop = stop;
  }

  /** Opens one session after another until the bot is finished. */
  async run(): Promise<Summary> {
    const onStop = () => this.#inputs.put({ kind: "stopped" });
    this.#stop.addEventListener("abort", onStop, { once: true });
    try {
      await this.#runSessions();
      return this.#tracker.summary;
    } finally {
      this.#stop.removeEventListener("abort", onStop);
      clearTimeout(this.#joinTimer);
      clearTimeout(this.#farewellTimer);
      await this.#stream?.end();
      this.#log?.noteClosed("the run is over");
      await this.#log?.close();
    }
  }

  async #runSessions(): Promise<void> {
    const backoff = new Backoff();
    // The number of other addresses to try before the next pause.
    let untried = this.#addresses.length - 1;
    let lastSessionMs = performance.now();
    while (!this.#stop.aborted) {
      const opened = await this.#openSession();
      let reason: string;
      if (opened.kind === "failed") {
        reason = opened.reason;
      } else {
        const beganMs = performance.now();
        const end = await this.#runSession(opened.stream, opened.welcome);
        lastSessionMs = performance.now();
        backoff.resetIfLasting(lastSessionMs - beganMs);
        if (end.kind === "done") return;
        reason = end.reason;
      }
      this.#log?.noteClosed(reason);
      this.#stream?.cancel();
      this.#stream = undefined;
      if (this.#stop.aborted) return;
      if (performance.now() - lastSessionMs > this.#giveUpAfterMs) {
        throw new LastnimError("gave_up", `no session could be opened within ${this.#giveUpAfterMs / 1000} s: ${reason}`);
      }
      if (opened.kind === "failed") {
        this.#addresses.push(this.#addresses.shift()!);
        if (untried > 0) {
          untried -= 1;
          continue;
        }
      }
      untried = this.#addresses.length - 1;
      const pauseMs = backoff.nextPause();
      this.#logger.warn(`no session, retrying in ${Math.round(pauseMs)} ms: ${reason}`);
      await sleep(pauseMs, undefined, { signal: this.#stop }).catch(() => {});
    }
  }

  /** Opens a stream and waits for its welcome. */
  async #openSession(): Promise<
    { kind: "opened"; stream: PlayStream; welcome: Connected } | { kind: "failed"; reason: string }
  > {
    this.#log?.beginSession();
    const stream = new PlayStream(this.#addresses[0], this.#headers, this.patience.tickMs, this.#log);
    this.#stream = stream;
    const { welcomeWithinMs } = this.patience;
    const cancel = () => stream.cancel();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      cancel();
    }, welcomeWithinMs);
    this.#stop.addEventListener("abort", cancel, { once: true });
    let first: PlayResponse | undefined;
    try {
      first = await stream.receive();
    } catch (error) {
      if (isLate) return { kind: "failed", reason: `the server sent no welcome within ${welcomeWithinMs / 1000} s` };
      return { kind: "failed", reason: transientLossReason(error, this.#addresses[0].given) };
    } finally {
      clearTimeout(timer);
      this.#stop.removeEventListener("abort", cancel);
    }
    if (first === undefined) return { kind: "failed", reason: "the server closed the stream before its welcome" };
    const event = parseEvent(first);
    if (event.kind !== "welcome") throw protocolError("another event before the welcome");
    return { kind: "opened", stream, welcome: event.session };
  }

  /** Plays on a stream until it is lost or the bot is finished. */
  async #runSession(stream: PlayStream, session: Connected): Promise<SessionEnd> {
    const open = session.openMatches === 1 ? "1 open match" : `${session.openMatches} open matches`;
    this.#logger.info(`connected to ${this.#addresses[0].given} as ${session.bot}, with ${open}`);
    stream.send({ case: "subscribe", value: create(SubscribeSchema, { feed: FEEDS.get(this.#takeFeed)! }) });
    this.#askToJoin();
    this.#perform(this.#tracker.handleEvent({ kind: "welcome", session }));
    void this.#pump(stream);
    for (;;) {
      if (this.#isOver) {
        const { lastEndsWithinMs } = this.patience;
        this.#farewellTimer ??= setTimeout(() => this.#inputs.put({ kind: "farewellOver" }), lastEndsWithinMs);
        if (this.#tracker.isFinishedWith(this.#joining!.tournament)) return { kind: "done" };
      }
      const input = await this.#inputs.take();
      switch (input.kind) {
        case "received":
          if (input.stream === stream) this.#handleEvent(parseEvent(input.response));
          break;
        case "lost":
          if (input.stream !== stream) break;
          if (this.#isOver) return { kind: "done" };
          if (input.error === undefined) return { kind: "lost", reason: "the server closed the stream" };
          return { kind: "lost", reason: transientLossReason(input.error, this.#addresses[0].given) };
        case "silent":
          if (input.stream !== stream) break;
          if (this.#isOver) return { kind: "done" };
          return { kind: "lost", reason: `the server sent no event for ${MAX_SILENT_TICKS * (this.patience.tickMs / 1000)} s` };
        case "answered":
          this.#perform(this.#tracker.handleAnswer(input.question, input.answer));
          break;
        case "joinAgain":
          this.#askToJoin();
          break;
        case "farewellOver":
        case "stopped":
          return { kind: "done" };
      }
    }
  }

  /** Reads a stream to its end, so that messages never queue up in it. */
  async #pump(stream: PlayStream): Promise<void> {
    // Ticks are counted, not time: while a bot computes without a pause nothing is read, which is not silence.
    let silentTicks = 0;
    const watch = setInterval(() => {
      silentTicks += 1;
      if (silentTicks === MAX_SILENT_TICKS) this.#inputs.put({ kind: "silent", stream });
    }, this.patience.tickMs);
    watch.unref();
    try {
      for (;;) {
        const response = await stream.receive();
        if (response === undefined) break;
        silentTicks = 0;
        this.#inputs.put({ kind: "received", stream, response });
      }
      this.#inputs.put({ kind: "lost", stream });
    } catch (error) {
      this.#inputs.put({ kind: "lost", stream, error });
    } finally {
      clearInterval(watch);
    }
  }

  #askToJoin(): void {
    clearTimeout(this.#joinTimer);
    const request = this.#joining?.request();
    if (request !== undefined) this.#stream?.send(request);
  }

  /** Handles events of the session, and passes all events to the tracker. */
  #handleEvent(event: SessionEvent): void {
    const joining = this.#joining;
    if (event.kind === "draining") {
      this.#logger.info(`the server is about to stop, within ${event.withinMs / 1000} s`);
    } else if (event.kind === "joined" && joining !== undefined) {
      joining.noteJoined(event.tournament, event.bots);
      if (event.isOver && joining.isOwn(event.tournament)) this.#isOver = true;
    } else if (event.kind === "notJoined" && joining !== undefined) {
      const pauseMs = joining.noteRefused(event.tournament, event.reason, event.message);
      if (pauseMs !== undefined) {
        clearTimeout(this.#joinTimer);
        this.#joinTimer = setTimeout(() => this.#inputs.put({ kind: "joinAgain" }), pauseMs);
      }
    } else if (event.kind === "tournamentEnded" && joining?.isOwn(event.end.tournament)) {
      this.#isOver = true;
    }
    this.#perform(this.#tracker.handleEvent(event));
  }

  #perform(actions: ClientAction[]): void {
    for (const action of actions) {
      if (action.kind === "send") {
        this.#stream?.send(action.action);
      } else {
        const { question } = action;
        // Send before the bot may compute for a long time without a pause.
        setImmediate(async () => {
          const answer = await askBot(this.#bot, question, this.#logger);
          this.#inputs.put({ kind: "answered", question, answer });
        });
      }
    }
  }
}
