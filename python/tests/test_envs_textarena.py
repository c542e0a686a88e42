"""The environment for TextArena. These tests need it: `pip install 'lastnim[textarena]' pytest`, then `pytest tests/test_envs_textarena.py`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from games_in_json import THREE_ROWS, game_of

from lastnim.llm import RIVAL, ModelMatch, PromptSettings, RowMode

textarena: Any = pytest.importorskip("textarena", reason="textarena is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")

PILES = [2, 3]


def reply_to(asked: str) -> str:
    return '{"row": [2, 0, 1], "wants": 1}' if "which row do you declare?" in asked else '{"take": 1, "plan": 2, "why": "one"}'


def environment(**settings: Any) -> Any:
    import_module("lastnim.envs.textarena")
    env = textarena.make("LastNim-v0", game=game_of(PILES, THREE_ROWS), **settings)
    env.reset(num_players=3)
    return env


@pytest.mark.parametrize("rows", ["assigned", "declared"])
def test_players_get_the_questions_of_the_bot(rows: RowMode) -> None:
    prompts = PromptSettings(think="before")
    env = environment(rows=rows, prompts=prompts)
    match = ModelMatch(game_of(PILES, THREE_ROWS), [RIVAL], rows=rows, prompts=prompts)
    done, asked = False, 0
    while (question := match.next_question()) is not None:
        assert not done
        player, observations = env.get_observation()
        assert player == question.seat
        # The player's own reply comes before its next question, and it sees nothing of the others.
        (*own, (sender, text, kind)) = observations
        assert (sender, text, kind) == (-1, question.messages[0][1], textarena.ObservationType.PROMPT)
        assert all(sender == player for sender, _, _ in own)
        done, _ = env.step(reply_to(text))
        match.answer(question, question.read_reply(reply_to(text)))
        asked += 1
    assert done and asked == sum(PILES) + (3 if rows == "declared" else 0)
    rewards, info = env.close()
    assert rewards == match.satisfactions() and sorted(rewards.values())[-1] == 1
    assert info[0]["reason"] == f"Seat {match.winner} won." and not info[0]["invalid_move"]
    with pytest.raises(ValueError, match="the match is over"):
        env.step("{}")
    env.reset(num_players=3)
    assert env.get_observation()[0] == 0


def test_unusable_replies_are_explained_and_lose_the_match() -> None:
    env = environment(answers=2)
    env.get_observation()
    done, _ = env.step('{"take": 99}')
    player, observations = env.get_observation()
    assert (done, player) == (False, 0)
    assert "a take of 99 from a pile of 3" in observations[-1][1]
    done, _ = env.step("I pass")
    rewards, info = env.close()
    assert done and rewards == {0: -1, 1: 0, 2: 0}
    assert info[0]["invalid_move"] and "no usable reply" in info[0]["reason"]


def test_the_number_of_players_is_that_of_the_seats() -> None:
    env = environment()
    with pytest.raises(ValueError, match="num_players: 2: the game has 3 seats"):
        env.reset(num_players=2)
