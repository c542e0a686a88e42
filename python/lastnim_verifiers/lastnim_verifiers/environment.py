"""The environment: a model against house bots, or two models against each other."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from lastnim.llm import RIVAL, Call

from .harness import REPLY_KEY
from .playing import Player, RunStopped, play_match
from .task import LastNimTaskData

__all__ = ["LastNimEnv", "LastNimEnvConfig"]


class LastNimEnvConfig(vf.SingleAgentEnvConfig):
    """The library's settings without a sandbox, since the models run no code."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The model that moves first."""
    rival: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The model of the opponents named `rival`; the same model by default."""


# The library finds the settings by the type parameter of `Env`, and its tools need a `SingleAgentEnv`.
class LastNimEnv(vf.SingleAgentEnv, vf.Env[LastNimEnvConfig]):  # pyright: ignore[reportGeneralTypeIssues]
    """One match of Last Nim per episode, with a trace for each seat of a model."""

    async def setup(self, agents: Any) -> None:
        """Leaves the takes of another model out of training."""
        config: Any = self.config
        agents.rival.trainable = config.rival.model is None

    async def run(self, task: vf.Task[Any, Any, Any], agents: Any) -> None:
        """Plays the match: the harness alone against house bots, otherwise all models in turn."""
        data = task.data
        if not isinstance(data, LastNimTaskData) or RIVAL not in data.opponents:
            await agents.agent.run(task)
            return
        match = data.begin_match()
        # The environment asks the questions, the first one included.
        unopened = type(task)(data.model_copy(update={"prompt": None}), task.config)
        async with AsyncExitStack() as stack:
            players: dict[int, Player] = {}
            for seat in match.model_seats:
                agent = agents.agent if seat == match.seat else agents.rival
                interaction = await stack.enter_async_context(agent.interaction(unopened))
                players[seat] = Player(interaction.trace, call_of(interaction))
            await play_match(match, data, players)


def call_of(interaction: Any) -> Call:
    """Returns a call that sends a question through an interaction, and takes the reply from its trace."""

    async def call(messages: list[tuple[Any, str]]) -> tuple[str, str, str | None]:
        wire: Any = [{"role": role, "content": text} for role, text in messages]
        segment = await interaction.turn(wire)
        reply: tuple[str, str, str | None] | None = interaction.trace.info.pop(REPLY_KEY, None)
        if segment.terminated or reply is None:
            raise RunStopped
        return reply

    return call
