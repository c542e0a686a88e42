import { readFileSync } from "node:fs";
import { parseConfigHash } from "./bot-version.js";
import { LastnimError, errorMessage } from "./errors.js";
import type { Logger } from "./logger.js";

/** Where a server listens unless it is told otherwise. */
const USUAL_SERVER = "127.0.0.1:7600";

/** Where to play, as whom, and for how long. */
export interface Options {
  /** The server: `host:port`, `http://host:port` or `https://host[:port]`. */
  server: string;
  /** The bot's token. */
  token: string;
  /** A PEM file of the authorities that are trusted at `https://` in place of those that Node.js knows. */
  caFile?: string | undefined;
  /** The id of the tournament to join and to play to its end; without one, the bot plays until it is stopped. */
  tournament?: string | undefined;
  /** What the bot calls the version of its program, 1 to 64 visible ASCII characters without spaces. */
  version?: string | undefined;
  /** A hash of what the bot is configured with, such as its settings or its prompt: 32 bytes. */
  configHash?: Uint8Array | undefined;
  /**
   * The file to which everything is appended that the bot sends and receives, or the folder in which each run writes a file of its
   * own: `lastnim check-history` holds a server to its promises by it. It never holds the token.
   */
  sessionLog?: string | undefined;
  /** How long a lost session is sought again, or a server that is not there yet waited for; by default two minutes. */
  giveUpAfterMs?: number | undefined;
  /**
   * In how many matches at once the bot may be thinking, if its methods wait for promises; by default in all. With 1 it is asked
   * one question at a time.
   */
  concurrency?: number | undefined;
  /** Ends the run once it is aborted. Without one, SIGINT and SIGTERM end it. */
  signal?: AbortSignal | undefined;
  /** Where the SDK says what it does; by default lines on standard error. */
  logger?: Logger | undefined;
}

/**
 * Reads the options that the environment holds, as that of a program that `lastnim tournament run` has started.
 *
 * | variable | what |
 * |---|---|
 * | `LASTNIM_SERVER` | the server; 127.0.0.1:7600 if it is not set |
 * | `LASTNIM_CA` | the file of the authorities that are trusted there |
 * | `LASTNIM_TOKEN`, `LASTNIM_TOKEN_FILE` | the bot's token, or the file that holds it |
 * | `LASTNIM_TOURNAMENT` | the tournament to play to its end |
 * | `LASTNIM_BOT_VERSION` | the version of the bot |
 * | `LASTNIM_BOT_CONFIG_HASH` | the hash of its configuration, as 64 hexadecimal digits or in base64 |
 * | `LASTNIM_SESSION_LOG` | the file or folder of the log of its sessions |
 *
 * An empty variable counts as none.
 *
 * @throws LastnimError if there is no token, its file cannot be read, or the hash is none.
 */
export function optionsFromEnv(environment: Record<string, string | undefined> = process.env): Options {
  const variable = (name: string) => environment[name] || undefined;
  const configHash = variable("LASTNIM_BOT_CONFIG_HASH");
  return {
    server: variable("LASTNIM_SERVER") ?? USUAL_SERVER,
    token: findToken(variable("LASTNIM_TOKEN"), variable("LASTNIM_TOKEN_FILE")),
    caFile: variable("LASTNIM_CA"),
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
      "there is no LASTNIM_TOKEN in the environment, nor a LASTNIM_TOKEN_FILE: the token is the one that registering the bot returned",
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
