"""Bots."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .match import Match, MatchEnd, TakeFeed, TalkRound, Turn
from .notices import Connected, Refusal, Suspension, TournamentEnd
from .talk import Message

__all__ = ["Bot", "Choice"]

logger = logging.getLogger("lastnim.bot")
T = TypeVar("T", covariant=True)


@dataclass(frozen=True)
class Choice(Generic[T]):
    """A bot's choice of a row or take, with an optional hash for the record.

    The bot decides what to hash, for instance a transcript that it may publish later. Every reader of the record sees the hash.
    """

    value: T
    """The row, or the counters to take."""
    note_hash: bytes | None = None
    """32 bytes."""


class Bot(ABC):
    """A player of Last Nim. Only `play` is required; every method except `take_feed` may be `async def`.

    A bot without `async def` methods is asked one question at a time, in the thread that called `run`. Otherwise it is asked about many
    matches at once in one event loop, which its plain methods block. Within a match the methods are called one at a time and in order. The
    turn has everything that a take depends on, so a bot needs no memory.

    If `talk`, `declare` or `play` raises an exception or returns an invalid value, this is logged and the seat of that match is resigned.
    Exceptions of other methods are only logged. Coroutines that think about a match are cancelled when it has ended.
    """

    def take_feed(self) -> TakeFeed:
        """Returns which takes the bot receives; the default is `"own_turns"`. Called once, before the first session.

        With `"all"`, `turn.seen_takes` has the takes of all seats, for bots that adapt to the play of others.
        """
        return "own_turns"

    def talk(self, round: TalkRound) -> Sequence[Message] | None | Awaitable[Sequence[Message] | None]:
        """Returns the messages to send in a round of talk, at most four; None, the default, to declare at once, so that the bot sends
        nothing in later rounds either.

        Called at the beginning of each round, if the seats of the match talk. The server delivers all messages when the round ends; an
        invalid one is refused and costs nothing. Messages that the bot has already sent in this round, before a restart, are not sent again.
        """
        return None

    def heard(self, match: Match, round: int) -> Awaitable[None] | None:
        """Called when a round of talk has ended; `match.messages` now has the messages that the bot heard in it. After a reconnect, the
        rounds that the bot missed are reported."""
        return None

    def declare(
        self, match: Match
    ) -> Sequence[int] | Choice[Sequence[int]] | Awaitable[Sequence[int] | Choice[Sequence[int]]]:
        """Returns the row to declare; the default is the bot's dealt row, or the standard row if no rows are dealt.

        Not called if the rows are assigned.
        """
        return match.honest_row

    @abstractmethod
    def play(self, turn: Turn) -> int | Choice[int] | Awaitable[int | Choice[int]]:
        """Returns how many counters to take: 1 to `turn.counters`.

        A take out of range is refused and costs a strike; then the bot is asked again.
        """

    def ended(self, end: MatchEnd) -> Awaitable[None] | None:
        """Called once for each match that began, when it has ended. Ends that the bot missed while it was disconnected
        follow once it has reconnected, including those of matches that an earlier process began; the summary does not
        count the latter."""
        return None

    def refused(self, refusal: Refusal) -> Awaitable[None] | None:
        """Called when the server has refused one of the bot's requests; the default logs it."""
        logger.warning("match %s: %s", refusal.match, refusal.message)
        return None

    def suspended(self, notice: Suspension) -> Awaitable[None] | None:
        """Called when a ladder has suspended the bot, and after each reconnect while it is suspended; the default logs it."""
        logger.warning("tournament %s: %s", notice.tournament, notice.message)
        return None

    def tournament_ended(self, end: TournamentEnd) -> Awaitable[None] | None:
        """Called when one of the bot's tournaments is over, even if the bot was away then. A restarted process may get it again."""
        return None

    def connected(self, session: Connected) -> Awaitable[None] | None:
        """Called when a session was opened, also after each reconnect."""
        return None
