// Helpers for the browser, and checks that apply to every page.

import assert from "node:assert/strict";
import { after } from "node:test";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { Server } from "./server.js";
import { patience } from "./wait.js";

/** Widths at which pages are tested: a small phone and a desktop. */
export const widths = [360, 1280];
/** Colour schemes. */
export const schemes = ["light", "dark"];

/** Starts the browser, without its sandbox since tests may run as root. */
export function openBrowser() {
  return chromium.launch({ executablePath: process.env.LASTNIM_CHROMIUM, args: ["--no-sandbox"], timeout: patience });
}

/** Opens a context whose waits are patient. */
export async function openPatientContext(browser, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(patience);
  context.setDefaultNavigationTimeout(patience);
  return context;
}

/** Opens a context that records violations: requests to other hosts, policy violations, and script errors. */
export async function openContext(browser, server, options = {}) {
  const context = await openPatientContext(browser, options);
  const faults = [];
  context.on("request", (request) => {
    if (new URL(request.url()).origin !== server.url) faults.push(`it asked ${request.url()}`);
  });
  context.on("weberror", (error) => faults.push(`a script failed: ${error.error()}`));
  context.on("console", (message) => {
    const isOffline = /net::ERR_(INTERNET_DISCONNECTED|INCOMPLETE_CHUNKED_ENCODING|NETWORK_CHANGED|FAILED|EMPTY_RESPONSE|CONNECTION_RESET)/.test(message.text());
    if (message.type() === "error" && !isOffline) faults.push(`the console says: ${message.text()}`);
  });
  // The console also logs refusals that a test provokes.
  const assertNoFaults = (...expected) => assert.deepEqual(faults.filter((fault) => !expected.some((words) => fault.includes(words))), []);
  return { context, assertNoFaults };
}

/**
 * Starts a server, with these arguments, and a browser, which stop after the tests of the file. `openPage` opens a page for a test, in its own context. When the
 * test ends, it fails if there were violations that contain none of the `expected` words.
 */
export async function serve(...args) {
  const server = await Server.start(...args);
  const browser = await openBrowser().catch(async (error) => {
    await server.stop();
    throw error;
  });
  after(async () => {
    await browser.close().finally(() => server.stop());
  });
  const openPage = async (t, { expected = [], ...options } = {}) => {
    const { context, assertNoFaults } = await openContext(browser, server, options);
    t.after(async () => {
      await context.close();
      assertNoFaults(...expected);
    });
    return context.newPage();
  };
  return { server, browser, openPage };
}

/** Checks a page against the testable rules of WCAG 2.2 AA, and that it fits the width of the window. */
export async function assertAccessible(page, what) {
  await page.evaluate(axe.source);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await page.evaluate((values) => window.axe.run({ runOnly: { type: "tag", values } }), tags);
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).slice(0, 3).join(" | ")}`);
  assert.deepEqual(found, [], what);
  const [scrolls, width] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(scrolls <= width, `${what} is ${scrolls} pixels wide, in a window of ${width}`);
}

/** Opens a page, and waits for its first update. */
export async function follow(page, address) {
  await page.addInitScript(() => document.addEventListener("swapped", (event) => event.target.id && (window.isFollowed = true)));
  await page.goto(address);
  await page.waitForFunction(() => window.isFollowed);
}

/** Shows or hides a tab, as a browser does. */
export const setHidden = (page, hidden) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
    Object.defineProperty(document, "visibilityState", { configurable: true, value: hidden ? "hidden" : "visible" });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
