// Reading a private server after signing in, and joining a tournament by hand.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { assertAccessible, follow, openContext, openPatientContext, schemes, serve, setHidden, widths } from "./browser.js";
import { Network } from "./network.js";

const { server, browser, openPage } = await serve("--private");

for (const colorScheme of schemes) {
  for (const width of widths) {
    test(`a token gives access to a private server, ${colorScheme}, ${width} px`, async (t) => {
      const bot = `ann-${colorScheme}-${width}`;
      const token = await server.run("bot", "register", bot);
      const id = await server.run("tournament", "create", "--title", `Cup of ${bot}`, "--seats", "2", "--piles", "3,4");
      const viewport = { width, height: 800 };
      const page = await openPage(t, { expected: ["401"], colorScheme, viewport });
      await page.goto(`${server.url}/tournaments/${id}`);
      await assertAccessible(page, "a page of a private server");
      await page.getByRole("link", { name: "Sign in with a token" }).click();
      await page.getByLabel("Token").fill(token);
      await assertAccessible(page, "signing in");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText(`Cup of ${bot}`).first().waitFor();
      assert.equal(page.url(), `${server.url}/tournaments/${id}`);
      await assertAccessible(page, "a page while signed in");
      await page.getByRole("contentinfo").getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL(`${server.url}/sign-in`);

      await page.goto(`${server.url}/play/bot`);
      await page.getByLabel("Token of the bot").fill(token);
      await page.getByRole("button", { name: "Take its seats" }).click();
      await page.getByRole("button", { name: `Join Cup of ${bot}` }).click();
      await page.getByRole("button", { name: `Leave Cup of ${bot}` }).waitFor();
      await assertAccessible(page, "the tournaments of a bot");
      await page.getByRole("link", { name: "Tournaments", exact: true }).click();
      await page.getByText(`signed in as ${bot}`).waitFor();
    });
  }
}

test("links on another site open the page, and sign nobody out", async () => {
  const token = await server.run("bot", "register", "linked");
  const paths = ["/bots", "/organise", "/sign-in", "/play/bot", "/oracle?piles=3,4&rows=1+2%3B2+1"];
  const links = paths.map((path, index) => `<a id="link-${index}" href="${(server.url + path).replaceAll("&", "&amp;")}">${index}</a>`);
  const site = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>elsewhere</title>${links.join(" ")}`);
  });
  await once(site.listen(0, "127.0.0.1"), "listening");
  // Another host name, because different ports on one host count as the same site.
  const elsewhere = `http://localhost:${site.address().port}/`;
  for (const javaScriptEnabled of [true, false]) {
    const context = await openPatientContext(browser, { javaScriptEnabled });
    const page = await context.newPage();
    await page.goto(`${server.url}/sign-in`);
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("signed in as linked", { exact: true }).waitFor();
    for (const [index, path] of paths.entries()) {
      await page.goto(elsewhere);
      let loads = 0;
      const count = (request) => (loads += request.isNavigationRequest() ? 1 : 0);
      page.on("request", count);
      await page.locator(`#link-${index}`).click();
      await page.getByText("signed in as linked", { exact: true }).waitFor();
      assert.equal(page.url(), server.url + path);
      page.off("request", count);
      assert.equal(loads, 2, `${path} was asked for ${loads} times`);
    }
    // The intermediate page is not in the history: one step back is the other site.
    await page.goBack();
    assert.equal(page.url(), elsewhere);
    await context.close();
  }
  // A stranger is redirected as well, and asked to sign in.
  const { context } = await openContext(browser, server);
  const page = await context.newPage();
  await page.goto(elsewhere);
  await page.locator("#link-0").click();
  await page.getByRole("link", { name: "Sign in with a token" }).waitFor();
  await context.close();
  site.close();
});

for (const isSeen of [true, false]) {
  test(`a ${isSeen ? "visible" : "hidden"} tab reports the end of its session, and stops reconnecting`, async () => {
    const name = isSeen ? "seen" : "unseen";
    const token = await server.run("bot", "register", name);
    const network = await Network.to(server);
    const { context, assertNoFaults } = await openContext(browser, network);
    const page = await context.newPage();
    const signIn = async () => {
      await page.getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText(`signed in as ${name}`, { exact: true }).waitFor();
    };
    await page.goto(`${network.url}/sign-in?to=%2Fbots`);
    await signIn();
    await follow(page, `${network.url}/`);
    if (!isSeen) {
      await setHidden(page, true);
      await network.untilStreams(0);
    }
    const other = await context.newPage();
    await other.goto(`${network.url}/bots`);
    await other.getByRole("contentinfo").getByRole("button", { name: "Sign out" }).click();
    await other.waitForURL(`${network.url}/sign-in`);
    if (!isSeen) await setHidden(page, false);
    await page.getByText("You are signed out").waitFor();
    await assertAccessible(page, "a page that no longer updates");
    const streams = network.allStreams;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    assert.equal(network.allStreams, streams, "it tried again");
    await page.getByRole("link", { name: "Sign in again" }).click();
    await signIn();
    assert.equal(page.url(), `${network.url}/`);
    assertNoFaults("401");
    await context.close();
    network.close();
  });
}
