import assert from "node:assert/strict";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { LastnimError, run, silentLogger, type Bot } from "lastnim";
import { TestServer, temporaryFolder } from "./harness/server.js";

const one: Bot = { play: () => 1n };

test("bots play over a Unix socket", async (t: TestContext) => {
  const listen = `unix:${path.join(temporaryFolder(t), "server.sock")}`;
  const server = await TestServer.start(t, { listen, flags: ["--house", "oracle"] });
  assert.equal(server.address, listen);
  const tokens = await server.registerAll(["a", "b"]);
  const tournament = await server.createTournament({ seats: 2, positions: [{ counters: [2n, 2n] }], startWhen: 2 });
  const options = { server: listen, logger: silentLogger };
  const summaries = await Promise.all([
    run(one, { ...options, token: tokens.a, tournament }),
    run(one, { ...options, server: listen.replace("unix:", "unix://"), token: tokens.b, tournament }),
  ]);
  assert.deepEqual(summaries.map(({ matches, forfeits }) => [matches, forfeits]), [[2, 0], [2, 0]]);

  const missing: unknown = await run(one, { ...options, server: `${listen}x`, token: "t", giveUpAfterMs: 300 }).catch((thrown: unknown) => thrown);
  assert.ok(missing instanceof LastnimError, String(missing));
  assert.match(`${missing.code}: ${missing.message}`, /^gave_up: .*ENOENT .*server\.sockx/);
});
