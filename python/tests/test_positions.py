"""Many positions in arrays."""

from __future__ import annotations

import numpy as np
import pytest

import lastnim

ROWS = [[0, 2, 1], [0, 1, 2], [0, 2, 1]]


def test_each_position_has_the_winner_that_solve_names() -> None:
    generator = np.random.default_rng(7)
    piles = generator.integers(1, 6, size=(200, 4), dtype=np.uint64)
    first = generator.integers(0, 3, size=200)
    winners = lastnim.solve_many(piles, matrix=ROWS, first=first)
    assert winners.dtype == np.uint8
    by_seat = lastnim.solve_many(piles, matrix=ROWS, first=None)
    for position, (row, seat) in enumerate(zip(piles.tolist(), first.tolist(), strict=True)):
        solution = lastnim.solve(piles=row, matrix=ROWS, first=seat)
        assert winners[position] == solution.winner
        assert tuple(by_seat[position]) == solution.winner_by_first
    assert (lastnim.solve_many(piles, matrix=ROWS, first=1) == by_seat[:, 1]).all()


def test_arrays_of_any_integers_and_layout_are_read() -> None:
    piles = np.array([[3, 4], [2, 5], [1, 9]])
    expected = lastnim.solve_many(piles, players=3).tolist()
    for kind in (np.uint64, np.int32, np.uint8):
        assert lastnim.solve_many(piles.astype(kind), players=3).tolist() == expected
    assert lastnim.solve_many(np.asfortranarray(piles), players=3).tolist() == expected
    assert lastnim.solve_many([[3, 4], [2, 5], [1, 9]], players=3).tolist() == expected
    assert lastnim.solve_many(np.zeros((0, 3), dtype=np.int64), players=3).shape == (0,)


@pytest.mark.parametrize(
    ("piles", "first", "words"),
    [
        ([[1, 2], [-1, 2]], 0, r"piles\[1, 0\]: 18446744073709551615 counters"),
        ([1, 2], 0, "1 dimensions"),
        ([[0.5]], 0, "float64"),
        ([[1]], 3, "seat 3: expected 0 to 2"),
        ([[1]], -1, "first: -1"),
        ([[1], [2]], np.array([0, 3]), r"first\[1\]: 3"),
        ([[1], [2]], np.array([0]), "first: length 1: expected 2 seats, one for each position"),
    ],
)
def test_mistakes_in_arrays_are_named(piles: list[list[int]], first: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lastnim.solve_many(np.array(piles), players=3, first=first)
