"""Thousands of games that are stepped at once."""

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
    """What a step of all games led to; `n` is the number of seats."""

    observations: NDArray[np.int16]
    """What the seat to move of each game observes. Where a game has ended it is the first one of the next game."""
    rewards: NDArray[np.float32]
    """The reward of each game's seats, of shape (games, n): 0 to 1 in games that have ended, else 0."""
    terminated: NDArray[np.bool_]
    """Whether each game has ended by this step."""


class VectorGames:
    """Games of one source, all of which a step advances by one take of the seat to move. It needs numpy.

    >>> games = VectorGames(4096, players=3, seed=1)
    >>> step = games.step(games.draw_takes(seed=2))

    A game that ends is followed by the next one in the same step. What the games are follows from the seed alone. Arguments besides
    `count`, 1 to 1,048,576, and `seed`, 0 to 2^64 - 1, are those of `game_source`; rows cannot be declared.
    """

    def __init__(self, count: int, *, seed: int = 0, **settings: Unpack[GameSettings]) -> None:
        self.source = game_source(**settings)
        self.count = natural_number("count", count)
        self._games = GameVector(self.source, self.count, natural_number("seed", seed))

    def reset(self, seed: int | None = None) -> NDArray[np.int16]:
        """Starts every game anew, from a seed or by drawing the next ones, and returns the observations."""
        observations: NDArray[np.int16] = self._games.reset(None if seed is None else natural_number("seed", seed))
        return observations

    def step(self, actions: NDArray[np.integer[Any]]) -> GamesStep:
        """Makes a take in each game.

        A take that is not allowed raises a ValueError that names its game, and nothing is played.
        """
        return GamesStep(*self._games.step(_takes(actions)))

    def observations(self) -> NDArray[np.int16]:
        """Returns what the seat to move of each game observes."""
        observations: NDArray[np.int16] = self._games.observations()
        return observations

    def to_move(self) -> NDArray[np.uint8]:
        """Returns the seat to move in each game."""
        seats: NDArray[np.uint8] = self._games.to_move()
        return seats

    def counters(self) -> NDArray[np.int64]:
        """Returns the counters of the pile in play of each game; the takes that are allowed are 1 to that."""
        counters: NDArray[np.int64] = self._games.counters()
        return counters

    def action_masks(self) -> NDArray[np.int8]:
        """Returns, by game and action, 1 if the action is allowed and 0 otherwise."""
        masks: NDArray[np.int8] = self._games.action_masks()
        return masks

    def draw_takes(self, seed: int) -> NDArray[np.int64]:
        """Draws a take for each game, each one that is allowed equally likely."""
        takes: NDArray[np.int64] = self._games.draw_takes(natural_number("seed", seed))
        return takes

    def predicted_winners(self) -> NDArray[np.uint8]:
        """Returns the seat that wins each game under optimal play from here on."""
        winners: NDArray[np.uint8] = self._games.predicted_winners()
        return winners

    def optimal_takes(self) -> NDArray[np.uint16]:
        """Returns the optimal takes of each game, of shape (games, 2, 2): at most two ranges, each from its first take to its last.
        Zeros stand for a range that there is not."""
        ranges: NDArray[np.uint16] = self._games.optimal_takes()
        return ranges.reshape(self.count, 2, 2)

    def regrets(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        """Returns the ranks, 0 to n-1, that each seat to move would lose by its take. Nothing is played."""
        regrets: NDArray[np.uint8] = self._games.regrets(_takes(actions))
        return regrets


def _takes(actions: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    import numpy as np

    array = np.asarray(actions)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"actions: an array of {array.dtype} of {array.ndim} dimensions: expected integers of 1"
        )
    # A number that does not fit becomes a negative one, which is refused.
    return np.ascontiguousarray(array, dtype=np.int64)
