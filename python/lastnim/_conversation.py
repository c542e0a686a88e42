"""Passes questions from a session to a bot and the answers back."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import operator
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ._json import message_from_json
from ._lastnim import Session
from .bot import Bot, Choice
from .match import Match, MatchEnd, Position, SeenTake, TalkRound, Turn
from .messages import OfferId, Pact
from .notices import Connected, LastnimError, Refusal, Summary, Suspension, TournamentEnd
from .talk import Message

if TYPE_CHECKING:
    from ._lastnim import GivenMessage, GivenPact

logger = logging.getLogger("lastnim.bot")

# Methods of a bot that answer or report something, and their first argument.
REQUESTS: dict[str, type[Any]] = {"talk": TalkRound, "declare": Match, "play": Turn}
REPORTS: dict[str, type[Any]] = {
    "heard": Match,
    "ended": MatchEnd,
    "refused": Refusal,
    "suspended": Suspension,
    "tournament_ended": TournamentEnd,
    "connected": Connected,
}
METHODS = REQUESTS | REPORTS
# How long to wait on the queue at once; an interrupt ends the wait.
WAIT_SECONDS = 3600.0
# How many notices wait outside the session, whose own queue is bounded.
MAX_FETCHED_NOTICES = 64
LARGEST_TAKE = 2**64 - 1
MAX_SEATS = 32


class Notice(NamedTuple):
    """A question or report of a session."""

    kind: str
    number: int
    json: Any


def is_async(bot: Bot) -> bool:
    """Returns whether a method of the bot is `async def`."""
    return any(inspect.iscoroutinefunction(getattr(bot, method)) for method in METHODS)


def next_notice(session: Session) -> Notice:
    """Waits for the next notice of a session."""
    while (notice := session.next(WAIT_SECONDS)) is None:
        pass
    kind, number, text = notice
    return Notice(kind, number, json.loads(text))


def summary_of_end(notice: Notice) -> Summary | None:
    """Returns the summary if the notice ends the run. Raises LastnimError if the run failed."""
    if notice.kind == "failed":
        raise LastnimError(notice.json["code"], notice.json["message"], notice.json["reason"])
    return message_from_json(Summary, notice.json) if notice.kind == "finished" else None


def log_event(event: Any) -> None:
    """Logs an event of the session."""
    logging.getLogger(event["logger"]).log(event["level"], "%s", event["message"])


def arguments_of(notice: Notice) -> tuple[Any, ...]:
    """Returns the arguments for the bot's method."""
    if notice.kind == "heard":
        return message_from_json(Match, notice.json["match"]), notice.json["round"]
    if METHODS[notice.kind] is not Turn:
        return (message_from_json(METHODS[notice.kind], notice.json),)
    position = message_from_json(Position, notice.json["position"])
    match = message_from_json(Match, notice.json["match"])
    return (Turn(match, position, seen_takes_of(notice.json["seen_takes"], position)),)


def seen_takes_of(runs: Any, now: Position) -> tuple[SeenTake, ...]:
    """Converts runs of consecutive takes, each given with its first position, to single takes; `now` is the match's current position."""
    seen: list[SeenTake] = []
    for run in runs:
        before = Position(tuple(run["piles"]), run["seat"], now.rows, now.ending, run["ply"])
        for take, by_steward in zip(run["takes"], run["by_steward"], strict=True):
            seen.append(SeenTake(before.ply, before, take, "steward" if by_steward else "bot"))
            before = before.after(take)
    return tuple(seen)


def converse(session: Session, bot: Bot) -> Summary:
    """Answers a session with a synchronous bot until the session ends. An interrupt ends it soon."""
    try:
        return _converse(session, bot)
    except KeyboardInterrupt:
        session.stop()
        # Questions that arrive before its end are not answered.
        while (summary := summary_of_end(next_notice(session))) is None:
            pass
        return summary
    finally:
        session.stop()


def _converse(session: Session, bot: Bot) -> Summary:
    while True:
        notice = next_notice(session)
        if notice.kind in METHODS:
            _answer_synchronously(session, bot, notice)
        elif notice.kind == "log":
            log_event(notice.json)
        elif (summary := summary_of_end(notice)) is not None:
            return summary


def _answer_synchronously(session: Session, bot: Bot, notice: Notice) -> None:
    try:
        result = getattr(bot, notice.kind)(*arguments_of(notice))
        if inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()
            raise TypeError(f"{notice.kind} returned an awaitable: declare the method with `async def`, so that it is awaited")
        give_answer(session, notice, result)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # For example CancelledError: without an answer to the question, the seat would wait until its time is over.
        give_failure(session, notice, error)


async def converse_async(session: Session, bot: Bot) -> Summary:
    """Answers a session with a concurrent bot until the session ends."""
    loop = asyncio.get_running_loop()
    notices: asyncio.Queue[Notice | BaseException] = asyncio.Queue()
    # While a bot blocks the loop, later notices stay in the queue of the session, which is bounded.
    room = threading.Semaphore(MAX_FETCHED_NOTICES)
    is_closed = threading.Event()

    def pump() -> None:
        # This ends with the session, which is always stopped.
        is_over = False
        while not is_over:
            if not is_closed.is_set():
                room.acquire()
            notice: Notice | BaseException
            try:
                notice = next_notice(session)
                is_over = notice.kind in ("finished", "failed")
            except RuntimeError as error:
                notice, is_over = error, True
            try:
                loop.call_soon_threadsafe(notices.put_nowait, notice)
            except RuntimeError:
                # The loop is closed.
                session.stop()

    threading.Thread(target=pump, name="lastnim-notices", daemon=True).start()
    thoughts: dict[int, asyncio.Task[None]] = {}
    # Questions whose tasks are cancelled here, not by the bot.
    cancelled: set[int] = set()
    try:
        while True:
            notice = await notices.get()
            room.release()
            if isinstance(notice, BaseException):
                raise notice
            if notice.kind in METHODS:
                task = loop.create_task(_answer(session, bot, notice, cancelled))
                thoughts[notice.number] = task
                task.add_done_callback(_forget(thoughts, cancelled, notice))
            elif notice.kind == "withdrawn":
                if (thought := thoughts.get(notice.number)) is not None:
                    cancelled.add(notice.number)
                    thought.cancel()
            elif notice.kind == "log":
                log_event(notice.json)
            elif (summary := summary_of_end(notice)) is not None:
                return summary
    finally:
        session.stop()
        # The rest is fetched and dropped.
        is_closed.set()
        room.release()
        unfinished = list(thoughts.values())
        cancelled.update(thoughts)
        for thought in unfinished:
            thought.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)


def _forget(
    thoughts: dict[int, asyncio.Task[None]], cancelled: set[int], notice: Notice
) -> Callable[[asyncio.Task[None]], None]:
    def forget(_: asyncio.Task[None]) -> None:
        thoughts.pop(notice.number, None)
        cancelled.discard(notice.number)

    return forget


async def _answer(session: Session, bot: Bot, notice: Notice, cancelled: set[int]) -> None:
    try:
        result: Any = getattr(bot, notice.kind)(*arguments_of(notice))
        give_answer(session, notice, await result if inspect.isawaitable(result) else result)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        if notice.number in cancelled:
            raise
        give_failure(session, notice, error)


def give_answer(session: Session, notice: Notice, result: Any) -> None:
    """Answers with the result of a method."""
    if notice.kind in REPORTS:
        session.mark_handled(notice.number)
        return
    if notice.kind == "talk":
        session.talk(notice.number, None if result is None else [message_of(message) for message in result])
        return
    choice: Choice[Any] = result if isinstance(result, Choice) else Choice(result)  # pyright: ignore[reportUnknownVariableType]
    note_hash = choice.note_hash
    if note_hash is not None and len(note_hash) != 32:
        raise ValueError(f"note_hash of {len(note_hash)} bytes: expected 32")
    if notice.kind == "play":
        session.take(notice.number, take_of(choice.value), note_hash)
    else:
        session.declare(notice.number, row_of(choice.value), note_hash)


def message_of(value: Any) -> GivenMessage:
    """Reads a message. The server refuses illegal ones; those with numbers that no match has raise ValueError."""
    if not isinstance(value, Message):
        raise TypeError(f"talk returned {value!r} in its list: expected a Message")
    claim = None if value.claim is None else row_of(value.claim)
    offer = None if value.offer is None else members_of(value.offer)
    accept = None if value.accept is None else accepted_of(value.accept)
    return [seat_of(seat) for seat in value.to], value.text, claim, offer, accept


def members_of(pact: Pact) -> GivenPact:
    """Reads the members of a pact, each with the pairs of seats of which its row ranks the first before the second."""
    return [
        (seat_of(member.seat), [(seat_of(each.before), seat_of(each.after)) for each in member.relations])
        for member in pact.members
    ]


def accepted_of(offer: OfferId) -> tuple[int, int, int]:
    """Reads the id of an offer."""
    return seat_of(offer.seat), number_of("round", offer.round, 2**32), number_of("number", offer.number, 2**32)


def seat_of(value: Any) -> int:
    """Reads a seat."""
    return number_of("seat", value, MAX_SEATS)


def number_of(name: str, value: Any, limit: int) -> int:
    """Reads a number from 0 up to, but not including, `limit`."""
    number = operator.index(value)
    if not 0 <= number < limit:
        raise ValueError(f"{name} {number}: expected 0 to {limit - 1}")
    return number


def take_of(value: Any) -> int:
    """Reads a take. The server refuses illegal ones."""
    try:
        return min(max(operator.index(value), 0), LARGEST_TAKE)
    except TypeError:
        raise TypeError(f"play returned {value!r}: expected the number of counters to take") from None


def row_of(value: Any) -> list[int]:
    """Reads the offsets of a row."""
    try:
        offsets = [operator.index(offset) for offset in value]
    except TypeError:
        raise TypeError(f"row {value!r}: expected a list of offsets") from None
    if any(not 0 <= offset < 2**32 for offset in offsets):
        raise ValueError(f"row {value!r}: each of 0 to n-1 must appear once")
    return offsets


def give_failure(session: Session, notice: Notice, error: BaseException) -> None:
    """Logs an exception of a bot. If the bot was asked about a match, its seat in that match is resigned."""
    if notice.kind in REPORTS:
        logger.error("%s raised an exception", notice.kind, exc_info=error)
        session.mark_handled(notice.number)
        return
    match = notice.json if notice.kind == "declare" else notice.json["match"]
    logger.error("match %s: %s failed: the seat is resigned", match["id"], notice.kind, exc_info=error)
    session.fail(notice.number, f"{type(error).__name__}: {error}")
