import http2 from "node:http2";
import { isIP } from "node:net";
import type { ServerAddress } from "./server-address.js";

/** How long a connection may take to stand, TLS included. */
const CONNECT_WITHIN_MS = 10_000;
/** The HTTP/2 window of a whole connection, in bytes. */
const CONNECTION_WINDOW = 16 << 20;
/** The HTTP/2 window of one stream, in bytes. */
const STREAM_WINDOW = 1 << 20;
/** How often the connection is looked at, in milliseconds. */
export const TICK_MS = 1_000;
/** Ticks of silence after which the server is asked for a sign of life, and ticks that it has to give one. */
const KEEPALIVE_TICKS = 10;

/**
 * One HTTP/2 connection, made when it is first used, and made anew after it was lost.
 *
 * It takes the place of the transport's own keeper of connections, which neither sets the window of a connection nor bounds the
 * time to connect, and which lets an error through as an uncaught exception if a connection reports two.
 */
export class Http2Connection {
  /** The origin that it leads to. */
  readonly authority: string;
  readonly #address: ServerAddress;
  #session: Promise<http2.ClientHttp2Session> | undefined;
  #current: http2.ClientHttp2Session | undefined;
  #isClosed = false;

  constructor(
    address: ServerAddress,
    private readonly tickMs = TICK_MS,
  ) {
    this.authority = address.origin;
    this.#address = address;
  }

  /** Begins a request, for the transport. */
  async request(
    method: string,
    path: string,
    headers: http2.OutgoingHttpHeaders,
    options: Omit<http2.ClientSessionRequestOptions, "signal">,
  ): Promise<http2.ClientHttp2Stream> {
    if (this.#isClosed) throw new Error("the connection was closed");
    if (this.#current === undefined || this.#current.closed || this.#current.destroyed) {
      this.#session = this.#connect();
    }
    const session = await this.#session!;
    return session.request({ ...headers, ":method": method, ":path": path }, options);
  }

  /** What was read counts by its frames, which {@link keepAlive} sees by itself. */
  notifyResponseByteRead(): void {}

  /** Closes the connection with all its streams, for good. */
  close(): void {
    this.#isClosed = true;
    this.#current?.destroy();
  }

  #connect(): Promise<http2.ClientHttp2Session> {
    const session = http2.connect(this.authority, {
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      ...(this.#address.ca === undefined ? {} : { ca: this.#address.ca }),
      // TLS knows no server names that are addresses; the certificate is held against the address all the same.
      ...(isIP(new URL(this.authority).hostname.replace(/^\[|\]$/g, "")) > 0 ? { servername: "" } : {}),
    });
    this.#current = session;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        session.destroy(new Error(`no connection within ${CONNECT_WITHIN_MS / 1000} s`));
      }, CONNECT_WITHIN_MS);
      session.once("connect", () => {
        clearTimeout(timer);
        session.setLocalWindowSize(CONNECTION_WINDOW);
        keepAlive(session, this.tickMs);
        resolve(session);
      });
      // This stays for as long as the session does: it may report several errors, and each stream hears of them by itself.
      session.on("error", reject);
      session.once("close", () => {
        clearTimeout(timer);
        reject(new Error("the connection was closed"));
      });
      // Nothing more can be asked for on a connection that the server is about to close.
      session.once("goaway", () => session.close());
    });
  }
}

/**
 * Destroys a session whose server gives no sign of life.
 *
 * Silence is counted in ticks of a timer and not in time: while a bot computes without a pause nothing is read here, and what has
 * arrived meanwhile must not be taken for silence.
 */
export function keepAlive(session: Pick<http2.ClientHttp2Session, "ping" | "destroy" | "once">, tickMs = TICK_MS): void {
  let silentTicks = 0;
  let waitingTicks: number | undefined;
  const timer = setInterval(() => {
    if (waitingTicks === undefined) {
      silentTicks += 1;
      if (silentTicks >= KEEPALIVE_TICKS) {
        waitingTicks = 0;
        session.ping((error) => {
          if (error !== null) return;
          silentTicks = 0;
          waitingTicks = undefined;
        });
      }
    } else {
      waitingTicks += 1;
      if (waitingTicks >= KEEPALIVE_TICKS) {
        session.destroy(new Error(`the server gave no sign of life for ${(2 * KEEPALIVE_TICKS * tickMs) / 1000} s`));
      }
    }
  }, tickMs);
  timer.unref();
  session.once("close", () => clearInterval(timer));
}
