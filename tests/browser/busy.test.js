// More viewers than the server has room for.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { follow, openBrowser, openContext } from "./browser.js";
import { Server } from "./server.js";

const maxStrangers = 4;

let server, browser;

before(async () => {
  server = await Server.start("--strangers-per-address", String(maxStrangers), "--stranger-call-time", "0ms");
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

test("a page that gives way to other viewers says so", async () => {
  const { context } = await openContext(browser, server);
  const page = await context.newPage();
  await follow(page, server.url);
  const others = new AbortController();
  for (let viewer = 0; viewer < maxStrangers; viewer++) {
    const { status } = await fetch(`${server.url}/events`, { signal: others.signal });
    assert.equal(status, 200);
  }
  await page.getByText("The server has too many viewers: trying again").waitFor();
  others.abort();
  await context.close();
});
