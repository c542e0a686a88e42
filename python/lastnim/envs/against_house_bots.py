"""Last Nim for Gymnasium: one seat, with house bots at the others.

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
"""How many games are drawn at most until one comes to a turn of the learner."""


class AgainstHouseBots(gymnasium.Env[Observation, "np.int64"]):
    """One seat of a game, with a house bot at each of the others, such as random, oracle or minimax-3.

    The first of the opponents sits behind the learner. `seat` is the learner's; if it is None each game draws it. `labels` says whether
    the infos hold the oracle's labels, `render_mode` is `ansi` or `human`. The other arguments are those of `game_source`, but that
    there are as many players as opponents and one.
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
            raise ValueError(f"players: {given}: with {players - 1} opponents there are {players}")
        self.source = game_source(**settings)
        if seat is not None and not 0 <= index(seat) < players:
            raise ValueError(f"seat: {seat}: there are the seats 0 to {players - 1}")
        # A name that no house bot has is refused now.
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
        """The game as it stands; it answers what the oracle says about it."""
        return self._current().game

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return self._seat

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Draws a game, from the seed if one is given, and plays to the learner's first turn. There are no options."""
        super().reset(seed=seed)
        for _ in range(MAX_DRAWS):
            self._draw_game()
            if not self.game.is_over:
                self._show_to_human()
                return self._observation(), self._current().info(self._seat)
        raise ValueError(f"no game came to a turn of seat {self._seat} in {MAX_DRAWS} draws: {game_text(self.game)}")

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Makes the learner's action, and plays to its next turn."""
        reward = self._current().act(index(action))
        self._play_opponents()
        reward += self.game.rewards()[self._seat]
        self._show_to_human()
        return self._observation(), reward, self.game.is_over, False, self._current().info(self._seat)

    def render(self) -> str | None:
        """Returns the game in a line if the render mode is `ansi`; in the mode `human` it is printed by every step."""
        return game_text(self.game) if self.render_mode == "ansi" else None

    def _current(self) -> Episode:
        if self._episode is None:
            raise ValueError("there is no game yet: reset the environment")
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
