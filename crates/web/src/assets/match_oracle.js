// Who wins a match under optimal play, by backward induction. Numbers of counters are BigInts, as a pile may have up to 2^63-1.

/** Solves a match: `wants[seat]` has the seats in the order in which a seat wants them to win. */
export function solve({ piles, wants, lastMoverWins }) {
  const seats = wants.length;
  const next = (seat) => (seat + 1) % seats;
  const rank = wants.map((order) => order.reduce((ranks, winner, place) => ((ranks[winner] = place), ranks), []));
  const better = (seat, one, other) => (rank[seat][other] < rank[seat][one] ? other : one);
  const everySeat = wants.map((_, seat) => seat);
  // More counters than seats in a pile change nothing.
  const level = (counters) => (counters > BigInt(seats) ? seats : Number(counters));
  // By pile, counters in it and seat to move: the winner. With no counter in it, the piles before decide.
  const winners = [];
  let before = everySeat.map((seat) => (lastMoverWins ? (seat + seats - 1) % seats : seat));
  for (const counters of piles) {
    const levels = [before];
    let best = everySeat.map((seat) => before[next(seat)]);
    for (let left = 1; left <= seats; left++) {
      levels.push(best);
      const now = best;
      best = everySeat.map((seat) => better(seat, now[seat], now[next(seat)]));
    }
    winners.push(levels);
    before = levels[level(counters)];
  }

  /** The winner of a position: the index of the pile in play (-1 if all are empty), its counters and the seat to move. */
  const winnerOf = ({ pile, counters, mover }) => (pile < 0 ? winners[0][0][mover] : winners[pile][level(counters)][mover]);

  /** The position after a take. */
  const after = ({ pile, counters, mover }, take) => {
    const left = counters - take;
    if (left > 0n) return { pile, counters: left, mover: next(mover) };
    return { pile: pile - 1, counters: pile > 0 ? piles[pile - 1] : 0n, mover: next(mover) };
  };

  /** What each take leads to: ranges of takes with the same winner and the places that they cost, in ascending order. */
  const outcomes = (position) => {
    const { pile, counters, mover } = position;
    if (pile < 0) return [];
    const best = rank[mover][winnerOf(position)];
    const found = [];
    // All takes that leave at least as many counters as there are seats lead to the same winner.
    const most = counters > BigInt(seats) ? seats : Number(counters) - 1;
    for (let left = most; left >= 0; left--) {
      const winner = winners[pile][left][next(mover)];
      const [lo, hi] = [left === most ? 1n : counters - BigInt(left), counters - BigInt(left)];
      const last = found.at(-1);
      if (last?.winner === winner) last.hi = hi;
      else found.push({ lo, hi, winner, cost: rank[mover][winner] - best });
    }
    return found;
  };

  return { rank, winnerOf, after, outcomes };
}
