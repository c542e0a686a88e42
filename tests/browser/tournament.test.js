// The pages of tournaments of every format, the home page, and lists: what they say first, how they fit, and hostile names.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assertAccessible, openContext, schemes, serve, widths } from "./browser.js";

const house = ["oracle", "grudger", "minimax-3", "epsilon-0.1", "epsilon-0.3", "random", "timid", "traitor", "mirror", "loyal", "greedy"];
const crowd = Array.from({ length: 32 }, (_, bot) => `epsilon-0.${bot + 10}`);
const hostile = "<i>Spring & \"</i>".padEnd(100, "W");

const { server, browser } = await serve("--house", [...house, ...crowd].join(","));
/** The ids of tournaments, by what they are like. */
const tournaments = {};

/** Creates a tournament of house bots, and starts it. */
async function create(bots, ...further) {
  const id = await server.run("tournament", "create", "--clock", "1h", "--start-when", String(bots.length), ...further);
  for (const bot of bots) await server.run("tournament", "join", id, "--bot", bot);
  return id;
}

before(async () => {
  const small = ["--seats", "2", "--piles", "3,4", "--piles", "2,5"];
  tournaments.robin = await create(house.slice(0, 6), "--title", "Winter", "--seats", "3", "--piles", "3,4,5");
  tournaments.two = await create(house.slice(0, 2), "--title", "Pair", ...small);
  tournaments.crowd = await create(crowd, "--title", "Crowd", ...small, "--groups", "40");
  tournaments.knockout = await create(house, "--title", "Cup", "--format", "knockout", ...small);
  tournaments.tables = await create(crowd, "--title", "Tables", "--format", "knockout", "--seats", "4", "--advance", "2", "--piles", "3,4");
  tournaments.swiss = await create(house, "--title", "Swiss", "--format", "swiss", "--rounds", "3", ...small);
  tournaments.gauntlet = await create(house.slice(0, 6), "--title", "Gauntlet", "--format", "gauntlet", "--bot", "oracle", ...small);
  tournaments.ladder = await create(house.slice(0, 6), "--title", "Ladder", "--format", "ladder", "--groups", "40", ...small);
  tournaments.sprt = await create(["oracle", "random"], "--title", "Test", "--format", "sprt", "--candidate", "oracle", "--baseline", "random", "--effect-some", "0.2", "--groups", "200", ...small);
  for (const id of Object.values(tournaments)) await server.waitUntilOver(id);
  // Names as long as they may be, and a title that is not HTML.
  const names = ["a", "b", "c"].map((letter) => letter.repeat(32));
  const bots = { [names[0]]: "timid", [names[1]]: "random", [names[2]]: "loyal" };
  tournaments.named = await server.createTournament({ bots, further: ["--seats", "3", "--title", hostile, "--piles", "1,9223372036854775807"] });
  await server.waitUntilOver(tournaments.named);
  tournaments.open = await server.run("tournament", "create", "--title", "Open", "--seats", "2", "--piles", "3");
  const later = (milliseconds) => new Date(Date.now() + milliseconds).toISOString();
  tournaments.timed = await server.run("tournament", "create", "--title", "Timed", "--seats", "2", "--piles", "3", "--start-at", later(10_500_000), "--entries-close-at", later(7_000_000));
  // Its bots think about each take, so that it does not end during the tests.
  const slow = { "slow-a": "mcts-5000", "slow-b": "mcts-5000", "slow-c": "mcts-5000" };
  tournaments.running = await server.createTournament({ bots: slow, further: ["--title", "Running", "--seats", "2", "--piles", "6,6", "--groups", "100000", "--concurrency", "2"] });
});

const address = (name) => `${server.url}/tournaments/${tournaments[name]}`;
const standings = (name) => server.json(`/tournaments/${tournaments[name]}/standings.json`);

/** Opens an address in a new context. */
async function open(url, options = {}) {
  const { context, assertNoFaults } = await openContext(browser, server, options);
  const page = await context.newPage();
  await page.goto(url);
  const close = async () => {
    assertNoFaults();
    await context.close();
  };
  return { page, close };
}

for (const colorScheme of schemes) {
  for (const width of widths) {
    test(`tournaments of every format are accessible and fit, ${colorScheme}, ${width} pixels wide`, async () => {
      const { page, close } = await open(server.url, { colorScheme, viewport: { width, height: 800 }, reducedMotion: "reduce" });
      for (const url of [server.url, `${server.url}/tournaments`, `${server.url}/matches`, ...Object.keys(tournaments).map(address)]) {
        await page.goto(url);
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
        await assertAccessible(page, `${url} ${await page.title()}, ${colorScheme}, ${width} pixels`);
      }
      await close();
    });
  }
}

test("the heading names who won, and the standings draw why that is sure or not", async () => {
  const { page, close } = await open(address("robin"), { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
  const lines = (await standings("robin")).standings;
  assert.equal(await page.locator("h1").innerText(), `${lines[0].bot} won`);
  const rivals = lines.slice(1).filter(({ rating }) => rating.high >= lines[0].rating.low);
  const lede = await page.locator(".lede").innerText();
  for (const { bot } of lines.slice(1)) assert.equal(lede.includes(bot), rivals.some((rival) => rival.bot === bot), `${bot}: ${lede}`);
  const rows = await page.locator(".standings tbody tr").evaluateAll((rows) =>
    rows.map((row) => {
      const place = (part) => row.querySelector(part).getBoundingClientRect();
      const [range, bound] = [place(".range"), place(".bound")];
      return { bot: row.querySelector("th").innerText, crosses: range.right + 1 >= bound.left, mayLead: !!row.querySelector(".may-lead"), line: bound.left };
    }),
  );
  assert.deepEqual(rows.map(({ bot }) => bot), lines.map(({ bot }) => bot));
  assert.equal(new Set(rows.map(({ line }) => Math.round(line))).size, 1, "the line is straight");
  for (const [index, row] of rows.entries()) {
    const isExpected = index === 0 || rivals.some(({ bot }) => bot === row.bot);
    assert.equal(row.mayLead, isExpected, row.bot);
    assert.equal(row.crosses, isExpected, row.bot);
  }
  await close();
});

test("the cross-table is in the order of places, and its first column stays in view on a phone", async () => {
  const { page, close } = await open(address("swiss"), { viewport: { width: 360, height: 800 } });
  const { standings: lines, cross_table: compared } = await standings("swiss");
  const order = lines.map(({ bot }) => bot);
  const names = await page.locator(".cross tbody th").allInnerTexts();
  assert.deepEqual(names.map((name) => name.replace(/^\d+\s*/, "")), order);
  for (const { bot, other, wins = 0, other_wins: lost = 0 } of compared) {
    const cell = page.locator(".cross tbody tr").nth(order.indexOf(bot)).locator("td").nth(order.indexOf(other));
    if (wins + lost > 0) assert.equal(Number(await cell.innerText()), Math.round((100 * wins) / (wins + lost)), `${bot}, ${other}`);
  }
  const head = page.locator(".cross tbody th").first();
  const before = await head.boundingBox();
  const scrolled = await page.locator(".scroll:has(.cross)").evaluate((frame) => (frame.scrollLeft = 60) && frame.scrollLeft);
  assert.equal(scrolled, 60);
  assert.ok((await head.boundingBox()).x >= before.x - 10, "it has scrolled away");
  await close();
});

test("the bracket marks the path of the champion, from the final down on a phone", async () => {
  const { page, close } = await open(address("knockout"), { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
  const champion = (await page.locator("h1").innerText()).replace(" is champion", "");
  assert.equal(champion, (await standings("knockout")).standings[0].bot);
  const path = page.locator(".tie.path");
  const rounds = page.locator(".bracket > li");
  assert.equal(await path.count(), await rounds.count());
  for (const words of await path.allInnerTexts()) assert.ok(words.includes(champion), words);
  const reasons = await page.locator(".tie:not(.bye) > .soft").allInnerTexts();
  assert.ok(reasons.length >= 10 && reasons.every((reason) => /^(decided by points|level )/.test(reason)), reasons.join("; "));
  const [last, first] = [rounds.first(), rounds.last()];
  assert.equal(await last.locator("h3").innerText(), "Final");
  assert.ok((await last.boundingBox()).x > (await first.boundingBox()).x, "the final is on the right");
  await page.setViewportSize({ width: 360, height: 800 });
  const [final, earlier] = [await last.boundingBox(), await first.boundingBox()];
  assert.ok(final.y < earlier.y && final.x === earlier.x, "the final is above the first round");
  await close();
});

test("lines of the bracket join the middles of tables", async () => {
  const { page, close } = await open(address("tables"), { viewport: { width: 1280, height: 900 } });
  const misses = await page.locator(".bracket > li").evaluateAll((rounds) =>
    rounds.flatMap((round) => {
      const svg = round.querySelector(".lane > svg");
      if (!svg) return [];
      const box = svg.getBoundingClientRect();
      const middles = [...round.querySelectorAll(".tie")].map((tie) => tie.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2);
      const starts = [...svg.querySelectorAll("path")].map((path) => box.top + (box.height * Number(/^M0 ([\d.]+)/.exec(path.getAttribute("d"))[1])) / 100);
      return starts.map((start) => Math.min(...middles.map((middle) => Math.abs(middle - start))));
    }),
  );
  assert.ok(misses.length >= 16 && misses.every((miss) => miss < 2), misses.join(" "));
  await close();
});

test("every format says its finding first, and keeps what it shows", async () => {
  const { page, close } = await open(address("sprt"), { javaScriptEnabled: false });
  assert.match(await page.locator("h1").innerText(), /oracle is (not )?better than random$/);
  const parts = { sprt: "Capital", swiss: "Rounds", knockout: "Bracket", gauntlet: "Opponents", ladder: "Ratings over time" };
  for (const [name, heading] of Object.entries(parts)) {
    await page.goto(address(name));
    await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    for (const words of ["Settings", "Downloads", "The result as text"]) assert.equal(await page.locator("summary", { hasText: words }).count(), 1, words);
  }
  await page.goto(address("open"));
  assert.equal(await page.locator("h1").innerText(), "No bot has joined yet");
  await close();
});

test("lists and cards name winners and leaders, and show no ids", async () => {
  const { page, close } = await open(`${server.url}/tournaments`, { javaScriptEnabled: false });
  const row = page.locator("tr", { hasText: "Cup" });
  const champion = (await standings("knockout")).standings[0].bot;
  assert.match(await row.innerText(), new RegExp(`${champion} is champion`));
  const noIds = async () => assert.doesNotMatch(await page.locator("main").innerText(), /[0-9a-f]{8}-[0-9a-f]{4}-/);
  await noIds();
  await page.goto(`${server.url}/tournaments/${tournaments.robin}/matches`);
  const { matches } = await server.json(`/tournaments/${tournaments.robin}/matches.json`);
  const winner = matches[0].setup.bots[matches[0].winner ?? 0];
  const link = page.locator(`a[href="/matches/${matches[0].id}"]`);
  assert.equal(await link.innerText(), `${winner} won`);
  await noIds();
  for (const url of [server.url, address("robin"), address("running")]) {
    await page.goto(url);
    await noIds();
  }
  await page.goto(address("robin"));
  assert.equal(await page.locator(".ended li").first().locator("b").innerText(), `${winner} won`);
  await close();
});

test("open matches are shown as previews that lead to them", async () => {
  const { page, close } = await open(address("running"));
  const preview = page.locator(".previews a").first();
  await preview.waitFor();
  assert.ok((await preview.locator(".stack").count()) === 2 && (await preview.locator(".sign").count()) >= 2);
  assert.match(await page.locator("h1").innerText(), /^(slow-[abc] leads|.* share the lead|No match has ended yet)$/);
  await close();
});

for (const reducedMotion of ["no-preference", "reduce"]) {
  test(`the live match of the home page pauses, with ${reducedMotion === "reduce" ? "less" : "all"} motion`, async () => {
    const { page, close } = await open(server.url, { reducedMotion });
    const button = page.locator("[data-pause]");
    const words = () => page.locator("#featured").innerText();
    const changes = async (before) => page.waitForFunction((before) => document.querySelector("#featured").innerText !== before, before);
    if (reducedMotion === "reduce") await page.locator('[data-pause][aria-pressed="true"]').waitFor();
    else {
      await changes(await words());
      await button.click();
    }
    const paused = await words();
    await new Promise((resolve) => setTimeout(resolve, 3000));
    assert.equal(await words(), paused);
    await button.click();
    await changes(paused);
    await close();
  });
}

test("the home page says what this is and what is on, without scripts", async () => {
  const { page, close } = await open(server.url, { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
  assert.match(await page.locator("h1").innerText(), /oracle that knows/);
  await page.getByRole("link", { name: "Play a game" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Pause" }).count(), 0);
  const card = page.locator(".cards li").first();
  assert.match(await card.innerText(), /Running/);
  const named = page.locator(".cards li", { hasText: "Spring" });
  assert.ok((await named.innerText()).includes(hostile), "the title is text");
  await close();
});

test("a tournament says how long it is until it starts, and starts by itself", async () => {
  const { page, close } = await open(address("timed"));
  const progress = await page.locator("#progress").innerText();
  assert.match(progress, /starts .+ \(in 2 h \d+ min\)/);
  assert.match(progress, /entries close .+ \(in 1 h \d+ min\)/);
  await close();
  const start = new Date(Date.now() + 4_000).toISOString();
  tournaments.soon = await server.run("tournament", "create", "--title", "Soon", "--seats", "2", "--piles", "3", "--start-at", start);
  const soon = await open(address("soon"));
  await soon.page.waitForFunction(() => document.querySelector("#progress").innerText.includes("as soon as enough bots have joined"));
  for (const bot of ["oracle", "timid"]) await server.run("tournament", "join", tournaments.soon, "--bot", bot);
  await soon.page.waitForFunction(() => document.querySelector("#progress").innerText.includes("2 of 2 matches played"));
  assert.equal(await soon.page.locator("[data-coming]").count(), 0);
  await soon.close();
});
