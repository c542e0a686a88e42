"""The exact oracle: who wins under optimal play, and what every take is worth.

All functions take a game by keywords: `piles`, the counters of each pile, where takes are from the last nonempty one; `matrix`, a row of
offsets per seat, the most preferred winner first (without it, `players` is the number of seats with standard rows); `first`, the seat to
move, 0..n-1; `ending`, who wins when no counter is left. A ValueError names mistakes in a game.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Literal

from ._json import message_from_json
from ._lastnim import OracleStopped, answer_question
from .messages import (
    AssessRobustnessResponse,
    Audit,
    BuildTreeResponse,
    ExplainResponse,
    ListGrundyValuesResponse,
    RationaliseResponse,
    SolveResponse,
    SolveRulesetResponse,
    SolveVariantResponse,
)

__all__ = [
    "Ending",
    "Matrix",
    "OracleStopped",
    "PlayedGame",
    "TiedMatrix",
    "audit",
    "explain",
    "list_grundy_values",
    "rationalise",
    "robustness",
    "solve",
    "solve_game",
    "solve_variant",
    "tree",
]

Ending = Literal["to_move_wins", "last_mover_wins"]
Matrix = Sequence[Sequence[int]]
TiedMatrix = Sequence[Sequence[Sequence[int]]]

UNBOUNDED = 2**64 - 1


def answer(method: str, question: dict[str, Any], max_steps: int | None = None) -> Any:
    """Answers a request to a method of the oracle's service. The question and the answer are the JSON of its messages."""
    steps = UNBOUNDED if max_steps is None else index(max_steps)
    return json.loads(answer_question(method, json.dumps(question), steps))


def standard_matrix(players: int) -> list[list[int]]:
    """Returns standard rows: each seat prefers itself, then the next, and so on."""
    return [list(range(players)) for _ in range(players)]


def matrix_rows(matrix: Matrix | None, players: int | None) -> list[list[int]]:
    """Returns the rows as lists of plain integers."""
    if matrix is None:
        if players is None:
            raise ValueError("matrix: expected rows, or players=N for standard rows")
        if not 2 <= index(players) <= 32:
            raise ValueError(f"players: {players}: a game has 2 to 32 seats")
        return standard_matrix(index(players))
    if players is not None and len(matrix) != players:
        raise ValueError(f"players: {players}, but matrix has {len(matrix)} rows")
    return [[index(offset) for offset in row] for row in matrix]


def game_json(
    piles: Iterable[int], matrix: Matrix | None, players: int | None, first: int, ending: Ending | None
) -> dict[str, Any]:
    """Writes a game as JSON."""
    return {
        "piles": [index(counters) for counters in piles],
        "alliance_matrix": {"rows": [{"offsets": row} for row in matrix_rows(matrix, players)]},
        "first": index(first),
        "ending": ending or "unspecified",
    }


def solve(
    *,
    piles: Iterable[int],
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
) -> SolveResponse:
    """Solves a game: its winner, and the takes that are optimal for the seat to move.

    >>> solve(piles=[1, 2, 2], matrix=[[0, 2, 1], [0, 1, 2], [0, 2, 1]]).winner
    2
    """
    return message_from_json(SolveResponse, answer("Solve", {"game": game_json(piles, matrix, players, first, ending)}))


def solve_variant(
    *,
    piles: Iterable[int],
    ties: TiedMatrix | None = None,
    passes: int | None = None,
    alliance: Iterable[int] | None = None,
    random_seats: Iterable[int] | None = None,
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    max_steps: int | None = None,
) -> SolveVariantResponse:
    """Solves a variant of Last Nim; the field of the answer that is not None has the solution.

    Give one of: `ties`, rows as lists of groups of tied offsets; `passes`, a number of passes that all seats share; `alliance`, the seats
    of one of two alliances, with `players`; `random_seats`, the seats that move at random while the others allow for it.

    >>> tied = solve_variant(piles=[3, 4], ties=[[[0], [1, 2]]] * 3).ties
    """
    variants = {"ties": ties, "passes": passes, "alliance": alliance, "random_seats": random_seats}
    given = [name for name, value in variants.items() if value is not None]
    if len(given) != 1:
        raise ValueError(f"{', '.join(given) or 'no variant'}: expected one of ties, passes, alliance and random_seats")
    if matrix is not None and (ties is not None or alliance is not None):
        raise ValueError(f"matrix: {given[0]} says what the seats want: leave matrix out")
    variant: dict[str, Any]
    if ties is not None:
        if players is not None and len(ties) != players:
            raise ValueError(f"players: {players}, but ties has {len(ties)} rows")
        rows = [{"groups": [{"offsets": [index(offset) for offset in group]} for group in row]} for row in ties]
        variant = {"ties": {"rows": rows}}
    elif alliance is not None:
        seats = len(matrix_rows(None, players))
        variant = {"alliances": {"seats": seats, "alliance": [index(seat) for seat in alliance]}}
    else:
        terms: dict[str, Any] = {"alliance_matrix": {"rows": [{"offsets": row} for row in matrix_rows(matrix, players)]}}
        if passes is not None:
            variant = {"passes": {**terms, "passes": index(passes)}}
        else:
            variant = {"random_seats": {**terms, "seats": [index(seat) for seat in random_seats or ()]}}
    question = {
        "piles": [index(counters) for counters in piles],
        "first": index(first),
        "ending": ending,
        **variant,
    }
    return message_from_json(SolveVariantResponse, answer("SolveVariant", question, max_steps))


def explain(
    *,
    piles: Iterable[int],
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    max_plies: int = 100,
) -> ExplainResponse:
    """Explains why a seat wins: the result of each take, who would gain or lose by it, and a line of best play of at most `max_plies`
    plies, 1 to 1,024."""
    question = {"game": game_json(piles, matrix, players, first, ending), "max_plies": index(max_plies)}
    return message_from_json(ExplainResponse, answer("Explain", question))


def tree(
    *,
    piles: Iterable[int],
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    form: Literal["tree", "graph"] = "tree",
    depth: int | None = None,
    max_steps: int | None = None,
) -> BuildTreeResponse:
    """Returns all possible play as a tree of at most `depth` takes, or as the graph of its states, with at most 32,768 nodes."""
    question = {"game": game_json(piles, matrix, players, first, ending), "form": form, "depth": depth}
    return message_from_json(BuildTreeResponse, answer("BuildTree", question, max_steps))


def audit(
    *,
    piles: Iterable[int],
    takes: Iterable[int],
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
) -> Audit:
    """Compares a finished game with optimal play: who erred, and who paid for it."""
    question = {
        "game": game_json(piles, matrix, players, first, ending),
        "takes": [index(take) for take in takes],
    }
    return message_from_json(Audit, answer("Audit", question)["audit"])


def robustness(
    *,
    piles: Iterable[int],
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending = "to_move_wins",
    max_coalition: int = 3,
    error_rate: float | None = None,
    max_steps: int | None = None,
) -> AssessRobustnessResponse:
    """Says how safe the winner under optimal play is: what each seat can ensure against all others together, the smallest coalition (of up
    to `max_coalition` seats) that can worsen its rank, and its prospects if takes are errors at `error_rate`, 0..1."""
    question = {
        "game": game_json(piles, matrix, players, first, ending),
        "max_coalition": index(max_coalition),
        "error_rate": error_rate,
    }
    return message_from_json(AssessRobustnessResponse, answer("AssessRobustness", question, max_steps))


@dataclass(frozen=True)
class PlayedGame:
    """A game from the view of one seat, with the declared rows. It need not be over."""

    piles: Sequence[int]
    takes: Sequence[int]
    seat: int
    """The seat in question, 0..n-1."""
    matrix: Matrix | None = None
    players: int | None = None
    first: int = 0
    ending: Ending = "to_move_wins"
    steward_plies: Sequence[int] = ()
    """The plies of the steward's takes for forfeited seats, which need no explanation."""
    name: str = ""
    """A name for the game in results, such as a match id, of at most 256 bytes."""


def rationalise(
    games: Iterable[PlayedGame],
    *,
    reading: Literal["common_knowledge", "declared_believed"] = "common_knowledge",
    max_examples: int = 10,
    max_steps: int | None = None,
) -> RationaliseResponse:
    """Finds the rows under which every take of a player was optimal in 1 to 4,096 games with the same number of seats, or a contradiction."""
    played = [
        {
            "game": game_json(game.piles, game.matrix, game.players, game.first, game.ending),
            "seat": index(game.seat),
            "takes": [index(take) for take in game.takes],
            "steward_plies": [index(ply) for ply in game.steward_plies],
            "name": game.name,
        }
        for game in games
    ]
    question = {"games": played, "reading": reading, "max_examples": index(max_examples)}
    return message_from_json(RationaliseResponse, answer("Rationalise", question, max_steps))


def solve_game(
    game: str,
    *,
    piles: Iterable[int] = (),
    matrix: Matrix | None = None,
    players: int | None = None,
    first: int = 0,
    ending: Ending | None = None,
    allowed: Iterable[int] = (),
    max_take: int | None = None,
    window: int | None = None,
    most: int | None = None,
    edges: Iterable[tuple[int, int, int]] = (),
    vertex: int | None = None,
    explain: bool = False,
    max_coalition: int | None = None,
    max_steps: int | None = None,
) -> SolveRulesetResponse:
    """Solves a game with other rules, such as `nim`, `kayles`, `subtraction` or `graph-nim`, for any seats and rows.

    Each game uses some of the numbers and refuses the others. Subtraction: `allowed` takes, or all up to `max_take`. Circular-nim:
    `window`, the number of adjacent piles that a move may touch. Fibonacci-nim: `most`, the maximum of the next take. Graph-nim: `edges`
    (from, to, weight) and the `vertex` of the token. `ending` defaults to the game's usual one. `explain` adds options to the parts of the
    Grundy value. `max_coalition` adds how safe the winner is, with coalitions of up to this size (0 means 3).
    """
    terms = game_json(piles, matrix, players, first, ending)
    question = {
        **terms,
        "ruleset": game,
        "set": [index(take) for take in allowed],
        "max": max_take,
        "window": window,
        "most": most,
        "edges": [dict(zip(("from", "to", "weight"), map(index, edge), strict=True)) for edge in edges],
        "vertex": vertex,
        "explain": explain,
        "max_coalition": None if max_coalition is None else index(max_coalition),
    }
    return message_from_json(SolveRulesetResponse, answer("SolveRuleset", question, max_steps))


def list_grundy_values(
    game: str,
    *,
    to: int,
    allowed: Iterable[int] = (),
    max_take: int | None = None,
    max_steps: int | None = None,
) -> ListGrundyValuesResponse:
    """Lists the Grundy values of a game's piles of 0 to `to` counters, with a period if one is proved."""
    question = {"ruleset": game, "set": [index(take) for take in allowed], "max": max_take, "to": index(to)}
    return message_from_json(ListGrundyValuesResponse, answer("ListGrundyValues", question, max_steps))
