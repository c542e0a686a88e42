import { create } from "@bufbuild/protobuf";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { LastnimError, Position, run, silentLogger, type Bot } from "lastnim";
import { MatchEndedSchema, PlayRequestSchema, PlayResponseSchema } from "#src/gen/lastnim/v1/arena_service_pb.js";
import { EndReason } from "#src/gen/lastnim/v1/record_pb.js";
import { messageJson } from "#src/message-json.js";
import { SessionLog } from "#src/session-log.js";
import { TestServer, lastnimBinary, temporaryFolder } from "./harness/server.js";
import { TcpProxy } from "./harness/tcp-proxy.js";

const TOKEN = "lastnim_00112233445566778899aabbccddeeff";

function linesOf(file: string): Record<string, unknown>[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("messages are written as lastnim prints them", () => {
  const take = { matchId: "m", ply: 3, take: 2n ** 64n - 1n, noteHash: new Uint8Array([1, 2, 255]) };
  assert.equal(
    messageJson(PlayRequestSchema, create(PlayRequestSchema, { action: { case: "take", value: take } })),
    '{"take":{"match_id":"m","ply":3,"take":18446744073709551615,"note_hash":"AQL/"}}',
  );
  assert.equal(messageJson(PlayRequestSchema, create(PlayRequestSchema)), "{}");
  const ended = create(MatchEndedSchema, { matchId: "m", reason: EndReason.PLY_LIMIT, winner: 0 });
  assert.equal(
    messageJson(MatchEndedSchema, ended),
    '{"match_id":"m","reason":"ply_limit","winner":0,"audit":null,"started":null,"forfeited":[],"dealt_rows":null}',
  );
  assert.match(messageJson(MatchEndedSchema, create(MatchEndedSchema, { reason: 99 as EndReason })), /"reason":99,"winner":null/);
});

test("a log has all events, continues after an incomplete line, and hides the token", async (t: TestContext) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, "bot.jsonl");
  writeFileSync(file, '{"at_us":1,"mo');
  const log = new SessionLog(file, `http://${TOKEN}@host:1`, TOKEN, silentLogger);
  log.beginSession();
  log.noteReceived(create(PlayResponseSchema, { event: { case: "ping", value: { id: 7n } } }));
  log.noteSent(create(PlayRequestSchema, { action: { case: "pong", value: { id: 7n } } }));
  log.noteClosed(`your token is ${TOKEN}`);
  await log.close();
  const text = readFileSync(file, "utf8");
  assert.ok(!text.includes(TOKEN), text);
  const [torn, ...lines] = text.trimEnd().split("\n");
  assert.equal(torn, '{"at_us":1,"mo');
  const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    read.map((line) => [line["event"], line["session"]]),
    [["run_began", 0], ["received", 1], ["sent", 1], ["closed", 1], ["run_ended", 0]],
  );
  assert.deepEqual([read[0]?.["server"], read[0]?.["version"]], ["http://host:1", 1]);
  assert.deepEqual(read[2]?.["message"], { pong: { id: 7 } });
  assert.equal(read[3]?.["reason"], "your token is (token)");
  assert.throws(
    () => new SessionLog(path.join(folder, "no/such/log"), "host:1", TOKEN, silentLogger),
    (error) => error instanceof LastnimError && error.code === "session_log" && /no\/such\/log: ENOENT/.test(error.message),
  );
});

test("waiting lines are bounded, and dropped ones are counted", async (t: TestContext) => {
  const file = path.join(temporaryFolder(t), "bot.jsonl");
  const log = new SessionLog(file, "host:1", TOKEN, silentLogger, 200);
  // Nothing is written before the first pause.
  for (let id = 0; id < 10; id += 1) log.noteClosed(`line ${id}`);
  await new Promise((resolve) => setImmediate(resolve));
  await log.close();
  const events = linesOf(file).map((line) => line["event"]);
  const gaps = linesOf(file).filter((line) => line["event"] === "gap");
  const written = events.filter((event) => event === "closed").length;
  assert.ok(written < 10, String(events));
  if (gaps.length > 0) assert.equal(gaps[0]?.["lines"], 10 - written);
});

test("with the feed `all` a bot sees all takes, and its log matches the records", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const folder = temporaryFolder(t);
  const tokens = await server.registerAll(["a", "b", "c"]);
  const tournament = await server.createTournament({
    seats: 3,
    positions: [{ counters: [3n, 2n] }, { counters: [2n ** 63n - 1n, 4n] }],
    startWhen: 3,
  });
  const known = new Map<string, bigint[]>();
  let asked = 0;
  const watcher: Bot = {
    takeFeed: () => {
      asked += 1;
      return "all";
    },
    play: (game) => {
      assert.deepEqual(game.seenTakes.map(({ ply }) => ply), Array.from({ length: game.ply }, (_, ply) => ply));
      let before = Position.start(game.piles, game.first, game.seats);
      for (const seen of game.seenTakes) {
        assert.deepEqual([seen.before, seen.mover], [before, "bot"]);
        before = before.after(seen.take);
      }
      assert.deepEqual(before, game.position);
      const takes = game.seenTakes.map(({ take }) => take);
      const earlier = known.get(game.id) ?? [];
      assert.deepEqual(takes.slice(0, earlier.length), earlier);
      known.set(game.id, takes);
      return 1n;
    },
  };
  let others = 0;
  const other: Bot = {
    play: (game) => {
      others += 1;
      assert.deepEqual(game.seenTakes, []);
      return (game.position.counters + 1n) / 2n;
    },
  };
  const options = { tournament, logger: silentLogger, server: server.address };
  const summaries = await Promise.all([
    run(watcher, { ...options, token: tokens.a, sessionLog: folder }),
    run(other, { ...options, token: tokens.b }),
    run(other, { ...options, token: tokens.c }),
  ]);
  assert.deepEqual(summaries.map(({ matches, forfeits }) => [matches, forfeits]), [[6, 0], [6, 0], [6, 0]]);
  assert.ok(asked === 1 && known.size >= 4 && others > 0, `${asked} asked, ${known.size} matches, ${others} turns of others`);
  const words = ["audit", "history", folder, "--server", server.address, "--json"];
  const { status, stdout, stderr } = spawnSync(lastnimBinary(), words, { encoding: "utf8" });
  assert.notEqual(stdout, "", stderr);
  assert.deepEqual([status, (JSON.parse(stdout) as { contradictions: unknown[] }).contradictions], [0, []]);
});

test("logs agree with the records, and altered logs do not", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const proxy = await TcpProxy.start(t, server.port);
  const folder = temporaryFolder(t);
  const tokens = await server.registerAll(["a", "b", "c"]);
  const tournament = await server.createTournament({
    seats: 3,
    positions: [{ counters: [3n, 2n] }, { counters: [2n ** 63n - 1n, 4n] }],
    startWhen: 3,
  });
  let turns = 0;
  const bot: Bot = {
    play: (game) => {
      // Sessions are lost while the bot thinks.
      if (game.bots[game.seat] === "a" && ++turns % 5 === 0) proxy.cut();
      return game.position.counters;
    },
  };
  const options = { tournament, logger: silentLogger, sessionLog: folder };
  await Promise.all([
    run(bot, { ...options, token: tokens.a, server: `127.0.0.1:${proxy.port}` }),
    run(bot, { ...options, token: tokens.b, server: server.address }),
    run(bot, { ...options, token: tokens.c, server: server.address }),
  ]);
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  assert.equal(files.length, 3);
  const check = () => {
    const words = ["audit", "history", folder, "--server", server.address, "--json"];
    const { status, stdout, stderr } = spawnSync(lastnimBinary(), words, { encoding: "utf8" });
    assert.notEqual(stdout, "", stderr);
    return { status, verdict: JSON.parse(stdout) as { checked: number; contradictions: { kind: string }[] } };
  };
  const honest = check();
  assert.deepEqual([honest.status, honest.verdict.contradictions], [0, []]);
  assert.equal(honest.verdict.checked, 6);
  const altered = files[0] as string;
  writeFileSync(altered, readFileSync(altered, "utf8").replace(/"take":(\d+),"steward":false/, '"take":77,"steward":false'));
  const { status, verdict } = check();
  assert.equal(status, 1);
  assert.deepEqual(
    verdict.contradictions.map(({ kind }) => kind),
    ["take"],
  );
});
