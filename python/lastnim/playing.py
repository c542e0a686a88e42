"""Plays matches in this process, without server, sockets or clocks."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import time
from collections import Counter, deque
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

from ._conversation import is_async, row_of, take_of
from ._lastnim import HousePlayer, record_of_play
from .bot import Bot, Choice
from .match import MAX_SEEN_TAKES, Clock, EndReason, Figures, Match, MatchEnd, Position, Row, SeenTake, Turn
from .messages import SeatRow
from .oracle import Ending, Matrix, game_json, matrix_rows, standard_matrix
from .records import Record, record_from_json

__all__ = ["play", "play_async"]

HOUR_MS = 3_600_000
STRIKES = 3
MAX_PLIES = 10_000

Identity: TypeAlias = "tuple[int, bytes, tuple[bytes, int, int] | None]"
"""The time of a match in microseconds, ten bytes that make its id unique, and its place in a tournament: see `record_of_play`."""


class HouseBot(Bot):
    """A house bot in this process."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._player = HousePlayer(name, seed)
        self._game = ""
        self._taken: list[tuple[int, bytes | None]] = []

    def follow(self, game: str, taken: list[tuple[int, bytes | None]]) -> None:
        """Follows a match from its start: its game in JSON, and a list to which every take is added."""
        self._game, self._taken = game, taken

    def declare(self, match: Match) -> Row:
        game = game_json(match.piles, None, match.seats, match.seat, match.ending)
        return tuple(self._player.declare(json.dumps(game)))

    def play(self, turn: Turn) -> int:
        return self._player.play(self._game, [take for take, _ in self._taken])


def play(
    bots: Sequence[Bot | str],
    piles: Iterable[int],
    *,
    matrix: Matrix | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    seed: int = 0,
) -> Record:
    """Plays a match between bots, in the order of their seats, and returns its unsigned record.

    A string is a house bot, such as `oracle`, `greedy` or `minimax-3`; `seed` fixes the random takes of `random`, `epsilon` and `mcts`.
    With `matrix` the rows are assigned; otherwise the bots declare theirs. Exceptions of bots are raised, and illegal rows or takes raise
    ValueError. The method `ended` tells each bot the end.
    """
    playing = _play(bots, piles, matrix, first, ending, seed)
    if any(not isinstance(bot, str) and is_async(bot) for bot in bots):
        return asyncio.run(playing)
    return _run_at_once(playing)


def play_match(
    bots: Sequence[Bot | str], names: Sequence[str], piles: Iterable[int], ending: Ending, seed: int, identity: Identity
) -> Record:
    """Plays a match like `play`, between bots with these names, as a match with this identity."""
    playing = _play(bots, piles, None, 0, ending, seed, names, identity)
    return asyncio.run(playing) if any(not isinstance(bot, str) and is_async(bot) for bot in bots) else _run_at_once(playing)


async def play_async(
    bots: Sequence[Bot | str],
    piles: Iterable[int],
    *,
    matrix: Matrix | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    seed: int = 0,
) -> Record:
    """Plays a match like `play`, in the running event loop."""
    return await _play(bots, piles, matrix, first, ending, seed)


def _run_at_once(playing: Coroutine[Any, Any, Record]) -> Record:
    """Runs a coroutine that never waits."""
    try:
        playing.send(None)
    except StopIteration as end:
        return cast(Record, end.value)
    playing.close()
    raise RuntimeError("a method of a bot waits for the event loop: use play_async")


async def _play(
    given: Sequence[Bot | str],
    piles: Iterable[int],
    matrix: Matrix | None,
    first: int,
    ending: Ending,
    seed: int,
    names: Sequence[str] | None = None,
    identity: Identity | None = None,
) -> Record:
    if not 2 <= len(given) <= 32:
        raise ValueError(f"bots: {len(given)} bots: expected 2 to 32")
    bots = [HouseBot(bot, seed + seat) if isinstance(bot, str) else bot for seat, bot in enumerate(given)]
    names = _names_of(bots) if names is None else names
    assigned = None if matrix is None else tuple(tuple(row) for row in matrix_rows(matrix, len(bots)))
    # Reports mistakes in the game before any bot plays.
    start = Position.of(tuple(piles), matrix=assigned or standard_matrix(len(bots)), seat=first, ending=ending)
    clock = Clock(HOUR_MS, 0, 0, 0, HOUR_MS)
    identity = identity or (time.time_ns() // 1000, os.urandom(10), None)
    matches = [
        Match("", seat, tuple(names), start.piles, first, ending, clock, STRIKES, MAX_PLIES, assigned, None)
        for seat in range(len(bots))
    ]
    rows: list[Row] = list(assigned or [])
    row_hashes: list[bytes | None] = []
    if assigned is None:
        for bot, match in zip(bots, matches, strict=True):
            choice = await _choice_of(bot.declare(match))
            row = tuple(row_of(choice.value))
            if sorted(row) != list(range(len(bots))):
                raise ValueError(f"{names[match.seat]} declared {row}: each of 0 to {len(bots) - 1} must appear once")
            rows.append(row)
            row_hashes.append(choice.note_hash)
    position = Position(start.piles, first, tuple(rows), ending, 0, HOUR_MS)
    takes: list[tuple[int, bytes | None]] = []
    seen: deque[SeenTake] = deque(maxlen=MAX_SEEN_TAKES)
    hears_all = [bot.take_feed() == "all" for bot in bots]
    game = json.dumps(game_json(start.piles, rows, None, first, ending))
    for bot in bots:
        if isinstance(bot, HouseBot):
            bot.follow(game, takes)
    while not position.is_over and len(takes) < MAX_PLIES:
        seat = position.seat
        turn = Turn(matches[seat], position, tuple(seen) if hears_all[seat] else ())
        choice = await _choice_of(bots[seat].play(turn))
        take = take_of(choice.value)
        try:
            after = position.after(take)
        except ValueError as error:
            raise ValueError(f"{names[seat]}, ply {position.ply}: {error}") from None
        takes.append((take, choice.note_hash))
        seen.append(SeenTake(position.ply, replace(position, bank_left_ms=None), take, "bot"))
        position = Position(after.piles, after.seat, after.rows, ending, after.ply, HOUR_MS)
    record = record_from_json(
        record_of_play(names, game, assigned is not None, row_hashes, takes, identity)
    )
    for bot, match, seat_row in zip(bots, matches, record.seats, strict=True):
        if inspect.isawaitable(reported := bot.ended(_end_of(record, match, seat_row))):
            await reported
    return record


async def _choice_of(answer: Any) -> Choice[Any]:
    result: Any = await answer if inspect.isawaitable(answer) else answer
    choice: Choice[Any] = result if isinstance(result, Choice) else Choice(result)  # pyright: ignore[reportUnknownVariableType]
    if choice.note_hash is not None and len(choice.note_hash) != 32:
        raise ValueError(f"note_hash of {len(choice.note_hash)} bytes: expected 32")
    return choice


def _names_of(bots: Sequence[Bot]) -> list[str]:
    """Returns a valid name for each bot; bots of the same class are numbered."""
    words = [bot.name if isinstance(bot, HouseBot) else re.sub(r"[^a-z0-9]+", "-", type(bot).__name__.lower()) for bot in bots]
    words = [word.strip("-")[:28] or "bot" for word in words]
    seen: Counter[str] = Counter()
    names: list[str] = []
    for word in words:
        seen[word] += 1
        names.append(word if seen[word] == 1 else f"{word}-{seen[word]}")
    return names


def _end_of(record: Record, match: Match, row: SeatRow) -> MatchEnd:
    reason = cast(EndReason, record.match.end_reason or "unknown")
    figures = None
    if row.satisfaction is not None and row.regret is not None and row.luck is not None:
        figures = Figures(row.satisfaction, row.regret, row.luck, row.own_plies or 0, row.optimal_plies or 0)
    return MatchEnd(match, reason, record.winner, False, figures)
