import { run, type MatchView } from "lastnim";

const half = {
  play(game: MatchView): bigint {
    return (game.position.counters + 1n) / 2n;
  },
};

console.log(String(await run(half)));
