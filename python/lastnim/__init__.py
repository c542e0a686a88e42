"""lastnim: bots for a tournament server of multi-player Last Nim, its exact oracle, and the program itself.

The same as the program `lastnim` has, by the same names: `python -m lastnim` is the program.
"""

from __future__ import annotations

from . import declarations, messages
from ._lastnim import __version__
from .oracle import (
    Ending,
    Matrix,
    OracleStopped,
    PlayedGame,
    audit,
    explain,
    list_grundy_values,
    rationalise,
    robustness,
    solve,
    solve_game,
    tree,
)
from .positions import solve_many

__all__ = [
    "Ending",
    "Matrix",
    "OracleStopped",
    "PlayedGame",
    "__version__",
    "audit",
    "declarations",
    "explain",
    "list_grundy_values",
    "messages",
    "rationalise",
    "robustness",
    "solve",
    "solve_game",
    "solve_many",
    "tree",
]
