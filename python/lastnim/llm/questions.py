"""Questions to a model, with the prompts of `lastnim bot run llm`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .._lastnim import ModelQuestion, ModelReply

__all__ = ["Game", "Memory", "PromptSettings", "Scoring", "Thinking", "ask_row", "ask_take"]

Game: TypeAlias = Mapping[str, Any]
"""A game in JSON, as in the lines of `lastnim oracle dataset`."""

Scoring = Literal["win", "satisfaction", "none", "unknown"]
"""The scoring that prompts name: a point for a win, points by the place of the winner in the seat's own row, no points, or nothing."""

Memory = Literal["none", "match"]
"""Whether prompts repeat the model's own words in the match."""

Thinking = Literal["none", "before"]
"""Whether prompts ask the model to think in plain text before the JSON object."""


@dataclass(frozen=True)
class PromptSettings:
    """The settings of `lastnim bot run llm` that change prompts, with its defaults."""

    time_left: float = 600.0
    """The seconds left on the clock, for templates that name them."""
    template: str | None = None
    """The text of a template that replaces the built-in one."""
    prompt_version: int | None = None
    """The version of the built-in template; None for the latest."""
    memory: Memory = "match"
    """Whether prompts repeat the model's own words in the match."""
    blind: bool = False
    """Whether prompts hide the names of the bots."""
    think: Thinking = "none"
    """Whether the model thinks in plain text before the JSON object."""
    scoring: Scoring = "satisfaction"
    """The scoring of the match, which the bot would get from its server."""


def ask_take(
    game: Game,
    takes: Sequence[int] = (),
    *,
    rows_are_assigned: bool = True,
    bots: Sequence[str] | None = None,
    prompts: PromptSettings | None = None,
    said: Sequence[ModelReply] = (),
) -> ModelQuestion:
    """Asks for the take of the seat to move in a game after `takes`.

    `rows_are_assigned` says whether the organiser assigned the rows, or the seats declared them. `bots` are the names by seat; `seat-0` and so
    on by default. `said` are the model's earlier replies in the match. ValueError names mistakes.
    """
    return ModelQuestion.of_take(
        json.dumps(game), takes, rows_are_assigned, bots or names_of_seats(game), prompts or PromptSettings(), said
    )


def ask_row(
    game: Game, seat: int, *, bots: Sequence[str] | None = None, prompts: PromptSettings | None = None
) -> ModelQuestion:
    """Asks a seat for its row, before any take. The rows of the game only show how many seats it has. ValueError names mistakes."""
    return ModelQuestion.of_row(json.dumps(game), seat, bots or names_of_seats(game), prompts or PromptSettings())


def names_of_seats(game: Game) -> list[str]:
    """Returns a name for each seat."""
    rows = game.get("alliance_matrix", {}).get("rows", ())
    return [f"seat-{seat}" for seat in range(len(rows))]
