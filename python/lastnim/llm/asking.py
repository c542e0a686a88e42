"""Asks a model until a reply is usable."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from .._lastnim import ModelQuestion, ModelReply

__all__ = ["AskedQuestion", "Call", "EndpointError", "ask_model"]

Call: TypeAlias = Callable[[list[tuple[Literal["user", "assistant"], str]]], Awaitable[tuple[str, str, str | None]]]
"""Sends messages, each with its role, to a model. Returns the text, the refusal and the finish reason of its reply."""


class EndpointError(RuntimeError):
    """An unusable reply for which the model is not at fault."""


@dataclass
class AskedQuestion:
    """A question, and the model's answer if it gave one."""

    asks_for: Literal["row", "take"]
    """The kind of the answer."""
    seat: int
    """The model's seat."""
    ply: int | None
    """The number of the take, from 0; None for a row."""
    position: str | None
    """The id of the position, as in datasets; None for a row."""
    regret: int
    """The ranks, 0 to n-1, that the take costs the seat in its own row: n-1 without an answer, 0 for a row."""
    take: int | None = None
    """The take."""
    row: list[int] | None = None
    """The row, as offsets from the model's seat."""
    wants: int | None = None
    """The seat that the model says it truly wants to win; only with a row."""
    plan: int | None = None
    """The seat for whose win the model says it plays from this take on; only with a take."""
    why: str | None = None
    """The model's reason."""
    win_probability: float | None = None
    """The model's probability, 0 to 1, that the seat its row prefers most wins."""
    failures: list[str] = field(default_factory=list[str])
    """The class of each unusable reply, such as `unparsable` or `illegal`, in order."""

    @classmethod
    def of(cls, question: ModelQuestion) -> AskedQuestion:
        """Returns a question without an answer."""
        identity = question.identity
        position = None if identity is None else identity[0]
        return cls(question.asks_for, question.seat, question.ply, position, question.seats - 1)

    @property
    def is_answered(self) -> bool:
        """Whether the model gave a usable reply."""
        return self.take is not None or self.row is not None

    def to_json(self) -> dict[str, Any]:
        """Converts it to JSON."""
        return asdict(self)


async def ask_model(question: ModelQuestion, asked: AskedQuestion, call: Call, answers: int = 3) -> ModelReply:
    """Asks a question until a reply is usable, or `answers` replies are unusable. Returns the last reply and notes everything in `asked`.

    Raises EndpointError if the endpoint or the settings are at fault for an unusable reply.
    """
    while True:
        reply = question.read_reply(*await call(question.messages))
        if reply.failure is None:
            asked.take, asked.row, asked.wants = reply.take, reply.row, reply.wants
            asked.plan, asked.why, asked.win_probability = reply.plan, reply.why, reply.win_probability
            asked.regret = 0 if reply.take is None else question.regret(reply.take)
            return reply
        if reply.fault != "model":
            raise EndpointError(f"{reply.failure}: {reply.detail}")
        asked.failures.append(reply.failure)
        if len(asked.failures) >= answers:
            return reply
