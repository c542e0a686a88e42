"""Thousands of games, stepped at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._lastnim import VectorGames as GameVector
from .games import GameSettings, game_source, natural_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

__all__ = ["GamesStep", "VectorGames"]


class GamesStep(NamedTuple):
    """The result of a step; `n` is the number of seats."""

    observations: NDArray[np.int16]
    """The observation of the seat to move in each game. Where a game has ended it belongs to the next game."""
    rewards: NDArray[np.float32]
    """The reward of each game's seats, of shape (games, n): 0 to 1 in games that have ended, else 0."""
    terminated: NDArray[np.bool_]
    """Whether each game ended in this step."""


class VectorGames:
    """Games of one source. A step makes one take in each game. Requires numpy.

    >>> games = VectorGames(4096, players=3, seed=1)
    >>> step = games.step(games.draw_takes(seed=2))

    A game that ends is replaced by the next one in the same step. The seed determines all games. `count` is 1 to 1,048,576, `seed` 0 to
    2^64 - 1; the other arguments are those of `game_source`, except that rows cannot be declared.
    """

    def __init__(self, count: int, *, seed: int = 0, **settings: Unpack[GameSettings]) -> None:
        self.source = game_source(**settings)
        self.count = natural_number("count", count)
        self._games = GameVector(self.source, self.count, natural_number("seed", seed))

    def reset(self, seed: int | None = None) -> NDArray[np.int16]:
        """Restarts every game, from a seed or with the next draws, and returns the observations."""
        observations: NDArray[np.int16] = self._games.reset(None if seed is None else natural_number("seed", seed))
        return observations

    def step(self, actions: NDArray[np.integer[Any]]) -> GamesStep:
        """Makes a take in each game.\n\nAn illegal take raises a ValueError that names its game, and no game changes."""
        return GamesStep(*self._games.step(_takes(actions)))

    def observations(self) -> NDArray[np.int16]:
        """Returns the observation of the seat to move in each game."""
        observations: NDArray[np.int16] = self._games.observations()
        return observations

    def to_move(self) -> NDArray[np.uint8]:
        """Returns the seat to move in each game."""
        seats: NDArray[np.uint8] = self._games.to_move()
        return seats

    def counters(self) -> NDArray[np.int64]:
        """Returns the counters in the last nonempty pile of each game, which is the largest legal take."""
        counters: NDArray[np.int64] = self._games.counters()
        return counters

    def action_masks(self) -> NDArray[np.int8]:
        """Returns 1 for each legal action of each game, and 0 for others."""
        masks: NDArray[np.int8] = self._games.action_masks()
        return masks

    def draw_takes(self, seed: int) -> NDArray[np.int64]:
        """Draws a uniformly random legal take for each game."""
        takes: NDArray[np.int64] = self._games.draw_takes(natural_number("seed", seed))
        return takes

    def predicted_winners(self) -> NDArray[np.uint8]:
        """Returns the winner of each game under optimal play from here on."""
        winners: NDArray[np.uint8] = self._games.predicted_winners()
        return winners

    def optimal_takes(self) -> NDArray[np.uint16]:
        """Returns the optimal takes of each game, of shape (games, 2, 2): two ranges, both ends included. A missing second range is zeros."""
        ranges: NDArray[np.uint16] = self._games.optimal_takes()
        return ranges.reshape(self.count, 2, 2)

    def regrets(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        """Returns the ranks, 0 to n-1, that a take would cost the seat to move in each game. The games do not change."""
        regrets: NDArray[np.uint8] = self._games.regrets(_takes(actions))
        return regrets


def _takes(actions: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    import numpy as np

    array = np.asarray(actions)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"actions: an array of {array.dtype} with {array.ndim} dimensions: expected integers with 1"
        )
    # Numbers too large become negative, and are refused.
    return np.ascontiguousarray(array, dtype=np.int64)
