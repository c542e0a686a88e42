/**
 * Why a run ended, as a code:
 *
 * | code | what happened |
 * |---|---|
 * | `address` | The server's address is invalid. |
 * | `token` | The token has invalid characters. |
 * | `no_token` | The environment has no token. |
 * | `token_file` | The token file cannot be used. |
 * | `version` | The label of the bot's version is invalid. |
 * | `config_hash` | The hash of the bot's configuration is invalid. |
 * | `session_log` | The session log cannot be opened. |
 * | `ca` | The file of trusted authorities cannot be used. |
 * | `client_certificate` | The client's own certificate or its key cannot be used. |
 * | `tls` | The server's certificate is not trusted, or the server does not use TLS. |
 * | `refused` | The server refused the session, for instance because of a wrong token. |
 * | `superseded` | A newer session of the same bot replaced this one. |
 * | `gave_up` | There was no session for longer than `giveUpAfterMs`. |
 * | `not_joined` | The tournament cannot be joined. |
 * | `practice` | The server refused practice. |
 * | `no_house_bots` | The server has no house bots to practise against. |
 * | `protocol` | The server sent an invalid message. |
 */
export type LastnimErrorCode =
  | "address"
  | "token"
  | "no_token"
  | "token_file"
  | "version"
  | "config_hash"
  | "session_log"
  | "ca"
  | "client_certificate"
  | "tls"
  | "refused"
  | "superseded"
  | "gave_up"
  | "not_joined"
  | "practice"
  | "no_house_bots"
  | "protocol";

/** A permanent error that ended a run or failed a call. */
export class LastnimError extends Error {
  override readonly name = "LastnimError";

  constructor(
    /** The code of the error. */
    readonly code: LastnimErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Creates the error for an invalid message of the server. */
export function protocolError(what: string): LastnimError {
  return new LastnimError("protocol", `the server sent ${what}`);
}

/** Returns the message of any thrown value. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
