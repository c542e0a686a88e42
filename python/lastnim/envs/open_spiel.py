"""Last Nim for OpenSpiel: importing this registers the game `last_nim`.

>>> import lastnim.envs.open_spiel, pyspiel
>>> game = pyspiel.load_game("last_nim(players=3,piles=3;4;5,rows=0 1 2;1 0 2;0 1 2)")

It is a deterministic general-sum game with perfect information and assigned rows. Parameters: `players`, `piles` and `rows`, each separated
by semicolons (`rows` is `standard` or the offsets of each seat), `first` and `ending`. A single pile needs a semicolon too: `piles=9;`,
since OpenSpiel reads `9` as a number. A seat's return is its satisfaction.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from .._lastnim import GameInProgress
from .games import RowSource, game_source, game_text

__all__ = ["LastNimGame", "LastNimState"]

# These libraries have no types.
pyspiel: Any = import_module("pyspiel")
observation: Any = import_module("open_spiel.python.observation")

DEFAULTS: dict[str, Any] = {
    "players": 3,
    "piles": "3;4;5",
    "rows": "standard",
    "first": 0,
    "ending": "to_move_wins",
}

GAME_TYPE: Any = pyspiel.GameType(
    short_name="last_nim",
    long_name="Last Nim",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=32,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=DEFAULTS,
)


class LastNimGame(pyspiel.Game):  # type: ignore[misc]
    """Last Nim from given piles, with assigned rows."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        settings = {**DEFAULTS, **(params or {})}
        piles = parse_numbers("piles", settings["piles"], ";")
        rows: RowSource = "standard"
        if settings["rows"] != "standard":
            rows = [parse_numbers("rows", row, " ") for row in settings["rows"].split(";")]
        self.source = game_source(
            players=settings["players"], piles=piles, rows=rows, first=settings["first"], ending=settings["ending"]
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=self.source.action_count,
            max_chance_outcomes=0,
            num_players=self.source.players,
            min_utility=0.0,
            max_utility=1.0,
            max_game_length=sum(piles),
        )
        super().__init__(GAME_TYPE, info, params or {})  # pyright: ignore[reportUnknownMemberType]

    def new_initial_state(self, state: None = None) -> LastNimState:
        """Returns the game before its first take."""
        return LastNimState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Returns an observer of states."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return LastNimObserver(self, params)
        return observation.IIGObserverForPublicInfoGame(iig_obs_type, params)


class LastNimState(pyspiel.State):  # type: ignore[misc]
    """A position of a game, with the oracle's answers about it."""

    def __init__(self, game: LastNimGame) -> None:
        super().__init__(game)  # pyright: ignore[reportUnknownMemberType]
        self.game_in_progress: GameInProgress = game.source.draw_game(0)

    def predicted_winner(self) -> int:
        """Returns the winner under optimal play from here on."""
        return self.game_in_progress.predicted_winner()

    def optimal_takes(self) -> list[tuple[int, int]]:
        """Returns the optimal takes as at most two ranges, both ends included."""
        return self.game_in_progress.optimal_takes()

    def regret(self, action: int) -> int:
        """Returns the ranks, 0 to n-1, that an action would cost the seat to move."""
        return self.game_in_progress.regret(action)

    def current_player(self) -> int:
        """Returns the seat to move."""
        return int(pyspiel.PlayerId.TERMINAL) if self.game_in_progress.is_over else self.game_in_progress.to_move

    def _legal_actions(self, player: int) -> list[int]:
        return self.game_in_progress.legal_actions()

    def _apply_action(self, action: int) -> None:
        self.game_in_progress.act(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"seat {player} takes {action}"

    def is_terminal(self) -> bool:
        """Returns whether no counter is left."""
        return self.game_in_progress.is_over

    def returns(self) -> list[float]:
        """Returns each seat's satisfaction, 0 to 1; 0 until the game is over."""
        return self.game_in_progress.rewards()

    def __str__(self) -> str:
        return game_text(self.game_in_progress)


class LastNimObserver:
    """Observes a state (docs/reference/environments.md)."""

    def __init__(self, game: LastNimGame, params: Any) -> None:
        if params:
            raise ValueError(f"observer of last_nim: {params}: expected no parameters")
        self.tensor = np.zeros(game.source.observation_length, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: LastNimState, player: int) -> None:
        """Writes a player's observation to the tensor."""
        self.tensor[:] = state.game_in_progress.observation(player)

    def string_from(self, state: LastNimState, player: int) -> str:
        """Returns a player's observation as text, which is the same for all."""
        return str(state)


def parse_numbers(name: str, text: str, separator: str) -> list[int]:
    """Reads numbers such as 3;4;5."""
    try:
        return [int(number) for number in text.rstrip(separator).split(separator)]
    except ValueError:
        raise ValueError(f"{name}: {text!r}: expected numbers separated by {separator!r}") from None


pyspiel.register_game(GAME_TYPE, LastNimGame)
