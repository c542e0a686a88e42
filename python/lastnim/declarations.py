"""Which rows are best for a seat to declare, and which declarations are equilibria.

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
    """Finds the best rows to declare for a seat, given the rows of the others."""
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
    """Checks whether declaring the true rows is a pure Nash equilibrium."""
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
    """Finds all pure Nash equilibria of the simultaneous declaration game, for at most 8 seats."""
    question = {
        "game": game_json(piles, matrix, players, first, ending),
        "max_examples": index(max_examples),
    }
    return message_from_json(FindEquilibriaResponse, answer("FindEquilibria", question, max_steps))
