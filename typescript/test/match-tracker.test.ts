import { create, type MessageInitShape } from "@bufbuild/protobuf";
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger, type MatchEnd, type MatchView, type TakeFeed } from "lastnim";
import { parseEvent } from "#src/event.js";
import { Phase, PlayResponseSchema, type PlayRequest } from "#src/gen/lastnim/v1/arena_service_pb.js";
import { EndReason, ForfeitReason, RefusalReason } from "#src/gen/lastnim/v1/record_pb.js";
import { MAX_WAITING_REPORTS, MatchTracker, type ClientAction } from "#src/match-tracker.js";
import { declareAction, resignAction, takeAction } from "#src/play-action.js";
import type { BotAnswer, BotQuestion } from "#src/question.js";

const ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const OTHER = "01890a5d-ac96-774b-bcce-b302099a8058";
const TOURNAMENT = "01890a5d-ac96-774b-bcce-b302099a8059";
const matrix = { rows: [{ offsets: [0, 1, 2] }, { offsets: [1, 0, 2] }, { offsets: [0, 2, 1] }] };

/** Seat 1 of three on the piles 2, 3, 4; seat 0 moves first. */
const begun = (matchId: string) => ({
  matchId,
  seat: 1,
  setup: {
    bots: ["a", "b", "c"],
    piles: [2n, 3n, 4n],
    clock: { initialMs: 60_000, declarationMs: 5_000 },
    strikes: 3,
    maxPlies: 100,
    tournamentId: TOURNAMENT,
    number: 7n,
  },
});
const turnOf = (ply: number, pile: number, counters: bigint, matchId = ID) => ({ matchId, ply, pile, counters, bankMs: 59_000 });

type Told = NonNullable<MessageInitShape<typeof PlayResponseSchema>["event"]>;
const welcome = (openMatches: number): Told => ({ case: "welcome", value: { bot: "b", openMatches, serverVersion: "1" } });
const started = (matchId: string): Told => ({ case: "matchStarted", value: begun(matchId) });
const revealed = (matchId: string): Told => ({ case: "revealed", value: { matchId, allianceMatrix: matrix } });
const turn = (...of: Parameters<typeof turnOf>): Told => ({ case: "turn", value: turnOf(...of) });
const declaring = (declarationLeftMs: number, matchId = ID): Told => {
  return { case: "snapshot", value: { started: begun(matchId), phase: Phase.DECLARING, declarationLeftMs } };
};
const inPlay = (of?: ReturnType<typeof turnOf>): Told => {
  return { case: "snapshot", value: { started: begun(ID), phase: Phase.PLAYING, allianceMatrix: matrix, ...(of && { turn: of }) } };
};
/** A snapshot with another seat to move. */
const inPlayOfOthers = (ply: number, pile: number, counters: bigint): Told => {
  return { case: "snapshot", value: { started: begun(ID), phase: Phase.PLAYING, allianceMatrix: matrix, ply, pile, counters } };
};
const caughtUp: Told = { case: "caughtUp", value: {} };
const refused = (reason: RefusalReason): Told => ({ case: "refused", value: { matchId: ID, reason } });
const ended = (matchId: string, winner?: number): Told => {
  const reason = winner === undefined ? EndReason.CANCELLED : EndReason.FINISHED;
  return { case: "matchEnded", value: { matchId, reason, ...(winner !== undefined && { winner }) } };
};
/** The missed end of a match in which the bot's seat was forfeited. */
const missedEnd = (matchId: string): Told => ({
  case: "matchEnded",
  value: {
    matchId,
    reason: EndReason.FINISHED,
    winner: 2,
    started: begun(matchId),
    forfeited: [{ matchId, seat: 1, reason: ForfeitReason.TIMED_OUT }],
  },
});

/** A tracker, and its bot's open questions. */
class Table {
  readonly tracker: MatchTracker;
  readonly asked: BotQuestion[] = [];

  constructor(concurrency = Infinity, takeFeed: TakeFeed = "own_turns") {
    this.tracker = new MatchTracker(concurrency, silentLogger, takeFeed);
  }

  /** Handles an event; returns what is sent. */
  receive(event: Told): PlayRequest["action"][] {
    const response = create(PlayResponseSchema, { event } as MessageInitShape<typeof PlayResponseSchema>);
    return this.#note(this.tracker.handleEvent(parseEvent(response)));
  }

  /** Answers the oldest question; returns what is sent. */
  answer(answer: BotAnswer): PlayRequest["action"][] {
    return this.#note(this.tracker.handleAnswer(this.asked.shift()!, answer));
  }

  take(take: bigint): PlayRequest["action"][] {
    return this.answer({ kind: "take", take, noteHash: undefined });
  }

  declare(row: number[]): PlayRequest["action"][] {
    return this.answer({ kind: "row", row, noteHash: undefined });
  }

  handleReport(): PlayRequest["action"][] {
    return this.answer({ kind: "handled" });
  }

  /** Returns the turn of the only question. */
  view(): MatchView {
    const [question] = this.asked;
    assert.ok(this.asked.length === 1 && question?.kind === "play", JSON.stringify(this.asked.map(({ kind }) => kind)));
    return question.view;
  }

  /** Returns the end of the only report. */
  end(): MatchEnd {
    const [question] = this.asked;
    assert.ok(this.asked.length === 1 && question?.kind === "ended", JSON.stringify(this.asked.map(({ kind }) => kind)));
    return question.end;
  }

  kinds(): string[] {
    return this.asked.map(({ kind }) => kind);
  }

  #note(actions: ClientAction[]): PlayRequest["action"][] {
    const sent: PlayRequest["action"][] = [];
    for (const action of actions) {
      if (action.kind === "send") sent.push(action.action);
      else this.asked.push(action.question);
    }
    return sent;
  }
}

/** A tracker with an open session. */
function connected(concurrency?: number, takeFeed?: TakeFeed): Table {
  const table = new Table(concurrency, takeFeed);
  table.receive(welcome(0));
  assert.deepEqual(table.kinds(), ["connected"]);
  assert.deepEqual(table.handleReport(), []);
  return table;
}

/** A tracker with a match in play. */
function playing(concurrency?: number, takeFeed?: TakeFeed): Table {
  const table = connected(concurrency, takeFeed);
  table.receive(started(ID));
  assert.deepEqual(table.declare([1, 0, 2]), [declareAction(ID, [1, 0, 2])]);
  assert.deepEqual(table.receive(revealed(ID)), []);
  return table;
}

test("a whole match", () => {
  const table = playing();
  table.receive(turn(1, 2, 3n));
  const view = table.view();
  assert.deepEqual(view.position.piles, [2n, 3n, 3n]);
  assert.deepEqual([view.ply, view.seat, view.position.toMove, view.bankLeftMs], [1, 1, 1, 59_000]);
  assert.deepEqual(view.matrix, [[0, 1, 2], [1, 0, 2], [0, 2, 1]]);
  assert.deepEqual([view.piles, view.origin?.number, view.assigned], [[2n, 3n, 4n], 7n, undefined]);
  assert.deepEqual(table.take(3n), [takeAction(ID, 1, 3n)]);
  table.receive(turn(4, 0, 2n));
  assert.deepEqual(table.view().position.piles, [2n, 0n, 0n]);
  assert.deepEqual(table.take(2n), [takeAction(ID, 4, 2n)]);
  assert.equal(table.tracker.isFinishedWith(TOURNAMENT.toUpperCase()), false);
  const seat = (seat: number) => ({ seat, satisfaction: 0.5, regret: 1, luck: -1, plies: 2, optimalPlies: 1 });
  const audit = { seats: [seat(0), seat(1), seat(2)] };
  table.receive({ case: "matchEnded", value: { matchId: ID, reason: EndReason.FINISHED, winner: 1, audit } });
  const end = table.end();
  assert.deepEqual([end.won, end.forfeited, end.reason], [true, false, "finished"]);
  assert.deepEqual(end.figures, { satisfaction: 0.5, regret: 1, luck: -1, takes: 2, optimalTakes: 1 });
  assert.equal(table.tracker.isFinishedWith(TOURNAMENT), false, "the bot is still handling the end");
  table.handleReport();
  assert.equal(table.tracker.isFinishedWith(TOURNAMENT), true);
  assert.equal(String(table.tracker.summary), "1 match, 1 win, 0 forfeits, regret 1, accuracy 50%");
});

const took = (ply: number, seat: number, take: bigint, steward = false): Told => {
  return { case: "took", value: { matchId: ID, ply, seat, take, steward } };
};
const seenIn = (view: MatchView) => view.seenTakes.map(({ ply, before, take, mover }) => [ply, before.counters, take, mover]);

test("with the feed `all` a turn shows all takes", () => {
  const table = playing(Infinity, "all");
  assert.deepEqual(table.receive(took(0, 0, 1n)), []);
  table.receive(turn(1, 2, 3n));
  assert.deepEqual(seenIn(table.view()), [[0, 4n, 1n, "bot"]]);
  table.take(3n);
  for (const event of [took(1, 1, 3n), took(1, 1, 3n), took(2, 2, 1n), took(3, 0, 2n, true)]) table.receive(event);
  table.receive(turn(4, 0, 2n));
  assert.deepEqual(seenIn(table.view()), [
    [0, 4n, 1n, "bot"],
    [1, 3n, 3n, "bot"],
    [2, 3n, 1n, "bot"],
    [3, 2n, 2n, "steward"],
  ]);
  assert.deepEqual([table.view().seenTakes[2]?.before.toMove, table.view().seenTakes[2]?.before.piles], [2, [2n, 3n, 0n]]);
});

test("with the feed `own_turns` a turn shows no takes", () => {
  const table = playing();
  table.receive(took(0, 0, 1n));
  table.receive(turn(1, 2, 3n));
  assert.deepEqual(table.view().seenTakes, []);
});

test("takes during a lost session are missing", () => {
  const table = playing(Infinity, "all");
  table.receive(took(0, 0, 1n));
  table.receive(turn(1, 2, 3n));
  table.take(1n);
  table.receive(welcome(1));
  table.handleReport();
  table.receive(inPlayOfOthers(3, 2, 1n));
  table.receive(took(3, 0, 1n));
  table.receive(turn(4, 1, 3n));
  assert.deepEqual(seenIn(table.view()), [
    [0, 4n, 1n, "bot"],
    [3, 1n, 1n, "bot"],
  ]);
});

test("takes lost by the server are removed", () => {
  const table = playing(Infinity, "all");
  table.receive(took(0, 0, 1n));
  table.receive(turn(1, 2, 3n));
  table.take(1n);
  for (const event of [took(1, 1, 1n), took(2, 2, 1n), welcome(1)]) table.receive(event);
  table.handleReport();
  table.receive(inPlayOfOthers(2, 2, 2n));
  for (const event of [took(2, 2, 2n), took(3, 0, 1n), turn(4, 1, 2n)]) table.receive(event);
  assert.deepEqual(seenIn(table.view()), [
    [0, 4n, 1n, "bot"],
    [1, 3n, 1n, "bot"],
    [2, 2n, 2n, "bot"],
    [3, 3n, 1n, "bot"],
  ]);
});

test("a match without an audit does not count for the regret", () => {
  const table = playing();
  table.receive({ case: "matchEnded", value: { matchId: ID, reason: EndReason.FINISHED, winner: 1 } });
  assert.equal(table.end().figures, undefined);
  const { summary } = table.tracker;
  assert.deepEqual([summary.matches, summary.unaudited, summary.regretPerMatch], [1, 1, undefined]);
  assert.equal(String(summary), "1 match, 1 win, 0 forfeits, 1 without an audit");
});

test("a repeated turn gets the same take", () => {
  const table = playing();
  table.receive(turn(1, 2, 3n));
  assert.deepEqual(table.receive(turn(1, 2, 3n)), []);
  assert.equal(table.view().ply, 1, "the bot is thinking about it");
  assert.deepEqual(table.take(2n), [takeAction(ID, 1, 2n)]);
  assert.deepEqual(table.receive(turn(1, 2, 3n)), [takeAction(ID, 1, 2n)]);
});

test("matches resume from snapshots", () => {
  const table = playing();
  table.receive(turn(1, 2, 3n));
  table.receive(welcome(1));
  assert.deepEqual(table.receive(inPlay(turnOf(1, 2, 3n))), []);
  assert.deepEqual(table.kinds(), ["play", "connected"]);
  assert.deepEqual(table.take(2n), [takeAction(ID, 1, 2n)]);
  table.handleReport();
  // The take was lost with its stream: the snapshot's turn is answered without asking the bot.
  table.receive(welcome(1));
  assert.deepEqual(table.receive(inPlay(turnOf(1, 2, 3n))), [takeAction(ID, 1, 2n)]);
  table.handleReport();
  table.receive(welcome(1));
  assert.deepEqual(table.receive(inPlay()), []);
});

test("a snapshot alone is enough to play", () => {
  const table = connected();
  table.receive(welcome(1));
  table.handleReport();
  table.receive(inPlay(turnOf(4, 1, 3n)));
  assert.deepEqual(table.view().position.piles, [2n, 3n, 0n]);
});

test("a snapshot while declaring asks for the row once", () => {
  const table = connected();
  table.receive(declaring(900));
  assert.deepEqual(table.receive(declaring(900)), []);
  assert.deepEqual(table.kinds(), ["declare"], "the bot is thinking about it");
  const sent = [declareAction(ID, [2, 1, 0])];
  assert.deepEqual(table.declare([2, 1, 0]), sent);
  assert.deepEqual(table.receive(declaring(900)), sent, "the row was lost with the session");
  assert.deepEqual(table.receive(declaring(0)), [], "the server has the row");
  assert.deepEqual(table.receive(started(ID)), []);
  assert.deepEqual(table.kinds(), []);
});

test("matches without news ended unseen", () => {
  const table = playing();
  table.receive(started(OTHER));
  table.declare([0, 1, 2]);
  table.receive(welcome(1));
  table.handleReport();
  table.receive(inPlay());
  assert.deepEqual(table.kinds(), [], "its end may still arrive");
  table.receive(caughtUp);
  const end = table.end();
  assert.deepEqual([end.match.id, end.reason, end.winner], [OTHER, "unseen", undefined]);
  assert.equal(table.tracker.summary.unseen, 1);
});

test("a missed end is reported once with its reason", () => {
  const table = playing();
  table.receive(welcome(0));
  table.handleReport();
  table.receive(missedEnd(ID));
  assert.deepEqual([table.end().reason, table.end().winner, table.end().forfeited], ["finished", 2, true]);
  table.handleReport();
  table.receive(missedEnd(ID));
  table.receive(caughtUp);
  assert.deepEqual(table.kinds(), [], "repeated ends are not reported");
  const { matches, forfeits, unseen } = table.tracker.summary;
  assert.deepEqual([matches, forfeits, unseen], [1, 1, 0]);
});

test("an end of an earlier process is reported but not counted", () => {
  const table = connected();
  table.receive(missedEnd(OTHER));
  assert.deepEqual([table.end().match.id, table.end().forfeited], [OTHER, true]);
  table.handleReport();
  table.receive(missedEnd(OTHER));
  assert.deepEqual([table.kinds(), table.tracker.summary.matches], [[], 0]);
});

test("events of unknown matches are ignored", () => {
  const table = connected();
  for (const event of [turn(1, 2, 3n, OTHER), revealed(OTHER), ended(OTHER, 77)]) assert.deepEqual(table.receive(event), []);
  assert.deepEqual(table.kinds(), []);
});

test("after an illegal take the bot is asked with its remaining time", () => {
  const table = playing();
  table.receive(turn(1, 2, 3n));
  assert.deepEqual(table.take(4n), [takeAction(ID, 1, 4n)], "only the server checks takes");
  table.receive(refused(RefusalReason.ILLEGAL_TAKE));
  assert.deepEqual(table.kinds(), ["refused"]);
  table.receive({ case: "turn", value: { ...turnOf(1, 2, 3n), bankMs: 7 } });
  table.receive(turn(1, 2, 3n));
  assert.deepEqual(table.kinds(), ["refused"], "the bot is handling the refusal");
  table.handleReport();
  assert.equal(table.view().bankLeftMs, 7);
  assert.deepEqual(table.take(2n), [takeAction(ID, 1, 2n)]);
  // The refusal is of another message: sending the pending take again does no harm.
  table.receive(refused(RefusalReason.ALREADY_DECLARED));
  assert.deepEqual(table.receive(turn(1, 2, 3n)), [takeAction(ID, 1, 2n)]);
});

test("a snapshot after a refusal does not confirm other matches", () => {
  const table = connected();
  for (const id of [ID, OTHER]) table.receive(started(id));
  table.receive(welcome(2));
  table.receive(declaring(9));
  table.receive(refused(RefusalReason.NOT_STARTED));
  table.receive(declaring(9));
  table.receive(caughtUp);
  assert.equal(table.tracker.summary.unseen, 0, "the snapshot of the other match has not arrived");
});

test("a bot whose code fails resigns that match, also if the resignation is lost", () => {
  const table = playing();
  table.receive(turn(1, 2, 3n));
  assert.deepEqual(table.answer({ kind: "failed" }), [resignAction(ID)]);
  table.receive(turn(1, 2, 3n));
  assert.deepEqual(table.kinds(), [], "there are no further questions");
  table.receive(welcome(1));
  table.handleReport();
  assert.deepEqual(table.receive(inPlay(turnOf(1, 2, 3n))), [resignAction(ID)]);
  table.receive({ case: "forfeited", value: { matchId: ID, seat: 1, reason: ForfeitReason.RESIGNED } });
  table.receive(welcome(1));
  table.handleReport();
  assert.deepEqual(table.receive({ case: "snapshot", value: { started: begun(ID), phase: Phase.PLAYING, allianceMatrix: matrix, forfeited: [1] } }), []);
  table.receive(ended(ID, 1));
  assert.deepEqual([table.end().forfeited, table.tracker.summary.forfeits, table.tracker.summary.wins], [true, 1, 0]);
});

test("late and repeated events are ignored", () => {
  const table = playing();
  table.receive(turn(4, 1, 3n));
  assert.deepEqual(table.receive(turn(1, 2, 3n)), []);
  assert.equal(table.view().ply, 4);
  assert.deepEqual(table.take(3n), [takeAction(ID, 4, 3n)]);
  assert.deepEqual([table.receive(started(ID)), table.receive(revealed(ID)), table.kinds()], [[], [], []]);
  table.receive(ended(ID, 1));
  table.handleReport();
  for (const event of [ended(ID, 1), started(ID), turn(4, 1, 3n), welcome(1), inPlay(turnOf(4, 1, 3n)), caughtUp]) {
    assert.deepEqual(table.receive(event), []);
  }
  assert.deepEqual(table.kinds(), ["connected"]);
  table.handleReport();
  assert.ok(table.tracker.isFinishedWith(TOURNAMENT));
  assert.equal(table.tracker.summary.matches, 1);
});

test("a match continues at the earlier ply of a snapshot", () => {
  const table = playing();
  table.receive(turn(4, 1, 3n));
  table.take(3n);
  table.receive(welcome(1));
  table.handleReport();
  table.receive(inPlay(turnOf(1, 2, 3n)));
  assert.equal(table.view().ply, 1);
  assert.deepEqual(table.take(2n), [takeAction(ID, 1, 2n)]);
  table.receive(turn(4, 1, 2n));
  assert.equal(table.view().position.counters, 2n, "the previous take belonged to another turn");
});

test("turns after an earlier ply are asked again", () => {
  const table = playing();
  table.receive(turn(4, 1, 3n));
  table.take(3n);
  table.receive(inPlayOfOthers(0, 2, 4n));
  assert.deepEqual(table.kinds(), []);
  table.receive(turn(1, 2, 2n));
  assert.equal(table.view().ply, 1);
});

test("a lost turn is not asked, and its answer is not sent", () => {
  const waiting = playing(1);
  waiting.receive(started(OTHER));
  for (const event of [turn(4, 1, 3n), inPlayOfOthers(3, 1, 3n), turn(4, 1, 2n)]) waiting.receive(event);
  waiting.declare([0, 1, 2]);
  assert.equal(waiting.view().position.counters, 2n);
  const thinking = playing();
  for (const event of [turn(4, 1, 3n), inPlayOfOthers(3, 1, 3n), turn(4, 1, 2n)]) thinking.receive(event);
  assert.equal(thinking.view().position.counters, 3n);
  assert.deepEqual(thinking.take(3n), []);
  assert.equal(thinking.view().position.counters, 2n);
});

test("a forfeited seat is not asked", () => {
  const table = playing();
  table.receive(turn(1, 2, 3n));
  const forfeited = (seat: number): Told => ({ case: "forfeited", value: { matchId: ID, seat, reason: ForfeitReason.TIMED_OUT } });
  table.receive(forfeited(0));
  table.receive(forfeited(1));
  assert.deepEqual(table.take(2n), [], "too late");
  table.receive(ended(ID, 1));
  assert.ok(table.end().forfeited);
});

test("matches are independent, with one question at a time in each", () => {
  const table = playing();
  table.receive(turn(1, 2, 3n));
  table.receive(started(OTHER));
  assert.deepEqual(table.kinds(), ["play", "declare"]);
  table.receive(ended(ID));
  assert.deepEqual(table.kinds(), ["play", "declare"], "the end of a match comes after its questions");
  assert.deepEqual(table.take(2n), []);
  assert.deepEqual(table.kinds(), ["declare", "ended"]);
});

test("with a concurrency of 1 questions come one at a time and only for open matches", () => {
  const table = playing(1);
  table.receive(turn(1, 2, 3n));
  for (const event of [started(OTHER), ended(OTHER), ended(ID)]) table.receive(event);
  assert.deepEqual(table.kinds(), ["play"]);
  assert.deepEqual(table.take(2n), []);
  assert.equal(table.end().match.id, OTHER);
  table.handleReport();
  assert.equal(table.end().match.id, ID);
  table.handleReport();
  assert.deepEqual([table.kinds(), table.tracker.summary.cancelled], [[], 2]);
});

test("waiting questions are bounded", () => {
  const table = new Table(1);
  table.receive(welcome(0));
  for (let number = 0; number < 3 * MAX_WAITING_REPORTS; number += 1) {
    const id = `${number.toString(16).padStart(8, "0")}-0000-7000-8000-000000000000`;
    table.receive(started(id));
    table.receive(ended(id, 0));
  }
  assert.deepEqual(table.kinds(), ["connected"]);
  let reports = 0;
  for (; table.asked.length > 0; reports += 1) table.handleReport();
  assert.ok(reports <= MAX_WAITING_REPORTS + 3, `${reports}`);
  assert.equal(table.tracker.summary.matches, 3 * MAX_WAITING_REPORTS);
});

test("contradictions from the server are errors", () => {
  const table = connected();
  table.receive(started(ID));
  assert.throws(() => table.receive(turn(1, 2, 3n)), new RegExp(`a turn in match ${ID} before the rows were revealed`));
  table.receive(revealed(ID));
  for (const [ply, pile, counters] of [[0, 2, 3n], [1, 3, 1n], [1, 2, 5n], [1, 2, 0n], [1, 2 ** 32 - 1, 1n], [2 ** 32 - 2, 2, 3n]] as const) {
    assert.throws(() => table.receive(turn(ply, pile, counters)), /an impossible turn for seat/);
  }
  const two = { rows: [{ offsets: [0, 1] }, { offsets: [0, 1] }] };
  assert.throws(() => table.receive({ case: "revealed", value: { matchId: ID, allianceMatrix: two } }), /2 rows for a match with 3 seats/);
  assert.throws(() => table.receive(ended(ID, 3)), /seat 3: expected 0 to 2/);
  const twice = { rows: [{ offsets: [0, 0] }, { offsets: [0, 1] }] };
  assert.throws(() => table.receive({ case: "revealed", value: { matchId: ID, allianceMatrix: twice } }), /row 0 of 2 is not a permutation/);
});
