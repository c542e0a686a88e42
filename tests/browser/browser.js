// The browser, and what is true of every page in it.

import assert from "node:assert/strict";
import axe from "axe-core";
import { chromium } from "playwright-core";

/** Widths at which every page is looked at: a small phone, and a desk. */
export const widths = [360, 1280];
/** Both schemes of colours. */
export const schemes = ["light", "dark"];

/** Starts the browser. It has no sandbox of its own where tests run as root. */
export function openBrowser() {
  return chromium.launch({ executablePath: process.env.LASTNIM_CHROMIUM, args: ["--no-sandbox"] });
}

/** Opens a context that notes what no page may do: ask another host, or break a rule of its own policy or a script. */
export async function openContext(browser, server, options = {}) {
  const context = await browser.newContext(options);
  const faults = [];
  context.on("request", (request) => {
    if (new URL(request.url()).origin !== server.url) faults.push(`it asked ${request.url()}`);
  });
  context.on("weberror", (error) => faults.push(`a script failed: ${error.error()}`));
  context.on("console", (message) => {
    const isOffline = /net::ERR_(INTERNET_DISCONNECTED|INCOMPLETE_CHUNKED_ENCODING|NETWORK_CHANGED|FAILED)/.test(message.text());
    if (message.type() === "error" && !isOffline) faults.push(`the console says: ${message.text()}`);
  });
  // A refusal that a test asks for stands in the console as well.
  const assertNoFaults = (...expected) => assert.deepEqual(faults.filter((fault) => !expected.some((words) => fault.includes(words))), []);
  return { context, assertNoFaults };
}

/** Holds a page to the rules of WCAG 2.2 AA that can be checked, and to its width. */
export async function assertAccessible(page, what) {
  await page.evaluate(axe.source);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await page.evaluate((values) => window.axe.run({ runOnly: { type: "tag", values } }), tags);
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).slice(0, 3).join(" | ")}`);
  assert.deepEqual(found, [], what);
  const [scrolls, width] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(scrolls <= width, `${what} is ${scrolls} pixels wide, in a window of ${width}`);
}
