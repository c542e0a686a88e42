"""Many positions at once, in numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from ._lastnim import solve_positions
from .oracle import Ending, Matrix, matrix_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["solve_many"]


def solve_many(
    piles: NDArray[np.integer[Any]] | Sequence[Sequence[int]],
    *,
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int | NDArray[np.integer[Any]] | None = 0,
    ending: Ending = "to_move_wins",
) -> NDArray[np.uint8]:
    """Returns an array with the winner of each position, which is a row of `piles`. Requires numpy.

    `first` is the seat to move, in all positions or in each; with None, the result has a row per position and a column per first seat.
    Empty piles are ignored, so that positions may have different numbers of piles. Arrays of 64-bit integers in C order are read in place,
    others are copied. Other threads may run during the computation.
    """
    import numpy as np

    rows = matrix_rows(matrix, players)
    counters = _unsigned_64("piles", np.asarray(piles), 2)
    movers: Any = None if first is None else first
    if isinstance(first, np.ndarray):
        movers = _seats_of_array(first, len(rows))
    elif first is not None:
        movers = index(first)
        if movers < 0:
            raise ValueError(f"first: {movers}: expected 0 to {len(rows) - 1}")
    winners: NDArray[np.uint8] = solve_positions(counters, rows, ending, movers)
    return winners.reshape(len(counters), len(rows)) if first is None else winners


def _unsigned_64(name: str, array: NDArray[Any], dimensions: int) -> NDArray[np.uint64]:
    """Returns the array as 64-bit unsigned integers in C order, without a copy if possible."""
    import numpy as np

    if array.ndim != dimensions or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name}: an array of {array.dtype} with {array.ndim} dimensions: expected integers with {dimensions}"
        )
    if array.dtype == np.int64:
        # Negative numbers wrap to huge ones.
        array = array.view(np.uint64) if array.flags.c_contiguous else np.ascontiguousarray(array).view(np.uint64)
    elif array.dtype != np.uint64 and array.dtype.kind == "i":
        array = array.astype(np.int64).view(np.uint64)
    return np.ascontiguousarray(array, dtype=np.uint64)


def _seats_of_array(first: NDArray[Any], seats: int) -> NDArray[np.uint8]:
    import numpy as np

    if first.ndim != 1 or first.dtype.kind not in "iu":
        raise ValueError(f"first: an array of {first.dtype} with {first.ndim} dimensions: expected integers with 1")
    wrong = np.flatnonzero((first < 0) | (first >= seats))
    if wrong.size:
        raise ValueError(f"first[{wrong[0]}]: {first[wrong[0]]}: expected 0 to {seats - 1}")
    return np.ascontiguousarray(first, dtype=np.uint8)
