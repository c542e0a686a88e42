// The pages of a bot and of the oracle.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assertAccessible, schemes, serve, widths } from "./browser.js";

const { server, openPage } = await serve();

before(async () => {
  const bots = { ann: "random", bob: "oracle", ["c".repeat(32)]: "timid" };
  const id = await server.createTournament({ bots, further: ["--seats", "3", "--title", "<b>Spring</b>", "--piles", "3,4,5", "--piles", "6,3,7"] });
  await server.waitUntilOver(id);
});

test("the worst error of a bot is one link away", async (t) => {
  const page = await openPage(t, { javaScriptEnabled: false });
  const heading = page.getByRole("heading", { level: 1, name: /^ann is rated \d+ ± \d+, and \d+\.\d% of its takes are optimal$/ });
  // The takes are compared with the oracle when somebody asks for it. The page reloads until that is done.
  await page.goto(`${server.url}/bots/ann`);
  await page.getByRole("link", { name: "All about how it plays" }).click();
  await page.getByRole("heading", { name: "Who helps whom" }).waitFor();
  await page.goto(`${server.url}/bots/ann`);
  await heading.waitFor();
  const error = await page.locator("p", { hasText: "Its worst error:" }).innerText();
  const [, take, amount] = /at take (\d+), against .+, it took (\d+ of \d+), which cost it \d places?\. Taking .+ would have made .+ win\./.exec(error) ?? assert.fail(error);
  // Ids are in addresses only.
  assert.doesNotMatch(await page.locator("main").innerText(), /[0-9a-f]{8}-[0-9a-f]{4}-/);
  await page.getByRole("link", { name: "See it in the match" }).click();
  await page.getByText(`Take ${take}: ann takes ${amount}. This is an error`).waitFor();
});

for (const javaScriptEnabled of [true, false]) {
  test(`a tap on the oracle's board asks about the position after a take, ${javaScriptEnabled ? "with" : "without"} scripts`, async (t) => {
    const options = { javaScriptEnabled, hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } };
    const page = await openPage(t, options);
    await page.goto(`${server.url}/oracle?piles=2+4&rows=1+2+3%3B2+3+1%3B3+1+2`);
    const winner = async () => /^(Seat \d) wins/.exec(await page.getByRole("heading", { level: 1 }).innerText())[1];
    const first = await winner();
    // An optimal take keeps the winner.
    await page.locator(".in-play .counter.best").first().tap();
    await page.waitForURL(/first=2/);
    assert.equal(await winner(), first);
    while (!(await page.getByText(/No counter is left: seat \d wins/).isVisible())) {
      const before = page.url();
      await page.locator(".in-play .counter").last().tap();
      await page.waitForURL((url) => url.href !== before);
    }
  });
}

for (const colorScheme of schemes) {
  for (const width of widths) {
    test(`bots and positions of every size are accessible and fit, ${colorScheme}, ${width} pixels wide`, async (t) => {
      const page = await openPage(t, { colorScheme, viewport: { width, height: 800 } });
      const addresses = ["/bots/ann", "/bots/ann/audit", `/bots/${"c".repeat(32)}`, "/oracle?piles=1&seats=2", "/oracle?piles=1+9223372036854775807&seats=3", "/oracle?piles=30+2&seats=32", "/oracle?piles=%3Cb%3E"];
      for (const address of addresses) {
        await page.goto(server.url + address);
        await assertAccessible(page, `${address}, ${colorScheme}, ${width} pixels`);
      }
    });
  }
}
