"""Plays matches in this process, without server, sockets or clocks."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import time
from collections import Counter, deque
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import index
from typing import Any, Literal, TypeAlias, cast

from ._conversation import is_async, message_of, row_of, take_of
from ._json import message_from_json
from ._lastnim import HousePlayer, MatchInProcess
from .bot import Bot, Choice
from .match import MAX_SEEN_TAKES, EndReason, Figures, Match, MatchEnd, Position, SeenTake, TalkRound, Turn
from .messages import SeatRow
from .oracle import Ending, Matrix, matrix_rows, standard_matrix
from .records import Record, record_from_json

__all__ = ["play", "play_async"]

HOUR_MS = 3_600_000
# The number of seeds.
SEEDS = 2**64

Deal: TypeAlias = "Literal['all', 'self_first'] | Sequence[Sequence[int]]"
"""The rows from which the private row of each seat is drawn: any row, any row that likes the own seat best, or these rows."""

Identity: TypeAlias = "tuple[int, bytes, tuple[bytes, int, int] | None]"
"""The time of a match in microseconds, ten bytes that make its id unique, and its place in a tournament: see `MatchInProcess`."""


class HouseBot:
    """A house bot in this process."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.player = HousePlayer(name, seed)


def play(
    bots: Sequence[Bot | str],
    piles: Iterable[int],
    *,
    matrix: Matrix | None = None,
    deal: Deal | None = None,
    talk: Mapping[str, object] | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    seed: int = 0,
) -> Record:
    """Plays a match between bots, in the order of their seats, and returns its unsigned record.

    A string is a house bot, such as `oracle`, `greedy` or `minimax-3`; `seed`, 0 to 2**64 - 1, fixes what it draws at random.
    With `matrix` the rows are assigned; otherwise the bots declare theirs. With `deal` each bot first gets a private row, which follows from
    `seed`. With `talk`, which has the keys of the message Talk, such as `{"rounds": 2, "pacts": True}`, the bots talk before they declare.
    Exceptions of bots are raised, and illegal rows, takes or messages raise ValueError. The method `ended` tells each bot the end.
    """
    playing = _play(bots, _request(bots, piles, matrix, deal, talk, first, ending), seed)
    return _run(bots, playing)


def play_match(
    bots: Sequence[Bot | str], names: Sequence[str], piles: Iterable[int], ending: Ending, seed: int, identity: Identity
) -> Record:
    """Plays a match like `play`, between bots with these names, as a match with this identity."""
    return _run(bots, _play(bots, _request(bots, piles, None, None, None, 0, ending), seed, names, identity))


async def play_async(
    bots: Sequence[Bot | str],
    piles: Iterable[int],
    *,
    matrix: Matrix | None = None,
    deal: Deal | None = None,
    talk: Mapping[str, object] | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    seed: int = 0,
) -> Record:
    """Plays a match like `play`, in the running event loop."""
    return await _play(bots, _request(bots, piles, matrix, deal, talk, first, ending), seed)


def _run(bots: Sequence[Bot | str], playing: Coroutine[Any, Any, Record]) -> Record:
    if any(not isinstance(bot, str) and is_async(bot) for bot in bots):
        return asyncio.run(playing)
    return _run_at_once(playing)


def _run_at_once(playing: Coroutine[Any, Any, Record]) -> Record:
    """Runs a coroutine that never waits."""
    try:
        playing.send(None)
    except StopIteration as end:
        return cast(Record, end.value)
    playing.close()
    raise RuntimeError("a method of a bot waits for the event loop: use play_async")


def _request(
    bots: Sequence[Bot | str],
    piles: Iterable[int],
    matrix: Matrix | None,
    deal: Deal | None,
    talk: Mapping[str, object] | None,
    first: int,
    ending: Ending,
) -> dict[str, Any]:
    """Returns the CreateMatchRequest of a match, without the names of the bots."""
    if not 2 <= len(bots) <= 32:
        raise ValueError(f"bots: {len(bots)} bots: expected 2 to 32")
    if matrix is not None and deal is not None:
        raise ValueError("matrix and deal: rows are either assigned or dealt: expected only one of these")
    rows = standard_matrix(len(bots)) if matrix is None else matrix_rows(matrix, len(bots))
    # Reports mistakes in the game before any bot plays.
    start = Position.of(tuple(piles), matrix=rows, seat=first, ending=ending)
    request: dict[str, Any] = {
        "piles": [*start.piles],
        "first": first,
        "ending": ending,
        "clock": {"initial_ms": HOUR_MS, "declaration_ms": HOUR_MS},
        "alliance": "declared" if deal is None else "dealt",
    }
    if matrix is not None:
        request |= {"alliance": "given", "assigned": _rows_message(start.rows)}
    if isinstance(deal, str):
        request["deal"] = deal
    elif deal is not None:
        request["deal_rows"] = _rows_message(deal)["rows"]
    if talk is not None:
        request["talk"] = dict(talk)
    return request


def _rows_message(rows: Iterable[Iterable[int]]) -> dict[str, Any]:
    return {"rows": [{"offsets": [*row]} for row in rows]}


async def _play(
    given: Sequence[Bot | str],
    request: dict[str, Any],
    seed: int,
    names: Sequence[str] | None = None,
    identity: Identity | None = None,
) -> Record:
    seed = index(seed)
    if not 0 <= seed < SEEDS:
        raise ValueError(f"seed: {seed}: expected 0 to {SEEDS - 1}")
    bots = [HouseBot(bot, (seed + seat) % SEEDS) if isinstance(bot, str) else bot for seat, bot in enumerate(given)]
    names = _names_of(bots) if names is None else names
    identity = identity or (time.time_ns() // 1000, os.urandom(10), None)
    # Integers of numpy become plain ones.
    game = MatchInProcess(json.dumps({**request, "bots": [*names]}, default=index), seed, identity)
    while (seat := game.next_seat) is not None and game.next_action != "play":
        known, bot = game.rounds_ended, bots[seat]
        if isinstance(bot, HouseBot):
            game.ask_house_bot(bot.player)
        else:
            await _talk_or_declare(game, seat, bot, names[seat])
        for ended in range(known, game.rounds_ended):
            for hearer, bot in enumerate(bots):
                if not isinstance(bot, HouseBot) and inspect.isawaitable(reported := bot.heard(_match_of(game, hearer), ended)):
                    await reported
    matches = [_match_of(game, seat) for seat in range(len(bots))]
    rows = tuple(tuple(row) for row in game.rows or ())
    position = Position(matches[0].piles, matches[0].first, rows, matches[0].ending, 0, HOUR_MS)
    seen: deque[SeenTake] = deque(maxlen=MAX_SEEN_TAKES)
    hears_all = [not isinstance(bot, HouseBot) and bot.take_feed() == "all" for bot in bots]
    while (seat := game.next_seat) is not None:
        bot = bots[seat]
        if isinstance(bot, HouseBot):
            take = game.ask_house_bot(bot.player)
        else:
            choice = await _choice_of(bot.play(Turn(matches[seat], position, tuple(seen) if hears_all[seat] else ())))
            take = take_of(choice.value)
            try:
                game.take(take, choice.note_hash)
            except ValueError as error:
                raise ValueError(f"{names[seat]}, ply {position.ply}: {error}") from None
        seen.append(SeenTake(position.ply, replace(position, bank_left_ms=None), take, "bot"))
        position = replace(position.after(take), bank_left_ms=HOUR_MS)
    record = record_from_json(game.record())
    for bot, match, seat_row in zip(bots, matches, record.seats, strict=True):
        if isinstance(bot, HouseBot):
            continue
        if inspect.isawaitable(reported := bot.ended(_end_of(record, match, seat_row))):
            await reported
    return record


def _match_of(game: MatchInProcess, seat: int) -> Match:
    return message_from_json(Match, json.loads(game.match_of(seat)))


async def _talk_or_declare(game: MatchInProcess, seat: int, bot: Bot, name: str) -> None:
    """Asks a bot for its messages in the open round of talk, or for its row."""
    if game.next_action == "talk":
        round = message_from_json(TalkRound, json.loads(game.round_of(seat)))
        answer: Any = bot.talk(round)
        messages: Any = await answer if inspect.isawaitable(answer) else answer
        if messages is not None:
            try:
                game.talk(seat, [message_of(message) for message in messages])
            except ValueError as error:
                raise ValueError(f"{name}, round {round.round} of talk: {error}") from None
            return
    choice = await _choice_of(bot.declare(_match_of(game, seat)))
    row = tuple(row_of(choice.value))
    try:
        game.declare(seat, row, choice.note_hash)
    except ValueError as error:
        raise ValueError(f"{name} declared {row}: {error}") from None


async def _choice_of(answer: Any) -> Choice[Any]:
    result: Any = await answer if inspect.isawaitable(answer) else answer
    choice: Choice[Any] = result if isinstance(result, Choice) else Choice(result)  # pyright: ignore[reportUnknownVariableType]
    if choice.note_hash is not None and len(choice.note_hash) != 32:
        raise ValueError(f"note_hash of {len(choice.note_hash)} bytes: expected 32")
    return choice


def _names_of(bots: Sequence[Bot | HouseBot]) -> list[str]:
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
