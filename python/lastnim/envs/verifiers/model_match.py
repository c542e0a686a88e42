"""A match of a language model against house bots, question by question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ..._lastnim import HousePlayer, ModelQuestion
from ...match import Position

__all__ = ["AskedTake", "Memory", "ModelMatch", "PromptSettings", "Scoring", "Thinking"]

Scoring = Literal["win", "satisfaction"]
"""The scoring that prompts name: a point for a win, or points by the place of the winner in the own row."""

Memory = Literal["none", "match"]
"""Whether prompts repeat the model's own words in the match."""

Thinking = Literal["none", "before"]
"""Whether prompts ask the model to think in plain text before the JSON object."""

MODEL_NAME = "model"
"""The name of the model's bot in prompts."""

MAX_REMEMBERED_TAKES = 20
"""The maximum number of own takes that a prompt repeats, as in `lastnim bot run llm`."""


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


@dataclass(frozen=True)
class PromptSettings:
    """The settings of `lastnim bot run llm` that change prompts, with its defaults."""

    time_left: float = 600.0
    """The number of seconds for templates that name it."""
    template: str | None = None
    """The text of a template that replaces the built-in one."""
    prompt_version: int | None = None
    """The version of the built-in template; None for the latest."""
    memory: Memory = "match"
    """Whether prompts repeat the model's own words in the match."""
    blind: bool = False
    """Whether prompts hide the names of the bots."""
    think: Thinking = "none"
    """Whether the model thinks in plain text before the JSON object."""
    scoring: Scoring = "satisfaction"
    """The scoring that prompts name. The rewards are those of satisfaction."""


class ModelMatch:
    """A match in which the model is the seat to move, and house bots play the others.

    `game` is a game in JSON. The opponents sit in order after the model, and are repeated if there are more seats; the seed fixes their
    random takes. `prompts` are the settings of the prompts.
    """

    def __init__(
        self, game: dict[str, Any], opponents: Sequence[str], *, seed: int = 0, prompts: PromptSettings | None = None
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
        self._prompts = prompts or PromptSettings()
        self._said: list[tuple[int, int, str | None, float | None]] = []
        self.takes: list[int] = []

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self._position.seats

    def play(self, take: int) -> None:
        """Takes counters for the seat to move. Raises ValueError if the take is illegal."""
        self._position = self._position.after(take)
        self.takes.append(take)

    def answer(self, take: int, why: str | None = None, win_probability: float | None = None) -> None:
        """Takes counters for the model, whose later prompts repeat its words. Raises ValueError if the take is illegal."""
        ply = len(self.takes)
        self.play(take)
        self._said.append((ply, take, why, win_probability))

    def next_question(self) -> ModelQuestion | None:
        """Plays to the model's next turn and returns the question; None if the match is over."""
        while not self._position.is_over:
            opponent = self._opponents.get(self._position.seat)
            if opponent is None:
                prompts = self._prompts
                said = self._said[-MAX_REMEMBERED_TAKES:] if prompts.memory == "match" else []
                return ModelQuestion(self._game, self.takes, self._bots, prompts.time_left, {**asdict(prompts), "said": said})
            self.play(opponent.play(self._game, self.takes))
        return None
