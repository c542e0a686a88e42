// What a screen reader says on the most important pages, from top to bottom.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { openContext, serve } from "./browser.js";

const { server, browser } = await serve("--house", "oracle,greedy,timid");
let tournament;

before(async () => {
  tournament = await server.playTournament(["oracle", "greedy", "timid"], "--title", "Spring", "--seats", "3", "--piles", "3,4,5");
});

/** Returns what a part of a page says, a line each, without the addresses of links and with a fixed time on clocks. */
async function heard(page, selector) {
  const tree = await page.locator(selector).ariaSnapshot();
  const lines = tree.split("\n").filter((line) => !line.includes("/url:"));
  return lines.map((line) => line.replace(/(timer "time left": ).*/, "$1…").replace(/ \d+\.\d s /, " … s ").replace(/:$/, ""));
}

/** Checks that some lines follow each other. */
function assertHeard(lines, expected) {
  const wanted = expected.trim().split("\n").map((line) => line.trim());
  const said = lines.map((line) => line.trim());
  const start = said.findIndex((_, index) => wanted.every((line, offset) => said[index + offset] === line));
  assert.ok(start >= 0, `expected these lines:\n${wanted.join("\n")}\nin:\n${said.join("\n")}`);
}

/** Opens a page. */
async function open(address) {
  const { context, assertNoFaults } = await openContext(browser, server);
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(server.url + address);
  const close = async () => {
    assert.doesNotMatch((await heard(page, "body")).join("\n"), /[0-9a-f]{8}-[0-9a-f]{4}/, "nobody wants to hear an id");
    assertNoFaults();
    await context.close();
  };
  return { page, close };
}

test("a match is told in order", async () => {
  const { matches } = await server.json(`/tournaments/${tournament}/matches.json`);
  const { page, close } = await open(`/matches/${matches.at(-1).id}?ply=3`);
  await page.locator('#said[aria-live="polite"]').waitFor();
  const lines = await heard(page, "main");
  assertHeard(
    lines,
    `- heading "timid won, because greedy took 3 of 3 at take 3. Taking 2 would have made greedy win." [level=1]
     - paragraph: When no counter is left, the seat to move wins. 3 seats, 4 takes, 2 errors. Optimal play from the start would have had the same winner.
     - region "The board and the seats"
     - list
     - listitem
     - link "oracle"
     - timer "time left": …`,
  );
  assertHeard(
    lines,
    `- 'group "The board: piles of 3, 0, 0; pile 1 is in play"'
     - link "If oracle takes 1, greedy wins"
     - link "If oracle takes 2, greedy wins"
     - link "If oracle takes 3, which is optimal, timid wins"
     - 'link "Take 2: timid took 1 of 4, an error"'
     - 'link "Take 3: greedy took 3 of 3, an error"'
     - 'link "Take 1: oracle took 5 of 5"'
     - region "Steps"
     - slider "The position that is shown": "3"
     - navigation "Go to a take"
     - link "First"
     - link "Back"
     - link "Forward"
     - link "Last"
     - link "Next error"
     - button "Play"
     - text: take 3 of 4`,
  );
  assertHeard(
    lines,
    `- listitem
     - link "take 1 to 2"
     - text: greedy wins costs 1 place
     - listitem
     - link "take 3"
     - text: timid wins optimal
     - heading "Best play from here" [level=3]
     - paragraph: oracle takes 3 timid wins`,
  );
  assertHeard(
    lines,
    `- heading "Takes" [level=2]
     - list
     - listitem
     - link "1 oracle 5 of 5 … s optimal"
     - listitem
     - link "2 timid 1 of 4 … s 1 place lost"`,
  );
  // The script draws the same words as the server.
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await page.getByRole("link", { name: "Forward", exact: true }).click();
  assert.deepEqual(await heard(page, "main"), lines);
  await close();
});

test("a tournament is told in order", async () => {
  const { page, close } = await open(`/tournaments/${tournament}`);
  await page.getByRole("button", { name: "accuracy" }).waitFor();
  const lines = await heard(page, "main");
  assertHeard(
    lines,
    `- heading "oracle won" [level=1]
     - region "Where it stands"
     - paragraph
     - strong: finished
     - text: Spring round robin, 3 seats at a table
     - paragraph: 3 of 3 matches played`,
  );
  assertHeard(
    lines,
    `- row "place bot rating 95% interval won of matches accuracy own errors luck"
     - columnheader "place"
     - button "place"`,
  );
  assert.equal(lines.filter((line) => / may be ahead 2 3 100% /.test(line)).length, 1, lines.join("\n"));
  assertHeard(lines, '- link "the standings as CSV"');
  await close();
});

test("a game is told in order, and its end once", async () => {
  const { page, close } = await open("/play");
  for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
  await page.getByRole("checkbox", { name: "timid" }).check();
  await page.getByRole("textbox", { name: "Other piles", description: "such as 2 7 4, instead of the piles above" }).fill("3");
  await page.getByLabel("Your seat").selectOption({ value: "0" });
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator("#game .thumb-bar").waitFor();
  assertHeard(
    await heard(page, "main"),
    `- 'heading "Your turn: take 1 to 3" [level=1]'
     - status
     - region "The board and the seats"
     - list
     - listitem
     - text: you
     - timer "time left": …
     - text: to move wants you , then timid
     - listitem
     - link "timid"
     - timer "time left": …
     - text: wants timid , then you
     - 'group "The board: piles of 3; pile 1 is in play"'
     - button "take 1 of 3"
     - button "take 2 of 3"
     - button "take 3 of 3"
     - button "One fewer": −
     - button "Tap a counter" [disabled]
     - button "One more": +`,
  );
  for (const counter of ["take 3 of 3", "take 3 of 3"]) await page.getByRole("button", { name: counter }).click();
  await page.locator("#game-status").getByText("You lost to timid").waitFor();
  await page.clock.runFor(10_000);
  assertHeard(
    await heard(page, "main"),
    `- heading "You lost to timid" [level=1]
     - status
     - region "How you played"`,
  );
  await close();
});
