"""Drawings for notebooks, as SVG that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .match import Position

__all__ = ["position_svg"]

# Counters of a pile that are drawn one by one; of more, the number stands in the middle.
MAX_DRAWN = 12
# Piles that are drawn; of more, those before the last ones are counted.
MAX_PILES = 24
STEP = 14
COLUMN = 34
PLAYED, RESTING, OUTLINE = "#1f6f8b", "#c3ccd1", "#8a979e"


def position_svg(position: Position) -> str:
    """Draws the piles as columns, the one in play in another colour, and says who is to move."""
    left_out = max(0, position.pile + 1 - MAX_PILES)
    piles = position.piles[left_out:]
    height = STEP * (MAX_DRAWN + 1) + 40
    width = COLUMN * len(piles) + 20
    floor = height - 40
    parts = [_pile_svg(10 + COLUMN * index, floor, counters, left_out + index == position.pile) for index, counters in enumerate(piles)]
    if position.is_over:
        words = "no counter is left"
    else:
        words = f"seat {position.seat} of {position.seats} to move, ply {position.ply}"
    if left_out:
        words += f", {left_out} piles before these"
    caption = f'<text x="10" y="{height - 6}" font-size="12" fill="currentColor">{escape(words)}</text>'
    width = max(width, 8 * len(words))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{escape(words)}" '
        f'font-family="sans-serif">{"".join(parts)}{caption}</svg>'
    )


def _pile_svg(x: int, floor: int, counters: int, is_in_play: bool) -> str:
    colour = PLAYED if is_in_play and counters else RESTING
    label = f'<text x="{x + 13}" y="{floor + 16}" font-size="11" text-anchor="middle" fill="currentColor">{_short(counters)}</text>'
    if counters > MAX_DRAWN:
        top = floor - STEP * MAX_DRAWN
        column = f'<rect x="{x}" y="{top}" width="26" height="{STEP * MAX_DRAWN}" rx="4" fill="{colour}"/>'
        return column + label
    disks = "".join(
        f'<rect x="{x}" y="{floor - STEP * (number + 1)}" width="26" height="{STEP - 3}" rx="4" fill="{colour}"/>'
        for number in range(counters)
    )
    ground = f'<line x1="{x}" y1="{floor}" x2="{x + 26}" y2="{floor}" stroke="{OUTLINE}"/>'
    return disks + ground + label


def _short(counters: int) -> str:
    """Writes a number as it fits under a pile."""
    return str(counters) if counters < 100_000 else f"{counters:.1e}"
