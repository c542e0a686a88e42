import { create } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { MAX_UNSENT_MESSAGES } from "./bounds.js";
import { protocolError } from "./errors.js";
import { ArenaService, PlayRequestSchema, type PlayRequest, type PlayResponse } from "./gen/lastnim/v1/arena_service_pb.js";
import { Http2Connection } from "./http2-connection.js";
import { Mailbox } from "./mailbox.js";
import type { PlayAction } from "./play-action.js";
import type { ServerAddress } from "./server-address.js";
import type { SessionLog } from "./session-log.js";

/** Maximum size of a received message, in bytes. The audit of the longest match is smaller. */
const MAX_MESSAGE_BYTES = 64 << 20;
/** Time limit for the server to end a stream that was ended here. */
const CLOSE_TIMEOUT_MS = 500;

/** Creates the transport for calls over a connection. */
export function grpcTransport(connection: Http2Connection): Transport {
  return createGrpcTransport({
    baseUrl: connection.authority,
    sessionManager: connection,
    readMaxBytes: MAX_MESSAGE_BYTES,
  });
}

/** A bot's stream on its own connection. */
export class PlayStream {
  readonly #connection: Http2Connection;
  readonly #outgoing = new Mailbox<PlayRequest | undefined>();
  readonly #cancel = new AbortController();
  readonly #incoming: AsyncIterator<PlayResponse>;

  /** Opens a stream; {@link receive} reports failures. */
  constructor(
    address: ServerAddress,
    headers: Record<string, string>,
    tickMs?: number,
    private readonly log?: SessionLog,
  ) {
    this.#connection = new Http2Connection(address, tickMs);
    const client = createClient(ArenaService, grpcTransport(this.#connection));
    const requests = this.#requests();
    this.#incoming = client.play(requests, { headers, signal: this.#cancel.signal })[Symbol.asyncIterator]();
  }

  /**
   * Waits for the server's next message; undefined once the server has ended the stream.
   *
   * @throws ConnectError if the stream is lost.
   */
  async receive(): Promise<PlayResponse | undefined> {
    const next = await this.#incoming.next();
    if (next.done === true) return undefined;
    this.log?.noteReceived(next.value);
    return next.value;
  }

  /**
   * Sends an action once there is room.
   *
   * @throws LastnimError if the server does not read, so that too many messages wait.
   */
  send(action: PlayAction): void {
    if (this.#outgoing.length >= MAX_UNSENT_MESSAGES) {
      throw protocolError(
        `more requests, but did not read the ${MAX_UNSENT_MESSAGES} replies that are waiting`,
      );
    }
    this.#outgoing.put(create(PlayRequestSchema, { action }));
  }

  /** Ends the sending side, gives the server a moment to read the rest, and closes the connection. */
  async end(): Promise<void> {
    this.#outgoing.put(undefined);
    const timer = setTimeout(() => this.cancel(), CLOSE_TIMEOUT_MS);
    try {
      while ((await this.receive()) !== undefined);
    } catch {
      // The stream is lost, so nothing more can be sent.
    }
    clearTimeout(timer);
    this.cancel();
  }

  /** Cancels the stream, in both directions, and closes the connection. */
  cancel(): void {
    this.#outgoing.put(undefined);
    this.#cancel.abort();
    this.#connection.close();
  }

  async *#requests(): AsyncGenerator<PlayRequest> {
    for (;;) {
      const request = await this.#outgoing.take();
      if (request === undefined) return;
      this.log?.noteSent(request);
      yield request;
    }
  }
}
