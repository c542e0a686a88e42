"""What a bot is."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .match import Match, MatchEnd, TakeFeed, Turn, standard_row
from .notices import Connected, Refusal, Suspension, TournamentEnd

__all__ = ["Bot", "Choice"]

logger = logging.getLogger("lastnim.bot")
T = TypeVar("T", covariant=True)


@dataclass(frozen=True)
class Choice(Generic[T]):
    """What a bot chose, a row or a take, with a hash that goes into the record with it.

    What is hashed, and how, is the bot's own affair: say, a transcript that it may want to show later. Everybody who reads the record
    sees the hash.
    """

    value: T
    """The row, or the counters to take."""
    note_hash: bytes | None = None
    """32 bytes."""


class Bot(ABC):
    """A player of Last Nim. Only `play` is needed; every method but `take_feed` may be `async def`.

    A bot whose methods are all plain is asked one question at a time, in the thread that called `run`. If one of them is `async def`, the
    bot is asked about many matches at once, in one event loop; a plain method holds up all others there. In one match the methods are
    called one at a time and in order, and everything that a take depends on is in the turn: a bot needs no memory.

    An exception in `declare` or `play`, or an answer that is neither a row nor an integer, is logged with its match and costs the seat in that match alone: it
    is resigned, so that nobody waits for it. An exception in any other method is logged, and nothing else. What a coroutine is
    thinking about a match that has ended is cancelled.
    """

    def take_feed(self) -> TakeFeed:
        """Returns which takes the bot hears of, `"own_turns"` unless overridden; it is asked once, before the first session.

        With `"all"` the takes of all seats are in `turn.seen_takes`: a bot needs that only if how the others play matters to it, and the
        server then sends it every take of its matches.
        """
        return "own_turns"

    def declare(
        self, match: Match
    ) -> Sequence[int] | Choice[Sequence[int]] | Awaitable[Sequence[int] | Choice[Sequence[int]]]:
        """Returns the row to declare; the standard row unless overridden. It is not asked where the rows are assigned."""
        return standard_row(match.seats)

    @abstractmethod
    def play(self, turn: Turn) -> int | Choice[int] | Awaitable[int | Choice[int]]:
        """Returns how many counters to take: 1 to `turn.counters`.

        An integer outside that range is refused and costs a strike; then the bot is asked again.
        """

    def ended(self, end: MatchEnd) -> Awaitable[None] | None:
        """Hears how a match ended; called once for each match that was begun. Where the bot was away, it hears of it when it is back:
        also of matches that were begun by a process before this one, which the summary does not count."""
        return None

    def refused(self, refusal: Refusal) -> Awaitable[None] | None:
        """Hears why something that it did was refused; logs it unless overridden."""
        logger.warning("match %s: %s", refusal.match, refusal.message)
        return None

    def suspended(self, notice: Suspension) -> Awaitable[None] | None:
        """Hears that a ladder gives it no more matches, when that happens and after each reconnect; logs it unless overridden."""
        logger.warning("tournament %s: %s", notice.tournament, notice.message)
        return None

    def tournament_ended(self, end: TournamentEnd) -> Awaitable[None] | None:
        """Hears that a tournament in which it played is over, perhaps while it was away; a process that is started anew may hear of
        it again."""
        return None

    def connected(self, session: Connected) -> Awaitable[None] | None:
        """Hears that a session was opened, at first and after each reconnect."""
        return None
