"""The messages that seats send each other before they declare their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass

__all__ = ["Message", "TalkMessage"]


@dataclass(frozen=True)
class Message:
    """A message that a bot sends: a text, or the claim of a row. Raises TypeError unless it has one of the two."""

    text: str | None = None
    """A text, of 1 to `match.talk.text_chars` characters."""
    _: KW_ONLY
    claim: Sequence[int] | None = None
    """A row: "this is what I want"."""
    to: Iterable[int] = ()
    """The seats that hear it; empty for everyone, also watchers."""

    def __post_init__(self) -> None:
        if (self.text is None) == (self.claim is None):
            raise TypeError("a message has a text or a claim, and not both")


@dataclass(frozen=True, slots=True)
class TalkMessage:
    """A message that the bot has sent or heard."""

    seat: int
    """The sender."""
    round: int
    """The round, from 0."""
    number: int
    """The number among the messages of the sender in this round, from 0."""
    to: tuple[int, ...]
    """The seats that hear it, in ascending order; empty for everyone."""
    text: str | None
    """The text; None for a claim."""
    claim: tuple[int, ...] | None
    """The claimed row; None for a text."""
