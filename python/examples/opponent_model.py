"""A bot that models its opponents: it counts the rows that each has declared in the tournament, expects them to repeat these, and declares
the row that wins most often against them. It plays first for its own win, then for its row."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import permutations

import lastnim

# Samples of the opponents' rows to try each row against.
SAMPLES = 64
# Maximum seats to try all rows; with more, only rows that favour one seat.
MAX_SEATS_FOR_ALL_ROWS = 4
# Weight, in matches, of the prior belief that an opponent prefers itself.
PRIOR_WEIGHT = 0.5


class OpponentModel(lastnim.Bot):
    """Learns the rows of its opponents."""

    def __init__(self) -> None:
        # By bot and number of seats: how often it declared each row.
        self._declared: defaultdict[tuple[str, int], Counter[lastnim.Row]] = defaultdict(Counter)
        # Matches already counted.
        self._seen: set[str] = set()

    def declare(self, match: lastnim.Match) -> lastnim.Row:
        tables = self._expected_tables(match)

        def wins(row: lastnim.Row) -> int:
            """Counts the samples in which the row wins."""
            with_row = ((*rows[: match.seat], row, *rows[match.seat + 1 :]) for rows in tables)
            solved = (lastnim.solve(piles=match.piles, matrix=rows, first=match.first, ending=match.ending) for rows in with_row)
            return sum(solution.winner == match.seat for solution in solved)

        # `max` returns the first of equal rows, here the standard one.
        return max(candidate_rows(match.seats), key=wins)

    def play(self, turn: lastnim.Turn) -> int:
        self._learn(turn)
        options = lastnim.explain(
            piles=turn.piles, matrix=turn.rows, first=turn.seat, ending=turn.position.ending, max_plies=1
        ).options

        def worth(winner: int) -> int:
            """Returns the rank of a winner, where a win by the bot itself comes first and promises to others second."""
            return -1 if winner == turn.seat else turn.rows[turn.seat].index((winner - turn.seat) % turn.match.seats)

        best = min(options, key=lambda option: worth(option.winner))
        assert best.takes is not None
        return best.takes.lo

    def _learn(self, turn: lastnim.Turn) -> None:
        """Counts the rows of a match at its first turn."""
        match = turn.match
        if match.rows_are_assigned or match.id in self._seen:
            return
        self._seen.add(match.id)
        for bot, row in zip(match.bots, turn.rows, strict=True):
            self._declared[bot, match.seats][row] += 1

    def _expected_tables(self, match: lastnim.Match) -> list[lastnim.Rows]:
        """Draws rows for all seats, each as often as it is expected."""
        # The same opponents get the same samples.
        drawing = random.Random(str((match.bots, match.piles, match.first)))
        drawn: list[list[lastnim.Row]] = []
        for bot in match.bots:
            counts: dict[lastnim.Row, float] = {lastnim.standard_row(match.seats): PRIOR_WEIGHT}
            for row, count in self._declared[bot, match.seats].items():
                counts[row] = counts.get(row, 0) + count
            drawn.append(drawing.choices(list(counts), list(counts.values()), k=SAMPLES))
        return list(zip(*drawn, strict=True))


def candidate_rows(seats: int) -> list[lastnim.Row]:
    """Returns the rows to try, the standard one first."""
    if seats <= MAX_SEATS_FOR_ALL_ROWS:
        return list(permutations(range(seats)))
    return [lastnim.favouring_row(ally, seats) for ally in range(seats)]


if __name__ == "__main__":
    print(lastnim.run(OpponentModel()))
