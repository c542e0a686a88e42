"""A match of a language model against house bots, question by question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..._lastnim import HousePlayer, ModelQuestion
from ...match import Position

__all__ = ["AskedTake", "ModelMatch"]

MODEL_NAME = "model"
"""The name of the model's bot in prompts."""


@dataclass
class AskedTake:
    """The model's answer to one question."""

    ply: int
    """The number of the take, from 0."""
    position: str
    """The id of the position, as in datasets."""
    regret: int
    """The ranks that the take costs the seat in its own row, 0 to n-1; n-1 if there is no take."""
    take: int | None = None
    """The take; None without a usable reply."""
    why: str | None = None
    """The model's reason."""
    win_probability: float | None = None
    """The model's probability, 0 to 1, that the seat its row prefers most wins."""
    failures: list[str] = field(default_factory=list[str])
    """The class of each unusable reply, such as `unparsable` or `illegal`, in order."""

    def to_json(self) -> dict[str, Any]:
        """Converts it to JSON."""
        return asdict(self)


class ModelMatch:
    """A match in which the model is the seat to move, and house bots play the others.

    `game` is a game in JSON. The opponents sit in order after the model, and are repeated if there are more seats; the seed fixes their
    random takes. `time_left` is the number of seconds in prompts. `template` replaces the built-in template.
    """

    def __init__(
        self, game: dict[str, Any], opponents: Sequence[str], *, seed: int = 0, time_left: float = 600.0, template: str | None = None
    ) -> None:
        if not opponents:
            raise ValueError("opponents: empty: expected house bots such as oracle or greedy")
        rows = tuple(tuple(row["offsets"]) for row in game["alliance_matrix"]["rows"])
        seats, self.seat = len(rows), int(game["first"])
        self._game = json.dumps(game)
        self._position = Position(tuple(game["piles"]), self.seat, rows, game["ending"])
        self._opponents = {
            (self.seat + 1 + place) % seats: HousePlayer(opponents[place % len(opponents)], seed + place) for place in range(seats - 1)
        }
        self._bots = [MODEL_NAME if seat == self.seat else f"opponent-{(seat - self.seat) % seats}" for seat in range(seats)]
        self._time_left, self._template = time_left, template
        self.takes: list[int] = []

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self._position.seats

    def play(self, take: int) -> None:
        """Takes counters for the seat to move. Raises ValueError if the take is illegal."""
        self._position = self._position.after(take)
        self.takes.append(take)

    def next_question(self) -> ModelQuestion | None:
        """Plays to the model's next turn and returns the question; None if the match is over."""
        while not self._position.is_over:
            opponent = self._opponents.get(self._position.seat)
            if opponent is None:
                return ModelQuestion(self._game, self.takes, self._bots, self._time_left, self._template)
            self.play(opponent.play(self._game, self.takes))
        return None
