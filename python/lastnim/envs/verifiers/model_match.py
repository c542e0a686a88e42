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
"""What the prompt calls the bot of the model."""


@dataclass
class AskedTake:
    """What a model made of one question."""

    ply: int
    """The number of the take, from 0."""
    position: str
    """The id of the position, as in a dataset."""
    regret: int
    """The ranks that the take costs the seat in its own row, 0 to n-1; n-1 if there is no take."""
    take: int | None = None
    """The take; none if the model gave none that can be used."""
    why: str | None = None
    """What the model says why."""
    win_probability: float | None = None
    """How likely it says the seat wins that its row wants most, 0 to 1."""
    failures: list[str] = field(default_factory=list[str])
    """The class of each reply that could not be used, such as `unparsable` or `illegal`, in order."""

    def to_json(self) -> dict[str, Any]:
        """Makes its JSON."""
        return asdict(self)


class ModelMatch:
    """A match from a position whose seat to move is the model's, with house bots at the others.

    `game` is a game in its JSON (docs/reference/json-and-http.md). The first of the opponents sits behind the model, and they are repeated where there are
    more seats; what they draw follows from the seed. `time_left` are the seconds that prompts name, `template` is the text of a template
    in place of the program's own.
    """

    def __init__(
        self, game: dict[str, Any], opponents: Sequence[str], *, seed: int = 0, time_left: float = 600.0, template: str | None = None
    ) -> None:
        if not opponents:
            raise ValueError("opponents: none is named: expected house bots such as oracle or greedy")
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
        """How many seats there are."""
        return self._position.seats

    def play(self, take: int) -> None:
        """Takes counters for the seat to move. ValueError if the rules do not allow it."""
        self._position = self._position.after(take)
        self.takes.append(take)

    def next_question(self) -> ModelQuestion | None:
        """Plays the opponents to the next turn of the model, and returns what it is asked; none if the match is over."""
        while not self._position.is_over:
            opponent = self._opponents.get(self._position.seat)
            if opponent is None:
                return ModelQuestion(self._game, self.takes, self._bots, self._time_left, self._template)
            self.play(opponent.play(self._game, self.takes))
        return None
