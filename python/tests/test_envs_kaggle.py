"""The environment for Kaggle. These tests need it: `pip install 'lastnim[kaggle]' pytest`, then `pytest tests/test_envs_kaggle.py`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from games_in_json import THREE_ROWS, game_of

from lastnim.llm import RIVAL, ModelMatch, RowMode

kaggle_environments: Any = pytest.importorskip("kaggle_environments", reason="kaggle-environments is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")

PILES = [2, 3]


def reply_to(asked: str) -> str:
    return '{"row": [2, 0, 1], "wants": 1}' if "which row do you declare?" in asked else '{"take": 1, "plan": 2, "why": "one"}'


def environment(**settings: Any) -> Any:
    import_module("lastnim.envs.kaggle")
    return kaggle_environments.make("last_nim", configuration={"game": game_of(PILES, THREE_ROWS), **settings}, debug=True)


@pytest.mark.parametrize("rows", ["assigned", "declared"])
def test_agents_get_the_questions_of_the_bot(rows: RowMode) -> None:
    env = environment(rows=rows)
    asked: list[str] = []

    def agent(observation: Any) -> str:
        asked.append(observation.question)
        return reply_to(observation.question)

    for _ in range(2):
        asked.clear()
        match = ModelMatch(game_of(PILES, THREE_ROWS), [RIVAL], rows=rows)
        env.reset(3)
        env.run([agent] * 3)
        expected: list[str] = []
        while (question := match.next_question()) is not None:
            expected.append(question.messages[-1][1])
            match.answer(question, question.read_reply(reply_to(expected[-1])))
        assert asked == expected
        assert {seat: agent.reward for seat, agent in enumerate(env.state)} == match.satisfactions()
        assert all(agent.status == "DONE" for agent in env.state)


def test_unusable_replies_are_explained_and_lose_the_match() -> None:
    env = environment(answers=2)
    asked: list[str] = []

    def agent(observation: Any) -> str:
        asked.append(observation.question)
        return '{"take": 99}' if len(asked) == 1 else "I pass"

    env.run([agent] * 3)
    assert len(asked) == 2 and "a take of 99 from a pile of 3" in asked[1]
    assert [(agent.status, agent.reward) for agent in env.state] == [("INVALID", None), ("DONE", 0), ("DONE", 0)]


def test_the_number_of_agents_is_that_of_the_seats() -> None:
    def agent(observation: Any) -> str:
        return reply_to(observation.question)

    with pytest.raises(ValueError, match="2 agents: the game has 3 seats"):
        environment().run([agent] * 2)
