// Exported sites of tournaments of every format, served by a plain file server: nothing is missing, and no link is dead.

import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible, openContext, serve } from "./browser.js";

const house = ["oracle", "greedy", "timid", "loyal", "random", "traitor"];
const hostile = '<script>alert("Spring")</script> & <a href="/tournaments">x</a>';
const small = ["--piles", "3,4", "--piles", "2,5"];
const formats = {
  robin: [house.slice(0, 4), ["--seats", "3", "--title", hostile, "--piles", "3,4,5"]],
  knockout: [house, ["--format", "knockout", "--seats", "2", ...small]],
  swiss: [house, ["--format", "swiss", "--rounds", "3", "--seats", "2", ...small]],
  gauntlet: [house.slice(0, 4), ["--format", "gauntlet", "--bot", "oracle", "--seats", "2", ...small]],
  ladder: [house.slice(0, 4), ["--format", "ladder", "--groups", "30", "--seats", "2", ...small]],
  sprt: [["oracle", "random"], ["--format", "sprt", "--candidate", "oracle", "--baseline", "random", "--effect-some", "0.2", "--groups", "60", "--seats", "2", ...small]],
};
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json" };

const { server, browser } = await serve("--house", house.join(","));
let folder, files, site;
const ids = {};

/** Serves the files of a folder, without regard to queries. Returns the server with its address. */
async function serveFiles(root) {
  const plain = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const body = await readFile(join(root, normalize(path))).catch(() => null);
    response.writeHead(body ? 200 : 404, { "content-type": types[extname(path)] ?? "text/plain" }).end(body ?? "missing");
  });
  await new Promise((resolve) => plain.listen(0, "127.0.0.1", resolve));
  return { plain, url: `http://127.0.0.1:${plain.address().port}` };
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "lastnim-site-"));
  for (const [name, [bots, further]] of Object.entries(formats)) {
    const title = further.includes("--title") ? [] : ["--title", name];
    ids[name] = await server.playTournament(bots, ...title, ...further);
  }
  for (const name of Object.keys(formats)) await server.run("tournament", "export-site", ids[name], join(folder, name));
  site = await serveFiles(folder);
  files = await readdir(folder, { recursive: true });
});

after(async () => {
  site?.plain.close();
  if (folder) await rm(folder, { recursive: true });
});

/** Opens a page of a site in a new context, and checks when it is closed that nothing failed. */
async function open(path, options = {}) {
  const { context, assertNoFaults } = await openContext(browser, site, options);
  const missing = [];
  context.on("response", (response) => response.ok() || missing.push(response.url()));
  const page = await context.newPage();
  await page.goto(`${site.url}/${path}`);
  const close = async () => {
    assertNoFaults();
    assert.deepEqual(missing, []);
    await context.close();
  };
  return { page, close };
}

test("no page has a dead link, a form or a part that only a server has", async () => {
  const { page, close } = await open("robin/index.html");
  const pages = files.filter((file) => file.endsWith(".html"));
  assert.ok(pages.length > 100, `${pages.length}`);
  for (const file of pages) {
    const found = await page.evaluate((html) => {
      const parsed = new DOMParser().parseFromString(html, "text/html");
      const links = [...parsed.querySelectorAll("[href], [src]")].map((part) => part.getAttribute("href") ?? part.getAttribute("src"));
      return { links, parts: parsed.querySelectorAll("form, iframe, [data-live], [data-server-only], script:not([src])").length };
    }, await readFile(join(folder, file), "utf8"));
    assert.equal(found.parts, 0, file);
    for (const link of found.links.filter((link) => !link.startsWith("#"))) {
      const target = new URL(link, `http://x/${file}`);
      assert.ok(files.includes(decodeURIComponent(target.pathname).slice(1)), `${file}: ${link}`);
    }
  }
  await close();
});

for (const name of Object.keys(formats)) {
  test(`the site of a tournament works without its server: ${name}`, async () => {
    const { page, close } = await open(`${name}/index.html`, { reducedMotion: "reduce" });
    await assertAccessible(page, name);
    const heading = await page.locator("h1").innerText();
    const { standings: lines } = await server.json(`/tournaments/${ids[name]}/standings.json`);
    await page.click('a[href="standings.html"]');
    await page.locator(`a[href="bots/${lines[0].bot}.html"]`).first().click();
    assert.ok((await page.title()).startsWith(lines[0].bot), await page.title());
    await page.click("header a");
    await page.locator('a[href="matches.html"]').first().click();
    await page.locator('main a[href^="matches/"]').first().click();
    await page.waitForURL(/matches\/[-0-9a-f]+\.html/);
    await assertAccessible(page, `${name}, a match`);
    await page.click('a[href="../index.html"]');
    assert.equal(await page.locator("h1").innerText(), heading);
    await close();
  });

  test(`the site of a tournament verifies offline: ${name}`, async () => {
    const said = await server.run("record", "verify", join(folder, name));
    assert.ok(said.includes("the standings follow from the records"), said);
  });
}

test("the script of a match shows each position at the same file", async () => {
  const match = files.find((file) => /^robin\/matches\/.*\.html$/.test(file));
  const { page, close } = await open(match);
  const isReady = () => page.waitForSelector("#said[tabindex]");
  await isReady();
  await page.keyboard.press("Home");
  assert.ok((await page.locator("#where").innerText()).startsWith("take 0 of "));
  await page.locator("#board [data-take]").first().click();
  assert.ok((await page.locator("#said").innerText()).startsWith("What if:"));
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowRight");
  const at = page.url();
  assert.ok(at.endsWith(".html?ply=1"), at);
  await page.goto("about:blank");
  await page.goto(at);
  await isReady();
  assert.ok((await page.locator("#where").innerText()).startsWith("take 1 of "));
  await page.goto(at.replace("ply=1", "ply=x"));
  await isReady();
  assert.ok((await page.locator("#where").innerText()).startsWith("take 0 of "));
  await close();
});

test("a title with HTML stays text", async () => {
  const { page, close } = await open("robin/index.html");
  assert.ok((await page.title()).includes(hostile), await page.title());
  assert.ok((await page.locator("#result").textContent()).includes(hostile.slice(0, 20)));
  await close();
});

test("sites with fewer matches have fewer pages, and no dead links to others", async () => {
  for (const [which, hasRecords] of [["none", false], ["decisive", true]]) {
    const name = `robin-${which}`;
    await server.run("tournament", "export-site", ids.robin, join(folder, name), "--matches", which);
    const { page, close } = await open(`${name}/matches.html`);
    const links = await page.locator('a[href*="matches/"]').count();
    const pages = (await readdir(join(folder, name), { recursive: true })).filter((file) => /^matches\/.*\.html$/.test(file));
    const all = files.filter((file) => /^robin\/matches\/.*\.html$/.test(file)).length;
    assert.ok(which === "none" ? links === 0 && pages.length === 0 : pages.length > 0 && pages.length < all, `${pages.length} of ${all}`);
    const said = await server.run("record", "verify", join(folder, name));
    assert.equal(said.includes("the standings follow from the records"), hasRecords, said);
    await close();
  }
});
