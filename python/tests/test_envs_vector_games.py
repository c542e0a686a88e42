"""Vectorised games, compared with the audit of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lastnim
from lastnim.envs import GamesStep, VectorGames

SEATS, PILES = 4, 5


def rows_of(observation: Any) -> list[list[int]]:
    """Returns the rows in seat 0's observation."""
    rows: list[list[int]] = observation[PILES + 1 :].reshape(SEATS, SEATS).tolist()
    return rows


@pytest.mark.parametrize("ending", ["to_move_wins", "last_mover_wins"])
def test_every_game_matches_its_audit(ending: lastnim.Ending) -> None:
    games = VectorGames(40, seed=5, players=SEATS, pile_count=PILES, largest_pile=7, rows="random", ending=ending)
    starts = games.observations()
    played: list[list[tuple[int, int, int, int, Any]]] = [[] for _ in starts]
    ended: dict[int, Any] = {}
    for number in range(PILES * 7):
        takes = games.draw_takes(number)
        labels = zip(
            games.to_move(), takes, games.predicted_winners(), games.regrets(takes), games.optimal_takes(), strict=True
        )
        for game, (mover, take, winner, regret, optimal) in enumerate(labels):
            if game not in ended:
                ranges = [tuple(found) for found in optimal.tolist() if found[0] > 0]
                played[game].append((int(mover), int(take), int(winner), int(regret), ranges))
        step = games.step(takes)
        for game in np.flatnonzero(step.terminated).tolist():
            ended.setdefault(game, step.rewards[game])
    assert len(ended) == games.count
    for game, plies in enumerate(played):
        audit = lastnim.audit(
            piles=starts[game, :PILES].tolist(),
            matrix=rows_of(starts[game]),
            takes=[take for _, take, *_ in plies],
            ending=ending,
        )
        expected = [
            (ply.seat, ply.take, ply.predicted_before, ply.regret, [(takes.lo, takes.hi) for takes in ply.optimal_takes])
            for ply in audit.plies
        ]
        assert plies == expected
        assert ended[game].tolist() == pytest.approx([seat.satisfaction for seat in audit.seats])


def test_observations_show_what_the_seat_to_move_sees() -> None:
    rows = [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
    games = VectorGames(2, piles=[3, 4], rows=rows, first=1)
    assert games.observations().tolist() == [[3, 4, 0, 1, 0, 2, 2, 1, 0, 0, 2, 1]] * 2
    step = games.step(np.array([4, 1]))
    assert isinstance(step, GamesStep)
    assert step.observations.tolist() == [[3, 0, 0, 2, 1, 0, 0, 2, 1, 1, 0, 2], [3, 3, 0, 2, 1, 0, 0, 2, 1, 1, 0, 2]]
    assert (games.to_move() == 2).all() and games.counters().tolist() == [3, 3]
    assert games.action_masks().tolist() == [[0, 1, 1, 1, 0]] * 2
    assert not step.terminated.any() and not step.rewards.any()
    step = games.step(np.array([3, 3], dtype=np.uint8))
    # Seat 0 is to move without counters: it has won, and the next game begins.
    assert step.terminated.tolist() == [True, False]
    assert step.rewards.tolist() == [[1.0, 0.0, 0.5], [0.0, 0.0, 0.0]]
    assert games.to_move().tolist() == [1, 0]


def test_the_seed_and_slot_determine_the_games() -> None:
    few, many = VectorGames(3, seed=9, rows="random"), VectorGames(50, seed=9, rows="random")
    for number in range(60):
        assert (few.observations() == many.observations()[:3]).all()
        takes = many.draw_takes(number)
        few.step(takes[:3])
        many.step(takes)
    start = VectorGames(3, seed=9, rows="random").observations()
    assert (few.reset(seed=9) == start).all()
    assert (few.reset() != start).any()
    assert (VectorGames(3, seed=10, rows="random").observations() != start).any()


def test_an_illegal_take_changes_no_game() -> None:
    games = VectorGames(3, piles=[2, 5])
    before = games.observations()
    for wrong, words in [
        ([1, 6, 1], r"actions\[1\]: a take of 6: take 1 to 5"),
        ([1, 1, 0], r"actions\[2\]: a take of 0: take 1 to 5"),
        ([-1, 1, 1], r"actions\[0\]: a take of -1"),
        ([1, 1], "actions: length 2: expected 3 actions, one for each game"),
        ([[1, 1, 1]], "2 dimensions"),
        ([1.0, 1.0, 1.0], "float64"),
    ]:
        with pytest.raises(ValueError, match=words):
            games.step(np.array(wrong))
        with pytest.raises(ValueError, match=words):
            games.regrets(np.array(wrong))
    assert (games.observations() == before).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"count": 0}, "count: 0: expected 1 to 1048576"),
        ({"count": 2**20, "pile_count": 1024}, "count: 1048576: expected at most 259608 games, .* 1034 numbers"),
        ({"seed": -1}, "seed: -1: expected an integer of 0"),
        ({"players": -1}, "players: -1: expected an integer of 0"),
        ({"rows": "declared"}, "assigned rows"),
        ({"rows": "own"}, 'rows: "own": expected "standard"'),
        ({"rows": [[0, 1], [0, 1]]}, "rows: 2 rows: expected 3, one for each player"),
        ({"rows": [[0, 1, 1]] * 3}, "rows: row 0 of the alliance matrix: offset 1 appears twice"),
        ({"largest_pile": 1024}, "largest_pile: 1024: expected 1 to 1023"),
        ({"piles": [1, 1024]}, "largest_pile: 1024"),
        ({"piles": [1, 0]}, "piles: pile 1 has 0 counters"),
        ({"pile_count": 0}, "pile_count: 0: expected 1 to 1024"),
        ({"players": 33}, "players: 33 seats: expected 2 to 32"),
        ({"first": 3}, "first: seat 3: expected 0 to 2"),
        ({"ending": "never"}, "expected to_move_wins or last_mover_wins"),
    ],
)
def test_mistakes_in_settings_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        VectorGames(settings.pop("count", 2), **settings)


def test_the_largest_pile_has_an_action_for_each_take() -> None:
    games = VectorGames(2, piles=[1023], players=2)
    assert games.action_masks().shape == (2, 1024) and games.action_masks()[:, 1:].all()
    assert games.observations()[0, 0] == 1023
    assert games.step(np.array([1023, 1])).terminated.tolist() == [True, False]
