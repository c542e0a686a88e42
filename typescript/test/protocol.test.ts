import { Code, ConnectError } from "@connectrpc/connect";
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { LastnimError, run, silentLogger, type Bot, type MatchEnd, type Refusal } from "lastnim";
import { EndReason, RefusalReason } from "#src/gen/lastnim/v1/record_pb.js";
import { Phase, type PlayResponse } from "#src/gen/lastnim/v1/arena_service_pb.js";
import { TournamentState } from "#src/gen/lastnim/v1/tournament_service_pb.js";
import { BotRunner } from "#src/session.js";
import { TestLog } from "./harness/log.js";
import { event, nextAction, startScriptedServer, welcome, type Script } from "./harness/scripted-server.js";
import { TcpProxy } from "./harness/tcp-proxy.js";

const ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const TOURNAMENT = "01890a5d-ac96-774b-bcce-b302099a8059";
const setup = {
  bots: ["a", "b"],
  piles: [3n, 4n],
  clock: { initialMs: 60_000, declarationMs: 5_000 },
  strikes: 3,
  maxPlies: 100,
  tournamentId: TOURNAMENT,
};
const started = { matchId: ID, seat: 0, setup };
const rows = { rows: [{ offsets: [0, 1] }, { offsets: [0, 1] }] };
const turn = { matchId: ID, ply: 0, pile: 1, counters: 4n, bankMs: 1 };
const tournamentOver = event({
  case: "tournamentEnded",
  value: { tournamentId: TOURNAMENT, title: "x", state: TournamentState.FINISHED, standing: { place: 1 }, bots: 2n },
});

/** Adds a field of a newer protocol version to a message: number 999, a varint of 7. */
function withLaterField(response: PlayResponse): PlayResponse {
  response.$unknown = [{ no: 999, wireType: 0, data: new Uint8Array([7]) }];
  return response;
}

/** Plays on a scripted server until its tournament is over. */
async function playOn(t: TestContext, script: Script, bot: Bot, log = new TestLog()) {
  const server = await startScriptedServer(t, script);
  const summary = await run(bot, { server, token: "t", tournament: TOURNAMENT, logger: log, giveUpAfterMs: 2_000 });
  return { summary, log };
}

test("events, fields and values of a newer protocol version are ignored", async (t) => {
  const heard: string[] = [];
  const ends: MatchEnd[] = [];
  const refusals: Refusal[] = [];
  const bot: Bot = {
    play: () => 2n,
    ended: (end) => void ends.push(end),
    refused: (refusal) => void refusals.push(refusal),
    suspended: (notice) => void heard.push(`suspended: ${notice.reason}`),
  };
  const { summary } = await playOn(
    t,
    async function* (received) {
      yield withLaterField(welcome());
      assert.equal((await nextAction(received)).case, "joinTournament");
      yield withLaterField(event({ case: undefined }));
      yield event({ case: "suspended", value: { tournamentId: TOURNAMENT, reason: 77 as number, message: "later" } });
      yield withLaterField(event({ case: "matchStarted", value: started }));
      assert.equal((await nextAction(received)).case, "declare");
      yield event({ case: "snapshot", value: { started, phase: 99 as number } });
      yield event({ case: "revealed", value: { matchId: ID, allianceMatrix: rows } });
      yield event({ case: "refused", value: { matchId: ID, reason: 78 as number, message: "a later reason" } });
      yield withLaterField(event({ case: "turn", value: turn }));
      const action = await nextAction(received);
      assert.ok(action.case === "take" && action.value.take === 2n && action.value.ply === 0);
      yield event({ case: "matchEnded", value: { matchId: ID, reason: 79 as number, winner: 1 } });
      yield tournamentOver;
      await received.next();
    },
    bot,
  );
  assert.deepEqual(heard, ["suspended: unknown"]);
  assert.deepEqual(refusals.map(({ reason, message }) => [reason, message]), [["unknown", "a later reason"]]);
  assert.deepEqual(ends.map(({ reason, winner, won }) => [reason, winner, won]), [["unknown", 1, false]]);
  assert.equal(summary.matches, 1);
});

test("pings are answered while the bot waits, and repeated turns are answered from memory", async (t) => {
  let plays = 0;
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const bot: Bot = {
    async play() {
      plays += 1;
      await released;
      return 3n;
    },
  };
  await playOn(
    t,
    async function* (received) {
      yield welcome();
      assert.equal((await nextAction(received)).case, "joinTournament");
      yield event({ case: "matchStarted", value: { ...started, setup: { ...setup, assigned: rows } } });
      yield event({ case: "turn", value: turn });
      yield event({ case: "turn", value: turn });
      yield event({ case: "ping", value: { id: 2n ** 63n } });
      const pong = (await received.next()).value.action;
      assert.ok(pong.case === "pong" && pong.value.id === 2n ** 63n);
      release();
      for (let time = 0; time < 2; time += 1) {
        const action = await nextAction(received);
        assert.ok(action.case === "take" && action.value.take === 3n);
        yield event({ case: "turn", value: turn });
      }
      yield event({ case: "matchEnded", value: { matchId: ID, reason: EndReason.FINISHED, winner: 0 } });
      yield tournamentOver;
    },
    bot,
  );
  assert.equal(plays, 1);
});

test("an answer survives a lost session", async (t) => {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const bot: Bot = {
    async play() {
      await released;
      return 1n;
    },
  };
  const { summary, log } = await playOn(
    t,
    async function* (received, session) {
      yield welcome(session === 0 ? 0 : 1);
      assert.equal((await nextAction(received)).case, "joinTournament");
      if (session === 0) {
        yield event({ case: "matchStarted", value: { ...started, setup: { ...setup, assigned: rows } } });
        yield event({ case: "turn", value: turn });
        throw new ConnectError("busy", Code.Unavailable);
      }
      release();
      yield event({ case: "snapshot", value: { started, phase: Phase.PLAYING, allianceMatrix: rows, turn } });
      const action = await nextAction(received);
      assert.ok(action.case === "take" && action.value.take === 1n);
      yield event({ case: "caughtUp", value: {} });
      yield event({ case: "matchEnded", value: { matchId: ID, reason: EndReason.FINISHED, winner: 0 } });
      yield tournamentOver;
    },
    bot,
  );
  assert.deepEqual([summary.matches, summary.wins], [1, 1]);
  assert.match(await log.until(/no session/), /busy \(Unavailable\)$/);
});

test("a bot retries to join while the server is busy", async (t) => {
  const asked: string[] = [];
  await playOn(
    t,
    async function* (received) {
      yield welcome();
      for (const reason of [5, 6]) {
        asked.push(String((await nextAction(received)).case));
        yield event({ case: "joinRefused", value: { tournamentId: TOURNAMENT, reason, message: "not now" } });
      }
      asked.push(String((await nextAction(received)).case));
      yield event({ case: "joinedTournament", value: { tournament: { id: TOURNAMENT, state: TournamentState.CANCELLED } } });
      await received.next();
    },
    { play: () => 1n },
  );
  assert.deepEqual(asked, Array<string>(3).fill("joinTournament"));
});

test("an invalid message ends the run and names the field", async (t) => {
  const cases: [PlayResponse[], RegExp][] = [
    [[event({ case: "ping", value: { id: 1n } })], /^the server sent another event before the welcome$/],
    [[welcome(), event({ case: "matchStarted", value: { matchId: ID } })], /match_started.setup: missing$/],
    [[welcome(), event({ case: "turn", value: { ...turn, matchId: "x" } })], /turn.match_id: "x": expected a UUID$/],
    [[welcome(), event({ case: "matchStarted", value: started }), event({ case: "turn", value: turn })], /a turn in match .* before the rows/],
    [[welcome(), event({ case: "tournamentEnded", value: { tournamentId: TOURNAMENT, standing: {} } })], /tournament_ended.state/],
  ];
  for (const [events, message] of cases) {
    const server = await startScriptedServer(t, async function* (received) {
      yield* events;
      await nextAction(received);
    });
    await assert.rejects(
      run({ play: () => 1n }, { server, token: "t", logger: silentLogger }),
      (error) => error instanceof LastnimError && error.code === "protocol" && message.test(error.message),
      String(message),
    );
  }
});

test("a server that sends no welcome is retried", async (t) => {
  const stop = new AbortController();
  const server = await startScriptedServer(t, async function* (received, session) {
    if (session === 0) await nextAction(received);
    yield welcome();
    await nextAction(received);
  });
  const log = new TestLog();
  const bot: Bot = { play: () => 1n, connected: () => stop.abort() };
  const patience = { welcomeWithinMs: 200, lastEndsWithinMs: 200, tickMs: 1_000 };
  await new BotRunner(bot, { server, token: "t", logger: log }, stop.signal, patience).run();
  assert.match(log.lines[0]!, /^no session, retrying in \d+ ms: the server sent no welcome within 0.2 s$/);
});

test("a frozen server is retried", async (t) => {
  const stop = new AbortController();
  const server = await startScriptedServer(t, async function* (received) {
    yield welcome();
    await nextAction(received);
  });
  const proxy = await TcpProxy.start(t, Number(server.split(":")[1]));
  const log = new TestLog();
  let sessions = 0;
  const bot: Bot = {
    play: () => 1n,
    connected() {
      sessions += 1;
      if (sessions === 1) proxy.freeze();
      else stop.abort();
    },
  };
  const patience = { welcomeWithinMs: 5_000, lastEndsWithinMs: 200, tickMs: 10 };
  await new BotRunner(bot, { server: `127.0.0.1:${proxy.port}`, token: "t", logger: log }, stop.signal, patience).run();
  assert.match(log.lines[1]!, /^no session, retrying in \d+ ms: the server did not answer for 0.2 s$/);
});

test("a session without events is opened again", async (t) => {
  const stop = new AbortController();
  const server = await startScriptedServer(t, async function* (received) {
    yield welcome();
    while ((await received.next()).done !== true);
  });
  const log = new TestLog();
  let sessions = 0;
  const bot: Bot = {
    play: () => 1n,
    connected() {
      sessions += 1;
      if (sessions === 2) stop.abort();
    },
  };
  // The connection answers pings.
  const patience = { welcomeWithinMs: 5_000, lastEndsWithinMs: 200, tickMs: 20 };
  await new BotRunner(bot, { server, token: "t", logger: log }, stop.signal, patience).run();
  assert.match(log.lines[1]!, /^no session, retrying in \d+ ms: the server sent no event for 0.5 s$/);
});

test("a server cannot open matches without end", async (t) => {
  const running = playOn(
    t,
    async function* () {
      yield welcome();
      for (let number = 0; ; number += 1) {
        const matchId = `01890a5d-ac96-774b-bcce-${number.toString(16).padStart(12, "0")}`;
        yield event({ case: "matchStarted", value: { ...started, matchId } });
      }
    },
    { play: () => 1n, declare: () => new Promise(() => {}) },
  );
  await assert.rejects(running, {
    code: "protocol",
    message:
      "the server sent match 01890a5d-ac96-774b-bcce-000000004e20, but the bot already has 20000 open matches, the maximum",
  });
});

test("a server that reads no pongs cannot ping without end", async (t) => {
  const running = playOn(
    t,
    async function* () {
      yield welcome();
      for (let id = 0n; ; id += 1n) yield event({ case: "ping", value: { id } });
    },
    { play: () => 1n },
  );
  await assert.rejects(running, {
    code: "protocol",
    message: "the server sent more requests, but did not read the 41024 replies that are waiting",
  });
});

test("long texts of a server are cut", async (t) => {
  const messages: string[] = [];
  await playOn(
    t,
    async function* (received) {
      yield welcome();
      assert.equal((await nextAction(received)).case, "joinTournament");
      yield event({ case: "refused", value: { matchId: ID, reason: RefusalReason.STALE, message: "x".repeat(100_000) } });
      yield tournamentOver;
      await received.next();
    },
    { play: () => 1n, refused: ({ message }) => void messages.push(message) },
  );
  assert.deepEqual(messages.map(({ length }) => length), [4_099]);
});

test("a forfeited seat is not asked", async (t) => {
  let plays = 0;
  await playOn(
    t,
    async function* (received) {
      yield welcome();
      assert.equal((await nextAction(received)).case, "joinTournament");
      yield event({ case: "matchStarted", value: { ...started, setup: { ...setup, assigned: rows } } });
      yield event({ case: "forfeited", value: { matchId: ID, seat: 0, reason: 1 } });
      yield event({ case: "refused", value: { matchId: ID, reason: RefusalReason.FORFEITED, message: "lost" } });
      yield event({ case: "turn", value: turn });
      yield event({ case: "matchEnded", value: { matchId: ID, reason: EndReason.FINISHED, winner: 0 } });
      yield tournamentOver;
      await received.next();
    },
    { play: () => BigInt(++plays) },
  ).then(({ summary }) => assert.deepEqual([summary.forfeits, summary.wins], [1, 0]));
  assert.equal(plays, 0);
});
