import { MAX_OPEN_MATCHES, MAX_THOUGHTS } from "./bounds.js";
import { protocolError } from "./errors.js";
import { parseTalkMessages, type EndedMatch, type MatchSnapshot, type RawTurn, type SessionEvent, type SnapshotTalk } from "./event.js";
import type { Logger } from "./logger.js";
import type { MatchEnd } from "./match-end.js";
import type { MatchInfo } from "./match-info.js";
import type { Connected } from "./notices.js";
import { OpenMatch } from "./open-match.js";
import { declareAction, pongAction, resignAction, takeAction, type PlayAction } from "./play-action.js";
import { isRequest, matchOfQuestion, type BotAnswer, type BotQuestion } from "./question.js";
import type { TakeFeed } from "./seen-takes.js";
import { Summary } from "./summary.js";

/** Maximum reports (ends, refusals, notices) that wait for a busy bot; further ones are dropped. */
export const MAX_WAITING_REPORTS = 4096;
/** Number of match ends to remember, so that each is reported once. */
const MAX_KNOWN_ENDS = 4096;

/** What to do next. */
export type ClientAction =
  /** Send this to the server. */
  | { readonly kind: "send"; readonly action: PlayAction }
  /** Ask the bot. */
  | { readonly kind: "ask"; readonly question: BotQuestion };

/**
 * Tracks the bot's open matches and waiting questions, and decides how to react to events: the core of the SDK, without I/O.
 *
 * In each match the bot is asked one question at a time. The queue is bounded: for each open match at most one question about each kind of answer,
 * and {@link MAX_WAITING_REPORTS} reports.
 */
export class MatchTracker {
  /** The summary of the matches so far. */
  readonly summary = new Summary();
  readonly #open = new Map<string, OpenMatch>();
  #waiting: BotQuestion[] = [];
  #thinking = 0;
  /** Matches that the bot is thinking about. */
  readonly #busy = new Set<string>();
  #snapshotsDue = 0;
  /** Whether the server has sent all missed ends of this session. */
  #caughtUp = false;
  readonly #knownEnds = new Set<string>();

  private readonly concurrency: number;

  constructor(
    concurrency: number,
    private readonly logger: Logger,
    private readonly takeFeed: TakeFeed,
  ) {
    this.concurrency = Math.min(concurrency, MAX_THOUGHTS);
  }

  /** Returns whether the tournament has no open match and all ends were reported. */
  isFinishedWith(tournament: string): boolean {
    const isOpen = [...this.#open.values()].some(({ match }) => match.origin?.tournament === tournament.toLowerCase());
    return this.#thinking === 0 && this.#waiting.length === 0 && !isOpen;
  }

  /**
   * Handles an event and returns what to do.
   *
   * @throws LastnimError if the event contradicts its match.
   */
  handleEvent(event: SessionEvent): ClientAction[] {
    const actions: ClientAction[] = [];
    const send = (action: PlayAction) => actions.push({ kind: "send", action });
    switch (event.kind) {
      case "welcome":
        this.#handleWelcome(event.session);
        break;
      case "started":
        this.#handleStarted(event.match);
        break;
      case "snapshot":
        this.#handleSnapshot(event.snapshot, send);
        break;
      case "talkAccepted": {
        const open = this.#open.get(event.matchId);
        const accepted = open?.talk.accept(event.round, event.number);
        if (open === undefined || accepted === undefined) break;
        const { seat } = open.match;
        const { to = [], ...content } = accepted.said;
        const { text, claim, offer, accept } = { text: undefined, claim: undefined, offer: undefined, accept: undefined, ...content };
        const accepts = accept && { seat: accept.seat, round: accept.round, number: accept.number };
        const place = { seat, round: event.round, number: event.number!, to: [...to].sort((a, b) => a - b) };
        open.addMessages([{ ...place, text, claim, offer, accept: accepts }]);
        send(accepted.next);
        break;
      }
      case "heard":
        this.#handleHeard(event.matchId, event.round, event.messages);
        break;
      case "revealed":
        this.#open.get(event.matchId)?.reveal(event.matrix);
        break;
      case "took":
        if (this.takeFeed === "all") this.#open.get(event.matchId)?.seenTakes.addTake(event.ply, event.take, event.mover);
        break;
      case "turn": {
        const known = this.#open.get(event.matchId)?.turn?.view.ply;
        // A later turn has overtaken it. Only a snapshot may go back.
        if (known === undefined || event.turn.ply >= known) this.#handleTurn(event.matchId, event.turn, send);
        break;
      }
      // If the seat is still to move, its turn follows and the bot is asked again.
      case "refused":
        if (event.refusal.reason === "invalid_talk") {
          const next = this.#open.get(event.refusal.match ?? "")?.talk.refuse();
          if (next !== undefined) send(next);
        }
        this.#report({ kind: "refused", refusal: event.refusal });
        break;
      case "suspended":
        this.#report({ kind: "suspended", notice: event.notice });
        break;
      case "forfeited": {
        const open = this.#open.get(event.matchId);
        if (open?.match.seat === event.seat) open.seat = "forfeited";
        break;
      }
      case "ended":
        this.#handleEnded(event.ended);
        break;
      case "tournamentEnded":
        this.#report({ kind: "tournamentEnded", end: event.end });
        break;
      case "caughtUp":
        this.#handleCaughtUp(event.leftOut);
        break;
      case "ping":
        send(pongAction(event.id));
        break;
      case "draining":
      case "joined":
      case "notJoined":
      case "ignored":
        break;
    }
    return [...actions, ...this.#nextQuestions()];
  }

  /** Handles the bot's answer and returns what to do. Outdated answers are dropped. */
  handleAnswer(question: BotQuestion, answer: BotAnswer): ClientAction[] {
    this.#thinking -= 1;
    const matchId = matchOfQuestion(question);
    if (matchId !== undefined) this.#busy.delete(matchId);
    const actions: ClientAction[] = [];
    const action = this.#replyTo(question, answer);
    if (action !== undefined) actions.push({ kind: "send", action });
    return [...actions, ...this.#nextQuestions()];
  }

  #replyTo(question: BotQuestion, answer: BotAnswer): PlayAction | undefined {
    if (!this.#isStillNeeded(question)) return undefined;
    if (question.kind === "talk" && answer.kind === "messages") {
      const { id, seat, round, messages } = question.round;
      const open = this.#open.get(id)!;
      if (answer.messages !== undefined) {
        return open.talk.answer(answer.messages, messages.filter((sent) => sent.seat === seat && sent.round === round));
      }
      open.talk.stage = { kind: "over" };
      this.#askBeforePlay(open, 0);
    }
    if (question.kind === "declare" && answer.kind === "row") {
      const open = this.#open.get(question.match.id)!;
      const action = declareAction(question.match.id, answer.row, answer.noteHash);
      open.declaration = { kind: "made", action };
      return action;
    }
    if (question.kind === "play" && answer.kind === "take") {
      const { id, ply, position } = question.view;
      const turn = this.#open.get(id)!.turn!;
      const action = takeAction(id, ply, answer.take, answer.noteHash);
      const isLegal = answer.take >= 1n && answer.take <= position.counters;
      turn.reply = isLegal ? { kind: "legal", action } : { kind: "illegal" };
      return action;
    }
    if (isRequest(question) && answer.kind === "failed") {
      const id = matchOfQuestion(question)!;
      this.#open.get(id)!.seat = "resigned";
      return resignAction(id);
    }
    return undefined;
  }

  /** After a welcome, open matches are unconfirmed until their snapshots or ends arrive. */
  #handleWelcome(session: Connected): void {
    this.#snapshotsDue = session.openMatches;
    for (const open of this.#open.values()) open.isDoubtful = true;
    this.#caughtUp = false;
    this.#report({ kind: "connected", session });
  }

  #handleCaughtUp(leftOut: bigint): void {
    if (leftOut > 0n) {
      this.logger.warn(`the server does not report ${leftOut} matches that ended while there was no session`);
    }
    this.#caughtUp = true;
    this.#closeDoubtful();
  }

  #closeDoubtful(): void {
    if (this.#snapshotsDue > 0 || !this.#caughtUp) return;
    for (const open of [...this.#open.values()].filter(({ isDoubtful }) => isDoubtful)) {
      this.#close(open, open.endedBy("unseen"));
    }
  }

  /** Returns the state of a match, which is added if it is new. */
  #openMatch(match: MatchInfo): OpenMatch {
    let open = this.#open.get(match.id);
    if (open === undefined) {
      if (this.#open.size >= MAX_OPEN_MATCHES) {
        throw protocolError(
          `match ${match.id}, but the bot already has ${MAX_OPEN_MATCHES} open matches, the maximum`,
        );
      }
      open = new OpenMatch(match);
      this.#open.set(match.id, open);
    }
    return open;
  }

  /** Asks the bot for its messages if a round of talk is open, or else for its row, unless it was asked before. */
  #askBeforePlay(open: OpenMatch, timeLeftMs: number): void {
    if (open.declaration.kind !== "notAsked") return;
    const { match, talk } = open;
    if (talk.stage.kind === "notAsked") {
      talk.stage = { kind: "asked" };
      this.#waiting.push({ kind: "talk", round: { ...match, round: talk.heard, timeLeftMs } });
    } else if (talk.stage.kind === "over") {
      open.declaration = { kind: "asked" };
      this.#waiting.push({ kind: "declare", match });
    }
  }

  #handleHeard(matchId: string, round: number, messages: Parameters<typeof parseTalkMessages>[0]): void {
    const open = this.#open.get(matchId);
    const { rounds, roundMs } = open?.match.talk ?? { rounds: 0, roundMs: 0 };
    if (open === undefined || round >= rounds || round < open.talk.heard) return;
    open.addMessages(parseTalkMessages(messages, open.match, "heard.messages"));
    this.#moveToRound(open, round + 1 < rounds ? round + 1 : undefined, rounds);
    this.#askBeforePlay(open, roundMs);
  }

  /** Follows the talk in a snapshot. In the first one of a session, what the server may have missed is sent again. */
  #followTalk(open: OpenMatch, talk: SnapshotTalk, isFirst: boolean, send: (action: PlayAction) => void): void {
    const { rounds } = open.match.talk ?? { rounds: 0 };
    open.addMessages(talk.messages);
    this.#moveToRound(open, talk.round !== undefined && talk.round < rounds ? talk.round : undefined, rounds);
    const next = open.talk.resume(talk.isDone, isFirst);
    if (next !== undefined) send(next);
  }

  /** Moves to a round of talk, or to the end of the talk, and reports the rounds that have ended since. */
  #moveToRound(open: OpenMatch, round: number | undefined, rounds: number): void {
    for (const ended of open.talk.moveTo(round, rounds)) this.#report({ kind: "heard", match: open.match, round: ended });
  }

  #handleStarted(match: MatchInfo): void {
    if (this.#knownEnds.has(match.id)) return;
    const open = this.#openMatch(match);
    open.isDoubtful = false;
    this.#askBeforePlay(open, match.talk?.roundMs ?? 0);
  }

  #handleSnapshot(snapshot: MatchSnapshot, send: (action: PlayAction) => void): void {
    // After a refusal another snapshot comes if the bot has not declared.
    const { id } = snapshot.match;
    const isDue = this.#open.get(id)?.isDoubtful ?? true;
    if (isDue) this.#snapshotsDue = Math.max(0, this.#snapshotsDue - 1);
    if (!this.#knownEnds.has(id)) this.#followSnapshot(snapshot, isDue, send);
    this.#closeDoubtful();
  }

  #followSnapshot({ match, stage, talk, forfeited }: MatchSnapshot, isFirst: boolean, send: (action: PlayAction) => void): void {
    const open = this.#openMatch(match);
    open.isDoubtful = false;
    if (forfeited) open.seat = "forfeited";
    else if (open.seat === "resigned") send(resignAction(match.id));
    if (talk !== undefined) this.#followTalk(open, talk, isFirst, send);
    switch (stage.kind) {
      case "declaring":
        if (open.declaration.kind === "made" && open.seat === "own") send(open.declaration.action);
        this.#askBeforePlay(open, talk?.timeLeftMs ?? 0);
        break;
      case "declared":
        open.declaration = { kind: "closed" };
        break;
      case "playing":
        open.reveal(stage.matrix);
        open.resumeAt(stage.turn ?? stage.reached);
        if (stage.turn !== undefined) this.#handleTurn(match.id, stage.turn, send);
        break;
      // If the match is over, its end follows.
      case "ended":
      case "unknown":
        break;
    }
  }

  #handleTurn(matchId: string, turn: RawTurn, send: (action: PlayAction) => void): void {
    const open = this.#open.get(matchId);
    if (open === undefined) return;
    const view = open.viewOf(turn);
    if (open.turn?.view.ply === turn.ply) {
      const { reply } = open.turn;
      if (reply.kind === "legal") send(reply.action);
      if (reply.kind !== "illegal") return;
    }
    if (open.turn?.reply.kind === "awaited") {
      // The overtaken turn may still be waiting.
      this.#waiting = this.#waiting.filter((question) => question.kind !== "play" || question.view.id !== matchId);
    }
    open.turn = { view, reply: { kind: "awaited" } };
    this.#waiting.push({ kind: "play", view });
  }

  #handleEnded(ended: EndedMatch): void {
    if (this.#knownEnds.has(ended.matchId)) return;
    const open = this.#open.get(ended.matchId);
    const match = open?.match ?? ended.match;
    if (match === undefined) return;
    const { winner, reason } = ended;
    if (winner !== undefined && winner >= match.seats) {
      throw protocolError(`seat ${winner}: expected 0 to ${match.seats - 1}`);
    }
    const figures = winner === undefined ? undefined : ended.figures[match.seat];
    const forfeited = ended.forfeited.includes(match.seat) || open?.seat === "forfeited";
    const end: MatchEnd = { match, reason, winner, won: winner === match.seat, forfeited, figures };
    if (open !== undefined) {
      this.#close(open, end);
    } else {
      // An earlier process played it.
      this.#rememberEnd(match.id);
      this.#report({ kind: "ended", end });
    }
  }

  #rememberEnd(matchId: string): void {
    this.#knownEnds.add(matchId);
    const [oldest] = this.#knownEnds;
    if (this.#knownEnds.size > MAX_KNOWN_ENDS && oldest !== undefined) this.#knownEnds.delete(oldest);
  }

  /** Removes a match and its questions, counts it, and reports its end. */
  #close(open: OpenMatch, end: MatchEnd): void {
    const { id } = open.match;
    this.#open.delete(id);
    this.#waiting = this.#waiting.filter(
      (question) => !(isRequest(question) && matchOfQuestion(question) === id),
    );
    this.#rememberEnd(id);
    this.summary.addMatch(end);
    this.#report({ kind: "ended", end });
  }

  #report(report: BotQuestion): void {
    if (this.#waiting.length < MAX_WAITING_REPORTS + 2 * this.#open.size) {
      this.#waiting.push(report);
    } else {
      this.logger.warn("dropped an event: too many are waiting for the bot");
    }
  }

  /** Returns what to ask the bot now: the oldest questions of matches it is not thinking about. */
  #nextQuestions(): ClientAction[] {
    if (this.#thinking >= this.concurrency || this.#waiting.length === 0) return [];
    const actions: ClientAction[] = [];
    const left: BotQuestion[] = [];
    for (const question of this.#waiting) {
      const matchId = matchOfQuestion(question);
      if (this.#thinking >= this.concurrency || (matchId !== undefined && this.#busy.has(matchId))) {
        left.push(question);
      } else if (this.#isStillNeeded(question)) {
        this.#thinking += 1;
        if (matchId !== undefined) this.#busy.add(matchId);
        actions.push({ kind: "ask", question });
      }
    }
    this.#waiting = left;
    return actions;
  }

  /** Returns whether the match still needs an answer. */
  #isStillNeeded(question: BotQuestion): boolean {
    const open = this.#open.get(matchOfQuestion(question) ?? "");
    switch (question.kind) {
      case "talk":
        return open?.seat === "own" && open.talk.stage.kind === "asked" && open.talk.heard === question.round.round;
      case "declare":
        return open?.seat === "own" && open.declaration.kind === "asked";
      case "play":
        // After a snapshot that went back, another turn may have the same ply.
        return open?.seat === "own" && open.turn?.view === question.view && open.turn.reply.kind === "awaited";
      default:
        return true;
    }
  }
}
