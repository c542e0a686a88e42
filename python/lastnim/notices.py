"""What a bot hears besides its matches, and what it achieved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Connected", "LastnimError", "Refusal", "Summary", "Suspension", "TournamentEnd"]


@dataclass(frozen=True, slots=True)
class Connected:
    """An open session, as the server welcomed it."""

    bot: str
    """The name of the bot whose token was given."""
    server_version: str
    """The version of the server."""
    open_matches: int
    """How many of the bot's matches are under way."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that the bot sent and that the server refused."""

    match: str | None
    """The match's id, if the refused message named one."""
    reason: str | None
    """The reason in a word, such as `illegal_take`; none where this version does not know it."""
    message: str
    """The reason in words: the offending value, and what would be right."""
    ply: int
    """The ply that the match has reached."""
    strikes: int
    """The seat's strikes so far."""
    strikes_left: int
    """Strikes left before the seat is forfeited."""


@dataclass(frozen=True, slots=True)
class Suspension:
    """A ladder that gives the bot no more matches, as it lost its seat in too many in a row. It returns by joining again."""

    tournament: str
    """The tournament's id."""
    reason: str | None
    """Why, in a word: `never_came` or `lost_seats`; none where this version does not know it."""
    message: str
    """Why, in words."""
    from_round: int
    """The round from which on it gets no match."""
    lost: int
    """Matches in a row in which its seat was lost."""
    no_shows: int
    """Those of them to which it never came."""
    last: int
    """The number of the last of them."""


@dataclass(frozen=True, slots=True)
class TournamentEnd:
    """How a tournament ended, and where the bot came in it."""

    tournament: str
    """The tournament's id."""
    title: str
    """Its title."""
    state: Literal["finished", "cancelled"]
    """How it ended."""
    place: int
    """The bot's own place, from 1; equal bots share it."""
    points: float
    """Its points."""
    matches: int
    """Matches that it played."""
    wins: int
    """Matches that it won."""
    bots: int
    """How many bots have a line in the standings."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a bot achieved between its first and its last session; `str(summary)` says it in one line."""

    matches: int
    """Matches whose winner was seen."""
    wins: int
    """Matches won by the own seat, not lost before."""
    forfeits: int
    """Matches in which the own seat was lost."""
    cancelled: int
    """Matches that were cancelled."""
    unseen: int
    """Matches that ended while the session was lost."""
    unaudited: int
    """Matches whose winner was seen and whose audit was not."""
    regret: int
    """Ranks lost by own takes, in all matches that were audited."""
    takes: int
    """Own takes."""
    optimal_takes: int
    """Own takes that were optimal."""
    line: str
    """All of it in one line."""

    @property
    def accuracy(self) -> float | None:
        """The share of own takes that were optimal, from 0 to 1; none before the first take."""
        return self.optimal_takes / self.takes if self.takes else None

    @property
    def regret_per_match(self) -> float | None:
        """The ranks lost by own takes, a match that was audited; none before the first one."""
        audited = self.matches - self.unaudited
        return self.regret / audited if audited else None

    def __str__(self) -> str:
        return self.line


class LastnimError(Exception):
    """What ends a run before its time, and opening a session again cannot mend.

    `code` says it in a word: `address`, `token`, `no_token`, `token_file`, `version`, `config_hash`, `unreachable`, `ca`, `tls`, `refused`,
    `superseded`, `gave_up`, `not_joined`, `tournament`, `practice`, `no_house_bots`, `protocol` or `failed`. `reason` is the server's word
    for why a tournament cannot be joined.
    """

    def __init__(self, code: str, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
