// A person plays a game, by mouse and by keyboard.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, openBrowser, openContext } from "./browser.js";
import { Server } from "./server.js";

let server, browser;

before(async () => {
  server = await Server.start("--house", "greedy,timid");
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Starts a game against one opponent, in seat 0. */
async function begin(page, { opponent, piles }) {
  await page.goto(`${server.url}/play`);
  for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
  await page.getByRole("checkbox", { name: opponent }).check();
  await page.getByLabel("Other piles").fill(piles);
  await page.getByLabel("Your seat").selectOption({ value: "0" });
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/play\/[0-9a-f-]{36}$/);
}

const isOver = (page) => page.locator("#game .again").waitFor();
const myTurn = (page) => page.locator("#game #take, #game .again").first().waitFor();
const isMyTurn = (page) => page.locator("#game #take").isVisible();

/** Acts, and waits until the page shows a newer state. */
async function untilRevised(page, act) {
  const before = await page.locator("#game").getAttribute("data-revision");
  await act();
  await page.waitForFunction((old) => document.getElementById("game").dataset.revision !== old, before);
}

/** Checks a finished game against the record of its match. */
async function assertRecorded(page) {
  const id = page.url().split("/").pop();
  const { match } = await server.json(`/matches/${id}.json`);
  assert.equal(match.phase, "ended");
  assert.match(await page.locator("#game").innerText(), /How you played/i);
}

test("a game is played to its end by mouse", async () => {
  const { context, assertNoFaults } = await openContext(browser, server);
  const page = await context.newPage();
  await begin(page, { opponent: "timid", piles: "3 4" });
  await assertAccessible(page, "a game");
  for (;;) {
    await myTurn(page);
    if (!(await isMyTurn(page))) break;
    const counters = page.locator(".take-counters button");
    await untilRevised(page, () => counters.first().click());
  }
  await isOver(page);
  await assertRecorded(page);
  await assertAccessible(page, "a game that is over");
  assertNoFaults();
  await context.close();
});

test("a game is played to its end by keyboard", async () => {
  const { context, assertNoFaults } = await openContext(browser, server);
  const page = await context.newPage();
  await begin(page, { opponent: "greedy", piles: "2 5 3" });
  await myTurn(page);
  await page.locator("#game .position button").first().focus();
  for (;;) {
    await myTurn(page);
    if (!(await isMyTurn(page))) break;
    await untilRevised(page, async () => {
      await page.keyboard.press("1");
      await page.keyboard.press("Enter");
    });
  }
  await isOver(page);
  await assertRecorded(page);
  await assertAccessible(page, "a game that is over");
  assertNoFaults();
  await context.close();
});

test("keys act only while the focus is in the position", async () => {
  const { context, assertNoFaults } = await openContext(browser, server);
  const page = await context.newPage();
  await begin(page, { opponent: "timid", piles: "7" });
  await myTurn(page);
  const field = page.locator("#take");
  const pressed = async () => {
    for (const key of ["1", "ArrowUp", "ArrowDown", "9"]) await page.keyboard.press(key);
    return field.inputValue();
  };
  await page.evaluate(() => document.activeElement.blur());
  assert.equal(await pressed(), "");
  for (const elsewhere of ["nav a", "summary"]) {
    await page.locator(elsewhere).first().focus();
    assert.equal(await pressed(), "", elsewhere);
  }
  await page.locator(".take-counters button").first().focus();
  await page.keyboard.press("3");
  await page.keyboard.press("ArrowUp");
  assert.equal(await field.inputValue(), "4");
  assert.equal(await page.evaluate(() => document.activeElement.id), "take");
  assertNoFaults();
  await context.close();
});

test("a game is played to its end without scripts, and found again", async () => {
  const { context, assertNoFaults } = await openContext(browser, server, { javaScriptEnabled: false });
  let page = await context.newPage();
  await begin(page, { opponent: "timid", piles: "2 2" });
  const address = page.url();
  await page.close();
  page = await context.newPage();
  await page.goto(`${server.url}/play`);
  await page.getByRole("link", { name: "Back to your game" }).click();
  assert.equal(page.url(), address);
  while (!(await page.locator(".again").isVisible())) {
    const counters = page.locator(".take-counters button");
    if ((await counters.count()) > 0) await counters.first().click();
    else await page.goto(address);
  }
  await assertRecorded(page);
  assertNoFaults();
  await context.close();
});

test("strangers cannot open a game", async () => {
  const { context } = await openContext(browser, server);
  const page = await context.newPage();
  await begin(page, { opponent: "timid", piles: "3 3" });
  const address = page.url();
  const stranger = await openContext(browser, server);
  const other = await stranger.context.newPage();
  await other.goto(address);
  assert.equal(await other.locator("#game").count(), 0);
  await stranger.context.close();
  await context.close();
});

test("a match of a registered bot is played by hand", async () => {
  const token = await server.run("bot", "register", "ann");
  const { context, assertNoFaults } = await openContext(browser, server);
  const page = await context.newPage();
  await page.goto(`${server.url}/play`);
  await page.getByRole("link", { name: "Play its matches by hand" }).click();
  await assertAccessible(page, "signing in with the token of a bot");
  await page.getByLabel("Token of the bot").fill(token);
  await page.getByRole("button", { name: "Take its seats" }).click();
  await page.getByText("ann has no open matches.").waitFor();
  await server.run("match", "create", "--bots", "ann,timid", "--piles", "3,4", "--clock", "1h", "--declare-within", "10m");
  // It appears without reloading the page.
  await page.getByRole("link", { name: "your move" }).waitFor();
  await assertAccessible(page, "the matches of a bot");
  await page.getByRole("link", { name: "your move" }).click();
  await page.waitForURL(/\/play\/bot\/[0-9a-f-]{36}$/);
  for (;;) {
    await myTurn(page);
    if (!(await isMyTurn(page))) break;
    await untilRevised(page, () => page.locator(".take-counters button").first().click());
  }
  await isOver(page);
  await assertRecorded(page);
  await assertAccessible(page, "a match of a bot that is over");
  await page.getByRole("link", { name: "All the bot's open matches" }).click();
  await page.getByRole("button", { name: "Leave the seats" }).click();
  await page.getByLabel("Token of the bot").waitFor();
  assertNoFaults();
  await context.close();
});

test("a live page reports the end of its session, and stops polling", async () => {
  const token = await server.run("bot", "register", "bea");
  const signIn = async (page) => {
    await page.goto(`${server.url}/play/bot`);
    await page.getByLabel("Token of the bot").fill(token);
    await page.getByRole("button", { name: "Take its seats" }).click();
    await page.getByText("bea has no open matches.").waitFor();
  };
  const { context, assertNoFaults } = await openContext(browser, server);
  const page = await context.newPage();
  await signIn(page);
  const elsewhere = await openContext(browser, server);
  await signIn(await elsewhere.context.newPage());
  await page.getByRole("alert").getByText("You are no longer signed in").waitFor();
  await assertAccessible(page, "a page whose session has ended");
  let asked = 0;
  page.on("request", () => asked++);
  // It signs in on the same page, and takes the seats back.
  await page.getByLabel("Token of the bot").fill(token);
  assert.equal(asked, 0);
  await page.getByRole("button", { name: "Take its seats" }).click();
  await page.getByText("bea has no open matches.").waitFor();
  assertNoFaults("401");
  await elsewhere.context.close();
  await context.close();
});
