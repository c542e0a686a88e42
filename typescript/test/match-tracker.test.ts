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
/** A snapshot in which another seat is to move. */
const inPlayOfOthers = (ply: number, pile: number, counters: bigint): Told => {
  return { case: "snapshot", value: { started: begun(ID), phase: Phase.PLAYING, allianceMatrix: matrix, ply, pile, counters } };
};
const caughtUp: Told = { case: "caughtUp", value: {} };
const refused = (reason: RefusalReason): Told => ({ case: "refused", value: { matchId: ID, reason } });
const ended = (matchId: string, winner?: number): Told => {
  const reason = winner === undefined ? EndReason.CANCELLED : EndReason.FINISHED;
  return { case: "matchEnded", value: { matchId, reason, ...(winner !== undefined && { winner }) } };
};
/** The end of a match that the bot may have missed, in which it lost its seat. */
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

/** A tracker, and the questions that its bot has not answered. */
class Table {
  readonly tracker: MatchTracker;
  readonly asked: BotQuestion[] = [];

  constructor(concurrency = Infinity, takeFeed: TakeFeed = "own_turns") {
    this.tracker = new MatchTracker(concurrency, silentLogger, takeFeed);
  }

  /** Tells of an event; returns what is sent. */
  tell(event: Told): PlayRequest["action"][] {
    const response = create(PlayResponseSchema, { event } as MessageInitShape<typeof PlayResponseSchema>);
    return this.#note(this.tracker.handleEvent(parseEvent(response)));
  }

  /** Gives the answer to the oldest question; returns what is sent. */
  answer(answer: BotAnswer): PlayRequest["action"][] {
    return this.#note(this.tracker.handleAnswer(this.asked.shift()!, answer));
  }

  take(take: bigint): PlayRequest["action"][] {
    return this.answer({ kind: "take", take, noteHash: undefined });
  }

  declare(row: number[]): PlayRequest["action"][] {
    return this.answer({ kind: "row", row, noteHash: undefined });
  }

  heard(): PlayRequest["action"][] {
    return this.answer({ kind: "heard" });
  }

  /** Returns the turn that is asked about, which is all that is asked. */
  view(): MatchView {
    const [question] = this.asked;
    assert.ok(this.asked.length === 1 && question?.kind === "play", JSON.stringify(this.asked.map(({ kind }) => kind)));
    return question.view;
  }

  /** Returns the end that is told of, which is all that is told. */
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

/** A table whose bot has heard of its session. */
function connected(concurrency?: number, takeFeed?: TakeFeed): Table {
  const table = new Table(concurrency, takeFeed);
  table.tell(welcome(0));
  assert.deepEqual(table.kinds(), ["connected"]);
  assert.deepEqual(table.heard(), []);
  return table;
}

/** A table whose bot declared and whose match is in play. */
function playing(concurrency?: number, takeFeed?: TakeFeed): Table {
  const table = connected(concurrency, takeFeed);
  table.tell(started(ID));
  assert.deepEqual(table.declare([1, 0, 2]), [declareAction(ID, [1, 0, 2])]);
  assert.deepEqual(table.tell(revealed(ID)), []);
  return table;
}

test("a match from end to end", () => {
  const table = playing();
  table.tell(turn(1, 2, 3n));
  const view = table.view();
  assert.deepEqual(view.position.piles, [2n, 3n, 3n]);
  assert.deepEqual([view.ply, view.seat, view.position.toMove, view.bankLeftMs], [1, 1, 1, 59_000]);
  assert.deepEqual(view.matrix, [[0, 1, 2], [1, 0, 2], [0, 2, 1]]);
  assert.deepEqual([view.piles, view.origin?.number, view.assigned], [[2n, 3n, 4n], 7n, undefined]);
  assert.deepEqual(table.take(3n), [takeAction(ID, 1, 3n)]);
  table.tell(turn(4, 0, 2n));
  assert.deepEqual(table.view().position.piles, [2n, 0n, 0n]);
  assert.deepEqual(table.take(2n), [takeAction(ID, 4, 2n)]);
  assert.equal(table.tracker.isDoneWith(TOURNAMENT.toUpperCase()), false);
  const seat = (seat: number) => ({ seat, satisfaction: 0.5, regret: 1, luck: -1, plies: 2, optimalPlies: 1 });
  const audit = { seats: [seat(0), seat(1), seat(2)] };
  table.tell({ case: "matchEnded", value: { matchId: ID, reason: EndReason.FINISHED, winner: 1, audit } });
  const end = table.end();
  assert.deepEqual([end.won, end.forfeited, end.reason], [true, false, "finished"]);
  assert.deepEqual(end.figures, { satisfaction: 0.5, regret: 1, luck: -1, takes: 2, optimalTakes: 1 });
  assert.equal(table.tracker.isDoneWith(TOURNAMENT), false, "the bot is still hearing of the end");
  table.heard();
  assert.equal(table.tracker.isDoneWith(TOURNAMENT), true);
  assert.equal(String(table.tracker.summary), "1 match, 1 win, 0 forfeits, regret 1, accuracy 50%");
});

const took = (ply: number, seat: number, take: bigint, steward = false): Told => {
  return { case: "took", value: { matchId: ID, ply, seat, take, steward } };
};
const seenIn = (view: MatchView) => view.seenTakes.map(({ ply, before, take, mover }) => [ply, before.counters, take, mover]);

test("a bot that wants all takes sees them in its turn", () => {
  const table = playing(Infinity, "all");
  assert.deepEqual(table.tell(took(0, 0, 1n)), []);
  table.tell(turn(1, 2, 3n));
  assert.deepEqual(seenIn(table.view()), [[0, 4n, 1n, "bot"]]);
  table.take(3n);
  for (const event of [took(1, 1, 3n), took(1, 1, 3n), took(2, 2, 1n), took(3, 0, 2n, true)]) table.tell(event);
  table.tell(turn(4, 0, 2n));
  assert.deepEqual(seenIn(table.view()), [
    [0, 4n, 1n, "bot"],
    [1, 3n, 3n, "bot"],
    [2, 3n, 1n, "bot"],
    [3, 2n, 2n, "steward"],
  ]);
  assert.deepEqual([table.view().seenTakes[2]?.before.toMove, table.view().seenTakes[2]?.before.piles], [2, [2n, 3n, 0n]]);
});

test("a bot that wants its own turns alone sees no takes", () => {
  const table = playing();
  table.tell(took(0, 0, 1n));
  table.tell(turn(1, 2, 3n));
  assert.deepEqual(table.view().seenTakes, []);
});

test("takes that were made without a session are missing", () => {
  const table = playing(Infinity, "all");
  table.tell(took(0, 0, 1n));
  table.tell(turn(1, 2, 3n));
  table.take(1n);
  table.tell(welcome(1));
  table.heard();
  table.tell(inPlayOfOthers(3, 2, 1n));
  table.tell(took(3, 0, 1n));
  table.tell(turn(4, 1, 3n));
  assert.deepEqual(seenIn(table.view()), [
    [0, 4n, 1n, "bot"],
    [3, 1n, 1n, "bot"],
  ]);
});

test("takes that a server lost are taken back", () => {
  const table = playing(Infinity, "all");
  table.tell(took(0, 0, 1n));
  table.tell(turn(1, 2, 3n));
  table.take(1n);
  for (const event of [took(1, 1, 1n), took(2, 2, 1n), welcome(1)]) table.tell(event);
  table.heard();
  table.tell(inPlayOfOthers(2, 2, 2n));
  for (const event of [took(2, 2, 2n), took(3, 0, 1n), turn(4, 1, 2n)]) table.tell(event);
  assert.deepEqual(seenIn(table.view()), [
    [0, 4n, 1n, "bot"],
    [1, 3n, 1n, "bot"],
    [2, 2n, 2n, "bot"],
    [3, 3n, 1n, "bot"],
  ]);
});

test("a match whose audit is withheld counts for no regret", () => {
  const table = playing();
  table.tell({ case: "matchEnded", value: { matchId: ID, reason: EndReason.FINISHED, winner: 1 } });
  assert.equal(table.end().figures, undefined);
  const { summary } = table.tracker;
  assert.deepEqual([summary.matches, summary.unaudited, summary.regretPerMatch], [1, 1, undefined]);
  assert.equal(String(summary), "1 match, 1 win, 0 forfeits, 1 without an audit");
});

test("a repeated turn is answered once by the bot and again by the tracker", () => {
  const table = playing();
  table.tell(turn(1, 2, 3n));
  assert.deepEqual(table.tell(turn(1, 2, 3n)), []);
  assert.equal(table.view().ply, 1, "the bot is thinking about it");
  assert.deepEqual(table.take(2n), [takeAction(ID, 1, 2n)]);
  assert.deepEqual(table.tell(turn(1, 2, 3n)), [takeAction(ID, 1, 2n)]);
});

test("a lost session is taken up from the snapshots", () => {
  const table = playing();
  table.tell(turn(1, 2, 3n));
  table.tell(welcome(1));
  assert.deepEqual(table.tell(inPlay(turnOf(1, 2, 3n))), []);
  assert.deepEqual(table.kinds(), ["play", "connected"]);
  assert.deepEqual(table.take(2n), [takeAction(ID, 1, 2n)]);
  table.heard();
  // The take was sent on a stream that broke: the snapshot's turn is answered without asking again.
  table.tell(welcome(1));
  assert.deepEqual(table.tell(inPlay(turnOf(1, 2, 3n))), [takeAction(ID, 1, 2n)]);
  table.heard();
  table.tell(welcome(1));
  assert.deepEqual(table.tell(inPlay()), []);
});

test("a snapshot alone is enough to play", () => {
  const table = connected();
  table.tell(welcome(1));
  table.heard();
  table.tell(inPlay(turnOf(4, 1, 3n)));
  assert.deepEqual(table.view().position.piles, [2n, 3n, 0n]);
});

test("a snapshot while declaring asks for the row once", () => {
  const table = connected();
  table.tell(declaring(900));
  assert.deepEqual(table.tell(declaring(900)), []);
  assert.deepEqual(table.kinds(), ["declare"], "the bot is thinking about it");
  const sent = [declareAction(ID, [2, 1, 0])];
  assert.deepEqual(table.declare([2, 1, 0]), sent);
  assert.deepEqual(table.tell(declaring(900)), sent, "it was lost with the session");
  assert.deepEqual(table.tell(declaring(0)), [], "it is in");
  assert.deepEqual(table.tell(started(ID)), []);
  assert.deepEqual(table.kinds(), []);
});

test("matches that nothing tells of ended unseen", () => {
  const table = playing();
  table.tell(started(OTHER));
  table.declare([0, 1, 2]);
  table.tell(welcome(1));
  table.heard();
  table.tell(inPlay());
  assert.deepEqual(table.kinds(), [], "its end may still be told");
  table.tell(caughtUp);
  const end = table.end();
  assert.deepEqual([end.match.id, end.reason, end.winner], [OTHER, "unseen", undefined]);
  assert.equal(table.tracker.summary.unseen, 1);
});

test("an end that was missed is heard with its reason and once", () => {
  const table = playing();
  table.tell(welcome(0));
  table.heard();
  table.tell(missedEnd(ID));
  assert.deepEqual([table.end().reason, table.end().winner, table.end().forfeited], ["finished", 2, true]);
  table.heard();
  table.tell(missedEnd(ID));
  table.tell(caughtUp);
  assert.deepEqual(table.kinds(), [], "it is told again in case it was not heard");
  const { matches, forfeits, unseen } = table.tracker.summary;
  assert.deepEqual([matches, forfeits, unseen], [1, 1, 0]);
});

test("an end of a match before this process is heard and not counted", () => {
  const table = connected();
  table.tell(missedEnd(OTHER));
  assert.deepEqual([table.end().match.id, table.end().forfeited], [OTHER, true]);
  table.heard();
  table.tell(missedEnd(OTHER));
  assert.deepEqual([table.kinds(), table.tracker.summary.matches], [[], 0]);
});

test("events of unknown matches are passed over", () => {
  const table = connected();
  for (const event of [turn(1, 2, 3n, OTHER), revealed(OTHER), ended(OTHER, 77)]) assert.deepEqual(table.tell(event), []);
  assert.deepEqual(table.kinds(), []);
});

test("an illegal take is reported and the bot asked again, with the time that it has left", () => {
  const table = playing();
  table.tell(turn(1, 2, 3n));
  assert.deepEqual(table.take(4n), [takeAction(ID, 1, 4n)], "the server is the referee");
  table.tell(refused(RefusalReason.ILLEGAL_TAKE));
  assert.deepEqual(table.kinds(), ["refused"]);
  table.tell({ case: "turn", value: { ...turnOf(1, 2, 3n), bankMs: 7 } });
  table.tell(turn(1, 2, 3n));
  assert.deepEqual(table.kinds(), ["refused"], "the bot is hearing of the refusal");
  table.heard();
  assert.equal(table.view().bankLeftMs, 7);
  assert.deepEqual(table.take(2n), [takeAction(ID, 1, 2n)]);
  // Of another message: the take that is under way is sent again, which does no harm.
  table.tell(refused(RefusalReason.ALREADY_DECLARED));
  assert.deepEqual(table.tell(turn(1, 2, 3n)), [takeAction(ID, 1, 2n)]);
});

test("a snapshot after a refusal stands for no other match", () => {
  const table = connected();
  for (const id of [ID, OTHER]) table.tell(started(id));
  table.tell(welcome(2));
  table.tell(declaring(9));
  table.tell(refused(RefusalReason.NOT_STARTED));
  table.tell(declaring(9));
  table.tell(caughtUp);
  assert.equal(table.tracker.summary.unseen, 0, "the snapshot of the other match is still to come");
});

test("a bot whose code fails resigns that match, also if the resignation is lost", () => {
  const table = playing();
  table.tell(turn(1, 2, 3n));
  assert.deepEqual(table.answer({ kind: "failed" }), [resignAction(ID)]);
  table.tell(turn(1, 2, 3n));
  assert.deepEqual(table.kinds(), [], "it is asked nothing more");
  table.tell(welcome(1));
  table.heard();
  assert.deepEqual(table.tell(inPlay(turnOf(1, 2, 3n))), [resignAction(ID)]);
  table.tell({ case: "forfeited", value: { matchId: ID, seat: 1, reason: ForfeitReason.RESIGNED } });
  table.tell(welcome(1));
  table.heard();
  assert.deepEqual(table.tell({ case: "snapshot", value: { started: begun(ID), phase: Phase.PLAYING, allianceMatrix: matrix, forfeited: [1] } }), []);
  table.tell(ended(ID, 1));
  assert.deepEqual([table.end().forfeited, table.tracker.summary.forfeits, table.tracker.summary.wins], [true, 1, 0]);
});

test("what comes late or twice changes nothing", () => {
  const table = playing();
  table.tell(turn(4, 1, 3n));
  assert.deepEqual(table.tell(turn(1, 2, 3n)), []);
  assert.equal(table.view().ply, 4);
  assert.deepEqual(table.take(3n), [takeAction(ID, 4, 3n)]);
  assert.deepEqual([table.tell(started(ID)), table.tell(revealed(ID)), table.kinds()], [[], [], []]);
  table.tell(ended(ID, 1));
  table.heard();
  for (const event of [ended(ID, 1), started(ID), turn(4, 1, 3n), welcome(1), inPlay(turnOf(4, 1, 3n)), caughtUp]) {
    assert.deepEqual(table.tell(event), []);
  }
  assert.deepEqual(table.kinds(), ["connected"]);
  table.heard();
  assert.ok(table.tracker.isDoneWith(TOURNAMENT));
  assert.equal(table.tracker.summary.matches, 1);
});

test("a match that a server took up at an earlier ply is played from there", () => {
  const table = playing();
  table.tell(turn(4, 1, 3n));
  table.take(3n);
  table.tell(welcome(1));
  table.heard();
  table.tell(inPlay(turnOf(1, 2, 3n)));
  assert.equal(table.view().ply, 1);
  assert.deepEqual(table.take(2n), [takeAction(ID, 1, 2n)]);
  table.tell(turn(4, 1, 2n));
  assert.equal(table.view().position.counters, 2n, "the take of before was of another turn");
});

test("turns after an earlier ply of another seat are new", () => {
  const table = playing();
  table.tell(turn(4, 1, 3n));
  table.take(3n);
  table.tell(inPlayOfOthers(0, 2, 4n));
  assert.deepEqual(table.kinds(), []);
  table.tell(turn(1, 2, 2n));
  assert.equal(table.view().ply, 1);
});

test("a turn that was lost is not asked any more, and an answer to it is not sent", () => {
  const waiting = playing(1);
  waiting.tell(started(OTHER));
  for (const event of [turn(4, 1, 3n), inPlayOfOthers(3, 1, 3n), turn(4, 1, 2n)]) waiting.tell(event);
  waiting.declare([0, 1, 2]);
  assert.equal(waiting.view().position.counters, 2n);
  const thinking = playing();
  for (const event of [turn(4, 1, 3n), inPlayOfOthers(3, 1, 3n), turn(4, 1, 2n)]) thinking.tell(event);
  assert.equal(thinking.view().position.counters, 3n);
  assert.deepEqual(thinking.take(3n), []);
  assert.equal(thinking.view().position.counters, 2n);
});

test("a lost seat is not asked, and its end says so", () => {
  const table = playing();
  table.tell(turn(1, 2, 3n));
  const forfeited = (seat: number): Told => ({ case: "forfeited", value: { matchId: ID, seat, reason: ForfeitReason.TIMED_OUT } });
  table.tell(forfeited(0));
  table.tell(forfeited(1));
  assert.deepEqual(table.take(2n), [], "too late");
  table.tell(ended(ID, 1));
  assert.ok(table.end().forfeited);
});

test("the bot is asked in one match while it thinks in another, and one question at a time in each", () => {
  const table = playing();
  table.tell(turn(1, 2, 3n));
  table.tell(started(OTHER));
  assert.deepEqual(table.kinds(), ["play", "declare"]);
  table.tell(ended(ID));
  assert.deepEqual(table.kinds(), ["play", "declare"], "the end of a match comes after what it was asked there");
  assert.deepEqual(table.take(2n), []);
  assert.deepEqual(table.kinds(), ["declare", "ended"]);
});

test("with a concurrency of 1 it is one question at a time and none of a closed match", () => {
  const table = playing(1);
  table.tell(turn(1, 2, 3n));
  for (const event of [started(OTHER), ended(OTHER), ended(ID)]) table.tell(event);
  assert.deepEqual(table.kinds(), ["play"]);
  assert.deepEqual(table.take(2n), []);
  assert.equal(table.end().match.id, OTHER);
  table.heard();
  assert.equal(table.end().match.id, ID);
  table.heard();
  assert.deepEqual([table.kinds(), table.tracker.summary.cancelled], [[], 2]);
});

test("what waits for a bot that never answers is bounded", () => {
  const table = new Table(1);
  table.tell(welcome(0));
  for (let number = 0; number < 3 * MAX_WAITING_REPORTS; number += 1) {
    const id = `${number.toString(16).padStart(8, "0")}-0000-7000-8000-000000000000`;
    table.tell(started(id));
    table.tell(ended(id, 0));
  }
  assert.deepEqual(table.kinds(), ["connected"]);
  let reports = 0;
  for (; table.asked.length > 0; reports += 1) table.heard();
  assert.ok(reports <= MAX_WAITING_REPORTS + 3, `${reports}`);
  assert.equal(table.tracker.summary.matches, 3 * MAX_WAITING_REPORTS);
});

test("what contradicts its match is an error that says how", () => {
  const table = connected();
  table.tell(started(ID));
  assert.throws(() => table.tell(turn(1, 2, 3n)), new RegExp(`a turn in match ${ID} before its rows were revealed`));
  table.tell(revealed(ID));
  for (const [ply, pile, counters] of [[0, 2, 3n], [1, 3, 1n], [1, 2, 5n], [1, 2, 0n], [1, 2 ** 32 - 1, 1n], [2 ** 32 - 2, 2, 3n]] as const) {
    assert.throws(() => table.tell(turn(ply, pile, counters)), /which does not fit match/);
  }
  const two = { rows: [{ offsets: [0, 1] }, { offsets: [0, 1] }] };
  assert.throws(() => table.tell({ case: "revealed", value: { matchId: ID, allianceMatrix: two } }), /2 rows for a match of 3 seats/);
  assert.throws(() => table.tell(ended(ID, 3)), /seat 3: the seats are 0 to 2/);
  const twice = { rows: [{ offsets: [0, 0] }, { offsets: [0, 1] }] };
  assert.throws(() => table.tell({ case: "revealed", value: { matchId: ID, allianceMatrix: twice } }), /row 0 of 2 is no permutation/);
});
