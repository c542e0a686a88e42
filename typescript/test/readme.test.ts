import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { run, silentLogger } from "lastnim";
import { TestServer } from "./harness/server.js";

const PACKAGE = path.resolve(import.meta.dirname, "../..");

/** Starts an example as a program with only these environment variables. */
function start(t: TestContext, example: string, variables: Record<string, string>): ChildProcess {
  const program = spawn(process.execPath, [path.join(PACKAGE, "build/examples", `${example}.mjs`)], {
    env: { PATH: process.env["PATH"], ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => program.kill("SIGKILL"));
  return program;
}

async function outcome(program: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const [stdout, stderr, [code]] = await Promise.all([text(program.stdout!), text(program.stderr!), once(program, "exit")]);
  return { code: code as number | null, stdout, stderr };
}

test("the bot of both READMEs is the example", () => {
  const example = readFileSync(path.join(PACKAGE, "examples/half.mts"), "utf8");
  for (const readme of ["README.md", "../README.md"]) {
    const shown = readFileSync(path.join(PACKAGE, readme), "utf8");
    assert.ok(shown.includes(`\`\`\`ts\n// half.mts\n${example}\`\`\`\n`), readme);
  }
  assert.ok(example.trimEnd().split("\n").length <= 10);
});

test("the bot of the README plays a tournament with options from its environment", async (t) => {
  const server = await TestServer.start(t);
  const tokens = await server.registerAll(["a", "b"]);
  const tournament = await server.createTournament({ seats: 2, positions: [{ counters: [3n, 4n] }], startWhen: 2 });
  const program = start(t, "half", { LASTNIM_SERVER: server.address, LASTNIM_TOKEN: tokens.a, LASTNIM_TOURNAMENT: tournament });
  const [{ code, stdout, stderr }] = await Promise.all([
    outcome(program),
    run({ play: () => 1n }, { server: server.address, token: tokens.b, tournament, logger: silentLogger }),
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^2 matches, \d wins?, 0 forfeits, .*\n$/);
});

test("SIGINT ends a bot with its summary", async (t) => {
  const server = await TestServer.start(t);
  const token = await server.register("a");
  const program = start(t, "half", { LASTNIM_SERVER: server.address, LASTNIM_TOKEN: token });
  const ended = outcome(program);
  await once(program.stderr!, "data");
  program.kill("SIGINT");
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stdout], [0, "0 matches, 0 wins, 0 forfeits, regret 0\n"]);
  assert.match(stderr, /^\S+ INFO lastnim: connected to 127\.0\.0\.1:\d+ as a, with 0 open matches\n$/);
});

test("without a token the bot says what is missing", async (t) => {
  const { code, stderr } = await outcome(start(t, "half", {}));
  assert.equal(code, 1);
  assert.match(stderr, /LastnimError: neither LASTNIM_TOKEN nor LASTNIM_TOKEN_FILE is set/);
});
