import http2 from "node:http2";
import { connect, isIP } from "node:net";
import type { ServerAddress } from "./server-address.js";

/** Time limit for a connection, including TLS, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** The HTTP/2 window of a whole connection, in bytes. */
const CONNECTION_WINDOW = 16 << 20;
/** The HTTP/2 window of one stream, in bytes. */
const STREAM_WINDOW = 1 << 20;
/** Interval of checks on the connection, in milliseconds. */
export const TICK_MS = 1_000;
/** Silent ticks after which the server is pinged, and ticks that it has to answer. */
const KEEPALIVE_TICKS = 10;

/**
 * An HTTP/2 connection, opened on first use and reopened when lost.
 *
 * It replaces the transport's own connection manager, which neither sets the connection's window nor limits the time to connect,
 * and which throws an uncaught exception if a connection reports two errors.
 */
export class Http2Connection {
  /** The origin of the server. */
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

  /** Starts a request for the transport. */
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

  /** Does nothing: {@link keepAlive} sees the frames itself. */
  notifyResponseByteRead(): void {}

  /** Closes the connection and all its streams permanently. */
  close(): void {
    this.#isClosed = true;
    this.#current?.destroy();
  }

  #connect(): Promise<http2.ClientHttp2Session> {
    const { socketPath } = this.#address;
    const session = http2.connect(this.authority, {
      ...(socketPath === undefined ? {} : { createConnection: () => connect(socketPath) }),
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      ...(this.#address.ca === undefined ? {} : { ca: this.#address.ca }),
      ...this.#address.client,
      // TLS server names cannot be addresses; the certificate is still checked against the address.
      ...(isIP(new URL(this.authority).hostname.replace(/^\[|\]$/g, "")) > 0 ? { servername: "" } : {}),
    });
    this.#current = session;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        session.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`));
      }, CONNECT_TIMEOUT_MS);
      session.once("connect", () => {
        clearTimeout(timer);
        session.setLocalWindowSize(CONNECTION_WINDOW);
        keepAlive(session, this.tickMs);
        resolve(session);
      });
      // Keeps listening because a session may report several errors; each stream gets them too.
      session.on("error", reject);
      session.once("close", () => {
        clearTimeout(timer);
        reject(new Error("the connection was closed"));
      });
      // The server closes the connection soon and accepts no more requests.
      session.once("goaway", () => session.close());
    });
  }
}

/**
 * Destroys a session whose server stops answering.
 *
 * Silence is counted in ticks of a timer, not in time: while a bot computes without a pause nothing is read, which must not count
 * as silence.
 */
export function keepAlive(session: Pick<http2.ClientHttp2Session, "ping" | "destroy" | "destroyed" | "once">, tickMs = TICK_MS): void {
  let silentTicks = 0;
  let waitingTicks: number | undefined;
  const timer = setInterval(() => {
    // A destroyed session emits "close" only later, and throws on a ping. No caller would catch that error.
    if (session.destroyed) {
      clearInterval(timer);
      return;
    }
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
        session.destroy(new Error(`the server did not answer for ${(2 * KEEPALIVE_TICKS * tickMs) / 1000} s`));
      }
    }
  }, tickMs);
  timer.unref();
  session.once("close", () => clearInterval(timer));
}
