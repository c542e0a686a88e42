// Entering a bot with the entry code of a tournament.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assertAccessible, follow, openContext, openPatientContext, schemes, serve, widths } from "./browser.js";

const { server, browser, openPage } = await serve();
let id, code;

before(async () => {
  id = await server.run("tournament", "create", "--title", "Class 7b", "--seats", "2", "--piles", "3,4");
  code = await server.run("tournament", "entry-code", id);
});

/** Enters a bot: first with a wrong code, then with the right one. `check` is called with the page and its description. */
async function enter(context, name, check) {
  const page = await context.newPage();
  await page.goto(`${server.url}/tournaments/${id}`);
  await page.getByRole("link", { name: "Enter a bot with a code" }).click();
  await page.getByRole("heading", { name: "Enter a bot into Class 7b" }).waitFor();
  await check(page, "the empty form");
  await page.getByLabel("Name of the bot").fill(name);
  await page.getByLabel("Entry code").fill("0000 0000 0000 0000");
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByRole("alert").getByText("this is not its entry code").waitFor();
  assert.equal(await page.getByLabel("Name of the bot").inputValue(), name, "the name is kept");
  assert.equal(await page.getByLabel("Entry code").inputValue(), "", "the code is not");
  await check(page, "a refused code");
  await page.getByLabel("Entry code").fill(code.toUpperCase());
  await page.getByRole("button", { name: "Enter" }).click();
  const shown = page.getByRole("region", { name: "Token" });
  await shown.getByText(`export LASTNIM_TOURNAMENT=${id}`).waitFor();
  await check(page, "the token of the new bot");
  const token = (await shown.innerText()).match(/LASTNIM_TOKEN=(\S+)/)[1];
  assert.match(await server.run("bot", "rotate", "--token", token), /^lastnim_/, "the token is the bot's");
  await page.getByRole("link", { name: "The tournament", exact: true }).click();
  await page.getByText(name).first().waitFor();
}

for (const colorScheme of schemes) {
  for (const width of widths) {
    test(`a code enters a bot, ${colorScheme}, ${width} px`, async () => {
      const { context, assertNoFaults } = await openContext(browser, server, { colorScheme, viewport: { width, height: 800 } });
      await enter(context, `ann-${colorScheme}-${width}`, assertAccessible);
      assertNoFaults("403");
      await context.close();
    });
  }
}

test("an update does not take a press away", async (t) => {
  const page = await openPage(t);
  await follow(page, `${server.url}/tournaments/${id}`);
  await page.getByRole("link", { name: "Enter a bot with a code" }).hover();
  await page.mouse.down();
  await server.run("bot", "register", "pressing", "--tournament", id, "--code", code);
  // The update has this long to come. Without it, the test passes.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.ok(!(await page.content()).includes("pressing"));
  await page.mouse.up();
  await page.getByRole("heading", { name: "Enter a bot into Class 7b" }).waitFor();
});

test("a code enters a bot without JavaScript", async () => {
  const context = await openPatientContext(browser, { javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
  await enter(context, "plain", () => {});
  await context.close();
});
