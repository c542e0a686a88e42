"""The positions that are played, drawn from a seed or read from a file of `lastnim oracle dataset`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from pydantic import Field

from ..._lastnim import draw_positions, parse_position
from ...oracle import Ending
from .model_match import ModelMatch
from .task import LastNimTask, LastNimTaskData, Split

__all__ = ["LastNimTaskset", "LastNimTasksetConfig"]


class LastNimTasksetConfig(vf.TasksetConfig):
    """Which positions are played, and how. The draws are those of `lastnim oracle dataset` with the same settings."""

    split: Split = "train"
    """The set of the positions. Those for benchmarks are played only if this names them."""
    file: Path | None = None
    """A file of `lastnim oracle dataset`, all of whose positions are played; without it they are drawn."""
    positions: int = Field(default=1_000, ge=1)
    """How many are drawn."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    """What the positions derive from, and what the house bots draw from."""
    seats: list[int] = [2, 3, 4, 5]
    """The numbers of seats, each equally likely, 2 to 32."""
    draw_piles: tuple[int, int] = (1, 5)
    """The fewest and the most piles, 1 to 1,024."""
    draw_counters: tuple[int, int] = (1, 9)
    """The fewest and the most counters of a pile, 1 to 2^63 - 1."""
    ending: Ending = "to_move_wins"
    """Who wins when no counter is left."""
    max_optimal_share: float = 1.0
    """The greatest share of the first takes that may be optimal, above 0 and up to 1."""
    opponents: list[str] = Field(default=["oracle"], min_length=1)
    """The house bots, the first of them behind the model; they are repeated where there are more seats. `oracle` plays optimally."""
    answers: int = Field(default=3, ge=1, le=10)
    """How often the model may answer a question: after a reply that cannot be used it hears why."""
    max_questions: int | None = Field(default=None, ge=1)
    """How many questions of a match are asked at most; all of them without it."""
    time_left: float = Field(default=600.0, ge=0, le=86_400)
    """The seconds for an answer that prompts name. Nothing is measured."""
    template: Path | None = None
    """The file of a template in place of the program's own (docs/reference/language-models.md)."""


class LastNimTaskset(vf.Taskset[LastNimTask, LastNimTasksetConfig]):
    """A match for each position."""

    def load(self) -> Iterator[LastNimTask]:
        """Yields the matches, in the order of the draws or of the file."""
        config = self.config
        template = None if config.template is None else config.template.read_text(encoding="utf-8")
        for identity, game in self._positions():
            match = ModelMatch(game, config.opponents, seed=config.seed, time_left=config.time_left, template=template)
            question = match.next_question()
            if question is None:
                raise ValueError(f"position {identity}: no counter is left to take")
            data = LastNimTaskData.model_validate(
                {
                    "id": identity,
                    "prompt": question.messages[0][1],
                    "game": game,
                    "split": config.split,
                    "opponents": config.opponents,
                    "seed": config.seed,
                    "answers": config.answers,
                    "max_questions": config.max_questions,
                    "time_left": config.time_left,
                    "template": template,
                }
            )
            yield LastNimTask(data, config.task)

    def _positions(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yields the id and the game of each position."""
        config = self.config
        if config.file is not None:
            yield from read_positions(config.file, config.split)
            return
        drawn = draw_positions(
            positions=config.positions,
            split=config.split,
            seats=config.seats,
            draw_piles=config.draw_piles,
            draw_counters=config.draw_counters,
            ending=config.ending,
            max_optimal_share=config.max_optimal_share,
            seed=config.seed,
        )
        for identity, game in drawn:
            yield identity, json.loads(game)


def read_positions(file: Path, split: Split) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the id and the game of each line of a dataset. ValueError names a line that has no position of this set; what the line itself
    says of its set is not believed."""
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                identity, found, game = parse_position(json.dumps(json.loads(line)["game"]))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{file}, line {number}: not a position of `lastnim oracle dataset`: {error!r}") from error
            if found != split:
                raise ValueError(
                    f'{file}, line {number}: the position {identity} is of the set "{found}", and the setting split is "{split}"'
                )
            yield identity, json.loads(game)
