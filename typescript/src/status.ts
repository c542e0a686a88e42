import { Code, ConnectError } from "@connectrpc/connect";
import { LastnimError, errorMessage } from "./errors.js";

/** Codes after which a retry can succeed. */
const TRANSIENT_CODES: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.Unknown,
  Code.Canceled,
  Code.DeadlineExceeded,
  Code.Internal,
  Code.ResourceExhausted,
]);

/** Node.js's codes for untrusted certificates. */
const CERTIFICATE_ERRORS =
  /^(CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;

/** Formats a failure in one line, with the name of the server's code if there is one. */
export function describeFailure(error: unknown): string {
  const { rawMessage, code } = ConnectError.from(error);
  const name = Code[code] ?? String(code);
  if (rawMessage === "") return name;
  return isLocal(error) ? rawMessage.trim() : `${rawMessage} (${name})`;
}

/**
 * Returns why a session was lost temporarily.
 *
 * @throws LastnimError if a retry cannot succeed.
 */
export function transientLossReason(error: unknown, server: string): string {
  const tls = tlsFailure(error);
  if (tls !== undefined) throw new LastnimError("tls", `server ${server}: ${tls}`, { cause: error });
  const failure = ConnectError.from(error);
  // The transport also reports lost connections as "aborted"; only a status from the server means another session.
  if (isLocal(error) || TRANSIENT_CODES.has(failure.code)) return describeFailure(error);
  if (failure.code === Code.Aborted) {
    if (!failure.metadata.has("grpc-status")) return describeFailure(error);
    throw new LastnimError(
      "superseded",
      "a newer session of this bot was opened: run each bot only once, because it plays all its matches on one session",
      { cause: error },
    );
  }
  throw new LastnimError("refused", `the server refused the session: ${describeFailure(error)}`, { cause: error });
}

/** Returns whether to retry a call because the server is full or unreachable. */
export function isRetryable(error: unknown): boolean {
  if (isLocal(error)) return tlsFailure(error) === undefined;
  const { code } = ConnectError.from(error);
  return code === Code.ResourceExhausted || code === Code.Unavailable;
}

/** Returns whether an error arose locally, so that its code is the transport's guess. */
function isLocal(error: unknown): boolean {
  return !(error instanceof ConnectError) || error.cause !== undefined;
}

/** Returns the TLS error that made a connection fail, if it was one. */
function tlsFailure(error: unknown): string | undefined {
  for (let next = error; next instanceof Error; next = next.cause) {
    const code = "code" in next && typeof next.code === "string" ? next.code : "";
    if (CERTIFICATE_ERRORS.test(code)) {
      return `its certificate was rejected: ${errorMessage(next)} (to trust another authority, use \`caFile\` or LASTNIM_CA)`;
    }
    if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG") {
      return "the server does not use TLS: did you mean http://?";
    }
    if (code === "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE" || code === "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE") {
      return "the server refused TLS; lastnim serve needs --tls-cert for it: did you mean http://?";
    }
  }
  return undefined;
}
