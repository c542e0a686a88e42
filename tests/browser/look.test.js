// What a picture does not show: colours stand out from mixed backgrounds, and nothing moves while a page loads.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { schemes, serve, widths } from "./browser.js";

const crowd = Array.from({ length: 32 }, (_, seat) => `epsilon-0.${seat + 10}`);

const { server, openPage } = await serve("--house", ["greedy", "timid", "loyal", ...crowd].join(","));
let match, addresses;

before(async () => {
  match = await server.run("match", "create", "--bots", crowd.join(","), "--piles", "5,9,9,9,9,9,9", "--clock", "1h");
  const tournaments = [
    await server.playTournament(["greedy", "timid", "loyal"], "--title", "Spring", "--seats", "3", "--piles", "3,4,5"),
    await server.playTournament(["greedy", "timid", "loyal"], "--title", "Cup", "--format", "knockout", "--seats", "2", "--piles", "3,4,5"),
  ];
  await server.waitUntilEnded(match);
  const [game] = (await server.json(`/tournaments/${tournaments[0]}/matches.json`)).matches;
  addresses = [
    ...["/", "/tournaments", "/matches", "/bots", "/bots/timid", "/bots/timid/audit", "/oracle", "/play", "/play/bot", "/organise", "/sign-in", "/docs", "/docs/write-a-bot"],
    ...tournaments.flatMap((id) => [`/tournaments/${id}`, `/tournaments/${id}/standings`, `/tournaments/${id}/matches`, `/embed/tournaments/${id}`]),
    ...[match, game.id].flatMap((id) => [`/matches/${id}`, `/embed/matches/${id}`]),
  ];
});

/** Returns the contrast of each sign of a seat in a capsule, and of each shaded number, with what it is drawn on. Runs in the page. */
function contrasts() {
  const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const paint = (colour) => {
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const light = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = [...brush.getImageData(0, 0, 1, 1).data].map((part) => light(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const contrast = (element, colour) => {
    const behind = [];
    for (let above = element; above; above = above.parentElement) behind.unshift(getComputedStyle(above).backgroundColor);
    const below = behind.map(paint).at(-1);
    const drawn = paint(colour);
    return { what: element.closest("[class]").outerHTML.slice(0, 120), ratio: Math.max(below, drawn) / Math.min(below, drawn) };
  };
  const signs = [...document.querySelectorAll("#board .taken .sign")];
  const numbers = [...document.querySelectorAll(".heat td[class]")];
  return {
    signs: signs.map((sign) => contrast(sign, getComputedStyle(sign).stroke)),
    numbers: numbers.map((number) => contrast(number, getComputedStyle(number).color)),
  };
}

for (const colorScheme of schemes) {
  test(`signs and numbers stand out from mixed colours, ${colorScheme}`, async (t) => {
    const page = await openPage(t, { colorScheme });
    await page.goto(`${server.url}/matches/${match}`);
    const { signs, numbers } = await page.evaluate(contrasts);
    assert.ok(signs.length >= 32 && numbers.length >= 32, `${signs.length} signs, ${numbers.length} numbers`);
    assert.deepEqual(signs.filter(({ ratio }) => ratio < 3), []);
    assert.deepEqual(numbers.filter(({ ratio }) => ratio < 4.5), []);
  });
}

for (const width of widths) {
  test(`nothing moves while a page loads, ${width} pixels wide`, async (t) => {
    const page = await openPage(t, { viewport: { width, height: 800 } });
    await page.addInitScript(() => {
      window.shifts = [];
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries()) window.shifts.push(`${value} ${sources.map(({ node }) => (node?.outerHTML ?? node?.data)?.slice(0, 80))}`);
      }).observe({ type: "layout-shift", buffered: true });
    });
    // The script replaces texts, such as times, by others of another width: nothing may be painted before that.
    await page.route(/\/lastnim[^/]*\.js/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    for (const address of addresses) {
      await page.goto(server.url + address);
      // Shifts are reported with the frame after them.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      assert.deepEqual(await page.evaluate(() => window.shifts), [], address);
    }
  });
}
