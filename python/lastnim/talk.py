"""The messages that seats send each other before they declare their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass

from .messages import OfferId, Pact

__all__ = ["Message", "TalkMessage"]


@dataclass(frozen=True)
class Message:
    """
    A message that a bot sends: a text, the claim of a row, or the offer or acceptance of a pact. Raises TypeError unless
    it has exactly one of these.
    """

    text: str | None = None
    """A text, of 1 to `match.talk.text_chars` characters."""
    _: KW_ONLY
    claim: Sequence[int] | None = None
    """A row: "this is what I want"."""
    offer: Pact | None = None
    """A pact, of which the bot is a member. It goes to the other members, and is also the bot's acceptance."""
    accept: OfferId | None = None
    """The `offer_id` of the message in an earlier round that offers the pact."""
    to: Iterable[int] = ()
    """The seats that hear it; empty for everyone, also watchers. Empty for offers and acceptances."""

    def __post_init__(self) -> None:
        if sum(content is not None for content in (self.text, self.claim, self.offer, self.accept)) != 1:
            raise TypeError("a message needs exactly one of a text, a claim, an offer and an acceptance")


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
    """The seats that hear it, in ascending order; empty for everyone, and for offers and acceptances of this process."""
    text: str | None
    """The text, if it is one."""
    claim: tuple[int, ...] | None
    """The claimed row, if it is a claim."""
    offer: Pact | None = None
    """The pact, if it is an offer."""
    accept: OfferId | None = None
    """The message that offers the accepted pact, if it is an acceptance."""

    @property
    def offer_id(self) -> OfferId:
        """What accepts the pact that this message offers."""
        return OfferId(self.seat, self.round, self.number)
