"""Plays the matches of a bot on a server."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from datetime import timedelta
from operator import index
from typing import Any

from ._conversation import converse, converse_async, is_async
from ._lastnim import Session
from .bot import Bot
from .notices import Summary

__all__ = ["practice", "practice_async", "run", "run_async"]

CONCURRENCY = 64


def run(
    bot: Bot,
    *,
    server: str | None = None,
    token: str | None = None,
    tournament: str | None = None,
    ca: str | os.PathLike[str] | None = None,
    version: str | None = None,
    config_hash: bytes | None = None,
    session_log: str | os.PathLike[str] | None = None,
    give_up_after: float | None = None,
    concurrency: int | None = None,
) -> Summary:
    """Plays all matches of a bot until its tournament has ended, or without a tournament, until Ctrl-C.

    A lost session is reopened for up to `give_up_after` seconds (two minutes by default). Missing arguments are read from the environment:
    `server` from LASTNIM_SERVER, as host:port, http://host:port, https://host:port or unix:PATH (default 127.0.0.1:7600); `ca`, a file
    of authorities to trust there, from LASTNIM_CA; the files of your certificate, for a server that asks for one, from LASTNIM_CLIENT_CERT
    and LASTNIM_CLIENT_KEY; `token` from LASTNIM_TOKEN, or the file LASTNIM_TOKEN_FILE; `tournament` from LASTNIM_TOURNAMENT;
    `version`, 1 to 64 visible ASCII characters, from LASTNIM_BOT_VERSION; `config_hash`, 32 bytes, from LASTNIM_BOT_CONFIG_HASH;
    `session_log`, a file or folder to log all messages for `lastnim audit history`, from LASTNIM_SESSION_LOG. A bot with `async def`
    methods is asked about `concurrency` matches at once, 64 by default.

    Ctrl-C ends the run, which returns normally. LastnimError reports permanent errors.
    """
    _check_no_loop(bot, "run")
    session = _start(bot, _variables(server, token, tournament, ca, version, config_hash, session_log), give_up_after, concurrency, None)
    return _converse(session, bot)


async def run_async(
    bot: Bot,
    *,
    server: str | None = None,
    token: str | None = None,
    tournament: str | None = None,
    ca: str | os.PathLike[str] | None = None,
    version: str | None = None,
    config_hash: bytes | None = None,
    session_log: str | os.PathLike[str] | None = None,
    give_up_after: float | None = None,
    concurrency: int | None = None,
) -> Summary:
    """Plays like `run`, in the running event loop. Cancelling it ends the run."""
    session = _start(bot, _variables(server, token, tournament, ca, version, config_hash, session_log), give_up_after, concurrency, None)
    return await converse_async(session, bot)


def practice(
    bot: Bot,
    *,
    rivals: Iterable[str] = (),
    piles: Iterable[int] = (3, 4, 5),
    rounds: int = 1,
    server: str | None = None,
    token: str | None = None,
    ca: str | os.PathLike[str] | None = None,
    version: str | None = None,
    config_hash: bytes | None = None,
    session_log: str | os.PathLike[str] | None = None,
    give_up_after: float | None = None,
    concurrency: int | None = None,
) -> Summary:
    """Plays against house bots of the server (all, or the `rivals`), and stops.

    Each match has three seats, which declare their rows: the bot, a house bot and the next one, `rounds` times with the bot in each seat.
    With only one house bot, matches have two seats.

    Practice does not count for standings. Other matches that the bot gets are played too. Otherwise it is like `run`.
    """
    _check_no_loop(bot, "practice")
    terms = _practice_terms(rivals, piles, rounds)
    session = _start(bot, _variables(server, token, None, ca, version, config_hash, session_log), give_up_after, concurrency, terms)
    return _converse(session, bot)


async def practice_async(
    bot: Bot,
    *,
    rivals: Iterable[str] = (),
    piles: Iterable[int] = (3, 4, 5),
    rounds: int = 1,
    server: str | None = None,
    token: str | None = None,
    ca: str | os.PathLike[str] | None = None,
    version: str | None = None,
    config_hash: bytes | None = None,
    session_log: str | os.PathLike[str] | None = None,
    give_up_after: float | None = None,
    concurrency: int | None = None,
) -> Summary:
    """Practises like `practice`, in the running event loop. Cancelling it ends the practice."""
    terms = _practice_terms(rivals, piles, rounds)
    session = _start(bot, _variables(server, token, None, ca, version, config_hash, session_log), give_up_after, concurrency, terms)
    return await converse_async(session, bot)


def _check_no_loop(bot: Bot, function: str) -> None:
    """Raises RuntimeError for a bot with `async def` methods where an event loop runs, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    if is_async(bot):
        raise RuntimeError(
            f"an event loop is running, as in a notebook: use `await lastnim.{function}_async(bot)` instead of `lastnim.{function}(bot)`"
        )


def _practice_terms(rivals: Iterable[str], piles: Iterable[int], rounds: int) -> tuple[list[str], list[int], int]:
    if isinstance(rivals, str):
        raise TypeError(f"rivals: {rivals!r}: expected a list of names")
    return list(rivals), [index(counters) for counters in piles], index(rounds)


def _variables(
    server: str | None,
    token: str | None,
    tournament: str | None,
    ca: str | os.PathLike[str] | None,
    version: str | None,
    config_hash: bytes | None,
    session_log: str | os.PathLike[str] | None,
) -> dict[str, str]:
    """Returns the SDK's environment variables, overridden by the arguments."""
    given = {
        "LASTNIM_SERVER": server,
        "LASTNIM_TOKEN": token,
        "LASTNIM_TOURNAMENT": tournament,
        "LASTNIM_CA": None if ca is None else os.fspath(ca),
        "LASTNIM_BOT_VERSION": version,
        "LASTNIM_BOT_CONFIG_HASH": None if config_hash is None else config_hash.hex(),
        "LASTNIM_SESSION_LOG": None if session_log is None else os.fspath(session_log),
    }
    known = {name: value for name, value in os.environ.items() if name.startswith("LASTNIM_")}
    return known | {name: value for name, value in given.items() if value is not None}


def _start(
    bot: Bot,
    variables: dict[str, str],
    give_up_after: float | None,
    concurrency: int | None,
    practice: tuple[list[str], list[int], int] | None,
) -> Session:
    if concurrency is not None and concurrency < 1:
        raise ValueError(f"concurrency: {concurrency}: expected at least 1")
    # Synchronous bots get one question at a time.
    requests = (CONCURRENCY if concurrency is None else concurrency) if is_async(bot) else 1
    patience = None if give_up_after is None else timedelta(seconds=give_up_after)
    return Session(variables, requests, patience, practice, bot.take_feed())


def _converse(session: Session, bot: Bot) -> Summary:
    if is_async(bot):
        return asyncio.run(_until_interrupted(session, converse_async(session, bot)))
    return converse(session, bot)


async def _until_interrupted(session: Session, conversation: Coroutine[Any, Any, Summary]) -> Summary:
    """Ends the session on the first Ctrl-C; Python handles the second."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        session.stop()

    if threading.current_thread() is threading.main_thread():
        with suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGINT, stop)
    try:
        return await conversation
    finally:
        loop.remove_signal_handler(signal.SIGINT)
