"""A match as a bot sees it: what was fixed before it, the position at its turn, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .messages import SolveResponse
from .oracle import Ending, Matrix, matrix_rows, solve

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
    "Turn",
    "favouring_row",
    "standard_row",
]

Row = tuple[int, ...]
"""The preferences of one seat: the offsets 0..n-1, the most preferred winner first; offset k of seat i is seat (i + k) mod n."""
Rows = tuple[Row, ...]
"""The rows of all seats, by seat."""


def standard_row(seats: int) -> Row:
    """Returns the row of a seat that prefers itself, then the next, and so on."""
    return tuple(range(seats))


def favouring_row(ally: int, seats: int) -> Row:
    """Returns the row that puts the seat at offset `ally` first, and the others as in the standard row."""
    if not 0 <= ally < seats:
        raise ValueError(f"ally: offset {ally}: expected 0 to {seats - 1}")
    return (ally, *(offset for offset in range(seats) if offset != ally))


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a match, in milliseconds."""

    initial_ms: int
    """What every seat starts with."""
    increment_ms: int
    """What is added after each take of the seat."""
    lag_quota_ms: int
    """The most lag that is given back for one take."""
    lag_total_ms: int
    """The most lag that is given back to a seat in one match."""
    declaration_ms: int
    """What every seat has to declare its row."""


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
    """All that was fixed before the first take of a match, seen from one seat."""

    id: str
    """The match, a UUID."""
    seat: int
    """The bot's own seat, from 0."""
    bots: tuple[str, ...]
    """The names of the bots, by seat."""
    piles: tuple[int, ...]
    """The counters of each pile at the start, 1 to 2^63-1."""
    first: int
    """The seat that moves first."""
    ending: Ending
    """Who wins when no counter is left."""
    clock: Clock
    """The clock."""
    strikes: int
    """The strike that forfeits a seat."""
    max_plies: int
    """The number of plies after which the oracle decides."""
    assigned: Rows | None
    """Everybody's row where the organiser gave them, so that no seat declares one."""
    origin: Origin | None
    """The tournament that the match belongs to; none for an exhibition."""

    @property
    def seats(self) -> int:
        """How many seats there are, 2 to 32."""
        return len(self.bots)

    @property
    def rows_are_assigned(self) -> bool:
        """Whether the organiser gave the rows."""
        return self.assigned is not None


@dataclass(frozen=True, slots=True)
class Position:
    """The piles as they stand, with the rows of all seats and the seat to move. Only the last nonempty pile can be touched."""

    piles: tuple[int, ...]
    """The counters of each pile as they stand; emptied piles are 0."""
    seat: int
    """The seat to move, from 0."""
    rows: Rows
    """The rows of all seats, by seat."""
    ending: Ending = "to_move_wins"
    """Who wins when no counter is left."""
    ply: int = 0
    """The number of the take to come, from 0."""
    bank_left_ms: int | None = None
    """Milliseconds that were left to the seat when its turn was sent; none away from a server."""

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
        """Returns a position at its first take, to try a bot on; rows and endings are given as to `lastnim.solve`."""
        rows = tuple(tuple(row) for row in matrix_rows(matrix, players))
        position = cls(tuple(piles), seat, rows, ending)
        # The oracle names what is wrong with it.
        position.solve()
        return position

    @property
    def seats(self) -> int:
        """How many seats there are."""
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
        """Returns the position after a take. ValueError if the rules do not allow it."""
        pile, counters = self.pile, self.counters
        if not 1 <= take <= counters:
            allowed = "no counter is left" if counters == 0 else f"expected 1 to {counters}"
            raise ValueError(f"take {take} from pile {pile}: {allowed}")
        piles = (*self.piles[:pile], counters - take, *self.piles[pile + 1 :])
        return replace(
            self, piles=piles, seat=(self.seat + 1) % self.seats, ply=self.ply + 1, bank_left_ms=None
        )

    def solve(self) -> SolveResponse:
        """Asks the oracle who wins from here, and by which takes."""
        return solve(piles=self.piles, matrix=self.rows, first=self.seat, ending=self.ending)

    def _repr_html_(self) -> str:
        from .drawing import position_svg

        return position_svg(self)


TakeFeed = Literal["all", "own_turns"]
"""Which takes a bot hears of: those of all seats, or none but its own turns."""

MAX_SEEN_TAKES = 1_024
"""The takes of a match that a turn shows at the most: the newest."""


@dataclass(frozen=True, slots=True)
class SeenTake:
    """A take that the bot has heard of, its own or another seat's."""

    ply: int
    """The number of the take, from 0."""
    before: Position
    """The position in which it was made, with the seat to move that made it."""
    take: int
    """Counters taken."""
    mover: Literal["bot", "steward"]
    """Whether the seat's own bot moved, or the steward."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A match at the bot's turn: all that a take depends on."""

    match: Match
    """What was fixed before the first take. Its piles are those at the start."""
    position: Position
    """The position, with the own seat to move."""
    seen_takes: tuple[SeenTake, ...] = ()
    """The newest takes of all seats that the bot has heard of, the own ones too, in rising order of ply: 1,024 at the most, and none
    unless `Bot.take_feed` returns `"all"`. Those that were made while there was no session are missing, and so are all that a process
    before this one heard of."""

    @property
    def counters(self) -> int:
        """The counters of the last nonempty pile, which is the largest legal take."""
        return self.position.counters

    @property
    def piles(self) -> tuple[int, ...]:
        """The counters of each pile as they stand."""
        return self.position.piles

    @property
    def rows(self) -> Rows:
        """The rows of all seats, by seat."""
        return self.position.rows

    @property
    def seat(self) -> int:
        """The own seat, which is to move."""
        return self.position.seat

    @property
    def ply(self) -> int:
        """The number of the take to come, from 0."""
        return self.position.ply

    @property
    def clock(self) -> Clock:
        """The clock of the match."""
        return self.match.clock

    @property
    def bank_left_ms(self) -> int | None:
        """Milliseconds that were left when the turn was sent."""
        return self.position.bank_left_ms


EndReason = Literal["finished", "ply_limit", "all_forfeited", "cancelled", "unknown", "unseen"]
"""How a match came to its end: `unseen` if it ended while the session was lost, `unknown` if this version does not know how."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One seat's game in figures."""

    satisfaction: float
    """1 - rank / (n - 1) of the winner in the seat's row, from 0 to 1."""
    regret: int
    """The ranks that the seat's own takes cost it."""
    luck: int
    """The ranks that the others' takes gave it; negative where they cost it."""
    takes: int
    """Takes that the seat itself made."""
    optimal_takes: int
    """How many of them were optimal."""

    @property
    def accuracy(self) -> float | None:
        """The share of the seat's own takes that were optimal, from 0 to 1; none if it made none."""
        return self.optimal_takes / self.takes if self.takes else None


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """How a match ended, seen from one seat."""

    match: Match
    """The match."""
    reason: EndReason
    """How it came to its end."""
    winner: int | None
    """The seat that won; none where the match was cancelled or its end was not seen."""
    forfeited: bool
    """Whether the own seat was lost, so that the steward played on for it."""
    figures: Figures | None
    """The own game held against the oracle; none where there is no winner, or the tournament keeps the oracle from its bots."""

    @property
    def won(self) -> bool:
        """Whether the own seat won."""
        return self.winner == self.match.seat
