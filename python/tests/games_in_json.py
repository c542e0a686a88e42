"""Games in JSON, for tests."""

from __future__ import annotations

from typing import Any

THREE_ROWS = [[0, 2, 1], [0, 1, 2], [0, 2, 1]]


def game_of(piles: list[int], rows: list[list[int]], first: int = 0) -> dict[str, Any]:
    """Writes a game as JSON."""
    matrix = {"rows": [{"offsets": row} for row in rows]}
    return {"piles": piles, "alliance_matrix": matrix, "first": first, "ending": "to_move_wins"}
