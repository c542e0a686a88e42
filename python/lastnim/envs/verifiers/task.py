"""One task: a position to play from, and what the answers are worth."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]

__all__ = ["ANSWERS_KEY", "AnyTrace", "LastNimTask", "LastNimTaskData", "Split"]

Split = Literal["train", "benchmark"]
"""The set of `lastnim oracle dataset` that a position belongs to."""

AnyTrace: TypeAlias = vf.Trace[Any, Any, Any]
"""A trace of any task."""

ANSWERS_KEY = "answers"
"""Where a trace's `info` has the questions that were asked, each the JSON of an `AskedTake`."""

LEGAL_OR_ILLEGAL = "illegal"
"""The only failure of a reply that could be read."""


class LastNimTaskData(vf.TaskData):
    """A match to play: all that it depends on. `id` is the position's, `prompt` the first question."""

    game: dict[str, Any]
    """The game from the position, in its JSON; the seat to move is the model's."""
    split: Split
    """The set that the position belongs to. The match ends before a question about a position of the other one."""
    opponents: list[str]
    """The house bots, the first of them behind the model."""
    seed: int
    """What the house bots draw from."""
    answers: int
    """How often the model may answer a question."""
    max_questions: int | None
    """How many questions are asked at most."""
    time_left: float
    """The seconds that prompts name."""
    template: str | None
    """The text of the template; none for the program's own."""

    @property
    def worst_regret(self) -> int:
        """The ranks that a take can cost at most."""
        return len(self.game["alliance_matrix"]["rows"]) - 1


class LastNimTask(vf.Task[LastNimTaskData, vf.State, vf.TaskConfig]):
    """A match to play, with its reward and its metrics."""

    def __init__(self, data: LastNimTaskData, config: vf.TaskConfig | None = None) -> None:
        super().__init__(data, config)

    @vf.reward
    async def minus_regret(self, trace: AnyTrace) -> float:
        """Minus the mean regret of the questions, as a share of the worst: -1 to 0. A question without an answer costs the worst."""
        asked = asked_of(trace)
        if not asked:
            return -1.0
        regret = sum(int(each["regret"]) for each in asked)
        return -regret / (len(asked) * self.data.worst_regret)

    @vf.metric
    async def figures(self, trace: AnyTrace) -> dict[str, float]:
        """The other figures, those of docs/reference/environments.md."""
        asked = asked_of(trace)
        answered = [each for each in asked if each["take"] is not None]
        failures = [failure for each in asked for failure in each["failures"]]
        replies = len(answered) + len(failures)
        illegal = failures.count(LEGAL_OR_ILLEGAL)
        return {
            "questions": float(len(asked)),
            "answered": share_of(len(answered), len(asked)),
            "accuracy": share_of(sum(each["regret"] == 0 for each in answered), len(asked)),
            "regret_of_answers": share_of(sum(each["regret"] for each in answered), len(answered)),
            "parsable_replies": share_of(len(answered) + illegal, replies),
            "legal_replies": share_of(len(answered), replies),
        }


def asked_of(trace: AnyTrace) -> list[dict[str, Any]]:
    """Returns the questions that were asked, in order."""
    asked: list[dict[str, Any]] = trace.info.get(ANSWERS_KEY, [])
    return asked


def share_of(part: float, whole: int) -> float:
    """Returns a quotient, 0 of nothing."""
    return part / whole if whole else 0.0
