import { MAX_ROUND_MESSAGES } from "./bounds.js";
import { endTalkAction, sayAction, type PlayAction } from "./play-action.js";
import type { Message, Pact, TalkMessage } from "./talk.js";

/** The stage of the bot's talk in the round that is open. */
type TalkStage =
  /** `over`: the talk of the match is over, or the bot sends nothing more. */
  | { readonly kind: "notAsked" | "asked" | "ended" | "over" }
  /**
   * The first of these messages was sent with this number. The next one follows when the server has answered it. If no message is
   * left, the end of talk was sent.
   */
  | { readonly kind: "sending"; readonly number: number; readonly messages: readonly Message[] };

/** The bot's talk in one open match. */
export class OpenTalk {
  stage: TalkStage;
  /** The number of rounds that have ended. */
  heard = 0;
  /** The messages and ends of talk that the server has not answered in this session, oldest first; an end has no number. */
  #unanswered: { readonly round: number; readonly number: number | undefined }[] = [];

  constructor(
    private readonly matchId: string,
    seatsTalk: boolean,
  ) {
    this.stage = { kind: seatsTalk ? "notAsked" : "over" };
  }

  /** Starts to send the bot's messages, without those that it has already sent in this round, before a restart. */
  answer(messages: readonly Message[], sent: readonly TalkMessage[]): PlayAction {
    const isNew = (message: Message) => !sent.some((known) => isSame(known, message));
    const left = messages.filter(isNew).slice(0, Math.max(0, MAX_ROUND_MESSAGES - sent.length));
    return this.#send(sent.length, left);
  }

  /** Notes that the server has accepted a message or the end of talk. Returns the message, and what to send next. */
  accept(round: number, number: number | undefined): { readonly said: Message; readonly next: PlayAction } | undefined {
    const index = this.#unanswered.findIndex((sent) => sent.round === round && sent.number === number);
    this.#unanswered.splice(0, index + 1);
    if (this.stage.kind !== "sending" || round !== this.heard) return undefined;
    const [said, ...left] = this.stage.messages;
    if (number !== (said && this.stage.number)) return undefined;
    if (said !== undefined) return { said, next: this.#send(this.stage.number + 1, left) };
    this.stage = { kind: "ended" };
    return undefined;
  }

  /** Notes that the server has refused a message or the end of talk: it answers in the order of sending. Returns what to send next. */
  refuse(): PlayAction | undefined {
    const refused = this.#unanswered.shift();
    if (this.stage.kind !== "sending" || refused?.round !== this.heard) return undefined;
    const { number, messages } = this.stage;
    if (messages.length > 0) return this.#send(number, messages.slice(1));
    this.stage = { kind: "ended" };
    return undefined;
  }

  /** Moves to a round, or to the end of the talk. Returns the rounds that have ended since. */
  moveTo(round: number | undefined, rounds: number): number[] {
    const known = this.heard;
    this.heard = round ?? rounds;
    if (this.heard !== known && this.stage.kind !== "over") {
      this.stage = { kind: round === undefined ? "over" : "notAsked" };
    }
    return Array.from({ length: Math.max(0, this.heard - known) }, (_, index) => known + index);
  }

  /**
   * Follows a snapshot of the round. Returns what to send: what the server has lost, and in the first snapshot of a session, what it
   * may have missed.
   */
  resume(isDone: boolean, isFirst: boolean): PlayAction | undefined {
    if (isFirst) this.#unanswered = [];
    const { stage } = this;
    if (stage.kind === "notAsked" && isDone) this.stage = { kind: "ended" };
    if (stage.kind === "ended" && !isDone) return this.#send(0, []);
    return stage.kind === "sending" && isFirst ? this.#send(stage.number, stage.messages) : undefined;
  }

  #send(number: number, messages: readonly Message[]): PlayAction {
    this.stage = { kind: "sending", number, messages };
    const [message] = messages;
    this.#unanswered.push({ round: this.heard, number: message && number });
    return message === undefined ? endTalkAction(this.matchId, this.heard) : sayAction(this.matchId, this.heard, number, message);
  }
}

function isSame(known: TalkMessage, { to = [], ...content }: Message): boolean {
  if ("offer" in content) return known.offer !== undefined && promises(known.offer) === promises(content.offer);
  if ("accept" in content) {
    const { seat, round, number } = content.accept;
    return known.accept?.seat === seat && known.accept.round === round && known.accept.number === number;
  }
  const isSameContent = "text" in content ? known.text === content.text : String(known.claim) === String(content.claim);
  return isSameContent && String(known.to) === String([...new Set(to)].sort((a, b) => a - b));
}

/** Returns all that follows from the relations of a pact, as a text. The server leaves out relations that follow from others. */
function promises({ members }: Pact): string {
  const promisesOf = ({ seat, relations }: Pact["members"][number]) => {
    const pairs = new Set(relations.map(({ before, after }) => `${before}>${after}`));
    // The loops also reach the pairs that they add.
    for (const pair of pairs) {
      for (const other of pairs) {
        const [[first, last], [otherFirst, otherLast]] = [pair.split(">"), other.split(">")];
        if (last === otherFirst) pairs.add(`${first}>${otherLast}`);
        if (otherLast === first) pairs.add(`${otherFirst}>${last}`);
      }
    }
    return `${seat}: ${[...pairs].sort().join(" ")}`;
  };
  return members.map(promisesOf).sort().join("; ");
}
