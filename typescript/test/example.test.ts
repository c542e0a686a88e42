import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { practiceView, run, silentLogger, type AllianceMatrix, type Ending, type MatchView } from "lastnim";
import { OpponentModel } from "../examples/opponent-model.js";
import { Solver } from "../examples/solver.js";
import { TestServer, lastnimBinary } from "./harness/server.js";

/** Pseudo-random numbers with a fixed seed. */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Draws a game of 2 to 6 seats. */
function drawGame(draw: (below: number) => number, maxCounters: number): { piles: bigint[]; matrix: AllianceMatrix; ending: Ending; first: number } {
  const seats = 2 + draw(5);
  const shuffled = () => {
    const offsets = Array.from({ length: seats }, (_, offset) => offset);
    return offsets.map((_, at) => {
      const other = at + draw(seats - at);
      [offsets[at], offsets[other]] = [offsets[other]!, offsets[at]!];
      return offsets[at]!;
    });
  };
  return {
    piles: Array.from({ length: 1 + draw(3) }, () => BigInt(1 + draw(maxCounters))),
    matrix: Array.from({ length: seats }, shuffled),
    ending: draw(2) === 0 ? "to_move_wins" : "last_mover_wins",
    first: draw(seats),
  };
}

/** Returns the winner by the definition of optimal play, from the largest take to the smallest. */
function winnerBySearch(game: MatchView["position"], matrix: AllianceMatrix, ending: Ending): number {
  const { toMove, seats } = game;
  if (game.isOver) return ending === "to_move_wins" ? toMove : (toMove + seats - 1) % seats;
  const rank = (winner: number) => matrix[toMove]!.indexOf((winner - toMove + seats) % seats);
  let best: number | undefined;
  for (let take = game.counters; take >= 1n; take -= 1n) {
    const winner = winnerBySearch(game.after(take), matrix, ending);
    if (best === undefined || rank(winner) < rank(best)) best = winner;
  }
  return best!;
}

test("the example's solver agrees with a search of the whole game", () => {
  const draw = drawing(7);
  for (let round = 0; round < 300; round += 1) {
    const game = drawGame(draw, 5);
    const solver = new Solver(game.matrix, game.piles, game.ending);
    const view = practiceView(game);
    assert.equal(solver.winner(game.first), winnerBySearch(view.position, game.matrix, game.ending), JSON.stringify(game.matrix));
    for (const { take, winner } of solver.outcomes(view.position)) {
      assert.equal(winner, winnerBySearch(view.position.after(take), game.matrix, game.ending));
    }
  }
});

test("the example plays legally in any game, with piles up to 2^63-1", () => {
  const draw = drawing(11);
  const bot = new OpponentModel();
  for (let round = 0; round < 60; round += 1) {
    const game = drawGame(draw, 9);
    if (round % 5 === 0) game.piles[0] = 2n ** 63n - 1n;
    const takes: bigint[] = [];
    for (let ply = 0; ply < 6; ply += 1) {
      const view = practiceView({ ...game, takes });
      assert.equal([...bot.declare(view)].sort().join(), view.matrix[0]!.map((_, offset) => offset).join());
      const take = bot.play(view);
      const after = view.position.after(take);
      if (after.isOver) break;
      takes.push(take);
    }
  }
});

test("the example expects its opponents to repeat their declarations", () => {
  const all = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
  let [atFirst, havingSeen, possible] = [0, 0, 0];
  for (const [second, third] of all.flatMap((row) => all.map((other) => [row, other] as const))) {
    const game = practiceView({ piles: [2n, 2n, 2n], matrix: [all[0]!, second, third] });
    const wins = (row: readonly number[]) => new Solver([row, second, third], game.piles, game.ending).winner(0) === 0;
    const bot = new OpponentModel();
    atFirst += Number(wins(bot.declare(game)));
    for (let match = 0; match < 40; match += 1) bot.play({ ...game, id: `${match}` });
    havingSeen += Number(wins(bot.declare(game)));
    possible += Number(all.some(wins));
  }
  assert.ok(havingSeen > atFirst && havingSeen === possible, `${atFirst}, ${havingSeen} of ${possible}`);
});

test("the example plays a tournament against house bots without forfeits", async (t) => {
  const server = await TestServer.start(t);
  const names = ["model", "oracle", "loyal"] as const;
  const tokens = await server.registerAll(names);
  const tournament = await server.createTournament({
    seats: 3,
    otherPositions: { case: "paperPositions", value: {} },
    startWhen: 3,
  });
  const houseBots = (["oracle", "loyal"] as const).map((name) => {
    return spawn(lastnimBinary(), ["bot", "run", name, "--server", server.address, "--tournament", tournament], {
      env: { PATH: process.env["PATH"], LASTNIM_TOKEN: tokens[name] },
      stdio: "ignore",
    });
  });
  const exits = houseBots.map((bot) => once(bot, "exit"));
  const summary = await run(new OpponentModel(), { server: server.address, token: tokens.model, tournament, logger: silentLogger });
  assert.deepEqual((await Promise.all(exits)).map(([code]) => code), [0, 0]);
  assert.deepEqual([summary.matches, summary.forfeits], [36, 0]);
  t.diagnostic(String(summary));
});
