import { create } from "@bufbuild/protobuf";
import { Backoff } from "./backoff.js";
import { LastnimError } from "./errors.js";
import type { JoinRefusal } from "./event.js";
import { JoinTournamentSchema } from "./gen/lastnim/v1/arena_service_pb.js";
import type { Logger } from "./logger.js";
import type { PlayAction } from "./play-action.js";

/** Refusals after which a retry can succeed. */
const TRANSIENT_REFUSALS: ReadonlySet<JoinRefusal> = new Set<JoinRefusal>(["busy", "unavailable"]);

/** The tournament to play, and whether the bot has joined it. */
export class JoinState {
  #isIn = false;
  #refusedSinceMs: number | undefined;
  readonly #backoff = new Backoff();

  constructor(
    readonly tournament: string,
    private readonly giveUpAfterMs: number,
    private readonly logger: Logger,
  ) {}

  /** Returns the request to send in a new session or after a pause, unless the bot has already joined. */
  request(): PlayAction | undefined {
    if (this.#isIn) return undefined;
    return { case: "joinTournament", value: create(JoinTournamentSchema, { tournamentId: this.tournament }) };
  }

  /** Returns whether a tournament is this one. */
  isOwn(tournament: string): boolean {
    return tournament.toLowerCase() === this.tournament.toLowerCase();
  }

  /** Notes that the bot has joined; `bots` is the size of the field. */
  noteJoined(tournament: string, bots: number): void {
    if (!this.isOwn(tournament) || this.#isIn) return;
    this.#isIn = true;
    this.logger.info(`joined tournament ${tournament}, which has ${bots} ${bots === 1 ? "bot" : "bots"} now`);
  }

  /**
   * Notes a refusal. Returns after how many milliseconds to retry, if at all.
   *
   * @throws LastnimError if a retry cannot succeed, or retries took too long.
   */
  noteRefused(tournament: string, reason: JoinRefusal, message: string, nowMs = performance.now()): number | undefined {
    // The server returns an invalid id as sent, perhaps shortened.
    if (this.#isIn || !this.tournament.toLowerCase().startsWith(tournament.toLowerCase())) return undefined;
    this.#refusedSinceMs ??= nowMs;
    const isTooLong = nowMs - this.#refusedSinceMs > this.giveUpAfterMs;
    if (isTooLong || !TRANSIENT_REFUSALS.has(reason)) {
      throw new LastnimError("not_joined", `tournament ${JSON.stringify(this.tournament)}: ${message}`);
    }
    this.logger.warn(`not joined yet, retrying: ${message}`);
    return this.#backoff.nextPause();
  }
}
