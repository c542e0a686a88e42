import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { run, silentLogger, standardRow, type Bot, type MatchEnd, type MatchInfo, type MatchView, type Options, type TournamentEnd } from "lastnim";
import { AllianceMode } from "#src/gen/lastnim/v1/record_pb.js";
import { Ending } from "#src/gen/lastnim/v1/game_pb.js";
import { TestLog } from "./harness/log.js";
import { TestServer } from "./harness/server.js";

/** Takes half of the pile, declares its neighbour as its ally, and remembers events. */
class Half implements Bot {
  readonly declared: MatchInfo[] = [];
  readonly views: MatchView[] = [];
  readonly ends: MatchEnd[] = [];
  tournamentEnds: TournamentEnd[] = [];

  declare(match: MatchInfo) {
    this.declared.push(match);
    return [1, 0, ...standardRow(match.seats).slice(2)];
  }

  play(game: MatchView): bigint {
    this.views.push(game);
    return (game.position.counters + 1n) / 2n;
  }

  ended(end: MatchEnd) {
    this.ends.push(end);
  }

  tournamentEnded(end: TournamentEnd) {
    this.tournamentEnds.push(end);
  }
}

function optionsFor(server: TestServer, token: string, more: Partial<Options> = {}): Options {
  return { server: server.address, token, logger: silentLogger, ...more };
}

/** Plays a tournament to its end with a bot per token, and returns the summaries. */
async function playAll(server: TestServer, tokens: string[], tournament: string, makeBot: (index: number) => Bot) {
  return Promise.all(tokens.map((token, index) => run(makeBot(index), optionsFor(server, token, { tournament }))));
}

async function registerSome(server: TestServer, count: number): Promise<string[]> {
  return Object.values(await server.registerAll(Array.from({ length: count }, (_, index) => `bot-${index}`)));
}

test("a tournament is played to its end, and every bot gets the results", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const tokens = await registerSome(server, 3);
  const tournament = await server.createTournament({
    seats: 3,
    positions: [{ counters: [1n, 2n, 2n] }, { counters: [3n, 4n] }],
    startWhen: 3,
  });
  const bots = tokens.map(() => new Half());
  const summaries = await Promise.all(
    tokens.map((token, index) => run(bots[index]!, optionsFor(server, token, { tournament, version: `1.${index}`, configHash: new Uint8Array(32).fill(7) }))),
  );
  for (const [index, bot] of bots.entries()) {
    assert.equal(bot.ends.length, 6, "two positions in three rotations");
    assert.equal(bot.declared.length, 6);
    assert.ok(bot.ends.every((end) => end.reason === "finished" && !end.forfeited && end.match.origin?.tournament === tournament));
    assert.deepEqual(bot.views[0]!.matrix, Array.from({ length: 3 }, () => [1, 0, 2]));
    const [end] = bot.tournamentEnds;
    assert.deepEqual([end?.title, end?.state, end?.matches, end?.bots], ["test", "finished", 6, 3n]);
    const summary = summaries[index]!;
    assert.deepEqual([summary.matches, summary.forfeits, summary.unseen, summary.wins], [6, 0, 0, end?.wins]);
    assert.equal(summary.takes, bot.views.length);
    assert.match(String(summary), /^6 matches, \d+ wins?, 0 forfeits, regret \d+, accuracy \d+%$/);
  }
  for (const [name, standing] of await server.standings(tournament)) {
    assert.deepEqual([standing.matches, standing.forfeits, standing.noShows], [6, 0, 0]);
    const [played] = standing.versions;
    assert.equal(played?.version?.version, `1.${name.at(-1)}`);
    assert.deepEqual([...played!.version!.configHash], Array<number>(32).fill(7));
  }
});

test("bots play with 2 to 8 seats, both endings, and piles up to 2^63-1", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const tokens = await registerSome(server, 8);
  const largest = 2n ** 63n - 1n;
  for (let seats = 2; seats <= 8; seats += 1) {
    const ending = seats % 2 === 0 ? Ending.TO_MOVE_WINS : Ending.LAST_MOVER_WINS;
    const tournament = await server.createTournament({
      seats,
      positions: [{ counters: [3n, largest] }],
      ending,
      startWhen: seats,
    });
    const bots = tokens.slice(0, seats).map(() => new Half());
    const summaries = await playAll(server, tokens.slice(0, seats), tournament, (index) => bots[index]!);
    assert.ok(summaries.every((summary) => summary.matches === seats && summary.forfeits === 0), `${seats} seats: ${summaries}`);
    assert.equal(summaries.reduce((wins, summary) => wins + summary.wins, 0), seats, "each match has one winner");
    const views = bots.flatMap((bot) => bot.views);
    const opening = views.find((view) => view.ply === 0)!;
    assert.deepEqual(opening.position.piles, [3n, largest]);
    assert.equal(opening.ending, seats % 2 === 0 ? "to_move_wins" : "last_mover_wins");
    assert.ok(views.every((view) => view.position.toMove === view.seat && view.position.piles[view.position.pile] === view.position.counters));
  }
});

test("assigned rows are visible but not declared", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const tokens = await registerSome(server, 2);
  const tournament = await server.createTournament({
    seats: 2,
    positions: [{ counters: [5n] }],
    alliance: AllianceMode.GIVEN,
    allianceMatrix: { rows: [{ offsets: [1, 0] }, { offsets: [0, 1] }] },
    startWhen: 2,
  });
  const bots = tokens.map(() => new Half());
  await playAll(server, tokens, tournament, (index) => bots[index]!);
  for (const bot of bots) {
    assert.equal(bot.declared.length, 0);
    assert.ok(bot.views.every((view) => view.assigned !== undefined));
    assert.deepEqual(bot.views[0]!.matrix, [[1, 0], [0, 1]]);
  }
});

test("a bot that waits in one match is asked in the others", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const tokens = await registerSome(server, 2);
  const tournament = await server.createTournament({
    seats: 2,
    positions: Array.from({ length: 32 }, (_, index) => ({ counters: [BigInt(index + 1), 3n] })),
    concurrency: 64,
    startWhen: 2,
  });
  // The first bot delays its first turns until it was asked in all matches in which it moves first.
  let waiting: (() => void)[] = [];
  const patient: Bot = {
    async play(game) {
      if (game.ply === 0) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 32) for (const go of waiting.splice(0)) go();
        });
      }
      return 1n;
    },
  };
  const summaries = await playAll(server, tokens, tournament, (index) => (index === 0 ? patient : new Half()));
  assert.deepEqual(summaries.map((summary) => [summary.matches, summary.forfeits]), [[64, 0], [64, 0]]);
});

test("with a concurrency of 1 the bot is asked one question at a time", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const tokens = await registerSome(server, 2);
  const tournament = await server.createTournament({
    seats: 2,
    positions: Array.from({ length: 8 }, () => ({ counters: [2n, 3n] })),
    startWhen: 2,
  });
  let asked = 0;
  const oneAtATime = async <T>(answer: T): Promise<T> => {
    asked += 1;
    assert.equal(asked, 1);
    await new Promise((resolve) => setImmediate(resolve));
    asked -= 1;
    return answer;
  };
  const bot: Bot = { declare: (match) => oneAtATime(standardRow(match.seats)), play: () => oneAtATime(1n), ended: () => oneAtATime(undefined) };
  const [summary] = await Promise.all([
    run(bot, optionsFor(server, tokens[0]!, { tournament, concurrency: 1 })),
    run(new Half(), optionsFor(server, tokens[1]!, { tournament })),
  ]);
  assert.deepEqual([summary.matches, summary.forfeits], [16, 0]);
});

test("a refused take is reported and asked again", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const tokens = await registerSome(server, 2);
  const tournament = await server.createTournament({ seats: 2, positions: [{ counters: [4n] }], startWhen: 2 });
  const reasons = new Map<string, string[]>();
  const greedyAtFirst: Bot = {
    play: (game) => {
      const refusals = reasons.get(game.id)?.length ?? 0;
      return refusals === 0 ? game.position.counters + 1n : refusals === 1 ? 0n : 1n;
    },
    refused: ({ match, reason, strikesLeft }) => {
      reasons.set(match!, [...(reasons.get(match!) ?? []), `${reason}, ${strikesLeft} left`]);
    },
  };
  const [summary] = await playAll(server, tokens, tournament, (index) => (index === 0 ? greedyAtFirst : new Half()));
  const twice = ["illegal_take, 2 left", "illegal_take, 1 left"];
  assert.deepEqual([...reasons.values()], [twice, twice]);
  assert.deepEqual([summary!.matches, summary!.forfeits], [2, 0]);
});

test("an exception in play is logged and forfeits only that match", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const tokens = await registerSome(server, 2);
  const tournament = await server.createTournament({
    seats: 2,
    positions: [{ counters: [1n, 3n] }, { counters: [2n, 5n] }, { counters: [3n, 7n] }],
    startWhen: 2,
  });
  const log = new TestLog();
  const ends: MatchEnd[] = [];
  const fragile: Bot = {
    declare: (match) => {
      if (match.piles[0] === 3n) throw new Error("cannot declare");
      return standardRow(match.seats);
    },
    play: async (game) => {
      if (game.piles[0] === 2n) throw new Error("the table is broken");
      return 1n;
    },
    ended: (end) => {
      ends.push(end);
      throw new Error("cannot hear");
    },
  };
  const [summary] = await Promise.all([
    run(fragile, optionsFor(server, tokens[0]!, { tournament, logger: log })),
    run(new Half(), optionsFor(server, tokens[1]!, { tournament })),
  ]);
  assert.deepEqual([summary.matches, summary.forfeits], [6, 4]);
  assert.equal(ends.length, 6);
  for (const end of ends) {
    assert.equal(end.forfeited, end.match.piles[0] !== 1n, `piles ${end.match.piles}`);
    const lines = log.lines.filter((line) => line.includes(`in match ${end.match.id}`));
    assert.equal(lines.filter((line) => /^the bot failed at (play|declare) .*its seat there is resigned\nError: /.test(line)).length, end.forfeited ? 1 : 0);
  }
  const standings = await server.standings(tournament);
  assert.equal(standings.get("bot-0")?.forfeits, 4);
});

test("ply limits and forfeits are reported as reasons", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const tokens = await registerSome(server, 2);
  const tournament = await server.createTournament({ seats: 2, positions: [{ counters: [9n, 9n] }], startWhen: 2, maxPlies: 2 });
  const bots = tokens.map(() => new Half());
  await playAll(server, tokens, tournament, (index) => bots[index]!);
  assert.deepEqual(bots[0]!.ends.map((end) => end.reason), ["ply_limit", "ply_limit"]);
  const failing = await server.createTournament({ seats: 2, positions: [{ counters: [9n] }], startWhen: 2 });
  const reasons: string[] = [];
  await playAll(server, tokens, failing, () => ({
    play: () => Promise.reject(new Error("no")),
    // An earlier process has not confirmed its last ends, so they may be repeated.
    ended: (end) => void (end.match.origin?.tournament === failing && reasons.push(`${end.reason} ${end.forfeited}`)),
  }));
  assert.deepEqual(reasons, Array<string>(4).fill("all_forfeited true"));
});

test("a note hash is in the record", async (t: TestContext) => {
  const server = await TestServer.start(t);
  const tokens = await registerSome(server, 2);
  const tournament = await server.createTournament({ seats: 2, positions: [{ counters: [1n] }], startWhen: 2 });
  const hash = new Uint8Array(32).fill(9);
  let matchId = "";
  const noting: Bot = { play: () => 1n, noteHash: () => hash, ended: (end) => void (matchId = end.match.id) };
  await playAll(server, tokens, tournament, (index) => (index === 0 ? noting : new Half()));
  const { events } = await server.record(matchId);
  const rows = events.flatMap(({ event }) => (event.case === "declared" ? [event.value] : []));
  assert.equal(rows.filter((row) => Buffer.compare(row.noteHash, hash) === 0).length, 1);
});
