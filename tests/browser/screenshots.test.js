// Compares pages with the pictures in `screenshots`. LASTNIM_WRITE_SCREENSHOTS=1 replaces the pictures.
//
// Text is drawn with the fonts of this repository, and everything that differs between two runs is replaced.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import pixelmatch from "pixelmatch";
import { chromium } from "playwright-core";
import UPNG from "upng-js";
import { openPatientContext, widths } from "./browser.js";
import { Server } from "./server.js";
import { patience } from "./wait.js";

const folder = new URL("./screenshots/", import.meta.url);
/** Where the differing pixels are shown. */
const differences = new URL("../../target/screenshots/", import.meta.url);
/** The share of pixels that may differ: arrows and check marks come from the fonts of the machine. */
const maxShare = 0.0005;
/** How much the colour of a pixel may differ, from 0 to 1: the pictures have few colours to be small. */
const maxColourDifference = 0.15;
const colours = 48;
const maxHeight = 1800;
const writes = process.env.LASTNIM_WRITE_SCREENSHOTS === "1";

let server, browser, fonts;
/** The addresses of the pages by name. */
const pages = { home: "/", play: "/play", bot: "/bots/oracle", oracle: "/oracle?piles=3+4+5&rows=1>3>2%3B2>1>3%3B3>2>1" };

before(async () => {
  server = await Server.start("--house", "greedy,timid,loyal,traitor,oracle,mirror,grudger,random");
  const knockout = await server.playTournament(
    ["oracle", "greedy", "timid", "loyal", "traitor", "mirror", "grudger", "random"],
    "--title", "Knockout", "--format", "knockout", "--seats", "2", "--piles", "3,4,5",
  );
  const tournament = await server.playTournament(["oracle", "greedy", "timid"], "--title", "Spring", "--seats", "3", "--piles", "3,4,5", "--piles", "2,6,4");
  const { matches } = await server.json(`/tournaments/${tournament}/matches.json`);
  // The newest match is the first.
  const match = matches.at(-1).id;
  Object.assign(pages, {
    knockout: `/tournaments/${knockout}`,
    tournament: `/tournaments/${tournament}`,
    match: `/matches/${match}`,
    embed: `/embed/matches/${match}`,
  });
  const args = ["--no-sandbox", "--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"];
  browser = await chromium.launch({ executablePath: process.env.LASTNIM_CHROMIUM, args, timeout: patience });
  const sources = await Promise.all(
    ["Regular", "Bold"].map(async (weight) => {
      const font = await readFile(new URL(`../../crates/web/src/fonts/NotoSans-${weight}.ttf`, import.meta.url), "base64");
      const style = `font-family: Drawn; font-weight: ${weight === "Bold" ? "600 900" : "100 500"}`;
      return `@font-face { ${style}; src: url(data:font/ttf;base64,${font}); }`;
    }),
  );
  fonts = `${sources.join("\n")} * { font-family: Drawn !important; animation: none !important; transition: none !important; }`;
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Replaces what differs between runs: ids, addresses, times. Runs in the page. */
function replaceChanging() {
  for (const time of document.querySelectorAll("time")) time.textContent = "1 Jan 2026, 12:00:00";
  for (const clock of document.querySelectorAll(".clock")) clock.textContent = "59:59";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    text.data = text.data
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f")
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:7600")
      .replace(/\b\d+(\.\d+)? (ms|s|min)\b/g, "1 s")
      .replace(/\b\d+\.\d+\.\d+\b(?!\.)/g, "0.0.0");
  }
}

/** Takes a picture of a page. */
async function takePicture(name, { width, colorScheme }) {
  const options = { viewport: { width, height: 800 }, colorScheme, reducedMotion: "reduce", bypassCSP: true, locale: "en-GB", timezoneId: "UTC" };
  const context = await openPatientContext(browser, options);
  const page = await context.newPage();
  // A live page would change again.
  await page.addInitScript(() => {
    delete window.SharedWorker;
    window.EventSource = class extends EventTarget { close() {} };
  });
  await page.goto(server.url + pages[name], { waitUntil: "networkidle" });
  await page.addStyleTag({ content: fonts });
  await page.evaluate(replaceChanging);
  await page.evaluate(() => document.fonts.ready);
  const height = Math.min(maxHeight, await page.evaluate(() => document.documentElement.scrollHeight));
  const png = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height }, caret: "hide" });
  await context.close();
  return decode(png);
}

function decode(png) {
  const image = UPNG.decode(png.buffer.slice(png.byteOffset, png.byteOffset + png.byteLength));
  return { width: image.width, height: image.height, data: new Uint8Array(UPNG.toRGBA8(image)[0]) };
}

const encode = ({ width, height, data }, colours) => Buffer.from(UPNG.encode([data.buffer], width, height, colours));

const variants = Object.keys({ ...pages, knockout: 0, tournament: 0, match: 0, embed: 0 }).flatMap((name) =>
  widths.flatMap((width) => {
    const schemes = ["match", "tournament"].includes(name) ? ["light", "dark"] : ["light"];
    return schemes.map((colorScheme) => ({ name, width, colorScheme }));
  }),
);

for (const { name, width, colorScheme } of variants) {
  const file = `${name}-${width}-${colorScheme}.png`;
  test(`${name} looks like ${file}`, async () => {
    const shown = await takePicture(name, { width, colorScheme });
    if (writes) return writeFile(new URL(file, folder), encode(shown, colours));
    const expected = decode(await readFile(new URL(file, folder)));
    await mkdir(differences, { recursive: true });
    const shownAt = new URL(file, differences);
    const save = async (image) => (await writeFile(shownAt, encode(image, 0)), shownAt.pathname);
    const sizes = [shown, expected].map((image) => `${image.width} x ${image.height}`);
    if (sizes[0] !== sizes[1]) assert.fail(`the page has ${sizes[0]} pixels, not ${sizes[1]}: see ${await save(shown)}`);
    const difference = { ...shown, data: new Uint8Array(shown.data.length) };
    const count = pixelmatch(shown.data, expected.data, difference.data, width, shown.height, { threshold: maxColourDifference });
    const share = count / (width * shown.height);
    if (share > maxShare) assert.fail(`${(share * 100).toFixed(2)}% of the pixels differ: see ${await save(difference)}`);
  });
}
