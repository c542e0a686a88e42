"""Runs OpenSpiel's own tests on the OpenSpiel game. They need OpenSpiel: `pip install 'lastnim[openspiel]' pytest`, then
`pytest tests/test_envs_open_spiel.py`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import lastnim

pyspiel: Any = pytest.importorskip("pyspiel")

GAMES = [
    "last_nim",
    "last_nim(piles=1;2;2,rows=0 2 1;0 1 2;0 2 1)",
    "last_nim(players=5,piles=9;30;2,ending=last_mover_wins,first=3)",
    "last_nim(players=2,piles=1023;)",
]


@pytest.fixture(autouse=True)
def registered_game() -> None:
    import_module("lastnim.envs.open_spiel")


@pytest.mark.parametrize("name", GAMES)
def test_random_simulations_pass(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)
    assert str(pyspiel.load_game(str(game))) == str(game)


@pytest.mark.parametrize("name", GAMES[:3])
def test_a_playthrough_is_the_same_when_it_is_replayed(name: str) -> None:
    generate_playthrough: Any = import_module("open_spiel.python.algorithms.generate_playthrough")
    played: str = generate_playthrough.playthrough(name, action_sequence=None, seed=7)
    actions = [int(line.removeprefix("action: ")) for line in played.splitlines() if line.startswith("action: ")]
    assert generate_playthrough.playthrough(name, action_sequence=actions) == played
    assert "GameType.utility = Utility.GENERAL_SUM" in played
    assert "GameType.chance_mode = ChanceMode.DETERMINISTIC" in played


def test_states_have_the_labels_and_returns_of_an_audit() -> None:
    rows = [[0, 2, 1], [0, 1, 2], [0, 2, 1]]
    state = pyspiel.load_game(GAMES[1]).new_initial_state()
    takes = [2, 1, 1, 1]
    audit = lastnim.audit(piles=[1, 2, 2], matrix=rows, takes=takes)
    for take, ply in zip(takes, audit.plies, strict=True):
        assert (state.current_player(), state.predicted_winner()) == (ply.seat, ply.predicted_before)
        assert state.optimal_takes() == [(takes.lo, takes.hi) for takes in ply.optimal_takes]
        assert state.regret(take) == ply.regret
        copy = state.clone()
        state.apply_action(take)
        assert str(copy) != str(state)
    assert state.is_terminal()
    assert state.returns() == pytest.approx([seat.satisfaction for seat in audit.seats])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("last_nim(piles=1;x)", "piles: '1;x': expected numbers"),
        ("last_nim(piles=1024;)", "largest_pile: 1024"),
        ("last_nim(rows=0 1)", "alliance matrix of 1 seat"),
    ],
)
def test_mistakes_in_parameters_are_named(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        pyspiel.load_game(name)
