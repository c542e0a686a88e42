import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { LastnimError, optionsFromEnv, run, silentLogger, type LastnimErrorCode, type Options } from "lastnim";
import { versionMetadata } from "#src/bot-version.js";
import { parseServerAddress, parseServerAddresses } from "#src/server-address.js";
import { temporaryFolder } from "./harness/server.js";

/** Checks the code and message of a failure. */
function fails(body: () => unknown, code: LastnimErrorCode, message: RegExp): void {
  assert.throws(body, (error) => error instanceof LastnimError && error.code === code && message.test(error.message), String(message));
}

test("the environment sets the options", () => {
  const all = { LASTNIM_SERVER: "host:1", LASTNIM_TOKEN: "t", LASTNIM_TOURNAMENT: "7", LASTNIM_CA: "ca.pem" };
  const options = optionsFromEnv({ ...all, LASTNIM_CLIENT_CERT: "cert.pem", LASTNIM_CLIENT_KEY: "key.pem" });
  assert.deepEqual([options.clientCertFile, options.clientKeyFile], ["cert.pem", "key.pem"]);
  assert.deepEqual([options.server, options.token, options.tournament, options.caFile], ["host:1", "t", "7", "ca.pem"]);
  const usual = optionsFromEnv({ LASTNIM_TOKEN: "t", LASTNIM_SERVER: "", LASTNIM_TOURNAMENT: "" });
  assert.deepEqual([usual.server, usual.tournament, usual.version, usual.configHash], ["127.0.0.1:7600", undefined, undefined, undefined]);
  const hash = new Uint8Array(32).fill(7);
  for (const text of ["07".repeat(32), Buffer.from(hash).toString("base64")]) {
    const said = optionsFromEnv({ LASTNIM_TOKEN: "t", LASTNIM_BOT_VERSION: "1.4", LASTNIM_BOT_CONFIG_HASH: text });
    assert.deepEqual([said.version, said.configHash], ["1.4", hash]);
  }
  for (const text of ["07", "Bw==", "g".repeat(64), Buffer.alloc(33).toString("base64")]) {
    fails(() => optionsFromEnv({ LASTNIM_TOKEN: "t", LASTNIM_BOT_CONFIG_HASH: text }), "config_hash", /expected 32 bytes as 64 hexadecimal digits/);
  }
  assert.equal(usual.sessionLog, undefined);
  assert.equal(optionsFromEnv({ LASTNIM_TOKEN: "t", LASTNIM_SESSION_LOG: "logs" }).sessionLog, "logs");
  fails(() => optionsFromEnv({}), "no_token", /LASTNIM_TOKEN/);
});

test("a token can be in a file", (t) => {
  const file = path.join(temporaryFolder(t), "token");
  writeFileSync(file, " secret\n");
  assert.equal(optionsFromEnv({ LASTNIM_TOKEN_FILE: file }).token, "secret");
  assert.equal(optionsFromEnv({ LASTNIM_TOKEN_FILE: file, LASTNIM_TOKEN: "t" }).token, "t");
  writeFileSync(file, "\n");
  fails(() => optionsFromEnv({ LASTNIM_TOKEN_FILE: file }), "token_file", /it is empty/);
  fails(() => optionsFromEnv({ LASTNIM_TOKEN_FILE: `${file}x` }), "token_file", /^token file .*tokenx: ENOENT/);
});

test("invalid addresses are refused", () => {
  for (const [given, origin] of [
    ["localhost:5050", "http://localhost:5050"],
    ["127.0.0.1:1", "http://127.0.0.1:1"],
    ["http://[::1]:5050", "http://[::1]:5050"],
    ["http://host:80/", "http://host"],
    ["https://host", "https://host"],
    ["https://host:7600/", "https://host:7600"],
  ] as const) {
    assert.equal(parseServerAddress(given).origin, origin);
  }
  for (const bad of ["", "localhost", "ftp://host:21", "host:port", "a b:1", ":5050", "https://:443", "http://user@host:1", "host:1/path"]) {
    fails(() => parseServerAddress(bad), "address", /an address is host:port, http:\/\/host:port, https:\/\/host:port or unix:PATH/);
  }
});

test("an address may be the path of a Unix socket", () => {
  for (const [given, socketPath] of [["unix:a.sock", "a.sock"], ["unix:/run/a", "/run/a"], ["unix:///run/a", "/run/a"]] as const) {
    assert.equal(parseServerAddress(given).socketPath, socketPath);
  }
  for (const [bad, reason] of [
    ["unix:", /the path is missing/],
    ["unix://host/x", /must begin with \//],
    ["unix:a\0b", /zero byte/],
    [`unix:/${"x".repeat(107)}`, /may have at most \d+ bytes, but this one has 108: use a shorter one/],
  ] as const) {
    fails(() => parseServerAddress(bad), "address", reason);
  }
  fails(() => parseServerAddress("unix:/run/a", { caFile: "ca.pem" }), "address", /need an https/);
});

test("a server may have several addresses", () => {
  assert.deepEqual(parseServerAddresses("a:1, https://b").map(({ origin }) => origin), ["http://a:1", "https://b"]);
  for (const bad of ["", "a:1,", "a:1,b"]) fails(() => parseServerAddresses(bad), "address", /an address is host:port/);
});

test("invalid versions are refused", () => {
  assert.deepEqual(versionMetadata(undefined, undefined), {});
  const hash = new Uint8Array(32).fill(255);
  assert.deepEqual(versionMetadata("1.4-beta", hash), { "bot-version": "1.4-beta", "bot-config-hash-bin": "/".repeat(42) + "8" });
  for (const label of ["", "a b", "ä", "x".repeat(65)]) fails(() => versionMetadata(label, undefined), "version", /visible ASCII/);
  fails(() => versionMetadata(undefined, new Uint8Array(31)), "config_hash", /of 31 bytes: expected 32/);
});

test("invalid options fail at once", async () => {
  const options: Options = { server: "127.0.0.1:1", token: "t", logger: silentLogger };
  const bot = { play: () => 1n };
  for (const [more, message] of [
    [{ token: "a\nb" }, /token has invalid characters/],
    [{ server: "nowhere" }, /the port is missing/],
    [{ version: "a b" }, /version "a b"/],
    [{ concurrency: 0 }, /concurrency 0: expected 1 or more/],
  ] as const) {
    await assert.rejects(run(bot, { ...options, ...more }), message);
  }
  await assert.rejects(run({} as typeof bot, options), /a bot is an object with a method play/);
  const odd = { play: () => 1n, takeFeed: () => "some" } as unknown as typeof bot;
  await assert.rejects(run(odd, options), /takeFeed returned 'some': expected "all" or "own_turns"/);
});
