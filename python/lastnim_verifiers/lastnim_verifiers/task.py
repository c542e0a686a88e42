"""One task: a position to play, and the rewards of the answers."""

from __future__ import annotations

from typing import Any, TypeAlias

import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from lastnim.datasets import Split
from lastnim.llm import ModelMatch, PromptSettings, RowMode

__all__ = ["ANSWERS_KEY", "WON_KEY", "AnyTrace", "LastNimTask", "LastNimTaskData"]

AnyTrace: TypeAlias = vf.Trace[Any, Any, Any]
"""A trace of any task."""

ANSWERS_KEY = "answers"
"""The key of a trace's `info` for the questions, each the JSON of an `AskedQuestion`."""

WON_KEY = "won"
"""The key of a trace's `info` for whether the seat has won, after a match that was played to its end."""

LEGAL_OR_ILLEGAL = "illegal"
"""The only failure that leaves a reply readable."""


class LastNimTaskData(vf.TaskData):
    """A match to play. `id` is the position's id, `prompt` the first question."""

    game: dict[str, Any]
    """The game at the position, in JSON; the model has the seat to move."""
    split: Split
    """The position's set. The match ends before a question about a position of the other set."""
    opponents: list[str]
    """The house bots, and `rival` for the second model, in order after the model."""
    rows: RowMode
    """Whether the rows of the game are assigned, or each seat declares its own."""
    seed: int
    """The seed of the house bots."""
    answers: int
    """The maximum answers to a question."""
    max_questions: int | None
    """The maximum questions to a seat."""
    prompts: PromptSettings
    """The settings of the prompts."""

    @property
    def worst_regret(self) -> int:
        """The maximum ranks that a take can cost."""
        return len(self.game["alliance_matrix"]["rows"]) - 1

    def begin_match(self) -> ModelMatch:
        """Begins the match."""
        return ModelMatch(self.game, self.opponents, seed=self.seed, rows=self.rows, prompts=self.prompts)


class LastNimTask(vf.Task[LastNimTaskData, vf.State, vf.TaskConfig]):
    """A match to play, with its reward and metrics."""

    def __init__(self, data: LastNimTaskData, config: vf.TaskConfig | None = None) -> None:
        super().__init__(data, config)

    @vf.reward
    async def minus_regret(self, trace: AnyTrace) -> float:
        """Minus the mean regret of the takes, as a share of the maximum: -1 to 0. A question without an answer costs the maximum, and a row nothing."""
        asked = asked_of(trace)
        if not asked:
            return -1.0
        regrets = [int(each["regret"]) for each in asked if each["row"] is None]
        return -share_of(sum(regrets), len(regrets) * self.data.worst_regret)

    @vf.reward(weight=0.0)
    async def won(self, trace: AnyTrace) -> float:
        """1 if the model's seat has won, otherwise 0."""
        return float(trace.info.get(WON_KEY, False))

    @vf.metric
    async def figures(self, trace: AnyTrace) -> dict[str, float]:
        """The other metrics in docs/reference/environments.md."""
        asked = asked_of(trace)
        answered = sum(each["take"] is not None or each["row"] is not None for each in asked)
        takes = [each for each in asked if each["take"] is not None]
        failures = [failure for each in asked for failure in each["failures"]]
        replies = answered + len(failures)
        illegal = failures.count(LEGAL_OR_ILLEGAL)
        return {
            "questions": float(len(asked)),
            "answered": share_of(answered, len(asked)),
            "accuracy": share_of(sum(each["regret"] == 0 for each in takes), sum(each["asks_for"] == "take" for each in asked)),
            "regret_of_answers": share_of(sum(each["regret"] for each in takes), len(takes)),
            "parsable_replies": share_of(answered + illegal, replies),
            "legal_replies": share_of(answered, replies),
            "ended": float(WON_KEY in trace.info),
        }


def asked_of(trace: AnyTrace) -> list[dict[str, Any]]:
    """Returns the questions in order."""
    asked: list[dict[str, Any]] = trace.info.get(ANSWERS_KEY, [])
    return asked


def share_of(part: float, whole: int) -> float:
    """Returns a quotient, or 0 if there is no whole."""
    return part / whole if whole else 0.0
