import assert from "node:assert/strict";
import { test } from "node:test";
import { Position, practiceView, standardRow, favouringRow, type Bot } from "lastnim";
import { Backoff } from "#src/backoff.js";
import { askBot } from "#src/bot-caller.js";
import { keepAlive } from "#src/http2-connection.js";
import { JoinState } from "#src/join-state.js";
import { MAX_SEEN_TAKES, SeenTakes } from "#src/seen-takes.js";
import { TestLog } from "./harness/log.js";

test("pauses double up to a maximum, and only a lasting session resets them", () => {
  const backoff = new Backoff();
  const longest = Array.from({ length: 9 }, () => backoff.nextPause(1));
  assert.deepEqual(longest, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  backoff.resetIfLasting(1_000);
  assert.equal(backoff.nextPause(0), 5_000);
  backoff.resetIfLasting(10_000);
  assert.equal(backoff.nextPause(0), 50);
});

test("positions follow the rules", () => {
  let position = Position.start([2n, 3n], 1, 3);
  assert.deepEqual([position.piles, position.pile, position.counters, position.toMove], [[2n, 3n], 1, 3n, 1]);
  position = position.after(1n);
  assert.deepEqual([position.piles, position.counters, position.toMove], [[2n, 2n], 2n, 2]);
  position = position.after(2n);
  assert.deepEqual([position.piles, position.pile, position.toMove], [[2n, 0n], 0, 0]);
  for (const take of [0n, 3n, -1n]) assert.throws(() => position.after(take), /expected 1 to 2/);
  position = position.after(2n);
  assert.deepEqual([position.piles, position.isOver, position.toMove], [[0n, 0n], true, 1]);
  assert.throws(() => position.after(1n), /no counter is left/);
  assert.throws(() => Position.start([1n, 0n], 0, 2), /expected one pile or more/);
  assert.throws(() => Position.start([1n], 2, 2), /seat 2: expected 0 to 1/);
});

test("a practice view equals that of a turn", () => {
  const view = practiceView({ piles: [3n, 4n], seats: 3, takes: [1n, 3n] });
  assert.deepEqual([view.seat, view.ply, view.position.piles, view.bots], [2, 2, [3n, 0n], ["seat-0", "seat-1", "seat-2"]]);
  assert.deepEqual(view.seenTakes.map(({ ply, before, take }) => [ply, before.toMove, before.counters, take]), [[0, 0, 4n, 1n], [1, 1, 3n, 3n]]);
  assert.throws(() => practiceView({ piles: [1n], takes: [1n] }), /no counter is left/);
  assert.throws(() => practiceView({ piles: [1n], matrix: [[0, 1], [1, 1]] }), /expected 2 rows, each a permutation/);
  assert.deepEqual([standardRow(3), favouringRow(1, 3), favouringRow(0, 2)], [[0, 1, 2], [1, 0, 2], [0, 1]]);
});

test("the latest takes are kept with their positions", () => {
  let position = Position.start([3_000n], 0, 3);
  const seen = new SeenTakes(position);
  for (let ply = 0; ply < 2_500; ply += 1) {
    seen.addTake(ply, 1n, "bot");
    position = position.after(1n);
    const newest = seen.newest();
    assert.equal(newest.length, Math.min(ply + 1, MAX_SEEN_TAKES));
    assert.deepEqual([newest.at(-1)?.ply, newest[0]?.ply], [ply, Math.max(0, ply + 1 - MAX_SEEN_TAKES)]);
  }
  assert.deepEqual(seen.newest().at(-1)?.before.after(1n), position);
  // Impossible takes, and those with unknown positions, are dropped until a position is known.
  seen.addTake(2_500, 501n, "bot");
  seen.addTake(2_500, 1n, "bot");
  assert.equal(seen.newest().at(-1)?.ply, 2_499);
  seen.notePosition(2_000, Position.start([3_000n], 0, 3));
  seen.addTake(2_000, 1n, "bot");
  assert.equal(seen.newest().at(-1)?.ply, 2_499);
  seen.notePosition(2_510, Position.start([490n], 2, 3));
  seen.addTake(2_510, 490n, "steward");
  assert.deepEqual([seen.newest().at(-1)?.ply, seen.newest().at(-1)?.mover], [2_510, "steward"]);
});

test("a snapshot removes takes lost by the server", () => {
  const start = Position.start([2n, 5n], 0, 3);
  const after = (...takes: bigint[]) => takes.reduce((position, take) => position.after(take), start);
  const seen = new SeenTakes(start);
  const plies = () => seen.newest().map(({ ply, take }) => [ply, take]);
  for (let ply = 0; ply < 4; ply += 1) seen.addTake(ply, 1n, "bot");
  const shown = seen.newest();
  seen.resumeAt(2, after(1n, 1n));
  assert.deepEqual(plies(), [[0, 1n], [1, 1n]]);
  seen.addTake(2, 3n, "bot");
  seen.addTake(3, 2n, "steward");
  assert.deepEqual(plies(), [[0, 1n], [1, 1n], [2, 3n], [3, 2n]]);
  assert.deepEqual(seen.newest().slice(2).map(({ before }) => before), [after(1n, 1n), after(1n, 1n, 3n)]);
  assert.deepEqual([shown.length, shown[2]?.take], [4, 1n], "views do not change");
  // A snapshot also counts if the position was unknown.
  seen.resumeAt(2, after(1n, 1n));
  seen.addTake(3, 1n, "bot");
  seen.resumeAt(1, after(1n));
  seen.addTake(1, 4n, "bot");
  assert.deepEqual(plies(), [[0, 1n], [1, 4n]]);
  seen.resumeAt(2, after(1n, 4n));
  assert.deepEqual(plies(), [[0, 1n], [1, 4n]], "nothing was lost");
});

test("an invalid answer is a failure of the bot, logged with its match", async () => {
  const view = practiceView({ piles: [3n] });
  const play = (play: unknown, more: Partial<Bot> = {}) => {
    const log = new TestLog();
    const bot = { play: () => play, ...more } as Bot;
    return askBot(bot, { kind: "play", view }, log).then((answer) => [answer.kind, log.lines.join("\n")] as const);
  };
  assert.deepEqual(await play(5n), ["take", ""], "only the server checks takes");
  assert.deepEqual(await play(Promise.resolve(2n ** 64n - 1n)), ["take", ""]);
  for (const [answer, message] of [
    [1, /play returned 1: a take is a bigint, such as 1n/],
    [undefined, /play returned undefined: a take is a bigint/],
    [-1n, /play returned -1: a take is 1 to 3 here/],
    [2n ** 64n, /play returned 18446744073709551616/],
  ] as const) {
    const [kind, logged] = await play(answer);
    assert.equal(kind, "failed");
    assert.match(logged, message);
    assert.match(logged, new RegExp(`^the bot failed at play in match ${view.id} at ply 0 from seat 0, pile 0 with 3 counters: its seat there is resigned\n`));
  }
  const [kind, logged] = await play(1n, { noteHash: () => new Uint8Array(31) });
  assert.equal(kind, "failed");
  assert.match(logged, /a note hash is a Uint8Array of 32 bytes/);
  const log = new TestLog();
  for (const row of [[0, 0], [0], [0, 1, 2], "01", undefined]) {
    const bot = { play: () => 1n, declare: () => row } as Bot;
    assert.equal((await askBot(bot, { kind: "declare", match: view }, log)).kind, "failed");
  }
  assert.match(log.lines[0]!, /declare returned \[ 0, 0 \]: a row is a permutation of the offsets 0 to 1/);
});

test("joining is retried until it succeeds or cannot", () => {
  const log = new TestLog();
  const joining = new JoinState("CUP", 9_000, log);
  assert.equal(joining.request()?.case, "joinTournament");
  const pause = joining.noteRefused("cup", "busy", "not now", 0)!;
  assert.ok(pause >= 50 && pause <= 100);
  assert.equal(joining.noteRefused("other", "over", "no"), undefined);
  assert.throws(() => joining.noteRefused("cup", "busy", "not now", 9_001), /^LastnimError: tournament "CUP": not now$/);
  for (const reason of ["unknown", "unknown_tournament", "started"] as const) {
    assert.throws(() => new JoinState("cup", 9_000, log).noteRefused("cup", reason, "no"), /tournament "cup": no/);
  }
  joining.noteJoined("cup", 1);
  assert.equal(joining.request(), undefined);
  assert.equal(joining.noteRefused("cup", "over", "no"), undefined);
  assert.equal(log.lines.at(-1), "joined tournament cup, which has 1 bot now");
});

test("a silent connection is closed, and an answered ping keeps it", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const pings: ((error: Error | null) => void)[] = [];
  const reasons: string[] = [];
  const session = {
    destroyed: false,
    ping: (callback: (error: Error | null) => void) => Boolean(pings.push(callback)),
    destroy: (error?: Error) => void reasons.push(String(error?.message)),
    once: () => session,
  };
  keepAlive(session as unknown as Parameters<typeof keepAlive>[0]);
  t.mock.timers.tick(9_000);
  assert.equal(pings.length, 0);
  t.mock.timers.tick(1_000);
  assert.equal(pings.length, 1);
  pings.shift()!(null);
  t.mock.timers.tick(10_000);
  assert.equal(pings.length, 1);
  t.mock.timers.tick(9_000);
  assert.deepEqual(reasons, []);
  t.mock.timers.tick(1_000);
  assert.deepEqual(reasons, ["the server did not answer for 20 s"]);
});

test("a destroyed connection that has not closed yet is not pinged", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const session = {
    destroyed: true,
    ping: () => {
      throw new Error("The session has been destroyed");
    },
    once: () => session,
  };
  keepAlive(session as unknown as Parameters<typeof keepAlive>[0]);
  t.mock.timers.tick(60_000);
});
