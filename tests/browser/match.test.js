// The page of a match: stepping, playing, what if, the matrix, and live takes, on matches of every size.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assertAccessible, openContext, schemes, serve, widths } from "./browser.js";

const crowd = Array.from({ length: 32 }, (_, seat) => `epsilon-0.${seat + 10}`);
const { server, browser } = await serve("--house", ["random", "timid", "traitor", "greedy", "loyal", "grudger", "mirror", "minimax-3", ...crowd].join(","));
/** The ids of finished matches, by what they are like. */
const matches = {};

before(async () => {
  const wanted = {
    two: ["random,timid", "4,3"],
    three: ["random,timid,traitor", "8,6,9,2,4"],
    eight: ["loyal,traitor,grudger,mirror,greedy,timid,random,minimax-3", "6,3,7,4,7,5,6"],
    crowded: [crowd.join(","), "30,40,2"],
    huge: ["random,timid", "1,9223372036854775807"],
    long: ["timid,loyal,grudger", "1000"],
    flat: ["random,timid", Array(1000).fill(1).join(",")],
  };
  for (const [name, [bots, piles]] of Object.entries(wanted)) {
    matches[name] = await server.run("match", "create", "--bots", bots, "--piles", piles, "--clock", "1h");
  }
  // Names as long as they may be, and a tournament whose title is not HTML.
  const names = ["a", "b", "c"].map((letter) => letter.repeat(32));
  const bots = { [names[0]]: "timid", [names[1]]: "random", [names[2]]: "loyal" };
  const id = await server.createTournament({ bots, further: ["--seats", "3", "--title", "<i>Spring & </i>", "--piles", "5,4"] });
  await server.waitUntilOver(id);
  matches.named = (await server.json(`/tournaments/${id}/matches.json`)).matches[0].id;
  for (const id of Object.values(matches)) await server.waitUntilEnded(id);
});

const address = (name, ply) => `${server.url}/matches/${matches[name]}${ply === undefined ? "" : `?ply=${ply}`}`;
const audit = async (name) => (await server.json(`/matches/${matches[name]}.json`)).audit;
const errorsOf = ({ plies }) => plies.filter(({ regret }) => regret > 0).map(({ ply }) => (ply ?? 0) + 1);

/** Opens a match in a new context, and waits for its script. */
async function open(name, { ply, ...options } = {}) {
  const { context, assertNoFaults } = await openContext(browser, server, options);
  const page = await context.newPage();
  await page.goto(address(name, ply));
  if (options.javaScriptEnabled !== false) await page.locator('#said[aria-live="polite"]').waitFor();
  const close = async () => {
    assertNoFaults();
    await context.close();
  };
  return { page, close };
}

/** Waits until a position is shown. */
const shows = (page, ply) => page.waitForFunction((ply) => new URL(location).searchParams.get("ply") === String(ply), ply);

for (const colorScheme of schemes) {
  for (const width of widths) {
    test(`matches of every size are accessible and fit, ${colorScheme}, ${width} pixels wide`, async () => {
      const { page, close } = await open("two", { colorScheme, viewport: { width, height: 800 }, reducedMotion: "reduce" });
      for (const name of Object.keys(matches)) {
        await page.goto(address(name));
        await assertAccessible(page, `${name}, ${colorScheme}, ${width} pixels`);
      }
      await close();
    });
  }
}

test("the page opens at the decisive error, and its heading explains it", async () => {
  const { page, close } = await open("three", { javaScriptEnabled: false });
  const { plies } = await audit("three");
  const error = plies.findLast(({ regret }) => regret > 0);
  const heading = await page.getByRole("heading", { level: 1 }).innerText();
  assert.match(heading, /^\w+ won, because \w+ took \d+ of \d+ at take \d+\. Taking .+ would have made \w+ win\.$/);
  assert.ok(heading.includes(` took ${error.take} of ${error.counters} at take ${error.ply + 1}.`), heading);
  assert.equal(await page.locator("#takes [aria-current]").getAttribute("data-ply"), String(error.ply + 1));
  assert.equal(await page.title(), `${heading} - lastnim`);
  // Without scripts, capsules, columns of the winner line and counters are links.
  await page.locator("#board .taken").first().click();
  await page.locator(".lanes .column").nth(2).click();
  await page.waitForURL((url) => url.searchParams.get("ply") === "2");
  await page.locator("#board a.counter").first().click();
  await page.waitForURL(/\/what-if\?ply=2&take=1$/);
  await page.getByRole("heading", { level: 1, name: /^\w+ wins if every seat plays for what it wants$/ }).waitFor();
  assert.doesNotMatch(await page.locator("#content .match").innerText(), /seat 0/i);
  await close();
});

test("a match names its tournament", async () => {
  const { page, close } = await open("named");
  await page.getByRole("link", { name: "<i>Spring & </i>" }).click();
  await page.waitForURL(/\/tournaments\//);
  await close();
});

for (const name of ["two", "three", "eight", "named", "crowded", "huge", "long", "flat"]) {
  test(`the script draws positions like the server: ${name}`, async () => {
    const { page, close } = await open(name, { ply: 0 });
    const last = (await audit(name)).plies.length;
    const step = Math.ceil(last / 25);
    for (let ply = last; ply > 0; ply -= step) {
      const drawn = await page.evaluate(async (ply) => {
        const parts = ["board", "said", "oracle", "seats", "outlined"];
        // What a browser adds or leaves out, and how it writes spaces, does not matter.
        const plain = (element) => element.outerHTML.replace(/ (aria-live|tabindex|class)="[^"]*"/g, (all, key) => (key === "class" && !/^ class=""$/.test(all) ? all : "")).replace(/\s+/g, " ").replace(/> | </g, (found) => found.trim());
        const slider = document.querySelector("#slider") ?? document.querySelector("#takes");
        slider.value = ply;
        slider.dispatchEvent(new Event("input"));
        for (const frame of document.querySelectorAll(".scroll")) ["role", "aria-label"].forEach((key) => frame.removeAttribute(key));
        const page = new DOMParser().parseFromString(await (await fetch(`?ply=${ply}`)).text(), "text/html");
        return parts.map((id) => [plain(document.getElementById(id)), plain(page.getElementById(id))]);
      }, ply);
      for (const [own, servers] of drawn) assert.equal(own, servers, `${name} after take ${ply}`);
    }
    await close();
  });
}

test("keys step, jump to errors and switch the oracle, without loading a page", async () => {
  const { page, close } = await open("three", { ply: 0 });
  const errors = errorsOf(await audit("three"));
  const last = (await audit("three")).plies.length;
  const requests = [];
  // A new address in the same page makes the browser look up its icon, which it has.
  page.on("request", (request) => request.url().endsWith("/icon.svg") || requests.push(request.url()));
  for (const [key, ply] of [["ArrowRight", 1], ["ArrowRight", 2], ["ArrowLeft", 1], ["End", last], ["Home", 0], ["e", errors[0]]]) {
    await page.keyboard.press(key);
    await shows(page, ply);
    assert.equal(await page.locator("#where").innerText(), `take ${ply} of ${last}`);
    assert.equal(await page.locator("#board .taken").count(), ply);
  }
  assert.ok(await page.locator("#board .counter .sign").first().isVisible());
  await page.keyboard.press("o");
  assert.ok(!(await page.locator("#board .counter .sign").first().isVisible()));
  assert.ok(!(await page.locator("#line").isVisible()));
  await page.keyboard.press("o");
  assert.deepEqual(requests, []);
  await close();
});

test("buttons, takes and capsules step, and a match plays by itself", async () => {
  const { page, close } = await open("three", { ply: 3 });
  const last = (await audit("three")).plies.length;
  await page.locator('[data-act="back"]').click();
  await shows(page, 2);
  await page.locator('#takes [data-ply="4"]').click();
  await shows(page, 4);
  await page.locator('#board [data-ply="1"]').click();
  await shows(page, 1);
  const play = page.getByRole("button", { name: "Play", exact: true });
  await page.keyboard.press(" ");
  assert.equal(await play.getAttribute("aria-pressed"), "true");
  await shows(page, 3);
  await page.keyboard.press(" ");
  assert.equal(await play.getAttribute("aria-pressed"), "false");
  await page.locator('[data-act="last"]').click();
  await shows(page, last);
  assert.equal(await page.locator('[data-act="forward"]').getAttribute("aria-disabled"), "true");
  await close();
});

test("the winner line is a slider", async () => {
  const { page, close } = await open("three", { ply: 0 });
  const last = (await audit("three")).plies.length;
  await page.locator(".lanes").scrollIntoViewIfNeeded();
  const lanes = await page.locator(".lanes").boundingBox();
  const x = (ply) => lanes.x + ((ply + 0.5) * lanes.width) / (last + 1);
  const y = lanes.y + lanes.height / 2;
  await page.mouse.move(x(2), y);
  await page.mouse.down();
  await shows(page, 2);
  await page.mouse.move(x(7), y, { steps: 5 });
  await shows(page, 7);
  await page.mouse.up();
  await shows(page, 7);
  const slider = page.getByRole("slider");
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await shows(page, 8);
  assert.equal(await slider.inputValue(), "8");
  assert.match(await slider.getAttribute("aria-valuetext"), /^after take 8 of \d+: \w+ wins under optimal play$/);
  await close();
});

test("a click on a counter asks what if, without a request", async () => {
  const { page, close } = await open("three", { ply: 2 });
  const requests = [];
  // A new address in the same page makes the browser look up its icon, which it has.
  page.on("request", (request) => request.url().endsWith("/icon.svg") || requests.push(request.url()));
  const before = await page.locator("#board").innerHTML();
  await page.locator("#board a.counter").nth(1).click();
  assert.match(await page.locator("#said").innerText(), /^What if: Take 3: \w+ takes 2 of \d+\./);
  assert.equal(await page.locator("#board .supposed").count(), 1);
  await assertAccessible(page, "a supposed take");
  await page.getByRole("button", { name: "Play on with the best line" }).click();
  await page.getByText("The match is over.").waitFor();
  assert.match(await page.locator("#where").innerText(), /^what if: \d+ more after take 2$/);
  await page.keyboard.press("Escape");
  await shows(page, 2);
  assert.equal(await page.locator("#board .supposed").count(), 0);
  assert.equal((await page.locator("#board").innerHTML()).replace(/\s+/g, ""), before.replace(/\s+/g, ""));
  // An option of the panel does the same.
  await page.locator("#oracle .options a").first().click();
  assert.equal(await page.locator("#board .supposed").count(), 1);
  assert.deepEqual(requests, []);
  await close();
});

test("a take from a huge pile is typed", async () => {
  const { page, close } = await open("huge", { ply: 0 });
  await page.getByLabel("Another take").fill("9007199254740993");
  await page.getByRole("button", { name: "What if" }).click();
  assert.match(await page.locator("#said").innerText(), /takes 9007199254740993 of 9223372036854775807\./);
  await page.getByText("9214364837600034805 more").waitFor();
  await close();
});

test("a row of the matrix lights up with its seat", async () => {
  const { page, close } = await open("three");
  const row = page.locator("#rows tbody tr").nth(1);
  await row.hover();
  assert.equal(await page.locator("#seats > .lit").count(), 1);
  assert.match(await page.locator("#seats > .lit").innerText(), /timid/);
  await page.mouse.move(0, 0);
  assert.equal(await page.locator("#seats > .lit").count(), 0);
  await row.focus();
  assert.match(await page.locator("#seats > .lit").innerText(), /timid/);
  assert.equal(await page.locator("#rows td.won").count(), 3);
  await close();
});

test("a long match lists the takes around each position", async () => {
  const { page, close } = await open("flat", { ply: 500 });
  await page.keyboard.press("Home");
  await shows(page, 0);
  await page.keyboard.press("ArrowRight");
  await page.locator('#takes [data-ply="1"][aria-current]').waitFor();
  assert.match(await page.locator("#takes-note").innerText(), /^Takes 1 to 31, out of \d+\.$/);
  await close();
});
