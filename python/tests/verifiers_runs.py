"""Runs of the environment for verifiers, for tests."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any, TypeAlias
from unittest import mock

import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from lastnim_verifiers.task import AnyTrace
from scripted_endpoint import Messages, Reply, ScriptedEndpoint

AnyEpisode: TypeAlias = vf.Episode[Any, Any, Any]


def play_episodes(
    script: Callable[[Messages], Reply], settings: dict[str, Any], **changes: Any
) -> tuple[list[AnyEpisode], list[dict[str, Any]]]:
    """Plays a match for each position with scripted models, and returns the episodes and the requests. `changes` are other settings of the
    environment."""
    with ScriptedEndpoint(script) as endpoint, mock.patch.dict(os.environ, {"SCRIPTED_KEY": "none"}):
        config = {"taskset": {"id": "lastnim-verifiers", **settings}, **changes}
        # The library is only partly typed.
        library: Any = vf
        env = library.load_environment(library.resolve_env_config(config))
        client = vf.EvalClientConfig(base_url=endpoint.base_url, api_key_var="SCRIPTED_KEY")

        async def play() -> list[AnyEpisode]:
            async with env.serving():
                slots = [slot for task in env.taskset for slot in env.slots(task)]
                return [await env.run_slot(slot, vf.ModelContext(model="scripted", client=client)) for slot in slots]

        return asyncio.run(play()), endpoint.requests


def play_tasks(
    script: Callable[[Messages], Reply], settings: dict[str, Any], agent: dict[str, Any] | None = None
) -> tuple[list[AnyTrace], list[Messages]]:
    """Plays a match for each position with a scripted model, and returns the traces and the calls."""
    episodes, requests = play_episodes(script, settings, agent=agent or {})
    return [trace for episode in episodes for trace in episode.traces], [request["messages"] for request in requests]


def has_won(trace: AnyTrace) -> bool:
    """Returns whether the reward `won`, which has no weight by default, is 1."""
    reward = trace.rewards["won"]
    assert reward is not None and reward.weight == 0.0 and reward.score in (0.0, 1.0)
    return reward.score == 1.0
