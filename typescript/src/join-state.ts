import { create } from "@bufbuild/protobuf";
import { Backoff } from "./backoff.js";
import { LastnimError } from "./errors.js";
import type { JoinRefusal } from "./event.js";
import { JoinTournamentSchema } from "./gen/lastnim/v1/arena_service_pb.js";
import type { Logger } from "./logger.js";
import type { PlayAction } from "./play-action.js";

/** Refusals after which asking again can help. */
const TRANSIENT_REFUSALS: ReadonlySet<JoinRefusal> = new Set<JoinRefusal>(["busy", "unavailable"]);

/** The tournament that a bot is to play in, and whether it is in it yet. */
export class JoinState {
  #isIn = false;
  #refusedSinceMs: number | undefined;
  readonly #backoff = new Backoff();

  constructor(
    readonly tournament: string,
    private readonly giveUpAfterMs: number,
    private readonly logger: Logger,
  ) {}

  /** Returns what to ask in a session that was opened, or after a pause; nothing where the bot is known to be in it. */
  request(): PlayAction | undefined {
    if (this.#isIn) return undefined;
    return { case: "joinTournament", value: create(JoinTournamentSchema, { tournamentId: this.tournament }) };
  }

  /** Returns whether a tournament is this one. */
  isOwn(tournament: string): boolean {
    return tournament.toLowerCase() === this.tournament.toLowerCase();
  }

  /** Hears that the bot is in a tournament with so many bots. */
  noteJoined(tournament: string, bots: number): void {
    if (!this.isOwn(tournament) || this.#isIn) return;
    this.#isIn = true;
    this.logger.info(`joined tournament ${tournament}, which has ${bots} ${bots === 1 ? "bot" : "bots"} now`);
  }

  /**
   * Hears that the bot is not in a tournament; returns after how many milliseconds to ask again, if at all.
   *
   * @throws LastnimError if asking again cannot help, or has not helped for long enough.
   */
  noteRefused(tournament: string, reason: JoinRefusal, message: string, nowMs = performance.now()): number | undefined {
    // The server returns an invalid id as it was sent, or shortened.
    if (this.#isIn || !this.tournament.toLowerCase().startsWith(tournament.toLowerCase())) return undefined;
    this.#refusedSinceMs ??= nowMs;
    const isTooLong = nowMs - this.#refusedSinceMs > this.giveUpAfterMs;
    if (isTooLong || !TRANSIENT_REFUSALS.has(reason)) {
      throw new LastnimError("not_joined", `tournament ${JSON.stringify(this.tournament)}: ${message}`);
    }
    this.logger.warn(`not joined yet, asking again: ${message}`);
    return this.#backoff.nextPause();
  }
}
