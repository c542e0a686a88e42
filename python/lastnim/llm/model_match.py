"""A match of language models and house bots, question by question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from .._lastnim import HousePlayer, ModelQuestion, ModelReply
from ..match import Position
from .questions import Game, PromptSettings, ask_row, ask_take

__all__ = ["RIVAL", "ModelMatch", "RowMode"]

RIVAL = "rival"
"""The name of an opponent that is a second model, not a house bot."""

RowMode = Literal["assigned", "declared"]
"""Whether the rows of the game are assigned, or each seat declares its own."""

MODEL_NAME = "model"
"""The name of the first model's bot in prompts."""


class ModelMatch:
    """A match in which models and house bots play, from a game in JSON.

    The model is the seat to move. The opponents, house bots or `rival`, sit in order after it, and are repeated if there are more seats. The
    seed fixes the random takes of house bots. With declared rows, the game's own rows only show how many seats it has. `prompts` are
    the settings of the prompts.
    """

    def __init__(
        self,
        game: Game,
        opponents: Sequence[str],
        *,
        seed: int = 0,
        rows: RowMode = "assigned",
        prompts: PromptSettings | None = None,
    ) -> None:
        if not opponents:
            raise ValueError("opponents: empty: expected house bots such as oracle or greedy, or rival")
        if rows not in ("assigned", "declared"):
            raise ValueError(f"rows: {rows!r}: expected assigned or declared")
        given = game["alliance_matrix"]["rows"]
        self.seats = len(given)
        """The number of seats."""
        self.seat = int(game["first"])
        """The seat of the model, which moves first."""
        self.takes: list[int] = []
        """The takes so far."""
        self._game = dict(game)
        self._is_assigned = rows == "assigned"
        self._prompts = prompts or PromptSettings()
        self._names = {self.seat: MODEL_NAME}
        self._house: dict[int, HousePlayer] = {}
        for place in range(self.seats - 1):
            seat, opponent = (self.seat + 1 + place) % self.seats, opponents[place % len(opponents)]
            self._names[seat] = f"opponent-{place + 1}"
            if opponent != RIVAL:
                self._house[seat] = HousePlayer(opponent, seed + place)
        self._said: dict[int, list[ModelReply]] = {seat: [] for seat in range(self.seats) if seat not in self._house}
        self._rows: dict[int, list[int]]
        if self._is_assigned:
            self._rows = {seat: row["offsets"] for seat, row in enumerate(given)}
        else:
            self._rows = {seat: bot.declare(json.dumps({**game, "first": seat})) for seat, bot in self._house.items()}
        self._position: Position | None = None
        self._begin_play()

    @property
    def model_seats(self) -> list[int]:
        """The seats of models, in order from the seat that moves first."""
        return sorted(self._said, key=lambda seat: (seat - self.seat) % self.seats)

    @property
    def winner(self) -> int | None:
        """The seat that has won; None until no counter is left."""
        position = self._position
        return position.solve().winner if position is not None and position.is_over else None

    def satisfactions(self) -> dict[int, float]:
        """Returns each seat's satisfaction: 1 if its row prefers the winner most, to 0 if least. Raises ValueError before the end."""
        position, winner = self._position, self.winner
        if position is None or winner is None:
            raise ValueError("the match is not over")
        ranks = {seat: row.index((winner - seat) % self.seats) for seat, row in enumerate(position.rows)}
        return {seat: 1 - rank / (self.seats - 1) for seat, rank in ranks.items()}

    def play(self, take: int) -> None:
        """Takes counters for the seat to move. Raises ValueError if the take is illegal, or rows are missing."""
        if self._position is None:
            raise ValueError(f"take {take}: not all rows are declared")
        self._position = self._position.after(take)
        self.takes.append(take)

    def answer(self, question: ModelQuestion, reply: ModelReply) -> None:
        """Plays a model's usable reply to the latest question. Its later prompts repeat its words."""
        if reply.take is not None:
            self.play(reply.take)
        elif reply.row is not None:
            self._rows[question.seat] = reply.row
            self._begin_play()
        else:
            raise ValueError(f"the reply is unusable: {reply.detail}")
        self._said[question.seat].append(reply)

    def next_question(self) -> ModelQuestion | None:
        """Plays to the next question of a model and returns it; None if the match is over."""
        bots = [self._names[seat] for seat in range(self.seats)]
        for seat in self.model_seats:
            if seat not in self._rows:
                return ask_row(self._game, seat, bots=bots, prompts=self._prompts)
        while self._position is not None and not self._position.is_over:
            seat = self._position.seat
            if seat in self._said:
                return ask_take(
                    self._game,
                    self.takes,
                    rows_are_assigned=self._is_assigned,
                    bots=bots,
                    prompts=self._prompts,
                    said=self._said[seat],
                )
            self.play(self._house[seat].play(json.dumps(self._game), self.takes))
        return None

    def _begin_play(self) -> None:
        """Begins play if all rows are known."""
        if len(self._rows) < self.seats:
            return
        rows = tuple(tuple(self._rows[seat]) for seat in range(self.seats))
        self._game["alliance_matrix"] = {"rows": [{"offsets": list(row)} for row in rows]}
        self._position = Position(tuple(self._game["piles"]), self.seat, rows, self._game["ending"])
