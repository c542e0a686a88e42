import { readFileSync } from "node:fs";
import { parseConfigHash } from "./bot-version.js";
import { LastnimError, errorMessage } from "./errors.js";
import type { Logger } from "./logger.js";

/** Default address of a server. */
const DEFAULT_SERVER = "127.0.0.1:7600";

/** Where to play, as which bot, and for how long. */
export interface Options {
  /** The server: `host:port`, `http://host:port`, `https://host[:port]`, or `unix:PATH` for a Unix socket. */
  server: string;
  /** The bot's token. */
  token: string;
  /** A PEM file of authorities to trust at `https://` in place of those that Node.js trusts. */
  caFile?: string | undefined;
  /** A PEM file with the certificate to show to a server that asks clients for one. */
  clientCertFile?: string | undefined;
  /** A PEM file with the private key of that certificate. */
  clientKeyFile?: string | undefined;
  /** The tournament to join and play to its end; without one, the bot plays until it is stopped. */
  tournament?: string | undefined;
  /** The version of the bot's program: 1 to 64 visible ASCII characters without spaces. */
  version?: string | undefined;
  /** A hash of the bot's configuration, such as its settings or prompt: 32 bytes. */
  configHash?: Uint8Array | undefined;
  /**
   * The file that logs all messages of the bot, or a folder with one file per run, for `lastnim audit history`. It never contains
   * the token.
   */
  sessionLog?: string | undefined;
  /** How long to retry a lost session, or wait for a server at the start; by default two minutes. */
  giveUpAfterMs?: number | undefined;
  /**
   * The number of matches that the bot may think about at once, if its methods wait for promises; unlimited by default. With 1 it
   * is asked one question at a time.
   */
  concurrency?: number | undefined;
  /** Ends the run once it is aborted. Without one, SIGINT and SIGTERM end it. */
  signal?: AbortSignal | undefined;
  /** Receives the SDK's log; by default lines on standard error. */
  logger?: Logger | undefined;
}

/**
 * Reads the options from the environment, which `lastnim tournament run` sets for the bots it starts.
 *
 * | variable | what |
 * |---|---|
 * | `LASTNIM_SERVER` | the server, or the addresses of a server and its standby, separated by commas; default 127.0.0.1:7600 |
 * | `LASTNIM_CA` | a file of authorities to trust there |
 * | `LASTNIM_CLIENT_CERT`, `LASTNIM_CLIENT_KEY` | the files of the client's own certificate and its key |
 * | `LASTNIM_TOKEN`, `LASTNIM_TOKEN_FILE` | the bot's token, or a file with it |
 * | `LASTNIM_TOURNAMENT` | the tournament to play to its end |
 * | `LASTNIM_BOT_VERSION` | the version of the bot |
 * | `LASTNIM_BOT_CONFIG_HASH` | the hash of its configuration, as 64 hexadecimal digits or in base64 |
 * | `LASTNIM_SESSION_LOG` | the file or folder of the session log |
 *
 * An empty variable counts as unset.
 *
 * @throws LastnimError if the token is missing, its file cannot be read, or the hash is invalid.
 */
export function optionsFromEnv(environment: Record<string, string | undefined> = process.env): Options {
  const variable = (name: string) => environment[name] || undefined;
  const configHash = variable("LASTNIM_BOT_CONFIG_HASH");
  return {
    server: variable("LASTNIM_SERVER") ?? DEFAULT_SERVER,
    token: findToken(variable("LASTNIM_TOKEN"), variable("LASTNIM_TOKEN_FILE")),
    caFile: variable("LASTNIM_CA"),
    clientCertFile: variable("LASTNIM_CLIENT_CERT"),
    clientKeyFile: variable("LASTNIM_CLIENT_KEY"),
    tournament: variable("LASTNIM_TOURNAMENT"),
    version: variable("LASTNIM_BOT_VERSION"),
    sessionLog: variable("LASTNIM_SESSION_LOG"),
    configHash: configHash === undefined ? undefined : parseConfigHash(configHash),
  };
}

function findToken(token: string | undefined, file: string | undefined): string {
  if (token !== undefined) return token;
  if (file === undefined) {
    throw new LastnimError(
      "no_token",
      "neither LASTNIM_TOKEN nor LASTNIM_TOKEN_FILE is set: use the token that was printed when you registered the bot",
    );
  }
  const refused = (reason: string) => new LastnimError("token_file", `token file ${file}: ${reason}`);
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw refused(errorMessage(error));
  }
  if (text === "") throw refused("it is empty");
  return text;
}
