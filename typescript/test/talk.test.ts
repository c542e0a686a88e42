import { create, type MessageInitShape } from "@bufbuild/protobuf";
import assert from "node:assert/strict";
import { test } from "node:test";
import { lastClaim, practiceView, run, silentLogger, type Bot, type MatchInfo, type Message, type Row, type TalkRound } from "lastnim";
import { askBot } from "#src/bot-caller.js";
import { parseEvent } from "#src/event.js";
import { Phase, PlayResponseSchema, type PlayRequest } from "#src/gen/lastnim/v1/arena_service_pb.js";
import { AllianceMode, RefusalReason, TalkPrivacy } from "#src/gen/lastnim/v1/record_pb.js";
import { MatchTracker, type ClientAction } from "#src/match-tracker.js";
import { endTalkAction, sayAction } from "#src/play-action.js";
import type { BotQuestion } from "#src/question.js";
import { TestServer } from "./harness/server.js";

const ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const talk = { rounds: 2, roundMs: 9_000, textChars: 500, privacy: TalkPrivacy.PRIVATE, pacts: true };
/** Seat 1 of three. */
const begun = {
  matchId: ID,
  seat: 1,
  setup: { bots: ["a", "b", "c"], piles: [2n], clock: { initialMs: 60_000, declarationMs: 5_000 }, strikes: 3, maxPlies: 100, talk },
};

type Told = NonNullable<MessageInitShape<typeof PlayResponseSchema>["event"]>;
type WireTalk = Extract<Told, { case: "snapshot" }>["value"]["talk"];
const started: Told = { case: "matchStarted", value: begun };
const welcome: Told = { case: "welcome", value: { bot: "b", openMatches: 1, serverVersion: "1" } };
const snapshot = (state: NonNullable<WireTalk>): Told => {
  return { case: "snapshot", value: { started: begun, phase: Phase.DECLARING, declarationLeftMs: 5_000, talk: state } };
};
const accepted = (round: number, number?: number): Told => {
  return { case: "talkAccepted", value: { matchId: ID, round, ...(number !== undefined && { number }) } };
};
const refused: Told = { case: "refused", value: { matchId: ID, reason: RefusalReason.INVALID_TALK } };
const text = (seat: number, round: number, number: number, words: string) => {
  return { seat, round, number, content: { content: { case: "text" as const, value: words } } };
};
const heard = (round: number, ...messages: object[]): Told => ({ case: "heard", value: { matchId: ID, round, messages } });
const said = (round: number, number: number, message: Message) => [sayAction(ID, round, number, message)];
const done = (round: number) => [endTalkAction(ID, round)];

/** A tracker whose bot is asked one question at a time, and its open question. */
class Table {
  readonly tracker = new MatchTracker(1, silentLogger, "own_turns");
  question: BotQuestion | undefined;

  /** Handles an event; returns what is sent. */
  receive(event: Told): PlayRequest["action"][] {
    return this.#note(this.tracker.handleEvent(parseEvent(create(PlayResponseSchema, { event }))));
  }

  /** Answers the open question with messages; returns what is sent. */
  say(...messages: Message[]): PlayRequest["action"][] {
    const { question } = this;
    assert.equal(question?.kind, "talk");
    this.question = undefined;
    return this.#note(this.tracker.handleAnswer(question!, { kind: "messages", messages }));
  }

  /** Handles the open reports, and returns the kinds of all open questions. */
  settle(): string[] {
    const kinds: string[] = [];
    while (this.question !== undefined) {
      const { question } = this;
      kinds.push(question.kind);
      if (question.kind === "talk" || question.kind === "declare") break;
      this.question = undefined;
      this.#note(this.tracker.handleAnswer(question, { kind: "handled" }));
    }
    return kinds;
  }

  get round(): TalkRound {
    assert.ok(this.question?.kind === "talk");
    return this.question.round;
  }

  #note(actions: ClientAction[]): PlayRequest["action"][] {
    const sent: PlayRequest["action"][] = [];
    for (const action of actions) {
      if (action.kind === "send") sent.push(action.action);
      else this.question = action.question;
    }
    return sent;
  }
}

test("a bot talks round by round and then declares", () => {
  const table = new Table();
  table.receive(started);
  assert.deepEqual([table.round.round, table.round.timeLeftMs, table.round.talk?.privacy], [0, 9_000, "private"]);
  const claim: Message = { claim: [2, 0, 1], to: [2] };
  assert.deepEqual(table.say({ text: "a" }, claim), said(0, 0, { text: "a" }));
  assert.deepEqual(table.receive(accepted(0, 0)), said(0, 1, claim));
  assert.deepEqual(table.receive(accepted(0, 0)), [], "a repeated acknowledgement");
  assert.deepEqual(table.receive(accepted(0, 1)), done(0));
  assert.deepEqual(table.receive(accepted(0)), []);
  const unknown = { seat: 2, round: 0, number: 0, content: {} };
  table.receive(heard(0, text(0, 0, 0, "hi"), unknown));
  assert.deepEqual(table.settle(), ["heard", "talk"]);
  const { round, messages } = table.round;
  assert.deepEqual([round, messages.map(({ seat, number }) => [seat, number])], [1, [[0, 0], [1, 0], [1, 1]]]);
  assert.deepEqual(messages[2], { seat: 1, round: 0, number: 1, to: [2], text: undefined, claim: [2, 0, 1], offer: undefined, accept: undefined });
  assert.deepEqual(lastClaim(table.round, 1), [2, 0, 1]);
  assert.equal(lastClaim(table.round, 0), undefined);
  assert.deepEqual(table.say(), done(1));
  table.receive(heard(1));
  assert.deepEqual(table.settle(), ["heard", "declare"]);
});

test("a bot hears and accepts a pact", () => {
  const table = new Table();
  table.receive(started);
  table.say();
  const pact = { members: [{ seat: 0, relations: [] }, { seat: 1, relations: [{ before: 0, after: 2 }] }] };
  table.receive(heard(0, { seat: 0, round: 0, number: 2, to: [1], content: { content: { case: "offer", value: pact } } }));
  table.settle();
  const [offered] = table.round.messages;
  assert.deepEqual(offered?.offer, pact);
  assert.deepEqual(table.say({ accept: offered! }), said(1, 0, { accept: { seat: 0, round: 0, number: 2 } }));
  table.receive(accepted(1, 0));
  assert.deepEqual(table.receive(heard(1)), []);
  table.settle();
});

test("a restarted process does not offer a pact again", () => {
  const table = new Table();
  const member = { seat: 1, relations: [{ before: 0, after: 1 }, { before: 1, after: 2 }] };
  const offer = { case: "offer" as const, value: { members: [{ seat: 0, relations: [] }, member] } };
  table.receive(snapshot({ round: 0, leftMs: 4_000, messages: [{ seat: 1, round: 0, number: 0, to: [0], content: { content: offer } }] }));
  // The server leaves out that seat 0 comes before seat 2, which follows from the others.
  const relations = [{ before: 1, after: 2 }, { before: 0, after: 2 }, { before: 0, after: 1 }];
  const repeated = { offer: { members: [{ seat: 1, relations }, { seat: 0, relations: [] }] } };
  assert.deepEqual(table.say(repeated, { text: "b" }), said(0, 1, { text: "b" }));
});

test("a refused message is left out and the next gets its number", () => {
  const table = new Table();
  table.receive(started);
  table.say({ text: "too long" }, { text: "b" }, { text: "c" });
  assert.deepEqual(table.receive(refused), said(0, 0, { text: "b" }));
  table.settle();
  assert.deepEqual(table.receive(accepted(0, 0)), said(0, 1, { text: "c" }));
  // The round ends before the last message is answered. Its late refusal does not concern the next round.
  table.receive(heard(0));
  table.settle();
  assert.deepEqual(table.say({ text: "d" }), said(1, 0, { text: "d" }));
  assert.deepEqual(table.receive(refused), []);
  assert.deepEqual(table.receive(accepted(1, 0)), done(1));
});

test("a lost session sends again what was not answered", () => {
  const table = new Table();
  table.receive(started);
  table.say({ text: "a" }, { text: "b" });
  table.receive(accepted(0, 0));
  const state = { round: 0, leftMs: 4_000, messages: [text(1, 0, 0, "a")] };
  table.receive(welcome);
  assert.deepEqual(table.receive(snapshot(state)), said(0, 1, { text: "b" }));
  assert.deepEqual(table.receive(snapshot(state)), [], "only once in a session");
  table.settle();
  assert.deepEqual(table.receive(accepted(0, 1)), done(0));
  table.receive(accepted(0));
  table.receive(welcome);
  assert.deepEqual(table.receive(snapshot(state)), done(0), "the server has lost the end of talk");
  table.settle();
  table.receive(welcome);
  table.receive(snapshot({ round: 1, leftMs: 700, messages: [text(2, 0, 0, "c")] }));
  assert.deepEqual(table.settle(), ["connected", "heard", "talk"]);
  assert.deepEqual([table.round.round, table.round.timeLeftMs, table.round.messages.length], [1, 700, 3]);
});

test("a restarted process does not repeat its messages", () => {
  const table = new Table();
  table.receive(snapshot({ round: 0, leftMs: 4_000, messages: [text(1, 0, 0, "a")] }));
  const many = ["a", "b", "c", "d", "e"].map((words) => ({ text: words }));
  assert.deepEqual(table.say(...many), said(0, 1, { text: "b" }));
  table.receive(accepted(0, 1));
  assert.deepEqual(table.receive(accepted(0, 2)), said(0, 3, { text: "d" }));
  assert.deepEqual(table.receive(accepted(0, 3)), done(0), "a seat sends four messages in a round");

  const ended = new Table();
  ended.receive(snapshot({ round: 0, ended: true }));
  assert.deepEqual(ended.settle(), [], "the earlier process has ended its talk");
  ended.receive(snapshot({ ended: true }));
  assert.deepEqual(ended.settle(), ["heard", "heard", "declare"]);
});

test("impossible talk is an error", () => {
  for (const [message, why] of [
    [text(3, 0, 0, "a"), "heard.messages: seat 3: expected 0 to 2"],
    [text(0, 2, 0, "a"), "message 0 of round 2"],
    [text(0, 0, 4, "a"), "message 4 of round 0"],
    [{ seat: 0, content: { content: { case: "accept", value: { seat: 3 } } } }, "heard.messages: seat 3: expected 0 to 2"],
    [{ seat: 0, content: { content: { case: "claim", value: { offsets: [0, 0, 1] } } } }, "a claim"],
  ] as const) {
    const table = new Table();
    table.receive(started);
    assert.throws(() => table.receive(heard(0, message)), (error: Error) => error.message.includes(why));
  }
});

test("an answer that is not a list of messages fails", async () => {
  const round: TalkRound = { ...practiceView({ piles: [1n] }), round: 0, timeLeftMs: 1 };
  const answers: unknown[] = ["hello", [1], [{ text: "a", claim: [0, 1] }], [{ claim: [0, 0] }], [{ text: "a", to: [7] }], [{}], [{ offer: { members: [1] } }], [{ accept: { seat: 0 } }]];
  for (const answer of answers) {
    const bot = { talk: () => answer, play: () => 1n } as unknown as Bot;
    assert.deepEqual(await askBot(bot, { kind: "talk", round }, silentLogger), { kind: "failed" });
  }
  assert.deepEqual(await askBot({ play: () => 1n }, { kind: "talk", round }, silentLogger), { kind: "messages", messages: undefined });
});

test("bots talk on a real server", async (context) => {
  const server = await TestServer.start(context);
  const tokens = await server.registerAll(["talker", "naive", "silent"]);
  const reports: number[][] = [];
  const stop = new AbortController();
  const ends: Promise<MatchInfo>[] = [];
  const play = (bot: Omit<Bot, "play">, token: string) => {
    let note: (match: MatchInfo) => void;
    ends.push(new Promise((resolve) => (note = resolve)));
    return run({ ...bot, play: () => 1n, ended: (end) => note(end.match) }, { server: server.address, token, signal: stop.signal, logger: silentLogger });
  };
  const runs = [
    play(
      {
        talk: ({ round, bots }) => (round === 0 ? [{ text: "hello" }, { text: "" }, { claim: [2, 0, 1], to: [bots.indexOf("naive")] }] : []),
        heard: (match, round) => void reports.push([round, match.messages.length]),
      },
      tokens.talker,
    ),
    play(
      {
        talk: async (round) => (lastClaim(round, 0) ? [{ text: "thanks", to: [0] }] : []),
        declare: (match): Row => lastClaim(match, 0)!,
      },
      tokens.naive,
    ),
    play({}, tokens.silent),
  ];
  const request = { bots: ["talker", "naive", "silent"], piles: [3n], alliance: AllianceMode.DECLARED, talk: { rounds: 2 } };
  const { match } = await server.matches.createMatch(request, server.asAdmin);
  const known = await Promise.all(ends);
  stop.abort();
  await Promise.all(runs);
  assert.deepEqual(reports, [[0, 2], [1, 3]]);
  assert.deepEqual(known.map(({ messages }) => messages.map((message) => message.text)), [["hello", undefined, "thanks"], ["hello", undefined, "thanks"], ["hello"]]);
  const { events } = await server.record(match!.id);
  const rows = events.flatMap(({ event }) => (event.case === "declared" && event.value.seat === 1 ? [event.value.row?.offsets] : []));
  assert.deepEqual(rows, [[2, 0, 1]], "the naive bot believes the claim");
});
