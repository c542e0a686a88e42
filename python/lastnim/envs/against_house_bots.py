"""Last Nim for Gymnasium: the learner plays one seat, house bots the others.

Importing this registers `lastnim/AgainstHouseBots-v0` for `gymnasium.make`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import gymnasium

from .._lastnim import GameInProgress, house_row
from .games import RENDER_MODES, Episode, GameSettings, check_render_mode, game_source, game_text
from .spaces import Observation, action_space, observation_space, seat_observation

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Unpack

__all__ = ["ENVIRONMENT_ID", "AgainstHouseBots"]

ENVIRONMENT_ID = "lastnim/AgainstHouseBots-v0"

MAX_DRAWS = 1_000
"""Maximum draws until a game reaches a turn of the learner."""


class AgainstHouseBots(gymnasium.Env[Observation, "np.int64"]):
    """The learner's seat of a game, with a house bot such as random, oracle or minimax-3 in each other seat.

    The opponents sit in order after the learner. `seat` is the learner's seat, drawn for each game by default. `labels` adds the
    oracle's labels to the infos. `render_mode` is `ansi` or `human`. The other arguments are those of `game_source`; the number of players
    is one more than the number of opponents.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        opponents: Sequence[str] = ("greedy", "random"),
        *,
        seat: int | None = None,
        labels: bool = False,
        render_mode: str | None = None,
        **settings: Unpack[GameSettings],
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        self.opponents = [opponents] if isinstance(opponents, str) else list(opponents)
        players = len(self.opponents) + 1
        if (given := settings.setdefault("players", players)) != players:
            raise ValueError(f"players: {given}: expected {players}, for {players - 1} opponents")
        self.source = game_source(**settings)
        if seat is not None and not 0 <= index(seat) < players:
            raise ValueError(f"seat: {seat}: expected 0 to {players - 1}")
        # Fails now if a house bot does not exist.
        self._house_rows = [house_row(bot, players) for bot in self.opponents]
        self._given_seat = seat
        self._labels = labels
        self._seat = 0
        self._house_seed = 0
        self._episode: Episode | None = None
        self.action_space = action_space(self.source)
        self.observation_space = observation_space(self.source)

    @property
    def game(self) -> GameInProgress:
        """The current game, with the oracle's answers about it."""
        return self._current().game

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return self._seat

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Draws a game, from the seed if given, and plays to the learner's first turn. There are no options."""
        super().reset(seed=seed)
        for _ in range(MAX_DRAWS):
            self._draw_game()
            if not self.game.is_over:
                self._show_to_human()
                return self._observation(), self._current().info(self._seat)
        raise ValueError(f"seat {self._seat} got no turn in {MAX_DRAWS} games: {game_text(self.game)}")

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Performs the learner's action, and plays to its next turn."""
        reward = self._current().act(index(action))
        self._play_opponents()
        reward += self.game.rewards()[self._seat]
        self._show_to_human()
        return self._observation(), reward, self.game.is_over, False, self._current().info(self._seat)

    def render(self) -> str | None:
        """Returns the game in a line in the mode `ansi`; in the mode `human` every step prints it."""
        return game_text(self.game) if self.render_mode == "ansi" else None

    def _current(self) -> Episode:
        if self._episode is None:
            raise ValueError("reset the environment first")
        return self._episode

    def _draw_game(self) -> None:
        players = len(self.opponents) + 1
        self._seat = int(self.np_random.integers(players)) if self._given_seat is None else self._given_seat
        self._house_seed = int(self.np_random.integers(2**63))
        declared: list[Sequence[int] | None] = [None] * players
        for place, row in enumerate(self._house_rows):
            declared[(self._seat + 1 + place) % players] = row
        seed = int(self.np_random.integers(2**63))
        self._episode = Episode(self.source, seed, labels=self._labels, declared=declared)
        self._play_opponents()

    def _play_opponents(self) -> None:
        game = self.game
        while not game.is_over and game.to_move != self._seat:
            opponent = self.opponents[(game.to_move - self._seat - 1) % len(game.rewards())]
            game.act(game.house_take(opponent, self._house_seed))

    def _observation(self) -> Observation:
        return seat_observation(self.game, self._seat)

    def _show_to_human(self) -> None:
        if self.render_mode == "human":
            print(game_text(self.game))


if ENVIRONMENT_ID not in gymnasium.registry:
    gymnasium.register(  # pyright: ignore[reportUnknownMemberType]
        id=ENVIRONMENT_ID, entry_point=f"{__name__}:AgainstHouseBots"
    )
