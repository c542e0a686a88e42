import { Code, ConnectError } from "@connectrpc/connect";
import { LastnimError, errorMessage } from "./errors.js";

/** Codes after which trying again can help. */
const TRANSIENT_CODES: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.Unknown,
  Code.Canceled,
  Code.DeadlineExceeded,
  Code.Internal,
  Code.ResourceExhausted,
]);

/** What Node.js calls the errors of a certificate that is not believed. */
const CERTIFICATE_ERRORS =
  /^(CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;

/** Writes a failure in one line, with the name of its code where the server gave one. */
export function describeFailure(error: unknown): string {
  const { rawMessage, code } = ConnectError.from(error);
  const name = Code[code] ?? String(code);
  if (rawMessage === "") return name;
  return isLocal(error) ? rawMessage.trim() : `${rawMessage} (${name})`;
}

/**
 * Tells the loss of a session that passes, as its reason, from one that does not.
 *
 * @throws LastnimError if trying again cannot help.
 */
export function transientLossReason(error: unknown, server: string): string {
  const tls = tlsFailure(error);
  if (tls !== undefined) throw new LastnimError("tls", `server ${server}: ${tls}`, { cause: error });
  const failure = ConnectError.from(error);
  // The transport calls a lost connection "aborted" as well; only a status of the server speaks of another session.
  if (isLocal(error) || TRANSIENT_CODES.has(failure.code)) return describeFailure(error);
  if (failure.code === Code.Aborted) {
    if (!failure.metadata.has("grpc-status")) return describeFailure(error);
    throw new LastnimError(
      "superseded",
      "a newer session of this bot was opened: a bot plays all its matches on one session, so run it once",
      { cause: error },
    );
  }
  throw new LastnimError("refused", `the server refused the session: ${describeFailure(error)}`, { cause: error });
}

/** Returns whether a call may be tried again as it is, since the server has no room now or is not there. */
export function isRetryable(error: unknown): boolean {
  if (isLocal(error)) return tlsFailure(error) === undefined;
  const { code } = ConnectError.from(error);
  return code === Code.ResourceExhausted || code === Code.Unavailable;
}

/** Returns whether an error arose on this side, so that its code is only the transport's guess. */
function isLocal(error: unknown): boolean {
  return !(error instanceof ConnectError) || error.cause !== undefined;
}

/** Returns what TLS had against a connection, if that is why it failed. */
function tlsFailure(error: unknown): string | undefined {
  for (let next = error; next instanceof Error; next = next.cause) {
    const code = "code" in next && typeof next.code === "string" ? next.code : "";
    if (CERTIFICATE_ERRORS.test(code)) {
      return `its certificate is refused: ${errorMessage(next)} (\`caFile\` or LASTNIM_CA names an authority that Node.js does not know)`;
    }
    if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG") {
      return "what answers there does not speak TLS: http:// in place of https://?";
    }
    if (code === "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE" || code === "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE") {
      return "what answers there refuses TLS; a server of lastnim by itself does not speak TLS: http:// in place of https://?";
    }
  }
  return undefined;
}
