// Live updates of pages to the end of a tournament, with an interrupted network.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openContext } from "./browser.js";
import { Server } from "./server.js";

let server, browser;

before(async () => {
  server = await Server.start();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** A tournament that takes seconds: its bots think about each take, and matches are played one after the other. */
const slow = (bot = "mcts-5000") =>
  server.createTournament({
    bots: { [`ann-${Date.now()}`]: bot, [`bob-${Date.now()}`]: bot },
    further: ["--seats", "2", "--piles", "9,9,9,9,9,9", "--piles", "8,8,8,8,8", "--groups", "4", "--concurrency", "1"],
  });

/** Waits for an open match of a tournament. */
async function openMatch(id) {
  for (;;) {
    const { matches } = await server.json(`/tournaments/${id}/matches.json`);
    const open = matches.find((match) => match.phase === "playing");
    if (open) return open.id;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Opens a page, and waits for its event stream. */
async function follow(page, address) {
  const follows = page.waitForRequest((request) => request.resourceType() === "eventsource");
  await page.goto(address);
  await follows;
}

/** Returns the texts of parts of a page. */
const texts = (page, selector) => page.locator(selector).allInnerTexts();

for (const losesNetwork of [false, true]) {
  const how = losesNetwork ? "with an interrupted network" : "to its end";
  test(`a tournament is followed ${how}`, async () => {
    const { context, assertNoFaults } = await openContext(browser, server);
    const page = await context.newPage();
    const id = await slow();
    const address = `${server.url}/tournaments/${id}`;
    await follow(page, address);
    assert.equal(await page.locator("#progress .finished").count(), 0);
    if (losesNetwork) {
      await context.setOffline(true);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await context.setOffline(false);
    }
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
    assertNoFaults();
    await context.close();
  });
}

test("a match is followed to its end without a gap, with an interrupted network", async () => {
  const { context, assertNoFaults } = await openContext(browser, server);
  const page = await context.newPage();
  // A single match takes seconds.
  const match = await openMatch(await slow("mcts-100000"));
  const address = `${server.url}/matches/${match}`;
  await follow(page, address);
  const clock = await page.locator("#seats .clock[data-runs]").first().innerText();
  await page.waitForFunction((before) => document.querySelector("#seats .clock[data-runs]")?.innerText !== before, clock);
  await context.setOffline(true);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await context.setOffline(false);
  for (;;) {
    const { match: shown } = await server.json(`/matches/${match}.json`);
    if (shown.phase === "ended") break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const loaded = await context.newPage();
  // A tab that follows shows the last position; a new page, where the match was decided.
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
});

test("a silent stream is reported within 20 seconds, and clocks stop", async () => {
  const { context, assertNoFaults } = await openContext(browser, server);
  const page = await context.newPage();
  await page.clock.install();
  // A stream that opens, and then says nothing.
  await page.addInitScript(() => {
    window.EventSource = class extends EventTarget {
      constructor() {
        super();
        setTimeout(() => this.onopen?.());
      }
      close() {}
    };
  });
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
  assertNoFaults();
  await context.close();
});

test("a hidden tab closes its stream", async () => {
  const { context } = await openContext(browser, server);
  const page = await context.newPage();
  const streams = new Set();
  page.on("request", (request) => request.resourceType() === "eventsource" && streams.add(request));
  page.on("requestfinished", (request) => streams.delete(request));
  page.on("requestfailed", (request) => streams.delete(request));
  const id = await slow();
  await follow(page, `${server.url}/tournaments/${id}`);
  assert.equal(streams.size, 1);
  const show = (state) =>
    page.evaluate((state) => {
      Object.defineProperty(document, "hidden", { configurable: true, value: state === "hidden" });
      Object.defineProperty(document, "visibilityState", { configurable: true, value: state });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  const ended = page.waitForEvent("requestfailed", (request) => request.resourceType() === "eventsource");
  await show("hidden");
  await ended;
  assert.equal(streams.size, 0);
  const askedAgain = page.waitForRequest((request) => request.resourceType() === "eventsource");
  await show("visible");
  await askedAgain;
  await context.close();
});
