// A match with the maximum number of seats.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assertAccessible, schemes, serve, widths } from "./browser.js";

/** The maximum height of the page on a phone, in pixels: about ten screens, mostly for settings and verification. */
const maxHeight = 5000;

const crowd = Array.from({ length: 32 }, (_, seat) => `epsilon-0.${seat + 10}`);
const { server, openPage } = await serve("--house", crowd.join(","));
let match;

before(async () => {
  match = await server.run("match", "create", "--bots", crowd.join(","), "--piles", "30,40,2", "--clock", "1h");
  await server.waitUntilEnded(match);
});

for (const colorScheme of schemes) {
  for (const width of widths) {
    test(`a match with 32 seats is read at a glance, ${colorScheme}, ${width} pixels wide`, async (t) => {
      const page = await openPage(t, { colorScheme, viewport: { width, height: 800 } });
      await page.goto(`${server.url}/matches/${match}`);
      await assertAccessible(page, `32 seats, ${colorScheme}, ${width} pixels`);
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      assert.ok(height <= maxHeight, `it is ${height} pixels high`);
      assert.equal(await page.locator("#rows tbody tr").count(), 32);
    });
  }
}

test("one of 32 seats is played by hand, on a phone", async (t) => {
  const token = await server.run("bot", "register", "ann");
  await server.run("match", "create", "--bots", ["ann", ...crowd.slice(1)].join(","), "--piles", "30,40,2", "--clock", "1h", "--declare-within", "10m");
  const page = await openPage(t, { viewport: { width: widths[0], height: 800 } });
  await page.goto(`${server.url}/play/bot`);
  await page.getByLabel("Token of the bot").fill(token);
  await page.getByRole("button", { name: "Take its seats" }).click();
  await page.getByRole("link", { name: /your move|whom you want to see win/ }).click();
  await page.getByRole("button", { name: "Declare and begin" }).or(page.locator(".thumb-bar")).waitFor();
  await assertAccessible(page, "a declaration of 32 seats");
  if (await page.getByRole("button", { name: "Declare and begin" }).isVisible()) await page.getByRole("button", { name: "Declare and begin" }).click();
  await page.locator(".thumb-bar").waitFor();
  await assertAccessible(page, "a turn among 32 seats");
  await page.keyboard.press("2");
  await page.keyboard.press("Enter");
  // The others may finish the game before it is the player's turn again.
  await page.locator(".told li:nth-child(2), .verdict").first().waitFor();
  await assertAccessible(page, "takes among 32 seats");
});
