"""The PettingZoo environment, with PettingZoo's tests and further properties."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest

import lastnim
from lastnim.envs import last_nim_v0
from lastnim.envs.spaces import Observation

# These libraries have no types.
pettingzoo_tests: Any = importlib.import_module("pettingzoo.test")

SETTINGS: list[dict[str, Any]] = [
    {},
    {"rows": "declared", "players": 4},
    {"rows": "random", "players": 5, "labels": True, "max_cycles": 4},
    {"pile_count": 3, "largest_pile": 1023},
    {"players": 2, "first": 1, "ending": "last_mover_wins"},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_it_passes_the_tests_of_pettingzoo(settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        # They warn about every environment with an action mask.
        warnings.filterwarnings("ignore", message="Observation (space|is not)")
        pettingzoo_tests.api_test(last_nim_v0.env(**settings), num_cycles=100, verbose_progress=False)
    pettingzoo_tests.seed_test(lambda: last_nim_v0.env(**settings), num_cycles=30)
    pettingzoo_tests.parallel_api_test(last_nim_v0.parallel_env(**settings), num_cycles=50)
    pettingzoo_tests.parallel_seed_test(lambda: last_nim_v0.parallel_env(**settings))


def test_it_passes_the_parallel_and_render_tests(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(10):
        pettingzoo_tests.max_cycles_test(last_nim_v0)
    pettingzoo_tests.render_test(last_nim_v0.env)
    assert "to move; rows 0 1 2; 0 1 2; 0 1 2" in capsys.readouterr().out


def observe(env: last_nim_v0.raw_env, agent: str) -> tuple[list[int], list[int]]:
    observed: Observation = env.observe(agent)
    return observed["observation"].tolist(), observed["action_mask"].tolist()


def test_labels_and_rewards_are_those_of_an_audit() -> None:
    env = last_nim_v0.raw_env(players=4, pile_count=4, rows="random", labels=True, ending="last_mover_wins")
    for seed in range(20):
        env.reset(seed=seed)
        piles, rows = env.game.piles, env.game.rows
        assert rows is not None
        takes: list[int] = []
        labels: list[tuple[int, int, list[tuple[int, int]]]] = []
        while not any(env.terminations.values()):
            agent, info = env.agent_selection, env.infos[env.agent_selection]
            action = int(env.action_space(agent).sample(env.observe(agent)["action_mask"]))
            takes.append(action)
            env.step(action)
            labels.append((info["predicted_winner"], env.infos[agent]["regret"], info["optimal_takes"]))
        audit = lastnim.audit(piles=piles, matrix=rows, takes=takes, ending="last_mover_wins")
        expected = [
            (ply.predicted_before, ply.regret, [(takes.lo, takes.hi) for takes in ply.optimal_takes])
            for ply in audit.plies
        ]
        assert labels == expected
        assert list(env.rewards.values()) == pytest.approx([seat.satisfaction for seat in audit.seats])
        assert env.infos["seat_0"]["predicted_winner"] == audit.winner == env.game.winner


def test_rows_are_declared_offset_by_offset_then_revealed() -> None:
    env = last_nim_v0.raw_env(players=3, piles=[2, 1], rows="declared", labels=True)
    env.reset()
    assert observe(env, "seat_0") == ([2, 1, 0, *[-1] * 9], [1, 1, 1])
    declared: list[str] = []
    for action in (1, 0, 2, 0, 2, 1):
        declared.append(env.agent_selection)
        assert env.infos[env.agent_selection] == {}
        env.step(action)
    assert declared == ["seat_0", "seat_1", "seat_2"] * 2
    # Seat 0 declared 1 0 2, seat 1 0 2 1, seat 2 2 1 0.
    assert env.game.rows == [[1, 0, 2], [0, 2, 1], [2, 1, 0]]
    assert observe(env, "seat_1") == ([2, 1, 2, 0, 2, 1, 2, 1, 0, 1, 0, 2], [0, 0, 0])
    assert env.agent_selection == "seat_0"
    solution = lastnim.solve(piles=[2, 1], matrix=env.game.rows)
    assert env.infos["seat_0"]["predicted_winner"] == solution.winner
    env.step(1)
    env.step(2)
    # Seat 2 is to move. With declared rows only wins count.
    assert env.rewards == {"seat_0": 0.0, "seat_1": 0.0, "seat_2": 1.0}
    assert all(env.terminations.values())


def test_rows_are_hidden_until_all_are_declared() -> None:
    env = last_nim_v0.raw_env(players=3, piles=[2, 1], rows="declared")
    env.reset()
    env.step(2)
    assert observe(env, "seat_0")[0] == [2, 1, 1, 2, *[-1] * 8]
    assert observe(env, "seat_1") == ([2, 1, 0, *[-1] * 9], [1, 1, 1])
    for action in (0, 0):
        env.step(action)
    assert observe(env, "seat_0")[1] == [1, 1, 0]


def test_an_illegal_action_costs_a_penalty_and_becomes_the_lowest_one() -> None:
    env = last_nim_v0.env(players=2, piles=[3, 4])
    env.reset()
    env.step(0)
    assert env.rewards == {"seat_0": -1.0, "seat_1": 0.0}
    env.step(4)  # of 3
    _, reward, *_ = env.last()
    assert reward == -1.0
    observed = env.observe("seat_0")
    assert observed is not None
    # Both actions became a take of one counter.
    assert observed["observation"].tolist()[:3] == [3, 2, 0]


def test_a_game_is_truncated_at_the_round_limit() -> None:
    env = last_nim_v0.raw_env(players=2, piles=[9], max_cycles=2)
    env.reset()
    for _ in range(4):
        assert not any(env.truncations.values())
        env.step(1)
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert env.rewards == {"seat_0": 0.0, "seat_1": 0.0}


def test_the_choices_of_a_round_are_performed_in_turn() -> None:
    env = last_nim_v0.parallel_env(players=3, piles=[1, 1, 5], labels=True)
    env.reset(seed=1)
    observations, rewards, terminated, _, infos = env.step({"seat_0": 4, "seat_1": 3, "seat_2": 1})
    # One counter was left to seat 1.
    assert rewards == {"seat_0": 0.0, "seat_1": -1.0, "seat_2": 0.0}
    assert observations["seat_0"]["observation"].tolist()[:4] == [1, 0, 0, 0]
    assert "regret" in infos["seat_2"] and not any(terminated.values())
    _, rewards, terminated, _, _ = env.step({"seat_0": 1, "seat_1": 9, "seat_2": 9})
    assert rewards == {"seat_0": 0.5, "seat_1": 1.0, "seat_2": 0.0}
    assert all(terminated.values()) and env.agents == []
    env.reset(seed=1)
    with pytest.raises(ValueError, match="actions: missing for seat_1, seat_2"):
        env.step({"seat_0": 1})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_cycles": 0}, "max_cycles: 0: expected 1 or more"),
        ({"render_mode": "rgb_array"}, "render_mode: 'rgb_array': expected one of ansi, human"),
        ({"largest_pile": 1024}, "largest_pile: 1024"),
    ],
)
def test_mistakes_in_settings_are_named(settings: dict[str, Any], words: str) -> None:
    for make in (last_nim_v0.env, last_nim_v0.parallel_env):
        with pytest.raises(ValueError, match=words):
            make(**settings)
