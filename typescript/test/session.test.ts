import assert from "node:assert/strict";
import net from "node:net";
import { once } from "node:events";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { LastnimError, run, silentLogger, type Bot, type Options } from "lastnim";
import { TestLog } from "./harness/log.js";
import { TestServer, temporaryFolder } from "./harness/server.js";
import { TcpProxy } from "./harness/tcp-proxy.js";

const one: Bot = { play: () => 1n };

/** Returns the error of a run. */
async function failure(options: Options, bot = one): Promise<LastnimError> {
  try {
    await run(bot, { logger: silentLogger, ...options });
  } catch (error) {
    assert.ok(error instanceof LastnimError, String(error));
    return error;
  }
  assert.fail("the run succeeded");
}

test("bots continue after the server was killed and restarted", async (t: TestContext) => {
  const store = `sqlite:${path.join(temporaryFolder(t), "cup.db")}`;
  const first = await TestServer.start(t, { store });
  const proxy = await TcpProxy.start(t, first.port);
  const tokens = await first.registerAll(["a", "b"]);
  const tournament = await first.createTournament({
    seats: 2,
    positions: [{ counters: [4n, 4n] }, { counters: [5n, 3n] }],
    startWhen: 2,
  });
  // The server is killed while the first bot is asked for the third take of a match.
  let reached!: () => void;
  const atThirdTurn = new Promise<void>((resolve) => (reached = resolve));
  let release!: () => void;
  const serverIsBack = new Promise<void>((resolve) => (release = resolve));
  const log = new TestLog();
  const bot: Bot = {
    async play(game) {
      if (game.ply >= 2) {
        reached();
        await serverIsBack;
      }
      return 1n;
    },
  };
  const options = { server: `127.0.0.1:${proxy.port}`, tournament, logger: log };
  const playing = [tokens.a, tokens.b].map((token) => run(bot, { ...options, token }));
  await atThirdTurn;
  await first.kill();
  await log.until(/no session, retrying/);
  const second = await TestServer.start(t, { store });
  proxy.target = second.port;
  release();
  for (const summary of await Promise.all(playing)) {
    assert.deepEqual([summary.matches, summary.forfeits, summary.unseen], [4, 0, 0]);
  }
});

test("a bot finds the address that answers, and continues at another one", async (t: TestContext) => {
  const store = `sqlite:${path.join(temporaryFolder(t), "cup.db")}`;
  const first = await TestServer.start(t, { store });
  const [near, far] = [await TcpProxy.start(t, first.port), await TcpProxy.start(t, 1)];
  const tokens = await first.registerAll(["a", "b"]);
  const tournament = await first.createTournament({ seats: 2, positions: [{ counters: [4n, 4n] }], startWhen: 2 });
  let moved: Promise<void> | undefined;
  const bot: Bot = {
    async play() {
      moved ??= (async () => {
        await first.kill();
        const second = await TestServer.start(t, { store });
        near.target = 1;
        far.target = second.port;
      })();
      await moved;
      return 1n;
    },
  };
  const server = `127.0.0.1:1,127.0.0.1:${near.port},127.0.0.1:${far.port}`;
  const playing = [tokens.a, tokens.b].map((token) => run(bot, { server, tournament, token, logger: silentLogger }));
  for (const summary of await Promise.all(playing)) assert.deepEqual([summary.matches, summary.forfeits], [2, 0]);
});

test("a stream cut at every turn costs no forfeit", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const proxy = await TcpProxy.start(t, server.port);
  const tokens = await server.registerAll(["a", "b"]);
  const tournament = await server.createTournament({
    seats: 2,
    positions: [{ counters: [3n, 2n] }],
    startWhen: 2,
  });
  let cuts = 0;
  let connections = 0;
  const cutter: Bot = {
    connected: () => void (connections += 1),
    declare: () => {
      cuts += 1;
      proxy.cut();
      return [0, 1];
    },
    play: () => {
      cuts += 1;
      proxy.cut();
      return 1n;
    },
  };
  const [summary] = await Promise.all([
    run(cutter, { server: `127.0.0.1:${proxy.port}`, token: tokens.a, tournament, logger: silentLogger }),
    run(one, { server: server.address, token: tokens.b, tournament, logger: silentLogger }),
  ]);
  assert.deepEqual([summary.matches, summary.forfeits, summary.unseen], [2, 0, 0]);
  assert.ok(cuts >= 6 && connections >= 3, `${cuts} cuts, ${connections} connections`);
});

test("a bot that blocks for longer than the server waits delivers its take later", async (t: TestContext) => {
  const server = await TestServer.start(t, { flags: ["--keepalive-interval", "200ms", "--keepalive-timeout", "200ms"] });
  const tokens = await server.registerAll(["a", "b"]);
  const tournament = await server.createTournament({ seats: 2, positions: [{ counters: [2n] }], startWhen: 2 });
  const log = new TestLog();
  let isFirst = true;
  const busy: Bot = {
    play() {
      const end = performance.now() + (isFirst ? 1_500 : 0);
      isFirst = false;
      while (performance.now() < end);
      return 1n;
    },
  };
  const [summary] = await Promise.all(
    [tokens.a, tokens.b].map((token) => run(busy, { server: server.address, token, tournament, logger: log })),
  );
  assert.ok(log.lines.some((line) => line.startsWith("no session, retrying")), log.lines.join("\n"));
  assert.deepEqual([summary!.matches, summary!.forfeits], [2, 0]);
});

test("a wrong token is a permanent error", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const error = await failure({ server: server.address, token: "wrong" });
  assert.equal(error.code, "refused");
  assert.equal(
    error.message,
    "the server refused the session: authorization: unknown token; it may have been replaced (Unauthenticated)",
  );
  assert.equal((await failure({ server: server.address, token: "two words" })).code, "token");
});

test("a rotated token ends the run", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const token = await server.register("a");
  const bot: Bot = { ...one, connected: async () => void (await server.bots.rotateToken({ name: "a" }, server.asAdmin)) };
  const error = await failure({ server: server.address, token }, bot);
  assert.equal(error.code, "refused");
  assert.match(error.message, /\(Unauthenticated\)$/);
});

test("a newer session of the same bot ends the older run", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const token = await server.register("a");
  const stop = new AbortController();
  let newer: Promise<unknown> | undefined;
  const bot: Bot = {
    ...one,
    connected: () => void (newer = run(one, { server: server.address, token, signal: stop.signal, logger: silentLogger })),
  };
  const error = await failure({ server: server.address, token }, bot);
  assert.equal(error.code, "superseded");
  stop.abort();
  await newer;
});

test("a missing server is retried until the time limit", async () => {
  const listener = net.createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as net.AddressInfo;
  listener.close();
  const error = await failure({ server: `127.0.0.1:${port}`, token: "t", giveUpAfterMs: 300 });
  assert.equal(error.code, "gave_up");
  assert.match(error.message, /^no session could be opened within 0.3 s: connect ECONNREFUSED 127.0.0.1/);
});

test("a server without HTTP/2 is given up with a reason", async (t: TestContext) => {
  const listener = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  t.after(() => listener.close());
  const { port } = listener.address() as net.AddressInfo;
  const error = await failure({ server: `127.0.0.1:${port}`, token: "t", giveUpAfterMs: 300 });
  assert.equal(error.code, "gave_up");
});

test("a stopping server announces it, lets matches end, and is retried", async (t: TestContext) => {
  const store = `sqlite:${path.join(temporaryFolder(t), "cup.db")}`;
  const first = await TestServer.start(t, { store, flags: ["--shutdown-grace", "1m"] });
  const proxy = await TcpProxy.start(t, first.port);
  const tokens = await first.registerAll(["a", "b"]);
  const tournament = await first.createTournament({
    seats: 2,
    positions: [{ counters: [2n, 2n] }, { counters: [3n, 2n] }],
    startWhen: 2,
    concurrency: 1,
  });
  const log = new TestLog();
  let isFirst = true;
  const bot: Bot = {
    async play() {
      if (isFirst) {
        isFirst = false;
        first.process.kill("SIGTERM");
        await log.until(/the server is about to stop/);
      }
      return 1n;
    },
  };
  const options = { server: `127.0.0.1:${proxy.port}`, tournament, logger: log };
  const playing = [tokens.a, tokens.b].map((token) => run(bot, { ...options, token }));
  await once(first.process, "exit");
  const second = await TestServer.start(t, { store });
  proxy.target = second.port;
  for (const summary of await Promise.all(playing)) {
    assert.deepEqual([summary.matches, summary.forfeits], [4, 0]);
  }
});

test("failing to join a tournament is a permanent error", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const token = await server.register("a");
  const unknown = "01890a5d-ac96-774b-bcce-b302099a8057";
  const error = await failure({ server: server.address, token, tournament: unknown });
  assert.equal(error.code, "not_joined");
  assert.match(error.message, new RegExp(`^tournament "${unknown}": .*no tournament`));
  assert.equal((await failure({ server: server.address, token, tournament: "cup" })).code, "not_joined");
});

test("a signal ends a run with its summary", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const token = await server.register("a");
  const stop = new AbortController();
  const bot: Bot = { ...one, connected: () => stop.abort() };
  const summary = await run(bot, { server: server.address, token, signal: stop.signal, logger: silentLogger });
  assert.equal(String(summary), "0 matches, 0 wins, 0 forfeits, regret 0");
  assert.equal((await run(bot, { server: server.address, token, signal: stop.signal, logger: silentLogger })).matches, 0, "aborted before");
});
