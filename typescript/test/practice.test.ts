import assert from "node:assert/strict";
import { test } from "node:test";
import { LastnimError, practice, silentLogger, type Bot, type MatchEnd, type MatchInfo, type MatchView } from "lastnim";
import { TestServer } from "./harness/server.js";

/** A bot whose methods need their `this`. */
class Counting implements Bot {
  readonly ends: MatchEnd[] = [];
  sessions = 0;

  rows = 0;

  play(game: MatchView): bigint {
    return game.position.counters;
  }

  declare(match: MatchInfo): number[] {
    this.rows += 1;
    return [...match.bots.keys()];
  }

  ended(end: MatchEnd): void {
    this.ends.push(end);
  }

  connected(): void {
    this.sessions += 1;
  }
}

test("a bot practises against every house bot in each seat", async (t) => {
  const server = await TestServer.start(t, { flags: ["--house", "oracle,easy=timid"] });
  const token = await server.register("a");
  const bot = new Counting();
  const summary = await practice(bot, { server: server.address, token, logger: silentLogger });
  assert.deepEqual([summary.matches, summary.forfeits, bot.sessions], [6, 0, 1]);
  const tables = bot.ends.map(({ match }) => match.bots.join(" "));
  assert.deepEqual(tables, [
    "a easy oracle",
    "oracle a easy",
    "easy oracle a",
    "a oracle easy",
    "easy a oracle",
    "oracle easy a",
  ]);
  assert.equal(bot.rows, 6);
  assert.ok(bot.ends.every(({ match }) => match.origin === undefined && match.piles.join() === "3,4,5"));
});

test("practice options choose rivals and piles, and a full server is retried", async (t) => {
  const server = await TestServer.start(t, { flags: ["--house", "oracle,greedy", "--practice-per-minute", "120"] });
  const token = await server.register("a");
  const bot = new Counting();
  const against = { rivals: ["greedy"], piles: [2n ** 63n - 1n], rounds: 2 };
  const summary = await practice(bot, { server: server.address, token, logger: silentLogger }, against);
  assert.equal(summary.matches, 4);
  assert.ok(bot.ends.every(({ match }) => match.bots.includes("greedy") && match.piles[0] === 2n ** 63n - 1n));
});

test("practice fails without house bots, and ends when it is stopped", async (t) => {
  const alone = await TestServer.start(t);
  const token = await alone.register("a");
  const options = { server: alone.address, token, logger: silentLogger };
  await assert.rejects(practice(new Counting(), options), (error) => error instanceof LastnimError && error.code === "no_house_bots");
  await assert.rejects(
    practice(new Counting(), options, { rivals: ["nobody"] }),
    (error) => error instanceof LastnimError && error.code === "practice" && error.message.includes("hosts no house bots"),
  );
  const server = await TestServer.start(t, { flags: ["--house", "oracle"] });
  const stop = new AbortController();
  const bot: Bot = {
    play() {
      stop.abort();
      return 1n;
    },
  };
  const summary = await practice(bot, { server: server.address, token: await server.register("a"), logger: silentLogger, signal: stop.signal });
  assert.equal(summary.matches, 0);
});
