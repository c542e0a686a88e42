import { protocolError } from "./errors.js";
import { checkRowCount, type RawTurn, type ReachedPly } from "./event.js";
import type { EndReason, MatchEnd } from "./match-end.js";
import type { MatchInfo } from "./match-info.js";
import type { MatchView } from "./match-view.js";
import { OpenTalk } from "./open-talk.js";
import type { PlayAction } from "./play-action.js";
import { Position } from "./position.js";
import type { AllianceMatrix } from "./row.js";
import { SeenTakes } from "./seen-takes.js";
import type { TalkMessage } from "./talk.js";

/** The state of the bot's declaration. */
export type DeclarationState =
  | { readonly kind: "notAsked" | "asked" }
  /** Sent, and sent again if lost. */
  | { readonly kind: "made"; readonly action: PlayAction }
  /** The rows are known, or the server has the bot's row. */
  | { readonly kind: "closed" };

/** The bot's reply to a turn. */
export type TurnReply =
  | { readonly kind: "awaited" }
  /** Sent, and sent again if the turn is repeated, so that each ply has one take. */
  | { readonly kind: "legal"; readonly action: PlayAction }
  /** Sent, but illegal: if the turn is repeated, the bot is asked again. */
  | { readonly kind: "illegal" };

/** The state of one open match. */
export class OpenMatch {
  declaration: DeclarationState;
  turn: { view: MatchView; reply: TurnReply } | undefined;
  /** Who plays the bot's seat: after a failure of the bot it is resigned, then forfeited. */
  seat: "own" | "resigned" | "forfeited" = "own";
  /** Whether the session is new, and neither a snapshot nor the end of the match has arrived. */
  isDoubtful = false;
  readonly talk: OpenTalk;
  /** Empty unless the bot receives all takes. */
  readonly seenTakes: SeenTakes;
  /** The rows of all seats, once they are revealed. */
  #matrix: AllianceMatrix | undefined;

  constructor(public match: MatchInfo) {
    this.talk = new OpenTalk(match.id, match.talk !== undefined);
    this.#matrix = match.assigned;
    this.declaration = { kind: match.assigned ? "closed" : "notAsked" };
    this.seenTakes = new SeenTakes(Position.start(match.piles, match.first, match.seats));
  }

  /**
   * Resumes at the state in a snapshot, unless it is impossible. If the bot's turn was later, it is forgotten: the server lost
   * plies in a crash.
   */
  resumeAt({ ply, pile, counters }: ReachedPly): void {
    const { match } = this;
    const whole = match.piles[pile];
    if (whole === undefined || counters < 1n || counters > whole) return;
    this.seenTakes.resumeAt(ply, new Position(match.piles, pile, counters, (match.first + ply) % match.seats, match.seats));
    if (this.turn !== undefined && this.turn.view.ply > ply) this.turn = undefined;
  }

  /** Notes the rows of all seats. */
  reveal(matrix: AllianceMatrix): void {
    checkRowCount(matrix, this.match.seats);
    this.#matrix = matrix;
    this.declaration = { kind: "closed" };
    this.talk.stage = { kind: "over" };
  }

  /** Adds messages that the bot does not know yet, in order of round, sender and number. */
  addMessages(messages: readonly TalkMessage[]): void {
    const byPlace = new Map([...messages, ...this.match.messages].map((message) => [`${message.round} ${message.seat} ${message.number}`, message]));
    if (byPlace.size === this.match.messages.length) return;
    const sorted = [...byPlace.values()].sort((a, b) => a.round - b.round || a.seat - b.seat || a.number - b.number);
    this.match = { ...this.match, messages: sorted };
  }

  /**
   * Returns the bot's view of a turn, and notes the position.
   *
   * @throws LastnimError if the match cannot reach it.
   */
  viewOf(turn: RawTurn): MatchView {
    const { match } = this;
    const matrix = this.#matrix;
    if (matrix === undefined) throw protocolError(`a turn in match ${match.id} before the rows were revealed`);
    const whole = match.piles[turn.pile];
    const fits =
      whole !== undefined &&
      turn.counters >= 1n &&
      turn.counters <= whole &&
      (match.first + turn.ply) % match.seats === match.seat;
    if (!fits) {
      throw protocolError(
        `an impossible turn for seat ${match.seat} in match ${match.id}: ply ${turn.ply}, with ${turn.counters} counters in pile ${turn.pile}`,
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
