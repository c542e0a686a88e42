// More viewers than the server has room for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, serve } from "./browser.js";

const maxStrangers = 4;

const { server, openPage } = await serve("--strangers-per-address", String(maxStrangers), "--stranger-call-time", "0ms");

test("a page that gives way to other viewers says so", async (t) => {
  const page = await openPage(t);
  await follow(page, server.url);
  const others = new AbortController();
  for (let viewer = 0; viewer < maxStrangers; viewer++) {
    const { status } = await fetch(`${server.url}/events`, { signal: others.signal });
    assert.equal(status, 200);
  }
  await page.getByText("The server has too many viewers: trying again").waitFor();
  others.abort();
});
