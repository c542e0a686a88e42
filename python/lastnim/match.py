"""A match as a bot sees it: the setup, the position at its turn, and the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .messages import SolveResponse, Talk
from .oracle import Ending, Matrix, matrix_rows, solve
from .talk import TalkMessage

__all__ = [
    "Clock",
    "EndReason",
    "Figures",
    "Match",
    "MatchEnd",
    "Origin",
    "Position",
    "Row",
    "Rows",
    "SeenTake",
    "TakeFeed",
    "TalkRound",
    "Turn",
    "favouring_row",
    "standard_row",
]

Row = tuple[int, ...]
"""The preference order of a seat: the offsets 0..n-1, the most preferred winner first. Offset k of seat i is seat (i + k) mod n."""
Rows = tuple[Row, ...]
"""The rows of all seats, by seat."""


def standard_row(seats: int) -> Row:
    """Returns the row of a seat that prefers itself, then the next, and so on."""
    return tuple(range(seats))


def favouring_row(ally: int, seats: int) -> Row:
    """Returns the row with the seat at offset `ally` first, and the others as in the standard row."""
    if not 0 <= ally < seats:
        raise ValueError(f"ally: offset {ally}: expected 0 to {seats - 1}")
    return (ally, *(offset for offset in range(seats) if offset != ally))


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a match, in milliseconds."""

    initial_ms: int
    """The initial bank of every seat."""
    increment_ms: int
    """Added after each take of the seat."""
    lag_quota_ms: int
    """The maximum lag credited for one take."""
    lag_total_ms: int
    """The maximum lag credited to a seat in one match."""
    declaration_ms: int
    """The time limit for declarations."""
    return_within_ms: int | None = None
    """How long a bot that is to move may be disconnected before its seat is forfeited; None for its whole bank."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The tournament that a match belongs to."""

    tournament: str
    """The tournament's id."""
    number: int
    """The number of the match in its tournament, from 0."""
    group: int
    """The duplicate group: matches of the same bots on the same piles in every rotation share it."""


@dataclass(frozen=True, slots=True)
class Match:
    """The facts about a match that are fixed before the first take, from the view of one seat."""

    id: str
    """The match, a UUID."""
    seat: int
    """The bot's seat, from 0."""
    bots: tuple[str, ...]
    """The names of the bots, by seat."""
    piles: tuple[int, ...]
    """The initial counters of each pile, 1 to 2^63-1."""
    first: int
    """The seat that moves first."""
    ending: Ending
    """Who wins when no counter is left."""
    clock: Clock
    """The clock."""
    strikes: int
    """The number of strikes that forfeits a seat."""
    max_plies: int
    """The number of plies after which the oracle decides."""
    assigned: Rows | None
    """All rows, if the organiser assigned them, so that seats do not declare."""
    origin: Origin | None
    """The tournament of the match; None for an exhibition."""
    dealt_row: Row | None = None
    """The private row that was dealt to the bot, by which it scores whatever it declares; None if no rows are dealt. Others see it after
    the match."""
    talk: Talk | None = None
    """How the seats talk before they declare; None if they do not."""
    messages: tuple[TalkMessage, ...] = ()
    """The messages that the bot has sent or heard so far, in order of round, sender and number."""

    @property
    def honest_row(self) -> Row:
        """The row that says what the bot wants: its dealt row, or the standard row if no rows are dealt."""
        return standard_row(self.seats) if self.dealt_row is None else self.dealt_row

    @property
    def seats(self) -> int:
        """The number of seats, 2 to 32."""
        return len(self.bots)

    @property
    def rows_are_assigned(self) -> bool:
        """Whether the organiser assigned the rows."""
        return self.assigned is not None

    def last_claim(self, seat: int) -> Row | None:
        """Returns the last row that a seat has claimed in the messages; None if it has not claimed any."""
        return next((said.claim for said in reversed(self.messages) if said.seat == seat and said.claim is not None), None)


@dataclass(frozen=True, slots=True)
class TalkRound:
    """A round of talk that has begun."""

    match: Match
    """The match, with the messages of earlier rounds and the bot's own."""
    round: int
    """The number of the round, from 0."""
    time_left_ms: int
    """Milliseconds left in the round when the server sent it."""


@dataclass(frozen=True, slots=True)
class Position:
    """The current piles, the rows of all seats and the seat to move. Takes are from the last nonempty pile."""

    piles: tuple[int, ...]
    """The current counters of each pile; empty piles are 0."""
    seat: int
    """The seat to move, from 0."""
    rows: Rows
    """The rows of all seats, by seat."""
    ending: Ending = "to_move_wins"
    """Who wins when no counter is left."""
    ply: int = 0
    """The number of the next take, from 0."""
    bank_left_ms: int | None = None
    """The seat's bank in milliseconds when its turn was sent; None in a position that is not that of a turn."""

    @classmethod
    def of(
        cls,
        piles: Sequence[int],
        *,
        matrix: Matrix | None = None,
        players: int | None = None,
        seat: int = 0,
        ending: Ending = "to_move_wins",
    ) -> Position:
        """Returns a position before its first take, to test a bot; rows and endings are given as in `lastnim.solve`."""
        rows = tuple(tuple(row) for row in matrix_rows(matrix, players))
        position = cls(tuple(piles), seat, rows, ending)
        # The oracle reports mistakes in it.
        position.solve()
        return position

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.rows)

    @property
    def pile(self) -> int:
        """The index of the last nonempty pile, from 0; 0 when no counter is left."""
        return max((index for index, counters in enumerate(self.piles) if counters > 0), default=0)

    @property
    def counters(self) -> int:
        """The counters of the last nonempty pile, which is the largest legal take; 0 when no counter is left."""
        return self.piles[self.pile]

    @property
    def is_over(self) -> bool:
        """Whether no counter is left."""
        return self.counters == 0

    def after(self, take: int) -> Position:
        """Returns the position after a take. Raises ValueError if the take is illegal."""
        pile, counters = self.pile, self.counters
        if not 1 <= take <= counters:
            allowed = "no counter is left" if counters == 0 else f"expected 1 to {counters}"
            raise ValueError(f"take {take} from pile {pile}: {allowed}")
        piles = (*self.piles[:pile], counters - take, *self.piles[pile + 1 :])
        return replace(
            self, piles=piles, seat=(self.seat + 1) % self.seats, ply=self.ply + 1, bank_left_ms=None
        )

    def solve(self) -> SolveResponse:
        """Asks the oracle for the winner and the optimal takes."""
        return solve(piles=self.piles, matrix=self.rows, first=self.seat, ending=self.ending)

    def _repr_html_(self) -> str:
        from .drawing import position_svg

        return position_svg(self)


TakeFeed = Literal["all", "own_turns"]
"""Which takes a bot receives: those of all seats, or only its own turns."""

MAX_SEEN_TAKES = 1_024
"""Maximum takes in `Turn.seen_takes`, which keeps the latest."""


@dataclass(frozen=True, slots=True)
class SeenTake:
    """A take that the bot has received, its own or another seat's."""

    ply: int
    """The number of the take, from 0."""
    before: Position
    """The position before the take."""
    take: int
    """The counters taken."""
    mover: Literal["bot", "steward"]
    """Whether the bot or the steward moved."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A match at the bot's turn: all that a take depends on."""

    match: Match
    """The facts that are fixed before the first take, including the initial piles."""
    position: Position
    """The position, with the bot's seat to move."""
    seen_takes: tuple[SeenTake, ...] = ()
    """The latest takes that the bot has received, in order of ply: at most 1,024, own ones included. Empty unless `Bot.take_feed` returns
    `"all"`. Takes made while there was no session, or before this process started, are missing."""

    @property
    def counters(self) -> int:
        """The counters of the last nonempty pile, which is the largest legal take."""
        return self.position.counters

    @property
    def piles(self) -> tuple[int, ...]:
        """The current counters of each pile."""
        return self.position.piles

    @property
    def rows(self) -> Rows:
        """The rows of all seats, by seat."""
        return self.position.rows

    @property
    def seat(self) -> int:
        """The bot's seat, which is to move."""
        return self.position.seat

    @property
    def ply(self) -> int:
        """The number of the next take, from 0."""
        return self.position.ply

    @property
    def clock(self) -> Clock:
        """The clock of the match."""
        return self.match.clock

    @property
    def bank_left_ms(self) -> int | None:
        """The bot's bank in milliseconds when the turn was sent."""
        return self.position.bank_left_ms


EndReason = Literal["finished", "ply_limit", "all_forfeited", "cancelled", "unknown", "unseen"]
"""Why a match ended: `unseen` if it ended while there was no session, `unknown` if this version does not know the reason."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one seat's play."""

    satisfaction: float
    """1 - rank / (n - 1) of the winner in the seat's row, from 0 to 1."""
    regret: int
    """The ranks lost by the seat's own takes."""
    luck: int
    """The ranks gained by the others' takes; negative if they cost ranks."""
    takes: int
    """Takes by the bot itself."""
    optimal_takes: int
    """Optimal takes among them."""

    @property
    def accuracy(self) -> float | None:
        """The share of the bot's takes that were optimal, from 0 to 1; None without takes."""
        return self.optimal_takes / self.takes if self.takes else None


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """How a match ended for one seat."""

    match: Match
    """The match."""
    reason: EndReason
    """Why it ended."""
    winner: int | None
    """The winner; None if the match was cancelled or its end was not seen."""
    forfeited: bool
    """Whether the bot's seat was forfeited, so that the steward played on for it."""
    figures: Figures | None
    """The audit of the bot's play; None without a winner, and in tournaments that hide the oracle from bots."""

    @property
    def won(self) -> bool:
        """Whether the bot's seat won."""
        return self.winner == self.match.seat
