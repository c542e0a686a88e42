"""Last Nim for PettingZoo: every seat is an agent, `seat_0` to `seat_{n-1}`.

In `env` the agents act in turn; in `parallel_env` they choose their actions for a whole round at once. The arguments are those of
`lastnim.envs.game_source`, and:

- `labels`: whether to add the oracle's labels to the infos;
- `max_cycles`: the number of rounds, in which every seat acts once, after which a game is truncated;
- `render_mode`: `ansi` returns the game as a line of text, `human` prints it after each action.
"""

# pyright: reportMissingTypeStubs=false

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from gymnasium.spaces import Space
from gymnasium.utils import EzPickle, seeding
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from .._lastnim import GameInProgress
from .games import RENDER_MODES, Episode, GameSettings, check_render_mode, game_source, game_text
from .spaces import Observation, action_space, observation_space, seat_observation

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["env", "parallel_env", "raw_env"]


def env(
    *,
    labels: bool = False,
    max_cycles: int | None = None,
    render_mode: str | None = None,
    **settings: Unpack[GameSettings],
) -> AECEnv[str, Observation, Any]:
    """Creates the environment with PettingZoo's checks of order and spaces."""
    raw = raw_env(labels=labels, max_cycles=max_cycles, render_mode=render_mode, **settings)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw))


class _Games:
    """Games of one source, one after another, each of which ends or is truncated after some rounds."""

    def __init__(
        self, *, labels: bool, max_cycles: int | None, render_mode: str | None, settings: GameSettings
    ) -> None:
        if max_cycles is not None and max_cycles < 1:
            raise ValueError(f"max_cycles: {max_cycles}: expected 1 or more rounds, or None")
        self.source = game_source(**settings)
        self.agents = [f"seat_{seat}" for seat in range(self.source.players)]
        self.render_mode = check_render_mode(render_mode)
        self._labels = labels
        self._max_actions = None if max_cycles is None else max_cycles * self.source.players
        self._random = seeding.np_random(None)[0]
        self._actions = 0
        self._episode: Episode | None = None

    def spaces(self) -> tuple[dict[str, Space[Observation]], dict[str, Space[Any]]]:
        """Returns the observation space and the action space of each agent."""
        observations = {agent: observation_space(self.source) for agent in self.agents}
        return observations, {agent: action_space(self.source) for agent in self.agents}

    def start_next(self, seed: int | None) -> None:
        if seed is not None:
            self._random = seeding.np_random(seed)[0]
        self._episode = Episode(self.source, int(self._random.integers(2**63)), labels=self._labels)
        self._actions = 0
        self.show_to_human()

    @property
    def episode(self) -> Episode:
        if self._episode is None:
            raise ValueError("reset the environment first")
        return self._episode

    @property
    def game(self) -> GameInProgress:
        return self.episode.game

    def agent_to_move(self) -> str:
        return self.agents[self.game.to_move]

    def act(self, action: int) -> dict[str, float]:
        """Performs an action of the seat to move, and returns its rewards."""
        seat = self.game.to_move
        penalty = self.episode.act(action)
        self._actions += 1
        rewards = dict(zip(self.agents, self.game.rewards(), strict=True))
        rewards[self.agents[seat]] += penalty
        self.show_to_human()
        return rewards

    def is_truncated(self) -> bool:
        return self._actions == self._max_actions and not self.game.is_over

    def observe(self, agent: str) -> Observation:
        return seat_observation(self.game, self.agents.index(agent))

    def infos(self) -> dict[str, dict[str, Any]]:
        return {agent: self.episode.info(seat) for seat, agent in enumerate(self.agents)}

    def text(self) -> str | None:
        """Returns the result of `render`."""
        return game_text(self.game) if self.render_mode == "ansi" else None

    def show_to_human(self) -> None:
        if self.render_mode == "human":
            print(game_text(self.game))


class raw_env(AECEnv[str, Observation, Any], EzPickle):  # noqa: N801, PettingZoo's name
    """The environment in which agents act in turn, without checks."""

    metadata: dict[str, Any] = {
        "name": "last_nim_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
    }

    def __init__(
        self,
        *,
        labels: bool = False,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **settings: Unpack[GameSettings],
    ) -> None:
        EzPickle.__init__(self, labels=labels, max_cycles=max_cycles, render_mode=render_mode, **settings)
        self.render_mode = render_mode
        self._games = _Games(labels=labels, max_cycles=max_cycles, render_mode=render_mode, settings=settings)
        self.possible_agents = list(self._games.agents)
        self.agents = []
        self.observation_spaces, self.action_spaces = self._games.spaces()

    @property
    def game(self) -> GameInProgress:
        """The current game, with the oracle's answers about it."""
        return self._games.game

    def observation_space(self, agent: str) -> Space[Observation]:
        """Returns an agent's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Returns an agent's action space."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Draws a game, from the seed if given. There are no options."""
        self._games.start_next(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._games.infos()
        self.agent_selection = self._games.agent_to_move()

    def observe(self, agent: str) -> Observation:
        """Returns an agent's observation."""
        return self._games.observe(agent)

    def step(self, action: int | None) -> None:
        """Performs the action of the agent whose turn it is; None if its game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"action None of {agent}: it must act, since its game is not over")
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._games.act(index(action))
        self.terminations = dict.fromkeys(self.agents, self.game.is_over)
        self.truncations = dict.fromkeys(self.agents, self._games.is_truncated())
        self.infos = self._games.infos()
        self.agent_selection = self._games.agent_to_move()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Returns the game in a line in the mode `ansi`; in the mode `human` every step prints it."""
        return self._games.text()

    def close(self) -> None:
        """Does nothing: there is nothing to release."""


class parallel_env(ParallelEnv[str, Observation, Any], EzPickle):  # noqa: N801, PettingZoo's name
    """The environment in which agents choose for a whole round at once; their actions are performed in turn.

    If an action has become illegal when its turn comes, the lowest legal action replaces it, with the usual penalty.
    """

    metadata: dict[str, Any] = {"name": "last_nim_v0", "render_modes": list(RENDER_MODES)}

    def __init__(
        self,
        *,
        labels: bool = False,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **settings: Unpack[GameSettings],
    ) -> None:
        EzPickle.__init__(self, labels=labels, max_cycles=max_cycles, render_mode=render_mode, **settings)
        self.render_mode = render_mode
        self._games = _Games(labels=labels, max_cycles=max_cycles, render_mode=render_mode, settings=settings)
        self.possible_agents = list(self._games.agents)
        self.agents = []
        self.observation_spaces, self.action_spaces = self._games.spaces()

    @property
    def game(self) -> GameInProgress:
        """The current game, with the oracle's answers about it."""
        return self._games.game

    def observation_space(self, agent: str) -> Space[Observation]:
        """Returns an agent's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Returns an agent's action space."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Draws a game, from the seed if given. There are no options."""
        self._games.start_next(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), self._games.infos()

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Performs an action of each agent, in turn, until the game ends."""
        agents = self.agents
        if missing := [agent for agent in agents if agent not in actions]:
            raise ValueError(f"actions: missing for {', '.join(missing)}")
        rewards = dict.fromkeys(agents, 0.0)
        for _ in agents:
            if self.game.is_over:
                break
            for agent, reward in self._games.act(index(actions[self._games.agent_to_move()])).items():
                rewards[agent] += reward
        terminated, truncated = self.game.is_over, self._games.is_truncated()
        if terminated or truncated:
            self.agents = []
        return (
            self._observations(),
            rewards,
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            self._games.infos(),
        )

    def _observations(self) -> dict[str, Observation]:
        """Returns each agent's observation. An agent's mask is valid for its next turn only if it moves first in the round."""
        return {agent: self._games.observe(agent) for agent in self.possible_agents}

    def render(self) -> str | None:
        """Returns the game in a line in the mode `ansi`; in the mode `human` every action prints it."""
        return self._games.text()

    def close(self) -> None:
        """Does nothing: there is nothing to release."""
