// A person plays a game, by mouse and by keyboard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, openContext, schemes, serve, widths } from "./browser.js";
import { until } from "./wait.js";

const { server, browser, openPage } = await serve("--house", "greedy,timid,oracle");

/** Starts a game against opponents, in seat 0. */
async function begin(page, { opponents, piles, rows = "standard", hasScripts = true }) {
  await page.goto(`${server.url}/play`);
  for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
  for (const name of opponents) await page.getByRole("checkbox", { name }).check();
  await page.getByLabel("Other piles").fill(piles);
  await page.getByLabel("Your seat").selectOption({ value: "0" });
  await page.getByLabel("What the seats want").selectOption({ value: rows });
  // Keys act once the page follows the game.
  const followed = hasScripts && page.waitForRequest(/\?since=/);
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/play\/[0-9a-f-]{36}$/);
  await followed;
}

const isOver = (page) => page.locator("#game .verdict").waitFor();
const myTurn = (page) => page.locator("#game .thumb-bar, #game .verdict").first().waitFor();
const isMyTurn = (page) => page.locator("#game .thumb-bar").isVisible();
const counter = (page, number) => page.locator(`#board button.counter[value="${number}"]`);
const takeButton = (page) => page.locator(".thumb-bar .main");

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
  assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /^You (won|lost to )/);
}

test("a game is played to its end by mouse", async (t) => {
  const page = await openPage(t);
  await begin(page, { opponents: ["timid"], piles: "3 4" });
  await assertAccessible(page, "a game");
  for (;;) {
    await myTurn(page);
    if (!(await isMyTurn(page))) break;
    // The first tap chooses, the second takes.
    await counter(page, 1).click();
    assert.equal(await takeButton(page).innerText(), "Take 1");
    await untilRevised(page, () => counter(page, 1).click());
  }
  await isOver(page);
  await assertRecorded(page);
  await assertAccessible(page, "a game that is over");
});

test("a game is played to its end by keyboard", async (t) => {
  const page = await openPage(t);
  await begin(page, { opponents: ["greedy"], piles: "2 5 3" });
  await myTurn(page);
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
});

test("keys do not act while a control elsewhere has the focus", async (t) => {
  const page = await openPage(t);
  await begin(page, { opponents: ["timid"], piles: "7" });
  await myTurn(page);
  const pressed = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    return takeButton(page).innerText();
  };
  for (const elsewhere of ["nav a", "summary"]) {
    await page.locator(elsewhere).first().focus();
    assert.equal(await pressed("1", "ArrowUp", "9"), "Tap a counter", elsewhere);
  }
  await counter(page, 2).focus();
  assert.equal(await pressed("3"), "Take 3");
  assert.equal(await pressed("ArrowUp"), "Take 4");
  assert.equal(await pressed("ArrowDown", "ArrowDown"), "Take 2");
  // There are only seven.
  assert.equal(await pressed("8"), "Tap a counter");
  assert.ok(await takeButton(page).isDisabled());
});

test("small fingers choose with minus and plus, and all counters above a chosen one move aside", async (t) => {
  const page = await openPage(t, { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } });
  await begin(page, { opponents: ["timid"], piles: "3 8 9" });
  await myTurn(page);
  await counter(page, 4).tap();
  assert.equal(await page.locator("#board .chosen").count(), 4);
  await page.getByRole("button", { name: "One more" }).tap();
  assert.equal(await page.locator("#board .chosen").count(), 5);
  for (let taps = 0; taps < 3; taps++) await page.getByRole("button", { name: "One fewer" }).tap();
  assert.equal(await takeButton(page).innerText(), "Take 2");
  // The bar stays at the bottom of the window, within reach of a thumb, and its buttons are large.
  await page.evaluate(() => scrollTo(0, 0));
  const bar = await page.locator(".thumb-bar").boundingBox();
  assert.ok(bar.y + bar.height <= 740 && bar.y > 500, `the bar is at ${bar.y}`);
  for (const button of await page.locator(".thumb-bar button").all()) {
    const { width, height } = await button.boundingBox();
    assert.ok(width >= 44 && height >= 44, `${width} by ${height}`);
  }
  await untilRevised(page, () => takeButton(page).tap());
  await page.getByRole("heading", { name: "Your turn: take 1 to 6" }).waitFor();
});

for (const reducedMotion of ["no-preference", "reduce"]) {
  test(`the others' takes are ${reducedMotion === "reduce" ? "shown at once if motion is reduced" : "shown one by one"}`, async (t) => {
    const page = await openPage(t, { reducedMotion });
    await begin(page, { opponents: ["greedy", "timid", "oracle"], piles: "5 4 3 6" });
    await myTurn(page);
    await page.evaluate(() => {
      window.seen = [];
      new MutationObserver(() => {
        const count = document.querySelectorAll("#board .taken:not(.coming)").length;
        if (window.seen.at(-1) !== count) window.seen.push(count);
      }).observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true });
    });
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("#board .taken:not(.coming)").length === 4);
    const seen = await page.evaluate(() => window.seen);
    const told = await page.locator(".told li").allInnerTexts();
    assert.equal(told.length, 4);
    assert.match(told[0], /^you took 1 of 6\.$/);
    assert.ok(told.some((line) => /: the pile is gone\.$/.test(line)), told.join(" "));
    if (reducedMotion === "no-preference") assert.deepEqual(seen.filter((count) => count > 0), [1, 2, 3, 4]);
  });
}

test("a lost game says what would have changed it, and goes back to that take", async (t) => {
  const page = await openPage(t);
  // Taking 4 would leave one counter of the pile to oracle, which would then lose.
  await begin(page, { opponents: ["oracle"], piles: "2 5" });
  for (;;) {
    await myTurn(page);
    if (!(await isMyTurn(page))) break;
    await page.keyboard.press("1");
    await untilRevised(page, () => page.keyboard.press("Enter"));
  }
  await assertRecorded(page);
  const change = await page.locator(".verdict .change").innerText();
  const [, take] = /^What would have changed it: at take (\d+) you took 1 of \d+\. Taking .+ would have made you win under optimal play\./.exec(change) ?? assert.fail(change);
  const before = await page.locator(".verdict li a").count();
  assert.ok(before > 0);
  const over = page.url();
  await page.getByRole("button", { name: `Go back to take ${take}` }).click();
  await page.waitForURL((url) => url.href !== over);
  await page.getByRole("heading", { name: /^Your turn/ }).waitFor();
  assert.equal(await page.locator("#board .taken").count(), 0);
});

for (const colorScheme of schemes) {
  for (const width of widths) {
    test(`each phase of a game is accessible, ${colorScheme}, ${width} pixels wide`, async (t) => {
      const page = await openPage(t, { colorScheme, viewport: { width, height: 800 } });
      await begin(page, { opponents: ["greedy", "timid"], piles: "1 2 9", rows: "declared" });
      await page.getByRole("heading", { name: "Whom would you like to see win?" }).waitFor();
      await assertAccessible(page, "a declaration");
      await page.getByRole("radio").nth(2).check();
      await page.getByRole("button", { name: "Declare and begin" }).click();
      await myTurn(page);
      await assertAccessible(page, "a turn");
      await page.keyboard.press("3");
      await assertAccessible(page, "a choice");
      while (await isMyTurn(page)) {
        await page.keyboard.press("1");
        await untilRevised(page, () => page.keyboard.press("Enter"));
        await myTurn(page);
      }
      await assertAccessible(page, "the end of a game");
    });
  }
}

test("a number is typed for a huge pile", async (t) => {
  const page = await openPage(t);
  await begin(page, { opponents: ["timid"], piles: "1 9223372036854775807" });
  await myTurn(page);
  await page.getByLabel("Take", { exact: true }).fill("9223372036854775806");
  assert.equal(await takeButton(page).innerText(), "Take 9223372036854775806");
  await assertAccessible(page, "a huge pile");
  await untilRevised(page, () => takeButton(page).click());
  await page.locator(".told").getByText("timid took 1 of 1: the pile is gone.").waitFor();
});

test("a game is played to its end without scripts, and found again", async () => {
  const { context, assertNoFaults } = await openContext(browser, server, { javaScriptEnabled: false });
  let page = await context.newPage();
  await begin(page, { opponents: ["timid"], piles: "2 2", hasScripts: false });
  const address = page.url();
  await page.close();
  page = await context.newPage();
  await page.goto(`${server.url}/play`);
  await page.getByRole("link", { name: "Back to your game" }).click();
  assert.equal(page.url(), address);
  const actUntilOver = async () => {
    if (await page.locator(".verdict").isVisible()) return true;
    // A counter takes at once, and a number can be typed.
    if ((await counter(page, 2).count()) > 0) await counter(page, 2).click();
    else if (await isMyTurn(page)) {
      await page.getByLabel("Take", { exact: true }).fill("1");
      await takeButton(page).click();
    } else await page.goto(address);
    return false;
  };
  await until(actUntilOver, "the game is over");
  await assertRecorded(page);
  assertNoFaults();
  await context.close();
});

test("strangers cannot open a game", async () => {
  const { context } = await openContext(browser, server);
  const page = await context.newPage();
  await begin(page, { opponents: ["timid"], piles: "3 3" });
  const address = page.url();
  const stranger = await openContext(browser, server);
  const other = await stranger.context.newPage();
  await other.goto(address);
  assert.equal(await other.locator("#game").count(), 0);
  await stranger.context.close();
  await context.close();
});

test("a match of a registered bot is played by hand", async (t) => {
  const token = await server.run("bot", "register", "ann");
  const page = await openPage(t);
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
  const followed = page.waitForRequest(/\/play\/bot\/[0-9a-f-]{36}\?since=/);
  await page.getByRole("link", { name: "your move" }).click();
  await page.waitForURL(/\/play\/bot\/[0-9a-f-]{36}$/);
  await followed;
  for (;;) {
    await myTurn(page);
    if (!(await isMyTurn(page))) break;
    await page.keyboard.press("1");
    await untilRevised(page, () => takeButton(page).click());
  }
  await isOver(page);
  await assertRecorded(page);
  await assertAccessible(page, "a match of a bot that is over");
  await page.getByRole("link", { name: "All the bot's open matches" }).click();
  await page.getByRole("button", { name: "Leave the seats" }).click();
  await page.getByLabel("Token of the bot").waitFor();
});

test("a live page reports the end of its session, and stops polling", async () => {
  const token = await server.run("bot", "register", "bea");
  const { context, assertNoFaults } = await openContext(browser, server);
  const page = await context.newPage();
  await page.goto(`${server.url}/play/bot`);
  await page.getByLabel("Token of the bot").fill(token);
  await page.getByRole("button", { name: "Take its seats" }).click();
  await page.getByText("bea has no open matches.").waitFor();
  const newToken = await server.run("bot", "rotate", "bea");
  await page.getByRole("alert").getByText("You are no longer signed in").waitFor();
  await assertAccessible(page, "a page whose session has ended");
  let asked = 0;
  page.on("request", () => asked++);
  // It signs in on the same page, and takes the seats back.
  await page.getByLabel("Token of the bot").fill(newToken);
  assert.equal(asked, 0);
  await page.getByRole("button", { name: "Take its seats" }).click();
  await page.getByText("bea has no open matches.").waitFor();
  assertNoFaults("401");
  await context.close();
});
