import { randomBytes } from "node:crypto";
import { createWriteStream, fstatSync, openSync, readSync, statSync, writeSync, type WriteStream } from "node:fs";
import path from "node:path";
import { LastnimError, errorMessage } from "./errors.js";
import { PlayRequestSchema, PlayResponseSchema, type PlayRequest, type PlayResponse } from "./gen/lastnim/v1/arena_service_pb.js";
import type { Logger } from "./logger.js";
import { messageJson } from "./message-json.js";

/** The version of the log's format. */
const VERSION = 1;
/** Maximum bytes that wait for the disk; further lines are dropped, and the log states their number. */
const MAX_WAITING_BYTES = 16 << 20;
/** Tokens are longer; shorter secrets could be part of any word. */
const MIN_SECRET_CHARS = 16;
/** Replaces the token in the log if the server repeats it. */
const HIDDEN_TOKEN = "(token)";

/** Logs the messages of a bot's run, one JSON object per line. */
export class SessionLog {
  readonly #run = randomBytes(8).toString("hex");
  readonly #beganMs = performance.now();
  readonly #secret: string | undefined;
  readonly #file: WriteStream;
  #session = 0;
  #leftOut = 0;
  #isBroken = false;

  /**
   * Opens a log: a file to append to, or a folder with a new file for this run.
   *
   * @throws LastnimError if the file cannot be opened.
   */
  constructor(
    given: string,
    server: string,
    token: string,
    private readonly logger: Logger,
    private readonly maxWaitingBytes = MAX_WAITING_BYTES,
  ) {
    this.#secret = token.length < MIN_SECRET_CHARS ? undefined : JSON.stringify(token).slice(1, -1);
    try {
      this.#file = createWriteStream("", { fd: openLog(given, this.#run) });
    } catch (error) {
      throw new LastnimError("session_log", `session log ${given}: ${errorMessage(error)}`);
    }
    this.#file.on("error", (error) => {
      if (!this.#isBroken) this.logger.warn(`the session log cannot be written: ${error.message}`);
      this.#isBroken = true;
    });
    const text = { version: VERSION, sdk: "lastnim-typescript 0.2.0", server: server.replace(/^([a-z]+:\/\/)?.*@/, "$1") };
    this.#note("run_began", JSON.stringify(text).slice(1, -1), 0);
  }

  /** Begins the next session. */
  beginSession(): void {
    this.#session += 1;
  }

  /** Logs a message before it is sent. */
  noteSent(request: PlayRequest): void {
    this.#note("sent", `"message":${messageJson(PlayRequestSchema, request)}`);
  }

  /** Logs a received message. */
  noteReceived(response: PlayResponse): void {
    this.#note("received", `"message":${messageJson(PlayResponseSchema, response)}`);
  }

  /** Logs the end of a session, or that it could not be opened. */
  noteClosed(reason: string): void {
    this.#note("closed", `"reason":${JSON.stringify(reason)}`);
  }

  /** Writes the waiting lines and the end of the run. */
  async close(): Promise<void> {
    this.#note("run_ended", "", 0);
    if (this.#isBroken) return;
    await new Promise<void>((resolve) => {
      this.#file.once("error", () => resolve());
      this.#file.end(() => resolve());
    });
  }

  #note(event: string, members: string, session = this.#session): void {
    if (this.#isBroken || this.#file.writableLength > this.maxWaitingBytes) {
      this.#leftOut += 1;
      return;
    }
    if (this.#leftOut > 0) this.#write("gap", `"lines":${this.#leftOut}`, session);
    this.#leftOut = 0;
    this.#write(event, members, session);
  }

  #write(event: string, members: string, session: number): void {
    const atUs = Math.round((performance.timeOrigin + performance.now()) * 1000);
    const monoUs = Math.round((performance.now() - this.#beganMs) * 1000);
    const rest = members === "" ? "" : `,${members}`;
    const line = `{"at_us":${atUs},"mono_us":${monoUs},"run":"${this.#run}","session":${session},"event":"${event}"${rest}}\n`;
    this.#file.write(this.#secret === undefined ? line : line.replaceAll(this.#secret, HIDDEN_TOKEN));
  }
}

/** Opens a file to append to. If a killed run left an incomplete line, it is ended first. */
function openLog(given: string, run: string): number {
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const file = openSync(isFolder ? path.join(given, `session-${run}.jsonl`) : given, "a+");
  const { size } = fstatSync(file);
  if (size > 0) {
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, size - 1);
    if (last.toString() !== "\n") writeSync(file, "\n");
  }
  return file;
}
