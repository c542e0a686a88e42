"""Reports to a bot apart from its matches, and the summary of its run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Connected", "LastnimError", "Refusal", "Summary", "Suspension", "TournamentEnd"]


@dataclass(frozen=True, slots=True)
class Connected:
    """A session that has just been opened."""

    bot: str
    """The name of the token's bot."""
    server_version: str
    """The server's version."""
    open_matches: int
    """The number of the bot's open matches."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request from the bot, refused by the server."""

    match: str | None
    """The match's id, if the refused message named one."""
    reason: str | None
    """The reason as a code, such as `illegal_take`; None if this version does not know it."""
    message: str
    """The reason in words: the offending value, and what is expected."""
    ply: int
    """The current ply of the match."""
    strikes: int
    """The seat's strikes so far."""
    strikes_left: int
    """Strikes left before the seat is forfeited."""


@dataclass(frozen=True, slots=True)
class Suspension:
    """The bot's suspension by a ladder after too many forfeits in a row. To return, the bot joins again."""

    tournament: str
    """The tournament's id."""
    reason: str | None
    """The reason as a code: `never_came` or `lost_seats`; None if this version does not know it."""
    message: str
    """The reason in words."""
    from_round: int
    """The first round without matches for the bot."""
    lost: int
    """Forfeited matches in a row."""
    no_shows: int
    """How many of these matches the bot never appeared in."""
    last: int
    """The number of the last of these matches."""


@dataclass(frozen=True, slots=True)
class TournamentEnd:
    """How a tournament ended, and the bot's result."""

    tournament: str
    """The tournament's id."""
    title: str
    """Its title."""
    state: Literal["finished", "cancelled"]
    """How it ended."""
    place: int
    """The bot's place, from 1; tied bots share it."""
    points: float
    """Its points."""
    matches: int
    """Matches played."""
    wins: int
    """Matches won."""
    bots: int
    """The number of bots in the standings."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The results of a bot's run; `str(summary)` is a line."""

    matches: int
    """Matches whose end the bot saw and that were not cancelled."""
    wins: int
    """Matches that the bot won without forfeiting its seat."""
    forfeits: int
    """Matches with the bot's seat forfeited."""
    cancelled: int
    """Matches that were cancelled."""
    unseen: int
    """Matches that ended while there was no session."""
    unaudited: int
    """Matches with a winner but no audit, which a tournament may hide from bots."""
    regret: int
    """Ranks lost by the bot's takes in audited matches."""
    takes: int
    """The bot's takes in audited matches."""
    optimal_takes: int
    """The bot's optimal takes in audited matches."""
    line: str
    """The summary in a line."""

    @property
    def accuracy(self) -> float | None:
        """The share of the bot's takes that were optimal, from 0 to 1; None without takes."""
        return self.optimal_takes / self.takes if self.takes else None

    @property
    def regret_per_match(self) -> float | None:
        """The mean number of ranks lost per audited match; None without such matches."""
        audited = self.matches - self.unaudited
        return self.regret / audited if audited else None

    def __str__(self) -> str:
        return self.line


class LastnimError(Exception):
    """A permanent error that ended a run.

    `code` is one of `address`, `token`, `no_token`, `token_file`, `version`, `config_hash`, `session_log`, `unreachable`, `ca`,
    `client_certificate`, `tls`, `refused`, `superseded`, `gave_up`, `not_joined`, `tournament`, `practice`, `no_house_bots`, `protocol` and
    `failed`.
    `reason` is the server's code for why a tournament cannot be joined.
    """

    def __init__(self, code: str, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
