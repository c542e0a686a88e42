// Interactive parts of pages: sorting, opening, dragging, copying, and organising.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, schemes, serve, widths } from "./browser.js";
import { until } from "./wait.js";

const { server, openPage } = await serve();

/** A tournament that does not end during a test: its bots think about each take, and matches are played one after the other. */
const createLong = (name) =>
  server.createTournament({
    bots: { [`${name}-a`]: "mcts-2000", [`${name}-b`]: "mcts-2000", [`${name}-c`]: "mcts-2000" },
    further: ["--seats", "2", "--piles", "6,6", "--groups", "100000", "--concurrency", "1"],
  });

/** A tournament whose bots never connect. */
async function createWaiting(name) {
  const bots = [`${name}-a`, `${name}-b`];
  const id = await server.run("tournament", "create", "--seats", "2", "--piles", "3", "--clock", "1h", "--declare-within", "1h");
  for (const bot of bots) {
    await server.run("bot", "register", bot);
    await server.run("tournament", "join", id, "--bot", bot);
  }
  await server.run("tournament", "start", id);
  return id;
}

test("updates keep tables sorted and details open", async (t) => {
  const id = await createLong("sorted");
  const page = await openPage(t);
  await page.goto(`${server.url}/tournaments/${id}`);
  await page.evaluate(() => {
    window.swaps = 0;
    document.addEventListener("swapped", (event) => {
      if (event.target.id === "standings") window.swaps += 1;
    });
  });
  const heading = page.locator("#standings th", { hasText: /^bot$/ });
  await heading.getByRole("button").click();
  await heading.getByRole("button").click();
  const details = page.locator("#standings details").first();
  await details.locator("summary").click();
  const swaps = await page.evaluate(() => window.swaps);
  await page.waitForFunction((before) => window.swaps >= before + 2, swaps);
  assert.equal(await heading.getAttribute("aria-sort"), "descending");
  const bots = await page.locator("#standings tbody").first().locator("tr").allInnerTexts();
  assert.deepEqual(
    bots.map((row) => row.match(/sorted-./)[0]),
    ["sorted-c", "sorted-b", "sorted-a"],
  );
  assert.equal(await details.getAttribute("open"), "");
});

test("wants are dragged into another order", async (t) => {
  const page = await openPage(t);
  await page.goto(`${server.url}/oracle?piles=3+4&rows=1+2+3%3B2+3+1%3B3+1+2`);
  const row = page.getByRole("list", { name: /^What seat 1 wants/ });
  const seats = row.getByRole("listitem");
  await seats.nth(2).dragTo(seats.nth(0));
  const field = page.getByLabel("Wants", { exact: true });
  assert.equal(await field.inputValue(), "3>1>2; 2>3>1; 3>1>2");
  // Dragging into the row of another seat does nothing.
  await seats.nth(2).dragTo(page.getByRole("list", { name: /^What seat 2 wants/ }).getByRole("listitem").nth(0));
  assert.equal(await field.inputValue(), "3>1>2; 2>3>1; 3>1>2");
  await page.locator("form[data-position]").getByRole("button", { name: "Ask the oracle" }).click();
  await page.waitForURL((url) => url.searchParams.get("rows") === "3>1>2; 2>3>1; 3>1>2");
  await page.getByRole("heading", { level: 1, name: /^Seat \d wins if every seat plays for what it wants$/ }).waitFor();
});

for (const isAllowed of [true, false]) {
  test(`the text to paste is ${isAllowed ? "copied" : "selected if copying is not allowed"}`, async (t) => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await openPage(t, { permissions });
    if (!isAllowed) await page.addInitScript(() => (navigator.clipboard.writeText = () => Promise.reject(new Error("no"))));
    const id = await server.run("tournament", "create", "--title", "to paste <b>", "--seats", "2", "--piles", "3");
    // An update of a live page would replace the text and end the selection.
    await server.run("tournament", "cancel", id);
    await page.goto(`${server.url}/tournaments/${id}`);
    await page.getByText("The result as text").click();
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText(isAllowed ? "copied" : "selected: press Ctrl+C").waitFor();
    const text = await page.locator("#result").textContent();
    assert.match(text, /^title +to paste <b>\n/);
    const copied = await page.evaluate((allowed) => (allowed ? navigator.clipboard.readText() : getSelection().toString()), isAllowed);
    assert.equal(copied.trimEnd(), text.trimEnd());
  });
}

/** Signs in as the organiser, at one of the organiser's pages. */
async function signIn(page, address) {
  await page.goto(server.url + address);
  await page.getByLabel("Admin token").fill(server.adminToken);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

for (const colorScheme of schemes) {
  test(`forms of an organiser are accessible with their mistakes, ${colorScheme}`, async (t) => {
    const page = await openPage(t, { expected: ["422 (Unprocessable Entity)"], colorScheme, viewport: { width: widths[0], height: 800 } });
    await signIn(page, "/organise");
    await assertAccessible(page, "the start page of organisers");
    for (const [name, field] of [["new-tournament", "seats"], ["new-match", "piles"], ["bots", "name"]]) {
      await page.goto(`${server.url}/organise/${name}`);
      await assertAccessible(page, name);
      await page.locator(`#${field}`).fill("<none of these>");
      await page.locator(`#${field}`).press("Enter");
      await page.locator(`#${field}-mistake`).waitFor();
      await assertAccessible(page, `${name} with a mistake`);
    }
  });
}

for (const javaScriptEnabled of [true, false]) {
  test(`a match is voided ${javaScriptEnabled ? "with" : "without"} scripts`, async (t) => {
    const id = await createWaiting(javaScriptEnabled ? "scripted" : "bare");
    const page = await openPage(t, { expected: ["422 (Unprocessable Entity)"], javaScriptEnabled, viewport: { width: 390, height: 800 } });
    const address = `${server.url}/organise/tournaments/${id}`;
    await signIn(page, "/organise");
    const box = page.getByRole("checkbox", { name: "1", exact: true });
    const hasBox = async () => {
      await page.goto(address);
      return (await box.count()) > 0;
    };
    await until(hasBox, "match 1 has begun");
    await page.getByLabel("Duplicate groups").fill("none");
    await page.locator("#void-reason").fill("the <network> was down");
    await page.getByRole("button", { name: "Void" }).click();
    await page.getByText('group "none": expected a whole number').waitFor();
    assert.equal(await page.locator("#void-reason").inputValue(), "the <network> was down");
    if (javaScriptEnabled) await assertAccessible(page, "a form to void matches");
    await page.getByLabel("Duplicate groups").fill("");
    await box.check();
    await page.getByRole("button", { name: "Void" }).click();
    await page.getByRole("heading", { name: "Void the matches?" }).waitFor();
    if (javaScriptEnabled) await assertAccessible(page, "the confirmation before voiding");
    await page.getByRole("button", { name: "Void" }).click();
    await page.getByText("match 1 voided, to be played again: the <network> was down").waitFor();
    assert.equal(page.url(), address);
    const { matches } = await server.json(`/tournaments/${id}/matches.json?state=voided`);
    assert.equal(matches.length, 1);
  });
}
