"""The Gymnasium environment, with Gymnasium's checker and further properties."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from lastnim.envs.against_house_bots import ENVIRONMENT_ID, AgainstHouseBots


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"opponents": ["oracle"], "labels": True},
        {"opponents": ["loyal", "traitor", "timid"], "rows": "declared", "seat": 2},
        {"opponents": ["random"] * 4, "rows": "random", "largest_pile": 1023, "pile_count": 2},
    ],
)
def test_it_passes_the_checker_of_gymnasium(settings: dict[str, Any]) -> None:
    # Warnings are errors.
    check_env(gymnasium.make(ENVIRONMENT_ID, **settings).unwrapped)


def test_render_modes(capsys: pytest.CaptureFixture[str]) -> None:
    env = AgainstHouseBots(["timid"], piles=[4], seat=0, render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == "piles 4: seat 0 to move; rows 0 1; 0 1"
    human = AgainstHouseBots(["timid"], piles=[4], seat=0, render_mode="human")
    human.reset(seed=1)
    assert human.render() is None
    assert capsys.readouterr().out == "piles 4: seat 0 to move; rows 0 1; 0 1\n"


def test_optimal_takes_win_the_predicted_rewards_against_oracles() -> None:
    env = AgainstHouseBots(["oracle", "oracle"], rows="random", labels=True, pile_count=6)
    for seed in range(30):
        _, info = env.reset(seed=seed)
        assert env.game.rows is not None
        promised, row = info["predicted_winner"], env.game.rows[env.seat]
        terminated, reward = False, 0.0
        while not terminated:
            _, reward, terminated, truncated, info = env.step(env.game.optimal_takes()[0][0])
            assert info["regret"] == 0 and not truncated
        assert env.game.winner == promised
        assert reward == pytest.approx(1 - row.index((promised - env.seat) % 3) / 2)


def test_opponents_sit_after_the_learner_and_declare_like_house_bots() -> None:
    env = AgainstHouseBots(["greedy", "loyal", "timid"], rows="declared", piles=[2, 3, 9], seat=1)
    observed, _ = env.reset(seed=3)
    assert env.game.is_declaring and observed["action_mask"].tolist()[:5] == [1, 1, 1, 1, 0]
    for offset in (3, 1, 0):
        observed, reward, *_ = env.step(offset)
    # The timid bot in seat 0 has moved. Only the loyal bot has an ally.
    assert env.game.rows == [[0, 1, 2, 3], [3, 1, 0, 2], [0, 1, 2, 3], [1, 0, 2, 3]]
    assert (env.game.piles, reward) == ([2, 3, 8], 0.0)
    assert observed["observation"].tolist()[4:8] == [3, 1, 0, 2]
    env.step(1)
    # The greedy bot took 7, the loyal bot some of 3.
    assert env.game.piles[2] == 0


def test_an_illegal_action_costs_a_penalty() -> None:
    env = AgainstHouseBots(["timid"], piles=[3, 9], seat=0)
    env.reset(seed=1)
    observed, reward, terminated, *_ = env.step(0)
    assert (reward, terminated) == (-1.0, False)
    # One for the action, and one for the timid bot's take.
    assert observed["observation"].tolist()[:2] == [3, 7]
    assert env.step(2**70)[1] == env.step(-1)[1] == -1.0


def test_a_copy_is_independent() -> None:
    env = AgainstHouseBots(["loyal", "random"], rows="declared", seat=1)
    env.reset(seed=8)
    env.step(2)
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for action in (0, 1, 2):
        observed, *_ = env.step(action)
        for other in copies:
            assert other.step(action)[0]["observation"].tolist() == observed["observation"].tolist()
    env.step(1)
    assert all(other.game.piles != env.game.piles for other in copies)
    assert len({tuple(other.game.piles) for other in copies}) == 1


def test_the_seed_fixes_the_random_bot() -> None:
    def play(seed: int) -> list[list[int]]:
        env = AgainstHouseBots(["random", "random"])
        env.reset(seed=seed)
        seen = [env.game.piles]
        while not env.game.is_over:
            env.step(1)
            seen.append(env.game.piles)
        return seen

    assert play(4) == play(4) != play(5)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"opponents": ["gready"]}, 'house bot "gready": expected one of random, greedy'),
        ({"opponents": []}, "1 seat"),
        ({"opponents": ["oracle"], "players": 3}, "players: 3: expected 2, for 1 opponents"),
        ({"seat": 3}, "seat: 3: expected 0 to 2"),
        ({"render_mode": "rgb_array"}, "render_mode"),
    ],
)
def test_mistakes_in_settings_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        AgainstHouseBots(**settings)


def test_games_without_a_turn_of_the_learner_are_refused() -> None:
    env = AgainstHouseBots(["greedy"], piles=[3], seat=1)
    with pytest.raises(ValueError, match="seat 1 got no turn"):
        env.reset(seed=1)
    env = AgainstHouseBots(["greedy"], piles=[3])
    env.reset(seed=1)
    assert env.seat == 0
    env.step(3)
    with pytest.raises(ValueError, match="the game is over: reset"):
        env.step(1)
    with pytest.raises(ValueError, match="reset the environment first"):
        AgainstHouseBots().step(1)
