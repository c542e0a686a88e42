// Frames on other sites, and the tags for them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { assertAccessible, openContext, openPatientContext, schemes, serve, widths } from "./browser.js";

const { server, browser } = await serve();
let addresses, blog, shown;

before(async () => {
  const bots = { ann: "greedy", bob: "timid", eve: "loyal" };
  const further = ["--seats", "3", "--title", "Spring", "--piles", "3,25,5"];
  const tournament = await server.createTournament({ bots, further });
  await server.waitUntilOver(tournament);
  const { matches } = await server.json(`/tournaments/${tournament}/matches.json`);
  addresses = [`/matches/${matches[0].id}`, `/tournaments/${tournament}`];
  // Another site.
  blog = createServer((_request, response) => response.setHeader("content-type", "text/html").end(shown));
  blog.listen(0, "127.0.0.1");
  await once(blog, "listening");
});

after(async () => {
  blog?.close();
});

const blogUrl = () => `http://127.0.0.1:${blog.address().port}/`;

test("the tag of a page shows a part of it in a frame of another site", async () => {
  const context = await openPatientContext(browser);
  const page = await context.newPage();
  for (const address of addresses) {
    await page.goto(server.url + address);
    await page.getByText("Share", { exact: true }).click();
    const tag = page.locator(".fold pre[data-copy]").filter({ hasText: "iframe" });
    assert.ok(await tag.isVisible());
    // The script adds the address of the server.
    await page.getByRole("button", { name: "Copy" }).first().waitFor();
    shown = `<!doctype html><title>Blog</title>${await tag.textContent()}`;
    assert.ok(shown.includes(`src="${server.url}/embed/`), shown);
    await page.goto(blogUrl());
    const frame = page.frameLocator("iframe");
    await frame.getByText(/ won/).first().waitFor();
    assert.equal(await frame.locator("form, script").count(), 0);
    const opened = context.waitForEvent("page");
    await frame.getByRole("link").last().click();
    assert.equal((await opened).url(), server.url + address);
  }
  assert.deepEqual(await context.cookies(), []);
  await context.close();
});

test("other pages stay out of frames", async () => {
  const context = await openPatientContext(browser);
  const page = await context.newPage();
  for (const address of [...addresses, "/sign-in", "/embed/matches/x"]) {
    shown = `<!doctype html><title>Blog</title><iframe src="${server.url}${address}"></iframe>`;
    await page.goto(blogUrl());
    assert.equal(await page.frameLocator("iframe").locator("main").count(), 0, address);
  }
  await context.close();
});

for (const colorScheme of schemes) {
  test(`frames are accessible, ${colorScheme}`, async () => {
    for (const width of widths) {
      const { context, assertNoFaults } = await openContext(browser, server, { colorScheme, viewport: { width, height: 480 } });
      const page = await context.newPage();
      for (const address of addresses) {
        await page.goto(`${server.url}/embed${address}`);
        await assertAccessible(page, `/embed${address}, ${colorScheme}, ${width} pixels`);
      }
      assertNoFaults();
      await context.close();
    }
  });
}
