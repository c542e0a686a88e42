// The conversation on the page of a match: bots talk, sign a pact, and one of them breaks it.

import assert from "node:assert/strict";
import { connect } from "node:http2";
import { test } from "node:test";
import { assertAccessible, follow, openContext, schemes, serve, widths } from "./browser.js";

const { server, browser } = await serve();

// Messages of the protocol, as far as these bots need them: fields that are numbers or bytes.
const varint = (value) => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]);
const number = (field, value) => [...varint(field * 8), ...varint(value)];
const bytes = (field, value) => [...varint(field * 8 + 2), ...varint(value.length), ...value];
const string = (field, text) => bytes(field, Buffer.from(text));
const numbers = (field, values) => bytes(field, values.flatMap(varint));

const text = (words) => string(1, words);
const claim = (offsets) => bytes(2, numbers(1, offsets));
const relation = ([before, after]) => bytes(2, [...number(1, before), ...number(2, after)]);
const offer = (members) => bytes(3, members.flatMap(([seat, pairs]) => bytes(1, [...number(1, seat), ...pairs.flatMap(relation)])));
const accept = (seat, round, place) => bytes(4, [...number(1, seat), ...number(2, round), ...number(3, place)]);

/** A bot whose actions are sent one after another, without reading what the server answers. */
class ScriptedBot {
  #client;
  #stream;
  #match;
  #sent = {};

  static async register(name) {
    const bot = new ScriptedBot();
    const token = await server.run("bot", "register", name);
    bot.#client = connect(server.url);
    const path = "/lastnim.v1.ArenaService/Play";
    bot.#stream = bot.#client.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", authorization: `Bearer ${token}` });
    bot.#stream.resume();
    return bot;
  }

  begin(match) {
    this.#match = match;
  }

  #send(field, action) {
    const message = bytes(field, [...string(1, this.#match), ...action]);
    const frame = Buffer.alloc(5 + message.length);
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, 5);
    this.#stream.write(frame);
  }

  say(round, content, to = []) {
    const place = this.#sent[round] ?? 0;
    this.#sent[round] = place + 1;
    this.#send(7, [...number(2, round), ...number(3, place), ...numbers(4, to), ...bytes(5, content)]);
  }

  endTalk(round) {
    this.#send(8, number(2, round));
  }

  declare(offsets) {
    this.#send(1, bytes(2, numbers(1, offsets)));
  }

  take(ply, counters) {
    this.#send(2, [...number(2, ply), ...number(3, counters)]);
  }

  close() {
    this.#client.destroy();
  }
}

/** Registers bots and creates a match in which they talk. */
async function beginMatch(names, rounds, privacy, { others = [], roundTime = "10m" } = {}) {
  const bots = [];
  for (const name of names) bots.push(await ScriptedBot.register(name));
  const seated = [...names, ...others].join(",");
  const id = await server.run("match", "create", "--bots", seated, "--piles", "1", "--talk-rounds", String(rounds), "--talk-round-time", roundTime, "--talk-privacy", privacy, "--talk-pacts", "--clock", "1h", "--declare-within", "10m");
  bots.forEach((bot) => bot.begin(id));
  return { id, bots, close: () => bots.forEach((bot) => bot.close()) };
}

const hostile = `<script>alert(1)</script> \u202e "'& ${"x".repeat(300)} ${"a\u0301\u0302\u0303".repeat(40)}`;

test("a conversation appears round by round, and at the end it says who kept a pact", async () => {
  const { id, bots, close } = await beginMatch(["ann", "bob", "cleo"], 2, "published");
  const [ann, bob, cleo] = bots;
  const { context, assertNoFaults } = await openContext(browser, server, { viewport: { width: 360, height: 800 } });
  const page = await context.newPage();
  await follow(page, `${server.url}/matches/${id}`);
  const talk = page.locator("#talk");
  await talk.getByText("Round 1 is open.").waitFor();
  await page.getByRole("heading", { level: 1, name: "The seats are talking: round 1 of 2." }).waitFor();
  ann.say(0, text(hostile));
  ann.say(0, offer([[0, [[2, 0], [2, 1]]], [1, [[2, 1]]]]));
  cleo.say(0, claim([0, 1, 2]));
  bots.forEach((bot) => bot.endTalk(0));
  await talk.getByText("cleo told everyone that it wants cleo, then ann, then bob to win.").waitFor();
  assert.ok((await talk.locator("bdi").innerText()).startsWith("<script>alert(1)</script>"));
  assert.equal(await talk.getByText("pact").count(), 0, "the offer is private");
  await talk.getByText("Round 2 is open.").waitFor();
  await assertAccessible(page, "a round of talk");
  bob.say(1, accept(0, 0, 1));
  bob.say(1, text("between us"), [2]);
  bots.forEach((bot) => bot.endTalk(1));
  ann.declare([2, 0, 1]);
  bob.declare([0, 2, 1]);
  cleo.declare([0, 2, 1]);
  await page.getByRole("heading", { level: 1, name: "ann is to move." }).waitFor();
  await talk.getByText("It declared something else.").waitFor();
  ann.take(0, 1);
  await talk.getByText("ann offered pact 1 to bob.").waitFor();
  const expected = [
    "bob said to cleo: “between us”",
    "bob accepted pact 1.",
    "Pact 1 was signed by ann and bob.",
    "ann promised to prefer cleo to ann, and cleo to bob. It kept its promise.",
    "bob promised to prefer cleo to bob. It broke its promise.",
  ];
  const words = async (shown) => (await shown.locator("#talk").innerText()).replace(/\s+/g, " ");
  for (const line of expected) assert.ok((await words(page)).includes(line), `${line} in ${await words(page)}`);
  const live = await words(page);
  assertNoFaults();
  await context.close();
  await server.waitUntilEnded(id);
  for (const colorScheme of schemes) {
    for (const width of widths) {
      const opened = await openContext(browser, server, { colorScheme, viewport: { width, height: 800 }, javaScriptEnabled: false });
      const loaded = await opened.context.newPage();
      await loaded.goto(`${server.url}/matches/${id}`);
      assert.equal(await words(loaded), live, "the page is the same without scripts");
      await opened.context.close();
      const { context, assertNoFaults } = await openContext(browser, server, { colorScheme, viewport: { width, height: 800 }, reducedMotion: "reduce" });
      const checked = await context.newPage();
      await checked.goto(`${server.url}/matches/${id}`);
      await assertAccessible(checked, `a conversation, ${colorScheme}, ${width} pixels`);
      assertNoFaults();
      await context.close();
    }
  }
  close();
});

test("eight seats with long names talk for four rounds", async () => {
  const names = Array.from("abcdefgh", (letter) => letter.repeat(32));
  const { id, bots, close } = await beginMatch(names, 4, "open");
  for (let round = 0; round < 4; round++) {
    for (const bot of bots) {
      for (let place = 0; place < 3; place++) bot.say(round, text(hostile.slice(0, 500)));
      bot.say(round, claim([7, 6, 5, 4, 3, 2, 1, 0]));
      bot.endTalk(round);
    }
    for (;;) {
      const { events } = await server.json(`/matches/${id}/record.json`);
      if (events.filter((event) => event.heard).length > round) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  bots.forEach((bot) => bot.declare([0, 1, 2, 3, 4, 5, 6, 7]));
  const { context, assertNoFaults } = await openContext(browser, server, { viewport: { width: 360, height: 800 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(`${server.url}/matches/${id}`);
  const rounds = page.locator("#talk details");
  assert.deepEqual(await rounds.locator("summary").allInnerTexts(), [1, 2, 3, 4].map((round) => `Round ${round} 32 messages`));
  assert.equal(await rounds.locator("li").first().isVisible(), false, "a long conversation is folded");
  for (const summary of await rounds.locator("summary").all()) await summary.click();
  assert.equal(await rounds.locator("li").count(), 128);
  assert.ok(await rounds.locator("li").last().isVisible());
  await assertAccessible(page, "a long conversation");
  assertNoFaults();
  await context.close();
  close();
});

test("a person who plays a bot's match by hand reads what the others said", async () => {
  const token = await server.run("bot", "register", "person");
  const { context, assertNoFaults } = await openContext(browser, server, { viewport: { width: 360, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${server.url}/play/bot`);
  await page.getByLabel("Token").fill(token);
  await page.locator("main form button").click();
  const { bots, close } = await beginMatch(["dora", "eric"], 2, "open", { others: ["person"], roundTime: "6s" });
  bots[0].say(0, text("shall we?"));
  bots.forEach((bot) => bot.endTalk(0));
  await page.getByRole("link", { name: "say whom you want to see win" }).click();
  await page.getByText("dora said to everyone: “shall we?”").waitFor();
  await assertAccessible(page, "a game with talk");
  await page.getByRole("button", { name: "Declare and begin" }).click();
  bots.forEach((bot) => bot.declare([0, 1, 2]));
  await page.getByRole("heading", { level: 1, name: "dora is to move" }).waitFor();
  assertNoFaults();
  await context.close();
  close();
});
