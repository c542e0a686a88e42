// The interactions that depend most on the browser, in Firefox. Playwright cannot drive Debian's Firefox, so these tests use Puppeteer.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { Network } from "./network.js";
import { Server } from "./server.js";
import { patience } from "./wait.js";

let server, browser, match;

before(async () => {
  server = await Server.start("--house", "timid,random,oracle,greedy");
  match = await server.run("match", "create", "--bots", "random,timid", "--piles", "4,3");
  browser = await puppeteer.launch({ browser: "firefox", executablePath: process.env.LASTNIM_FIREFOX, headless: true, timeout: patience });
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Opens a page whose waits are patient. */
async function openPage(options) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(patience);
  return page;
}

/** Runs a test with a page that must log no errors. */
function withPage(name, run) {
  test(name, async () => {
    const page = await openPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await run(page);
    assert.deepEqual(faults, []);
    await page.close();
  });
}

const textOf = (page, selector) => page.$eval(selector, (element) => element.innerText);
/** Waits until a function returns true in the page. The pages' policy forbids what Puppeteer's own function for this does. */
async function until(page, isTrue, ...args) {
  const end = Date.now() + patience;
  while (!(await page.evaluate(isTrue, ...args))) {
    assert.ok(Date.now() < end, `not within ${patience} ms: ${isTrue} ${args}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
/** Waits until an element has a text. */
const shows = (page, selector, text) => until(page, (selector, text) => document.querySelector(selector)?.innerText.includes(text), selector, text);

withPage("a match steps by keys, buttons and the slider, and supposes a take", async (page) => {
  await server.waitUntilEnded(match);
  const { plies } = (await server.json(`/matches/${match}.json`)).match;
  await page.goto(`${server.url}/matches/${match}`);
  await page.waitForSelector('#said[aria-live="polite"]');
  await page.keyboard.press("End");
  await shows(page, "#where", `take ${plies} of ${plies}`);
  await page.keyboard.press("Home");
  await shows(page, "#where", `take 0 of ${plies}`);
  await page.click('#steps [data-act="forward"]');
  await shows(page, "#where", `take 1 of ${plies}`);
  await page.focus("#slider");
  await page.keyboard.press("ArrowRight");
  await shows(page, "#where", `take 2 of ${plies}`);
  await page.keyboard.press("Home");
  await page.click("#board a[data-take]");
  await shows(page, "#said", "What if:");
  await page.keyboard.press("Escape");
  await until(page, () => !document.querySelector("#said").innerText.includes("What if:"));
});

withPage("a game is played by taps", async (page) => {
  await page.goto(`${server.url}/play`);
  for (const box of await page.$$(".opponents input:checked")) await box.click();
  await page.click(".opponents input");
  await page.select("#seat", "0");
  await page.$eval("#piles", (field) => (field.value = "3 4"));
  await Promise.all([page.waitForNavigation(), page.click('form.question [type="submit"]')]);
  for (;;) {
    await page.waitForSelector("#game .thumb-bar, #game .verdict");
    if (!(await page.$("#game .thumb-bar"))) break;
    const revision = await page.$eval("#game", (game) => game.dataset.revision);
    // The first tap chooses, the second takes.
    await page.click('#board button.counter[value="1"]');
    assert.equal(await textOf(page, ".thumb-bar .main"), "Take 1");
    await page.click('#board button.counter[value="1"]');
    await until(page, (old) => document.getElementById("game").dataset.revision !== old, revision);
  }
  assert.match(await textOf(page, "h1"), /^You (won|lost to )/);
});

withPage("windows are followed over one connection, also after an interruption", async (page) => {
  const network = await Network.to(server);
  const id = await server.createTournament({
    bots: { ann: "mcts-2000", bob: "mcts-2000" },
    further: ["--seats", "2", "--piles", "6,6", "--groups", "100000", "--concurrency", "1"],
  });
  // A tab behind another one is hidden, but not a window.
  const other = await openPage({ type: "window" });
  const windows = [page, other];
  for (const tab of windows) await tab.goto(`${network.url}/tournaments/${id}`);
  assert.deepEqual(await Promise.all(windows.map((tab) => tab.evaluate(() => document.hidden))), [false, false]);
  const untilProgress = async (tab) => {
    const before = await textOf(tab, "#progress");
    await until(tab, (before) => document.querySelector("#progress").innerText !== before, before);
  };
  await Promise.all(windows.map(untilProgress));
  await network.untilStreams(1);
  network.cut();
  await Promise.all(windows.map((tab) => shows(tab, ".live-status", "Connection lost")));
  network.restore();
  await Promise.all(windows.map(untilProgress));
  await network.untilStreams(1);
  await other.close();
  network.close();
});

withPage("a match is shown in a frame", async (page) => {
  await page.goto(`${server.url}/embed/matches/${match}`);
  await shows(page, "main", "won");
  assert.equal(await page.$("script"), null);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0);
});

withPage("pages fit windows of all widths", async (page) => {
  const small = ["--seats", "2", "--piles", "3,4"];
  const knockout = await server.playTournament(["timid", "random", "oracle", "greedy"], "--format", "knockout", ...small);
  const everyone = await server.playTournament(["timid", "random", "oracle"], ...small);
  const addresses = [
    "/", `/tournaments/${knockout}`, `/tournaments/${everyone}`, `/tournaments/${everyone}/matches`, `/matches/${match}`, "/matches", "/bots",
    "/bots/oracle", "/bots/oracle/audit", "/play", "/play/bot", "/organise", "/sign-in", "/docs", "/docs/first-bot",
    "/oracle?piles=3+4+5&rows=1>3>2%3B2>1>3%3B3>2>1",
  ];
  for (const width of [360, 768, 1280, 1920]) {
    // Debian's Firefox sets the size, but refuses to turn the screen.
    await page.setViewport({ width, height: 800 }).catch(() => {});
    await until(page, (width) => innerWidth === width, width);
    for (const address of addresses) {
      const response = await page.goto(server.url + address);
      assert.ok([200, 304].includes(response.status()), address);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, `${address} at ${width} pixels`);
    }
  }
});
