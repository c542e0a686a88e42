// All pages, in both colour schemes and widths, with and without scripts.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assertAccessible, openContext, schemes, serve, widths } from "./browser.js";

const { server, browser, openPage } = await serve("--house", "greedy,timid,oracle");
let addresses, match;

before(async () => {
  const bots = { ann: "greedy", bob: "timid", eve: "loyal" };
  const tournament = await server.createTournament({
    bots,
    further: ["--seats", "3", "--title", "Spring", "--piles", "3,4,5", "--piles", "1,2"],
  });
  await server.waitUntilOver(tournament);
  const { matches } = await server.json(`/tournaments/${tournament}/matches.json`);
  match = matches.reduce((longest, other) => (other.plies > longest.plies ? other : longest)).id;
  addresses = [
    "/",
    "/tournaments",
    `/tournaments/${tournament}`,
    `/tournaments/${tournament}/standings`,
    `/tournaments/${tournament}/matches`,
    "/matches",
    `/matches/${match}`,
    `/matches/${match}?ply=2`,
    "/bots",
    "/bots/ann",
    "/bots/ann/audit",
    "/play",
    "/organise",
    "/docs",
    "/docs/write-a-bot",
    "/oracle",
    "/oracle?piles=3%2C4&rows=1+2%3B2+1",
    "/oracle?piles=no",
    "/nothing",
  ];
});

for (const colorScheme of schemes) {
  for (const width of widths) {
    test(`pages are accessible, ${colorScheme}, ${width} pixels wide`, async (t) => {
      const page = await openPage(t, { colorScheme, viewport: { width, height: 800 }, reducedMotion: "reduce", expected: ["404"] });
      for (const address of addresses) {
        await page.goto(server.url + address);
        await assertAccessible(page, `${address}, ${colorScheme}, ${width} pixels`);
      }
    });
  }
}

test("pages contact no other host, and obey their policy", async (t) => {
  const page = await openPage(t);
  for (const address of addresses.filter((address) => address !== "/nothing")) {
    await page.goto(server.url + address);
  }
});

test("pages say the same without scripts", async () => {
  const text = async (javaScriptEnabled) => {
    const { context } = await openContext(browser, server, { javaScriptEnabled });
    const page = await context.newPage();
    const texts = {};
    for (const address of addresses) {
      await page.goto(server.url + address);
      // Scripts only add conveniences; the content is in paragraphs, tables and headings.
      const found = await page.locator("main").locator("h1, h2, td").allInnerTexts();
      // Some values, such as the speed of house bots, change.
      texts[address] = found.map((words) => words.replace(/\d+/g, "0"));
    }
    await context.close();
    return texts;
  };
  const [without, with_] = [await text(false), await text(true)];
  for (const address of addresses) {
    assert.ok(without[address].length > 0, address);
    const missing = with_[address].filter((words) => !without[address].includes(words) && !/\d:\d/.test(words));
    assert.deepEqual(missing, [], address);
  }
});

test("puzzles are solved on the board, by mouse and by keyboard", async (t) => {
  const page = await openPage(t);
  await page.goto(`${server.url}/bots/bob/audit`);
  const puzzle = page.locator("[data-optimal]").first();
  // The page reloads until the audit is done.
  await puzzle.locator("form").waitFor();
  await assertAccessible(page, "puzzles with their forms");
  const { optimal, counters } = await puzzle.evaluate(({ dataset }) => ({ ...dataset }));
  const ranges = optimal.split(" ").map((range) => range.split("-").map(Number));
  const isOptimal = (take) => ranges.some(([lo, hi]) => take >= lo && take <= hi);
  const takes = Array.from({ length: Number(counters) }, (_, index) => index + 1);
  const wrong = takes.find((take) => !isOptimal(take));
  const answer = puzzle.locator("details");
  const field = puzzle.getByLabel("Take");
  await field.fill(String(wrong));
  await field.press("Enter");
  await puzzle.getByText(`Taking ${wrong} is an error. Try another take.`).waitFor();
  await field.fill("0");
  await field.press("Enter");
  await puzzle.getByText(`Take 1 to ${counters}.`).waitFor();
  assert.equal(await answer.getAttribute("open"), null);
  const right = takes.find(isOptimal);
  await puzzle.locator(".in-play .counter").nth(Number(counters) - right).click();
  await puzzle.getByText(`Taking ${right} is optimal.`).waitFor();
  assert.equal(await answer.getAttribute("open"), "");
});

test("printed pages use colours for white paper", async (t) => {
  const page = await openPage(t, { colorScheme: "dark" });
  await page.goto(`${server.url}/matches/${match}`);
  const colour = () => page.evaluate(() => getComputedStyle(document.body).color);
  const onScreen = await colour();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const onPaper = await colour();
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  assert.equal(onPaper, await colour());
  assert.notEqual(onPaper, onScreen);
});
