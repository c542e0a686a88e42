"""The source of an environment's games, and one game with the rules that all environments share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, Literal, TypeAlias, TypedDict

from .._lastnim import GameInProgress, GameSource
from ..oracle import Ending, Matrix

__all__ = [
    "ILLEGAL_REWARD",
    "RENDER_MODES",
    "Episode",
    "GameSettings",
    "RowSource",
    "check_render_mode",
    "game_source",
    "game_text",
    "natural_number",
]

RowSource: TypeAlias = Literal["standard", "random", "declared"] | Matrix
"""Where rows come from: all standard, drawn for each game, declared by the seats before the first take, or given."""

ILLEGAL_REWARD = -1.0
"""The penalty for an illegal action, which is replaced by the lowest legal one."""

RENDER_MODES = ("ansi", "human")
"""How to show a game: returned as a line of text, or printed after each action."""


class GameSettings(TypedDict, total=False):
    """The arguments of `game_source`, which every environment has."""

    players: int
    piles: Iterable[int] | None
    pile_count: int
    largest_pile: int
    rows: RowSource
    first: int
    ending: Ending


def game_source(
    *,
    players: int = 3,
    piles: Iterable[int] | None = None,
    pile_count: int = 12,
    largest_pile: int = 9,
    rows: RowSource = "standard",
    first: int = 0,
    ending: Ending = "to_move_wins",
) -> GameSource:
    """Returns a source of games.

    `players` is the number of seats, 2 to 32. `piles` are the piles of every game; without them each game draws `pile_count` piles (1 to
    1,024) of 1 to `largest_pile` counters. Piles have at most 1,023 counters. `first` is the seat that moves first.
    """
    return GameSource(
        players=natural_number("players", players),
        piles=None if piles is None else [natural_number("piles", counters) for counters in piles],
        pile_count=natural_number("pile_count", pile_count),
        largest_pile=natural_number("largest_pile", largest_pile),
        rows=rows if isinstance(rows, str) else [[natural_number("rows", offset) for offset in row] for row in rows],
        first=natural_number("first", first),
        ending=ending,
    )


def natural_number(name: str, value: int) -> int:
    """Checks that an integer is a 64-bit unsigned integer."""
    number = index(value)
    if not 0 <= number < 2**64:
        raise ValueError(f"{name}: {number}: expected an integer of 0 to 2^64 - 1")
    return number


def game_text(game: GameInProgress) -> str:
    """Shows a game in a line."""
    piles = ",".join(map(str, game.piles))
    if game.winner is not None:
        return f"piles {piles}: seat {game.winner} has won"
    if game.is_declaring:
        return f"piles {piles}: seat {game.to_move} declares"
    rows = "; ".join(" ".join(map(str, row)) for row in game.rows or ())
    return f"piles {piles}: seat {game.to_move} to move; rows {rows}"


def check_render_mode(render_mode: str | None) -> str | None:
    """Checks the render mode."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode: {render_mode!r}: expected one of {', '.join(RENDER_MODES)}, or None")
    return render_mode


class Episode:
    """A game from start to end, which replaces illegal actions and adds the oracle's labels if requested."""

    def __init__(
        self, source: GameSource, seed: int, *, labels: bool, declared: Sequence[Sequence[int] | None] | None = None
    ) -> None:
        self.game = source.draw_game(seed, declared)
        self._highest_action = source.action_count - 1
        self._labels = labels
        self._regrets: dict[int, int] = {}

    def act(self, action: int) -> float:
        """Performs an action of the seat to move, or the lowest legal one if it is illegal. Returns the penalty."""
        if self.game.is_over:
            raise ValueError(f"action {action}: the game is over: reset the environment")
        allowed = 0 <= action <= self._highest_action and self.game.allows(action)
        if not allowed:
            action = self.game.legal_actions()[0]
        if self._labels and not self.game.is_declaring:
            self._regrets[self.game.to_move] = self.game.regret(action)
        self.game.act(action)
        return 0.0 if allowed else ILLEGAL_REWARD

    def info(self, seat: int) -> dict[str, Any]:
        """Returns the labels for a seat, by the keys in docs/reference/environments.md; empty if labels were not requested."""
        if not self._labels or self.game.is_declaring:
            return {}
        info: dict[str, Any] = {"predicted_winner": self.game.predicted_winner()}
        if seat == self.game.to_move:
            info["optimal_takes"] = self.game.optimal_takes()
        if seat in self._regrets:
            info["regret"] = self._regrets[seat]
        return info
