"""Actions and observations as Gymnasium spaces."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray

from .._lastnim import GameInProgress, GameSource

__all__ = ["Observation", "action_space", "observation_space", "seat_observation"]

Observation = dict[str, NDArray[Any]]
"""The observation of a seat: numbers at `observation`, and the legal actions at `action_mask`."""


def action_space(source: GameSource) -> Discrete[np.int64]:
    """Returns the actions: a number of counters to take, or an offset to declare."""
    return Discrete(source.action_count)


def observation_space(source: GameSource) -> Space[Observation]:
    """Returns a seat's observation space."""
    low = np.array(source.observation_low, dtype=np.int16)
    high = np.array(source.observation_high, dtype=np.int16)
    mask = Box(low=0, high=1, shape=(source.action_count,), dtype=np.int8)
    spaces = Dict({"observation": Box(low=low, high=high, dtype=np.int16), "action_mask": mask})
    return cast("Space[Observation]", spaces)


def seat_observation(game: GameInProgress, seat: int) -> Observation:
    """Returns a seat's observation."""
    return {"observation": game.observation(seat), "action_mask": game.action_mask(seat)}
