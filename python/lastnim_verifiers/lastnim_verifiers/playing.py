"""Plays a match by asking its models."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from lastnim.llm import AskedQuestion, Call, EndpointError, ModelMatch, ask_model

from .task import ANSWERS_KEY, WON_KEY, AnyTrace, LastNimTaskData

__all__ = ["Player", "RunStopped", "play_match"]


class RunStopped(Exception):
    """The run has ended, because of a limit or an error."""


@dataclass
class Player:
    """A model in a seat."""

    trace: AnyTrace
    """Its trace, whose `info` gets every question."""
    call: Call
    """Sends messages to it; raises RunStopped if the run has ended."""


async def play_match(match: ModelMatch, data: LastNimTaskData, players: Mapping[int, Player]) -> None:
    """Plays a match to its end, to a position of the other set, to a limit, or to a question without an answer. `players` are by seat."""
    for player in players.values():
        player.trace.info[ANSWERS_KEY] = []
    # A house bot may think for long.
    while (question := await asyncio.to_thread(match.next_question)) is not None:
        player = players[question.seat]
        noted: list[dict[str, Any]] = player.trace.info[ANSWERS_KEY]
        identity = question.identity
        if len(noted) == data.max_questions or (identity is not None and identity[1] != data.split):
            break
        asked = AskedQuestion.of(question)
        noted.append(asked.to_json())
        reply = None
        try:
            reply = await ask_model(question, asked, player.call, data.answers)
        except RunStopped:
            # Nothing is known of a question without a reply.
            if not asked.failures:
                noted.pop()
                break
        except EndpointError as error:
            where = "row" if asked.ply is None else f"ply {asked.ply}"
            raise vf.HarnessError(f"{where}: {error}") from error
        noted[-1] = asked.to_json()
        if reply is None or not asked.is_answered:
            break
        match.answer(question, reply)
    if (winner := match.winner) is not None:
        for seat, player in players.items():
            player.trace.info[WON_KEY] = seat == winner
