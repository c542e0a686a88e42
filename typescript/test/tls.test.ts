import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { LastnimError, run, silentLogger, type Bot } from "lastnim";
import { Authority } from "./harness/certificates.js";
import { TestServer, temporaryFolder } from "./harness/server.js";
import { TcpProxy } from "./harness/tcp-proxy.js";

const one: Bot = { play: () => 1n };

interface Place {
  server: TestServer;
  authority: Authority;
  /** The file of the authority's certificate. */
  caFile: string;
}

async function place(t: TestContext): Promise<Place> {
  const authority = new Authority("an authority of the tests");
  const caFile = path.join(temporaryFolder(t), "ca.pem");
  writeFileSync(caFile, `what comes before is a comment\n${authority.pem}`);
  return { server: await TestServer.start(t), authority, caFile };
}

async function refusal(server: string, caFile?: string): Promise<LastnimError> {
  const error: unknown = await run(one, { server, caFile, token: "t", giveUpAfterMs: 300, logger: silentLogger }).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof LastnimError, String(error));
  return error;
}

test("bots play over TLS with a custom authority", async (t: TestContext) => {
  const { server, authority, caFile } = await place(t);
  const proxy = await TcpProxy.start(t, server.port, authority.certify(["localhost", "127.0.0.1"]));
  const tokens = await server.registerAll(["a", "b"]);
  const tournament = await server.createTournament({ seats: 2, positions: [{ counters: [2n, 2n] }], startWhen: 2 });
  const summaries = await Promise.all([
    run(one, { server: `https://localhost:${proxy.port}`, caFile, token: tokens.a, tournament, logger: silentLogger }),
    run(one, { server: `https://127.0.0.1:${proxy.port}/`, caFile, token: tokens.b, tournament, logger: silentLogger }),
  ]);
  assert.deepEqual(summaries.map(({ matches, forfeits }) => [matches, forfeits]), [[2, 0], [2, 0]]);
});

test("an untrusted certificate is a permanent error with a reason", async (t: TestContext) => {
  const { server, authority, caFile } = await place(t);
  const behind = async (certificate: { key: string; cert: string }) => (await TcpProxy.start(t, server.port, certificate)).port;
  const valid = await behind(authority.certify(["localhost"]));
  const unknown = await refusal(`https://localhost:${valid}`);
  assert.equal(unknown.code, "tls");
  assert.match(unknown.message, /^server https:\/\/localhost:\d+: its certificate was rejected: .*LASTNIM_CA/);
  const otherName = await refusal(`https://127.0.0.1:${valid}`, caFile);
  assert.match(otherName.message, /its certificate was rejected: .*127\.0\.0\.1/);
  const expired = await refusal(`https://localhost:${await behind(authority.certify(["localhost"], -1))}`, caFile);
  assert.match(expired.message, /its certificate was rejected: certificate has expired/);
  const forged = await refusal(`https://localhost:${await behind(new Authority("an authority of the tests").certify(["localhost"]))}`, caFile);
  assert.equal(forged.code, "tls");
});

test("TLS to a server without it is a permanent error with a hint", async (t: TestContext) => {
  const { server, caFile } = await place(t);
  const error = await refusal(`https://localhost:${server.port}`, caFile);
  assert.equal(error.code, "tls");
  assert.match(error.message, /did you mean http:\/\/\?$/);
});

test("invalid certificate files are refused", async (t: TestContext) => {
  const folder = temporaryFolder(t);
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const server = "https://localhost:1";
  const damaged = new Authority("damaged").pem.replace(/[A-Za-z]{20}/, "AAAAAAAAAAAAAAAAAAAA");
  for (const [caFile, reason] of [
    [path.join(folder, "none.pem"), /^certificates .*none\.pem: ENOENT/],
    [file("empty.pem", ""), /there is no certificate in it: expected -----BEGIN CERTIFICATE-----/],
    [file("damaged.pem", damaged), /certificate 1: /],
    [file("large.pem", "x".repeat((4 << 20) + 1)), /it is larger than 4 MiB/],
  ] as const) {
    const error = await refusal(server, caFile);
    assert.equal(error.code, "ca");
    assert.match(error.message, reason);
  }
  assert.match((await refusal("http://localhost:1", file("x.pem", ""))).message, /certificates need an https:\/\/ address/);
});

test("a server that asks for certificates gets the client's own", async (t: TestContext) => {
  const folder = temporaryFolder(t);
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const own = (authority: Authority, name: string) => {
    const { key, cert } = authority.certify([name]);
    return { clientCertFile: file(`${name}.cert.pem`, cert), clientKeyFile: file(`${name}.key.pem`, key) };
  };
  const [authority, clients] = [new Authority("an authority of the tests"), new Authority("an authority for clients")];
  const { key, cert } = authority.certify(["localhost", "127.0.0.1"]);
  const caFile = file("ca.pem", authority.pem);
  const flags = ["--tls-cert", file("cert.pem", cert), "--tls-key", file("key.pem", key), "--client-ca", file("clients.pem", clients.pem)];
  const tls = { caFile, ...own(clients, "mine") };
  const server = await TestServer.start(t, { flags, tls });
  const tokens = await server.registerAll(["a", "b"]);
  const tournament = await server.createTournament({ seats: 2, positions: [{ counters: [2n, 2n] }], startWhen: 2 });
  const options = { server: `https://localhost:${server.port}`, tournament, logger: silentLogger, ...tls };
  const summaries = await Promise.all([run(one, { ...options, token: tokens.a }), run(one, { ...options, token: tokens.b })]);
  assert.deepEqual(summaries.map(({ matches, forfeits }) => [matches, forfeits]), [[2, 0], [2, 0]]);

  const fails = async (files: object) => {
    const error: unknown = await run(one, { ...options, clientCertFile: undefined, clientKeyFile: undefined, ...files, token: "t" }).catch(
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof LastnimError, String(error));
    return `${error.code}: ${error.message}`;
  };
  assert.match(await fails({}), /^refused: .*this server requires a client certificate/);
  assert.match(await fails(own(authority, "stranger")), /^refused: .*the server rejected the client's certificate/);
  assert.match(await fails({ clientCertFile: tls.clientCertFile }), /^client_certificate: .*LASTNIM_CLIENT_KEY is missing/);
  const others = own(clients, "other");
  assert.match(await fails({ ...tls, clientKeyFile: others.clientKeyFile }), /^client_certificate: .*not the key of the certificate/);
  assert.match(await fails({ ...tls, clientKeyFile: caFile }), /^client_certificate: .*no unencrypted private key/);
});
