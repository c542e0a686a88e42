// Live updates of pages to the end of a tournament, with an interrupted network.

import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, openContext, serve, setHidden } from "./browser.js";
import { Network } from "./network.js";

const { server, browser, openPage } = await serve();

/** A tournament that takes seconds: its bots think about each take, and few matches are played at once. */
const slow = (bot = "mcts-5000", concurrency = 1) =>
  server.createTournament({
    bots: { [`ann-${Date.now()}`]: bot, [`bob-${Date.now()}`]: bot },
    further: ["--seats", "2", "--piles", "9,9,9,9,9,9", "--piles", "8,8,8,8,8", "--groups", "4", "--concurrency", String(concurrency)],
  });

/** Waits for a number of open matches of a tournament, which must not be over. */
async function openMatches(id, count) {
  for (;;) {
    const { matches } = await server.json(`/tournaments/${id}/matches.json`);
    const open = matches.filter((match) => match.phase === "playing");
    if (open.length >= count) return open.slice(0, count).map((match) => match.id);
    assert.notEqual((await server.json(`/tournaments/${id}.json`)).tournament.state, "finished");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const openMatch = async (id) => (await openMatches(id, 1))[0];

/** Takes the workers away that tabs can share. */
const withoutSharedWorkers = (page) => page.addInitScript(() => delete window.SharedWorker);

/** Returns the texts of parts of a page. */
const texts = (page, selector) => page.locator(selector).allInnerTexts();

for (const hasWorkers of [true, false]) {
  test(`a tournament is followed to its end ${hasWorkers ? "by a worker" : "without workers"}, with an interrupted network`, async () => {
    const network = await Network.to(server);
    const { context, assertNoFaults } = await openContext(browser, network);
    const page = await context.newPage();
    if (!hasWorkers) await withoutSharedWorkers(page);
    const id = await slow();
    const address = `${network.url}/tournaments/${id}`;
    await follow(page, address);
    assert.equal(await page.locator("#progress .finished").count(), 0);
    network.cut();
    await page.getByText("Connection lost: trying again").waitFor();
    network.restore();
    await page.getByText("Connected again").waitFor();
    await page.locator("#progress .finished").waitFor();
    const loaded = await context.newPage();
    await loaded.goto(address);
    for (const part of ["#progress", "#standings td"]) {
      const expected = await texts(loaded, part);
      assert.ok(expected.length > 0, part);
      await page.waitForFunction(
        ([part, expected]) => {
          const shown = [...document.querySelectorAll(part)].map((element) => element.innerText);
          return JSON.stringify(shown) === expected;
        },
        [part, JSON.stringify(expected)],
      );
    }
    await network.untilStreams(0);
    assertNoFaults();
    await context.close();
    network.close();
  });
}

test("a match is followed to its end without a gap, with an interrupted network", async () => {
  const network = await Network.to(server);
  const { context, assertNoFaults } = await openContext(browser, network);
  const page = await context.newPage();
  // A single match takes seconds.
  const match = await openMatch(await slow("mcts-100000"));
  const address = `${network.url}/matches/${match}`;
  await follow(page, address);
  const clock = await page.locator("#seats .clock[data-runs]").first().innerText();
  await page.waitForFunction((before) => document.querySelector("#seats .clock[data-runs]")?.innerText !== before, clock);
  network.cut();
  await page.getByText("Connection lost: trying again").waitFor();
  network.restore();
  for (;;) {
    const { match: shown } = await server.json(`/matches/${match}.json`);
    if (shown.phase === "ended") break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const loaded = await context.newPage();
  // The tab that followed the match shows its last position. A new page would show the position that decided it.
  const { match: ended } = await server.json(`/matches/${match}.json`);
  await loaded.goto(`${address}?ply=${ended.plies}`);
  const takes = await texts(loaded, "#takes li");
  assert.ok(takes.length > 5);
  await page.waitForFunction((count) => document.querySelectorAll("#takes li").length === count, takes.length);
  assert.deepEqual(await texts(page, "#takes li"), takes);
  for (const part of ["#headline", "#board", "#seats", "#said", "#ledger"]) {
    assert.deepEqual(await texts(page, part), await texts(loaded, part), part);
  }
  // After the end, the tab that followed steps in place, without loading a page.
  await page.locator('#said[aria-live="polite"]').waitFor();
  let loads = 0;
  page.on("request", (request) => (loads += request.isNavigationRequest() ? 1 : 0));
  await page.keyboard.press("Home");
  await page.locator("#where").getByText(`take 0 of ${ended.plies}`).waitFor();
  await page.locator("#board a.counter").first().click();
  await page.getByText(/^What if:/).waitFor();
  assert.equal(loads, 0);
  assertNoFaults();
  await context.close();
  network.close();
});

test("a silent stream is reported within 20 seconds, and clocks stop", async (t) => {
  const page = await openPage(t);
  await page.clock.install();
  // A worker that says nothing.
  await page.addInitScript(() => (window.SharedWorker = class { port = new MessageChannel().port1; }));
  await page.goto(`${server.url}/matches/${await openMatch(await slow("mcts-100000"))}`);
  const clock = page.locator("#seats .clock[data-runs]").first();
  const before = await clock.innerText();
  await page.clock.runFor(12_000);
  const running = await clock.innerText();
  assert.notEqual(running, before);
  assert.equal(await page.getByText("Connection lost").count(), 0);
  await page.clock.runFor(8_000);
  await page.getByText(/Connection lost|Connected again/).waitFor();
  const stopped = await clock.innerText();
  await page.clock.runFor(5_000);
  assert.equal(await clock.innerText(), stopped);
});

test("a hidden tab closes its stream, and a closed tab is forgotten", async () => {
  const network = await Network.to(server);
  const { context, assertNoFaults } = await openContext(browser, network);
  const id = await slow();
  const pages = [await context.newPage(), await context.newPage()];
  for (const page of pages) await follow(page, `${network.url}/tournaments/${id}`);
  await network.untilStreams(1);
  await setHidden(pages[0], true);
  await pages[1].close();
  await network.untilStreams(0);
  await setHidden(pages[0], false);
  await network.untilStreams(1);
  assertNoFaults();
  await context.close();
  network.close();
});

test("eight tabs share one connection, and a ninth page loads", async () => {
  const network = await Network.to(server);
  const { context, assertNoFaults } = await openContext(browser, network);
  const addresses = (await openMatches(await slow("mcts-20000", 7), 7)).map((id) => `/matches/${id}`);
  // Two tabs show the same match.
  const pages = await Promise.all([...addresses, addresses[0]].map(() => context.newPage()));
  await Promise.all(pages.map((page, index) => follow(page, network.url + (addresses[index] ?? addresses[0]))));
  const counts = await Promise.all(pages.map((page) => page.locator("#takes li").count()));
  await Promise.all(
    pages.map((page, index) => page.waitForFunction((before) => document.querySelectorAll("#takes li").length > before + 1, counts[index])),
  );
  await network.untilStreams(1);
  const ninth = await context.newPage();
  await ninth.goto(`${network.url}/bots`);
  await ninth.getByRole("heading", { name: "Bots", level: 1 }).waitFor();
  // Every take is listed once.
  for (const page of pages) {
    const plies = await page.locator("#takes [data-ply]").evaluateAll((links) => links.map((link) => link.dataset.ply));
    assert.equal(new Set(plies).size, plies.length);
  }
  assertNoFaults();
  await context.close();
  network.close();
});
