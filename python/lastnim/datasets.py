"""The positions of `lastnim oracle dataset`, drawn or read from its files, without labels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from ._lastnim import draw_positions as draw_position_texts
from ._lastnim import parse_position
from .oracle import Ending

__all__ = ["Split", "draw_positions", "read_positions"]

Split = Literal["train", "benchmark"]
"""The set that a position belongs to."""


def draw_positions(
    *,
    positions: int = 1_000,
    split: Split = "train",
    seats: Sequence[int] = (2, 3, 4, 5),
    draw_piles: tuple[int, int] = (1, 5),
    draw_counters: tuple[int, int] = (1, 9),
    ending: Ending = "to_move_wins",
    max_optimal_share: float = 1.0,
    seed: int = 0,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the id and the game of each position. The same settings draw the same positions as in `lastnim oracle dataset`."""
    drawn = draw_position_texts(
        positions=positions,
        split=split,
        seats=seats,
        draw_piles=draw_piles,
        draw_counters=draw_counters,
        ending=ending,
        max_optimal_share=max_optimal_share,
        seed=seed,
    )
    for identity, game in drawn:
        yield identity, json.loads(game)


def read_positions(file: Path, split: Split) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the id and the game of each line of a dataset. ValueError names a line that has no position, or one of the other set."""
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                identity, found, game = parse_position(json.dumps(json.loads(line)["game"]))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{file}, line {number}: not a position of `lastnim oracle dataset`: {error!r}") from error
            if found != split:
                raise ValueError(
                    f'{file}, line {number}: the position {identity} is in the set "{found}", but split is "{split}"'
                )
            yield identity, json.loads(game)
