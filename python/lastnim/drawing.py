"""SVG drawings for notebooks, without dependencies."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .match import Position
from .messages import Standing
from .records import Record

__all__ = ["position_svg", "record_html", "standings_html"]

# Maximum counters of a pile to draw one by one; a larger pile is drawn as one column.
MAX_DRAWN = 12
# Maximum number of piles to draw; if there are more, only the last ones are drawn, and the others are counted.
MAX_PILES = 24
STEP = 14
COLUMN = 34
PLAYED, RESTING, OUTLINE = "#1f6f8b", "#c3ccd1", "#8a979e"


def position_svg(position: Position) -> str:
    """Draws the piles as columns, the current one in another colour, with the seat to move."""
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
    """Shortens a number to fit under a pile."""
    return str(counters) if counters < 100_000 else f"{counters:.1e}"


def record_html(record: Record) -> str:
    """Draws the initial piles, and each take with the oracle's view of it."""
    setup, rows = record.setup, record.rows
    parts: list[str] = []
    if rows is not None:
        parts.append(position_svg(Position(setup.piles, setup.first, rows)))
    bots = ", ".join(f"{seat} {bot}" for seat, bot in enumerate(setup.bots))
    won = f"seat {record.winner} won" if record.winner is not None else "nobody won"
    parts.append(f"<p>{escape(bots)}: {escape(won)}</p>")
    cells = [
        (
            str(ply.ply),
            f"{ply.seat} {ply.bot}",
            f"{ply.take} of {ply.counters}",
            ply.optimal_takes,
            str(ply.regret),
        )
        for ply in record.plies
    ]
    parts.append(_table_html(("ply", "seat", "take", "optimal", "regret"), cells))
    return "".join(parts)


def standings_html(standings: Iterable[Standing]) -> str:
    """Draws standings as a table."""
    cells = [
        (
            str(line.place),
            line.bot,
            f"{line.points:g}",
            str(line.matches),
            str(line.wins),
            "" if line.accuracy is None else f"{100 * line.accuracy:.1f}%",
            "" if line.regret_per_match is None else f"{line.regret_per_match:.2f}",
            str(line.forfeits),
        )
        for line in standings
    ]
    return _table_html(("place", "bot", "points", "matches", "wins", "accuracy", "own errors", "forfeits"), cells)


def _table_html(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
