import { protocolError } from "./errors.js";
import { checkRowCount, type RawTurn, type ReachedPly } from "./event.js";
import type { EndReason, MatchEnd } from "./match-end.js";
import type { MatchInfo } from "./match-info.js";
import type { MatchView } from "./match-view.js";
import type { PlayAction } from "./play-action.js";
import { Position } from "./position.js";
import type { AllianceMatrix } from "./row.js";
import { SeenTakes } from "./seen-takes.js";

/** How far the own row is. */
export type DeclarationState =
  | { readonly kind: "notAsked" | "asked" }
  /** Sent, and sent again if it was lost. */
  | { readonly kind: "made"; readonly action: PlayAction }
  /** The rows are known, or the own one is in. */
  | { readonly kind: "closed" };

/** The bot's reply to a turn. */
export type TurnReply =
  | { readonly kind: "awaited" }
  /** Sent, and sent again if the turn is repeated: one ply has one take. */
  | { readonly kind: "legal"; readonly action: PlayAction }
  /** Sent, and bound to be refused: when the turn comes again, the bot is asked again. */
  | { readonly kind: "illegal" };

/** What is known of an open match. */
export class OpenMatch {
  declaration: DeclarationState;
  turn: { view: MatchView; reply: TurnReply } | undefined;
  /** Whose the own seat is: given up where the bot's code failed, and then lost. */
  seat: "own" | "resigned" | "forfeited" = "own";
  /** Whether the session was opened anew, and neither a snapshot of the match nor its end has come yet. */
  isDoubtful = false;
  /** Stays empty unless the bot hears all takes. */
  readonly seenTakes: SeenTakes;
  /** The rows of all seats, once they are revealed. */
  #matrix: AllianceMatrix | undefined;

  constructor(readonly match: MatchInfo) {
    this.#matrix = match.assigned;
    this.declaration = { kind: match.assigned ? "closed" : "notAsked" };
    this.seenTakes = new SeenTakes(Position.start(match.piles, match.first, match.seats));
  }

  /**
   * Takes the match up where a snapshot says that it stands; what does not fit it changes nothing. An own turn after that is forgotten:
   * the server lost its last plies in a crash.
   */
  resumeAt({ ply, pile, counters }: ReachedPly): void {
    const { match } = this;
    const whole = match.piles[pile];
    if (whole === undefined || counters < 1n || counters > whole) return;
    this.seenTakes.resumeAt(ply, new Position(match.piles, pile, counters, (match.first + ply) % match.seats, match.seats));
    if (this.turn !== undefined && this.turn.view.ply > ply) this.turn = undefined;
  }

  /** Hears everybody's rows. */
  reveal(matrix: AllianceMatrix): void {
    checkRowCount(matrix, this.match.seats);
    this.#matrix = matrix;
    this.declaration = { kind: "closed" };
  }

  /**
   * Returns what the bot sees at a turn, and notes where the match stands.
   *
   * @throws LastnimError if the match cannot come to it.
   */
  viewOf(turn: RawTurn): MatchView {
    const { match } = this;
    const matrix = this.#matrix;
    if (matrix === undefined) throw protocolError(`a turn in match ${match.id} before its rows were revealed`);
    const whole = match.piles[turn.pile];
    const fits =
      whole !== undefined &&
      turn.counters >= 1n &&
      turn.counters <= whole &&
      (match.first + turn.ply) % match.seats === match.seat;
    if (!fits) {
      throw protocolError(
        `a turn at ply ${turn.ply} with ${turn.counters} counters in pile ${turn.pile}, which does not fit match ${match.id} from seat ${match.seat}`,
      );
    }
    const position = new Position(match.piles, turn.pile, turn.counters, match.seat, match.seats);
    this.seenTakes.notePosition(turn.ply, position);
    return { ...match, matrix, position, ply: turn.ply, bankLeftMs: turn.bankMs, seenTakes: this.seenTakes.newest() };
  }

  /** Returns an end of the match without a winner. */
  endedBy(reason: EndReason): MatchEnd {
    const forfeited = this.seat === "forfeited";
    return { match: this.match, reason, winner: undefined, won: false, forfeited, figures: undefined };
  }
}
