"""The oracle, compared with the paper and between its functions."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import lastnim
from lastnim import declarations

PAPER = {"piles": [1, 2, 2], "matrix": [[0, 2, 1], [0, 1, 2], [0, 2, 1]]}
ROWS = [[0, 2, 1], [0, 1, 2], [0, 2, 1]]


def test_a_solution_names_the_winner_and_the_optimal_takes() -> None:
    solution = lastnim.solve(piles=[1, 2, 2], matrix=ROWS)
    assert (solution.winner, solution.value, solution.winner_by_first) == (2, 2, (2, 2, 1))
    assert [(takes.lo, takes.hi) for takes in solution.optimal_takes] == [(1, 1)]
    tall = lastnim.solve(piles=[2**63 - 1, 7], players=5, first=3, ending="last_mover_wins")
    assert (tall.winner - 3) % 5 == tall.value
    assert tall.optimal_takes[-1].hi <= 7


def test_an_explanation_and_a_tree_agree_with_the_solution() -> None:
    solution = lastnim.solve(piles=[1, 2, 2], matrix=ROWS)
    explained = lastnim.explain(piles=[1, 2, 2], matrix=ROWS)
    assert explained.winner == solution.winner
    assert explained.line_is_whole
    drawn = lastnim.tree(piles=[1, 2, 2], matrix=ROWS)
    assert drawn.nodes[0].winner == solution.winner
    optimal = {edge.take for edge in drawn.edges if edge.from_ == 0 and edge.optimal}
    assert optimal == {1}
    graph = lastnim.tree(piles=[1, 2, 2], matrix=ROWS, form="graph")
    assert graph.form == "graph" and len(graph.nodes) < len(drawn.nodes)


def test_an_audit_names_who_erred() -> None:
    audited = lastnim.audit(piles=[1, 2, 2], matrix=ROWS, takes=[2, 1, 1, 1])
    assert (audited.winner, audited.predicted_winner) == (1, 2)
    assert [ply.regret for ply in audited.plies] == [1, 0, 0, 0]


def test_the_other_functions_answer() -> None:
    assert lastnim.robustness(piles=[2, 2], players=3, error_rate=0.0).winner == lastnim.solve(piles=[2, 2], players=3).winner
    assert declarations.best(piles=[2, 2], players=3, seat=1).settled is not None
    assert declarations.check_truth(piles=[2, 2], players=3).equilibrium is True
    found = declarations.equilibria(piles=[2, 2], players=3)
    assert found.count is not None and int(found.count.number) > 0
    game = lastnim.PlayedGame(piles=[3, 4], takes=[2, 2], seat=0, players=3)
    rows = lastnim.rationalise([game]).rows
    assert rows is not None and rows.examples
    kayles = lastnim.solve_game("kayles", piles=[5], players=2)
    assert kayles.two_players is not None and kayles.two_players.grundy is not None
    assert kayles.two_players.grundy.value == lastnim.list_grundy_values("kayles", to=5).terms[5].grundy == 4
    assert lastnim.solve_game("subtraction", piles=[6], players=2, max_take=3).options
    graph = lastnim.solve_game("graph-nim", players=2, edges=[(0, 1, 2)], vertex=0)
    assert graph.winner == 0
    nim = lastnim.solve_game("nim", piles=[2, 3], players=3, max_coalition=0)
    assert nim.robustness is not None and len(nim.robustness.moves) == len(nim.options)
    assert graph.robustness is None


def best_winners(piles: tuple[int, ...], seat: int, ranks: Callable[[int, int], int], passes: int = 0) -> int:
    """The winner under optimal play, by searching every take and pass."""
    if not piles:
        return seat
    takes = [piles[:-1] + ((piles[-1] - take,) if take < piles[-1] else ()) for take in range(1, piles[-1] + 1)]
    winners = [best_winners(after, (seat + 1) % 3, ranks, passes) for after in takes]
    if passes:
        winners.append(best_winners(piles, (seat + 1) % 3, ranks, passes - 1))
    return min(winners, key=lambda winner: ranks(seat, winner))


def test_variants_are_solved() -> None:
    matrix = [[0, 2, 1], [0, 1, 2], [2, 0, 1]]

    def ranks(seat: int, winner: int) -> int:
        return matrix[seat].index((winner - seat) % 3)

    for piles in [(1,), (3,), (2, 2), (1, 4), (1, 1, 2)]:
        passing = lastnim.solve_variant(piles=piles, matrix=matrix, passes=2).passes
        assert passing is not None
        assert passing.winner_by_first == tuple(best_winners(piles, seat, ranks, 2) for seat in range(3))
        allied = lastnim.solve_variant(piles=piles, players=3, alliance=[0, 2]).alliances
        assert allied is not None and allied.winning is not None
        sided = best_winners(piles, 0, lambda seat, winner: (winner == 1) != (seat == 1))
        assert (1 in allied.winning) == (sided == 1)
        strict = [[[offset] for offset in row] for row in matrix]
        tied = lastnim.solve_variant(piles=piles, ties=strict).ties
        assert tied is not None
        assert tied.winners == (lastnim.solve(piles=piles, matrix=matrix).winner,)
    random = lastnim.solve_variant(piles=[2], players=2, random_seats=[0]).random_seats
    assert random is not None and random.win_probabilities == (0.5, 0.5)
    both = lastnim.solve_variant(piles=[2], ties=[[[0, 1]], [[0, 1]]]).ties
    assert both is not None and both.winners == (0, 1)


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ({}, "no variant: expected one of ties, passes, alliance and random_seats"),
        ({"passes": 1, "alliance": [0], "players": 2}, "passes, alliance: expected one of"),
        ({"alliance": [0], "matrix": [[0, 1], [0, 1]]}, "leave matrix out"),
        ({"alliance": [0]}, "players=N"),
        ({"ties": [[[0, 1]], [[0], []]]}, "group 1 of the row is empty"),
        ({"ties": [[[0, 1]], [[0, 1]]], "players": 3}, "players: 3, but ties has 2 rows"),
        ({"passes": 1001, "players": 2}, "expected 0 to 1000"),
        ({"random_seats": [2], "players": 2}, "seat 2: expected 0 to 1"),
    ],
)
def test_mistakes_in_variants_are_named(variant: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        lastnim.solve_variant(piles=[3], **variant)


def test_variants_have_a_limit_on_steps() -> None:
    with pytest.raises(lastnim.OracleStopped):
        lastnim.solve_variant(piles=[50, 50], players=3, passes=9, max_steps=5)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ({"piles": [2**63], "players": 2}, "pile 0 has 9223372036854775808 counters"),
        ({"piles": [1]}, "matrix: expected rows"),
        ({"piles": [1], "matrix": [[0, 0], [0, 1]]}, "offset 0 appears twice"),
        ({"piles": [1], "players": 2, "first": 2}, "seat 2: expected 0 to 1"),
        ({"piles": [1], "players": 2, "first": -1}, "-1 is out of range"),
        ({"piles": [1], "players": 33}, "players: 33: a game has 2 to 32 seats"),
        ({"piles": [1], "players": 3, "matrix": [[0, 1], [0, 1]]}, "matrix has 2 rows"),
        ({"piles": [1], "players": 2, "ending": "never"}, 'unknown word "never"'),
    ],
)
def test_mistakes_in_a_game_are_named(game: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lastnim.solve(**game)  # type: ignore[arg-type]


def test_max_steps_stops_a_request() -> None:
    with pytest.raises(lastnim.OracleStopped, match="more than 1000 steps"):
        declarations_of_large_game(max_steps=1000)


def declarations_of_large_game(max_steps: int | None) -> None:
    lastnim.solve_game("digits", piles=[9999, 8888], players=3, max_steps=max_steps)


def test_an_interrupt_stops_a_request() -> None:
    def interrupt() -> None:
        time.sleep(0.3)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        # Many seats have far too many rows to try all.
        declarations.best(piles=[9] * 40, players=20, seat=3)
        time.sleep(2)
