"""Which rows a seat had better declare, the others' rows given, and from which declarations nobody would part.

Games are given as in `lastnim.oracle`, with the true rows as `matrix`.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

from ._json import message_from_json
from .messages import CheckTruthResponse, FindBestDeclarationResponse, FindEquilibriaResponse
from .oracle import Ending, Matrix, answer, game_json

__all__ = ["best", "check_truth", "equilibria"]


def best(
    *,
    seat: int,
    piles: Iterable[int],
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    max_examples: int = 10,
    max_steps: int | None = None,
) -> FindBestDeclarationResponse:
    """Finds the rows with which a seat is best off, the others' rows given."""
    question = {
        "game": game_json(piles, matrix, players, first, ending),
        "seat": index(seat),
        "max_examples": index(max_examples),
    }
    return message_from_json(FindBestDeclarationResponse, answer("FindBestDeclaration", question, max_steps))


def check_truth(
    *,
    piles: Iterable[int],
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    max_steps: int | None = None,
) -> CheckTruthResponse:
    """Says whether it is a pure Nash equilibrium that all seats declare their true rows."""
    question = {"game": game_json(piles, matrix, players, first, ending)}
    return message_from_json(CheckTruthResponse, answer("CheckTruth", question, max_steps))


def equilibria(
    *,
    piles: Iterable[int],
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    max_examples: int = 10,
    max_steps: int | None = None,
) -> FindEquilibriaResponse:
    """Finds all pure Nash equilibria of the simultaneous declaration game, of at most 8 seats."""
    question = {
        "game": game_json(piles, matrix, players, first, ending),
        "max_examples": index(max_examples),
    }
    return message_from_json(FindEquilibriaResponse, answer("FindEquilibria", question, max_steps))
