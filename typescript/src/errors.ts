/**
 * Why a run ended before its time, for programs:
 *
 * | code | what happened |
 * |---|---|
 * | `address` | The server's address cannot be used. |
 * | `token` | The token holds characters that no token has. |
 * | `no_token` | The environment holds no token. |
 * | `token_file` | The file of the token cannot be used. |
 * | `version` | The label of the bot's version is none. |
 * | `config_hash` | The hash of the bot's configuration is none. |
 * | `session_log` | The log of the sessions cannot be opened. |
 * | `ca` | The file of trusted authorities cannot be used. |
 * | `tls` | The server's certificate is not trusted, or what answers does not speak TLS. |
 * | `refused` | The server does not let this bot in, as with a wrong token. |
 * | `superseded` | A newer session of the same bot took over. |
 * | `gave_up` | The session was lost, or there was no server, for longer than `giveUpAfterMs`. |
 * | `not_joined` | The tournament cannot be joined. |
 * | `practice` | The server does not let the bot practise. |
 * | `no_house_bots` | The server hosts nobody to practise against. |
 * | `protocol` | The server sent what no server of this kind sends. |
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
  | "tls"
  | "refused"
  | "superseded"
  | "gave_up"
  | "not_joined"
  | "practice"
  | "no_house_bots"
  | "protocol";

/** What ends a run, or fails a call: nothing that opening a session again could mend. */
export class LastnimError extends Error {
  override readonly name = "LastnimError";

  constructor(
    /** What happened, for programs. */
    readonly code: LastnimErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Makes the error of a server that sent what does not fit. */
export function protocolError(what: string): LastnimError {
  return new LastnimError("protocol", `the server sent ${what}`);
}

/** Returns what any thrown value says of itself. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
